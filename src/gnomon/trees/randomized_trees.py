"""Perturb and combine: ensembles of trees with a parameter for every source of randomness.

    F(x) = (1/T) Σ_t f_t(x),    f_t grown from   rows    all, drawn with replacement, or a part without
                                                 columns all, some for the tree, some anew at each node
                                                 cuts    the best, or one drawn for each column                      (1)

Bagging (Breiman 1996, doi:10.1007/BF00058655), random subspaces (Ho 1998, doi:10.1109/34.709601), random forests
(Breiman 2001, doi:10.1023/A:1010933404324) and Extra-Trees (Geurts et al. 2006, doi:10.1007/s10994-006-6226-1) are
settings of these parameters; with the defaults all trees are the same.
"""

from __future__ import annotations

from typing import Literal

from gnomon._typing import Count, CountOrZero, NonNegative, RandomState, Verbosity
from gnomon.base.coded_rows import CategoricalFeatures, Unseen
from gnomon.base.parameters import store
from gnomon.numerics.domains import Categories
from gnomon.search import Criterion
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
    SplitterWord,
)

__all__ = ["RandomizedTreesClassifier", "RandomizedTreesRegressor"]


class RandomizedTreesClassifier(ForestClassifier):
    """Classification trees, randomised by choice of parameters and averaged.

    P(k | x) = (1/T) Σ_t p_tk(x), equation (1) of the module.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees T.
    bootstrap : bool, default=False
        Draw the rows of every tree with replacement.
    max_samples : int or float, optional
        Rows of a tree; all by default, a float is a share of the total weight. Without `bootstrap` they are drawn
        without replacement. Either way rows are drawn in proportion to their weights, and drawn rows weigh the same.
    max_features_tree : int, float, {"sqrt", "log2"} or None, default=None
        Columns that a tree may test, drawn once for each tree.
    max_features : int, float, {"sqrt", "log2"} or None, default=None
        Columns, among those of the tree, that are drawn anew at each node.
    splitter : {"best", "random"}, default="best"
        The best threshold of a column, or one drawn uniformly between its extremes.
    criterion, max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, max_leaf_nodes
        As in `DecisionTreeClassifier`.
    min_impurity_decrease, ccp_alpha, monotonic_cst, min_impurity, categorical_features, categories
        Likewise.
    categorical_split, unseen
        Likewise.
    oob_score, n_jobs, random_state, verbose, warm_start, class_weight, voting, binning
        As in `RandomForestClassifier`.

    Attributes
    ----------
    forest_ : gnomon.search.Forest
    estimators_ : list of DecisionTreeClassifier
        Their classes are 0 … K − 1.
    classes_ : ndarray
    n_classes_, n_features_in_, n_outputs_ : int
    feature_importances_ : ndarray of shape (n_features,)
    oob_score_ : float
    oob_errors_ : ndarray of shape (n_estimators,)
    oob_decision_function_ : ndarray of shape (n_samples, n_classes)

    References
    ----------
    Breiman, L. (1998). Arcing classifiers. doi:10.1214/aos/1024691079

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from gnomon.trees import RandomizedTreesClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> both = RandomizedTreesClassifier(30, bootstrap=True, splitter="random", max_features_tree=2, random_state=0)
    >>> both.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.9
    True
    """

    _draws_without_replacement = True

    def __init__(
        self,
        n_estimators: Count = 100,
        *,
        bootstrap: bool = False,
        max_samples: BagSize = None,
        max_features_tree: MaxFeatures = None,
        max_features: MaxFeatures = None,
        splitter: SplitterWord = "best",
        criterion: ClassCriterionWord | Criterion = "gini",
        max_depth: CountOrZero | None = None,
        min_samples_split: SplitSize = 2,
        min_samples_leaf: LeafSize = 1,
        min_weight_fraction_leaf: LeafShare = 0.0,
        max_leaf_nodes: LeafCount | None = None,
        min_impurity_decrease: NonNegative = 0.0,
        oob_score: OutOfBagScore = False,
        n_jobs: int | None = None,
        random_state: RandomState = None,
        verbose: Verbosity = 0,
        warm_start: bool = False,
        class_weight: ForestClassWeight = None,
        ccp_alpha: NonNegative = 0.0,
        monotonic_cst: MonotonicConstraints = None,
        min_impurity: NonNegative = 0.0,
        categorical_features: CategoricalFeatures = "from_dtype",
        categories: Categories | None = None,
        categorical_split: Literal["subset", "equality"] = "subset",
        unseen: Unseen = "missing",
        voting: Voting = "soft",
        binning: Binning = "auto",
    ):
        store(self, locals())


class RandomizedTreesRegressor(ForestRegressor):
    """Regression trees, randomised by choice of parameters and averaged, equation (1) of the module.

    Parameters
    ----------
    n_estimators, bootstrap, max_samples, max_features_tree, max_features, splitter
        As in `RandomizedTreesClassifier`.
    criterion, max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, max_leaf_nodes
        As in `DecisionTreeRegressor`.
    min_impurity_decrease, ccp_alpha, monotonic_cst, min_impurity, categorical_features, categories
        Likewise.
    categorical_split, unseen
        Likewise.
    oob_score, n_jobs, random_state, verbose, warm_start, binning
        As in `RandomForestRegressor`.

    Attributes
    ----------
    forest_ : gnomon.search.Forest
    estimators_ : list of DecisionTreeRegressor
    n_features_in_, n_outputs_ : int
    feature_importances_ : ndarray of shape (n_features,)
    oob_score_ : float
    oob_errors_ : ndarray of shape (n_estimators,)
    oob_prediction_ : ndarray of shape (n_samples,) or (n_samples, n_outputs)

    References
    ----------
    Breiman, L. (1998). Arcing classifiers. doi:10.1214/aos/1024691079

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from gnomon.trees import RandomizedTreesRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> half = RandomizedTreesRegressor(30, max_samples=0.5, min_samples_leaf=3, oob_score=True, random_state=0)
    >>> half.fit(X, y).oob_score_ > 0.3
    True
    """

    _draws_without_replacement = True

    def __init__(
        self,
        n_estimators: Count = 100,
        *,
        bootstrap: bool = False,
        max_samples: BagSize = None,
        max_features_tree: MaxFeatures = None,
        max_features: MaxFeatures = None,
        splitter: SplitterWord = "best",
        criterion: NumberCriterionWord | Criterion = "squared_error",
        max_depth: CountOrZero | None = None,
        min_samples_split: SplitSize = 2,
        min_samples_leaf: LeafSize = 1,
        min_weight_fraction_leaf: LeafShare = 0.0,
        max_leaf_nodes: LeafCount | None = None,
        min_impurity_decrease: NonNegative = 0.0,
        oob_score: OutOfBagScore = False,
        n_jobs: int | None = None,
        random_state: RandomState = None,
        verbose: Verbosity = 0,
        warm_start: bool = False,
        ccp_alpha: NonNegative = 0.0,
        monotonic_cst: MonotonicConstraints = None,
        min_impurity: NonNegative = 0.0,
        categorical_features: CategoricalFeatures = "from_dtype",
        categories: Categories | None = None,
        categorical_split: Literal["subset", "equality"] = "subset",
        unseen: Unseen = "missing",
        binning: Binning = "auto",
    ):
        store(self, locals())
