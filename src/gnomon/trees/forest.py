"""Random forests and Extra-Trees: many unstable trees, averaged.

    F(x) = (1/T) Σ_t f_t(x),   f_t a tree grown on a bootstrap sample, with random columns or thresholds          (1)

Breiman (2001), Random forests, doi:10.1023/A:1010933404324; Geurts, Ernst & Wehenkel (2006), Extremely randomized
trees, doi:10.1007/s10994-006-6226-1.
"""

from __future__ import annotations

from typing import Literal, Self

import numpy as np

from gnomon._typing import Count, CountOrZero, NonNegative, RandomState, Sparse, TableLike, Verbosity
from gnomon.base.callbacks import fit_tasks
from gnomon.base.coded_rows import CategoricalFeatures, Unseen, fitted_rows
from gnomon.base.parameters import store
from gnomon.numerics.domains import Categories
from gnomon.numerics.random import check_rng
from gnomon.search import Criterion
from gnomon.search.traverse import as_dense
from gnomon.trees._criteria import ClassCriterionWord, NumberCriterionWord
from gnomon.trees._forest import ForestClassifier, ForestClassWeight, ForestRegressor, OutOfBagScore, Voting
from gnomon.trees._growth import (
    BagSize,
    Binning,
    LeafCount,
    LeafShare,
    LeafSize,
    MaxFeatures,
    MonotonicConstraints,
    SplitSize,
)

__all__ = ["ExtraTreesClassifier", "ExtraTreesRegressor", "RandomForestClassifier", "RandomForestRegressor"]


class RandomForestClassifier(ForestClassifier):
    """A random forest for classification.

    P(k | x) = (1/T) Σ_t p_tk(x): every tree is grown on n rows drawn with replacement, and looks at √d columns drawn
    anew at each node.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees T.
    criterion, max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf
        As in `DecisionTreeClassifier`.
    max_features : int, float, {"sqrt", "log2"} or None, default="sqrt"
        How many columns are drawn at each node.
    max_leaf_nodes, min_impurity_decrease
        As in `DecisionTreeClassifier`.
    bootstrap : bool, default=True
        Draw the rows of every tree with replacement; else each sees them all.
    oob_score : bool or callable, default=False
        Predict every row by the trees that did not see it; a callable (y, predicted) is the score.
    n_jobs : int, optional
        Threads, over trees; the trees are the same for any number.
    random_state : None, int, Generator or RandomState
        Tree t depends on it and on t alone.
    verbose : int, default=0
        1 reports every tenth of the trees on standard error, 2 each of them; with `oob_score` also the error so far.
    warm_start : bool, default=False
        Keep the trees of the last fit and add those that are missing.
    class_weight : dict, list of dict, "balanced", "balanced_subsample" or None, default=None
        Factors on the weights of rows, one dict for each of several outputs, whose factors are multiplied; "balanced"
        makes the weights of classes equal, "balanced_subsample" the counts in every bag by itself.
    ccp_alpha : float, default=0.0
        Cost-complexity pruning of every tree.
    max_samples : int or float, optional
        Rows in a bag; as many as there are by default, a float is a share of the total weight.
    monotonic_cst, min_impurity, categorical_features, categories, categorical_split, unseen
        As in `DecisionTreeClassifier`.
    voting : {"soft", "hard"}, default="soft"
        Mean of class frequencies, or a vote of each tree.
    binning : None, "auto" or int, default="auto"
        Bins of a column among which splits are searched; "auto" searches exactly up to 20 000 rows and in 255 bins
        above, which is many times faster and as accurate.
    max_features_tree : int, float, {"sqrt", "log2"} or None, default=None
        How many columns a tree may test at all, drawn once for each tree (random subspaces, Ho 1998,
        doi:10.1109/34.709601); `max_features` is counted among these.

    Attributes
    ----------
    forest_ : gnomon.search.Forest
    estimators_ : list of DecisionTreeClassifier
        Their classes are 0 … K − 1.
    classes_ : ndarray or list of ndarray
        Of several outputs (2-D y) one array for each.
    n_classes_ : int or list of int
    n_features_in_, n_outputs_ : int
    feature_importances_ : ndarray of shape (n_features,)
    oob_score_ : float
    oob_errors_ : ndarray of shape (n_estimators,)
        Out-of-bag error after 1, 2, … trees: the share of wrong rows, or the mean squared error.
    oob_decision_function_ : ndarray of shape (n_samples, n_classes) or (n_samples, n_classes, n_outputs)

    Notes
    -----
    With bootstrap, rows are drawn in proportion to their weights (`sample_weight` times `class_weight`) and count once
    for each time that they are drawn, as in scikit-learn; without, the weights themselves count, and a weight of two
    equals the row twice. Full trees on 10⁶ rows take gigabytes of nodes: set `min_samples_leaf`.

    ``sklearn.model_selection.cross_val_score`` shows whether the forest overfits, or at the cost of a single fit
    ``oob_score=True``: `oob_errors_` shows after how many trees the error stops falling.

    References
    ----------
    Breiman, L. (2001). Random forests. doi:10.1023/A:1010933404324

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from gnomon.trees import RandomForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(50, oob_score=True, random_state=0).fit(X, y)
    >>> forest.oob_score_ > 0.92
    True
    """

    splitter = "best"

    def __init__(
        self,
        n_estimators: Count = 100,
        *,
        criterion: ClassCriterionWord | Criterion = "gini",
        max_depth: CountOrZero | None = None,
        min_samples_split: SplitSize = 2,
        min_samples_leaf: LeafSize = 1,
        min_weight_fraction_leaf: LeafShare = 0.0,
        max_features: MaxFeatures = "sqrt",
        max_leaf_nodes: LeafCount | None = None,
        min_impurity_decrease: NonNegative = 0.0,
        bootstrap: bool = True,
        oob_score: OutOfBagScore = False,
        n_jobs: int | None = None,
        random_state: RandomState = None,
        verbose: Verbosity = 0,
        warm_start: bool = False,
        class_weight: ForestClassWeight = None,
        ccp_alpha: NonNegative = 0.0,
        max_samples: BagSize = None,
        monotonic_cst: MonotonicConstraints = None,
        min_impurity: NonNegative = 0.0,
        categorical_features: CategoricalFeatures = "from_dtype",
        categories: Categories | None = None,
        categorical_split: Literal["subset", "equality"] = "subset",
        unseen: Unseen = "missing",
        voting: Voting = "soft",
        binning: Binning = "auto",
        max_features_tree: MaxFeatures = None,
    ):
        store(self, locals())

    def fit_unsupervised(self, X: TableLike | Sparse) -> Self:
        """Grow trees that separate the rows of X (class 1) from rows with independently permuted columns (class 0).

        The trees learn how columns depend on each other; `proximity` is then a similarity of the rows of X that needs
        no labels. Shi & Horvath (2006), doi:10.1198/106186006X94072.

        Parameters
        ----------
        X : table

        Returns
        -------
        self
        """
        rows = as_dense(fitted_rows(self, X))
        rng = check_rng(self.random_state)
        permuted = np.column_stack([rng.permutation(column) for column in rows.T])
        self._n_rows = len(rows)
        with fit_tasks(self, "tree", self._new_trees(), X=X) as told:
            return self._fit_classes(np.vstack([rows, permuted]), np.repeat([1, 0], len(rows)), told)


class RandomForestRegressor(ForestRegressor):
    """A random forest for regression.

    F(x) = (1/T) Σ_t f_t(x), every tree grown on n rows drawn with replacement.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees T.
    criterion, max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf
        As in `DecisionTreeRegressor`.
    max_features : int, float, {"sqrt", "log2"} or None, default=1.0
        How many columns are drawn at each node.
    max_leaf_nodes, min_impurity_decrease, ccp_alpha, monotonic_cst, min_impurity
        As in `DecisionTreeRegressor`.
    bootstrap, oob_score, n_jobs, random_state, verbose, warm_start, max_samples, binning, max_features_tree
        As in `RandomForestClassifier`.
    categorical_features, categories, categorical_split, unseen
        As in `DecisionTreeClassifier`.

    Attributes
    ----------
    forest_ : gnomon.search.Forest
    estimators_ : list of DecisionTreeRegressor
    n_features_in_, n_outputs_ : int
    feature_importances_ : ndarray of shape (n_features,)
    oob_score_ : float
    oob_errors_ : ndarray of shape (n_estimators,)
        Out-of-bag error after 1, 2, … trees: the share of wrong rows, or the mean squared error.
    oob_prediction_ : ndarray of shape (n_samples,) or (n_samples, n_outputs)

    References
    ----------
    Breiman, L. (2001). Random forests. doi:10.1023/A:1010933404324

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from gnomon.trees import RandomForestRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> forest = RandomForestRegressor(50, min_samples_leaf=5, oob_score=True, random_state=0).fit(X, y)
    >>> 0.35 < forest.oob_score_ < 0.55
    True
    """

    splitter = "best"

    def __init__(
        self,
        n_estimators: Count = 100,
        *,
        criterion: NumberCriterionWord | Criterion = "squared_error",
        max_depth: CountOrZero | None = None,
        min_samples_split: SplitSize = 2,
        min_samples_leaf: LeafSize = 1,
        min_weight_fraction_leaf: LeafShare = 0.0,
        max_features: MaxFeatures = 1.0,
        max_leaf_nodes: LeafCount | None = None,
        min_impurity_decrease: NonNegative = 0.0,
        bootstrap: bool = True,
        oob_score: OutOfBagScore = False,
        n_jobs: int | None = None,
        random_state: RandomState = None,
        verbose: Verbosity = 0,
        warm_start: bool = False,
        ccp_alpha: NonNegative = 0.0,
        max_samples: BagSize = None,
        monotonic_cst: MonotonicConstraints = None,
        min_impurity: NonNegative = 0.0,
        categorical_features: CategoricalFeatures = "from_dtype",
        categories: Categories | None = None,
        categorical_split: Literal["subset", "equality"] = "subset",
        unseen: Unseen = "missing",
        binning: Binning = "auto",
        max_features_tree: MaxFeatures = None,
    ):
        store(self, locals())


class ExtraTreesClassifier(ForestClassifier):
    """Extremely randomised trees for classification.

    Every tree sees all rows; at each node one threshold per drawn column is drawn uniformly between its extremes (a
    category: a set of its values), and the best of these is taken.

    Parameters
    ----------
    n_estimators, criterion, max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, max_features
        As in `RandomForestClassifier`.
    max_leaf_nodes, min_impurity_decrease, oob_score, n_jobs, random_state, verbose, warm_start, class_weight
        Likewise.
    bootstrap : bool, default=False
        Draw the rows of every tree with replacement.
    ccp_alpha, max_samples, monotonic_cst, min_impurity, categorical_features, categories, categorical_split, unseen
        As in `RandomForestClassifier`.
    voting, binning, max_features_tree
        Likewise.

    Attributes
    ----------
    forest_ : gnomon.search.Forest
    estimators_ : list of DecisionTreeClassifier
        Their classes are 0 … K − 1.
    classes_ : ndarray or list of ndarray
        Of several outputs (2-D y) one array for each.
    n_classes_ : int or list of int
    n_features_in_, n_outputs_ : int
    feature_importances_ : ndarray of shape (n_features,)
    oob_score_ : float
    oob_errors_ : ndarray of shape (n_estimators,)
        Out-of-bag error after 1, 2, … trees: the share of wrong rows, or the mean squared error.
    oob_decision_function_ : ndarray of shape (n_samples, n_classes) or (n_samples, n_classes, n_outputs)

    References
    ----------
    Geurts, P., Ernst, D. & Wehenkel, L. (2006). Extremely randomized trees. doi:10.1007/s10994-006-6226-1

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from gnomon.trees import ExtraTreesClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> ExtraTreesClassifier(20, random_state=0).fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.9
    True
    """

    splitter = "random"

    def __init__(
        self,
        n_estimators: Count = 100,
        *,
        criterion: ClassCriterionWord | Criterion = "gini",
        max_depth: CountOrZero | None = None,
        min_samples_split: SplitSize = 2,
        min_samples_leaf: LeafSize = 1,
        min_weight_fraction_leaf: LeafShare = 0.0,
        max_features: MaxFeatures = "sqrt",
        max_leaf_nodes: LeafCount | None = None,
        min_impurity_decrease: NonNegative = 0.0,
        bootstrap: bool = False,
        oob_score: OutOfBagScore = False,
        n_jobs: int | None = None,
        random_state: RandomState = None,
        verbose: Verbosity = 0,
        warm_start: bool = False,
        class_weight: ForestClassWeight = None,
        ccp_alpha: NonNegative = 0.0,
        max_samples: BagSize = None,
        monotonic_cst: MonotonicConstraints = None,
        min_impurity: NonNegative = 0.0,
        categorical_features: CategoricalFeatures = "from_dtype",
        categories: Categories | None = None,
        categorical_split: Literal["subset", "equality"] = "subset",
        unseen: Unseen = "missing",
        voting: Voting = "soft",
        binning: Binning = "auto",
        max_features_tree: MaxFeatures = None,
    ):
        store(self, locals())


class ExtraTreesRegressor(ForestRegressor):
    """Extremely randomised trees for regression.

    Every tree sees all rows; at each node one threshold per drawn column is drawn uniformly between its extremes, and
    the best of these is taken.

    Parameters
    ----------
    n_estimators, criterion, max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, max_features
        As in `RandomForestRegressor`.
    max_leaf_nodes, min_impurity_decrease, oob_score, n_jobs, random_state, verbose, warm_start, ccp_alpha, max_samples
        Likewise.
    bootstrap : bool, default=False
        Draw the rows of every tree with replacement.
    monotonic_cst, min_impurity, categorical_features, categories, categorical_split, unseen, binning
        As in `RandomForestRegressor`.
    max_features_tree
        As in `RandomForestRegressor`.

    Attributes
    ----------
    forest_ : gnomon.search.Forest
    estimators_ : list of DecisionTreeRegressor
    n_features_in_, n_outputs_ : int
    feature_importances_ : ndarray of shape (n_features,)
    oob_score_ : float
    oob_errors_ : ndarray of shape (n_estimators,)
        Out-of-bag error after 1, 2, … trees: the share of wrong rows, or the mean squared error.
    oob_prediction_ : ndarray of shape (n_samples,) or (n_samples, n_outputs)

    References
    ----------
    Geurts, P., Ernst, D. & Wehenkel, L. (2006). Extremely randomized trees. doi:10.1007/s10994-006-6226-1

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from gnomon.trees import ExtraTreesRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> ExtraTreesRegressor(50, min_samples_leaf=3, random_state=0).fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.3
    True
    """

    splitter = "random"

    def __init__(
        self,
        n_estimators: Count = 100,
        *,
        criterion: NumberCriterionWord | Criterion = "squared_error",
        max_depth: CountOrZero | None = None,
        min_samples_split: SplitSize = 2,
        min_samples_leaf: LeafSize = 1,
        min_weight_fraction_leaf: LeafShare = 0.0,
        max_features: MaxFeatures = 1.0,
        max_leaf_nodes: LeafCount | None = None,
        min_impurity_decrease: NonNegative = 0.0,
        bootstrap: bool = False,
        oob_score: OutOfBagScore = False,
        n_jobs: int | None = None,
        random_state: RandomState = None,
        verbose: Verbosity = 0,
        warm_start: bool = False,
        ccp_alpha: NonNegative = 0.0,
        max_samples: BagSize = None,
        monotonic_cst: MonotonicConstraints = None,
        min_impurity: NonNegative = 0.0,
        categorical_features: CategoricalFeatures = "from_dtype",
        categories: Categories | None = None,
        categorical_split: Literal["subset", "equality"] = "subset",
        unseen: Unseen = "missing",
        binning: Binning = "auto",
        max_features_tree: MaxFeatures = None,
    ):
        store(self, locals())
