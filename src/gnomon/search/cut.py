"""Smaller trees out of a tree: subtrees that become leaves, nodes that give their place to one of their branches.

    rank(i) = number of nodes kept before i;   ends'[rank(t)] = rank(ends[t]),  right'[rank(t)] = rank(right[t])   (1)

Both cuts keep the preorder: a branch that rises takes the first place of the subtree it replaces, so that the nodes
that stay, in their old order, are the new tree. Breiman et al. (1984), §3.2, doi:10.1201/9781315139470.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gnomon._jit import jit
from gnomon._typing import Bools, Floats, Integers
from gnomon.search._cuts import TIE
from gnomon.search.tree import LEAF, Tests, Tree

__all__ = ["add_up", "cut_at", "keep_nodes", "least_cuts"]


def cut_at(tree: Tree, nodes: Sequence[int] | Integers | Bools) -> Tree:
    """The tree whose subtrees below `nodes` are gone: these are leaves with the answers they had.

    Parameters
    ----------
    tree : Tree
    nodes : array-like of int or of bool
        Numbers of nodes, or a mask; a node below another one that is listed does not matter.

    Returns
    -------
    Tree

    References
    ----------
    Breiman, L., Friedman, J., Stone, C. J. & Olshen, R. A. (1984). Classification and Regression Trees, §3.2.
    doi:10.1201/9781315139470

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import Gini, code_columns, cut_at, grow_tree
    >>> x, y = np.arange(1.0, 9.0)[:, None], np.array([0, 0, 0, 1, 0, 1, 1, 1])
    >>> tree = grow_tree(code_columns(x), y, Gini(2))
    >>> cut_at(tree, [2]).threshold.tolist()
    [3.5, -2.0, -2.0]
    """
    cut = np.zeros(tree.node_count, dtype=bool)
    cut[nodes] = True
    keep = np.empty(tree.node_count, dtype=bool)
    _above(cut, tree.ends, keep)
    return keep_nodes(tree, keep, cut)


def keep_nodes(tree: Tree, keep: Bools, leaf: Bools) -> Tree:
    """The tree of the nodes in `keep`, of which those in `leaf` test nothing; numbers follow (1).

    Parameters
    ----------
    tree : Tree
    keep : ndarray of bool of shape (n_nodes,)
        Of every branch of a node that stays and is no leaf, one subtree must stay, or what is left of it.
    leaf : ndarray of bool of shape (n_nodes,)
        Nodes that become leaves; leaves of the tree remain such.

    Returns
    -------
    Tree

    References
    ----------
    Quinlan, J. R. (1993). C4.5: Programs for Machine Learning, chapter 4. ISBN 978-1-55860-238-0

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import Gini, code_columns, grow_tree, keep_nodes
    >>> x, y = np.arange(1.0, 9.0)[:, None], np.array([0, 0, 0, 1, 0, 1, 1, 1])
    >>> tree = grow_tree(code_columns(x), y, Gini(2))
    >>> keep = np.array([False, False, True, True, True, True, True])
    >>> keep_nodes(tree, keep, tree.is_leaf).threshold.tolist()
    [5.5, 4.5, -2.0, -2.0, -2.0]
    """
    order = np.flatnonzero(keep)
    rank = np.concatenate([[0], np.cumsum(keep)])
    leaf = (leaf | tree.is_leaf)[order]
    nodes = tree.nodes[order]
    nodes["feature"][leaf] = LEAF
    nodes["threshold"][leaf] = LEAF
    nodes["right"] = np.where(leaf, -1, rank[nodes["right"]])
    ends = np.where(leaf, np.arange(1, len(order) + 1), rank[tree.ends[order]])
    return replace(
        tree,
        nodes=nodes,
        answers=tree.answers[order],
        impurity=tree.impurity[order],
        weight=tree.weight[order],
        n_rows=tree.n_rows[order],
        missing=np.where(leaf, 0, tree.missing[order]).astype(tree.missing.dtype),
        ends=ends.astype(tree.ends.dtype),
        tests=_tests_of(tree.tests, np.where(leaf, -1, tree.tests.which[order])),
        extra={name: value.take(order, axis=0) for name, value in tree.extra.items()},
    )


def least_cuts(tree: Tree, as_leaf: Floats, stopping: Floats) -> Bools:
    """Mark the cuts that make the sum of a loss over leaves least; at equality, those of the smaller tree.

    `as_leaf` is the loss of each node if it is a leaf, `stopping` the part of it from rows that go no further.
    """
    cut = np.zeros(tree.node_count, dtype=np.bool_)
    _from_below(as_leaf, stopping.copy(), tree.parent, cut)
    return cut


@jit
def _from_below(as_leaf, best, parent, cut):
    for t in range(len(best) - 1, -1, -1):
        if as_leaf[t] <= best[t] * (1.0 + TIE):
            cut[t] = True
            best[t] = as_leaf[t]
        if t > 0:
            best[parent[t]] += best[t]


@jit
def add_up(values, parent):
    """The sum of `values` over each subtree."""
    total = values.copy()
    for t in range(len(parent) - 1, 0, -1):
        total[parent[t]] += total[t]
    return total


@jit
def _above(cut, ends, keep):
    """Mark what is not below a cut."""
    node = 0
    keep[:] = False
    while node < len(cut):
        keep[node] = True
        node = ends[node] if cut[node] else node + 1


def _tests_of(tests: Tests, which: Integers) -> Tests:
    """The tests that nodes still make, numbered in the order of their nodes."""
    has = which >= 0
    lengths = np.diff(tests.starts)[which[has]]
    starts = np.concatenate([[0], np.cumsum(lengths)])
    cells = np.repeat(tests.starts[which[has]] - starts[:-1], lengths) + np.arange(starts[-1])
    numbers = np.where(has, np.cumsum(has) - 1, -1).astype(tests.which.dtype)
    kinds, parts = tests.kinds[which[has]], (tests.cells[cells], tests.branches[cells], tests.coefs[cells])
    return Tests(numbers, kinds, starts.astype(tests.starts.dtype), *parts)
