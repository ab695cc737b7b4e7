"""A decision stump: one test of one column, the weak learner of boosting.

    h minimises  Σᵢ wᵢ 1[h(xᵢ) ≠ yᵢ]  over the tests  x_j ≤ t  and  "x_j is one of these categories"            (1)

Boosting needs the least weighted error, not the purest leaves: Freund & Schapire (1997), doi:10.1006/jcss.1997.1504.
Strings, categories and gaps may come straight from a data frame; gaps and categories not seen in training go the way of
missing values.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import AnyRows, Array, ArrayLike, Matrix
from gnomon.base.coded_rows import fitted_rows, new_rows
from gnomon.numerics.coding import label_index
from gnomon.numerics.weights import check_weights
from gnomon.search import Misclassification, code_columns, grow_tree

__all__ = ["Stump"]


class Stump(ClassifierMixin, BaseEstimator):
    """The test with the least weighted error (1); a classifier of two or more classes."""

    _stored: ClassVar[dict[str, str]] = {"classes_": "int (n_classes,)"}

    # How `fitted_rows` reads tables.
    categorical_features, categories, unseen = "from_dtype", None, "missing"

    def fit(self, X: AnyRows, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Stump:
        """Find the test."""
        return self.over(X)[0](y, sample_weight)

    def over(self, X: AnyRows) -> tuple[Callable[..., Stump], Callable[[Stump], Array]]:
        """Functions (y, sample_weight) → stump and stump → predictions, for many targets of rows sorted once."""
        ready = copy(self)
        rows = fitted_rows(ready, X)
        columns = code_columns(rows, category=ready.coding_.category)

        def fit(y: ArrayLike, sample_weight: ArrayLike | None = None) -> Stump:
            model = copy(ready)
            index, model.classes_ = label_index(y)
            weights = check_weights(sample_weight, np.empty((len(index), 0)))
            criterion = Misclassification(len(model.classes_))
            model.tree_ = grow_tree(columns, index, criterion, sample_weight=weights, max_depth=1)
            return model

        return fit, ready._reader(rows)

    def predict(self, X: AnyRows) -> Array:
        """The class that weighs most in the leaf of every row."""
        return self.reader(X)(self)

    def check_consistent(self) -> None:
        """Refuse a tree of other columns or classes than those of the stump."""
        here = vars(self)
        if "classes_" in here and here["tree_"].answers.shape[1] != len(self.classes_):
            raise ValueError(f"the tree of a stump does not answer {len(self.classes_)} classes")

    def reader(self, X: AnyRows) -> Callable[[Stump], Array]:
        """A function stump → predictions for many stumps of the same columns, into which X is turned once."""
        check_is_fitted(self)
        return self._reader(new_rows(self, X))

    def _reader(self, rows: Matrix) -> Callable[[Stump], Array]:
        return lambda model: model.classes_[np.argmax(model.tree_.predict(rows), axis=1)]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.allow_nan = True
        tags.input_tags.string = tags.input_tags.categorical = True
        return tags
