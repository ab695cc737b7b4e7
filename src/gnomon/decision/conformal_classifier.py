"""Sets of classes with a guarantee, around any classifier.

    C(x) = {k : p(x, k) > 1 − c},    p(x, k) = (1 + #{i : sᵢ ≥ s₋ᵢ(x, k)}) / (n + 1)                              (1)

s₋ᵢ(x, k) scores class k by a model that has not seen row i, and sᵢ = s₋ᵢ(xᵢ, yᵢ). After a split all rows have one
model, p(X, Y) is a p-value and P(Y ∈ C(X)) ≥ c; with folds or leaving one out, P(Y ∈ C(X)) ≥ 1 − 2(1 − c) (less a term
of order 1/√n for folds), and close to c for stable models. Vovk, Gammerman & Shafer (2005), doi:10.1007/b106715;
Romano, Sesia & Candès (2020), Classification with valid and adaptive coverage, NeurIPS 33, arXiv:2006.02544.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _num_samples, check_consistent_length, check_is_fitted

from gnomon._typing import (
    AnyRows,
    Array,
    ArrayLike,
    Bools,
    Count,
    Floats,
    Folds,
    Integers,
    ProperShare,
    RandomState,
    available_if,
)
from gnomon.base.delegation import base_has
from gnomon.base.left_out import FitTask, Method
from gnomon.base.parameters import store
from gnomon.decision._conformal import By, Cell, Conformal, Shift
from gnomon.decision._set_scores import SetConformity, set_score
from gnomon.infer import exceeding_mass
from gnomon.numerics.weights import check_weights

__all__ = ["ConformalClassifier", "PredictionSets"]

# p and 1 − c are equal up to rounding where a rank decides; so are scores, of order one, of means over the same members
# that are summed in another order.
ROUNDING = 64.0 * np.finfo(float).eps


class PredictionSets(NamedTuple):
    """A set of classes for each row.

    Fields
    ------
    included : ndarray of bool of shape (m, K)
        Which classes are in the set of each row.
    classes : ndarray of shape (K,)

    References
    ----------
    Sadinle, M., Lei, J. & Wasserman, L. (2019). Least ambiguous set-valued classifiers with bounded error levels.
    doi:10.1080/01621459.2017.1395341

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.decision import PredictionSets
    >>> sets = PredictionSets(np.array([[True, True], [False, True]]), np.array(["no", "yes"]))
    >>> sets.size, sets.covers(["no", "no"]), sets.labels()
    (array([2, 1]), array([ True, False]), [['no', 'yes'], ['yes']])
    """

    included: Bools
    classes: Array

    @property
    def size(self) -> Integers:
        """The number of classes in each set."""
        return np.sum(self.included, axis=1)

    def covers(self, y: ArrayLike) -> Bools:
        """Whether each label is in the set of its row; a label that the model does not know is in none."""
        y = np.asarray(y)
        check_consistent_length(self.included, y)
        return np.any(self.included & (y[:, None] == self.classes), axis=1)

    def labels(self) -> list[list[Any]]:
        """The labels in each set."""
        return [self.classes[row].tolist() for row in self.included]


class ConformalClassifier(ClassifierMixin, Conformal):
    """Any classifier, with sets of classes that hold the true one with a given probability: equation (1).

    The guarantee needs exchangeable rows and nothing of the classifier; a better one has smaller sets. It is for all
    rows together; with ``by="class"`` it is for every class, with other `by` for every group. A set may be empty: such
    a row is unlike those of every class. In a `Pipeline` the classifier may be the pipeline, or this estimator its last
    step; in a search it is judged by its sets (see `score`).

    Parameters
    ----------
    estimator : estimator
        A classifier of any package, or a pipeline that ends in one.
    coverage : float, default=0.9
        c in (0, 1); `predict_set` can ask for another one without a new fit.
    method : {"split", "cross", "jackknife+", "bootstrap", "prefit"}, default="split"
        Which rows calibrate, as in `ConformalRegressor`.
    conformity : {"lac", "aps", "raps"} or callable (proba, u) → scores, default="lac"
        Score of a class. "lac", 1 − p: the smallest sets on average; it also takes the margins of a classifier without
        probabilities. "aps": the probability of the classes down to it, for sets that cover hard rows as well as easy
        ones. "raps": with a penalty for low ranks; `AdaptiveScore` gives it others.
    by : "class", callable, int or str, optional
        "class": every class calibrates by itself (Mondrian). Else groups that do: a function of the rows, or a column's
        number or name.
    shift : callable, optional
        A known covariate shift: from rows to the density of new rows over that of calibration rows, up to a constant.
    randomized : bool, default=False
        Whether u of "aps" and "raps" is drawn, and ties of scores count in part, so that coverage is exactly c; sets
        are then smaller, and random.
    calibration_size : float, default=0.25
        Of "split": the share of rows that calibrate; of every class where ``by="class"``.
    cv : int, splitter or iterable of (train, validation), default=5
        Of "cross": an int gives folds drawn at random, with all classes in proportion.
    n_resamples : int, default=50
        Of "bootstrap", where the estimator has no resamples of its own.
    random_state : None, int, Generator or RandomState
        Draws the split, the folds or the resamples, and what is randomised.
    n_jobs : int, optional
        Threads that fit members.

    Attributes
    ----------
    estimator_ : estimator
        The model of plain predictions: that of the split, else one of all rows.
    classes_ : ndarray of shape (K,)
    scores_, weights_ : ndarray of shape (n,)
        Of the rows that calibrate.
    groups_ : ndarray of shape (n,) or None
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Romano, Y., Sesia, M. & Candès, E. J. (2020). Classification with valid and adaptive coverage. NeurIPS 33.
    arXiv:2006.02544

    Sadinle, M., Lei, J. & Wasserman, L. (2019). Least ambiguous set-valued classifiers with bounded error levels.
    doi:10.1080/01621459.2017.1395341

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from gnomon.decision import ConformalClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ConformalClassifier(GaussianNB(), coverage=0.95, method="cross", random_state=0).fit(X[::2], y[::2])
    >>> model.predict_set(X[[1, 71, 83]]).labels()
    [[0], [1], [1, 2]]
    >>> bool(model.predict_set(X[1::2]).covers(y[1::2]).mean() > 0.9)
    True
    """

    classes_: Array

    def __init__(
        self,
        estimator: BaseEstimator,
        *,
        coverage: ProperShare = 0.9,
        method: Method = "split",
        conformity: SetConformity = "lac",
        by: Literal["class"] | By | None = None,
        shift: Shift | None = None,
        randomized: bool = False,
        calibration_size: ProperShare | None = None,
        cv: Folds = None,
        n_resamples: Count | None = None,
        random_state: RandomState = None,
        n_jobs: int | None = None,
    ):
        store(self, locals())

    def p_values(self, X: AnyRows) -> Floats:
        """p of equation (1) for every class, (m, K); a set holds the classes whose p exceeds 1 − c.

        Parameters
        ----------
        X : rows, of whatever kind the estimator takes

        Returns
        -------
        ndarray of shape (m, K)
        """
        rows = self._rows(X)
        return self._p_values(rows, self._cells(rows), self._new_weight(rows))

    def _p_values(self, X: Any, cells: list[Cell], new_weight: Floats) -> Floats:
        m, K = _num_samples(X), len(self.classes_)
        u = self._uniform(m, stream=1)
        above, equal, total = np.zeros((m, K)), np.zeros((m, K)), np.zeros((m, K))
        for here, answers in self._views(X):
            scores = self._class_scores(np.moveaxis(answers, 2, 1), u[here, 0])
            for cell in cells:
                mine = cell.rows[(cell.rows >= here.start) & (cell.rows < here.stop)]
                for v in np.unique(self._left_out.view[cell.calibrating]):
                    some = cell.calibrating[self._left_out.view[cell.calibrating] == v]
                    at = scores[mine - here.start, v][:, cell.columns]
                    found = exceeding_mass(self.scores_[some], self.weights_[some], at, slack=ROUNDING)
                    for sums, more in zip((above, equal), found, strict=True):
                        sums[mine[:, None], self._columns(cell)] += more
                total[mine[:, None], self._columns(cell)] = np.sum(self.weights_[cell.calibrating])
        own = np.broadcast_to(new_weight, m)[:, None]
        mass = total + own
        # A row of no weight among rows of none could be any class.
        return np.divide(above + u[:, 1:] * (equal + own), mass, out=np.ones((m, K)), where=mass > 0.0)

    def predict_set(self, X: AnyRows, coverage: float | None = None) -> PredictionSets:
        """The set (1) of each row.

        Parameters
        ----------
        X : rows, of whatever kind the estimator takes
        coverage : float, optional
            In place of the parameter `coverage`, without a new fit.

        Returns
        -------
        PredictionSets
        """
        level, rows = self._level(coverage), self._rows(X)
        cells, new_weight = self._cells(rows), self._new_weight(rows)
        self._warn_if_unbounded(cells, level, new_weight)
        return PredictionSets(self._p_values(rows, cells, new_weight) > 1.0 - level + ROUNDING, self.classes_)

    def score(self, X: AnyRows, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Minus the mean number of classes in a set, at the coverage of the parameters: larger is better.

        All calibrated models hold the true class equally often, so the one with the smallest sets says most. For
        accuracy or others of `predict`, give `scoring` to the search.

        Parameters
        ----------
        X : rows
        y : array-like of shape (m,)
            Not used but for its length: coverage is what calibration guarantees.
        sample_weight : array-like of shape (m,), optional

        Returns
        -------
        float
        """
        sizes = self.predict_set(X).size
        check_consistent_length(sizes, y)
        return -float(np.average(sizes, weights=check_weights(sample_weight, np.empty((len(sizes), 0)))))

    @available_if(base_has("predict_proba"))
    def predict_proba(self, X: AnyRows) -> Floats:
        """The probabilities of `estimator_`.

        Parameters
        ----------
        X : rows, of whatever kind the estimator takes

        Returns
        -------
        ndarray of shape (m, K)
        """
        rows = self._rows(X)
        return self.estimator_.predict_proba(rows)

    @available_if(base_has("decision_function"))
    def decision_function(self, X: AnyRows) -> Floats:
        """The scores of `estimator_`.

        Parameters
        ----------
        X : rows, of whatever kind the estimator takes

        Returns
        -------
        ndarray of shape (m,) or (m, K)
        """
        rows = self._rows(X)
        return self.estimator_.decision_function(rows)

    def _covered(self, X: AnyRows, y: ArrayLike, coverage: float) -> tuple[Bools, Floats]:
        found = self.predict_set(X, coverage)
        return found.covers(y), found.size.astype(float)

    def _begin(self, y: Array) -> Array:
        check_classification_targets(y)
        if self.method == "prefit":
            check_is_fitted(self.estimator)
        self.classes_ = np.unique(self.estimator.classes_ if self.method == "prefit" else y)
        return y

    def _learn(self, task: FitTask, rows: Integers) -> tuple[Any, ...]:
        return (task.fit(self.estimator, rows),)

    def _given(self) -> tuple[Any, ...]:
        return (self.estimator,)

    def _answer(self, member: tuple[Any, ...], X: Any) -> Floats:
        """Probabilities, or else margins, of all classes; a class that the member has not seen has probability 0."""
        (model,) = member
        coded = self._left_out.ensemble is not None
        known = np.asarray(model.classes_).astype(int) if coded else np.searchsorted(self.classes_, model.classes_)
        found = self._margins(model, X) if getattr(model, "predict_proba", None) is None else model.predict_proba(X)
        out = np.zeros((_num_samples(X), len(self.classes_)))
        out[:, known] = found
        return out

    def _margins(self, model: Any, X: Any) -> Floats:
        name = type(model).__name__
        if self.conformity != "lac" or getattr(model, "decision_function", None) is None:
            raise ValueError(
                f"{name} has no predict_proba, which conformity={self.conformity!r} needs; choose 'lac' if it has a "
                "decision_function, or wrap it by sklearn.calibration.CalibratedClassifierCV"
            )
        if len(model.classes_) < len(self.classes_):
            raise ValueError(
                f"{name} was fitted to rows without some of the classes {self.classes_.tolist()}, and margins say "
                "nothing of these; give more rows of each, or an estimator with predict_proba"
            )
        margins = np.asarray(model.decision_function(X), dtype=float)
        return np.column_stack([-margins, margins]) if margins.ndim == 1 else margins

    def _class_scores(self, answers: Floats, u: Floats) -> Floats:
        """Scores of all classes from answers, (m, …, K) both; u is of rows."""
        flat = answers.reshape(-1, answers.shape[-1])
        return np.asarray(set_score(self.conformity)(flat, np.repeat(u, len(flat) // len(u)))).reshape(answers.shape)

    def _scored(self, answers: Floats, y: Array) -> Floats:
        scores = self._class_scores(answers, self._uniform(len(y), stream=0)[:, 0])
        place = np.searchsorted(self.classes_, y)
        known = place < len(self.classes_)
        known[known] = self.classes_[place[known]] == y[known]
        # A label that a fitted model does not know is never in a set.
        return np.where(known, scores[np.arange(len(y)), np.where(known, place, 0)], np.inf)

    def _uniform(self, m: int, stream: int) -> Floats:
        """u of the scores and of ties, for m rows: one each unless they are randomised."""
        return np.random.default_rng([self._seed, stream]).random((m, 2)) if self.randomized else np.ones((m, 2))

    @property
    def _by_class(self) -> bool:
        return isinstance(self.by, str) and self.by == "class"

    def _groups(self, X: Any, y: Array | None = None) -> Array | None:
        return y if self._by_class else super()._groups(X, y)

    def _cells(self, X: Any) -> list[Cell]:
        if not self._by_class:
            return super()._cells(X)
        rows = np.arange(_num_samples(X))
        return [Cell(np.flatnonzero(self.groups_ == k), rows, np.array([j])) for j, k in enumerate(self.classes_)]

    def _columns(self, cell: Cell) -> Integers:
        return np.arange(len(self.classes_))[cell.columns]
