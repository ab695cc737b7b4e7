"""Pinball loss: different costs for predictions that are too low and too high.

    ℓ(y, z) = c₁ max(y − z, 0) + c₂ max(z − y, 0)                                                  (1)

Koenker & Bassett (1978), doi:10.2307/1913643.
"""

from __future__ import annotations

import numpy as np

from gnomon._jit import choose, noun
from gnomon._typing import Floats, Numbers
from gnomon.losses._base import ROUNDING, Between, Loss
from gnomon.numerics.weights import weighted_quantile

__all__ = ["PinballLoss"]


@noun
class PinballLoss(Loss):
    """Asymmetric linear loss ℓ(y, z) = c₁ max(y − z, 0) + c₂ max(z − y, 0).

    Its best constant is the quantile of level c₁/(c₁ + c₂). The sub-gradient is −c₁ for z < y, c₂ for z > y and 0 at
    the kink; the conjugate is u y for −c₁ ≤ u ≤ c₂.

    Parameters
    ----------
    c1 : float, default=1.0
        Price of one unit of UNDER-estimation, ≥ 0.
    c2 : float, default=1.0
        Price of one unit of over-estimation, ≥ 0.

    References
    ----------
    Koenker, R. & Bassett, G. (1978). Regression quantiles. doi:10.2307/1913643

    Examples
    --------
    >>> from gnomon.losses import PinballLoss
    >>> loss = PinballLoss(c1=3.0, c2=1.0)
    >>> float(loss.value(2.0, 1.0)), float(loss.value(1.0, 2.0)), loss.level
    (3.0, 1.0, 0.75)
    """

    c1: float = 1.0
    c2: float = 1.0

    smooth = False

    def __post_init__(self) -> None:
        if not (self.c1 >= 0.0 and self.c2 >= 0.0 and 0.0 < self.c1 + self.c2 < np.inf):
            raise ValueError(f"c1={self.c1!r}, c2={self.c2!r} must be ≥ 0, finite and not both zero; give two prices")

    @property
    def level(self) -> float:
        """The level c₁/(c₁ + c₂) of the quantile that a constant prediction aims at."""
        return self.c1 / (self.c1 + self.c2)

    def value(self, y: Numbers, z: Numbers) -> Numbers:
        return self.c1 * np.maximum(y - z, 0.0) + self.c2 * np.maximum(z - y, 0.0)

    def gradient(self, y: Numbers, z: Numbers) -> Numbers:
        return self.c2 * np.maximum(np.sign(z - y), 0.0) - self.c1 * np.maximum(np.sign(y - z), 0.0)

    def curvature(self, y: Numbers, z: Numbers) -> Numbers:
        return 0.0 * z

    def best_shift(self, residuals: Floats, weights: Floats, between: Between = "middle") -> float:
        """The weighted quantile of the level."""
        return weighted_quantile(residuals, self.level, weights, between=between)

    def conjugate(self, y: Numbers, u: Numbers) -> Numbers:
        slack = ROUNDING * (self.c1 + self.c2)
        return choose((u >= -self.c1 - slack) & (u <= self.c2 + slack), u * y, np.inf)

    def rescaled(self, unit: float) -> tuple[Loss, float]:
        return self, unit

    def prox(self, y: Numbers, z: Numbers, step: Numbers) -> Numbers:
        return y - np.maximum(y - z - step * self.c1, 0.0) + np.maximum(z - y - step * self.c2, 0.0)
