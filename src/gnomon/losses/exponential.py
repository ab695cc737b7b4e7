"""Exponential loss.

    ℓ(y, z) = e^{−yz},    y ∈ {−1, +1}                                                            (1)

The loss of AdaBoost: Friedman, Hastie & Tibshirani (2000), doi:10.1214/aos/1016218223.
"""

from __future__ import annotations

import numpy as np
from scipy.special import wrightomega

from gnomon._jit import in_kernels, noun
from gnomon._typing import Numbers
from gnomon.losses._base import Loss
from gnomon.numerics.special import entropy_term, logit, sigmoid

__all__ = ["ExponentialLoss"]

LARGEST = 709.0
"""e to a larger power overflows; margins below −709 (in single precision −88) are charged as such."""


@in_kernels(lambda power: np.exp(min(power, LARGEST)))
def _exp(power: Numbers) -> Numbers:
    """e to that power, or to the largest that its floating type can take."""
    power = np.asarray(power)
    largest = np.floor(np.log(np.finfo(np.result_type(power, np.float32)).max))
    return np.exp(np.minimum(power, largest))


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
    differentiable = True
    curved = True

    def value(self, y: Numbers, z: Numbers) -> Numbers:
        return _exp(-y * z)

    def gradient(self, y: Numbers, z: Numbers) -> Numbers:
        return -y * _exp(-y * z)

    def curvature(self, y: Numbers, z: Numbers) -> Numbers:
        return _exp(-y * z)

    def conjugate(self, y: Numbers, u: Numbers) -> Numbers:
        return entropy_term(-u * y) + u * y

    def prox(self, y: Numbers, z: Numbers, step: Numbers) -> Numbers:
        return z + y * wrightomega(np.log(step) - y * z)

    def inverse(self, z: Numbers) -> Numbers:
        return sigmoid(2.0 * z)

    def link(self, mean: Numbers) -> Numbers:
        return 0.5 * logit(mean)
