"""One candidate in the folds of a comparison: what it is, a fit to one of them, what it said so far and in the end.

Stone (1974), doi:10.1111/j.2517-6161.1974.tb00994.x; the standard errors are (2) of `gnomon.report.scores`.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.dummy import DummyClassifier, DummyRegressor

from gnomon._jit.timing import stopwatch
from gnomon._registry import Candidate, Facts, LevelCoding
from gnomon._typing import Array, Floats, Integers
from gnomon.report._deadline import TooLong, within
from gnomon.report.scores import Forecast, Score, forecast, score_all, standard_error

__all__ = [
    "BASELINE",
    "Entrant",
    "Fold",
    "Folds",
    "Matrices",
    "Trial",
    "Tryout",
    "best_first",
    "build",
    "trial_of",
    "try_fold",
]

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


Fold: TypeAlias = tuple[Integers, Integers]
"""Training and test rows."""

Folds: TypeAlias = Sequence[Fold]


class Entrant(NamedTuple):
    """A candidate, the facts of the matrix that it gets, how that shows categories, and what it is a mean of."""

    candidate: Candidate
    facts: Facts
    levels: LevelCoding
    members: tuple[Entrant, ...] = ()


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


def best_first(trials: Iterable[Trial], score: Score) -> list[Trial]:
    """Those that were judged in all folds, the best by this score first."""
    return sorted((t for t in trials if t.complete), key=lambda t: score.sign * t.mean(score.name))


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


def try_fold(
    record: Tryout,
    fold: Fold,
    prepared: Matrices,
    y: Array,
    classes: tuple[str, ...],
    seed: int,
    most: float = np.inf,
) -> None:
    """Fit a candidate to the training rows of a fold, and score it on the others; a failure is kept as its reason.

    After `most` seconds it is ended, and stopped for want of time.
    """
    (candidate, facts, levels, _), (train, test) = record.entrant, fold
    A, B = prepared[levels]
    try:
        with within(most), stopwatch() as watch, warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            said = forecast(build(candidate, facts, seed).fit(A, y[train]), B, classes)
            scores = score_all(record.judges, y[test], said)
    except Exception as error:  # a candidate that fails is reported; the study goes on
        record.failure = f"{type(error).__name__}: {error}".splitlines()[0]
        return
    except TooLong:
        record.late = True
        record.stopped = f"its fit to {len(train)} rows was ended after {most:.0f} s, its share of the time"
        return
    record.scores.append(scores)
    record.forecasts.append(said)
    record.seconds.append(watch.seconds)
    record.complaints |= {str(w.message).splitlines()[0] for w in caught if not _is_usual(w, candidate.usual_warnings)}


def _is_usual(warning: warnings.WarningMessage, usual: str) -> bool:
    """Whether no reader of a report can mend it: it is for programmers, or the model often gives it."""
    for_programmers = (DeprecationWarning, FutureWarning, ImportWarning, ResourceWarning)
    return issubclass(warning.category, for_programmers) or bool(usual and re.search(usual, str(warning.message)))


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
