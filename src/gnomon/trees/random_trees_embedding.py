"""Totally random trees as a code of rows, without labels.

    x → (leaf of x in tree 1, …, leaf of x in tree T), one-hot: exactly one 1 for each tree                       (1)

Every tree sees all rows and tests, at each node, one column drawn at random at a threshold drawn at random. Rows that
share many leaves are similar. Geurts, Ernst & Wehenkel (2006), doi:10.1007/s10994-006-6226-1; Moosmann, Triggs & Jurie
(2006), Fast discriminative visual codebooks using randomized clustering forests, NIPS 19.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import TransformerMixin
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import (
    Array,
    ArrayLike,
    Count,
    CountOrZero,
    Floats,
    NonNegative,
    RandomState,
    Sparse,
    TableLike,
    Verbosity,
)
from gnomon.base.callbacks import fit_tasks
from gnomon.base.coded_rows import CategoricalFeatures, Unseen, fitted_rows
from gnomon.base.parameters import store
from gnomon.numerics.domains import Categories
from gnomon.search import SquaredError
from gnomon.search.traverse import as_dense
from gnomon.trees._cost import timed
from gnomon.trees._forest import BaseForest
from gnomon.trees._growth import Binning, LeafCount, LeafShare, LeafSize, SplitSize
from gnomon.trees._targets import tree_weights
from gnomon.trees.decision_tree import DecisionTreeRegressor

__all__ = ["RandomTreesEmbedding"]


class RandomTreesEmbedding(TransformerMixin, BaseForest[DecisionTreeRegressor]):
    """One-hot codes of the leaves of totally random trees.

    The code has at most ``n_estimators · 2^max_depth`` columns. `apply` gives the leaves by number, `proximity` the
    share of leaves that rows have in common.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    max_depth : int, default=5
        Most tests above a leaf.
    min_samples_split, min_samples_leaf, min_weight_fraction_leaf, max_leaf_nodes, min_impurity_decrease
        As in `DecisionTreeRegressor`.
    sparse_output : bool, default=True
        Whether `transform` gives a sparse matrix.
    n_jobs : int, optional
        Threads, over trees; the trees are the same for any number.
    random_state : None, int, Generator or RandomState
        Tree t depends on it and on t alone.
    verbose : int, default=0
        Report trees as they are done.
    warm_start : bool, default=False
        Keep the trees of the last fit and add those that are missing.
    categorical_features, categories, unseen
        As in `DecisionTreeRegressor`.
    binning : None, "auto" or int, default="auto"
        As in `RandomForestClassifier`.

    Attributes
    ----------
    forest_ : gnomon.search.Forest
    estimators_ : list of DecisionTreeRegressor
    one_hot_encoder_ : OneHotEncoder
        From the leaves that `apply` gives to the code.
    n_features_in_, n_outputs_ : int

    References
    ----------
    Geurts, P., Ernst, D. & Wehenkel, L. (2006). Extremely randomized trees. doi:10.1007/s10994-006-6226-1

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.trees import RandomTreesEmbedding
    >>> X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
    >>> code = RandomTreesEmbedding(7, random_state=0).fit_transform(X)
    >>> code.sum(axis=1).tolist()
    [7.0, 7.0, 7.0, 7.0, 7.0]
    """

    _kind = DecisionTreeRegressor
    criterion, splitter, max_features, max_features_tree = "squared_error", "random", 1, None
    bootstrap, max_samples, oob_score, ccp_alpha = False, None, False, 0.0
    min_impurity, monotonic_cst, categorical_split = 0.0, None, "subset"

    _ask = "transform"

    def __init__(
        self,
        n_estimators: Count = 100,
        *,
        max_depth: CountOrZero | None = 5,
        min_samples_split: SplitSize = 2,
        min_samples_leaf: LeafSize = 1,
        min_weight_fraction_leaf: LeafShare = 0.0,
        max_leaf_nodes: LeafCount | None = None,
        min_impurity_decrease: NonNegative = 0.0,
        sparse_output: bool = True,
        n_jobs: int | None = None,
        random_state: RandomState = None,
        verbose: Verbosity = 0,
        warm_start: bool = False,
        categorical_features: CategoricalFeatures = "from_dtype",
        categories: Categories | None = None,
        unseen: Unseen = "missing",
        binning: Binning = "auto",
    ):
        store(self, locals())

    @timed
    def fit(self, X: TableLike | Sparse, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the trees; `y` is not read."""
        coded = fitted_rows(self, X, goes_on=self._continues())
        self._n_rows, self._flat = coded.shape[0], True
        with fit_tasks(self, "tree", self._new_trees(), X=X) as told:
            self._grow(coded, _noise(coded)[:, None], SquaredError(), tree_weights(sample_weight, coded), told)
        return self

    def fit_transform(self, X: TableLike | Sparse, y: object = None, sample_weight: ArrayLike | None = None) -> Any:
        """Grow the trees and give the code (1) of the rows."""
        return self.fit(X, y, sample_weight).transform(X)

    def transform(self, X: TableLike | Sparse) -> Any:
        """The code (1) of every row."""
        code = self.embed(X)
        return code if self.sparse_output else code.toarray()

    @property
    def one_hot_encoder_(self) -> OneHotEncoder:
        """From the leaves that `apply` gives to the code."""
        check_is_fitted(self, "forest_")
        leaves = [np.flatnonzero(self.forest_.tree(t).is_leaf) for t in range(len(self.forest_))]
        encoder = OneHotEncoder(categories=leaves, sparse_output=self.sparse_output)
        return encoder.fit([[some[0] for some in leaves]])

    def get_feature_names_out(self, input_features: object = None) -> Array:
        """Names of the columns of the code: randomtreesembedding_tree_leaf."""
        check_is_fitted(self, "forest_")
        leaves = (np.flatnonzero(self.forest_.tree(t).is_leaf) for t in range(len(self.forest_)))
        names = [f"randomtreesembedding_{t}_{leaf}" for t, some in enumerate(leaves) for leaf in some]
        return np.array(names, dtype=object)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags


def _noise(X: Any) -> Floats:
    """Pseudo-random targets, equal for equal rows: a node is pure exactly when all its rows are equal."""
    mixed = np.zeros(X.shape[0], dtype=np.uint64)
    columns = X.tocsc() if sparse.issparse(X) else X
    for j in range(X.shape[1]):
        x = np.ravel(as_dense(columns[:, [j]])).astype(float)
        # One bit pattern for every NaN, and one for 0 and −0.
        bits = np.where(np.isnan(x), np.nan, x + 0.0).view(np.uint64)
        mixed = (mixed ^ bits) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return (mixed >> np.uint64(11)) / 2.0**53
