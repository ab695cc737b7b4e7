"""A grown tree as it is kept: nodes in preorder, with what prediction reads of them.

    node, then the subtree of its first child, then that of its second, …                                          (1)

Knuth (1997), The Art of Computer Programming, vol. 1, section 2.3.1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gnomon._jit import jit_no_alloc
from gnomon.search.tree import LEAF, NODE, Tests, Tree

__all__ = ["in_preorder", "read_nodes", "read_off", "with_larger"]

NODES_IN_CACHE = 2**15
"""Nodes whose answers are computed at a time, in arrays that fit in cache."""


class Preorder(NamedTuple):
    """Nodes as they stand in a `Tree`: their old numbers, where their subtrees end, what prediction reads at each,
    and which child takes the rows that no test places, −1 if none was found."""

    order: np.ndarray
    ends: np.ndarray
    records: np.ndarray
    missing: np.ndarray


def read_off(nodes, sums, rows, columns, criterion, absent):
    """The nodes in preorder, with their answers and tests; and their old numbers."""
    found = in_preorder(nodes)
    tests = _tables(nodes, found.order, rows, columns, absent) if columns.has_categories else Tests.none(len(nodes))
    return _tree_of(nodes, sums, criterion, len(columns.sizes), found, tests), found.order


def read_nodes(nodes, sums, criterion, n_features):
    """The same for nodes that test numbers only."""
    found = in_preorder(nodes)
    return _tree_of(nodes, sums, criterion, n_features, found, Tests.none(len(nodes))), found.order


def _tree_of(nodes, sums, criterion, n_features, found, tests):
    order, ends, records, missing = found
    n = len(order)
    weight, n_rows = nodes["mass"][order], sums[order, 0].astype(np.int32)
    if n <= NODES_IN_CACHE:
        answers = _answers(criterion, sums, order)
    else:
        pieces = [order[first : first + NODES_IN_CACHE] for first in range(0, n, NODES_IN_CACHE)]
        answers = np.concatenate([_answers(criterion, sums, piece) for piece in pieces])
    impurity = criterion.impurities(nodes["worth"][order], weight)
    if not criterion.is_impurity:
        # Gains of Newton steps have no lower bound: impurities are differences from the best node.
        impurity -= min(impurity.min(), 0.0)
    return Tree(
        nodes=records,
        answers=answers,
        impurity=impurity,
        weight=weight,
        n_rows=n_rows,
        missing=with_larger(missing, records, _sizes(criterion, weight, n_rows)),
        ends=ends,
        n_features=n_features,
        tests=tests,
    )


def _answers(criterion, sums, which):
    """What some nodes predict."""
    # Column-major: groups are many, sums of a group few.
    return np.ascontiguousarray(criterion.answers(np.asfortranarray(sums[which])))


def _sizes(criterion, weight, n_rows):
    """What tells which of two nodes is the larger."""
    return weight if criterion.larger_by == "weight" else n_rows.astype(float)


def in_preorder(nodes):
    """(1)."""
    n = len(nodes)
    found = Preorder(
        np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32), np.empty(n, dtype=NODE), np.empty(n, dtype=np.int16)
    )
    stack = np.empty((3, n), dtype=np.int32)
    stack[:, 0] = 0
    _fill_preorder(nodes.view(np.ndarray), *stack, *found)
    return found


@jit_no_alloc
def _fill_preorder(nodes, olds, parents, branches, order, ends, records, missing):
    """Of each node to come, `olds`, `parents` and `branches` hold its number, its parent's, and which child it is."""
    size = 1
    for new in range(len(order)):
        size -= 1
        parent, branch = parents[size], branches[size]
        order[new] = olds[size]
        # Overwritten by every child: the last one stays.
        ends[parent] = new
        ends[new] = new
        if branch == 1:
            records[parent]["right"] = new
        node, record = nodes[order[new]], records[new]
        inner = node["branches"] > 0
        record["feature"] = node["feature"] if inner else LEAF
        record["threshold"] = node["threshold"] if inner else float(LEAF)
        record["right"] = -1
        missing[new] = node["missing"] if inner else 0
        for b in range(node["branches"] - 1, -1, -1):
            olds[size], parents[size], branches[size] = node["first"] + b, new, b
            size += 1
    for new in range(len(order) - 1, -1, -1):
        ends[new] = new + 1 if ends[new] == new else ends[ends[new]]


def with_larger(missing, records, size):
    """`missing` where it is known, elsewhere which of the children is the larger by `size`."""
    unknown = np.flatnonzero(missing < 0)
    missing[unknown] = size[records["right"][unknown]] >= size[unknown + 1]
    return missing


def _tables(nodes, order, rows, columns, absent):
    """The categories on each side of every test of a category, from the rows that went there.

    Categories that the node has not are on the right if `absent`, else they are not in the table.
    """
    number = np.empty(len(order), dtype=np.int32)
    count, n_codes, largest = _number_sets(nodes, order, columns.sizes, number)
    if count == 0:
        return Tests.none(len(order))
    cells, starts = np.empty(n_codes, dtype=np.int64), np.zeros(count + 1, dtype=np.int64)
    branches, side = np.empty(n_codes, dtype=np.int32), np.empty(largest + 1, dtype=np.int8)
    used = _fill_tables(nodes, order, number, columns.codes, columns.sizes, rows, absent, side, starts, cells, branches)
    return Tests(number, np.zeros(count, dtype=np.int8), starts, cells[:used], branches[:used], np.zeros(used))


@jit_no_alloc
def _number_sets(nodes, order, sizes, number):
    """Number the tests of categories; how many there are, the codes of their columns in all, and the most of one."""
    count, n_codes, largest = 0, 0, 0
    for new in range(len(order)):
        node = nodes[order[new]]
        number[new] = -1
        if node["branches"] > 0 and np.isnan(node["threshold"]):
            number[new] = count
            count += 1
            n_codes += sizes[node["feature"]]
            largest = max(largest, sizes[node["feature"]])
    return count, n_codes, largest


@jit_no_alloc
def _fill_tables(nodes, order, number, codes, sizes, rows, absent, side, starts, cells, branches):
    """Put the categories of every test and their branches one after the other; return how many there are."""
    used = 0
    for new in range(len(order)):
        if number[new] < 0:
            continue
        test = nodes[order[new]]
        column, size, left, i = codes[test["feature"]], sizes[test["feature"]], test["cut"], test["start"]
        for c in range(size + 1):
            side[c] = 1 if absent else -1
        while i < test["middle"] and left > 0:
            c = column[rows[i]]
            left -= side[c] != 0
            side[c] = 0
            i += 1
        # With `absent` all codes that are not left are right already.
        for i in range(test["stop"] if absent else test["middle"], test["stop"]):
            side[column[rows[i]]] = 1
        for c in range(size):
            if side[c] >= 0:
                cells[used], branches[used] = c, side[c]
                used += 1
        starts[number[new] + 1] = used
    return used
