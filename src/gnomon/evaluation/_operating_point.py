"""Working points: the best threshold under conditions.

    t* = argmax m(t)    over the thresholds t with    r_j(t) ≥ a_j,    q_j(t) ≤ b_j                               (1)

m, r and q are functions of the counts at each threshold: recall, precision, F_β, or any other. Of equal values the one
with the fewest rows called positive is taken. Provost & Fawcett (2001), doi:10.1023/A:1007601015854.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

import numpy as np

from gnomon._typing import ArrayLike, Bools, Floats
from gnomon.base.trials import Tie
from gnomon.evaluation._error_curves import score_curve, thresholds_of
from gnomon.numerics.curves import ThresholdCurve, ratio
from gnomon.numerics.validation import check_choice, check_numbers, check_positive

__all__ = ["CurveMetric", "OperatingPoint", "curve_metric", "operating_point"]

CurveMetric: TypeAlias = str | Callable[[ThresholdCurve], Floats]
"""A word, or a function of a curve that gives a value for each of its points."""


class OperatingPoint(NamedTuple):
    """A threshold (1) and what it gives.

    Fields
    ------
    threshold : float
    value : float
        The greatest m.
    tpr, fpr, precision : float
        `tpr` is the recall; the precision is 1 where nothing is called positive.
    tp, fp, fn, tn : float

    References
    ----------
    Provost, F. & Fawcett, T. (2001). Robust classification for imprecise environments. doi:10.1023/A:1007601015854

    Examples
    --------
    >>> from gnomon.evaluation import operating_point
    >>> operating_point([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], "recall", at_least={"precision": 1.0}).tpr
    0.5
    """

    threshold: float
    value: float
    tpr: float
    fpr: float
    precision: float
    tp: float
    fp: float
    fn: float
    tn: float


def operating_point(
    y_true: ArrayLike,
    scores: ArrayLike,
    maximize: CurveMetric = "f_beta",
    *,
    at_least: Mapping[str, float] | None = None,
    at_most: Mapping[str, float] | None = None,
    beta: float = 1.0,
    pos_label: object = None,
    tie: Tie = "negative",
    sample_weight: ArrayLike | None = None,
) -> OperatingPoint:
    """The threshold where a metric is greatest under conditions, equation (1).

    Parameters
    ----------
    y_true : array-like of shape (n,)
    scores : array-like of shape (n,)
        Greater is more positive; ±∞ is allowed.
    maximize : str or callable, default="f_beta"
        "recall" (or "tpr"), "precision", "tnr", "accuracy", "balanced_accuracy", "f_beta", or a function of a
        `ThresholdCurve` that gives a value for each point; to minimise a cost, give its negative.
    at_least, at_most : mapping of str to float, optional
        Bounds on the same words, and on "fpr" and "fnr".
    beta : float, default=1.0
        Of "f_beta".
    pos_label : label or "rare", optional
        The greater of two labels by default.
    tie : {"negative", "positive"}, default="negative"
        Positive is s > t, or s ≥ t.
    sample_weight : array-like of shape (n,), optional

    Returns
    -------
    OperatingPoint

    References
    ----------
    Provost, F. & Fawcett, T. (2001). Robust classification for imprecise environments. doi:10.1023/A:1007601015854

    Examples
    --------
    >>> from gnomon.evaluation import operating_point
    >>> y, s = [0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.6, 0.7]
    >>> operating_point(y, s, "accuracy").threshold, operating_point(y, s, lambda c: -(5 * c.fn + c.fp)).threshold
    (0.4, 0.2)
    """
    curve = score_curve(y_true, scores, pos_label=pos_label, sample_weight=sample_weight)
    allowed = _allowed(curve, at_least or {}, at_most or {}, beta)
    value = np.where(allowed & ~np.isnan(found := curve_metric(curve, maximize, beta)), found, -np.inf)
    if not np.any(value > -np.inf):
        reach = {**_reach(curve, at_least or {}, beta, np.nanmax), **_reach(curve, at_most or {}, beta, np.nanmin)}
        raise ValueError(
            f"no threshold has at_least={dict(at_least or {})} and at_most={dict(at_most or {})}; alone the best are "
            f"{reach}; relax a bound"
        )
    best = int(np.argmax(value))
    threshold, point = float(thresholds_of(curve, tie)[best]), curve[[best]]
    parts = (point.tpr, point.fpr, point.precision, point.tp, point.fp, point.fn, point.tn)
    return OperatingPoint(threshold, float(value[best]), *(float(part[0]) for part in parts))


def curve_metric(curve: ThresholdCurve, metric: CurveMetric, beta: float = 1.0) -> Floats:
    """A metric at each point of a curve.

    Parameters
    ----------
    curve : ThresholdCurve
        From `score_curve`.
    metric : str or callable
        As `maximize` of `operating_point`.
    beta : float, default=1.0
        Of "f_beta".

    Returns
    -------
    ndarray of shape (m,)

    References
    ----------
    Provost, F. & Fawcett, T. (2001). Robust classification for imprecise environments. doi:10.1023/A:1007601015854

    Examples
    --------
    >>> from gnomon.evaluation import curve_metric, score_curve
    >>> curve_metric(score_curve([0, 1], [0.2, 0.7]), "accuracy").tolist()
    [0.5, 1.0, 0.5]
    """
    if callable(metric):
        values = np.asarray(metric(curve), dtype=float)
        if values.shape != curve.tp.shape:
            raise ValueError(f"maximize gave values of shape {values.shape} for {len(curve)} points; give one for each")
        return values
    check_positive("beta", beta)
    words: dict[str, Floats] = {
        "recall": curve.tpr,
        "tpr": curve.tpr,
        "fnr": 1.0 - curve.tpr,
        "fpr": curve.fpr,
        "tnr": 1.0 - curve.fpr,
        # Nothing called positive is no precision, so it cannot be the best one.
        "precision": ratio(curve.tp, curve.tp + curve.fp),
        "accuracy": curve.accuracy,
        "balanced_accuracy": 0.5 * (curve.tpr + 1.0 - curve.fpr),
        "f_beta": curve.f_beta(beta),
    }
    return words[check_choice("metric", metric, words)]


def _allowed(curve: ThresholdCurve, at_least: Mapping[str, float], at_most: Mapping[str, float], beta: float) -> Bools:
    allowed = np.ones(len(curve), dtype=bool)
    for sign, bounds, name in ((1.0, at_least, "at_least"), (-1.0, at_most, "at_most")):
        for word, bound in bounds.items():
            limit = float(check_numbers(f"{name}[{word!r}]", bound))
            allowed &= sign * curve_metric(curve, word, beta) >= sign * limit
    return allowed


def _reach(
    curve: ThresholdCurve, bounds: Mapping[str, float], beta: float, best: Callable[[Floats], float]
) -> dict[str, float]:
    return {word: round(float(best(curve_metric(curve, word, beta))), 6) for word in bounds}
