"""Exponential loss.

    ℓ(y, z) = e^{−yz},    y ∈ {−1, +1}                                                            (1)

The loss of AdaBoost: Friedman, Hastie & Tibshirani (2000), doi:10.1214/aos/1016218223.
"""

import numpy as np
from scipy.special import wrightomega

from gnomon._jit import noun
from gnomon.losses._base import Loss
from gnomon.numerics.special import entropy_term, sigmoid

__all__ = ["ExponentialLoss"]

LARGEST = 709.0
"""e to a larger power overflows; margins below −709 are charged as −709."""


@noun
class ExponentialLoss(Loss):
    """Exponential loss ℓ(y, z) = e^{−yz} for y ∈ {−1, +1}.

    Its minimiser over z is half the log-odds, so `inverse` is σ(2z). With a = −u y ≥ 0 the conjugate is a log a − a.
    The proximal step is z + y W(t e^{−yz}) with Lambert's W.

    References
    ----------
    Friedman, J., Hastie, T. & Tibshirani, R. (2000). Additive logistic regression: a statistical view of boosting.
    doi:10.1214/aos/1016218223

    Examples
    --------
    >>> from gnomon.losses import ExponentialLoss
    >>> round(float(ExponentialLoss().value(1.0, -1.0)), 7), round(float(ExponentialLoss().gradient(1.0, -1.0)), 7)
    (2.7182818, -2.7182818)
    """

    targets = "sign"
    smooth = False

    def value(self, y, z):
        return np.exp(np.minimum(-y * z, LARGEST))

    def gradient(self, y, z):
        return -y * np.exp(np.minimum(-y * z, LARGEST))

    def curvature(self, y, z):
        return np.exp(np.minimum(-y * z, LARGEST))

    def conjugate(self, y, u):
        return entropy_term(-u * y) + u * y

    def prox(self, y, z, step):
        return z + y * wrightomega(np.log(step) - y * z)

    def inverse(self, z):
        return sigmoid(2.0 * z)

    def link(self, mean):
        return 0.5 * (np.log(mean) - np.log1p(-mean))
