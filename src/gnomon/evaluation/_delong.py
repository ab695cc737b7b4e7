"""The variance of an AUC, and of the difference of two.

    V(x) = P(s(x) > s(F)) + ½ P(=) of a positive x,    V(x) = P(s(T) > s(x)) + ½ P(=) of a negative x               (1)
    A = mean of V over either class,    var A = S₁₀/n₊ + S₀₁/n₋,  S the variances of V within the classes            (2)

The difference of two AUC on the same rows has V₁ − V₂ in place of V. Ranks give all V after one sort. DeLong, DeLong
& Clarke-Pearson (1988), doi:10.2307/2531595; by ranks: Sun & Xu (2014), doi:10.1109/LSP.2014.2337313.
"""

from __future__ import annotations

import numpy as np

from gnomon._typing import Bools, Floats, Integers
from gnomon.base.trials import read_trials
from gnomon.evaluation._metric_words import MetricRows
from gnomon.numerics.estimates import Estimate, normal_quantile
from gnomon.numerics.ranked_scores import rank_scores

__all__ = ["delong_auc", "delong_difference", "placements"]


def delong_auc(rows: MetricRows, level: float) -> Estimate:
    """An AUC with the normal interval of (2), cut to [0, 1]."""
    trials = read_trials(rows.y, rows.prediction, rows.pos_label, rows.weights)
    V = placements(trials.scores, trials.positive, trials.weights)
    value, error = _mean_and_error(V, trials.positive, trials.weights)
    z = normal_quantile(level)
    return Estimate(value, error, max(0.0, value - z * error), min(1.0, value + z * error), level)


def delong_difference(first: MetricRows, second: MetricRows, level: float) -> Estimate:
    """The difference of two AUC of the same rows, with the normal interval of (2)."""
    a, b = (read_trials(rows.y, rows.prediction, rows.pos_label, rows.weights) for rows in (first, second))
    V = placements(a.scores, a.positive, a.weights) - placements(b.scores, b.positive, b.weights)
    value, error = _mean_and_error(V, a.positive, a.weights)
    z = normal_quantile(level)
    return Estimate(value, error, value - z * error, value + z * error, level)


def placements(scores: Floats, positive: Bools, weights: Floats) -> Floats:
    """V of (1) for every row."""
    ranked = rank_scores(scores, positive)
    curve = ranked.curve(weights)
    below = 1.0 - 0.5 * (curve.fp[1:] + curve.fp[:-1]) / curve.negatives
    above = 0.5 * (curve.tp[1:] + curve.tp[:-1]) / curve.positives
    group: Integers = np.cumsum(ranked.last) - ranked.last
    V = np.empty(len(scores))
    V[ranked.falling] = np.where(ranked.positive, below[group], above[group])
    return V


def _mean_and_error(V: Floats, positive: Bools, weights: Floats) -> tuple[float, float]:
    variance, means = 0.0, []
    for side in (positive, ~positive):
        w, v = weights[side], V[side]
        n = float(np.sum(w))
        if n <= 1.0:
            raise ValueError(
                f"a class has the weight {n:g}; method='delong' needs two rows of each, choose 'stratified'"
            )
        means.append(float(w @ v / n))
        variance += float(w @ (v - means[-1]) ** 2) / (n - 1.0) / n
    return means[0], float(np.sqrt(variance))
