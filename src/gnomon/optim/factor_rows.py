"""Rows of a factor: projections, and coordinate descent.

    minimise over a row f    ½ fᵀG f − bᵀf + l1 ‖f‖₁ + ½ l2 ‖f‖²    with    f ≥ lower              (1)

Cichocki & Phan (2009), doi:10.1587/transfun.E92.A.708.
"""

import numpy as np

from gnomon._jit import jit
from gnomon._typing import ArrayLike, Floats

__all__ = ["descend", "keep_largest", "project_simplex"]


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

    Rows are independent given G and B, so each is swept until it moves less than `tol` of its first sweep.
    """
    violation = 0.0
    m = F.shape[1]
    slopes = np.empty(m, dtype=F.dtype)
    for i in range(F.shape[0]):
        first = 0.0
        for k in range(m):
            slopes[k] = -B[i, k]
        for k in range(m):
            add_multiple(slopes, G[k], F[i, k])
        for sweep in range(sweeps):
            moved = 0.0
            for k in range(m):
                slope = slopes[k] + l2 * F[i, k]
                curvature = G[k, k] + l2
                old = F[i, k]
                if sweep == 0:
                    violation += violation_of(old, slope, l1, lower)
                if curvature > 0.0:
                    new = old - slope / curvature
                    shift = l1 / curvature
                    if new > shift:
                        new -= shift
                    elif new < -shift:
                        new += shift
                    else:
                        new = 0.0
                    new = max(new, lower)
                else:
                    # A pattern that nothing uses: only its penalty is left.
                    new = 0.0 if slope + l1 > 0.0 else old
                moved += abs(new - old)
                F[i, k] = new
                add_multiple(slopes, G[k], new - old)
            if sweep == 0:
                first = moved
            if moved <= tol * first:
                break
    return violation


@jit
def add_multiple(x: Floats, y: Floats, a: float) -> None:
    """x ← x + a y; most entries of a non-negative factor stay zero, so a is often 0."""
    if a != 0.0:
        for j in range(x.shape[0]):
            x[j] += a * y[j]


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
