"""Rectified linear units with a fixed slope on the left.

    φ(z) = z for z > 0,  a z else,    φ'(z) = 1 for z > 0,  a else                                    (1)

a = 0 is ReLU (Nair & Hinton 2010; φ'(0) = 0), a = 0.01 the leaky ReLU of Maas, Hannun & Ng (2013). A layer of them
keeps the variance of its input for weights of variance 2/((1 + a²) fan-in): He et al. (2015),
doi:10.1109/ICCV.2015.123, eq. 15.
"""

from __future__ import annotations

import math

import numpy as np

from gnomon._jit import choose, noun
from gnomon._typing import Numbers
from gnomon.neural.layers._activation import Elementwise
from gnomon.numerics.validation import check_interval

__all__ = ["LeakyReLU", "ReLU"]


@noun
class ReLU(Elementwise):
    """φ(z) = max(z, 0); φ' is 1 for z > 0 and 0 else.

    References
    ----------
    Nair, V. & Hinton, G. E. (2010). Rectified linear units improve restricted Boltzmann machines. ICML.

    Examples
    --------
    >>> from gnomon.neural.layers import ReLU
    >>> [float(ReLU().activate(z)) for z in (-1.0, 0.0, 2.0)]
    [0.0, 0.0, 2.0]
    """

    piecewise_linear = True

    @property
    def gain(self) -> float:
        return 2.0

    def activate(self, z: Numbers) -> Numbers:
        return choose(np.real(z) > 0.0, z, 0.0)

    def derivative(self, z: Numbers, a: Numbers) -> Numbers:
        return choose(np.real(z) > 0.0, 1.0, 0.0)


@noun
class LeakyReLU(Elementwise):
    """φ(z) = z for z > 0 and a z else, with a fixed slope a.

    Parameters
    ----------
    a : float, default=0.01

    References
    ----------
    Maas, A. L., Hannun, A. Y. & Ng, A. Y. (2013). Rectifier nonlinearities improve neural network acoustic
    models. ICML.

    Examples
    --------
    >>> from gnomon.neural.layers import LeakyReLU
    >>> [float(LeakyReLU(0.1).activate(z)) for z in (-1.0, 0.0, 2.0)]
    [-0.1, 0.0, 2.0]
    """

    a: float = 0.01

    piecewise_linear = True

    def __post_init__(self) -> None:
        check_interval("a", self.a, -math.inf, math.inf, closed="neither")

    @property
    def gain(self) -> float:
        return 2.0 / (1.0 + self.a**2)

    def activate(self, z: Numbers) -> Numbers:
        return choose(np.real(z) > 0.0, z, self.a * z)

    def derivative(self, z: Numbers, a: Numbers) -> Numbers:
        return choose(np.real(z) > 0.0, 1.0, self.a)
