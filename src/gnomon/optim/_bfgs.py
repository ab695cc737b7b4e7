"""BFGS: Newton's method with a Hessian learnt from gradients.

    p = −H ∇F(w),    w' = w + ηp,    H' = (I − ρ s yᵀ) H (I − ρ y sᵀ) + ρ s sᵀ                        (1)

with s = w' − w, y = ∇F(w') − ∇F(w), ρ = 1/(yᵀs), and H the whole d × d approximation of the inverse Hessian; for many
parameters use `lbfgs`, which keeps only the last pairs. Nocedal & Wright (2006), section 6.1,
doi:10.1007/978-0-387-40065-5.
"""

from __future__ import annotations

import math

import numpy as np

from gnomon._typing import ArrayLike, Floats
from gnomon.optim._follow import Descent, follow_to_rounding
from gnomon.optim._gradient_descent import as_floating
from gnomon.optim.line_search import LineStep, ValueAndGradient, blind_step, descend_along
from gnomon.optim.rules import StopRule, check_at
from gnomon.optim.solution import Callback, Solution
from gnomon.optim.stopping import GradientNorm, default_rule

__all__ = ["bfgs"]


def bfgs(
    fun: ValueAndGradient,
    w0: ArrayLike,
    *,
    tol: float = 1e-6,
    tol_obj: float | None = None,
    stop: StopRule | None = None,
    max_iter: int = 1000,
    callback: Callback | None = None,
    iterates: bool = False,
) -> Solution[Floats]:
    """Minimise a smooth function by (1) with strong Wolfe steps.

    Parameters
    ----------
    fun : callable
        w → (F(w), ∇F(w)).
    w0 : array-like
        Start.
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
        Where no step lowers F any more, `stop_reason` is "no_change"; `converged` then says whether that is rounding.

    References
    ----------
    Nocedal, J. & Wright, S. (2006). Numerical Optimization, section 6.1. doi:10.1007/978-0-387-40065-5

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import bfgs
    >>> def rosenbrock(w):
    ...     a, b = 1.0 - w[0], w[1] - w[0] ** 2
    ...     return a * a + 100.0 * b * b, np.array([-2.0 * a - 400.0 * w[0] * b, 200.0 * b])
    >>> bfgs(rosenbrock, np.array([-1.2, 1.0])).w.round(6)
    array([1., 1.])
    """
    rule = default_rule(GradientNorm(tol), tol_obj, stop)
    checks = _descend(fun, as_floating(w0))
    return follow_to_rounding(checks, rule, max_iter=max_iter, callback=callback, iterates=iterates)


def _descend(fun: ValueAndGradient, w: Floats) -> Descent:
    value, g = fun(w)
    yield check_at(0, w, value, g)
    H, t = None, 0
    while True:
        t += 1
        found, promise = _search(fun, w, value, g, H), math.inf
        if found is None and H is not None:
            # Rounding may have spoilt H; fall back to the gradient.
            promise, H = float(g @ (H @ g)), None
            found = _search(fun, w, value, g, H)
        if found is None:
            return promise
        H = _updated(H, found.w - w, found.gradient - g)
        w, value, g = found.w, found.value, found.gradient
        yield check_at(t, w, value, g, step=found.step)


def _search(fun: ValueAndGradient, w: Floats, value: float, g: Floats, H: Floats | None) -> LineStep | None:
    if H is None:
        return descend_along(fun, w, -g, value, g, step=blind_step(g))
    return descend_along(fun, w, -(H @ g), value, g)


def _updated(H: Floats | None, s: Floats, y: Floats) -> Floats | None:
    """H' of (1); the first H is the identity scaled to the curvature along s (eq. 6.20)."""
    curvature = float(s @ y)
    if curvature <= np.finfo(y.dtype).eps * float(y @ y):
        return H
    if H is None:
        H = (curvature / float(y @ y)) * np.eye(s.size, dtype=s.dtype)
    Hy, rho = H @ y, 1.0 / curvature
    return H + (rho + rho**2 * float(y @ Hy)) * np.outer(s, s) - rho * (np.outer(Hy, s) + np.outer(s, Hy))
