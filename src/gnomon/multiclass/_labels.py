"""The classes of a target with weights.

    classes = {yᵢ : sᵢ > 0}                                                                                 (1)

A row of weight zero is no row, and a class of such rows is none: Lumley (2010), doi:10.1002/9780470580066.
"""

import numpy as np
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_consistent_length, column_or_1d

from gnomon.multiclass._base import checked_target
from gnomon.numerics.coding import label_index

__all__ = ["weighted_classes"]


def weighted_classes(X, y, weights):
    """The class of every row, and the classes (1); rows without weight get any class, and take no part in a fit."""
    if type_of_target(checked_target(y), input_name="y").startswith("multilabel"):
        raise ValueError(
            "y is a multi-label target, of which a row may have several classes, but each row gets one here; use "
            "OneVsRestClassifier"
        )
    index, classes = label_index(column_or_1d(y, warn=True))
    check_consistent_length(X, index)
    if weights is None or np.all(weights > 0.0):
        return index, classes
    present, place = np.unique(index[weights > 0.0], return_inverse=True)
    index = np.zeros(len(index), dtype=int)
    index[weights > 0.0] = place
    return index, classes[present]
