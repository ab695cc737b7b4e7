"""Step sizes with a closed formula.

    η_t = rate(t),    t = 0, 1, 2, … completed updates                                             (1)

Stochastic gradient methods converge when

    Σ_t η_t = ∞    and    Σ_t η_t² < ∞                                                             (2)

(Robbins & Monro 1951, doi:10.1214/aoms/1177729586). Every schedule knows both sums in closed form, as values of
Hurwitz' zeta function. The formulas are elementwise, so they also run inside kernels and on whole arrays of t.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
from scipy.special import zeta

from gnomon._jit import noun, verb
from gnomon._typing import Numbers

__all__ = [
    "Capped",
    "ConstantRate",
    "Inverse",
    "InverseT0",
    "PegasosRate",
    "Power",
    "Ramp",
    "Schedule",
    "check_positive_numbers",
]


class Schedule(ABC):
    """Base of every schedule: decorate with ``gnomon.losses.noun`` and write `rate` and `series`.

    References
    ----------
    Robbins, H. & Monro, S. (1951). A stochastic approximation method. doi:10.1214/aoms/1177729586

    Examples
    --------
    >>> from gnomon.optim.schedules import Inverse
    >>> [Inverse(0.5)(t) for t in (0, 1, 3)]
    [0.5, 0.25, 0.125]
    >>> Inverse(0.5).robbins_monro
    True
    """

    record: ClassVar[Any] = None

    @verb
    @abstractmethod
    def rate(self, t: Numbers) -> Numbers:
        """η_t after t completed updates, elementwise."""

    @property
    @abstractmethod
    def series(self) -> tuple[float, float] | None:
        """(Σ η_t, Σ η_t²); None where they are not known."""

    @property
    def robbins_monro(self) -> bool | None:
        """Whether (2) holds; None where the sums are not known."""
        if self.series is None:
            return None
        total, squares = self.series
        return math.isinf(total) and math.isfinite(squares)

    def observe(self, objective: float) -> Schedule:
        """The schedule to use from now on, given the value of the objective."""
        return self

    def __call__(self, t: Numbers) -> Numbers:
        return self.rate(t)


@noun
class ConstantRate(Schedule):
    """The same step for ever, η_t = start.

    Parameters
    ----------
    start : float, default=0.01
        Not negative; zero suits a weight of momentum, not a step.

    References
    ----------
    Bottou, L., Curtis, F. E. & Nocedal, J. (2018). Optimization methods for large-scale machine learning, section 4.
    doi:10.1137/16M1080173

    Examples
    --------
    >>> from gnomon.optim.schedules import ConstantRate
    >>> ConstantRate(0.1)(7), ConstantRate(0.1).robbins_monro
    (0.1, False)
    """

    start: float = 0.01

    def __post_init__(self) -> None:
        if not 0.0 <= self.start < math.inf:
            raise ValueError(f"start={self.start!r} must be ≥ 0 and finite; give a non-negative number")

    def rate(self, t: Numbers) -> Numbers:
        return self.start + 0.0 * t

    @property
    def series(self) -> tuple[float, float]:
        return math.inf, math.inf


@noun
class Power(Schedule):
    """η_t = start / (1 + t + offset)^p; p = ¾ suits momentum, p = 1 is `Inverse`.

    Parameters
    ----------
    start : float, default=1.0
    p : float, default=0.75
        (2) holds exactly for ½ < p ≤ 1.
    offset : int, default=0
        1 starts at t = 1.

    References
    ----------
    Robbins, H. & Monro, S. (1951). A stochastic approximation method. doi:10.1214/aoms/1177729586

    Examples
    --------
    >>> from gnomon.optim.schedules import Power
    >>> [round(Power(1.0, 0.75)(t), 7) for t in (0, 1, 15)]
    [1.0, 0.5946036, 0.125]
    >>> [Power(p=p).robbins_monro for p in (0.5, 0.75, 1.0, 1.5)]
    [False, True, True, False]
    """

    start: float = 1.0
    p: float = 0.75
    offset: int = 0

    def __post_init__(self) -> None:
        check_positive_numbers(start=self.start, p=self.p)

    def rate(self, t: Numbers) -> Numbers:
        return self.start / (1.0 + t + self.offset) ** self.p

    @property
    def series(self) -> tuple[float, float]:
        q = 1.0 + self.offset
        return self.start * _p_series(self.p, q), self.start**2 * _p_series(2.0 * self.p, q)


@noun
class Inverse(Schedule):
    """η_t = start / (1 + t + offset).

    Parameters
    ----------
    start : float, default=1.0
    offset : int, default=0
        1 starts at t = 1.

    References
    ----------
    Robbins, H. & Monro, S. (1951). A stochastic approximation method. doi:10.1214/aoms/1177729586

    Examples
    --------
    >>> from gnomon.optim.schedules import Inverse
    >>> [Inverse(1.0)(t) for t in (0, 1, 3)], Inverse(1.0, offset=1)(0)
    ([1.0, 0.5, 0.25], 0.5)
    """

    start: float = 1.0
    offset: int = 0

    def __post_init__(self) -> None:
        check_positive_numbers(start=self.start)

    def rate(self, t: Numbers) -> Numbers:
        return self.start / (1.0 + t + self.offset)

    @property
    def series(self) -> tuple[float, float]:
        return math.inf, self.start**2 * _p_series(2.0, 1.0 + self.offset)


@noun
class InverseT0(Schedule):
    """η_t = start / (1 + (t + offset)/t0): nearly constant up to t0, then like 1/t.

    Parameters
    ----------
    start : float, default=1.0
    t0 : float, default=1000.0
    offset : int, default=0
        1 starts at t = 1.

    References
    ----------
    Darken, C. & Moody, J. (1990). Note on learning rate schedules for stochastic optimization. NIPS 3, 832–838.

    Examples
    --------
    >>> from gnomon.optim.schedules import InverseT0
    >>> [InverseT0(1.0, t0=10.0)(t) for t in (0, 10, 90)]
    [1.0, 0.5, 0.1]
    """

    start: float = 1.0
    t0: float = 1000.0
    offset: int = 0

    def __post_init__(self) -> None:
        check_positive_numbers(start=self.start, t0=self.t0)

    def rate(self, t: Numbers) -> Numbers:
        return self.start / (1.0 + (t + self.offset) / self.t0)

    @property
    def series(self) -> tuple[float, float]:
        return math.inf, (self.start * self.t0) ** 2 * _p_series(2.0, self.t0 + self.offset)


@noun
class Capped(Schedule):
    """η_t = min(cap, scale/(t + 1 + offset)): constant for scale/cap updates, then like 1/t.

    Parameters
    ----------
    cap : float, default=0.1
    scale : float, default=100.0
    offset : int, default=0
        1 starts at t = 1.

    References
    ----------
    Robbins, H. & Monro, S. (1951). A stochastic approximation method. doi:10.1214/aoms/1177729586

    Examples
    --------
    >>> from gnomon.optim.schedules import Capped
    >>> [round(float(Capped()(t)), 7) for t in (0, 999, 1000, 1999)]
    [0.1, 0.1, 0.0999001, 0.05]
    >>> round(Capped().series[1], 6)
    19.995002
    """

    cap: float = 0.1
    scale: float = 100.0
    offset: int = 0

    def __post_init__(self) -> None:
        check_positive_numbers(cap=self.cap, scale=self.scale)

    def rate(self, t: Numbers) -> Numbers:
        return np.minimum(self.cap, self.scale / (t + 1.0 + self.offset))

    @property
    def series(self) -> tuple[float, float]:
        first = 1.0 + self.offset
        capped = max(math.floor(self.scale / self.cap) - self.offset, 0)
        return math.inf, capped * self.cap**2 + self.scale**2 * _p_series(2.0, first + capped)


@noun
class PegasosRate(Schedule):
    """η_t = 1/(lam (t + 1 + offset)), the rate for a lam-strongly convex objective.

    Parameters
    ----------
    lam : float, default=0.01
    offset : int, default=0

    References
    ----------
    Shalev-Shwartz, S., Singer, Y. & Srebro, N. (2007). Pegasos. doi:10.1145/1273496.1273598

    Examples
    --------
    >>> from gnomon.optim.schedules import PegasosRate
    >>> [PegasosRate(0.5)(t) for t in (0, 1, 3)]
    [2.0, 1.0, 0.5]
    """

    lam: float = 0.01
    offset: int = 0

    def __post_init__(self) -> None:
        check_positive_numbers(lam=self.lam)

    def rate(self, t: Numbers) -> Numbers:
        return 1.0 / (self.lam * (t + 1.0 + self.offset))

    @property
    def series(self) -> tuple[float, float]:
        return math.inf, _p_series(2.0, 1.0 + self.offset) / self.lam**2


@noun
class Ramp(Schedule):
    """From `start` in a straight line to `stop` at t = ramp, then constant: momentum that grows, t the epoch.

    Parameters
    ----------
    start, stop : float, default=0.5, 0.9
    ramp : float, default=20.0

    References
    ----------
    Hinton, G. (2012). A practical guide to training restricted Boltzmann machines, section 9.
    doi:10.1007/978-3-642-35289-8_32

    Examples
    --------
    >>> from gnomon.optim.schedules import Ramp
    >>> [round(float(Ramp(0.5, 0.9, 20)(t)), 3) for t in (0, 10, 20, 50)]
    [0.5, 0.7, 0.9, 0.9]
    """

    start: float = 0.5
    stop: float = 0.9
    ramp: float = 20.0

    def __post_init__(self) -> None:
        check_positive_numbers(ramp=self.ramp)
        if not (0.0 <= self.start < math.inf and 0.0 <= self.stop < math.inf):
            raise ValueError(
                f"start={self.start!r} and stop={self.stop!r} must be ≥ 0 and finite; give weights or rates"
            )

    def rate(self, t: Numbers) -> Numbers:
        return self.start + (self.stop - self.start) * np.minimum(1.0, t / self.ramp)

    @property
    def series(self) -> tuple[float, float]:
        return (math.inf, math.inf) if self.stop > 0.0 else (math.nan, math.nan)


def _p_series(p: float, q: float) -> float:
    """Σ_{k ≥ 0} (k + q)^{−p}."""
    return float(zeta(p, q)) if p > 1.0 else math.inf


def check_positive_numbers(**named: float) -> None:
    """Refuse a named number that is not positive and finite."""
    for name, value in named.items():
        if not (value > 0 and math.isfinite(value)):
            raise ValueError(f"{name}={value!r} must be a positive number; give a value > 0")
