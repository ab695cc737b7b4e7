"""Probabilities of two classes from a latent score.

    logit   p(y | z) = σ(yz),    log p = −log(1 + e^(−yz))                                            (1)
    probit  p(y | z) = Φ(yz),    r = φ(z)/Φ(yz),  (log p)' = yr,  −(log p)'' = r² + yzr                 (2)

y = ±1. Rasmussen & Williams (2006), section 3.3 and table 3.2; derivatives up to the third, as the slope of Laplace's
evidence needs them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import expit, log_ndtr, ndtr

from gnomon._typing import Floats
from gnomon.infer._sigmoid_average import SigmoidAverage, sigmoid_average

__all__ = ["CLASS_LINKS", "ClassLink", "Derivatives", "LogitClasses", "ProbitClasses"]


class Derivatives(NamedTuple):
    """log p(y | z) and its derivatives in z, elementwise.

    Fields
    ------
    value, slope : ndarray
    curvature : ndarray
        −(log p)'' ≥ 0.
    third : ndarray
        (log p)'''.

    References
    ----------
    Rasmussen, C. E. & Williams, C. K. I. (2006). Gaussian Processes for Machine Learning, table 3.2. MIT Press.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.infer import LogitClasses
    >>> LogitClasses().derivatives(np.array([1.0]), np.array([0.0])).curvature
    array([0.25])
    """

    value: Floats
    slope: Floats
    curvature: Floats
    third: Floats


class ClassLink(ABC):
    """p(y | z) for y = ±1.

    References
    ----------
    Rasmussen, C. E. & Williams, C. K. I. (2006). Gaussian Processes for Machine Learning, section 3.3. MIT Press.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.infer import ProbitClasses
    >>> ProbitClasses().average(np.array([0.0, 1.0]), np.array([1.0, 3.0])).round(4)
    array([0.5   , 0.6915])
    """

    @abstractmethod
    def derivatives(self, y: Floats, z: Floats) -> Derivatives:
        """log p and its derivatives."""

    @abstractmethod
    def probability(self, z: Floats) -> Floats:
        """p(+1 | z)."""

    @abstractmethod
    def average(self, mean: Floats, variance: Floats, method: SigmoidAverage = "quadrature") -> Floats:
        """E p(+1 | z) for z ~ N(mean, variance)."""


@dataclass(frozen=True)
class LogitClasses(ClassLink):
    """The logistic function (1).

    References
    ----------
    Rasmussen, C. E. & Williams, C. K. I. (2006). Gaussian Processes for Machine Learning, section 3.3. MIT Press.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.infer import LogitClasses
    >>> LogitClasses().probability(np.array([0.0]))
    array([0.5])
    """

    def derivatives(self, y: Floats, z: Floats) -> Derivatives:
        p = expit(z)
        curvature = p * (1.0 - p)
        return Derivatives(-np.logaddexp(0.0, -y * z), y * expit(-y * z), curvature, curvature * (2.0 * p - 1.0))

    def probability(self, z: Floats) -> Floats:
        return expit(z)

    def average(self, mean: Floats, variance: Floats, method: SigmoidAverage = "quadrature") -> Floats:
        return sigmoid_average(mean, variance, method)


@dataclass(frozen=True)
class ProbitClasses(ClassLink):
    """The normal distribution function (2), whose average has a closed form: Φ(m/√(1 + v)).

    References
    ----------
    Rasmussen, C. E. & Williams, C. K. I. (2006). Gaussian Processes for Machine Learning, section 3.3. MIT Press.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.infer import ProbitClasses
    >>> found = ProbitClasses().derivatives(np.array([1.0]), np.array([-40.0]))
    >>> found.slope.round(3), found.curvature.round(3)
    (array([40.025]), array([0.999]))
    """

    def derivatives(self, y: Floats, z: Floats) -> Derivatives:
        value = log_ndtr(y * z)
        # The ratio of density and distribution function, from logarithms: both underflow long before it does.
        r = np.exp(-0.5 * z**2 - 0.5 * np.log(2.0 * np.pi) - value)
        curvature = r * (r + y * z)
        return Derivatives(value, y * r, curvature, y * r * ((r + y * z) * (2.0 * r + y * z) - 1.0))

    def probability(self, z: Floats) -> Floats:
        return ndtr(z)

    def average(self, mean: Floats, variance: Floats, method: SigmoidAverage = "quadrature") -> Floats:
        """The closed form, or with "mode" Φ(m)."""
        return ndtr(mean) if method == "mode" else ndtr(mean / np.sqrt(1.0 + variance))


CLASS_LINKS: dict[str, ClassLink] = {"logit": LogitClasses(), "probit": ProbitClasses()}
"""The links by the words that stand for them."""
