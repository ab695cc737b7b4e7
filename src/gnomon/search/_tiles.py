"""Parts of a table with few rows, whose nodes are sets of them.

    cells[64 j + i] = code of column j in row i < 64;    a set of rows has a bit for each                           (1)
    least, largest code of column j in a set             some ten instructions                                      (2)
    {rows with code ≤ cut}, the rows of a set and class  an instruction each                                        (3)

A subtree of so few rows is grown without moving or reading any again: children of a set are its meets with (3) and with
the complement, and only columns that are drawn are looked at. Most nodes of a large tree are in such subtrees.
Knuth (2011), The Art of Computer Programming 4A, section 7.1.3, for sets as words.
"""

from typing import NamedTuple

import numpy as np

from gnomon._jit import inner
from gnomon._vectors import BLOCK, ROW, extremes_within, members_up_to, size_of_set, turn_block
from gnomon.search._histograms import in_lines

__all__ = ["Tile", "count_tile", "fill_tile", "look_at_tile", "make_tile", "split_set"]

ALL = np.uint64(2**64 - 1)


class Tile(NamedTuple):
    """Cells as in (1), the rows of each class, the set of each node, and how many rows a tile may have."""

    cells: np.ndarray
    classes: np.ndarray
    sets: np.ndarray
    most: int


def make_tile(stride, n_classes, capacity, most):
    """Room for a tile of records of so many bytes in trees of so many nodes."""
    cells = in_lines(stride, ROW // 8).view(np.uint8).ravel()
    return Tile(cells, np.zeros(n_classes, dtype=np.uint64), np.empty(capacity, dtype=np.uint64), min(most, ROW))


@inner
def fill_tile(tile, records, place, stride, node, counts):
    """Let the node be the set of all its records, which begin at `place`, class by class, as many as `counts` says.

    Up to 31 records after them are read too, and are in no set.
    """
    rows, size = np.uint64(counts[0]), np.uint64(BLOCK)
    for i in range(np.uint64(0), rows, size):
        for block in range(np.uint64(0), stride, size):
            turn_block(records, place + i * stride + block, stride, tile.cells, block * np.uint64(ROW) + i)
    tile.sets[node] = _first(rows)
    before = np.uint64(0)
    for k in range(len(tile.classes)):
        after = before + np.uint64(counts[k + 1])
        tile.classes[k] = _first(after) & ~_first(before)
        before = after


@inner
def _first(rows):
    """The set of the first rows."""
    return ALL >> (np.uint64(64) - rows) if rows > np.uint64(0) else np.uint64(0)


@inner
def split_set(tile, node, column, cut, child):
    """Let the next two nodes from `child` on be the rows of a node up to the cut, and the others."""
    left = members_up_to(tile.cells, np.uint64(column) * np.uint64(ROW), np.uint8(cut))
    tile.sets[child], tile.sets[child + 1] = tile.sets[node] & left, tile.sets[node] & ~left


@inner
def look_at_tile(tile, node, features, first, stop, low, high):
    """(2) for the columns ``features[first:stop]``."""
    for turn in range(first, stop):
        j = np.uint64(features[turn])
        low[j], high[j] = extremes_within(tile.cells, j * np.uint64(ROW), tile.sets[node])


@inner
def count_tile(tile, node, features, first, stop, cuts, sides):
    """How many rows of each class are up to the cuts of the columns ``features[first:stop]``."""
    for turn in range(first, stop):
        j = np.uint64(features[turn])
        left = tile.sets[node] & members_up_to(tile.cells, j * np.uint64(ROW), cuts[j])
        for k in range(len(tile.classes)):
            sides[j, k + 1] = size_of_set(left & tile.classes[k])
