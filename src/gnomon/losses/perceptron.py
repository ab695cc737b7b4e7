"""Perceptron loss.

    ℓ(y, z) = max(0, −yz),    y ∈ {−1, +1}                                                        (1)

Rosenblatt (1958), doi:10.1037/h0042519.
"""

from __future__ import annotations

import numpy as np

from gnomon._jit import choose, noun
from gnomon._typing import Numbers
from gnomon.losses._base import ROUNDING, Loss

__all__ = ["PerceptronLoss"]


@noun
class PerceptronLoss(Loss):
    """Perceptron loss ℓ(y, z) = max(0, −yz) for y ∈ {−1, +1}: the hinge moved to margin zero.

    The sub-gradient is −y where yz ≤ 0. At yz = 0 it is −y, not 0: a perceptron that starts at w = 0 then moves, and
    its steps are those of stochastic gradient descent on (1).

    References
    ----------
    Rosenblatt, F. (1958). The perceptron: a probabilistic model for information storage and organization in the brain.
    doi:10.1037/h0042519

    Examples
    --------
    >>> from gnomon.losses import PerceptronLoss
    >>> float(PerceptronLoss().value(1.0, -2.0)), float(PerceptronLoss().value(-1.0, -2.0))
    (2.0, 0.0)
    >>> float(PerceptronLoss().gradient(1.0, 0.0))
    -1.0
    """

    targets = "sign"
    smooth = False

    def value(self, y: Numbers, z: Numbers) -> Numbers:
        return np.maximum(0.0, -y * z)

    def gradient(self, y: Numbers, z: Numbers) -> Numbers:
        return choose(y * z <= 0.0, -y, 0.0 * y)

    def conjugate(self, y: Numbers, u: Numbers) -> Numbers:
        a = -u * y
        return choose((a >= -ROUNDING) & (a <= 1.0 + ROUNDING), 0.0, np.inf)
