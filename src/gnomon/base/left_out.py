"""Answers for rows of models that have not seen them: cross-fitting, and rows that calibrate.

    μ₋ᵢ = Σ_t A_{t, v(i)} μ_t,    A_{t, v} = 0 where member t has seen row i of view v                             (1)

A split has one member and one view; folds have a member and a view each; leaving one out, a member for each row. After
a bootstrap every row has a view of its own: the mean of the members whose resample lacks it. Barber, Candès, Ramdas &
Tibshirani (2021), Predictive inference with the jackknife+, doi:10.1214/20-AOS1965; Kim, Xu & Barber (2020), Predictive
inference is free with the jackknife+-after-bootstrap, NeurIPS 33, arXiv:2002.09025; on cross-fitting: Chernozhukov et
al. (2018), Double/debiased machine learning, doi:10.1111/ectj.12097.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
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

__all__ = ["FitTask", "LeaveOutPlan", "LeftOut", "Method", "fit_members", "own_members"]

Method: TypeAlias = Literal["split", "cross", "jackknife+", "bootstrap", "prefit"]
"""How rows are left out: one part of them, folds, every row by itself, by resamples; or the members are given."""

Answer: TypeAlias = Callable[[Any, Any], Floats]
"""From a member and rows to numbers of each row, (m, c)."""


class FitTask(NamedTuple):
    """What is fitted: rows and their weights.

    Fields
    ------
    X : rows, as the estimator takes them
    y : ndarray of shape (n,)
    weights : ndarray of shape (n,)
    fit_weights : array-like of shape (n,) or None
        What every estimator gets as weights.
    params : dict
        Further parameters of `fit`, for the main estimator.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.dummy import DummyRegressor
    >>> from gnomon.base.left_out import FitTask
    >>> task = FitTask(np.zeros((3, 1)), np.array([1.0, 2.0, 6.0]), np.array([1.0, 0.0, 1.0]))
    >>> task.rows.tolist(), task.fit(DummyRegressor(), np.arange(3)).constant_.tolist()
    ([0, 2], [[3.5]])
    """

    X: Any
    y: Array
    weights: Floats
    fit_weights: ArrayLike | None = None
    params: Mapping[str, Any] = {}

    @property
    def rows(self) -> Integers:
        """The rows that count: those of positive weight."""
        return np.flatnonzero(self.weights > 0.0)

    def fit(self, estimator: BaseEstimator, rows: Integers, *, target: Array | None = None, main: bool = True) -> Any:
        """A clone fitted to some rows without those of weight zero; `target` (of all rows) is y by default.

        Without `main` it is another estimator than the one that the user configures, and gets no further parameters.
        """
        rows = rows[self.weights[rows] > 0.0]
        y = self.y if target is None else target
        return fit_rows(estimator, self.X, y, rows, self.fit_weights, self.params if main else {})


class LeftOut(NamedTuple):
    """Members, and which of them have not seen which row.

    Fields
    ------
    members : list
        What was fitted, an estimator or several each. Empty where the members are those of the fitted ensemble itself.
    rows, view : ndarray of int of shape (n,)
        The rows that some member has left out, and the view of each.
    shares : ndarray of shape (T, V) or None
        A of equation (1); None: view v is member v.
    ensemble : estimator or None

    Examples
    --------
    Each row is answered by the model of the other fold:

    >>> import numpy as np
    >>> from sklearn.dummy import DummyRegressor
    >>> from sklearn.model_selection import KFold
    >>> from gnomon.base.left_out import FitTask, LeaveOutPlan, fit_members
    >>> task = FitTask(np.zeros((4, 1)), np.array([1.0, 3.0, 10.0, 20.0]), np.ones(4))
    >>> plan = LeaveOutPlan(lambda rows: task.fit(DummyRegressor(), rows), cv=KFold(2))
    >>> found = fit_members("cross", task, plan)
    >>> found.rows.tolist(), found.own_answers(task.X, lambda model, X: model.predict(X)[:, None])[:, 0].tolist()
    ([0, 1, 2, 3], [15.0, 15.0, 2.0, 2.0])

    Of new rows all members answer:

    >>> found.answers(np.zeros((1, 1)), lambda model, X: model.predict(X)[:, None]).tolist()
    [[[15.0, 2.0]]]
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

    def unseen_by(self, t: int) -> tuple[Integers, Floats]:
        """Places in `rows` of rows that member t has not seen, and its share in each answer."""
        if self.shares is None:
            places = np.flatnonzero(self.view == t)
            return places, np.ones(len(places))
        share = self.shares[t, self.view]
        places = np.flatnonzero(share)
        return places, share[places]

    def own_answers(self, X: Any, answer: Answer, n_jobs: int | None = None) -> Floats:
        """μ₋ᵢ of equation (1) for the rows that were left out, in the order of `rows`: (n, c)."""
        here = [self.unseen_by(t) for t in range(self.n_members)]
        used = [t for t, (places, _) in enumerate(here) if len(places)]
        found = self._of_members(lambda t: _safe_indexing(X, self.rows[here[t][0]]), used, answer, n_jobs)
        own = np.zeros((len(self.rows), found[0].shape[1]))
        for t, values in zip(used, found, strict=True):
            places, share = here[t]
            own[places] += share[:, None] * values
        return own

    def answers(self, X: Any, answer: Answer, n_jobs: int | None = None) -> Floats:
        """Those of every view for new rows, (m, c, V)."""
        found = np.stack(self._of_members(lambda t: X, range(self.n_members), answer, n_jobs), axis=-1)
        if self.shares is None:
            return found
        m, c, T = found.shape
        return (found.reshape(m * c, T) @ self.shares).reshape(m, c, -1)

    def _of_members(
        self, rows: Callable[[int], Any], ts: Sequence[int], answer: Answer, n_jobs: int | None
    ) -> list[Floats]:
        """answer(member, rows(t)) of the members t; one of an ensemble is a tuple of one estimator."""
        if self.ensemble is None:
            return map_chunks(lambda t: answer(self.members[t], rows(t)), ts, n_jobs)
        models, columns = self.ensemble.estimators_, vars(self.ensemble).get("estimators_features_")

        def work(t: int) -> Floats:
            X = rows(t)
            # Members that were fitted to plain arrays warn of names.
            plain = as_frame(X) is not None and "feature_names_in_" not in vars(models[t])
            X = np.asarray(X) if plain else X
            return answer((models[t],), X if columns is None else _safe_indexing(X, columns[t], axis=1))

        return map_chunks(work, ts, n_jobs)


class LeaveOutPlan(NamedTuple):
    """How rows are left out.

    Fields
    ------
    learn : callable
        From the numbers of rows to a member that is fitted to them.
    given : object
        The member of "prefit".
    cv, split_params
        Of "cross": folds that share no row, and parameters of the splitter; a number of folds is shuffled.
    calibration_size : float
        Of "split": the share of the rows that is left out.
    n_resamples : int
        Of "bootstrap".
    strata : ndarray of shape (n,), optional
        The classes that a split keeps in proportion.
    classifier : bool
        Whether a number of folds is stratified.
    seed, n_jobs : int

    Examples
    --------
    >>> from gnomon.base.left_out import LeaveOutPlan
    >>> LeaveOutPlan(len).cv
    5
    """

    learn: Callable[[Integers], Any]
    given: Any = None
    cv: Folds = 5
    split_params: Mapping[str, Any] = {}
    calibration_size: float = 0.25
    n_resamples: int = 50
    strata: Array | None = None
    classifier: bool = False
    seed: int = 0
    n_jobs: int | None = None


def fit_members(method: Method, task: FitTask, plan: LeaveOutPlan) -> LeftOut:
    """The members of a method, fitted.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.dummy import DummyRegressor
    >>> from gnomon.base.left_out import FitTask, LeaveOutPlan, fit_members
    >>> task = FitTask(np.zeros((3, 1)), np.array([1.0, 2.0, 6.0]), np.ones(3))
    >>> found = fit_members("jackknife+", task, LeaveOutPlan(lambda rows: task.fit(DummyRegressor(), rows)))
    >>> found.own_answers(task.X, lambda model, X: model.predict(X)[:, None])[:, 0].tolist()
    [4.0, 3.5, 1.5]
    """
    if method in ("split", "cross", "jackknife+") and len(task.rows) < 2:
        raise ValueError(
            f"method={method!r} fits to some rows and leaves others out, and there are too few: n_samples="
            f"{len(task.rows)} of positive weight; give two or more"
        )
    return METHODS[method](task, plan)


def _split(task: FitTask, plan: LeaveOutPlan) -> LeftOut:
    kind = ShuffleSplit if plan.strata is None else StratifiedShuffleSplit
    halves = kind(1, test_size=plan.calibration_size, random_state=plan.seed)
    rows = task.rows
    strata = None if plan.strata is None else plan.strata[rows]
    try:
        train, held_out = next(halves.split(np.empty((len(rows), 0)), strata))
    except ValueError as error:
        # Words of scikit-learn name its own arguments.
        of_classes = "" if strata is None else f" with rows of each of {len(np.unique(strata))} classes in both parts"
        raise ValueError(
            f"calibration_size={plan.calibration_size} cannot divide n_samples={len(rows)}{of_classes}: {error} Give "
            "more rows, or method='jackknife+'"
        ) from None
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
    """The members of a fitted forest or bagging, with the rows that each has not seen.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.base.left_out import FitTask, own_members
    >>> from gnomon.trees import RandomForestRegressor
    >>> task = FitTask(np.arange(20.0)[:, None], np.arange(20.0), np.ones(20))
    >>> forest = task.fit(RandomForestRegressor(50, random_state=0), task.rows)
    >>> own_members(task, forest).n_members
    50
    """
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
