"""The score by which models are chosen, by its name: of scikit-learn's scorers, or of our metrics.

A scorer asks an estimator for its predictions; here it asks a forecast that was made before, of classes numbered from
zero, the positive of two last. Names go with or without "neg_", which says that less is better.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.metrics import get_scorer

from gnomon._typing import Array, Floats, Integers
from gnomon._words import TargetTask
from gnomon.decision import cllr, min_cllr
from gnomon.evaluation import eer, expected_calibration_error, pr_area
from gnomon.io import UserError
from gnomon.io.tables import listed
from gnomon.report._decisions import decision_outcome, table_shares
from gnomon.report._target import Target
from gnomon.report.aims import Stakes
from gnomon.report.scores import LEAST_PROBABILITY, SCORES, Forecast, Score, forecast

__all__ = ["SCORERS", "scores_of"]

NEGATED = "neg_"


class Scorer(NamedTuple):
    """What a scorer of scikit-learn is for."""

    task: TargetTask
    two: bool = False
    unitless: bool = True
    instead: tuple[str, ...] = ()


_CLASSES, _NUMBERS = Scorer("classification"), Scorer("regression")
_LARGE = Scorer("regression", unitless=False)


def _two(*instead: str) -> Scorer:
    return Scorer("classification", two=True, instead=instead)


SCORERS = {
    "average_precision": _two("roc_auc", "log_loss"),
    "d2_brier_score": _CLASSES,
    "d2_log_loss_score": _CLASSES,
    "f1": _two("f1_macro", "f1_micro", "f1_weighted"),
    "f1_macro": _CLASSES,
    "f1_micro": _CLASSES,
    "f1_weighted": _CLASSES,
    "jaccard": _two("jaccard_macro", "jaccard_micro", "jaccard_weighted"),
    "jaccard_macro": _CLASSES,
    "jaccard_micro": _CLASSES,
    "jaccard_weighted": _CLASSES,
    "matthews_corrcoef": _CLASSES,
    "neg_brier_score": _CLASSES,
    "precision": _two("precision_macro", "precision_micro", "precision_weighted"),
    "precision_macro": _CLASSES,
    "precision_micro": _CLASSES,
    "precision_weighted": _CLASSES,
    "recall": _two("recall_macro", "recall_micro", "recall_weighted"),
    "recall_macro": _CLASSES,
    "recall_micro": _CLASSES,
    "recall_weighted": _CLASSES,
    "roc_auc_ovo": _CLASSES,
    "roc_auc_ovo_weighted": _CLASSES,
    "roc_auc_ovr": _CLASSES,
    "d2_absolute_error_score": _NUMBERS,
    "explained_variance": _NUMBERS,
    "neg_max_error": _LARGE,
    "neg_mean_absolute_percentage_error": _NUMBERS,
    "neg_mean_gamma_deviance": _NUMBERS,
    "neg_mean_poisson_deviance": _LARGE,
    "neg_mean_squared_error": _LARGE,
    "neg_mean_squared_log_error": _NUMBERS,
    "neg_median_absolute_error": _LARGE,
    "neg_root_mean_squared_log_error": _NUMBERS,
}
"""Those that can choose a model. The others compare groupings, are of several labels at once, or are not defined for a
model that says one class only, as the baseline does; or count the two best classes; or they are in `_REPORTED`."""

_REPORTED = {
    "log_loss": "log loss",
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "roc_auc": "ROC AUC",
    "roc_auc_ovr_weighted": "ROC AUC",
    "rmse": "RMSE",
    "root_mean_squared_error": "RMSE",
    "mae": "MAE",
    "mean_absolute_error": "MAE",
    "r2": "R²",
}
"""Scores that every report has, under their names elsewhere."""


class Own(NamedTuple):
    """A metric of ours: its value for classes numbered from 0, what is predicted, and P(class 1)."""

    less_is_better: bool
    of: Callable[[Array, Array, Floats], float]
    two: bool = True


def _log_ratios(y: Array, p: Floats) -> Floats:
    """Log-likelihood ratios: the log odds without those of the classes."""
    inside, share = np.clip(p, LEAST_PROBABILITY, 1.0 - LEAST_PROBABILITY), np.mean(y == 1)
    return np.log(inside) - np.log1p(-inside) - np.log(share) + np.log1p(-share)


_OWN = {
    "eer": Own(True, lambda y, said, p: eer(y, p).value),
    "cllr": Own(True, lambda y, said, p: cllr(y, _log_ratios(y, p), pos_label=1)),
    "min_cllr": Own(True, lambda y, said, p: min_cllr(y, p, pos_label=1)),
    "calibration_error": Own(True, lambda y, said, p: expected_calibration_error(y, p, pos_label=1)),
    "pr_area": Own(False, lambda y, said, p: pr_area(y, p)),
    "error_rate": Own(True, lambda y, said, p: np.mean(said != y), two=False),
    "fnr": Own(True, lambda y, said, p: np.mean(said[y == 1] == 0)),
    "fpr": Own(True, lambda y, said, p: np.mean(said[y == 0] == 1)),
    "tnr": Own(False, lambda y, said, p: np.mean(said[y == 0] == 0)),
}


COST = "cost"
"""What decisions by the user's costs cost, a metric of every table of classes."""


def scores_of(
    metric: str | None,
    target: Target,
    positive: str | None = None,
    stakes: Stakes | None = None,
    train: Integers | None = None,
) -> tuple[Score, ...]:
    """The scores of a study, the one that chooses first; without a metric those of the task.

    The metric "cost" asks for `stakes`, the costs of decisions, and for the training rows.
    """
    usual = SCORES[target.task]
    if metric is None:
        return usual
    if not isinstance(metric, str):
        raise UserError(f"metric={metric!r} must be the name of a score; {_near('', target.task)}")
    word = metric.strip().lower().replace(" ", "_").replace("-", "_").replace("²", "2")
    if word == COST:
        score = _of_stakes(metric, target, stakes, train)
    else:
        score = _found(word.removeprefix(NEGATED), metric, target, positive)
    _check_defined(score, metric, target)
    return (score, *(other for other in usual if other.name != score.name))


def _found(word: str, metric: str, target: Target, positive: str | None) -> Score:
    if word in _REPORTED:
        home = next(task for task, scores in SCORES.items() if _REPORTED[word] in (s.name for s in scores))
        _check_task(metric, home, target)
        return next(score for score in SCORES[target.task] if score.name == _REPORTED[word])
    name = next((name for name in (word, NEGATED + word) if name in SCORERS), None)
    if name is None and word not in _OWN:
        raise UserError(f"--metric {metric!r} is unknown; {_near(word, target.task)}")
    known = SCORERS[name] if name else Scorer("classification", two=_OWN[word].two)
    _check_task(metric, known.task, target)
    if known.two and len(target.classes) != 2:
        advice = f"; give {listed(known.instead)}" if known.instead else ""
        raise UserError(f"--metric {metric} is for two classes, and {target.name} has {len(target.classes)}{advice}")
    order = _positive_last(target.classes, positive)
    if name is None:
        return Score(word.replace("_", " "), _OWN[word].less_is_better, _defined(_of_rows(_OWN[word], order)))
    less = name.startswith(NEGATED)
    return Score(word.replace("_", " "), less, _defined(_of_scorer(name, order, -1 if less else 1)), known.unitless)


def _of_stakes(metric: str, target: Target, stakes: Stakes | None, train: Integers | None) -> Score:
    _check_task(metric, "classification", target)
    if stakes is None or train is None:
        raise UserError("--metric cost needs to know what mistakes cost; give --costs, or --fn-cost and --fp-cost")
    shares = table_shares(stakes, target.y, train)
    return Score(COST, True, lambda y, f: decision_outcome(y, f, stakes, shares).cost.value, unitless=False)


def _near(word: str, task: TargetTask) -> str:
    """Names that are like this one, or some of the task."""
    names = [*_names(task)]
    near = get_close_matches(word, names, 5, 0.5)
    return f"near it are: {listed(near)}" if near else f"for {task} give one of: {listed(names, len(names))}"


def _names(task: TargetTask) -> Iterable[str]:
    """The names of all metrics of a task."""
    yield from (word for word, name in _REPORTED.items() if name in (score.name for score in SCORES[task]))
    yield from (name.removeprefix(NEGATED) for name, scorer in SCORERS.items() if scorer.task == task)
    yield from (*_OWN, COST) if task == "classification" else ()


def _check_task(metric: str, task: str, target: Target) -> None:
    if task != target.task:
        wants = {"classification": "classes or their probabilities", "regression": "numbers"}[task]
        has = {"classification": "classes", "regression": "a number"}[target.task]
        names = listed([*_names(target.task)], 6)
        raise UserError(f"--metric {metric} is for {wants}, and {target.name} is {has}; give for example {names}")


def _check_defined(score: Score, metric: str, target: Target) -> None:
    """Refuse a metric that says nothing of the baseline on all rows: no model could be compared with it."""
    X = np.zeros((len(target.y), 1))
    baseline = (DummyClassifier(strategy="prior") if target.classes else DummyRegressor()).fit(X, target.y)
    if not np.isfinite(score.of(target.y, forecast(baseline, X, target.classes))):
        raise UserError(
            f"--metric {metric} is not defined for {target.name} and a model that says the same for every row; such "
            "metrics need targets of one sign, or more than one predicted class. Give another"
        )


def _positive_last(classes: tuple[str, ...], positive: str | None) -> Array:
    """The classes in the order of their numbers."""
    return np.array(classes[::-1] if len(classes) == 2 and positive == classes[0] else classes)


def _defined(of: Callable[[Array, Forecast], float]) -> Callable[[Array, Forecast], float]:
    """A metric that is not a number where it is not defined for some rows, as without a row of some class."""

    def value(y: Array, f: Forecast) -> float:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return float(of(y, f))
        except ValueError:
            return float("nan")

    return value


def _of_scorer(name: str, order: Array, sign: int) -> Callable[[Array, Forecast], float]:
    scorer = get_scorer(name)

    def of(y: Array, f: Forecast) -> float:
        if f.proba is None:
            return sign * scorer(SaidNumbers(f.predicted), None, y)
        return sign * scorer(SaidClasses(*_numbered(f, order)), None, _codes(y, order))

    return of


def _of_rows(own: Own, order: Array) -> Callable[[Array, Forecast], float]:
    def of(y: Array, f: Forecast) -> float:
        said, proba = _numbered(f, order)
        return own.of(_codes(y, order), said, proba[:, 1])

    return of


def _numbered(f: Forecast, order: Array) -> tuple[Array, Floats]:
    """Predictions and probabilities of numbered classes."""
    places = np.searchsorted(np.asarray(f.classes), order)
    return _codes(f.predicted, order), np.asarray(f.proba)[:, places]


def _codes(labels: Array, order: Array) -> Array:
    sorting = np.argsort(order)
    return sorting[np.searchsorted(order[sorting], labels)]


class SaidNumbers(RegressorMixin, BaseEstimator):
    """A forecast of numbers, for scorers that ask an estimator."""

    def __init__(self, said: Array):
        self.said = said

    def predict(self, X: None) -> Array:
        """What was said before."""
        return self.said


class SaidClasses(ClassifierMixin, BaseEstimator):
    """A forecast of classes, for scorers that ask an estimator."""

    def __init__(self, said: Array, proba: Floats):
        self.said = said
        self.proba = proba

    @property
    def classes_(self) -> Array:
        """The numbers of the classes."""
        return np.arange(self.proba.shape[1])

    def predict(self, X: None) -> Array:
        """What was said before."""
        return self.said

    def predict_proba(self, X: None) -> Floats:
        """What was said before."""
        return self.proba
