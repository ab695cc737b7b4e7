"""Momentum: steps that remember.

    heavy ball    a ← m a + η g,             w ← w − a                                            (1)
    average       a ← (1 − μ) a + μ g,       w ← w − η a                                          (2)

(1) is Polyak's (1964), doi:10.1016/0041-5553(64)90137-5; it equals w_t = w_{t−1} − η g + m (w_{t−1} − w_{t−2}). In (2),
an exponential moving average, μ is the weight of the NEW gradient. For constant rates both are one method: μ = 1 − m
and η = (1 − m) τ, τ the rate of (2). A gradient that is k steps old has weight μ (1 − μ)^k, so the memory is
T = −1/ln(1 − μ) steps (weights fall by e), or T ln 2 (by half).
"""

import math

from gnomon._jit import noun

__all__ = ["MOMENTUM_FORMS", "HeavyBall", "MovingAverage", "half_life", "memory_of", "weight_of"]


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

    def mix(self, weight, rate):
        return weight, rate, 1.0


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

    def mix(self, weight, rate):
        return 1.0 - weight, weight, rate


MOMENTUM_FORMS = {"heavy_ball": HeavyBall(), "ema": MovingAverage()}
"""The forms of momentum by the words that stand for them."""


def weight_of(memory):
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


def memory_of(mu):
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


def half_life(mu):
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
