"""The area below the precision-recall curve.

    A = (1/P) Σ ∫ TP / (TP + FP_a + s (TP − TP_a)) dTP,    s = (FP_b − FP_a)/(TP_b − TP_a)                      (1)
      = (1/P) Σ [ΔTP/k − (c/k²) log((TP_b + FP_b)/(TP_a + FP_a))],    k = 1 + s,  c = FP_a − s TP_a                (2)

The sum is over neighbouring thresholds. Straight lines between points of precision and recall are too optimistic: no
rule reaches them. A random order has the expected area n₊/n for large n only; for one positive in ten its average
precision is 0.29. Davis & Goadrich (2006), doi:10.1145/1143844.1143874; Keilwagen, Grosse & Grau (2014),
doi:10.1371/journal.pone.0092209.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np

from gnomon._typing import ArrayLike
from gnomon.evaluation._error_curves import score_curve
from gnomon.numerics.curves import ThresholdCurve, ratio
from gnomon.numerics.validation import check_choice, same_word

__all__ = ["pr_area", "pr_area_of"]

Interpolation: TypeAlias = Literal["davis-goadrich", "step"]


def pr_area(
    y_true: ArrayLike,
    scores: ArrayLike,
    *,
    interpolation: Interpolation = "davis-goadrich",
    pos_label: object = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """The area below the precision-recall curve, equation (2).

    Parameters
    ----------
    y_true : array-like of shape (n,)
    scores : array-like of shape (n,)
        Greater is more positive; ±∞ is allowed.
    interpolation : {"davis-goadrich", "step"}, default="davis-goadrich"
        FP linear in TP, or steps: the average precision of scikit-learn.
    pos_label : label or "rare", optional
        The greater of two labels by default.
    sample_weight : array-like of shape (n,), optional

    Returns
    -------
    float

    References
    ----------
    Davis, J. & Goadrich, M. (2006). The relationship between precision-recall and ROC curves.
    doi:10.1145/1143844.1143874

    Examples
    --------
    >>> from gnomon.evaluation import pr_area
    >>> y, s = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    >>> round(pr_area(y, s), 4), round(pr_area(y, s, interpolation="step"), 4)
    (0.7973, 0.8333)
    """
    if same_word(interpolation, "linear"):
        raise ValueError(
            "interpolation='linear' draws straight lines between points of precision and recall, which no rule can "
            "reach; choose 'davis-goadrich' or 'step'"
        )
    check_choice("interpolation", interpolation, get_args(Interpolation))
    curve = score_curve(y_true, scores, pos_label=pos_label, sample_weight=sample_weight)
    return curve.average_precision if interpolation == "step" else pr_area_of(curve)


def pr_area_of(curve: ThresholdCurve) -> float:
    """The area (2) of a curve of counts; nan without positives."""
    rising = np.diff(curve.tp) > 0.0
    tp, fp = curve.tp[:-1][rising], curve.fp[:-1][rising]
    step = np.diff(curve.tp)[rising]
    slope = np.diff(curve.fp)[rising] / step
    k, c = 1.0 + slope, fp - slope * tp
    growth = ratio(k * step, tp + fp)
    log = np.where(c == 0.0, 0.0, np.log1p(growth, where=c != 0.0, out=np.zeros_like(c)))
    return float(ratio(np.sum(step / k - c / k**2 * log), curve.positives))
