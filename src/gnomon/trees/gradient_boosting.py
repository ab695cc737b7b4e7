"""Gradient boosting on shallow trees with exact thresholds.

    F(x) = F_0(x) + Σ_r η f_r(x);   f_r divides rows by the variance of −∂ℓ(yᵢ, F(xᵢ)), and a leaf has the value that
    makes the loss of its rows least: one Newton step Σ −∂ℓ / Σ ∂²ℓ, a mean, a median or a quantile                 (1)

Friedman (2001), Greedy function approximation, doi:10.1214/aos/1013203451; subsamples: Friedman (2002),
doi:10.1016/S0167-9473(01)00065-2. Names and defaults are those of scikit-learn's estimators.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, Self, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.dummy import DummyClassifier, DummyRegressor

from gnomon._typing import (
    Array,
    ArrayLike,
    Count,
    CountOrZero,
    Floats,
    Integers,
    NonNegative,
    ProperShare,
    RandomState,
    SomeShare,
    Sparse,
    TableLike,
    Verbosity,
)
from gnomon.base.callbacks import fit_tasks
from gnomon.base.coded_rows import CategoricalFeatures, Unseen, fitted_rows
from gnomon.base.parameters import store
from gnomon.losses import AbsoluteLoss, HuberLoss, Loss, PinballLoss, SquaredLoss
from gnomon.numerics.domains import Categories
from gnomon.numerics.weights import weighted_quantile
from gnomon.search.units import Units
from gnomon.trees._boosted_answers import BoostedClassifier, BoostedRegressor, degree_of, mean_loss_of, n_scores_of
from gnomon.trees._boosting import Monitor
from gnomon.trees._cost import timed
from gnomon.trees._exact_rounds import ExactRounds, VarianceName
from gnomon.trees._growth import (
    Binning,
    LeafCount,
    LeafShare,
    LeafSize,
    MaxFeatures,
    MonotonicConstraints,
    SplitSize,
)
from gnomon.trees._targets import tree_weights

__all__ = ["GradientBoostingClassifier", "GradientBoostingRegressor"]

ClassLoss: TypeAlias = Literal["log_loss", "exponential"] | Loss
NumberLoss: TypeAlias = Literal["squared_error", "absolute_error", "huber", "quantile"] | Loss


class GradientBoostingClassifier(BoostedClassifier, ExactRounds):
    """Gradient boosting of classification trees.

    Equation (1) of the module with the logistic loss (for several classes the softmax loss, and a tree for every class
    and round), or with the exponential loss of AdaBoost.

    Parameters
    ----------
    loss : {"log_loss", "exponential"} or Loss, default="log_loss"
        Or any loss for classes with a gradient, such as `gnomon.losses.SquaredHingeLoss()`.
    learning_rate : float, default=0.1
        The step η.
    n_estimators : int, default=100
        Rounds.
    subsample : float, default=1.0
        Share of the rows, drawn without replacement, from which the trees of a round are grown.
    criterion : {"friedman_mse", "squared_error"}, default="friedman_mse"
        Two names of the variance: Friedman's score of a split is n times its gain.
    min_samples_split, min_samples_leaf : int or float, default=2 and 1
    min_weight_fraction_leaf : float, default=0.0
    max_depth : int or None, default=3
    min_impurity_decrease : float, default=0.0
    init : estimator or "zero", optional
        F_0; by default the best constant.
    random_state : None, int, Generator or RandomState
        Draws rows, columns and held-out rows.
    max_features : int, float, {"sqrt", "log2"}, optional
        How many columns are drawn at each node; all by default.
    verbose : int, default=0
    max_leaf_nodes : int, optional
        With it the node with the largest gain is divided first.
    warm_start : bool, default=False
        Keep the rounds of the last fit and add those that are missing.
    validation_fraction : float, default=0.1
        Share of the rows held out where `n_iter_no_change` is given.
    n_iter_no_change : int, optional
        Stop when the loss of held-out rows is not below one of so many before it, by `tol`.
    tol : float, default=1e-4
    ccp_alpha : float, default=0.0
        Cost-complexity pruning of every tree: the penalty per leaf.
    binning : None, "auto" or int, default="auto"
        Search exactly, or among at most 255 bins of a column; "auto" does so above 20 000 rows.
    monotonic_cst : array-like or dict, optional
        1, −1 or 0 per column.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Columns that are categories: by their type, or by names, numbers or a mask.
    categories : dict or list, optional
        Declared values of categories.
    unseen : {"missing", "error"}, default="missing"
    n_jobs : int, optional
        Threads, over columns to be coded, rows whose slopes are taken, and the trees of a round or, where that has
        one, the columns of its large nodes. The answers do not depend on it.
    l2_regularization : float, default=0.0
        λ ≥ 0 of the leaf values −G/(H + λ), in the units of the weights. Only for losses whose leaves take a Newton
        step: not for absolute, Huber's and quantile losses.

    Attributes
    ----------
    estimators_ : ndarray of DecisionTreeRegressor of shape (n_estimators_, n_classes or 1)
    classes_ : ndarray
    n_classes_, n_estimators_, n_iter_, n_features_in_, max_features_, n_trees_per_iteration_ : int
    init_ : estimator or "zero"
    baseline_ : ndarray of shape (n_scores,)
        F_0, where it is constant.
    rounds_ : list of list of gnomon.search.Tree
    forests_ : list of gnomon.search.Forest
    train_score_ : ndarray of shape (n_estimators_,)
        Loss of the rows that the round grew from; for "log_loss" of two classes the deviance, twice the mean loss.
    oob_improvement_, oob_scores_ : ndarray of shape (n_estimators_,)
        With `subsample` < 1: the loss of the other rows, and by how much it is below that of the round before.
    oob_score_ : float
        The last of these losses.
    history_ : dict
        "iteration", "objective" (mean loss), "seconds"; with `subsample` "in_bag", "oob_before" and "oob"; with
        `n_iter_no_change` "validation", the mean loss of the rows held out, in the units of "objective".
    converged_ : bool
    stop_reason_ : {"max_iter", "validation", "callback", "interrupted"}
        "callback" where the monitor of `fit` asked for it.
    feature_importances_ : ndarray of shape (n_features,)

    References
    ----------
    Friedman, J. H. (2001). Greedy function approximation: a gradient boosting machine. doi:10.1214/aos/1013203451

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from gnomon.trees import GradientBoostingClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> GradientBoostingClassifier(n_estimators=30).fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.93
    True
    """

    # A score of zero is the second class, as in scikit-learn.
    _above = np.greater_equal

    n_classes_: int

    def __init__(
        self,
        *,
        loss: ClassLoss = "log_loss",
        learning_rate: NonNegative = 0.1,
        n_estimators: Count = 100,
        subsample: SomeShare = 1.0,
        criterion: VarianceName = "friedman_mse",
        min_samples_split: SplitSize = 2,
        min_samples_leaf: LeafSize = 1,
        min_weight_fraction_leaf: LeafShare = 0.0,
        max_depth: CountOrZero | None = 3,
        min_impurity_decrease: NonNegative = 0.0,
        init: Literal["zero"] | BaseEstimator | None = None,
        random_state: RandomState = None,
        max_features: MaxFeatures = None,
        verbose: Verbosity = 0,
        max_leaf_nodes: LeafCount | None = None,
        warm_start: bool = False,
        validation_fraction: ProperShare = 0.1,
        n_iter_no_change: Count | None = None,
        tol: NonNegative = 1e-4,
        ccp_alpha: NonNegative = 0.0,
        binning: Binning = "auto",
        monotonic_cst: MonotonicConstraints = None,
        categorical_features: CategoricalFeatures = "from_dtype",
        categories: Categories | None = None,
        unseen: Unseen = "missing",
        n_jobs: int | None = None,
        l2_regularization: NonNegative = 0.0,
    ):
        store(self, locals())

    @timed
    def fit(
        self,
        X: TableLike | Sparse,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        monitor: Monitor | None = None,
    ) -> Self:
        """Carry out the rounds of (1); `monitor(round, self, state)` stops them where it returns True."""
        coded, y = fitted_rows(self, X, y, goes_on=self._continues())
        target, index = self._learn_classes(y, ("log_loss", "exponential"))
        self.n_classes_ = len(self.classes_)
        n_scores = n_scores_of(self._loss, self.n_classes_)
        weights = tree_weights(sample_weight, coded)
        if np.count_nonzero(np.bincount(index, weights)) < 2:
            raise ValueError(
                "y contains 1 class among the rows with a weight, while a minimum of 2 classes are required; give rows "
                "of another, or use a DummyClassifier"
            )
        with fit_tasks(self, "round", self._new_rounds(), X=X, y=y) as told:
            return self._learn(X, coded, target, weights, self._loss, n_scores, told, index, monitor)

    def staged_decision_function(self, X: TableLike | Sparse) -> Iterator[Floats]:
        """F(x) after every round, one column for each tree of a round: also for two classes, as in scikit-learn."""
        yield from self._staged_scores(X)

    def _constant(self, y: Array, weights: Floats, loss: Loss) -> DummyClassifier:
        labels = self._labels(y)
        return DummyClassifier(strategy="prior").fit(np.zeros((len(y), 1)), labels, weights)

    def _init_scores(self, X: TableLike | Sparse) -> Floats:
        shares = np.clip(self.init_.predict_proba(X), np.finfo(float).eps, 1.0 - np.finfo(float).eps)
        if len(self.baseline_) > 1:
            logs = np.log(shares)
            return logs - np.mean(logs, axis=1, keepdims=True)
        return np.reshape(self._loss.link(shares[:, -1]), (-1, 1))


class GradientBoostingRegressor(BoostedRegressor, ExactRounds):
    """Gradient boosting of regression trees.

    Equation (1) of the module with the loss that `loss` names.

    Parameters
    ----------
    loss : {"squared_error", "absolute_error", "huber", "quantile"} or Loss, default="squared_error"
        Huber's loss turns from square to absolute at the `alpha`-quantile of the distances |y − F|, taken anew every
        round. Or any loss for numbers with a gradient.
    alpha : float, default=0.9
        The level for "huber" and "quantile".
    learning_rate, n_estimators, subsample, criterion, min_samples_split, min_samples_leaf, min_weight_fraction_leaf
        As in `GradientBoostingClassifier`.
    max_depth, min_impurity_decrease, init, random_state, max_features, verbose, max_leaf_nodes, warm_start
        Likewise.
    validation_fraction, n_iter_no_change, tol, ccp_alpha, binning, monotonic_cst, categorical_features, categories
        Likewise.
    unseen, n_jobs, l2_regularization
        Likewise.

    Attributes
    ----------
    estimators_ : ndarray of DecisionTreeRegressor of shape (n_estimators_, 1)
    n_estimators_, n_iter_, n_features_in_, max_features_, n_trees_per_iteration_ : int
    init_ : estimator or "zero"
    baseline_ : ndarray of shape (n_scores,)
        F_0, where it is constant.
    rounds_ : list of list of gnomon.search.Tree
    forests_ : list of gnomon.search.Forest
    train_score_ : ndarray of shape (n_estimators_,)
        Loss of the rows that the round grew from; for "squared_error" the mean squared error.
    oob_improvement_, oob_scores_ : ndarray of shape (n_estimators_,)
        With `subsample` < 1: the loss of the other rows, and by how much it is below that of the round before.
    oob_score_ : float
    history_ : dict
        "iteration", "objective" (mean loss), "seconds"; with `subsample` "in_bag", "oob_before" and "oob"; with
        `n_iter_no_change` "validation", the mean loss of the rows held out, in the units of "objective".
    converged_ : bool
    stop_reason_ : {"max_iter", "validation", "callback", "interrupted"}
        "callback" where the monitor of `fit` asked for it.
    feature_importances_ : ndarray of shape (n_features,)

    References
    ----------
    Friedman, J. H. (2001). Greedy function approximation: a gradient boosting machine. doi:10.1214/aos/1013203451

    Examples
    --------
    >>> from gnomon.trees import GradientBoostingRegressor
    >>> X, y = [[1], [2], [3], [4], [5], [6]], [1, 1, 2, 8, 9, 10]
    >>> model = GradientBoostingRegressor(n_estimators=3, max_depth=1, learning_rate=0.5).fit(X, y)
    >>> [tree.tree_.threshold[0].item() for tree in model.estimators_.ravel()]
    [3.5, 3.5, 4.5]
    >>> (6 * model.train_score_).round(6)
    array([24.708333,  8.177083,  3.391927])
    """

    def __init__(
        self,
        *,
        loss: NumberLoss = "squared_error",
        learning_rate: NonNegative = 0.1,
        n_estimators: Count = 100,
        subsample: SomeShare = 1.0,
        criterion: VarianceName = "friedman_mse",
        min_samples_split: SplitSize = 2,
        min_samples_leaf: LeafSize = 1,
        min_weight_fraction_leaf: LeafShare = 0.0,
        max_depth: CountOrZero | None = 3,
        min_impurity_decrease: NonNegative = 0.0,
        init: Literal["zero"] | BaseEstimator | None = None,
        random_state: RandomState = None,
        max_features: MaxFeatures = None,
        alpha: ProperShare = 0.9,
        verbose: Verbosity = 0,
        max_leaf_nodes: LeafCount | None = None,
        warm_start: bool = False,
        validation_fraction: ProperShare = 0.1,
        n_iter_no_change: Count | None = None,
        tol: NonNegative = 1e-4,
        ccp_alpha: NonNegative = 0.0,
        binning: Binning = "auto",
        monotonic_cst: MonotonicConstraints = None,
        categorical_features: CategoricalFeatures = "from_dtype",
        categories: Categories | None = None,
        unseen: Unseen = "missing",
        n_jobs: int | None = None,
        l2_regularization: NonNegative = 0.0,
    ):
        store(self, locals())

    @timed
    def fit(
        self,
        X: TableLike | Sparse,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        monitor: Monitor | None = None,
    ) -> Self:
        """Carry out the rounds of (1); `monitor(round, self, state)` stops them where it returns True."""
        coded, y = fitted_rows(self, X, y, y_numeric=True, goes_on=self._continues())
        y = np.asarray(y, dtype=float)
        self._loss = mean_loss_of(self.loss, self._losses(), y)
        # Huber's δ is a distance, so that it scales with y.
        self._degree = 2 if self._is_huber() else degree_of(self._loss)
        weights, units = tree_weights(sample_weight, coded), self._target_units(y, self.n_iter_no_change is not None)
        with fit_tasks(self, "round", self._new_rounds(), X=X, y=y) as told:
            self._learn(X, coded, units.targets(y), weights, self._loss, 1, told, None, monitor)
        return self._in_units_of_y(units)

    def _in_units_of_y(self, units: Units) -> Self:
        super()._in_units_of_y(units)
        if not units.plain:
            for name in ("train_score_", "oob_scores_", "oob_improvement_", "oob_score_"):
                if name in vars(self):
                    setattr(self, name, units.impurity.outward(getattr(self, name)))
            if self.init is None:
                self.init_ = self._constant(self.baseline_, np.ones(1), self._loss)
        return self

    def apply(self, X: TableLike | Sparse) -> Integers:
        """The number of the leaf of every row in every tree, shape (n_samples, n_estimators)."""
        leaves = super().apply(X)
        return leaves[:, :, 0]

    def _losses(self) -> dict[str, Callable[[], Loss]]:
        level = self.alpha
        return {
            "squared_error": lambda: SquaredLoss(half=True),
            "absolute_error": AbsoluteLoss,
            "huber": HuberLoss,
            "quantile": lambda: PinballLoss(level, 1.0 - level),
        }

    def _is_huber(self) -> bool:
        return isinstance(self.loss, str) and self.loss == "huber"

    def _first_loss(self) -> Loss:
        # Before the first round there is no δ: Friedman (2001), algorithm 4, starts at the median.
        return AbsoluteLoss() if self._is_huber() else self._loss

    def _adapt(self) -> Callable[[Array, Floats, Floats], Loss] | None:
        """Sets Huber's δ of a round; the smallest positive number where most residuals are zero."""
        if not self._is_huber():
            return None

        def adapt(y: Array, scores: Floats, weights: Floats) -> Loss:
            delta = weighted_quantile(np.abs(y - scores), self.alpha, weights, between="lower")
            return HuberLoss(max(float(delta), np.finfo(float).tiny))

        return adapt

    def _constant(self, y: Array, weights: Floats, loss: Loss) -> DummyRegressor:
        value = float(loss.inverse(self.baseline_[0]))
        return DummyRegressor(strategy="constant", constant=value).fit(np.zeros((len(y), 1)), y)

    def _init_scores(self, X: TableLike | Sparse) -> Floats:
        return np.reshape(self._loss.link(np.asarray(self.init_.predict(X), dtype=float)), (-1, 1))
