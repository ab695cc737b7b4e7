"""Exponential distribution.

    p(x) = λ e^{−λx},  x ≥ 0,    λ̂ = Σ sᵢ / Σ sᵢ xᵢ                                                 (1)

Johnson, Kotz & Balakrishnan (1994), Continuous Univariate Distributions, volume 1, chapter 19.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from gnomon._typing import ArrayLike, Floats, Numbers
from gnomon.distributions._base import Distribution, check_points, frozen, met_rows, positive
from gnomon.distributions.discrete import Totals
from gnomon.distributions.gamma import Gamma

__all__ = ["Exponential"]


@dataclass(frozen=True)
class Exponential(Distribution):
    """Law of a waiting time without memory, with mean 1/λ.

    Parameters
    ----------
    rate : float or ndarray, default=1.0
        λ > 0; an array is one law per entry.

    References
    ----------
    Johnson, N. L., Kotz, S. & Balakrishnan, N. (1994). Continuous Univariate Distributions, volume 1, chapter 19.

    Examples
    --------
    >>> from gnomon.distributions import Exponential
    >>> law = Exponential.fit([1.0, 2.0, 3.0])
    >>> law, round(float(law.log_density(2.0)), 7)
    (Exponential(rate=0.5), -1.6931472)
    >>> float(law.log_density(-1.0))
    -inf
    """

    rate: Numbers = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "rate", frozen(self.rate))
        positive(rate=self.rate)

    @classmethod
    def statistics(cls, X: ArrayLike, sample_weight: ArrayLike | None = None) -> Totals:
        X, weights = met_rows(X, sample_weight)
        if np.min(X) < 0.0:
            raise ValueError(f"X holds {np.min(X):g}, and an exponential law has x ≥ 0; shift X or choose another law")
        return Totals(float(np.sum(weights)), weights @ X)

    @classmethod
    def from_statistics(cls, statistics: Totals, *, prior: Gamma | None = None) -> Self:
        """Equation (1), or the mode under a `Gamma` prior, whose posterior is Gamma(a + n, b + Σx)."""
        if prior is not None:
            return cls(replace(prior, a=prior.a + statistics.weight, b=prior.b + statistics.total).mode)
        if not np.all(statistics.total > 0.0):
            raise ValueError(
                "all values of a column of X are 0, so its rate would be infinite; give a prior or drop it"
            )
        return cls(statistics.weight / statistics.total)

    @property
    def mean(self) -> Numbers:
        """1/λ."""
        return 1.0 / self.rate

    @property
    def var(self) -> Numbers:
        """1/λ²."""
        return 1.0 / self.rate**2

    @property
    def mode(self) -> Numbers:
        return 0.0 * self.rate

    @property
    def n_parameters(self) -> int:
        return int(np.size(self.rate))

    def log_density(self, x: ArrayLike) -> Numbers:
        x = check_points(x, np.shape(self.rate))
        with np.errstate(over="ignore"):
            return np.where(x >= 0.0, np.log(self.rate) - self.rate * np.maximum(x, 0.0), -np.inf)

    def sample(self, n: int, rng: np.random.Generator) -> Floats:
        return rng.exponential(self.mean, size=(n, *np.shape(self.rate)))

    def quantile(self, p: ArrayLike) -> Numbers:
        return -np.log1p(-np.asarray(p)) / self.rate

    def entropy(self) -> Numbers:
        """1 − log λ."""
        return 1.0 - np.log(self.rate)
