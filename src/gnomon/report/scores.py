"""Scores of predictions, and their uncertainty.

    log loss  −(1/n) Σᵢ log p̂ᵢ(yᵢ),        RMSE  √((1/n) Σᵢ (yᵢ − ŷᵢ)²)                              (1)

    se(d̄) = √((1/J + n_test/n_train) · s²),    s² the variance of d over J splits                     (2)

(2) allows for training sets that overlap: Nadeau & Bengio (2003), doi:10.1023/A:1024068626366. Intervals of the
held-out score are percentiles over resampled rows: Efron (1979), doi:10.1214/aos/1176344552.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import rankdata

from gnomon._typing import Array, Bools, Floats, Integers

__all__ = [
    "SCORES",
    "Forecast",
    "Score",
    "bootstrap",
    "forecast",
    "percent",
    "rounded",
    "score_all",
    "standard_error",
]

LEAST_PROBABILITY = 1e-9
RESAMPLES = 500


@dataclass(frozen=True)
class Forecast:
    """Predictions for some rows: labels or numbers, and for classes their probabilities in the order of `classes`."""

    predicted: Array
    proba: Floats | None = None
    classes: Array | None = None

    @property
    def shares(self) -> Floats:
        """The probabilities; of numbers, these in one column."""
        return self.predicted[:, None] if self.proba is None else self.proba

    def take(self, rows: Integers) -> Forecast:
        """The forecast of these rows."""
        proba = None if self.proba is None else self.proba[rows]
        return Forecast(self.predicted[rows], proba, self.classes)


def forecast(model: Any, X: Any, classes: tuple[str, ...]) -> Forecast:
    """The predictions of `model` for the rows `X`; `classes` are all classes of the study, also those unknown to it."""
    if not len(classes):
        return Forecast(np.asarray(model.predict(X), dtype=float))
    classes = np.asarray(classes)
    known = model.predict_proba(X)
    proba = np.zeros((len(known), len(classes)))
    proba[:, np.searchsorted(classes, model.classes_)] = known
    return Forecast(np.asarray(model.predict(X)), proba, classes)


@dataclass(frozen=True)
class Score:
    """One way to score: its name, whether less is better, and the formula; `unitless` ones lie around 0 to 1."""

    name: str
    less_is_better: bool
    of: Callable[[Array, Forecast], float]
    unitless: bool = True

    @property
    def sign(self) -> int:
        """What makes a loss of it, of which less is better."""
        return 1 if self.less_is_better else -1

    @property
    def improves(self) -> str:
        """The verb for a change to the better."""
        return "falls" if self.less_is_better else "rises"

    def loss(self, y: Array, f: Forecast) -> float:
        """The score as a loss: with its sign changed where more is better."""
        return self.sign * self.of(y, f)

    def text(self, value: float) -> str:
        """`value` as the reports write it."""
        if not np.isfinite(value):
            return "–"
        return f"{value:z.3f}" if self.unitless else rounded(value)

    def with_error(self, value: float, error: float) -> str:
        """`value` and its standard error, where that is known, as the reports write them."""
        if not np.isfinite(error):
            return self.text(value)
        return f"{self.text(value)} ± {self.text(error) if self.unitless else rounded(error, 2)}"


def rounded(value: float, digits: int = 4) -> str:
    """`value` to some significant digits, without an exponent where that is readable: 68780, 0.0123, 1.234e-07."""
    if value == 0 or not 1e-4 <= abs(value) < 1e9:
        return f"{value:.{digits}g}"
    decimals = max(0, digits - 1 - int(np.floor(np.log10(abs(value)))))
    return f"{value:.{decimals}f}"


def percent(share: float) -> str:
    """A share in whole percent; below one, with as many digits as tell it from nothing.

    Examples
    --------
    >>> from gnomon.report.scores import percent
    >>> percent(0.5338), percent(0.0397), percent(0.0016), percent(0.000397), percent(0.0)
    ('53%', '4%', '0.2%', '0.04%', '0%')
    """
    return f"{share:.0%}" if share == 0.0 or share >= 0.01 else f"{100.0 * share:.1g}%"


def _log_loss(y, f):
    p = f.proba[np.arange(len(y)), np.searchsorted(f.classes, y)]
    return float(-np.mean(np.log(np.clip(p, LEAST_PROBABILITY, 1.0))))


def _accuracy(y: Array, f: Forecast) -> float:
    return float(np.mean(f.predicted == y))


def _balanced_accuracy(y: Array, f: Forecast) -> float:
    return float(np.mean([np.mean(f.predicted[y == c] == c) for c in np.unique(y)]))


def _auc(y, f):
    """Area under the ROC curve; with more than two classes, each against the rest, weighted by its share."""
    asked = range(1, 2) if len(f.classes) == 2 else range(len(f.classes))
    hits = [(y == f.classes[k], f.proba[:, k]) for k in asked]
    mixed = [(hit, said) for hit, said in hits if 0 < hit.sum() < len(y)]
    if not mixed:
        return float("nan")
    return float(np.average([_rank_sum(*pair) for pair in mixed], weights=[hit.sum() for hit, _ in mixed]))


def _rank_sum(hit: Bools, said: Floats) -> float:
    """P(a hit is ranked above a miss), ties counting half: Mann & Whitney (1947), doi:10.1214/aoms/1177730491."""
    hits, misses = hit.sum(), (~hit).sum()
    return (rankdata(said)[hit].sum() - hits * (hits + 1) / 2) / (hits * misses)


def _rmse(y: Array, f: Forecast) -> float:
    return float(np.sqrt(np.mean((y - f.predicted) ** 2)))


def _mae(y: Array, f: Forecast) -> float:
    return float(np.mean(np.abs(y - f.predicted)))


def _r2(y: Array, f: Forecast) -> float:
    spread = np.sum((y - y.mean()) ** 2)
    return float(1 - np.sum((y - f.predicted) ** 2) / spread) if spread > 0 else float("nan")


SCORES = {
    "classification": (
        Score("log loss", True, _log_loss),
        Score("accuracy", False, _accuracy),
        Score("balanced accuracy", False, _balanced_accuracy),
        Score("ROC AUC", False, _auc),
    ),
    "regression": (
        Score("RMSE", True, _rmse, unitless=False),
        Score("MAE", True, _mae, unitless=False),
        Score("R²", False, _r2),
    ),
}
"""The scores of each task; the first chooses, unless another metric is asked for."""


def score_all(scores: Sequence[Score], y: Array, f: Forecast) -> dict[str, float]:
    """Every one of the scores, by name."""
    return {score.name: score.of(y, f) for score in scores}


def standard_error(differences: Floats, folds: Sequence[tuple[Integers, Integers]]) -> float:
    """(2) for one value per fold; of one fold alone it is not known, nan."""
    if len(folds) < 2:
        return np.nan
    ratio = np.mean([len(test) / len(train) for train, test in folds])
    return float(np.sqrt((1 / len(folds) + ratio) * np.var(differences, ddof=1)))


def bootstrap(
    scores: Sequence[Score], y: Array, f: Forecast, *, groups: Array | None = None, seed: int = 0
) -> dict[str, tuple[float, float]]:
    """The 95 % interval of every score over resampled rows (or groups, where rows belong together)."""
    rng = np.random.default_rng(seed)
    draws = []
    for _ in range(RESAMPLES):
        rows = _resampled(rng, len(y), groups)
        draws.append(score_all(scores, y[rows], f.take(rows)))
    return {name: _interval(np.array([draw[name] for draw in draws])) for name in draws[0]}


def _interval(values: Floats) -> tuple[float, float]:
    """The middle 95 % of the values that are defined; nan where none is."""
    defined = values[~np.isnan(values)]
    return tuple(np.percentile(defined, [2.5, 97.5]).tolist()) if defined.size else (np.nan, np.nan)


def _resampled(rng: np.random.Generator, n: int, groups: Array | None) -> Integers:
    if groups is None:
        return rng.integers(n, size=n)
    members = [np.flatnonzero(groups == g) for g in np.unique(groups)]
    return np.concatenate([members[g] for g in rng.integers(len(members), size=len(members))])
