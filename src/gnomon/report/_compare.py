"""Comparing candidates by cross-validation, each on the same folds.

Stone (1974), doi:10.1111/j.2517-6161.1974.tb00994.x; the standard errors are (2) of `gnomon.report.scores`.
"""

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.dummy import DummyClassifier, DummyRegressor

from gnomon._jit.timing import stopwatch
from gnomon._registry import Candidate, Facts, LevelCoding
from gnomon._typing import Array, Floats, Integers
from gnomon.report.scores import SCORES, Forecast, forecast, score_all, standard_error

__all__ = ["BASELINE", "Entrant", "Matrices", "Trial", "build", "compare"]

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


class Entrant(NamedTuple):
    """A candidate with the facts of the matrix that it gets, and how categories are shown in that."""

    candidate: Candidate
    facts: Facts
    levels: LevelCoding


@dataclass(frozen=True)
class Trial:
    """The result of one candidate: scores and forecasts per fold, seconds, warnings, or the reason why it failed."""

    entrant: Entrant
    scores: dict[str, Floats] = field(default_factory=dict)
    errors: dict[str, float] = field(default_factory=dict)
    seconds: float = 0.0
    complaints: tuple[str, ...] = ()
    failure: str = ""
    forecasts: tuple[Forecast, ...] = ()

    @property
    def candidate(self) -> Candidate:
        """What was tried."""
        return self.entrant.candidate

    def mean(self, name: str) -> float:
        """The mean over the folds of one score."""
        return float(np.mean(self.scores[name]))


def build(candidate: Candidate, facts: Facts, seed: int) -> Any:
    """The unfitted estimator of a candidate; a classifier without probabilities is calibrated by a sigmoid."""
    estimator = candidate.make(facts, seed)
    if facts.task == "classification" and not candidate.probabilities:
        return CalibratedClassifierCV(estimator, method="sigmoid", cv=3, ensemble=False)
    return estimator


@dataclass
class _Attempt:
    """The running record of one candidate."""

    entrant: Entrant
    scores: list[dict[str, float]] = field(default_factory=list)
    forecasts: list[Forecast] = field(default_factory=list)
    seconds: float = 0.0
    complaints: set[str] = field(default_factory=set)
    failure: str = ""


def compare(
    matrices: Iterable[Matrices],
    y: Array,
    folds: Sequence[tuple[Integers, Integers]],
    entrants: Sequence[Entrant],
    classes: tuple[str, ...],
    *,
    seed: int = 0,
    progress: Callable[[str], None],
) -> list[Trial]:
    """Try every candidate on every fold; a candidate that fails is kept with its reason."""
    records = [_Attempt(entrant) for entrant in entrants]
    for (train, test), prepared in zip(folds, matrices, strict=True):
        for record in records:
            progress(record.entrant.candidate.name)
            if not record.failure:
                A, B = prepared[record.entrant.levels]
                _try(record, (A, y[train]), (B, y[test]), classes, seed)
    return [_trial(record, folds) for record in records]


def _try(
    record: _Attempt, train: tuple[Any, Array], test: tuple[Any, Array], classes: tuple[str, ...], seed: int
) -> None:
    candidate, facts, _ = record.entrant
    try:
        with stopwatch() as watch, warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = build(candidate, facts, seed).fit(*train)
            said = forecast(model, test[0], classes)
            record.scores.append(score_all(facts.task, test[1], said))
            record.forecasts.append(said)
    except Exception as error:  # a candidate that fails is reported; the study goes on
        record.failure = f"{type(error).__name__}: {error}".splitlines()[0]
        return
    record.seconds += watch.seconds
    record.complaints |= {str(w.message).splitlines()[0] for w in caught if not _housekeeping(w)}


def _housekeeping(warning: warnings.WarningMessage) -> bool:
    return issubclass(warning.category, (DeprecationWarning, FutureWarning, ImportWarning, ResourceWarning))


def _trial(record: _Attempt, folds: Sequence[tuple[Integers, Integers]]) -> Trial:
    if record.failure:
        return Trial(record.entrant, failure=record.failure)
    scores = {name: np.array([s[name] for s in record.scores]) for name in record.scores[0]}
    if not np.isfinite(scores[SCORES[record.entrant.facts.task][0].name]).all():
        return Trial(record.entrant, failure="its loss is not a finite number")
    errors = {name: standard_error(values, folds) for name, values in scores.items()}
    complaints = tuple(sorted(record.complaints))
    return Trial(record.entrant, scores, errors, record.seconds, complaints, forecasts=tuple(record.forecasts))
