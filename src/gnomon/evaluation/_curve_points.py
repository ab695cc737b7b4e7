"""Curves between their points.

    ROC: TP linear in FP;    precision-recall: FP linear in TP, so that    P(TP) = TP / (TP + FP(TP))                (1)

Between two thresholds one can choose at random, which reaches every point of the straight line between their counts;
in the plane of precision and recall that line is a curve. Davis & Goadrich (2006), doi:10.1145/1143844.1143874.
"""

from typing import Literal, TypeAlias

import numpy as np

from gnomon._typing import Floats
from gnomon.numerics.curves import ThresholdCurve, ratio

__all__ = ["Space", "one_sided", "precision_at", "tpr_at"]

Space: TypeAlias = Literal["roc", "pr"]

ROUNDING = 1e-12
"""A place this near to a vertex is the vertex, on the side of the better value."""


def one_sided(x: Floats, y: Floats, places: Floats, side: Literal["left", "right"]) -> Floats:
    """The limit from one side of a polyline through points that rise in x and in y, vertical pieces included."""
    if side == "left":
        j = np.searchsorted(x, places, side="left").clip(0, len(x) - 1)
        i = np.maximum(j - 1, 0)
        at = x[j] <= places
    else:
        i = np.searchsorted(x, places, side="right").clip(1) - 1
        j = np.minimum(i + 1, len(x) - 1)
        at = x[i] >= places
    share = ratio(places - x[i], x[j] - x[i], otherwise=0.0)
    return np.where(at, y[j if side == "left" else i], y[i] + share * (y[j] - y[i]))


def tpr_at(curve: ThresholdCurve, fpr: Floats) -> Floats:
    """The greatest TPR of the ROC polyline at each FPR."""
    return one_sided(curve.fpr, curve.tpr, np.asarray(fpr, dtype=float) * (1.0 + ROUNDING), "right")


def precision_at(curve: ThresholdCurve, recall: Floats) -> Floats:
    """The greatest precision at each recall by (1); at recall zero its limit."""
    tp = np.asarray(recall, dtype=float) * curve.positives
    fp = one_sided(curve.tp, curve.fp, tp * (1.0 - ROUNDING), "left")
    # At recall zero the precision is the slope of the first rise, if no negative is above it.
    first = min(int(np.searchsorted(curve.tp, 0.0, side="right")), len(curve) - 1)
    limit = curve.precision[first] if curve.fp[first - 1] == 0.0 else 0.0
    return np.where(tp > 0.0, ratio(tp, tp + fp, otherwise=0.0), limit)
