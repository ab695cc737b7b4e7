"""What a feature map is.

    φ: R^d → R^k,    fit learns what φ needs from the training rows,    transform applies φ to any rows          (1)

A map defines three short methods: `_learn(X)`, `_map(X)` and `_names(names)`; an invertible one also `_unmap(Z)`. The
conventions of scikit-learn (validation, names of columns, types, tags) are implemented here, once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Self, TypeAlias, overload

import numpy as np
from scipy import sparse
from sklearn.base import TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import _check_feature_names_in, check_array, check_is_fitted

from gnomon._typing import Array, ArrayLike, Bools, Floats, Integers, MatrixLike, NDArray, Sparse
from gnomon.base import validate_rows
from gnomon.base.estimator import Estimator
from gnomon.numerics.scale import largest_entry
from gnomon.numerics.validation import FLOATS

__all__ = ["Column", "Columns", "FeatureMap", "InvertibleMap", "Rows", "check_pair", "column_indices", "join_columns"]

Column: TypeAlias = int | str
"""A column by position, also from the end, or by name."""

Columns: TypeAlias = Column | Iterable[Column] | Bools
"""One or more columns, or a mask of all."""

Rows: TypeAlias = Any
"""Rows that were validated: an array of floats or, for a map that takes them, a CSR matrix."""


class FeatureMap(TransformerMixin, Estimator, ABC):
    """Base of the maps: `fit`, `transform` and `get_feature_names_out` are final, subclasses define the hooks."""

    _nan: ClassVar[bool] = False

    learns_nothing: ClassVar[bool] = False
    """Whether φ depends on the training rows by their columns alone, so that any other rows give the same map."""

    def fit(self, X: MatrixLike, y: object = None) -> Self:
        """Learn what the map needs from the training rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training rows.
        y : ignored
            Present by convention.

        Returns
        -------
        self
        """
        self._learn(self._validated(X, reset=True))
        return self

    @overload
    def transform(self, X: ArrayLike) -> Floats: ...

    @overload
    def transform(self, X: Sparse) -> Sparse: ...

    def transform(self, X: MatrixLike) -> Floats | Sparse:
        """Map every row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows with the columns of `fit`.

        Returns
        -------
        Z : array of shape (n_samples, n_features_out)
        """
        check_is_fitted(self)
        return self._map(self._validated(X, reset=False))

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[np.object_]:
        """Names of the columns of `transform`.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names of the input columns; by default those seen in `fit`, or x0, x1, …

        Returns
        -------
        names : ndarray of object
        """
        check_is_fitted(self)
        return np.asarray(self._names(_check_feature_names_in(self, input_features)), dtype=object)

    @property
    def _sparse(self) -> bool:
        """Whether the map takes CSR rows."""
        return False

    def _validated(self, X: MatrixLike, *, reset: bool) -> Rows:
        return validate_rows(self, X, reset=reset, accept_sparse="csr" if self._sparse else False, finite=not self._nan)

    def _places(self, columns: Columns) -> Integers:
        return column_indices(columns, self.n_features_in_, getattr(self, "feature_names_in_", ()))

    def _learn(self, X: Rows) -> None:
        """Set the fitted attributes; most maps have none."""

    @abstractmethod
    def _map(self, X: Rows) -> Rows:
        """φ of every row of `X`, which is not modified."""

    @abstractmethod
    def _names(self, names: Array) -> Sequence[str] | Array:
        """Names of the columns of φ, from those of the input."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._sparse
        tags.input_tags.allow_nan = self._nan
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class InvertibleMap(FeatureMap):
    """Base of the maps that can be undone."""

    @overload
    def inverse_transform(self, Z: ArrayLike) -> Floats: ...

    @overload
    def inverse_transform(self, Z: Sparse) -> Sparse: ...

    def inverse_transform(self, Z: MatrixLike) -> Floats | Sparse:
        """Rows whose map is `Z`.

        Parameters
        ----------
        Z : array-like of shape (n_samples, n_features_out)
            Mapped rows.

        Returns
        -------
        X : array of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        Z = check_array(Z, dtype=FLOATS, accept_sparse="csr" if self._sparse else False, input_name="Z")
        expected = len(self.get_feature_names_out())
        if Z.shape[1] != expected:
            raise ValueError(f"Z has {Z.shape[1]} columns, {type(self).__name__} makes {expected}; give mapped rows")
        return self._unmap(Z)

    @abstractmethod
    def _unmap(self, Z: Rows) -> Rows:
        """φ⁻¹ of every row of `Z`."""


def join_columns(*parts: Rows) -> Rows:
    """The columns of all parts, one part after the other; sparse if a part is."""
    return sparse.hstack(parts, format="csr") if any(map(sparse.issparse, parts)) else np.hstack(parts)


def refuse_overflow(made: Rows, X: Rows) -> Rows:
    """`made`, products of columns of X; an error where one of them overflows."""
    values = made.data if sparse.issparse(made) else made
    with np.errstate(over="ignore", invalid="ignore"):
        # A sum that is a number proves that all terms are, without an array of booleans.
        if np.isfinite(np.sum(values)) or np.all(np.isfinite(values)):
            return made
    size = largest_entry(X, axis=0)
    j = int(np.argmax(size))
    raise ValueError(
        f"products with column {j} of X, whose entries are about {size[j]:.3g}, overflow in {made.dtype}; scale that "
        "column first, for example with MaxNormScaler"
    )


def check_pair(name: str, value: Any) -> Any:
    """Return the two parts of `value`, a lower and an upper end."""
    if np.isscalar(value) or len(value) != 2:
        raise ValueError(f"{name}={value!r} must be a pair (lower, upper); give both ends")
    return value


def column_indices(columns: Any, d: int, names: Sequence[str] | Array = ()) -> Integers:
    """Positions among d of columns that the user gave by position (also from the end), by name or as a mask."""
    columns = [columns] if np.isscalar(columns) else list(columns)
    if columns and all(isinstance(column, (bool, np.bool_)) for column in columns):
        if len(columns) != d:
            raise ValueError(f"a mask of {len(columns)} columns does not fit X with {d}; give {d} booleans")
        return np.flatnonzero(columns)
    places = {**{i: i % d for i in range(-d, d)}, **{name: i for i, name in enumerate(names)}}
    unknown = [column for column in columns if column not in places]
    if unknown:
        known = f"names {list(names)} or " if len(names) else "X had no column names, so "
        raise ValueError(f"columns {unknown} are not in X; allowed: {known}positions {-d} … {d - 1}")
    return np.array([places[column] for column in columns], dtype=np.intp)
