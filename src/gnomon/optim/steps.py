"""The step rules of gradient descent.

    w_{t+1} = w_t − η_t ∇F(w_t)                                                                   (1)

A rule chooses η_t. It is a value with two verbs: `start` gives what it remembers before the first step, `take` makes
one step and returns the `Move` together with what to remember next. Rules that try several η do so through
`line.attempt`, which applies momentum too, so rule and momentum combine freely. Nocedal & Wright (2006), chapter 3,
doi:10.1007/978-0-387-40065-5; bold driver: Battiti (1989), Complex Systems 3, 331–342.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple, TypeAlias

from scipy.optimize import minimize_scalar

from gnomon._typing import Array, Floats
from gnomon.optim.line_search import ValueAndGradient, descend_along
from gnomon.optim.schedules import SCHEDULES, ConstantRate, RateLike, Schedule, as_schedule

__all__ = [
    "STEP_RULES",
    "Armijo",
    "BoldDriver",
    "ExactStep",
    "HessianProduct",
    "Line",
    "Move",
    "Point",
    "ScheduledStep",
    "StepLike",
    "StepRule",
    "WolfeStep",
    "as_step_rule",
]

MAX_TRIALS = 100

HessianProduct: TypeAlias = Callable[[Array, Array], Floats]
"""(w, v) → ∇²F(w) v."""


class Point(NamedTuple):
    """A point, the value and gradient there, and the velocity a of momentum."""

    w: Floats
    value: float
    gradient: Floats
    velocity: Floats


class Line(NamedTuple):
    """What a rule sees: the current point, t, η → `Point` at that step, the function and its Hessian's products."""

    point: Point
    t: int
    attempt: Callable[[float], Point]
    fun: ValueAndGradient
    hessian_product: HessianProduct | None


class Move(NamedTuple):
    """One step: the new point, the η that led to it, how many were tried in vain, and what the rule remembers.

    References
    ----------
    Nocedal, J. & Wright, S. (2006). Numerical Optimization, chapter 3. doi:10.1007/978-0-387-40065-5

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> import numpy as np
    >>> from gnomon.optim import gradient_descent
    >>> from gnomon.optim.steps import Move, StepRule
    >>> @dataclass(frozen=True)
    ... class Shrinking(StepRule):
    ...     def start(self):
    ...         return 0.4
    ...
    ...     def take(self, line, memory):
    ...         return Move(line.attempt(memory), memory, 0, 0.5 * memory)
    >>> gradient_descent(lambda w: (float(w @ w), 2 * w), np.ones(1), step=Shrinking(), max_iter=2).history["step"]
    array([nan, 0.4, 0.2])
    """

    point: Point
    step: float
    rejected: int
    memory: Any


class StepRule(ABC):
    """Base of every step rule: subclass it as a frozen dataclass and write `take`.

    Attributes
    ----------
    plain : bool
        Whether the rule is defined for (1) alone, without momentum.
    searches : bool
        Whether the rule compares values of F along the line, which is meaningless for a sub-gradient.

    References
    ----------
    Nocedal, J. & Wright, S. (2006). Numerical Optimization, chapter 3. doi:10.1007/978-0-387-40065-5

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import gradient_descent
    >>> from gnomon.optim.steps import Armijo
    >>> solution = gradient_descent(lambda w: (float(w @ w), 2 * w), np.ones(2), step=Armijo())
    >>> solution.stop_reason
    'tol'
    """

    plain = False
    searches = True

    def start(self) -> Any:
        """What the rule remembers before the first step."""
        return None

    @abstractmethod
    def take(self, line: Line, memory: Any) -> Move | None:
        """Make one step; None if no step is possible."""


@dataclass(frozen=True)
class ScheduledStep(StepRule):
    """η_t = schedule(t), whatever the objective does.

    Parameters
    ----------
    schedule : Schedule

    References
    ----------
    Cauchy, A. (1847). Méthode générale pour la résolution des systèmes d'équations simultanées. C. R. 25, 536–538.

    Examples
    --------
    >>> from gnomon.optim.schedules import ConstantRate
    >>> from gnomon.optim.steps import ScheduledStep
    >>> ScheduledStep(ConstantRate(0.1)).start()
    ConstantRate(start=0.1)
    """

    schedule: Schedule

    searches = False

    def start(self) -> Schedule:
        return self.schedule

    def take(self, line: Line, memory: Schedule) -> Move:
        step = float(memory(line.t))
        point = line.attempt(step)
        return Move(point, step, 0, memory.observe(point.value))


@dataclass(frozen=True)
class BoldDriver(StepRule):
    """F fell: η · c_inc; F rose: undo the step and η · c_dec; F equal: keep η.

    Parameters
    ----------
    start_step : float, default=1.0
    c_inc : float, default=1.05
    c_dec : float, default=0.5
    undo : bool, default=True
        Take a step that raised F back before trying the smaller one.

    References
    ----------
    Battiti, R. (1989). Accelerated backpropagation learning: two optimization methods. Complex Systems 3, 331–342.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import gradient_descent
    >>> solution = gradient_descent(lambda w: (1.5 * float(w @ w), 3 * w), np.ones(1), step="bold_driver", max_iter=2)
    >>> solution.history["step"][1:].round(4), solution.history["rejected"][1:]
    (array([0.5 , 0.525]), array([1., 0.]))
    """

    start_step: float = 1.0
    c_inc: float = 1.05
    c_dec: float = 0.5
    undo: bool = True

    def __post_init__(self) -> None:
        if not (self.start_step > 0 and self.c_inc >= 1.0 and 0.0 < self.c_dec < 1.0):
            raise ValueError(f"{self!r} needs start_step > 0, c_inc ≥ 1 and 0 < c_dec < 1; change the one that fails")

    def start(self) -> float:
        return self.start_step

    def take(self, line: Line, memory: float) -> Move | None:
        step, now = memory, line.point.value
        for rejected in range(MAX_TRIALS):
            point = line.attempt(step)
            if point.value < now:
                return Move(point, step, rejected, step * self.c_inc)
            if point.value == now:
                return Move(point, step, rejected, step)
            if not self.undo:
                return Move(point, step, rejected, step * self.c_dec)
            step *= self.c_dec
        return None


@dataclass(frozen=True)
class Armijo(StepRule):
    """The first η of η₀, η₀ s, η₀ s², … with F(w') ≤ F(w) − c ∇F(w)ᵀ(w − w').

    Parameters
    ----------
    start_step : float, default=1.0
        η₀ of the first iteration; later ones start at the last accepted step divided by `shrink`.
    shrink : float, default=0.5
        s.
    c : float, default=1e-4
        With c = ½, every accepted η behaves as if it were 1/L.

    References
    ----------
    Armijo, L. (1966). Minimization of functions having Lipschitz continuous first partial derivatives.
    doi:10.2140/pjm.1966.16.1

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import gradient_descent
    >>> solution = gradient_descent(lambda w: (float(w @ w), 2 * w), np.ones(1), step="armijo", max_iter=1)
    >>> solution.history["step"][1:]
    array([0.5])
    """

    start_step: float = 1.0
    shrink: float = 0.5
    c: float = 1e-4

    def __post_init__(self) -> None:
        if not (self.start_step > 0 and 0.0 < self.shrink < 1.0 and 0.0 < self.c < 1.0):
            raise ValueError(f"{self!r} needs start_step > 0, 0 < shrink < 1 and 0 < c < 1; change the one that fails")

    def start(self) -> float:
        return self.start_step

    def take(self, line: Line, memory: float) -> Move | None:
        step, now = memory, line.point
        for rejected in range(MAX_TRIALS):
            point = line.attempt(step)
            if point.value <= now.value - self.c * float(now.gradient @ (now.w - point.w)):
                return Move(point, step, rejected, step / self.shrink)
            step *= self.shrink
        return None


@dataclass(frozen=True)
class ExactStep(StepRule):
    """η = argmin over η > 0 of F(w − ηg): gᵀg/(gᵀHg) for a quadratic F with known H, else a safeguarded Brent search.

    Parameters
    ----------
    start_step : float, default=1.0
        Where the search for a bracket begins in the first iteration.

    References
    ----------
    Brent, R. (1973). Algorithms for Minimization without Derivatives, chapter 5. ISBN 0-13-022335-2.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import gradient_descent
    >>> H = np.diag([1.0, 3.0])
    >>> quadratic = lambda w: (0.5 * float(w @ H @ w), H @ w)
    >>> known = gradient_descent(quadratic, np.ones(2), step="exact", hessian_product=lambda w, v: H @ v, max_iter=1)
    >>> search = gradient_descent(quadratic, np.ones(2), step="exact", max_iter=1)
    >>> known.history["step"][1:].round(6), search.history["step"][1:].round(6)
    (array([0.357143]), array([0.357143]))
    """

    start_step: float = 1.0

    plain = True

    def start(self) -> float:
        return self.start_step

    def take(self, line: Line, memory: float) -> Move | None:
        g = line.point.gradient
        curvature = 0.0 if line.hessian_product is None else float(g @ line.hessian_product(line.point.w, g))
        step = float(g @ g) / curvature if curvature > 0.0 else self._search(line, memory)
        return None if step is None else Move(line.attempt(step), step, 0, step)

    def _search(self, line: Line, step: float) -> float | None:
        def phi(eta: float) -> float:
            value = line.attempt(float(eta)).value
            return value if math.isfinite(value) else math.inf

        bracket = _bracket(phi, line.point.value, step)
        brent = partial(minimize_scalar, phi, method="brent", options={"xtol": 1e-10})
        return None if bracket is None else float(brent(bracket=bracket).x)


def _bracket(phi: Callable[[float], float], now: float, step: float) -> tuple[float, float, float] | None:
    """0 ≤ a < b < c with φ(b) < φ(a) and φ(b) ≤ φ(c); None if no step lowers F or all do."""
    a, middle = 0.0, phi(step)
    for _ in range(MAX_TRIALS):
        if middle < now:
            break
        step *= 0.5
        middle = phi(step)
    else:
        return None
    for _ in range(MAX_TRIALS):
        far = phi(2.0 * step)
        if far >= middle:
            return a, step, 2.0 * step
        a, step, middle = step, 2.0 * step, far
    return None


@dataclass(frozen=True)
class WolfeStep(StepRule):
    """A step with the strong Wolfe conditions, as quasi-Newton methods need it.

    Parameters
    ----------
    start_step : float, default=1.0
    c1, c2 : float
        Enough decrease, and enough flattening of the slope.

    References
    ----------
    Nocedal, J. & Wright, S. (2006). Numerical Optimization, section 3.5. doi:10.1007/978-0-387-40065-5

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import gradient_descent
    >>> solution = gradient_descent(lambda w: (float(w @ w), 2 * w), np.ones(1), step="wolfe")
    >>> solution.n_iter, solution.w
    (1, array([0.]))
    """

    start_step: float = 1.0
    c1: float = 1e-4
    c2: float = 0.1

    plain = True

    def start(self) -> float:
        return self.start_step

    def take(self, line: Line, memory: float) -> Move | None:
        w, value, g, a = line.point
        found = descend_along(line.fun, w, -g, value, g, step=memory, c1=self.c1, c2=self.c2)
        if found is None:
            return None
        return Move(Point(found.w, found.value, found.gradient, a), found.step, found.n_evaluations - 1, found.step)


StepWord: TypeAlias = Literal["auto", "exact", "bold_driver", "armijo", "wolfe"]

StepLike: TypeAlias = RateLike | StepWord | StepRule
"""What `as_step_rule` takes."""

STEP_RULES: dict[str, Callable[[], StepRule]] = {
    "exact": ExactStep,
    "bold_driver": BoldDriver,
    "armijo": Armijo,
    "wolfe": WolfeStep,
}
"""The rules by the words that stand for them with their default parameters."""


def as_step_rule(step: StepLike, lipschitz: float | None = None) -> StepRule:
    """A step rule from a rule, a word, a number, a schedule or a function of t.

    "auto" is the constant step 1/L where L, the Lipschitz constant of the gradient, is known, and Armijo's rule with
    c = ½, which finds such a step by itself, where it is not.

    References
    ----------
    Nesterov, Y. (2018). Lectures on Convex Optimization, section 2.1.5. doi:10.1007/978-3-319-91578-4

    Examples
    --------
    >>> from gnomon.optim.steps import as_step_rule
    >>> as_step_rule("auto", lipschitz=4.0)
    ScheduledStep(schedule=ConstantRate(start=0.25))
    >>> as_step_rule("auto")
    Armijo(start_step=1.0, shrink=0.5, c=0.5)
    """
    words = {**STEP_RULES, "auto": lambda: _one_over(lipschitz)}
    if isinstance(step, StepRule):
        return step
    if isinstance(step, str):
        if step not in words and step not in SCHEDULES:
            raise ValueError(f"step={step!r} is unknown; choose from {[*words, *SCHEDULES]} or give a number > 0")
        return words[step]() if step in words else ScheduledStep(SCHEDULES[step]())
    schedule = as_schedule(step)
    if not schedule(0) > 0.0:
        raise ValueError(f"step={step!r} must be > 0; give a positive number")
    return ScheduledStep(schedule)


def _one_over(lipschitz: float | None) -> StepRule:
    if lipschitz is None or not math.isfinite(lipschitz):
        return Armijo(c=0.5)
    return ScheduledStep(ConstantRate(1.0 / lipschitz if lipschitz > 0.0 else 1.0))
