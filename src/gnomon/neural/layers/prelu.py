"""Rectified linear units that learn their slope on the left.

    φ(z) = z for z > 0,  a z else,    ∂φ/∂a = min(z, 0),    one a for each unit                       (1)

φ'(0) = a, so that a = 0 is ReLU. He et al. (2015), doi:10.1109/ICCV.2015.123, eqs. 1 and 8.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gnomon._typing import Array, Floats
from gnomon.neural.layers._activation import ActivationFunction
from gnomon.neural.layers._layer import Parameter
from gnomon.neural.layers.initializers import ConstantInit
from gnomon.numerics.validation import check_interval

__all__ = ["PReLU"]


@dataclass(frozen=True)
class PReLU(ActivationFunction):
    """φ(z) = z for z > 0 and a z else, where a is trained; slopes are never penalised.

    Parameters
    ----------
    a0 : float, default=0.25
        The slope at the start.
    shared : bool, default=False
        One slope for all units of the layer, instead of one for each (in a convolution: for each channel).

    References
    ----------
    He, K., Zhang, X., Ren, S. & Sun, J. (2015). Delving deep into rectifiers. doi:10.1109/ICCV.2015.123

    Examples
    --------
    >>> from gnomon.neural import NeuralNetwork
    >>> from gnomon.neural.layers import Dense, PReLU
    >>> NeuralNetwork([Dense(3, PReLU())], 2).n_parameters  # (2 + 1)·3 weights and biases, 3 slopes
    12
    """

    a0: float = 0.25
    shared: bool = False

    piecewise_linear = True

    def __post_init__(self) -> None:
        check_interval("a0", self.a0, -math.inf, math.inf, closed="neither")

    @property
    def gain(self) -> float:
        return 2.0 / (1.0 + self.a0**2)

    def parameters(self, units: int) -> tuple[Parameter, ...]:
        return (Parameter("a", (1 if self.shared else units,), 1, 1, False, ConstantInit(self.a0)),)

    def forward(self, Z: Floats, A: Floats, parameters: Sequence[Floats]) -> None:
        np.multiply(Z, np.where(np.real(Z) > 0, 1.0, parameters[0]), out=A)

    def backward(
        self, Z: Floats, A: Floats, delta: Floats, parameters: Sequence[Floats], gradients: Sequence[Floats]
    ) -> None:
        left = np.real(Z) <= 0
        pulls = np.sum(np.where(left, delta * Z, 0.0), axis=0)
        gradients[0][...] = np.sum(pulls) if self.shared else pulls
        delta *= np.where(left, parameters[0], 1.0)

    def pattern(self, Z: Floats) -> Array:
        return (np.real(Z) > 0).view(np.int8)
