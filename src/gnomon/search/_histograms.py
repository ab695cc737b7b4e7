"""Histograms of nodes: sums per code of every column, kept while a node is open.

    histogram of a child = histogram of its parent − histogram of its sibling                                     (1)

Only the rows of the smaller child are read. Ke et al. (2017), LightGBM, NeurIPS 30. Histograms of open nodes stand in
slots; a node without one (too few rows, or no slot is free) has its rows grouped directly.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gnomon._jit import subroutine
from gnomon._vectors import add_four, add_to_all
from gnomon.search._joint import each_alone

HISTOGRAM_FROM = 2, 512
"""A node keeps a histogram from so many rows per code on, and always from so many rows on."""

FETCHED_ROWS = 1024
"""Rows whose targets and weights are copied at a time."""

FOUR = 4
"""Groups of four sums are added by one vector instruction."""

CACHE_LINE = 8
"""Doubles in a cache line."""

CURRENT, PARENT, N_FREE, FIRST_FREE = range(4)
"""Entries of the array of slots: of the current node, of its parent, the number of free ones, the first of these."""


def fewest_rows(columns):
    """How many rows a node must have for a histogram, or for threads to share it."""
    return min(
        max(1, HISTOGRAM_FROM[0] * each_alone(columns).n_entries // max(1, len(columns.sizes))), HISTOGRAM_FROM[1]
    )


def free_slots(count):
    """The array of slots with all of `count` free."""
    return np.concatenate([[-1, -1, count], np.arange(count)]).astype(np.int64)


@subroutine
def release(slots, slot):
    """Give a slot back; −1 is none."""
    if slot >= 0:
        slots[FIRST_FREE + slots[N_FREE]] = slot
        slots[N_FREE] += 1


@subroutine
def assign_slots(nodes, first, made, slots, limits):
    """Give the nodes first … made − 1, the root or two siblings, their slots; the one to fill from rows, −1 if none."""
    small = first
    if made - first == 2 and nodes.stop[first + 1] - nodes.start[first + 1] < nodes.stop[first] - nodes.start[first]:
        small = first + 1
    large = first if made - first == 1 else 2 * first + 1 - small
    enough = nodes.stop[large] - nodes.start[large] >= limits.fewest and nodes.depth[large] < limits.max_depth
    parent = slots[PARENT] if first > 0 else -1
    if not enough or slots[N_FREE] == 0 or (first > 0 and parent < 0):
        release(slots, parent)
        return -1
    slots[N_FREE] -= 1
    nodes.slot[small] = slots[FIRST_FREE + slots[N_FREE]]
    if first > 0:
        nodes.slot[large] = parent
    return small


class Histograms(NamedTuple):
    """The sums of open nodes, one row per slot; which slots are free; the rows that a thread has copied."""

    sums: np.ndarray
    slots: np.ndarray
    fetched: Fetched


def make_histograms(count, size, kind, outputs):
    """Arrays for `count` histograms of `size` sums, of rows with `outputs` targets of a type."""
    return Histograms(in_lines(count, size), free_slots(count), make_fetched(kind, outputs))


class Fetched(NamedTuple):
    """Copies of a block of rows: targets and weights, or the four terms that each row adds to sums."""

    y: np.ndarray
    w: np.ndarray
    terms: np.ndarray


def make_fetched(kind, outputs):
    """Arrays for a block of rows with `outputs` targets of a type."""
    return Fetched(
        np.empty(FETCHED_ROWS * outputs, dtype=kind), np.empty(FETCHED_ROWS), in_lines(1, FETCHED_ROWS * FOUR)[0]
    )


def in_lines(rows, columns):
    """An array of doubles whose rows are aligned to cache lines: a vector that straddles two costs twice."""
    columns = -(-columns // CACHE_LINE) * CACHE_LINE
    buffer = np.empty(rows * columns + CACHE_LINE)
    first = -(buffer.ctypes.data // buffer.itemsize) % CACHE_LINE
    return buffer[first : first + rows * columns].reshape(rows, columns)


@subroutine
def tally_groups(columns, joint, codes, criterion, limits, rows, y, w, histograms, slot, parent, first, last):
    """Fill the columns of the groups first … last − 1 of a histogram from rows, and subtract it from the parent's.

    By blocks of rows, which stay in cache while all columns are filled.
    """
    histogram, fetched = histograms.sums[slot], histograms.fetched
    for b in range(first, last):
        _clear(columns, joint, criterion, histogram, b)
    for block in range(0, len(rows), FETCHED_ROWS):
        here = rows[block : block + FETCHED_ROWS]
        _fetch(criterion, limits.outputs, y, w, here, fetched)
        b = first
        # Four groups at a time: additions to one sum wait for each other, those to different sums overlap.
        while b + 4 <= last:
            _add_to_four(criterion, limits.counting, here, fetched, codes, joint.places, b, histogram)
            b += 4
        while b < last:
            _add_to_one(criterion, limits.counting, here, fetched, codes, joint.places, b, histogram)
            b += 1
    for b in range(first, last):
        _spread(columns, joint, criterion, histogram, b)
        if parent >= 0:
            _subtract(columns, joint, criterion, histograms.sums[parent], histogram, b)


@subroutine
def _fetch(criterion, q, y, w, rows, fetched):
    if criterion.width() == FOUR:
        terms = fetched.terms
        for s in range(len(rows)):
            row = rows[s]
            for k in range(FOUR):
                terms[s * FOUR + k] = 0.0
            criterion.tally(terms, s * FOUR, y, row, w[row])
    else:
        fetch_rows(q, y, w, rows, fetched.y, fetched.w)


@subroutine
def fetch_rows(q, y, w, rows, y_here, w_here):
    """Copy the targets and weights of the rows into contiguous arrays."""
    for o in range(q):
        for s in range(len(rows)):
            y_here[s * q + o] = y[rows[s] * q + o]
    for s in range(len(rows)):
        w_here[s] = w[rows[s]]


@subroutine
def _add_to_four(criterion, counting, rows, fetched, codes, places, b, histogram):
    """Add rows to the sums of their codes in four groups from b on."""
    # Unsigned indices avoid Numba's branch for negative ones.
    width = np.uint64(criterion.width())
    first, second, third, fourth = codes[b], codes[b + 1], codes[b + 2], codes[b + 3]
    i, j, k, m = np.uint64(places[b]), np.uint64(places[b + 1]), np.uint64(places[b + 2]), np.uint64(places[b + 3])
    for s in range(np.uint64(len(rows))):
        row = np.uint32(rows[s])
        here = (i + first[row]) * width, (j + second[row]) * width, (k + third[row]) * width, (m + fourth[row]) * width
        if criterion.width() == FOUR:
            add_to_all(histogram, *here, fetched.terms, s * width)
        else:
            for at in here:
                _add_row(criterion, counting, histogram, at, fetched, s)


@subroutine
def _add_to_one(criterion, counting, rows, fetched, codes, places, b, histogram):
    column, place, width = codes[b], np.uint64(places[b]), np.uint64(criterion.width())
    for s in range(np.uint64(len(rows))):
        at = (place + column[np.uint32(rows[s])]) * width
        if criterion.width() == FOUR:
            add_four(histogram, at, fetched.terms, s * width)
        else:
            _add_row(criterion, counting, histogram, at, fetched, s)


@subroutine
def _add_row(criterion, counting, histogram, at, fetched, s):
    if counting:
        histogram[at] += 1.0
    criterion.weigh(histogram, at, fetched.y, s, fetched.w[s])


@subroutine
def _clear(columns, joint, criterion, histogram, b):
    _zero(criterion, histogram, joint.places[b], joint.places[b] + joint.sizes[b])
    for k in range(joint.starts[b], joint.starts[b] if _is_column(columns, joint, b) else joint.starts[b + 1]):
        _zero(criterion, histogram, _place(columns, joint.members[k]), _place(columns, joint.members[k] + 1))


@subroutine
def _zero(criterion, histogram, first, last):
    width = np.uint64(criterion.width())
    for s in range(np.uint64(first) * width, np.uint64(last) * width):
        histogram[s] = 0.0


@subroutine
def _spread(columns, joint, criterion, histogram, b):
    """From the sums of joint codes to those of each column."""
    width, first, last = np.uint64(criterion.width()), np.uint64(joint.starts[b]), np.uint64(joint.starts[b + 1])
    source = np.uint64(joint.places[b]) * width
    # The inner loop is over columns: consecutive additions to one sum would wait for each other.
    for c in range(np.uint64(0 if _is_column(columns, joint, b) else joint.sizes[b])):
        for k in range(first, last):
            to = np.uint64(joint.parts[c, k]) * width
            if criterion.width() == FOUR:
                add_four(histogram, to, histogram, source)
            else:
                for s in range(width):
                    histogram[to + s] += histogram[source + s]
        source += width


@subroutine
def _subtract(columns, joint, criterion, parents, histogram, b):
    width = np.uint64(criterion.width())
    for k in range(joint.starts[b], joint.starts[b + 1]):
        j = joint.members[k]
        for s in range(np.uint64(_place(columns, j)) * width, np.uint64(_place(columns, j + 1)) * width):
            parents[s] -= histogram[s]


@subroutine
def _is_column(columns, joint, b):
    """Whether the sums of group b are those of its only column."""
    return joint.places[b] == _place(columns, joint.members[joint.starts[b]])


@subroutine
def _place(columns, j):
    """The entry of the first code of column j in a histogram; every column has one more, for missing cells."""
    return columns.starts[j] + j


@subroutine
def add_up(width, size, histogram, sums, at):
    """The sums of a node: those of its codes of the first column."""
    for s in range(width):
        sums[at + s] = 0.0
        for c in range(size + 1):
            sums[at + s] += histogram[c * width + s]
