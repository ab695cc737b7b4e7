"""Decision trees: one test at every node, one answer in every leaf.

    at each node take the test with the smallest  H(split) = Σ_c (n_c / n) H(c),  divide the rows, go on            (1)

Breiman, Friedman, Stone & Olshen (1984), Classification and Regression Trees, doi:10.1201/9781315139470. H is the Gini
index, the entropy, the variance …; `gnomon.search` holds the criteria and the grower.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import Tags
from sklearn.utils.metadata_routing import UNUSED

from gnomon._typing import (
    Array,
    ArrayLike,
    Count,
    CountOrZero,
    Floats,
    NonNegative,
    ProperShare,
    RandomState,
    Sparse,
    TableLike,
)
from gnomon.base.coded_rows import CategoricalFeatures, Unseen, fitted_rows
from gnomon.base.parameters import store
from gnomon.numerics.domains import Categories
from gnomon.search import Criterion
from gnomon.trees._cost import timed
from gnomon.trees._criteria import NumberCriterionWord, TreeCriterionWord, mean_criterion, tree_criterion
from gnomon.trees._forms import (
    Algorithm,
    CategoricalSplit,
    MissingRule,
    NumericTest,
    PruningRule,
    ThresholdPlace,
    smooth_answers,
    tree_form,
)
from gnomon.trees._growth import (
    Binning,
    LeafCount,
    LeafShare,
    LeafSize,
    MaxFeatures,
    MonotonicConstraints,
    SplitSize,
    SplitterWord,
)
from gnomon.trees._leaf_models import LeafColumns, leaf_options, with_leaf_models
from gnomon.trees._oblique import DirectionRule
from gnomon.trees._outputs import ClassCounts, ClassLabels, ClassShares, counts_of, labels_of, refuse_several, shares_of
from gnomon.trees._pruning import PruningLoss, codes_of
from gnomon.trees._pseudo_counts import with_smoothed
from gnomon.trees._single_tree import SingleTree
from gnomon.trees._targets import TreeClassWeight, as_classes, as_targets, center_of, check_targets, tree_weights

__all__ = ["DecisionTreeClassifier", "DecisionTreeRegressor"]

ClassCriterion: TypeAlias = TreeCriterionWord | Criterion | Callable[[Floats], float]
NumberCriterion: TypeAlias = NumberCriterionWord | Literal["quantile"] | Criterion
HeldOut: TypeAlias = tuple[TableLike | Sparse, ArrayLike] | None
LeafModel: TypeAlias = Literal["constant", "linear"] | BaseEstimator

NO_CHECKS = {"check_input": UNUSED}
"""`check_input` is no metadata of the rows."""


class DecisionTreeClassifier(ClassifierMixin, SingleTree):
    """A classification tree.

    A leaf answers with the class frequencies p_k = (1/n) Σ w_i 1[y_i = k] of its rows, equation (1) of the module with
    the impurity H of those.

    Parameters
    ----------
    criterion : {"gini", "entropy", "log_loss", "misclassification", "gain_ratio"}, Criterion or callable, \
            default="gini"
        H: Σ p(1 − p), −Σ p log₂ p (two names), 1 − max p; "gain_ratio": the gain in entropy over the split information
        −Σ (n_c/n) log₂(n_c/n); a `gnomon.search.Criterion` of as many classes; or a function of the weights of the
        classes. With "id3" and "c4.5", "gini" stands for their entropy.
    splitter : {"best", "random"}, default="best"
        The best threshold of a column, or one drawn uniformly.
    max_depth : int, optional
        Most tests above a leaf.
    min_samples_split, min_samples_leaf : int or float, default=2 and 1
        Least rows of a node that is divided and of its children; a fraction is one of all rows.
    min_weight_fraction_leaf : float, default=0.0
        Least share of the weight in a child.
    max_features : int, float, {"sqrt", "log2"}, optional
        How many columns are drawn at each node; all by default.
    random_state : None, int, Generator or RandomState
        Draws columns and thresholds; it never decides between equal splits.
    max_leaf_nodes : int, optional
        With it the node with the largest gain is divided first.
    min_impurity_decrease : float, default=0.0
        Least (n/N)·gain.
    class_weight : dict, list of dict, "balanced" or None, default=None
        Factors on the weights of classes, one dict for each of several outputs, whose factors are multiplied;
        "balanced": n/(K n_k) by numbers of rows, as in scikit-learn.
    ccp_alpha : float, default=0.0
        Cost-complexity pruning: the smallest subtree that minimises R(T) + α·leaves.
    monotonic_cst : array-like or dict, optional
        1, −1 or 0 per column: the probability of the second class rises, falls or does either with it.
    min_impurity : float, default=0.0
        Nodes of no larger H are not divided.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Columns that are categories: by their type, or by names, numbers or a mask.
    categories : dict or list, optional
        Declared values of categories.
    categorical_split : {"subset", "multiway", "equality"}, optional
        Tests of a category: a set of values against the others, a branch for each value, or one value against the
        rest. None: the default of `algorithm`, as for the other options that may be None.
    unseen : {"missing", "error"}, default="missing"
        How to treat a value that `fit` did not see.
    binning : None, "auto" or int, default=None
        Search exactly, or among at most 255 bins of a column; "auto" does so above 20 000 rows.
    pruning : {"none", "reduced_error", "error_based", "pessimistic"}, optional
        Before `ccp_alpha`: cut what does not lower the errors of rows held out, what C4.5's upper limits of the error
        rate do not justify (a branch may then replace its parent), or what half an error per leaf outweighs.
    pruning_loss : {"impurity", "misclassification"}, default="impurity"
        R of `ccp_alpha`, `cost_complexity_pruning_path` and `prune`.
    cf : float, default=0.25
        Confidence of "error_based"; the smaller, the more is cut.
    validation_fraction : float, default=0.3
        Share of the rows that "reduced_error" holds out, drawn by `random_state`.
    validation : tuple (X, y), optional
        Rows for "reduced_error" in place of that share.
    refit_leaves : bool, default=False
        Whether all rows estimate the leaves after "reduced_error".
    n_jobs : int, optional
        Threads, over columns to be coded and, where every node is searched for the best binary test of all columns,
        over those of large nodes. The tree does not depend on it.
    algorithm : {"cart", "id3", "c4.5"}, default="cart"
        Presets. "id3": categories only, a branch for each value, each column once on a path. "c4.5": the largest gain
        ratio among tests of at least the mean gain, a branch for each value, numbers cut at data, missing rows in
        parts, error-based pruning; weights count as rows, so that a weight of two is the row twice, and all weights
        together should be about the number of rows.
    numeric_test : {"le", "three_way"}, default="le"
        x ≤ t and x > t, or x < t, x = t and x > t with t a value.
    threshold : {"midpoint", "data"}, optional
        Halfway between two values, or at the largest value of the column not above that.
    reuse_features : bool, optional
        Whether a column may be tested again below a node that tests it.
    split : {"axis", "oblique"}, default="axis"
        Tests of one column, or also of weighted sums Σ a_j x_j ≤ t.
    oblique : {"lda", "logistic", "random", "oc1"}, default="lda"
        Where the weights of such sums come from.
    missing : {"own_value", "most_frequent", "median", "mean", "surrogate", "fractional"}, optional
        Missing cells are a value of their own, are filled (`fill_values_`), are replaced by surrogate tests, or their
        rows go down every branch with fractional weights.
    leaf_alpha : float, default=0.0
        Pseudo-count a of every class in a leaf, in predictions: (n_k + a)/(n + aK). `tree_` keeps the frequencies,
        which pruning, plots and exports use.
    leaf_model : {"constant", "linear"} or estimator, default="constant"
        What a leaf answers with: class frequencies, a softmax regression on the columns of numbers, or a clone of a
        classifier with probabilities, fitted to its rows.
    leaf_features : {"all", "path"}, default="all"
        The columns of those models: all numbers, or those tested on the way to the node.
    min_samples_linear : int, default=10
        Nodes of fewer rows have no model.
    leaf_ridge : float, default=1e-3
        Ridge of linear models on standardised columns, per unit of weight.
    smooth : float, default=15.0
        k of the blend (n·p + k·q)/(n + k) of a model with those above it; 0 for none.

    Attributes
    ----------
    fill_values_ : list
        What missing cells of each column were filled with.
    tree_ : gnomon.search.Tree
    classes_ : ndarray or list of ndarray
        Of several outputs (2-D y) one array for each; H is then the mean of those of the outputs.
    n_classes_ : int or ndarray of int
    n_features_in_, n_outputs_, max_features_ : int
    feature_importances_ : ndarray of shape (n_features,)

    References
    ----------
    Breiman, L., Friedman, J., Stone, C. J. & Olshen, R. A. (1984). Classification and Regression Trees.
    doi:10.1201/9781315139470

    Examples
    --------
    >>> from gnomon.trees import DecisionTreeClassifier
    >>> X, y = [["sunny"], ["rainy"], ["overcast"], ["sunny"]], ["no", "yes", "yes", "no"]
    >>> DecisionTreeClassifier().fit(X, y).predict([["overcast"], ["sunny"]])
    array(['yes', 'no'], dtype='<U3')
    """

    classes_: ClassLabels
    n_classes_: ClassCounts
    n_features_in_: int
    n_outputs_: int
    max_features_: int
    fill_values_: list[Any]

    __metadata_request__fit: ClassVar = NO_CHECKS
    __metadata_request__predict: ClassVar = NO_CHECKS
    __metadata_request__predict_proba: ClassVar = NO_CHECKS

    def __init__(
        self,
        *,
        criterion: ClassCriterion = "gini",
        splitter: SplitterWord = "best",
        max_depth: CountOrZero | None = None,
        min_samples_split: SplitSize = 2,
        min_samples_leaf: LeafSize = 1,
        min_weight_fraction_leaf: LeafShare = 0.0,
        max_features: MaxFeatures = None,
        random_state: RandomState = None,
        max_leaf_nodes: LeafCount | None = None,
        min_impurity_decrease: NonNegative = 0.0,
        class_weight: TreeClassWeight = None,
        ccp_alpha: NonNegative = 0.0,
        monotonic_cst: MonotonicConstraints = None,
        min_impurity: NonNegative = 0.0,
        categorical_features: CategoricalFeatures = "from_dtype",
        categories: Categories | None = None,
        categorical_split: CategoricalSplit | None = None,
        unseen: Unseen = "missing",
        binning: Binning = None,
        pruning: PruningRule | None = None,
        pruning_loss: PruningLoss = "impurity",
        cf: ProperShare = 0.25,
        validation_fraction: ProperShare = 0.3,
        validation: HeldOut = None,
        refit_leaves: bool = False,
        n_jobs: int | None = None,
        algorithm: Algorithm = "cart",
        numeric_test: NumericTest = "le",
        threshold: ThresholdPlace | None = None,
        reuse_features: bool | None = None,
        split: Literal["axis", "oblique"] = "axis",
        oblique: DirectionRule = "lda",
        missing: MissingRule | None = None,
        leaf_alpha: NonNegative = 0.0,
        leaf_model: LeafModel = "constant",
        leaf_features: LeafColumns = "all",
        min_samples_linear: Count = 10,
        leaf_ridge: NonNegative = 1e-3,
        smooth: NonNegative = 15.0,
    ):
        store(self, locals())

    @timed
    def fit(
        self, X: TableLike | Sparse, y: ArrayLike, sample_weight: ArrayLike | None = None, check_input: bool = True
    ) -> Self:
        """Grow the tree (1)."""
        form = tree_form(self, self.algorithm)
        X, y = fitted_rows(self, X, y, multi_output=True)
        # One output in a column is one output, without the warning of ensembles.
        self.classes_, index = as_classes(np.ravel(y) if np.size(y) == len(y) else y)
        self.n_outputs_, several = index.size // len(index), np.ndim(index) > 1
        self.n_classes_ = np.array(counts_of(self.classes_)) if several else len(self.classes_)
        refuse_several(
            self.classes_, callable_criterion=callable(self.criterion), oblique=form.oblique,
            leaf_alpha=self.leaf_alpha > 0.0, leaf_model=self.leaf_model != "constant", pruning=form.pruning != "none",
            pruning_loss=self.pruning_loss != "impurity",
        )  # fmt: skip
        criterion = tree_criterion(self.criterion, self.classes_, self.algorithm)
        leaves = None if several else leaf_options(self, len(self.classes_))
        weights = tree_weights(sample_weight, X, self.class_weight, self.classes_, index)
        X = self._fill(X, form, weights)
        tree = self._grow_and_prune(X, index, criterion, weights, lambda y: codes_of(y, self.classes_), form)
        if self.leaf_alpha > 0.0:
            tree = with_smoothed(tree, smooth_answers(tree, self.leaf_alpha).answers)
        self.tree_ = tree
        if leaves is not None:
            self.tree_ = with_leaf_models(self.tree_, X, index, weights, self.coding_.category, leaves)
        return self

    def predict_proba(self, X: TableLike | Sparse, check_input: bool = True) -> ClassShares:
        """The class frequencies of the leaf of every row; of several outputs a list with those of each."""
        answers = self._answers(X)
        return shares_of(self.classes_, answers)

    def predict_log_proba(self, X: TableLike | Sparse) -> ClassShares:
        """The logarithms of `predict_proba`."""
        shares = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            return [np.log(some) for some in shares] if self.n_outputs_ > 1 else np.log(shares)

    def predict(self, X: TableLike | Sparse, check_input: bool = True) -> Array:
        """The most frequent class of the leaf of every row."""
        answers = self._answers(X)
        return labels_of(self.classes_, answers)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.classifier_tags.multi_label = True
        return tags


class DecisionTreeRegressor(RegressorMixin, SingleTree):
    """A regression tree.

    A leaf answers with the mean of its rows; H is their variance, or what `criterion` says.

    Parameters
    ----------
    criterion : {"squared_error", "friedman_mse", "poisson", "absolute_error", "quantile"} or Criterion, \
            default="squared_error"
        The variance (two names: Friedman's score of a split is n times its gain), half the Poisson deviance, the mean
        distance from the median, or the pinball loss of the `quantile`; leaves answer with the mean, median, quantile.
        Or a `gnomon.search.Criterion` of as many outputs, with its own answers.
    splitter, max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, max_features
        As in `DecisionTreeClassifier`.
    random_state, max_leaf_nodes, min_impurity_decrease, ccp_alpha, monotonic_cst, min_impurity
        Likewise.
    categorical_features, categories, categorical_split, unseen, binning, n_jobs
        Likewise.
    numeric_test, threshold, reuse_features, split, oblique, missing
        Likewise.
    quantile : float, default=0.5
        The level of ``criterion="quantile"``.
    leaf_model : {"constant", "linear"} or estimator, default="constant"
        The answer of the criterion, a ridge regression on the columns of numbers, or a clone of a regressor, fitted to
        the rows of the leaf.
    leaf_features, min_samples_linear, leaf_ridge, smooth
        As in `DecisionTreeClassifier`.
    clip : bool, default=False
        Whether models stay within the targets of their leaf.
    pruning : {None, "reduced_error"}, default=None
        Cut what does not lower the squared error of rows held out.
    validation_fraction, validation, refit_leaves
        As in `DecisionTreeClassifier`.

    Attributes
    ----------
    fill_values_ : list
        What missing cells of each column were filled with.
    tree_ : gnomon.search.Tree
    n_features_in_, n_outputs_, max_features_ : int
    feature_importances_ : ndarray of shape (n_features,)

    References
    ----------
    Breiman, L., Friedman, J., Stone, C. J. & Olshen, R. A. (1984). Classification and Regression Trees, chapter 8.
    doi:10.1201/9781315139470

    Examples
    --------
    >>> from gnomon.trees import DecisionTreeRegressor
    >>> tree = DecisionTreeRegressor(max_depth=1).fit([[1], [2], [3], [4], [5], [6]], [1, 1, 2, 8, 9, 10])
    >>> tree.tree_.threshold[0], tree.predict([[0], [7]])
    (np.float64(3.5), array([1.33333333, 9.        ]))
    """

    n_features_in_: int
    n_outputs_: int
    max_features_: int
    fill_values_: list[Any]

    __metadata_request__fit: ClassVar = NO_CHECKS
    __metadata_request__predict: ClassVar = NO_CHECKS

    def __init__(
        self,
        *,
        criterion: NumberCriterion = "squared_error",
        splitter: SplitterWord = "best",
        max_depth: CountOrZero | None = None,
        min_samples_split: SplitSize = 2,
        min_samples_leaf: LeafSize = 1,
        min_weight_fraction_leaf: LeafShare = 0.0,
        max_features: MaxFeatures = None,
        random_state: RandomState = None,
        max_leaf_nodes: LeafCount | None = None,
        min_impurity_decrease: NonNegative = 0.0,
        ccp_alpha: NonNegative = 0.0,
        monotonic_cst: MonotonicConstraints = None,
        min_impurity: NonNegative = 0.0,
        categorical_features: CategoricalFeatures = "from_dtype",
        categories: Categories | None = None,
        categorical_split: CategoricalSplit | None = None,
        unseen: Unseen = "missing",
        binning: Binning = None,
        pruning: Literal["none", "reduced_error"] | None = None,
        validation_fraction: ProperShare = 0.3,
        validation: HeldOut = None,
        refit_leaves: bool = False,
        n_jobs: int | None = None,
        numeric_test: NumericTest = "le",
        threshold: ThresholdPlace | None = None,
        reuse_features: bool | None = None,
        split: Literal["axis", "oblique"] = "axis",
        oblique: DirectionRule = "lda",
        missing: MissingRule | None = None,
        quantile: ProperShare = 0.5,
        leaf_model: LeafModel = "constant",
        leaf_features: LeafColumns = "all",
        min_samples_linear: Count = 10,
        leaf_ridge: NonNegative = 1e-3,
        smooth: NonNegative = 15.0,
        clip: bool = False,
    ):
        store(self, locals())

    @timed
    def fit(
        self, X: TableLike | Sparse, y: ArrayLike, sample_weight: ArrayLike | None = None, check_input: bool = True
    ) -> Self:
        """Grow the tree (1)."""
        form, leaves = tree_form(self), leaf_options(self)
        X, y = fitted_rows(self, X, y, multi_output=True, y_numeric=True)
        targets = as_targets(y)
        self.n_outputs_, self._flat = targets.shape[1], targets.shape[1] == 1
        criterion = mean_criterion(self.criterion, self.n_outputs_, self.quantile)
        check_targets(targets, criterion)
        weights = tree_weights(sample_weight, X)
        X = self._fill(X, form, weights)
        center = center_of(targets, weights, criterion)
        tree = self._grow_and_prune(
            X, targets - center, criterion, weights, lambda y: check_targets(as_targets(y), criterion) - center, form
        )
        self.tree_ = tree.with_answers(tree.answers + center)
        if leaves is not None:
            self.tree_ = with_leaf_models(self.tree_, X, targets, weights, self.coding_.category, leaves)
        return self

    def predict(self, X: TableLike | Sparse, check_input: bool = True) -> Floats:
        """The mean of the leaf of every row."""
        answers = self._answers(X)
        return answers[:, 0] if self._flat else answers

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
