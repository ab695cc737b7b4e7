"""AdaBoost.ECC: boosting that adds a column to a coding matrix in every round.

    minimise  Σᵢ sᵢ Σ_{k≠yᵢ} exp(−½(F(xᵢ, yᵢ) − F(xᵢ, k))),    F(x, k) = Σ_t α_t h_t(x) μ_t(k)                   (1)

The terms D_ik of (1) are weights of pairs (row, wrong class). Round t divides the classes in two, μ_t(k) = ±1;
U = Σ D_ik over the pairs with μ_t(k) ≠ μ_t(yᵢ); h_t is fitted to μ_t(yᵢ) with the share of U that row i has as weight;
with its weighted error ε the best step is α_t = ½ ln((1 − ε)/ε), and (1) falls by U − 2U√(ε(1 − ε)). So an error below
½ in a binary problem is all that is needed, whatever the number of classes. Guruswami & Sahai (1999),
Multiclass learning, boosting, and error-correcting codes, doi:10.1145/307400.307429.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple, Self, TypeAlias

import numpy as np
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, is_regressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags, _safe_indexing, get_tags
from sklearn.utils.validation import _num_samples, check_is_fitted

from gnomon._typing import AnyRows, Array, ArrayLike, Count, Floats, Integers, RandomState, SomeShare
from gnomon.base import fit_weighted, given_rows
from gnomon.base.callbacks import CallbackSupportMixin, Tasks, fit_tasks
from gnomon.base.estimator import Estimator
from gnomon.multiclass._fixed_codes import MOST_EXHAUSTIVE, exhaustive
from gnomon.multiclass._labels import weighted_classes
from gnomon.multiclass._stump import Stump
from gnomon.numerics.random import check_rng
from gnomon.numerics.weights import check_weights

__all__ = ["AdaBoostECC"]

_NO_EDGE = 1e-10
_LEAST_ERROR = 1e-10
"""Errors keep this distance from 0 and 1, where a step would be infinite."""
_MOST_TRIALS = 10

Partition: TypeAlias = Literal["random", "max"]
"""How the classes are divided."""

Learner: TypeAlias = tuple[Callable[[Integers, Floats], Any], Callable[[Any], Array]]
"""Functions (y, weights) → model and model → its predictions for the training rows."""


class _Round(NamedTuple):
    """μ_t, the sides h_t of the training rows, h_t itself, its error ε, α_t and U."""

    mu: Integers
    side: Floats
    model: Any
    error: float
    alpha: float
    pairs: float


class AdaBoostECC(CallbackSupportMixin, MetaEstimatorMixin, ClassifierMixin, Estimator):
    """Boosting for many classes by weak learners of two, equation (1).

    The minimiser of the expectation of (1) at x is F(x, k) = log P(k | x) up to a constant in k, so `predict_proba` is
    the softmax of F. With two classes this is AdaBoost: F(x, 1) is its score and P = σ(2F).

    Parameters
    ----------
    estimator : classifier, optional
        The weak learner; by default a decision stump, which takes strings, categories and gaps too. Without
        `sample_weight` in its `fit` it gets rows drawn by weight. A regressor has no sides, and is refused.
    n_estimators : int, default=50
        Rounds at most.
    partition : {"random", "max"}, default="random"
        How the classes are divided: at random into halves, or so that U is largest, which sets the classes that are
        hardest to tell apart against each other (exact for at most 11 classes, then by exchanging classes).
    learning_rate : float in (0, 1], default=1.0
        Factor of every α_t.
    random_state : None, int, Generator or RandomState
        For the divisions and for estimators that draw at random.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    estimators_ : list
        h_t; their class 1 is the side +1.
    alphas_ : ndarray of shape (n_rounds,)
        α_t; negative where a learner was wrong more often than right and is turned round.
    code_book_ : ndarray of int of shape (n_classes, n_rounds)
        μ_t as columns.
    estimator_errors_ : ndarray of shape (n_rounds,)
        ε of every round, under the weights of that round.
    objective_ : float
        (1) at the end.
    history_ : dict
        "iteration", "objective" (1), "pairs" U and "error" (of the training rows) after every round.
    n_iter_ : int
        Rounds.
    stop_reason_ : {"max_iter", "no_edge", "perfect", "callback"}
        All rounds were made; no division gave a learner better than chance, with a ConvergenceWarning where that was so
        from the start; (1) is zero, as nothing is left to tell apart.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    Guruswami, V. & Sahai, A. (1999). Multiclass learning, boosting, and error-correcting codes.
    doi:10.1145/307400.307429

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from gnomon.multiclass import AdaBoostECC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = AdaBoostECC(n_estimators=20, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.95
    True
    """

    def __init__(
        self,
        estimator: BaseEstimator | None = None,
        *,
        n_estimators: Count = 50,
        partition: Partition = "random",
        learning_rate: SomeShare = 1.0,
        random_state: RandomState = None,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.partition = partition
        self.learning_rate = learning_rate
        self.random_state = random_state

    def fit(self, X: AnyRows, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Minimise (1) by one division and one learner at a time.

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
        if getattr(self._base(), "predict", None) is None or is_regressor(self._base()):
            raise ValueError(f"estimator={self.estimator!r} is no classifier; give one, or None for a stump")
        X = given_rows(self, self._base(), X, reset=True)
        weights = None if sample_weight is None else check_weights(sample_weight, np.empty((_num_samples(X), 0)))
        index, self.classes_ = weighted_classes(X, y, weights)
        if weights is not None and not np.all(weights > 0.0):
            used = np.flatnonzero(weights > 0.0)
            X, index, weights = _safe_indexing(X, used), index[used], weights[used]
        with fit_tasks(self, "round", self.n_estimators, X=X, y=y) as told:
            self._boost(X, index, np.ones(len(index)) if weights is None else weights, told)
            if self.n_iter_ == 0 and self.stop_reason_ == "no_edge":
                warnings.warn(
                    f"no learner was better than chance, so every row is called {self.classes_.tolist()[0]!r}; give a "
                    "stronger estimator",
                    ConvergenceWarning,
                    stacklevel=2,
                )
        return self

    def decision_function(self, X: AnyRows) -> Floats:
        """F(x, k) for every class; for two classes F(x, 1) = −F(x, 0).

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
        """
        F = self._scores(X)
        return F[:, 1] if len(self.classes_) == 2 else F

    def staged_decision_function(self, X: AnyRows) -> Iterator[Floats]:
        """`decision_function` after every round.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)

        Yields
        ------
        ndarray
        """
        for F in self._staged_scores(X):
            yield F[:, 1] if len(self.classes_) == 2 else F

    def predict(self, X: AnyRows) -> Array:
        """The class with the largest F(x, k); ties go to the first.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        best = np.argmax(self._scores(X), axis=1)
        return self.classes_[best]

    def staged_predict(self, X: AnyRows) -> Iterator[Array]:
        """`predict` after every round.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)

        Yields
        ------
        ndarray of shape (n_samples,)
        """
        for F in self._staged_scores(X):
            yield self.classes_[np.argmax(F, axis=1)]

    def predict_proba(self, X: AnyRows) -> Floats:
        """softmax_k F(x, k).

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return softmax(self._scores(X), axis=1)

    def _base(self) -> BaseEstimator:
        return Stump() if self.estimator is None else self.estimator

    def _boost(self, X: Any, index: Integers, s: Floats, told: Tasks) -> None:
        C, rng = len(self.classes_), check_rng(self.random_state)
        own = np.arange(C) == index[:, None]
        F, D = np.zeros((len(index), C)), s[:, None] * ~own
        learner = Stump().over(X) if self.estimator is None else _over(self.estimator, X, rng)
        rounds: list[_Round] = []
        objectives, wrong, self.stop_reason_ = [np.sum(D)], [], "max_iter"
        while len(rounds) < self.n_estimators:
            made = self._round(learner, index, D, float(np.sum(s)), rng) if np.any(D) else None
            if made is None:
                self.stop_reason_ = "no_edge" if np.any(D) else "perfect"
                break
            F += made.alpha * made.side[:, None] * made.mu
            D = s[:, None] * np.exp(-0.5 * (F[own][:, None] - F)) * ~own
            rounds.append(made._replace(side=np.empty(0)))
            objectives.append(np.sum(D))
            wrong.append(np.average(np.argmax(F, axis=1) != index, weights=s))
            if told.done():
                self.stop_reason_ = "callback"
                break
        self.objective_ = float(objectives[-1])
        self._unpack(rounds, C, {"objective": np.array(objectives[1:]), "error": np.array(wrong)})

    def _unpack(self, rounds: Sequence[_Round], C: int, traces: dict[str, Array]) -> None:
        self.estimators_ = [made.model for made in rounds]
        self.code_book_ = np.array([made.mu for made in rounds], dtype=int).reshape(len(rounds), C).T
        self.estimator_errors_ = np.array([made.error for made in rounds])
        self.alphas_ = np.array([made.alpha for made in rounds])
        pairs = np.array([made.pairs for made in rounds])
        self.n_iter_ = len(rounds)
        self.history_ = {"iteration": np.arange(1, len(rounds) + 1), "pairs": pairs, **traces}

    def _round(self, learner: Learner, index: Integers, D: Floats, n: float, rng: np.random.Generator) -> _Round | None:
        """One division with a learner that has an edge; None if several divisions give none."""
        fit, sides = learner
        for trial in range(_MOST_TRIALS):
            mu = _random_halves(D.shape[1], rng) if trial or self.partition == "random" else _largest_cut(D, index, rng)
            truth = mu[index]
            v = np.sum(D, axis=1, where=mu != truth[:, None])
            U = float(np.sum(v))
            if U == 0.0:
                continue
            model = fit((truth > 0).astype(int), v / U * n)
            side = 2.0 * sides(model) - 1.0
            error = float(np.sum(v[side != truth]) / U)
            if abs(error - 0.5) > _NO_EDGE:
                return _Round(mu, side, model, error, float(self.learning_rate) * _step(error), U)
        return None

    def _scores(self, X: AnyRows) -> Floats:
        F = self._no_scores(X)
        for step in self._steps(X):
            F += step
        return F

    def _staged_scores(self, X: AnyRows) -> Iterator[Floats]:
        F = self._no_scores(X)
        for step in self._steps(X):
            F = (F + step).astype(F.dtype)
            yield F

    def _no_scores(self, X: AnyRows) -> Floats:
        check_is_fitted(self)
        single = getattr(X, "dtype", None) == np.float32
        return np.zeros((_num_samples(X), len(self.classes_)), dtype=np.float32 if single else float)

    def _steps(self, X: AnyRows) -> Iterator[Floats]:
        """α_t h_t(x) μ_t(k), round by round."""
        X = given_rows(self, self._base(), X, reset=False)
        stumps = self.estimator is None and self.n_iter_ > 0
        sides = self.estimators_[0].reader(X) if stumps else lambda model: model.predict(X)
        for model, mu, alpha in zip(self.estimators_, self.code_book_.T, self.alphas_, strict=True):
            yield alpha * (2.0 * sides(model)[:, None] - 1.0) * mu

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self._base()).input_tags
        return tags


def _step(error: float) -> float:
    """α = ½ ln((1 − ε)/ε)."""
    kept = min(max(error, _LEAST_ERROR), 1.0 - _LEAST_ERROR)
    return 0.5 * float(np.log((1.0 - kept) / kept))


def _random_halves(C: int, rng: np.random.Generator) -> Integers:
    mu = np.where(rng.permutation(C) < C // 2, 1, -1)
    return mu * mu[-1]


def _largest_cut(D: Floats, index: Integers, rng: np.random.Generator) -> Integers:
    """μ with the largest U = (Σ W − μᵀW μ)/4; W_ab is what rows of a weigh for the class b, and rows of b for a."""
    C = D.shape[1]
    W = np.zeros((C, C))
    np.add.at(W, index, D)
    W = W + W.T
    if C <= MOST_EXHAUSTIVE:
        columns = exhaustive(C)
        mu = columns[:, np.argmin(np.sum(columns * (W @ columns), axis=0))]
        return mu * mu[-1]
    mu = _random_halves(C, rng)
    gains = mu * (W @ mu)
    while np.max(gains) > 1e-12 * np.sum(W):
        mu[np.argmax(gains)] *= -1
        gains = mu * (W @ mu)
    return mu * mu[-1]


def _over(base: BaseEstimator, X: Any, rng: np.random.Generator) -> Learner:
    """As `Stump.over`, for any classifier."""
    return lambda y, weights: fit_weighted(base, X, y, weights, rng), lambda model: model.predict(X)
