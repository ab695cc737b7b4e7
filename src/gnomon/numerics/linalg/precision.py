"""The inverse of a covariance matrix, applied and never formed unless its entries are asked for.

    A = L Lᵀ,    A⁻¹B = L⁻ᵀ(L⁻¹B),    BᵀA⁻¹B = (L⁻¹B)ᵀ(L⁻¹B),    log |A| = 2 Σᵢ log Lᵢᵢ            (1)

Golub & Van Loan (2013), Matrix Computations, section 4.2; Rasmussen & Williams (2006), appendix A.3.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy import linalg
from scipy.linalg import lapack

from gnomon._typing import Floats
from gnomon.numerics.parallel import calm_blas

__all__ = ["CholeskyPrecision", "NotPositiveDefiniteError", "Precision", "extend_cholesky", "factor_covariance"]

JITTERS = tuple(10.0**k for k in range(-12, -5))
"""What is added to the diagonal in turn until a factor exists, relative to the median of the diagonal."""


PANEL = 128
"""Rows of L⁻¹ that are multiplied at once, without most of the zeros above its diagonal."""


class NotPositiveDefiniteError(ValueError):
    """A matrix that should be a covariance and is not.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.linalg import factor_covariance
    >>> factor_covariance(np.array([[1.0, 2.0], [2.0, 1.0]]))
    Traceback (most recent call last):
    ...
    gnomon.numerics.linalg.precision.NotPositiveDefiniteError: the covariance matrix is not positive definite...
    """


class Precision(ABC):
    """A⁻¹ of a covariance A, by whatever factors are at hand; `jitter` was added to the diagonal of A.

    References
    ----------
    Rasmussen, C. E. & Williams, C. K. I. (2006). Gaussian Processes for Machine Learning, appendix A. MIT Press.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.linalg import factor_covariance
    >>> precision = factor_covariance(np.diag([4.0, 1.0]))
    >>> precision.solve(np.array([8.0, 1.0])), precision.quadratic(np.eye(2)), round(precision.log_det, 7)
    (array([2., 1.]), array([0.25, 1.  ]), 1.3862944)
    """

    jitter: float

    @property
    @abstractmethod
    def log_det(self) -> float:
        """log |A|."""

    @abstractmethod
    def solve(self, B: Floats) -> Floats:
        """A⁻¹B."""

    def for_columns(self, q: int) -> Precision:
        """The same, ready for so many columns in several calls."""
        return self

    def quadratic(self, B: Floats) -> Floats:
        """The diagonal of BᵀA⁻¹B, for a matrix B."""
        return np.einsum("ij,ij->j", B, self.solve(B))

    def product(self, B: Floats) -> Floats:
        """BᵀA⁻¹B, symmetric."""
        return B.T @ self.solve(B)

    def dense(self) -> Floats:
        """A⁻¹ itself, for sums over all its entries."""
        raise ValueError(f"{type(self).__name__} does not give the entries of an inverse; choose solver='cholesky'")

    def lower_inverse(self) -> Floats:
        """The lower triangle of A⁻¹; what is above it means nothing."""
        return self.dense()

    def diagonal(self) -> Floats:
        """The diagonal of A⁻¹."""
        return np.diag(self.lower_inverse()).copy()


@dataclass(frozen=True)
class CholeskyPrecision(Precision):
    """The factors (1) of a dense matrix.

    Parameters
    ----------
    lower : ndarray of shape (n, n)
        L; what is above its diagonal is never read.
    jitter : float, default=0.0
    inverse : ndarray of shape (n, n), optional
        L⁻¹, zero above its diagonal, where there are many columns to solve for.

    References
    ----------
    Golub, G. & Van Loan, C. (2013). Matrix Computations, section 4.2. Johns Hopkins.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.linalg import CholeskyPrecision
    >>> CholeskyPrecision(np.array([[2.0, 0.0], [1.0, 1.0]])).dense()
    array([[ 0.5, -0.5],
           [-0.5,  1. ]])
    """

    lower: Floats
    jitter: float = 0.0
    inverse: Floats | None = None

    def for_columns(self, q: int) -> CholeskyPrecision:
        """With L⁻¹ where columns outnumber rows: BLAS multiplies twice as fast as it solves.

        The residual is as small in practice, whatever the noise: Higham (2002), section 8.1.
        """
        if q < len(self.lower):
            return self
        n = len(self.lower)
        with calm_blas(n):
            inverse = lapack.dtrtri(self.lower, lower=1)[0]
        # In place: a third matrix of this size may be one too many.
        np.copyto(inverse, 0.0, where=np.tri(n, k=-1, dtype=bool).T)
        return replace(self, inverse=inverse)

    @property
    def log_det(self) -> float:
        """2 Σ log Lᵢᵢ."""
        return 2.0 * float(np.sum(np.log(np.diagonal(self.lower))))

    def solve(self, B: Floats) -> Floats:
        """Two triangular systems."""
        with calm_blas(len(self.lower)):
            return linalg.cho_solve((self.lower, True), B, check_finite=False)

    def half(self, B: Floats) -> Floats:
        """L⁻¹B."""
        with calm_blas(len(self.lower)):
            return linalg.solve_triangular(self.lower, B, lower=True, check_finite=False)

    def quadratic(self, B: Floats) -> Floats:
        """Squared norms of the columns of L⁻¹B, never negative."""
        if self.inverse is None:
            V = self.half(B)
            return np.einsum("ij,ij->j", V, V)
        found = np.zeros(B.shape[1])
        for start in range(0, len(B), PANEL):
            end = min(start + PANEL, len(B))
            V = self.inverse[start:end, :end] @ B[:end]
            found += np.einsum("ij,ij->j", V, V)
        return found

    def product(self, B: Floats) -> Floats:
        """The Gram matrix of L⁻¹B."""
        V = self.half(B)
        return V.T @ V

    def dense(self) -> Floats:
        """Symmetric to the bit."""
        inverse = np.tril(self.lower_inverse())
        return inverse + np.tril(inverse, -1).T

    def lower_inverse(self) -> Floats:
        """By LAPACK's ``potri``."""
        with calm_blas(len(self.lower)):
            return lapack.dpotri(self.lower, lower=1)[0]


class _FactorAttempt(NamedTuple):
    lower: Floats
    done: bool


def factor_covariance(
    A: Floats, *, jitter: bool = True, overwrite: bool = False, size: Floats | None = None
) -> CholeskyPrecision:
    """The factors (1), with the least jitter 0, 1e-12, 1e-11 … 1e-6 times the median of the diagonal that is enough.

    The median, because a few observations of very large variance would make the mean one that drowns all others.

    Parameters
    ----------
    A : ndarray of shape (n, n)
        Symmetric.
    jitter : bool, default=True
        False for none.
    overwrite : bool, default=False
        Whether A may be destroyed.
    size : ndarray of shape (n,), optional
        What rounding errors of the diagonal are in proportion to, where A is a difference; by default the diagonal.

    Returns
    -------
    CholeskyPrecision

    References
    ----------
    Higham, N. J. (2002). Accuracy and Stability of Numerical Algorithms, chapter 10. doi:10.1137/1.9780898718027

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.linalg import factor_covariance
    >>> precision = factor_covariance(np.ones((2, 2)))
    >>> precision.jitter
    1e-12
    """
    diagonal = np.diagonal(A).copy()
    usual = float(np.median(diagonal) or np.mean(diagonal)) if len(A) else 1.0
    shares = (0.0, *(JITTERS if jitter else ()))
    work = (A if overwrite else A.copy()).T
    for share in shares:
        np.fill_diagonal(work, diagonal + share * usual)
        attempt = _factor(work, diagonal + share * usual if size is None else size)
        if attempt.done:
            return CholeskyPrecision(attempt.lower, share * usual)
        # The factor took the lower triangle; the upper one still holds A.
        work = attempt.lower
        np.copyto(work, work.T, where=np.tri(len(work), k=-1, dtype=bool))
    np.fill_diagonal(work, diagonal)
    least = _least_eigenvalue(work)
    added = f", even with {shares[-1] * usual:.3g} added to its diagonal" if jitter else ""
    raise NotPositiveDefiniteError(
        f"the covariance matrix is not positive definite{added}; its least eigenvalue is {least:.3g}"
    )


def _factor(work: Floats, size: Floats) -> _FactorAttempt:
    """One attempt in place; a pivot that survived by rounding alone makes a factor that no solve should use.

    The rounding error of Lᵢᵢ² is about n ε Aᵢᵢ, whatever the scale of the other rows: Higham (2002), theorem 10.3.
    """
    n = len(work)
    with calm_blas(n):
        lower, info = lapack.dpotrf(work, lower=1, clean=0, overwrite_a=1)
    if info != 0 or not np.all(np.isfinite(size)):
        return _FactorAttempt(lower, False)
    floors = 1e-2 * np.sqrt(n * np.finfo(float).eps * size)
    return _FactorAttempt(lower, bool(np.all(np.diagonal(lower) > floors)))


def _least_eigenvalue(A: Floats) -> float:
    if not np.all(np.isfinite(A)):
        return float("nan")
    with calm_blas(len(A)):
        return float(linalg.eigvalsh(np.asarray(A), subset_by_index=[0, 0])[0])


def extend_cholesky(factor: CholeskyPrecision, B: Floats, C: Floats) -> CholeskyPrecision:
    """The factor of [[A, B], [Bᵀ, C]] from that of A, for m new rows in O(n²m); NotPositiveDefiniteError without one.

    Parameters
    ----------
    factor : CholeskyPrecision
        Of A, of shape (n, n).
    B : ndarray of shape (n, m)
    C : ndarray of shape (m, m)

    Returns
    -------
    CholeskyPrecision

    References
    ----------
    Golub, G. & Van Loan, C. (2013). Matrix Computations, section 6.5. Johns Hopkins.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.linalg import extend_cholesky, factor_covariance
    >>> A = np.array([[4.0, 2.0], [2.0, 5.0]])
    >>> whole = extend_cholesky(factor_covariance(A[:1, :1]), A[:1, 1:], A[1:, 1:])
    >>> np.tril(whole.lower)
    array([[2., 0.],
           [1., 2.]])
    """
    n, m = B.shape
    V = factor.half(B)
    corner = factor_covariance(C - V.T @ V, jitter=False, size=np.diagonal(C))
    lower = np.zeros((n + m, n + m), order="F")
    lower[:n, :n] = np.tril(factor.lower)
    lower[n:, :n] = V.T
    lower[n:, n:] = np.tril(corner.lower)
    return CholeskyPrecision(lower, factor.jitter)
