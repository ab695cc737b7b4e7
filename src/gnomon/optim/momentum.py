"""Momentum.

    heavy ball    a ← m a + η g,             w ← w − a                                            (1)
    average       a ← (1 − μ) a + μ g,       w ← w − η a                                          (2)

(1) is Polyak's (1964), doi:10.1016/0041-5553(64)90137-5; it equals w_t = w_{t−1} − η g + m (w_{t−1} − w_{t−2}). In (2),
an exponential moving average, μ is the weight of the NEW gradient. For constant rates both are one method: μ = 1 − m
and η = (1 − m) τ, τ the rate of (2). A gradient that is k steps old has weight μ (1 − μ)^k, so the memory is
T = −1/ln(1 − μ) steps (weights fall by e), or T ln 2 (by half).
"""

from __future__ import annotations

import math
from typing import Literal, TypeAlias

from gnomon._jit import noun, verb
from gnomon._typing import Numbers
from gnomon.optim.schedules import ConstantRate, RateLike, Schedule, as_schedule

__all__ = [
    "MOMENTUM_FORMS",
    "HeavyBall",
    "Momentum",
    "MomentumForm",
    "MovingAverage",
    "as_momentum",
    "half_life",
    "memory_of",
    "weight_of",
]

MomentumForm: TypeAlias = Literal["heavy_ball", "ema"]


@noun
class HeavyBall:
    """The form (1): a ← m a + η g, w ← w − a.

    `mix` gives (c₁, c₂, c₃) of a ← c₁ a + c₂ g, w ← w − c₃ a; both forms have this shape, so one loop serves both.

    References
    ----------
    Polyak, B. (1964). Some methods of speeding up the convergence of iteration methods.
    doi:10.1016/0041-5553(64)90137-5

    Examples
    --------
    >>> from gnomon.optim.momentum import HeavyBall
    >>> HeavyBall().mix(0.9, 0.1)
    (0.9, 0.1, 1.0)
    """

    @verb
    def mix(self, weight: Numbers, rate: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        return weight, rate, 1.0

    def weight_of(self, memory: float) -> float:
        """m = e^{−1/T}."""
        return 1.0 - weight_of(memory)

    def allows(self, weight: float) -> bool:
        """Whether 0 ≤ m < 1."""
        return 0.0 <= weight < 1.0


@noun
class MovingAverage:
    """The form (2): a ← (1 − μ) a + μ g, w ← w − η a.

    References
    ----------
    Polyak, B. (1964). Some methods of speeding up the convergence of iteration methods.
    doi:10.1016/0041-5553(64)90137-5

    Examples
    --------
    >>> from gnomon.optim.momentum import MovingAverage
    >>> MovingAverage().mix(0.25, 0.1)
    (0.75, 0.25, 0.1)
    """

    def mix(self, weight: Numbers, rate: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        return 1.0 - weight, weight, rate

    def weight_of(self, memory: float) -> float:
        """μ = 1 − e^{−1/T}."""
        return weight_of(memory)

    def allows(self, weight: float) -> bool:
        """Whether 0 < μ ≤ 1."""
        return 0.0 < weight <= 1.0


Momentum: TypeAlias = HeavyBall | MovingAverage

MOMENTUM_FORMS: dict[MomentumForm, Momentum] = {"heavy_ball": HeavyBall(), "ema": MovingAverage()}
"""The forms of momentum by the words that stand for them."""


def as_momentum(momentum: RateLike, form: MomentumForm, memory: float | None = None) -> tuple[Momentum, Schedule]:
    """The form of momentum and the schedule of its weight, from what a user gives.

    Parameters
    ----------
    momentum : float, Schedule or callable
        m of (1) or μ of (2).
    form : {"heavy_ball", "ema"}
    memory : float, optional
        T in steps, instead of `momentum`.

    Returns
    -------
    form : HeavyBall or MovingAverage
    weight : Schedule

    References
    ----------
    Polyak, B. (1964). Some methods of speeding up the convergence of iteration methods.
    doi:10.1016/0041-5553(64)90137-5

    Examples
    --------
    >>> from gnomon.optim.momentum import as_momentum
    >>> as_momentum(0.5, "heavy_ball")
    (HeavyBall(), ConstantRate(start=0.5))
    """
    if form not in MOMENTUM_FORMS:
        raise ValueError(f"momentum_form={form!r} is unknown; choose from {list(MOMENTUM_FORMS)}")
    rule = MOMENTUM_FORMS[form]
    if memory is not None:
        if momentum != 0.0:
            raise ValueError(f"momentum={momentum!r} and memory={memory!r} both set the weight; give one of them")
        return rule, ConstantRate(rule.weight_of(memory))
    weight = as_schedule(momentum)
    if not rule.allows(float(weight(0))):
        allowed = (rule.allows.__doc__ or "").removeprefix("Whether ").rstrip(".")
        raise ValueError(f"momentum={momentum!r} must satisfy {allowed} for momentum_form={form!r}; give another")
    return rule, weight


def weight_of(memory: float) -> float:
    """μ = 1 − e^{−1/T}: the weight of the new gradient for a memory of T steps.

    References
    ----------
    Polyak, B. (1964). Some methods of speeding up the convergence of iteration methods.
    doi:10.1016/0041-5553(64)90137-5

    Examples
    --------
    >>> from gnomon.optim.momentum import weight_of
    >>> round(weight_of(4.481420), 6)
    0.2
    """
    if not memory > 0:
        raise ValueError(f"memory={memory!r} must be > 0; give the number of steps to remember")
    return -math.expm1(-1.0 / memory)


def memory_of(mu: float) -> float:
    """T = −1/ln(1 − μ) steps: after them the weight of a gradient has fallen by a factor e.

    References
    ----------
    Polyak, B. (1964). Some methods of speeding up the convergence of iteration methods.
    doi:10.1016/0041-5553(64)90137-5

    Examples
    --------
    >>> from gnomon.optim.momentum import memory_of
    >>> round(memory_of(0.2), 6)
    4.48142
    """
    if not 0.0 < mu < 1.0:
        raise ValueError(f"mu={mu!r} must lie between 0 and 1; give the weight of the new gradient")
    return -1.0 / math.log1p(-mu)


def half_life(mu: float) -> float:
    """T ln 2 steps: after them the weight of a gradient has fallen by half.

    References
    ----------
    Polyak, B. (1964). Some methods of speeding up the convergence of iteration methods.
    doi:10.1016/0041-5553(64)90137-5

    Examples
    --------
    >>> from gnomon.optim.momentum import half_life
    >>> round(half_life(0.2), 6)
    3.106284
    """
    return memory_of(mu) * math.log(2.0)
