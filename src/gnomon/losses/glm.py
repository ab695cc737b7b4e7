"""Deviance losses of generalised linear models.

    ℓ(y, η) = ½ d(y, μ),    μ = g⁻¹(η),    d(y, μ) = 2 ∫_μ^y (y − t)/V(t) dt                          (1)

A family is a variance function V(μ) with its unit deviance d; with a link g it makes a loss of the linear predictor η.
The gradient is (μ − y) μ'(η)/V(μ). The curvature is Fisher's expected one, μ'(η)²/V(μ): it is never negative and
equals the second derivative for the canonical link. Each family writes them in the terms of the link (μ, log μ,
log(1 − μ) and their slopes) in which nothing overflows or cancels before the result does. Nelder & Wedderburn (1972),
doi:10.2307/2344614; power variances: Jørgensen (1987), doi:10.1111/j.2517-6161.1987.tb01685.x.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from gnomon._jit import choose, jitable, noun, verb
from gnomon._typing import Elementwise, Numbers
from gnomon.losses._base import Loss, Targets
from gnomon.losses.links import CLogLogLink, IdentityLink, InverseLink, Link, LogitLink, LogLink, ProbitLink
from gnomon.numerics.tails import exponent_range

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


@jitable
def _log_ratio(y: Numbers, mean: Numbers, log_mean: Numbers) -> Numbers:
    """log(y/μ), exact to rounding both near μ = y and where μ under- or overflows; any number where there is none."""
    own = choose(y > 0.0, y, 1.0)
    near = np.abs(mean - own) < 0.5 * own
    far = np.log(own) - choose(log_mean > -np.inf, log_mean, 0.0)
    return choose(near, -np.log1p(choose(near, mean - own, 0.0) / own), far)


@jitable
def _within(mean: Elementwise, fall: float, rise: float) -> Elementwise:
    """μ, kept in the range where 1/μ, μ^−fall, μ and μ^rise are positive numbers; 1 where μ lies outside the family."""
    r = exponent_range(mean)
    inside = choose(mean < 0.0, 1.0, mean)
    return np.minimum(np.maximum(inside, math.exp(-r / max(fall, 1.0))), math.exp(r / max(rise, 1.0)))


@jitable
def _with_square(a: Elementwise) -> Elementwise:
    """a of either sign, kept in the range where a² is a number."""
    limit = math.exp(0.5 * exponent_range(a))
    return np.minimum(np.maximum(a, -limit), limit)


@jitable
def _inside(log_mean: Numbers, value: Numbers) -> Numbers:
    """`value`, which rounding must not make negative, where the mean is positive; +inf where it has no logarithm."""
    return choose(log_mean > -np.inf, np.maximum(value, 0.0), np.inf)


class Family(ABC):
    """Base of every family: the variance function V(μ), the unit deviance d(y, μ) and the usual link.

    The loss at a linear predictor follows from V and d through the mean. A family whose terms overflow or cancel where
    the loss does not writes `value_at`, `gradient_at` and `curvature_at` itself.

    References
    ----------
    Nelder, J. & Wedderburn, R. (1972). Generalized linear models. doi:10.2307/2344614

    Examples
    --------
    >>> from gnomon.losses import PoissonFamily
    >>> PoissonFamily().variance(3.0), float(PoissonFamily().deviance(3.0, 3.0))
    (3.0, 0.0)
    """

    dispersed: ClassVar[bool] = True
    default_link: ClassVar[Link] = IdentityLink()
    residual_link: ClassVar[type[Link] | None] = None

    @property
    def targets(self) -> Targets:
        """What y is, in the words of `Loss`."""
        return "real"

    @property
    def convex_links(self) -> tuple[type[Link], ...]:
        """The links with which the loss is convex in η."""
        return ()

    @verb
    @abstractmethod
    def variance(self, mean: Elementwise) -> Elementwise:
        """V(μ), elementwise; not positive where μ lies outside the family."""

    @verb
    @abstractmethod
    def deviance(self, y: Numbers, mean: Numbers) -> Numbers:
        """d(y, μ) ≥ 0, elementwise; zero at μ = y."""

    @verb
    def value_at(self, y: Numbers, z: Numbers, link: Link) -> Numbers:
        """½ d(y, g⁻¹(η)), elementwise; +inf where the mean lies outside the family."""
        mean = link.mean(z)
        inside = self.variance(mean) > 0.0
        return choose(inside, 0.5 * self.deviance(y, choose(inside, mean, 0.5)), np.inf)

    @verb
    def gradient_at(self, y: Numbers, z: Numbers, link: Link) -> Numbers:
        """(μ − y) μ'/V, elementwise."""
        mean = link.mean(z)
        return (mean - y) * link.mean_slope(z) / self.variance(mean)

    @verb
    def curvature_at(self, z: Numbers, link: Link) -> Numbers:
        """μ'²/V, elementwise."""
        slope = link.mean_slope(z)
        return slope * slope / self.variance(link.mean(z))


class _LinkedFamily(Family):
    """A family that writes its loss at a linear predictor; the deviance is twice that at η = μ."""

    def deviance(self, y: Numbers, mean: Numbers) -> Numbers:
        return 2.0 * self.value_at(y, mean, IdentityLink())


@noun
class GaussianFamily(_LinkedFamily):
    """V(μ) = 1, d = (y − μ)².

    References
    ----------
    Nelder, J. & Wedderburn, R. (1972). Generalized linear models. doi:10.2307/2344614

    Examples
    --------
    >>> from gnomon.losses import GaussianFamily
    >>> float(GaussianFamily().deviance(3.0, 1.0))
    4.0
    """

    convex_links = (IdentityLink,)
    residual_link = IdentityLink

    def variance(self, mean: Elementwise) -> Elementwise:
        return 1.0 + 0.0 * mean

    def value_at(self, y: Numbers, z: Numbers, link: Link) -> Numbers:
        return 0.5 * _with_square(y - link.mean(z)) ** 2

    def gradient_at(self, y: Numbers, z: Numbers, link: Link) -> Numbers:
        return _with_square(link.mean(z) - y) * _with_square(link.mean_slope(z))

    def curvature_at(self, z: Numbers, link: Link) -> Numbers:
        return _with_square(link.mean_slope(z)) ** 2


@noun
class BinomialFamily(_LinkedFamily):
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
    convex_links = (LogitLink, ProbitLink, CLogLogLink, LogLink, IdentityLink)

    def variance(self, mean: Elementwise) -> Elementwise:
        return mean * (1.0 - mean)

    def value_at(self, y: Numbers, z: Numbers, link: Link) -> Numbers:
        log_mean, log_rest = link.log_mean(z), link.log_rest(z)
        least = np.minimum(log_mean, log_rest)
        inside = least > -np.inf
        hit = y * (np.log(choose(y > 0.0, y, 1.0)) - choose(inside, log_mean, 0.0))
        miss = (1.0 - y) * (np.log1p(-choose(y < 1.0, y, 0.0)) - choose(inside, log_rest, 0.0))
        return _inside(least, hit + miss)

    def gradient_at(self, y: Numbers, z: Numbers, link: Link) -> Numbers:
        return (1.0 - y) * link.log_rest_slope(z) - y * link.log_mean_slope(z)

    def curvature_at(self, z: Numbers, link: Link) -> Numbers:
        return link.log_mean_slope(z) * link.log_rest_slope(z)


@noun
class PoissonFamily(_LinkedFamily):
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
    convex_links = (LogLink, IdentityLink)

    def variance(self, mean: Elementwise) -> Elementwise:
        return mean

    def value_at(self, y: Numbers, z: Numbers, link: Link) -> Numbers:
        mean, log_mean = link.mean(z), link.log_mean(z)
        return _inside(log_mean, y * _log_ratio(y, mean, log_mean) + (mean - y))

    def gradient_at(self, y: Numbers, z: Numbers, link: Link) -> Numbers:
        return (link.mean(z) - y) * link.log_mean_slope(z)

    def curvature_at(self, z: Numbers, link: Link) -> Numbers:
        return link.mean_slope(z) * link.log_mean_slope(z)


@noun
class GammaFamily(_LinkedFamily):
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
    convex_links = (InverseLink, LogLink)

    def variance(self, mean: Elementwise) -> Elementwise:
        return mean * np.abs(mean)

    def value_at(self, y: Numbers, z: Numbers, link: Link) -> Numbers:
        mean, log_mean = _within(link.mean(z), 1.0, 1.0), link.log_mean(z)
        return _inside(log_mean, (y - mean) / mean - _log_ratio(y, mean, log_mean))

    def gradient_at(self, y: Numbers, z: Numbers, link: Link) -> Numbers:
        mean = _within(link.mean(z), 1.0, 1.0)
        return (mean - y) / mean * link.log_mean_slope(z)

    def curvature_at(self, z: Numbers, link: Link) -> Numbers:
        return link.log_mean_slope(z) ** 2


@noun
class InverseGaussianFamily(_LinkedFamily):
    """V(μ) = μ³, d = (y − μ)²/(y μ²); the usual link here is the log.

    References
    ----------
    Tweedie, M. C. K. (1957). Statistical properties of inverse Gaussian distributions. doi:10.1214/aoms/1177706964

    Examples
    --------
    >>> from gnomon.losses import InverseGaussianFamily
    >>> float(InverseGaussianFamily().deviance(1.0, 2.0))
    0.25
    """

    targets = "positive"
    default_link = LogLink()

    def variance(self, mean: Elementwise) -> Elementwise:
        return mean**3

    def value_at(self, y: Numbers, z: Numbers, link: Link) -> Numbers:
        mean = _within(link.mean(z), 2.0, 1.0)
        return _inside(link.log_mean(z), 0.5 * ((y - mean) / mean / np.sqrt(y)) ** 2)

    def gradient_at(self, y: Numbers, z: Numbers, link: Link) -> Numbers:
        mean = _within(link.mean(z), 2.0, 1.0)
        return (mean - y) / mean / mean * link.log_mean_slope(z)

    def curvature_at(self, z: Numbers, link: Link) -> Numbers:
        return link.log_mean_slope(z) ** 2 / _within(link.mean(z), 1.0, 1.0)


@noun
class TweedieFamily(_LinkedFamily):
    """V(μ) = μᵖ, d = 2[y^{2−p}/((1−p)(2−p)) − y μ^{1−p}/(1−p) + μ^{2−p}/(2−p)], p outside (0, 1] and not 2.

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

    default_link = LogLink()

    def __post_init__(self) -> None:
        if 0.0 < self.power <= 1.0 or self.power == 2.0:
            raise ValueError(
                f"power={self.power!r} must be ≤ 0 or > 1, and not 2; there is no law between 0 and 1, for 1 and 2 use "
                "PoissonFamily and GammaFamily"
            )

    @property
    def targets(self) -> Targets:
        return "positive" if self.power > 2.0 else "count" if self.power > 1.0 else "real"

    @property
    def convex_links(self) -> tuple[type[Link], ...]:
        return (LogLink,) if 1.0 < self.power < 2.0 else ()

    def variance(self, mean: Elementwise) -> Elementwise:
        return np.maximum(mean, 0.0) ** self.power

    def value_at(self, y: Numbers, z: Numbers, link: Link) -> Numbers:
        p = self.power
        mean = _within(link.mean(z), p - 1.0, 2.0 - p)
        own = np.maximum(y, 0.0) ** (2.0 - p) / ((1.0 - p) * (2.0 - p))
        value = own - y * mean ** (1.0 - p) / (1.0 - p) + mean ** (2.0 - p) / (2.0 - p)
        return _inside(link.log_mean(z), value)

    def gradient_at(self, y: Numbers, z: Numbers, link: Link) -> Numbers:
        p = self.power
        mean = _within(link.mean(z), p - 1.0, 2.0 - p)
        return (mean - y) / mean * mean ** (2.0 - p) * link.log_mean_slope(z)

    def curvature_at(self, z: Numbers, link: Link) -> Numbers:
        p = self.power
        return _within(link.mean(z), p - 2.0, 2.0 - p) ** (2.0 - p) * link.log_mean_slope(z) ** 2


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

    family: Family
    g: Link

    @property
    def targets(self) -> Targets:
        return self.family.targets

    @property
    def convex(self) -> bool:
        return type(self.g) in self.family.convex_links

    @property
    def bounded(self) -> bool:
        # Domains are half-lines or intervals about scores of moderate size, and ½ is a target of every family.
        return not np.all(np.isfinite(self.value(0.5, np.array([-10.0, 10.0]))))

    def value(self, y: Numbers, z: Numbers) -> Numbers:
        return self.family.value_at(y, z, self.g)

    def gradient(self, y: Numbers, z: Numbers) -> Numbers:
        return self.family.gradient_at(y, z, self.g)

    def curvature(self, y: Numbers, z: Numbers) -> Numbers:
        return self.family.curvature_at(z, self.g)

    def rescaled(self, unit: float) -> tuple[Loss, float] | None:
        return (self, unit * unit) if type(self.g) is self.family.residual_link else None

    def inverse(self, z: Numbers) -> Numbers:
        return self.g.mean(z)

    def link(self, mean: Numbers) -> Numbers:
        return self.g.score(mean)
