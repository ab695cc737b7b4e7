"""Deviance losses of generalised linear models.

    ℓ(y, η) = ½ d(y, μ),    μ = g⁻¹(η),    d(y, μ) = 2 ∫_μ^y (y − t)/V(t) dt                          (1)

A family is a variance function V(μ) with its unit deviance d; with a link g it makes a loss of the linear predictor η.
The gradient is (μ − y) μ'(η)/V(μ). The curvature is Fisher's expected one, μ'(η)²/V(μ): it is never negative and
equals the second derivative for the canonical link. Nelder & Wedderburn (1972), doi:10.2307/2344614; power variances:
Jørgensen (1987), doi:10.1111/j.2517-6161.1987.tb01685.x.
"""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np

from gnomon._jit import choose, inline, noun
from gnomon.losses._base import Loss, Targets
from gnomon.losses.links import CLogLogLink, IdentityLink, InverseLink, Link, LogitLink, LogLink, ProbitLink

__all__ = [
    "BinomialFamily",
    "DevianceLoss",
    "Family",
    "GammaFamily",
    "GaussianFamily",
    "InverseGaussianFamily",
    "PoissonFamily",
    "TweedieFamily",
]


@inline
def _log_ratio(y, mean):
    """y log(y/μ), zero at y = 0."""
    return y * np.log(choose(y > 0.0, y, mean) / mean)


class Family(ABC):
    """Base of every family: the variance function V(μ), the unit deviance d(y, μ) and the usual link.

    References
    ----------
    Nelder, J. & Wedderburn, R. (1972). Generalized linear models. doi:10.2307/2344614

    Examples
    --------
    >>> from gnomon.losses import PoissonFamily
    >>> PoissonFamily().variance(3.0), float(PoissonFamily().deviance(3.0, 3.0))
    (3.0, 0.0)
    """

    targets: ClassVar[Targets] = "real"
    dispersed: ClassVar[bool] = True
    default_link: ClassVar[Link] = IdentityLink()

    @abstractmethod
    def variance(self, mean):
        """V(μ), elementwise; not positive where μ lies outside the family."""

    @abstractmethod
    def deviance(self, y, mean):
        """d(y, μ) ≥ 0, elementwise; zero at μ = y."""


@noun
class GaussianFamily(Family):
    """V(μ) = 1, d = (y − μ)².

    References
    ----------
    Nelder, J. & Wedderburn, R. (1972). Generalized linear models. doi:10.2307/2344614

    Examples
    --------
    >>> from gnomon.losses import GaussianFamily
    >>> GaussianFamily().deviance(3.0, 1.0)
    4.0
    """

    def variance(self, mean):
        return 1.0 + 0.0 * mean

    def deviance(self, y, mean):
        return (y - mean) ** 2


@noun
class BinomialFamily(Family):
    """V(μ) = μ(1 − μ), d = 2[y log(y/μ) + (1 − y) log((1 − y)/(1 − μ))] for a share y ∈ [0, 1].

    References
    ----------
    Nelder, J. & Wedderburn, R. (1972). Generalized linear models. doi:10.2307/2344614

    Examples
    --------
    >>> from gnomon.losses import BinomialFamily
    >>> round(float(BinomialFamily().deviance(1.0, 0.5)), 7)
    1.3862944
    """

    targets = "unit"
    dispersed = False
    default_link = LogitLink()

    def variance(self, mean):
        return mean * (1.0 - mean)

    def deviance(self, y, mean):
        return 2.0 * (_log_ratio(y, mean) + _log_ratio(1.0 - y, 1.0 - mean))


@noun
class PoissonFamily(Family):
    """V(μ) = μ, d = 2[y log(y/μ) − (y − μ)].

    References
    ----------
    Nelder, J. & Wedderburn, R. (1972). Generalized linear models. doi:10.2307/2344614

    Examples
    --------
    >>> from gnomon.losses import PoissonFamily
    >>> float(PoissonFamily().deviance(0.0, 2.0))
    4.0
    """

    targets = "count"
    dispersed = False
    default_link = LogLink()

    def variance(self, mean):
        return mean

    def deviance(self, y, mean):
        return 2.0 * (_log_ratio(y, mean) - (y - mean))


@noun
class GammaFamily(Family):
    """V(μ) = μ², d = 2[−log(y/μ) + (y − μ)/μ]; the usual link is 1/μ.

    References
    ----------
    Nelder, J. & Wedderburn, R. (1972). Generalized linear models. doi:10.2307/2344614

    Examples
    --------
    >>> from gnomon.losses import GammaFamily
    >>> round(float(GammaFamily().deviance(1.0, 2.0)), 7)
    0.3862944
    """

    targets = "positive"
    default_link = InverseLink()

    def variance(self, mean):
        return mean * np.abs(mean)

    def deviance(self, y, mean):
        return 2.0 * ((y - mean) / mean - np.log(y / mean))


@noun
class InverseGaussianFamily(Family):
    """V(μ) = μ³, d = (y − μ)²/(y μ²); the usual link here is the log.

    References
    ----------
    Tweedie, M. C. K. (1957). Statistical properties of inverse Gaussian distributions. doi:10.1214/aoms/1177706964

    Examples
    --------
    >>> from gnomon.losses import InverseGaussianFamily
    >>> InverseGaussianFamily().deviance(1.0, 2.0)
    0.25
    """

    targets = "positive"
    default_link = LogLink()

    def variance(self, mean):
        return mean**3

    def deviance(self, y, mean):
        return (y - mean) ** 2 / (y * mean * mean)


@noun
class TweedieFamily(Family):
    """V(μ) = μᵖ, d = 2[y^{2−p}/((1−p)(2−p)) − y μ^{1−p}/(1−p) + μ^{2−p}/(2−p)], p outside [0, 1] and not 2.

    For 1 < p < 2 it is the law of a Poisson number of gamma sums: zeros, and positive numbers. For p = 0, 1, 2, 3 use
    the Gaussian, Poisson, gamma and inverse Gaussian families.

    Parameters
    ----------
    power : float, default=1.5

    References
    ----------
    Jørgensen, B. (1987). Exponential dispersion models. doi:10.1111/j.2517-6161.1987.tb01685.x

    Examples
    --------
    >>> from gnomon.losses import TweedieFamily
    >>> float(TweedieFamily(1.5).deviance(0.0, 4.0)), float(TweedieFamily(1.5).deviance(4.0, 4.0))
    (8.0, 0.0)
    """

    power: float = 1.5

    targets = "count"
    default_link = LogLink()

    def variance(self, mean):
        return np.maximum(mean, 0.0) ** self.power

    def deviance(self, y, mean):
        p = self.power
        own = np.maximum(y, 0.0) ** (2.0 - p) / ((1.0 - p) * (2.0 - p))
        return 2.0 * (own - y * mean ** (1.0 - p) / (1.0 - p) + mean ** (2.0 - p) / (2.0 - p))


@noun
class DevianceLoss(Loss):
    """Half the unit deviance of a family, as a function of the linear predictor: ℓ(y, η) = ½ d(y, g⁻¹(η)).

    Where η lies outside the domain of the link (a mean that must be positive is not), the loss is +inf.

    Parameters
    ----------
    family : Family
    g : Link

    References
    ----------
    Nelder, J. & Wedderburn, R. (1972). Generalized linear models. doi:10.2307/2344614

    Examples
    --------
    >>> from gnomon.losses import DevianceLoss, LogLink, PoissonFamily
    >>> loss = DevianceLoss(PoissonFamily(), LogLink())
    >>> float(loss.value(0.0, 0.0)), float(loss.gradient(3.0, 0.0)), float(loss.curvature(3.0, 0.0))
    (1.0, -2.0, 1.0)
    """

    family: Any
    g: Any

    @property
    def targets(self):
        return self.family.targets

    @property
    def convex(self):
        return type(self.g) in CONVEX.get(type(self.family), ())

    def value(self, y, z):
        mean = self.g.mean(z)
        inside = self.family.variance(mean) > 0.0
        safe = choose(inside, mean, 0.5 + 0.0 * mean)
        return choose(inside, 0.5 * self.family.deviance(y, safe), np.inf)

    def gradient(self, y, z):
        mean = self.g.mean(z)
        return (mean - y) * self.g.mean_slope(z) / self.family.variance(mean)

    def curvature(self, y, z):
        slope = self.g.mean_slope(z)
        return slope * slope / self.family.variance(self.g.mean(z))

    def inverse(self, z):
        return self.g.mean(z)

    def link(self, mean):
        return self.g.score(mean)


CONVEX = {
    GaussianFamily: (IdentityLink,),
    BinomialFamily: (LogitLink, ProbitLink, CLogLogLink),
    PoissonFamily: (LogLink, IdentityLink),
    GammaFamily: (InverseLink, LogLink),
    TweedieFamily: (LogLink,),
}
"""The links with which the deviance of a family is convex in η."""
