"""Many trees from resampled rows, and their sum.

    F(x) = Σ_t answer of the leaf of x in tree t                                                                  (1)

Tree t depends on its seed alone, never on the other trees or on threads. Breiman (2001), doi:10.1023/A:1010933404324.
The trees are stored one after the other in one set of arrays; many rows descend a tree together, so that a node is
loaded once for all that pass it.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from joblib import effective_n_jobs
from scipy import sparse

from gnomon._typing import Array, Floats, Integers, Matrix
from gnomon.numerics.parallel import map_chunks
from gnomon.search._criterion import Criterion
from gnomon.search._grow import Grower, grow_tree, rows_of
from gnomon.search._growers import applicable_growers
from gnomon.search._record_splitter import Records
from gnomon.search.columns import Columns
from gnomon.search.grow_general import grow_general_tree
from gnomon.search.traverse import AnswerSums, LeafNumbers, block_of, find_leaves_of_block, pieces
from gnomon.search.tree import FIELDS, LEAF, Tests, Tree

__all__ = ["Bags", "Forest", "grow_forest"]

TREE_GROUPS = 4
"""Groups of trees whose answers are summed separately, for threads."""

RESERVE = 1.25
"""How much more is reserved than trees like those so far would take: untouched pages cost nothing."""

SERIAL_UP_TO = 5000
"""Rows times trees up to which one thread is faster than several."""


class RowBags(Protocol):
    """The rows of many trees: a seed for each, and how often each row is in its bag."""

    @property
    def seeds(self) -> Sequence[int]:
        """One for each tree."""

    def counts(self, t: int) -> Floats:
        """How often each row is in the bag of tree t."""


@dataclass(frozen=True)
class Bags:
    """Which rows each tree sees: `size` rows drawn from n with replacement, or without, or all if `size` is None.

    Parameters
    ----------
    n : int
        Number of rows.
    size : int or None
        Rows drawn for each tree.
    replace : bool, default=True
    seeds : tuple of int
        One for each tree.

    References
    ----------
    Breiman, L. (1996). Bagging predictors. doi:10.1007/BF00058655

    Examples
    --------
    >>> from gnomon.search import Bags
    >>> bags = Bags(5, 5, seeds=(1, 2))
    >>> int(bags.counts(0).sum()), int(Bags(5, None, seeds=(1,)).counts(0).sum())
    (5, 5)
    """

    n: int
    size: int | None
    replace: bool = True
    seeds: tuple[int, ...] = ()

    def counts(self, t: int) -> Floats:
        """How often each row is in the bag of tree t."""
        if self.size is None:
            return np.ones(self.n)
        drawn = np.random.default_rng(self.seeds[t])
        rows = drawn.integers(0, self.n, self.size) if self.replace else drawn.permutation(self.n)[: self.size]
        return np.bincount(rows, minlength=self.n).astype(float)


def grow_forest(
    columns: Columns,
    y: Array,
    criterion: Criterion,
    bags: RowBags,
    *,
    weights: Callable[[Floats], Floats] | None = None,
    features: Callable[[int], Integers] | None = None,
    after: Forest | None = None,
    finish: Callable[[Tree], Tree] | None = None,
    n_jobs: int | None = None,
    progress: Callable[[int, Tree], object] | None = None,
    **options: Any,
) -> Forest:
    """Grow a tree for each seed of `bags`.

    An interrupt ends the growing, not the work done: the trees before the first unfinished one are returned.

    Parameters
    ----------
    columns, y, criterion
        As in `grow_tree`.
    bags : Bags
        The rows of each tree; or another object with `seeds` and `counts`.
    weights : callable counts → weights, optional
        From how often rows are in the bag to the weights of the tree; the counts themselves by default.
    features : callable seed → array of columns, optional
        The columns that a tree may test; all by default.
    after : Forest, optional
        The first trees, which exist already.
    finish : callable Tree → Tree, optional
        What is done with a tree that is grown.
    n_jobs : int, optional
        Threads.
    progress : callable (number, Tree), optional
        Called with each tree once it and all before it are done.
    **options
        Passed to `grow_tree`.

    Returns
    -------
    Forest

    References
    ----------
    Breiman, L. (2001). Random forests. doi:10.1023/A:1010933404324

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import Bags, Gini, code_columns, grow_forest
    >>> x, y = np.arange(8.0)[:, None], np.array([0, 0, 0, 0, 1, 1, 1, 1], dtype=np.int32)
    >>> forest = grow_forest(code_columns(x), y, Gini(2), Bags(8, 8, seeds=(1, 2, 3)))
    >>> len(forest)
    3
    """
    records, kept = Records(columns, y), threading.local()
    joined = _Joined(len(bags.seeds), after)
    first = len(joined)
    waiting, lock = {}, threading.Lock()
    compiled = "grow_tree" in applicable_growers(criterion)
    tell = progress or (lambda t, tree: None)

    def work(t):
        counts, seed = bags.counts(t), bags.seeds[t]
        w = counts if weights is None else weights(counts)
        if features is not None or not compiled:
            tree = _grow_one(columns, y, criterion, features, sample_weight=w, seed=seed, **options)
        else:
            if not hasattr(kept, "grower"):
                # Fresh memory costs page faults: a thread grows all its trees in the same arrays.
                n = columns.n_samples
                kept.grower = Grower(columns, y, criterion, np.empty(n), most_rows=n, records=records, **options)
                kept.w = None
            if w is not kept.w:
                kept.w, kept.grower.w[:], kept.rows = w, w, rows_of(w)
            tree, _ = kept.grower.grow(kept.rows, seed)
        tree = tree if finish is None else finish(tree)
        with lock:
            waiting[t] = tree
            while (next_one := len(joined)) in waiting:
                joined.put([waiting[next_one]])
                tell(next_one, waiting.pop(next_one))

    try:
        map_chunks(work, range(first, len(bags.seeds)), n_jobs)
    except KeyboardInterrupt:
        if len(joined) == first:
            raise
    return joined.forest()


class _Joined:
    """Trees one after the other in one set of arrays; the trees themselves need not be kept.

    Memory is reserved for `expected` trees like those so far.
    """

    def __init__(self, expected, forest=None):
        self.expected, self.model, self.roots, self.arrays, self.tests = expected, None, [0], {}, []
        if forest is not None:
            self.put([forest.whole])
            self.roots = forest.roots.tolist()

    def __len__(self):
        return len(self.roots) - 1

    def put(self, trees):
        """Put trees after those that are there."""
        ends = self.roots[-1] + np.cumsum([tree.node_count for tree in trees])
        here = slice(self.roots[-1], int(ends[-1]))
        self._reserve(trees[0], here.stop, len(self) + len(trees))
        for name in FIELDS:
            np.concatenate([getattr(tree, name) for tree in trees], out=self.arrays[name][here])
        self.tests += [
            (end - tree.node_count, tree.tests)
            for tree, end in zip(trees, ends, strict=True)
            if len(tree.tests.kinds) > 0
        ]
        # Last, so that an interrupt leaves no tree half stored.
        self.roots = self.roots + ends.tolist()

    def _reserve(self, tree, used, count):
        if self.model is None:
            self.model = tree
            self.arrays = {name: getattr(tree, name)[:0] for name in FIELDS}
        if used > len(self.arrays["nodes"]):
            size = used if count >= self.expected else int(RESERVE * self.expected * used / count)
            self.arrays = {name: _longer(array, self.roots[-1], size) for name, array in self.arrays.items()}

    def forest(self):
        """The trees that are there."""
        arrays = {name: array[: self.roots[-1]] for name, array in self.arrays.items()}
        tests = _join_tests(self.tests, self.roots[-1])
        return Forest(replace(self.model, **arrays, tests=tests), np.array(self.roots))


def _longer(array, used, size):
    """An array of `size` rows that begins with those used of another."""
    longer = np.empty((size, *array.shape[1:]), dtype=array.dtype)
    longer[:used] = array[:used]
    return longer


def _join_tests(placed, n_nodes):
    """Tests of trees, each with the number of its root, as those of `n_nodes` nodes."""
    placed = [(root, tests) for root, tests in placed if root < n_nodes]
    if not placed:
        return Tests.none(n_nodes)
    which, tests = np.full(n_nodes, -1, dtype=np.int32), [tests for _, tests in placed]
    for (root, some), before in zip(placed, np.cumsum([0, *(len(some.kinds) for some in tests)]), strict=False):
        which[root : root + len(some.which)] = np.where(some.which < 0, -1, some.which + before)
    entries = np.cumsum([0, *(len(some.cells) for some in tests)])
    starts = [some.starts[:-1] + entry for some, entry in zip(tests, entries, strict=False)]
    parts = [np.concatenate([getattr(some, name) for some in tests]) for name in ("cells", "branches", "coefs")]
    kinds = np.concatenate([some.kinds for some in tests])
    return Tests(which, kinds, np.concatenate([*starts, entries[-1:]]), *parts)


def _grow_one(columns, y, criterion, features, *, seed, monotone=None, **options):
    """A tree of all columns, or of some."""
    chosen = slice(None) if features is None else features(seed)
    options["monotone"] = None if monotone is None else monotone[chosen]
    grow = grow_tree if "grow_tree" in applicable_growers(criterion) else grow_general_tree
    if features is None:
        return grow(columns, y, criterion, seed=seed, **options)
    tree = grow(columns.take(chosen), y, criterion, seed=seed, **options)
    nodes = tree.nodes.copy()
    nodes["feature"] = np.where(tree.is_leaf, LEAF, chosen[np.maximum(tree.feature, 0)])
    return replace(tree, nodes=nodes, n_features=len(columns.sizes))


@dataclass(frozen=True, eq=False)
class Forest:
    """Trees in one set of arrays.

    Parameters
    ----------
    whole : Tree
        The arrays of all trees, one after the other; children are numbered from the root of their own tree.
    roots : ndarray of int of shape (n_trees + 1,)
        Where each tree begins.

    References
    ----------
    Breiman, L. (2001). Random forests. doi:10.1023/A:1010933404324

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import Forest, Gini, code_columns, grow_tree
    >>> x, y = np.arange(4.0)[:, None], np.array([0, 0, 1, 1], dtype=np.int32)
    >>> tree = grow_tree(code_columns(x), y, Gini(2))
    >>> Forest.of([tree, tree]).sum(np.array([[0.0], [3.0]]))
    array([[2., 0.],
           [0., 2.]])
    """

    whole: Tree
    roots: Integers

    def check_consistent(self) -> None:
        """Refuse roots that are not where the trees of `whole`, which are consistent, begin.

        Examples
        --------
        >>> import numpy as np
        >>> from gnomon.search import Forest, Gini, code_columns, grow_tree
        >>> tree = grow_tree(code_columns(np.arange(4.0)[:, None]), np.array([0, 0, 1, 1]), Gini(2))
        >>> Forest(tree, np.array([0, 1, 3])).check_consistent()
        Traceback (most recent call last):
        ValueError: the roots of a forest are not where its trees begin
        """
        roots, ends = self.roots, self.whole.ends
        sound = len(roots) and roots[0] == 0 and roots[-1] == len(ends) and np.all(np.diff(roots) > 0)
        if not sound or np.any(ends[roots[:-1]] != np.diff(roots)):
            raise ValueError("the roots of a forest are not where its trees begin")

    @classmethod
    def of(cls, trees: Sequence[Tree]) -> Forest:
        """Put trees one after the other."""
        joined = _Joined(len(trees))
        joined.put(trees)
        return joined.forest()

    def __len__(self) -> int:
        return len(self.roots) - 1

    def tree(self, t: int) -> Tree:
        """Tree number t; its arrays are views."""
        part = slice(self.roots[t], self.roots[t + 1])
        views = {name: getattr(self.whole, name)[part] for name in FIELDS}
        return replace(self.whole, **views, tests=self.whole.tests._replace(which=self.whole.tests.which[part]))

    def code(self, X: Matrix, n_jobs: int | None = None) -> sparse.csr_array:
        """The leaf of every row in every tree as a sparse matrix: one 1 per tree in the column of the leaf."""
        column = np.cumsum(self.whole.is_leaf) - 1
        leaves = self.leaves(X, n_jobs)
        indices = column[leaves + self.roots[:-1]].ravel()
        starts = np.arange(0, leaves.size + 1, len(self))
        return sparse.csr_array((np.ones(leaves.size), indices, starts), shape=(len(leaves), self.whole.n_leaves))

    def leaves(self, X: Matrix, n_jobs: int | None = None) -> Integers:
        """The leaf of every row in every tree, numbered within the tree."""
        out = np.empty((X.shape[0], len(self)), dtype=np.int64)

        def work(rows):
            find_leaves_of_block(self.whole, self.roots, 0, len(self), block_of(X[rows]), LeafNumbers(out[rows]))

        map_chunks(work, pieces(X.shape, n_jobs), n_jobs)
        return out

    @cached_property
    def votes(self) -> Forest:
        """The same trees, whose nodes answer with one vote for their largest answer."""
        answers = self.whole.answers
        return replace(self, whole=self.whole.with_answers(np.eye(answers.shape[1])[np.argmax(answers, axis=1)]))

    def sum(self, X: Matrix, n_jobs: int | None = None) -> Floats:
        """(1).

        Threads take a group of trees each, so that a thread loads only the nodes of its group. Groups are added in
        order, so that sums do not depend on the number of threads.
        """
        if X.shape[0] * len(self) < SERIAL_UP_TO:
            return self._sum_alone(block_of(X))

        def work(task):
            (block, output), trees = task
            find_leaves_of_block(self.whole, self.roots, *trees, block, output)

        threads = effective_n_jobs(n_jobs)
        at_once = -(-threads // TREE_GROUPS)
        some, sums = pieces(X.shape, at_once), []
        for first in range(0, len(some), at_once):
            blocks = [block_of(X[rows]) for rows in some[first : first + at_once]]
            outputs = [self._answer_sums(len(block.cells)) for block in blocks]
            tasks = itertools.product(zip(blocks, outputs, strict=True), itertools.pairwise(self._groups[0]))
            map_chunks(work, tasks, threads)
            sums += [np.sum(output.out, axis=0) for output in outputs]
        return np.concatenate(sums)

    def sum_row(self, x: Floats) -> Floats:
        """(1) of one row of float64 numbers, without a pool of threads."""
        return self._sum_alone(block_of(x.reshape(1, -1)))[0]

    def _sum_alone(self, block):
        output = self._answer_sums(len(block.cells))
        find_leaves_of_block(self.whole, self.roots, 0, len(self), block, output)
        return np.sum(output.out, axis=0)

    @cached_property
    def _groups(self):
        """Where each group of trees begins, and the group of each tree."""
        ends = np.linspace(0, len(self), TREE_GROUPS + 1, dtype=int)
        return ends, np.repeat(np.arange(TREE_GROUPS), np.diff(ends))

    def _answer_sums(self, n):
        out = np.zeros((TREE_GROUPS, n, self.whole.answers.shape[1]))
        return AnswerSums(self.whole.answers, self.roots, self._groups[1], out)
