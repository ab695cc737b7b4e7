"""The inverse of the covariance of a full grid, axis by axis.

    A = K₁ ⊗ … ⊗ K_D + σ²I,  K_d = Q_d Λ_d Q_dᵀ:    A⁻¹ = Q (Λ₁ ⊗ … ⊗ Λ_D + σ²I)⁻¹ Qᵀ,  Q = Q₁ ⊗ … ⊗ Q_D      (1)

Saatçi (2011), Scalable Inference for Structured Gaussian Process Models, chapter 5. For n points the work is that of D
small eigenproblems and of products along the axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Self

import numpy as np
from scipy import linalg

from gnomon._typing import Floats, Integers
from gnomon.numerics.linalg.precision import JITTERS, NotPositiveDefiniteError, Precision

__all__ = ["KroneckerPrecision"]


@dataclass(frozen=True)
class KroneckerPrecision(Precision):
    """The factors (1), made by `of_axes`.

    Parameters
    ----------
    vectors : tuple of ndarray
        Q₁, …, Q_D.
    values : ndarray of shape (n,)
        Λ₁ ⊗ … ⊗ Λ_D + σ²I.
    order : ndarray of int, optional
        The point of the grid, in C order, that each row is; by default the rows are in that order.
    jitter : float, default=0.0

    References
    ----------
    Saatçi, Y. (2011). Scalable Inference for Structured Gaussian Process Models, chapter 5. PhD thesis, Cambridge.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.linalg import KroneckerPrecision
    >>> K, G = np.array([[2.0, 1.0], [1.0, 2.0]]), np.diag([1.0, 3.0])
    >>> precision = KroneckerPrecision.of_axes([K, G], noise=0.5)
    >>> A = np.kron(K, G) + 0.5 * np.eye(4)
    >>> bool(np.allclose(A @ precision.solve(np.ones(4)), 1.0))
    True
    >>> bool(np.isclose(np.exp(precision.log_det), np.linalg.det(A)))
    True
    """

    vectors: tuple[Floats, ...]
    values: Floats
    order: Integers | None = None
    jitter: float = 0.0

    @classmethod
    def of_axes(cls, axes: Sequence[Floats], noise: float = 0.0, order: Integers | None = None) -> Self:
        """From the matrices K₁, …, K_D and σ²."""
        parts = [linalg.eigh(K, check_finite=False) for K in axes]
        values = reduce(np.multiply.outer, (values for values, _ in parts)).ravel() + noise
        positive, jitter = _positive(values)
        return cls(tuple(vectors for _, vectors in parts), positive, order, jitter)

    @property
    def log_det(self) -> float:
        """Σ log of the eigenvalues."""
        return float(np.sum(np.log(self.values)))

    def solve(self, B: Floats) -> Floats:
        """(1) times the columns of B."""
        columns = np.asarray(B, dtype=float).reshape(len(self.values), -1)
        grid = columns if self.order is None else np.empty_like(columns)
        if self.order is not None:
            grid[self.order] = columns
        turned = self._along(grid, [V.T for V in self.vectors]) / self.values[:, None]
        back = self._along(turned, self.vectors)
        return (back if self.order is None else back[self.order]).reshape(np.shape(B))

    def dense(self) -> Floats:
        """From its eigenvectors."""
        return self.solve(np.eye(len(self.values)))

    def diagonal(self) -> Floats:
        """Squared eigenvectors times one over the eigenvalues."""
        found = self._along(1.0 / self.values[:, None], [V**2 for V in self.vectors])[:, 0]
        return found if self.order is None else found[self.order]

    def _along(self, columns: Floats, matrices: Sequence[Floats]) -> Floats:
        """(M₁ ⊗ … ⊗ M_D) times the columns."""
        cube = columns.reshape(*map(len, self.vectors), -1)
        for axis, M in enumerate(matrices):
            cube = np.moveaxis(np.tensordot(M, cube, axes=(1, axis)), 0, axis)
        return cube.reshape(columns.shape)


def _positive(values: Floats) -> tuple[Floats, float]:
    """Eigenvalues that can be divided by, and what was added to each."""
    size = float(np.mean(values))
    floor = len(values) * np.finfo(float).eps * float(np.max(values))
    for share in (0.0, *JITTERS):
        if np.min(values) + share * size > 1e-4 * floor:
            return values + share * size, share * size
    raise NotPositiveDefiniteError(
        f"the covariance of the grid is not positive definite, even with {JITTERS[-1] * size:.3g} added to its "
        f"diagonal; its least eigenvalue is {np.min(values):.3g}"
    )
