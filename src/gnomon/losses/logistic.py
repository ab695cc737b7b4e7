"""Logistic loss.

    ℓ(y, z) = log(1 + e^{−yz}),    y ∈ {−1, +1}                                                   (1)

Berkson (1944), doi:10.1080/01621459.1944.10500699; Cox (1958), doi:10.1111/j.2517-6161.1958.tb00292.x.
"""

from __future__ import annotations

import numpy as np

from gnomon._jit import choose, noun
from gnomon._typing import Numbers
from gnomon.losses._base import Loss
from gnomon.numerics.exponentials import exp_of_negative, log1p_of_share
from gnomon.numerics.special import entropy_term, logit, sigmoid, sigmoid_slope

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
    dual_steps = True
    dual_start = 0.5

    def value(self, y: Numbers, z: Numbers) -> Numbers:
        return np.logaddexp(0.0, -y * z)

    def gradient(self, y: Numbers, z: Numbers) -> Numbers:
        return -y * sigmoid(-y * z)

    def value_and_gradient(self, y: Numbers, z: Numbers) -> tuple[Numbers, Numbers]:
        value, gradient, _ = self.value_gradient_curvature(y, z)
        return value, gradient

    def value_gradient_curvature(self, y: Numbers, z: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        m = y * z
        e = exp_of_negative(-np.abs(m))
        larger = 1.0 / (1.0 + e)
        wrong = choose(m > 0.0, e, 1.0) * larger
        return log1p_of_share(e) + np.maximum(-m, 0.0), -y * wrong, e * larger * larger

    def curvature(self, y: Numbers, z: Numbers) -> Numbers:
        return sigmoid_slope(z)

    def conjugate(self, y: Numbers, u: Numbers) -> Numbers:
        a = -u * y
        return entropy_term(a) + entropy_term(1.0 - a)

    def dual_upper(self, weight: Numbers) -> Numbers:
        return weight

    def dual_slope(self, y: Numbers, alpha: Numbers, score: Numbers, weight: Numbers) -> Numbers:
        return y * score + np.log(alpha) - np.log(weight - alpha)

    def dual_curvature(self, alpha: Numbers, weight: Numbers) -> Numbers:
        return 1.0 / alpha + 1.0 / (weight - alpha)

    def dual_step(self, y: float, alpha: float, score: float, norm: float, weight: float) -> float:
        # Yu, Huang & Lin (2011), algorithm 4: Newton on that side of the box on which the root lies in the lower half.
        flip = 0.5 * norm * (weight - 2.0 * alpha) + y * score < 0.0
        old, b = (weight - alpha, -y * score) if flip else (alpha, y * score)
        z = old if old <= 0.5 * weight else 0.1 * old
        for _ in range(100):
            slope = norm * (z - old) + b + np.log(z) - np.log(weight - z)
            if np.abs(slope) <= 1e-12:
                break
            newton = z - slope / (norm + self.dual_curvature(z, weight))
            z = newton if newton > 0.0 else 0.1 * z
            if z <= 1e-15 * weight:
                break
        # Rounding must not carry α to an end of the box, where a logarithm is infinite.
        z = np.maximum(z, 1e-15 * weight)
        return weight - z if flip else z

    @property
    def smoothness(self) -> float:
        return 0.25

    def inverse(self, z: Numbers) -> Numbers:
        return sigmoid(z)

    def link(self, mean: Numbers) -> Numbers:
        return logit(mean)
