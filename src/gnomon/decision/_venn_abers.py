"""Venn–Abers probabilities: two isotonic fits for each score, one with each label that it may have.

    p₁(s): the isotonic probability at s once the trial (s, 1) is added,    p₀(s): once (s, 0) is added             (1)
    p = p₁ / (1 − p₀ + p₁)                                                                              (2)

One of the two is a probability of the label that is valid for any exchangeable trials; (2) is the one with the least
worst log-loss. All p₁ together are one pass over the cumulative sums (weight, positives): adding a trial at s_i moves
the points before it by (−1, −1), and the slope of the convex minorant there is p₁. Vovk, Petej & Fedorova (2015),
Large-scale probabilistic predictors with and without guarantees of validity, algorithms 1 and 2, arXiv:1511.00213.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gnomon._jit import jit
from gnomon._typing import Floats
from gnomon.numerics.curves import ThresholdCurve

__all__ = ["VennAbersMap", "fit_venn_abers"]


class VennAbersMap(NamedTuple):
    """Both probabilities at every distinct score, and the log-odds of the classes among the trials."""

    scores: Floats
    """Distinct scores, rising."""
    with_positive: Floats
    """p₁ at each of them, and 1 beyond the last."""
    with_negative: Floats
    """0 below the first, then p₀ at each of them."""
    log_odds: float

    def interval(self, scores: Floats) -> tuple[Floats, Floats]:
        """p₀ and p₁ of (1)."""
        # Between two scores a positive is pooled with the next one above, a negative with the next one below.
        low = self.with_negative[np.searchsorted(self.scores, scores, side="right")]
        return low, self.with_positive[np.searchsorted(self.scores, scores, side="left")]

    def llr(self, scores: Floats) -> Floats:
        """The logit of (2) less that of the prior: log p₁ − log(1 − p₀) − log-odds."""
        low, high = self.interval(scores)
        return np.log(high) - np.log(1.0 - low) - self.log_odds


def fit_venn_abers(curve: ThresholdCurve) -> VennAbersMap:
    """Equation (1) at every distinct score of a curve."""
    scores = curve.thresholds[:0:-1]
    tp, fp = np.diff(curve.tp)[::-1], np.diff(curve.fp)[::-1]
    high = _added_positive(np.append(0.0, np.cumsum(tp + fp)), np.append(0.0, np.cumsum(tp)))
    # Turned round, with the labels exchanged, an added negative is an added positive.
    low = 1.0 - _added_positive(np.append(0.0, np.cumsum((tp + fp)[::-1])), np.append(0.0, np.cumsum(fp[::-1])))[::-1]
    odds = float(np.log(curve.positives / curve.negatives))
    return VennAbersMap(scores, np.append(high, 1.0), np.append(0.0, low), odds)


@jit
def _added_positive(x: Floats, y: Floats) -> Floats:
    """The slope of the convex minorant of the points (x, y) at each step, once (1, 1) is added to that step."""
    k = len(x) - 1
    px, py = x.copy(), y.copy()
    stack = np.empty(k + 2, dtype=np.int64)
    slopes = np.empty(k)
    # Lower hull of (−1, −1) and points 1 … k, its left end on top; place 0 of the points holds (−1, −1).
    px[0], py[0] = -1.0, -1.0
    size = 0
    for i in range(k, -1, -1):
        while size >= 2 and _turns_right(px, py, i, stack[size - 1], stack[size - 2]):
            size -= 1
        stack[size] = i
        size += 1
    for i in range(1, k + 1):
        a, b = stack[size - 1], stack[size - 2]
        slopes[i - 1] = (py[b] - py[a]) / (px[b] - px[a])
        px[i], py[i] = x[i] - 1.0, y[i] - 1.0
        if i == k:
            break
        above = (py[i] - py[a]) * (px[b] - px[a]) >= (px[i] - px[a]) * (py[b] - py[a])
        if above and b != i:
            continue
        size -= 1
        while size >= 1 and stack[size - 1] <= i:
            size -= 1
        while size >= 2 and _turns_right(px, py, i, stack[size - 1], stack[size - 2]):
            size -= 1
        stack[size] = i
        size += 1
    return slopes


@jit
def _turns_right(x: Floats, y: Floats, a: int, b: int, c: int) -> bool:
    """Whether the path a → b → c goes straight or turns right, so that b is no vertex of a lower hull."""
    return (x[b] - x[a]) * (y[c] - y[b]) <= (x[c] - x[b]) * (y[b] - y[a])
