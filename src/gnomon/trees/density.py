"""Density estimation by trees: the share of rows in a cell, divided by its volume.

    f(x) = (n_leaf / N) / V_leaf  inside a box, 0 outside;    of a forest the mean of its trees' densities          (1)

Ram & Gray (2011), Density estimation trees, doi:10.1145/2020408.2020507. Cells are split where the integrated squared
error falls most, at random, or by the tests of a tree that was grown for another purpose.
"""

from __future__ import annotations

from itertools import repeat
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np
from scipy.special import logsumexp
from sklearn.base import DensityMixin
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import ArrayLike, Count, CountOrZero, Floats, Integers, NonNegative, Positive, RandomState
from gnomon.base import validate_rows
from gnomon.base.callbacks import CallbackSupportMixin, fit_tasks
from gnomon.base.estimator import Estimator
from gnomon.base.parameters import store
from gnomon.numerics.parallel import map_chunks
from gnomon.numerics.random import check_rng, spawn_seeds
from gnomon.numerics.validation import check_integer
from gnomon.numerics.weights import check_weights
from gnomon.search import Bags, Tree, density_cells, grow_density_tree, measure_density, prune_tree
from gnomon.trees._cost import CostMixin, Member, TreeTimes, predict_by, timed
from gnomon.trees._growth import LeafCount, SplitterWord

__all__ = ["DensityForest", "DensityTree"]

Box: TypeAlias = tuple[ArrayLike, ArrayLike]
"""The low and the high corner; a number is the same for all columns."""


class LeafCells(NamedTuple):
    """Leaves of a density tree: corners `low` and `high`, `density` and `weight` of each."""

    low: Floats
    high: Floats
    density: Floats
    weight: Floats


class _Density(CostMixin, DensityMixin, Estimator):
    """Shared by tree and forest; `_log_densities` returns one column for each tree."""

    _ask = "score_samples"

    box_: tuple[Floats, Floats]
    n_features_in_: int

    def score_samples(self, X: ArrayLike) -> Floats:
        """The log density of every row; −∞ outside the box."""
        check_is_fitted(self, "box_")
        X = validate_rows(self, X, reset=False)
        each = self._log_densities(X)
        inside = np.all((self.box_[0] <= X) & (self.box_[1] >= X), axis=1)
        return np.where(inside, logsumexp(each, axis=1) - np.log(each.shape[1]), -np.inf)

    def score(self, X: ArrayLike, y: object = None) -> float:
        """The mean log density of the rows."""
        return float(np.mean(self.score_samples(X)))

    def sample(self, n_samples: int = 1, random_state: RandomState = None) -> Floats:
        """Rows drawn from the density: a tree, a leaf in proportion to its rows, and a point of its cell.

        Parameters
        ----------
        n_samples : int, default=1
        random_state : None, int, Generator or RandomState

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self, "box_")
        n = check_integer("n_samples", n_samples, 1)
        rng = check_rng(random_state)
        trees = self._trees()
        chosen = rng.integers(0, len(trees), n)
        out = np.empty((n, self.n_features_in_))
        for t in np.unique(chosen):
            rows = np.flatnonzero(chosen == t)
            cells = _leaf_cells(trees[t], self.box_)
            leaf = rng.choice(len(cells.weight), len(rows), p=cells.weight / np.sum(cells.weight))
            out[rows] = rng.uniform(cells.low[leaf], cells.high[leaf])
        return out

    def _prepared(self, X: ArrayLike, sample_weight: ArrayLike | None) -> tuple[Floats, Floats]:
        """Rows, their weights, and the box, which is set."""
        X = validate_rows(self, X)
        weights = check_weights(sample_weight, X).astype(float)
        self.box_ = _box(self.box, X[weights > 0.0].astype(float))
        return X.astype(float), weights

    def _grown(self, X: Floats, weights: Floats, seed: int, options: dict[str, Any]) -> Tree:
        """A tree, pruned as asked."""
        tree = grow_density_tree(X, *self.box_, sample_weight=weights, seed=seed, **options)
        return prune_tree(tree, self.ccp_alpha) if self.ccp_alpha > 0.0 else tree

    def _options(self) -> dict[str, Any]:
        depth, leaves = self.max_depth, self.max_leaf_nodes
        return {
            "splitter": self.splitter,
            "max_depth": None if depth is None else int(depth),
            "max_leaf_nodes": None if leaves is None else int(leaves),
            "min_weight_leaf": self.min_weight_leaf,
        }


class DensityTree(_Density):
    """A density that is constant in the cells of a tree, equation (1).

    Parameters
    ----------
    splitter : {"best", "random"}, default="best"
        Cuts that lower the integrated squared error most, or drawn at random.
    max_depth : int, optional
        Most tests above a leaf.
    min_weight_leaf : float, default=5.0
        Least weight of the rows of a leaf, their number if they have no weights.
    max_leaf_nodes : int, optional
        With it the node with the largest gain is divided first.
    ccp_alpha : float, default=0.0
        Cost-complexity pruning: the smallest subtree that minimises −Σ (n_l/N)²/V_l + α·leaves, with the volume of the
        box as unit.
    box : tuple (low, high) of numbers or arrays, optional
        Where the density may be positive; the range of the rows by default, and a unit around a constant column. The
        cells of another tree may need a wider one, if it cuts at the least value of a column.
    random_state : None, int, Generator or RandomState
        Draws random cuts.

    Attributes
    ----------
    tree_ : gnomon.search.Tree
        Its nodes answer with log densities.
    box_ : tuple of two ndarrays of shape (n_features,)
    n_features_in_ : int

    References
    ----------
    Ram, P. & Gray, A. G. (2011). Density estimation trees. doi:10.1145/2020408.2020507

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.trees import DensityTree
    >>> x = np.array([[0.1], [0.2], [0.3], [0.9]])
    >>> tree = DensityTree(min_weight_leaf=1, max_leaf_nodes=2, box=(0, 1)).fit(x)  # cut at 0.25
    >>> np.exp(tree.score_samples([[0.2], [0.7], [2.0]])).round(6)
    array([2.      , 0.666667, 0.      ])
    """

    tree_: Tree

    def __init__(
        self,
        *,
        splitter: SplitterWord = "best",
        max_depth: CountOrZero | None = None,
        min_weight_leaf: Positive = 5.0,
        max_leaf_nodes: LeafCount | None = None,
        ccp_alpha: NonNegative = 0.0,
        box: Box | None = None,
        random_state: RandomState = None,
    ):
        store(self, locals())

    @timed
    def fit(self, X: ArrayLike, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the tree; `y` is not read."""
        X, weights = self._prepared(X, sample_weight)
        seed = int(check_rng(self.random_state).integers(0, 2**63))
        self.tree_ = self._grown(X, weights, seed, self._options())
        return self

    @classmethod
    def of(
        cls, estimator: Any, X: ArrayLike, *, sample_weight: ArrayLike | None = None, box: Box | None = None
    ) -> Self:
        """The density of rows in the cells of a tree that was fitted for another purpose.

        Parameters
        ----------
        estimator : fitted tree
            With a `tree_` of tests x ≤ t.
        X : array-like of shape (n_samples, n_features)
        sample_weight : array-like of shape (n_samples,), optional
        box : as for the class

        Returns
        -------
        DensityTree
        """
        model = cls(box=box)
        X, weights = model._prepared(X, sample_weight)
        model.tree_ = measure_density(estimator.tree_, X, *model.box_, sample_weight=weights)
        return model

    def apply(self, X: ArrayLike) -> Integers:
        """The number of the leaf of every row."""
        check_is_fitted(self, "box_")
        return self.tree_.apply(validate_rows(self, X, reset=False))

    def cells(self) -> LeafCells:
        """The leaves: their corners `low` and `high`, their `density`, and the `weight` of their rows."""
        check_is_fitted(self, "box_")
        return _leaf_cells(self.tree_, self.box_)

    def _trees(self) -> list[Tree]:
        return [self.tree_]

    def _log_densities(self, X: Floats) -> Floats:
        return self.tree_.predict(X)


class DensityForest(CallbackSupportMixin, _Density):
    """The mean of the densities of many trees, equation (1).

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    splitter : {"random", "best"}, default="random"
        Cuts drawn at random, or those that lower the integrated squared error most; the latter need `bootstrap` to
        differ.
    max_depth, min_weight_leaf, max_leaf_nodes, ccp_alpha, box
        As in `DensityTree`.
    bootstrap : bool, default=False
        Draw the rows of every tree with replacement.
    n_jobs : int, optional
        Threads; the trees are the same for any number.
    random_state : None, int, Generator or RandomState
        Tree t depends on it and on t alone.

    Attributes
    ----------
    trees_ : list of gnomon.search.Tree
        Their nodes answer with log densities.
    box_ : tuple of two ndarrays of shape (n_features,)
    n_features_in_ : int

    References
    ----------
    Ram, P. & Gray, A. G. (2011). Density estimation trees. doi:10.1145/2020408.2020507

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.trees import DensityForest
    >>> X = np.random.default_rng(0).normal(size=(400, 2))
    >>> forest = DensityForest(30, random_state=0).fit(X)
    >>> middle, edge = forest.score_samples([[0.0, 0.0], [2.0, 2.0]])
    >>> bool(middle > edge + 1.0)
    True
    """

    trees_: list[Tree]

    def __init__(
        self,
        n_estimators: Count = 100,
        *,
        splitter: SplitterWord = "random",
        max_depth: CountOrZero | None = None,
        min_weight_leaf: Positive = 5.0,
        max_leaf_nodes: LeafCount | None = None,
        ccp_alpha: NonNegative = 0.0,
        box: Box | None = None,
        bootstrap: bool = False,
        n_jobs: int | None = None,
        random_state: RandomState = None,
    ):
        store(self, locals())

    @timed
    def fit(self, X: ArrayLike, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the trees; `y` is not read."""
        X, weights = self._prepared(X, sample_weight)
        seeds = spawn_seeds(self.random_state, int(self.n_estimators))
        bags = Bags(len(X), len(X) if self.bootstrap else None, seeds=tuple(seeds))
        options, times = self._options(), TreeTimes(bags, ())

        with fit_tasks(self, "tree", len(seeds), X=X) as told:

            def grow(t):
                tree = self._grown(X, weights * times.counts(t), seeds[t], options)
                times.stop()
                told.done()
                return tree

            self.trees_ = map_chunks(grow, range(len(seeds)), self.n_jobs)
        self._tree_seconds = [times.seconds[t] for t in range(len(seeds))]
        return self

    @classmethod
    def of(
        cls, estimator: Any, X: ArrayLike, *, sample_weight: ArrayLike | None = None, box: Box | None = None
    ) -> Self:
        """The mean density of rows in the cells of the trees of a forest that was fitted for another purpose.

        Parameters
        ----------
        estimator : fitted forest
            With a `forest_` of tests x ≤ t.
        X : array-like of shape (n_samples, n_features)
        sample_weight : array-like of shape (n_samples,), optional
        box : as for the class

        Returns
        -------
        DensityForest
        """
        model = cls(len(estimator.forest_), box=box)
        X, weights = model._prepared(X, sample_weight)
        trees = (estimator.forest_.tree(t) for t in range(len(estimator.forest_)))
        model.trees_ = [measure_density(tree, X, *model.box_, sample_weight=weights) for tree in trees]
        return model

    def _trees(self) -> list[Tree]:
        return self.trees_

    def _members(self) -> list[Member]:
        return [
            Member(tree, seconds, predict_by(tree, lambda X: validate_rows(self, X, reset=False)))
            for tree, seconds in zip(self.trees_, vars(self).get("_tree_seconds", repeat(np.nan)), strict=False)
        ]

    def _log_densities(self, X: Floats) -> Floats:
        return np.column_stack(map_chunks(lambda tree: tree.predict(X)[:, 0], self.trees_, self.n_jobs))


def _box(given: Box | None, X: Floats) -> tuple[Floats, Floats]:
    """Corners of the box as arrays."""
    low, high = np.min(X, axis=0), np.max(X, axis=0)
    if given is None:
        flat = high <= low
        return np.where(flat, low - 0.5, low), np.where(flat, high + 0.5, high)
    lowest, highest = (np.broadcast_to(np.asarray(side, dtype=float), low.shape).copy() for side in given)
    if not np.all(lowest < highest):
        raise ValueError(f"box={given!r} has a side with low ≥ high; give (low, high) with low < high")
    outside = np.flatnonzero((low < lowest) | (high > highest))
    if len(outside):
        j = outside[0]
        raise ValueError(f"X has rows outside box={given!r}: column {j} ranges from {low[j]:g} to {high[j]:g}; "
                         "widen the box, or drop the rows")  # fmt: skip
    return lowest, highest


def _leaf_cells(tree: Tree, box: tuple[Floats, Floats]) -> LeafCells:
    cells, leaf = density_cells(tree, *box), tree.is_leaf
    return LeafCells(cells.low[leaf], cells.high[leaf], np.exp(tree.answers[leaf, 0]), tree.weight[leaf])
