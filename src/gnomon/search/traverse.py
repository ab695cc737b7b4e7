"""The leaves of rows in trees, and what is done with them.

    node ← node + 1 if x_j ≤ t, right child if x_j > t, else as the table of the node says; until a leaf             (1)

The third case is a missing value or a test that is no comparison. Few rows descend as they are (`_descent`); for many
the nodes of a tree are packed first (`_packed_descent`). An output, `LeafNumbers` or `AnswerSums`, takes the leaves of
every tree. Breiman et al. (1984), Classification and Regression Trees, doi:10.1201/9781315139470.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from joblib import effective_n_jobs

from gnomon._jit import compiled, jit_no_alloc, noun, verb
from gnomon._typing import Array, Floats, Integers, Matrix, is_sparse
from gnomon._vectors import add_two
from gnomon.numerics.parallel import map_chunks, split_rows
from gnomon.search._descent import find_leaves
from gnomon.search._packed_descent import MANY_ROWS, find_leaves_packed, make_packed, make_workspace

if TYPE_CHECKING:
    from gnomon.search.tree import Tree

__all__ = ["AnswerSums", "LeafNumbers", "as_dense", "block_of", "find_leaves_of_block", "leaves_of"]

MOST_NODES_PER_ROW = 256
"""Nodes per row up to which it pays to pack them."""

SMALLEST_PIECE = 256
"""Rows of the smallest piece of work, and rows whose answers are added at a time."""

MOST_ROWS, MOST_CELLS = 2**16, 2**22
"""Limits of a piece of work: more rows share the load of a node, as long as their cells stay in cache."""


@noun
class LeafNumbers:
    """Keep the leaf of every row in every tree."""

    out: Integers

    @verb
    def take(self, tree, leaves):
        # An assignment of arrays would compile Numba's check of shapes and its message, longer than all else.
        for i in range(len(leaves)):
            self.out[i, tree] = leaves[i]


@noun
class AnswerSums:
    """Add the answers of the leaves of every row, one sum for each group of trees."""

    answers: Floats
    roots: Integers
    groups: Integers
    out: Floats

    @verb
    def take(self, tree, leaves):
        answers, to = self.answers[self.roots[tree] : self.roots[tree + 1]], self.out[self.groups[tree]]
        if answers.shape[1] == 2:
            # Both answers of a row in one vector instruction.
            for i in range(np.uint64(len(leaves))):
                add_two(to, np.uint64(2) * i, answers, np.uint64(2) * np.uint32(leaves[i]))
            return
        for start in range(0, len(leaves), SMALLEST_PIECE):
            some, sums = leaves[start : start + SMALLEST_PIECE], to[start : start + SMALLEST_PIECE]
            # The inner loop is over rows, as answers are few; the rows of a stretch stay in cache.
            for k in range(np.uint64(answers.shape[1])):
                for i in range(np.uint64(len(some))):
                    sums[i, k] += answers[np.uint32(some[i]), k]


def leaves_of(tree: Tree, X: Matrix, n_jobs: int | None = None) -> Integers:
    """The leaf of `tree` that each row of X reaches, as an array of node numbers."""
    out, roots = np.empty((X.shape[0], 1), dtype=np.int64), np.array([0, tree.node_count])

    def work(rows: slice) -> None:
        find_leaves_of_block(tree, roots, 0, 1, block_of(X[rows]), LeafNumbers(out[rows]))

    map_chunks(work, pieces(X.shape, n_jobs), n_jobs)
    return out[:, 0]


def pieces(shape: tuple[int, ...], n_jobs: int | None) -> list[slice]:
    """The rows in pieces, at least one per thread where there are many; answers do not depend on the pieces."""
    n, p = shape
    most = max(min(MOST_ROWS, MOST_CELLS // max(p, 1)), SMALLEST_PIECE)
    return split_rows(n, max(min(effective_n_jobs(n_jobs), n // SMALLEST_PIECE), -(-n // most)))


def as_dense(X: Matrix) -> Array:
    """Rows as an array."""
    return X.toarray() if is_sparse(X) else X


class Block(NamedTuple):
    """Rows as trees read them; where there are many also transposed, with a flag for each column that has gaps."""

    cells: Array
    across: Array | None
    gaps: Integers | None


def block_of(X: Matrix) -> Block:
    """Some rows, prepared for `find_leaves_of_block`."""
    # Kernels are compiled for each order and for what may be written: a copy takes less time.
    X = np.require(as_dense(X), requirements=["C", "W"])
    if len(X) < MANY_ROWS:
        return Block(X, None, None)
    across, gaps = np.empty(X.shape[::-1], dtype=X.dtype), np.zeros(X.shape[1], dtype=np.int8)
    _transpose(X, across, gaps)
    return Block(X, across, gaps)


@jit_no_alloc
def _transpose(X, across, gaps):
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            gaps[j] |= np.isnan(X[i, j])
            across[j, i] = X[i, j]


def find_leaves_of_block(
    whole: Tree, roots: Integers, first: int, last: int, block: Block, output: LeafNumbers | AnswerSums
) -> None:
    """Find the leaves of the rows of a block in each of the trees first … last − 1, and pass them to `output`.

    The arrays of `whole` have all trees one after the other, each from its root in `roots`.
    """
    n, p = block.cells.shape
    if p < whole.n_features:
        raise ValueError(f"X has {p} columns; the trees test columns of {whole.n_features}, so give as many")
    trees = whole.nodes, whole.missing, whole.ends, whole.tests.used, roots, first, last
    most, leaves = np.max(np.diff(roots[first : last + 1]), initial=0), np.empty(n, dtype=np.int32)
    if block.across is None or most > n * MOST_NODES_PER_ROW:
        find_leaves(*trees, block.cells, np.arange(n, dtype=np.int32), leaves, compiled(output))
    else:
        packed = make_packed(most, p, block.cells.dtype)
        find_leaves_packed(*trees, block, packed, make_workspace(n, packed), leaves, compiled(output))
