"""Active learning: the learner asks for the labels that it can use best.

    i* = argmax over the pool of u(x),    u by a strategy, times (mean similarity of x to the pool)^β               (1)

Settles (2009), Active learning literature survey, University of Wisconsin–Madison TR 1648; the density factor: Settles
& Craven (2008), EMNLP, 1070–1079; batches, the farthest-first rows of the most useful ones, after Zhdanov (2019),
arXiv:1901.05954, and Sener & Savarese (2018), arXiv:1708.00489. Queried rows are no sample of the population: a risk
is measured on other rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Self, TypeAlias

import joblib
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import euclidean_distances
from sklearn.utils import Tags, _safe_indexing, check_array, get_tags
from sklearn.utils.metadata_routing import MetadataRouter
from sklearn.utils.validation import _num_samples

from gnomon._typing import (
    AnyRows,
    Array,
    ArrayLike,
    CountOrZero,
    Floats,
    Integers,
    NonNegative,
    RandomState,
    Share,
    available_if,
)
from gnomon.base import given_rows, naming_columns
from gnomon.base.delegation import base_has
from gnomon.base.estimator import Estimator
from gnomon.base.labels import GivenLabels, given_labels
from gnomon.base.parameters import check_parameters, store
from gnomon.base.routing import routed, router
from gnomon.base.rows import stack_rows
from gnomon.base.spare_labels import check_kind
from gnomon.base.weights import weight_parameter
from gnomon.decision.strategies import LearningState, farthest_first, strategy_of
from gnomon.numerics.random import check_rng
from gnomon.numerics.tables import as_frame
from gnomon.numerics.validation import check_integer

__all__ = ["ActiveLearner"]

StrategyName: TypeAlias = Literal[
    "margin", "least_confident", "entropy", "distance", "expected_error_reduction", "vote_entropy", "consensus_kl",
    "bald", "random",
]  # fmt: skip

# Of so many times the rows of a batch, the most useful ones, a diverse batch is chosen.
_CANDIDATES_PER_ROW = 10
# Similarities to the pool are averaged over at most so many of its rows.
_MOST_REFERENCES = 1000


class ActiveLearner(ClassifierMixin, MetaEstimatorMixin, Estimator):
    """A classifier that chooses the rows whose labels it is taught, by (1).

    `query` names rows of a pool, `teach` adds labelled rows and refits; `run` does both with an oracle. `fit` forgets
    what was taught before. Until labels of two classes have come there is no model, and queries are by `cold_start`.

    Parameters
    ----------
    estimator : classifier
    strategy : str or callable, default="margin"
        "margin", "least_confident", "entropy" (of `predict_proba`), "distance" (of `decision_function`),
        "expected_error_reduction", "vote_entropy", "consensus_kl" (also called "bald"), "random"; an
        `ExpectedErrorReduction` or `CommitteeDisagreement` with options; or a function (state, rows, rng) → utility of
        each row, greater asked first.
    cold_start : {"random", "farthest_first"}, default="random"
        Queries without a model: any rows, or rows far from all labelled ones, in Euclidean distance of the columns as
        they are given.
    min_labels : int, default=2
        Labelled rows, with at least two classes, before there is a model.
    epsilon : float in [0, 1], default=0.0
        The share of queries that are random all the same, against a model that is sure of what it never asked about.
    batch : {"top", "diverse"}, default="top"
        Several rows at once: the most useful ones, or rows far from each other among ten times as many.
    density : float ≥ 0, default=0.0
        β in (1); the similarity is exp(−‖x − x'‖²/mean), so that the unit of the columns does not matter. Greater than
        zero it needs a strategy whose values are ≥ 0.
    ties : {"first", "random"}, default="first"
        Which of equally useful rows is asked: the first of the pool, or any.
    random_state : None, int, Generator or RandomState

    Attributes
    ----------
    estimator_ : classifier
        Fitted to all labelled rows.
    classes_ : ndarray of shape (n_classes,)
        Labels seen so far.
    X_, y_ : the labelled rows
    sample_weight_ : ndarray of shape (n_labels,) or None
    queried_ : ndarray of int
        Rows of the present pool that were asked, in order; they are not asked again. Another pool begins anew.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Settles, B. (2009). Active learning literature survey. University of Wisconsin–Madison TR 1648.

    Lewis, D. D. & Gale, W. A. (1994). A sequential algorithm for training text classifiers.
    doi:10.1007/978-1-4471-2099-5_1

    Examples
    --------
    A threshold among 1024 points, by bisection:

    >>> import numpy as np
    >>> from gnomon.decision import ActiveLearner
    >>> from sklearn.svm import SVC
    >>> pool = np.arange(1024.0)[:, None]
    >>> learner = ActiveLearner(SVC(kernel="linear", C=1e6), "distance").fit(pool[[0, -1]], [False, True])
    >>> learner = learner.run(pool, lambda rows: rows > 700, 10)
    >>> learner.queried_[:4].tolist(), learner.predict([[700.0], [701.0]]).tolist()
    ([511, 767, 639, 703], [False, True])
    """

    classes_: Array
    estimator_: Any
    X_: Any
    y_: Array
    sample_weight_: Floats | None
    queried_: Integers

    def __init__(
        self,
        estimator: BaseEstimator,
        strategy: StrategyName | Callable[..., Any] = "margin",
        *,
        cold_start: Literal["random", "farthest_first"] = "random",
        min_labels: CountOrZero = 2,
        epsilon: Share = 0.0,
        batch: Literal["top", "diverse"] = "top",
        density: NonNegative = 0.0,
        ties: Literal["first", "random"] = "first",
        random_state: RandomState = None,
    ):
        store(self, locals())

    def fit(self, X: AnyRows, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Begin with these labelled rows, of two classes or more; what was taught before is forgotten.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Whatever the estimator takes.
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        given = given_labels(self, self.estimator, X, y, sample_weight)
        if len(given.classes) < 2:
            raise ValueError(
                f"y has only one class, {given.classes.tolist()}; give rows of two classes, or begin with teach, which "
                "takes any labels"
            )
        self._forget()
        return self._learn(given)

    def teach(self, X: AnyRows, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Add labelled rows and refit.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            Rows taught without weights have weight 1.

        Returns
        -------
        self
        """
        given = given_labels(self, self.estimator, X, y, sample_weight, reset=not self._knows_columns())
        if "y_" in vars(self):
            check_kind("y", given.y[0], self.y_)
            given = _joined(GivenLabels(self.X_, self.y_, self.sample_weight_), given)
        return self._learn(given)

    def query(self, X_pool: AnyRows, n: int = 1) -> Integers:
        """The rows of a pool to ask about.

        Parameters
        ----------
        X_pool : array-like, sparse matrix or data frame of shape (n_pool, n_features)
            As long as the same pool is given, a row is asked once.
        n : int, default=1

        Returns
        -------
        ndarray of int of shape (n,)
            Positions in the pool, the most useful first.
        """
        check_parameters(self)
        X = given_rows(self, self.estimator, X_pool, reset=not self._knows_columns())
        self._enter(X)
        left = np.setdiff1d(np.arange(_num_samples(X)), self.queried_)
        if check_integer("n", n, 1) > len(left):
            raise ValueError(
                f"n={n} rows are wanted of a pool with {len(left)} that were not asked before; give more rows"
            )
        chosen = left[self._choose(_safe_indexing(X, left), n)]
        self.queried_ = np.append(self.queried_, chosen)
        return chosen

    def run(
        self, X_pool: AnyRows, oracle: Callable[[Integers], ArrayLike], n_labels: int, *, batch_size: int = 1
    ) -> Self:
        """Query and teach until `n_labels` more labels are known.

        Parameters
        ----------
        X_pool : array-like, sparse matrix or data frame of shape (n_pool, n_features)
        oracle : callable (positions in the pool) → their labels
        n_labels : int
        batch_size : int, default=1
            Rows asked between two fits.

        Returns
        -------
        self
        """
        step = check_integer("batch_size", batch_size, 1)
        for start in range(0, check_integer("n_labels", n_labels, 1), step):
            asked = self.query(X_pool, min(step, n_labels - start))
            self.teach(_safe_indexing(X_pool, asked), oracle(asked))
        return self

    def predict(self, X: AnyRows) -> Array:
        """The classifier's class of every row."""
        return self._model().predict(self._checked(X))

    @available_if(base_has("predict_proba"))
    def predict_proba(self, X: AnyRows) -> Floats:
        """The classifier's probabilities."""
        return self._model().predict_proba(self._checked(X))

    @available_if(base_has("decision_function"))
    def decision_function(self, X: AnyRows) -> Floats:
        """The classifier's scores."""
        return self._model().decision_function(self._checked(X))

    def get_metadata_routing(self) -> MetadataRouter:
        """How scikit-learn routes metadata to the classifier."""
        return router(self, estimator=self.estimator)

    def __sklearn_is_fitted__(self) -> bool:
        return "estimator_" in vars(self)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.input_tags, tags.classifier_tags = inner.input_tags, inner.classifier_tags
        return tags

    def _learn(self, given: GivenLabels) -> Self:
        self.X_, self.y_, self.sample_weight_ = given
        self.classes_ = given.classes
        if len(self.classes_) >= 2 and len(self.y_) >= self.min_labels:
            model = clone(self.estimator)
            weights = routed(self, "fit", given.weights).estimator.fit.get("sample_weight")
            with naming_columns(self, given.X):
                self.estimator_ = model.fit(given.X, given.y, **weight_parameter(model, weights))
        return self

    def _choose(self, X: Any, n: int) -> Integers:
        """Positions of n rows, of which a share `epsilon` is drawn at random."""
        rng = self._rng
        n_random = int(rng.binomial(n, self.epsilon)) if self.epsilon else 0
        chosen = self._wanted(X, n - n_random, rng) if n > n_random else np.empty(0, dtype=np.intp)
        others = np.setdiff1d(np.arange(_num_samples(X)), chosen)
        return np.append(chosen, rng.choice(others, n_random, replace=False)) if n_random else chosen

    def _wanted(self, X: Any, n: int, rng: np.random.Generator) -> Integers:
        if "estimator_" not in vars(self):
            return self._cold(X, n, rng)
        u = np.asarray(strategy_of(self.strategy)(self._state(), X, rng), dtype=float)
        if u.shape != (_num_samples(X),) or np.any(np.isnan(u)):
            raise ValueError(f"strategy gave {u.shape} numbers, some perhaps NaN, for {_num_samples(X)} rows; mend it")
        u = self._weighed(u, X, rng) if self.density else u
        order = np.lexsort((rng.random(len(u)) if self.ties == "random" else np.arange(len(u)), -u))
        if self.batch == "top" or n == 1:
            return order[:n]
        useful = order[: _CANDIDATES_PER_ROW * n]
        return useful[farthest_first(_numbers(_safe_indexing(X, useful)), n, first=0)]

    def _weighed(self, u: Floats, X: Any, rng: np.random.Generator) -> Floats:
        if np.any(u < 0.0):
            raise ValueError(
                f"density={self.density!r} multiplies utilities, and those of strategy={self.strategy!r} are negative; "
                "choose 'margin', 'least_confident', 'entropy', or a committee"
            )
        rows = _numbers(X)
        m = _num_samples(X)
        some = rng.choice(m, _MOST_REFERENCES, replace=False) if m > _MOST_REFERENCES else np.arange(m)
        squares = euclidean_distances(rows, rows[some], squared=True)
        unit = np.mean(squares)
        return u * np.mean(np.exp(-squares / (unit if unit > 0.0 else 1.0)), axis=1) ** self.density

    def _cold(self, X: Any, n: int, rng: np.random.Generator) -> Integers:
        if self.cold_start == "random":
            return rng.choice(_num_samples(X), n, replace=False)
        rows = _numbers(X)
        if "y_" not in vars(self):
            return farthest_first(rows, n)
        return farthest_first(rows, n, np.min(euclidean_distances(rows, _numbers(self.X_), squared=True), axis=1))

    def _state(self) -> LearningState:
        return LearningState(self.estimator, self.estimator_, self.X_, self.y_, self.sample_weight_)

    def _model(self) -> Any:
        if "estimator_" in vars(self):
            return self.estimator_
        seen = self.classes_.tolist() if "y_" in vars(self) else []
        raise NotFittedError(
            f"This {type(self).__name__} instance is not fitted yet: it knows labels of the classes {seen}, and needs "
            f"two classes and {self.min_labels} labels; call 'fit', or go on with query and teach"
        )

    def _checked(self, X: AnyRows) -> Any:
        return given_rows(self, self.estimator, X, reset=False)

    def _enter(self, X: Any) -> None:
        """Remember the pool, and begin anew with another one; draw from one generator all along."""
        mark = joblib.hash(X)
        if vars(self).get("_pool") != mark:
            self._pool, self.queried_ = mark, np.empty(0, dtype=np.intp)
        if "_rng" not in vars(self):
            self._rng = check_rng(self.random_state)

    def _knows_columns(self) -> bool:
        return "n_features_in_" in vars(self)

    def _forget(self) -> None:
        for name in ("X_", "y_", "sample_weight_", "classes_", "estimator_", "queried_", "_pool", "_rng"):
            self.__dict__.pop(name, None)


def _joined(old: GivenLabels, new: GivenLabels) -> GivenLabels:
    """Old rows, then new ones; weights of 1 where only one of them has any."""
    weights = None
    if old.weights is not None or new.weights is not None:
        weights = np.concatenate([np.ones(len(g.y)) if g.weights is None else g.weights for g in (old, new)])
    return GivenLabels(stack_rows(old.X, new.X), np.concatenate([old.y, new.y]), weights)


def _numbers(X: Any) -> Any:
    """Rows between which there are distances."""
    return check_array(
        X if as_frame(X) is None else np.asarray(X), accept_sparse="csr", dtype=float, input_name="X_pool"
    )
