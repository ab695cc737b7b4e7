"""Gradient boosting on histograms: trees grown leaf by leaf in bins of columns.

    F(x) = F_0 + Σ_r η f_r(x);  a leaf with sums G, H of gradients and curvatures has the value −G/(H + λ) and is
    divided where  ½ [G_L²/(H_L + λ) + G_R²/(H_R + λ) − G²/(H + λ)]  is largest                                    (1)

Friedman (2001), doi:10.1214/aos/1013203451; Ke et al. (2017), LightGBM, NeurIPS 30. Names and defaults are those of
scikit-learn's estimators, whose engine this one replaces.
"""

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin

from gnomon.losses import (
    AbsoluteLoss,
    DevianceLoss,
    GammaFamily,
    LogisticLoss,
    LogLink,
    PinballLoss,
    PoissonFamily,
    SoftmaxLoss,
    SquaredLoss,
)
from gnomon.numerics.validation import check_choice, check_integer, check_interval, check_non_negative, check_positive
from gnomon.search import BoostingPlan
from gnomon.trees._boosting import BoostedTrees
from gnomon.trees._forest import store
from gnomon.trees._growth import monotone_of, resolve_max_features
from gnomon.trees._rows import fitted_rows
from gnomon.trees._targets import as_classes, tree_weights

__all__ = ["HistGradientBoostingClassifier", "HistGradientBoostingRegressor"]

LEAST_CURVATURE = 1e-3
EARLY_FROM = 10_000
"""Rows from which ``early_stopping="auto"`` holds some out."""

REGRESSION_LOSSES = {
    "squared_error": lambda model: SquaredLoss(half=True),
    "absolute_error": lambda model: AbsoluteLoss(),
    "quantile": lambda model: _pinball(model.quantile),
    "poisson": lambda model: DevianceLoss(PoissonFamily(), LogLink()),
    "gamma": lambda model: DevianceLoss(GammaFamily(), LogLink()),
}


class _Histograms(BoostedTrees):
    """One round: a tree by Newton's gain among bins."""

    _rounds_name = "max_iter"

    def _bins(self, n):
        return check_integer("max_bins", self.max_bins, 2, 255)

    def _stops_early(self, n):
        if isinstance(self.early_stopping, str):
            check_choice("early_stopping", self.early_stopping, ("auto",))
            return n > EARLY_FROM
        return bool(self.early_stopping)

    def _plan(self, loss, n_scores, columns, total):
        leaves, depth = self.max_leaf_nodes, self.max_depth
        growth = {
            "max_leaf_nodes": 2**31 if leaves is None else check_integer("max_leaf_nodes", leaves, 2),
            "max_depth": None if depth is None else check_integer("max_depth", depth, 1),
            "min_samples_leaf": check_integer("min_samples_leaf", self.min_samples_leaf, 1),
            "min_weight_leaf": LEAST_CURVATURE,
            "max_features": resolve_max_features(self.max_features, len(columns.sizes)),
            "monotone": monotone_of(self.monotonic_cst, len(columns.sizes), vars(self).get("feature_names_in_")),
        }
        return BoostingPlan(
            loss,
            learning_rate=check_positive("learning_rate", self.learning_rate),
            lam=check_non_negative("l2_regularization", self.l2_regularization),
            n_scores=n_scores,
            n_jobs=self.n_jobs,
            growth=growth,
        )


class HistGradientBoostingClassifier(ClassifierMixin, _Histograms):
    """Gradient boosting of classification trees on histograms.

    Equation (1) of the module with the logistic loss, or the softmax loss and a tree for every class and round.

    Parameters
    ----------
    loss : {"log_loss"}, default="log_loss"
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
    warm_start : bool, default=False
        Keep the rounds of the last fit and add those that are missing.
    early_stopping : "auto" or bool, default="auto"
        Stop when the loss of held-out rows no longer falls; "auto" does so above 10 000 rows.
    validation_fraction : float, default=0.1
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
        Threads.

    Attributes
    ----------
    classes_ : ndarray
    rounds_ : list of list of gnomon.search.Tree
    forests_ : list of gnomon.search.Forest
    baseline_ : ndarray
        F_0.
    n_iter_, n_features_in_ : int
    history_ : dict
    train_score_ : ndarray
        Mean loss after every round of the last fit.
    converged_ : bool
    stop_reason_ : str
    feature_importances_ : ndarray of shape (n_features,)

    References
    ----------
    Ke, G. et al. (2017). LightGBM: a highly efficient gradient boosting decision tree. NeurIPS 30.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from gnomon.trees import HistGradientBoostingClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> HistGradientBoostingClassifier(max_iter=30).fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.94
    True
    """

    def __init__(
        self, loss="log_loss", *, learning_rate=0.1, max_iter=100, max_leaf_nodes=31, max_depth=None,
        min_samples_leaf=20, l2_regularization=0.0, max_features=1.0, max_bins=255, categorical_features="from_dtype",
        monotonic_cst=None, warm_start=False, early_stopping="auto", validation_fraction=0.1, n_iter_no_change=10,
        tol=1e-7, verbose=0, random_state=None, class_weight=None, categories=None, unseen="missing", n_jobs=None,
    ):  # fmt: skip
        store(self, locals())

    def fit(self, X, y, sample_weight=None):
        """Carry out the rounds of (1)."""
        check_choice("loss", self.loss, ("log_loss",))
        X, y = fitted_rows(self, X, y)
        self.classes_, index = as_classes(y)
        weights = tree_weights(sample_weight, X, self.class_weight, self.classes_, index)
        n_classes = len(self.classes_)
        if n_classes <= 2:
            target = np.where(index == n_classes - 1, 1.0, -1.0) if n_classes == 2 else np.ones(len(index))
            return self._boost(X, target, weights, LogisticLoss(), 1, index)
        return self._boost(X, index, weights, SoftmaxLoss(), n_classes, index)

    def decision_function(self, X):
        """F(x): one score for two classes, else one for each class."""
        scores = self._scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict_proba(self, X):
        """The probability of every class."""
        return _shares(self._scores(X), len(self.classes_))

    def predict(self, X):
        """The class with the largest probability."""
        shares = self.predict_proba(X)
        return self.classes_[np.argmax(shares, axis=1)]

    def staged_decision_function(self, X):
        """`decision_function` after every round."""
        for scores in self._staged_scores(X):
            yield scores[:, 0] if scores.shape[1] == 1 else scores

    def staged_predict_proba(self, X):
        """`predict_proba` after every round."""
        for scores in self._staged_scores(X):
            yield _shares(scores, len(self.classes_))

    def staged_predict(self, X):
        """`predict` after every round."""
        for shares in self.staged_predict_proba(X):
            yield self.classes_[np.argmax(shares, axis=1)]


class HistGradientBoostingRegressor(RegressorMixin, _Histograms):
    """Gradient boosting of regression trees on histograms.

    Equation (1) of the module with the loss that `loss` names.

    Parameters
    ----------
    loss : {"squared_error", "absolute_error", "quantile", "poisson", "gamma"}, default="squared_error"
        The last two predict a mean > 0 through the logarithm.
    quantile : float, optional
        The level for ``loss="quantile"``.
    learning_rate, max_iter, max_leaf_nodes, max_depth, min_samples_leaf, l2_regularization, max_features, max_bins
        As in `HistGradientBoostingClassifier`.
    categorical_features, monotonic_cst, warm_start, early_stopping, validation_fraction, n_iter_no_change, tol
        Likewise.
    verbose, random_state, categories, unseen, n_jobs
        Likewise.

    Attributes
    ----------
    rounds_ : list of list of gnomon.search.Tree
    forests_ : list of gnomon.search.Forest
    baseline_ : ndarray
        F_0.
    n_iter_, n_features_in_ : int
    history_ : dict
    train_score_ : ndarray
    converged_ : bool
    stop_reason_ : str
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
        self, loss="squared_error", *, quantile=None, learning_rate=0.1, max_iter=100, max_leaf_nodes=31,
        max_depth=None, min_samples_leaf=20, l2_regularization=0.0, max_features=1.0, max_bins=255,
        categorical_features="from_dtype", monotonic_cst=None, warm_start=False, early_stopping="auto",
        validation_fraction=0.1, n_iter_no_change=10, tol=1e-7, verbose=0, random_state=None, categories=None,
        unseen="missing", n_jobs=None,
    ):  # fmt: skip
        store(self, locals())

    def fit(self, X, y, sample_weight=None):
        """Carry out the rounds of (1)."""
        self._loss = REGRESSION_LOSSES[check_choice("loss", self.loss, REGRESSION_LOSSES)](self)
        X, y = fitted_rows(self, X, y, y_numeric=True)
        y = np.asarray(y, dtype=float)
        _check_range(self.loss, y)
        return self._boost(X, y, tree_weights(sample_weight, X), self._loss, 1)

    def predict(self, X):
        """The mean or quantile that the loss aims at."""
        scores = self._scores(X)[:, 0]
        return self._loss.inverse(scores)

    def staged_predict(self, X):
        """`predict` after every round."""
        for scores in self._staged_scores(X):
            yield self._loss.inverse(scores[:, 0])


def _shares(scores, n_classes):
    if n_classes == 1:
        return np.ones((len(scores), 1))
    if scores.shape[1] == 1:
        p = LogisticLoss().inverse(scores[:, 0])
        return np.column_stack([1.0 - p, p])
    return SoftmaxLoss().inverse(scores)


def _pinball(level):
    if level is None:
        raise ValueError("quantile=None: loss='quantile' needs its level; give quantile between 0 and 1")
    level = check_interval("quantile", level, 0.0, 1.0, closed="neither")
    return PinballLoss(level, 1.0 - level)


def _check_range(loss, y):
    if loss == "poisson" and (np.any(y < 0.0) or np.sum(y) <= 0.0):
        raise ValueError(
            "y is negative somewhere or zero everywhere; loss='poisson' requires non-negative y and sum(y) > 0"
        )
    if loss == "gamma" and np.any(y <= 0.0):
        raise ValueError("y has values ≤ 0; loss='gamma' requires strictly positive y")
