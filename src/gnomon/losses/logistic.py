"""Logistic loss.

    ℓ(y, z) = log(1 + e^{−yz}),    y ∈ {−1, +1}                                                   (1)

Berkson (1944), doi:10.1080/01621459.1944.10500699; Cox (1958), doi:10.1111/j.2517-6161.1958.tb00292.x.
"""

import numpy as np

from gnomon._jit import noun
from gnomon.losses._base import Loss
from gnomon.numerics.special import entropy_term, sigmoid

__all__ = ["LogisticLoss"]


@noun
class LogisticLoss(Loss):
    """Logistic loss ℓ(y, z) = log(1 + e^{−yz}) for y ∈ {−1, +1}.

    The gradient is −y σ(−yz), that is −y times the probability of the wrong class; the curvature is
    σ(z)(1 − σ(z)) ≤ ¼; the conjugate, with a = −u y ∈ [0, 1], is a log a + (1 − a) log(1 − a).

    References
    ----------
    Cox, D. R. (1958). The regression analysis of binary sequences. doi:10.1111/j.2517-6161.1958.tb00292.x

    Examples
    --------
    >>> from gnomon.losses import LogisticLoss
    >>> round(float(LogisticLoss().value(1.0, 0.0)), 7)
    0.6931472
    >>> float(LogisticLoss().gradient(1.0, 0.0))
    -0.5
    >>> float(LogisticLoss().value(-1.0, 1000.0))
    1000.0
    """

    targets = "sign"

    def value(self, y, z):
        return np.logaddexp(0.0, -y * z)

    def gradient(self, y, z):
        return -y * sigmoid(-y * z)

    def curvature(self, y, z):
        p = sigmoid(z)
        return p * (1.0 - p)

    def conjugate(self, y, u):
        a = -u * y
        return entropy_term(a) + entropy_term(1.0 - a)

    @property
    def smoothness(self):
        return 0.25

    def inverse(self, z):
        return sigmoid(z)

    def link(self, mean):
        return np.log(mean) - np.log1p(-mean)
