"""Poisson distribution.

    P(X = k) = λᵏ e^{−λ} / k!,    λ̂ = Σ sᵢ xᵢ / Σ sᵢ                                                 (1)

Poisson (1837); Johnson, Kemp & Kotz (2005), Univariate Discrete Distributions, chapter 4, doi:10.1002/0471715816.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from gnomon._typing import ArrayLike, Integers, Numbers
from gnomon.distributions._base import check_points, frozen
from gnomon.distributions.discrete import Discrete, Totals, below, check_counts, plain_integers, whole
from gnomon.distributions.gamma import Gamma
from gnomon.numerics.saddle_point import log_poisson

__all__ = ["Poisson"]


@dataclass(frozen=True)
class Poisson(Discrete):
    """Law of the number of rare events, with mean and variance λ.

    Parameters
    ----------
    rate : float or ndarray
        λ ≥ 0; an array is one law per entry.

    References
    ----------
    Johnson, N. L., Kemp, A. W. & Kotz, S. (2005). Univariate Discrete Distributions, chapter 4. doi:10.1002/0471715816

    Examples
    --------
    >>> from gnomon.distributions import Gamma, Poisson
    >>> law = Poisson.fit([1, 0, 2, 5])
    >>> law, round(float(law.log_density(2)), 7)
    (Poisson(rate=2.0), -1.3068528)
    >>> Poisson.fit([1, 0, 2, 5], prior=Gamma(3.0, 1.0))
    Poisson(rate=2.0)
    """

    rate: Numbers

    def __post_init__(self) -> None:
        object.__setattr__(self, "rate", frozen(self.rate))
        if not (np.all(np.asarray(self.rate) >= 0.0) and np.all(np.isfinite(self.rate))):
            raise ValueError(f"rate={self.rate!r} must be ≥ 0 and finite; give the expected number")

    @classmethod
    def statistics(cls, X: ArrayLike, sample_weight: ArrayLike | None = None) -> Totals:
        X, weights = check_counts(X, sample_weight)
        return Totals(float(np.sum(weights)), weights @ X)

    @classmethod
    def from_statistics(cls, statistics: Totals, *, prior: Gamma | None = None) -> Self:
        """The mean, or the mode under a `Gamma` prior, whose posterior is Gamma(a + Σx, b + n)."""
        if prior is None:
            return cls(statistics.total / statistics.weight)
        return cls(replace(prior, a=prior.a + statistics.total, b=prior.b + statistics.weight).mode)

    @property
    def support(self) -> Integers:
        # Beyond twelve standard deviations (plus 50, for small rates) the probability is below double precision.
        low, high = np.min(self.rate), np.max(self.rate)
        first = max(0, int(low - 12.0 * np.sqrt(low) - 50.0))
        return np.arange(first, int(high + 12.0 * np.sqrt(high) + 50.0))

    @property
    def mean(self) -> Numbers:
        """λ."""
        return self.rate

    @property
    def var(self) -> Numbers:
        """λ."""
        return self.rate

    @property
    def mode(self) -> Numbers:
        """P(k)/P(k − 1) = λ/k: the greatest k below λ, since k = λ and λ − 1 are equally probable."""
        return plain_integers(below(self.rate))

    @property
    def n_parameters(self) -> int:
        return int(np.size(self.rate))

    def log_density(self, x: ArrayLike) -> Numbers:
        x = check_points(x, np.shape(self.rate))
        inside = whole(x)
        return np.where(inside, log_poisson(np.where(inside, x, 0.0), self.rate), -np.inf)

    def sample(self, n: int, rng: np.random.Generator) -> Integers:
        return rng.poisson(self.rate, size=(n, *np.shape(self.rate)))
