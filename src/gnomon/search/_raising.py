"""A node, a leaf in its place, or its largest branch in its place.

    choose the least of  e(rows of t at t),  Σ e(rows at the ends below t),  Σ e(rows at the ends below its branch)  (1)

e predicts errors from the class weights of rows at one node. In the third case all rows of t go through the branch
("raising"), and its nodes are judged again with them. Rows that end at an inner node count like a leaf of it. Quinlan
(1993), C4.5: Programs for Machine Learning, §4.2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from gnomon._jit import jit
from gnomon._typing import Array, ArrayLike, Bools, Floats, Integers, Matrix
from gnomon.search._cuts import TIE
from gnomon.search.cut import add_up, keep_nodes
from gnomon.search.place import Ends, place_rows
from gnomon.search.tree import Tree

__all__ = ["best_of_three"]


def best_of_three(
    tree: Tree, X: Matrix, y: Integers, sample_weight: ArrayLike | None, predicted: Callable[[Floats], Floats]
) -> tuple[Bools, Bools, bool]:
    """Which nodes stay, which of them as leaves, and whether any branch rose; nodes of one depth are judged together.

    `predicted` gives the errors e of each row of a matrix of class weights.
    """
    w = np.ones(X.shape[0]) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    keep, leaf, todo = np.ones(tree.node_count, dtype=bool), tree.is_leaf.copy(), ~tree.is_leaf
    ends, rose = place_rows(tree, X, w), False
    while np.any(todo):
        nodes = np.flatnonzero(todo & (tree.depth == np.max(tree.depth[todo])))
        todo[nodes] = False
        owner = _owners(tree, nodes, ends)
        others, below, owner = ends.take(owner < 0), ends.take(owner >= 0), owner[owner >= 0]
        mass = add_up(np.bincount(ends.nodes, ends.weights, tree.node_count), tree.parent)
        largest = _largest_branches(nodes, tree.ends, mass)
        risen = _send(tree, mass, keep & ~_passed_over(tree, nodes, largest), leaf, nodes, X, w, below.rows)
        at_node = below._replace(nodes=nodes[owner])
        as_leaf, as_tree, as_branch = (_errors(tree, nodes, these, y, predicted) for these in (at_node, below, risen))
        cut = as_leaf <= np.minimum(as_tree, as_branch) * (1.0 + TIE)
        rise = ~cut & (as_branch <= as_tree * (1.0 + TIE))
        stay = below.take(~cut[owner] & ~rise[owner])
        ends = others.and_then(stay, at_node.take(cut[owner]), risen.take(rise[_owners(tree, nodes, risen)]))
        keep &= ~_passed_over(tree, nodes[rise], largest[rise]) & ~_below(tree, nodes[cut])
        leaf[nodes[cut]] = True
        todo |= _within(tree, largest[rise]) & keep & ~leaf
        rose |= bool(np.any(rise))
    return keep, leaf, rose


def _owners(tree: Tree, nodes: Integers, ends: Ends) -> Integers:
    """Which of `nodes` each end lies below or at; −1: none."""
    owner = np.searchsorted(nodes, ends.nodes, side="right") - 1
    return np.where((owner >= 0) & (ends.nodes < tree.ends[nodes[owner]]), owner, -1)


def _send(
    tree: Tree, mass: Floats, kept: Bools, leaf: Bools, nodes: Integers, X: Matrix, w: Floats, rows: Integers
) -> Ends:
    """Where `rows` end below `nodes` once the largest branches of these have taken their places."""
    left, rows = np.flatnonzero(kept), np.unique(rows)
    mass = mass.copy()
    mass[left[np.searchsorted(left, nodes)]] = mass[nodes]
    found = place_rows(keep_nodes(replace(tree, weight=mass), kept, leaf), X[rows], w[rows])
    ends = Ends(rows[found.rows], left[found.nodes], found.weights)
    return ends.take(_owners(tree, nodes, ends) >= 0)


def _errors(tree: Tree, nodes: Integers, ends: Ends, y: Integers, predicted: Callable[[Floats], Floats]) -> Floats:
    """The sums of (1) for each of `nodes`."""
    present, group = np.unique(ends.nodes, return_inverse=True)
    classes = int(np.max(y)) + 1
    counts: Array = np.bincount(group * classes + y[ends.rows], ends.weights, len(present) * classes)
    owner = _owners(tree, nodes, ends._replace(nodes=present))
    errors: Array = np.bincount(owner, predicted(counts.reshape(len(present), classes)), len(nodes))
    return errors


def _within(tree: Tree, nodes: Integers) -> Bools:
    """Mark the subtrees of `nodes`, none of which lies below another."""
    steps = np.zeros(tree.node_count + 1, dtype=np.int64)
    steps[nodes] += 1
    np.add.at(steps, tree.ends[nodes], -1)
    return np.cumsum(steps[:-1]) > 0


def _below(tree: Tree, nodes: Integers) -> Bools:
    """Mark the subtrees of `nodes` without these themselves."""
    marked = _within(tree, nodes)
    marked[nodes] = False
    return marked


def _passed_over(tree: Tree, nodes: Integers, largest: Integers) -> Bools:
    """Mark what goes when each of `nodes` gives its place to one of its branches."""
    return _within(tree, nodes) & ~_within(tree, largest)


@jit
def _largest_branches(nodes, ends, mass):
    """The child of each node with the largest mass, the first of equals."""
    largest = np.empty(len(nodes), dtype=np.int64)
    for i in range(len(nodes)):
        largest[i] = nodes[i] + 1
        child = nodes[i] + 1
        while child < ends[nodes[i]]:
            if mass[child] > mass[largest[i]]:
                largest[i] = child
            child = ends[child]
    return largest
