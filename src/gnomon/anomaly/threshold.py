"""The threshold from labelled rows.

    ε* = argmax over ε ∈ {−∞} ∪ {validation scores} of metric(y, [score ≤ ε]),    ties → smallest ε                (1)
    Fβ = (1 + β²) TP / ((1 + β²) TP + β² FN + FP)                                                        (2)

Anomalies are the positives. β > 1 weighs missed anomalies more, β < 1 false alarms. van Rijsbergen (1979), Information
Retrieval, chapter 7.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from gnomon._typing import ArrayLike, Bools, Floats, Integers
from gnomon.anomaly._labels import anomalous, require_anomalies
from gnomon.numerics.curves import ThresholdCurve, threshold_curve
from gnomon.numerics.sharing import read_only
from gnomon.numerics.validation import check_choice, check_positive

__all__ = ["ThresholdChoice", "select_threshold"]

Placement: TypeAlias = Literal["score", "midpoint"]
Metric: TypeAlias = Literal["f1", "fbeta"] | Callable[[Integers, Integers], float]
"""The name of a metric, or a function of the labels and of which rows are flagged, both as 0 and 1."""

PLACEMENTS = get_args(Placement)
METRICS = ("f1", "fbeta")


class ThresholdChoice(NamedTuple):
    """A threshold and how it was found.

    Parameters
    ----------
    threshold : float
        ε* of equation (1), in the unit of the scores; a row is an anomaly when its score is ≤ this.
    value : float
        The metric there.
    thresholds : ndarray of shape (m,)
        All candidates, from −∞ (flag nothing) upwards.
    values : ndarray of shape (m,)
        The metric at each of them.
    curve : ThresholdCurve
        TP, FP, FN and TN at each of them. Its own `thresholds` are those of the negated scores.

    References
    ----------
    van Rijsbergen, C. J. (1979). Information Retrieval, chapter 7. Butterworths.

    Examples
    --------
    >>> from gnomon.anomaly import select_threshold
    >>> choice = select_threshold([-1.0, -2.0, -9.0], [0, 0, 1])
    >>> choice.threshold, choice.value, choice.thresholds.tolist(), choice.curve.tp.tolist()
    (-9.0, 1.0, [-inf, -9.0, -2.0, -1.0], [0.0, 1.0, 1.0, 1.0])
    """

    threshold: float
    value: float
    thresholds: Floats
    values: Floats
    curve: ThresholdCurve


def select_threshold(
    scores: ArrayLike, y: ArrayLike, metric: Metric = "f1", beta: float = 1.0, *, placement: Placement = "score"
) -> ThresholdChoice:
    """The threshold on scores that serves labelled rows best, equation (1).

    Parameters
    ----------
    scores : array-like of shape (n_samples,)
        `score_samples` of validation rows, which the detector has not seen: the lower, the odder.
    y : array-like of shape (n_samples,)
        1 for anomalous, 0 for good.
    metric : {"f1", "fbeta"} or callable (y, flagged) → float, default="f1"
        What is maximised; a callable gets two arrays of 0 and 1, where 1 is anomalous, once for every distinct score.
        Where it is NaN, as a precision of nothing may be, no threshold is put.
    beta : float, default=1.0
        β of "fbeta"; other metrics refuse one.
    placement : {"score", "midpoint"}, default="score"
        At the score itself, or half way from it to the next score above, which flags the same rows.

    Returns
    -------
    ThresholdChoice

    References
    ----------
    van Rijsbergen, C. J. (1979). Information Retrieval, chapter 7. Butterworths.

    Examples
    --------
    >>> from gnomon.anomaly import select_threshold
    >>> scores = [-2.0, -2.5, -3.0, -3.5, -4.0, -6.0, -5.0, -9.0, -12.0]
    >>> y = [0, 0, 0, 0, 0, 0, 1, 1, 1]
    >>> choice = select_threshold(scores, y)
    >>> choice.threshold, round(choice.value, 6)
    (-5.0, 0.857143)
    >>> select_threshold(scores, y, "fbeta", beta=0.5).threshold
    -9.0
    """
    check_choice("placement", placement, PLACEMENTS)
    scores = np.asarray(scores, dtype=float)
    bad = anomalous(y, len(scores))
    require_anomalies(bad, "y")
    curve = candidates(scores, bad)
    values = metric_values(metric, beta, curve, scores, bad)
    best = best_place(values, metric)
    return ThresholdChoice(placed(-curve.thresholds, best, placement), float(values[best]), -curve.thresholds, values,
                           curve)  # fmt: skip


def candidates(scores: Floats, bad: Bools) -> ThresholdCurve:
    """The curve over negated scores; where a score is −∞ no threshold flags nothing, and the first point falls away."""
    curve = threshold_curve(-scores, bad)
    return curve[1:] if np.any(np.isneginf(scores)) else curve


def metric_values(metric: Metric, beta: float, curve: ThresholdCurve, scores: Floats, bad: Bools) -> Floats:
    """The metric at every threshold of the curve."""
    if not callable(metric):
        check_choice("metric", metric, METRICS)
    check_beta(metric, beta)
    if callable(metric):
        truth = read_only(bad.astype(int))
        found = [float(metric(truth, (-scores >= t).astype(int))) for t in curve.thresholds]
        return np.array(found)
    return curve.f_beta(beta)


def check_beta(metric: Metric, beta: float) -> None:
    """Refuse a β that is not positive, or that the metric does not read."""
    check_positive("beta", beta)
    if metric != "fbeta" and beta != 1.0:
        raise ValueError(f"beta={beta!r} is for metric='fbeta'; choose it, or leave beta out")


def best_place(values: Floats, metric: Metric) -> int:
    """The first place of the greatest value that is a number."""
    if np.all(np.isnan(values)):
        raise ValueError(f"metric={metric!r} is NaN at every threshold; give one that some threshold can meet")
    return int(np.nanargmax(values))


def placed(thresholds: Floats, best: int, placement: Placement) -> float:
    """The threshold number `best` of ascending ones, or the point half way to the next."""
    here = float(thresholds[best])
    if placement == "score" or best + 1 == len(thresholds) or not np.isfinite(here):
        return here
    above = float(thresholds[best + 1])
    middle = here + 0.5 * (above - here)
    # Between adjacent floats, or below ∞, there is no midpoint: the flagged rows must stay the same.
    return middle if here <= middle < above else here
