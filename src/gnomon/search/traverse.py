"""Rows down trees.

    node ← node + 1 if x_j ≤ t, right child if x_j > t, else as the table of the node says; until a leaf             (1)

The third case is a missing value or a test that is no comparison. Many rows go down together: at every node they are
divided in place, as when the tree grew, so that the node is looked up once for all of them; the few that reach a node
deep down go on a step each in turn, so that the processor waits for many rows' memory at once. Asadi, Lin & de Vries
(2014), Runtime optimizations for tree-based machine learning models, doi:10.1109/TKDE.2013.73, for the latter. What is
done with the leaves of the rows is a noun, a sink.
"""

from typing import NamedTuple

import numpy as np
from joblib import effective_n_jobs
from scipy import sparse

from gnomon._jit import compiled, inner, jit, lean, noun
from gnomon._vectors import add_two
from gnomon.numerics.parallel import map_chunks, split_rows
from gnomon.search._sift import sift

__all__ = ["AnswerSums", "LeafNumbers", "as_dense", "block_of", "leaves_of", "pass_down"]

FEW = 2
"""Rows that are no longer divided."""

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
    out = np.empty((X.shape[0], 1), dtype=np.int64)
    arrays = tree.nodes, tree.missing, tree.ends, tree.tests.arrays, np.array([0, tree.node_count])

    def work(rows):
        pass_down(*arrays, 0, 1, block_of(X[rows]), compiled(LeafNumbers(out[rows])))

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


@jit
def pass_down(nodes, missing, ends, tests, roots, first, last, block, sink):
    """Bring the rows of a block to their leaves in the trees number first … last − 1, for a sink to take."""
    n = block.cells.shape[0]
    leaves = np.empty(n, dtype=np.int32)
    rows, open_nodes = np.empty((2, n), dtype=np.int32), np.empty((n + 1, 3), dtype=np.int64)
    room = rows[0], rows[1], np.empty(n, dtype=np.uint8), open_nodes, np.empty(FEW, dtype=np.int64)
    for tree in range(first, last):
        _drop(nodes, missing, ends, tests, roots[tree], block, room, leaves)
        sink.take(tree, leaves)


@inner
def _drop(nodes, missing, ends, tests, root, block, room, leaves):
    X, across, gaps = block
    rows, spare, flags, open_nodes, at = room
    for i in range(len(rows)):
        rows[i] = i
    node, start, stop, size = np.int64(0), np.int64(0), np.int64(len(rows)), 0
    while True:
        here, j = rows[start:stop], nodes[root + node]["feature"]
        left, right = np.int64(0), np.int64(0)
        if j < 0:
            for i in range(len(here)):
                leaves[np.uint32(here[i])] = node
        elif len(here) <= FEW:
            for i in range(len(here)):
                at[i] = node
            _descend(nodes, missing, ends, tests, root, X, here, at)
            for i in range(len(here)):
                leaves[np.uint32(here[i])] = at[i]
        elif gaps[j] or (len(tests.kinds) > 0 and tests.which[root + node] >= 0):
            left, right = _divide_by_table(nodes, missing, ends, tests, root, node, X, here, at, leaves)
        else:
            t = nodes[root + node]["threshold"]
            many = len(here) >= MANY
            left = _divide_many(t, across[j], here, spare, flags) if many else _divide_few(t, X[:, j], here)
            right = len(here) - left
        if right > 0 and left > 0:
            open_nodes[size, 0], open_nodes[size, 1] = nodes[root + node]["right"], start + left
            open_nodes[size, 2] = start + left + right
            size += 1
        if left > 0:
            node, stop = node + 1, start + left
        elif right > 0:
            node, stop = np.int64(nodes[root + node]["right"]), start + right
        elif size > 0:
            size -= 1
            node, start, stop = open_nodes[size, 0], open_nodes[size, 1], open_nodes[size, 2]
        else:
            return


@inner
def _divide_many(threshold, cells, rows, spare, flags):
    """Rows with x ≤ t first; return how many."""
    t = _rounded_down(threshold, cells)
    for i in range(np.uint64(len(rows))):
        flags[i] = cells[np.uint32(rows[i])] <= t
    return sift(flags, rows, spare)


@inner
def _divide_few(threshold, cells, rows):
    """The same in one pass; the order of the rows is lost."""
    t, left = _rounded_down(threshold, cells), np.uint64(0)
    for i in range(len(rows)):
        row = rows[i]
        rows[i] = rows[left]
        rows[left] = row
        left += np.uint64(cells[np.uint32(row)] <= t)
    return np.int64(left)


@inner
def _rounded_down(threshold, cells):
    """The largest number of the type of the cells that is not above the threshold: x ≤ either means the same."""
    t = cells.dtype.type(threshold)
    return np.nextafter(t, cells.dtype.type(-np.inf)) if t > threshold else t


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
