"""What conformal classifiers and regressors share: options, calibration rows, groups and weights.

    P(Y ∈ C(X)) ≥ c    for a row (X, Y) that is exchangeable with the rows that calibrate                       (1)

Within a group g, or a class, the same holds given g, if only the rows of g calibrate. Where new rows come from another
law of X, whose density is w(x) times that of the calibration rows, it holds with weights w(xᵢ) and w(x). Vovk,
Gammerman & Shafer (2005), doi:10.1007/b106715; Vovk (2012), Conditional validity of inductive conformal predictors,
doi:10.1007/s10994-013-5355-6; Tibshirani, Barber, Candès & Ramdas (2019), arXiv:1904.06019; for models that leave rows
out: Prinster, Liu & Saria (2022), JAWS, NeurIPS 35, arXiv:2207.10716.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, NamedTuple, Self, TypeAlias

import numpy as np
from sklearn.base import MetaEstimatorMixin
from sklearn.utils import Tags, _safe_indexing, get_tags
from sklearn.utils.metadata_routing import UNUSED, MetadataRouter
from sklearn.utils.validation import _num_samples, check_is_fitted

from gnomon._typing import AnyRows, Array, ArrayLike, Bools, Floats, Integers
from gnomon.base import given_rows
from gnomon.base.estimator import Estimator
from gnomon.base.labels import read_targets
from gnomon.base.left_out import FitTask, LeaveOutPlan, LeftOut, fit_members, own_members
from gnomon.base.parameters import check_parameters
from gnomon.base.routing import routed, router
from gnomon.infer import conformal_quantile
from gnomon.numerics.estimates import share_interval
from gnomon.numerics.random import check_rng
from gnomon.numerics.sharing import read_only
from gnomon.numerics.validation import check_interval, check_part
from gnomon.numerics.weights import check_weights, row_weight

__all__ = ["By", "Cell", "Conformal", "CoverageCurve", "Shift", "of_rows"]

By: TypeAlias = Callable[[Any], ArrayLike] | int | str
"""Groups of rows: a function of the rows, or the number or name of a column."""

Shift: TypeAlias = Callable[[Any], ArrayLike]
"""From rows to how much more frequent they are among new rows than among those that calibrate."""

OPTIONS = {"calibration_size": "split", "cv": "cross", "n_resamples": "bootstrap"}
"""The options that one method alone uses; a `LeaveOutPlan` has their defaults."""

MOST_CELLS = 4_000_000
"""Numbers held at once for rows × views."""


class Cell(NamedTuple):
    """New rows (and, of classes, columns) that are judged by the same calibration rows; all three are indices."""

    calibrating: Integers
    rows: Integers
    columns: Integers | slice = slice(None)


class CoverageCurve(NamedTuple):
    """How often the truth was covered, and by how much, for several coverages.

    Fields
    ------
    asked, reached : ndarray of shape (n_levels,)
        The coverage asked for, and the share of rows that were covered.
    low, high : ndarray of shape (n_levels,)
        Ends of the 95 % interval (Wilson's) of the latter.
    size : ndarray of shape (n_levels,)
        The mean width of intervals, or number of classes in a set.

    References
    ----------
    Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference.
    doi:10.1080/01621459.1927.10502953

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import Ridge
    >>> from gnomon.decision import ConformalRegressor
    >>> X, y = np.random.default_rng(0).normal(size=(2, 2000))
    >>> model = ConformalRegressor(Ridge(), random_state=0).fit(X[:1000, None], y[:1000])
    >>> curve = model.coverage_curve(X[1000:, None], y[1000:], [0.5, 0.9])
    >>> bool(np.all((curve.low < curve.asked) & (curve.asked < curve.high)))
    True
    """

    asked: Floats
    reached: Floats
    low: Floats
    high: Floats
    size: Floats


class Conformal(MetaEstimatorMixin, Estimator, ABC):
    """Fitting and calibration; subclasses say what members are, what they answer and how an answer is scored."""

    __metadata_request__fit: ClassVar = {"sample_weight": UNUSED}

    estimator_: Any
    scores_: Floats
    weights_: Floats
    groups_: Array | None
    _left_out: LeftOut
    _seed: int
    _row_weight: float

    @abstractmethod
    def _begin(self, y: Array) -> Array:
        """y, as numbers or labels; what a fit needs to know before is set."""

    @abstractmethod
    def _learn(self, task: FitTask, rows: Integers) -> tuple[Any, ...]:
        """A member, fitted to some rows: one or more models, the first of which makes plain predictions."""

    @abstractmethod
    def _given(self) -> tuple[Any, ...]:
        """The member that the user has fitted."""

    @abstractmethod
    def _answer(self, member: tuple[Any, ...], X: Any) -> Floats:
        """What a member says of rows, (m, c)."""

    @abstractmethod
    def _scored(self, answers: Floats, y: Array) -> Floats:
        """How far each y is from the answers of the same row: the calibration scores."""

    @abstractmethod
    def _covered(self, X: AnyRows, y: ArrayLike, coverage: float) -> tuple[Bools, Floats]:
        """Whether the set of each row holds y, and its size."""

    def fit(self, X: AnyRows, y: ArrayLike, sample_weight: ArrayLike | None = None, **fit_params: Any) -> Self:
        """Fit the members and score the rows that each has not seen.

        Parameters
        ----------
        X : rows, of whatever kind the estimator takes
        y : array-like of shape (n,)
        sample_weight : array-like of shape (n,), optional
            For the estimator and for calibration, where a weight of two is the row twice.
        **fit_params
            For the estimator and the splitter, by scikit-learn's metadata routing.

        Returns
        -------
        self
        """
        check_part("estimator", self.estimator, "fit", "predict")
        X = given_rows(self, self.estimator, X, reset=True)
        y = self._begin(read_targets(self, X, y))
        weights = check_weights(sample_weight, np.empty((len(y), 0)))
        sent = routed(self, "fit", sample_weight, fit_params)
        params = dict(sent.estimator.fit)
        task = FitTask(X, y, weights, params.pop("sample_weight", None), params)
        self._seed = int(check_rng(self.random_state).integers(2**32))
        self._left_out = self._leave_out(task, self._plan(task, sent.splitter.split))
        self._calibrate(X, y, weights)
        return self

    def _plan(self, task: FitTask, split_params: Any) -> LeaveOutPlan:
        options = {name: getattr(self, name) for name in OPTIONS if getattr(self, name) is not None}
        for name, value in options.items():
            if self.method != OPTIONS[name]:
                raise ValueError(
                    f"{name}={value!r} is for method={OPTIONS[name]!r}, and method={self.method!r} does not use it; "
                    "leave it out"
                )
        given = self._given() if self.method == "prefit" else ()
        classifier = "classes_" in vars(self)
        return LeaveOutPlan(
            lambda rows: self._learn(task, rows), given, split_params=split_params, classifier=classifier,
            strata=task.y if self._by_class else None, seed=self._seed, n_jobs=self.n_jobs, **options,
        )  # fmt: skip

    def _leave_out(self, task: FitTask, plan: LeaveOutPlan) -> LeftOut:
        """The members, and `estimator_`: the first of them, or a model of all rows."""
        if self.method == "bootstrap" and self._has_members:
            if self.n_resamples is not None:
                raise ValueError(
                    f"n_resamples={self.n_resamples} is for estimators without resamples of their own, and those of "
                    f"{type(self.estimator).__name__} are used; leave it out and set n_estimators of the estimator"
                )
            self.estimator_ = task.fit(self.estimator, task.rows)
            return own_members(task, self.estimator_)
        found = fit_members(self.method, task, plan)
        self.estimator_ = self._plain(task, found)
        return found

    def _plain(self, task: FitTask, found: LeftOut) -> Any:
        """The model of plain predictions."""
        if self.method in ("split", "prefit"):
            return found.members[0][0]
        return task.fit(self.estimator, task.rows)

    @property
    def _has_members(self) -> bool:
        """Whether the estimator is a mean of members that each leave rows out, which can speak for it."""
        resampled = getattr(type(self.estimator), "estimators_samples_", None) is not None
        return resampled and bool(self.estimator.get_params(deep=False).get("bootstrap"))

    @property
    def _by_class(self) -> bool:
        return False

    def _calibrate(self, X: Any, y: Array, weights: Floats) -> None:
        left_out = self._left_out
        self.scores_ = self._scored(left_out.own_answers(X, self._answer, self.n_jobs), y[left_out.rows])
        if np.any(np.isnan(self.scores_)):
            raise ValueError(f"{np.sum(np.isnan(self.scores_))} calibration scores are NaN; repair the estimator")
        self.weights_ = (weights * self._shift(X))[left_out.rows]
        self._row_weight = row_weight(weights)
        if not np.any(self.weights_):
            raise ValueError("shift is zero for every row that calibrates; new rows must be possible among these")
        self.groups_ = self._groups(X, y)
        self.groups_ = None if self.groups_ is None else self.groups_[left_out.rows]

    def _shift(self, X: Any) -> Floats:
        """w(x) of equation (1) for rows; one each without a shift."""
        if self.shift is None:
            return np.ones(1)
        w = np.asarray(self.shift(X), dtype=float)
        if w.shape != (_num_samples(X),) or not np.all((w >= 0.0) & (w < np.inf)):
            raise ValueError(
                f"shift gives an array of shape {w.shape}; it must give one number ≥ 0, finite, for each of the "
                f"{_num_samples(X)} rows"
            )
        return w

    def _new_weight(self, X: Any) -> Floats:
        """What new rows weigh beside those that calibrate."""
        return self._row_weight * self._shift(X)

    def _groups(self, X: Any, y: Array | None = None) -> Array | None:
        """The group of each row."""
        if self.by is None:
            return None
        try:
            groups = np.asarray(self.by(read_only(X)) if callable(self.by) else _safe_indexing(X, self.by, axis=1))
        except (ValueError, IndexError, KeyError) as error:
            raise ValueError(f"by={self.by!r} finds no groups: {error}") from error
        if groups.shape != (_num_samples(X),):
            raise ValueError(f"by={self.by!r} gives an array of shape {groups.shape}; it must give one group for each "
                             f"of the {_num_samples(X)} rows")  # fmt: skip
        return groups

    def _cells(self, X: Any) -> list[Cell]:
        """Which calibration rows judge which new rows."""
        new, m = self._groups(X), _num_samples(X)
        if new is None:
            return [Cell(np.arange(len(self.scores_)), np.arange(m))]
        return [Cell(np.flatnonzero(self.groups_ == g), np.flatnonzero(new == g)) for g in np.unique(new)]

    def _level(self, coverage: float | None) -> float:
        """The coverage asked for now, or else that of the parameters."""
        check_is_fitted(self, "scores_")
        if coverage is None:
            check_parameters(self)
        return check_interval("coverage", self.coverage if coverage is None else coverage, 0.0, 1.0, closed="neither")

    def _warn_if_unbounded(self, cells: list[Cell], coverage: float, new_weight: Floats) -> None:
        """Say where the calibration rows weigh too little for the coverage."""
        for cell in cells:
            new = of_rows(new_weight, cell.rows)
            weights = self.weights_[cell.calibrating]
            bounds = conformal_quantile(np.zeros(len(weights)), coverage, weights, new)
            short = len(cell.rows) if len(bounds) == 1 and np.isinf(bounds[0]) else int(np.sum(np.isinf(bounds)))
            if short:
                total, least = float(np.sum(weights)), coverage / (1.0 - coverage)
                warnings.warn(
                    f"coverage={coverage:g} needs calibration rows of total weight ≥ {least:.4g} times that of a new "
                    f"row, and there are {len(weights)} of weight {total:.4g}: {short} rows get an infinite set; "
                    "calibrate with more rows (of every group), or ask for less coverage",
                    UserWarning,
                    stacklevel=3,
                )

    def _views(self, X: Any) -> Iterator[tuple[slice, Floats]]:
        """The answers of all views for new rows, (m, c, V), in pieces of bounded size."""
        left_out, m = self._left_out, _num_samples(X)
        step = max(1, MOST_CELLS // max(len(self.scores_) if left_out.n_members > 1 else 1, left_out.n_members))
        for start in range(0, m, step):
            here = slice(start, min(start + step, m))
            yield here, left_out.answers(_safe_indexing(X, here), self._answer, self.n_jobs)

    def _rows(self, X: AnyRows) -> Any:
        check_is_fitted(self, "scores_")
        return given_rows(self, self.estimator, X, reset=False)

    def predict(self, X: AnyRows) -> Array:
        """The plain prediction of `estimator_`, without a set.

        Parameters
        ----------
        X : rows, of whatever kind the estimator takes

        Returns
        -------
        ndarray of shape (m,)
        """
        rows = self._rows(X)
        return self.estimator_.predict(rows)

    def coverage_curve(
        self,
        X: AnyRows,
        y: ArrayLike,
        levels: ArrayLike = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95),
        sample_weight: ArrayLike | None = None,
    ) -> CoverageCurve:
        """The share of rows that are covered, with its interval, and the mean size of sets, for several coverages.

        Parameters
        ----------
        X : rows that were not given to `fit`
        y : array-like of shape (m,)
        levels : array-like of float
            Coverages in (0, 1).
        sample_weight : array-like of shape (m,), optional

        Returns
        -------
        CoverageCurve
        """
        asked = np.atleast_1d(np.asarray(levels, dtype=float))
        weights = check_weights(sample_weight, np.empty((_num_samples(y), 0)))
        found = [self._covered(X, y, float(level)) for level in asked]
        hits = np.array([weights @ covered for covered, _ in found])
        total = float(np.sum(weights))
        sizes = np.array([np.average(size, weights=weights) for _, size in found])
        return CoverageCurve(asked, hits / total, *share_interval(hits, total), sizes)

    def get_metadata_routing(self) -> MetadataRouter:
        """How scikit-learn routes metadata to the estimator and the splitter.

        Returns
        -------
        MetadataRouter
        """
        return router(self, estimator=self.estimator, splitter=self.cv)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self.estimator).input_tags
        return tags


def of_rows(new_weight: Floats, rows: Integers | slice) -> Floats:
    """The weights of some new rows; a single one is that of all."""
    return new_weight if len(new_weight) == 1 else new_weight[rows]
