"""Drawn cuts of many columns at once.

    record = (codes of all columns, class), a byte each;  rows of a node stand side by side, those of a class together
    least, largest of all columns      two instructions a row                                                      (1)
    rows of a class with code ≤ cut    three instructions a row, for all columns                                   (2)

What `CodeSplitter` does for cuts that are drawn (Geurts, Ernst & Wehenkel 2006, doi:10.1007/s10994-006-6226-1), for
classes of rows without weights and numbers without gaps, and draw by draw the same. Records are moved, not numbered:
what a node reads is a stream. A division that keeps the order keeps classes together.
"""

import itertools
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from gnomon._jit import inner, noun
from gnomon._vectors import BLOCK, copy_block, count_at_most, extremes_of
from gnomon.search._column_splits import Found, cut_at, drawn_between
from gnomon.search._cuts import HIGH, LOW, TIE
from gnomon.search._nodes import draw_columns, make_children, settle, weigh_up
from gnomon.search._work import Work
from gnomon.search.class_criteria import Impurity

__all__ = ["RecordSplitter", "Records", "fill_room", "make_room", "may_use_records"]

WIDEST = 256
"""Bytes of the longest records: longer ones cost more to move than the few columns drawn cost to gather."""

STEPS = 512
"""Steps in which the range of a column is divided to find bins."""

FEW = 6
"""Rows of a node in which cuts are drawn one after the other."""

MOST = 255
"""Rows that a byte can count."""


def may_use_records(columns, criterion, splitter, constrained):
    """Whether (1) and (2) serve a tree of rows of weight one, unless it is constrained in what follows what."""
    return (
        splitter == "random"
        and isinstance(criterion, Impurity)
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
        cells = np.zeros((n, -(-(p + 1) // BLOCK) * BLOCK), dtype=np.uint8)
        order = np.argsort(y, kind="stable")
        for j in range(p):
            cells[:, j] = self.columns.codes[j, order]
        cells[:, p] = y[order]
        return cells

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
    """Records, with room for as many behind them, and what is known of every column of a node."""

    records: np.ndarray
    stride: int
    low: np.ndarray
    high: np.ndarray
    cuts: np.ndarray
    counts: np.ndarray
    ends: np.ndarray
    lefts: np.ndarray
    thresholds: np.ndarray
    seeds: np.ndarray
    origins: np.ndarray
    scales: np.ndarray
    guides: np.ndarray


def make_room(records, width):
    """Room for trees that grow from the records, with sums of so many numbers."""
    n, stride = records.cells.shape
    low, high, cuts, counts = np.zeros((4, stride), dtype=np.uint8)
    p = len(records.columns.sizes)
    return Room(
        np.empty(2 * n * stride, dtype=np.uint8), stride, low, high, cuts, counts, np.zeros(width, dtype=np.int64),
        np.empty((p, width)), np.empty(p), np.empty(p, dtype=np.uint64), *records.guides,
    )  # fmt: skip


def fill_room(room, records):
    """Put all records where a tree grows."""
    room.records[: records.cells.size] = records.cells.ravel()


@noun
class RecordSplitter:
    """Splits the records start … stop − 1 of a node by one of several drawn cuts."""

    columns: object
    criterion: object
    limits: object
    node_sums: np.ndarray
    work: Work
    room: Room

    def examine(self, nodes, first, made):
        criterion, limits, work = self.criterion, self.limits, self.work
        sums, at, bounds = work.sums, limits.total, work.bounds
        bounds[LOW], bounds[HIGH] = -np.inf, np.inf
        for node in range(first, made):
            start, stop = nodes.start[node], nodes.stop[node]
            _count_classes(self.room, len(self.columns.sizes), start, stop, sums, at)
            for s in range(criterion.width()):
                self.node_sums[node, s] = sums[at + s]
            prospect = weigh_up(criterion, limits, nodes, node, sums, bounds)
            if prospect.open:
                best = _best_drawn(self, start, stop, prospect)
                if settle(nodes, node, best, prospect, limits, bounds):
                    nodes.middle[node] = _divide(self.room, best.feature, best.cut, start, stop)

    def divide(self, nodes, node, made):
        make_children(nodes, node, made)
        return 2


@inner
def _count_classes(room, p, start, stop, sums, at):
    """Where the rows of each class end, and how many there are."""
    ends, records, stride = room.ends, room.records, room.stride
    ends[0] = start
    for k in range(1, len(ends)):
        first, last = ends[k - 1], stop
        if k == len(ends) - 1:
            first = stop
        while first < last:
            middle = (first + last) >> 1
            if records[middle * stride + p] < k:
                first = middle + 1
            else:
                last = middle
        ends[k] = first
        sums[at + k] = ends[k] - ends[k - 1]
    sums[at] = stop - start


@inner
def _best_drawn(splitter, start, stop, prospect):
    """The best of the cuts drawn; of more columns where those have none. The search ends where one is perfect."""
    columns, limits, work, room = splitter.columns, splitter.limits, splitter.work, splitter.room
    p, seed = len(columns.sizes), work.seed
    stride, rows = np.uint64(room.stride), np.uint64(stop - start)
    for block in range(0, room.stride, BLOCK):
        place = np.uint64(start) * stride + np.uint64(block)
        extremes_of(room.records, place, stride, rows, room.low[block:], room.high[block:])
    best, drawn = Found(-np.inf, np.int64(-1), np.int64(0), 0.0, np.int64(-1)), 0
    # Of few rows the first cut is often perfect, and the last one drawn.
    at_once, stop_at = 1 if stop - start <= FEW else p, 0
    while drawn < p and (best.feature < 0 or (drawn < stop_at and best.score < prospect.perfect)):
        if drawn == stop_at:
            stop_at = draw_columns(work.features, seed, drawn, min(p, max(limits.max_features, drawn + 1)))
        last = min(stop_at, drawn + at_once)
        if _draw_cuts(columns, room, work.features, seed, drawn, last):
            _count_lefts(room, work.features, drawn, last)
        while drawn < last and best.score < prospect.perfect:
            j = work.features[drawn]
            if room.low[j] < room.high[j]:
                score = _merit(splitter, room.lefts[drawn])
                if score > best.score + (TIE * abs(score) if prospect.perfect == np.inf else prospect.scale):
                    best = Found(score, j, np.int64(room.cuts[j]), room.thresholds[drawn], np.int64(-1))
            # Where a perfect cut ends the search, those after it have not been drawn.
            seed[0] = room.seeds[drawn]
            drawn += 1
    return best


@inner
def _draw_cuts(columns, room, features, seed, first, stop):
    """Draw a cut of each column that is not constant; keep the state of the seed after each; whether there is any.

    In two loops, so that the processor looks up several columns at once.
    """
    found = False
    for turn in range(first, stop):
        j = features[turn]
        if room.low[j] < room.high[j]:
            at = columns.starts[j]
            room.thresholds[turn] = drawn_between(columns, at, np.int64(room.low[j]), np.int64(room.high[j]), seed)
            found = True
        room.seeds[turn] = seed[0]
    for turn in range(first, stop):
        j = features[turn]
        least, most, t = np.int64(room.low[j]), np.int64(room.high[j]), room.thresholds[turn]
        if least < most:
            step = min(np.int64((t - room.origins[j]) * room.scales[j]), STEPS - 1)
            # The last code left of t is one of these.
            first_code = min(max(least, np.int64(room.guides[j, step]) - 1), most - 1)
            last_code = max(min(most, np.int64(room.guides[j, step + 1])), first_code + 1)
            cut, room.thresholds[turn] = cut_at(columns, columns.starts[j], first_code, last_code, t)
            room.cuts[j] = cut
    return found


@inner
def _count_lefts(room, features, first, stop):
    """(2) for the columns number first … stop − 1."""
    lefts, stride = room.lefts, np.uint64(room.stride)
    for turn in range(first, stop):
        for s in range(lefts.shape[1]):
            lefts[turn, s] = 0.0
    for k in range(1, len(room.ends)):
        start, end = np.uint64(room.ends[k - 1]), np.uint64(room.ends[k])
        while start < end:
            rows = min(end - start, np.uint64(MOST))
            for block in range(0, room.stride, BLOCK):
                place = start * stride + np.uint64(block)
                count_at_most(room.records, place, stride, rows, room.cuts[block:], room.counts[block:])
            for turn in range(first, stop):
                lefts[turn, k] += room.counts[features[turn]]
            start += rows


@inner
def _merit(splitter, left):
    """The merit of the two sides, −∞ if they are not allowed."""
    criterion, limits, sums, total = splitter.criterion, splitter.limits, splitter.work.sums, splitter.limits.total
    width = criterion.width()
    for k in range(1, width):
        left[0] += left[k]
    for s in range(width):
        sums[s] = left[s]
        sums[width + s] = sums[total + s] - left[s]
    if limits.counting and min(sums[0], sums[width]) < limits.min_rows:
        return -np.inf
    if limits.min_mass > 0.0 and min(criterion.mass(sums, 0), criterion.mass(sums, width)) < limits.min_mass:
        return -np.inf
    return criterion.merit(sums, 0) + criterion.merit(sums, width)


@inner
def _divide(room, j, cut, start, stop):
    """Records of the left side first, each side in its order; return where the others begin."""
    records, stride, column, most = room.records, np.uint64(room.stride), np.uint64(j), np.uint8(cut)
    here, end = np.uint64(start) * stride, np.uint64(stop) * stride
    spare = np.uint64(len(records) // 2)
    left, right = here, spare
    while here < end:
        # Chosen without a branch, which would be as hard to foretell as the rows are to classify.
        told = records[here + column] <= most
        to, block = left if told else right, np.uint64(0)
        while block < stride:
            copy_block(records, to + block, records, here + block)
            block += np.uint64(BLOCK)
        step = np.uint64(told) * stride
        left += step
        right += stride - step
        here += stride
    here = left
    while spare < right:
        copy_block(records, here, records, spare)
        here += np.uint64(BLOCK)
        spare += np.uint64(BLOCK)
    return np.int64(left // stride)
