"""Least squares with the norm of a kernel, for every ρ from one decomposition.

    S^½KS^½ = UΛUᵀ,    A⁻¹ = U(Λ + ρ)⁻¹Uᵀ,    R = A⁻¹ − A⁻¹H(HᵀA⁻¹H)⁻¹HᵀA⁻¹                        (1)
    β = S^½ R S^½ y,    √sᵢ(yᵢ − ŷ₋ᵢ) = [R S^½ y]ᵢ / Rᵢᵢ,    tr(hat) = n − ρ tr R                    (2)

H stands for S^½H. Leave-one-out residuals cost no refit: Wahba (1990), theorem 4.2.1, doi:10.1137/1.9781611970128;
Rasmussen & Williams (2006), section 5.4.2.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import linalg

from gnomon._typing import Floats
from gnomon.numerics.linalg._kernel_ridge import KernelRidgeSolution, refuse_indefinite

__all__ = ["KernelRidgePath", "kernel_ridge_path"]


class KernelRidgePath(NamedTuple):
    """Kernel ridge regression for every ρ > 0, equations (1) and (2).

    Fields
    ------
    values : ndarray of shape (n,)
        Λ.
    U : ndarray of shape (n, n)
    P, B : ndarray of shape (n, k) and (n, q)
        UᵀS^½ y and UᵀS^½ H.
    root : ndarray of shape (n,)
        √s.

    References
    ----------
    Wahba, G. (1990). Spline Models for Observational Data, section 4.2. doi:10.1137/1.9781611970128

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.linalg import kernel_ridge_path
    >>> x, y = np.array([0.0, 1.0, 2.0]), np.array([[0.0], [1.0], [1.0]])
    >>> path = kernel_ridge_path(np.exp(-0.5 * (x[:, None] - x) ** 2), y)
    >>> path.at(0.1).coef.ravel().round(6), round(path.dof(0.1), 7)
    (array([-0.609038,  1.009139,  0.427591]), 2.52155)
    >>> path.loo_residuals(0.1).ravel().round(7)
    array([-0.4347217,  0.5090154,  0.3052079])
    """

    values: Floats
    U: Floats
    P: Floats
    B: Floats
    root: Floats

    def at(self, rho: float) -> KernelRidgeSolution:
        """β and c."""
        trend, left = self._trend(rho)
        inside = left * self._inverse(rho)[:, None]
        # Squares may overflow where β does not; they are then infinite.
        with np.errstate(over="ignore"):
            rss = np.sum((rho * inside) ** 2, axis=0)
            squares = np.sum((np.sqrt(self.values)[:, None] * inside) ** 2, axis=0)
        return KernelRidgeSolution(self.root[:, None] * (self.U @ inside), trend, rss, squares)

    def dof(self, rho: float) -> float:
        """The trace of the matrix that maps y to its fit."""
        inverse, spread = self._inverse(rho), self._spread(rho)
        return float(np.sum(self.values * inverse) + np.sum((np.sqrt(rho) * inverse[:, None] * spread) ** 2))

    def loo_residuals(self, rho: float) -> Floats:
        """yᵢ − ŷ₋ᵢ, of shape (n, k); inf for a row without which c is not determined."""
        inverse, left = self._inverse(rho)[:, None], self._trend(rho)[1]
        solution = self.U @ (inverse * left)
        diagonal = np.square(self.U) @ inverse[:, 0]
        own = diagonal - np.sum((self.U @ (inverse * self._spread(rho))) ** 2, axis=1)
        # Where R has no diagonal beyond rounding, the other rows do not determine c.
        own = np.where(own > len(own) * np.finfo(own.dtype).eps * diagonal, own, 0.0) * self.root
        return np.divide(solution, own[:, None], out=np.full_like(solution, np.inf), where=own[:, None] > 0.0)

    def _inverse(self, rho: float) -> Floats:
        return 1.0 / (self.values + rho)

    def _spread(self, rho: float) -> Floats:
        """B M with M Mᵀ = (HᵀA⁻¹H)⁻¹."""
        if not self.B.shape[1]:
            return self.B
        _, R = linalg.qr(np.sqrt(self._inverse(rho))[:, None] * self.B, mode="economic")
        return linalg.solve_triangular(R, self.B.T, trans=1).T

    def _trend(self, rho: float) -> tuple[Floats, Floats]:
        """c, and UᵀS^½(y − Hc)."""
        if not self.B.shape[1]:
            return np.empty((0, self.P.shape[1])), self.P
        size = np.sqrt(self._inverse(rho))[:, None]
        trend = linalg.lstsq(size * self.B, size * self.P)[0]
        return trend, self.P - self.B @ trend


def kernel_ridge_path(K: Floats, Y: Floats, weights: Floats | None = None, H: Floats | None = None) -> KernelRidgePath:
    """Decompose S^½KS^½.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Symmetric, positive semi-definite.
    Y : ndarray of shape (n, k)
    weights : ndarray of shape (n,), optional
        s > 0.
    H : ndarray of shape (n, q), optional
        Columns with free coefficients.

    Returns
    -------
    KernelRidgePath

    References
    ----------
    Wahba, G. (1990). Spline Models for Observational Data, section 4.2. doi:10.1137/1.9781611970128

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.linalg import kernel_ridge_path
    >>> path = kernel_ridge_path(np.diag([1.0, 3.0]), np.array([[2.0], [4.0]]))
    >>> path.at(1.0).coef.ravel(), path.dof(1.0)
    (array([1., 1.]), 1.25)
    """
    root = np.ones(len(Y), dtype=K.dtype) if weights is None else np.sqrt(weights).astype(K.dtype)
    H = np.empty((len(Y), 0), dtype=K.dtype) if H is None else H
    A = root[:, None] * K * root
    if not np.all(np.isfinite(A)):
        raise ValueError("the kernel matrix has entries that are not finite; divide the columns of X by their scale")
    values, U = linalg.eigh(A, overwrite_a=True, check_finite=False)
    refuse_indefinite(float(values[0]), float(max(values[-1], 0.0)), len(Y), float(np.finfo(A.dtype).eps))
    P, B = (U.T @ (root[:, None] * part) for part in (Y, H))
    return KernelRidgePath(np.maximum(values, 0.0), U, P, B, root)
