"""No penalty.

Ω(w) = 0                                                                                      (1)
"""

from __future__ import annotations

from typing import Self

import numpy as np

from gnomon._jit import noun
from gnomon._typing import Elementwise, Floats, Numbers
from gnomon.penalties._base import Penalty

__all__ = ["NoPenalty"]


@noun
class NoPenalty(Penalty):
    """The penalty that costs nothing: Ω(w) = 0.

    References
    ----------
    Parikh, N. & Boyd, S. (2014). Proximal algorithms, section 2. doi:10.1561/2400000003

    Examples
    --------
    >>> from gnomon.penalties import NoPenalty
    >>> NoPenalty().value([1.0, -2.0]), NoPenalty().prox(3.0, 1.0)
    (0.0, 3.0)
    """

    smooth = True

    def scaled(self, factor: float, *, half: bool = False) -> Self:
        return self

    def in_units(self, unit: float, value: float) -> Self:
        return self

    def term(self, w: Elementwise) -> Elementwise:
        return 0.0 * w

    def slope(self, w: Elementwise) -> Elementwise:
        return 0.0 * w

    def prox(self, x: Elementwise, step: Numbers) -> Elementwise:
        return x

    def gap(self, w: Elementwise, g: Elementwise) -> Elementwise:
        return np.abs(g)

    def conjugate(self, v: Floats) -> float:
        return 0.0 if not np.any(v) else np.inf
