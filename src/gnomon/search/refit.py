"""The answers of a tree estimated anew from rows, its tests unchanged.

    answer(t), H(t), n_t from the rows that pass t                                                                  (1)

After a tree was pruned on rows held out of its growing, all rows may say what its leaves answer; after a branch rose,
rows stop where none did before. Quinlan (1993), C4.5: Programs for Machine Learning, chapter 4.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from gnomon._typing import Array, ArrayLike, Floats, Integers, Matrix
from gnomon.search._column_tests import ELSEWHERE
from gnomon.search._criterion import Criterion
from gnomon.search.place import Ends, place_rows
from gnomon.search.traverse import as_dense
from gnomon.search.tree import Tree
from gnomon.search.units import units_of
from gnomon.search.walk import node_test

__all__ = ["refit_nodes"]


def refit_nodes(
    tree: Tree, X: Matrix, y: Array, criterion: Criterion, *, sample_weight: ArrayLike | None = None
) -> Tree:
    """Estimate every node by (1); a node that no row passes weighs nothing, and keeps its answer.

    One that was left open by who wrote the tree has none to keep, and takes that of the node above.

    Parameters
    ----------
    tree : Tree
    X : ndarray or sparse matrix of shape (n_samples, n_features)
        As `Tree.apply` takes it.
    y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        As `grow_tree` takes it.
    criterion : Criterion
    sample_weight : ndarray of shape (n_samples,), optional

    Returns
    -------
    Tree

    References
    ----------
    Quinlan, J. R. (1993). C4.5: Programs for Machine Learning, chapter 4. ISBN 978-1-55860-238-0

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import SquaredError, code_columns, grow_tree, refit_nodes
    >>> x, y = np.arange(6.0)[:, None], np.array([1.0, 1, 2, 8, 9, 10])
    >>> tree = grow_tree(code_columns(x), y, SquaredError(), max_depth=1)
    >>> refit_nodes(tree, x[3:], y[3:], SquaredError()).answers.ravel().round(6)
    array([9.      , 1.333333, 9.      ])
    """
    w = None if sample_weight is None else np.asarray(sample_weight, dtype=float)
    units = units_of(criterion, y, w)
    if not units.plain:
        tree, scaled = units.inverse().restored(tree), None if w is None else units.weights(w)
        return units.restored(refit_nodes(tree, X, units.targets(y), criterion, sample_weight=scaled))
    answers, impurity = tree.answers.copy(), tree.impurity.copy()
    weight, n_rows = np.zeros_like(tree.weight), np.zeros_like(tree.n_rows)
    ends = place_rows(tree, X, sample_weight)
    rows, node, w = ends.rows, ends.nodes.copy(), ends.weights
    for depth in range(tree.max_depth, -1, -1):
        # Rows that ended deeper have come up to this depth.
        here = np.flatnonzero((node >= 0) & (tree.depth[node] == depth))
        if len(here) > 0:
            present, group = np.unique(node[here], return_inverse=True)
            groups = criterion.groups(y[rows[here]], w[here], group, len(present))
            parts = groups.each()
            answers[present], weight[present] = groups.answers, parts.mass
            impurity[present] = np.maximum(-parts.worth / parts.mass, 0.0)
            n_rows[present] = _distinct(rows[here], group, len(present))
            node[here] = tree.parent[node[here]]
    for empty in np.flatnonzero(tree.extra.get("open", False) & (weight == 0.0) & (tree.parent >= 0)):
        answers[empty] = answers[tree.parent[empty]]
    extra = {**tree.extra, "gain": _known_gains(tree, X, y, criterion, ends)} if "gain" in tree.extra else tree.extra
    return replace(tree, answers=answers, impurity=impurity, weight=weight, n_rows=n_rows, extra=extra)


def _known_gains(tree: Tree, X: Matrix, y: Array, criterion: Criterion, ends: Ends) -> Floats:
    """The gain at each node of the rows whose value it knows, per weight of all its rows."""
    gain = np.zeros(tree.node_count)
    for node in np.flatnonzero(~tree.is_leaf):
        inside = (ends.nodes >= node) & (ends.nodes < tree.ends[node])
        rows, part = np.unique(ends.rows[inside], return_inverse=True)
        w, here = np.bincount(part, ends.weights[inside]), as_dense(X[rows])
        branch = node_test(tree, int(node)).branch_of(partial(np.take, here, axis=1))
        known = branch != ELSEWHERE
        if np.any(known):
            _, group = np.unique(branch[known], return_inverse=True)
            worth = [
                np.sum(criterion.groups(y[rows[known]], w[known], side, int(np.max(side)) + 1).each().worth)
                for side in (group, np.zeros_like(group))
            ]
            gain[node] = (worth[0] - worth[1]) / np.sum(w)
    return gain


def _distinct(rows: Integers, group: Integers, k: int) -> Integers:
    """How many different rows each group has: those in parts may come up through several branches."""
    return np.bincount(np.unique(np.stack([group, rows]), axis=1)[0], minlength=k)
