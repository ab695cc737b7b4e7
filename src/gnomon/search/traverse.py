"""Rows down trees.

    node ← node + 1 if x_j ≤ t, right child if x_j > t, else as the table of the node says; until a leaf             (1)

The third case is a missing value or a test that is no comparison. Few rows go on a step each in turn (`_descent`); for
many the nodes of a tree are packed first (`_packed_descent`). What is done with the leaves of the rows is a noun, a
sink. Breiman et al. (1984), Classification and Regression Trees, doi:10.1201/9781315139470.
"""

from typing import NamedTuple

import numpy as np
from joblib import effective_n_jobs
from scipy import sparse

from gnomon._jit import compiled, lean, noun, verb
from gnomon._vectors import add_two
from gnomon.numerics.parallel import map_chunks, split_rows
from gnomon.search._descent import bring_down
from gnomon.search._packed_descent import MANY, drop_down, room_for_nodes, room_for_rows

__all__ = ["AnswerSums", "LeafNumbers", "as_dense", "block_of", "leaves_of", "pass_down"]

PACKED_FROM = 256
"""Nodes for each row up to which packing them pays, of many rows."""

FEWEST = 256
"""Rows of the smallest piece of work, and of a stretch whose answers are added at a time."""

ROWS, CELLS = 2**16, 2**22
"""Rows in a piece of work: the more, the fewer nodes are looked up for a row, while their cells stay in cache."""


@noun
class LeafNumbers:
    """Keep the leaf of every row in every tree."""

    out: np.ndarray

    @verb
    def take(self, tree, leaves):
        # Array to array, what is said of shapes that differ would be compiled too, and for longer than all else.
        for i in range(len(leaves)):
            self.out[i, tree] = leaves[i]


@noun
class AnswerSums:
    """Add the answers of the leaves of every row, one sum for each group of trees."""

    answers: np.ndarray
    roots: np.ndarray
    groups: np.ndarray
    out: np.ndarray

    @verb
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
    """Rows as trees read them: cell by cell, and where they are many, by columns; and which columns have gaps."""

    cells: np.ndarray
    across: np.ndarray | None
    gaps: np.ndarray | None


def block_of(X):
    """Some rows, made ready for `pass_down`."""
    X = as_dense(X)
    if len(X) < MANY:
        return Block(X, None, None)
    across, gaps = np.empty(X.shape[::-1], dtype=X.dtype), np.zeros(X.shape[1], dtype=np.int8)
    _look_through(X, across, gaps)
    return Block(X, across, gaps)


@lean
def _look_through(X, across, gaps):
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            gaps[j] |= np.isnan(X[i, j])
            across[j, i] = X[i, j]


def pass_down(whole, roots, first, last, block, sink):
    """Bring the rows of a block to their leaves in the trees number first … last − 1, for a sink to take.

    The arrays of `whole` have all trees one after the other, each from its root in `roots`.
    """
    n, p = block.cells.shape
    trees = whole.nodes, whole.missing, whole.ends, whole.tests.used, roots, first, last
    most, leaves = np.max(np.diff(roots[first : last + 1]), initial=0), np.empty(n, dtype=np.int32)
    if block.across is None or most > n * PACKED_FROM:
        bring_down(*trees, block.cells, np.arange(n, dtype=np.int32), leaves, compiled(sink))
    else:
        packed = room_for_nodes(most, p, block.cells.dtype)
        drop_down(*trees, block, packed, room_for_rows(n, packed), leaves, compiled(sink))
