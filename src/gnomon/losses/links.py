"""Links of generalised linear models.

    g(μ) = η = xᵀw + b,    μ = g⁻¹(η)                                                              (1)

A link is the map from the mean to the linear predictor, its inverse and the derivative dμ/dη of the inverse. A mean
rounds to 0 or 1 long before its logarithm stops changing, so a link also gives log μ, log(1 − μ) and their slopes in η.
McCullagh & Nelder (1989), section 2.2.3 and 4.3.1, doi:10.1007/978-1-4899-3242-6.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

import numpy as np
from scipy.special import ndtri

from gnomon._jit import choose, jitable, noun, verb
from gnomon._typing import Elementwise
from gnomon.numerics.special import log_sigmoid, sigmoid
from gnomon.numerics.tails import (
    exponent_range,
    log_normal_cdf,
    log_normal_cdf_slope,
    log_one_minus_exp,
    normal_cdf,
    normal_density,
)

__all__ = ["CLogLogLink", "IdentityLink", "InverseLink", "Link", "LogLink", "LogitLink", "ProbitLink"]


@jitable
def _log_positive(a: Elementwise) -> Elementwise:
    """log a, and −inf for a ≤ 0."""
    return choose(a > 0.0, np.log(choose(a > 0.0, a, 1.0)), -np.inf)


@jitable
def _over_positive(a: Elementwise, b: Elementwise) -> Elementwise:
    """a/b, and a for b ≤ 0: a slope where there is none, of the right sign."""
    return a / choose(b > 0.0, b, 1.0)


@jitable
def _off_zero(z: Elementwise) -> Elementwise:
    """z, kept so far from zero that 1/z³ is a number."""
    least = math.exp(-exponent_range(z) / 3.0)
    return np.copysign(np.maximum(np.abs(z), least), z)


@jitable
def _exp(z: Elementwise) -> Elementwise:
    """e^z, with z clipped to the range in which it is a positive finite number."""
    limit = exponent_range(z)
    return np.exp(np.minimum(np.maximum(z, -limit), limit))


class Link(ABC):
    """Base of every link: subclass it, decorate with ``gnomon.losses.noun``, write the first three formulas.

    The logarithms and their slopes follow from these; a link whose mean under- or overflows, or rounds to 1,
    overrides them.

    References
    ----------
    McCullagh, P. & Nelder, J. (1989). Generalized Linear Models, section 2.2.3. doi:10.1007/978-1-4899-3242-6

    Examples
    --------
    >>> from gnomon.losses import LogitLink
    >>> LogitLink().log_mean(-1000.0), LogitLink().log_rest(-1000.0)
    (np.float64(-1000.0), np.float64(-0.0))
    """

    @abstractmethod
    def score(self, mean: Elementwise) -> Elementwise:
        """η = g(μ), elementwise."""

    @verb
    @abstractmethod
    def mean(self, z: Elementwise) -> Elementwise:
        """μ = g⁻¹(η), elementwise."""

    @verb
    @abstractmethod
    def mean_slope(self, z: Elementwise) -> Elementwise:
        """dμ/dη, elementwise."""

    @verb
    def log_mean(self, z: Elementwise) -> Elementwise:
        """log μ, elementwise; −inf where μ is not positive."""
        return _log_positive(self.mean(z))

    @verb
    def log_mean_slope(self, z: Elementwise) -> Elementwise:
        """d log μ/dη = μ'/μ, elementwise."""
        return _over_positive(self.mean_slope(z), self.mean(z))

    @verb
    def log_rest(self, z: Elementwise) -> Elementwise:
        """log(1 − μ), elementwise; −inf where μ is not below 1."""
        return _log_positive(1.0 - self.mean(z))

    @verb
    def log_rest_slope(self, z: Elementwise) -> Elementwise:
        """−d log(1 − μ)/dη = μ'/(1 − μ), elementwise."""
        return _over_positive(self.mean_slope(z), 1.0 - self.mean(z))


@noun
class IdentityLink(Link):
    """g(μ) = μ.

    References
    ----------
    McCullagh, P. & Nelder, J. (1989). Generalized Linear Models. doi:10.1007/978-1-4899-3242-6

    Examples
    --------
    >>> from gnomon.losses import IdentityLink
    >>> IdentityLink().mean(2.0)
    2.0
    """

    def score(self, mean: Elementwise) -> Elementwise:
        return mean

    def mean(self, z: Elementwise) -> Elementwise:
        return z

    def mean_slope(self, z: Elementwise) -> Elementwise:
        return 1.0 + 0.0 * z

    def log_rest(self, z: Elementwise) -> Elementwise:
        return choose(z < 1.0, np.log1p(-choose(z < 1.0, z, 0.0)), -np.inf)


@noun
class LogLink(Link):
    """g(μ) = log μ.

    References
    ----------
    McCullagh, P. & Nelder, J. (1989). Generalized Linear Models. doi:10.1007/978-1-4899-3242-6

    Examples
    --------
    >>> from gnomon.losses import LogLink
    >>> float(LogLink().mean(0.0))
    1.0
    """

    def score(self, mean: Elementwise) -> Elementwise:
        return np.log(mean)

    def mean(self, z: Elementwise) -> Elementwise:
        return _exp(z)

    def mean_slope(self, z: Elementwise) -> Elementwise:
        return _exp(z)

    def log_mean(self, z: Elementwise) -> Elementwise:
        return z

    def log_mean_slope(self, z: Elementwise) -> Elementwise:
        return 1.0 + 0.0 * z

    def log_rest(self, z: Elementwise) -> Elementwise:
        return log_one_minus_exp(z)

    def log_rest_slope(self, z: Elementwise) -> Elementwise:
        return _over_positive(_exp(z), -np.expm1(np.minimum(z, 0.0)))


@noun
class InverseLink(Link):
    """g(μ) = 1/μ, the canonical link of the gamma family; η > 0 where the mean must be positive.

    References
    ----------
    McCullagh, P. & Nelder, J. (1989). Generalized Linear Models. doi:10.1007/978-1-4899-3242-6

    Examples
    --------
    >>> from gnomon.losses import InverseLink
    >>> float(InverseLink().mean(4.0)), float(InverseLink().mean_slope(4.0))
    (0.25, -0.0625)
    """

    def score(self, mean: Elementwise) -> Elementwise:
        return 1.0 / mean

    def mean(self, z: Elementwise) -> Elementwise:
        return 1.0 / _off_zero(z)

    def mean_slope(self, z: Elementwise) -> Elementwise:
        return -((1.0 / _off_zero(z)) ** 2)

    def log_mean(self, z: Elementwise) -> Elementwise:
        # At η = 0 there is no mean; minus log η alone would be +inf there.
        return choose(z > 0.0, -_log_positive(z), -np.inf)

    def log_mean_slope(self, z: Elementwise) -> Elementwise:
        return -1.0 / np.abs(_off_zero(z))


@noun
class LogitLink(Link):
    """g(μ) = log(μ/(1 − μ)), the canonical link of the binomial family.

    References
    ----------
    Berkson, J. (1944). Application of the logistic function to bio-assay. doi:10.1080/01621459.1944.10500699

    Examples
    --------
    >>> from gnomon.losses import LogitLink
    >>> float(LogitLink().mean(0.0)), float(LogitLink().mean_slope(0.0))
    (0.5, 0.25)
    """

    def score(self, mean: Elementwise) -> Elementwise:
        return np.log(mean) - np.log1p(-mean)

    def mean(self, z: Elementwise) -> Elementwise:
        return sigmoid(z)

    def mean_slope(self, z: Elementwise) -> Elementwise:
        return sigmoid(z) * sigmoid(-z)

    def log_mean(self, z: Elementwise) -> Elementwise:
        return log_sigmoid(z)

    def log_mean_slope(self, z: Elementwise) -> Elementwise:
        return sigmoid(-z)

    def log_rest(self, z: Elementwise) -> Elementwise:
        return log_sigmoid(-z)

    def log_rest_slope(self, z: Elementwise) -> Elementwise:
        return sigmoid(z)


@noun
class ProbitLink(Link):
    """g(μ) = Φ⁻¹(μ), the quantile of the standard normal.

    References
    ----------
    Bliss, C. I. (1934). The method of probits. doi:10.1126/science.79.2037.38

    Examples
    --------
    >>> from gnomon.losses import ProbitLink
    >>> float(ProbitLink().mean(0.0)), round(float(ProbitLink().mean_slope(0.0)), 7)
    (0.5, 0.3989423)
    """

    def score(self, mean: Elementwise) -> Elementwise:
        return ndtri(mean)

    def mean(self, z: Elementwise) -> Elementwise:
        return normal_cdf(z)

    def mean_slope(self, z: Elementwise) -> Elementwise:
        return normal_density(z)

    def log_mean(self, z: Elementwise) -> Elementwise:
        return log_normal_cdf(z)

    def log_mean_slope(self, z: Elementwise) -> Elementwise:
        return log_normal_cdf_slope(z)

    def log_rest(self, z: Elementwise) -> Elementwise:
        return log_normal_cdf(-z)

    def log_rest_slope(self, z: Elementwise) -> Elementwise:
        return log_normal_cdf_slope(-z)


@noun
class CLogLogLink(Link):
    """g(μ) = log(−log(1 − μ)), the complementary log-log: log(1 − μ) = −e^η.

    References
    ----------
    Fisher, R. A. (1922). On the mathematical foundations of theoretical statistics, section 12.3.
    doi:10.1098/rsta.1922.0009

    Examples
    --------
    >>> from gnomon.losses import CLogLogLink
    >>> round(float(CLogLogLink().mean(0.0)), 7)
    0.6321206
    """

    def score(self, mean: Elementwise) -> Elementwise:
        return np.log(-np.log1p(-mean))

    def mean(self, z: Elementwise) -> Elementwise:
        return -np.expm1(-_exp(z))

    def mean_slope(self, z: Elementwise) -> Elementwise:
        e = _exp(z)
        return e * np.exp(-e)

    def log_mean(self, z: Elementwise) -> Elementwise:
        # Below zero μ ≈ e^η, which must not be left to underflow.
        e = _exp(z)
        return choose(z < 0.0, z + np.log(-np.expm1(-e) / e), np.log1p(-np.exp(-np.maximum(e, 1.0))))

    def log_mean_slope(self, z: Elementwise) -> Elementwise:
        e = _exp(z)
        return e * np.exp(-e) / -np.expm1(-e)

    def log_rest(self, z: Elementwise) -> Elementwise:
        return -_exp(z)

    def log_rest_slope(self, z: Elementwise) -> Elementwise:
        return _exp(z)
