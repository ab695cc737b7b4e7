"""Newton's method with products only.

    (B + λI) p = −∇f(w)  by conjugate gradients,    w ← w + η p,    B = ∇²f(w) or its Gauss–Newton part    (1)

λ is changed as Levenberg and Marquardt do: it falls where the quadratic model predicted the change of f well and grows
where it did not. Directions of negative curvature end the conjugate gradients. Martens (2010), Deep learning via
Hessian-free optimization, ICML, sections 3 and 4.1; Nocedal & Wright (2006), algorithm 7.1,
doi:10.1007/978-0-387-40065-5.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from gnomon._typing import Array, ArrayLike, Floats
from gnomon.numerics.validation import check_non_negative
from gnomon.optim._follow import Descent, follow_to_rounding
from gnomon.optim._gradient_descent import as_floating
from gnomon.optim._newton import halved_step
from gnomon.optim.line_search import ValueAndGradient
from gnomon.optim.rules import StopRule, check_at
from gnomon.optim.solution import Callback, Solution
from gnomon.optim.stopping import GradientNorm, default_rule

__all__ = ["newton_cg"]

Product: TypeAlias = Callable[[Array], Floats]
"""v → Bv."""


def newton_cg(
    fun: ValueAndGradient,
    w0: ArrayLike,
    *,
    product: Callable[[Array], Product],
    damping: float = 1.0,
    max_products: int = 100,
    tol: float = 1e-6,
    tol_obj: float | None = None,
    stop: StopRule | None = None,
    max_iter: int = 200,
    callback: Callback | None = None,
    iterates: bool = False,
) -> Solution[Floats]:
    """Minimise a smooth function by (1).

    Parameters
    ----------
    fun : callable
        w → (f(w), ∇f(w)).
    w0 : array-like
        Start.
    product : callable
        w → the function v → Bv.
    damping : float, default=1.0
        λ of the first iteration, in units of ‖B∇f‖/‖∇f‖.
    max_products : int, default=100
        Products Bv of one iteration.
    tol : float, default=1e-6
        Stop at ‖∇f‖∞ ≤ tol.
    tol_obj : float, optional
        Stop also where f changes by no more than tol_obj · max(1, |f|).
    stop : StopRule, optional
        A further rule.
    max_iter : int, default=200
    callback : callable, optional
        Gets each row of the history; may return True to stop.
    iterates : bool, default=False
        Keep every w in the history.

    Returns
    -------
    Solution
        The history has λ as "damping" and the number of "products" so far.

    References
    ----------
    Martens, J. (2010). Deep learning via Hessian-free optimization. ICML.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import newton_cg
    >>> def rosenbrock(w):
    ...     a, b = 1.0 - w[0], w[1] - w[0] ** 2
    ...     return a * a + 100.0 * b * b, np.array([-2.0 * a - 400.0 * w[0] * b, 200.0 * b])
    >>> def gauss_newton(w):
    ...     J = np.array([[-1.0, 0.0], [-20.0 * w[0], 10.0]])
    ...     return lambda v: 2.0 * J.T @ (J @ v)
    >>> newton_cg(rosenbrock, np.array([-1.2, 1.0]), product=gauss_newton).w.round(5)
    array([1., 1.])
    """
    check_non_negative("damping", damping)
    rule = default_rule(GradientNorm(tol), tol_obj, stop)
    checks = _checks(fun, product, as_floating(w0), damping, max_products)
    return follow_to_rounding(checks, rule, max_iter=max_iter, callback=callback, iterates=iterates)


def _checks(
    fun: ValueAndGradient, product: Callable[[Array], Product], w: Floats, damping: float, most: int
) -> Descent:
    value, g = fun(w)
    yield check_at(0, w, value, g)
    iteration, used, lam = 0, 0, math.nan
    while True:
        times = product(w)
        if math.isnan(lam):
            lam = damping * float(np.linalg.norm(times(g))) / max(float(np.linalg.norm(g)), 1e-300)
        found = _direction(times, g, lam, most)
        step, there, value_there, g_there = halved_step(fun, w, value, g, found.p)
        if step == 0.0:
            return -float(g @ found.p)
        iteration, used = iteration + 1, used + found.products
        lam *= _factor(value_there - value, found.model if step == 1.0 else -math.inf)
        w, value, g = there, value_there, g_there
        yield check_at(iteration, w, value, g, step=step, damping=lam, products=used)


def _factor(change: float, promised: float) -> float:
    """Martens (2010), section 4.1: λ · 3/2 where the model promised too much, λ · 2/3 where it was right."""
    ratio = change / promised if promised < 0.0 else 0.0
    return 1.5 if ratio < 0.25 else (2.0 / 3.0 if ratio > 0.75 else 1.0)


class _Direction(NamedTuple):
    """p of (1), the change gᵀp + ½ pᵀBp that the model promises, and the products it took."""

    p: Floats
    model: float
    products: int


def _direction(times: Product, g: Floats, lam: float, most: int) -> _Direction:
    """Conjugate gradients for (1) until the residual is small beside g, or a direction bends downwards."""
    p, Bp = np.zeros_like(g), np.zeros_like(g)
    r, d = -g, -g
    square = float(r @ r)
    enough = min(0.25, square**0.25) * math.sqrt(square)
    k = 0
    while k < most:
        Bd = times(d).astype(g.dtype, copy=False)
        k += 1
        bend = float(d @ Bd) + lam * float(d @ d)
        if bend <= 1e-12 * float(d @ d):
            # Along −g a step still helps; the line search finds its length.
            p, Bp = (d, Bd) if k == 1 else (p, Bp)
            break
        alpha = square / bend
        p, Bp, r = p + alpha * d, Bp + alpha * Bd, r - alpha * (Bd + lam * d)
        last, square = square, float(r @ r)
        if math.sqrt(square) <= enough:
            break
        d = r + (square / last) * d
    return _Direction(p, float(g @ p) + 0.5 * float(p @ Bp), k)
