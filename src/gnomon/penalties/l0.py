"""L0 penalty: the number of coefficients that are not zero.

    Ω(w) = strength · ‖w‖₀,    ‖w‖₀ = #{j : wⱼ ≠ 0}                                                (1)

Not a norm and not convex: proximal steps find local minima. Blumensath & Davies (2009), doi:10.1016/j.acha.2009.04.002.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Self

import numpy as np

from gnomon._jit import choose, jitable, noun
from gnomon._typing import ArrayLike, Elementwise, Floats, Numbers
from gnomon.penalties._base import Penalty, check_ball, check_strength

__all__ = ["L0", "hard_threshold", "l0_norm"]


@jitable
def hard_threshold(v: Elementwise, t: Numbers) -> Elementwise:
    """v where v² > 2t, else 0: argmin_u ½ (u − v)² + t · 1[u ≠ 0], ties to 0.

    References
    ----------
    Blumensath, T. & Davies, M. (2009). Iterative hard thresholding for compressed sensing.
    doi:10.1016/j.acha.2009.04.002

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.penalties import hard_threshold
    >>> hard_threshold(np.array([3.0, 1.0, -2.0]), 0.5)
    array([ 3.,  0., -2.])
    """
    return choose(v * v > 2.0 * t, v, 0.0 * v)


def l0_norm(w: ArrayLike) -> int:
    """The number of entries of w that are exactly not zero.

    References
    ----------
    Blumensath, T. & Davies, M. (2009). Iterative hard thresholding for compressed sensing.
    doi:10.1016/j.acha.2009.04.002

    Examples
    --------
    >>> from gnomon.penalties import l0_norm
    >>> l0_norm([0.0, -3.0, 1e-300])
    2
    """
    return int(np.count_nonzero(w))


@noun
class L0(Penalty):
    """L0 penalty Ω(w) = strength · ‖w‖₀, whose proximal step is hard thresholding.

    Parameters
    ----------
    strength : float, default=1.0
        Factor ρ ≥ 0.

    References
    ----------
    Blumensath, T. & Davies, M. (2009). Iterative hard thresholding for compressed sensing.
    doi:10.1016/j.acha.2009.04.002

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.penalties import L0
    >>> L0(0.5).value([3.0, 0.0, -2.0])
    1.0
    >>> L0(0.5).prox(np.array([3.0, -0.2, -2.0]), 1.0)
    array([ 3., -0., -2.])
    >>> L0().project(np.array([1.0, -3.0, 3.0]), 1)
    array([ 0., -3.,  0.])
    """

    strength: float = 1.0

    convex = False

    def __post_init__(self) -> None:
        check_strength(self.strength)

    def in_units(self, unit: float, value: float) -> Self:
        return replace(self, strength=self.strength / value)

    def term(self, w: Elementwise) -> Elementwise:
        return self.strength * choose(w != 0.0, 1.0, 0.0)

    def prox(self, x: Elementwise, step: Numbers) -> Elementwise:
        return hard_threshold(x, step * self.strength)

    def gap(self, w: Elementwise, g: Elementwise) -> Elementwise:
        # At 0 every slope is a sub-gradient of the jump; elsewhere the penalty is flat.
        return choose((w == 0.0) & (self.strength > 0.0), 0.0, np.abs(g))

    def project(self, v: ArrayLike, radius: float) -> Floats:
        """The nearest point to v with at most `radius` non-zeros: the largest |v|, the lowest index first in a tie."""
        v = check_ball(v, radius)
        keep = np.argsort(-np.abs(v), kind="stable")[: int(min(radius, v.size))]
        out = np.zeros_like(v)
        out[keep] = v[keep]
        return out
