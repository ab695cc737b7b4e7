"""Newton's method.

    Δ = −∇²f(w)⁻¹ ∇f(w),    w ← w + η Δ,    η = 1, ½, ¼ … until f(w + ηΔ) ≤ f(w) + c η ∇fᵀΔ           (1)

Δ by Cholesky's factorisation; where the Hessian is not positive definite, a multiple of its diagonal is added. With
``reuse`` > 0 a factor serves further steps while each of them shrinks the gradient by that factor (Shamanskii 1967,
doi:10.1007/BF01085325): far cheaper than a new Hessian, and convergence stays linear at a rate ≤ `reuse`.
Nocedal & Wright (2006), chapter 3, doi:10.1007/978-0-387-40065-5.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import linalg

from gnomon._typing import Array, Floats
from gnomon.numerics.parallel import calm_blas
from gnomon.optim._follow import Descent, follow_to_rounding
from gnomon.optim.line_search import ValueAndGradient
from gnomon.optim.rules import StopRule, check_at
from gnomon.optim.solution import Callback, Solution
from gnomon.optim.stopping import GradientNorm, default_rule

__all__ = ["newton", "positive_factor"]


def newton(
    fun: ValueAndGradient,
    w0: Floats,
    *,
    hessian: Callable[[Array], Floats],
    reuse: float = 0.0,
    tol: float = 1e-8,
    tol_obj: float | None = None,
    stop: StopRule | None = None,
    max_iter: int = 100,
    callback: Callback | None = None,
    iterates: bool = False,
) -> Solution[Floats]:
    """Minimise a smooth function by (1).

    Parameters
    ----------
    fun : callable
        w → (f(w), ∇f(w)).
    w0 : ndarray
        Start.
    hessian : callable
        w → ∇²f(w), symmetric.
    reuse : float in [0, 1), default=0.0
        Keep a factor for the next step while a step shrinks ‖∇f‖ by this factor; 0 is Newton's method proper.
    tol : float, default=1e-8
        Stop at ‖∇f‖∞ ≤ tol.
    tol_obj : float, optional
        Stop also where f changes by no more than tol_obj · max(1, |f|).
    stop : StopRule, optional
        A further rule of `gnomon.optim.stopping`.
    max_iter : int, default=100
    callback : callable, optional
        Gets each row of the history; may return True to stop.
    iterates : bool, default=False
        Keep every w in the history.

    Returns
    -------
    Solution
        Where no step lowers f any more, `stop_reason` is "no_change"; `converged` then says whether that is rounding.

    References
    ----------
    Nocedal, J. & Wright, S. (2006). Numerical Optimization, chapter 3. doi:10.1007/978-0-387-40065-5

    Shamanskii, V. E. (1967). A modification of Newton's method. doi:10.1007/BF01085325

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import newton
    >>> def f(w):
    ...     return np.exp(w[0]) - 2.0 * w[0], np.exp(w) - 2.0
    >>> solution = newton(f, np.array([0.0]), hessian=lambda w: np.diag(np.exp(w)))
    >>> solution.w, solution.n_iter
    (array([0.69314718]), 5)
    """
    if not 0.0 <= reuse < 1.0:
        raise ValueError(f"reuse={reuse!r} must lie in [0, 1); by this factor a step must shrink the gradient")
    rule = default_rule(GradientNorm(tol), tol_obj, stop)
    checks = _checks(fun, hessian, np.array(w0, copy=True), reuse)
    return follow_to_rounding(checks, rule, max_iter=max_iter, callback=callback, iterates=iterates)


def _checks(fun: ValueAndGradient, hessian: Callable[[Array], Floats], w: Floats, reuse: float) -> Descent:
    value, g = fun(w)
    yield check_at(0, w, value, g)
    iteration, kept = 0, None
    while True:
        fresh = kept is None
        factor = positive_factor(hessian(w)) if kept is None else kept
        direction = -solve_factored(factor, g)
        step, there, value_there, g_there = halved_step(fun, w, value, g, direction)
        if step > 0.0:
            iteration += 1
            yield check_at(iteration, there, value_there, g_there, step=step)
        elif fresh:
            return -float(g @ direction)
        # A gradient whose square overflows is not seen to shrink where no step was taken.
        shrinks = step > 0.0 and np.linalg.norm(g_there) <= reuse * np.linalg.norm(g)
        kept = factor if shrinks else None
        w, value, g = there, value_there, g_there


def positive_factor(H: Floats) -> tuple[Floats, bool]:
    """Cholesky factor of H, or of H plus the least tried multiple of its diagonal that makes it positive definite.

    References
    ----------
    Nocedal, J. & Wright, S. (2006). Numerical Optimization, algorithm 3.3. doi:10.1007/978-0-387-40065-5

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.linalg import cho_solve
    >>> from gnomon.optim import positive_factor
    >>> cho_solve(positive_factor(np.array([[4.0, 0.0], [0.0, 2.0]])), np.array([4.0, 2.0]))
    array([1., 1.])
    >>> float(cho_solve(positive_factor(np.zeros((1, 1))), np.ones(1))[0]) > 0.0
    True
    """
    if not np.isfinite(np.sum(H)):
        raise ValueError("the Hessian is not finite; scale the columns of X, or give a start where it is")
    scale = np.abs(np.diagonal(H)).astype(H.dtype)
    scale += (np.max(scale, initial=0.0) or 1.0) * np.finfo(H.dtype).eps
    jitter = 0.0
    while True:
        try:
            with calm_blas(len(H)):
                return linalg.cho_factor(H + np.diag(jitter * scale) if jitter else H, lower=True, check_finite=False)
        except linalg.LinAlgError:
            jitter = max(10.0 * jitter, 10.0 * float(np.finfo(H.dtype).eps))


def solve_factored(factor: tuple[Floats, bool], B: Floats) -> Floats:
    """H⁻¹B by the factor of `positive_factor`."""
    with calm_blas(len(B)):
        return linalg.cho_solve(factor, B, check_finite=False)


def halved_step(
    fun: ValueAndGradient,
    w: Floats,
    value: float,
    g: Floats,
    direction: Floats,
    *,
    c: float = 1e-4,
    max_halvings: int = 40,
) -> tuple[float, Floats, float, Floats]:
    """η of (1), w + ηΔ, f and ∇f there; η = 0 where no step helps."""
    slope = float(g @ direction)
    noise = 10.0 * np.finfo(g.dtype).eps * abs(value)
    step = 1.0
    for _ in range(max_halvings):
        there = w + np.asarray(step, dtype=w.dtype) * direction
        f, gradient = fun(there)
        # Near the minimum two values differ only by rounding; compare the gradients.
        flat = abs(f - value) <= noise
        helps = np.linalg.norm(gradient) < np.linalg.norm(g) if flat else f <= value + c * step * slope
        if helps:
            return step, there, f, gradient
        step *= 0.5
    return 0.0, w, value, g
