"""Comparing candidates by cross-validation, and choosing one by a stated rule.

Rule: of the candidates whose mean loss exceeds the best one's by at most one standard error of the difference, take
the simplest that beats the baseline by more than two; if none does, nothing was learned and the baseline is taken.
Breiman et al. (1984), §3.4.3, doi:10.1201/9781315139470, with paired differences and their corrected standard error.
"""

import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.dummy import DummyClassifier, DummyRegressor

from gnomon._registry import Candidate, Facts
from gnomon._typing import Array, Floats, Integers
from gnomon.report.scores import SCORES, forecast, rounded, score_all, standard_error

__all__ = ["BASELINE", "Choice", "Trial", "build", "choose", "compare"]

BETTER_THAN_BASELINE = 2.0

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
RULE = (
    "of the models whose mean loss exceeds the best by at most one standard error of the difference, the simplest that "
    "beats the baseline by more than two"
)


@dataclass(frozen=True)
class Trial:
    """The result of one candidate: a dict of scores per fold, seconds, warnings, or the reason why it failed."""

    candidate: Candidate
    scores: dict[str, Floats] = field(default_factory=dict)
    errors: dict[str, float] = field(default_factory=dict)
    seconds: float = 0.0
    complaints: tuple[str, ...] = ()
    failure: str = ""

    def mean(self, name: str) -> float:
        """The mean over the folds of one score."""
        return float(np.mean(self.scores[name]))


@dataclass(frozen=True)
class Choice:
    """The trial that was chosen, whether it beats the baseline, and why, in a sentence."""

    trial: Trial
    learned: bool
    why: str


def build(candidate: Candidate, facts: Facts, seed: int) -> Any:
    """The unfitted estimator of a candidate; a classifier without probabilities is calibrated by a sigmoid."""
    estimator = candidate.make(facts, seed)
    if facts.task == "classification" and not candidate.probabilities:
        return CalibratedClassifierCV(estimator, method="sigmoid", cv=3, ensemble=False)
    return estimator


@dataclass
class _CandidateRecord:
    """The running record of one candidate."""

    scores: list[dict[str, float]] = field(default_factory=list)
    seconds: float = 0.0
    complaints: set[str] = field(default_factory=set)
    failure: str = ""


def compare(
    matrices: Iterable[tuple[Any, Any]],
    y: Array,
    folds: Sequence[tuple[Integers, Integers]],
    candidates: Sequence[Candidate],
    facts: Facts,
    classes: tuple[str, ...],
    *,
    seed: int = 0,
    progress: Callable[[str], None],
) -> list[Trial]:
    """Try every candidate on every fold; a candidate that fails is kept with its reason.

    `matrices` gives for each fold the prepared training and test matrix, fitted on the former alone.
    """
    records = {c.name: _CandidateRecord() for c in candidates}
    for (train, test), (A, B) in zip(folds, matrices, strict=True):
        for candidate in candidates:
            record = records[candidate.name]
            progress(candidate.name)
            if not record.failure:
                _try(record, candidate, facts, (A, y[train]), (B, y[test]), classes, seed)
    return [_trial(c, records[c.name], folds) for c in candidates]


def _try(record, candidate, facts, train, test, classes, seed):
    start = time.perf_counter()
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = build(candidate, facts, seed).fit(*train)
            record.scores.append(score_all(facts.task, test[1], forecast(model, test[0], classes)))
    except Exception as error:  # a candidate that fails is reported; the study goes on
        record.failure = f"{type(error).__name__}: {error}".splitlines()[0]
        return
    record.seconds += time.perf_counter() - start
    record.complaints |= {str(w.message).splitlines()[0] for w in caught if not _housekeeping(w)}


def _housekeeping(warning: warnings.WarningMessage) -> bool:
    return issubclass(warning.category, (DeprecationWarning, FutureWarning, ImportWarning, ResourceWarning))


def _trial(candidate, record, folds):
    if record.failure:
        return Trial(candidate, failure=record.failure)
    scores = {name: np.array([s[name] for s in record.scores]) for name in record.scores[0]}
    if not np.isfinite(scores[SCORES[candidate.task][0].name]).all():
        return Trial(candidate, failure="its loss is not a finite number")
    errors = {name: standard_error(values, folds) for name, values in scores.items()}
    return Trial(candidate, scores, errors, record.seconds, tuple(sorted(record.complaints)))


def choose(trials: Sequence[Trial], folds: Sequence[tuple[Integers, Integers]]) -> Choice:
    """Apply the rule of this module; the first trial is the baseline."""
    baseline, *others = [t for t in trials if not t.failure]
    name = SCORES[baseline.candidate.task][0].name
    if not others:
        return Choice(baseline, learned=False, why="no other model could be fitted")
    best = min(others, key=lambda t: t.mean(name))

    def gap(a: Trial, b: Trial) -> tuple[float, float]:
        difference = a.scores[name] - b.scores[name]
        return float(np.mean(difference)), standard_error(difference, folds)

    def close(trial: Trial) -> bool:
        mean, error = gap(trial, best)
        return mean <= error

    def beats_baseline(trial: Trial) -> bool:
        mean, error = gap(baseline, trial)
        return mean > BETTER_THAN_BASELINE * error

    able = [t for t in others if close(t) and beats_baseline(t)]
    if not able:
        return Choice(baseline, learned=False, why="no model beats the baseline by more than two standard errors")
    chosen = min(able, key=lambda t: (t.candidate.complexity, t.mean(name)))
    if chosen is best:
        return Choice(
            best, learned=True, why="it has the least loss, and no simpler model comes within one standard error"
        )
    mean, error = gap(chosen, best)
    less = f"only {rounded(mean, 2)} ± {rounded(error, 2)} less"
    why = f"it is the simplest of those that are as good; the loss of the best ({best.candidate.name}) is {less}"
    return Choice(chosen, learned=True, why=why)
