"""Gradient descent.

    w_{t+1} = w_t − η_t ∇F(w_t)                                                                   (1)

with any step rule (`gnomon.optim.steps`) and with or without momentum (`gnomon.optim.momentum`). For a convex F whose
gradient has the Lipschitz constant L the step 1/L gives F(w_t) − F* ≤ (1 − μ/L)^t (F(w₀) − F*), μ the strong
convexity; without convexity only a stationary point is found. Cauchy (1847), C. R. Acad. Sci. 25, 536–538; Nesterov
(2018), section 2.1.5, doi:10.1007/978-3-319-91578-4.
"""

from __future__ import annotations

from functools import partial
from itertools import count

import numpy as np

from gnomon._typing import ArrayLike, Floats
from gnomon.optim._follow import Checks, follow
from gnomon.optim.line_search import ValueAndGradient
from gnomon.optim.momentum import Momentum, MomentumForm, as_momentum
from gnomon.optim.rules import StopRule, check_at
from gnomon.optim.schedules import RateLike, Schedule
from gnomon.optim.solution import Callback, Solution
from gnomon.optim.steps import HessianProduct, Line, Point, StepLike, StepRule, as_step_rule
from gnomon.optim.stopping import GradientNorm, default_rule

__all__ = ["gradient_descent"]


def gradient_descent(
    fun: ValueAndGradient,
    w0: ArrayLike,
    *,
    step: StepLike = "auto",
    lipschitz: float | None = None,
    hessian_product: HessianProduct | None = None,
    momentum: RateLike = 0.0,
    momentum_form: MomentumForm = "heavy_ball",
    memory: float | None = None,
    tol: float = 1e-6,
    tol_obj: float | None = None,
    stop: StopRule | None = None,
    max_iter: int = 1000,
    callback: Callback | None = None,
    iterates: bool = False,
) -> Solution[Floats]:
    """Minimise a differentiable function by (1).

    Parameters
    ----------
    fun : callable
        w → (F(w), ∇F(w)).
    w0 : array-like
        Start.
    step : float, str, Schedule, callable or StepRule, default="auto"
        η: a number, a function of t, a rule of `gnomon.optim.steps`, or a word: "auto" (1/L), "exact" (line search),
        "bold_driver", "armijo", "wolfe", or a schedule ("inv", "power", "inv_t0", "capped", "plateau").
    lipschitz : float, optional
        L, for ``step="auto"``; without it the step is found by Armijo's rule.
    hessian_product : callable, optional
        (w, v) → ∇²F(w) v, for ``step="exact"`` on quadratics.
    momentum : float, Schedule or callable, default=0.0
        m of the heavy ball, or μ, the weight of the new gradient, of the moving average.
    momentum_form : {"heavy_ball", "ema"}, default="heavy_ball"
    memory : float, optional
        Memory T in steps, instead of `momentum`.
    tol : float, default=1e-6
        Stop at ‖∇F‖∞ ≤ tol.
    tol_obj : float, optional
        Stop when F changes by at most tol_obj · max(1, |F|).
    stop : StopRule, optional
        A further rule.
    max_iter : int, default=1000
    callback : callable, optional
        Gets each row of the history; may return True to stop.
    iterates : bool, default=False
        Keep every w in ``history["iterates"]``.

    Returns
    -------
    Solution
        Its history has "step", "rejected" (steps tried in vain), "gradient_norm" and "update_ratio" = ‖Δw‖/‖w‖.

    References
    ----------
    Nesterov, Y. (2018). Lectures on Convex Optimization, section 2.1.5. doi:10.1007/978-3-319-91578-4

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import gradient_descent
    >>> X, y = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]), np.array([0.0, 1.0, 1.0])
    >>> def squares(w):
    ...     r = X @ w - y
    ...     return float(r @ r), 2 * X.T @ r
    >>> gradient_descent(squares, np.zeros(2), step=0.1).w.round(4)
    array([0.1667, 0.5   ])
    """
    rule = as_step_rule(step, lipschitz)
    form, weight = as_momentum(momentum, momentum_form, memory)
    if rule.plain and (memory is not None or momentum != 0.0):
        raise ValueError(f"step={step!r} is a search along the gradient; leave momentum=0, or choose another step")
    checks = _descend(fun, as_floating(w0), rule, form, weight, hessian_product)
    stop = default_rule(GradientNorm(tol), tol_obj, stop)
    return follow(checks, stop, max_iter=max_iter, callback=callback, iterates=iterates)


def _descend(
    fun: ValueAndGradient,
    w: Floats,
    rule: StepRule,
    form: Momentum,
    weight: Schedule,
    hessian_product: HessianProduct | None,
) -> Checks:
    point = Point(w, *fun(w), np.zeros_like(w))
    yield check_at(0, point.w, point.value, point.gradient)
    memory = rule.start()
    for t in count():
        attempt = partial(_attempt, fun, point, form, float(weight(t)))
        move = rule.take(Line(point, t, attempt, fun, hessian_product), memory)
        if move is None:
            return
        more = {"step": move.step, "rejected": move.rejected, "update_ratio": _ratio(point.w, move.point.w)}
        point, memory = move.point, move.memory
        yield check_at(t + 1, point.w, point.value, point.gradient, **more)


def _attempt(fun: ValueAndGradient, point: Point, form: Momentum, weight: float, step: float) -> Point:
    keep, add, go = form.mix(weight, step)
    velocity = keep * point.velocity + add * point.gradient
    w = point.w - go * velocity
    return Point(w, *fun(w), velocity)


def _ratio(before: Floats, after: Floats) -> float:
    """‖Δw‖/‖w‖; a run that diverges may overflow here before it is stopped."""
    with np.errstate(over="ignore", invalid="ignore"):
        moved, size = np.linalg.norm(after - before), np.linalg.norm(after)
        return float(moved / size) if size > 0.0 else np.nan


def as_floating(w0: ArrayLike) -> Floats:
    """A copy of the start, in its own floating type or in float64."""
    w = np.array(w0)
    return w if np.issubdtype(w.dtype, np.floating) else w.astype(float)
