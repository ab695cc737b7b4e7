"""Log-likelihood ratios by pool-adjacent-violators.

    LLR(s) = log (Δtp/P) / (Δfp/N)  over the segment of the ROC's convex hull to which s belongs                     (1)
           = logit P̂(T | s) − logit(P/(P + N)),    P̂ the isotonic regression of the labels on the scores

The slopes of the upper hull of the ROC fall, as isotonic probabilities do; both pool the same scores. With one trial of
each class added at both ends (Laplace's rule of succession) no ratio is infinite. Brümmer & du Preez (2006),
doi:10.1016/j.csl.2005.08.001; Fawcett & Niculescu-Mizil (2007), PAV and the ROC convex hull,
doi:10.1007/s10994-007-5011-0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gnomon._typing import Floats
from gnomon.numerics.curves import ThresholdCurve

__all__ = ["PavMap", "fit_pav"]


class PavMap(NamedTuple):
    """A non-decreasing step function from scores to log-likelihood ratios."""

    edges: Floats
    """Between the pools, rising; a score on an edge belongs to the pool below."""
    values: Floats
    """The ratio of each pool, one more than edges."""

    def llr(self, scores: Floats) -> Floats:
        return self.values[np.searchsorted(self.edges, scores, side="left")]


def fit_pav(curve: ThresholdCurve, *, laplace: bool) -> PavMap:
    """Equation (1); with `laplace`, one trial more of each class at both ends."""
    curve = _with_ends(curve) if laplace else curve
    places = curve.hull_places()
    # A pool ends at the score of its vertex; the pool below begins at the next score.
    above, below = (curve.thresholds[places[-2:0:-1] + step] for step in (0, 1))
    with np.errstate(invalid="ignore"):
        middle = 0.5 * above + 0.5 * below
    edges = np.where((below <= middle) & (middle < above), middle, below)
    # No score is below −∞: a pool under such scores holds nothing but the trial that was added there.
    empty = int(np.sum(above == -np.inf))
    return PavMap(edges[empty:], curve[places].log_likelihood_ratios[::-1][empty:])


def _with_ends(curve: ThresholdCurve) -> ThresholdCurve:
    """With a positive and a negative trial above all scores, and below; the prior stays that of the real ones."""
    thresholds = np.concatenate([[np.inf], curve.thresholds, [-np.inf]])
    tp, fp = (np.concatenate([[0.0], n + 1.0, [n[-1] + 2.0]]) for n in (curve.tp, curve.fp))
    return ThresholdCurve(thresholds, tp, fp, curve.positives, curve.negatives)
