"""AdaBoost: weak learners, each fitted with larger weights on the errors of those before it.

    F(x) = Σ_l α_l f_l(x),   f_l fitted with weights w ∝ exp(−y F),   ε = Σ w 1[f_l ≠ y],   α_l = ½ ln((1 − ε)/ε)    (1)

Freund & Schapire (1997), doi:10.1006/jcss.1997.1504. It minimises Σ exp(−y F(x)) greedily, whose best F is half the
log-odds, so P(+1) = σ(2F): Friedman, Hastie & Tibshirani (2000), doi:10.1214/aos/1016218223. Several classes: Zhu, Zou,
Rosset & Hastie (2009), doi:10.4310/SII.2009.v2.n3.a8; `gnomon.search.adaboost` covers both.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import reduce
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, is_regressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import accuracy_score
from sklearn.utils import Tags, _safe_indexing, get_tags
from sklearn.utils.validation import _num_samples, check_is_fitted

from gnomon._typing import (
    Array,
    ArrayLike,
    Count,
    Floats,
    Integers,
    NonNegative,
    Positive,
    ProperShare,
    RandomState,
    Sparse,
    TableLike,
)
from gnomon.base import given_rows
from gnomon.base.callbacks import CallbackSupportMixin, Tasks, fit_tasks
from gnomon.base.coded_rows import new_rows
from gnomon.base.estimator import Estimator
from gnomon.base.parameters import check_parameters
from gnomon.numerics.random import check_rng
from gnomon.numerics.special import softmax
from gnomon.numerics.validation import check_choice
from gnomon.numerics.weights import check_weights
from gnomon.search import AdaBoosted, adaboost
from gnomon.search.adaboost_steps import STEPS, exponential_loss
from gnomon.trees._boosting import UNMET, History, held_rows, split_seed, stalled
from gnomon.trees._cost import CostMixin, Member, members_of, timed
from gnomon.trees._weak_learners import AnyLearner, Halfspace, StumpLearner, Variant, shares_of
from gnomon.trees.stump import DecisionStump

__all__ = ["AdaBoostClassifier"]

WeakLearner: TypeAlias = Literal["stump", "linear"] | BaseEstimator | None

WORDS = ("stump", "linear")


class AdaBoostClassifier(CostMixin, CallbackSupportMixin, MetaEstimatorMixin, ClassifierMixin, Estimator):
    """AdaBoost, equation (1) of the module, for two classes or more.

    Parameters
    ----------
    estimator : {"stump", "linear"} or estimator, optional
        The weak learner: a `DecisionStump` (also by default), which takes strings, categories and NaN; a halfspace
        sign(xᵀβ + b) by weighted logistic regression (for "gentle" by least squares); or any classifier, which gets
        rows drawn by weight where its `fit` takes none. "gentle" also takes a regressor.
    n_estimators : int, default=50
        Rounds at most.
    learning_rate : float, default=1.0
        Factor of every α.
    random_state : None, int, Generator or RandomState
        Draws rows, and the seeds of learners that draw.
    variant : {"discrete", "real", "gentle"}, default="discrete"
        f is a class; half the log-odds of the learner's probabilities, α = 1; or their weighted least-squares fit.
    proba : {"normalized", "logistic"}, default="normalized"
        `predict_proba` from scores divided by the sum of weights, as in scikit-learn, or σ(2F).
    on_perfect : {"stop", "clip"}, default="stop"
        The weight of a learner without errors, which ends the rounds: 1 in `estimator_weights_`, or as if ε = 1/(2n).
    on_no_edge : {"error", "constant"}, default="error"
        What happens if the first learner is no better than chance. Later ones are dropped and end the rounds.
    n_iter_no_change : int, optional
        Stop when the exponential loss of held-out rows has not fallen by `tol` for so many rounds.
    validation_fraction : float, default=0.1
        Share of the rows held out where `n_iter_no_change` is given.
    tol : float, default=1e-4

    Attributes
    ----------
    estimator_ : estimator
        The base.
    estimators_ : list
        f_l.
    alphas_ : ndarray of shape (n_iter_,)
        α_l; for K classes β = (K − 1)²/K · [ln((1 − ε)/ε) + ln(K − 1)], which for two is the same.
    estimator_weights_ : ndarray of shape (n_estimators,)
        The brackets alone, twice α for two classes; zeros after the last round.
    estimator_errors_ : ndarray of shape (n_estimators,)
        ε_l; ones after the last round.
    classes_ : ndarray
    n_classes_, n_iter_, n_features_in_ : int
    history_ : dict
        "iteration", "objective" (mean exponential loss), "error" (of training rows), "seconds"; with `n_iter_no_change`
        "validation" (mean exponential loss of the rows held out).
    objective_ : float
        The last objective.
    stop_reason_ : {"max_iter", "perfect", "no_edge", "validation", "callback", "interrupted"}
    converged_ : bool
    feature_importances_ : ndarray of shape (n_features,)

    References
    ----------
    Freund, Y. & Schapire, R. E. (1997). A decision-theoretic generalization of on-line learning and an application to
    boosting. doi:10.1006/jcss.1997.1504

    Zhu, J., Zou, H., Rosset, S. & Hastie, T. (2009). Multi-class AdaBoost. doi:10.4310/SII.2009.v2.n3.a8

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.trees import AdaBoostClassifier
    >>> x, y = np.arange(10)[:, None], [1, 1, 1, -1, -1, -1, 1, 1, 1, -1]
    >>> model = AdaBoostClassifier(n_estimators=3, proba="logistic").fit(x, y)
    >>> [float(stump.tree_.threshold[0]) for stump in model.estimators_], model.alphas_.round(6)
    ([2.5, 8.5, 5.5], array([0.423649, 0.649641, 0.752039]))
    >>> model.additive_score([[0], [6]]).round(4), model.predict_proba([[0]]).round(4)
    (array([0.3213, 0.978 ]), array([[0.3447, 0.6553]]))
    """

    estimator_: Any
    estimators_: list[Any]
    alphas_: Floats
    estimator_weights_: Floats
    estimator_errors_: Floats
    classes_: Array
    n_classes_: int
    n_iter_: int
    history_: History
    objective_: float
    stop_reason_: str
    converged_: bool

    def __init__(
        self,
        estimator: WeakLearner = None,
        *,
        n_estimators: Count = 50,
        learning_rate: Positive = 1.0,
        random_state: RandomState = None,
        variant: Variant = "discrete",
        proba: Literal["normalized", "logistic"] = "normalized",
        on_perfect: Literal["stop", "clip"] = "stop",
        on_no_edge: Literal["error", "constant"] = "error",
        n_iter_no_change: Count | None = None,
        validation_fraction: ProperShare = 0.1,
        tol: NonNegative = 1e-4,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.random_state = random_state
        self.variant = variant
        self.proba = proba
        self.on_perfect = on_perfect
        self.on_no_edge = on_no_edge
        self.n_iter_no_change = n_iter_no_change
        self.validation_fraction = validation_fraction
        self.tol = tol

    @timed
    def fit(self, X: TableLike | Sparse, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Minimise the exponential loss by one learner at a time."""
        check_parameters(self)
        rounds = self._check()
        learner = self._learner()
        table, index, self.classes_ = learner.start(X, y)
        self.n_classes_, self.estimator_ = len(self.classes_), self._base()
        weights = check_weights(sample_weight, np.empty((len(index), 0))).astype(float)
        rng = check_rng(self.random_state)
        rows, held = np.arange(len(index)), None
        if self.n_iter_no_change is not None:
            rows, held = held_rows(len(index), self.validation_fraction, index, split_seed(self.random_state, rng))
        rows = rows[weights[rows] > 0.0]
        learn = learner.learn(table, index, self.classes_, rows, rng)
        if self.n_classes_ == 1:
            return self._unpack_one(learn(np.full(len(rows), 1.0 / len(rows)))[0])
        with fit_tasks(self, "round", rounds, X=X, y=y) as told:
            watch, losses = self._watch(table, index, weights, held, told)
            found = adaboost(
                learn, index[rows], self.n_classes_, rounds, sample_weight=weights[rows], variant=self.variant,
                learning_rate=self.learning_rate, perfect=self.on_perfect, watch=watch,
            )  # fmt: skip
            return self._unpack(found, index[rows], weights[rows], losses)

    def _check(self) -> int:
        if not isinstance(self.estimator, str) and is_regressor(self._base()) and self.variant != "gentle":
            raise ValueError(
                f"estimator={self.estimator!r} is a regressor, which only variant='gentle' takes; give a classifier"
            )
        return int(self.n_estimators)

    def _base(self) -> Any:
        """The weak learner that `estimator` stands for."""
        if self.estimator is None:
            return DecisionStump()
        if isinstance(self.estimator, str):
            check_choice("estimator", self.estimator, WORDS)
            return DecisionStump() if self.estimator == "stump" else Halfspace(squared=self.variant == "gentle")
        return self.estimator

    def _learner(self) -> StumpLearner | AnyLearner:
        base = self._base()
        if isinstance(base, DecisionStump):
            return StumpLearner(base, self)
        if self.variant == "real" and getattr(base, "predict_proba", None) is None:
            raise ValueError(f"estimator={base!r} has no predict_proba, which variant='real' needs; use 'discrete'")
        return AnyLearner(base, self, self.variant)

    def _watch(
        self, X: Any, index: Integers, weights: Floats, held: Integers | None, told: Tasks
    ) -> tuple[Callable[[Any, float, float], str | None] | None, list[float] | None]:
        """The function that is called after every round to decide on stopping, and the held-out losses it records."""
        patience = self.n_iter_no_change
        if held is None or patience is None:
            return lambda model, beta, floor: "callback" if told.done() else None, None
        rows, truth, w = _safe_indexing(X, held), index[held], weights[held]
        scores, losses = np.zeros((len(held), self.n_classes_)), [1.0]

        def watch(model: Any, beta: float, floor: float) -> str | None:
            scores[:] += STEPS[self.variant](self._shares(model, rows), beta, floor)
            losses.append(exponential_loss(scores, truth, w))
            word = "validation" if stalled(-np.array(losses), patience, self.tol) else None
            return "callback" if told.done() else word

        return watch, losses

    def _unpack(self, found: AdaBoosted, index: Integers, weights: Floats, losses: list[float] | None) -> Self:
        self.estimators_, self.n_iter_ = found.models, len(found.models)
        self.alphas_, self._floor = found.betas, found.floor
        left = self.n_estimators - self.n_iter_
        self.estimator_weights_ = np.append(found.brackets, np.zeros(left))
        self.estimator_errors_ = np.append(found.errors, np.ones(left))
        self.history_, self.stop_reason_ = found.history, found.stop_reason
        if losses is not None:
            self.history_ = self.history_ | {"validation": np.array(losses[1 : self.n_iter_ + 1])}
        self.converged_ = self.stop_reason_ not in UNMET
        self.objective_ = float(self.history_["objective"][-1]) if self.n_iter_ else 1.0
        self.constant_ = np.zeros(self.n_classes_)
        if self.stop_reason_ == "interrupted":
            warnings.warn(
                f"interrupted after {self.n_iter_} of {self.n_estimators} rounds, which are kept; fit again for all",
                ConvergenceWarning,
                stacklevel=3,
            )
        return self if self.n_iter_ else self._settle_for_constant(index, weights)

    def _settle_for_constant(self, index: Integers, weights: Floats) -> Self:
        """The first learner is no better than chance."""
        words = (
            "BaseClassifier in AdaBoostClassifier ensemble is worse than random, ensemble can not be fit: the first "
            "learner has no edge over chance"
        )
        if self.on_no_edge == "error":
            raise ValueError(f"{words}; give a stronger estimator, or on_no_edge='constant'")
        shares = np.bincount(index, weights=weights, minlength=self.n_classes_) / np.sum(weights)
        logs = np.log(np.maximum(shares, np.finfo(float).tiny))
        self.constant_ = (self.n_classes_ - 1.0) * (logs - np.mean(logs))
        warnings.warn(f"{words}; the model is constant, give a stronger estimator", ConvergenceWarning, stacklevel=3)
        return self

    def _unpack_one(self, model: Any) -> Self:
        """With one class any learner is perfect."""
        self.estimators_, self.n_iter_, self._floor = [model], 1, 0.5
        self.alphas_, self.constant_ = np.zeros(1), np.zeros(1)
        self.estimator_weights_ = np.eye(1, self.n_estimators)[0]
        self.estimator_errors_ = 1.0 - self.estimator_weights_
        self.history_ = {"iteration": np.ones(1, dtype=int), "objective": np.zeros(1), "error": np.zeros(1)}
        self.stop_reason_, self.converged_, self.objective_ = "perfect", True, 0.0
        return self

    def additive_score(self, X: TableLike | Sparse) -> Floats:
        """F(x) of (1); for K > 2 classes a column for each, whose rows sum to zero."""
        return _one(self._scores(X))

    def decision_function(self, X: TableLike | Sparse) -> Floats:
        """Scores divided by the sum of the weights: one for two classes, else one for each class."""
        return self._normalized(self._scores(X), self.n_iter_)

    def predict_proba(self, X: TableLike | Sparse) -> Floats:
        """The probability of every class, as `proba` says."""
        return self._proba(self._scores(X), self.n_iter_)

    def predict_log_proba(self, X: TableLike | Sparse) -> Floats:
        """The logarithms of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X: TableLike | Sparse) -> Array:
        """The class with the largest score; ties go to the first."""
        best = np.argmax(self._scores(X), axis=1)
        return self.classes_[best]

    def staged_additive_score(self, X: TableLike | Sparse) -> Iterator[Floats]:
        """`additive_score` after every round."""
        yield from map(_one, self._staged(X))

    def staged_decision_function(self, X: TableLike | Sparse) -> Iterator[Floats]:
        """`decision_function` after every round."""
        for done, scores in enumerate(self._staged(X), start=1):
            yield self._normalized(scores, done)

    def staged_predict_proba(self, X: TableLike | Sparse) -> Iterator[Floats]:
        """`predict_proba` after every round."""
        for done, scores in enumerate(self._staged(X), start=1):
            yield self._proba(scores, done)

    def staged_predict(self, X: TableLike | Sparse) -> Iterator[Array]:
        """`predict` after every round."""
        for scores in self._staged(X):
            yield self.classes_[np.argmax(scores, axis=1)]

    def staged_score(
        self, X: TableLike | Sparse, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Iterator[float]:
        """The accuracy after every round."""
        for predicted in self.staged_predict(X):
            yield accuracy_score(y, predicted, sample_weight=sample_weight)

    @property
    def feature_importances_(self) -> Floats:
        """Importances of the learners, weighted by `estimator_weights_`."""
        check_is_fitted(self, "estimators_")
        each = [model.feature_importances_ for model in self.estimators_]
        weights = self.estimator_weights_[: self.n_iter_]
        return np.average(each, axis=0, weights=weights) if self.n_iter_ else np.zeros(self.n_features_in_)

    def check_consistent(self) -> None:
        """Refuse learners of other columns or classes than those of the model."""
        if "estimators_" not in vars(self):
            return
        if not self.n_classes_ == len(self.classes_) == len(self.constant_):
            raise ValueError(f"the scores of {len(self.constant_)} classes are in a model of {len(self.classes_)}")
        for model in self.estimators_:
            if isinstance(model, DecisionStump) and model.tree_.answers.shape[1] != self.n_classes_:
                raise ValueError(f"a stump answers {model.tree_.answers.shape[1]} classes of {self.n_classes_}")

    def _scores(self, X: TableLike | Sparse) -> Floats:
        check_is_fitted(self, "estimators_")
        return reduce(lambda _, scores: scores, self._staged(X), np.tile(self.constant_, (_num_samples(X), 1)))

    def _staged(self, X: TableLike | Sparse) -> Iterator[Floats]:
        """F after every round, one column per class."""
        check_is_fitted(self, "estimators_")
        rows = self._given(X)
        scores = np.tile(self.constant_, (_num_samples(X), 1))
        for model, alpha in zip(self.estimators_, self.alphas_, strict=True):
            if self.n_classes_ > 1:
                scores = scores + STEPS[self.variant](self._shares(model, rows), alpha, self._floor)
            yield scores

    def _given(self, X: TableLike | Sparse) -> Any:
        """Rows as the learners take them: of stumps, numbers."""
        if isinstance(self.estimator_, DecisionStump) and self.estimators_:
            return new_rows(self.estimators_[0], X)
        return given_rows(self, self.estimator_, X, reset=False)

    def _shares(self, model: Any, rows: Any) -> Floats:
        if isinstance(model, DecisionStump):
            return model.tree_.predict(rows)
        return shares_of(model, rows, self.classes_, self.variant)

    def _normalized(self, scores: Floats, rounds: int) -> Floats:
        K, total = self.n_classes_, float(np.sum(self.estimator_weights_[:rounds]))
        if K == 1:
            return np.zeros((len(scores), 1))
        each = scores * (K / (K - 1.0) ** 2 / total) if total else scores
        return each[:, 1] - each[:, 0] if K == 2 else each

    def _proba(self, scores: Floats, rounds: int) -> Floats:
        if self.n_classes_ == 1:
            return np.ones((len(scores), 1))
        if self.proba == "logistic":
            return softmax(scores / (self.n_classes_ - 1.0))
        found = self._normalized(scores, rounds)
        return softmax(np.column_stack([-found, found]) / 2.0 if found.ndim == 1 else found / (self.n_classes_ - 1.0))

    def _members(self) -> list[Member]:
        return members_of(self.estimators_, (model.predict for model in self.estimators_), self.history_.get("seconds"))

    def __len__(self) -> int:
        return len(self.estimators_)

    def __getitem__(self, r: int) -> Any:
        return self.estimators_[r]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.estimators_)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self._base()).input_tags
        return tags


def _one(scores: Floats) -> Floats:
    return scores[:, 1] if scores.shape[1] == 2 else scores
