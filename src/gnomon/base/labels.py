"""Rows and labels for a classifier inside another estimator: X as the inner one takes it, y and the weights checked.

rows of weight zero take no part, nor do classes that have no other rows                                     (1)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, is_regressor
from sklearn.utils import _safe_indexing
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _num_samples, check_consistent_length, column_or_1d

from gnomon._typing import Array, ArrayLike, Floats, Sparse, TableLike
from gnomon.base.rows import given_rows
from gnomon.base.targets import check_target
from gnomon.numerics.weights import check_weights

__all__ = ["GivenLabels", "given_labels", "read_labels", "read_targets"]


class GivenLabels(NamedTuple):
    """Rows of positive weight, their labels, and their weights where any were given.

    Fields
    ------
    X : array, sparse matrix or data frame
    y : ndarray of shape (n,)
    weights : ndarray of shape (n,) or None

    Examples
    --------
    >>> from sklearn.base import BaseEstimator
    >>> from gnomon.base.labels import given_labels
    >>> given_labels(BaseEstimator(), BaseEstimator(), [[1.0], [2.0]], ["a", "b"], [1.0, 0.0]).y.tolist()
    ['a']
    """

    X: Any
    y: Array
    weights: Floats | None

    @property
    def classes(self) -> Array:
        """The distinct labels, sorted."""
        return np.unique(self.y)


def given_labels(
    owner: BaseEstimator,
    base: BaseEstimator,
    X: TableLike | Sparse,
    y: ArrayLike | None,
    sample_weight: ArrayLike | None = None,
    *,
    reset: bool = True,
) -> GivenLabels:
    """What `given_rows` makes of X, with labels and weights of the same rows.

    Parameters
    ----------
    owner, base, X, reset
        As in `given_rows`.
    y : array-like of shape (n,)
    sample_weight : array-like of shape (n,), optional

    Examples
    --------
    >>> from sklearn.base import BaseEstimator
    >>> from gnomon.base.labels import given_labels
    >>> given_labels(BaseEstimator(), BaseEstimator(), [[1.0], [2.0]], ["a", "b"]).classes.tolist()
    ['a', 'b']
    """
    rows = given_rows(owner, base, X, reset=reset)
    labels = read_labels(owner, rows, y)
    if sample_weight is None:
        return GivenLabels(rows, labels, None)
    weights = check_weights(sample_weight, np.empty((_num_samples(rows), 0)))
    used = np.flatnonzero(weights > 0.0)
    if len(used) == len(weights):
        return GivenLabels(rows, labels, weights)
    return GivenLabels(_safe_indexing(rows, used), labels[used], weights[used])


def read_labels(owner: BaseEstimator, rows: Any, y: ArrayLike | None) -> Array:
    """One label for each of the rows; ValueError for numbers that are no classes.

    Examples
    --------
    >>> from sklearn.base import BaseEstimator
    >>> from gnomon.base.labels import read_labels
    >>> read_labels(BaseEstimator(), [[1.0], [2.0]], ["a", "b"]).tolist()
    ['a', 'b']
    """
    labels = read_targets(owner, rows, y)
    check_classification_targets(labels)
    return labels


def read_targets(owner: BaseEstimator, rows: Any, y: ArrayLike | None) -> Array:
    """One target for each of the rows: a number if the owner is a regressor, else a label; none missing or infinite.

    Examples
    --------
    >>> from sklearn.base import BaseEstimator
    >>> from gnomon.base.labels import read_targets
    >>> read_targets(BaseEstimator(), [[1.0], [2.0]], None)
    Traceback (most recent call last):
    ...
    ValueError: BaseEstimator requires y to be passed, but the target y is None; give one for each row
    """
    if y is None:
        raise ValueError(
            f"{type(owner).__name__} requires y to be passed, but the target y is None; give one for each row"
        )
    targets = column_or_1d(check_target(y, numeric=is_regressor(owner)), warn=True)
    check_consistent_length(rows, targets)
    return targets
