"""Non-linear conjugate gradients.

    p_t = −g_t + β_t p_{t−1},    β_t = max(0, g_tᵀ(g_t − g_{t−1})/‖g_{t−1}‖²),    w' = w + ηp           (1)

Directions of (1) are conjugate when F is quadratic and η exact: then d steps suffice. β is that of Polak & Ribière
(1969), doi:10.1051/m2an/196903R100351, cut at zero; the direction is started afresh from the gradient when successive
gradients are far from orthogonal. Nocedal & Wright (2006), section 5.2, doi:10.1007/978-0-387-40065-5.
"""

from __future__ import annotations

import math

from gnomon._typing import ArrayLike, Floats
from gnomon.optim._follow import Descent, follow_to_rounding
from gnomon.optim._gradient_descent import as_floating
from gnomon.optim.line_search import ValueAndGradient, blind_step, descend_along
from gnomon.optim.rules import StopRule, check_at
from gnomon.optim.solution import Callback, Solution
from gnomon.optim.stopping import GradientNorm, default_rule

__all__ = ["conjugate_gradient"]

C2 = 0.1
"""Slope left at the end of a line search: conjugacy needs nearly exact ones."""


def conjugate_gradient(
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
    Polak, E. & Ribière, G. (1969). Note sur la convergence de méthodes de directions conjuguées.
    doi:10.1051/m2an/196903R100351

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import conjugate_gradient
    >>> H = np.diag([1.0, 10.0, 100.0])
    >>> solution = conjugate_gradient(lambda w: (0.5 * float(w @ H @ w), H @ w), np.ones(3))
    >>> solution.stop_reason, float(np.abs(solution.w).max()) < 1e-5
    ('tol', True)
    """
    rule = default_rule(GradientNorm(tol), tol_obj, stop)
    checks = _descend(fun, as_floating(w0))
    return follow_to_rounding(checks, rule, max_iter=max_iter, callback=callback, iterates=iterates)


def _descend(fun: ValueAndGradient, w: Floats) -> Descent:
    value, g = fun(w)
    yield check_at(0, w, value, g)
    p, first, step, t = -g, blind_step(g), math.inf, 0
    while True:
        t += 1
        found = descend_along(fun, w, p, value, g, step=first, c2=C2)
        if found is None:
            p = -g
            found = descend_along(fun, w, p, value, g, step=first, c2=C2)
        if found is None:
            return step * float(g @ g)
        step = found.step
        slope = step * float(g @ p)
        p = -found.gradient + _beta(found.gradient, g) * p
        w, value, g = found.w, found.value, found.gradient
        yield check_at(t, w, value, g, step=step)
        # Nocedal & Wright (2006), eq. 3.60: the first-order change along the new line as along the last.
        descent = float(g @ p)
        first = slope / descent if descent < 0.0 else step


def _beta(g: Floats, previous: Floats) -> float:
    # Powell (1977), doi:10.1007/BF01593790: gradients far from orthogonal have lost conjugacy.
    if abs(float(g @ previous)) >= 0.5 * float(g @ g):
        return 0.0
    return max(0.0, float(g @ (g - previous)) / float(previous @ previous))
