"""Where rows end in a tree, with what weight.

    Σ over the ends of row i of their weights = w_i                                                          (1)

A row ends at one node, unless the tree sends rows with missing values down several branches: Quinlan (1993), C4.5:
Programs for Machine Learning, §3.3. What is counted over rows is counted over their ends, so one text serves both.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gnomon._typing import ArrayLike, Bools, Floats, Integers, Matrix
from gnomon.search.tree import Tree
from gnomon.search.walk import leaf_weights

__all__ = ["Ends", "place_rows"]


class Ends(NamedTuple):
    """Ends of rows: entry k says that row `rows[k]` ends at `nodes[k]` with `weights[k]`."""

    rows: Integers
    nodes: Integers
    weights: Floats

    def take(self, which: Integers | Bools) -> Ends:
        """Some of these."""
        return Ends(self.rows[which], self.nodes[which], self.weights[which])

    def and_then(self, *more: Ends) -> Ends:
        """These and more."""
        return Ends(*(np.concatenate(parts) for parts in zip(self, *more, strict=True)))


def place_rows(tree: Tree, X: Matrix, sample_weight: ArrayLike | None = None) -> Ends:
    """The ends of the rows of X whose weight is not zero."""
    w = np.ones(X.shape[0]) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    rows = np.flatnonzero(w)
    if "fractional" not in tree.extra:
        return Ends(rows, tree.apply(X[rows]), w[rows])
    found = leaf_weights(tree, X[rows]).tocoo()
    at, nodes = found.coords
    return Ends(rows[at], nodes.astype(np.int64), w[rows[at]] * found.data)
