"""The leaves of many rows, in trees whose nodes are packed.

    node ← node + 1 if x_j ≤ t, else its second child: a select instead of a branch, one load of the node            (1)

At every node the rows are partitioned in place, as when the tree grew, so that a node is loaded once for all of them;
once few are left at a node they descend interleaved (`_descent`). To pack the nodes pays for many rows only. Asadi, Lin
& de Vries (2014), Runtime optimizations for tree-based machine learning models, doi:10.1109/TKDE.2013.73.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gnomon._jit import jit_no_alloc, just_below, subroutine
from gnomon.search._descent import INTERLEAVED, descend, step
from gnomon.search._partition import partition_by_flags

__all__ = ["MANY_ROWS", "find_leaves_packed", "make_packed", "make_workspace"]

STEPS_PER_CHECK = 2
"""Steps after which rows that have reached their leaves are set aside."""

NARROW = np.dtype([("threshold", np.float32), ("way", np.int32)])
WIDE = np.dtype([("threshold", np.float64), ("way", np.int64)])
"""A packed node: `way` is the second child, shifted left, plus the column. A node where no comparison decides, as in a
leaf, is its own second child, with the threshold NaN that nothing passes."""

NARROW_BITS, WIDE_BITS = 12, 31
"""Bits of the column in `way`."""

MANY_ROWS = 1024
"""Rows from which on nodes are packed, and cells are read from a transposed copy, a column contiguous."""


class DescentWorkspace(NamedTuple):
    """Arrays of a descent: row numbers, the spare half of a partition, flags, a stack of nodes, nodes of few rows."""

    rows: np.ndarray
    spare: np.ndarray
    flags: np.ndarray
    open_nodes: np.ndarray
    at: np.ndarray


def make_packed(most, n_features, kind):
    """An array for the packed nodes of trees of at most `most` nodes, for rows of a type of numbers."""
    # One of 32 bits is the sign.
    fits = n_features < 2**NARROW_BITS and most < 2 ** (31 - NARROW_BITS)
    return np.empty(most, dtype=NARROW if kind == np.float32 and fits else WIDE)


def make_workspace(n, packed):
    """Arrays in which n rows descend packed nodes."""
    rows, spare = np.empty((2, n), dtype=np.int32)
    open_nodes = np.empty((n + 1, 3), dtype=np.int64)
    flags, at = np.empty(n, dtype=np.uint8), np.empty(INTERLEAVED, dtype=packed["way"].dtype)
    return DescentWorkspace(rows, spare, flags, open_nodes, at)


@jit_no_alloc
def find_leaves_packed(nodes, missing, ends, tests, roots, first, last, block, packed, space, leaves, output):
    """Find the `leaves` of all rows of a block in each of the trees first … last − 1, and pass them to `output`."""
    for tree in range(first, last):
        others = _pack(nodes, tests, roots[tree], roots[tree + 1], block.gaps, packed)
        _partition_down(nodes, missing, ends, tests, roots[tree], block, packed, others, space, leaves)
        output.take(tree, leaves)


@subroutine
def _bits(packed):
    """Bits of the column in `way`, in its type."""
    return packed["way"].dtype.type(NARROW_BITS if packed.itemsize == 8 else WIDE_BITS)


@subroutine
def _mask(packed):
    one = packed["way"].dtype.type(1)
    return (one << _bits(packed)) - one


@subroutine
def _pack(nodes, tests, root, stop, gaps, packed):
    """Pack the nodes of a tree; whether inner nodes are among those where no comparison decides."""
    number, whole = packed["threshold"].dtype.type, packed["way"].dtype.type
    bits = _bits(packed)
    for k in range(np.uint64(stop - root)):
        node, to = nodes[np.uint64(root) + k], packed[k]
        # All fields are loaded before the selects: a branch would be mispredicted, as half of all nodes are leaves.
        j, t, right = whole(node["feature"]), node["threshold"], whole(node["right"])
        # The largest number of the type of the rows that is not above the threshold: x ≤ either means the same.
        rounded = number(t)
        rounded = just_below(rounded) if rounded > t else rounded
        to["threshold"] = number(np.nan) if j < 0 else rounded
        to["way"] = ((whole(k) if j < 0 else right) << bits) | max(j, whole(0))
    others, some = 0, tests is not None
    for gap in gaps:
        some |= gap != 0
    for k in range(stop - root if some else 0):
        j = nodes[root + k]["feature"]
        if j >= 0 and (gaps[j] != 0 or _has_table(tests, root + k)):
            packed[k]["threshold"], packed[k]["way"] = np.nan, whole(k) << bits
            others += 1
    return others > 0


@subroutine
def _has_table(tests, node):
    if tests is None:
        return False
    return tests.which[node] >= 0


@subroutine
def _partition_down(nodes, missing, ends, tests, root, block, packed, others, space, leaves):
    X, across, _ = block
    rows, spare, flags, open_nodes, at = space
    for i in range(len(rows)):
        rows[i] = i
    node, start, stop, size = np.int64(0), np.int64(0), np.int64(len(rows)), 0
    while True:
        here, t, way = rows[start:stop], packed[node]["threshold"], packed[node]["way"]
        left, right, second = np.int64(0), np.int64(0), np.int64(way >> _bits(packed))
        if len(here) <= INTERLEAVED:
            _descend_interleaved(nodes, missing, ends, tests, root, X, packed, others, node, here, at, leaves)
        elif second != node:
            j = np.int64(way & _mask(packed))
            many = len(here) >= MANY_ROWS
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


@subroutine
def _divide(t, cells, rows, spare, flags):
    """Rows with x ≤ t first; return how many."""
    for i in range(np.uint64(len(rows))):
        flags[i] = cells[np.uint32(rows[i])] <= t
    return partition_by_flags(flags, rows, spare)


@subroutine
def _descend_interleaved(nodes, missing, ends, tests, root, X, packed, others, node, rows, at, leaves):
    """Move few rows from a node to their leaves, interleaved; those there are dropped every `STEPS_PER_CHECK` steps."""
    m = len(rows)
    for i in range(m):
        at[i] = node
    while m > 0:
        for _ in range(STEPS_PER_CHECK):
            for i in range(np.uint64(m)):
                node = at[i]
                here = packed[np.uint64(node)]
                way = here["way"]
                x = X[np.uint32(rows[i]), np.uint32(way & _mask(packed))]
                at[i] = node + at.dtype.type(1) if x <= here["threshold"] else way >> _bits(packed)
        if others:
            _follow_tables(nodes, missing, ends, tests, root, X, packed, rows[:m], at)
        kept = np.uint64(0)
        for i in range(np.uint64(m)):
            row, here = rows[i], at[i]
            leaves[np.uint32(row)] = here
            rows[kept], at[kept] = row, here
            kept += np.uint64(packed[np.uint64(here)]["way"] >> _bits(packed) != here)
        m = np.int64(kept)


@subroutine
def _follow_tables(nodes, missing, ends, tests, root, X, packed, rows, at):
    """Move rows on that stopped at an inner node where no comparison decides."""
    for i in range(len(rows)):
        moving = True
        while moving:
            here = np.int64(at[i])
            j = nodes[root + here]["feature"]
            moving = j >= 0 and packed[here]["way"] >> _bits(packed) == here
            if moving:
                at[i] = step(nodes, missing, ends, tests, root, here, X, rows[i])
                moving = at[i] != here


@subroutine
def _divide_by_table(nodes, missing, ends, tests, root, node, X, rows, at, leaves):
    """Rows of the first branch first, then those of the right child; how many of each.

    The others, of further branches or without a branch, are moved to their leaves, and come last.
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
            at[0] = child
            descend(nodes, missing, ends, tests, root, X, rows[i : i + 1], at)
            leaves[np.uint32(row)] = at[0]
            last -= 1
            rows[i] = rows[last]
            rows[last] = row
    return left, last - left
