"""The leaves of rows in a tree, a step at a time.

    node ← node + 1 if x_j ≤ t, right child if x_j > t, else as the table of the node says; until a leaf             (1)

Several rows are interleaved, so that their cache misses overlap: Asadi, Lin & de Vries (2014), Runtime optimizations
for tree-based machine learning models, doi:10.1109/TKDE.2013.73. `tests` is None where no node has a table: Numba
specialises functions by this type, and the code for tables is not compiled.
"""

from __future__ import annotations

import numpy as np

from gnomon._jit import jit_no_alloc, subroutine

__all__ = ["INTERLEAVED", "descend", "find_leaves", "step"]

INTERLEAVED = 48
"""Rows whose descents are interleaved."""


@jit_no_alloc
def find_leaves(nodes, missing, ends, tests, roots, first, last, X, rows, leaves, output):
    """Find the `leaves` of the rows numbered by `rows` in the trees first … last − 1, and pass them to `output`."""
    for tree in range(first, last):
        for start in range(0, len(rows), INTERLEAVED):
            some, at = rows[start : start + INTERLEAVED], leaves[start : start + INTERLEAVED]
            for i in range(len(at)):
                at[i] = 0
            descend(nodes, missing, ends, tests, roots[tree], X, some, at)
        output.take(tree, leaves)


@subroutine
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
    return _child_by_table(missing, ends, tests, X, row, j, root, node)


@subroutine
def descend(nodes, missing, ends, tests, root, X, rows, at):
    """Move the rows from the nodes `at` to their leaves."""
    moving = True
    while moving:
        _follow_comparisons(nodes, root, X, rows, at)
        moving = False
        for i in range(len(rows)):
            j = nodes[root + at[i]]["feature"]
            if j >= 0:
                child = _child_by_table(missing, ends, tests, X, rows[i], j, root, at[i])
                moving |= child != at[i]
                at[i] = child


@subroutine
def _follow_comparisons(nodes, root, X, rows, at):
    """Move the rows down until each is at a leaf or at a node where no comparison decides."""
    # Unsigned indices avoid Numba's branch for negative ones.
    root, moving = np.uint64(root), True
    while moving:
        moving = False
        for i in range(np.uint64(len(rows))):
            here = at[i]
            node = nodes[root + np.uint32(here)]
            j, t = node["feature"], node["threshold"]
            x, inner = X[np.uint32(rows[i]), np.uint32(j) * np.uint32(j >= 0)], j >= 0
            left, right = inner & (x <= t), inner & (x > t)
            at[i] = here + left + right * (node["right"] - here)
            moving |= left | right


@subroutine
def _child_by_table(missing, ends, tests, X, i, j, root, node):
    """The child for a row whose value is missing, or at a test that is no comparison; the node itself: stop here."""
    branch = -1
    if tests is not None:
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


@subroutine
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


@subroutine
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
