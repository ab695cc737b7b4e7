"""Rows down trees.

    node ← node + 1 if x_j ≤ t, right child if x_j > t, else as the table of the node says; until a leaf             (1)

The third case is a missing value or a test that is no comparison. Many rows go down together: at every node they are
divided in place, as when the tree grew, so that the node is looked up once for all of them; the few that reach a node
deep down go on a step each in turn, so that the processor waits for many rows' memory at once. Asadi, Lin & de Vries
(2014), Runtime optimizations for tree-based machine learning models, doi:10.1109/TKDE.2013.73, for the latter.
"""

import numpy as np
from joblib import effective_n_jobs
from scipy import sparse

from gnomon._jit import inner, jit
from gnomon.numerics.parallel import map_chunks, split_rows

__all__ = ["as_dense", "leaves_of"]

FEW = 4
"""Rows that are no longer divided."""

FEWEST = 256
ROWS = 2**16
"""Rows in a piece of work: the more, the fewer nodes are looked up for a row, while their cells stay in cache."""


def leaves_of(tree, X, n_jobs=None):
    """The leaf of `tree` that each row of X reaches, as an array of node numbers."""
    out = np.empty(X.shape[0], dtype=np.int64)

    def work(rows):
        _leaves(tree.nodes, tree.missing, tree.ends, tree.tests, as_dense(X[rows]), out[rows])

    map_chunks(work, pieces(X.shape[0], n_jobs), n_jobs)
    return out


def pieces(n, n_jobs):
    """The rows in pieces, one for each thread at least where they are many; answers do not depend on where they end."""
    return split_rows(n, max(min(effective_n_jobs(n_jobs), n // FEWEST), -(-n // ROWS)))


def as_dense(X):
    """A block of rows as an array."""
    return X.toarray() if sparse.issparse(X) else X


@jit
def _leaves(nodes, missing, ends, tests, X, out):
    drop(nodes, missing, ends, tests, 0, X, room(X), out)


@jit
def room(X):
    """What `drop` needs for the rows of X: their numbers, open nodes, and which columns have gaps."""
    n, p = X.shape
    gaps = np.zeros(p, dtype=np.int8)
    for i in range(n):
        for j in range(p):
            gaps[j] |= np.isnan(X[i, j])
    return np.empty(n, dtype=np.int32), np.empty((n + 1, 3), dtype=np.int64), gaps


@inner
def drop(nodes, missing, ends, tests, root, X, room, at):
    """Put into `at` the leaf of every row of X, numbered from the root of the tree."""
    rows, open_nodes, gaps = room
    for i in range(len(rows)):
        rows[i] = i
        at[i] = 0
    open_nodes[0, 0], open_nodes[0, 1], open_nodes[0, 2] = 0, 0, len(rows)
    size = 1
    while size > 0:
        size -= 1
        node, start, stop = open_nodes[size, 0], open_nodes[size, 1], open_nodes[size, 2]
        here, j = rows[start:stop], nodes[root + node]["feature"]
        if j < 0:
            for i in range(len(here)):
                at[here[i]] = node
        elif len(here) <= FEW:
            for i in range(len(here)):
                at[here[i]] = node
            descend(nodes, missing, ends, tests, root, X, here, at)
        else:
            if gaps[j] or tests.which[root + node] >= 0:
                left, right = _divide_by_table(nodes, missing, ends, tests, root, node, X, here, at)
            else:
                left = _divide(nodes[root + node]["threshold"], j, X, here)
                right = len(here) - left
            if right > 0:
                open_nodes[size, 0], open_nodes[size, 1] = nodes[root + node]["right"], start + left
                open_nodes[size, 2] = start + left + right
                size += 1
            if left > 0:
                open_nodes[size, 0], open_nodes[size, 1], open_nodes[size, 2] = node + 1, start, start + left
                size += 1


@inner
def _divide(threshold, j, X, rows):
    """Rows with x_j ≤ t first; return how many.

    Whatever the comparison says, the same is done: branches would be as hard to foretell as the rows are to classify.
    """
    left = np.uint64(0)
    for i in range(len(rows)):
        row = rows[i]
        rows[i] = rows[left]
        rows[left] = row
        left += np.uint64(X[np.uint32(row), np.uint32(j)] <= threshold)
    return np.int64(left)


@inner
def _divide_by_table(nodes, missing, ends, tests, root, node, X, rows, at):
    """Rows of the first branch first, then those of the right child; how many of each.

    The others, of further branches or at the end of their way, are brought to their leaves, and stand last.
    """
    left, last = 0, len(rows)
    i = 0
    while i < last:
        row = rows[i]
        child = step(nodes, missing, ends, tests, root, node, X, row)
        if child == node + 1:
            rows[i] = rows[left]
            rows[left] = row
            left += 1
            i += 1
        elif child == nodes[root + node]["right"]:
            i += 1
        else:
            at[row] = child
            descend(nodes, missing, ends, tests, root, X, rows[i : i + 1], at)
            last -= 1
            rows[i] = rows[last]
            rows[last] = row
    return left, last - left


@inner
def step(nodes, missing, ends, tests, root, node, X, row):
    """Equation (1) for one row."""
    j, t = nodes[root + node]["feature"], nodes[root + node]["threshold"]
    if j < 0:
        return node
    x = X[row, j]
    if x <= t:
        return node + 1
    if x > t:
        return np.int64(nodes[root + node]["right"])
    return elsewhere(missing, ends, tests, X, row, j, root, node)


@inner
def descend(nodes, missing, ends, tests, root, X, rows, at):
    """Bring the rows from the nodes where they are to their leaves."""
    moving = True
    while moving:
        _fall(nodes, root, X, rows, at)
        moving = False
        for i in range(len(rows)):
            row = rows[i]
            j = nodes[root + at[row]]["feature"]
            if j >= 0:
                child = elsewhere(missing, ends, tests, X, row, j, root, at[row])
                moving |= child != at[row]
                at[row] = child


@inner
def _fall(nodes, root, X, rows, at):
    """Move the rows down until each is at a leaf or where no comparison decides."""
    moving = True
    while moving:
        moving = False
        for i in range(len(rows)):
            row = rows[i]
            here = at[row]
            j, t = nodes[root + here]["feature"], nodes[root + here]["threshold"]
            x, inner = X[row, max(j, 0)], j >= 0
            left, right = inner & (x <= t), inner & (x > t)
            at[row] = here + left + right * (nodes[root + here]["right"] - here)
            moving |= left | right


@inner
def elsewhere(missing, ends, tests, X, i, j, root, node):
    """The child for a row whose value is missing, or at a test that is no comparison; the node itself: stop here."""
    branch = -1
    k = tests.which[root + node]
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
