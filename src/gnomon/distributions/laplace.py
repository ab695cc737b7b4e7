"""Laplace distribution.

    log p(x) = −|x − μ| / b − log(2b),    μ̂ = median,    b̂ = Σ sᵢ |xᵢ − μ̂| / Σ sᵢ                     (1)

Laplace (1774); Kotz, Kozubowski & Podgórski (2001), doi:10.1007/978-1-4612-0173-1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from gnomon._typing import ArrayLike, Floats, Numbers
from gnomon.distributions._base import Distribution, check_points, finite, frozen, positive
from gnomon.distributions._sample import Sample
from gnomon.numerics.energy import Energy

__all__ = ["Laplace"]


@dataclass(frozen=True)
class Laplace(Distribution):
    """Laplace law of one variable, with variance 2b².

    Parameters
    ----------
    loc : float or ndarray, default=0.0
        μ, which is the mean, the median and the mode.
    scale : float or ndarray, default=1.0
        b > 0.

    References
    ----------
    Kotz, S., Kozubowski, T. & Podgórski, K. (2001). The Laplace Distribution and Generalizations.
    doi:10.1007/978-1-4612-0173-1

    Examples
    --------
    >>> from gnomon.distributions import Laplace
    >>> round(float(Laplace(0.0, 2.0).log_density(2.0)), 7)
    -2.3862944
    >>> Laplace.fit([0.0, 1.0, 5.0])
    Laplace(loc=1.0, scale=1.6666666666666667)
    """

    loc: Numbers = 0.0
    scale: Numbers = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "loc", frozen(self.loc))
        object.__setattr__(self, "scale", frozen(self.scale))
        positive(scale=self.scale)
        finite(loc=self.loc)

    @classmethod
    def statistics(cls, X: ArrayLike, sample_weight: ArrayLike | None = None) -> Sample:
        """The sample itself: a median is no function of sums."""
        return Sample.of(X, sample_weight)

    @classmethod
    def from_statistics(cls, statistics: Sample) -> Self:
        """Equation (1)."""
        loc = statistics.quantile(0.5)
        scale = statistics.weights @ np.abs(statistics.values - loc) / statistics.weight
        if not np.all(scale > 0.0):
            raise ValueError("all values of a column of X are equal, so its scale would be 0; add rows or drop it")
        return cls(loc, scale)

    @property
    def mean(self) -> Numbers:
        """μ."""
        return self.loc

    @property
    def mode(self) -> Numbers:
        return self.loc

    @property
    def var(self) -> Numbers:
        """2b²."""
        return 2.0 * self.scale**2

    @property
    def n_parameters(self) -> int:
        return 2 * int(np.prod(self._shape, dtype=int))

    @property
    def energy(self) -> Energy:
        return Energy("modulus", 1.0 / self.scale, self.loc)

    @classmethod
    def from_energy(cls, energy: Energy) -> Self:
        """The Laplace law with −log p = factor · |x| + constant."""
        if energy.shape != "modulus":
            raise ValueError(f"energy={energy!r} is not a modulus; a Laplace law belongs to an L1 penalty")
        return cls(energy.center, 1.0 / energy.factor)

    @property
    def _shape(self) -> tuple[int, ...]:
        return np.broadcast_shapes(np.shape(self.loc), np.shape(self.scale))

    def log_density(self, x: ArrayLike) -> Numbers:
        with np.errstate(over="ignore"):
            far = np.abs(check_points(x, self._shape) - self.loc) / self.scale
        return -far - np.log(2.0) - np.log(self.scale)

    def sample(self, n: int, rng: np.random.Generator) -> Floats:
        return rng.laplace(self.loc, self.scale, size=(n, *self._shape))

    def quantile(self, p: ArrayLike) -> Numbers:
        # np.where evaluates both branches, so each is given only the arguments of its own half.
        below, above = np.minimum(p, 0.5), np.minimum(1.0 - np.asarray(p), 0.5)
        return self.loc + self.scale * (np.log(2.0 * below) - np.log(2.0 * above))

    def entropy(self) -> Numbers:
        """1 + log 2b."""
        return 1.0 + np.log(2.0 * self.scale) + np.zeros(self._shape)[()]
