"""The laws of a penalty.

    prox(x, t) = argmin_u ½ (u − x)² + t Ω(u)                 nothing on a fine grid is cheaper          (1)
    gap(w, g) = dist(−g, ∂Ω(w))                               zero exactly at a stationary point         (2)
    Ω(w) + Ω*(v) ≥ vᵀw,  equal at v = slope(w)                 Fenchel and Young                          (3)
    Ω*(c v) < ∞ for c = dual_scale(v), and for no larger c ≤ 1; c = 1 where there is none                (4)
    Ω(w) − ½ strong_convexity ‖w‖² is convex                              where the penalty says it is convex        (5)
    kernels compute what NumPy computes                                                                 (6)

Parikh & Boyd (2014), Proximal algorithms, sections 1 and 2, doi:10.1561/2400000003.
"""

from __future__ import annotations

import numpy as np

from gnomon._jit import compiled, jit
from gnomon._typing import ArrayLike
from gnomon.optim import check_convex
from gnomon.penalties import Penalty
from gnomon.testing._law import known, require, require_close

__all__ = ["check_penalty"]

POINTS = np.array([-3.1, -1.2, -0.4, 0.0, 0.3, 0.9, 2.6])
STEPS = (0.3, 1.0, 2.0)
H = 1e-6


def check_penalty(penalty: Penalty, *, points: ArrayLike = POINTS, tol: float = 1e-7) -> None:
    """Hold a penalty to its laws (1)–(6); those of verbs that it does not have are passed over.

    Parameters
    ----------
    penalty : Penalty
        Any penalty, built in or a user's own, of a strength near one.
    points : array-like, optional
        Values of a coordinate at which to compare, kinks included. Those where the penalty is infinite serve as
        arguments of prox only.
    tol : float, default=1e-7
        Largest error, relative to max(1, |expected|); derivatives by differences are allowed its square root.

    Raises
    ------
    AssertionError
        With a sentence that names the law, the point and the numbers.

    References
    ----------
    Parikh, N. & Boyd, S. (2014). Proximal algorithms. doi:10.1561/2400000003

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> import numpy as np
    >>> from gnomon.penalties import L1
    >>> from gnomon.testing import check_penalty
    >>> check_penalty(L1(0.7))
    >>> class Lazy(L1):
    ...     def prox(self, x, step):
    ...         return x
    >>> check_penalty(Lazy(0.7))
    Traceback (most recent call last):
    ...
    AssertionError: law broken: prox is the minimiser of ½(u − x)² + step · penalty; at x=-3.1, step=0.3 prox gives ...
    """
    points = np.asarray(points, dtype=float)
    inside = points[np.isfinite(penalty.term(points))]
    _check_prox(penalty, points, tol)
    _check_slope(penalty, inside, np.sqrt(tol))
    _check_gap(penalty, inside, np.sqrt(tol))
    _check_conjugate(penalty, inside, tol)
    _check_dual_scale(penalty)
    _check_convex(penalty, inside)
    if penalty.record is not None:
        _check_kernels(penalty, inside)


def _check_prox(penalty, points, tol):
    for x in points:
        # Around the centre, where a kink may be, and around x itself.
        grid = np.concatenate([np.linspace(-6.0, 6.0, 6001), x + np.linspace(-0.01, 0.01, 201)])
        for step in STEPS:
            u = np.float64(penalty.prox(x, step))
            best = 0.5 * (u - x) ** 2 + step * penalty.term(u)
            least = np.min(0.5 * (grid - x) ** 2 + step * penalty.term(grid))
            detail = f"at x={x}, step={step} prox gives {u} with cost {best}, but {least} is possible"
            require(best <= least + 1e-12, "prox is the minimiser of ½(u − x)² + step · penalty", detail)
            law = "the gap is zero at a proximal point"
            require_close(law, penalty.gap(u, (u - x) / step), 0.0, tol=tol, where=f"x={x}, step={step}")


def _one_sided(penalty, w):
    """The derivatives of Ω to the left and to the right of w; infinite where Ω jumps or is infinite there."""
    here = penalty.term(w)
    sides = (here - penalty.term(w - H)) / H, (penalty.term(w + H) - here) / H
    return tuple(float(np.copysign(np.inf, side)) if abs(side) > 1e4 else float(side) for side in sides)


def _check_slope(penalty, inside, tol):
    for w in inside:
        slope = known(penalty.slope, w)
        if slope is None:
            return
        left, right = _one_sided(penalty, w)
        # The number of [left, right] nearest to zero; where Ω is not convex, the set is one point or everything.
        least = min(max(0.0, min(left, right)), max(left, right))
        require_close("the slope is the sub-gradient of least modulus", slope, least, tol=tol, where=f"w={w}")


def _check_gap(penalty, inside, tol):
    for w in inside:
        left, right = _one_sided(penalty, w)
        for g in (-2.3, -0.6, -0.1, 0.0, 0.2, 0.7, 1.9):
            distance = max(left + g, -g - right, 0.0)
            where = f"w={w}, g={g}"
            require_close("the gap is the distance from −g to ∂Ω(w)", penalty.gap(w, g), distance, tol=tol, where=where)


def _check_conjugate(penalty, inside, tol):
    rng = np.random.default_rng(0)
    w = rng.choice(inside, size=5)
    v = known(penalty.slope, w)
    if not penalty.convex or v is None or known(penalty.conjugate, v) is None:
        return
    law = "value + conjugate = vᵀw at the slope (Fenchel–Young)"
    require_close(law, penalty.value(w) + penalty.conjugate(v), v @ w, tol=tol, where=f"w={w}")
    for _ in range(30):
        v = 2.0 * rng.normal(size=5)
        v = penalty.dual_scale(v) * v
        excess = penalty.value(w) + penalty.conjugate(v) - v @ w
        detail = f"at w={w}, v={v} the difference is {excess:.3g}"
        require(excess >= -tol, "value + conjugate ≥ vᵀw (Fenchel–Young)", detail)


def _check_dual_scale(penalty):
    for v in np.random.default_rng(1).normal(size=(20, 4)) * 2.0:
        c = penalty.dual_scale(v)
        if not penalty.convex or known(penalty.conjugate, v) is None:
            return
        where = f"at v={v} it is {c}"
        require(0.0 < c <= 1.0, "dual_scale lies in (0, 1]", where)
        finite = np.isfinite(penalty.conjugate((c if np.isfinite(penalty.conjugate(1e-9 * v)) else 0.0) * v))
        require(finite, "the conjugate is finite at dual_scale(v) · v", where)
        larger = min(1.0, 1.001 * c + 1e-6)
        require(
            c == 1.0 or not np.isfinite(penalty.conjugate(larger * v)),
            "dual_scale is the largest factor at which the conjugate is finite",
            f"{where}, and {larger} is possible",
        )


def _check_convex(penalty, inside):
    if penalty.convex:
        mu = penalty.strong_convexity
        report = check_convex(lambda w: penalty.value(w) - 0.5 * mu * float(w @ w), inside[:, None], n_trials=200)
        require(report, "value − ½ strong_convexity ‖w‖² lies below its chords", f"strong_convexity={mu}: {report}")


def _check_kernels(penalty, inside):
    w, g = (np.ravel(a) for a in np.meshgrid(inside, np.array([-0.9, 0.0, 0.4, 2.1])))
    step = np.abs(g) + 0.1
    for name, kernel, arguments in (
        ("term", _term, (w,)),
        ("slope", _slope, (w,)),
        ("prox", _prox, (w, step)),
        ("gap", _gap, (w, g)),
    ):
        expected = known(getattr(penalty, name), *arguments)
        if expected is not None:
            found = np.empty_like(w)
            kernel(compiled(penalty), *arguments, found)
            require_close(f"{name} is the same in a kernel", found, expected, tol=1e-12, where="some point")


@jit
def _term(penalty, w, out):
    for j in range(w.shape[0]):
        out[j] = penalty.term(w[j])


@jit
def _slope(penalty, w, out):
    for j in range(w.shape[0]):
        out[j] = penalty.slope(w[j])


@jit
def _prox(penalty, x, step, out):
    for j in range(x.shape[0]):
        out[j] = penalty.prox(x[j], step[j])


@jit
def _gap(penalty, w, g, out):
    for j in range(w.shape[0]):
        out[j] = penalty.gap(w[j], g[j])
