"""Beta distribution.

    p(x) = Γ(α + β)/(Γ(α) Γ(β)) · x^{α−1} (1 − x)^{β−1},    0 ≤ x ≤ 1                                 (1)

The conjugate prior of a probability: r successes in m trials make Beta(α + r, β + m − r) of Beta(α, β). It is the
Dirichlet law of (x, 1 − x), which gives the estimate. Bishop (2006), Pattern Recognition and Machine Learning, section
2.1.1.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.special import betaincinv, betaln, digamma, xlog1py, xlogy

from gnomon._typing import ArrayLike, Floats, Numbers
from gnomon.distributions._base import Distribution, Statistics, check_points, frozen, met_rows, positive
from gnomon.distributions.bernoulli import Bernoulli
from gnomon.distributions.dirichlet import solve_log_means
from gnomon.distributions.discrete import Trials
from gnomon.numerics.saddle_point import log_beta, log_ratio

__all__ = ["Beta"]


@dataclass(frozen=True, eq=False)
class BothLogs(Statistics):
    """Σ sᵢ, Σ sᵢ log xᵢ and Σ sᵢ log(1 − xᵢ)."""

    logs: Numbers
    complements: Numbers


@dataclass(frozen=True)
class Beta(Distribution):
    """Law of a probability.

    Parameters
    ----------
    alpha, beta : float or ndarray, default=1.0
        Both > 0, as successes and failures that were seen before; one each is the uniform law.

    References
    ----------
    Bishop, C. M. (2006). Pattern Recognition and Machine Learning, section 2.1.1.

    Examples
    --------
    >>> from gnomon.distributions import Beta
    >>> law = Beta(2.0, 3.0)
    >>> law.mean, round(law.mode, 7), round(float(law.density(0.5)), 7)
    (0.4, 0.3333333, 1.5)
    >>> fitted = Beta.fit([0.2, 0.4, 0.5])
    >>> round(fitted.alpha, 4), round(fitted.beta, 4)
    (5.0659, 8.8082)
    """

    alpha: Numbers = 1.0
    beta: Numbers = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "alpha", frozen(self.alpha))
        object.__setattr__(self, "beta", frozen(self.beta))
        positive(alpha=self.alpha, beta=self.beta)

    @classmethod
    def statistics(cls, X: ArrayLike, sample_weight: ArrayLike | None = None) -> BothLogs:
        X, weights = met_rows(X, sample_weight)
        if not (np.min(X) > 0.0 and np.max(X) < 1.0):
            raise ValueError("X holds values outside (0, 1), where a beta law has no likelihood; rescale or move them")
        return BothLogs(float(np.sum(weights)), weights @ np.log(X), weights @ np.log1p(-X))

    @classmethod
    def from_statistics(cls, statistics: BothLogs) -> Self:
        """The law of greatest likelihood, by Newton's method."""
        logs = np.stack([statistics.logs, statistics.complements], axis=-1) / statistics.weight
        found = solve_log_means(logs)
        return cls(found[..., 0], found[..., 1])

    @property
    def mean(self) -> Numbers:
        """α/(α + β)."""
        return self.alpha / (self.alpha + self.beta)

    @property
    def var(self) -> Numbers:
        """αβ/((α + β)²(α + β + 1))."""
        return self.mean * (1.0 - self.mean) / (self.alpha + self.beta + 1.0)

    @property
    def mode(self) -> Numbers:
        """(α − 1)/(α + β − 2) for α, β > 1; an end where one is ≤ 1; where both are, the mean with a warning."""
        up, down = np.maximum(self.alpha - 1.0, 0.0), np.maximum(self.beta - 1.0, 0.0)
        if not np.all(up + down > 0.0):
            warnings.warn("no parameter exceeds 1, so the mode is not unique; the mean is given instead", stacklevel=2)
        out = np.where(up + down > 0.0, up / np.where(up + down > 0.0, up + down, 1.0), self.mean)
        return out if out.ndim else float(out)

    @property
    def n_parameters(self) -> int:
        return 2 * int(np.size(self.mean))

    @property
    def log_norm(self) -> Numbers:
        """log B(α, β) = log Γ(α)Γ(β)/Γ(α + β)."""
        a, b = np.asarray(self.alpha), np.asarray(self.beta)
        # SciPy's form overflows below 1e-307: B(α, β) = (α + β)(α + β + 1)/αβ · B(α + 1, β + 1).
        tiny = np.minimum(a, b) < 1e-300
        small = log_ratio(a + b, a) - np.log(b) + betaln(a + 1.0, b + 1.0) + np.log1p(a + b)
        return frozen(np.where(tiny, small, betaln(np.where(tiny, 1.0, a), np.where(tiny, 1.0, b))))

    def log_density(self, x: ArrayLike) -> Numbers:
        x = check_points(x, np.shape(self.mean))
        inner = log_beta(np.where((x > 0.0) & (x < 1.0), x, 0.5), self.alpha, self.beta)
        end = np.where(x == 1.0, 1.0, 0.0)
        at_end = xlogy(self.alpha - 1.0, end) + xlog1py(self.beta - 1.0, -end) - self.log_norm
        return np.where((x > 0.0) & (x < 1.0), inner, np.where((x == 0.0) | (x == 1.0), at_end, -np.inf))

    def sample(self, n: int, rng: np.random.Generator) -> Floats:
        return rng.beta(self.alpha, self.beta, size=(n, *np.shape(self.mean)))

    def quantile(self, p: ArrayLike) -> Numbers:
        return betaincinv(self.alpha, self.beta, p)

    def expected_log_density(self, other: Distribution) -> Numbers:
        if not isinstance(other, Beta):
            return super().expected_log_density(other)
        whole = digamma(other.alpha + other.beta)
        up, down = digamma(other.alpha) - whole, digamma(other.beta) - whole
        return (self.alpha - 1.0) * up + (self.beta - 1.0) * down - self.log_norm

    def given(self, successes: Numbers, trials: Numbers) -> Beta:
        """The posterior law after so many successes in so many trials."""
        return Beta(self.alpha + successes, self.beta + trials - successes)

    def mode_given(self, statistics: Trials) -> Bernoulli:
        """The Bernoulli law of greatest posterior density."""
        return Bernoulli(self.given(statistics.total, statistics.trials).mode)
