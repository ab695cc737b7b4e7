"""Stalls: what is done when the loss, or a score on held-out rows, no longer improves.

    stall:  no check of the last p was better than the best before it by more than tol;  stop, or η ← factor · η    (1)

Prechelt (1998), doi:10.1007/3-540-49430-8_3, on stopping; dividing the rate instead, and stopping at a later stall, is
the usual schedule of large networks: He et al. (2016), doi:10.1109/CVPR.2016.90, section 3.4.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

from gnomon.numerics.validation import check_integer, check_interval
from gnomon.optim.rules import Check, StopRule
from gnomon.optim.solution import Row, StopReason

__all__ = ["BestColumn", "RateDrops", "Stalls"]


class Waiting(NamedTuple):
    """What a rule of patience remembers: the best value, the check that had it, and how many were no better since."""

    best: float
    check: Check[Any] | None
    stale: int


@dataclass(frozen=True)
class BestColumn(StopRule):
    """A column of the checks did not rise by more than `tol` for `patience` checks in a row: "validation".

    The check with the largest value is restored, the earliest among equals. The start, which is no iteration, does not
    count, nor does a value that is not a number.

    Parameters
    ----------
    column : str, default="validation"
    patience : int, default=11
    tol : float, default=0.0

    References
    ----------
    Prechelt, L. (1998). Early stopping — but when? doi:10.1007/3-540-49430-8_3

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim.stalls import BestColumn
    >>> from gnomon.optim.stopping import Check
    >>> rule = BestColumn(patience=1)
    >>> memory = rule.start()
    >>> for k, score in enumerate((0.1, 0.5, 0.6, 0.55)):
    ...     memory, reason = rule.look(memory, Check(k, np.array([k]), 0.0, more={"validation": score}))
    >>> reason, rule.restore(memory).iteration
    ('validation', 2)
    """

    column: str = "validation"
    patience: int = 11
    tol: float = 0.0

    def start(self) -> Waiting:
        return Waiting(-math.inf, None, 0)

    def look(self, memory: Waiting, check: Check[Any]) -> tuple[Waiting, StopReason | None]:
        if check.iteration == 0:
            return memory, None
        score = float(check.more[self.column])
        first = memory.check is None
        stale = 0 if first or score > memory.best + self.tol else memory.stale + 1
        best, kept = (score, check) if first or score > memory.best else (memory.best, memory.check)
        return Waiting(best, kept, stale), ("validation" if stale >= self.patience else None)

    def restore(self, memory: Waiting) -> Check[Any] | None:
        return memory.check


@dataclass(frozen=True)
class RateDrops:
    """Multiply the rate by `factor` at every stall of (1), `times` times at most; the next stall stops.

    Parameters
    ----------
    factor : float in (0, 1), default=0.1
    times : int, default=2

    References
    ----------
    He, K., Zhang, X., Ren, S. & Sun, J. (2016). Deep residual learning for image recognition.
    doi:10.1109/CVPR.2016.90

    Examples
    --------
    The rate falls by five until it is 1e-6 or less, as scikit-learn's "adaptive" does:

    >>> from gnomon.optim import RateDrops
    >>> RateDrops.down_to(1e-3, 1e-6, factor=0.2)
    RateDrops(factor=0.2, times=5)
    """

    factor: float = 0.1
    times: int = 2

    def __post_init__(self) -> None:
        check_interval("factor", self.factor, 0.0, 1.0, closed="neither")
        check_integer("times", self.times, 0)

    @classmethod
    def down_to(cls, rate: float, least: float, *, factor: float) -> RateDrops:
        """As many drops as bring `rate` to `least` or below."""
        drops = math.log(rate / least) / -math.log(factor)
        return cls(factor, max(math.ceil(drops - 1e-9), 0))


@dataclass(frozen=True)
class Stalls(StopRule):
    """A rule whose verdicts count as stalls: the first `times` of them only begin its patience anew.

    Parameters
    ----------
    rule : StopRule
        `NoImprovement` or `BestColumn`; its memory must have `stale`.
    times : int

    References
    ----------
    He, K., Zhang, X., Ren, S. & Sun, J. (2016). Deep residual learning for image recognition.
    doi:10.1109/CVPR.2016.90

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim.stalls import Stalls
    >>> from gnomon.optim.stopping import Check, NoImprovement
    >>> rule = Stalls(NoImprovement(0.0, patience=1), times=1)
    >>> memory, told = rule.start(), []
    >>> for k, loss in enumerate((3.0, 3.0, 2.0, 2.0), 1):
    ...     memory, reason = rule.look(memory, Check(k, np.zeros(1), loss))
    ...     told.append((rule.columns(memory)["drops"], reason))
    >>> told
    [(0, None), (1, None), (1, None), (1, 'no_change')]
    """

    rule: StopRule
    times: int

    def start(self) -> tuple[Any, int]:
        return self.rule.start(), 0

    def look(self, memory: tuple[Any, int], check: Check[Any]) -> tuple[tuple[Any, int], StopReason | None]:
        past, drops = memory
        past, reason = self.rule.look(past, check)
        if reason is None or drops == self.times:
            return (past, drops), reason
        return (past._replace(stale=0), drops + 1), None

    def columns(self, memory: tuple[Any, int]) -> Row:
        return {**self.rule.columns(memory[0]), "drops": memory[1]}

    def restore(self, memory: tuple[Any, int]) -> Check[Any] | None:
        return self.rule.restore(memory[0])
