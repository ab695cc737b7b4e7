"""What a stop rule is, and how rules combine.

    stop at the first check k with    rule(check₀, …, check_k)                                      (1)

A solver describes its state by a `Check`; a rule reads the checks one by one and returns a reason to stop. Rules are
values. The memory of a rule is passed to `look` and returned by it, so one rule can serve many runs. Rules combine with
``|`` (any) and ``&`` (all). Gill, Murray & Wright (1981), section 8.2.3, doi:10.1137/1.9781611975604.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Generic, NamedTuple

import numpy as np

from gnomon._typing import Floats
from gnomon.optim.solution import Row, State, StopReason

__all__ = ["AllOf", "AnyOf", "Check", "StopRule", "check_at"]


class Check(NamedTuple, Generic[State]):
    """The state of a solver.

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
    w: State
    objective: float
    gradient_norm: float = np.nan
    kkt: float = np.nan
    gap: float = np.nan
    more: Mapping[str, float] = MappingProxyType({})


def check_at(iteration: int, w: Floats, value: float, gradient: Floats, **more: float) -> Check[Floats]:
    """The `Check` of a point where the gradient is known; `more` are further columns of the history."""
    norm = float(np.max(np.abs(gradient), initial=0.0))
    return Check(iteration, w, float(value), gradient_norm=norm, more=more)


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

    def start(self) -> Any:
        """What the rule remembers before the first check."""
        return None

    @abstractmethod
    def look(self, memory: Any, check: Check[Any]) -> tuple[Any, StopReason | None]:
        """Return what to remember, and the reason to stop or None."""

    def columns(self, memory: Any) -> Row:
        """Further columns of the history, after `look`."""
        return {}

    def restore(self, memory: Any) -> Check[Any] | None:
        """The check that the rule prefers to the last one, or None."""
        return None

    def __or__(self, other: StopRule) -> AnyOf:
        return AnyOf((self, other))

    def __and__(self, other: StopRule) -> AllOf:
        return AllOf((self, other))


@dataclass(frozen=True)
class _Combined(StopRule):
    rules: tuple[StopRule, ...]

    def start(self) -> tuple[Any, ...]:
        return tuple(rule.start() for rule in self.rules)

    def look(self, memory: tuple[Any, ...], check: Check[Any]) -> tuple[tuple[Any, ...], StopReason | None]:
        looks = [rule.look(past, check) for rule, past in zip(self.rules, memory, strict=True)]
        return tuple(past for past, _ in looks), self._verdict([reason for _, reason in looks])

    @abstractmethod
    def _verdict(self, reasons: list[StopReason | None]) -> StopReason | None:
        """One reason from those of the rules."""

    def columns(self, memory: tuple[Any, ...]) -> Row:
        parts = [rule.columns(past) for rule, past in zip(self.rules, memory, strict=True)]
        return {name: value for part in parts for name, value in part.items()}

    def restore(self, memory: tuple[Any, ...]) -> Check[Any] | None:
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
    AnyOf(rules=(GradientNorm(tol=0.0001), ObjectiveChange(tol=1e-08, floor=1.0)))
    """

    def _verdict(self, reasons: list[StopReason | None]) -> StopReason | None:
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

    def _verdict(self, reasons: list[StopReason | None]) -> StopReason | None:
        return reasons[0] if all(reasons) else None
