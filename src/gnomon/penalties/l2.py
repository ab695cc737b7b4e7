"""L2 penalty.

    Ω(w) = strength · ‖w‖²,    or with ``half=True``  ½ · strength · ‖w‖²                          (1)

Hoerl & Kennard (1970), doi:10.1080/00401706.1970.10488634.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Self

import numpy as np

from gnomon._jit import noun
from gnomon._typing import ArrayLike, Elementwise, Floats, Numbers
from gnomon.numerics.energy import Energy
from gnomon.penalties._base import Penalty, check_ball, check_strength

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

    def __post_init__(self) -> None:
        check_strength(self.strength)

    def scaled(self, factor: float, *, half: bool = False) -> Self:
        return replace(self, strength=factor * self.strength, half=self.half or half)

    def in_units(self, unit: float, value: float) -> Self:
        return replace(self, strength=self.strength * (unit / value) * unit)

    def term(self, w: Elementwise) -> Elementwise:
        return (0.5 if self.half else 1.0) * self.strength * w * w

    def slope(self, w: Elementwise) -> Elementwise:
        return (1.0 if self.half else 2.0) * self.strength * w

    def prox(self, x: Elementwise, step: Numbers) -> Elementwise:
        return x / (1.0 + self.slope(step))

    def gap(self, w: Elementwise, g: Elementwise) -> Elementwise:
        return np.abs(g + self.slope(w))

    def conjugate(self, v: Floats) -> float:
        square = float(np.sum(np.square(v)))
        return (
            square / (2.0 * self.strong_convexity)
            if self.strong_convexity > 0.0
            else (0.0 if square == 0.0 else np.inf)
        )

    @property
    def strong_convexity(self) -> float:
        return (1.0 if self.half else 2.0) * self.strength

    @property
    def energy(self) -> Energy:
        return Energy("square", 0.5 * self.strong_convexity)

    def dual_norm(self, v: Floats) -> float:
        """‖v‖₂."""
        return float(np.hypot.reduce(v, axis=None))

    def project(self, v: ArrayLike, radius: float) -> Floats:
        """The nearest point to v with ‖w‖² ≤ radius."""
        v = check_ball(v, radius)
        # hypot neither overflows nor underflows.
        length, bound = float(np.hypot.reduce(v, axis=None)), np.sqrt(radius)
        return np.array(v) if length <= bound else v * (bound / length)
