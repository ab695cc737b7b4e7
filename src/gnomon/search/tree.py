"""A fitted tree as flat arrays, in preorder.

    node → its first child is node + 1, each next child begins where the subtree before it ends                    (1)

A numeric test sends x_j ≤ t to the first child and all else to the second. Every other test (a set of categories, one
branch per category, three ways, a weighted sum of columns) has the threshold NaN, which no number passes, and is
looked up in `tests`. All trees of the library (single, in forests, boosted, drawn by hand) have this form: Breiman et
al. (1984), doi:10.1201/9781315139470; preorder: Knuth, The Art of Computer Programming 1, §2.3.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import DTypeLike
from scipy import sparse

from gnomon._jit import jit_no_alloc
from gnomon._typing import Array, ArrayLike, Bools, Floats, Integers, Matrix, NDArray
from gnomon.search.traverse import leaves_of
from gnomon.search.walk import leaf_weights

__all__ = ["LEAF", "NODE", "Tests", "Tree"]

LEAF = -2
"""The feature of a node that tests none."""

NODE = np.dtype([("threshold", np.float64), ("feature", np.int32), ("right", np.int32)])
"""What prediction reads at a node: 16 bytes, so that a step down a tree touches one cache line."""

OBLIQUE, FEWEST = 2, np.array([0, 3, 1])
"""The kind of oblique tests; the fewest entries that a test of each kind has."""

FIELDS = ("nodes", "answers", "impurity", "weight", "n_rows", "missing", "ends")
"""What a tree has of each node."""

Entries: TypeAlias = Sequence[float] | Array

PackedTest: TypeAlias = tuple[int, Entries, Entries, Entries]
"""(kind, cells, branches, coefs) of a test, as `Tests` keeps it."""


class Tests(NamedTuple):
    """Tests other than x_j ≤ t. `which` gives for every node the number of its test, −1 if it has none of these.

    Test k owns the entries ``starts[k]:starts[k + 1]`` of `cells`, `branches` and `coefs`. By ``kinds[k]``:

    - 0, a table: code ``cells[i]`` (ascending) of the column goes to branch ``branches[i]``;
    - 1, three ways: x < t, x = t, x > t with t = ``coefs[0]`` go to ``branches[0:3]``, −1 where there was no row;
    - 2, oblique: branch 0 if Σ_i coefs[i] x[cells[i]] ≤ t; the last entry holds t and no column.

    Parameters
    ----------
    which : ndarray of int of shape (n_nodes,)
    kinds : ndarray of int of shape (n_tests,)
    starts : ndarray of int of shape (n_tests + 1,)
    cells, branches : ndarray of int of shape (n_entries,)
    coefs : ndarray of shape (n_entries,)

    References
    ----------
    Murthy, S. K., Kasif, S. & Salzberg, S. (1994). A system for induction of oblique decision trees. arXiv:cs/9408103

    Examples
    --------
    >>> from gnomon.search import Tests
    >>> Tests.none(3).which
    array([-1, -1, -1], dtype=int32)
    """

    which: Integers
    kinds: Integers
    starts: Integers
    cells: Integers
    branches: Integers
    coefs: Floats

    @classmethod
    def none(cls, n_nodes: int) -> Self:
        """No such test among `n_nodes` nodes, which takes no memory."""
        # Written out, as it is done for every tree of an ensemble; bytes cannot be written.
        which: Integers = np.ndarray(n_nodes, np.int32, _NO_TEST, strides=(0,))
        kinds, starts, cells = np.empty(0, dtype=np.int8), np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.int64)
        return cls(which, kinds, starts, cells, np.empty(0, dtype=np.int32), np.empty(0))

    @classmethod
    def of(cls, which: ArrayLike, tests: Sequence[PackedTest]) -> Self:
        """Pack a list of (kind, cells, branches, coefs)."""
        starts = np.concatenate([[0], np.cumsum([len(cells) for _, cells, _, _ in tests])]).astype(np.int64)
        return cls(
            np.asarray(which, dtype=np.int32),
            np.array([kind for kind, _, _, _ in tests], dtype=np.int8),
            starts,
            _joined([cells for _, cells, _, _ in tests], np.int64),
            _joined([branches for _, _, branches, _ in tests], np.int32),
            _joined([coefs for _, _, _, coefs in tests], np.float64),
        )

    @property
    def used(self) -> Self | None:
        """The same, or None where there are none, so that kernels are compiled without them."""
        return self if len(self.kinds) > 0 else None

    def largest_branches(self, n_nodes: int, n_features: int) -> Integers:
        """The largest branch that each test names; tests that would be read outside their arrays are refused."""
        n, size = len(self.kinds), len(self.cells)
        if self.which.shape != (n_nodes,) or self.starts.shape != (n + 1,) or self.starts[0] != 0:
            raise ValueError(f"the tests of a tree are not those of {n_nodes} nodes")
        sizes, kinds = np.diff(self.starts), self.kinds
        if np.any((kinds < 0) | (kinds >= len(FEWEST))):
            raise ValueError("the tests of a tree are of kinds that there are not")
        if np.any(self.which >= n) or np.any(sizes < 0) or self.starts[-1] != size:
            raise ValueError(f"nodes of a tree have tests beyond the {n} that it holds")
        if self.branches.shape != (size,) or self.coefs.shape != (size,) or np.any(sizes < FEWEST[kinds]):
            raise ValueError("the tests of a tree have too few entries")
        test, most = np.repeat(np.arange(n), sizes), np.full(n, -1)
        columns = self.cells[(kinds[test] == OBLIQUE) & (np.arange(size) + 1 != self.starts[1:][test])]
        if np.any((columns < 0) | (columns >= n_features)):
            raise ValueError(f"a tree adds columns beyond the {n_features} that it has")
        np.maximum.at(most, test, self.branches)
        return np.where(kinds == OBLIQUE, 1, most)

    def test(self, k: int) -> tuple[int, Integers, Integers, Floats]:
        """(kind, cells, branches, coefs) of test k."""
        part = slice(self.starts[k], self.starts[k + 1])
        return int(self.kinds[k]), self.cells[part], self.branches[part], self.coefs[part]


_NO_TEST = np.int32(-1).tobytes()
"""`Tests.which` of a node that has none."""


def _joined(parts: Sequence[Entries], dtype: DTypeLike) -> Array:
    return np.concatenate([np.asarray(part, dtype=dtype) for part in parts]) if parts else np.zeros(0, dtype=dtype)


@dataclass(frozen=True, eq=False)
class Tree:
    """A tree: `nodes` and `missing` say where a row goes, `answers` what a node predicts.

    Parameters
    ----------
    nodes : ndarray of dtype `NODE`, shape (n_nodes,)
        Threshold, feature (−2 in a leaf) and second child of every node, in preorder.
    answers : ndarray of shape (n_nodes, n_answers)
        Class frequencies, means, or what else a node predicts.
    impurity, weight : ndarray of shape (n_nodes,)
        H(node) and the weight of its rows.
    n_rows : ndarray of int of shape (n_nodes,)
        Rows of positive weight.
    missing : ndarray of int of shape (n_nodes,)
        The branch of rows whose value is missing or was not seen; −1: they stop at the node.
    ends : ndarray of int of shape (n_nodes,)
        The node after the subtree of each node.
    n_features : int
    tests : Tests
    extra : dict of ndarray
        What a splitter adds: surrogate tests, models of leaves.
    class_counts : tuple of int, default=()
        How many classes each output has, where answers are their frequencies, as many for each output as the largest
        of these; empty where answers are numbers.

    References
    ----------
    Breiman, L., Friedman, J., Stone, C. J. & Olshen, R. A. (1984). Classification and Regression Trees.
    doi:10.1201/9781315139470

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import Gini, code_columns, grow_tree
    >>> x, y = np.arange(1.0, 9.0)[:, None], np.array([0, 0, 0, 1, 0, 1, 1, 1])
    >>> tree = grow_tree(code_columns(x), y, Gini(2))
    >>> tree.n_leaves, tree.threshold[tree.feature >= 0].tolist()
    (4, [3.5, 5.5, 4.5])
    >>> tree.predict(np.array([[2.0], [5.0]])).argmax(axis=1)
    array([0, 0])
    """

    nodes: NDArray[np.void]
    answers: Floats
    impurity: Floats
    weight: Floats
    n_rows: Integers
    missing: Integers
    ends: Integers
    n_features: int
    tests: Tests
    extra: dict[str, Array] = field(default_factory=dict)
    class_counts: tuple[int, ...] = ()

    @property
    def feature(self) -> Integers:
        """The column that each node tests; −2 in a leaf."""
        return self.nodes["feature"]

    @property
    def threshold(self) -> Floats:
        """The largest value that goes left; −2 in a leaf, NaN for tests of another kind."""
        return self.nodes["threshold"]

    @property
    def node_count(self) -> int:
        """Number of nodes."""
        return len(self.nodes)

    @property
    def n_outputs(self) -> int:
        """How many targets each answer is about."""
        return len(self.class_counts) or self.answers.shape[1]

    @property
    def n_classes(self) -> Integers:
        """The number of classes of each output; one where it is a number."""
        return np.array(self.class_counts or (1,) * self.n_outputs)

    @property
    def max_n_classes(self) -> int:
        """The largest of these."""
        return int(np.max(self.n_classes))

    @property
    def value(self) -> Floats:
        """The answers by node, output and class."""
        return self.answers.reshape(self.node_count, self.n_outputs, self.max_n_classes)

    @property
    def is_leaf(self) -> Bools:
        """Which nodes test nothing."""
        return self.feature == LEAF

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int(np.sum(self.is_leaf))

    @property
    def children_left(self) -> Integers:
        """The first child of each node; −1 in a leaf."""
        return np.where(self.is_leaf, -1, np.arange(1, self.node_count + 1))

    @property
    def children_right(self) -> Integers:
        """The second child of each node; −1 in a leaf."""
        return np.where(self.is_leaf, -1, self.nodes["right"])

    @property
    def n_node_samples(self) -> Integers:
        """Rows of positive weight at each node."""
        return self.n_rows.astype(np.int64)

    @property
    def weighted_n_node_samples(self) -> Floats:
        """Weight of the rows at each node."""
        return self.weight

    @property
    def missing_go_to_left(self) -> Bools:
        """Whether a missing value goes to the first child."""
        return (self.missing == 0) & ~self.is_leaf

    def children(self, node: int) -> list[int]:
        """The children of a node, in the order of its branches."""
        found = []
        if self.feature[node] != LEAF:
            child = node + 1
            while child < self.ends[node]:
                found.append(child)
                child = int(self.ends[child])
        return found

    @cached_property
    def parent(self) -> Integers:
        """The node above each node; −1 above the root."""
        parent = np.full(self.node_count, -1)
        _fill_parents(self.ends, parent)
        return parent

    @cached_property
    def depth(self) -> Integers:
        """How many tests lead to each node."""
        depth = np.zeros(self.node_count, dtype=np.int64)
        _fill_depths(self.parent, depth)
        return depth

    @property
    def max_depth(self) -> int:
        """The depth of the deepest leaf."""
        return int(np.max(self.depth))

    @property
    def gain(self) -> Floats:
        """H(node) − Σ (n_c / n) H(c); zero in a leaf. With missing values in parts, that of the known rows."""
        if "gain" in self.extra:
            return np.where(self.is_leaf, 0.0, self.extra["gain"])
        below = np.zeros(self.node_count)
        np.add.at(below, self.parent[1:], (self.weight * self.impurity)[1:])
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(self.is_leaf, 0.0, self.impurity - below / self.weight)

    def apply(self, X: Matrix) -> Integers:
        """The leaf of every row of X, numbers with NaN where missing and categories as codes."""
        if "surrogates" in self.extra:
            return leaf_weights(self, X).indices.astype(np.int64)
        return leaves_of(self, X)

    def predict(self, X: Matrix) -> Floats:
        """The answer of the leaf of every row; of rows that go down several branches, the weighted sum of answers."""
        if "fractional" in self.extra:
            return leaf_weights(self, X) @ self.answers
        return self.answers[self.apply(X)]

    def decision_path(self, X: Matrix) -> sparse.csr_matrix:
        """A sparse matrix that marks for each row the nodes it passes."""
        leaf = self.apply(X)
        paths = [self.path(node) for node in range(self.node_count)]
        counts = np.array([len(paths[node]) for node in leaf])
        indices = np.concatenate([paths[node] for node in leaf]) if len(leaf) else np.zeros(0, dtype=int)
        starts = np.concatenate([[0], np.cumsum(counts)])
        shape = (len(leaf), self.node_count)
        return sparse.csr_matrix((np.ones(len(indices), dtype=np.int64), indices, starts), shape=shape)

    def path(self, node: int) -> list[int]:
        """The nodes from the root to `node`."""
        path = [node]
        while self.parent[path[-1]] >= 0:
            path.append(int(self.parent[path[-1]]))
        return path[::-1]

    def with_answers(self, answers: Floats) -> Self:
        """The same tree with other answers."""
        return replace(self, answers=answers)

    def check_consistent(self) -> None:
        """Refuse arrays that are no tree, or no trees one after the other: kernels read them as they are.

        Examples
        --------
        >>> import numpy as np
        >>> from dataclasses import replace
        >>> from gnomon.search import Gini, code_columns, grow_tree
        >>> tree = grow_tree(code_columns(np.arange(4.0)[:, None]), np.array([0, 0, 1, 1]), Gini(2))
        >>> tree.check_consistent()
        >>> replace(tree, n_features=0).check_consistent()
        Traceback (most recent call last):
        ValueError: node 0 of a tree tests column 0 of 0
        """
        n, outputs = self.node_count, self.answers.shape[1:]
        if self.nodes.dtype != NODE or any(getattr(self, name).shape[:1] != (n,) for name in FIELDS):
            raise ValueError(f"the fields of a tree are not those of {n} nodes")
        if len(outputs) != 1 or (self.class_counts and outputs[0] != len(self.class_counts) * self.max_n_classes):
            raise ValueError(f"the answers of a tree have the shape {self.answers.shape}")
        most = self.tests.largest_branches(n, self.n_features)
        node, fault = _first_fault(self.nodes, self.missing, self.ends, self.tests.which, most, self.n_features)
        if fault == _COLUMN:
            raise ValueError(f"node {node} of a tree tests column {self.feature[node]} of {self.n_features}")
        if fault != _NONE:
            raise ValueError(f"the {_FAULTS[fault]} of node {node} of a tree lie outside the tree")

    def compute_feature_importances(self, normalize: bool = True) -> Floats:
        """Σ over nodes testing j of (n / N) · gain, by default divided by the sum."""
        inner = np.flatnonzero(~self.is_leaf)
        total = np.zeros(self.n_features)
        np.add.at(total, self.feature[inner], (self.weight * self.gain)[inner] / self.weight[0])
        return total / np.sum(total) if normalize and np.sum(total) > 0.0 else total


_NONE, _COLUMN, _CHILDREN, _BRANCHES = range(4)
_FAULTS = {_CHILDREN: "children", _BRANCHES: "branches"}


@jit_no_alloc
def _first_fault(nodes, missing, ends, which, most, n_features):
    """The first node that a descent would leave its tree at, and what is wrong with it."""
    root = 0
    while root < len(nodes):
        size = ends[root]
        if size < 1 or size > len(nodes) - root:
            return root, _CHILDREN
        for k in range(size):
            node, end = nodes[root + k], ends[root + k]
            if end <= k or end > size:
                return root + k, _CHILDREN
            if node["feature"] == LEAF:
                if end != k + 1:
                    return root + k, _CHILDREN
                continue
            if node["feature"] < 0 or node["feature"] >= n_features:
                return root + k, _COLUMN
            child, branches = k + 1, 0
            while child < end:
                after = ends[root + child]
                if after <= child or after > end or (branches == 1 and node["right"] != child):
                    return root + k, _CHILDREN
                child, branches = after, branches + 1
            test = which[root + k]
            named = missing[root + k] if test < 0 else max(missing[root + k], most[test])
            if branches < 2 or named >= branches:
                return root + k, _BRANCHES
        root += size
    return root, _NONE


@jit_no_alloc
def _fill_parents(ends, parent):
    for node in range(len(ends)):
        child = node + 1
        while child < ends[node]:
            parent[child] = node
            child = ends[child]


@jit_no_alloc
def _fill_depths(parent, depth):
    for node in range(1, len(parent)):
        depth[node] = depth[parent[node]] + 1
