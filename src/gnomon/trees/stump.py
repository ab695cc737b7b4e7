"""Decision stumps: one test, two answers.

    minimise over columns j and cuts t    n_L H(rows with x_j ≤ t) + n_R H(rows with x_j > t)                      (1)

Iba & Langley (1992), Induction of one-level decision trees, doi:10.1016/B978-1-55860-247-2.50035-8. The test has two
branches whatever the column is (`OneRule` has one for every value), and either side may take either class.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, Self

from sklearn.base import ClassifierMixin
from sklearn.utils import Tags

from gnomon._typing import Array, ArrayLike, ClassWeight, Floats, Integers, Sparse, TableLike
from gnomon.base.coded_rows import CategoricalFeatures, Unseen, fitted_rows
from gnomon.base.estimator import Estimator
from gnomon.numerics.domains import Categories
from gnomon.search import Tree, code_columns, grow_tree
from gnomon.trees._cost import timed
from gnomon.trees._criteria import CLASS_CRITERIA, ClassCriterionWord
from gnomon.trees._growth import Binning, bins_of
from gnomon.trees._reading import GrownTreeMixin
from gnomon.trees._targets import as_classes, tree_weights

__all__ = ["DecisionStump"]


class DecisionStump(GrownTreeMixin, ClassifierMixin, Estimator):
    """A tree of one binary test, the weak learner of boosting.

    Equation (1) of the module: all cuts of all columns are tried, numbers at every threshold, categories in every set
    that can be best, and a leaf answers with the class frequencies of its rows.

    Parameters
    ----------
    criterion : {"gini", "entropy", "log_loss", "misclassification"}, default="gini"
        H. "misclassification" finds the fewest errors; the others prefer purer leaves.
    class_weight : dict, "balanced" or None, default=None
        Factors on the weights of classes.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Columns that are categories: by their type, or by names, numbers or a mask.
    categories : dict or list, optional
        Declared values of categories.
    unseen : {"missing", "error"}, default="missing"
        How to treat a value that `fit` did not see.
    binning : None, "auto" or int, default=None
        Search exactly, or among at most 255 bins of a column; "auto" does so above 20 000 rows.

    Attributes
    ----------
    tree_ : gnomon.search.Tree
    classes_ : ndarray
    n_classes_, n_features_in_ : int
    feature_importances_ : ndarray of shape (n_features,)

    References
    ----------
    Iba, W. & Langley, P. (1992). Induction of one-level decision trees. doi:10.1016/B978-1-55860-247-2.50035-8

    Examples
    --------
    >>> from gnomon.trees import DecisionStump
    >>> stump = DecisionStump().fit([[1], [2], [3], [4]], ["no", "no", "yes", "no"], sample_weight=[1, 1, 3, 1])
    >>> float(stump.tree_.threshold[0]), stump.predict([[0], [9]])
    (2.5, array(['no', 'yes'], dtype='<U3'))
    """

    classes_: Array
    n_classes_: int
    n_features_in_: int

    def __init__(
        self,
        criterion: ClassCriterionWord = "gini",
        *,
        class_weight: ClassWeight = None,
        categorical_features: CategoricalFeatures = "from_dtype",
        categories: Categories | None = None,
        unseen: Unseen = "missing",
        binning: Binning = None,
    ):
        self.criterion = criterion
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.categories = categories
        self.unseen = unseen
        self.binning = binning

    @timed
    def fit(self, X: TableLike | Sparse, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Find the test (1)."""
        _, _, grown = self.over(X, y)
        self.tree_ = grown(sample_weight)
        return self

    def over(self, X: TableLike | Sparse, y: ArrayLike) -> tuple[Any, Integers, Callable[[ArrayLike | None], Tree]]:
        """Coded rows, class indices, and a function weights → tree, so that boosting codes the rows only once."""
        X, y = fitted_rows(self, X, y)
        criterion = CLASS_CRITERIA[self.criterion]
        self.classes_, index = as_classes(y)
        self.n_classes_ = len(self.classes_)
        columns = code_columns(X, category=self.coding_.category, bins=bins_of(self.binning, X.shape[0]))

        def grown(sample_weight: ArrayLike | None) -> Tree:
            weights = tree_weights(sample_weight, X, self.class_weight, self.classes_, index, balance="weights")
            return grow_tree(columns, index, criterion(self.n_classes_), sample_weight=weights, max_depth=1)

        return X, index, grown

    def with_tree(self, tree: Tree) -> Self:
        """A copy with another tree over the same columns and classes."""
        other = copy.copy(self)
        other.tree_ = tree
        return other

    def predict_proba(self, X: TableLike | Sparse) -> Floats:
        """The class frequencies of the leaf of every row."""
        rows = self._rows(X)
        return self.tree_.predict(rows)

    def predict(self, X: TableLike | Sparse) -> Array:
        """The most frequent class of the leaf of every row."""
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        # Two leaves predict two classes at most.
        tags.classifier_tags.poor_score = True
        return tags
