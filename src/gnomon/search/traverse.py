"""Rows down trees.

    node ← node + 1 if x_j ≤ t, right child if x_j > t, else as the table of the node says; until a leaf             (1)

The third case is a missing value or a test that is no comparison. Many rows go down together: at every node they are
divided in place, as when the tree grew, so that the node is looked up once for all of them; the few that reach a node
deep down go on a step each in turn, so that the processor waits for many rows' memory at once. Asadi, Lin & de Vries
(2014), Runtime optimizations for tree-based machine learning models, doi:10.1109/TKDE.2013.73, for the latter. For many
rows the nodes of a tree are packed first, so that a step needs neither a branch nor more than one word of a node. What
is done with the leaves of the rows is a noun, a sink.
"""

from typing import NamedTuple

import numpy as np
from joblib import effective_n_jobs
from scipy import sparse

from gnomon._jit import compiled, inner, jit, just_below, lean, noun
from gnomon._vectors import add_two
from gnomon.numerics.parallel import map_chunks, split_rows
from gnomon.search._sift import sift

__all__ = ["AnswerSums", "LeafNumbers", "as_dense", "block_of", "leaves_of", "pass_down"]

FEW = 48
"""Rows that are no longer divided."""

STEPS = 2
"""Steps after which rows that have come to rest are set aside."""

PACKED_FROM = 256
"""Nodes for each row up to which packing them pays."""

SLIM = np.dtype([("threshold", np.float32), ("way", np.int32)])
WIDE = np.dtype([("threshold", np.float64), ("way", np.int64)])
"""A packed node: `way` is the second child, shifted left, plus the column. A node where no comparison decides, as in a
leaf, is its own second child, with the threshold NaN that nothing passes."""

SLIM_BITS, WIDE_BITS = 12, 31
"""Bits of the column in `way`."""

MANY = 2048
"""From so many rows on, cells are read from a copy in which those of a column stand side by side."""

FEWEST = 256
"""Rows of the smallest piece of work, and of a stretch whose answers are added at a time."""

ROWS, CELLS = 2**16, 2**22
"""Rows in a piece of work: the more, the fewer nodes are looked up for a row, while their cells stay in cache."""


@noun
class LeafNumbers:
    """Keep the leaf of every row in every tree."""

    out: np.ndarray

    def take(self, tree, leaves):
        self.out[:, tree] = leaves


@noun
class AnswerSums:
    """Add the answers of the leaves of every row, one sum for each group of trees."""

    answers: np.ndarray
    roots: np.ndarray
    groups: np.ndarray
    out: np.ndarray

    def take(self, tree, leaves):
        answers, to = self.answers[self.roots[tree] : self.roots[tree + 1]], self.out[self.groups[tree]]
        if answers.shape[1] == 2:
            # One vector for each row.
            for i in range(np.uint64(len(leaves))):
                add_two(to, np.uint64(2) * i, answers, np.uint64(2) * np.uint32(leaves[i]))
            return
        for start in range(0, len(leaves), FEWEST):
            some, sums = leaves[start : start + FEWEST], to[start : start + FEWEST]
            # Answers are few: loops over rows are long ones, while these stay in cache.
            for k in range(np.uint64(answers.shape[1])):
                for i in range(np.uint64(len(some))):
                    sums[i, k] += answers[np.uint32(some[i]), k]


def leaves_of(tree, X, n_jobs=None):
    """The leaf of `tree` that each row of X reaches, as an array of node numbers."""
    out, roots = np.empty((X.shape[0], 1), dtype=np.int64), np.array([0, tree.node_count])

    def work(rows):
        pass_down(tree, roots, 0, 1, block_of(X[rows]), LeafNumbers(out[rows]))

    map_chunks(work, pieces(*X.shape, n_jobs), n_jobs)
    return out[:, 0]


def pieces(n, p, n_jobs):
    """The rows in pieces, one for each thread at least where they are many; answers do not depend on where they end."""
    most = max(min(ROWS, CELLS // max(p, 1)), FEWEST)
    return split_rows(n, max(min(effective_n_jobs(n_jobs), n // FEWEST), -(-n // most)))


def as_dense(X):
    """Rows as an array."""
    return X.toarray() if sparse.issparse(X) else X


class Block(NamedTuple):
    """Rows as trees read them: cell by cell, and where rows are many, by columns; and which columns have gaps."""

    cells: np.ndarray
    across: np.ndarray
    gaps: np.ndarray


def block_of(X):
    """Some rows, made ready for `pass_down`."""
    X = as_dense(X)
    across = np.empty((X.shape[1], len(X) if len(X) >= MANY else 0), dtype=X.dtype)
    gaps = np.zeros(X.shape[1], dtype=np.int8)
    _look_through(X, across, gaps)
    return Block(X, across, gaps)


@lean
def _look_through(X, across, gaps):
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            gaps[j] |= np.isnan(X[i, j])
    for i in range(across.shape[1]):
        for j in range(X.shape[1]):
            across[j, i] = X[i, j]


def pass_down(whole, roots, first, last, block, sink):
    """Bring the rows of a block to their leaves in the trees number first … last − 1, for a sink to take.

    The arrays of `whole` have all trees one after the other, each from its root in `roots`.
    """
    n, p = block.cells.shape
    most = np.max(np.diff(roots[first : last + 1]), initial=0)
    # One bit is the sign.
    fits = p < 2**SLIM_BITS and most < 2 ** (31 - SLIM_BITS)
    kind = SLIM if block.cells.dtype == np.float32 and fits else WIDE
    packed = np.empty(most if n * PACKED_FROM >= most else 0, dtype=kind)
    tables = whole.missing, whole.ends, whole.tests.arrays
    _pass_down(whole.nodes, *tables, roots, first, last, block, packed, compiled(sink))


@jit
def _pass_down(nodes, missing, ends, tests, roots, first, last, block, packed, sink):
    n = block.cells.shape[0]
    leaves = np.empty(n, dtype=np.int32)
    rows, open_nodes = np.empty((2, n), dtype=np.int32), np.empty((n + 1, 3), dtype=np.int64)
    at = np.empty(FEW, dtype=packed["way"].dtype)
    room = rows[0], rows[1], np.empty(n, dtype=np.uint8), open_nodes, at
    for tree in range(first, last):
        if len(packed) > 0:
            others = _pack(nodes, tests, roots[tree], roots[tree + 1], block.gaps, packed)
            _drop(nodes, missing, ends, tests, roots[tree], block, packed, others, room, leaves)
        else:
            _bring(nodes, missing, ends, tests, roots[tree], block.cells, rows[0], at, leaves)
        sink.take(tree, leaves)


@inner
def _bits(packed):
    """Bits of the column, of the type of ways."""
    return packed["way"].dtype.type(SLIM_BITS if packed.itemsize == 8 else WIDE_BITS)


@inner
def _mask(packed):
    one = packed["way"].dtype.type(1)
    return (one << _bits(packed)) - one


@inner
def _pack(nodes, tests, root, stop, gaps, packed):
    """Pack the nodes of a tree; whether there are others than leaves where no comparison decides."""
    number, whole = packed["threshold"].dtype.type, packed["way"].dtype.type
    bits = _bits(packed)
    for k in range(np.uint64(stop - root)):
        node, to = nodes[np.uint64(root) + k], packed[k]
        # All is read before it is chosen, lest there be a branch: half of all nodes are leaves.
        j, t, right = whole(node["feature"]), node["threshold"], whole(node["right"])
        # The largest number of the type of the rows that is not above the threshold: x ≤ either means the same.
        rounded = number(t)
        rounded = just_below(rounded) if rounded > t else rounded
        to["threshold"] = number(np.nan) if j < 0 else rounded
        to["way"] = ((whole(k) if j < 0 else right) << bits) | max(j, whole(0))
    others, some = 0, len(tests.kinds) > 0
    for gap in gaps:
        some |= gap != 0
    for k in range(stop - root if some else 0):
        j = nodes[root + k]["feature"]
        if j >= 0 and (gaps[j] != 0 or (len(tests.kinds) > 0 and tests.which[root + k] >= 0)):
            packed[k]["threshold"], packed[k]["way"] = np.nan, whole(k) << bits
            others += 1
    return others > 0


@inner
def _drop(nodes, missing, ends, tests, root, block, packed, others, room, leaves):
    X, across, _ = block
    rows, spare, flags, open_nodes, at = room
    for i in range(len(rows)):
        rows[i] = i
    node, start, stop, size = np.int64(0), np.int64(0), np.int64(len(rows)), 0
    while True:
        here, t, way = rows[start:stop], packed[node]["threshold"], packed[node]["way"]
        left, right, second = np.int64(0), np.int64(0), np.int64(way >> _bits(packed))
        if len(here) <= FEW:
            _fall_together(nodes, missing, ends, tests, root, X, packed, others, node, here, at, leaves)
        elif second != node:
            j = np.int64(way & _mask(packed))
            many = len(here) >= MANY
            left = _divide(t, across[j], here, spare, flags) if many else _divide(t, X[:, j], here, spare, flags)
            right = len(here) - left
        elif nodes[root + node]["feature"] >= 0:
            left, right = _divide_by_table(nodes, missing, ends, tests, root, node, X, here, at, leaves)
            second = np.int64(nodes[root + node]["right"])
        else:
            for i in range(len(here)):
                leaves[np.uint32(here[i])] = node
        if right > 0 and left > 0:
            open_nodes[size, 0], open_nodes[size, 1], open_nodes[size, 2] = second, start + left, start + left + right
            size += 1
        if left > 0:
            node, stop = node + 1, start + left
        elif right > 0:
            node, stop = second, start + right
        elif size > 0:
            size -= 1
            node, start, stop = open_nodes[size, 0], open_nodes[size, 1], open_nodes[size, 2]
        else:
            return


@inner
def _divide(t, cells, rows, spare, flags):
    """Rows with x ≤ t first; return how many."""
    for i in range(np.uint64(len(rows))):
        flags[i] = cells[np.uint32(rows[i])] <= t
    return sift(flags, rows, spare)


@inner
def _fall_together(nodes, missing, ends, tests, root, X, packed, others, node, rows, at, leaves):
    """Bring few rows from a node to their leaves, by `STEPS` steps at a time without a look at who is there."""
    m = len(rows)
    for i in range(m):
        at[i] = node
    while m > 0:
        for _ in range(STEPS):
            for i in range(np.uint64(m)):
                node = at[i]
                here = packed[np.uint64(node)]
                way = here["way"]
                x = X[np.uint32(rows[i]), np.uint32(way & _mask(packed))]
                at[i] = node + at.dtype.type(1) if x <= here["threshold"] else way >> _bits(packed)
        if others:
            _go_round(nodes, missing, ends, tests, root, X, packed, rows[:m], at)
        kept = np.uint64(0)
        for i in range(np.uint64(m)):
            row, here = rows[i], at[i]
            leaves[np.uint32(row)] = here
            rows[kept], at[kept] = row, here
            kept += np.uint64(packed[np.uint64(here)]["way"] >> _bits(packed) != here)
        m = np.int64(kept)


@inner
def _go_round(nodes, missing, ends, tests, root, X, packed, rows, at):
    """Take rows that rest at a node which is no leaf on by its table."""
    for i in range(len(rows)):
        moving = True
        while moving:
            here = np.int64(at[i])
            j = nodes[root + here]["feature"]
            moving = j >= 0 and packed[here]["way"] >> _bits(packed) == here
            if moving:
                at[i] = _step(nodes, missing, ends, tests, root, here, X, rows[i])
                moving = at[i] != here


@inner
def _bring(nodes, missing, ends, tests, root, X, rows, at, leaves):
    """Bring all rows to their leaves, some at a time."""
    for start in range(0, len(rows), FEW):
        m = min(FEW, len(rows) - start)
        for i in range(m):
            rows[i], at[i] = start + i, 0
        _descend(nodes, missing, ends, tests, root, X, rows[:m], at)
        for i in range(m):
            leaves[start + i] = at[i]


@inner
def _divide_by_table(nodes, missing, ends, tests, root, node, X, rows, at, leaves):
    """Rows of the first branch first, then those of the right child; how many of each.

    The others, of further branches or at the end of their way, are brought to their leaves, and stand last.
    """
    left, last = 0, len(rows)
    i = 0
    while i < last:
        row = rows[i]
        child = _step(nodes, missing, ends, tests, root, node, X, row)
        if child == node + 1:
            rows[i] = rows[left]
            rows[left] = row
            left += 1
            i += 1
        elif child == nodes[root + node]["right"]:
            i += 1
        else:
            at[0] = child
            _descend(nodes, missing, ends, tests, root, X, rows[i : i + 1], at)
            leaves[np.uint32(row)] = at[0]
            last -= 1
            rows[i] = rows[last]
            rows[last] = row
    return left, last - left


@inner
def _step(nodes, missing, ends, tests, root, node, X, row):
    """Equation (1) for one row."""
    j, t = nodes[root + node]["feature"], nodes[root + node]["threshold"]
    if j < 0:
        return node
    x = X[row, j]
    if x <= t:
        return node + 1
    if x > t:
        return np.int64(nodes[root + node]["right"])
    return _elsewhere(missing, ends, tests, X, row, j, root, node)


@inner
def _descend(nodes, missing, ends, tests, root, X, rows, at):
    """Bring the rows from the nodes `at` which they are to their leaves."""
    moving = True
    while moving:
        _fall(nodes, root, X, rows, at)
        moving = False
        for i in range(len(rows)):
            j = nodes[root + at[i]]["feature"]
            if j >= 0:
                child = _elsewhere(missing, ends, tests, X, rows[i], j, root, at[i])
                moving |= child != at[i]
                at[i] = child


@inner
def _fall(nodes, root, X, rows, at):
    """Move the rows down until each is at a leaf or where no comparison decides."""
    moving = True
    while moving:
        moving = False
        for i in range(len(rows)):
            here = at[i]
            j, t = nodes[root + here]["feature"], nodes[root + here]["threshold"]
            x, inner = X[rows[i], max(j, 0)], j >= 0
            left, right = inner & (x <= t), inner & (x > t)
            at[i] = here + left + right * (nodes[root + here]["right"] - here)
            moving |= left | right


@inner
def _elsewhere(missing, ends, tests, X, i, j, root, node):
    """The child for a row whose value is missing, or at a test that is no comparison; the node itself: stop here."""
    branch = -1
    k = tests.which[root + node] if len(tests.kinds) > 0 else -1
    if k >= 0:
        branch = _branch(tests, k, X, i, j)
    if branch < 0:
        branch = missing[root + node]
    if branch < 0:
        return node
    child = node + 1
    for _ in range(branch):
        child = ends[root + child]
    return child


@inner
def _branch(tests, k, X, i, j):
    start, stop = tests.starts[k], tests.starts[k + 1]
    if tests.kinds[k] == 2:
        total = 0.0
        for c in range(start, stop - 1):
            total += tests.coefs[c] * X[i, tests.cells[c]]
        return -1 if np.isnan(total) else (0 if total <= tests.coefs[stop - 1] else 1)
    x = X[i, j]
    if np.isnan(x):
        return -1
    if tests.kinds[k] == 1:
        t = tests.coefs[start]
        return tests.branches[start + (0 if x < t else (1 if x == t else 2))]
    return _look_up(tests, start, stop, x)


@inner
def _look_up(tests, start, stop, x):
    end = stop
    while start < stop:
        middle = (start + stop) // 2
        if tests.cells[middle] < x:
            start = middle + 1
        else:
            stop = middle
    if start < end and tests.cells[start] == x:
        return tests.branches[start]
    return -1
