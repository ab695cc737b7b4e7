"""Drawn cuts of many columns at once.

    record = (codes of all columns, class), a byte each;  rows of a node stand side by side, those of a class together
    least, largest of all columns      two vector instructions a row                                               (1)
    rows of a class with code ≤ cut    three vector instructions a row, for all columns                            (2)
    sums of the children               those left of the cut, and those of the node less these                     (3)

What `CodeSplitter` does for cuts that are drawn (Geurts, Ernst & Wehenkel 2006, doi:10.1007/s10994-006-6226-1), for
classes, rows of weight one and columns without gaps, with the same random draws. Records are moved rather than indexed,
so that a node reads consecutive memory. At every level they are copied from one half of a buffer to the other, in a
stable order, which keeps classes together; (1) of the children is computed while the copies are in cache. Subtrees of
few rows are grown as bit sets (`_row_sets`).
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from gnomon._jit import inlined_subroutine, inlined_verb, noun, subroutine
from gnomon._vectors import VECTOR_BYTES, copy_block, count_at_most, update_extremes
from gnomon.search._column_splits import Found, drawn_between, outside_bins
from gnomon.search._histograms import in_lines
from gnomon.search._nodes import assess_node, begin_block, draw_columns, make_children, record_split
from gnomon.search._row_sets import RowSets, count_left, fill_row_sets, find_extremes, make_row_sets, split_set
from gnomon.search._work import Work

__all__ = ["RecordSplitter", "Records", "make_workspace", "may_use_records", "open_records"]

LONGEST_RECORD = 256
"""Bytes of the longest records: longer ones cost more to move than the few columns drawn cost to gather."""

GUIDE_STEPS = 1024
"""Equal steps of the range of a column, for each of which a table says where its bins begin."""

ONE = np.uint64(1)

MOST_COUNTED = 255
"""Rows up to which a count fits in a byte."""

RECORDS_MOVED = 256
"""Records that are moved before (1) is computed of them: they fit in the first-level cache."""


def may_use_records(columns, criterion, splitter, constrained):
    """Whether a tree may be grown from records: drawn cuts of byte codes without gaps, no constraints."""
    return (
        splitter == "random"
        and criterion.class_weights
        and criterion.size <= MOST_COUNTED + 1
        and columns.codes.dtype == np.uint8
        and len(columns.sizes) < LONGEST_RECORD
        and columns.bounded
        and columns.without_gaps
        and not constrained
        and not columns.has_categories
    )


@dataclass(frozen=True, eq=False)
class Records:
    """Rows as records, class by class; made once for all trees that grow from them."""

    columns: Any
    y: np.ndarray

    @cached_property
    def cells(self):
        """The records, one after the other."""
        y, (p, n) = np.ravel(self.y), self.columns.codes.shape
        stride = -(-(p + 1) // VECTOR_BYTES) * VECTOR_BYTES
        cells = _record_buffer(n, stride).reshape(n, stride)
        order = np.argsort(y, kind="stable")
        for j in range(p):
            cells[:, j] = self.columns.codes[j, order]
        cells[:, p], cells[:, p + 1 :] = y[order], 0
        return cells

    @cached_property
    def extremes(self):
        """(1) of all rows."""
        return np.min(self.cells, axis=0), np.max(self.cells, axis=0)

    @cached_property
    def totals(self):
        """How many rows there are, and how many of each class."""
        return np.concatenate([[len(self.y)], np.bincount(np.ravel(self.y))])

    @cached_property
    def guides(self):
        """Where each column begins, how many steps of it make a unit, and how many bins end before each step.

        The bin of a number is one of the few that end in its step.
        """
        columns = self.columns
        bins = [slice(*pair) for pair in itertools.pairwise(columns.starts)]
        origins = np.array([columns.low[part][0] for part in bins])
        spans = np.array([columns.high[part][-1] for part in bins]) - origins
        scales = np.divide(GUIDE_STEPS, spans, out=np.zeros(len(bins)), where=spans > GUIDE_STEPS / np.finfo(float).max)
        guides = np.empty((len(bins), GUIDE_STEPS + 1), dtype=np.uint8)
        for j, part in enumerate(bins):
            steps = np.minimum((columns.high[part] - origins[j]) * scales[j], GUIDE_STEPS - 1).astype(int)
            guides[j] = np.searchsorted(steps, np.arange(GUIDE_STEPS + 1))
        return origins, scales, guides


class RecordWorkspace(NamedTuple):
    """The records of all rows, two buffers for them; extremes of the columns of two nodes; sums of drawn cuts."""

    cells: np.ndarray
    records: np.ndarray
    stride: int
    low: np.ndarray
    high: np.ndarray
    cuts: np.ndarray
    counts: np.ndarray
    sides: np.ndarray
    scores: np.ndarray
    chosen: np.ndarray
    thresholds: np.ndarray
    seeds: np.ndarray
    origins: np.ndarray
    scales: np.ndarray
    guides: np.ndarray
    row_sets: RowSets


def make_workspace(records, capacity, width, most):
    """Arrays for trees of at most `capacity` nodes, groups of `width` sums, and bit sets of at most `most` rows."""
    n, stride = records.cells.shape
    low, high = np.zeros((2, 2 * stride), dtype=np.uint8)
    cuts, counts = np.zeros((2, stride), dtype=np.uint8)
    p = len(records.columns.sizes)
    return RecordWorkspace(
        np.ravel(records.cells), _record_buffer(2 * n, stride), stride, low, high, cuts, counts,
        np.empty((p, 2 * width)), np.empty(p), np.empty((capacity, width)), np.empty(p), np.empty(p, dtype=np.uint64),
        *records.guides, make_row_sets(stride, width - 1, capacity, most),
    )  # fmt: skip


def _record_buffer(n, stride):
    """Bytes for n records, aligned so that no block of 32 bytes straddles two cache lines.

    A block of records is allocated behind them, as `fill_row_sets` reads whole blocks.
    """
    return in_lines(1, (n + VECTOR_BYTES) * stride // 8)[0].view(np.uint8)[: n * stride]


def open_records(space, records, sums):
    """Set the extremes and the sums of the root of a tree."""
    space.low[: space.stride], space.high[: space.stride] = records.extremes
    sums[0], sums[0, : len(records.totals)] = 0.0, records.totals


@noun
class RecordSplitter:
    """Splits the records start … stop − 1 of a node by one of several drawn cuts."""

    columns: object
    criterion: object
    limits: object
    node_sums: np.ndarray
    work: Work
    space: RecordWorkspace

    @inlined_verb
    def examine(self, nodes, first, made):
        criterion, limits, bounds, space = self.criterion, self.limits, self.work.bounds, self.space
        sums, width = self.work.sums, criterion.width()
        for node in range(first, made):
            for s in range(width):
                sums[limits.total + s] = self.node_sums[node, s]
            assessed = assess_node(criterion, limits, nodes, node, sums, bounds, self.work.purest[0])
            if assessed.open:
                best = _best_drawn(self, nodes, node, (node - first) * space.stride, assessed)
                if record_split(nodes, node, best, assessed, limits, bounds):
                    nodes.middle[node] = nodes.start[node] + np.int64(space.sides[best.feature, 0])
                    for s in range(width):
                        space.chosen[node, s] = space.sides[best.feature, s]

    @inlined_verb
    def divide(self, nodes, node, made):
        make_children(nodes, node, made)
        sums, left = self.node_sums, self.space.chosen
        for s in range(self.criterion.width()):
            sums[made, s], sums[made + 1, s] = left[node, s], sums[node, s] - left[node, s]
        row_sets = self.space.row_sets
        if begin_block(nodes, node, made, row_sets.most):
            place = _place_of(self.space, nodes, node, nodes.start[node])
            records = self.space.cells if nodes.depth[node] == 0 else self.space.records
            fill_row_sets(row_sets, records, place, np.uint64(self.space.stride), node, sums[node])
        if nodes.block[made] >= 0:
            split_set(row_sets, node, nodes.feature[node], nodes.cut[node], made)
            return 2
        # Records of pure children are not read again.
        first, second = _is_mixed(sums, made), _is_mixed(sums, made + 1)
        if first or second:
            _move(self.space, nodes, node, first, second)
        return 2


@subroutine
def _is_mixed(sums, node):
    """Whether the node has rows of several classes."""
    mixed = True
    for k in range(1, sums.shape[1]):
        mixed &= sums[node, k] != sums[node, 0]
    return mixed


@inlined_subroutine
def _best_drawn(splitter, nodes, node, at, assessed):
    """The best of the cuts drawn between the extremes at `at`; of more columns where those have none.

    The search ends where one is perfect.
    """
    columns, limits, work, space = splitter.columns, splitter.limits, splitter.work, splitter.space
    p, seed, low, high = len(columns.sizes), work.seed, space.low[at:], space.high[at:]
    best, chosen, drawn, inside = -np.inf, -1, 0, nodes.block[node] >= 0
    while drawn < p and chosen < 0:
        last = draw_columns(work.features, seed, drawn, min(p, max(limits.max_features, drawn + 1)))
        if inside:
            find_extremes(space.row_sets, node, work.features, drawn, last, low, high)
        if _draw_cuts(columns, space, low, high, work.features, seed, drawn, last):
            _count_sides(splitter, nodes, node, drawn, last, inside)
        _weigh_sides(splitter, low, high, drawn, last)
        while drawn < last and best < assessed.perfect:
            better = space.scores[drawn] > best + assessed.scale
            best, chosen = space.scores[drawn] if better else best, drawn if better else chosen
            drawn += 1
        # Where a perfect cut ends the search, those after it have not been drawn.
        seed[0] = space.seeds[drawn - 1]
    j = work.features[max(chosen, 0)]
    threshold = space.thresholds[max(chosen, 0)]
    return Found(best, j if chosen >= 0 else -1, np.int64(space.cuts[j]), threshold, np.int64(-1))


@inlined_subroutine
def _draw_cuts(columns, space, low, high, features, seed, first, stop):
    """Draw a cut of each column that is not constant; keep the state of the seed after each; whether there is any.

    In two loops, so that the loads of several columns overlap.
    """
    found = False
    for turn in range(np.uint64(first), np.uint64(stop)):
        j = np.uint64(features[turn])
        if low[j] < high[j]:
            at = columns.starts[j]
            space.thresholds[turn] = drawn_between(columns, at, np.int64(low[j]), np.int64(high[j]), seed)
            found = True
        space.seeds[turn] = seed[0]
    for turn in range(np.uint64(first), np.uint64(stop)):
        j = np.uint64(features[turn])
        if low[j] < high[j]:
            at, t = np.uint64(columns.starts[j]), space.thresholds[turn]
            cut = _cut_at(columns, space, j, at + np.uint64(low[j]), at + np.uint64(high[j]) - ONE, t)
            space.cuts[j], space.thresholds[turn] = cut - at, outside_bins(columns, cut, t)
    return found


@subroutine
def _cut_at(columns, space, j, least, last, t):
    """The last of the bins least … last of column j that ends up to t, or the first of them."""
    step = np.uint64(min((t - space.origins[j]) * space.scales[j], GUIDE_STEPS - 1.0))
    start = np.uint64(columns.starts[j]) + np.uint64(space.guides[j, step])
    cut = min(max(least + ONE, start), last + ONE) - ONE
    # Few bins end in a step, and how many is unpredictable: three increments without a branch.
    for _ in range(3):
        cut += np.uint64((cut < last) & (columns.high[cut + ONE] <= t))
    while (cut < last) & (columns.high[cut + ONE] <= t):
        cut += ONE
    return cut


@inlined_subroutine
def _count_sides(splitter, nodes, node, first, stop, inside):
    """Sums of both sides of the cuts of the columns number first … stop − 1."""
    space, features, width = splitter.space, splitter.work.features, splitter.criterion.width()
    sides, sums = space.sides, splitter.node_sums
    if inside:
        count_left(space.row_sets, node, features, first, stop, space.cuts, sides)
    else:
        _count_records(splitter, nodes, node, first, stop)
    for turn in range(first, stop):
        j = features[turn]
        sides[j, 0] = 0.0
        for k in range(1, width):
            sides[j, 0] += sides[j, k]
        for s in range(width):
            sides[j, width + s] = sums[node, s] - sides[j, s]


@inlined_subroutine
def _count_records(splitter, nodes, node, first, stop):
    """(2) for the columns number first … stop − 1."""
    space, features, width = splitter.space, splitter.work.features, splitter.criterion.width()
    sides, stride = space.sides, np.uint64(space.stride)
    place = _place_of(space, nodes, node, nodes.start[node])
    records = space.cells if nodes.depth[node] == 0 else space.records
    for k in range(1, width):
        for turn in range(first, stop):
            sides[features[turn], k] = 0.0
        left = np.uint64(splitter.node_sums[node, k])
        while left > np.uint64(0):
            rows = min(left, np.uint64(MOST_COUNTED))
            for block in range(0, space.stride, VECTOR_BYTES):
                at = place + np.uint64(block)
                count_at_most(records, at, stride, rows, space.cuts[block:], space.counts[block:])
            for turn in range(first, stop):
                sides[features[turn], k] += space.counts[features[turn]]
            place += rows * stride
            left -= rows


@subroutine
def _place_of(space, nodes, node, row):
    """Where a row of the node is: in the first half of the buffer if the depth of the node is even."""
    half = np.uint64(len(space.records) // 2)
    return np.uint64(nodes.depth[node] & 1) * half + np.uint64(row) * np.uint64(space.stride)


@inlined_subroutine
def _weigh_sides(splitter, low, high, first, stop):
    """The merit of the two sides of each cut, −∞ if they are not allowed."""
    criterion, limits, space = splitter.criterion, splitter.limits, splitter.space
    width, least = criterion.width(), max(limits.min_rows, limits.min_mass)
    for turn in range(first, stop):
        j = splitter.work.features[turn]
        left, right = space.sides[j, :width], space.sides[j, width:]
        if low[j] < high[j] and min(left[0], right[0]) >= least:
            space.scores[turn] = criterion.merit(left, 0) + criterion.merit(right, 0)
        else:
            space.scores[turn] = -np.inf


@inlined_subroutine
def _move(space, nodes, node, first, second):
    """Copy records to their places in the children, each side in its order; (1) of the children asked for."""
    stride, records = np.uint64(space.stride), space.cells if nodes.depth[node] == 0 else space.records
    column, most = np.uint64(nodes.feature[node]), np.uint8(nodes.cut[node])
    here, end = _place_of(space, nodes, node, nodes.start[node]), _place_of(space, nodes, node, nodes.stop[node])
    child = nodes.first[node]
    left, right = _place_of(space, nodes, child, nodes.start[node]), _place_of(space, nodes, child, nodes.middle[node])
    for c in range(2 * space.stride):
        space.low[c], space.high[c] = 255, 0
    while here < end:
        size, moved = min(end - here, np.uint64(RECORDS_MOVED) * stride), np.uint64(0)
        for block in range(0, space.stride, VECTOR_BYTES):
            moved = _move_blocks(space, records, column, most, np.uint64(block), here, size, left, right)
        if first:
            _extend_extremes(space, left, moved, 0)
        if second:
            _extend_extremes(space, right, size - moved, space.stride)
        left += moved
        right += size - moved
        here += size


@subroutine
def _move_blocks(space, records, column, most, block, source, size, left, right):
    """Copy one block of each of the records in `size` bytes to its side; how many bytes those on the left take."""
    stride = np.uint64(space.stride)
    done, moved = np.uint64(0), np.uint64(0)
    while done < size:
        # A select, not a branch, which would be mispredicted as often as the rows are hard to classify.
        flagged = records[source + done + column] <= most
        to = left + moved if flagged else right + done - moved
        copy_block(space.records, to + block, records, source + done + block)
        moved += stride if flagged else np.uint64(0)
        done += stride
    return moved


@subroutine
def _extend_extremes(space, start, size, to):
    """Extend (1) at `to` by the records in `size` bytes."""
    stride = np.uint64(space.stride)
    for block in range(0, space.stride, VECTOR_BYTES):
        low, high = space.low[to + block :], space.high[to + block :]
        update_extremes(space.records, start + np.uint64(block), stride, size // stride, low, high)
