"""First looks: what every model costs and, roughly, how good it is, by fits to a few rows.

Each model is fitted to 500 rows, and then to 2 000 where that is short by (1) of `gnomon.report._budget`: how long a
fit takes is known only when it is over, so that a small one bounds the others. All are judged on the same rows left
out. These are two rungs of successive halving: Jamieson & Talwalkar (2016), PMLR 51.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from gnomon._typing import Array, Integers
from gnomon.report._budget import Budget, affordable, longest_fit, predicted_seconds
from gnomon.report._trials import Fold, Folds, Matrices, Tryout, try_fold

__all__ = ["FirstLooks", "LastFit"]

ROWS, FEWER_ROWS = 2_000, 500
ROWS_OF_A_CLASS = 6
"""As far as there are: two in each of the three folds by which models find a strength of penalty."""
SHARE_OF_TIME = 0.4
"""Of the time for comparing; more, where those that were looked at cannot use it."""
SHARE_OF_ONE = 0.2
"""Of the time for comparing that is left, what one fit to the greater number of rows may take."""


class LastFit(NamedTuple):
    """The seconds of the last fit of a model, its rows, and its loss."""

    seconds: float
    rows: int
    loss: float

    def seconds_for(self, rows: int) -> float:
        """What a fit to so many rows takes; to fewer, no less."""
        return predicted_seconds(self.seconds, self.rows, max(rows, self.rows))


@dataclass
class FirstLooks:
    """The looks at some models, in this order, the baseline first; those that have been looked at have a `LastFit`.

    Also those that failed: on more rows they may succeed, and they count as the worst, and as dear as any.
    """

    records: list[Tryout]
    y: Array
    classes: tuple[str, ...]
    seed: int
    budget: Budget
    fold: Fold | None = None
    last: dict[str, LastFit] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)

    def take(self, make: Callable[[Fold], Matrices], folds: Folds, step: Callable[[Tryout, str, int], None]) -> None:
        """Look at one model after another in rows of the first fold, for as long as that leaves time to go on."""
        train, test = folds[0]
        rng = np.random.default_rng(self.seed)
        drawn = rng.permutation(train)
        few, fewer = self._some(drawn, ROWS), self._some(drawn, FEWER_ROWS)
        self.fold = (few, np.sort(rng.permutation(test)[:ROWS]))
        end = (1.0 - SHARE_OF_TIME) * self.budget.left_for_comparing
        prepared = make(self.fold)
        places = np.searchsorted(few, fewer)
        smaller = {levels: (A[places], B) for levels, (A, B) in prepared.items()}
        for i, record in enumerate(self.records):
            # The simple models come first, and mostly cost least.
            if self.budget.left_for_comparing < end and not self._has_time_to_look(len(train), len(folds)):
                break
            step(record, "a first look at", len(self.records))
            self._look(record, (fewer, self.fold[1]), smaller)
            if record.failure or (record.is_running and self._is_short(self.last[record.name])):
                longer = Tryout(record.entrant, record.judges)
                self._look(longer, self.fold, prepared)
                self.records[i] = longer
        most = max((look.seconds for look in self.last.values()), default=0.0)
        self.failures = {record.name: record.failure for record in self.records if record.failure}
        self.last |= {name: LastFit(most, len(few), np.inf) for name in self.failures}

    def _some(self, drawn: Integers, n: int) -> Integers:
        """The first of these rows in their order, with some of every class: one without fails models or misleads."""
        kept = [drawn[self.y[drawn] == name][:ROWS_OF_A_CLASS] for name in self.classes]
        return np.sort(list(dict.fromkeys(np.concatenate([*kept, drawn]).tolist()))[:n])

    def _look(self, record: Tryout, fold: Fold, prepared: Matrices) -> None:
        try_fold(record, fold, prepared, self.y, self.classes, self.seed, longest_fit(self.budget.left_for_comparing))
        if record.is_running:
            self.last[record.name] = LastFit(record.seconds[0], len(fold[0]), record.losses(1)[0])

    def _is_short(self, look: LastFit) -> bool:
        return look.seconds_for(ROWS) <= SHARE_OF_ONE * max(self.budget.left_for_comparing, 0.0)

    def _has_time_to_look(self, rows: int, n_folds: int) -> bool:
        """Whether those that would go on in folds of so many rows, if any, leave more than the longest look took."""
        left = max(self.budget.left_for_comparing, 0.0)
        looks = sorted((record for record in self.records[1:] if record.scores), key=lambda r: self.last[r.name].loss)
        costs = {record.name: n_folds * self.last[record.name].seconds_for(rows) for record in looks}
        fitting = {name: cost for name, cost in costs.items() if cost < left}
        if not fitting:
            return not looks or left > 0.0
        needed = sum(costs[name] for name in affordable(fitting, left))
        return left - needed > max(record.seconds[0] for record in looks)
