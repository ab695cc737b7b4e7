"""Gamma and inverse-gamma distributions.

    Gamma(a, b):         log p(x) = a log b − log Γ(a) + (a − 1) log x − b x                          (1)
    InverseGamma(a, b):  1/x ~ Gamma(a, b);  log p(x) = a log b − log Γ(a) − (a + 1) log x − b/x      (2)
    log â − ψ(â) = log x̄ − mean(log x),    b̂ = â / x̄                                               (3)

Gelman et al. (2013), Bayesian Data Analysis, appendix A, doi:10.1201/b16018; (3) is solved by the generalised Newton
steps of Minka (2002), Estimating a Gamma distribution.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.special import digamma, gammainccinv, gammaincinv, gammaln, polygamma

from gnomon._typing import ArrayLike, Floats, Numbers
from gnomon.distributions._base import Distribution, Statistics, check_points, frozen, met_rows, positive
from gnomon.distributions.normal import Normal
from gnomon.numerics.saddle_point import log_poisson, log_ratio, two_product
from gnomon.numerics.streaming import Moments

__all__ = ["Gamma", "InverseGamma"]


@dataclass(frozen=True, eq=False)
class PowerSums(Statistics):
    """Σ sᵢ, Σ sᵢ xᵢ and Σ sᵢ log xᵢ."""

    total: Numbers
    logs: Numbers


@dataclass(frozen=True)
class Gamma(Distribution):
    """Gamma law with shape a and rate b, equation (1); the conjugate prior of rates.

    Parameters
    ----------
    a, b : float or ndarray
        Shape and rate, both > 0: mean a/b, variance a/b².

    References
    ----------
    Gelman, A. et al. (2013). Bayesian Data Analysis, appendix A. doi:10.1201/b16018

    Examples
    --------
    >>> from gnomon.distributions import Gamma
    >>> law = Gamma(3.0, 2.0)
    >>> law.mean, law.mode, law.var, round(float(law.log_density(1.0)), 7)
    (1.5, 1.0, 0.75, -0.6137056)
    >>> fitted = Gamma.fit([1.0, 2.0, 3.0])
    >>> round(fitted.a, 5), round(fitted.b, 5)
    (5.37521, 2.6876)
    """

    a: Numbers
    b: Numbers

    def __post_init__(self) -> None:
        _shape_and_rate(self)

    @classmethod
    def statistics(cls, X: ArrayLike, sample_weight: ArrayLike | None = None) -> PowerSums:
        X, weights = met_rows(X, sample_weight)
        if not np.min(X) > 0.0:
            raise ValueError(f"X holds {np.min(X):g}, and a gamma law has x > 0; shift X or choose another law")
        return PowerSums(float(np.sum(weights)), weights @ X, weights @ np.log(X))

    @classmethod
    def from_statistics(cls, statistics: PowerSums) -> Self:
        """Equation (3)."""
        mean = statistics.total / statistics.weight
        excess = np.log(mean) - statistics.logs / statistics.weight
        # If all values are equal, rounding leaves a few ε.
        if not np.all(excess > 8.0 * np.finfo(float).eps * (1.0 + np.abs(np.log(mean)))):
            raise ValueError("all values of a column of X are equal: its shape would be infinite; add rows or drop it")
        a = _shape(excess)
        return cls(a, a / mean)

    @property
    def mean(self) -> Numbers:
        """a/b."""
        return self.a / self.b

    @property
    def var(self) -> Numbers:
        """a/b²."""
        return self.a / self.b**2

    @property
    def mode(self) -> Numbers:
        """(a − 1)/b, and 0 for a ≤ 1."""
        return frozen(np.maximum(self.a - 1.0, 0.0) / self.b)

    @property
    def n_parameters(self) -> int:
        return 2 * int(np.size(self.mean))

    def log_density(self, x: ArrayLike) -> Numbers:
        x = check_points(x, np.shape(self.mean))
        with np.errstate(divide="ignore"):
            at_zero = np.where(
                np.asarray(self.a) == 1.0, np.log(self.b), np.where(np.asarray(self.a) < 1.0, np.inf, -np.inf)
            )
        safe = np.where(x > 0.0, x, 1.0)
        out = _log_gamma(self.a, *two_product(self.b, safe), np.log(self.b) + np.log(safe), safe)
        return np.where(x > 0.0, out, np.where(x == 0.0, at_zero, -np.inf))

    def sample(self, n: int, rng: np.random.Generator) -> Floats:
        return rng.gamma(self.a, 1.0 / np.asarray(self.b), size=(n, *np.shape(self.mean)))

    def quantile(self, p: ArrayLike) -> Numbers:
        return gammaincinv(self.a, p) / self.b

    def entropy(self) -> Numbers:
        """a − log b + log Γ(a) + (1 − a) ψ(a)."""
        return self.a - np.log(self.b) + gammaln(self.a) + (1.0 - self.a) * digamma(self.a)


@dataclass(frozen=True)
class InverseGamma(Distribution):
    """Inverse-gamma law (2), with mean b/(a − 1) for a > 1 and mode b/(a + 1); the conjugate prior of variances.

    Parameters
    ----------
    a, b : float or ndarray
        Shape and scale, both > 0.

    References
    ----------
    Gelman, A. et al. (2013). Bayesian Data Analysis, section 3.2. doi:10.1201/b16018

    Examples
    --------
    >>> from gnomon.distributions import InverseGamma
    >>> law = InverseGamma(3.0, 4.0)
    >>> law.mean, law.mode, law.var
    (2.0, 1.0, 4.0)
    """

    a: Numbers
    b: Numbers

    def __post_init__(self) -> None:
        _shape_and_rate(self)

    @classmethod
    def statistics(cls, X: ArrayLike, sample_weight: ArrayLike | None = None) -> PowerSums:
        """Those of 1/x under a gamma law."""
        X, weights = met_rows(X, sample_weight)
        if not np.min(X) > 0.0:
            raise ValueError(f"X holds {np.min(X):g}, and an InverseGamma law has x > 0; shift X or choose another law")
        return Gamma.statistics(1.0 / X, weights)

    @classmethod
    def from_statistics(cls, statistics: PowerSums) -> Self:
        """The law whose inverse is the gamma law of (3)."""
        inverse = Gamma.from_statistics(statistics)
        return cls(inverse.a, inverse.b)

    @property
    def mean(self) -> Numbers:
        """b/(a − 1), for a > 1."""
        return _ratio(self.b, self.a - 1.0)

    @property
    def mode(self) -> Numbers:
        """b/(a + 1)."""
        return self.b / (self.a + 1.0)

    @property
    def var(self) -> Numbers:
        """b²/((a − 1)²(a − 2)), for a > 2."""
        return _ratio(np.square(self.mean), self.a - 2.0)

    @property
    def mean_log(self) -> Numbers:
        """E[log x] = log b − ψ(a)."""
        return np.log(self.b) - digamma(self.a)

    @property
    def log_norm(self) -> Numbers:
        """log Γ(a) − a log b."""
        return gammaln(self.a) - self.a * np.log(self.b)

    @property
    def n_parameters(self) -> int:
        return 2 * int(np.size(self.mode))

    def log_density(self, x: ArrayLike) -> Numbers:
        x = check_points(x, np.shape(self.mode))
        inside = x > 0.0
        safe = np.where(inside, x, 1.0)
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            rate = self.b / safe
            product, rest = two_product(rate, safe)
            missed = np.where(np.isfinite(rate), ((self.b - product) - rest) / safe, 0.0)
        out = _log_gamma(self.a, rate, missed, np.log(self.b) - np.log(safe), safe)
        return np.where(inside, out, -np.inf)

    def sample(self, n: int, rng: np.random.Generator) -> Floats:
        return self.b / rng.gamma(self.a, size=(n, *np.shape(self.mode)))

    def quantile(self, p: ArrayLike) -> Numbers:
        return self.b / gammainccinv(self.a, p)

    def entropy(self) -> Numbers:
        """a + log b + log Γ(a) − (1 + a) ψ(a)."""
        return self.a + np.log(self.b) + gammaln(self.a) - (1.0 + self.a) * digamma(self.a)

    def mode_given(self, statistics: Moments) -> Normal:
        """The normal law of greatest posterior density, with this prior of its variance and a flat one of its mean."""
        var = (self.b + 0.5 * statistics.scatter) / (self.a + 1.0 + 0.5 * statistics.weight)
        return Normal(statistics.mean, var)


def _shape_and_rate(law: Gamma | InverseGamma) -> None:
    object.__setattr__(law, "a", frozen(law.a))
    object.__setattr__(law, "b", frozen(law.b))
    positive(a=law.a, b=law.b)


def _log_gamma(a: Numbers, rate: Numbers, rest: Numbers, log_rate: Numbers, x: Floats) -> Floats:
    """log λᵃe^{−λ}/(Γ(a) x), which is (1) with λ = bx and (2) with λ = b/x; λ is `rate` + `rest`."""
    return log_poisson(a, rate, (a - rate) - rest, log_rate) + log_ratio(a, x)


def _ratio(a: Numbers, b: Numbers) -> Numbers:
    """a/b, infinite where b is not above zero; a float for floats."""
    out = np.where(np.asarray(b) > 0.0, a / np.where(np.asarray(b) > 0.0, b, 1.0), np.inf)
    return out if out.ndim else float(out)


def _shape(excess: Numbers, *, most: int = 100) -> Numbers:
    """The root of (3); Minka (2002), equations 9 and 11."""
    a = (3.0 - excess + np.sqrt((excess - 3.0) ** 2 + 24.0 * excess)) / (12.0 * excess)
    for _ in range(most):
        step = (np.log(a) - digamma(a) - excess) / (a * a * (1.0 / a - polygamma(1, a)))
        a, old = 1.0 / (1.0 / a + step), a
        if np.all(np.abs(a - old) <= 1e-14 * a):
            break
    return a
