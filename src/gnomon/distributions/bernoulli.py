"""Bernoulli and binomial distributions.

    P(X = x) = C(m, x) pˣ (1 − p)^{m−x},    x = 0, …, m;    Bernoulli: m = 1                          (1)
    p̂ = (Σ sᵢ xᵢ + α) / (Σ sᵢ m + 2α)                                                              (2)

α = 0 is maximum likelihood, and 0 log 0 = 0 throughout. Bishop (2006), Pattern Recognition and Machine Learning,
section 2.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from gnomon._typing import Array, ArrayLike, Floats, Integers, Numbers
from gnomon.distributions._base import Prior, check_points, frozen
from gnomon.distributions.discrete import Discrete, Trials, below, check_counts, plain_integers, whole
from gnomon.numerics.energy import Energy
from gnomon.numerics.saddle_point import log_binomial
from gnomon.numerics.validation import check_non_negative

__all__ = ["Bernoulli", "Binomial"]


@dataclass(frozen=True)
class Bernoulli(Discrete):
    """Law of a bit: P(X = 1) = p.

    Parameters
    ----------
    p : float or ndarray
        In [0, 1]; an array is one law per entry.

    References
    ----------
    Bishop, C. M. (2006). Pattern Recognition and Machine Learning, section 2.1.

    Examples
    --------
    >>> from gnomon.distributions import Beta, Bernoulli
    >>> round(float(Bernoulli(0.25).log_density(1)), 7), Bernoulli(0.25).var
    (-1.3862944, 0.1875)
    >>> Bernoulli.fit([1, 1, 0, 1]), Bernoulli.fit([1, 1, 0, 1], prior=Beta(2.0, 2.0))
    (Bernoulli(p=0.75), Bernoulli(p=0.6666666666666666))
    """

    p: Numbers

    def __post_init__(self) -> None:
        _probability(self)

    @classmethod
    def statistics(cls, X: ArrayLike, sample_weight: ArrayLike | None = None) -> Trials:
        return Binomial.statistics(X, sample_weight, n_trials=1)

    @classmethod
    def from_statistics(cls, statistics: Trials, *, alpha: float = 0.0, prior: Prior | None = None) -> Self:
        """Equation (2), or the mode under a `Beta` prior.

        Parameters
        ----------
        statistics : Statistics
        alpha : float, default=0.0
            Pseudo-count of each of the two outcomes; 1 is Laplace's rule of succession.
        prior : Beta, optional
        """
        if prior is not None:
            return prior.mode_given(statistics)
        alpha = check_non_negative("alpha", alpha)
        return cls((statistics.total + alpha) / (statistics.trials + 2.0 * alpha))

    @property
    def support(self) -> Integers:
        return np.arange(2)

    @property
    def probabilities(self) -> Floats:
        """(1 − p, p), along the last axis."""
        return np.stack([1.0 - np.asarray(self.p), np.asarray(self.p)], axis=-1)

    @property
    def mean(self) -> Numbers:
        """The probability p."""
        return self.p

    @property
    def var(self) -> Numbers:
        """p(1 − p)."""
        return self.p * (1.0 - self.p)

    @property
    def n_parameters(self) -> int:
        return int(np.size(self.p))

    @property
    def energy(self) -> Energy:
        return Energy("logistic", 1.0)

    def log_density(self, x: ArrayLike) -> Numbers:
        return Binomial(1, self.p).log_density(x)

    def sample(self, n: int, rng: np.random.Generator) -> Integers:
        return (rng.random((n, *np.shape(self.p))) < self.p).astype(int)


@dataclass(frozen=True)
class Binomial(Discrete):
    """Law of the successes among m independent trials, each with probability p.

    Parameters
    ----------
    n_trials : int or ndarray
        m ≥ 0.
    p : float or ndarray
        In [0, 1].

    References
    ----------
    Bishop, C. M. (2006). Pattern Recognition and Machine Learning, section 2.1.

    Examples
    --------
    >>> from gnomon.distributions import Binomial
    >>> law = Binomial(10, 0.7)
    >>> round(float(law.density(7)), 7), round(law.mean, 7), law.mode
    (0.2668279, 7.0, 7)
    >>> Binomial.fit([3, 5], n_trials=10)
    Binomial(n_trials=10, p=0.4)
    """

    n_trials: Numbers
    p: Numbers

    summed_options: ClassVar[tuple[str, ...]] = ("n_trials",)

    def __post_init__(self) -> None:
        _trials(self.n_trials)
        _probability(self)

    @classmethod
    def statistics(cls, X: ArrayLike, sample_weight: ArrayLike | None = None, *, n_trials: int | Integers) -> Trials:
        """Sums for (2).

        Parameters
        ----------
        X : array-like of int of shape (n,) or (n, d)
            Successes.
        sample_weight : array-like of shape (n,), optional
        n_trials : int or array-like of shape (d,)
            m.
        """
        m = _trials(n_trials)
        X, weights = check_counts(X, sample_weight, most=m, what=f"successes in {n_trials} trials")
        weight = float(np.sum(weights))
        return Trials(weight, weights @ X, weight * m)

    @classmethod
    def from_statistics(
        cls, statistics: Trials, *, n_trials: int | Integers, alpha: float = 0.0, prior: Prior | None = None
    ) -> Self:
        """Equation (2), or the mode under a `Beta` prior."""
        return cls(n_trials, Bernoulli.from_statistics(statistics, alpha=alpha, prior=prior).p)

    @property
    def support(self) -> Integers:
        return np.arange(int(np.max(self.n_trials)) + 1)

    @property
    def mean(self) -> Numbers:
        """m p."""
        return self.n_trials * self.p

    @property
    def var(self) -> Numbers:
        """m p(1 − p)."""
        return self.mean * (1.0 - self.p)

    @property
    def mode(self) -> Numbers:
        """P(k)/P(k − 1) = (m − k + 1)p / (k(1 − p)): the greatest k below (m + 1)p."""
        # Rounding may lift the product above the whole number that it is.
        found = below(np.nextafter((np.asarray(self.n_trials) + 1.0) * self.p, 0.0))
        return plain_integers(np.minimum(found, self.n_trials))

    @property
    def n_parameters(self) -> int:
        return int(np.size(self.p))

    def log_density(self, x: ArrayLike) -> Numbers:
        m = self.n_trials
        x = check_points(x, np.broadcast_shapes(np.shape(m), np.shape(self.p)))
        inside = whole(x) & (x <= m)
        return np.where(inside, log_binomial(np.where(inside, x, 0.0), m, self.p), -np.inf)

    def sample(self, n: int, rng: np.random.Generator) -> Integers:
        return rng.binomial(self.n_trials, self.p, size=(n, *np.shape(self.mean)))


def _trials(m: ArrayLike) -> Array:
    m = np.asarray(m)
    if not np.all(whole(m) & np.isfinite(m)):
        raise ValueError(f"n_trials={m} must be whole numbers ≥ 0; give the number of trials")
    return m


def _probability(law: Bernoulli | Binomial) -> None:
    object.__setattr__(law, "p", frozen(law.p))
    if not np.all((np.asarray(law.p) >= 0.0) & (np.asarray(law.p) <= 1.0)):
        raise ValueError(f"p={law.p!r} must be in [0, 1]; give a probability")
