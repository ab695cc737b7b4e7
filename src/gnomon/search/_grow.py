"""Growing a tree: greedy division of rows.

    while a node is open: take one, divide its rows by the test with the largest gain, open the parts             (1)

One text for every kind of test. A splitter is a noun with two verbs: `examine` finds the best test of each of a row of
new nodes and writes its gain (negative: the node stays a leaf), `divide` makes the children of one. Nodes are opened
depth first or, under a limit on leaves, the largest gain first. With a compiled splitter the loop is compiled too.
Breiman et al. (1984), doi:10.1201/9781315139470; best first: Friedman (2001), doi:10.1214/aos/1013203451.
"""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from math import ceil
from threading import Event
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from gnomon._jit import DISABLED, compiled, jitable, outermost_jit
from gnomon._typing import Array, ArrayLike, Floats, Integers
from gnomon._vectors import WORD_BITS
from gnomon.numerics.parallel import team
from gnomon.numerics.validation import check_choice
from gnomon.search._code_splitter import ROWS_PER_PIECE, CodeSplitter, PathConstraints, run_helper, unload
from gnomon.search._column_splits import Drawn, DrawnMixed, Searched, SearchedMixed
from gnomon.search._criterion import SumCriterion
from gnomon.search._growers import require_traits
from gnomon.search._histograms import fewest_rows, make_histograms
from gnomon.search._joint import each_alone, join_columns
from gnomon.search._monotone import bounded
from gnomon.search._nodes import Limits
from gnomon.search._read_off import read_off
from gnomon.search._record_splitter import Records, RecordSplitter, make_workspace, may_use_records, open_records
from gnomon.search._task_queue import MOST_PIECES, REMAINING, STOP, make_queue
from gnomon.search._work import (
    DEEPEST,
    helpers_work,
    make_block,
    make_bounds,
    make_nodes,
    make_work,
    most_groups,
    open_root,
    restart,
)  # fmt: skip
from gnomon.search.columns import Columns
from gnomon.search.tree import Tree
from gnomon.search.units import in_safe_units

__all__ = ["grow_tree"]

CutSearch: TypeAlias = Literal["best", "random"]
"""The best cut of a column, or one drawn."""

LARGE_FROM = 2000
"""Rows from which on a table is large: histograms that are kept, blocks, records, threads that share a node and loops
that the compiler unrolls save more time than it takes to compile them."""

UNLIMITED = -1
"""The number of leaves of a tree whose nodes are opened depth first."""

CACHE_BYTES = 2**19
MOST_SLOTS = 64
HISTOGRAM_BYTES = 2**24


@in_safe_units
def grow_tree(
    columns: Columns,
    y: Array,
    criterion: SumCriterion,
    *,
    sample_weight: ArrayLike | None = None,
    rows: ArrayLike | None = None,
    splitter: CutSearch = "best",
    categorical_split: Literal["subset", "equality"] = "subset",
    max_depth: int | None = None,
    min_samples_split: int = 2,
    min_samples_leaf: int = 1,
    min_weight_leaf: float = 0.0,
    min_impurity: float = 0.0,
    min_gain: float = 0.0,
    max_features: int | None = None,
    max_leaf_nodes: int | None = None,
    monotone: ArrayLike | None = None,
    together: ArrayLike | None = None,
    category_support: float = 0.0,
    thresholds: Literal["midpoints", "edges"] = "midpoints",
    seed: int = 0,
    n_jobs: int | None = None,
) -> Tree:
    """Grow a tree of binary tests by (1).

    Parameters
    ----------
    columns : Columns
        Codes of the rows, from `code_columns`.
    y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        What the criterion takes: whole numbers from 0 for classes, rows of numbers for means, gradients for `Newton`.
    criterion : SumCriterion
        Compiled; see `applicable_growers`.
    sample_weight : ndarray of shape (n_samples,), optional
        Ones by default. For `Newton`, the curvatures.
    rows : ndarray of int, optional
        The rows to grow from; by default those whose weight is not zero.
    splitter : {"best", "random"}, default="best"
        The best cut of every column, or one drawn.
    categorical_split : {"subset", "equality"}, default="subset"
        Categories against the others, or one against the rest.
    max_depth, min_samples_split, min_samples_leaf, min_weight_leaf, min_impurity : int or float
        A node is divided if it is less deep, has as many rows, is less pure, and its children keep as many rows and as
        much weight. Where the criterion is no impurity, as `Newton`, no node is pure.
    min_gain : float, default=0.0
        Least gain times the weight of the node, equality passes.
    max_features : int, optional
        How many columns are drawn at every node; all by default.
    max_leaf_nodes : int, optional
        With it, the node with the largest gain is divided first.
    monotone : array-like of shape (n_features,), optional
        1, −1 or 0: whether answers must rise, fall or may do either with a column.
    together : array-like of bool of shape (n_groups, n_features), optional
        Groups of columns; those on one path from the root must all be in one of them.
    category_support : float, default=0.0
        Where positive: categories with fewer rows (their weights in units of the mean) do not take part in the search
        and go with the larger side, the others are ordered by answers shrunk as if by so many rows; categories that a
        node has no row of go right there.
    thresholds : {"midpoints", "edges"}, default="midpoints"
        Halfway between the values of the node next to the cut, or at the edge of a bin, wherever those values lie.
    seed : int, default=0
        Draws columns and cuts.
    n_jobs : int, optional
        Threads that share the columns of large nodes, where all are searched; the tree does not depend on it.

    Returns
    -------
    Tree

    References
    ----------
    Breiman, L., Friedman, J., Stone, C. J. & Olshen, R. A. (1984). Classification and Regression Trees.
    doi:10.1201/9781315139470

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import Entropy, code_columns, grow_tree
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> tree = grow_tree(code_columns(X), np.array([0, 1, 1, 0]), Entropy(2))
    >>> float(tree.gain[0]), tree.n_leaves
    (0.0, 4)
    """
    w = np.ones(columns.n_samples) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    y = y.astype(np.int32, copy=False) if criterion.classes else y
    records = Records(columns, y) if rows is None else None
    rows = rows_of(w) if rows is None else np.asarray(rows)
    if not criterion.is_impurity:
        min_impurity = _no_purity(min_impurity, criterion)
    with team(n_jobs) as run:
        grower = Grower(
            columns, y, criterion, w, most_rows=len(rows), splitter=splitter, categorical_split=categorical_split,
            max_depth=max_depth, min_samples_split=min_samples_split, min_samples_leaf=min_samples_leaf,
            min_weight_leaf=min_weight_leaf, min_impurity=min_impurity, min_gain=min_gain, max_features=max_features,
            max_leaf_nodes=max_leaf_nodes, monotone=monotone, together=together, category_support=category_support,
            thresholds=thresholds, run=run, records=records,
        )  # fmt: skip
        return grower.grow(rows, seed)[0]


def _no_purity(min_impurity: float, criterion: SumCriterion) -> float:
    """The limit on impurities for a criterion without any."""
    if min_impurity > 0.0:
        raise ValueError(
            f"min_impurity={min_impurity!r} and criterion={criterion!r}, which is no impurity; leave it out, or give "
            "min_gain, the least that a split must gain"
        )
    return -np.inf


def rows_of(weights: Floats) -> Integers:
    """The rows with a weight."""
    return np.flatnonzero(weights).astype(np.int32)


class NodeRows(NamedTuple):
    """Which rows reached each node: ``rows[start[node]:stop[node]]``."""

    rows: Integers
    start: Integers
    stop: Integers


class Grower:
    """Grows trees from the same columns under the same limits, which `grow_tree` explains, in the same arrays.

    Targets and weights are read anew for every tree: who changes them in place changes the next. The threads of a team,
    `run`, share the columns of large nodes. Growers of the same columns may share `records` and `joint`. If
    `unrolled`, kernels are those of large tables.
    """

    def __init__(
        self, columns, y, criterion, w, *, most_rows, splitter="best", categorical_split="subset", max_depth=None,
        min_samples_split=2, min_samples_leaf=1, min_weight_leaf=0.0, min_impurity=0.0, min_gain=0.0, max_features=None,
        max_leaf_nodes=None, monotone=None, together=None, category_support=0.0, thresholds="midpoints", run=None,
        records=None, joint=None, unrolled=False,
    ):  # fmt: skip
        require_traits("grow_tree", criterion)
        check_choice("splitter", splitter, ("best", "random"))
        check_choice("categorical_split", categorical_split, ("subset", "equality"))
        check_choice("thresholds", thresholds, ("midpoints", "edges"))
        p, width, outputs = len(columns.sizes), criterion.size + 1, y.size // columns.n_samples
        max_features = p if max_features is None else max_features
        large = most_rows >= LARGE_FROM
        columns = columns if large or unrolled else columns.widened()
        slots = _slots(columns, max_features, splitter, width, max_leaf_nodes) if large else 0
        # Subtracted histograms leave rounding in the weights: only numbers of rows tell which codes a node has.
        counting = min_samples_leaf > 1 or not criterion.classes or slots > 0
        # A node with fewer rows than two leaves need is not searched.
        limits = Limits(
            deepest(max_depth), max(min_samples_split, 2, 2 * ceil(min_samples_leaf)),
            float(min_samples_leaf), float(min_weight_leaf), float(min_gain), max_features,
            criterion.many_classes, counting, outputs, most_groups(columns, most_rows) * width,
            float(category_support), thresholds == "edges", fewest_rows(columns),
        )  # fmt: skip
        capacity = capacity_for(most_rows, max_depth, min_samples_leaf, max_leaf_nodes)
        used = criterion.fixed_width() if large or unrolled else criterion
        self.columns, self.criterion, self.y, self.w = columns, criterion, np.ravel(y), w
        self.monotone, self.run = np.zeros(p) if monotone is None else np.asarray(monotone), run
        self.min_impurity, self.absent = float(min_impurity), category_support > 0.0
        # Whether trees depend on their seeds.
        self.draws = max_features < p or splitter == "random"
        self.max_leaves = leaf_limit(max_leaf_nodes)
        self.nodes, self.sums = make_nodes(capacity, most_rows), np.empty((capacity, width))
        # Fields of a plain array are read many times faster than those of a recarray.
        self._plain_nodes = self.nodes.view(np.ndarray)
        self.rows = np.empty(most_rows, dtype=np.int32)
        self.joint, alone, histograms = None, None, None
        if slots > 0:
            self.joint, alone = joint or join_columns(columns), each_alone(columns)
            histograms = make_histograms(slots, self.joint.n_entries * width, y.dtype, outputs)
        constraints = _constraints(p, monotone, together, capacity)
        bounds = None if constraints is None else make_bounds()
        self.work = make_work(columns, y, outputs, most_rows, width, large or unrolled, bounds, histograms)
        self.block = make_block(columns, y, outputs, _block(columns, max_leaf_nodes) if large else 0)
        helpers = _helpers(run, p, most_rows, max_features, splitter) if large else 0
        # In the order in which histograms are filled.
        order = np.arange(p) if self.joint is None else self.joint.members
        self.queue = make_queue(helpers, order) if helpers > 0 else None
        vectorized = (large or unrolled) and used.two_sums()
        kinds = _kinds(columns, splitter, categorical_split, vectorized, category_support > 0.0)
        self._by_code = compiled(CodeSplitter(
            columns, used, kinds, limits, constraints, self.y, w, self.rows, self.sums, self.work, self.block,
            self.queue, self.joint, alone,
        ))  # fmt: skip
        moved = large and min_impurity >= 0.0 and may_use_records(columns, criterion, splitter, constraints is not None)
        self._records = records if moved else None
        if self._records is not None:
            self._space = make_workspace(self._records, capacity, width, WORD_BITS if max_leaf_nodes is None else 0)
            self._by_record = compiled(RecordSplitter(columns, used, limits, self.sums, self.work, self._space))
        self._tree_begun, self._has_helpers = Event(), False

    def grow(self, rows, seed, purest=-np.inf):
        """A tree of the rows, and its `NodeRows`, valid until the next tree; impurities up to `purest` count as pure.

        Where records were moved instead of rows, parts are None.
        """
        here = self.rows[: len(rows)]
        here[:] = rows
        open_root(self._plain_nodes, len(rows))
        restart(self.work, seed, self.criterion.purest(max(self.min_impurity, purest)))
        moving = self._records is not None and bool(np.all(self.w == 1.0))
        if moving:
            open_records(self._space, self._records, self.sums)
        with nullcontext() if moving else self.with_helpers():
            splitter = self._by_record if moving else self._by_code
            made = grow_compiled(splitter, self.nodes, self.max_leaves)
        self._tree_begun.clear()
        if self.block is not None:
            unload(self.block, here)
        grown = self._plain_nodes[:made]
        tree, order = read_off(grown, self.sums[:made], here, self.columns, self.criterion, self.absent)
        parts = None if moving else NodeRows(here, grown["start"][order], grown["stop"][order])
        return self._kept_to_bounds(tree), parts

    def _kept_to_bounds(self, tree):
        classes = self.criterion.classes
        if not np.any(self.monotone) or tree.answers.shape[1] != 1 + classes:
            return tree
        value = bounded(tree, tree.answers[:, -1], self.monotone)
        return tree.with_answers(np.column_stack([1.0 - value, value]) if classes else value[:, None])

    @contextmanager
    def with_helpers(self):
        """A context in which helper threads work for the grower; around several trees, they stay for all of them."""
        self._tree_begun.set()
        if self._has_helpers or self.queue is None:
            yield
            return
        self._has_helpers, self.queue.state[REMAINING] = True, 0
        with self.run.in_background(self._run_helper, self._stop_helpers):
            yield

    def _stop_helpers(self):
        self._has_helpers, self.queue.state[REMAINING] = False, STOP
        self._tree_begun.set()

    def _run_helper(self):
        work = helpers_work(self.work)
        while not run_helper(self._by_code, self.nodes, work):
            # Idle for long between two trees.
            self._tree_begun.wait()


def _kinds(columns, splitter, categorical_split, vectorized, supported):
    """How one column is split: the best cut or a drawn one, of numbers only or of categories too."""
    if not columns.has_categories:
        return Drawn() if splitter == "random" else Searched(True if vectorized else None)
    if splitter == "random":
        return DrawnMixed(categorical_split == "equality")
    way = "supported" if supported else categorical_split
    uses = (vectorized, way == "subset", way == "equality", way == "supported")
    return SearchedMixed(*(True if used else None for used in uses))


def _constraints(p, monotone, together, capacity):
    """The constraints on paths in a tree of at most `capacity` nodes; None if there are none."""
    if together is None and (monotone is None or not np.any(monotone)):
        return None
    monotone = np.zeros(p, dtype=np.int8) if monotone is None else np.asarray(monotone, dtype=np.int8)
    together = np.zeros((0, p), dtype=np.int8) if together is None else np.asarray(together, dtype=np.int8)
    return PathConstraints(
        monotone, together, np.ones((capacity if len(together) else 1, len(together)), dtype=np.int8)
    )


def _helpers(run, p, m, max_features, splitter):
    """How many threads may help: none where a node searches few columns, or draws cuts from one sequence."""
    if run is None or DISABLED or splitter == "random" or max_features < p:
        return 0
    if max(p, m // ROWS_PER_PIECE + 1) >= MOST_PIECES:
        return 0
    return min(run.n_jobs, p) - 1


def _slots(columns, max_features, splitter, width, max_leaf_nodes):
    """How many nodes may keep a histogram: none unless every node looks at all columns, and those have few codes."""
    if splitter == "random" or max_features < len(columns.sizes) or columns.codes.dtype != np.uint8:
        return 0
    size = (int(columns.starts[-1]) + len(columns.sizes)) * width * 8
    return int(min(max_leaf_nodes or MOST_SLOTS, MOST_SLOTS, max(HISTOGRAM_BYTES, columns.codes.nbytes) // size)) + 2


def _block(columns, max_leaf_nodes):
    """Most rows of a subtree that is grown in cache; none if all rows fit, or nodes are not taken depth first."""
    if max_leaf_nodes is not None or columns.codes.nbytes <= CACHE_BYTES:
        return 0
    return CACHE_BYTES // (2 * len(columns.sizes) * columns.codes.itemsize)


def deepest(max_depth: int | None) -> int:
    """The depth at which nodes are leaves, always of one type, as kernels are compiled for each."""
    return DEEPEST if max_depth is None else min(int(max_depth), DEEPEST)


def leaf_limit(max_leaf_nodes: int | None) -> int:
    """How many leaves `grow` may make; always of one type, as kernels are compiled for each."""
    return UNLIMITED if max_leaf_nodes is None else int(max_leaf_nodes)


def capacity_for(m: int, max_depth: int | None, min_samples_leaf: float, max_leaf_nodes: int | None) -> int:
    """Most nodes that a binary tree of `m` rows can have under the limits."""
    leaves = max(1, m // max(1, int(min_samples_leaf)))
    if max_leaf_nodes is not None:
        leaves = min(leaves, max_leaf_nodes)
    if max_depth is not None and max_depth < 40:
        # int: a NumPy integer would overflow.
        leaves = min(leaves, 2 ** int(max_depth))
    return 2 * leaves + 1


def grow(splitter, nodes, max_leaves):
    """Carry out (1) from the root, whose rows `nodes` must hold, up to `leaf_limit`; return the number of nodes."""
    made, branches, leaves, size = 1, 1, 1, 0
    best_first = max_leaves != UNLIMITED
    # Open nodes: a binary heap with the largest gain first, or a stack with the last made on top.
    while True:
        splitter.examine(nodes, made - branches, made)
        for b in range(branches):
            # The first child on top of the stack: nodes are then nearly in preorder, in which they are read off.
            child = made - branches + b if best_first else made - 1 - b
            if nodes.gain[child] >= 0.0:
                nodes.heap[size] = child
                if best_first:
                    _sift_up(nodes.heap, nodes.gain, size)
                size += 1
        if size == 0 or (best_first and leaves >= max_leaves):
            return made
        size -= 1
        node = nodes.heap[0 if best_first else size]
        if best_first:
            nodes.heap[0] = nodes.heap[size]
            _sift_down(nodes.heap, nodes.gain, size)
        branches = splitter.divide(nodes, node, made)
        nodes.branches[node] = branches
        made += branches
        # Zero branches: a splitter may refuse a test that would exceed the limit on leaves.
        leaves += branches - 1 if branches > 0 else 0
        for child in range(made - branches, made):
            nodes.branches[child] = 0
            if best_first and leaves >= max_leaves:
                # The limit is reached: its split would not be used.
                nodes.depth[child] = DEEPEST


@jitable
def _sift_up(heap, priority, i):
    node = heap[i]
    while i > 0:
        up = (i - 1) // 2
        if priority[heap[up]] >= priority[node]:
            break
        heap[i] = heap[up]
        i = up
    heap[i] = node


@jitable
def _sift_down(heap, priority, size):
    i = 0
    node = heap[0]
    while 2 * i + 1 < size:
        down = 2 * i + 1
        if down + 1 < size and priority[heap[down + 1]] > priority[heap[down]]:
            down += 1
        if priority[node] >= priority[heap[down]]:
            break
        heap[i] = heap[down]
        i = down
    heap[i] = node


grow_compiled = outermost_jit(grow)
