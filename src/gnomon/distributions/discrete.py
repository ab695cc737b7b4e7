"""Bernoulli and categorical distributions.

    P(X = k) = pₖ,    Σₖ pₖ = 1                                                                    (1)

Bishop (2006), Pattern Recognition and Machine Learning, sections 2.1 and 2.2.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gnomon.distributions._base import Distribution
from gnomon.numerics.energy import Energy

__all__ = ["Bernoulli", "Categorical"]


@dataclass(frozen=True, eq=False)
class Categorical(Distribution):
    """Law over 0, …, K−1, or one such law per row.

    Parameters
    ----------
    probabilities : array of shape (..., K)
        Non-negative, summing to one along the last axis.

    References
    ----------
    Bishop, C. M. (2006). Pattern Recognition and Machine Learning, section 2.2.

    Examples
    --------
    >>> from gnomon.distributions import Categorical
    >>> law = Categorical([0.5, 0.25, 0.25])
    >>> float(law.mean), round(float(law.entropy()), 7)
    (0.75, 1.0397208)
    """

    probabilities: Any

    def __post_init__(self):
        p = np.asarray(self.probabilities, dtype=float)
        if p.ndim == 0 or not np.all(p >= 0.0) or not np.allclose(np.sum(p, axis=-1), 1.0, rtol=0.0, atol=1e-6):
            raise ValueError(f"probabilities={self.probabilities!r} must be ≥ 0 and sum to 1 along the last axis")
        object.__setattr__(self, "probabilities", p)

    @property
    def mean(self):
        """Σ k pₖ."""
        return self.probabilities @ np.arange(self.probabilities.shape[-1])

    @property
    def var(self):
        """Σ (k − mean)² pₖ."""
        k = np.arange(self.probabilities.shape[-1])
        return np.sum(self.probabilities * (k - np.expand_dims(self.mean, -1)) ** 2, axis=-1)

    @property
    def energy(self):
        return Energy("softmax", 1.0)

    def log_density(self, x):
        hit = np.asarray(x)[..., None] == np.arange(self.probabilities.shape[-1])
        with np.errstate(divide="ignore"):
            return np.log(np.sum(np.where(hit, self.probabilities, 0.0), axis=-1))

    def sample(self, n, rng):
        edges = np.cumsum(self.probabilities, axis=-1)
        u = rng.random((n, *edges.shape[:-1], 1)) * edges[..., -1:]
        return np.sum(u >= edges, axis=-1)

    def expected_log_density(self, other):
        p, q = np.broadcast_arrays(other.probabilities, self.probabilities)
        # 0 log 0 = 0, and P > 0 where Q = 0 is infinitely surprising.
        with np.errstate(divide="ignore"):
            return np.sum(np.where(p > 0.0, p, 0.0) * np.where(p > 0.0, np.log(q), 0.0), axis=-1)


@dataclass(frozen=True)
class Bernoulli(Distribution):
    """Law of a bit: P(X = 1) = p.

    Parameters
    ----------
    p : float or ndarray
        In [0, 1].

    References
    ----------
    Bishop, C. M. (2006). Pattern Recognition and Machine Learning, section 2.1.

    Examples
    --------
    >>> from gnomon.distributions import Bernoulli
    >>> round(float(Bernoulli(0.25).log_density(1)), 7), Bernoulli(0.25).var
    (-1.3862944, 0.1875)
    """

    p: Any

    def __post_init__(self):
        if not np.all((np.asarray(self.p) >= 0.0) & (np.asarray(self.p) <= 1.0)):
            raise ValueError(f"p={self.p!r} must be in [0, 1]; give a probability")

    @property
    def probabilities(self):
        """(1 − p, p), along the last axis."""
        return np.stack([1.0 - np.asarray(self.p), np.asarray(self.p)], axis=-1)

    @property
    def mean(self):
        """The probability p."""
        return self.p

    @property
    def var(self):
        """p(1 − p)."""
        return self.p * (1.0 - self.p)

    @property
    def energy(self):
        return Energy("logistic", 1.0)

    def log_density(self, x):
        with np.errstate(divide="ignore"):
            return np.log(np.where(np.asarray(x) == 1, self.p, 1.0 - np.asarray(self.p)))

    def sample(self, n, rng):
        return (rng.random((n, *np.shape(self.p))) < self.p).astype(int)

    def expected_log_density(self, other):
        return Categorical(self.probabilities).expected_log_density(other)
