"""Elastic-net penalty.

    Ω(w) = strength · (r ‖w‖₁ + (1 − r) ‖w‖²),    or with ``half=True``  … + ½ (1 − r) ‖w‖²          (1)

Zou & Hastie (2005), doi:10.1111/j.1467-9868.2005.00503.x.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Self

import numpy as np

from gnomon._jit import choose, noun
from gnomon._typing import Elementwise, Floats, Numbers
from gnomon.numerics.special import soft_threshold
from gnomon.penalties._base import Penalty, check_strength, within

__all__ = ["ElasticNetPenalty"]


@noun
class ElasticNetPenalty(Penalty):
    """Elastic-net penalty Ω(w) = strength · (r ‖w‖₁ + (1 − r) ‖w‖²), with ``half=True`` half the square.

    The proximal step is S(x, t·strength·r) / (1 + c t) with c = 2 · strength · (1 − r) (half: without the 2).

    Parameters
    ----------
    strength : float, default=1.0
        Factor ρ ≥ 0.
    l1_ratio : float, default=0.5
        The share r ∈ [0, 1] of the L1 part: 1 is the lasso's penalty, 0 ridge's.
    half : bool, default=False
        Halve the square.
    positive : bool, default=False
        Require w ≥ 0: Ω is infinite elsewhere.

    References
    ----------
    Zou, H. & Hastie, T. (2005). Regularization and variable selection via the elastic net.
    doi:10.1111/j.1467-9868.2005.00503.x

    Examples
    --------
    >>> from gnomon.penalties import ElasticNetPenalty
    >>> ElasticNetPenalty(1.0, l1_ratio=0.5).value([3.0, -1.0])
    7.0
    >>> float(ElasticNetPenalty(1.0, l1_ratio=0.5).prox(3.0, 1.0))
    1.25
    """

    strength: float = 1.0
    l1_ratio: float = 0.5
    half: bool = False
    positive: bool = False

    def __post_init__(self) -> None:
        check_strength(self.strength)
        if not 0.0 <= self.l1_ratio <= 1.0:
            raise ValueError(f"l1_ratio={self.l1_ratio!r} must be in [0, 1]; 1 is the lasso, 0 is ridge")

    def scaled(self, factor: float, *, half: bool = False) -> Self:
        return replace(self, strength=factor * self.strength, half=self.half or half)

    def in_units(self, unit: float, value: float) -> Self:
        norm = self.strength * self.l1_ratio * (unit / value)
        square = self.strength * (1.0 - self.l1_ratio) * (unit / value) * unit
        whole = norm + square
        # A strength that vanishes in these units is none, whatever its shares.
        return replace(self, strength=whole, l1_ratio=norm / whole if whole > 0.0 else self.l1_ratio)

    def term(self, w: Elementwise) -> Elementwise:
        square = (0.5 if self.half else 1.0) * (1.0 - self.l1_ratio) * w * w
        cost = self.strength * (self.l1_ratio * np.abs(w) + square)
        return choose(self.positive & (w < 0.0), np.inf, cost)

    def slope(self, w: Elementwise) -> Elementwise:
        return self.strength * (self.l1_ratio * np.sign(w) + (1.0 if self.half else 2.0) * (1.0 - self.l1_ratio) * w)

    def prox(self, x: Elementwise, step: Numbers) -> Elementwise:
        curvature = (1.0 if self.half else 2.0) * self.strength * (1.0 - self.l1_ratio)
        inside = np.maximum(x, 0.0) if self.positive else x
        return soft_threshold(inside, step * self.strength * self.l1_ratio) / (1.0 + step * curvature)

    def gap(self, w: Elementwise, g: Elementwise) -> Elementwise:
        pull = -g if self.positive else np.abs(g)
        off = np.maximum(pull - self.strength * self.l1_ratio, 0.0)
        return choose(w == 0.0, off, np.abs(g + self.slope(w)))

    def conjugate(self, v: Floats) -> float:
        pull, limit, curvature = self._pull(v), self.strength * self.l1_ratio, self.strong_convexity
        if curvature > 0.0:
            return float(np.sum(np.square(np.maximum(pull - limit, 0.0)))) / (2.0 * curvature)
        return 0.0 if within(pull, limit) else np.inf

    def dual_scale(self, v: Floats) -> float:
        limit = self.strength * self.l1_ratio
        largest = float(np.max(self._pull(v), initial=0.0))
        return 1.0 if self.strong_convexity > 0.0 or within(largest, limit) else limit / largest

    def _pull(self, v: Floats) -> Floats:
        return v if self.positive else np.abs(v)

    @property
    def strong_convexity(self) -> float:
        return (1.0 if self.half else 2.0) * self.strength * (1.0 - self.l1_ratio)
