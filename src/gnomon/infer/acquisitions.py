"""How much an evaluation of an expensive function is worth, given the law of its value.

    f(x) ~ N(μ, s²),  b the least value so far,  z = (b − μ − ξ)/s                                     (1)
    PI = Φ(z),    EI = E max(b − ξ − f, 0) = s h(z),  h(z) = φ(z) + z Φ(z),    LCB = μ − κs             (2)
    log h(z) = −½z² − ½ log 2π − 2 log|z| + log(1 − 3/z² + 15/z⁴ − …)  as z → −∞                        (3)

Far from the best points PI and EI are below the least positive number, and flat; their logarithms (3) keep their slope.
PI: Kushner (1964), doi:10.1115/1.3653121; EI: Jones, Schonlau & Welch (1998), doi:10.1023/A:1008306431147; LCB: Cox &
John (1992), doi:10.1109/ICSMC.1992.271617; logarithms: Ament et al. (2023), arXiv:2310.20708.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import erfcx, log_ndtr, ndtr

from gnomon._typing import ArrayLike, Floats
from gnomon.numerics.validation import check_non_negative

__all__ = [
    "Acquisition",
    "ExpectedImprovement",
    "LowerConfidenceBound",
    "MeanRatio",
    "Merit",
    "ProbabilityOfImprovement",
    "log_expected_excess",
]

HALF_LOG_2PI = 0.5 * float(np.log(2.0 * np.pi))
ROOT_HALF_PI = float(np.sqrt(np.pi / 2.0))
FAR = -50.0
"""From here on five terms of (3) are exact to the last digits."""


class Merit(NamedTuple):
    """What is maximised over x, and its derivatives in μ and s.

    Fields
    ------
    value, by_mean, by_std : ndarray

    References
    ----------
    Ament, S. et al. (2023). Unexpected improvements to expected improvement for Bayesian optimization. arXiv:2310.20708

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.infer import LowerConfidenceBound
    >>> LowerConfidenceBound().merit(np.array([0.2]), np.array([0.5]), 0.3).by_std
    array([2.])
    """

    value: Floats
    by_mean: Floats
    by_std: Floats


class Acquisition(ABC):
    """A criterion of where to evaluate next, for a function that is to be minimised.

    References
    ----------
    Shahriari, B. et al. (2016). Taking the human out of the loop: a review of Bayesian optimization.
    doi:10.1109/JPROC.2015.2494218

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.infer import ExpectedImprovement
    >>> ExpectedImprovement().value(np.array([0.2]), np.array([0.5]), 0.3).round(9)
    array([0.25344732])
    """

    @abstractmethod
    def value(self, mean: Floats, std: Floats, best: float) -> Floats:
        """The criterion (2) as it is printed in textbooks."""

    @abstractmethod
    def merit(self, mean: Floats, std: Floats, best: float) -> Merit:
        """An increasing function of how good a point is, for std > 0, that does not underflow."""


@dataclass(frozen=True)
class ProbabilityOfImprovement(Acquisition):
    """PI of (2): the chance of a value below b − ξ, however little below.

    Parameters
    ----------
    xi : float, default=0.0
        ξ ≥ 0, in units of the values.

    References
    ----------
    Kushner, H. J. (1964). A new method of locating the maximum point of an arbitrary multipeak curve in the presence of
    noise. doi:10.1115/1.3653121

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.infer import ProbabilityOfImprovement
    >>> ProbabilityOfImprovement().value(np.array([0.2]), np.array([0.5]), 0.3).round(9)
    array([0.57925971])
    """

    xi: float = 0.0

    def __post_init__(self) -> None:
        check_non_negative("xi", self.xi)

    def value(self, mean: Floats, std: Floats, best: float) -> Floats:
        gain = best - self.xi - mean
        return ndtr(np.divide(gain, std, out=np.copysign(np.inf, gain), where=std > 0.0))

    def merit(self, mean: Floats, std: Floats, best: float) -> Merit:
        z = (best - self.xi - mean) / std
        value = log_ndtr(z)
        slope = np.exp(-0.5 * z * z - HALF_LOG_2PI - value)
        return Merit(value, -slope / std, -slope * z / std)


@dataclass(frozen=True)
class ExpectedImprovement(Acquisition):
    """EI of (2): by how much a value is expected to fall below b − ξ.

    Parameters
    ----------
    xi : float, default=0.0
        ξ ≥ 0, in units of the values.

    References
    ----------
    Jones, D. R., Schonlau, M. & Welch, W. J. (1998). Efficient global optimization of expensive black-box functions.
    doi:10.1023/A:1008306431147

    Examples
    --------
    A thousand standard deviations away the value is zero, and its logarithm is not:

    >>> import numpy as np
    >>> from gnomon.infer import ExpectedImprovement
    >>> mean, std = np.array([1000.0]), np.array([1.0])
    >>> ExpectedImprovement().value(mean, std, 0.0), ExpectedImprovement().merit(mean, std, 0.0).value.round(4)
    (array([0.]), array([-500014.7345]))
    """

    xi: float = 0.0

    def __post_init__(self) -> None:
        check_non_negative("xi", self.xi)

    def value(self, mean: Floats, std: Floats, best: float) -> Floats:
        gain = np.asarray(best - self.xi - mean, dtype=float)
        z = np.divide(gain, std, out=np.zeros_like(gain), where=std > 0.0)
        return np.where(std > 0.0, std * np.exp(log_expected_excess(z)), np.maximum(gain, 0.0))

    def merit(self, mean: Floats, std: Floats, best: float) -> Merit:
        z = (best - self.xi - mean) / std
        log_h = log_expected_excess(z)
        slope = np.exp(log_ndtr(z) - log_h)
        return Merit(np.log(std) + log_h, -slope / std, (1.0 - slope * z) / std)


@dataclass(frozen=True)
class LowerConfidenceBound(Acquisition):
    """LCB of (2): what the value may well be; the least is asked next.

    Parameters
    ----------
    kappa : float, default=2.0
        κ ≥ 0.

    References
    ----------
    Cox, D. D. & John, S. (1992). A statistical method for global optimization. doi:10.1109/ICSMC.1992.271617

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.infer import LowerConfidenceBound
    >>> LowerConfidenceBound(kappa=2.0).value(np.array([0.2]), np.array([0.5]), 0.3)
    array([-0.8])
    """

    kappa: float = 2.0

    def __post_init__(self) -> None:
        check_non_negative("kappa", self.kappa)

    def value(self, mean: Floats, std: Floats, best: float) -> Floats:
        return mean - self.kappa * std

    def merit(self, mean: Floats, std: Floats, best: float) -> Merit:
        return Merit(self.kappa * std - mean, np.full_like(mean, -1.0), np.full_like(std, self.kappa))


@dataclass(frozen=True)
class MeanRatio(Acquisition):
    """μ/s, whose least is asked next: PI of values below zero, whatever the best so far; for comparison only.

    It depends on the zero of the values, so that it searches well only where that is the minimum.

    References
    ----------
    Kushner, H. J. (1964). A new method of locating the maximum point of an arbitrary multipeak curve in the presence of
    noise. doi:10.1115/1.3653121

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.infer import MeanRatio
    >>> MeanRatio().value(np.array([0.2]), np.array([0.5]), 0.3)
    array([0.4])
    """

    def value(self, mean: Floats, std: Floats, best: float) -> Floats:
        return mean / std

    def merit(self, mean: Floats, std: Floats, best: float) -> Merit:
        return Merit(-mean / std, -1.0 / std, mean / std**2)


def log_expected_excess(z: ArrayLike) -> Floats:
    """log E max(z − N, 0) = log h(z) of (2) for a standard normal N, to full precision for every z.

    Parameters
    ----------
    z : array-like

    Returns
    -------
    ndarray

    References
    ----------
    Ament, S. et al. (2023). Unexpected improvements to expected improvement for Bayesian optimization. arXiv:2310.20708

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.infer import log_expected_excess
    >>> float(np.exp(log_expected_excess(0.0)).round(10)), float((1 / np.sqrt(2 * np.pi)).round(10))
    (0.3989422804, 0.3989422804)
    """
    z = np.asarray(z, dtype=float)
    near, middle, far = np.maximum(z, -1.0), np.clip(z, FAR, -1.0), np.minimum(z, FAR)
    direct = np.log(np.exp(-0.5 * near * near - HALF_LOG_2PI) + near * ndtr(near))
    # h(z) = φ(z) (1 − √(π/2) |z| erfcx(|z|/√2)) for z < 0.
    left = np.log1p(ROOT_HALF_PI * middle * erfcx(-middle / np.sqrt(2.0)))
    r = 1.0 / (far * far)
    series = np.log1p(r * (-3.0 + r * (15.0 + r * (-105.0 + r * 945.0)))) + np.log(r)
    tail = np.where(z > FAR, left, series) - 0.5 * np.minimum(z, -1.0) ** 2 - HALF_LOG_2PI
    return np.where(z > -1.0, direct, tail)
