"""Counts of true and false positives at every threshold on a score.

    TP(t) = Σ sᵢ [yᵢ = 1, scoreᵢ ≥ t],   FP(t) = Σ sᵢ [yᵢ = 0, scoreᵢ ≥ t],   t = ∞ and every distinct score    (1)

One sort of each class and one merge give all of them. ROC, precision-recall and Fβ curves, the areas below them and the
best threshold are functions of these counts; the least of any cost a·FN + b·FP is at a vertex of the upper convex hull
of (FP, TP), which one pass finds, for the points come in order (Graham 1972). Fawcett (2006),
doi:10.1016/j.patrec.2005.10.010; Davis & Goadrich (2006), doi:10.1145/1143844.1143874; Provost & Fawcett (2001),
doi:10.1023/A:1007601015854.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from gnomon._jit import jit
from gnomon._typing import Array, ArrayLike, Bools, Floats, Integers
from gnomon.numerics.validation import check_positive

__all__ = ["ThresholdCurve", "one_sided", "ratio", "threshold_curve"]

ROUNDING = 1e-12
"""A place this near to a vertex is the vertex, on the side of the better value."""


@dataclass(frozen=True, eq=False)
class ThresholdCurve:
    """Weighted counts at every threshold, equation (1); a row is called positive when its score is ≥ the threshold.

    Parameters
    ----------
    thresholds : ndarray of shape (m,)
        ∞, which calls nothing positive, then every distinct score from the greatest to the least.
    tp, fp : ndarray of shape (m,)
        True and false positives.
    positives, negatives : float
        The weights of the two classes.

    References
    ----------
    Fawcett, T. (2006). An introduction to ROC analysis. doi:10.1016/j.patrec.2005.10.010

    Examples
    --------
    >>> from gnomon.numerics.curves import threshold_curve
    >>> curve = threshold_curve([0.9, 0.8, 0.8, 0.1], [1, 1, 0, 0])
    >>> curve.thresholds.tolist(), curve.tp.tolist(), curve.fp.tolist()
    ([inf, 0.9, 0.8, 0.1], [0.0, 1.0, 2.0, 2.0], [0.0, 0.0, 1.0, 2.0])
    >>> curve.f_beta().round(4).tolist(), curve.roc_auc
    ([0.0, 0.6667, 0.8, 0.6667], 0.875)
    """

    thresholds: Floats
    tp: Floats
    fp: Floats
    positives: float
    negatives: float

    def __len__(self) -> int:
        return len(self.thresholds)

    def __getitem__(self, rows: slice | Array | Sequence[int]) -> ThresholdCurve:
        """The curve at some of its thresholds."""
        return ThresholdCurve(self.thresholds[rows], self.tp[rows], self.fp[rows], self.positives, self.negatives)

    def at(self, thresholds: ArrayLike, *, strict: bool = False) -> ThresholdCurve:
        """The curve at any thresholds: rows are called positive by score ≥ t, or by score > t where `strict`."""
        t = np.asarray(thresholds, dtype=float)
        # Searching upwards in the reversed view needs no negated copy of the thresholds.
        lower = np.searchsorted(self.thresholds[:0:-1], t, side="right" if strict else "left")
        found = self[len(self) - 1 - lower]
        return ThresholdCurve(t, found.tp, found.fp, self.positives, self.negatives)

    @property
    def strict_thresholds(self) -> Floats:
        """Thresholds t of the same calls by score > t: the next lower score, and −∞ where every row is called so.

        Of a whole curve: the next lower score of a part of it, such as its hull, stands in the whole alone.
        """
        return np.append(self.thresholds[1:], -np.inf)

    @property
    def fn(self) -> Floats:
        """False negatives."""
        return self.positives - self.tp

    @property
    def tn(self) -> Floats:
        """True negatives."""
        return self.negatives - self.fp

    def hull(self) -> ThresholdCurve:
        """The curve at the vertices of its upper convex hull in (FP, TP); both ends belong to it."""
        return self[self.hull_places()]

    def hull_places(self) -> Integers:
        """Where on the curve those vertices are, in order."""
        vertices = np.empty(len(self), dtype=np.intp)
        return vertices[: _upper_hull(self.fp, self.tp, vertices)]

    @property
    def log_likelihood_ratios(self) -> Floats:
        """log(ΔTPR/ΔFPR) from each point to the next: of a hull, the calibrated scores of pool-adjacent-violators."""
        with np.errstate(divide="ignore"):
            return np.log(np.diff(self.tp) / self.positives) - np.log(np.diff(self.fp) / self.negatives)

    def tpr_at(self, fpr: ArrayLike) -> Floats:
        """The greatest TPR of the ROC polyline at each FPR."""
        fp = np.asarray(fpr, dtype=float) * self.negatives
        return ratio(one_sided(self.fp, self.tp, fp * (1.0 + ROUNDING), "right"), self.positives)

    def precision_at(self, recall: ArrayLike) -> Floats:
        """The greatest precision at each recall, where FP is linear in TP between thresholds; its limit at recall 0."""
        tp = np.asarray(recall, dtype=float) * self.positives
        fp = one_sided(self.tp, self.fp, tp * (1.0 - ROUNDING), "left")
        # At recall zero the precision is the slope of the first rise, if no negative is above it.
        first = min(int(np.searchsorted(self.tp, 0.0, side="right")), len(self) - 1)
        limit = self[[first]].precision[0] if self.fp[first - 1] == 0.0 else 0.0
        return np.where(tp > 0.0, ratio(tp, tp + fp, otherwise=0.0), limit)

    @property
    def tpr(self) -> Floats:
        """True positives among the positives: recall, sensitivity. NaN without positives."""
        return ratio(self.tp, self.tp + self.fn)

    @property
    def fpr(self) -> Floats:
        """False positives among the negatives. NaN without negatives."""
        return ratio(self.fp, self.fp + self.tn)

    @property
    def precision(self) -> Floats:
        """True positives among those called positive; 1 where nothing is."""
        return ratio(self.tp, self.tp + self.fp, otherwise=1.0)

    @property
    def recall(self) -> Floats:
        """Another name of `tpr`."""
        return self.tpr

    @property
    def accuracy(self) -> Floats:
        """The share of rows classified correctly."""
        return ratio(self.tp + self.tn, self.tp + self.fp + self.fn + self.tn)

    def f_beta(self, beta: float = 1.0) -> Floats:
        """Fβ = (1 + β²) TP / ((1 + β²) TP + β² FN + FP), the mean of precision and recall; 0 where TP = 0."""
        square = check_positive("beta", beta) ** 2
        return ratio((1.0 + square) * self.tp, (1.0 + square) * self.tp + square * self.fn + self.fp, otherwise=0.0)

    @property
    def roc_auc(self) -> float:
        """The area below the ROC curve: P(score of a positive > of a negative) + ½ P(equal)."""
        return float(np.trapezoid(self.tpr, self.fpr))

    @property
    def average_precision(self) -> float:
        """Σ (Rₘ − Rₘ₋₁) Pₘ: the area below the precision-recall curve, by steps."""
        return float(np.sum(np.diff(self.tpr) * self.precision[1:]))

    @property
    def eer(self) -> float:
        """Where the ROC polyline has FPR = 1 − TPR, the equal error rate; nan where a class has no weight."""
        fpr, fnr = self.fpr, 1.0 - self.tpr
        behind = int(np.argmax(fpr >= fnr))  # the first point is (0, 1)
        if not fpr[behind] >= fnr[behind]:
            return np.nan
        rise, fall = fpr[behind] - fpr[behind - 1], fnr[behind - 1] - fnr[behind]
        return float(fpr[behind - 1] + rise * (fnr[behind - 1] - fpr[behind - 1]) / (rise + fall))


def threshold_curve(scores: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> ThresholdCurve:
    """Counts at every threshold, equation (1).

    Parameters
    ----------
    scores : array-like of shape (n_samples,)
        Greater means more positive; infinite values are allowed, NaN is not.
    y : array-like of shape (n_samples,)
        Which rows are positive: booleans, or 1 and 0.
    sample_weight : array-like of shape (n_samples,), optional

    Returns
    -------
    ThresholdCurve

    References
    ----------
    Fawcett, T. (2006). An introduction to ROC analysis. doi:10.1016/j.patrec.2005.10.010

    Examples
    --------
    >>> from gnomon.numerics.curves import threshold_curve
    >>> round(threshold_curve([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1]).average_precision, 4)
    0.8333
    """
    scores, positive = checked_scores(scores, y)
    weights = np.ones(len(scores)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    counts = np.empty((3, len(scores) + 1))
    counts[:, 0] = np.inf, 0.0, 0.0
    equal = len(weights) > 0 and bool(np.all(weights == weights[0]))
    sides = (_ranked(scores[side], weights, side, equal=equal) for side in (positive, ~positive))
    m = _merge(*next(sides), *next(sides), *counts)
    thresholds, tp, fp = counts[:, :m]
    return ThresholdCurve(thresholds, tp, fp, float(tp[-1]), float(fp[-1]))


def checked_scores(scores: ArrayLike, y: ArrayLike) -> tuple[Floats, Bools]:
    """Scores without NaN, and which rows are positive."""
    scores = np.asarray(scores, dtype=float)
    positive = np.asarray(y).astype(bool)
    if scores.ndim != 1 or positive.shape != scores.shape:
        raise ValueError(f"scores of shape {scores.shape} and y of shape {positive.shape} must be one number per row")
    if np.any(np.isnan(scores)):
        raise ValueError(f"scores contains NaN ({np.sum(np.isnan(scores))} rows); repair the model that made them")
    return scores, positive


def _ranked(scores: Floats, weights: Floats, rows: Bools, *, equal: bool) -> tuple[Floats, Floats]:
    """Scores of some rows in rising order, and their weights; equal weights need no order, which is twice as fast."""
    if equal:
        scores.sort()
        return scores, weights[: len(scores)]
    order = np.argsort(scores)
    return scores[order], weights[rows][order]


@jit
def _merge(p: Floats, u: Floats, q: Floats, v: Floats, thresholds: Floats, tp: Floats, fp: Floats) -> int:
    """Fill in the counts (1) from ranked scores p, weights u of positives and q, v of negatives; return their number.

    Rows of equal score are on the same side of any threshold, so counts are read where the score changes.
    """
    i, j, m = len(p) - 1, len(q) - 1, 1
    a = b = 0.0
    while i >= 0 or j >= 0:
        t = p[i] if j < 0 or (i >= 0 and p[i] >= q[j]) else q[j]
        while i >= 0 and p[i] == t:
            a += u[i]
            i -= 1
        while j >= 0 and q[j] == t:
            b += v[j]
            j -= 1
        thresholds[m], tp[m], fp[m] = t, a, b
        m += 1
    return m


@jit
def _upper_hull(x: Floats, y: Floats, vertices: Integers) -> int:
    """Fill in the places of the vertices of the upper hull of points that rise in x and y; return their number."""
    m = 0
    for i in range(len(x)):
        while m >= 2:
            a, b = vertices[m - 2], vertices[m - 1]
            if (x[b] - x[a]) * (y[i] - y[b]) < (x[i] - x[b]) * (y[b] - y[a]):
                break
            m -= 1
        vertices[m] = i
        m += 1
    return m


def one_sided(x: Floats, y: Floats, places: Floats, side: Literal["left", "right"]) -> Floats:
    """The limit from one side of a polyline through points that rise in x; vertical pieces have two.

    References
    ----------
    Davis, J. & Goadrich, M. (2006). The relationship between precision-recall and ROC curves.
    doi:10.1145/1143844.1143874

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.curves import one_sided
    >>> x, y = np.array([0.0, 1.0, 1.0, 2.0]), np.array([0.0, 1.0, 3.0, 4.0])
    >>> one_sided(x, y, np.array([1.0, 1.5]), "left"), one_sided(x, y, np.array([1.0, 1.5]), "right")
    (array([1. , 3.5]), array([3. , 3.5]))
    """
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


def ratio(part: ArrayLike, whole: ArrayLike, otherwise: float = np.nan) -> Floats:
    """part / whole, and `otherwise` where the whole is zero.

    Examples
    --------
    >>> from gnomon.numerics.curves import ratio
    >>> ratio([1.0, 0.0], [2.0, 0.0], otherwise=1.0)
    array([0.5, 1. ])
    """
    part, whole = np.broadcast_arrays(np.asarray(part, dtype=float), np.asarray(whole, dtype=float))
    return np.divide(part, whole, out=np.full(part.shape, otherwise), where=whole != 0.0)
