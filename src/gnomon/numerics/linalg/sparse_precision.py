"""The inverse of a sparse covariance matrix, by sparse factors.

    Π A Πᵀ = L U,  U = D Lᵀ for symmetric A,    log |A| = Σ log Uᵢᵢ                                       (1)

SuperLU without pivoting off the diagonal, in an order that keeps L sparse: Li (2005), doi:10.1145/1089014.1089017. That
order, of minimum degree, is found faster and is better where rows that are near to each other already have near places,
as in the order of Cuthill & McKee (1969), doi:10.1145/800195.805928.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import reverse_cuthill_mckee
from scipy.sparse.linalg import splu

from gnomon._typing import Floats, Integers
from gnomon.numerics.linalg.precision import NotPositiveDefiniteError, Precision

__all__ = ["SparsePrecision"]

COLUMNS = 256
"""Right-hand sides of one solve."""


class _Factor(NamedTuple):
    """Factors of A[order][:, order], and the diagonal of U."""

    order: Integers
    factors: Any
    pivots: Floats

    def solve(self, B: Floats) -> Floats:
        """A⁻¹B."""
        found = np.empty_like(B)
        found[self.order] = self.factors.solve(B[self.order])
        return found


@dataclass(frozen=True)
class SparsePrecision(Precision):
    """The factors (1).

    Parameters
    ----------
    A : sparse matrix of shape (n, n)
        Symmetric and positive definite.

    References
    ----------
    Li, X. S. (2005). An overview of SuperLU: algorithms, implementation, and user interface.
    doi:10.1145/1089014.1089017

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from gnomon.numerics.linalg import SparsePrecision
    >>> precision = SparsePrecision(sparse.diags_array([4.0, 1.0]))
    >>> precision.solve(np.array([8.0, 1.0])), round(precision.log_det, 7)
    (array([2., 1.]), 1.3862944)
    """

    A: Any
    jitter: float = 0.0

    @cached_property
    def _factor(self) -> _Factor:
        A = sparse.csr_array(self.A)
        order = reverse_cuthill_mckee(sparse.csr_matrix(A), symmetric_mode=True)
        try:
            factors = splu(
                sparse.csc_matrix(A[order][:, order]),
                permc_spec="MMD_AT_PLUS_A",
                diag_pivot_thresh=0.0,
                options={"SymmetricMode": True},
            )
            pivots = factors.U.diagonal()
        except RuntimeError:
            pivots = np.zeros(1)
        least = float(np.min(pivots))
        if least <= 0.0:
            raise NotPositiveDefiniteError(
                f"the sparse covariance matrix is not positive definite: a pivot is {least:.3g}"
            )
        return _Factor(order, factors, pivots)

    def __getstate__(self) -> dict[str, Any]:
        """Without the factors, which no file holds."""
        return {"A": self.A, "jitter": self.jitter}

    @property
    def log_det(self) -> float:
        """Σ log Uᵢᵢ."""
        return float(np.sum(np.log(self._factor.pivots)))

    def solve(self, B: Any) -> Floats:
        """By substitution; a sparse B is made dense some columns at a time."""
        if not sparse.issparse(B):
            return self._factor.solve(np.ascontiguousarray(B, dtype=float))
        parts = [self._factor.solve(part.toarray()) for part in _columns(B)]
        return np.hstack(parts) if parts else np.empty(B.shape)

    def quadratic(self, B: Any) -> Floats:
        """The diagonal of BᵀA⁻¹B, some columns at a time."""
        found = []
        for part in _columns(B):
            dense = part.toarray() if sparse.issparse(part) else part
            found.append(np.einsum("ij,ij->j", dense, self._factor.solve(dense)))
        return np.concatenate(found) if found else np.empty(0)

    def product(self, B: Any) -> Floats:
        """BᵀA⁻¹B."""
        return np.asarray(B.T @ self.solve(B))

    def dense(self) -> Floats:
        """Solves with the columns of the identity."""
        return self._factor.solve(np.eye(self.A.shape[0]))

    def diagonal(self) -> Floats:
        """The same, some columns at a time."""
        identity = sparse.eye_array(self.A.shape[0], format="csc")
        return np.concatenate(
            [np.einsum("ij,ij->j", part.toarray(), self._factor.solve(part.toarray())) for part in _columns(identity)]
        )


def _columns(B: Any) -> Any:
    B = B.tocsc() if sparse.issparse(B) else B
    return (B[:, start : start + COLUMNS] for start in range(0, B.shape[1], COLUMNS))
