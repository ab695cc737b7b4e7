"""The equal error rate.

    EER = FPR(t) = FNR(t)                                                                           (1)

Counts seldom meet exactly. "linear" takes the point on the ROC polyline, which a random choice between two thresholds
reaches; "rocch" the point on its convex hull, which is the greatest over all priors of the least error that a threshold
reaches; "step" the mean of both rates at the threshold where they differ least. Brümmer & de Villiers (2011), The
BOSARIS toolkit, arXiv:1304.2865.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from gnomon._typing import ArrayLike
from gnomon.base.trials import Tie
from gnomon.evaluation._error_curves import score_curve, thresholds_of
from gnomon.numerics.curves import ThresholdCurve
from gnomon.numerics.validation import check_choice

__all__ = ["EqualErrorRate", "eer"]

Method: TypeAlias = Literal["linear", "step", "rocch"]


class EqualErrorRate(NamedTuple):
    """The rate (1), and a threshold near it.

    Fields
    ------
    value : float
    threshold : float
        Of the vertices (of the curve, or of its hull) the one where both rates differ least, then where their sum is
        least, then the greatest.

    References
    ----------
    Brümmer, N. & de Villiers, E. (2011). The BOSARIS toolkit: theory, algorithms and code. arXiv:1304.2865.

    Examples
    --------
    >>> from gnomon.evaluation import eer
    >>> eer([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    EqualErrorRate(value=0.5, threshold=0.35)
    """

    value: float
    threshold: float


def eer(
    y_true: ArrayLike,
    scores: ArrayLike,
    *,
    method: Method = "linear",
    pos_label: object = None,
    tie: Tie = "negative",
    sample_weight: ArrayLike | None = None,
) -> EqualErrorRate:
    """The error rate where false alarms are as frequent as misses, equation (1).

    Parameters
    ----------
    y_true : array-like of shape (n,)
    scores : array-like of shape (n,)
        Greater is more positive; ±∞ is allowed.
    method : {"linear", "step", "rocch"}, default="linear"
    pos_label : label or "rare", optional
        The greater of two labels by default.
    tie : {"negative", "positive"}, default="negative"
        Whether the threshold is one for s > t or for s ≥ t.
    sample_weight : array-like of shape (n,), optional

    Returns
    -------
    EqualErrorRate

    References
    ----------
    Brümmer, N. & de Villiers, E. (2011). The BOSARIS toolkit: theory, algorithms and code. arXiv:1304.2865.

    Examples
    --------
    >>> from gnomon.evaluation import eer
    >>> y, s = [0, 0, 1, 0, 1, 1, 1, 0], [-2, -1, -0.5, 0.2, 0.3, 1.5, 2, -0.1]
    >>> [round(eer(y, s, method=method).value, 6) for method in ("linear", "step", "rocch")]
    [0.25, 0.25, 0.166667]
    """
    check_choice("method", method, get_args(Method))
    curve = score_curve(y_true, scores, pos_label=pos_label, sample_weight=sample_weight)
    places = curve.hull_places() if method == "rocch" else np.arange(len(curve))
    vertices = curve[places]
    value, place = vertices.eer, int(places[_nearest(vertices)])
    if method == "step":
        value = float(0.5 * (curve.fpr[place] + 1.0 - curve.tpr[place]))
    return EqualErrorRate(value, float(thresholds_of(curve, tie)[place]))


def _nearest(curve: ThresholdCurve) -> int:
    gap, total = np.abs(curve.fpr + curve.tpr - 1.0), curve.fpr + 1.0 - curve.tpr
    # Rates are quotients of sums: gaps that are equal but for their rounding are equal.
    close = np.flatnonzero(gap <= np.min(gap) + 1e-12)
    return int(close[np.argmin(total[close])])
