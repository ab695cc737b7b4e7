"""The inverse of a covariance matrix with a narrow band.

    A = L Lᵀ,  Lᵢⱼ = 0 for i − j > b,    (A⁻¹)ᵢⱼ = δᵢⱼ/Lᵢᵢ² − Σ_{k=1}^{b} (Lᵢ₊ₖ,ᵢ/Lᵢᵢ) (A⁻¹)ᵢ₊ₖ,ⱼ  for j ≥ i      (1)

The factor costs O(n b²), a solve O(n b); by (1), from the last row up, the entries of A⁻¹ near its diagonal cost O(n
b w) for a band of width w ≥ b. Golub & Van Loan (2013), Matrix Computations, section 4.3; Takahashi, Fagan & Chin
(1973).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy import linalg

from gnomon._jit import jit_no_alloc
from gnomon._typing import ArrayLike, Floats
from gnomon.numerics.linalg.precision import NotPositiveDefiniteError, Precision

__all__ = ["BandedPrecision"]


@dataclass(frozen=True)
class BandedPrecision(Precision):
    """The factor (1) of a symmetric matrix with a band.

    Parameters
    ----------
    lower : ndarray of shape (b + 1, n)
        Row k holds Lⱼ₊ₖ,ⱼ for j = 0, 1, …
    jitter : float, default=0.0

    References
    ----------
    Takahashi, K., Fagan, J. & Chin, M. (1973). Formation of a sparse bus impedance matrix and its application to short
    circuit study. IEEE Power Industry Computer Applications Conference.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.linalg import BandedPrecision
    >>> precision = BandedPrecision.of_bands([[2.0, 2.0, 2.0], [1.0, 1.0, 0.0]])
    >>> A = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 1.0], [0.0, 1.0, 2.0]])
    >>> (A @ precision.solve(np.array([1.0, 0.0, 0.0]))).round(12) + 0.0
    array([1., 0., 0.])
    >>> precision.near_diagonal(1).round(3)
    array([[ 0.75,  1.  ,  0.75],
           [-0.5 , -0.5 ,  0.  ]])
    """

    lower: Floats
    jitter: float = 0.0

    @classmethod
    def of_bands(cls, bands: ArrayLike) -> Self:
        """From row k of `bands`, which holds Aⱼ₊ₖ,ⱼ for j = 0, 1, …"""
        A: Any = np.asarray(bands, dtype=float)
        try:
            return cls(linalg.cholesky_banded(A, lower=True, check_finite=False))
        except linalg.LinAlgError:
            raise NotPositiveDefiniteError("the covariance matrix with a band is not positive definite") from None

    @property
    def log_det(self) -> float:
        """2 Σ log Lᵢᵢ."""
        return 2.0 * float(np.sum(np.log(self.lower[0])))

    def solve(self, B: Floats) -> Floats:
        """Two systems with a triangular band."""
        return linalg.cho_solve_banded((self.lower, True), np.asarray(B, dtype=float), check_finite=False)

    def dense(self) -> Floats:
        """Solves with the columns of the identity."""
        return self.solve(np.eye(self.lower.shape[1]))

    def diagonal(self) -> Floats:
        """By (1)."""
        return self.near_diagonal(0)[0]

    def near_diagonal(self, width: int) -> Floats:
        """(A⁻¹)ⱼ₊ₖ,ⱼ in row k = 0 … width, of shape (width + 1, n); what lies outside of the matrix is zero."""
        b, n = self.lower.shape[0] - 1, self.lower.shape[1]
        Z = np.zeros((max(width, b) + 1, n))
        _inverse_band(self.lower, Z)
        return Z[: width + 1]


@jit_no_alloc
def _inverse_band(lower: Floats, Z: Floats) -> None:
    """(1) from the last row up; Z[k, j] is (A⁻¹)ⱼ₊ₖ,ⱼ."""
    b, n, width = lower.shape[0] - 1, lower.shape[1], Z.shape[0] - 1
    for i in range(n - 1, -1, -1):
        reach = min(b, n - 1 - i)
        for far in range(min(width, n - 1 - i), -1, -1):
            j = i + far
            total = 1.0 / (lower[0, i] * lower[0, i]) if far == 0 else 0.0
            for k in range(1, reach + 1):
                row = i + k
                entry = Z[row - j, j] if row >= j else Z[j - row, row]
                total -= lower[k, i] / lower[0, i] * entry
            Z[far, i] = total
