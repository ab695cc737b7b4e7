"""Leaves, proximities, importances and cost of a grown forest.

    row → its leaves → one-hot code Z → P = Z Zᵀ / T                                                                 (1)

Breiman (2001), doi:10.1023/A:1010933404324. A forest does not store its rows, so methods that need to know which rows a
tree has seen take the rows of `fit` again.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse import csr_array
from sklearn.utils import Tags
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from gnomon._typing import ArrayLike, Floats, Integers, Matrix, RandomState, Sparse, TableLike
from gnomon.base.coded_rows import new_rows
from gnomon.base.estimator import Estimator
from gnomon.numerics.validation import check_choice, check_integer
from gnomon.search import Forest, Importances, forest_importance
from gnomon.search.importance import IMPORTANCES
from gnomon.search.traverse import as_dense
from gnomon.trees._cost import CostMixin, Member, predict_by
from gnomon.trees._fill import fill_values
from gnomon.trees._out_of_bag import permutation_importance
from gnomon.trees._outputs import check_answers
from gnomon.trees._proximity import outlyingness, prototype_rows, proximities
from gnomon.trees._reading import ForestReadingMixin, ImportanceKind

__all__ = ["GrownForest", "TreeAnswers", "tree_answers"]


class TreeAnswers(NamedTuple):
    """The answers of the trees of a forest: `each`, and their `mean` and `std`."""

    each: Floats
    mean: Floats
    std: Floats


class GrownForest(CostMixin, ForestReadingMixin, Estimator):
    """The methods of an estimator with `forest_`, `coding_`, the bags of its `_n_rows` rows, `_truth(y)`, `_loss`."""

    _tree_seconds: list[float]

    def check_consistent(self) -> None:
        """Refuse trees of other columns or classes than those of the model."""
        if "forest_" in vars(self):
            check_answers(self, self.forest_.whole)

    def _rows(self, X: TableLike | Sparse) -> Any:
        """New rows as numbers."""
        if "forest_" not in vars(self):
            check_is_fitted(self, "forest_")
        return new_rows(self, X)

    def _means(self, X: TableLike | Sparse) -> Floats:
        rows = self._rows(X)
        return self._voters.sum(rows, self.n_jobs) / len(self.forest_)

    def _training_rows(self, X: TableLike | Sparse, what: str) -> Any:
        """X as numbers, which must be the rows of `fit`; and the bags of these."""
        X = self._rows(X)
        if not self._bags.all_drawn:
            raise ValueError(f"{what} needs rows out of bag, and every tree has seen all; fit with bootstrap=True")
        if not self._bags.same_rows:
            raise ValueError(f"{what} asks which rows each tree has seen, and warm_start kept trees of a fit to other "
                             "rows; fit all trees to the same")  # fmt: skip
        if X.shape[0] != self._n_rows:
            raise ValueError(f"{what} needs the {self._n_rows} rows of fit, because it asks which trees have seen "
                             f"them; X has {X.shape[0]}")  # fmt: skip
        return X

    def apply(self, X: TableLike | Sparse) -> Integers:
        """The number of the leaf of every row in every tree, shape (n_samples, n_estimators)."""
        rows = self._rows(X)
        return self.forest_.leaves(rows, self.n_jobs)

    def decision_path(self, X: TableLike | Sparse) -> tuple[csr_array, Integers]:
        """A sparse matrix that marks the nodes on the paths of every row, and where each tree begins in it."""
        rows = self._rows(X)
        trees = [self.forest_.tree(t) for t in range(len(self.forest_))]
        return sparse.hstack([tree.decision_path(rows) for tree in trees], format="csr"), self.forest_.roots

    def embed(self, X: TableLike | Sparse) -> csr_array:
        """The leaves of every row as a sparse one-hot code: exactly one 1 for each tree."""
        rows = self._rows(X)
        return self.forest_.code(rows, self.n_jobs)

    def proximity(
        self,
        X: TableLike | Sparse,
        Y: TableLike | Sparse | None = None,
        *,
        oob: bool = False,
        max_dense: int = 10_000,
        top: int = 100,
    ) -> Any:
        """The share of trees in which two rows are in one leaf.

        Parameters
        ----------
        X : table of n rows
        Y : table of m rows, optional
            X itself by default.
        oob : bool, default=False
            Count only the trees that have seen neither of the two rows, which must be those of `fit`; NaN where there
            is no such tree.
        max_dense : int, default=10_000
            Above so many rows the matrix is sparse, with the `top` largest entries of each row.
        top : int, default=100

        Returns
        -------
        ndarray or csr_array of shape (n, m)
        """
        if not oob:
            Z = self.embed(X)
            return proximities(Z, Z if Y is None else self.embed(Y), T=len(self.forest_), max_dense=max_dense, top=top)
        if Y is not None:
            raise ValueError("oob=True compares the rows of fit with each other; leave Y out")
        rows = self._training_rows(X, "oob=True")
        Z = self.forest_.code(rows, self.n_jobs)
        seen = np.array([self._bags.counts(t)[: self._n_rows] > 0.0 for t in range(len(self.forest_))]).T
        return proximities(Z, Z, T=len(self.forest_), seen=seen, max_dense=max_dense, top=top)

    def outlier_score(self, X: TableLike | Sparse, y: ArrayLike | None = None) -> Floats:
        """How far every row is from the others of its class, n_c / Σ P_ij² over these, around 0 with spread 1.

        Parameters
        ----------
        X : table of n rows
        y : array-like of shape (n,), optional
            Classes; without it all rows are of one.

        Returns
        -------
        ndarray of shape (n,)
            Above 10 a row is commonly called an outlier.
        """
        Z = self.embed(X)
        return outlyingness(Z, len(self.forest_), _index(y, Z.shape[0])[1])

    def prototypes(
        self, X: TableLike | Sparse, y: ArrayLike | None = None, *, n_neighbors: int | None = None
    ) -> dict[Any, list[Any]]:
        """A typical row of every class: the medians (of categories the most frequent value) around its centre.

        The centre is the row whose `n_neighbors` nearest rows, by proximity, hold the most of its class.

        Parameters
        ----------
        X : table of n rows
        y : array-like of shape (n,), optional
            Classes; without it all rows are of one.
        n_neighbors : int, optional
            √n by default.

        Returns
        -------
        dict
            From each class to one value for every column.
        """
        rows = as_dense(self._rows(X))
        classes, index = _index(y, len(rows))
        k = int(np.sqrt(len(rows))) if n_neighbors is None else n_neighbors
        near = prototype_rows(self.forest_.code(rows), len(self.forest_), index, check_integer("n_neighbors", k, 1))
        middles = [fill_values(rows[some], self.coding_.category, "median", np.ones(len(some))) for some in near]
        return {label: self.coding_.labels(middle) for label, middle in zip(classes, middles, strict=True)}

    def importance(
        self,
        kind: ImportanceKind | Literal["oob_permutation"] = "impurity",
        X: TableLike | Sparse | None = None,
        y: ArrayLike | None = None,
        *,
        random_state: RandomState = None,
    ) -> Importances:
        """The importance of each column for the trees.

        Parameters
        ----------
        kind : {"samples", "tests", "depth", "impurity", "oob_permutation"}, default="impurity"
            The first four as for a tree; "oob_permutation": by how much the error of a tree on its out-of-bag rows
            rises when the column is permuted among them (share of wrong rows, or mean squared error).
        X, y : the rows of `fit`
            For "oob_permutation" only, because the forest does not store them.
        random_state : None, int, Generator or RandomState
            Draws the permutations.

        Returns
        -------
        Importances
            `mean` and `std` over the trees.
        """
        check_is_fitted(self, "forest_")
        check_choice("kind", kind, (*IMPORTANCES, "oob_permutation"))
        if kind != "oob_permutation":
            return forest_importance([self.forest_.tree(t) for t in range(len(self.forest_))], kind)
        if X is None or y is None:
            raise ValueError("kind='oob_permutation' needs the rows of fit; give X and y")
        rows, truth = self._training_rows(X, "kind='oob_permutation'"), self._truth(y)
        return permutation_importance(
            self.forest_, self._bags, rows, truth, self._loss, random_state=random_state, n_jobs=self.n_jobs
        )

    def staged_errors(self, X: TableLike | Sparse, y: ArrayLike) -> Floats:
        """The error on rows after 1, 2, … trees: the share of wrong ones, or the mean squared error.

        Parameters
        ----------
        X, y : table and targets

        Returns
        -------
        ndarray of shape (n_estimators,)
        """
        leaves, truth, answers = self.apply(X), self._truth(y), self._voters.whole.answers
        total, errors = np.zeros((len(leaves), answers.shape[1])), np.empty(len(self.forest_))
        for t in range(len(errors)):
            total += answers[self.forest_.roots[t] + leaves[:, t]]
            errors[t] = self._loss(truth, total / (t + 1))
        return errors

    def _members(self) -> list[Member]:
        trees = map(self.forest_.tree, range(len(self.forest_)))
        return [
            Member(tree, seconds, predict_by(tree, self._rows))
            for tree, seconds in zip(trees, self._tree_seconds, strict=True)
        ]

    def __len__(self) -> int:
        return len(self.forest_)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


def tree_answers(forest: Forest, X: Matrix, n_jobs: int | None = None) -> TreeAnswers:
    """The answer of every tree at every row."""
    leaves = forest.leaves(X, n_jobs)
    each = forest.whole.answers[leaves + forest.roots[:-1]].swapaxes(0, 1)
    return TreeAnswers(each, np.mean(each, axis=0), np.std(each, axis=0))


def _index(y: ArrayLike | None, n: int) -> tuple[list[Any], Integers]:
    if y is None:
        return [None], np.zeros(n, dtype=int)
    check_consistent_length(y, np.empty(n))
    classes, index = np.unique(y, return_inverse=True)
    return classes.tolist(), index
