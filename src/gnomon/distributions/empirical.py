"""The law of a sample, for example of the draws of a Markov chain.

    P(X ∈ A) = (1/m) Σᵢ 1[xᵢ ∈ A]                                                                 (1)

van der Vaart (1998), Asymptotic Statistics, chapter 19, doi:10.1017/CBO9780511802256.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gnomon._typing import Array, ArrayLike, Floats, Numbers
from gnomon.distributions._base import Distribution

__all__ = ["Empirical"]


@dataclass(frozen=True, eq=False)
class Empirical(Distribution):
    """Law that gives each of m draws the probability 1/m.

    Parameters
    ----------
    draws : ndarray of shape (m, ...)

    References
    ----------
    van der Vaart, A. W. (1998). Asymptotic Statistics, chapter 19. doi:10.1017/CBO9780511802256

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.distributions import Empirical
    >>> law = Empirical(np.array([[0.0, 1.0], [2.0, 3.0]]))
    >>> law.mean, law.var, law.quantile(0.5)
    (array([1., 2.]), array([1., 1.]), array([1., 2.]))
    """

    draws: Array

    @property
    def mean(self) -> Numbers:
        """Mean of the draws."""
        return np.mean(self.draws, axis=0)

    @property
    def var(self) -> Numbers:
        """Variance of the draws, per coordinate."""
        return np.var(self.draws, axis=0)

    @property
    def std(self) -> Numbers:
        """Standard deviations of the coordinates."""
        return np.sqrt(self.var)

    @property
    def cov(self) -> Floats:
        """Covariance of draws that are vectors."""
        return np.cov(self.draws, rowvar=False, ddof=0).reshape(2 * self.draws.shape[1:])

    def log_density(self, x: ArrayLike) -> Numbers:
        raise NotImplementedError("a sample has no density; use its quantiles")

    def sample(self, n: int, rng: np.random.Generator) -> Array:
        return self.draws[rng.integers(len(self.draws), size=n)]

    def quantile(self, p: ArrayLike) -> Numbers:
        return np.quantile(self.draws, np.asarray(p, dtype=float), axis=0)

    def integrate(self, f: Callable[[Any], Any]) -> Numbers:
        return np.mean([f(x) for x in self.draws], axis=0)
