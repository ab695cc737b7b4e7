"""Growing a tree: greedy division of rows.

    while a node is open: take one, divide its rows by the test with the largest gain, open the parts             (1)

One text for every kind of test. A splitter is a noun with two verbs: `examine` finds the best test of each of a row of
new nodes and writes its gain (negative: the node stays a leaf), `divide` makes the children of one. Nodes are opened
depth first or, under a limit on leaves, the largest gain first. With a compiled splitter the loop is compiled too.
Breiman et al. (1984), doi:10.1201/9781315139470; best first: Friedman (2001), doi:10.1214/aos/1013203451.
"""

from functools import partial
from typing import NamedTuple

import numpy as np

from gnomon._jit import DISABLED, compiled, jit, lean
from gnomon.numerics.parallel import team
from gnomon.search._code_splitter import CodeSplitter, assist, unload
from gnomon.search._column_splits import Drawn, DrawnMixed, Searched, SearchedMixed
from gnomon.search._crew import STOP, WORD, make_crew
from gnomon.search._histograms import FEWEST
from gnomon.search._joint import each_alone, join_columns
from gnomon.search._monotone import bounded
from gnomon.search._nodes import Limits
from gnomon.search._record_splitter import Records, RecordSplitter, filled_room, may_use_records
from gnomon.search._work import Buffers, helpers_work, make_nodes, make_work, most_groups, open_root, restart
from gnomon.search.tree import LEAF, NODE, Tests, Tree

__all__ = ["grow_tree"]


KINDS = {
    ("best", False): Searched(),
    ("random", False): Drawn(),
    ("best", True): SearchedMixed(),
    ("random", True): DrawnMixed(),
}
"""How one column is split, by `splitter` and whether any column is a category."""

EQUALITY = {"best": SearchedMixed(equality=True), "random": DrawnMixed(equality=True)}


UNROLLED_FROM = 5000
CLOSED = 2**62
"""The depth of nodes that no limit on depth lets divide: they would be examined in vain."""

CACHE = 2**19
MOST_SLOTS = 64
HISTOGRAM_BYTES = 2**24


def grow_tree(
    columns, y, criterion, *, sample_weight=None, rows=None, splitter="best", categorical_split="subset",
    max_depth=None, min_samples_split=2, min_samples_leaf=1, min_weight_leaf=0.0, min_impurity=0.0, min_gain=0.0,
    max_features=None, max_leaf_nodes=None, monotone=None, together=None, category_support=0.0, thresholds="midpoints",
    seed=0, n_jobs=None,
):  # fmt: skip
    """Grow a tree of binary tests by (1).

    Parameters
    ----------
    columns : Columns
        Codes of the rows, from `code_columns`.
    y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        What the criterion takes: whole numbers from 0 for classes, rows of numbers for means, gradients for `Newton`.
    criterion : Criterion
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
        much weight.
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
    with team(n_jobs) as run:
        records = Records(columns, y) if rows is None else None
        return grow_parts(
            columns, y, criterion, sample_weight=sample_weight, rows=rows, splitter=splitter,
            categorical_split=categorical_split, max_depth=max_depth, min_samples_split=min_samples_split,
            min_samples_leaf=min_samples_leaf, min_weight_leaf=min_weight_leaf, min_impurity=min_impurity,
            min_gain=min_gain, max_features=max_features, max_leaf_nodes=max_leaf_nodes, monotone=monotone,
            together=together, category_support=category_support, thresholds=thresholds, seed=seed, run=run,
            records=records,
        )[0]  # fmt: skip


class Parts(NamedTuple):
    """Which rows reached each node: ``rows[start[node]:stop[node]]``."""

    rows: np.ndarray
    start: np.ndarray
    stop: np.ndarray


def grow_parts(
    columns, y, criterion, *, sample_weight=None, rows=None, splitter="best", categorical_split="subset",
    max_depth=None, min_samples_split=2, min_samples_leaf=1, min_weight_leaf=0.0, min_impurity=0.0, min_gain=0.0,
    max_features=None, max_leaf_nodes=None, monotone=None, together=None, category_support=0.0, thresholds="midpoints",
    seed=0, buffers=None, run=None, records=None,
):  # fmt: skip
    """What `grow_tree` returns, the `Parts` of its rows, and buffers for the next tree of the same columns.

    The threads of a team, `run`, share the columns of large nodes. With `records` of all rows, where cuts are drawn,
    parts are not known.
    """
    n, p = columns.n_samples, len(columns.sizes)
    w = np.ones(n) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    rows = np.flatnonzero(w).astype(np.int32) if rows is None else np.array(rows, dtype=np.int32)
    m, width, outputs = len(rows), criterion.size + 1, y.size // n
    y = np.ravel(y)
    mixed = bool(np.any(columns.category))
    kinds = EQUALITY[splitter] if mixed and categorical_split == "equality" else KINDS[splitter, mixed]
    max_features = p if max_features is None else max_features
    slots = _slots(columns, max_features, splitter, width, max_leaf_nodes)
    # Weights that were added and taken away again leave rounding; numbers of rows tell which codes a node has.
    counting = min_samples_leaf > 1 or not criterion.classes or slots > 0
    limits = Limits(
        2**31 if max_depth is None else max_depth, max(min_samples_split, 2), float(min_samples_leaf),
        float(min_weight_leaf), float(min_impurity), float(min_gain), max_features,
        criterion.classes and criterion.size > 2, counting, outputs, most_groups(columns, m) * width,
        float(category_support), thresholds == "edges",
    )  # fmt: skip
    capacity = capacity_for(m, max_depth, min_samples_leaf, max_leaf_nodes)
    monotone = np.zeros(p, dtype=np.int8) if monotone is None else np.asarray(monotone, dtype=np.int8)
    if buffers is None or len(buffers.work.rows) < m or len(buffers.nodes) < capacity:
        work = make_work(columns, y, outputs, m, width, slots, _block(columns, max_leaf_nodes))
        alone = each_alone(columns)
        joint = join_columns(columns, width) if slots > 0 else alone
        buffers = Buffers(make_nodes(capacity, m), np.empty((capacity, width)), work, joint, alone)
    nodes, sums, work, joint, alone, room = buffers
    open_root(nodes, m)
    restart(work, seed)
    # Loops that the compiler unrolls pay for their compilation from some thousand rows on.
    used = criterion.unrolled() if m >= UNROLLED_FROM else criterion
    constrained = together is not None or bool(np.any(monotone))
    together = np.zeros((0, p), dtype=np.int8) if together is None else np.asarray(together, dtype=np.int8)
    open_groups = np.ones((capacity if len(together) else 1, len(together)), dtype=np.int8)
    most_leaves = 2**31 if max_leaf_nodes is None else max_leaf_nodes
    best_first = max_leaf_nodes is not None
    large = records is not None and m >= UNROLLED_FROM
    moving = large and may_use_records(columns, criterion, w, splitter, constrained)
    if moving:
        room = filled_room(room, records, width)
        by_record = RecordSplitter(columns, used, limits, sums, work, room)
        made = grow_compiled(compiled(by_record), nodes, best_first, most_leaves)
    else:
        helpers = _helpers(run, p, m, max_features, splitter)
        by_code = CodeSplitter(
            columns, used, kinds, limits, monotone, together, open_groups, y, w, rows, sums, work,
            make_crew(helpers, p), joint, alone,
        )  # fmt: skip
        made = _grow_together(compiled(by_code), nodes, best_first, most_leaves, helpers, run)
    unload(work.block, rows)
    # Fields of a plain array come many times as fast as those of a recarray.
    grown = nodes[:made].view(np.ndarray)
    tree, order = _as_tree(grown, sums[:made], rows, columns, criterion, category_support > 0.0)
    if np.any(monotone) and tree.answers.shape[1] == 1 + criterion.classes:
        value = bounded(tree, tree.answers[:, -1], monotone)
        tree = tree.with_answers(np.column_stack([1.0 - value, value]) if criterion.classes else value[:, None])
    parts = None if moving else Parts(rows, grown["start"][order], grown["stop"][order])
    return tree, parts, buffers._replace(room=room)


def _helpers(run, p, m, max_features, splitter):
    """How many threads may help: none where a node looks at few columns or few rows, or draws from one seed."""
    if run is None or DISABLED or splitter == "random" or max_features < p or m < FEWEST:
        return 0
    return min(run.n_jobs, p) - 1


def _grow_together(splitter, nodes, best_first, most_leaves, helpers, run):
    """`grow` on this thread, with `helpers` others that take columns."""

    def grow_all():
        try:
            return grow_compiled(splitter, nodes, best_first, most_leaves)
        finally:
            splitter.crew.desk[WORD] = STOP

    if helpers == 0:
        return grow_all()
    works = [helpers_work(splitter.work) for _ in range(helpers)]
    tasks = [grow_all, *(partial(assist, splitter, nodes, work) for work in works)]
    return run(lambda task: task(), tasks)[0]


def _slots(columns, max_features, splitter, width, max_leaf_nodes):
    """How many nodes may keep a histogram: none unless every node looks at all columns, and those have few codes."""
    if splitter == "random" or max_features < len(columns.sizes) or columns.codes.dtype != np.uint8:
        return 0
    size = (int(columns.starts[-1]) + len(columns.sizes)) * width * 8
    return int(min(max_leaf_nodes or MOST_SLOTS, MOST_SLOTS, max(HISTOGRAM_BYTES, columns.codes.nbytes) // size)) + 2


def _block(columns, max_leaf_nodes):
    """Most rows of a subtree that is grown in cache; none if all rows fit, or nodes are not taken depth first."""
    if max_leaf_nodes is not None or columns.codes.nbytes <= CACHE:
        return 0
    return CACHE // (2 * len(columns.sizes) * columns.codes.itemsize)


def capacity_for(m, max_depth, min_samples_leaf, max_leaf_nodes):
    """Most nodes that a binary tree of `m` rows can have under the limits."""
    leaves = max(1, m // max(1, int(min_samples_leaf)))
    if max_leaf_nodes is not None:
        leaves = min(leaves, max_leaf_nodes)
    if max_depth is not None and max_depth < 40:
        leaves = min(leaves, 2**max_depth)
    return 2 * leaves + 1


def grow(splitter, nodes, best_first, max_leaves):
    """Carry out (1) from the root, whose rows `nodes` must hold; return the number of nodes."""
    made, leaves, size = 1, 1, 0
    splitter.examine(nodes, made - 1, made)
    if nodes.gain[0] >= 0.0:
        nodes.priority[0] = 0.0
        nodes.heap[0] = 0
        size = 1
    # A binary heap of open nodes by priority: the gain, or how late they were made.
    while size > 0 and leaves < max_leaves:
        node = nodes.heap[0]
        size -= 1
        nodes.heap[0] = nodes.heap[size]
        _sift_down(nodes.heap, nodes.priority, size)
        branches = splitter.divide(nodes, node, made)
        nodes.branches[node] = branches
        made += branches
        # No branch: a splitter may find that there is no room for its parts.
        leaves += max(branches - 1, 0)
        for child in range(made - branches, made):
            nodes.branches[child] = 0
            if leaves >= max_leaves:
                nodes.depth[child] = CLOSED
        splitter.examine(nodes, made - branches, made)
        for child in range(made - branches, made):
            if nodes.gain[child] >= 0.0:
                nodes.priority[child] = nodes.gain[child] if best_first else float(child)
                nodes.heap[size] = child
                _sift_up(nodes.heap, nodes.priority, size)
                size += 1
    return made


@lean
def _sift_up(heap, priority, i):
    node = heap[i]
    while i > 0:
        up = (i - 1) // 2
        if priority[heap[up]] >= priority[node]:
            break
        heap[i] = heap[up]
        i = up
    heap[i] = node


@lean
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


grow_compiled = lean(grow)


def _as_tree(nodes, sums, rows, columns, criterion, absent):
    """The nodes in preorder, with their answers; and their old numbers."""
    order, ends, right = in_preorder(nodes)
    told = {name: nodes[name][order] for name in ("branches", "feature", "threshold", "missing")}
    # Sums of one kind side by side: groups are many, sums of a group few.
    sums = np.asfortranarray(sums[order])
    inner = told["branches"] > 0
    mass = criterion.masses(sums)
    heft = criterion.hefts(sums)
    heavier = (heft[right] >= heft[np.minimum(np.arange(1, len(heft) + 1), len(heft) - 1)]).astype(np.int16)
    tree = Tree(
        nodes=node_records(told, right),
        answers=np.ascontiguousarray(criterion.answers(sums)),
        impurity=criterion.impurities(sums),
        weight=mass,
        n_rows=sums[:, 0].astype(np.int64),
        missing=np.where(inner, np.where(told["missing"] < 0, heavier, told["missing"]), 0).astype(np.int16),
        ends=ends,
        n_features=len(columns.sizes),
        tests=_tables(nodes, order, inner & np.isnan(told["threshold"]), rows, columns, absent),
    )
    return tree, order


def in_preorder(nodes):
    """The nodes as they stand in a `Tree`: their old numbers, where their subtrees end, their second children."""
    order = np.empty(len(nodes), dtype=np.int64)
    ends = np.empty(len(nodes), dtype=np.int32)
    right = np.full(len(nodes), -1, dtype=np.int32)
    _preorder(nodes["first"], nodes["branches"], order, ends, right)
    return order, ends, right


def node_records(nodes, right):
    """What prediction reads at each node."""
    inner = nodes["branches"] > 0
    record = np.empty(len(inner), dtype=NODE)
    record["feature"] = np.where(inner, nodes["feature"], LEAF)
    record["threshold"] = np.where(inner, nodes["threshold"], float(LEAF))
    record["right"] = right
    return record


@jit
def _preorder(first, branches, order, ends, right):
    """New number → old number; where subtrees end; second children."""
    stack = np.empty(len(order), dtype=np.int64)
    place = np.empty(len(order), dtype=np.int64)
    stack[0] = 0
    size, made = 1, 0
    while size > 0:
        size -= 1
        node = stack[size]
        place[node] = made
        order[made] = node
        made += 1
        for b in range(branches[node] - 1, -1, -1):
            stack[size] = first[node] + b
            size += 1
    for new in range(made - 1, -1, -1):
        node = order[new]
        ends[new] = new + 1
        if branches[node] > 0:
            ends[new] = ends[place[first[node] + branches[node] - 1]]
            right[new] = place[first[node] + 1]


def _tables(nodes, order, by_table, rows, columns, absent):
    """The categories on each side of every test of a category, from the rows that went there.

    Categories that the node has not are on the right if `absent`, else they are not in the table.
    """
    if not np.any(by_table):
        return Tests.none(len(by_table))
    tests = nodes[order[by_table]]
    sizes = columns.sizes[tests["feature"]]
    side, starts = np.zeros(int(np.max(sizes)) + 1, dtype=np.int8), np.zeros(len(sizes) + 1, dtype=np.int64)
    cells, branches = np.empty(int(np.sum(sizes)), dtype=np.int64), np.empty(int(np.sum(sizes)), dtype=np.int32)
    parts = tests["start"], tests["middle"], tests["stop"]
    used = _fill_tables(columns.codes, tests["feature"], sizes, *parts, rows, absent, side, starts, cells, branches)
    which = np.where(by_table, np.cumsum(by_table) - 1, -1).astype(np.int32)
    return Tests(which, np.zeros(len(sizes), dtype=np.int8), starts, cells[:used], branches[:used], np.zeros(used))


@jit
def _fill_tables(codes, feature, sizes, start, middle, stop, rows, absent, side, starts, cells, branches):
    """Put the categories of every test and their branches one after the other; return how many there are."""
    used = 0
    for k in range(len(feature)):
        column, size = codes[feature[k]], sizes[k]
        for c in range(size + 1):
            side[c] = 1 if absent else -1
        for i in range(start[k], stop[k]):
            side[column[rows[i]]] = 0 if i < middle[k] else 1
        for c in range(size):
            if side[c] >= 0:
                cells[used], branches[used] = c, side[c]
                used += 1
        starts[k + 1] = used
    return used
