"""Error rates at every threshold.

    FPR(t) = P(s > t | negative),    FNR(t) = P(s ≤ t | positive),    t = −∞ and every distinct score             (1)

Rows of equal score move together, so m distinct scores give m + 1 points, from (1, 0) to (0, 1); one sort finds them.
Martin, Doddington, Kamm, Ordowski & Przybocki (1997), The DET curve in assessment of detection task performance.
"""

from __future__ import annotations

from typing import NamedTuple, get_args

from gnomon._typing import ArrayLike, Floats
from gnomon.base.trials import Tie, read_trials
from gnomon.numerics.curves import ThresholdCurve
from gnomon.numerics.validation import check_choice

__all__ = ["ErrorCurves", "error_curves", "score_curve", "thresholds_of"]


class ErrorCurves(NamedTuple):
    """Error rates (1) over rising thresholds.

    Fields
    ------
    thresholds, fpr, fnr : ndarray of shape (m + 1,)

    References
    ----------
    Martin, A., Doddington, G., Kamm, T., Ordowski, M. & Przybocki, M. (1997). The DET curve in assessment of detection
    task performance. Eurospeech, 1895–1898.

    Examples
    --------
    >>> from gnomon.evaluation import error_curves
    >>> error_curves([0, 1, 1], [0.2, 0.2, 0.9]).thresholds.tolist()
    [-inf, 0.2, 0.9]
    """

    thresholds: Floats
    fpr: Floats
    fnr: Floats


def error_curves(
    y_true: ArrayLike,
    scores: ArrayLike,
    *,
    pos_label: object = None,
    tie: Tie = "negative",
    sample_weight: ArrayLike | None = None,
) -> ErrorCurves:
    """FPR and FNR at every threshold, equation (1).

    Parameters
    ----------
    y_true : array-like of shape (n,)
    scores : array-like of shape (n,)
        Greater is more positive; ±∞ is allowed. A threshold −∞ before a score −∞ stands for "call every row positive".
    pos_label : label or "rare", optional
        The greater of two labels by default.
    tie : {"negative", "positive"}, default="negative"
        Positive by s > t, or by s ≥ t; the thresholds are then every distinct score and ∞.
    sample_weight : array-like of shape (n,), optional

    Returns
    -------
    ErrorCurves

    References
    ----------
    Martin, A., Doddington, G., Kamm, T., Ordowski, M. & Przybocki, M. (1997). The DET curve in assessment of detection
    task performance. Eurospeech, 1895–1898.

    Examples
    --------
    >>> from gnomon.evaluation import error_curves
    >>> curves = error_curves(["F", "F", "T", "T"], [-1.0, 0.5, 0.0, 2.0])
    >>> curves.fpr.tolist(), curves.fnr.tolist()
    ([1.0, 0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 0.5, 0.5, 1.0])
    """
    curve = score_curve(y_true, scores, pos_label=pos_label, sample_weight=sample_weight)
    return ErrorCurves(thresholds_of(curve, tie)[::-1], curve.fpr[::-1], 1.0 - curve.tpr[::-1])


def score_curve(
    y_true: ArrayLike, scores: ArrayLike, *, pos_label: object = None, sample_weight: ArrayLike | None = None
) -> ThresholdCurve:
    """Counts of true and false positives at every threshold: one sort, of which every curve and area is a function.

    Parameters
    ----------
    y_true : array-like of shape (n,)
    scores : array-like of shape (n,)
    pos_label : label or "rare", optional
        The greater of two labels by default.
    sample_weight : array-like of shape (n,), optional

    Returns
    -------
    gnomon.numerics.curves.ThresholdCurve
        With `tpr`, `fpr`, `precision`, `f_beta()`, `roc_auc`, `average_precision`, `eer`, `hull()`.

    References
    ----------
    Fawcett, T. (2006). An introduction to ROC analysis. doi:10.1016/j.patrec.2005.10.010

    Examples
    --------
    >>> from gnomon.evaluation import score_curve
    >>> curve = score_curve(["F", "F", "T", "T"], [-1.0, 0.5, 0.0, 2.0])
    >>> curve.roc_auc, round(curve.average_precision, 4)
    (0.75, 0.8333)
    """
    return read_trials(y_true, scores, pos_label, sample_weight).curve()


def thresholds_of(curve: ThresholdCurve, tie: Tie) -> Floats:
    """Thresholds of the points of a curve, for decisions by s > t or s ≥ t."""
    return curve.strict_thresholds if check_choice("tie", tie, get_args(Tie)) == "negative" else curve.thresholds
