"""The weighted mean of several models, as one more candidate.

    p(x) = Σ_m w_m p_m(x),    w ≥ 0,  Σ w = 1                                                                (1)

From the forecasts of rows left out: start with the best model, and add again and again the one with which the mean has
the least loss; w_m counts how often m was added until that was least of all. A model that is added once more gives the
next one a smaller weight, so that the first additions need not gain anything. Caruana et al. (2004), Ensemble selection
from libraries of models, doi:10.1145/1015330.1015432. The loss of a fold is that of weights found in the other folds,
so that choosing them costs the blend what it costs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.pipeline import Pipeline

from gnomon._registry import Candidate
from gnomon._typing import Array, ArrayLike, Floats, Matrix, available_if
from gnomon.io import Table
from gnomon.io.tables import as_table
from gnomon.report._kinds import ColumnKind
from gnomon.report._trials import Entrant, Folds, Trial, best_first
from gnomon.report.of_columns import OfColumns
from gnomon.report.scores import Forecast, Score, score_all, standard_error

__all__ = ["MemberForecasts", "WeightedMean", "blended"]

MOST_MEMBERS = 8
MOST_ADDITIONS = 30
ELABORATE = 10.0
"""A blend is more elaborate than any model by itself."""

Losses: TypeAlias = Callable[[Array, Forecast], float]


def blended(trials: Sequence[Trial], y: Array, folds: Folds, judges: Sequence[Score]) -> Trial | None:
    """The trial of the mean (1) of the best few by the first score; None for one fold, or where one model is best."""
    first = judges[0]
    best = best_first(trials, first)[:MOST_MEMBERS]
    if len(best) < 2 or len(folds) < 2:
        return None
    tests = [y[test] for _, test in folds]
    everywhere = _weights(best, tests, range(len(folds)), first.loss)
    if np.count_nonzero(everywhere) < 2:
        return None
    forecasts, scores = [], []
    for j in range(len(folds)):
        weights = _weights(best, tests, [k for k in range(len(folds)) if k != j], first.loss)
        forecasts.append(_mean([t.forecasts[j] for t in best], weights))
        scores.append(score_all(judges, tests[j], forecasts[-1]))
    by_name = {name: np.array([s[name] for s in scores]) for name in scores[0]}
    return Trial(
        _entrant(best, everywhere),
        by_name,
        {name: standard_error(values, folds) for name, values in by_name.items()},
        seconds=sum(t.seconds for t, w in zip(best, everywhere, strict=True) if w > 0.0),
        forecasts=tuple(forecasts),
    )


def _weights(trials: Sequence[Trial], tests: Sequence[Array], folds: Sequence[int], loss: Losses) -> Floats:
    """The w of (1) by greedy addition, from these folds."""
    truth = np.concatenate([tests[j] for j in folds])
    joined = [_joined([t.forecasts[j] for j in folds]) for t in trials]
    counts, best, reached = np.zeros(len(trials)), np.zeros(len(trials)), np.inf
    for _ in range(MOST_ADDITIONS):
        losses = [loss(truth, _mean(joined, counts + one)) for one in np.eye(len(trials))]
        k = int(np.argmin(losses))
        counts[k] += 1.0
        if losses[k] < reached:
            best, reached = counts.copy(), losses[k]
    return best / np.sum(best)


def _joined(parts: Sequence[Forecast]) -> Forecast:
    predicted = np.concatenate([part.predicted for part in parts])
    shares = [part.proba for part in parts if part.proba is not None]
    return Forecast(predicted, np.concatenate(shares) if shares else None, parts[0].classes)


def _mean(parts: Sequence[Forecast], weights: Floats) -> Forecast:
    """(1), of probabilities or of numbers."""
    shares = [part.proba for part in parts if part.proba is not None]
    if not shares:
        return Forecast(np.average([part.predicted for part in parts], axis=0, weights=weights))
    proba = np.average(shares, axis=0, weights=weights)
    return Forecast(np.asarray(parts[0].classes)[np.argmax(proba, axis=1)], proba, parts[0].classes)


def _entrant(trials: Sequence[Trial], weights: Floats) -> Entrant:
    kept = sorted(
        ((w, t.entrant) for w, t in zip(weights.tolist(), trials, strict=True) if w > 0.0), key=lambda p: -p[0]
    )
    shares, members = [w for w, _ in kept], tuple(entrant for _, entrant in kept)
    names = [member.candidate.name for member in members]
    first = members[0]
    return Entrant(
        Candidate(
            f"mean of {', '.join(names[:-1])} and {names[-1]}",
            first.candidate.task,
            lambda facts, seed: WeightedMean(shares, of_classes=facts.n_classes > 0),
            complexity=ELABORATE + len(members),
            note=" + ".join(f"{w:.2g} · {name}" for w, name in zip(shares, names, strict=True)),
        ),
        first.facts,
        first.levels,
        members,
    )


class MemberForecasts(TransformerMixin, OfColumns):
    """From a table to what several pipelines say of its rows, side by side.

    Parameters
    ----------
    kinds : tuple of ColumnKind
        The columns that they use.
    members : list of Pipeline
    """

    def __init__(self, kinds: tuple[ColumnKind, ...], members: list[Pipeline]):
        self.kinds = kinds
        self.members = members

    def fit(self, X: Table, y: Array) -> Self:
        """Fit each member to the table."""
        for member in self.members:
            member.fit(X, y)
        self.levels_ = self.members[0][0].levels_
        return self

    def transform(self, X: Table) -> Floats:
        """Probabilities of all classes, or one number, of each member in turn."""
        table = as_table(X)
        if hasattr(self.members[0], "classes_"):
            return np.hstack([member.predict_proba(table) for member in self.members])
        return np.column_stack([member.predict(table) for member in self.members])


def _of_classes(self: Any) -> bool:
    return self.of_classes


class WeightedMean(BaseEstimator):
    """Equation (1), of the columns that `MemberForecasts` makes.

    Parameters
    ----------
    weights : list of float
    of_classes : bool
        Whether the members say probabilities of classes.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.report._blend import WeightedMean
    >>> model = WeightedMean([0.75, 0.25], of_classes=True).fit(np.empty((2, 4)), ["no", "yes"])
    >>> model.predict_proba(np.array([[0.9, 0.1, 0.5, 0.5]])), model.predict(np.array([[0.9, 0.1, 0.5, 0.5]]))
    (array([[0.8, 0.2]]), array(['no'], dtype='<U3'))
    """

    def __init__(self, weights: list[float], *, of_classes: bool):
        self.weights = weights
        self.of_classes = of_classes

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def fit(self, X: Matrix, y: ArrayLike) -> Self:
        """Learn the names of the classes; the weights are given."""
        if self.of_classes:
            self.classes_ = np.unique(y)
        return self

    @available_if(_of_classes)
    def predict_proba(self, X: Matrix) -> Floats:
        """The mean of the probabilities."""
        said = np.asarray(X)
        return np.average(said.reshape(len(said), len(self.weights), -1), axis=1, weights=self.weights)

    def predict(self, X: Matrix) -> Array:
        """The most probable class, or the mean of the numbers."""
        if self.of_classes:
            return self.classes_[np.argmax(self.predict_proba(X), axis=1)]
        return np.average(np.asarray(X), axis=1, weights=self.weights)
