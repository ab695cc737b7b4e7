"""Growing trees of binary cuts of numbers under pinball losses, by the compiled `OrderSplitter`.

    while a node is open: take one, divide its rows by the cut with the least L(left) + L(right), open the parts     (1)

Breiman et al. (1984), §8.11, doi:10.1201/9781315139470.
"""

from __future__ import annotations

import numpy as np

from gnomon._jit import compiled
from gnomon.search._column_splits import scrambled
from gnomon.search._groups import DIGIT_BITS
from gnomon.search._grow import LARGE_FROM, capacity_for, grow_compiled, leaf_limit
from gnomon.search._monotone import bounded
from gnomon.search._order_splitter import OrderSplitter, OrderWork
from gnomon.search._read_off import in_preorder, with_larger
from gnomon.search._work import make_nodes
from gnomon.search.columns import code_columns
from gnomon.search.tree import Tests, Tree


def grow_ordered(columns, y, pinball, w, rows, bounds, *, random, max_leaves, monotone, seed):
    """The tree of (1) by `pinball`, the level and the factor of L; `monotone`, where not zero, needs one output."""
    targets = code_columns(y.reshape(columns.n_samples, -1))
    if len(rows) < LARGE_FROM:
        columns, targets = columns.widened(), targets.widened()
    m, q, rows = len(rows), len(targets.sizes), np.array(rows, dtype=np.int32)
    capacity = capacity_for(m, bounds.max_depth, bounds.min_rows, max_leaves)
    nodes, stats = make_nodes(capacity, m), np.empty((capacity, 3 + q))
    splitter = OrderSplitter(
        columns, targets, *pinball, random, bounds, monotone, w, rows, stats,
        _make_work(columns, m, q, seed),
    )  # fmt: skip
    made = grow_compiled(compiled(splitter), nodes, leaf_limit(max_leaves))
    tree = _as_tree(nodes[:made], stats[:made], len(columns.sizes))
    return tree.with_answers(bounded(tree, tree.answers[:, 0], monotone)[:, None]) if np.any(monotone) else tree


def _make_work(columns, m, q, seed):
    return OrderWork(
        np.empty((2, m + 1), dtype=np.uint64), np.empty(1 << DIGIT_BITS, dtype=np.int64),
        np.empty((q, m), dtype=np.int64), np.empty((q, m)), np.empty(m), np.empty(m),
        np.empty(m, dtype=np.int64), np.empty(m + 1, dtype=np.int64), np.empty(m + 1, dtype=np.int64), np.empty(m + 1),
        np.empty((2, m + 1)), np.empty((2, m + 1)), np.empty(1), np.empty(m + 1), np.empty(m + 1),
        np.empty(m, dtype=np.int32), np.empty(m, dtype=np.uint8), np.arange(len(columns.sizes)),
        np.array([scrambled(seed)], dtype=np.uint64),
    )  # fmt: skip


def _as_tree(nodes, stats, p):
    order, ends, records, missing = in_preorder(nodes)
    stats = stats[order]
    mass = stats[:, 2]
    return Tree(
        nodes=records,
        answers=stats[:, 3:].copy(),
        impurity=np.maximum(-stats[:, 0] / np.maximum(mass, 1e-300), 0.0),
        weight=mass.copy(),
        n_rows=stats[:, 1].astype(np.int32),
        missing=with_larger(missing, records, mass),
        ends=ends,
        n_features=p,
        tests=Tests.none(len(nodes)),
    )
