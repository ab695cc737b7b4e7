"""Huber's loss.

    ℓ(y, z) = ½ (z − y)²  if |z − y| ≤ δ,   δ (|z − y| − ½ δ)  else                                              (1)

Huber (1964), Robust estimation of a location parameter, doi:10.1214/aoms/1177703732.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gnomon._jit import choose, noun
from gnomon._typing import Floats, Numbers
from gnomon.losses._base import Between, Loss
from gnomon.numerics.weights import weighted_quantile

__all__ = ["HuberLoss"]


@noun
class HuberLoss(Loss):
    """Squared near the target, absolute far from it: equation (1).

    Parameters
    ----------
    delta : float, default=1.0
        Where the square ends, δ > 0.

    References
    ----------
    Huber, P. J. (1964). Robust estimation of a location parameter. doi:10.1214/aoms/1177703732

    Examples
    --------
    >>> from gnomon.losses import HuberLoss
    >>> float(HuberLoss(1.0).value(0.0, 0.5)), float(HuberLoss(1.0).value(0.0, 3.0))
    (0.125, 2.5)
    """

    delta: float = 1.0

    def __post_init__(self) -> None:
        if not self.delta > 0.0:
            raise ValueError(f"delta={self.delta!r} must be > 0; give a positive number")

    def value(self, y: Numbers, z: Numbers) -> Numbers:
        r = np.abs(z - y)
        return choose(r <= self.delta, 0.5 * r * r, self.delta * (r - 0.5 * self.delta))

    def gradient(self, y: Numbers, z: Numbers) -> Numbers:
        return np.minimum(np.maximum(z - y, -self.delta), self.delta)

    def curvature(self, y: Numbers, z: Numbers) -> Numbers:
        return choose(np.abs(z - y) <= self.delta, 1.0, 0.0)

    def best_shift(self, residuals: Floats, weights: Floats, between: Between = "middle") -> float:
        """The median, moved once by the mean of what is left, cut at δ: Friedman (2001), §4.4."""
        middle = weighted_quantile(residuals, 0.5, weights, between=between)
        rest = np.clip(residuals - middle, -self.delta, self.delta)
        return float(middle + np.average(rest, weights=weights))

    def conjugate(self, y: Numbers, u: Numbers) -> Numbers:
        return choose(np.abs(u) <= self.delta * (1.0 + 1e-6), 0.5 * u * u + u * y, np.inf)

    def rescaled(self, unit: float) -> tuple[Loss, float]:
        return replace(self, delta=self.delta / unit), unit * unit

    def prox(self, y: Numbers, z: Numbers, step: Numbers) -> Numbers:
        far = choose(z > y, z - step * self.delta, z + step * self.delta)
        return choose(np.abs(z - y) <= self.delta * (1.0 + step), (z + step * y) / (1.0 + step), far)

    @property
    def smoothness(self) -> float:
        return 1.0
