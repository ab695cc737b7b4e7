"""Smooth relatives of the rectifier.

    softplus  φ(z) = log(1 + eᶻ),  φ' = σ(z)          SiLU  φ(z) = z σ(z),  φ' = σ(z) + φ(z)(1 − σ(z))           (1)
    GELU      φ(z) = z Φ(z),  φ' = Φ(z) + z Φ'(z)     ELU   φ(z) = z for z > 0, α(eᶻ − 1) else,  φ' = 1 or φ + α  (2)

Φ is the standard normal distribution function. Dugas et al. (2000), NeurIPS 13; Elfwing, Uchibe & Doya (2018),
doi:10.1016/j.neunet.2017.12.012; Hendrycks & Gimpel (2016), arXiv:1606.08415; Clevert, Unterthiner & Hochreiter (2016),
arXiv:1511.07289.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from gnomon._jit import choose, in_kernels, jitable, noun
from gnomon._typing import Numbers
from gnomon.neural.layers._activation import Elementwise
from gnomon.numerics.exponentials import exp_of_negative

__all__ = ["ELU", "GELU", "SiLU", "Softplus"]

_ROOT_HALF, _ROOT_2PI = math.sqrt(0.5), math.sqrt(2.0 * math.pi)


@in_kernels(lambda x: math.erf(x))
def _erf(x: Numbers) -> Numbers:
    return special.erf(x)


@jitable
def _sigmoid(z: Numbers) -> Numbers:
    e = exp_of_negative(choose(np.real(z) > 0.0, -z, z))
    return choose(np.real(z) > 0.0, 1.0, e) / (1.0 + e)


@jitable
def _normal_distribution(z: Numbers) -> Numbers:
    return 0.5 + 0.5 * _erf(_ROOT_HALF * z)


@noun
class Softplus(Elementwise):
    """φ(z) = log(1 + eᶻ), without overflow.

    References
    ----------
    Dugas, C., Bengio, Y., Bélisle, F., Nadeau, C. & Garcia, R. (2000). Incorporating second-order functional knowledge
    for better option pricing. NeurIPS 13.

    Examples
    --------
    >>> from gnomon.neural.layers import Softplus
    >>> [round(float(Softplus().activate(z)), 7) for z in (-1.0, 0.0, 1000.0)]
    [0.3132617, 0.6931472, 1000.0]
    """

    def activate(self, z: Numbers) -> Numbers:
        e = exp_of_negative(choose(np.real(z) > 0.0, -z, z))
        return choose(np.real(z) > 0.0, z, 0.0) + np.log1p(e)

    def derivative(self, z: Numbers, a: Numbers) -> Numbers:
        return _sigmoid(z)


@noun
class SiLU(Elementwise):
    """φ(z) = z σ(z), also called swish.

    References
    ----------
    Elfwing, S., Uchibe, E. & Doya, K. (2018). Sigmoid-weighted linear units for neural network function approximation
    in reinforcement learning. doi:10.1016/j.neunet.2017.12.012

    Examples
    --------
    >>> from gnomon.neural.layers import SiLU
    >>> [round(float(SiLU().activate(z)), 7) for z in (-1.0, 0.0, 1.0)]
    [-0.2689414, 0.0, 0.7310586]
    """

    slope_max = 1.1

    def activate(self, z: Numbers) -> Numbers:
        return z * _sigmoid(z)

    def derivative(self, z: Numbers, a: Numbers) -> Numbers:
        s = _sigmoid(z)
        return s + a * (1.0 - s)


@noun
class GELU(Elementwise):
    """φ(z) = z Φ(z), with the exact normal distribution function.

    References
    ----------
    Hendrycks, D. & Gimpel, K. (2016). Gaussian error linear units. arXiv:1606.08415

    Examples
    --------
    >>> from gnomon.neural.layers import GELU
    >>> [round(float(GELU().activate(z)), 7) for z in (-1.0, 0.0, 1.0)]
    [-0.1586553, 0.0, 0.8413447]
    """

    slope_max = 1.13

    def activate(self, z: Numbers) -> Numbers:
        return z * _normal_distribution(z)

    def derivative(self, z: Numbers, a: Numbers) -> Numbers:
        return _normal_distribution(z) + z * np.exp(-0.5 * z * z) / _ROOT_2PI


@noun
class ELU(Elementwise):
    """φ(z) = z for z > 0 and α(eᶻ − 1) else.

    Parameters
    ----------
    alpha : float, default=1.0

    References
    ----------
    Clevert, D.-A., Unterthiner, T. & Hochreiter, S. (2016). Fast and accurate deep network learning by exponential
    linear units. arXiv:1511.07289

    Examples
    --------
    >>> from gnomon.neural.layers import ELU
    >>> [round(float(ELU().activate(z)), 7) for z in (-1.0, 0.0, 2.0)]
    [-0.6321206, 0.0, 2.0]
    """

    alpha: float = 1.0

    def activate(self, z: Numbers) -> Numbers:
        return choose(np.real(z) > 0.0, z, self.alpha * np.expm1(choose(np.real(z) > 0.0, 0.0 * z, z)))

    def derivative(self, z: Numbers, a: Numbers) -> Numbers:
        return choose(np.real(z) > 0.0, 1.0, a + self.alpha)
