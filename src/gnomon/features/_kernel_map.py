"""What maps by a kernel share: rows of numbers or objects, and a kernel by name or as an object.

    x ↦ (k(x, z_1), …, k(x, z_m)) W                                                               (1)

for rows z and a matrix W that a subclass learns. Schölkopf & Smola (2002), section 2.2.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import Floats, MatrixLike, NonNegative
from gnomon.base import is_given_matrix, kernel_rows
from gnomon.base.estimator import Estimator
from gnomon.kernels import Kernel, KernelLike, NotPSDWarning

__all__ = ["KernelMap", "warn_of_negative"]


class KernelMap(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator, ABC):
    """Base of the maps (1): `fit` and `transform` are final, a subclass learns rows and writes what follows k."""

    kernel: KernelLike
    gamma: NonNegative | None
    degree: NonNegative | None
    coef0: float | None
    _kernel: Kernel

    def fit(self, X: MatrixLike | list[Any], y: object = None) -> Self:
        """Learn the map.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features), a square matrix with
                ``kernel="precomputed"``, or a list of objects for a kernel of pairs
        y : ignored

        Returns
        -------
        self
        """
        rows = kernel_rows(self, X, kernel=self.kernel, accept_sparse="csr")
        self._kernel = self._read(rows)
        self._learn(rows)
        return self

    def transform(self, X: MatrixLike | list[Any]) -> Floats:
        """Map every row.

        Parameters
        ----------
        X : as in `fit`; with ``kernel="precomputed"`` of shape (n_samples, n_training_rows)

        Returns
        -------
        Z : ndarray of shape (n_samples, n_features_out)
        """
        check_is_fitted(self)
        return self._map(kernel_rows(self, X, kernel=self.kernel, accept_sparse="csr", reset=False))

    @abstractmethod
    def _read(self, rows: Any) -> Kernel:
        """The kernel for these training rows."""

    @abstractmethod
    def _learn(self, rows: Any) -> None:
        """Set the fitted attributes."""

    @abstractmethod
    def _map(self, rows: Any) -> Floats:
        """(1) of every row."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        tags.input_tags.pairwise = is_given_matrix(self.kernel)
        return tags


def warn_of_negative(values: Floats, share: float, what: str, stacklevel: int) -> None:
    """Warn where the least eigenvalue is below zero by more than a share of the largest; `what` says what becomes of
    the negative ones."""
    least, largest = float(np.min(values)), float(np.max(values))
    if least < -share * max(largest, 0.0):
        warnings.warn(
            f"the eigenvalues of the kernel matrix reach from {least:.3g} to {largest:.3g}: it is not positive "
            f"semi-definite, and no coordinates have its values as inner products; {what}",
            NotPSDWarning,
            stacklevel=stacklevel + 1,
        )
