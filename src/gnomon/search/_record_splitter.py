"""Drawn cuts of many columns at once.

    record = (codes of all columns, class), a byte each;  rows of a node stand side by side, those of a class together
    least, largest of all columns      two instructions a row                                                      (1)
    rows of a class with code ≤ cut    three instructions a row, for all columns                                   (2)
    sums of the children               those left of the cut taken, and the others                                 (3)

What `CodeSplitter` does for cuts that are drawn (Geurts, Ernst & Wehenkel 2006, doi:10.1007/s10994-006-6226-1), for
classes of rows without weights and numbers without gaps, and draw by draw the same. Records are moved, not numbered:
what a node reads is a stream. They go from one half of the room to the other with every level, in their order, which
keeps classes together. What is written is in the cache, where (1) is found at once. Subtrees of few rows are grown from
a tile, as sets.
"""

import itertools
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from gnomon._jit import inlined_verb, inner, noun, within
from gnomon._vectors import BLOCK, copy_block, count_at_most, widen
from gnomon.search._column_splits import Found, drawn_between, outside_bins
from gnomon.search._histograms import in_lines
from gnomon.search._nodes import begin_block, draw_columns, make_children, settle, weigh_up
from gnomon.search._tiles import Tile, count_tile, fill_tile, look_at_tile, make_tile, split_set
from gnomon.search._work import Work

__all__ = ["RecordSplitter", "Records", "make_room", "may_use_records", "open_records"]

WIDEST = 256
"""Bytes of the longest records: longer ones cost more to move than the few columns drawn cost to gather."""

STEPS = 1024
"""Steps in which the range of a column is divided to find bins."""

ONE = np.uint64(1)

MOST = 255
"""Rows that a byte can count."""

MOVED = 256
"""Records that are moved before they are looked at: the cache next to the processor holds them."""


def may_use_records(columns, criterion, splitter, constrained):
    """Whether (1) and (2) serve a tree of rows of weight one, unless it is constrained in what follows what."""
    return (
        splitter == "random"
        and criterion.class_weights
        and criterion.size <= MOST + 1
        and columns.codes.dtype == np.uint8
        and len(columns.sizes) < WIDEST
        and columns.bounded
        and columns.without_gaps
        and not constrained
        and not np.any(columns.category)
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
        stride = -(-(p + 1) // BLOCK) * BLOCK
        cells = _room_for(n, stride).reshape(n, stride)
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
        scales = np.divide(STEPS, spans, out=np.zeros(len(bins)), where=spans > STEPS / np.finfo(float).max)
        guides = np.empty((len(bins), STEPS + 1), dtype=np.uint8)
        for j, part in enumerate(bins):
            steps = np.minimum((columns.high[part] - origins[j]) * scales[j], STEPS - 1).astype(int)
            guides[j] = np.searchsorted(steps, np.arange(STEPS + 1))
        return origins, scales, guides


class Room(NamedTuple):
    """All records, room for them twice; what is known of every column of two nodes, and of a drawn cut."""

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
    tile: Tile


def make_room(records, capacity, width, most):
    """Room for trees of so many nodes from the records, with sums of so many numbers and tiles of so many rows."""
    n, stride = records.cells.shape
    low, high = np.zeros((2, 2 * stride), dtype=np.uint8)
    cuts, counts = np.zeros((2, stride), dtype=np.uint8)
    p = len(records.columns.sizes)
    return Room(
        np.ravel(records.cells), _room_for(2 * n, stride), stride, low, high, cuts, counts,
        np.empty((p, 2 * width)), np.empty(p), np.empty((capacity, width)), np.empty(p), np.empty(p, dtype=np.uint64),
        *records.guides, make_tile(stride, width - 1, capacity, most),
    )  # fmt: skip


def _room_for(n, stride):
    """Bytes for n records, which begin with a line of cache or its half, as a block on two lines costs twice.

    There is room behind them, as tiles are filled by whole blocks of records.
    """
    return in_lines(1, (n + BLOCK) * stride // 8)[0].view(np.uint8)[: n * stride]


def open_records(room, records, sums):
    """Put down what the root of a tree is."""
    room.low[: room.stride], room.high[: room.stride] = records.extremes
    sums[0], sums[0, : len(records.totals)] = 0.0, records.totals


@noun
class RecordSplitter:
    """Splits the records start … stop − 1 of a node by one of several drawn cuts."""

    columns: object
    criterion: object
    limits: object
    node_sums: np.ndarray
    work: Work
    room: Room

    @inlined_verb
    def examine(self, nodes, first, made):
        criterion, limits, bounds, room = self.criterion, self.limits, self.work.bounds, self.room
        sums, width = self.work.sums, criterion.width()
        for node in range(first, made):
            for s in range(width):
                sums[limits.total + s] = self.node_sums[node, s]
            prospect = weigh_up(criterion, limits, nodes, node, sums, bounds, self.work.purest[0])
            if prospect.open:
                best = _best_drawn(self, nodes, node, (node - first) * room.stride, prospect)
                if settle(nodes, node, best, prospect, limits, bounds):
                    nodes.middle[node] = nodes.start[node] + np.int64(room.sides[best.feature, 0])
                    for s in range(width):
                        room.chosen[node, s] = room.sides[best.feature, s]

    @inlined_verb
    def divide(self, nodes, node, made):
        make_children(nodes, node, made)
        sums, left = self.node_sums, self.room.chosen
        for s in range(self.criterion.width()):
            sums[made, s], sums[made + 1, s] = left[node, s], sums[node, s] - left[node, s]
        tile = self.room.tile
        if begin_block(nodes, node, made, tile.most):
            place = _place_of(self.room, nodes, node, nodes.start[node])
            records = self.room.cells if nodes.depth[node] == 0 else self.room.records
            fill_tile(tile, records, place, np.uint64(self.room.stride), node, sums[node])
        if nodes.block[made] >= 0:
            split_set(tile, node, nodes.feature[node], nodes.cut[node], made)
            return 2
        # Rows of which no more is asked stay where they are.
        first, second = _is_mixed(sums, made), _is_mixed(sums, made + 1)
        if first or second:
            _move(self.room, nodes, node, first, second)
        return 2


@inner
def _is_mixed(sums, node):
    """Whether the node has rows of several classes."""
    mixed = True
    for k in range(1, sums.shape[1]):
        mixed &= sums[node, k] != sums[node, 0]
    return mixed


@within
def _best_drawn(splitter, nodes, node, at, prospect):
    """The best of the cuts drawn between the extremes at `at`; of more columns where those have none.

    The search ends where one is perfect.
    """
    columns, limits, work, room = splitter.columns, splitter.limits, splitter.work, splitter.room
    p, seed, low, high = len(columns.sizes), work.seed, room.low[at:], room.high[at:]
    best, chosen, drawn, inside = -np.inf, -1, 0, nodes.block[node] >= 0
    while drawn < p and chosen < 0:
        last = draw_columns(work.features, seed, drawn, min(p, max(limits.max_features, drawn + 1)))
        if inside:
            look_at_tile(room.tile, node, work.features, drawn, last, low, high)
        if _draw_cuts(columns, room, low, high, work.features, seed, drawn, last):
            _count_sides(splitter, nodes, node, drawn, last, inside)
        _weigh_sides(splitter, low, high, drawn, last)
        while drawn < last and best < prospect.perfect:
            better = room.scores[drawn] > best + prospect.scale
            best, chosen = room.scores[drawn] if better else best, drawn if better else chosen
            drawn += 1
        # Where a perfect cut ends the search, those after it have not been drawn.
        seed[0] = room.seeds[drawn - 1]
    j = work.features[max(chosen, 0)]
    return Found(best, j if chosen >= 0 else -1, np.int64(room.cuts[j]), room.thresholds[max(chosen, 0)], np.int64(-1))


@within
def _draw_cuts(columns, room, low, high, features, seed, first, stop):
    """Draw a cut of each column that is not constant; keep the state of the seed after each; whether there is any.

    In two loops, so that the processor looks up several columns at once.
    """
    found = False
    for turn in range(np.uint64(first), np.uint64(stop)):
        j = np.uint64(features[turn])
        if low[j] < high[j]:
            at = columns.starts[j]
            room.thresholds[turn] = drawn_between(columns, at, np.int64(low[j]), np.int64(high[j]), seed)
            found = True
        room.seeds[turn] = seed[0]
    for turn in range(np.uint64(first), np.uint64(stop)):
        j = np.uint64(features[turn])
        if low[j] < high[j]:
            at, t = np.uint64(columns.starts[j]), room.thresholds[turn]
            cut = _cut_at(columns, room, j, at + np.uint64(low[j]), at + np.uint64(high[j]) - ONE, t)
            room.cuts[j], room.thresholds[turn] = cut - at, outside_bins(columns, cut, t)
    return found


@inner
def _cut_at(columns, room, j, least, last, t):
    """The last of the bins least … last of column j that ends up to t, or the first of them."""
    step = np.uint64(min((t - room.origins[j]) * room.scales[j], STEPS - 1.0))
    start = np.uint64(columns.starts[j]) + np.uint64(room.guides[j, step])
    cut = min(max(least + ONE, start), last + ONE) - ONE
    # Few bins end in a step, and how many cannot be foretold: three steps are taken without a branch.
    for _ in range(3):
        cut += np.uint64((cut < last) & (columns.high[cut + ONE] <= t))
    while (cut < last) & (columns.high[cut + ONE] <= t):
        cut += ONE
    return cut


@within
def _count_sides(splitter, nodes, node, first, stop, inside):
    """Sums of both sides of the cuts of the columns number first … stop − 1."""
    room, features, width = splitter.room, splitter.work.features, splitter.criterion.width()
    sides, sums = room.sides, splitter.node_sums
    if inside:
        count_tile(room.tile, node, features, first, stop, room.cuts, sides)
    else:
        _count_records(splitter, nodes, node, first, stop)
    for turn in range(first, stop):
        j = features[turn]
        sides[j, 0] = 0.0
        for k in range(1, width):
            sides[j, 0] += sides[j, k]
        for s in range(width):
            sides[j, width + s] = sums[node, s] - sides[j, s]


@within
def _count_records(splitter, nodes, node, first, stop):
    """(2) for the columns number first … stop − 1."""
    room, features, width = splitter.room, splitter.work.features, splitter.criterion.width()
    sides, stride = room.sides, np.uint64(room.stride)
    place = _place_of(room, nodes, node, nodes.start[node])
    records = room.cells if nodes.depth[node] == 0 else room.records
    for k in range(1, width):
        for turn in range(first, stop):
            sides[features[turn], k] = 0.0
        left = np.uint64(splitter.node_sums[node, k])
        while left > np.uint64(0):
            rows = min(left, np.uint64(MOST))
            for block in range(0, room.stride, BLOCK):
                at = place + np.uint64(block)
                count_at_most(records, at, stride, rows, room.cuts[block:], room.counts[block:])
            for turn in range(first, stop):
                sides[features[turn], k] += room.counts[features[turn]]
            place += rows * stride
            left -= rows


@inner
def _place_of(room, nodes, node, row):
    """Where a row of the node stands: in the first half of the room if the node is of an even level."""
    half = np.uint64(len(room.records) // 2)
    return np.uint64(nodes.depth[node] & 1) * half + np.uint64(row) * np.uint64(room.stride)


@within
def _weigh_sides(splitter, low, high, first, stop):
    """The merit of the two sides of each cut, −∞ if they are not allowed."""
    criterion, limits, room = splitter.criterion, splitter.limits, splitter.room
    width, least = criterion.width(), max(limits.min_rows, limits.min_mass)
    for turn in range(first, stop):
        j = splitter.work.features[turn]
        left, right = room.sides[j, :width], room.sides[j, width:]
        if low[j] < high[j] and min(left[0], right[0]) >= least:
            room.scores[turn] = criterion.merit(left, 0) + criterion.merit(right, 0)
        else:
            room.scores[turn] = -np.inf


@within
def _move(room, nodes, node, first, second):
    """Records to where they stand in the children, each side in its order; (1) of the children asked for."""
    stride, records = np.uint64(room.stride), room.cells if nodes.depth[node] == 0 else room.records
    column, most = np.uint64(nodes.feature[node]), np.uint8(nodes.cut[node])
    here, end = _place_of(room, nodes, node, nodes.start[node]), _place_of(room, nodes, node, nodes.stop[node])
    child = nodes.first[node]
    left, right = _place_of(room, nodes, child, nodes.start[node]), _place_of(room, nodes, child, nodes.middle[node])
    for c in range(2 * room.stride):
        room.low[c], room.high[c] = 255, 0
    while here < end:
        size, moved = min(end - here, np.uint64(MOVED) * stride), np.uint64(0)
        for block in range(0, room.stride, BLOCK):
            moved = _move_blocks(room, records, column, most, np.uint64(block), here, size, left, right)
        if first:
            _look_at(room, left, moved, 0)
        if second:
            _look_at(room, right, size - moved, room.stride)
        left += moved
        right += size - moved
        here += size


@inner
def _move_blocks(room, records, column, most, block, source, size, left, right):
    """The same block of records, which take `size` bytes, to their sides; how many bytes are those on the left."""
    stride = np.uint64(room.stride)
    done, moved = np.uint64(0), np.uint64(0)
    while done < size:
        # Chosen without a branch, which would be as hard to foretell as the rows are to classify.
        told = records[source + done + column] <= most
        to = left + moved if told else right + done - moved
        copy_block(room.records, to + block, records, source + done + block)
        moved += stride if told else np.uint64(0)
        done += stride
    return moved


@inner
def _look_at(room, start, size, to):
    """(1) of what is known at `to` and the records that take `size` bytes."""
    stride = np.uint64(room.stride)
    for block in range(0, room.stride, BLOCK):
        low, high = room.low[to + block :], room.high[to + block :]
        widen(room.records, start + np.uint64(block), stride, size // stride, low, high)
