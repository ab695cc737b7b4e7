"""Targets and weights as trees take them: classes as whole numbers, weights with class weights multiplied in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import numpy as np
from sklearn.utils import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from gnomon._typing import Array, ArrayLike, ClassWeight, Floats, Integers, Matrix
from gnomon.numerics.weights import check_weights, weighted_quantile
from gnomon.search import Criterion

__all__ = ["TreeClassWeight", "as_classes", "as_targets", "center_of", "check_targets", "tree_weights"]

TreeClassWeight: TypeAlias = ClassWeight | list[Mapping[Any, float]]
"""Factors of classes, or a list of them, one for each of several outputs."""


def as_classes(y: Any) -> tuple[Any, Integers]:
    """(classes, index of each row's class); of several outputs (a list of classes, a column of indices for each)."""
    check_classification_targets(y)
    if np.ndim(y) == 2 and np.shape(y)[1] > 1:
        found = [_numbered(column) for column in np.transpose(y)]
        return [classes for classes, _ in found], np.column_stack([index for _, index in found])
    return _numbered(column_or_1d(y, warn=True))


def _numbered(y: Array) -> tuple[Array, Integers]:
    """The classes and the index of each row's; `searchsorted` among the classes is faster than sorting all rows."""
    classes = np.unique(y)
    return classes, np.searchsorted(classes, y).astype(np.int32)


def as_targets(y: ArrayLike) -> Floats:
    """Targets as floats, one column per output."""
    y = np.asarray(y, dtype=float)
    return y.reshape(len(y), -1)


def check_targets(targets: Floats, criterion: Criterion) -> Floats:
    """Return targets if they are what the criterion takes."""
    if criterion.targets == "count":
        if np.any(targets < 0.0):
            raise ValueError(f"Some value(s) of y are negative; criterion {criterion!r} needs y ≥ 0, choose another")
        if np.sum(targets) <= 0.0:
            raise ValueError(
                "y is zero everywhere: Sum of y is not strictly positive, which criterion "
                f"{criterion!r} needs; choose another"
            )
    if criterion.targets == "positive" and np.any(targets <= 0.0):
        raise ValueError(f"Some value(s) of y are not positive; criterion {criterion!r} needs y > 0, choose another")
    return targets


def center_of(targets: Floats, weights: Floats, criterion: Criterion) -> Floats:
    """What is subtracted from targets before a tree grows: their medians, nothing unless the criterion is `centred`.

    Differences keep the digits of small variances. From the median, not the mean: a few huge targets do not move it, so
    that the variances of all others keep their digits too.
    """
    if not criterion.centred:
        return np.zeros(targets.shape[1])
    return np.array([weighted_quantile(column, 0.5, weights, between="lower") for column in targets.T])


def tree_weights(
    sample_weight: ArrayLike | None,
    X: Matrix,
    class_weight: TreeClassWeight = None,
    classes: Any = None,
    index: Any = None,
    *,
    balance: Literal["rows", "weights"] = "rows",
) -> Floats:
    """float64 weights of rows, those of their classes multiplied in.

    "balanced" equalises the numbers of rows of the classes, or with ``balance="weights"`` their weights.
    """
    weights = check_weights(sample_weight, np.empty((X.shape[0], 0)))
    if class_weight is None:
        return weights
    counted = weights if balance == "weights" else None
    if isinstance(classes, list):
        given = _weights_by_output(class_weight, len(classes))
        for class_weight_of, some, column in zip(given, classes, index.T, strict=True):
            weights = weights * _class_factors(class_weight_of, some, column, counted)[column]
    else:
        weights = weights * _class_factors(class_weight, classes, index, counted)[index]
    if not np.any(weights):
        raise ValueError(f"class_weight={class_weight!r} leaves no row any weight; give some class a positive one")
    return weights


def _weights_by_output(class_weight: TreeClassWeight, q: int) -> list[Any]:
    """The class weights of each of q outputs."""
    if isinstance(class_weight, str):
        return [class_weight] * q
    if not isinstance(class_weight, list) or len(class_weight) != q:
        raise ValueError(
            f"class_weight={class_weight!r} must be a list of {q} dicts, one for each output, or 'balanced'"
        )
    return class_weight


def _class_factors(class_weight: TreeClassWeight, classes: Array, index: Integers, counted: Floats | None) -> Floats:
    """The factor of each class."""
    if isinstance(class_weight, str) and class_weight == "balanced":
        sums = np.bincount(index, counted, minlength=len(classes)).astype(float)
        # A class without weight keeps the factor 1.
        present = sums > 0.0
        return np.divide(np.sum(sums), np.sum(present) * sums, out=np.ones(len(classes)), where=present)
    return compute_class_weight(class_weight, classes=classes, y=classes[index])
