"""Label codes: any labels as numbers that a model can fit, and back.

    index  c ∈ {0, …, K−1},    sign  z = 2c − 1,    one-hot  tₖ = 1[c = k],    signed one-hot  2tₖ − 1      (1)

The classes are sorted, as in scikit-learn; with two of them class 1 is `classes[1]`. A row of posteriors is
non-negative and sums to one; hard labels are its corners, and ``smoothing=ε`` moves them to (1 − ε) t + ε/K
(Szegedy et al. 2016, doi:10.1109/CVPR.2016.308). Decoding takes the largest entry, ties to the lowest index; a single
column is cut half-way between its two codes, ties to `classes[0]`.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from gnomon._typing import Array, ArrayLike, Integers
from gnomon.numerics.validation import check_choice, check_interval

__all__ = ["CODINGS", "decode_labels", "encode_labels", "label_index"]

Coding: TypeAlias = Literal["index", "zero_one", "sign", "one_hot", "one_hot_sign", "posterior"]

CODINGS: tuple[Coding, ...] = ("index", "zero_one", "sign", "one_hot", "one_hot_sign", "posterior")
"""The codings that `encode_labels` knows."""

_TWO_CLASSES: dict[Coding, float] = {"zero_one": 0.5, "sign": 0.0}


def label_index(y: ArrayLike, classes: ArrayLike | None = None) -> tuple[Integers, Array]:
    """Sorted classes of `y` and the position of every label among them.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels of any kind that can be sorted.
    classes : array-like, optional
        The classes and their order; by default the sorted distinct labels.

    Returns
    -------
    index : ndarray of int64
    classes : ndarray

    Examples
    --------
    >>> from gnomon.numerics.coding import label_index
    >>> index, classes = label_index(["no", "yes", "no"])
    >>> index.tolist(), classes.tolist()
    ([0, 1, 0], ['no', 'yes'])
    """
    labels: Array = column_or_1d(y)
    try:
        check_classification_targets(labels)
    except TypeError as error:
        kinds = sorted({type(label).__name__ for label in labels})
        raise ValueError(f"y has labels of the kinds {kinds}, which have no order; make them one kind") from error
    if classes is None:
        found, index = np.unique(labels, return_inverse=True)
        return index, found
    classes = np.asarray(classes)
    if classes.ndim != 1 or len(np.unique(classes)) != len(classes):
        raise ValueError(f"classes={classes.tolist()!r} must be a list of distinct labels; drop the repeated ones")
    order = np.argsort(classes)
    place = np.minimum(np.searchsorted(classes, labels, sorter=order), len(classes) - 1)
    index = order[place]
    unknown = np.unique(labels[classes[index] != labels])
    if len(unknown):
        raise ValueError(f"y has labels {unknown.tolist()} that are not in classes={classes.tolist()}; add them there")
    return index, classes


def encode_labels(
    y: ArrayLike, coding: Coding = "zero_one", *, classes: ArrayLike | None = None, smoothing: float = 0.0
) -> tuple[Array, Array]:
    """Numbers for labels, by equation (1) of this module.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels of any kind that can be sorted: numbers, strings, booleans.
    coding : {"index", "zero_one", "sign", "one_hot", "one_hot_sign", "posterior"}, default="zero_one"
        "index": c in 0 … K−1. "zero_one" and "sign": c in {0, 1} and z = 2c − 1 in {−1, +1}, for two classes.
        "one_hot": K columns in {0, 1}. "one_hot_sign": K columns in {−1, +1}, exactly one of them +1. "posterior":
        K columns of probabilities.
    classes : array-like, optional
        The classes and their order; by default the sorted distinct labels of `y`.
    smoothing : float in [0, 1], default=0.0
        For "posterior": the share ε of every row that is spread evenly over all classes.

    Returns
    -------
    codes : ndarray of shape (n_samples,) or (n_samples, n_classes)
        Integers for "index", else floats.
    classes : ndarray of shape (n_classes,)

    References
    ----------
    Bishop, C. M. (2006). Pattern Recognition and Machine Learning, section 4.1. ISBN 978-0-387-31073-2.

    Szegedy, C. et al. (2016). Rethinking the inception architecture for computer vision. doi:10.1109/CVPR.2016.308

    Examples
    --------
    >>> from gnomon.features import encode_labels
    >>> codes, classes = encode_labels(["ham", "spam", "ham"], "sign")
    >>> codes.tolist(), classes.tolist()
    ([-1.0, 1.0, -1.0], ['ham', 'spam'])
    >>> encode_labels([3, 1, 2], "one_hot_sign")[0].tolist()
    [[-1.0, -1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0]]
    """
    check_choice("coding", coding, CODINGS)
    check_interval("smoothing", smoothing, 0, 1)
    index, classes = label_index(y, classes)
    if coding in _TWO_CLASSES and len(classes) != 2:
        raise ValueError(
            f"coding={coding!r} needs two classes, y has {len(classes)}: {classes.tolist()}; use coding='one_hot'"
        )
    one_hot = np.eye(len(classes))
    tables = {
        "index": np.arange(len(classes)),
        "zero_one": one_hot[:, -1],
        "sign": 2.0 * one_hot[:, -1] - 1.0,
        "one_hot": one_hot,
        "one_hot_sign": 2.0 * one_hot - 1.0,
        "posterior": (1.0 - smoothing) * one_hot + smoothing / len(classes),
    }
    return tables[coding][index], classes


def decode_labels(codes: ArrayLike, classes: ArrayLike, coding: Coding = "zero_one") -> Array:
    """Labels for codes, scores or posteriors: the inverse of `encode_labels`.

    Parameters
    ----------
    codes : array-like of shape (n_samples,) or (n_samples, n_classes)
        What `encode_labels` returned, or a model's estimate of it.
    classes : array-like of shape (n_classes,)
        The classes in the order of the codes.
    coding : {"index", "zero_one", "sign", "one_hot", "one_hot_sign", "posterior"}, default="zero_one"
        The coding in use.

    Returns
    -------
    y : ndarray of shape (n_samples,)

    Examples
    --------
    >>> from gnomon.features import decode_labels
    >>> decode_labels([-0.3, 2.0, 0.0], ["ham", "spam"], "sign").tolist()
    ['ham', 'spam', 'ham']
    >>> decode_labels([[0.2, 0.5, 0.3]], ["a", "b", "c"], "posterior").tolist()
    ['b']
    """
    check_choice("coding", coding, CODINGS)
    codes, classes = np.asarray(codes), np.asarray(classes)
    columns = () if coding == "index" or coding in _TWO_CLASSES else (len(classes),)
    if codes.shape[1:] != columns or codes.ndim == 0:
        raise ValueError(f"codes of shape {codes.shape} do not fit coding={coding!r} with {len(classes)} classes")
    if columns:
        return classes[np.argmax(codes, axis=1)]
    if coding == "index":
        return classes[codes]
    return classes[(codes > _TWO_CLASSES[coding]).astype(int)]
