"""Scores of boosted trees, one column for each tree of a round, and what a loss makes of them.

    Σᵢ sᵢ ℓ(yᵢ, F(xᵢ)) / Σᵢ sᵢ                                                                                     (1)

Friedman (2001), doi:10.1214/aos/1013203451.
"""

from __future__ import annotations

import numpy as np

from gnomon._typing import Array, Floats
from gnomon.losses import Loss

__all__ = ["flat_scores", "has_curvature", "mean_loss"]


def flat_scores(scores: Floats) -> Floats:
    """Scores as losses take them: a vector where a row has one."""
    return scores[:, 0] if scores.shape[1] == 1 else scores


def mean_loss(loss: Loss, y: Array, scores: Floats, w: Floats) -> float:
    """(1) with the weights `w`; zero without rows."""
    total = np.sum(w)
    return float(np.sum(w * loss.value(y, flat_scores(scores))) / total) if total > 0.0 else 0.0


def has_curvature(loss: Loss) -> bool:
    """Whether Newton's step serves the loss."""
    return loss.best_shift is None and loss.curved
