"""The time that a study may take, and which models go on when it does not suffice for all.

    seconds of a fold of n rows  ≈  s · (n / m)^1.2,    s those of a trial with m rows                          (1)

Models are ranked by their loss so far, and the best go on as far as (1) says that the time suffices. Models that can
no longer win are stopped: those that gained less than half of what the best gained over the baseline, in every fold.
Jamieson & Talwalkar (2016), Non-stochastic best arm identification and hyperparameter optimization, PMLR 51; Maron &
Moore (1997), The racing algorithm, doi:10.1023/A:1006556606079.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from gnomon.io import UserError

__all__ = ["Budget", "affordable", "clearly_behind", "longest_fit", "predicted_seconds", "times_within"]

GROWTH = 1.2
COMPARISON, SEARCH = 0.6, 0.75
"""The shares of the limit at which comparing and tuning end; what is left is for the last fits and the report."""
WRITING = 0.05
"""The share of the limit that is kept for writing the files."""
COMPARISON_BEFORE_SEARCH = 0.5
SHARE_OF_FIT, LEAST_OF_FIT = 1.0 / 3.0, 1.0
"""Any fit may take this share of the time that is left for all (with more it has no second fold), or these seconds."""
TIMES_EXPECTED = 3.0
"""A fit may take so many times the seconds that are expected of it."""
FEWEST_FOLDS = 2
"""Two folds show that a loss is no accident, and give differences a standard error."""


class Budget:
    """Seconds from its creation to the limit; None sets none. With a search, comparing leaves time for it.

    `missed` holds in words what there was no time for, besides models.

    Examples
    --------
    >>> from gnomon.report._budget import Budget
    >>> Budget(None).left_for_comparing
    inf
    >>> 0.0 < Budget(60.0).left_for_comparing <= 36.0
    True
    """

    def __init__(self, limit: float | None, *, search: bool = False):
        if limit is not None and not limit > 0.0:
            raise UserError(f"--time-limit {limit:g} must be greater than 0, in seconds")
        self.limit = float("inf") if limit is None else float(limit)
        self.missed: list[str] = []
        self._comparison = COMPARISON_BEFORE_SEARCH if search else COMPARISON
        self._start = time.perf_counter()

    @property
    def spent(self) -> float:
        """Seconds since the beginning."""
        return time.perf_counter() - self._start

    def miss(self, what: str) -> None:
        """Note that there was no time for this."""
        if what not in self.missed:
            self.missed.append(what)

    @property
    def left(self) -> float:
        """Seconds until the files are to be written."""
        return (1.0 - WRITING) * self.limit - self.spent

    @property
    def left_for_comparing(self) -> float:
        """Seconds that may still be spent on comparing models."""
        return self._comparison * self.limit - self.spent

    @property
    def left_for_search(self) -> float:
        """Seconds that may still be spent on tuning."""
        return SEARCH * self.limit - self.spent


def predicted_seconds(seconds: float, rows: int, more: int) -> float:
    """(1).

    Examples
    --------
    >>> from gnomon.report._budget import predicted_seconds
    >>> round(predicted_seconds(2.0, 1000, 10_000), 1)
    31.7
    """
    return seconds * (more / rows) ** GROWTH


def longest_fit(left: float, expected: float = 0.0) -> float:
    """Seconds after which a fit is ended, by those that are left for all and those that are expected of it, if any.

    Examples
    --------
    >>> from gnomon.report._budget import longest_fit
    >>> longest_fit(60.0), longest_fit(-1.0), longest_fit(60.0, 25.0)
    (20.0, 1.0, 75.0)
    """
    return max(SHARE_OF_FIT * left, LEAST_OF_FIT, TIMES_EXPECTED * expected)


def times_within(seconds: float, each: float, most: int) -> int:
    """How often something may be done that takes so long each time, `most` times at the most.

    Examples
    --------
    >>> from gnomon.report._budget import times_within
    >>> times_within(10.0, 3.0, 5), times_within(float("inf"), 3.0, 5), times_within(-1.0, 3.0, 5)
    (3, 5, 0)
    """
    return most if most * each <= seconds else int(max(seconds, 0.0) / each) if each else 0


def affordable(costs: Mapping[str, float], seconds: float) -> list[str]:
    """Which may go on of some models, the best first, whose costs these are: all that fit, or else the cheapest.

    Half of the time goes in equal shares to all, so that a dear model does not end many cheap ones.

    Examples
    --------
    >>> from gnomon.report._budget import affordable
    >>> affordable({"a": 9.0, "b": 1.0, "c": 5.0}, 7.0), affordable({"a": 9.0, "b": 8.0}, 1.0)
    (['b', 'c'], ['b'])
    >>> affordable({"a": 6.5, "b": 1.0}, 7.0), affordable({}, 7.0)
    (['b'], [])
    """
    share = 0.5 * seconds / max(len(costs), 1)
    kept = {name for name, cost in costs.items() if cost <= share}
    spent = sum(costs[name] for name in kept)
    for name, cost in costs.items():
        if name not in kept and spent + cost <= seconds:
            kept.add(name)
            spent += cost
    return [name for name in costs if name in kept] or sorted(costs, key=lambda name: costs[name])[:1]


def clearly_behind(losses: Mapping[str, Sequence[float]], baseline: Sequence[float]) -> list[str]:
    """The names of those that gained less than half of what the best gained over the baseline in every fold.

    Examples
    --------
    >>> from gnomon.report._budget import clearly_behind
    >>> clearly_behind({"a": [0.2, 0.3], "b": [0.7, 0.8], "c": [0.5, 0.9]}, [1.0, 1.0])
    ['b']
    """
    if not losses:
        return []
    best = losses[min(losses, key=lambda name: sum(losses[name]))]
    return [
        name
        for name, own in losses.items()
        if all(base - mine < 0.5 * (base - top) for mine, top, base in zip(own, best, baseline, strict=True))
    ]
