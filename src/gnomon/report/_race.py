"""Comparing candidates by cross-validation, each on the same folds, within a time.

Stone (1974), doi:10.1111/j.2517-6161.1974.tb00994.x; the standard errors are (2) of `gnomon.report.scores`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gnomon._typing import Array
from gnomon.report._budget import FEWEST_FOLDS, Budget, affordable, clearly_behind, longest_fit, predicted_seconds
from gnomon.report._first_looks import ROWS, FirstLooks, LastFit
from gnomon.report._trials import Entrant, Fold, Folds, Matrices, Trial, Tryout, trial_of, try_fold
from gnomon.report.ending import ENDINGS
from gnomon.report.scores import Score

__all__ = ["Comparison", "compare"]

PATIENCE = 10.0
"""Seconds; where what is left of a comparison takes less, every model is judged in all folds."""
SHARE_OF_BEST = 0.2
"""Of all the time that is left, what one more fold of the best model may take; its last fits take longer."""
UNSEEN = "the time did not suffice for a first look at it"


class Comparison(NamedTuple):
    """The trials, the folds in which all of them were judged, and what the user ended, in words."""

    trials: list[Trial]
    folds: Folds
    ended: str


def compare(
    prepare: Callable[[Folds], Iterator[Matrices]],
    y: Array,
    folds: Folds,
    entrants: Sequence[Entrant],
    classes: tuple[str, ...],
    *,
    scores: Sequence[Score],
    seed: int = 0,
    budget: Budget,
    progress: Callable[[int, int, str], None],
) -> Comparison:
    """Try every candidate on every fold, the baseline first, as far as the time suffices; the first score counts.

    A candidate that fails, or that is stopped, is kept with its reason. An interruption ends the comparison with the
    folds that are complete; in the first one with those that were fitted, before it with the first looks.
    """
    records, heats = ([Tryout(entrant, scores) for entrant in entrants] for _ in range(2))
    looks = FirstLooks(heats, y, classes, seed, budget)
    making = _Making(prepare, budget)
    race = _Race(records, looks, making, y, classes, seed, budget, [len(train) for train, _ in folds], progress)
    done = 0
    try:
        race.qualify(folds)
        for fold in folds:
            if not race.run(fold, done):
                break
            done += 1
            race.retire(done)
        race.catch_up(folds[:done])
    except ENDINGS:
        if (found := race.found_in(folds, done)) is None:
            raise
        return found
    return Comparison([trial_of(record, folds[:done]) for record in records], folds[:done], "")


@dataclass
class _Making:
    """The matrices of a fold, and what they took last: of texts, more than many a fit."""

    prepare: Callable[[Folds], Iterator[Matrices]]
    budget: Budget
    seconds: float = 0.0
    rows: int = 1

    def __call__(self, fold: Fold) -> Matrices:
        before = self.budget.spent
        (prepared,) = self.prepare([fold])
        self.seconds, self.rows = self.budget.spent - before, len(fold[0])
        return prepared

    def seconds_for(self, rows: int) -> float:
        """What the matrices of a fold with so many training rows take."""
        return predicted_seconds(self.seconds, self.rows, rows)


@dataclass
class _Race:
    """Candidates, some of which are stopped on the way; of those with a `looks.last` a cost can be told.

    `sizes` are the training rows of the folds, `steps` the fits that were told so far, and `overdue` names the best
    after one fold, which goes on although its second one takes more than is left for comparing.
    """

    records: list[Tryout]
    looks: FirstLooks
    making: _Making
    y: Array
    classes: tuple[str, ...]
    seed: int
    budget: Budget
    sizes: Sequence[int]
    progress: Callable[[int, int, str], None]
    steps: int = 0
    overdue: str = ""

    @property
    def n_folds(self) -> int:
        """How many folds there are."""
        return len(self.sizes)

    @property
    def rivals(self) -> list[Tryout]:
        """All that run but the baseline."""
        return [record for record in self.records[1:] if record.is_running]

    def qualify(self, folds: Folds) -> None:
        """Of many rows, first looks show for which models there is time in all folds.

        The best goes on where there is time for two: few folds with it tell more than many without.
        """
        rows = self.sizes[0]
        if rows <= 2 * ROWS or np.isinf(self.budget.limit):
            return
        self.looks.take(self.making, folds, self._step)
        failures, last = self.looks.failures, self.looks.last
        self._stop([record for record in self.records if record.name not in last], lambda record: UNSEEN, late=True)
        costs = {record.name: self.n_folds * self._cost(record, rows) for record in self.rivals}
        ranked = sorted(costs, key=lambda name: last[name].loss)
        going_on = affordable({name: costs[name] for name in ranked}, self._time_for_fits(self.sizes))
        if ranked and self._has_time_for_two(costs[ranked[0]] / self.n_folds):
            going_on.append(ranked[0])
        self._stop(
            [record for record in self.rivals if record.name not in going_on],
            lambda record: (
                f"a first look at it failed, and there was no time to try it on more rows; {failures[record.name]}"
                if record.name in failures
                else f"all folds would take about {costs[record.name]:.0f} s, for which there was no time"
            ),
            late=True,
        )

    def _has_time_for_two(self, cost: float) -> bool:
        """Whether two folds may take so much each, and the last fits of the model somewhat more."""
        time = self._time_for_fits(self.sizes[:FEWEST_FOLDS])
        return FEWEST_FOLDS * cost < time and cost < SHARE_OF_BEST * self.budget.left

    def run(self, fold: Fold, done: int) -> bool:
        """One fold of all that run, after so many; a fit for which there is no time is not begun.

        That stops a model in the first folds, if there are others; later it ends the comparison: False. Where all that
        run have failed, those that were stopped for want of time take their place, the cheapest first.
        """
        running, rows = [record for record in self.records if record.is_running], len(fold[0])
        time = self._time_for_fits([rows])
        if done >= FEWEST_FOLDS and any(self._cost(record, rows) >= time for record in running):
            return False
        prepared = self.making(fold)
        for record in running:
            if self._cost(record, rows) >= self._time and record.name != self.overdue:
                if done >= FEWEST_FOLDS:
                    return False
                if any(len(other.scores) > done for other in self.rivals):
                    self._stop([record], lambda record: "the time did not suffice for it", late=True)
                    continue
            self._step(record, "cross-validating", len(running))
            self._fit(record, fold, prepared, done)
        while not any(len(other.scores) > done for other in self.rivals) and (spare := self._cheapest_late(done, rows)):
            spare.stopped, spare.late = "", False
            self._step(spare, "cross-validating", 1)
            self._fit(spare, fold, prepared, done, np.inf)
        return True

    def _cheapest_late(self, done: int, rows: int) -> Tryout | None:
        """Of those that were stopped for want of time after so many folds, the one that costs least; None if none."""
        late = [r for r in self.records if r.late and not r.failure and len(r.scores) == done and self._is_known(r)]
        return min(late, key=lambda record: self._cost(record, rows), default=None)

    def _fit(self, record: Tryout, fold: Fold, prepared: Matrices, done: int, most: float | None = None) -> None:
        """One fold; after `most` seconds, or those that `longest_fit` says, the fit is ended."""
        rows = len(fold[0])
        if most is None:
            most = longest_fit(self.budget.left_for_comparing, self._cost(record, rows))
        try_fold(record, fold, prepared, self.y, self.classes, self.seed, most)
        if len(record.scores) > done:
            self.looks.last[record.name] = LastFit(record.seconds[-1], rows, record.losses(done + 1)[-1])
        elif not record.failure:
            self.looks.last[record.name] = LastFit(most, rows, np.inf)

    def _is_known(self, record: Tryout) -> bool:
        return record.name in self.looks.last

    def _cost(self, record: Tryout, rows: int) -> float:
        """Seconds of a fit to so many rows, by the last one; before the first, none."""
        return self.looks.last[record.name].seconds_for(rows) if self._is_known(record) else 0.0

    def retire(self, done: int) -> None:
        """After so many folds, stop those that can no longer win, and those for which there is no time.

        The best goes on, as few folds with it tell more than many without: into a second one as long as its last fits
        have time, and then for as long as there is time for it.
        """
        ahead = self.sizes[done:]
        costs = {record.name: sum(self._cost(record, rows) for rows in ahead) for record in self.rivals}
        time = self._time_for_fits(ahead)
        if not (ahead and costs) or sum(costs.values()) < min(PATIENCE, time):
            return
        if done >= FEWEST_FOLDS:
            self._stop_behind(done)
        ranked = sorted(self.rivals, key=lambda record: float(np.mean(record.losses(done))))
        if not ranked:
            return
        going_on, best = set(affordable({record.name: costs[record.name] for record in ranked}, time)), ranked[0]
        if done >= FEWEST_FOLDS:
            going_on.add(best.name)
        elif best.name not in going_on and self._cost(best, ahead[0]) < SHARE_OF_BEST * self.budget.left:
            self.overdue = best.name
            going_on.add(best.name)
        self._stop(
            [record for record in ranked if record.name not in going_on],
            lambda record: f"the time did not suffice for it; after {_folds(done)} others were ahead",
            late=True,
        )

    def _stop_behind(self, done: int) -> None:
        """Stop those that can no longer win, by their losses in so many folds."""
        losses = {record.name: record.losses(done) for record in self.rivals}
        behind = clearly_behind(losses, self.records[0].losses(done))
        self._stop(
            [record for record in self.rivals if record.name in behind],
            lambda record: (
                f"in each of {done} folds it gained less than half of what the best gained over the baseline"
                if len(behind) < len(losses)
                else f"in each of {done} folds it was worse than the baseline"
            ),
        )

    def catch_up(self, folds: Folds) -> None:
        """The folds that they lack, for the best of those that were stopped for want of time, if some of it is left.

        Where nobody else has got so far, for one after the other, also of those that have not been looked at.
        """
        late = [record for record in self.records if record.late and not record.failure]
        known = sorted(filter(self._is_known, late), key=lambda record: self.looks.last[record.name].loss)
        costs = {
            record.name: sum(self._cost(record, len(train)) for train, _ in folds[len(record.scores) :])
            for record in known
        }
        time = self._time_for_fits([len(train) for train, _ in folds])
        fitting = {name: cost for name, cost in costs.items() if cost < time}
        again = [record for record in known if record.name in affordable(fitting, time)] if fitting else []
        self._fill(again, folds, lambda: self._time)
        unseen = [record for record in late if not self._is_known(record)]
        for record in (*unseen, *sorted(known, key=lambda record: costs[record.name])):
            if self._has_gained(len(folds)):
                break
            self._fill([record], folds, lambda: self.budget.left)

    def _fill(self, again: Sequence[Tryout], folds: Folds, time_left: Callable[[], float]) -> None:
        """The folds that these lack, for as long as they have time."""
        for j, fold in enumerate(folds):
            rows = len(fold[0])
            lacking = [record for record in again if len(record.scores) == j and not record.failure]
            if all(self._cost(record, rows) + self.making.seconds_for(rows) >= time_left() for record in lacking):
                continue
            prepared = self.making(fold)
            for record in lacking:
                if self._cost(record, rows) >= time_left():
                    continue
                self._step(record, "cross-validating", len(again))
                self._fit(record, fold, prepared, j, longest_fit(time_left(), self._cost(record, rows)))
                if len(record.scores) == len(folds):
                    record.stopped = ""

    def _has_gained(self, done: int) -> bool:
        """Whether any has been judged in so many folds, and is better there than the baseline."""
        baseline, *others = (np.mean(r.losses(done)) for r in self.records if r.is_running and len(r.scores) >= done)
        return bool(min(others, default=np.inf) < baseline)

    def found_in(self, folds: Folds, done: int) -> Comparison | None:
        """What there is after so many folds: these, or the first as far as it got, or the first looks, or nothing."""
        records, judged, heats, fold = self.records, folds[: max(done, 1)], self.looks.records, self.looks.fold
        if done == self.n_folds:
            when = "after its last fold, while those stopped for want of time caught up"
        elif done:
            when = "before its last fold" if done >= FEWEST_FOLDS else "in its second fold, so that one alone counts"
        elif any(record.scores for record in records[1:]):
            when = "in its first fold, which alone counts"
        elif fold is not None and any(heat.scores for heat in heats[1:]):
            records, judged = heats, [fold]
            when = f"before its first fold, so that first looks at {len(fold[0])} rows or fewer count"
        else:
            return None
        unseen = [record for record in records if record.is_running and not record.scores]
        self._stop(unseen, lambda record: "the comparison was ended before it")
        return Comparison([trial_of(one, judged) for one in records], judged, f"the comparison was ended {when}")

    @property
    def _time(self) -> float:
        return max(self.budget.left_for_comparing, 0.0)

    def _time_for_fits(self, sizes: Sequence[int]) -> float:
        """What is left for comparing when the matrices of folds with so many training rows have been made."""
        return max(self._time - sum(map(self.making.seconds_for, sizes)), 0.0)

    def _stop(self, records: Iterable[Tryout], why: Callable[[Tryout], str], *, late: bool = False) -> None:
        for record in records:
            record.stopped, record.late = why(record), late

    def _step(self, record: Tryout, doing: str, field: int) -> None:
        done = len(record.scores)
        self.progress(self.steps, self.steps + field * (self.n_folds - done), f"{doing} {record.name}")
        self.steps += 1


def _folds(n: int) -> str:
    return f"{n} fold{'s' * (n > 1)}"
