"""The chosen model on the held-out rows: its scores, their intervals, and which columns it uses.

The importance of a column is the growth of the loss when its values are shuffled: Breiman (2001),
doi:10.1023/A:1010933404324.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.pipeline import Pipeline

from gnomon._registry import Candidate, Facts
from gnomon._typing import Array, Floats
from gnomon.io import Table
from gnomon.report._budget import Budget, times_within
from gnomon.report._splits import Split
from gnomon.report._target import Target
from gnomon.report._trials import BASELINE
from gnomon.report.scores import SCORES, Forecast, Score, bootstrap, forecast, score_all

__all__ = [
    "MOST_COLUMNS_TO_PERMUTE",
    "Importance",
    "Judgement",
    "coefficients",
    "importances",
    "judge",
    "own_shares",
    "rules_of",
]

MOST_ROWS_TO_PERMUTE, FEWEST_ROWS_TO_PERMUTE = 2_000, 200
MOST_COLUMNS_TO_PERMUTE = 300
PERMUTATIONS, FEWEST_PERMUTATIONS = 5, 2
SHARE_OF_TIME = 0.3


@dataclass(frozen=True)
class Judgement:
    """The held-out rows: truth, forecast, every score with its 95 % interval, and the baseline's scores."""

    y: Array
    forecast: Forecast
    scores: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    baseline: dict[str, float]


@dataclass(frozen=True)
class Importance:
    """How much the loss grows when one column is shuffled: mean and standard deviation over so many shuffles.

    `score` names the score that is this loss.
    """

    name: str
    mean: float
    spread: float
    shuffles: int
    score: str


def judge(model: Pipeline, target: Target, table: Table, parts: Split, scores: Sequence[Score], seed: int) -> Judgement:
    """Score `model` on the held-out rows, once."""
    y, truth = target.y[parts.train], target.y[parts.test]
    f = forecast(model, table.take(parts.test), target.classes)
    groups = None if parts.groups is None else parts.groups[parts.test]
    facts = Facts(target.task, n_rows=len(y), n_features=1, n_classes=len(target.classes))
    baseline = BASELINE[target.task].make(facts, seed).fit(np.zeros((len(y), 1)), y)
    guess = forecast(baseline, np.zeros((len(truth), 1)), target.classes)
    return Judgement(
        y=truth,
        forecast=f,
        scores=score_all(scores, truth, f),
        intervals=bootstrap(scores, truth, f, groups=groups, seed=seed),
        baseline=score_all(scores, truth, guess),
    )


def importances(
    model: Pipeline,
    target: Target,
    table: Table,
    parts: Split,
    names: Sequence[str],
    score: Score,
    seed: int,
    budget: Budget,
) -> list[Importance]:
    """The importance of every column on held-out rows, greatest first; none for very many columns, or without time.

    Where the time does not suffice for two shuffles of each column, fewer rows are asked.
    Without a column, forecasts may be such that the score is not defined, as a deviance of negative numbers; then the
    usual score of the task takes its place, for all columns.
    """
    if len(names) > MOST_COLUMNS_TO_PERMUTE:
        return []
    rng = np.random.default_rng(seed)
    rows = rng.permutation(parts.test)[:MOST_ROWS_TO_PERMUTE]
    judges = score, SCORES[target.task][0]

    def at(shown: Table, truth: Array) -> Floats:
        said = forecast(model, shown, target.classes)
        return np.array([judge.loss(truth, said) for judge in judges])

    before, test, truth = budget.spent, table.take(rows), target.y[rows]
    start = at(test, truth)
    each = (budget.spent - before) * len(names)
    often, n = _times_and_rows(SHARE_OF_TIME * budget.left, each, len(rows))
    if n == 0:
        budget.miss("the importance of columns, and how the forecast responds to them")
        return []
    if n < len(rows):
        test, truth = table.take(rows[:n]), truth[:n]
        start = at(test, truth)
    growth = np.empty((len(names), often, len(judges)))
    for i, name in enumerate(names):
        shuffled = [test[name][rng.permutation(n)] for _ in range(often)]
        growth[i] = [at(test.replace(name, values), truth) - start for values in shuffled]
    k = 0 if np.all(np.isfinite(growth[..., 0])) else 1
    means, spreads = np.mean(growth[..., k], axis=1), np.std(growth[..., k], axis=1, ddof=1)
    found = zip(names, means.tolist(), spreads.tolist(), strict=True)
    return sorted((Importance(*one, often, judges[k].name) for one in found), key=lambda i: -i.mean)


def _times_and_rows(seconds: float, each: float, n: int) -> tuple[int, int]:
    """How often all columns are shuffled, which takes so long each time, and in how many of n rows; 0 if too few."""
    often = times_within(seconds, each, PERMUTATIONS)
    if often >= FEWEST_PERMUTATIONS:
        return often, n
    fewer = times_within(seconds, FEWEST_PERMUTATIONS * each / n, n)
    return FEWEST_PERMUTATIONS, fewer if fewer >= FEWEST_ROWS_TO_PERMUTE else 0


def coefficients(model: Pipeline, candidate: Candidate) -> list[tuple[str, float]]:
    """Name and value of each coefficient that is not zero, largest modulus first, for a model with one score."""
    if candidate.explain is None or not candidate.probabilities:
        return []
    weights = np.atleast_2d(candidate.explain(model[-1]))
    if len(weights) != 1:
        return []
    pairs = zip(model[0].get_feature_names_out(), weights[0].tolist(), strict=True)
    return sorted(((name, value) for name, value in pairs if value != 0), key=lambda pair: -abs(pair[1]))


def rules_of(model: Pipeline, candidate: Candidate) -> str:
    """The chosen model as text; empty if it has none."""
    if candidate.rules is None:
        return ""
    return candidate.rules(model[-1], model[0].get_feature_names_out(), *model[0].units())


def own_shares(model: Pipeline, candidate: Candidate) -> list[tuple[str, float]]:
    """What the model itself counts as importance: name and share of each prepared column in use, largest first."""
    if candidate.shares is None:
        return []
    pairs = zip(model[0].get_feature_names_out(), np.asarray(candidate.shares(model[-1])).tolist(), strict=True)
    return sorted(((name, share) for name, share in pairs if share > 0.0), key=lambda pair: -pair[1])
