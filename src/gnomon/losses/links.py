"""Links of generalised linear models.

    g(μ) = η = xᵀw + b,    μ = g⁻¹(η)                                                              (1)

A link is the map from the mean to the linear predictor, its inverse and the derivative dμ/dη of the inverse. The
inverses of the links for probabilities stay strictly inside (0, 1), as a likelihood needs. McCullagh & Nelder (1989),
section 2.2.3 and 4.3.1, doi:10.1007/978-1-4899-3242-6.
"""

import math
from abc import ABC, abstractmethod

import numpy as np
from scipy.special import ndtr, ndtri

from gnomon._jit import choose, in_kernels, noun
from gnomon.numerics.special import sigmoid

__all__ = ["CLogLogLink", "IdentityLink", "InverseLink", "Link", "LogLink", "LogitLink", "ProbitLink"]

LIMIT = 35.0
"""|η| beyond which σ(η) is 0 or 1 in double precision."""

POLE = 1e-9
"""What stands for η = 0 in 1/η."""


def _ndtr_of_one(s):
    # Φ(s) = ½ erfc(−s/√2), the complement, so that the lower tail keeps its digits.
    return 0.5 * math.erfc(-s * 0.7071067811865476)


@in_kernels(_ndtr_of_one)
def normal_cdf(s):
    """Φ(s), the distribution function of the standard normal."""
    return ndtr(s)


class Link(ABC):
    """Base of every link: subclass it, decorate with ``gnomon.losses.noun``, write the three formulas.

    References
    ----------
    McCullagh, P. & Nelder, J. (1989). Generalized Linear Models, section 2.2.3. doi:10.1007/978-1-4899-3242-6

    Examples
    --------
    >>> from gnomon.losses import Link, LogitLink
    >>> issubclass(LogitLink, Link)
    True
    """

    @abstractmethod
    def score(self, mean):
        """η = g(μ), elementwise."""

    @abstractmethod
    def mean(self, z):
        """μ = g⁻¹(η), elementwise."""

    @abstractmethod
    def mean_slope(self, z):
        """dμ/dη, elementwise."""


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

    def score(self, mean):
        return mean

    def mean(self, z):
        return z

    def mean_slope(self, z):
        return 1.0 + 0.0 * z


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

    def score(self, mean):
        return np.log(mean)

    def mean(self, z):
        return np.exp(np.minimum(z, 700.0))

    def mean_slope(self, z):
        return np.exp(np.minimum(z, 700.0))


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

    def score(self, mean):
        return 1.0 / mean

    def mean(self, z):
        return 1.0 / choose(z == 0.0, POLE, z)

    def mean_slope(self, z):
        return -1.0 / choose(z == 0.0, POLE, z) ** 2


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

    def score(self, mean):
        return np.log(mean) - np.log1p(-mean)

    def mean(self, z):
        return sigmoid(np.minimum(np.maximum(z, -LIMIT), LIMIT))

    def mean_slope(self, z):
        p = sigmoid(np.minimum(np.maximum(z, -LIMIT), LIMIT))
        return p * (1.0 - p)


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

    def score(self, mean):
        return ndtri(mean)

    def mean(self, z):
        return normal_cdf(np.minimum(np.maximum(z, -8.0), 8.0))

    def mean_slope(self, z):
        s = np.minimum(np.maximum(z, -8.0), 8.0)
        return np.exp(-0.5 * s * s) * 0.3989422804014327


@noun
class CLogLogLink(Link):
    """g(μ) = log(−log(1 − μ)), the complementary log-log.

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

    def score(self, mean):
        return np.log(-np.log1p(-mean))

    def mean(self, z):
        return -np.expm1(-np.exp(np.minimum(np.maximum(z, -LIMIT), 3.5)))

    def mean_slope(self, z):
        s = np.minimum(np.maximum(z, -LIMIT), 3.5)
        return np.exp(s - np.exp(s))
