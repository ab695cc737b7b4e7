"""Stop rules.

    ‖∇F‖∞ ≤ tol     |ΔF| ≤ tol · max(1, |F|)     ‖Δw‖∞ ≤ tol · max(1, ‖w‖∞)     gap ≤ tol     violation ≤ tol     (1)

and a score on held-out rows that no longer rises. Each gives its reason as one of the words "tol", "no_change",
"gap", "kkt", "validation". `gnomon.optim.rules` says what a rule is. Nocedal & Wright (2006), section 3.1,
doi:10.1007/978-0-387-40065-5; early stopping: Prechelt (1998), doi:10.1007/3-540-49430-8_3.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from gnomon._typing import Array, Floats
from gnomon.optim.rules import AllOf, AnyOf, Check, StopRule
from gnomon.optim.solution import Row, StopReason

__all__ = [
    "KKT",
    "AllOf",
    "AnyOf",
    "Check",
    "DualityGap",
    "GradientNorm",
    "NoImprovement",
    "ObjectiveChange",
    "ParameterChange",
    "RelativeGap",
    "Settled",
    "StopRule",
    "TimeLimit",
    "Validation",
    "default_rule",
]

_FEWEST = 8
"""Checks that a stay must last, however short the run before it."""


@dataclass(frozen=True)
class _Tolerance(StopRule):
    """A rule with a tolerance that is not negative."""

    tol: float

    def __post_init__(self) -> None:
        if not self.tol >= 0:
            raise ValueError(f"tol={self.tol!r} must be ≥ 0; give a non-negative number")


@dataclass(frozen=True)
class _Small(_Tolerance):
    """A rule that stops when one field of the check is at most the tolerance."""

    field: ClassVar[str]
    reason: ClassVar[StopReason]

    def look(self, memory: None, check: Check[Any]) -> tuple[None, StopReason | None]:
        return None, (self.reason if getattr(check, self.field) <= self.tol else None)


@dataclass(frozen=True)
class GradientNorm(_Small):
    """‖∇F(w)‖∞ ≤ tol: "tol".

    Parameters
    ----------
    tol : float, default=1e-6

    References
    ----------
    Nocedal, J. & Wright, S. (2006). Numerical Optimization, section 3.1. doi:10.1007/978-0-387-40065-5

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim.stopping import Check, GradientNorm
    >>> GradientNorm(0.1).look(None, Check(5, np.zeros(1), 1.0, gradient_norm=0.05))[1]
    'tol'
    """

    tol: float = 1e-6

    field = "gradient_norm"
    reason = "tol"


@dataclass(frozen=True)
class KKT(_Small):
    """Largest violation of the optimality conditions ≤ tol: "kkt".

    Parameters
    ----------
    tol : float, default=1e-6

    References
    ----------
    Kuhn, H. W. & Tucker, A. W. (1951). Nonlinear programming. Proc. 2nd Berkeley Symposium, 481–492.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim.stopping import KKT, Check
    >>> KKT(0.1).look(None, Check(5, np.zeros(1), 1.0, kkt=0.05))[1]
    'kkt'
    """

    tol: float = 1e-6

    field = "kkt"
    reason = "kkt"


@dataclass(frozen=True)
class DualityGap(_Small):
    """Primal − dual ≤ tol: "gap".

    Parameters
    ----------
    tol : float, default=1e-6

    References
    ----------
    Borwein, J. & Lewis, A. (2006). Convex Analysis and Nonlinear Optimization. doi:10.1007/978-0-387-31256-9

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim.stopping import Check, DualityGap
    >>> DualityGap(0.1).look(None, Check(5, np.zeros(1), 1.0, gap=0.05))[1]
    'gap'
    """

    tol: float = 1e-6

    field = "gap"
    reason = "gap"


@dataclass(frozen=True)
class RelativeGap(_Tolerance):
    """Primal − dual ≤ tol · |objective|: "gap".

    Parameters
    ----------
    tol : float

    References
    ----------
    Borwein, J. & Lewis, A. (2006). Convex Analysis and Nonlinear Optimization. doi:10.1007/978-0-387-31256-9

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim.stopping import Check, RelativeGap
    >>> RelativeGap(0.1).look(None, Check(5, np.zeros(1), 2.0, gap=0.15))[1]
    'gap'
    """

    def look(self, memory: None, check: Check[Any]) -> tuple[None, StopReason | None]:
        """Whether the gap is small beside the objective."""
        return None, ("gap" if check.gap <= self.tol * abs(check.objective) else None)


@dataclass(frozen=True)
class ObjectiveChange(_Tolerance):
    """|F(w) − F(w_previous)| ≤ tol · max(floor, |F(w)|): "no_change".

    Parameters
    ----------
    tol : float, default=1e-9
    floor : float, default=1.0
        A value of F that is small in the units of the problem.

    References
    ----------
    Gill, P., Murray, W. & Wright, M. (1981). Practical Optimization, section 8.2.3. doi:10.1137/1.9781611975604

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim.stopping import Check, ObjectiveChange
    >>> rule = ObjectiveChange(0.1)
    >>> memory, reason = rule.look(rule.start(), Check(0, np.zeros(1), 1.0))
    >>> rule.look(memory, Check(1, np.zeros(1), 0.95))[1]
    'no_change'
    """

    tol: float = 1e-9
    floor: float = 1.0

    def start(self) -> float:
        return np.inf

    def look(self, memory: float, check: Check[Any]) -> tuple[float, StopReason | None]:
        F = check.objective
        return F, ("no_change" if abs(F - memory) <= self.tol * max(self.floor, abs(F)) else None)


@dataclass(frozen=True)
class Settled(_Tolerance):
    """F stayed within tol · max(1, |F|) for as many checks as went before, and at least eight: "no_change".

    For solvers with steps that shrink, or chance in them: there one small change may be an accident, and where
    F − F* falls as a power of the number of checks, what is left is about as large as the fall over half the run.

    Parameters
    ----------
    tol : float, default=1e-9

    References
    ----------
    Bottou, L., Curtis, F. E. & Nocedal, J. (2018). Optimization methods for large-scale machine learning, theorem 4.7.
    doi:10.1137/16M1080173

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim._follow import follow
    >>> from gnomon.optim.stopping import Check, Settled
    >>> slow = (Check(k, np.zeros(1), 1.0 / (1.0 + k)) for k in range(1000))
    >>> solution = follow(slow, Settled(0.01), max_iter=1000)
    >>> solution.stop_reason, round(solution.objective, 3)
    ('no_change', 0.009)
    """

    tol: float = 1e-9

    def start(self) -> _Stay:
        return _Stay(0, 0, np.inf, -np.inf)

    def look(self, memory: _Stay, check: Check[Any]) -> tuple[_Stay, StopReason | None]:
        F = check.objective
        low, high, seen = min(memory.low, F), max(memory.high, F), memory.seen + 1
        if not high - low <= self.tol * max(1.0, abs(F)):
            return _Stay(seen, seen - 1, F, F), None
        settled = seen - memory.since >= max(memory.since, _FEWEST)
        return _Stay(seen, memory.since, low, high), ("no_change" if settled else None)


class _Stay(NamedTuple):
    """The checks seen, those before the present stay, and the bounds of F since."""

    seen: int
    since: int
    low: float
    high: float


@dataclass(frozen=True)
class ParameterChange(_Tolerance):
    """‖w − w_previous‖∞ ≤ tol · max(1, ‖w‖∞): "no_change".

    Parameters
    ----------
    tol : float, default=1e-9

    References
    ----------
    Gill, P., Murray, W. & Wright, M. (1981). Practical Optimization, section 8.2.3. doi:10.1137/1.9781611975604

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim.stopping import Check, ParameterChange
    >>> rule = ParameterChange(0.1)
    >>> memory, reason = rule.look(rule.start(), Check(0, np.zeros(1), 1.0))
    >>> rule.look(memory, Check(1, np.full(1, 0.05), 0.9))[1]
    'no_change'
    """

    tol: float = 1e-9

    def start(self) -> float:
        return np.inf

    def look(self, memory: float | Floats, check: Check[Any]) -> tuple[Floats, StopReason | None]:
        moved = np.max(np.abs(check.w - memory), initial=0.0)
        still = moved <= self.tol * max(1.0, np.max(np.abs(check.w), initial=0.0))
        return check.w, ("no_change" if still else None)


@dataclass(frozen=True)
class Validation(StopRule):
    """The score on held-out rows did not rise by more than `min_change` for `patience` checks: "validation".

    The parameters with the best score are restored, the earliest among equals.

    Parameters
    ----------
    score : callable
        w → float, larger is better.
    patience : int, default=5
    min_change : float, default=0.0
    first : int, default=0
        The first iteration that counts; 1 leaves the start out.

    References
    ----------
    Prechelt, L. (1998). Early stopping — but when? doi:10.1007/3-540-49430-8_3

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim.stopping import Check, Validation
    >>> rule = Validation(lambda w: -abs(w[0] - 1.0), patience=2)
    >>> memory = rule.start()
    >>> for k in range(4):
    ...     memory, reason = rule.look(memory, Check(k, np.array([float(k)]), 0.0))
    >>> reason, rule.restore(memory).w
    ('validation', array([1.]))
    """

    score: Callable[[Array], float]
    patience: int = 5
    min_change: float = 0.0
    first: int = 0

    def __post_init__(self) -> None:
        if self.patience < 1:
            raise ValueError(f"patience={self.patience!r} must be ≥ 1; give the checks to wait for a better score")

    def start(self) -> _Validated:
        return _Validated(np.nan, -np.inf, None, 0)

    def look(self, memory: _Validated, check: Check[Any]) -> tuple[_Validated, StopReason | None]:
        if check.iteration < self.first:
            return memory, None
        score = float(self.score(check.w))
        rose = memory.check is None or score > memory.best + self.min_change
        stale = 0 if rose else memory.stale + 1
        best, kept = (score, check) if rose or score > memory.best else (memory.best, memory.check)
        return _Validated(score, best, kept, stale), ("validation" if stale >= self.patience else None)

    def columns(self, memory: _Validated) -> Row:
        return {"validation": memory.score}

    def restore(self, memory: _Validated) -> Check[Any] | None:
        return memory.check


class _Validated(NamedTuple):
    score: float
    best: float
    check: Check[Any] | None
    stale: int


@dataclass(frozen=True)
class NoImprovement(_Tolerance):
    """F has not fallen below its least value by more than tol for `patience` checks in a row: "no_change".

    The start, which is no iteration, does not count.

    Parameters
    ----------
    tol : float, default=1e-4
        Absolute.
    patience : int, default=11

    References
    ----------
    Prechelt, L. (1998). Early stopping — but when? doi:10.1007/3-540-49430-8_3

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim.stopping import Check, NoImprovement
    >>> rule = NoImprovement(0.0, patience=2)
    >>> memory = rule.start()
    >>> for k, F in enumerate((3.0, 2.0, 2.5, 2.5)):
    ...     memory, reason = rule.look(memory, Check(k + 1, np.zeros(1), F))
    >>> reason
    'no_change'
    """

    tol: float = 1e-4
    patience: int = 11

    def start(self) -> _Fall:
        return _Fall(np.inf, 0)

    def look(self, memory: _Fall, check: Check[Any]) -> tuple[_Fall, StopReason | None]:
        if check.iteration == 0:
            return memory, None
        stale = 0 if check.objective < memory.best - self.tol else memory.stale + 1
        return _Fall(min(memory.best, check.objective), stale), ("no_change" if stale >= self.patience else None)


class _Fall(NamedTuple):
    best: float
    stale: int


@dataclass(frozen=True)
class TimeLimit(StopRule):
    """So many seconds have passed since the start: "time", which is no convergence.

    Parameters
    ----------
    seconds : float

    References
    ----------
    Gill, P., Murray, W. & Wright, M. (1981). Practical Optimization, section 8.2.3. doi:10.1137/1.9781611975604

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim.stopping import Check, TimeLimit
    >>> rule = TimeLimit(0.0)
    >>> rule.look(rule.start(), Check(0, np.zeros(1), 1.0))[1]
    'time'
    """

    seconds: float

    def __post_init__(self) -> None:
        if not self.seconds >= 0:
            raise ValueError(f"seconds={self.seconds!r} must be ≥ 0; give the time that may be used")

    def start(self) -> float:
        return time.perf_counter()

    def look(self, memory: float, check: Check[Any]) -> tuple[float, StopReason | None]:
        return memory, ("time" if time.perf_counter() - memory >= self.seconds else None)


def default_rule(rule: StopRule, tol_obj: float | None, stop: StopRule | None) -> AnyOf:
    """`rule`, or any of it, `ObjectiveChange(tol_obj)` and the user's `stop`, where those are given.

    References
    ----------
    Gill, P., Murray, W. & Wright, M. (1981). Practical Optimization, section 8.2.3. doi:10.1137/1.9781611975604

    Examples
    --------
    >>> from gnomon.optim.stopping import GradientNorm, default_rule
    >>> default_rule(GradientNorm(1e-4), None, None)
    AnyOf(rules=(GradientNorm(tol=0.0001),))
    """
    change = () if tol_obj is None else (ObjectiveChange(tol_obj),)
    wish = () if stop is None else (stop,)
    return AnyOf((rule, *change, *wish))
