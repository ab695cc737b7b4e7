"""When to stop.

    stop at the first check k with    rule(check₀, …, check_k)                                      (1)

A solver describes where it stands by a `Check`; a rule reads the checks one by one and says why to stop, in the words
of the library: "tol", "no_change", "gap", "kkt", "validation". Rules are values. What a rule has to remember travels
through `look` as a further value, so one rule can watch many runs. Rules combine with ``|`` (any) and ``&`` (all).
Nocedal & Wright (2006), section 3.1 and 8.1, doi:10.1007/978-0-387-40065-5; early stopping: Prechelt (1998),
doi:10.1007/3-540-49430-8_3.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

__all__ = [
    "KKT",
    "AllOf",
    "AnyOf",
    "Check",
    "DualityGap",
    "GradientNorm",
    "ObjectiveChange",
    "ParameterChange",
    "StopRule",
    "Validation",
    "default_rule",
]


class Check(NamedTuple):
    """Where a solver stands.

    Fields
    ------
    iteration : int
    w : ndarray
        Must not be written to afterwards.
    objective : float
        The full objective; never that of a mini-batch, which is too noisy to stop on.
    gradient_norm : float
        ‖∇‖∞; nan where not computed.
    kkt : float
        Largest violation of the optimality conditions; nan where not computed.
    gap : float
        Duality gap; nan where not computed.
    more : mapping
        Further columns of the history: "step", "epoch" …

    References
    ----------
    Nocedal, J. & Wright, S. (2006). Numerical Optimization, section 3.1. doi:10.1007/978-0-387-40065-5

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim.stopping import Check
    >>> Check(3, np.zeros(2), 0.5).objective
    0.5
    """

    iteration: int
    w: Any
    objective: float
    gradient_norm: float = np.nan
    kkt: float = np.nan
    gap: float = np.nan
    more: Mapping = MappingProxyType({})


class StopRule(ABC):
    """Base of every rule: subclass it as a frozen dataclass and write `look`.

    References
    ----------
    Nocedal, J. & Wright, S. (2006). Numerical Optimization, section 3.1. doi:10.1007/978-0-387-40065-5

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim.stopping import Check, GradientNorm, ObjectiveChange
    >>> rule = GradientNorm(1e-3) | ObjectiveChange(1e-2)
    >>> memory, reason = rule.look(rule.start(), Check(0, np.zeros(1), 1.0, gradient_norm=0.5))
    >>> reason
    >>> memory, reason = rule.look(memory, Check(1, np.zeros(1), 0.999, gradient_norm=0.5))
    >>> reason
    'no_change'
    """

    def start(self):
        """What the rule remembers before the first check."""
        return None

    @abstractmethod
    def look(self, memory, check):
        """Return what to remember, and the reason to stop or None."""

    def columns(self, memory):
        """Further columns of the history, after `look`."""
        return {}

    def restore(self, memory):
        """The check that the rule prefers to the last one, or None."""
        return None

    def __or__(self, other):
        return AnyOf((self, other))

    def __and__(self, other):
        return AllOf((self, other))


@dataclass(frozen=True)
class GradientNorm(StopRule):
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

    def __post_init__(self):
        _non_negative(tol=self.tol)

    def look(self, memory, check):
        return None, ("tol" if check.gradient_norm <= self.tol else None)


@dataclass(frozen=True)
class KKT(StopRule):
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

    def __post_init__(self):
        _non_negative(tol=self.tol)

    def look(self, memory, check):
        return None, ("kkt" if check.kkt <= self.tol else None)


@dataclass(frozen=True)
class DualityGap(StopRule):
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

    def __post_init__(self):
        _non_negative(tol=self.tol)

    def look(self, memory, check):
        return None, ("gap" if check.gap <= self.tol else None)


@dataclass(frozen=True)
class ObjectiveChange(StopRule):
    """|F(w) − F(w_previous)| ≤ tol · max(1, |F(w)|): "no_change".

    Parameters
    ----------
    tol : float, default=1e-9

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

    def __post_init__(self):
        _non_negative(tol=self.tol)

    def start(self):
        return np.inf

    def look(self, memory, check):
        F = check.objective
        return F, ("no_change" if abs(F - memory) <= self.tol * max(1.0, abs(F)) else None)


@dataclass(frozen=True)
class ParameterChange(StopRule):
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

    def __post_init__(self):
        _non_negative(tol=self.tol)

    def start(self):
        return np.inf

    def look(self, memory, check):
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

    score: Any
    patience: int = 5
    min_change: float = 0.0

    def __post_init__(self):
        if self.patience < 1:
            raise ValueError(f"patience={self.patience!r} must be ≥ 1; give the checks to wait for a better score")

    def start(self):
        return _Validated(-np.inf, -np.inf, None, 0)

    def look(self, memory, check):
        score = float(self.score(check.w))
        if memory.check is None or score > memory.best + self.min_change:
            return _Validated(score, score, check, 0), None
        stale = memory.stale + 1
        return memory._replace(score=score, stale=stale), ("validation" if stale >= self.patience else None)

    def columns(self, memory):
        return {"validation": memory.score}

    def restore(self, memory):
        return memory.check


class _Validated(NamedTuple):
    score: float
    best: float
    check: Any
    stale: int


@dataclass(frozen=True)
class _Combined(StopRule):
    rules: tuple

    def start(self):
        return tuple(rule.start() for rule in self.rules)

    def look(self, memory, check):
        looks = [rule.look(past, check) for rule, past in zip(self.rules, memory, strict=True)]
        return tuple(past for past, _ in looks), self._verdict([reason for _, reason in looks])

    @abstractmethod
    def _verdict(self, reasons):
        """One reason from those of the rules."""

    def columns(self, memory):
        parts = [rule.columns(past) for rule, past in zip(self.rules, memory, strict=True)]
        return {name: value for part in parts for name, value in part.items()}

    def restore(self, memory):
        wishes = [rule.restore(past) for rule, past in zip(self.rules, memory, strict=True)]
        return next((check for check in wishes if check is not None), None)


@dataclass(frozen=True)
class AnyOf(_Combined):
    """Stop as soon as one of the rules says so, with its reason; written ``a | b``.

    Parameters
    ----------
    rules : tuple of StopRule

    References
    ----------
    Gill, P., Murray, W. & Wright, M. (1981). Practical Optimization, section 8.2.3. doi:10.1137/1.9781611975604

    Examples
    --------
    >>> from gnomon.optim.stopping import GradientNorm, ObjectiveChange
    >>> GradientNorm(1e-4) | ObjectiveChange(1e-8)
    AnyOf(rules=(GradientNorm(tol=0.0001), ObjectiveChange(tol=1e-08)))
    """

    def _verdict(self, reasons):
        return next((reason for reason in reasons if reason), None)


@dataclass(frozen=True)
class AllOf(_Combined):
    """Stop when every rule says so at the same check, with the reason of the first; written ``a & b``.

    Parameters
    ----------
    rules : tuple of StopRule

    References
    ----------
    Gill, P., Murray, W. & Wright, M. (1981). Practical Optimization, section 8.2.3. doi:10.1137/1.9781611975604

    Examples
    --------
    >>> from gnomon.optim.stopping import GradientNorm, ParameterChange
    >>> rule = GradientNorm(1e-4) & ParameterChange(1e-8)
    >>> len(rule.rules)
    2
    """

    def _verdict(self, reasons):
        return reasons[0] if all(reasons) else None


def default_rule(rule, tol_obj, stop):
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


def _non_negative(**named):
    for name, value in named.items():
        if not value >= 0:
            raise ValueError(f"{name}={value!r} must be ≥ 0; give a non-negative number")
