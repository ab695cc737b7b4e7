"""Uniform distribution on an interval, or on a box.

    p(x) = ∏ⱼ 1/(hⱼ − lⱼ)  for l ≤ x ≤ h,    l̂ = min xᵢ,  ĥ = max xᵢ                                 (1)

Johnson, Kotz & Balakrishnan (1995), Continuous Univariate Distributions, volume 2, chapter 26.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from gnomon._typing import ArrayLike, Floats, Numbers
from gnomon.distributions._base import Distribution, Statistics, check_points, finite, frozen, met_rows

__all__ = ["Uniform"]


@dataclass(frozen=True, eq=False)
class Extent(Statistics):
    """Σ sᵢ, and the least and the greatest value of every column: extremes, which merge instead of adding."""

    low: Numbers
    high: Numbers

    def __add__(self, other: Extent) -> Extent:
        low, high = np.minimum(self.low, other.low), np.maximum(self.high, other.high)
        return Extent(self.weight + other.weight, low, high)


@dataclass(frozen=True)
class Uniform(Distribution):
    """Uniform law on [low, high]; arrays are the sides of a box, whose density `row_log_density` gives.

    Parameters
    ----------
    low, high : float or ndarray, default=0.0 and 1.0
        The ends, low < high.

    References
    ----------
    Johnson, N. L., Kotz, S. & Balakrishnan, N. (1995). Continuous Univariate Distributions, volume 2, chapter 26.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.distributions import Uniform
    >>> box = Uniform(np.array([0.0, 0.0]), np.array([2.0, 4.0]))
    >>> np.exp(box.row_log_density(np.array([[1.0, 1.0], [1.0, 5.0]])))
    array([0.125, 0.   ])
    >>> Uniform.fit([3.0, 1.0, 2.0])
    Uniform(low=1.0, high=3.0)
    """

    low: Numbers = 0.0
    high: Numbers = 1.0

    def __post_init__(self) -> None:
        low, high = frozen(self.low), frozen(self.high)
        finite(low=low, high=high)
        if not np.all(np.asarray(low) < high):
            raise ValueError(f"low={low!r} must be < high={high!r}; give the ends of an interval")
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)

    @classmethod
    def statistics(cls, X: ArrayLike, sample_weight: ArrayLike | None = None) -> Extent:
        X, weights = met_rows(X, sample_weight)
        return Extent(float(np.sum(weights)), np.min(X, axis=0), np.max(X, axis=0))

    @classmethod
    def from_statistics(cls, statistics: Extent) -> Self:
        """Equation (1)."""
        return cls(statistics.low, statistics.high)

    @property
    def mean(self) -> Numbers:
        """The middle."""
        return 0.5 * (self.low + self.high)

    @property
    def mode(self) -> Numbers:
        """The middle: every point of the interval is as probable."""
        return self.mean

    @property
    def var(self) -> Numbers:
        """(h − l)² / 12."""
        return (self.high - self.low) ** 2 / 12.0

    @property
    def n_parameters(self) -> int:
        return 2 * int(np.size(self.mean))

    def log_density(self, x: ArrayLike) -> Numbers:
        x = check_points(x, np.shape(self.mean))
        return np.where((x >= self.low) & (x <= self.high), -np.log(self.high - self.low), -np.inf)

    def sample(self, n: int, rng: np.random.Generator) -> Floats:
        return rng.uniform(self.low, self.high, size=(n, *np.shape(self.mean)))

    def quantile(self, p: ArrayLike) -> Numbers:
        return self.low + np.asarray(p) * (self.high - self.low)

    def entropy(self) -> Numbers:
        """log(h − l)."""
        return np.log(self.high - self.low)
