"""Trials: a score and a truth for each row, as metrics, curves, costs and calibration take them.

    H_T: the row is positive,    H_F: it is not;    decided by    score > t → H_T,    score ≤ t → H_F              (1)

Brümmer & du Preez (2006), Application-independent evaluation of speaker detection, doi:10.1016/j.csl.2005.08.001.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from gnomon._typing import Array, ArrayLike, Bools, Floats
from gnomon.base.targets import check_target
from gnomon.numerics.curves import ThresholdCurve, threshold_curve
from gnomon.numerics.weights import check_weights

__all__ = ["ScoredTrials", "Tie", "positive_rows", "read_trials"]

Tie: TypeAlias = Literal["negative", "positive"]
"""Which class a score equal to the threshold is given; (1) is "negative"."""


class ScoredTrials(NamedTuple):
    """Rows of positive weight, in their order.

    Fields
    ----------
    scores : ndarray of shape (n,)
        Greater is more positive; ±∞ is allowed.
    positive : ndarray of bool of shape (n,)
    weights : ndarray of shape (n,)
    labels : tuple
        The negative label, and the positive one.

    References
    ----------
    Brümmer, N. & du Preez, J. (2006). Application-independent evaluation of speaker detection.
    doi:10.1016/j.csl.2005.08.001

    Examples
    --------
    >>> from gnomon.base.trials import read_trials
    >>> trials = read_trials(["no", "yes", "no"], [0.1, 2.0, -1.0])
    >>> trials.labels, trials.positive.tolist(), trials.curve().roc_auc
    (('no', 'yes'), [False, True, False], 1.0)
    """

    scores: Floats
    positive: Bools
    weights: Floats
    labels: tuple[object, object]

    def curve(self) -> ThresholdCurve:
        """Counts at every threshold: one sort."""
        return threshold_curve(self.scores, self.positive, self.weights)


def read_trials(
    y_true: ArrayLike, scores: ArrayLike, pos_label: object = None, sample_weight: ArrayLike | None = None
) -> ScoredTrials:
    """Trials of both classes, checked.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of any kind.
    scores : array-like of shape (n,)
    pos_label : label or "rare", optional
        The positive label: by default the greater of two; "rare" is the one with less weight.
    sample_weight : array-like of shape (n,), optional
        Rows of weight zero are left out.

    Examples
    --------
    >>> from gnomon.base.trials import read_trials
    >>> read_trials([1, 1, 1], [0.1, 2.0, -1.0])
    Traceback (most recent call last):
    ...
    ValueError: y_true has the label 1 alone; rows of two classes are needed
    """
    s = np.asarray(scores)
    s = s if s.dtype == np.float64 else s.astype(float)
    labels = np.asarray(check_target(y_true, name="y_true"))
    if s.ndim != 1 or labels.shape != s.shape:
        raise ValueError(f"y_true of shape {labels.shape} and scores of shape {s.shape} must be one value for each row")
    if not len(s):
        raise ValueError("y_true has no rows; rows of two classes are needed")
    if bad := int(np.sum(np.isnan(s))):
        raise ValueError(f"scores contains NaN in {bad} of {len(s)} rows; repair the model that made them")
    weights = check_weights(sample_weight, s[:, None])
    if sample_weight is not None and not np.all(weights > 0.0):
        s, labels, weights = (part[weights > 0.0] for part in (s, labels, weights))
    positive, names = positive_rows(labels, pos_label, weights)
    return ScoredTrials(s, positive, weights, names)


def positive_rows(y: Array, pos_label: object, weights: Floats) -> tuple[Bools, tuple[object, object]]:
    """Which rows are positive, and the names (negative, positive); ValueError unless there are both.

    More than two labels need a `pos_label`; all others are then negative, under the name of the first of them.
    """
    names = np.unique(y).tolist()
    if len(names) < 2:
        raise ValueError(f"y_true has the label {names[0]!r} alone; rows of two classes are needed")
    if pos_label in names:
        place = names.index(pos_label)
    elif pos_label is not None and pos_label != "rare":
        raise ValueError(f"pos_label={pos_label!r} is none of the labels {names} of y_true")
    elif len(names) > 2:
        raise ValueError(f"y_true has {len(names)} labels, {names[:5]}; say with pos_label which one is positive")
    else:
        place = int(np.argmin([np.sum(weights[y == name]) for name in names])) if pos_label == "rare" else 1
    return y == names[place], (names[0] if place else names[1], names[place])
