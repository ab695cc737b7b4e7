"""Numerical checks of what a user claims of a function.

    gradient     ∂F/∂wⱼ = (F(w + hⱼeⱼ) − F(w − hⱼeⱼ))/(2hⱼ) + O(h²)                                 (1)
    convexity    F(ta + (1 − t)b) ≤ tF(a) + (1 − t)F(b)                     chords                   (2)
                 F(b) ≥ F(a) + ∇F(a)ᵀ(b − a)                                 first order              (3)
                 ∇²F(a) ⪰ 0                                                  second order             (4)

A failed check is a proof up to rounding, and the report says where; a passed one is evidence. Nocedal & Wright (2006),
section 8.1, doi:10.1007/978-0-387-40065-5; Boyd & Vandenberghe (2004), section 3.1, doi:10.1017/CBO9780511804441.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from gnomon._typing import Array, ArrayLike, Floats
from gnomon.optim.line_search import ValueAndGradient

__all__ = ["ConvexityReport", "GradientReport", "check_convex", "check_gradient"]

ConvexityTest: TypeAlias = Literal["chord", "first_order", "hessian", ""]
Where: TypeAlias = tuple[Floats, Floats, float] | tuple[Floats, Floats] | tuple[Floats] | tuple[()]


@dataclass(frozen=True)
class GradientReport:
    """The answer of `check_gradient`; true as a condition when all entries agree.

    Parameters
    ----------
    passed : bool
    max_error : float
        Largest |claimed − numerical| / max(1, |numerical|).
    where : tuple of int
        The entry with that error.
    claimed, numerical : ndarray
        Both gradients.

    References
    ----------
    Nocedal, J. & Wright, S. (2006). Numerical Optimization, section 8.1. doi:10.1007/978-0-387-40065-5

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import check_gradient
    >>> report = check_gradient(lambda w: (float(w @ w), np.array([2.0 * w[0], w[1]])), np.array([1.0, 3.0]))
    >>> report.passed, report.where, round(report.max_error, 6)
    (False, (1,), 0.5)
    """

    passed: bool
    max_error: float
    where: tuple[int, ...]
    claimed: Floats
    numerical: Floats

    def __bool__(self) -> bool:
        return self.passed


@dataclass(frozen=True)
class ConvexityReport:
    """The answer of `check_convex`; true as a condition when no violation was found.

    Parameters
    ----------
    passed : bool
    violation : float
        By how much the worst inequality of (2)–(4) fails, relative to the size of its terms; 0.0 if none fails.
    test : {"chord", "first_order", "hessian", ""}
        Which one that is.
    where : tuple
        The points (a, b) and t of a chord, (a, b), or (a,).

    References
    ----------
    Boyd, S. & Vandenberghe, L. (2004). Convex Optimization, section 3.1. doi:10.1017/CBO9780511804441

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import check_convex
    >>> report = check_convex(lambda w: -float(w @ w), np.linspace(-1, 1, 20)[:, None])
    >>> report.passed, report.test
    (False, 'chord')
    """

    passed: bool
    violation: float
    test: ConvexityTest
    where: Where

    def __bool__(self) -> bool:
        return self.passed


def check_gradient(
    fun: ValueAndGradient, w: ArrayLike, *, tol: float = 1e-5, eps: float | None = None
) -> GradientReport:
    """Compare a gradient with central differences (1).

    Parameters
    ----------
    fun : callable
        w → (F(w), ∇F(w)).
    w : array-like
        Where to compare; F must be differentiable there.
    tol : float, default=1e-5
        Largest error allowed, relative to max(1, |∂F/∂wⱼ|).
    eps : float, optional
        hⱼ = eps · max(1, |wⱼ|); by default the cube root of the rounding unit, which balances both errors.

    Returns
    -------
    GradientReport

    References
    ----------
    Nocedal, J. & Wright, S. (2006). Numerical Optimization, section 8.1. doi:10.1007/978-0-387-40065-5

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import check_gradient
    >>> bool(check_gradient(lambda w: (float(np.sum(w**3)), 3 * w**2), np.array([1.0, -2.0])))
    True
    """
    w = np.array(w, dtype=float)
    eps = float(np.finfo(float).eps ** (1.0 / 3.0)) if eps is None else eps
    claimed = np.asarray(fun(w)[1], dtype=float)
    if claimed.shape != w.shape:
        raise ValueError(f"the gradient has shape {claimed.shape}, w has {w.shape}; they must be equal")
    numerical = np.empty_like(w)
    for j in np.ndindex(w.shape):
        h = np.zeros_like(w)
        h[j] = eps * max(1.0, float(abs(w[j])))
        above, below = w + h, w - h
        numerical[j] = (fun(above)[0] - fun(below)[0]) / (above[j] - below[j])
    error = np.abs(claimed - numerical) / np.maximum(1.0, np.abs(numerical))
    error[~np.isfinite(error)] = np.inf
    where = tuple(int(i) for i in np.unravel_index(np.argmax(error), w.shape)) if w.size else ()
    worst = float(np.max(error, initial=0.0))
    return GradientReport(worst <= tol, worst, where, claimed, numerical)


def check_convex(
    value: Callable[[Array], float],
    points: ArrayLike,
    *,
    gradient: Callable[[Array], Floats] | None = None,
    hessian: Callable[[Array], Floats] | None = None,
    tol: float = 1e-9,
    n_trials: int = 500,
    random_state: int = 0,
) -> ConvexityReport:
    """Look for a violation of (2), and of (3) and (4) where a gradient and a Hessian are given.

    Parameters
    ----------
    value : callable
        w → F(w).
    points : array-like of shape (m, ...)
        Points between which chords are drawn, in pairs at random; the segment between them must be in the domain.
    gradient : callable, optional
        w → ∇F(w), or a sub-gradient.
    hessian : callable, optional
        w → ∇²F(w).
    tol : float, default=1e-9
        An inequality may fail by this much, relative to the largest of its terms.
    n_trials : int, default=500
        Number of pairs.
    random_state : int, default=0
        Seed of the pairs and of t.

    Returns
    -------
    ConvexityReport

    References
    ----------
    Boyd, S. & Vandenberghe, L. (2004). Convex Optimization, section 3.1. doi:10.1017/CBO9780511804441

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import check_convex
    >>> points = np.random.default_rng(0).normal(size=(30, 3))
    >>> bool(check_convex(lambda w: float(np.sum(np.abs(w))), points, gradient=np.sign))
    True
    >>> bool(check_convex(lambda w: float(np.sum(np.abs(w) ** 0.5)), points))
    False
    """
    points = np.asarray(points, dtype=float)
    if len(points) < 2:
        raise ValueError(f"points has {len(points)} rows; a chord needs two, give more points")
    rng = np.random.default_rng(random_state)
    worst = ConvexityReport(True, 0.0, "", ())
    for _ in range(n_trials):
        i, j = rng.choice(len(points), size=2, replace=False)
        worst = max(worst, _chord(value, points[i], points[j], rng.random()), key=_size)
        if gradient is not None:
            worst = max(worst, _tangent(value, gradient, points[i], points[j]), key=_size)
    if hessian is not None:
        worst = max([worst, *(_bowl(hessian, a) for a in points)], key=_size)
    return worst if _size(worst) > tol else ConvexityReport(True, 0.0, "", ())


def _size(report: ConvexityReport) -> float:
    return report.violation


def _chord(value: Callable[[Array], float], a: Floats, b: Floats, t: float) -> ConvexityReport:
    below, ends = value(t * a + (1.0 - t) * b), (t * value(a), (1.0 - t) * value(b))
    return _report("chord", below - sum(ends), (below, *ends), (a, b, t))


def _tangent(
    value: Callable[[Array], float], gradient: Callable[[Array], Floats], a: Floats, b: Floats
) -> ConvexityReport:
    fa, fb, rise = value(a), value(b), float(np.sum(gradient(a) * (b - a)))
    return _report("first_order", fa + rise - fb, (fa, fb, rise), (a, b))


def _bowl(hessian: Callable[[Array], Floats], a: Floats) -> ConvexityReport:
    eigenvalues = np.linalg.eigvalsh(np.atleast_2d(hessian(a)))
    return _report("hessian", -eigenvalues[0], (eigenvalues[0], eigenvalues[-1]), (a,))


def _report(test: ConvexityTest, excess: float, terms: tuple[float, ...], where: Where) -> ConvexityReport:
    size = max(1.0, *(abs(float(term)) for term in terms))
    violation = float(excess) / size
    return ConvexityReport(False, violation, test, where)
