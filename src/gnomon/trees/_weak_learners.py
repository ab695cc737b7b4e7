"""Learners that boosting may use: stumps, halfspaces, any classifier, any regressor.

    learn(w) → (model, shares of the classes at the training rows),    ask(model, X) → shares at new rows          (1)

A classifier without `sample_weight` gets rows drawn by weight: Freund & Schapire (1997), doi:10.1006/jcss.1997.1504.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone, is_regressor
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted, validate_data

from gnomon._typing import Array, ArrayLike, Floats, Integers, Sparse, TableLike
from gnomon.base import fit_weighted, given_rows
from gnomon.base.labels import read_targets
from gnomon.losses import LogisticLoss, SoftmaxLoss, SquaredLoss
from gnomon.numerics.design import Design
from gnomon.numerics.special import softmax
from gnomon.numerics.validation import FLOATS
from gnomon.numerics.weights import check_weights
from gnomon.optim import fit_linear
from gnomon.penalties import L2
from gnomon.search.adaboost_steps import class_codes
from gnomon.trees._targets import as_classes
from gnomon.trees.stump import DecisionStump

__all__ = ["AnyLearner", "Halfspace", "Learn", "StumpLearner", "Variant", "shares_of"]

Variant: TypeAlias = Literal["discrete", "real", "gentle"]

Learn: TypeAlias = Callable[[Floats], tuple[Any, Floats]]
"""From weights to a fitted learner and its class probabilities at the training rows."""

RIDGE = 1e-4
"""Ridge of a halfspace relative to the weight of the rows: separable rows have no finite optimum without it."""


class Halfspace(ClassifierMixin, BaseEstimator):
    """sign(xᵀβ + b) by weighted logistic regression; several classes by the softmax; `squared`: by least squares.

    For two classes, `predict` uses the b of least weighted error in the direction β: where one class lies on both sides
    of the other, the logistic b is no better than chance.
    """

    def __init__(self, squared: bool = False):
        self.squared = squared

    def fit(self, X: TableLike | Sparse, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Minimise Σ w ℓ(y, xᵀβ + b) + λ‖β‖²/2 over standardised columns."""
        X, y = validate_data(self, X, y, dtype=FLOATS)
        self.classes_, index = as_classes(y)
        K, w = len(self.classes_), check_weights(sample_weight, X).astype(float)
        self.mean_ = np.average(X, axis=0, weights=w)
        scale = np.sqrt(np.average((X - self.mean_) ** 2, axis=0, weights=w))
        self.scale_ = np.where(scale > 0.0, scale, 1.0)
        Z, penalty = (X - self.mean_) / self.scale_, L2(RIDGE * float(np.sum(w)), half=True)
        if self.squared:
            fits = [fit_linear(Design(Z), code, SquaredLoss(half=True), penalty, w) for code in class_codes(index, K).T]
            self.coef_, self.intercept_ = np.stack([fit.w for fit in fits]), np.array([fit.intercept for fit in fits])
        elif K == 2:
            found = fit_linear(Design(Z), 2.0 * index - 1.0, LogisticLoss(), penalty, w, max_iter=1000)
            self.coef_ = np.stack([-0.5 * found.w, 0.5 * found.w])
            self.intercept_ = np.array([-0.5, 0.5]) * found.intercept
            self.cut_, self.sides_ = _least_errors(2.0 * self._scores(X)[:, 1], index, w)
        else:
            found = fit_linear(Design(Z), index, SoftmaxLoss(), penalty, w, n_scores=K, max_iter=1000)
            self.coef_, self.intercept_ = found.w, np.asarray(found.intercept)
        return self

    def decision_function(self, X: TableLike | Sparse) -> Floats:
        """xᵀβ_k + b_k for every class."""
        check_is_fitted(self)
        return self._scores(validate_data(self, X, dtype=FLOATS, reset=False))

    def _scores(self, X: Floats) -> Floats:
        return (X - self.mean_) / self.scale_ @ self.coef_.T + self.intercept_

    def predict_proba(self, X: TableLike | Sparse) -> Floats:
        """Shares of the classes; by least squares they may leave [0, 1], as E[y | x] = (K p − 1)/(K − 1) needs."""
        z = self.decision_function(X)
        return (1.0 + (z.shape[1] - 1.0) * z) / z.shape[1] if self.squared else softmax(z)

    def predict(self, X: TableLike | Sparse) -> Array:
        """The class with the largest score."""
        z = self.decision_function(X)
        best = self.sides_[(2.0 * z[:, 1] > self.cut_).astype(int)] if "cut_" in vars(self) else np.argmax(z, axis=1)
        return self.classes_[best]


def _least_errors(z: Floats, index: Integers, w: Floats) -> tuple[float, Integers]:
    """(t, classes of z ≤ t and of z > t) with the least weighted error; t is 0 or halfway between two scores."""
    order = np.argsort(z, kind="stable")
    z, signed = z[order], np.where(index == 1, w, -w)[order]
    after = np.flatnonzero(np.diff(z) > 0.0)
    cuts = np.append(0.0, 0.5 * z[after] + 0.5 * z[after + 1])
    # Class 0 is wrong above t and class 1 below.
    errors = np.sum(w[index == 0]) + np.append(np.sum(signed[z <= 0.0]), np.cumsum(signed)[after])
    least = np.minimum(errors, np.sum(w) - errors)
    best = int(np.argmin(least))
    return float(cuts[best]), np.array([0, 1] if errors[best] <= least[best] else [1, 0])


class StumpLearner:
    """Stumps over columns that are coded once."""

    def __init__(self, stump: DecisionStump, owner: BaseEstimator):
        self.stump, self.owner = stump, owner

    def start(self, X: TableLike | Sparse, y: ArrayLike) -> tuple[Any, Integers, Array]:
        """Rows of `fit`, indices of their classes, and the classes."""
        self.ready = clone(self.stump)
        X, index, self.grown = self.ready.over(X, y)
        for name in ("n_features_in_", "feature_names_in_"):
            if name in vars(self.ready):
                setattr(self.owner, name, getattr(self.ready, name))
        return X, index, self.ready.classes_

    def learn(self, X: Any, index: Integers, classes: Array, rows: Integers, rng: np.random.Generator) -> Learn:
        """A function w → (stump, shares) for some of the rows."""
        full, part = np.zeros(len(index)), X if len(rows) == len(index) else X[rows]

        def learn(w: Floats) -> tuple[Any, Floats]:
            full[rows] = w
            tree = self.grown(full)
            return self.ready.with_tree(tree), tree.predict(part)

        return learn


class AnyLearner:
    """Any classifier or regressor."""

    def __init__(self, estimator: Any, owner: BaseEstimator, variant: Variant):
        self.estimator, self.owner, self.variant = estimator, owner, variant

    def start(self, X: TableLike | Sparse, y: ArrayLike) -> tuple[Any, Integers, Array]:
        """Rows of `fit`, indices of their classes, and the classes."""
        X = given_rows(self.owner, self.estimator, X, reset=True)
        classes, index = as_classes(read_targets(self.owner, X, y))
        return X, index, classes

    def learn(self, X: Any, index: Integers, classes: Array, rows: Integers, rng: np.random.Generator) -> Learn:
        """A function w → (model, shares) for some of the rows."""
        part, truth = _safe_indexing(X, rows), index[rows]
        target = classes[truth] if not is_regressor(self.estimator) else _numbers(truth, len(classes))

        def learn(w: Floats) -> tuple[Any, Floats]:
            model = fit_weighted(self.estimator, part, target, w, rng)
            return model, shares_of(model, part, classes, self.variant)

        return learn


def _numbers(index: Integers, K: int) -> Floats:
    """y(c) for a regressor: ±1 for two classes, else a column for each."""
    codes = class_codes(index, K)
    return codes[:, 1] if K == 2 else codes


def shares_of(model: Any, X: Any, classes: Array, variant: Variant) -> Floats:
    """Class probabilities by one learner; "discrete" gives the predicted class probability 1."""
    K = len(classes)
    if is_regressor(model):
        found = np.asarray(model.predict(X), dtype=float).reshape(-1, K if K > 2 else 1)
        found = found if K > 2 else np.column_stack([-found, found])
        return (1.0 + (K - 1.0) * found) / K
    if variant == "discrete":
        found = np.searchsorted(classes, model.predict(X))
        return np.eye(K)[np.minimum(found, K - 1)]
    found = model.predict_proba(X)
    shares = np.zeros((len(found), K))
    shares[:, np.searchsorted(classes, model.classes_)] = found
    return shares
