"""Rows down trees.

    node ← node + 1 if x_j ≤ t, right child if x_j > t, else as the table of the node says; until a leaf             (1)

The third case is a missing value or a test that is no comparison. Rows go down in blocks of sixteen, a step each in
turn, so that the processor waits for many rows' memory at once instead of one's: Asadi, Lin & de Vries (2014), Runtime
optimizations for tree-based machine learning models, doi:10.1109/TKDE.2013.73.
"""

import numpy as np
from scipy import sparse

from gnomon._jit import inner, jit
from gnomon.numerics.parallel import map_chunks, split_rows

__all__ = ["as_dense", "leaves_of"]

BLOCK = 16
ROWS = 2**14
"""Rows in a piece of work for one thread."""


def leaves_of(tree, X, n_jobs=None):
    """The leaf of `tree` that each row of X reaches, as an array of node numbers."""
    out = np.empty(X.shape[0], dtype=np.int64)

    def work(rows):
        _leaves(tree.nodes, tree.missing, tree.ends, tree.tests, as_dense(X[rows]), out[rows])

    map_chunks(work, split_rows(X.shape[0], max(1, X.shape[0] // ROWS)), n_jobs)
    return out


def as_dense(X):
    """A block of rows as an array."""
    return X.toarray() if sparse.issparse(X) else X


@jit
def _leaves(nodes, missing, ends, tests, X, out):
    for start in range(0, X.shape[0], BLOCK):
        stop = min(start + BLOCK, X.shape[0])
        descend(nodes, missing, ends, tests, 0, X, start, stop, out[start:stop])


@inner
def descend(nodes, missing, ends, tests, root, X, start, stop, at):
    """The leaves, numbered from the root of their tree, of the rows start … stop − 1 of X."""
    for i in range(stop - start):
        at[i] = 0
    moving = True
    while moving:
        _fall(nodes, root, X, start, stop, at)
        moving = False
        for i in range(stop - start):
            j = nodes[root + at[i]]["feature"]
            if j >= 0:
                child = elsewhere(missing, ends, tests, X, start + i, j, root, at[i])
                moving |= child != at[i]
                at[i] = child


@inner
def _fall(nodes, root, X, start, stop, at):
    """Move the rows down until each is at a leaf or where no comparison decides.

    Nothing is decided by branches of the program, which would be as hard to foretell as the rows are to classify.
    """
    moving = True
    while moving:
        moving = False
        for i in range(stop - start):
            here = at[i]
            j, t = nodes[root + here]["feature"], nodes[root + here]["threshold"]
            x, inner = X[start + i, max(j, 0)], j >= 0
            left, right = inner & (x <= t), inner & (x > t)
            at[i] = here + left + right * (nodes[root + here]["right"] - here)
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
