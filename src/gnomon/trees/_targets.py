"""Targets and weights as trees take them: classes as whole numbers, weights with class weights multiplied in."""

import numpy as np
from sklearn.utils import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets

from gnomon.numerics.weights import check_weights, weighted_quantile

__all__ = ["as_classes", "as_targets", "center_of", "tree_weights"]


def as_classes(y):
    """(classes, index of each row's class)."""
    check_classification_targets(y)
    classes, index = np.unique(y, return_inverse=True)
    return classes, index.astype(np.int32).reshape(-1)


def as_targets(y, criterion):
    """Targets as floats, one column per output."""
    y = np.asarray(y, dtype=float).reshape(len(y), -1)
    if criterion == "poisson":
        if np.any(y < 0.0):
            raise ValueError("Some value(s) of y are negative; criterion='poisson' needs y ≥ 0, choose another")
        if np.sum(y) <= 0.0:
            raise ValueError("y is zero everywhere: Sum of y is not strictly positive; choose another criterion")
    return y


def center_of(targets, weights, criterion="squared_error"):
    """What is subtracted from targets before a tree grows: their medians, nothing for criteria that are no variance.

    Differences keep the digits of small variances. From the median, not the mean: a few huge targets do not move it, so
    that the variances of all others keep their digits too.
    """
    if criterion not in ("squared_error", "friedman_mse"):
        return np.zeros(targets.shape[1])
    return np.array([weighted_quantile(column, 0.5, weights, between="lower") for column in targets.T])


def tree_weights(sample_weight, X, class_weight=None, classes=None, index=None):
    """float64 weights of rows, those of their classes multiplied in."""
    weights = check_weights(sample_weight, X).astype(float)
    if class_weight is not None:
        labels = classes[index]
        prices = compute_class_weight(class_weight, classes=classes, y=labels, sample_weight=weights)
        weights = weights * prices[index]
    return weights
