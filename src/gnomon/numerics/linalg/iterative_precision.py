"""The inverse of a covariance matrix that is known by its products alone.

    A x = b by conjugate gradients on D^(−½) A D^(−½),    D = diag(A)                                    (1)

Hestenes & Stiefel (1952), doi:10.6028/jres.049.044; Golub & Van Loan (2013), section 11.5. Nothing is factored, so
that log |A| is not known.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from gnomon._typing import Floats
from gnomon.numerics.linalg.precision import Precision

__all__ = ["IterativePrecision"]


@dataclass(frozen=True)
class IterativePrecision(Precision):
    """Solves (1).

    Parameters
    ----------
    multiply : callable
        X → AX, for several columns.
    scale : ndarray of shape (n,)
        The diagonal of A.
    tol : float, default=1e-10
        ‖Ax − b‖ relative to ‖b‖ at the end.
    max_iter : int, optional
        10n by default.

    Attributes
    ----------
    residuals : list of ndarray
        Relative residuals of each system that was solved, iteration by iteration.

    References
    ----------
    Hestenes, M. R. & Stiefel, E. (1952). Methods of conjugate gradients for solving linear systems.
    doi:10.6028/jres.049.044

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.linalg import IterativePrecision
    >>> A = np.array([[4.0, 1.0], [1.0, 3.0]])
    >>> IterativePrecision(lambda x: A @ x, np.diag(A)).solve(np.array([5.0, 4.0])).round(7)
    array([1., 1.])
    """

    multiply: Callable[[Floats], Floats]
    scale: Floats
    tol: float = 1e-10
    max_iter: int | None = None
    jitter: float = 0.0
    residuals: list[Floats] = field(default_factory=list, repr=False)

    @property
    def log_det(self) -> float:
        """Not known."""
        return float("nan")

    def solve(self, B: Any) -> Floats:
        """All columns at once, so that one product with A serves them."""
        B = np.asarray(B.toarray() if sparse.issparse(B) else B, dtype=float)
        return self._solve(B) if B.ndim == 2 else self._solve(B[:, None])[:, 0]

    def _solve(self, B: Floats) -> Floats:
        X, R = np.zeros_like(B), B.copy()
        most = 10 * len(B) if self.max_iter is None else self.max_iter
        sizes = np.linalg.norm(B, axis=0)
        sizes[sizes == 0.0] = 1.0
        Z = R / self.scale[:, None]
        D, rho = Z.copy(), np.sum(R * Z, axis=0)
        path = [np.linalg.norm(R, axis=0) / sizes]
        while np.max(path[-1], initial=0.0) > self.tol and len(path) <= most:
            # Columns that have ended keep their values: their directions are zero.
            Q = self.multiply(D)
            step = rho / _or_one(np.sum(D * Q, axis=0))
            X += step * D
            R -= step * Q
            Z = R / self.scale[:, None]
            rho, before = np.sum(R * Z, axis=0), rho
            D = Z + (rho / _or_one(before)) * D
            path.append(np.linalg.norm(R, axis=0) / sizes)
        self.residuals.append(np.array(path))
        self._warn(float(np.max(np.linalg.norm(B - self.multiply(X), axis=0) / sizes, initial=0.0)), len(path) - 1)
        return X

    def _warn(self, left: float, n_iter: int) -> None:
        if left > 100.0 * self.tol:
            warnings.warn(
                f"conjugate gradients left the relative residual {left:.3g} after {n_iter} iterations; give more "
                "noise, or choose solver='cholesky' or 'sparse'",
                ConvergenceWarning,
                stacklevel=4,
            )


def _or_one(values: Floats) -> Floats:
    return np.where(values == 0.0, 1.0, values)
