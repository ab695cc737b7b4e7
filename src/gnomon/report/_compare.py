"""Comparing candidates by cross-validation, each on the same folds, within a time.

Stone (1974), doi:10.1111/j.2517-6161.1974.tb00994.x; the standard errors are (2) of `gnomon.report.scores`.
"""

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.dummy import DummyClassifier, DummyRegressor

from gnomon._jit.timing import stopwatch
from gnomon._registry import Candidate, Facts, LevelCoding
from gnomon._typing import Array, Floats, Integers
from gnomon.report._budget import FEWEST_FOLDS, Budget, affordable, clearly_behind, predicted_seconds
from gnomon.report.ending import ENDINGS
from gnomon.report.scores import Forecast, Score, forecast, score_all, standard_error

__all__ = [
    "BASELINE",
    "Comparison",
    "Entrant",
    "Folds",
    "Matrices",
    "Trial",
    "Tryout",
    "build",
    "compare",
    "trial_of",
    "try_fold",
]

ROWS_TO_QUALIFY = 2_000
ROWS_OF_A_CLASS = 6
"""In a first look, as far as there are: two in each of the three folds by which models find a strength of penalty."""
SHARE_OF_FIRST_LOOK = 0.4
"""Of the time for comparing; more, where those that were looked at cannot use it."""
PATIENCE = 10.0
"""Seconds; where what is left of a comparison takes less, every model is judged in all folds."""
SHARE_OF_BEST = 0.2
"""Of all the time that is left, what one more fold of the best model may take; its last fits take longer."""

BASELINE = {
    "classification": Candidate(
        "baseline", "classification", lambda facts, seed: DummyClassifier(strategy="prior"), complexity=-1.0,
        note="says the shares of the classes, whatever the row",
    ),
    "regression": Candidate(
        "baseline", "regression", lambda facts, seed: DummyRegressor(), complexity=-1.0,
        note="says the mean, whatever the row",
    ),
}  # fmt: skip

Matrices: TypeAlias = Mapping[LevelCoding, tuple[Any, Any]]
"""Of one fold: the training and the test matrix for each way to show categories, prepared from the former alone."""


Folds: TypeAlias = Sequence[tuple[Integers, Integers]]
"""Training and test rows of each fold."""


class Entrant(NamedTuple):
    """A candidate, the facts of the matrix that it gets, how that shows categories, and what it is a mean of."""

    candidate: Candidate
    facts: Facts
    levels: LevelCoding
    members: tuple["Entrant", ...] = ()


@dataclass(frozen=True)
class Trial:
    """The result of one candidate: scores and forecasts per fold, seconds, warnings.

    Or the reason why it failed, or why it was stopped before the last fold; of these there are no scores.
    """

    entrant: Entrant
    scores: dict[str, Floats] = field(default_factory=dict)
    errors: dict[str, float] = field(default_factory=dict)
    seconds: float = 0.0
    complaints: tuple[str, ...] = ()
    failure: str = ""
    stopped: str = ""
    forecasts: tuple[Forecast, ...] = field(default=(), repr=False)

    @property
    def candidate(self) -> Candidate:
        """What was tried."""
        return self.entrant.candidate

    @property
    def complete(self) -> bool:
        """Whether it has scores in all folds."""
        return not self.failure and not self.stopped

    def mean(self, name: str) -> float:
        """The mean of one score over the folds in which it is defined; nan if there is none."""
        defined = self.scores[name][~np.isnan(self.scores[name])]
        return float(np.mean(defined)) if len(defined) else np.nan


class Comparison(NamedTuple):
    """The trials, the folds in which all of them were judged, and whether the user ended it before the last fold."""

    trials: list[Trial]
    folds: Folds
    interrupted: bool


def build(candidate: Candidate, facts: Facts, seed: int) -> Any:
    """The unfitted estimator of a candidate; a classifier without probabilities is calibrated by a sigmoid."""
    estimator = candidate.make(facts, seed)
    if facts.task == "classification" and not candidate.probabilities:
        return CalibratedClassifierCV(estimator, method="sigmoid", cv=3, ensemble=False)
    return estimator


@dataclass
class Tryout:
    """The running record of one candidate: what it said in each fold so far."""

    entrant: Entrant
    judges: Sequence[Score]
    scores: list[dict[str, float]] = field(default_factory=list)
    forecasts: list[Forecast] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    complaints: set[str] = field(default_factory=set)
    failure: str = ""
    stopped: str = ""
    late: bool = False

    @property
    def name(self) -> str:
        """The name of the candidate."""
        return self.entrant.candidate.name

    @property
    def is_running(self) -> bool:
        """Whether it goes on to the next fold."""
        return not self.failure and not self.stopped

    def losses(self, done: int) -> list[float]:
        """The loss in each of the first folds."""
        first = self.judges[0]
        return [first.sign * scores[first.name] for scores in self.scores[:done]]


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

    A candidate that fails, or that is stopped, is kept with its reason. An interruption after the second fold ends the
    comparison with the folds that are complete.
    """
    sizes = [len(train) for train, _ in folds]
    race = _Race([Tryout(entrant, scores) for entrant in entrants], y, classes, seed, budget, sizes, progress)
    race.qualify(prepare, folds)
    done, interrupted = 0, False
    try:
        for fold, prepared in zip(folds, prepare(folds), strict=True):
            if not race.run(fold, prepared, done):
                break
            done += 1
            race.retire(done)
        race.catch_up(prepare, folds[:done])
    except ENDINGS:
        if done < FEWEST_FOLDS:
            raise
        interrupted = True
    return Comparison([trial_of(record, folds[:done]) for record in race.records], folds[:done], interrupted)


class LastFit(NamedTuple):
    """The seconds of the last fit, its rows, and its loss."""

    seconds: float
    rows: int
    loss: float


@dataclass
class _Race:
    """Candidates, some of which are stopped on the way."""

    records: list[Tryout]
    y: Array
    classes: tuple[str, ...]
    seed: int
    budget: Budget
    sizes: Sequence[int]
    progress: Callable[[int, int, str], None]
    steps: int = 0
    looks: dict[str, LastFit] = field(default_factory=dict)
    overdue: str = ""

    @property
    def n_folds(self) -> int:
        """How many folds there are."""
        return len(self.sizes)

    @property
    def rivals(self) -> list[Tryout]:
        """All that run but the baseline."""
        return [record for record in self.records[1:] if record.is_running]

    def qualify(self, prepare: Callable[[Folds], Iterator[Matrices]], folds: Folds) -> None:
        """Of many rows, a trial with a few shows what every candidate costs and, roughly, how good it is."""
        train, test = folds[0]
        if len(train) <= 2 * ROWS_TO_QUALIFY or np.isinf(self.budget.limit):
            return
        rng = np.random.default_rng(self.seed)
        few = (self._few(rng.permutation(train)), np.sort(rng.permutation(test)[:ROWS_TO_QUALIFY]))
        heats = [Tryout(record.entrant, record.judges) for record in self.records]
        end = (1.0 - SHARE_OF_FIRST_LOOK) * self._time
        for prepared in prepare([few]):
            for heat in heats:
                # The simple models come first, and mostly cost least.
                if self._time < end and not self._has_time_to_look(heats, len(train)):
                    break
                self._step(heat, "a first look at", len(heats))
                try_fold(heat, few, prepared, self.y, self.classes, self.seed)
                if heat.seconds:
                    self.looks[heat.name] = LastFit(heat.seconds[0], len(few[0]), heat.losses(1)[0])
        # What failed on a few rows may succeed on more: it counts as the worst, and as dear as any.
        most = max((look.seconds for look in self.looks.values()), default=0.0)
        failures = {heat.name: heat.failure for heat in heats if heat.failure}
        self.looks |= {name: LastFit(most, len(few[0]), np.inf) for name in failures}
        self._stop(
            [record for record in self.records if record.name not in self.looks],
            lambda record: "the time did not suffice for a first look at it",
        )
        costs = {record.name: self.n_folds * self._cost(record, len(train)) for record in self.rivals}
        ranked = sorted(costs, key=lambda name: self.looks[name].loss)
        going_on = affordable({name: costs[name] for name in ranked}, self._time)
        self._stop(
            [record for record in self.rivals if record.name not in going_on],
            lambda record: (
                f"a first look at it failed, and there was no time to try it on more rows; {failures[record.name]}"
                if record.name in failures
                else f"all folds would take about {costs[record.name]:.0f} s, for which there was no time"
            ),
            late=True,
        )

    def _has_time_to_look(self, heats: Sequence[Tryout], rows: int) -> bool:
        """Whether those that would go on in folds of so many rows, if any, leave more than the longest look took."""
        looks = sorted((heat for heat in heats[1:] if heat.scores), key=lambda heat: self.looks[heat.name].loss)
        costs = {heat.name: self.n_folds * self._cost(heat, rows) for heat in looks}
        fitting = {name: cost for name, cost in costs.items() if cost < self._time}
        if not fitting:
            return not looks or self._time > 0.0
        needed = sum(costs[name] for name in affordable(fitting, self._time))
        return self._time - needed > max(heat.seconds[0] for heat in looks)

    def _few(self, drawn: Integers) -> Integers:
        """The first of these rows in their order, with some of every class: one without fails models or misleads."""
        kept = [drawn[self.y[drawn] == name][:ROWS_OF_A_CLASS] for name in self.classes]
        return np.sort(list(dict.fromkeys(np.concatenate([*kept, drawn]).tolist()))[:ROWS_TO_QUALIFY])

    def run(self, fold: tuple[Integers, Integers], prepared: Matrices, done: int) -> bool:
        """One fold of all that run, after so many; a fit for which there is no time is not begun.

        That stops a model in the first folds, if there are others; later it ends the comparison: False. Where all that
        run have failed, those that were stopped for want of time take their place, the cheapest first.
        """
        running, rows = [record for record in self.records if record.is_running], len(fold[0])
        if done >= FEWEST_FOLDS and any(self._cost(record, rows) >= self._time for record in running):
            return False
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
            self._fit(spare, fold, prepared, done)
        return True

    def _cheapest_late(self, done: int, rows: int) -> Tryout | None:
        """Of those that were stopped for want of time after so many folds, the one that costs least; None if none."""
        late = [r for r in self.records if r.late and not r.failure and len(r.scores) == done and r.name in self.looks]
        return min(late, key=lambda record: self._cost(record, rows), default=None)

    def _fit(self, record: Tryout, fold: tuple[Integers, Integers], prepared: Matrices, done: int) -> None:
        try_fold(record, fold, prepared, self.y, self.classes, self.seed)
        if not record.failure:
            self.looks[record.name] = LastFit(record.seconds[-1], len(fold[0]), record.losses(done + 1)[-1])

    def _cost(self, record: Tryout, rows: int) -> float:
        """Seconds of a fit to so many rows, by the last one; before the first, none."""
        look = self.looks.get(record.name)
        return predicted_seconds(look.seconds, look.rows, max(rows, look.rows)) if look else 0.0

    def retire(self, done: int) -> None:
        """After so many folds, stop those that can no longer win, and those for which there is no time.

        The best goes on, as few folds with it tell more than many without: into a second one as long as its last fits
        have time, and then for as long as there is time for it.
        """
        ahead = self.sizes[done:]
        costs = {record.name: sum(self._cost(record, rows) for rows in ahead) for record in self.rivals}
        if not (ahead and costs) or sum(costs.values()) < min(PATIENCE, self._time):
            return
        losses = {record.name: record.losses(done) for record in self.rivals}
        if done >= FEWEST_FOLDS:
            behind = clearly_behind(losses, self.records[0].losses(done))
            self._stop(
                [record for record in self.rivals if record.name in behind],
                lambda record: (
                    f"in each of {done} folds it gained less than half of what the best gained over the baseline"
                ),
            )
        ranked = sorted(self.rivals, key=lambda record: float(np.mean(losses[record.name])))
        going_on, best = set(affordable({record.name: costs[record.name] for record in ranked}, self._time)), ranked[0]
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

    def catch_up(self, prepare: Callable[[Folds], Iterator[Matrices]], folds: Folds) -> None:
        """The folds that they lack, for the best of those that were stopped for want of time, if some of it is left."""
        late = [record for record in self.records if record.late and record.name in self.looks]
        costs = {
            record.name: sum(self._cost(record, len(train)) for train, _ in folds[len(record.scores) :])
            for record in sorted(late, key=lambda record: self.looks[record.name].loss)
        }
        fitting = {name: cost for name, cost in costs.items() if cost < self._time}
        again = [record for record in late if record.name in affordable(fitting, self._time)] if fitting else []
        for j, (fold, prepared) in enumerate(zip(folds, prepare(folds) if again else (), strict=False)):
            for record in again:
                if len(record.scores) != j or record.failure or self._cost(record, len(fold[0])) >= self._time:
                    continue
                self._step(record, "cross-validating", len(again))
                self._fit(record, fold, prepared, j)
                if len(record.scores) == len(folds):
                    record.stopped = ""

    @property
    def _time(self) -> float:
        return max(self.budget.left_for_comparing, 0.0)

    def _stop(self, records: Iterable[Tryout], why: Callable[[Tryout], str], *, late: bool = False) -> None:
        for record in records:
            record.stopped, record.late = why(record), late

    def _step(self, record: Tryout, doing: str, field: int) -> None:
        done = len(record.scores)
        self.progress(self.steps, self.steps + field * (self.n_folds - done), f"{doing} {record.name}")
        self.steps += 1


def _folds(n: int) -> str:
    return f"{n} fold{'s' * (n > 1)}"


def try_fold(
    record: Tryout,
    fold: tuple[Integers, Integers],
    prepared: Matrices,
    y: Array,
    classes: tuple[str, ...],
    seed: int,
) -> None:
    """Fit a candidate to the training rows of a fold, and score it on the others; a failure is kept as its reason."""
    (candidate, facts, levels, _), (train, test) = record.entrant, fold
    A, B = prepared[levels]
    try:
        with stopwatch() as watch, warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            said = forecast(build(candidate, facts, seed).fit(A, y[train]), B, classes)
            scores = score_all(record.judges, y[test], said)
    except Exception as error:  # a candidate that fails is reported; the study goes on
        record.failure = f"{type(error).__name__}: {error}".splitlines()[0]
        return
    record.scores.append(scores)
    record.forecasts.append(said)
    record.seconds.append(watch.seconds)
    record.complaints |= {str(w.message).splitlines()[0] for w in caught if not _housekeeping(w)}


def _housekeeping(warning: warnings.WarningMessage) -> bool:
    return issubclass(warning.category, (DeprecationWarning, FutureWarning, ImportWarning, ResourceWarning))


def trial_of(record: Tryout, folds: Folds) -> Trial:
    """What a candidate reached in these folds, or why it did not."""
    if record.failure or record.stopped:
        return Trial(record.entrant, seconds=sum(record.seconds), failure=record.failure, stopped=record.stopped)
    kept = record.scores[: len(folds)]
    scores = {name: np.array([s[name] for s in kept]) for name in kept[0]}
    if not np.isfinite(scores[record.judges[0].name]).all():
        return Trial(record.entrant, failure=f"its {record.judges[0].name} is not a finite number")
    errors = {name: standard_error(values, folds) for name, values in scores.items()}
    complaints, forecasts = tuple(sorted(record.complaints)), tuple(record.forecasts[: len(folds)])
    return Trial(record.entrant, scores, errors, sum(record.seconds), complaints, forecasts=forecasts)
