"""The classes of a target with weights.

    classes = {yᵢ : sᵢ > 0}                                                                                 (1)

Rows of weight zero do not count, nor do classes that have no other rows.
"""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import check_consistent_length

from gnomon._typing import AnyRows, Array, ArrayLike, Floats, Integers
from gnomon.multiclass._base import single_labels
from gnomon.numerics.coding import label_index

__all__ = ["weighted_classes"]


def weighted_classes(X: AnyRows, y: ArrayLike, weights: Floats | None) -> tuple[Integers, Array]:
    """The class of every row, and the classes (1); rows without weight get any class, and take no part in a fit."""
    index, classes = label_index(single_labels(y))
    check_consistent_length(X, index)
    if weights is None or np.all(weights > 0.0):
        return index, classes
    present, place = np.unique(index[weights > 0.0], return_inverse=True)
    index = np.zeros(len(index), dtype=int)
    index[weights > 0.0] = place
    return index, classes[present]
