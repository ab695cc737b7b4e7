"""Arrays in which a tree grows: open nodes, and what is used again at every node.

    nodes[k] = the rows start … stop − 1 of node k, its split, its children                                        (1)

All memory is allocated before the first node, so that kernels allocate none. A large table has more: histograms of open
nodes, and a block that fits in cache, to which the cells of a small subtree are copied. A small one has None instead,
and kernels are compiled without the code that uses them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gnomon.search._column_splits import scrambled
from gnomon.search._cuts import HIGH, LOW, TRIED
from gnomon.search._groups import CACHED, DIGIT_BITS
from gnomon.search._histograms import Histograms, free_slots, make_fetched
from gnomon.search.tree import LEAF

GROWING_NODE = np.dtype(
    [(name, np.float64) for name in ("threshold", "gain", "low", "high", "value", "worth", "mass")]
    + [
        (name, np.int32)
        for name in (
            "start", "middle", "stop", "first", "depth", "feature", "missing", "branches", "heap", "slot", "block",
            "block_stop", "cut",
        )
    ],
    align=True,
)  # fmt: skip
"""A node while the tree grows: its rows, its worth and weight, its split, the last code on the left or how many are in
the set there, and the least and the largest value it may have."""

DEEPEST = 2**31 - 1
"""The depth of nodes that are not to be divided."""


class SubtreeBlock(NamedTuple):
    """A contiguous copy of the rows of one small subtree; ``place`` is their range, −1 if none is loaded.

    While a subtree is loaded, the splitter's `rows` between the two places number the rows of the block.
    """

    place: np.ndarray
    codes: np.ndarray
    y: np.ndarray
    w: np.ndarray
    rows: np.ndarray


class Work(NamedTuple):
    """Arrays that are used again at every node; `groups` holds the codes present, their order, and those left.

    `side` tells which codes go left, and is None in small tables without categories. Nodes whose impurity is at most
    `purest` are leaves.
    """

    sums: np.ndarray
    groups: np.ndarray
    keys: np.ndarray
    counts: np.ndarray
    scores: np.ndarray
    y: np.ndarray
    w: np.ndarray
    rows: np.ndarray
    side: np.ndarray | None
    flags: np.ndarray
    features: np.ndarray
    seed: np.ndarray
    purest: np.ndarray
    bounds: np.ndarray | None
    cells: np.ndarray
    histograms: Histograms | None


def make_nodes(capacity, n):
    """A table of `capacity` nodes, the root with `n` rows; untouched pages cost nothing."""
    nodes = np.empty(capacity, dtype=GROWING_NODE)
    open_root(nodes, n)
    return nodes.view(np.recarray)


def open_root(nodes, n):
    """Make the first node of a plain array a root of `n` rows."""
    nodes[0] = (0.0, -1.0, -np.inf, np.inf, 0.0, 0.0, 0.0, 0, 0, n, 0, 0, LEAF, 0, 0, 0, -1, -1, -1, 0)


def most_groups(columns, n):
    """How many groups of rows a column can have."""
    return max(min(int(np.max(columns.sizes, initial=0)), max(n, CACHED)) + 2, 4)


def make_work(columns, y, outputs, n, width, large, bounds, histograms):
    """Buffers for a tree of `n` rows, with bounds of answers or None, whose nodes keep histograms or None."""
    largest = int(np.max(columns.sizes, initial=0))
    groups = most_groups(columns, n)
    side = np.zeros(largest + 2, dtype=np.uint8) if large or columns.has_categories else None
    return Work(
        np.empty((groups + 3) * width), np.zeros((3, groups), dtype=np.int64),
        np.empty((2, min(n, largest) + 1), dtype=np.uint64), np.empty(1 << DIGIT_BITS, dtype=np.int64),
        np.empty((4, max(groups, width))), np.empty(n * outputs, dtype=y.dtype), np.empty(n),
        np.empty(n, dtype=np.int32), side, np.empty(n, dtype=np.uint8),
        np.arange(len(columns.sizes)), np.zeros(1, dtype=np.uint64), np.zeros(1), bounds,
        np.empty(n, dtype=columns.codes.dtype), histograms,
    )  # fmt: skip


def helpers_work(work):
    """Working arrays for a helper: the grower's where they are only read, its own where they are written."""
    own, histograms = ("sums", "groups", "keys", "counts", "scores"), work.histograms
    if histograms is not None:
        fetched = make_fetched(histograms.fetched.y.dtype, len(histograms.fetched.y) // len(histograms.fetched.w))
        histograms = histograms._replace(slots=np.empty_like(histograms.slots), fetched=fetched)
    bounds = None if work.bounds is None else make_bounds()
    return work._replace(
        histograms=histograms, bounds=bounds, **{name: np.empty_like(getattr(work, name)) for name in own}
    )


def restart(work, seed, purest):
    """Reset the working arrays before a tree; nodes whose impurity is at most `purest` will be leaves."""
    work.features[:] = np.arange(len(work.features))
    work.seed[0] = scrambled(seed)
    if work.histograms is not None:
        work.histograms.slots[:] = free_slots(len(work.histograms.sums))
    work.purest[0] = purest


def make_bounds():
    """Bounds between which every answer lies."""
    bounds = np.zeros(TRIED + 1)
    bounds[LOW], bounds[HIGH] = -np.inf, np.inf
    return bounds


def make_block(columns, y, outputs, size):
    """A block for a subtree of at most `size` rows; None if that is zero."""
    if size == 0:
        return None
    return SubtreeBlock(
        np.full(2, -1), np.empty((len(columns.sizes), size), dtype=columns.codes.dtype),
        np.empty(size * outputs, dtype=y.dtype), np.empty(size), np.empty(size, dtype=np.int32),
    )  # fmt: skip
