"""Sparse codes of rows for a given dictionary.

    lasso:      argmin_z ½ ‖x − zᵀH‖² + α ‖z‖₁                                                     (1)
    pursuit:    argmin_z ‖x − zᵀH‖²  with at most s entries, chosen greedily                        (2)
    threshold:  sign(c) max(|c| − α, 0),   c = H x                                                  (3)

All from G = H Hᵀ and B = X Hᵀ alone. (1) by coordinate descent; (2) by orthogonal matching pursuit with a growing
Cholesky factor, Rubinstein, Zibulevsky & Elad (2008), Technion CS-2008-08, or by least angles, Efron et al. (2004),
doi:10.1214/009053604000000067.
"""

from __future__ import annotations

import numpy as np

from gnomon._jit import jit
from gnomon._typing import Floats, Integers
from gnomon.numerics.parallel import blas_threads, map_chunks, split_rows
from gnomon.optim.factor_rows import descend

__all__ = ["lasso_codes", "least_angle_codes", "pursuit_codes", "threshold_codes"]

SPENT = 1e-12
"""A correlation below this share of the largest is rounding: nothing is left to explain."""


def lasso_codes(
    G: Floats,
    B: Floats,
    alpha: float,
    *,
    positive: bool = False,
    start: Floats | None = None,
    tol: float = 1e-9,
    max_iter: int = 1000,
    n_jobs: int | None = None,
) -> Floats:
    """Equation (1) for every row.

    Parameters
    ----------
    G : ndarray of shape (m, m)
    B : ndarray of shape (n, m)
    alpha : float
    positive : bool, default=False
        Codes ≥ 0.
    start : ndarray of shape (n, m), optional
    tol : float, default=1e-9
        A row is done when a sweep moves it by less than this share of the first.
    max_iter : int, default=1000
        Sweeps over a row.
    n_jobs : int, optional
        Threads; None for as many as BLAS has.

    Returns
    -------
    ndarray of shape (n, m)

    References
    ----------
    Friedman, J., Hastie, T. & Tibshirani, R. (2010). Regularization paths for generalized linear models via coordinate
    descent. doi:10.18637/jss.v033.i01

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import lasso_codes
    >>> lasso_codes(np.eye(3), np.array([[3.0, -0.2, -2.0]]), 0.5)
    array([[ 2.5,  0. , -1.5]])
    """
    out = np.zeros_like(B, order="C") if start is None else np.array(start, dtype=B.dtype, order="C")
    G, B = np.ascontiguousarray(G, dtype=B.dtype), np.ascontiguousarray(B)
    lower = 0.0 if positive else -np.inf

    def work(rows: slice) -> float:
        return descend(out[rows], G, B[rows], alpha, 0.0, lower, max_iter, tol)

    map_chunks(work, _chunks(len(B)), n_jobs or blas_threads())
    return out


def pursuit_codes(G: Floats, B: Floats, n_active: int, *, n_jobs: int | None = None) -> Floats:
    """Equation (2) for every row: the atom of largest correlation joins, then least squares on all that have.

    Parameters
    ----------
    G : ndarray of shape (m, m)
    B : ndarray of shape (n, m)
    n_active : int
        s.
    n_jobs : int, optional
        Threads; None for as many as BLAS has.

    Returns
    -------
    ndarray of shape (n, m)

    References
    ----------
    Rubinstein, R., Zibulevsky, M. & Elad, M. (2008). Efficient implementation of the K-SVD algorithm using batch
    orthogonal matching pursuit. Technion CS-2008-08.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import pursuit_codes
    >>> pursuit_codes(np.eye(3), np.array([[3.0, -0.2, -2.0]]), 2)
    array([[ 3.,  0., -2.]])
    """
    out = np.zeros_like(B, order="C")
    G, B = np.ascontiguousarray(G, dtype=B.dtype), np.ascontiguousarray(B)
    s = min(n_active, G.shape[0])
    map_chunks(lambda rows: _pursue(out[rows], G, B[rows], s, SPENT), _chunks(len(B)), n_jobs or blas_threads())
    return out


def threshold_codes(B: Floats, alpha: float, *, positive: bool = False) -> Floats:
    """Equation (3) for every row; with `positive` max(c − α, 0).

    Parameters
    ----------
    B : ndarray of shape (n, m)
    alpha : float
    positive : bool, default=False

    Returns
    -------
    ndarray of shape (n, m)

    References
    ----------
    Coates, A. & Ng, A. Y. (2011). The importance of encoding versus training with sparse coding and vector
    quantization. ICML.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import threshold_codes
    >>> threshold_codes(np.array([[3.0, -0.2, -2.0]]), 0.5)
    array([[ 2.5,  0. , -1.5]])
    """
    if positive:
        return np.maximum(B - alpha, 0.0)
    return B - np.clip(B, -alpha, alpha)


def least_angle_codes(G: Floats, B: Floats, n_active: int) -> Floats:
    """Codes after `n_active` steps of least angle regression, which none leaves.

    Parameters
    ----------
    G : ndarray of shape (m, m)
    B : ndarray of shape (n, m)
    n_active : int

    Returns
    -------
    ndarray of shape (n, m)

    References
    ----------
    Efron, B., Hastie, T., Johnstone, I. & Tibshirani, R. (2004). Least angle regression. doi:10.1214/009053604000000067

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import least_angle_codes
    >>> least_angle_codes(np.eye(3), np.array([[3.0, -0.2, -2.0]]), 1)
    array([[1., 0., 0.]])
    """
    return np.array([_least_angle_row(G, b, min(n_active, len(G))) for b in B]).reshape(B.shape).astype(B.dtype)


def _least_angle_row(G: Floats, b: Floats, s: int) -> Floats:
    z, c = np.zeros(len(G)), b.astype(float)
    active: list[int] = []
    floor = SPENT * float(np.max(np.abs(c), initial=0.0))
    for _ in range(s):
        level = float(np.max(np.abs(c), initial=0.0))
        free = [j for j in range(len(G)) if j not in active]
        if level <= floor or not free:
            break
        active.append(free[int(np.argmax(np.abs(c[free])))])
        signs = np.sign(c[active])
        direction = np.linalg.lstsq(G[np.ix_(active, active)], signs, rcond=None)[0]
        slope = G[:, active] @ direction
        # All active correlations fall alike, to where another reaches them or to zero.
        step = level
        for j in free:
            if j != active[-1]:
                for up, down in ((level - c[j], 1.0 - slope[j]), (level + c[j], 1.0 + slope[j])):
                    if down > SPENT and 0.0 < up / down < step:
                        step = up / down
        z[active] += step * direction
        c = c - step * slope
    return z


def _chunks(n: int) -> list[slice]:
    return split_rows(n, max(1, min(4 * blas_threads(), n // 64)))


@jit
def _pursue(Z: Floats, G: Floats, B: Floats, s: int, spent: float) -> None:
    """Orthogonal matching pursuit of every row, with the Cholesky factor L of the active part of G."""
    m = G.shape[0]
    L = np.zeros((s, s), dtype=Z.dtype)
    active = np.zeros(s, dtype=np.int64)
    taken = np.zeros(m, dtype=np.bool_)
    c = np.zeros(m, dtype=Z.dtype)
    y = np.zeros(s, dtype=Z.dtype)
    for i in range(Z.shape[0]):
        taken[:] = False
        largest = 0.0
        for j in range(m):
            c[j] = B[i, j]
            largest = max(largest, abs(c[j]))
        k = 0
        while k < s:
            best, at = spent * largest, -1
            for j in range(m):
                if not taken[j] and abs(c[j]) > best:
                    best, at = abs(c[j]), j
            if at < 0 or not _append(L, G, active, k, at):
                break
            active[k] = at
            taken[at] = True
            k += 1
            _solve_active(L, B, active, y, i, k)
            for j in range(m):
                c[j] = B[i, j]
                for a in range(k):
                    c[j] -= G[j, active[a]] * y[a]
        for a in range(k):
            Z[i, active[a]] = y[a]


@jit
def _append(L: Floats, G: Floats, active: Integers, k: int, j: int) -> bool:
    """Add atom j to the factor; False where it depends on those that are there."""
    square = G[j, j]
    for a in range(k):
        value = G[j, active[a]]
        for b in range(a):
            value -= L[k, b] * L[a, b]
        L[k, a] = value / L[a, a]
        square -= L[k, a] * L[k, a]
    if not square > 1e-10 * G[j, j]:
        return False
    L[k, k] = np.sqrt(square)
    return True


@jit
def _solve_active(L: Floats, B: Floats, active: Integers, y: Floats, i: int, k: int) -> None:
    """y with L Lᵀ y = the active entries of b."""
    for a in range(k):
        value = B[i, active[a]]
        for b in range(a):
            value -= L[a, b] * y[b]
        y[a] = value / L[a, a]
    for a in range(k - 1, -1, -1):
        value = y[a]
        for b in range(a + 1, k):
            value -= L[b, a] * y[b]
        y[a] = value / L[a, a]
