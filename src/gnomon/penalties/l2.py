"""L2 penalty.

    Ω(w) = strength · ‖w‖²,    or with ``half=True``  ½ · strength · ‖w‖²                          (1)

Hoerl & Kennard (1970), doi:10.1080/00401706.1970.10488634.
"""

from dataclasses import replace

import numpy as np

from gnomon._jit import noun
from gnomon.numerics.energy import Energy
from gnomon.penalties._base import Penalty, check_strength

__all__ = ["L2"]


@noun
class L2(Penalty):
    """L2 penalty Ω(w) = strength · ‖w‖², with ``half=True`` ½ · strength · ‖w‖².

    With c = 2 · strength (half: strength) the proximal step is x/(1 + c t) and the conjugate ‖v‖²/(2c).

    Parameters
    ----------
    strength : float, default=1.0
        Factor ρ ≥ 0.
    half : bool, default=False
        Multiply by ½, so that the gradient is strength · w.

    References
    ----------
    Hoerl, A. E. & Kennard, R. W. (1970). Ridge regression. doi:10.1080/00401706.1970.10488634

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.penalties import L2
    >>> L2(2.0).value([3.0, 4.0]), L2(2.0, half=True).value([3.0, 4.0])
    (50.0, 25.0)
    >>> L2().prox(np.array([3.0, -6.0]), 1.0)
    array([ 1., -2.])
    """

    strength: float = 1.0
    half: bool = False

    smooth = True

    def __post_init__(self):
        check_strength(self.strength)

    def scaled(self, factor, *, half=False):
        return replace(self, strength=factor * self.strength, half=self.half or half)

    def term(self, w):
        return (0.5 if self.half else 1.0) * self.strength * w * w

    def slope(self, w):
        return (1.0 if self.half else 2.0) * self.strength * w

    def prox(self, x, step):
        return x / (1.0 + self.slope(step))

    def gap(self, w, g):
        return np.abs(g + self.slope(w))

    def conjugate(self, v):
        square = float(np.sum(np.square(v)))
        return square / (2.0 * self.bend) if self.bend > 0.0 else (0.0 if square == 0.0 else np.inf)

    @property
    def bend(self):
        return (1.0 if self.half else 2.0) * self.strength

    @property
    def energy(self):
        return Energy("square", 0.5 * self.bend)

    def dual_norm(self, v):
        """‖v‖₂."""
        return float(np.linalg.norm(v))

    def project(self, v, radius):
        """The nearest point to v with ‖w‖² ≤ radius."""
        square = float(np.sum(np.square(v)))
        return np.array(v) if square <= radius else np.sqrt(radius / square) * v
