"""A grown tree as it is kept: nodes in preorder, with what prediction reads of them.

    node, then the subtree of its first child, then that of its second, …                                          (1)

Knuth (1997), The Art of Computer Programming, vol. 1, section 2.3.1.
"""

import numpy as np

from gnomon._jit import jit
from gnomon.search.tree import LEAF, NODE, Tests, Tree

__all__ = ["in_preorder", "node_records", "read_off", "unplaced"]


def read_off(nodes, sums, rows, columns, criterion, absent):
    """The nodes in preorder, with their answers; and their old numbers."""
    order, ends, right = in_preorder(nodes)
    # Sums of one kind side by side: groups are many, sums of a group few.
    sums = np.asfortranarray(sums[order])
    missing = unplaced(nodes, order, right, criterion.hefts(sums))
    tree = Tree(
        nodes=node_records(nodes, order, right),
        answers=np.ascontiguousarray(criterion.answers(sums)),
        impurity=criterion.impurities(sums),
        weight=criterion.masses(sums),
        n_rows=sums[:, 0].astype(np.int64),
        missing=missing,
        ends=ends,
        n_features=len(columns.sizes),
        tests=_tables(nodes, order, rows, columns, absent),
    )
    return tree, order


def in_preorder(nodes):
    """The nodes as they stand in a `Tree`: their old numbers, where their subtrees end, their second children."""
    order = np.empty(len(nodes), dtype=np.int64)
    ends = np.empty(len(nodes), dtype=np.int32)
    right = np.full(len(nodes), -1, dtype=np.int32)
    _preorder(nodes["first"], nodes["branches"], order, ends, right)
    return order, ends, right


def node_records(nodes, order, right):
    """What prediction reads at each node."""
    records = np.empty(len(order), dtype=NODE)
    _fill_records(nodes, order, right, records)
    return records


@jit
def _fill_records(nodes, order, right, records):
    for new in range(len(order)):
        node, record = nodes[order[new]], records[new]
        record["feature"] = node["feature"] if node["branches"] > 0 else LEAF
        record["threshold"] = node["threshold"] if node["branches"] > 0 else float(LEAF)
        record["right"] = right[new]


def unplaced(nodes, order, right, heft):
    """Which child takes the rows that no test places: the one that was found, or the heavier by `heft`."""
    missing = np.zeros(len(order), dtype=np.int16)
    _fill_unplaced(nodes, order, right, heft, missing)
    return missing


@jit
def _fill_unplaced(nodes, order, right, heft, missing):
    for new in range(len(order)):
        node = nodes[order[new]]
        if node["branches"] > 0:
            missing[new] = node["missing"] if node["missing"] >= 0 else heft[right[new]] >= heft[new + 1]


@jit
def _preorder(first, branches, order, ends, right):
    """New number → old number; where subtrees end; second children."""
    stack = np.empty(len(order), dtype=np.int64)
    place = np.empty(len(order), dtype=np.int64)
    stack[0] = 0
    size, made = 1, 0
    while size > 0:
        size -= 1
        node = stack[size]
        place[node] = made
        order[made] = node
        made += 1
        for b in range(branches[node] - 1, -1, -1):
            stack[size] = first[node] + b
            size += 1
    for new in range(made - 1, -1, -1):
        node = order[new]
        ends[new] = new + 1
        if branches[node] > 0:
            ends[new] = ends[place[first[node] + branches[node] - 1]]
            right[new] = place[first[node] + 1]


def _tables(nodes, order, rows, columns, absent):
    """The categories on each side of every test of a category, from the rows that went there.

    Categories that the node has not are on the right if `absent`, else they are not in the table.
    """
    which = np.flatnonzero(((nodes["branches"] > 0) & np.isnan(nodes["threshold"]))[order])
    if len(which) == 0:
        return Tests.none(len(order))
    sizes = columns.sizes[nodes["feature"][order[which]]]
    cells, starts = np.empty(np.sum(sizes), dtype=np.int64), np.zeros(len(sizes) + 1, dtype=np.int64)
    branches, side = np.empty(len(cells), dtype=np.int32), np.empty(np.max(sizes) + 1, dtype=np.int8)
    used = _fill_tables(nodes, order[which], columns.codes, sizes, rows, absent, side, starts, cells, branches)
    number = np.full(len(order), -1, dtype=np.int32)
    number[which] = np.arange(len(which))
    return Tests(number, np.zeros(len(sizes), dtype=np.int8), starts, cells[:used], branches[:used], np.zeros(used))


@jit
def _fill_tables(nodes, which, codes, sizes, rows, absent, side, starts, cells, branches):
    """Put the categories of every test and their branches one after the other; return how many there are."""
    used = 0
    for k in range(len(which)):
        test, size = nodes[which[k]], sizes[k]
        column, left, i = codes[test["feature"]], test["set_size"], test["start"]
        for c in range(size + 1):
            side[c] = 1 if absent else -1
        while i < test["middle"] and left > 0:
            c = column[rows[i]]
            left -= side[c] != 0
            side[c] = 0
            i += 1
        # Where those that are absent are right, so are those that are not left.
        for i in range(test["stop"] if absent else test["middle"], test["stop"]):
            side[column[rows[i]]] = 1
        for c in range(size):
            if side[c] >= 0:
                cells[used], branches[used] = c, side[c]
                used += 1
        starts[k + 1] = used
    return used
