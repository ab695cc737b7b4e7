"""Rows of a factor: projections, and coordinate descent.

    minimise over a row f    ½ fᵀG f − bᵀf + l1 ‖f‖₁ + ½ l2 ‖f‖²    with    f ≥ lower              (1)

Cichocki & Phan (2009), doi:10.1587/transfun.E92.A.708.
"""

from __future__ import annotations

import numpy as np

from gnomon._jit import jit
from gnomon._typing import ArrayLike, Bools, Floats

__all__ = ["descend", "keep_largest", "project_simplex"]

LANES = 64
"""Rows side by side: some vectors of them hide how long an addition takes, and their coordinates stay in cache."""


def project_simplex(F: ArrayLike) -> Floats:
    """The nearest rows that are ≥ 0 with the sum 1.

    References
    ----------
    Duchi, J. et al. (2008). Efficient projections onto the l1-ball for learning in high dimensions.
    doi:10.1145/1390156.1390191

    Examples
    --------
    >>> from gnomon.optim.factor_rows import project_simplex
    >>> project_simplex([[2.0, 0.0], [0.4, 0.2]])
    array([[1. , 0. ],
           [0.6, 0.4]])
    """
    V = np.asarray(F, dtype=float)
    ordered = -np.sort(-V, axis=1)
    excess = (np.cumsum(ordered, axis=1) - 1.0) / np.arange(1, V.shape[1] + 1)
    last = np.sum(ordered > excess, axis=1) - 1
    return np.maximum(V - excess[np.arange(len(V)), last][:, None], 0.0)


def keep_largest(F: Floats, n_active: int) -> Floats:
    """Rows with all but their `n_active` largest moduli set to zero.

    References
    ----------
    Blumensath, T. & Davies, M. E. (2008). Iterative thresholding for sparse approximations.
    doi:10.1007/s00041-008-9035-z

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim.factor_rows import keep_largest
    >>> keep_largest(np.array([[1.0, -3.0, 2.0]]), 2)
    array([[ 0., -3.,  2.]])
    """
    if n_active >= F.shape[1]:
        return F
    small = np.argsort(-np.abs(F), axis=1, kind="stable")[:, n_active:]
    out = np.array(F)
    np.put_along_axis(out, small, 0.0, axis=1)
    return out


@jit
def descend(F: Floats, G: Floats, B: Floats, l1: float, l2: float, lower: float, sweeps: int, tol: float) -> float:
    """Coordinate descent on every row of F; the violations that the first sweep met, added up.

    Rows are independent given G and B: each is swept until it moves less than `tol` of its first sweep, and `LANES` of
    them go through their coordinates side by side, as vectors.
    """
    violation = 0.0
    n, m = F.shape
    f, b = np.empty((m, LANES), F.dtype), np.empty((m, LANES), F.dtype)
    slopes, moved, first = np.empty(LANES, F.dtype), np.empty(LANES, F.dtype), np.empty(LANES, F.dtype)
    going = np.empty(LANES, np.bool_)
    for start in range(0, n, LANES):
        width = min(LANES, n - start)
        for i in range(width):
            for k in range(m):
                f[k, i], b[k, i] = F[start + i, k], B[start + i, k]
        going[:] = True
        for sweep in range(sweeps):
            moved[:] = 0.0
            for k in range(m):
                slopes_along(f, b[k], G[k], width, slopes)
                if sweep == 0:
                    for i in range(width):
                        violation += violation_of(f[k, i], slopes[i] + l2 * f[k, i], l1, lower)
                minimise_along(f[k], slopes, G[k, k], l1, l2, lower, going[:width], moved)
            if sweep == 0:
                first[:] = moved
            going &= moved > tol * first
            if not going[:width].any():
                break
        for i in range(width):
            for k in range(m):
                F[start + i, k] = f[k, i]
    return violation


@jit
def slopes_along(f: Floats, b: Floats, g: Floats, width: int, slopes: Floats) -> None:
    """slopes ← gᵀf − b, of `width` rows that are the columns of f; four coordinates at once, to store less often."""
    m = len(f)
    for i in range(width):
        slopes[i] = -b[i]
    for k in range(0, m - 3, 4):
        for i in range(width):
            slopes[i] += g[k] * f[k, i] + g[k + 1] * f[k + 1, i] + g[k + 2] * f[k + 2, i] + g[k + 3] * f[k + 3, i]
    for k in range(m - m % 4, m):
        for i in range(width):
            slopes[i] += g[k] * f[k, i]


@jit
def minimise_along(
    x: Floats, slopes: Floats, g: float, l1: float, l2: float, lower: float, going: Bools, moved: Floats
) -> None:
    """x ← argmin of (1) along one coordinate of the rows that go on, and how far each went added to `moved`."""
    curvature = g + l2
    used = curvature > 0.0
    inverse = 1.0 / curvature if used else 0.0
    shift = l1 * inverse
    for i in range(len(going)):
        old = x[i]
        slope = slopes[i] + l2 * old
        free = old - slope * inverse
        best = max(max(free - shift, 0.0) + min(free + shift, 0.0), lower)
        # A pattern that nothing uses: only its penalty is left.
        new = best if used else (0.0 if slope + l1 > 0.0 else old)
        x[i] = new if going[i] else old
        moved[i] += abs(x[i] - old)


@jit
def violation_of(x: float, slope: float, l1: float, lower: float) -> float:
    """Distance of −slope from the sub-differential of l1|x| on x ≥ lower."""
    if x > 0.0:
        return abs(slope + l1)
    if x < 0.0 and x > lower:
        return abs(slope - l1)
    if lower >= 0.0:
        return max(-(slope + l1), 0.0)
    return max(abs(slope) - l1, 0.0)
