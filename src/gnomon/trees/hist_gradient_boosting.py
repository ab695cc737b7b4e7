"""Gradient boosting on histograms: trees grown leaf by leaf in bins of columns.

    F(x) = F_0 + Σ_r η f_r(x);  a leaf with sums G, H of gradients and curvatures has the value −G/(H + λ) and is
    divided where  ½ [G_L²/(H_L + λ) + G_R²/(H_R + λ) − G²/(H + λ)]  is largest                                    (1)

Friedman (2001), doi:10.1214/aos/1013203451; Ke et al. (2017), LightGBM, NeurIPS 30. Names and defaults are those of
scikit-learn's estimators, whose engine this one replaces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, Self, TypeAlias

import numpy as np

from gnomon._typing import (
    Array,
    ArrayLike,
    ClassWeight,
    Count,
    Floats,
    NonNegative,
    Positive,
    ProperShare,
    RandomState,
    Scoring,
    Share,
    SomeShare,
    Sparse,
    TableLike,
    Verbosity,
)
from gnomon.base.callbacks import fit_tasks
from gnomon.base.coded_rows import CategoricalFeatures, Unseen, fitted_rows
from gnomon.base.parameters import ParameterError, store
from gnomon.losses import AbsoluteLoss, LogGammaLoss, LogPoissonLoss, Loss, PinballLoss, SquaredLoss
from gnomon.numerics.domains import Categories
from gnomon.numerics.validation import check_interval
from gnomon.trees._boosted_answers import (
    BoostedClassifier,
    BoostedRegressor,
    class_targets,
    decision_scores,
    degree_of,
    mean_loss_of,
    n_scores_of,
)
from gnomon.trees._cost import timed
from gnomon.trees._growth import Bins, LeafCount, MonotonicConstraints
from gnomon.trees._histogram_rounds import HistogramRounds, Interactions, validation_rows
from gnomon.trees._targets import tree_weights

__all__ = ["HistGradientBoostingClassifier", "HistGradientBoostingRegressor"]

NumberLoss: TypeAlias = Literal["squared_error", "absolute_error", "quantile", "poisson", "gamma"] | Loss


class HistGradientBoostingClassifier(BoostedClassifier, HistogramRounds):
    """Gradient boosting of classification trees on histograms.

    Equation (1) of the module with the logistic loss, or the softmax loss and a tree for every class and round.

    Parameters
    ----------
    loss : {"log_loss"} or Loss, default="log_loss"
        Or any loss for classes with a gradient, such as `gnomon.losses.ExponentialLoss()`.
    learning_rate : float, default=0.1
        The step η.
    max_iter : int, default=100
        Rounds.
    max_leaf_nodes : int or None, default=31
        Most leaves of a tree; the one with the largest gain is divided first.
    max_depth : int, optional
    min_samples_leaf : int, default=20
    l2_regularization : float, default=0.0
        λ.
    max_features : float, default=1.0
        Share of the columns drawn at each node.
    max_bins : int, default=255
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Columns that are categories: by their type, or by names, numbers or a mask.
    monotonic_cst : array-like or dict, optional
        1, −1 or 0 per column.
    interaction_cst : {"pairwise", "no_interactions"} or sequence of sets of columns, optional
        Groups of columns that may be tested on one path; columns in none are a group of their own.
    warm_start : bool, default=False
        Keep the rounds of the last fit and add those that are missing.
    early_stopping : "auto" or bool, default="auto"
        Stop when the loss of held-out rows no longer falls; "auto" does so above 10 000 rows, and where `fit` is given
        `X_val`.
    scoring : str, callable or None, default="loss"
        What is watched instead of the loss: a scorer, or None for the estimator's own `score`.
    validation_fraction : float, int or None, default=0.1
        Share or number of rows held out; None watches the training rows.
    n_iter_no_change : int, default=10
        Rounds without an improvement by `tol`.
    tol : float, default=1e-7
    verbose : int, default=0
    random_state : None, int, Generator or RandomState
        Draws held-out rows and columns.
    class_weight : dict, "balanced" or None, default=None
    categories : dict or list, optional
        Declared values of categories.
    unseen : {"missing", "error"}, default="missing"
    n_jobs : int, optional
        Threads, over columns to be coded, rows whose slopes are taken, and the trees of a round or, where that has
        one, the columns of its large nodes. The answers do not depend on it.

    Attributes
    ----------
    classes_ : ndarray
    rounds_ : list of list of gnomon.search.Tree
    forests_ : list of gnomon.search.Forest
    baseline_ : ndarray of shape (n_scores,)
        F_0.
    n_iter_, n_features_in_ : int
    history_ : dict
        "iteration", "objective" (mean loss), "seconds"; with held-out rows "validation", their mean loss, in the units
        of "objective" whatever `scoring` is; NaN in rounds of a fit without them that `warm_start` keeps.
    do_early_stopping_ : bool
    train_score_, validation_score_ : ndarray of shape (n_iter_ + 1,)
        With early stopping, minus the mean loss (or the score) before the first round and after every round.
    is_categorical_ : ndarray of bool or None
    n_trees_per_iteration_ : int
    converged_ : bool
    stop_reason_ : {"max_iter", "validation", "no_change", "interrupted"}
        "no_change" where early stopping watches the training rows.
    feature_importances_ : ndarray of shape (n_features,)

    References
    ----------
    Ke, G. et al. (2017). LightGBM: a highly efficient gradient boosting decision tree. NeurIPS 30.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from gnomon.trees import HistGradientBoostingClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> HistGradientBoostingClassifier(max_iter=30).fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.9
    True
    """

    # A score of zero is the first class, as in scikit-learn.
    _above = np.greater

    def __init__(
        self,
        loss: Literal["log_loss"] | Loss = "log_loss",
        *,
        learning_rate: Positive = 0.1,
        max_iter: Count = 100,
        max_leaf_nodes: LeafCount | None = 31,
        max_depth: Count | None = None,
        min_samples_leaf: Count = 20,
        l2_regularization: NonNegative = 0.0,
        max_features: SomeShare = 1.0,
        max_bins: Bins = 255,
        categorical_features: CategoricalFeatures = "from_dtype",
        monotonic_cst: MonotonicConstraints = None,
        interaction_cst: Interactions = None,
        warm_start: bool = False,
        early_stopping: Literal["auto"] | bool = "auto",
        scoring: Scoring = "loss",
        validation_fraction: Count | ProperShare | None = 0.1,
        n_iter_no_change: Count = 10,
        tol: NonNegative = 1e-7,
        verbose: Verbosity = 0,
        random_state: RandomState = None,
        class_weight: ClassWeight = None,
        categories: Categories | None = None,
        unseen: Unseen = "missing",
        n_jobs: int | None = None,
    ):
        store(self, locals())

    @timed
    def fit(
        self,
        X: TableLike | Sparse,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        X_val: TableLike | Sparse | None = None,
        y_val: ArrayLike | None = None,
        sample_weight_val: ArrayLike | None = None,
    ) -> Self:
        """Carry out the rounds of (1); `X_val` and `y_val` are rows for early stopping in place of a share of X."""
        coded, y = fitted_rows(self, X, y, goes_on=self._continues())
        target, index = self._learn_classes(y, ("log_loss",))
        weights = tree_weights(sample_weight, coded, self.class_weight, self.classes_, index)
        held = validation_rows(self, X_val, y_val, sample_weight_val, self._coded)
        n_scores = n_scores_of(self._loss, len(self.classes_))
        with fit_tasks(self, "round", self._new_rounds(), X=X, y=y) as told:
            return self._learn(coded, target, weights, self._loss, n_scores, held, told, index)

    def staged_decision_function(self, X: TableLike | Sparse) -> Iterator[Floats]:
        """`decision_function` after every round."""
        yield from map(decision_scores, self._staged_scores(X))

    def _coded(self, y: Array) -> Array:
        """Labels of rows for validation as the loss takes them."""
        known = np.isin(y, self.classes_)
        if not np.all(known):
            raise ValueError(
                f"y_val holds {y[~known].tolist()[0]!r}, which y does not: y has {self.classes_.tolist()}; drop such "
                "rows, or fit with rows of every class"
            )
        return class_targets(self._loss, np.searchsorted(self.classes_, y), len(self.classes_))


class HistGradientBoostingRegressor(BoostedRegressor, HistogramRounds):
    """Gradient boosting of regression trees on histograms.

    Equation (1) of the module with the loss that `loss` names.

    Parameters
    ----------
    loss : {"squared_error", "absolute_error", "quantile", "poisson", "gamma"} or Loss, default="squared_error"
        The last two predict a mean > 0 through the logarithm. Or any loss for numbers with a gradient, such as
        `gnomon.losses.HuberLoss(2.0)`.
    quantile : float, optional
        The level for ``loss="quantile"``. F_0 and leaves are weighted quantiles, so that weight two is the row twice:
        the middle of an interval of them, where scikit-learn interpolates between rows if there are no weights.
    learning_rate, max_iter, max_leaf_nodes, max_depth, min_samples_leaf, l2_regularization, max_features, max_bins
        As in `HistGradientBoostingClassifier`.
    categorical_features, monotonic_cst, interaction_cst, warm_start, early_stopping, scoring, validation_fraction
        Likewise.
    n_iter_no_change, tol, verbose, random_state, categories, unseen, n_jobs
        Likewise.

    Attributes
    ----------
    rounds_ : list of list of gnomon.search.Tree
    forests_ : list of gnomon.search.Forest
    baseline_ : ndarray of shape (n_scores,)
        F_0.
    n_iter_, n_features_in_ : int
    history_ : dict
        "iteration", "objective" (mean loss), "seconds"; with held-out rows "validation", their mean loss, in the units
        of "objective" whatever `scoring` is; NaN in rounds of a fit without them that `warm_start` keeps.
    do_early_stopping_ : bool
    train_score_, validation_score_ : ndarray of shape (n_iter_ + 1,)
    is_categorical_ : ndarray of bool or None
    n_trees_per_iteration_ : int
    converged_ : bool
    stop_reason_ : {"max_iter", "validation", "no_change", "interrupted"}
        "no_change" where early stopping watches the training rows.
    feature_importances_ : ndarray of shape (n_features,)

    References
    ----------
    Friedman, J. H. (2001). Greedy function approximation: a gradient boosting machine. doi:10.1214/aos/1013203451

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from gnomon.trees import HistGradientBoostingRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> HistGradientBoostingRegressor(max_iter=30).fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.3
    True
    """

    def __init__(
        self,
        loss: NumberLoss = "squared_error",
        *,
        quantile: Share | None = None,
        learning_rate: Positive = 0.1,
        max_iter: Count = 100,
        max_leaf_nodes: LeafCount | None = 31,
        max_depth: Count | None = None,
        min_samples_leaf: Count = 20,
        l2_regularization: NonNegative = 0.0,
        max_features: SomeShare = 1.0,
        max_bins: Bins = 255,
        categorical_features: CategoricalFeatures = "from_dtype",
        monotonic_cst: MonotonicConstraints = None,
        interaction_cst: Interactions = None,
        warm_start: bool = False,
        early_stopping: Literal["auto"] | bool = "auto",
        scoring: Scoring = "loss",
        validation_fraction: Count | ProperShare | None = 0.1,
        n_iter_no_change: Count = 10,
        tol: NonNegative = 1e-7,
        verbose: Verbosity = 0,
        random_state: RandomState = None,
        categories: Categories | None = None,
        unseen: Unseen = "missing",
        n_jobs: int | None = None,
    ):
        store(self, locals())

    @timed
    def fit(
        self,
        X: TableLike | Sparse,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        X_val: TableLike | Sparse | None = None,
        y_val: ArrayLike | None = None,
        sample_weight_val: ArrayLike | None = None,
    ) -> Self:
        """Carry out the rounds of (1); `X_val` and `y_val` are rows for early stopping in place of a share of X."""
        coded, y = fitted_rows(self, X, y, y_numeric=True, goes_on=self._continues())
        y = np.asarray(y, dtype=float)
        self._loss = mean_loss_of(self.loss, self._losses(), y)
        self._degree = degree_of(self._loss)
        units = self._target_units(y, self._stops_early(len(y), X_val is not None))
        held = validation_rows(self, X_val, y_val, sample_weight_val, lambda y: np.asarray(y, dtype=float))
        with fit_tasks(self, "round", self._new_rounds(), X=X, y=y) as told:
            self._learn(coded, units.targets(y), tree_weights(sample_weight, coded), self._loss, 1, held, told)
        return self._in_units_of_y(units)

    def _losses(self) -> dict[str, Callable[[], Loss]]:
        return {
            "squared_error": lambda: SquaredLoss(half=True),
            "absolute_error": AbsoluteLoss,
            "quantile": lambda: _pinball(self.quantile),
            "poisson": LogPoissonLoss,
            "gamma": LogGammaLoss,
        }


def _pinball(level: float | None) -> PinballLoss:
    if level is None:
        raise ParameterError("quantile=None: loss='quantile' needs its level; give quantile between 0 and 1")
    level = check_interval("quantile", level, 0.0, 1.0, closed="neither")
    return PinballLoss(level, 1.0 - level)
