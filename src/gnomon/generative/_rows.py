"""Rows and labels at the border of generative classifiers.

    N_c = Σ_{i : yᵢ = c} sᵢ                                                                           (1)

A row of weight zero is no row, so it is left out before anything is counted. Numbers become floating point whatever
their kind; rows with strings stay as they are, for densities that take them.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from gnomon._typing import AnyRows, Array, ArrayLike, Floats, Integers
from gnomon.base import map_rows, read_rows, validate_rows
from gnomon.numerics.coding import label_index
from gnomon.numerics.streaming import Moments, group_moments
from gnomon.numerics.weights import check_weights

__all__ = ["LabelledRows", "any_rows", "class_moments", "in_precision_of", "labelled_rows"]


@dataclass(frozen=True, eq=False)
class LabelledRows:
    """Rows with the position of their class, the sorted classes, N_c of (1) and the weights (None: all one)."""

    X: Any
    index: Integers
    classes: Array
    counts: Array
    weights: Floats | None

    def of_class(self, k: int) -> tuple[Any, Floats | None]:
        """Rows and weights of class k."""
        here = self.index == k
        return self.X[here], None if self.weights is None else self.weights[here]


def labelled_rows(
    estimator: BaseEstimator,
    X: AnyRows,
    y: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    classes: Array | None = None,
    check: Callable[..., Any] = validate_rows,
    **options: Any,
) -> LabelledRows:
    """X, y and weights checked; `check` is `validate_rows` for numbers or `any_rows` for rows of any kind."""
    try:
        X, y = check(estimator, X, y, **options)
    except ValueError as error:
        if "could not convert string" not in str(error):
            raise
        raise ValueError(f"{error}; code strings as numbers, or use NaiveBayes, which takes them") from error
    weights = None
    if sample_weight is not None:
        weights = check_weights(sample_weight, np.empty((len(y), 0)))
        used = weights > 0.0
        if not np.all(used):
            X, y, weights = X[used], np.asarray(y)[used], weights[used]
    index, classes = label_index(y, classes)
    counts = np.bincount(index, weights, minlength=len(classes))
    return LabelledRows(X, index, classes, counts, weights)


def class_moments(rows: LabelledRows, *, diagonal: bool = False) -> Moments:
    """Moments of every class; an error where squares overflow."""
    with np.errstate(over="ignore", invalid="ignore"):
        found = group_moments(rows.X, rows.index, len(rows.classes), rows.weights, diagonal=diagonal)
    if not np.all(np.isfinite(found.scatter)):
        raise ValueError("X has values so large that their squares overflow; divide the columns by their size")
    return found


def any_rows(estimator: BaseEstimator, X: AnyRows, y: ArrayLike | None = "no_validation", **options: Any) -> Any:
    """Scikit-learn's ``validate_data`` for rows of numbers (made floating point) or of numbers and strings (kept)."""
    checked = read_rows(estimator, X, y, dtype=None, ensure_all_finite=False, **options)
    return map_rows(_numbers_or_cells, checked)


def _numbers_or_cells(X: Any) -> Any:
    if X.dtype.kind == "f":
        return X
    try:
        return X.astype(float)
    except (TypeError, ValueError):
        pass
    for cell in X.ravel():
        if cell is not None and not isinstance(cell, (str, numbers.Number, np.bool_)):
            raise TypeError(
                f"X holds {cell!r}; a cell's argument must be a string or a number, not {type(cell).__name__}"
            )
    return X.astype(object)


def in_precision_of(values, X):
    """The values in single precision where the rows are an array in single precision."""
    return values.astype(np.float32, copy=False) if getattr(X, "dtype", None) == np.float32 else values
