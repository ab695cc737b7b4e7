"""One factor for all rows, so that the longest has length one.

    φ(x) = x / R,    R = max_i ‖x_i‖ over the training rows                                         (1)

With R = 1 the bound of the perceptron on its mistakes, (R/γ)², is 1/γ²: Novikoff (1962), On convergence proofs on
perceptrons, Symposium on the Mathematical Theory of Automata 12.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import norm as sparse_norm

from gnomon._typing import Array
from gnomon.features._base import InvertibleMap, Rows

__all__ = ["MaxNormScaler"]


class MaxNormScaler(InvertibleMap):
    """Rows divided by the largest Euclidean norm of the training rows; angles and ratios of lengths are kept.

    Training rows that are all zero are left as they are.

    Attributes
    ----------
    scale_ : float
        R = max_i ‖x_i‖.

    References
    ----------
    Novikoff, A. B. J. (1962). On convergence proofs on perceptrons. Symposium on the Mathematical Theory of Automata.

    Examples
    --------
    >>> from gnomon.features import MaxNormScaler
    >>> scaler = MaxNormScaler().fit([[3.0, 4.0], [0.0, 1.0]])
    >>> float(scaler.scale_), scaler.transform([[3.0, 4.0]]).tolist()
    (5.0, [[0.6, 0.8]])
    """

    _sparse = True

    def _learn(self, X: Rows) -> None:
        # Dividing by the largest entry first keeps squares from overflow and underflow.
        largest = np.abs(X).max() or X.dtype.type(1)
        scaled = X / largest
        norms = sparse_norm(scaled, axis=1) if sparse.issparse(X) else np.linalg.norm(scaled, axis=1)
        self.scale_ = (largest * norms.max()).astype(X.dtype) or X.dtype.type(1)

    def _map(self, X: Rows) -> Rows:
        return X / self.scale_.astype(X.dtype)

    def _unmap(self, Z: Rows) -> Rows:
        return Z * self.scale_.astype(Z.dtype)

    def _names(self, names: Array) -> Array:
        return names
