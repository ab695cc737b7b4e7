"""Subtrees of at most 64 rows, whose nodes are bit sets of rows.

    cells[64 j + i] = code of column j in row i < 64;    a set of rows is a word of 64 bits                         (1)
    least, largest code of column j in a set             some ten vector instructions                               (2)
    {rows with code ≤ cut}, the rows of a set and class  an instruction each                                        (3)

Such a subtree is grown without moving rows: the children of a set are its intersections with (3) and with the
complement of (3), and only the cells of columns that are drawn are read. Most nodes of a large tree are in such
subtrees. Knuth (2011), The Art of Computer Programming 4A, section 7.1.3, for bit sets.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gnomon._jit import subroutine
from gnomon._vectors import VECTOR_BYTES, WORD_BITS, extremes_within, mask_at_most, popcount, transpose_block
from gnomon.search._histograms import in_lines

__all__ = ["RowSets", "count_left", "fill_row_sets", "find_extremes", "make_row_sets", "split_set"]

ALL = np.uint64(2**64 - 1)


class RowSets(NamedTuple):
    """Cells as in (1), the set of the rows of each class and of each node, and at most how many rows a subtree has."""

    cells: np.ndarray
    classes: np.ndarray
    sets: np.ndarray
    most: int


def make_row_sets(stride, n_classes, capacity, most):
    """Arrays for records of `stride` bytes in trees of at most `capacity` nodes."""
    cells = in_lines(stride, WORD_BITS // 8).view(np.uint8).ravel()
    classes, sets = np.zeros(n_classes, dtype=np.uint64), np.empty(capacity, dtype=np.uint64)
    return RowSets(cells, classes, sets, min(most, WORD_BITS))


@subroutine
def fill_row_sets(row_sets, records, place, stride, node, counts):
    """Make the node the set of all its records, which begin at `place`, class by class, as many as `counts` says.

    Up to 31 records after them are read too, and are in no set.
    """
    rows, size = np.uint64(counts[0]), np.uint64(VECTOR_BYTES)
    for i in range(np.uint64(0), rows, size):
        for block in range(np.uint64(0), stride, size):
            to = block * np.uint64(WORD_BITS) + i
            transpose_block(records, place + i * stride + block, stride, row_sets.cells, to)
    row_sets.sets[node] = _first(rows)
    before = np.uint64(0)
    for k in range(len(row_sets.classes)):
        after = before + np.uint64(counts[k + 1])
        row_sets.classes[k] = _first(after) & ~_first(before)
        before = after


@subroutine
def _first(rows):
    """The set of the first rows."""
    return ALL >> (np.uint64(64) - rows) if rows > np.uint64(0) else np.uint64(0)


@subroutine
def split_set(row_sets, node, column, cut, child):
    """Make the nodes `child` and `child` + 1 the rows of a node with codes up to the cut, and the others."""
    left = mask_at_most(row_sets.cells, np.uint64(column) * np.uint64(WORD_BITS), np.uint8(cut))
    row_sets.sets[child], row_sets.sets[child + 1] = row_sets.sets[node] & left, row_sets.sets[node] & ~left


@subroutine
def find_extremes(row_sets, node, features, first, stop, low, high):
    """(2) for the columns ``features[first:stop]``."""
    for turn in range(first, stop):
        j = np.uint64(features[turn])
        low[j], high[j] = extremes_within(row_sets.cells, j * np.uint64(WORD_BITS), row_sets.sets[node])


@subroutine
def count_left(row_sets, node, features, first, stop, cuts, sides):
    """How many rows of each class are up to the cuts of the columns ``features[first:stop]``."""
    for turn in range(first, stop):
        j = np.uint64(features[turn])
        left = row_sets.sets[node] & mask_at_most(row_sets.cells, j * np.uint64(WORD_BITS), cuts[j])
        for k in range(len(row_sets.classes)):
            sides[j, k + 1] = popcount(left & row_sets.classes[k])
