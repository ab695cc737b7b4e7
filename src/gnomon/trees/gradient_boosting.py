"""Gradient boosting on shallow trees with exact thresholds.

    F(x) = F_0(x) + Σ_r η f_r(x);   f_r divides rows by the variance of −∂ℓ(yᵢ, F(xᵢ)), and a leaf has the value that
    makes the loss of its rows least: one Newton step Σ −∂ℓ / Σ ∂²ℓ, a mean, a median or a quantile                 (1)

Friedman (2001), Greedy function approximation, doi:10.1214/aos/1013203451; subsamples: Friedman (2002),
doi:10.1016/S0167-9473(01)00065-2. Names and defaults are those of scikit-learn's estimators.
"""

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from gnomon.losses import AbsoluteLoss, HuberLoss, LogisticLoss, PinballLoss, SquaredLoss
from gnomon.numerics.validation import check_choice, check_integer, check_interval, check_non_negative
from gnomon.numerics.weights import weighted_quantile
from gnomon.search import BoostingPlan, SquaredError
from gnomon.search.boost import mean_loss
from gnomon.trees._boosted_answers import (
    BoostedClassifier,
    BoostedRegressor,
    class_labels,
    class_loss,
    class_targets,
    mean_loss_of,
)
from gnomon.trees._boosting import BoostedTrees, Followed, Rows, best_constant, held_rows
from gnomon.trees._forest import store
from gnomon.trees._growth import bins_of, growth_options, resolve_max_features
from gnomon.trees._rows import fitted_rows, new_rows
from gnomon.trees._targets import as_classes, tree_weights
from gnomon.trees.decision_tree import DecisionTreeRegressor

__all__ = ["GradientBoostingClassifier", "GradientBoostingRegressor"]

CRITERIA = ("friedman_mse", "squared_error", "deprecated")
"""Names of one criterion; scikit-learn is withdrawing the parameter."""

SHARED = (
    "max_depth", "min_samples_split", "min_samples_leaf", "min_weight_fraction_leaf", "max_features", "max_leaf_nodes",
    "min_impurity_decrease", "ccp_alpha", "categorical_features", "categories", "unseen",
)  # fmt: skip
"""Parameters that the ensemble shares with its trees."""

DOUBLED = (SquaredLoss(half=True), LogisticLoss())
"""Losses whose double, the squared error and the deviance, is reported in `train_score_`."""


class _Exact(BoostedTrees):
    """One round: trees by the variance of negative gradients among all thresholds."""

    _rounds_name = "n_estimators"
    min_impurity = 0.0

    def _bins(self, n):
        return bins_of(self.binning, n)

    def _learn(self, given, X, y, weights, loss, n_scores, strata=None, monitor=None):
        """Carry out rounds; `given` are the rows as the user gave them, for an estimator of his in `init`."""
        seed, learn, held = self._new_seed(), np.arange(len(y)), None
        if self.n_iter_no_change is not None:
            learn, held = held_rows(len(y), self.validation_fraction, strata, seed)
        learn = learn[weights[learn] > 0.0]
        if not self._kept():
            self._fit_start(given, y, weights, learn, loss, n_scores)
        rows = Rows(X, y, weights, self._start(given, len(y)))
        followed = None if held is None else Followed(rows.part(held), self._sum(X[held], self._kept()))
        self._factor = 2.0 if loss in DOUBLED else 1.0
        self._fit_rounds(rows.part(learn), loss, n_scores, self._judge(followed, loss), monitor)
        self.n_estimators_ = self.n_iter_
        return self._unpack(followed)

    def _unpack(self, followed):
        """Losses under scikit-learn's names."""
        self.max_features_ = resolve_max_features(self.max_features, self.n_features_in_)
        self.train_score_ = self._factor * self.history_.get("in_bag", self.history_["objective"])
        if "oob" in self.history_:
            self.oob_scores_ = self._factor * self.history_["oob"]
            before = np.append(self._factor * self.history_["oob_before"][:1], self.oob_scores_[:-1])
            self.oob_improvement_, self.oob_score_ = before - self.oob_scores_, float(self.oob_scores_[-1])
        if followed is not None:
            self.history_ = self.history_ | {"validation": np.array(self._held_losses)}
        return self

    def _fit_start(self, given, y, weights, learn, loss, n_scores):
        """F_0: nothing, an estimator of the user's, or the best constant."""
        self.baseline_ = np.zeros(n_scores)
        if isinstance(self.init, str):
            self.init_ = check_choice("init", self.init, ("zero",))
        elif self.init is None:
            self.baseline_ = best_constant(self._first_loss(), y[learn], weights[learn], n_scores)
            self.init_ = self._constant(y[learn], weights[learn], loss)
        else:
            self.init_ = clone(self.init)
            options = {} if np.all(weights == 1.0) else {"sample_weight": weights[learn]}
            if options and not has_fit_parameter(self.init_, "sample_weight"):
                raise ValueError(
                    f"init={self.init!r}: The initial estimator {type(self.init).__name__} does not support sample "
                    "weights; give one that does, or none"
                )
            rows = given.tocsr() if sparse.issparse(given) else given
            self.init_.fit(_safe_indexing(rows, learn), self._labels(y[learn]), **options)

    def _start(self, X, n):
        if self.init is None or isinstance(self.init, str):
            return np.tile(self.baseline_, (n, 1))
        return self._init_scores(X)

    def _judge(self, followed, loss):
        """Whether the held-out loss is still below one of those of the last rounds, by `tol`."""
        tol = check_non_negative("tol", self.tol)
        if followed is None:
            return None
        patience = check_integer("n_iter_no_change", self.n_iter_no_change, 1)
        best = np.full(patience, np.inf)
        losses = self._held_losses = list(self.history_.get("validation", ())) if self._kept() else []

        def judge(now):
            rows = followed.rows
            losses.append(self._factor * mean_loss(loss, rows.y, followed.add(now.trees), rows.weights))
            if not np.any(losses[-1] + tol < best):
                return "validation"
            best[(now.turn - 1) % patience] = losses[-1]
            return None

        return judge

    def _plan(self, loss, n_scores, columns, total):
        check_choice("criterion", self.criterion, CRITERIA)
        n, share = columns.n_samples, check_interval("subsample", self.subsample, 0.0, 1.0, closed="right")
        drawn = max(1, int(share * n))
        growth = growth_options(self, drawn, len(columns.sizes), total * drawn / n)
        if growth["monotone"] is not None and n_scores > 1:
            raise ValueError("monotonic_cst: not supported for multiclass classification; leave it out")
        return BoostingPlan(
            loss,
            learning_rate=check_non_negative("learning_rate", self.learning_rate),
            subsample=share,
            criterion=SquaredError(),
            n_scores=n_scores,
            n_jobs=self.n_jobs,
            growth=growth,
            adapt=self._adapt(),
            ccp_alpha=check_non_negative("ccp_alpha", self.ccp_alpha),
            between="lower",
            leaf_factor=(n_scores - 1) / n_scores if n_scores > 1 else 1.0,
        )

    def _first_loss(self):
        """The loss that F_0 makes least."""
        return self._loss

    def _adapt(self):
        """How the loss of a round is found, where it is not the same for all."""
        return None

    def apply(self, X):
        """The number of the leaf of every row in every tree, shape (n_samples, n_estimators) or with a class axis."""
        check_is_fitted(self, "forests_")
        coded = new_rows(self, X)
        return np.stack([forest.leaves(coded, self.n_jobs) for forest in self.forests_], axis=2)

    @property
    def estimators_(self):
        """The trees, as regressors of the steps before the learning rate."""
        if "rounds_" not in vars(self):
            raise AttributeError("estimators_ exists after fit")
        made = np.empty((self.n_iter_, len(self.forests_)), dtype=object)
        for r, trees in enumerate(self.rounds_):
            for k, tree in enumerate(trees):
                made[r, k] = self._member(tree)
        return made

    def _member(self, tree):
        member = DecisionTreeRegressor(**{name: getattr(self, name) for name in SHARED})
        for name in ("coding_", "n_features_in_", "feature_names_in_"):
            if name in vars(self):
                setattr(member, name, getattr(self, name))
        member.tree_ = tree.with_answers(tree.answers / (self.learning_rate or 1.0))
        member.n_outputs_, member.max_features_, member._flat = 1, self.max_features_, True
        return member

    def __len__(self):
        return self.n_iter_

    def __getitem__(self, r):
        return self.estimators_[r]

    def __iter__(self):
        return iter(self.estimators_)


class GradientBoostingClassifier(BoostedClassifier, _Exact):
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
        Price of a leaf, by which every tree is pruned.
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
        Threads.

    Attributes
    ----------
    estimators_ : ndarray of DecisionTreeRegressor of shape (n_estimators_, n_classes or 1)
    classes_ : ndarray
    n_classes_, n_estimators_, n_iter_, n_features_in_, max_features_, n_trees_per_iteration_ : int
    init_ : estimator or "zero"
    baseline_ : ndarray
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
    converged_ : bool
    stop_reason_ : str
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

    def __init__(
        self, *, loss="log_loss", learning_rate=0.1, n_estimators=100, subsample=1.0, criterion="friedman_mse",
        min_samples_split=2, min_samples_leaf=1, min_weight_fraction_leaf=0.0, max_depth=3, min_impurity_decrease=0.0,
        init=None, random_state=None, max_features=None, verbose=0, max_leaf_nodes=None, warm_start=False,
        validation_fraction=0.1, n_iter_no_change=None, tol=1e-4, ccp_alpha=0.0, binning="auto", monotonic_cst=None,
        categorical_features="from_dtype", categories=None, unseen="missing", n_jobs=None,
    ):  # fmt: skip
        store(self, locals())

    def fit(self, X, y, sample_weight=None, monitor=None):
        """Carry out the rounds of (1); `monitor(round, self, state)` stops them where it returns True."""
        coded, y = fitted_rows(self, X, y)
        self.classes_, index = as_classes(y)
        self.n_classes_ = len(self.classes_)
        self._loss = class_loss(self.loss, self.n_classes_, ("log_loss", "exponential"))
        weights = tree_weights(sample_weight, coded)
        target = class_targets(self._loss, index, self.n_classes_)
        n_scores = self.n_classes_ if self.n_classes_ > 2 else 1
        return self._learn(X, coded, target, weights, self._loss, n_scores, index, monitor)

    def _labels(self, y):
        return class_labels(self.classes_, y)

    def _constant(self, y, weights, loss):
        labels = self._labels(y)
        return DummyClassifier(strategy="prior").fit(np.zeros((len(y), 1)), labels, weights)

    def _init_scores(self, X):
        shares = np.clip(self.init_.predict_proba(X), np.finfo(float).eps, 1.0 - np.finfo(float).eps)
        if self.n_classes_ > 2:
            logs = np.log(shares)
            return logs - np.mean(logs, axis=1, keepdims=True)
        return np.reshape(self._loss.link(shares[:, -1]), (-1, 1))


class GradientBoostingRegressor(BoostedRegressor, _Exact):
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
    unseen, n_jobs
        Likewise.

    Attributes
    ----------
    estimators_ : ndarray of DecisionTreeRegressor of shape (n_estimators_, 1)
    n_estimators_, n_iter_, n_features_in_, max_features_, n_trees_per_iteration_ : int
    init_ : estimator or "zero"
    baseline_ : ndarray
        F_0, where it is constant.
    rounds_ : list of list of gnomon.search.Tree
    forests_ : list of gnomon.search.Forest
    train_score_ : ndarray of shape (n_estimators_,)
        Loss of the rows that the round grew from; for "squared_error" the mean squared error.
    oob_improvement_, oob_scores_ : ndarray of shape (n_estimators_,)
        With `subsample` < 1: the loss of the other rows, and by how much it is below that of the round before.
    oob_score_ : float
    history_ : dict
    converged_ : bool
    stop_reason_ : str
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
        self, *, loss="squared_error", learning_rate=0.1, n_estimators=100, subsample=1.0, criterion="friedman_mse",
        min_samples_split=2, min_samples_leaf=1, min_weight_fraction_leaf=0.0, max_depth=3, min_impurity_decrease=0.0,
        init=None, random_state=None, max_features=None, alpha=0.9, verbose=0, max_leaf_nodes=None, warm_start=False,
        validation_fraction=0.1, n_iter_no_change=None, tol=1e-4, ccp_alpha=0.0, binning="auto", monotonic_cst=None,
        categorical_features="from_dtype", categories=None, unseen="missing", n_jobs=None,
    ):  # fmt: skip
        store(self, locals())

    def fit(self, X, y, sample_weight=None, monitor=None):
        """Carry out the rounds of (1); `monitor(round, self, state)` stops them where it returns True."""
        coded, y = fitted_rows(self, X, y, y_numeric=True)
        y = np.asarray(y, dtype=float)
        self._loss = mean_loss_of(self.loss, self._losses(), y)
        return self._learn(X, coded, y, tree_weights(sample_weight, coded), self._loss, 1, None, monitor)

    def _losses(self):
        level = check_interval("alpha", self.alpha, 0.0, 1.0, closed="neither")
        return {
            "squared_error": lambda: SquaredLoss(half=True),
            "absolute_error": AbsoluteLoss,
            "huber": HuberLoss,
            "quantile": lambda: PinballLoss(level, 1.0 - level),
        }

    def _is_huber(self):
        return isinstance(self.loss, str) and self.loss == "huber"

    def _first_loss(self):
        # Before the first round there is no δ: Friedman (2001), algorithm 4, starts at the median.
        return AbsoluteLoss() if self._is_huber() else self._loss

    def _adapt(self):
        """Huber's δ of a round; the least positive number where most rows are met exactly."""
        if not self._is_huber():
            return None

        def adapt(y, scores, weights):
            delta = weighted_quantile(np.abs(y - scores), self.alpha, weights, between="lower")
            return HuberLoss(max(float(delta), np.finfo(float).tiny))

        return adapt

    def _labels(self, y):
        return y

    def _constant(self, y, weights, loss):
        value = float(loss.inverse(self.baseline_[0]))
        return DummyRegressor(strategy="constant", constant=value).fit(np.zeros((len(y), 1)), y)

    def _init_scores(self, X):
        return np.reshape(self._loss.link(np.asarray(self.init_.predict(X), dtype=float)), (-1, 1))
