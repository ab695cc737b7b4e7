"""Models that have not seen a row, for every row that calibrates.

    μ₋ᵢ = Σ_t A_{t, v(i)} μ_t,    A_{t, v} = 0 where member t has seen row i of view v                             (1)

A split has one member and one view; folds have one of each; leaving one out, a member for each row. After a bootstrap
every row has a view of its own: the mean of the members whose resample lacks it. Barber, Candès, Ramdas & Tibshirani
(2021), Predictive inference with the jackknife+, doi:10.1214/20-AOS1965; Kim, Xu & Barber (2020), Predictive inference
is free with the jackknife+-after-bootstrap, NeurIPS 33, arXiv:2002.09025.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from numbers import Integral
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.model_selection import LeaveOneOut, ShuffleSplit, StratifiedShuffleSplit
from sklearn.utils import _safe_indexing

from gnomon._typing import Array, ArrayLike, Floats, Folds, Integers
from gnomon.base.folds import read_folds
from gnomon.base.weights import fit_rows
from gnomon.numerics.parallel import map_chunks
from gnomon.numerics.random import resamples
from gnomon.numerics.tables import as_frame

__all__ = ["FitTask", "LeaveOutPlan", "LeftOut", "Method", "answers_of", "fit_members", "own_members"]

Method: TypeAlias = Literal["split", "cross", "jackknife+", "bootstrap", "prefit"]


class FitTask(NamedTuple):
    """What is fitted: rows and their weights; estimators get `fit_weights` (or None), the main one `params` too."""

    X: Any
    y: Array
    weights: Floats
    fit_weights: ArrayLike | None
    params: Mapping[str, Any]

    @property
    def rows(self) -> Integers:
        """The rows that count: those of positive weight."""
        return np.flatnonzero(self.weights > 0.0)

    def fit(self, estimator: BaseEstimator, rows: Integers, *, target: Array | None = None, plain: bool = True) -> Any:
        """A clone fitted to some rows without those of weight zero; `target` (of all rows) is y by default.

        Without `plain` it is another estimator than the user's main one, and gets none of the further parameters.
        """
        rows = rows[self.weights[rows] > 0.0]
        y = self.y if target is None else target
        return fit_rows(estimator, self.X, y, rows, self.fit_weights, self.params if plain else {})


class LeftOut(NamedTuple):
    """Members, and who may speak of which row.

    Fields
    ------
    members : list of tuple of estimators
        Empty where the members are those of the fitted ensemble itself.
    rows, view : ndarray of int of shape (n,)
        The rows that calibrate, and the view of each.
    shares : ndarray of shape (T, V) or None
        A of equation (1); None: view v is member v.
    ensemble : estimator or None
    """

    members: list[Any]
    rows: Integers
    view: Integers
    shares: Floats | None = None
    ensemble: Any = None

    @property
    def n_members(self) -> int:
        """T of (1)."""
        return len(self.members) if self.shares is None else len(self.shares)

    def speaks_of(self, t: int) -> tuple[Integers, Floats]:
        """Places in `rows` of which member t may speak, and its share in each."""
        if self.shares is None:
            places = np.flatnonzero(self.view == t)
            return places, np.ones(len(places))
        share = self.shares[t, self.view]
        places = np.flatnonzero(share)
        return places, share[places]

    def viewed(self, answers: Floats) -> Floats:
        """Answers of views, (m, c, V), from those of members, (m, c, T)."""
        if self.shares is None:
            return answers
        m, c, T = answers.shape
        return (answers.reshape(m * c, T) @ self.shares).reshape(m, c, -1)


def answers_of(left_out: LeftOut, answer: Callable[[Any, Any], Floats], n_jobs: int | None) -> Callable[..., Any]:
    """A function from rows to the answers of some members, as a list: answer(member, rows) of each."""
    ensemble = left_out.ensemble
    if ensemble is None:
        return lambda X, ts: map_chunks(lambda t: answer(left_out.members[t], X(t)), ts, n_jobs)
    models, columns = ensemble.estimators_, vars(ensemble).get("estimators_features_")

    def ask(t: int, X: Any) -> Floats:
        # Members that were fitted to plain arrays warn of names.
        plain = as_frame(X) is not None and "feature_names_in_" not in vars(models[t])
        X = np.asarray(X) if plain else X
        return answer((models[t],), X if columns is None else _safe_indexing(X, columns[t], axis=1))

    return lambda X, ts: map_chunks(lambda t: ask(t, X(t)), ts, n_jobs)


class LeaveOutPlan(NamedTuple):
    """How rows are left out: the options of a conformal estimator.

    `learn(rows)` fits a member, `strata` are the classes that a split keeps in proportion.
    """

    learn: Callable[[Integers], Any]
    given: tuple[Any, ...]
    cv: Folds
    split_params: Mapping[str, Any]
    calibration_size: float
    n_resamples: int
    strata: Array | None
    classifier: bool
    seed: int
    n_jobs: int | None


def fit_members(method: Method, task: FitTask, plan: LeaveOutPlan) -> LeftOut:
    """The members of a method, fitted."""
    return METHODS[method](task, plan)


def _split(task: FitTask, plan: LeaveOutPlan) -> LeftOut:
    kind = ShuffleSplit if plan.strata is None else StratifiedShuffleSplit
    halves = kind(1, test_size=plan.calibration_size, random_state=plan.seed)
    rows = task.rows
    strata = None if plan.strata is None else plan.strata[rows]
    train, held_out = next(halves.split(np.empty((len(rows), 0)), strata))
    return LeftOut([plan.learn(rows[train])], rows[held_out], np.zeros(len(held_out), dtype=int))


def _prefit(task: FitTask, plan: LeaveOutPlan) -> LeftOut:
    return LeftOut([plan.given], task.rows, np.zeros(len(task.rows), dtype=int))


def _cross(task: FitTask, plan: LeaveOutPlan) -> LeftOut:
    own = isinstance(plan.cv, Integral)
    # Rows of weight zero are no rows; but a splitter of the user's may know rows by their number.
    base = task.rows if own else np.arange(len(task.y))
    X, y, params = _safe_indexing(task.X, base), task.y[base], plan.split_params
    pairs = read_folds(plan.cv, X, y, classifier=plan.classifier, shuffle=own, seed=plan.seed, **params)
    return _folded(task, plan, [(base[train], base[held_out]) for train, held_out in pairs])


def _jackknife(task: FitTask, plan: LeaveOutPlan) -> LeftOut:
    rows = task.rows
    return _folded(task, plan, [(rows[train], rows[out]) for train, out in LeaveOneOut().split(rows)])


def _folded(task: FitTask, plan: LeaveOutPlan, pairs: list[tuple[Integers, Integers]]) -> LeftOut:
    counts = np.isin(np.arange(len(task.y)), task.rows)
    held_out = [out[counts[out]] for _, out in pairs]
    rows = np.concatenate(held_out)
    if len(np.unique(rows)) < len(rows):
        raise ValueError(
            f"cv={plan.cv!r} leaves a row out more than once; give folds that share no row, such as "
            "KFold(5, shuffle=True)"
        )
    members = map_chunks(lambda pair: plan.learn(pair[0]), pairs, plan.n_jobs)
    return LeftOut(members, rows, np.repeat(np.arange(len(pairs)), [len(out) for out in held_out]))


def _bootstrap(task: FitTask, plan: LeaveOutPlan) -> LeftOut:
    rows = task.rows
    bags = [rows[bag.rows] for bag in resamples(len(rows), plan.n_resamples, random_state=plan.seed)]
    return _unseen(task, bags, map_chunks(plan.learn, bags, plan.n_jobs))


def own_members(task: FitTask, ensemble: Any) -> LeftOut:
    """The members of a fitted forest or bagging, with the rows that each has not seen."""
    # A bag names the rows that were fitted, which are those of positive weight.
    bags = [task.rows[bag] for bag in ensemble.estimators_samples_]
    return _unseen(task, bags, [], ensemble)


def _unseen(task: FitTask, bags: list[Integers], members: list[Any], ensemble: Any = None) -> LeftOut:
    unseen = np.array([np.bincount(bag, minlength=len(task.y)) == 0 for bag in bags])[:, task.rows]
    votes = np.sum(unseen, axis=0)
    if not np.any(votes):
        raise ValueError(
            f"n_samples={len(votes)} rows are all in every one of the {len(bags)} resamples, so none can calibrate; "
            "give more rows or more members, or method='split'"
        )
    if not np.all(votes):
        warnings.warn(
            f"{int(np.sum(votes == 0))} rows are in every resample, so no member has left them out and they do not "
            "calibrate; fit more members",
            UserWarning,
            stacklevel=5,
        )
    known = votes > 0
    shares = unseen[:, known] / votes[known]
    return LeftOut(members, task.rows[known], np.arange(int(np.sum(known))), shares, ensemble)


METHODS: dict[str, Callable[[FitTask, LeaveOutPlan], LeftOut]] = {
    "split": _split,
    "cross": _cross,
    "jackknife+": _jackknife,
    "bootstrap": _bootstrap,
    "prefit": _prefit,
}
