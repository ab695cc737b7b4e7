"""L1 penalty.

    Ω(w) = strength · ‖w‖₁                                                                        (1)

Tibshirani (1996), doi:10.1111/j.2517-6161.1996.tb02080.x; projection by sorting: Duchi et al. (2008),
doi:10.1145/1390156.1390191.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Self

import numpy as np

from gnomon._jit import choose, noun
from gnomon._typing import ArrayLike, Elementwise, Floats, Numbers
from gnomon.numerics.energy import Energy
from gnomon.numerics.special import soft_threshold
from gnomon.penalties._base import Penalty, check_ball, check_strength, within

__all__ = ["L1"]


@noun
class L1(Penalty):
    """L1 penalty Ω(w) = strength · ‖w‖₁, whose proximal step is soft thresholding.

    Parameters
    ----------
    strength : float, default=1.0
        Factor ρ ≥ 0.

    References
    ----------
    Tibshirani, R. (1996). Regression shrinkage and selection via the lasso. doi:10.1111/j.2517-6161.1996.tb02080.x

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.penalties import L1
    >>> L1(0.5).value([3.0, -0.2, -2.0])
    2.6
    >>> L1(0.5).prox(np.array([3.0, -0.2, -2.0]), 1.0)
    array([ 2.5, -0. , -1.5])
    >>> L1().project(np.array([3.0, -0.2, -2.0]), 4.0)
    array([ 2.5, -0. , -1.5])
    """

    strength: float = 1.0

    def __post_init__(self) -> None:
        check_strength(self.strength)

    def in_units(self, unit: float, value: float) -> Self:
        return replace(self, strength=self.strength * (unit / value))

    def term(self, w: Elementwise) -> Elementwise:
        return self.strength * np.abs(w)

    def slope(self, w: Elementwise) -> Elementwise:
        return self.strength * np.sign(w)

    def prox(self, x: Elementwise, step: Numbers) -> Elementwise:
        return soft_threshold(x, step * self.strength)

    def gap(self, w: Elementwise, g: Elementwise) -> Elementwise:
        return choose(w == 0.0, np.maximum(np.abs(g) - self.strength, 0.0), np.abs(g + self.strength * np.sign(w)))

    def conjugate(self, v: Floats) -> float:
        return 0.0 if within(np.abs(v), self.strength) else np.inf

    def dual_scale(self, v: Floats) -> float:
        largest = self.dual_norm(v)
        return 1.0 if within(largest, self.strength) else self.strength / largest

    @property
    def energy(self) -> Energy:
        return Energy("modulus", self.strength)

    def dual_norm(self, v: Floats) -> float:
        """‖v‖∞."""
        return float(np.max(np.abs(v), initial=0.0))

    def project(self, v: ArrayLike, radius: float) -> Floats:
        """The nearest point to v with ‖w‖₁ ≤ radius (Duchi et al. 2008, figure 1)."""
        v = check_ball(v, radius)
        # In units of the largest entry sums neither overflow nor underflow.
        unit = float(np.max(np.abs(v), initial=0.0)) or 1.0
        size, bound = np.abs(v) / unit, radius / unit
        if size.sum() <= bound:
            return np.array(v)
        ordered = np.sort(size)[::-1]
        excess = np.cumsum(ordered) - bound
        count = np.flatnonzero(ordered * np.arange(1, size.size + 1) >= excess)[-1]
        return soft_threshold(v, unit * (excess[count] / (count + 1)))
