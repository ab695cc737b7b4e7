"""Small trees that are proved optimal on the training rows.

    minimise over trees of depth ≤ d    (1/N) Σ_i w_i 1[f(x_i) ≠ y_i]  +  λ · #leaves    (squared error for numbers) (1)

The search is exact, over all thresholds, by dynamic programming with bounds: `gnomon.search.optimal_tree`. To find a
smallest tree is NP-complete (Hyafil & Rivest 1976, doi:10.1016/0020-0190(76)90095-8), and the work grows with about the
number of thresholds to the power d: meant for d ≤ 4, and for hundreds to thousands of rows. Aglin, Nijssen & Schaus
(2020), doi:10.1609/aaai.v34i04.5711; Demirović et al. (2022), JMLR 23(26).
"""

from __future__ import annotations

import sys
import warnings
from typing import Self

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags

from gnomon._typing import Array, ArrayLike, CountOrZero, Floats, Matrix, NonNegative, Sparse, TableLike, Verbosity
from gnomon.base.callbacks import CallbackSupportMixin, Tasks, fit_tasks
from gnomon.base.coded_rows import CategoricalFeatures, Unseen, fitted_rows
from gnomon.base.estimator import Estimator
from gnomon.numerics.domains import Categories
from gnomon.search import Misclassification, SquaredError, SumCriterion, assemble_tree, code_columns, optimal_tree
from gnomon.search.units import Units, units_of
from gnomon.trees._cost import timed
from gnomon.trees._growth import Binning, bins_of
from gnomon.trees._reading import GrownTreeMixin
from gnomon.trees._targets import as_classes, as_targets, center_of, tree_weights

__all__ = ["OptimalTreeClassifier", "OptimalTreeRegressor"]


class _OptimalTree(CallbackSupportMixin, GrownTreeMixin, Estimator):
    """Search shared by classifier and regressor; sets the tree, its objective and the bound."""

    objective_: float
    lower_bound_: float
    proved_: bool
    gap_: float
    n_sets_: int

    def __init__(
        self,
        max_depth: CountOrZero = 2,
        *,
        leaf_penalty: NonNegative = 0.0,
        time_limit: NonNegative | None = None,
        binning: Binning = None,
        categorical_features: CategoricalFeatures = "from_dtype",
        categories: Categories | None = None,
        unseen: Unseen = "missing",
        verbose: Verbosity = 0,
    ):
        self.max_depth = max_depth
        self.leaf_penalty = leaf_penalty
        self.time_limit = time_limit
        self.binning = binning
        self.categorical_features = categorical_features
        self.categories = categories
        self.unseen = unseen
        self.verbose = verbose

    def _search(
        self,
        X: Matrix,
        y: Array,
        criterion: SumCriterion,
        weights: Floats,
        row_bounds: Floats,
        told: Tasks,
        units: Units,
    ) -> Self:
        """Minimise (1) in some units; `row_bounds` are the largest costs of the rows in any leaf."""
        columns = code_columns(X, category=self.coding_.category, bins=bins_of(self.binning, X.shape[0]))
        found = optimal_tree(
            columns,
            y,
            criterion,
            sample_weight=weights,
            max_depth=int(self.max_depth),
            leaf_penalty=units.impurity.inward(self.leaf_penalty),
            row_bounds=row_bounds,
            time_limit=self.time_limit,
            progress=self._progress(told),
        )
        self.tree_ = units.restored(assemble_tree(found.fork, X, y, criterion, sample_weight=weights))
        ends = found.objective, max(found.lower_bound, 0.0)
        self.objective_, self.lower_bound_ = (float(units.impurity.outward(end)) for end in ends)
        self.proved_, self.n_sets_ = found.proved, found.n_sets
        self.gap_ = 0.0 if self.proved_ else (ends[0] - ends[1]) / abs(ends[0])
        if not self.proved_:
            what = "an interruption" if found.interrupted else f"time_limit={self.time_limit!r}"
            warnings.warn(
                f"{what} ended the search: the tree costs {self.objective_:.6g}, and none of "
                f"depth {self.max_depth} less than {self.lower_bound_:.6g} (gap {self.gap_:.3g}); raise time_limit, "
                "lower max_depth, or set binning",
                ConvergenceWarning,
                stacklevel=3,
            )
        return self

    def _progress(self, told):
        """What tells of the columns while they are tried."""

        def tell(column: int, columns: int, objective: float) -> None:
            if self.verbose:
                sys.stderr.write(f"first test in column {column} of {columns}: objective {objective:.6g}\n")
            told.done()
            told.go_on()

        return tell


class OptimalTreeClassifier(ClassifierMixin, _OptimalTree):
    """The tree with the fewest training errors of all trees of its depth, equation (1) of the module.

    Tests are x_j ≤ t for every t between two values, and one category against all others; what is missing goes to the
    better side. Meant for depths up to 4: the time grows like the number of thresholds to the power of the depth.

    Parameters
    ----------
    max_depth : int, default=2
        Most tests above a leaf.
    leaf_penalty : float, default=0.0
        λ, the share of errors that a further leaf must save.
    time_limit : float, optional
        Seconds; then the best tree so far is kept, with a ConvergenceWarning.
    binning : None, "auto" or int, default=None
        Try every threshold, or those between at most 255 bins of a column; "auto" does so above 20 000 rows.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Columns that are categories: by their type, or by names, numbers or a mask.
    categories : dict or list, optional
        Declared values of categories.
    unseen : {"missing", "error"}, default="missing"
        How to treat a value that `fit` did not see.
    verbose : int, default=0
        Whether to report the progress of the search on standard error. A keyboard interrupt ends the search and keeps
        the best tree so far, as with `time_limit`.

    Attributes
    ----------
    tree_ : gnomon.search.Tree
    objective_, lower_bound_ : float
        (1) of the tree, and a value that no tree of this depth goes below.
    proved_ : bool
        Whether they are equal.
    gap_ : float
        (objective − bound)/objective.
    n_sets_ : int
        How many sets of rows were searched.
    classes_ : ndarray
    feature_importances_ : ndarray of shape (n_features,)

    References
    ----------
    Aglin, G., Nijssen, S. & Schaus, P. (2020). Learning optimal decision trees using caching branch-and-bound search.
    doi:10.1609/aaai.v34i04.5711

    Demirović, E. et al. (2022). MurTree: optimal decision trees via dynamic programming and search. JMLR 23(26).

    Examples
    --------
    >>> from gnomon.trees import OptimalTreeClassifier
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1], [1, 1]], [0, 1, 1, 0, 1]
    >>> tree = OptimalTreeClassifier(max_depth=2).fit(X, y)
    >>> tree.objective_, tree.proved_, tree.get_n_leaves()
    (0.2, True, 3)
    """

    classes_: Array

    @timed
    def fit(self, X: TableLike | Sparse, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Minimise (1)."""
        coded, y = fitted_rows(self, X, y)
        self.classes_, index = as_classes(y)
        weights, criterion = tree_weights(sample_weight, coded), Misclassification(len(self.classes_))
        units = units_of(criterion, index, weights)
        weights = units.weights(weights)
        # The cost of a row is at most its weight.
        with fit_tasks(self, "column", X=X, y=y) as told:
            return self._search(coded, index, criterion, weights, weights, told, units)

    def predict_proba(self, X: TableLike | Sparse) -> Floats:
        """The class frequencies of the leaf of every row."""
        rows = self._rows(X)
        return self.tree_.predict(rows)

    def predict(self, X: TableLike | Sparse) -> Array:
        """The most frequent class of the leaf of every row."""
        shares = self.predict_proba(X)
        return self.classes_[np.argmax(shares, axis=1)]


class OptimalTreeRegressor(RegressorMixin, _OptimalTree):
    """The tree with the least squared training error of all trees of its depth, equation (1) of the module.

    Parameters
    ----------
    max_depth : int, default=2
        Most tests above a leaf.
    leaf_penalty : float, default=0.0
        λ, the mean squared error that a further leaf must save.
    time_limit : float, optional
        Seconds; then the best tree so far is kept, with a ConvergenceWarning.
    binning, categorical_features, categories, unseen, verbose
        As in `OptimalTreeClassifier`.

    Attributes
    ----------
    tree_ : gnomon.search.Tree
    objective_, lower_bound_, gap_ : float
    proved_ : bool
    n_sets_ : int
        As in `OptimalTreeClassifier`.
    feature_importances_ : ndarray of shape (n_features,)

    References
    ----------
    van den Bos, M., van der Linden, J. G. M. & Demirović, E. (2024). Piecewise constant and linear regression trees: an
    optimal dynamic programming approach. ICML 41.

    Examples
    --------
    >>> from gnomon.trees import OptimalTreeRegressor
    >>> X, y = [[1], [2], [3], [4], [5], [6]], [1.0, 1.0, 2.0, 8.0, 9.0, 10.0]
    >>> tree = OptimalTreeRegressor(max_depth=1).fit(X, y)
    >>> round(tree.objective_, 6), tree.predict([[2.5]]).round(6)
    (0.444444, array([1.333333]))
    """

    @timed
    def fit(self, X: TableLike | Sparse, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Minimise (1)."""
        coded, y = fitted_rows(self, X, y, y_numeric=True, multi_output=True)
        self._flat = np.ndim(y) == 1
        targets, weights = as_targets(y), tree_weights(sample_weight, coded)
        criterion = SquaredError.of(targets.shape[1])
        center = center_of(targets, weights, criterion)
        units = units_of(criterion, targets, weights)
        targets, weights = units.targets(targets - center), units.weights(weights)
        # An answer within the range of y costs a row at most its weight times the squared distance to the farther end.
        farthest = np.maximum(np.max(targets, axis=0) - targets, targets - np.min(targets, axis=0))
        row_bounds = weights * np.mean(farthest**2, axis=1)
        with fit_tasks(self, "column", X=X, y=y) as told:
            self._search(coded, targets, criterion, weights, row_bounds, told, units)
            self.tree_ = self.tree_.with_answers(self.tree_.answers + center)
        return self

    def predict(self, X: TableLike | Sparse) -> Floats:
        """The mean of the leaf of every row."""
        rows = self._rows(X)
        means = self.tree_.predict(rows)
        return means[:, 0] if self._flat else means

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
