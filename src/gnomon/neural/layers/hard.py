"""Hard tanh: two rectified linear units that share an input.

    φ(z) = ReLU(z + θ) − ReLU(z − θ) − θ = clip(z, −θ, θ)                                              (1)

Collobert (2004), Large scale machine learning, section 2.4.
"""

from __future__ import annotations

import numpy as np

from gnomon._jit import choose, noun
from gnomon._typing import Array, Floats, Numbers
from gnomon.neural.layers._activation import Elementwise

__all__ = ["HardTanh", "hard_tanh"]


@noun
class HardTanh(Elementwise):
    """φ(z) = clip(z, −θ, θ); φ' is 1 for −θ < z ≤ θ and 0 else, as the two rectified units of (1) have it.

    Parameters
    ----------
    theta : float, default=1.0

    References
    ----------
    Collobert, R. (2004). Large scale machine learning. PhD thesis, Université Paris 6.

    Examples
    --------
    >>> from gnomon.neural.layers import HardTanh
    >>> [float(HardTanh(1.0).activate(z)) for z in (-3.0, -0.5, 3.0)]
    [-1.0, -0.5, 1.0]
    """

    theta: float = 1.0

    piecewise_linear = True
    saturating = True

    def __post_init__(self) -> None:
        if not self.theta > 0:
            raise ValueError(f"theta={self.theta!r} must be positive; give the bound at which the unit saturates")

    @property
    def kinks(self) -> tuple[float, ...]:
        """Where it reaches its bounds."""
        return -self.theta, self.theta

    def activate(self, z: Numbers) -> Numbers:
        t = np.real(z)
        return choose(t > self.theta, self.theta, choose(t < -self.theta, -self.theta, z))

    def derivative(self, z: Numbers, a: Numbers) -> Numbers:
        t = np.real(z)
        return choose(t > self.theta, 0.0, choose(t > -self.theta, 1.0, 0.0))

    def pattern(self, Z: Floats) -> Array:
        t = np.real(Z)
        return (t > self.theta).astype(np.int8) - (t <= -self.theta).astype(np.int8)


def hard_tanh(theta: float = 1.0) -> HardTanh:
    """The activation ReLU(z + θ) − ReLU(z − θ) − θ, which is z clipped to [−θ, θ].

    Parameters
    ----------
    theta : float, default=1.0

    Returns
    -------
    HardTanh

    References
    ----------
    Collobert, R. (2004). Large scale machine learning. PhD thesis, Université Paris 6.

    Examples
    --------
    >>> from gnomon.neural.layers import hard_tanh
    >>> float(hard_tanh(2.0).activate(5.0))
    2.0
    """
    return HardTanh(theta)
