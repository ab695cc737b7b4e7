"""Schedules: step sizes that change with time, and the words for them.

    η_t = rate(t),    t = 0, 1, 2, … completed updates                                             (1)

A schedule is a value: calling it with t gives the step size, and `observe` returns the schedule to use after the
objective was evaluated, so that even a rule with memory has no hidden state. Those with a closed formula are in
`gnomon.optim.rates`. Stochastic gradient methods converge when Σ η_t = ∞ and Σ η_t² < ∞ (Robbins & Monro 1951,
doi:10.1214/aoms/1177729586); a schedule known to violate this causes a warning.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import replace
from numbers import Real
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from gnomon._jit import noun
from gnomon._typing import Floats, Numbers
from gnomon.optim.rates import (
    Capped,
    ConstantRate,
    Inverse,
    InverseT0,
    PegasosRate,
    Power,
    Ramp,
    Schedule,
    check_positive_numbers,
)

__all__ = [
    "SCHEDULES",
    "CallableSchedule",
    "Capped",
    "ConstantRate",
    "Inverse",
    "InverseT0",
    "PegasosRate",
    "Plateau",
    "Power",
    "Ramp",
    "RateLike",
    "RobbinsMonroWarning",
    "Schedule",
    "as_schedule",
    "rates",
    "scale_rate",
    "warn_unless_robbins_monro",
]


ScheduleWord: TypeAlias = Literal["constant", "inv", "power", "inv_t0", "capped", "pegasos", "plateau"]

RateLike: TypeAlias = float | ScheduleWord | Schedule | Callable[[int], float]
"""What `as_schedule` takes."""


class RobbinsMonroWarning(UserWarning):
    """With this schedule a stochastic method cannot come to rest at the minimiser."""


@noun
class Plateau(Schedule):
    """A constant step that is divided by `factor` whenever the objective stops falling, `max_drops` times at most.

    The last three fields are its memory; `observe` returns the schedule with the memory brought up to date.

    Parameters
    ----------
    start : float, default=0.1
    factor : float, default=10.0
    max_drops : int, default=2
    patience : int, default=1
        Checks in a row without progress before the step drops.
    min_change : float, default=1e-4
        Progress is a fall by more than min_change · max(1, |best|).
    drops, stale : int, default=0
    best : float, default=inf

    References
    ----------
    Bottou, L., Curtis, F. E. & Nocedal, J. (2018). Optimization methods for large-scale machine learning, section 4.
    doi:10.1137/16M1080173

    Examples
    --------
    >>> from gnomon.optim.schedules import Plateau
    >>> schedule, rates = Plateau(1.0), []
    >>> for objective in (5.0, 4.0, 4.0, 4.0, 4.0):
    ...     schedule = schedule.observe(objective)
    ...     rates.append(schedule(0))
    >>> rates
    [1.0, 1.0, 0.1, 0.01, 0.01]
    """

    start: float = 0.1
    factor: float = 10.0
    max_drops: int = 2
    patience: int = 1
    min_change: float = 1e-4
    drops: int = 0
    stale: int = 0
    best: float = np.inf

    def __post_init__(self) -> None:
        check_positive_numbers(start=self.start, factor=self.factor)

    def rate(self, t: Numbers) -> Numbers:
        return self.start / self.factor**self.drops + 0.0 * t

    @property
    def series(self) -> tuple[float, float]:
        return math.inf, math.inf

    def observe(self, objective: float) -> Plateau:
        least = self.best - self.min_change * max(1.0, abs(self.best)) if math.isfinite(self.best) else math.inf
        if objective < least:
            return replace(self, best=float(objective), stale=0)
        if self.stale + 1 < self.patience or self.drops == self.max_drops:
            return replace(self, stale=self.stale + 1)
        return replace(self, drops=self.drops + 1, stale=0)


class CallableSchedule(Schedule):
    """Any function of t as a schedule; nothing is known of its sums, so `robbins_monro` is None.

    Parameters
    ----------
    function : callable
        t → η_t.

    References
    ----------
    Robbins, H. & Monro, S. (1951). A stochastic approximation method. doi:10.1214/aoms/1177729586

    Examples
    --------
    >>> from gnomon.optim.schedules import as_schedule
    >>> schedule = as_schedule(lambda t: 0.5**t)
    >>> schedule(2), schedule.robbins_monro
    (0.25, None)
    """

    series: ClassVar[Any] = None

    def __init__(self, function: Callable[[int], float]) -> None:
        self.function = function

    def rate(self, t: int) -> float:
        return self.function(t)


SCHEDULES: dict[str, Callable[[], Schedule]] = {
    "constant": ConstantRate,
    "inv": Inverse,
    "power": Power,
    "inv_t0": InverseT0,
    "capped": Capped,
    "pegasos": PegasosRate,
    "plateau": Plateau,
}
"""The schedules by the words that stand for them with their default parameters."""


def as_schedule(rate: RateLike) -> Schedule:
    """A schedule from a schedule, a number (constant), a word of `SCHEDULES` or any function of t.

    References
    ----------
    Robbins, H. & Monro, S. (1951). A stochastic approximation method. doi:10.1214/aoms/1177729586

    Examples
    --------
    >>> from gnomon.optim.schedules import as_schedule
    >>> as_schedule(0.5), as_schedule("inv")
    (ConstantRate(start=0.5), Inverse(start=1.0, offset=0))
    """
    if isinstance(rate, Schedule):
        return rate
    if isinstance(rate, Real):
        return ConstantRate(float(rate))
    if isinstance(rate, str):
        if rate not in SCHEDULES:
            raise ValueError(f"step={rate!r} is unknown; choose from {list(SCHEDULES)} or give a number or a function")
        return SCHEDULES[rate]()
    if not callable(rate):
        raise ValueError(f"step={rate!r} is no schedule; give a number > 0, a word of {list(SCHEDULES)} or a function")
    return CallableSchedule(rate)


def rates(schedule: Schedule, start: int, count: int) -> Floats:
    """The step sizes η_start … η_{start + count − 1} as an array: what a kernel takes for any schedule at all.

    References
    ----------
    Robbins, H. & Monro, S. (1951). A stochastic approximation method. doi:10.1214/aoms/1177729586

    Examples
    --------
    >>> from gnomon.optim.schedules import Inverse, rates
    >>> rates(Inverse(1.0), 1, 3).round(4)
    array([0.5   , 0.3333, 0.25  ])
    """
    times = range(start, start + count)
    if schedule.record is None:
        return np.array([schedule(t) for t in times], dtype=float)
    return schedule(np.arange(start, start + count, dtype=float))


def scale_rate(rate: float, n: int) -> float:
    """√n · rate: the step for a batch of n rows when `rate` suits a single row (a rule of thumb, not a law).

    References
    ----------
    Krizhevsky, A. (2014). One weird trick for parallelizing convolutional neural networks. arXiv:1404.5997

    Examples
    --------
    >>> from gnomon.optim.schedules import scale_rate
    >>> scale_rate(0.01, 100)
    0.1
    """
    check_positive_numbers(rate=rate, n=n)
    return rate * math.sqrt(n)


def warn_unless_robbins_monro(schedule: Schedule, *, stacklevel: int = 3) -> Schedule:
    """Return the schedule, with a `RobbinsMonroWarning` if it is known to break the conditions for convergence.

    References
    ----------
    Robbins, H. & Monro, S. (1951). A stochastic approximation method. doi:10.1214/aoms/1177729586

    Examples
    --------
    >>> from gnomon.optim.schedules import Inverse, warn_unless_robbins_monro
    >>> warn_unless_robbins_monro(Inverse(1.0))
    Inverse(start=1.0, offset=0)
    """
    if schedule.series is not None and not schedule.robbins_monro:
        total, squares = schedule.series
        warnings.warn(
            f"{schedule!r} has Σ η = {total:.3g} and Σ η² = {squares:.3g}; convergence needs Σ η = ∞ and Σ η² < ∞. "
            "Give a decreasing schedule such as Inverse or Power, or average the iterates",
            RobbinsMonroWarning,
            stacklevel=stacklevel,
        )
    return schedule
