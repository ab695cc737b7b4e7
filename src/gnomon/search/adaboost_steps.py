"""The steps of AdaBoost: from the shares that a learner gives to classes to what is added to the scores.

    L(F) = Σᵢ sᵢ exp(−F_{cᵢ}(xᵢ)/(K − 1)),   wᵢ ∝ sᵢ exp(−F_{cᵢ}(xᵢ)/(K − 1)),   y(c)_c = 1, else −1/(K − 1)       (1)
    discrete  h = β y(argmax p),   real  h = β (K − 1)(ln p − mean ln p),   gentle  h = β (K p − 1)/(K − 1)         (2)

Friedman, Hastie & Tibshirani (2000), doi:10.1214/aos/1016218223; K classes: Zhu, Zou, Rosset & Hastie (2009),
doi:10.4310/SII.2009.v2.n3.a8.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np

from gnomon._typing import Floats, Integers

__all__ = ["LEAST_WEIGHT", "STEPS", "class_codes", "exponential_loss", "row_weights"]

LEAST_WEIGHT = np.finfo(float).eps
"""The least weight of a row that has any, and how far from 1 an error stays."""


def class_codes(best: Integers, n_classes: int) -> Floats:
    """y(c) of (1) for each class in `best`, one row each."""
    codes = np.full((len(best), n_classes), -1.0 / (n_classes - 1))
    codes[np.arange(len(best)), best] = 1.0
    return codes


def exponential_loss(scores: Floats, index: Integers, s: Floats) -> float:
    """L(F) / Σ s of (1), without overflow up to the largest number."""
    margin = scores[np.arange(len(index)), index] / (scores.shape[1] - 1)
    return float(np.sum(s * np.exp(np.minimum(-margin, 700.0))) / np.sum(s))


def row_weights(scores: Floats, index: Integers, s: Floats) -> Floats:
    """w of (1), which sums to one; no row with weight is forgotten altogether."""
    margin = scores[np.arange(len(index)), index] / (scores.shape[1] - 1)
    w = s * np.exp(np.min(margin) - margin)
    w = np.maximum(w / np.sum(w), LEAST_WEIGHT)
    return w / np.sum(w)


def discrete_step(p: Floats, beta: float, floor: float) -> Floats:
    """β y(argmax p)."""
    return beta * class_codes(np.argmax(p, axis=1), p.shape[1])


def real_step(p: Floats, beta: float, floor: float) -> Floats:
    """β (K − 1)(ln p − mean ln p)."""
    logs = np.log(np.maximum(p, floor))
    return beta * (p.shape[1] - 1.0) * (logs - np.mean(logs, axis=1, keepdims=True))


def gentle_step(p: Floats, beta: float, floor: float) -> Floats:
    """β (K p − 1)/(K − 1)."""
    return beta * (p.shape[1] * p - 1.0) / (p.shape[1] - 1.0)


AdaBoostVariant: TypeAlias = Literal["discrete", "real", "gentle"]

STEPS: dict[AdaBoostVariant, Callable[[Floats, float, float], Floats]] = {
    "discrete": discrete_step,
    "real": real_step,
    "gentle": gentle_step,
}
"""How the shares of a learner become its h of (2)."""
