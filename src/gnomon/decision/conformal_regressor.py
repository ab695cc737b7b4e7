"""Intervals with a guarantee, around any regressor.

    C(x) = [q⁻{l₋ᵢ(x, sᵢ)}, q⁺{u₋ᵢ(x, sᵢ)}],    [l₋ᵢ(x, r), u₋ᵢ(x, r)] = {y : s₋ᵢ(x, y) ≤ r}                     (1)

s₋ᵢ(x, y) scores y against a model that has not seen row i, sᵢ = s₋ᵢ(xᵢ, yᵢ), and q⁺ is the ⌈(n+1)c⌉-th smallest of n
numbers, q⁻ likewise the largest. After a split all rows have one model, and P(Y ∈ C(X)) ≥ c; with folds or leaving one
out, P(Y ∈ C(X)) ≥ 1 − 2(1 − c) (less a term of order 1/√n for folds), and close to c for stable models. Barber, Candès,
Ramdas & Tibshirani (2021), Predictive inference with the jackknife+, doi:10.1214/20-AOS1965; Lei, G'Sell, Rinaldo,
Tibshirani & Wasserman (2018), doi:10.1080/01621459.2017.1307116.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import _num_samples, check_consistent_length

from gnomon._typing import AnyRows, Array, ArrayLike, Bools, Count, Floats, Folds, Integers, ProperShare, RandomState
from gnomon.base.left_out import FitTask, LeftOut, Method
from gnomon.base.parameters import store
from gnomon.decision._conformal import By, Conformal, Shift, of_rows
from gnomon.decision._interval_scores import IntervalScore, interval_score
from gnomon.infer import conformal_quantile
from gnomon.numerics.parallel import map_chunks, split_rows
from gnomon.numerics.weights import check_weights

__all__ = ["ConformalRegressor", "PredictionIntervals"]

Spread: TypeAlias = BaseEstimator | Literal["return_std"] | None
PairOfModels: TypeAlias = tuple[BaseEstimator, BaseEstimator] | None

IN_CACHE = 200_000
"""Numbers of rows × views that are worked on together, so that they stay in the cache."""

IntervalConformity: TypeAlias = Literal["absolute", "normalized", "quantile"]


class PredictionIntervals(NamedTuple):
    """An interval for each row; both ends belong to it.

    Fields
    ------
    low, high : ndarray of shape (m,)
        −∞ and +∞ where the calibration rows were too few.

    References
    ----------
    Gneiting, T. & Raftery, A. E. (2007). Strictly proper scoring rules, prediction, and estimation.
    doi:10.1198/016214506000001437

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.decision import PredictionIntervals
    >>> intervals = PredictionIntervals(np.array([0.0, 1.0]), np.array([2.0, 4.0]))
    >>> intervals.width, intervals.covers([1.0, 5.0]), intervals.loss([1.0, 5.0], coverage=0.9)
    (array([2., 3.]), array([ True, False]), array([ 2., 23.]))
    """

    low: Floats
    high: Floats

    @property
    def width(self) -> Floats:
        """high − low."""
        return self.high - self.low

    def covers(self, y: ArrayLike) -> Bools:
        """Whether each number is in the interval of its row."""
        y = np.asarray(y)
        check_consistent_length(self.low, y)
        return (self.low <= y) & (y <= self.high)

    def loss(self, y: ArrayLike, coverage: float) -> Floats:
        """The interval score of Gneiting & Raftery, equation (43): width + 2/(1 − c) · the distance to the interval."""
        y = np.asarray(y, dtype=float)
        check_consistent_length(self.low, y)
        missed = np.maximum(np.maximum(self.low - y, y - self.high), 0.0)
        return self.width + 2.0 / (1.0 - coverage) * missed


class ConformalRegressor(RegressorMixin, Conformal):
    """Any regressor, with intervals that cover a new target with a given probability: equation (1).

    The guarantee needs exchangeable rows and nothing of the regressor; a better one has shorter intervals. It is for
    all rows together; with `by` it is for every group. In a `Pipeline` the regressor may be the pipeline, or this
    estimator its last step; in a search it is judged by its intervals (see `score`).

    Parameters
    ----------
    estimator : estimator
        A regressor of any package, or a pipeline that ends in one.
    coverage : float, default=0.9
        c in (0, 1); `predict_interval` can ask for another one without a new fit.
    method : {"split", "cross", "jackknife+", "bootstrap", "prefit"}, default="split"
        Which rows calibrate. "split": a share of the rows, which the model then never sees. "cross" (CV+): every row,
        by the model of the other folds. "jackknife+": every row, by a model of all others. "bootstrap" (jackknife+
        after bootstrap): every row, by the mean of the models whose resample lacks it; a forest or bagging with
        ``bootstrap=True`` has these already, and is fitted once. "prefit": all rows given to `fit`, by the estimator
        as it is, which must not have seen them.
    conformity : {"absolute", "normalized", "quantile"}, default="absolute"
        Score of a row: |y − f|; |y − f|/σ(x); or max(l − y, y − u) for models l, u of quantiles (conformalised quantile
        regression). The latter two give wider intervals where y varies more.
    by : callable, int or str, optional
        Groups that calibrate by themselves: a function of the rows, or a column's number or name.
    shift : callable, optional
        A known covariate shift: from rows to the density of new rows over that of calibration rows, up to a constant.
    spread : estimator or "return_std", optional
        Of "normalized": a model of |y − f|, fitted to rows left out (a clone of the estimator by default), or the
        standard deviation of ``estimator.predict(X, return_std=True)``.
    bounds : tuple of two estimators, optional
        Of "quantile": models of the ends. By default the estimator with its parameter `quantile` (or `alpha` where
        ``loss="quantile"``) at (1 ∓ c)/2.
    calibration_size : float, default=0.25
        Of "split": the share of rows that calibrate.
    cv : int, splitter or iterable of (train, validation), default=5
        Of "cross": an int gives folds drawn at random.
    n_resamples : int, default=50
        Of "bootstrap", where the estimator has no resamples of its own.
    random_state : None, int, Generator or RandomState
        Draws the split, the folds or the resamples.
    n_jobs : int, optional
        Threads that fit members.

    Attributes
    ----------
    estimator_ : estimator
        The model of plain predictions: that of the split, else one of all rows.
    scores_, weights_ : ndarray of shape (n,)
        Of the rows that calibrate.
    groups_ : ndarray of shape (n,) or None
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Barber, R. F., Candès, E. J., Ramdas, A. & Tibshirani, R. J. (2021). Predictive inference with the jackknife+.
    doi:10.1214/20-AOS1965

    Kim, B., Xu, C. & Barber, R. F. (2020). Predictive inference is free with the jackknife+-after-bootstrap.
    NeurIPS 33. arXiv:2002.09025

    Romano, Y., Patterson, E. & Candès, E. J. (2019). Conformalized quantile regression. NeurIPS 32. arXiv:1905.03222

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.model_selection import train_test_split
    >>> from gnomon.decision import ConformalRegressor
    >>> X, X_new, y, y_new = train_test_split(*load_diabetes(return_X_y=True), random_state=0)
    >>> model = ConformalRegressor(Ridge(0.1), coverage=0.9, method="cross", random_state=0).fit(X, y)
    >>> intervals = model.predict_interval(X_new)
    >>> bool(intervals.covers(y_new).mean() > 0.85), bool((model.predict(X_new) > intervals.low).all())
    (True, True)
    >>> bool(model.predict_interval(X_new, coverage=0.5).width.mean() < intervals.width.mean())
    True
    """

    _score: IntervalScore

    def __init__(
        self,
        estimator: BaseEstimator,
        *,
        coverage: ProperShare = 0.9,
        method: Method = "split",
        conformity: IntervalConformity = "absolute",
        by: By | None = None,
        shift: Shift | None = None,
        spread: Spread = None,
        bounds: PairOfModels = None,
        calibration_size: ProperShare | None = None,
        cv: Folds = None,
        n_resamples: Count | None = None,
        random_state: RandomState = None,
        n_jobs: int | None = None,
    ):
        store(self, locals())

    def predict_interval(self, X: AnyRows, coverage: float | None = None) -> PredictionIntervals:
        """The interval (1) of each row.

        Parameters
        ----------
        X : rows, of whatever kind the estimator takes
        coverage : float, optional
            In place of the parameter `coverage`, without a new fit.

        Returns
        -------
        PredictionIntervals
        """
        level, rows = self._level(coverage), self._rows(X)
        cells, new_weight = self._cells(rows), self._new_weight(rows)
        self._warn_if_unbounded(cells, level, new_weight)
        ends = np.empty((2, _num_samples(rows)))
        for here, answers in self._views(rows):
            for cell in cells:
                mine = cell.rows[(cell.rows >= here.start) & (cell.rows < here.stop)]
                if len(mine):
                    weight = of_rows(new_weight, mine)
                    ends[:, mine] = self._ends(answers[mine - here.start], cell.calibrating, level, weight)
        low, high = ends
        # Models of quantiles that cross may leave no number whose score is small enough.
        crossed = low > high
        low[crossed] = high[crossed] = 0.5 * (low[crossed] + high[crossed])
        return PredictionIntervals(low, high)

    def _ends(self, answers: Floats, calibrating: Integers, level: float, new_weight: Floats) -> tuple[Floats, Floats]:
        """Equation (1) for answers of shape (m, c, V)."""
        score, s, w = self._score, self.scores_[calibrating], self.weights_[calibrating]
        if answers.shape[2] == 1:
            # One model for all rows: the ends grow with r, so the quantile may be taken of the scores.
            r = conformal_quantile(s, level, w, new_weight)
            return score.ends(r, *answers[:, :, 0].T)
        view, blocks = self._left_out.view[calibrating], split_rows(len(answers), answers.size // IN_CACHE + 1)

        def work(rows: slice) -> tuple[Floats, Floats]:
            low, high = score.ends(s, *np.moveaxis(answers[rows][:, :, view], 1, 0))
            weight = of_rows(new_weight, rows)
            return -conformal_quantile(-low, level, w, weight), conformal_quantile(high, level, w, weight)

        low, high = zip(*map_chunks(work, blocks, self.n_jobs), strict=True)
        return np.concatenate(low), np.concatenate(high)

    def score(self, X: AnyRows, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Minus the mean interval score at the coverage of the parameters: larger is better, in units of y.

        A proper score, Gneiting & Raftery (2007), equation (43): width, and 2/(1 − c) times the distance by which y is
        missed. For R² or others of `predict`, give `scoring` to the search.

        Parameters
        ----------
        X : rows
        y : array-like of shape (m,)
        sample_weight : array-like of shape (m,), optional

        Returns
        -------
        float
        """
        losses = self.predict_interval(X).loss(y, self.coverage)
        return -float(np.average(losses, weights=check_weights(sample_weight, np.empty((len(losses), 0)))))

    def _covered(self, X: AnyRows, y: ArrayLike, coverage: float) -> tuple[Bools, Floats]:
        found = self.predict_interval(X, coverage)
        return found.covers(y), found.width

    def _begin(self, y: Array) -> Array:
        self._score = interval_score(self)
        return y

    def _learn(self, task: FitTask, rows: Integers) -> tuple[Any, ...]:
        return self._score.learn(task, rows)

    def _given(self) -> tuple[Any, ...]:
        return self._score.given()

    def _answer(self, member: tuple[Any, ...], X: Any) -> Floats:
        return self._score.answer(member, X)

    def _scored(self, answers: Floats, y: Array) -> Floats:
        return self._score.score(y, *answers.T)

    def _plain(self, task: FitTask, found: LeftOut) -> Any:
        if self.conformity != "quantile" or self.method not in ("split", "prefit"):
            return super()._plain(task, found)
        # The members are models of the ends.
        if self.method == "prefit":
            return self.estimator
        return task.fit(self.estimator, np.setdiff1d(task.rows, found.rows))

    @property
    def _has_members(self) -> bool:
        return self.conformity == "absolute" and super()._has_members

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        # `score` has the unit of y and is negative.
        tags.regressor_tags.poor_score = True
        return tags
