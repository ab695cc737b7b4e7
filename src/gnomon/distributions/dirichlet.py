"""Dirichlet distribution.

    log p(π) = log Γ(A) − Σₖ log Γ(αₖ) + Σₖ (αₖ − 1) log πₖ,    A = Σ αₖ,  π on the simplex             (1)
    ψ(α̂ₖ) − ψ(Â) = Σᵢ sᵢ log πᵢₖ / Σ sᵢ                                                             (2)

The conjugate prior of categorical and multinomial laws: counts n make α + n of α. Bishop (2006), Pattern Recognition
and Machine Learning, section 2.2.1; (2) is solved by the Newton steps of Minka (2000), Estimating a Dirichlet
distribution, which cost O(K) because the Hessian is diagonal plus a constant.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.special import digamma, gammaln, polygamma, xlogy

from gnomon._typing import ArrayLike, Floats, Numbers
from gnomon.distributions._base import Distribution, Frozen, Statistics, check_points, check_sample, frozen, positive
from gnomon.distributions.categorical import Categorical
from gnomon.distributions.discrete import Counts
from gnomon.numerics.saddle_point import log_multinomial, log_ratio

__all__ = ["Dirichlet"]


@dataclass(frozen=True, eq=False)
class LogSums(Statistics):
    """Σ sᵢ and Σ sᵢ log xᵢ."""

    logs: Floats


@dataclass(frozen=True, eq=False)
class Dirichlet(Distribution):
    """Law of a probability vector.

    Parameters
    ----------
    alpha : array-like of shape (K,) or (..., K)
        αₖ > 0, as counts that were seen before; further axes are independent laws.

    References
    ----------
    Bishop, C. M. (2006). Pattern Recognition and Machine Learning, section 2.2.1.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.distributions import Dirichlet
    >>> law = Dirichlet([3.0, 4.0, 6.0])
    >>> law.mean.round(4), law.mode
    (array([0.2308, 0.3077, 0.4615]), array([0.2, 0.3, 0.5]))
    >>> round(float(law.log_density([0.2, 0.3, 0.5])), 6)
    2.418286
    """

    alpha: Frozen

    vectors = True

    def __post_init__(self) -> None:
        alpha = frozen(self.alpha)
        positive(alpha=alpha)
        if np.ndim(alpha) == 0 or alpha.shape[-1] < 2:
            raise ValueError(f"alpha={self.alpha!r} must have at least two entries along its last axis; give a vector")
        object.__setattr__(self, "alpha", alpha)

    @classmethod
    def statistics(cls, X: ArrayLike, sample_weight: ArrayLike | None = None) -> LogSums:
        X, weights = check_sample(X, sample_weight, vectors=True)
        if not np.min(X) > 0.0 or np.max(np.abs(np.sum(X, axis=1) - 1.0)) > 1e-6:
            raise ValueError("X holds rows that are not positive with sum 1; give probability vectors without zeros")
        return LogSums(float(np.sum(weights)), weights @ np.log(X))

    @classmethod
    def from_statistics(cls, statistics: LogSums) -> Self:
        """Equation (2)."""
        return cls(solve_log_means(statistics.logs / statistics.weight))

    @property
    def total(self) -> Floats:
        """A, along the last axis."""
        return np.sum(self.alpha, axis=-1, keepdims=True)

    @property
    def mean(self) -> Floats:
        """α/A."""
        return self.alpha / self.total

    @property
    def var(self) -> Floats:
        """mₖ(1 − mₖ)/(A + 1), with m the mean."""
        return self.mean * (1.0 - self.mean) / (self.total + 1.0)

    @property
    def cov(self) -> Floats:
        """(diag m − mmᵀ)/(A + 1), with m the mean; singular, as the entries sum to one."""
        m = self.mean
        return (m[..., None] * np.eye(m.shape[-1]) - m[..., None] * m[..., None, :]) / (self.total[..., None] + 1.0)

    @property
    def mode(self) -> Floats:
        """(αₖ − 1)/(A − K) for α > 1; where some αₖ ≤ 1 those entries are 0. All αₖ ≤ 1: the mean, with a warning."""
        above = np.maximum(self.alpha - 1.0, 0.0)
        total = np.sum(above, axis=-1, keepdims=True)
        if not np.all(total > 0.0):
            warnings.warn("no parameter exceeds 1, so the mode is not unique; the mean is given instead", stacklevel=2)
        return np.where(total > 0.0, above / np.where(total > 0.0, total, 1.0), self.mean)

    @property
    def n_parameters(self) -> int:
        return int(self.alpha.size)

    @property
    def mean_log(self) -> Floats:
        """E[log πₖ] = ψ(αₖ) − ψ(A)."""
        return digamma(self.alpha) - digamma(self.total)

    @property
    def log_norm(self) -> Numbers:
        """log B(α) = Σ log Γ(αₖ) − log Γ(A), one for each law."""
        return np.sum(gammaln(self.alpha), axis=-1) - gammaln(np.sum(self.alpha, axis=-1))

    def log_density(self, x: ArrayLike) -> Numbers:
        x = check_points(x, self.alpha.shape)
        if x.shape[-1:] != self.alpha.shape[-1:]:
            raise ValueError(f"x has shape {x.shape}; give rows of {self.alpha.shape[-1]} probabilities")
        inside = np.all(x >= 0.0, axis=-1) & (np.abs(np.sum(x, axis=-1) - 1.0) <= 1e-6)
        safe = np.where(inside[..., None], x, self.mean)
        # A zero entry with α < 1 is infinitely dense, with α > 1 impossible; where both meet, impossible.
        terms = xlogy(self.alpha - 1.0, safe)
        impossible = np.any(np.isneginf(terms), axis=-1) | ~inside
        at_edge = np.sum(np.where(impossible[..., None], 0.0, terms), axis=-1) - self.log_norm
        interior = np.all(safe > 0.0, axis=-1)
        safe = np.where(interior[..., None], safe, self.mean)
        inner = log_multinomial(self.alpha, safe) + np.sum(log_ratio(self.alpha, safe), axis=-1)
        inner = inner - np.log(self.total[..., 0])
        return np.where(impossible, -np.inf, np.where(interior, inner, at_edge))

    def sample(self, n: int, rng: np.random.Generator) -> Floats:
        draws = np.maximum(rng.standard_gamma(self.alpha, size=(n, *self.alpha.shape)), np.finfo(float).tiny)
        return draws / np.sum(draws, axis=-1, keepdims=True)

    def expected_log_density(self, other: Distribution) -> Numbers:
        if not isinstance(other, Dirichlet):
            return super().expected_log_density(other)
        return np.sum((self.alpha - 1.0) * other.mean_log, axis=-1) - self.log_norm

    def given(self, counts: Numbers) -> Dirichlet:
        """The posterior law after counts of the values."""
        return Dirichlet(self.alpha + counts)

    def mode_given(self, statistics: Counts) -> Categorical:
        """The categorical law of greatest posterior density."""
        return Categorical(self.given(statistics.counts).mode)


def solve_log_means(means: Floats, *, most: int = 200) -> Floats:
    """The α of (2) from the mean logarithms, along the last axis; the likelihood is concave in α.

    Minka (2000), equations 9 to 18, with steps halved until they stay positive and do not lower the likelihood.
    """
    if not np.all(np.sum(np.exp(means), axis=-1) < 1.0 - 1e-13):
        raise ValueError("all rows of X are equal, so α would be infinite; add rows")
    alpha = np.ones_like(means)
    for _ in range(most):
        old, alpha = alpha, _halved(alpha, _newton_step(alpha, means), means)
        if np.all(np.abs(alpha - old) <= 1e-12 * alpha):
            break
    return alpha


def _likelihood(alpha: Floats, means: Floats) -> Floats:
    return gammaln(np.sum(alpha, axis=-1)) + np.sum((alpha - 1.0) * means - gammaln(alpha), axis=-1)


def _newton_step(alpha: Floats, means: Floats) -> Floats:
    total = np.sum(alpha, axis=-1, keepdims=True)
    gradient = digamma(total) - digamma(alpha) + means
    q, z = -polygamma(1, alpha), polygamma(1, total)
    shift = np.sum(gradient / q, axis=-1, keepdims=True) / (1.0 / z + np.sum(1.0 / q, axis=-1, keepdims=True))
    return -(gradient - shift) / q


def _halved(alpha: Floats, step: Floats, means: Floats) -> Floats:
    """α after the step, or the first of its halves that serves; α where none does."""
    before = _likelihood(alpha, means)
    size, good = np.ones(alpha.shape[:-1]), np.zeros(alpha.shape[:-1], dtype=bool)
    for _ in range(60):
        trial = alpha + size[..., None] * step
        inside = np.all(trial > 0.0, axis=-1)
        after = _likelihood(np.where(inside[..., None], trial, alpha), means)
        good = inside & (after >= before - 1e-12 * (1.0 + np.abs(before)))
        if np.all(good):
            break
        size = np.where(good, size, 0.5 * size)
    return np.where(good[..., None], trial, alpha)
