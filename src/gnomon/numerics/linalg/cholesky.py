"""Cholesky factors with an estimate of their condition number.

    A = D Uᵀ U D,    D = diag(√Aⱼⱼ)                                                                (1)

Scaling to a unit diagonal is within a factor d of the best diagonal scaling, so the condition number of UᵀU says how
hard the system is whatever the units of the columns: van der Sluis (1969), doi:10.1007/BF02165096; its estimate is
LAPACK's `pocon`, Higham (1988), doi:10.1145/50063.214386.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import linalg
from scipy.linalg import lapack

from gnomon._typing import Floats
from gnomon.numerics.parallel import calm_blas

__all__ = ["SpdFactor", "factor_spd"]


class SpdFactor(NamedTuple):
    """U and D of equation (1), and an estimate of the condition number of UᵀU.

    Parameters
    ----------
    upper : ndarray of shape (d, d)
        U, upper triangular.
    scale : ndarray of shape (d,)
        The diagonal of D.
    condition : float
        1-norm condition number of the scaled matrix, estimated.

    References
    ----------
    van der Sluis, A. (1969). Condition numbers and equilibration of matrices. doi:10.1007/BF02165096

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.linalg import factor_spd
    >>> factor = factor_spd(np.array([[4.0, 2.0], [2.0, 2.0]]))
    >>> factor.solve(np.array([8.0, 6.0]))
    array([1., 2.])
    >>> R = factor.root
    >>> R.T @ R
    array([[4., 2.],
           [2., 2.]])
    """

    upper: Floats
    scale: Floats
    condition: float

    def solve(self, B: Floats) -> Floats:
        """A⁻¹ B, by two triangular systems."""
        scale = self.scale if B.ndim == 1 else self.scale[:, None]
        with calm_blas(len(B)):
            return linalg.cho_solve((self.upper, False), B / scale, check_finite=False) / scale

    @property
    def root(self) -> Floats:
        """R = U D, upper triangular with RᵀR = A."""
        return self.upper * self.scale

    def inverse_trace(self) -> float:
        """tr A⁻¹ = ‖D⁻¹ U⁻¹‖²."""
        with calm_blas(len(self.scale)):
            inverse, _ = lapack.dtrtri(self.upper)
        return float(np.sum(np.square(inverse / self.scale[:, None])))


def factor_spd(A: Floats) -> SpdFactor | None:
    """Factor a symmetric matrix as in equation (1); None where it is not numerically positive definite.

    Parameters
    ----------
    A : ndarray of shape (d, d)

    Returns
    -------
    SpdFactor or None

    References
    ----------
    Higham, N. J. (1988). FORTRAN codes for estimating the one-norm of a real or complex matrix.
    doi:10.1145/50063.214386

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.linalg import factor_spd
    >>> factor_spd(np.ones((2, 2))) is None
    True
    >>> bool(factor_spd(np.diag([1.0, 1e-12])).condition < 1.1)
    True
    """
    diagonal = np.diag(A)
    if not np.all(np.isfinite(A)) or not np.all(diagonal > 0.0):
        return None
    scale = np.sqrt(diagonal)
    scaled = A / np.outer(scale, scale)
    with calm_blas(len(A)):
        upper, info = lapack.dpotrf(scaled, lower=0, clean=1)
        if info != 0:
            return None
        rcond, _ = lapack.dpocon(upper, np.linalg.norm(scaled, 1), uplo="U")
    return SpdFactor(upper, scale, 1.0 / rcond) if rcond > np.finfo(float).eps else None
