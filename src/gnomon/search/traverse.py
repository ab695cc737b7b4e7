"""Rows down trees.

    node ← node + 1 if x_j ≤ t, right child if x_j > t, else as the table of the node says; until a leaf             (1)

The third case is a missing value or a test that is no comparison. Rows go down in blocks of sixteen, a step each in
turn, so that the processor waits for many rows' memory at once instead of one's: Asadi, Lin & de Vries (2014), Runtime
optimizations for tree-based machine learning models, doi:10.1109/TKDE.2013.73.
"""

import numpy as np
from scipy import sparse

from gnomon._jit import jit
from gnomon.numerics.parallel import map_chunks, split_rows

__all__ = ["leaves_of"]

BLOCK = 16
ROWS = 2**14
"""Rows in a piece of work for one thread."""


def leaves_of(tree, X, n_jobs=None):
    """The leaf of `tree` that each row of X reaches, as an array of node numbers."""
    out = np.empty(X.shape[0], dtype=np.int64)

    def work(rows):
        part = X[rows]
        _descend(tree.nodes, tree.missing, tree.ends, tree.tests, _dense(part), out[rows])

    map_chunks(work, split_rows(X.shape[0], max(1, X.shape[0] // ROWS)), n_jobs)
    return out


def _dense(X):
    return X.toarray() if sparse.issparse(X) else X


@jit
def _descend(nodes, missing, ends, tests, X, out):
    for start in range(0, X.shape[0], BLOCK):
        stop = min(start + BLOCK, X.shape[0])
        for i in range(start, stop):
            out[i] = 0
        moving = True
        while moving:
            moving = False
            for i in range(start, stop):
                node = out[i]
                j = nodes[node].feature
                if j < 0:
                    continue
                x, t = X[i, j], nodes[node].threshold
                if x <= t:
                    out[i] = node + 1
                elif x > t:
                    out[i] = nodes[node].right
                else:
                    out[i] = elsewhere(missing, ends, tests, X, i, j, node)
                    if out[i] == node:
                        continue
                moving = True


@jit
def elsewhere(missing, ends, tests, X, i, j, node):
    """The child for a row whose value is missing, or at a test that is no comparison; the node itself: stop here."""
    branch = -1
    k = tests.which[node]
    if k >= 0:
        branch = _branch(tests, k, X, i, j)
    if branch < 0:
        branch = missing[node]
    if branch < 0:
        return node
    child = node + 1
    for _ in range(branch):
        child = ends[child]
    return child


@jit
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


@jit
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
