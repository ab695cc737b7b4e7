"""Scores that are ranked once, for the counts of many weights.

    TP(t; w) = Σ wᵢ [yᵢ = 1, scoreᵢ ≥ t],   FP(t; w) = Σ wᵢ [yᵢ = 0, scoreᵢ ≥ t]                                 (1)

A single curve is found faster by sorting each class without its places (`threshold_curve`); here the places are kept,
and every further vector of weights, a resample or a group, costs one pass. Fawcett (2006),
doi:10.1016/j.patrec.2005.10.010.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gnomon._jit import jit
from gnomon._typing import ArrayLike, Bools, Floats, Integers
from gnomon.numerics.curves import ThresholdCurve, checked_scores

__all__ = ["RankedScores", "rank_scores"]


class RankedScores(NamedTuple):
    """Rows in the order of their scores: sorted once, for the curves (1) of any weights.

    Fields
    ------
    thresholds : ndarray of shape (m,)
        ∞, then every distinct score from the greatest to the least.
    falling : ndarray of shape (n,)
        The row of each rank, from the greatest score to the least.
    positive : ndarray of bool of shape (n,)
        Whether that row is positive.
    last : ndarray of bool of shape (n,)
        Whether it is the last of its score: rows of equal score are on the same side of any threshold.

    References
    ----------
    Fawcett, T. (2006). An introduction to ROC analysis. doi:10.1016/j.patrec.2005.10.010

    Examples
    --------
    >>> from gnomon.numerics.ranked_scores import rank_scores
    >>> ranked = rank_scores([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1])
    >>> ranked.curve().roc_auc, ranked.curve([1, 0, 1, 1]).roc_auc
    (0.75, 1.0)
    """

    thresholds: Floats
    falling: Integers
    positive: Bools
    last: Bools

    def curve(self, weights: ArrayLike | None = None) -> ThresholdCurve:
        """The counts (1) with a weight for each row, ones by default; weights of zero keep their thresholds."""
        n, m = len(self.falling), len(self.thresholds)
        w = np.ones(n) if weights is None else np.asarray(weights, dtype=float)
        if w.shape != (n,):
            raise ValueError(f"weights of shape {w.shape} must be one number for each of {n} rows")
        tp, fp = np.empty(m), np.empty(m)
        _running_counts(w, self.falling, self.positive, self.last, tp, fp)
        return ThresholdCurve(self.thresholds, tp, fp, float(tp[-1]), float(fp[-1]))


def rank_scores(scores: ArrayLike, y: ArrayLike) -> RankedScores:
    """The order of rows by their scores.

    Parameters
    ----------
    scores : array-like of shape (n_samples,)
        Greater means more positive; infinite values are allowed, NaN is not.
    y : array-like of shape (n_samples,)
        Which rows are positive: booleans, or 1 and 0.

    Returns
    -------
    RankedScores

    References
    ----------
    Fawcett, T. (2006). An introduction to ROC analysis. doi:10.1016/j.patrec.2005.10.010

    Examples
    --------
    >>> from gnomon.numerics.ranked_scores import rank_scores
    >>> rank_scores([0.1, 0.4, 0.4], [0, 0, 1]).thresholds.tolist()
    [inf, 0.4, 0.1]
    """
    scores, positive = checked_scores(scores, y)
    falling = np.ascontiguousarray(np.argsort(scores)[::-1])
    ranked = scores[falling]
    last = np.append(ranked[1:] != ranked[:-1], True)[: len(ranked)]
    return RankedScores(np.append(np.inf, ranked[last]), falling, positive[falling], last)


@jit
def _running_counts(w: Floats, falling: Integers, positive: Bools, last: Bools, tp: Floats, fp: Floats) -> None:
    """Fill in the sums of the weights of positives and of negatives, from the greatest score down to each threshold."""
    tp[0] = fp[0] = of_positives = of_negatives = 0.0
    m = 1
    for i in range(len(falling)):
        weight = w[falling[i]]
        # Without a branch, which scores that say little would mispredict every other time.
        part = weight * positive[i]
        of_positives += part
        of_negatives += weight - part
        if last[i]:
            tp[m], fp[m] = of_positives, of_negatives
            m += 1
