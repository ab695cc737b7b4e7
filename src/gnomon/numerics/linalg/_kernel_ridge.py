"""Least squares with the norm of a kernel.

    minimise over β, c    Σᵢ sᵢ (yᵢ − [Kβ]ᵢ − hᵢᵀc)² + ρ βᵀKβ                                       (1)
    β = S^½ A⁻¹ S^½ (y − Hc),    A = S^½ K S^½ + ρI,    c = (HᵀS^½ A⁻¹ S^½H)⁻¹ HᵀS^½ A⁻¹ S^½ y       (2)

A is factored by Cholesky: in single precision where it is large and ρ keeps it well-conditioned, with steps

    β ← β + L⁻ᵀL⁻¹(y − Aβ)                                                                        (3)

in double precision until β is as good as a factor in double precision would make it; else in place. With L⁻¹ on both
sides c is a least-squares fit. Where ρ = 0, or rounding leaves A singular, β is the solution of least norm, from the
eigenvalues of S^½KS^½; a matrix with an eigenvalue that is truly negative is refused. Saunders,
Gammerman & Vovk (1998), ICML 15, 515–521; the unpenalised part H: Wahba (1990), chapter 1,
doi:10.1137/1.9781611970128; (3): Buttari et al. (2007), doi:10.1177/1094342007084026.
"""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
from scipy import linalg
from scipy.linalg import get_lapack_funcs, lapack

from gnomon._typing import ArrayLike, Floats

__all__ = ["KernelRidgeSolution", "kernel_ridge", "refuse_indefinite"]

NEGATIVE = 1e-10
"""An eigenvalue below minus this share of the largest is no rounding of double precision."""

LARGE, WELL, MOST_STEPS = 500, 2.0**-18, 10
"""Rows from which on, and share of ‖A‖ from which ρ on, a factor in single precision pays; steps (3) that it may take.

‖A‖/ρ bounds the condition number, so each step then gains at least a factor of some tens.
"""


class KernelRidgeSolution(NamedTuple):
    """The minimiser of (1).

    Fields
    ------
    coef : ndarray of shape (n, k)
        β.
    trend : ndarray of shape (q, k)
        c.
    rss, squares : ndarray of shape (k,)
        Σ s r² and βᵀKβ.

    References
    ----------
    Wahba, G. (1990). Spline Models for Observational Data, chapter 1. doi:10.1137/1.9781611970128

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.linalg import kernel_ridge
    >>> kernel_ridge(np.eye(2), np.array([[2.0], [4.0]]), 1.0).coef.ravel()
    array([1., 2.])
    """

    coef: Floats
    trend: Floats
    rss: Floats
    squares: Floats


def kernel_ridge(
    K: Floats,
    Y: Floats,
    rho: ArrayLike,
    weights: Floats | None = None,
    H: Floats | None = None,
    *,
    overwrite: bool = False,
) -> KernelRidgeSolution:
    """Minimise (1).

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Symmetric.
    Y : ndarray of shape (n, k)
    rho : float or ndarray of shape (k,)
        ρ ≥ 0, for all columns of Y or for each.
    weights : ndarray of shape (n,), optional
        s.
    H : ndarray of shape (n, q), optional
        Columns with free coefficients c.
    overwrite : bool, default=False
        Whether K may be destroyed; without that, a copy is factored.

    Returns
    -------
    KernelRidgeSolution

    References
    ----------
    Saunders, C., Gammerman, A. & Vovk, V. (1998). Ridge regression learning algorithm in dual variables. ICML 15,
    515–521.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.linalg import kernel_ridge
    >>> x, y = np.array([0.0, 1.0, 2.0]), np.array([[0.0], [1.0], [1.0]])
    >>> K = np.exp(-0.5 * (x[:, None] - x) ** 2)
    >>> kernel_ridge(K, y, 0.1).coef.ravel().round(6)
    array([-0.609038,  1.009139,  0.427591])
    >>> kernel_ridge(K, y, 0.1, H=np.ones((3, 1))).trend.round(7)
    array([[0.5110353]])
    """
    rho = np.broadcast_to(np.asarray(rho, dtype=float), (Y.shape[1],))
    Y = Y.astype(K.dtype, copy=False)
    H = np.empty((len(Y), 0), dtype=K.dtype) if H is None else H.astype(K.dtype, copy=False)
    root = None if weights is None else np.sqrt(weights).astype(K.dtype)
    with np.errstate(over="ignore", invalid="ignore"):
        A = K if overwrite else np.array(K, order="C")
        scaled_H, scaled_Y = (part if root is None else root[:, None] * part for part in (H, Y))
        if root is not None:
            A *= root[:, None]
            A *= root
        parts = []
        # A loop and not a comprehension: the frames above the warning that the matrix is singular are counted.
        for r in np.unique(rho):
            left = A.copy() if r < rho.max() else A
            parts.append(_solve(left, scaled_H, scaled_Y[:, rho == r], r))
        order = np.argsort(np.concatenate([np.flatnonzero(rho == r) for r in np.unique(rho)]))
        coef, trend, residuals = (np.concatenate(part, axis=1)[:, order] for part in zip(*parts, strict=True))
        rss = np.sum(residuals**2, axis=0)
        squares = np.sum(coef * (scaled_Y - scaled_H @ trend - residuals), axis=0)
    coef = coef if root is None else root[:, None] * coef
    if not (np.all(np.isfinite(coef)) and np.all(np.isfinite(trend))):
        raise ValueError("the kernel matrix, or the solution, overflows; divide the columns of X and y by their scale")
    return KernelRidgeSolution(coef, trend, rss, np.maximum(squares, 0.0))


def refuse_indefinite(least: float, largest: float, n: int, eps: float = 2.0**-52, rho: float = 0.0) -> None:
    """ValueError where the least eigenvalue of a kernel matrix, plus ρ, is negative beyond rounding.

    References
    ----------
    Schölkopf, B. & Smola, A. J. (2002). Learning with Kernels, section 2.2. ISBN 978-0-262-19475-4.

    Examples
    --------
    >>> from gnomon.numerics.linalg import refuse_indefinite
    >>> refuse_indefinite(-1e-14, 1.0, n=10)
    >>> refuse_indefinite(-0.5, 1.0, n=10)
    Traceback (most recent call last):
    ...
    ValueError: the kernel matrix is not positive semi-definite: its least eigenvalue is -0.5, its largest 1; ...
    """
    if least + rho < -max(NEGATIVE, 10.0 * n * eps) * largest:
        raise ValueError(
            f"the kernel matrix is not positive semi-definite: its least eigenvalue is {least:.6g}, its largest "
            f"{largest:.6g}; choose a kernel that is, or raise the penalty above {-least:.6g}"
        )


def _solve(A: Floats, H: Floats, Y: Floats, rho: float) -> tuple[Floats, Floats, Floats]:
    """A⁻¹(Y − Hc), c and the residuals; A is destroyed."""
    diagonal = np.diagonal(A).copy()
    A[np.diag_indices_from(A)] += A.dtype.type(rho)
    (lange,) = get_lapack_funcs(("lange",), (A,))
    norm = float(lange("1", A.T))
    if A.dtype == np.float64 and len(A) >= LARGE and not H.shape[1] and rho > WELL * norm:
        coef = _refined(A, Y, norm)
        if coef is not None:
            return coef, np.empty((0, Y.shape[1])), rho * coef
    factor = _factor(A, rho, norm) if rho > 0.0 else None
    if factor is None:
        return _least_norm(_restored(A, diagonal), H, Y, rho)
    (trtrs,) = get_lapack_funcs(("trtrs",), (A,))
    right, _ = trtrs(factor, np.hstack([H, Y]).astype(A.dtype, copy=False), lower=1)
    q = H.shape[1]
    trend = linalg.lstsq(right[:, :q], right[:, q:], check_finite=False)[0] if q else np.empty((0, Y.shape[1]))
    coef, _ = trtrs(factor, right[:, q:] - right[:, :q] @ trend, lower=1, trans=1)
    # The equations themselves: Y − Hc − (A − ρI) β = ρ β.
    return coef, trend, rho * coef


def _refined(A: Floats, Y: Floats, norm: float) -> Floats | None:
    """A⁻¹Y by (3); None where single precision is not enough."""
    factor, info = lapack.spotrf(A.astype(np.float32).T, lower=1, overwrite_a=1, clean=0)
    if info != 0:
        return None
    coef, left = np.zeros_like(Y), Y
    for _ in range(MOST_STEPS):
        # The single factor knows no numbers beyond 1e38: the right sides are scaled to one.
        size = np.max(np.abs(left), axis=0)
        size[size == 0.0] = 1.0
        step, _ = lapack.spotrs(factor, (left / size).astype(np.float32), lower=1)
        coef = coef + size * step
        left = Y - A @ coef
        # The error that a solution by a factor in double precision has: the criterion of LAPACK's dsposv.
        allowed = np.sqrt(len(A)) * np.finfo(float).eps * norm * np.max(np.abs(coef), axis=0)
        if np.all(np.max(np.abs(left), axis=0) <= allowed):
            return coef
    return None


def _factor(A: Floats, rho: float, norm: float) -> Floats | None:
    """The Cholesky factor of A, written over one triangle of it; None where it is singular to rounding."""
    # The transpose of a C-contiguous matrix is the Fortran order that LAPACK works on without a copy.
    potrf, pocon = get_lapack_funcs(("potrf", "pocon"), (A,))
    factor, info = potrf(A.T, lower=1, overwrite_a=1, clean=0)
    if info != 0 or not np.isfinite(norm):
        return None
    eps = float(np.finfo(A.dtype).eps)
    # ρ/‖A‖ bounds the reciprocal condition number of a positive semi-definite matrix plus ρ.
    return factor if rho > 1e3 * eps * norm or pocon(factor, norm, uplo="L")[0] > eps else None


def _restored(A: Floats, diagonal: Floats) -> Floats:
    """The matrix before `_factor`, from the triangle that it left alone."""
    A = np.tril(A, -1)
    A += A.T
    A[np.diag_indices_from(A)] = diagonal
    return A


def _least_norm(A: Floats, H: Floats, Y: Floats, rho: float) -> tuple[Floats, Floats, Floats]:
    """The solution of least norm: where A is zero only H can fit, elsewhere as in (2)."""
    n = len(A)
    if not np.all(np.isfinite(A)):
        raise ValueError("the kernel matrix has entries that are not finite; divide the columns of X by their scale")
    values, U = linalg.eigh(A, check_finite=False)
    largest = float(max(values[-1], 0.0))
    refuse_indefinite(float(values[0]), largest, n, float(np.finfo(A.dtype).eps), rho)
    kept = values > n * np.finfo(A.dtype).eps * largest
    if not np.all(kept):
        warnings.warn(
            f"the kernel matrix plus {rho:.3g}·I is singular: it has rank {int(kept.sum())} of {n}. This is the "
            "least-squares solution of least norm; raise the penalty, drop rows that are equal, or subtract the means "
            "of columns far from zero",
            UserWarning,
            stacklevel=6,
        )
    trend, free = _where_only_trends_fit(U[:, ~kept].T, H, Y)
    inside, size = U[:, kept].T, np.sqrt(values[kept] + rho)[:, None]
    if free.shape[1]:
        left = inside @ (Y - H @ trend)
        trend = trend + free @ linalg.lstsq(inside @ (H @ free) / size, left / size)[0]
    left = Y - H @ trend
    coef = U[:, kept] @ (inside @ left / size**2)
    return coef, trend, left - A @ coef


def _where_only_trends_fit(outside: Floats, H: Floats, Y: Floats) -> tuple[Floats, Floats]:
    """c of the least-squares fit in directions that the kernel does not reach, and a basis of what c is left free."""
    lengths = np.linalg.norm(H, axis=0)
    lengths[lengths == 0.0] = 1.0
    left, singular, right = linalg.svd(outside @ (H / lengths), full_matrices=True)
    rank = int(np.sum(singular > len(Y) * np.finfo(H.dtype).eps))
    c = right[:rank].T @ (left[:, :rank].T @ (outside @ Y) / singular[:rank, None])
    return c / lengths[:, None], right[rank:].T / lengths[:, None]
