"""What a penalty is.

    Ω(w) = Σⱼ Ωⱼ(wⱼ),    prox(x, t) = argmin_u ½ (u − x)² + t Ωⱼ(u)                                (1)

A penalty is the formula for one coordinate, strength included. Like a loss it is written with NumPy's elementwise
functions, so the same code serves arrays in Python and scalars in kernels. Parikh & Boyd (2014),
doi:10.1561/2400000003.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from gnomon._jit import verb
from gnomon._typing import ArrayLike, Elementwise, Floats, Numbers
from gnomon.numerics.energy import Energy

__all__ = ["Penalty", "check_ball", "check_strength", "within"]


def check_strength(strength: float) -> None:
    """Refuse a strength that is negative or not a finite number."""
    if not 0.0 <= strength < np.inf:
        raise ValueError(f"strength={strength!r} must be ≥ 0 and finite; give a non-negative number")


def check_ball(v: ArrayLike, radius: float) -> Floats:
    """v as an array of floats; an error where it is not finite or the ball that it is projected on is empty."""
    if not radius >= 0.0:
        raise ValueError(f"radius={radius!r} must be ≥ 0, or no point lies within it; give a non-negative number")
    point = np.asarray(v)
    point = point if np.issubdtype(point.dtype, np.floating) else point.astype(float)
    if not np.all(np.isfinite(point)):
        raise ValueError("v holds NaN or infinity, which has no nearest point; give finite numbers")
    return point


def within(values: float | Floats, limit: float) -> bool:
    """Whether no value exceeds `limit` by more than rounding: a tie belongs to the ball of a dual norm."""
    return bool(np.max(values, initial=0.0) <= limit * (1.0 + 1e-12))


class Penalty(ABC):
    """Base of every penalty: subclass it, decorate with ``gnomon.penalties.noun``, write three formulas.

    `term`, `prox` and `gap` are enough for every solver with proximal steps; `slope` adds gradient methods,
    `conjugate` and `dual_scale` the duality gap.

    References
    ----------
    Parikh, N. & Boyd, S. (2014). Proximal algorithms. doi:10.1561/2400000003

    Examples
    --------
    The indicator of w ≥ 0, ready for every solver that takes proximal steps:

    >>> import numpy as np
    >>> from gnomon.penalties import Penalty, choose, noun
    >>> @noun
    ... class NonNegative(Penalty):
    ...     def term(self, w):
    ...         return choose(w >= 0.0, 0.0, np.inf)
    ...
    ...     def prox(self, x, step):
    ...         return np.maximum(x, 0.0)
    ...
    ...     def gap(self, w, g):
    ...         return choose(w == 0.0, np.maximum(-g, 0.0), np.abs(g))
    >>> NonNegative().prox(np.array([-1.0, 2.0]), 0.5)
    array([0., 2.])
    """

    record: ClassVar[type[tuple[Any, ...]] | None] = None
    convex: ClassVar[bool] = True
    smooth: ClassVar[bool] = False

    @verb
    @abstractmethod
    def term(self, w: Elementwise) -> Elementwise:
        """Ωⱼ(wⱼ), elementwise."""

    @verb
    @abstractmethod
    def prox(self, x: Elementwise, step: Numbers) -> Elementwise:
        """argmin_u ½ (u − x)² + step · Ωⱼ(u), elementwise."""

    @verb
    @abstractmethod
    def gap(self, w: Elementwise, g: Elementwise) -> Elementwise:
        """Distance from −g to the sub-differential ∂Ωⱼ(w), elementwise: zero exactly at a stationary point."""

    def value(self, w: ArrayLike) -> float:
        """Ω(w), the sum over all coordinates."""
        return float(np.sum(self.term(np.asarray(w))))

    @verb
    def slope(self, w: Elementwise) -> Elementwise:
        """The derivative of Ωⱼ, elementwise; where it has a kink, the sub-gradient of least modulus."""
        raise NotImplementedError(f"{type(self).__name__} has no slope; use a solver that takes proximal steps")

    def conjugate(self, v: Floats) -> float:
        """Ω*(v) = sup_w (vᵀw − Ω(w)); +inf outside its domain."""
        raise NotImplementedError(f"{type(self).__name__} has no conjugate; there is no duality gap for it")

    def dual_scale(self, v: Floats) -> float:
        """The largest c in (0, 1] with Ω*(c v) finite; 1 where there is none."""
        return 1.0

    def scaled(self, factor: float, *, half: bool = False) -> Self:
        """The penalty times `factor`; with ``half``, a square in it is halved and a norm is not."""
        # A penalty without the field `strength` overrides this verb.
        own: Any = self
        return self if factor == 1.0 else replace(own, strength=factor * own.strength)

    def in_units(self, unit: float, value: float) -> Self:
        """u → Ω(unit · u) / value: the penalty of coefficients and objectives that are counted in other units."""
        raise NotImplementedError(f"{type(self).__name__} has no change of units; scale the columns of X yourself")

    @property
    def energy(self) -> Energy:
        """Ωⱼ as the negative log-density of a coefficient: the `Energy` of its prior."""
        raise NotImplementedError(f"{type(self).__name__} is not the energy of a named prior; only L1 and L2 are")

    @property
    def strong_convexity(self) -> float:
        """The least second derivative of Ωⱼ: how strongly convex it is."""
        return 0.0
