"""The best cut of a column of numbers in place, most of them never sorted.

    at the ends of intervals    M = max merit(left) + merit(right)                                               (1)
    within an interval I        merit(left) + merit(right) ≤ merit(before I) + merit(after I) + pure(I)          (2)
                                                           ≤ max over the corners of the box of left             (3)

Sums of the rows in equal intervals of a column give (1). (2), where pure(I) = merit(I) − worth(I), holds if no rows
make a group worth more: the trait `monotone_worth`. For (3) few sums left of the cut lie each between that before I and
that with all of I, and a convex function is largest at a corner of a box: the trait `convex_merit`. Intervals
whose bound is below M cannot hold the best cut. The rows of all others are sorted, and every cut between them is
weighed: Alsabti, Ranka & Singh (1998), CLOUDS: a decision tree classifier for large datasets, KDD-98, where such
intervals are called alive.
"""

from __future__ import annotations

import numpy as np

from gnomon._jit import jit_no_alloc, subroutine
from gnomon.search._column_splits import Found
from gnomon.search._cuts import allowed, is_free
from gnomon.search._histograms import fetch_rows
from gnomon.search._partition import partition_by_flags
from gnomon.search.columns import midpoint

__all__ = [
    "INTERVALS",
    "ROWS_IN_CACHE",
    "best_collected_cut",
    "bound_intervals",
    "collect",
    "divide_rows",
    "tally_intervals",
]

MOST_CORNER_SUMS = 3
"""Sums of a group up to which (3) is tried: there are twice as many corners for each."""

INTERVALS = 256
"""Intervals of a column; the sums of rows whose cell is missing come after those of the last."""

ROWS_IN_CACHE = 256
"""Rows whose cells stay in cache while all columns are read."""


@subroutine
def _interval(x, low, per_unit):
    """The interval of a number: never a lower one for a larger number, whatever the rounding."""
    place = (x - low) * per_unit
    # ∞ · 0 is NaN, which goes to the first interval too.
    place = place if place > 0.0 else 0.0
    return np.int32(INTERVALS) if x != x else np.int32(min(place, INTERVALS - 1.0))


@jit_no_alloc
def tally_intervals(criterion, q, X, rows, y, w, first, low, per_unit, histograms, y_here, w_here, cells):
    """Put into `histograms` the sums of the rows by interval, of as many columns from the `first` on."""
    width = np.uint64(criterion.width())
    for histogram in histograms:
        for s in range(len(histogram)):
            histogram[s] = 0.0
    for begin in range(0, len(rows), ROWS_IN_CACHE):
        some = rows[begin : min(begin + ROWS_IN_CACHE, len(rows))]
        fetch_rows(q, y, w, some, y_here, w_here)
        m = np.uint64(len(some))
        for h in range(len(histograms)):
            histogram, j, start, step = histograms[h], first + h, low[first + h], per_unit[first + h]
            # Separate loops, of which the compiler vectorizes the second.
            for s in range(m):
                cells[s] = X[np.uint32(some[s]), j]
            for s in range(m):
                cells[s] = _interval(cells[s], start, step)
            for s in range(m):
                criterion.tally(histogram, np.uint64(cells[s]) * width, y_here, s, w_here[s])


@jit_no_alloc
def bound_intervals(criterion, limits, histograms, sums, bounds, ends):
    """Put into `ends` (1) of each column, and into `bounds` the bounds of its intervals.

    The sums of the node are at ``limits.total``, before space for those of five more groups.
    """
    for h in range(len(histograms)):
        ends[h] = _bound_column(criterion, limits, histograms[h], sums, bounds[h])


@subroutine
def _bound_column(criterion, limits, histogram, sums, bounds):
    """Put into `bounds` the bound, (2) or (3), of every interval, −∞ where it has no row; return (1)."""
    width = criterion.width()
    left, right, after = limits.total + width, limits.total + 2 * width, limits.total + 3 * width
    missing = INTERVALS * width
    best = -np.inf
    for s in range(width):
        sums[left + s] = 0.0
    gaps = criterion.merit(histogram, missing) if histogram[missing] > 0.0 else 0.0
    for b in range(INTERVALS):
        g = b * width
        if histogram[g] == 0.0:
            bounds[b] = -np.inf
            continue
        before = criterion.merit(sums, left) if sums[left] > 0.0 else 0.0
        corner = _best_corner(criterion, limits, sums, left, histogram, g)
        for s in range(width):
            sums[left + s] += histogram[g + s]
            sums[after + s] = sums[limits.total + s] - sums[left + s] - histogram[missing + s]
        rest = criterion.merit(sums, after) if sums[after] > 0.0 else 0.0
        bound = before + rest + gaps + criterion.merit(histogram, g) - criterion.worth(histogram, g)
        # Missing rows, tried on either side, would double the number of corners.
        bound = min(bound, corner) if histogram[missing] == 0.0 else bound
        # A part of worth −∞ may be allowed together with others.
        bounds[b] = bound if bound > -np.inf else np.inf
        best = max(best, _merit_of_cut(criterion, limits, sums, left, right))
        if histogram[missing] > 0.0 and sums[after] > 0.0:
            best = max(best, _merit_with(criterion, limits, sums, histogram, missing, left))
    return best


@subroutine
def _best_corner(criterion, limits, sums, left, histogram, g):
    """The bound (3) of the interval at g, which those at `left` are before; ∞ where there is none."""
    width = criterion.width()
    k = width - 1 if criterion.convex_merit() and width - 1 <= MOST_CORNER_SUMS else 0
    part, other = left + 3 * width, left + 4 * width
    best = -np.inf if k > 0 else np.inf
    for corner in range(1 << k if k > 0 else 0):
        for s in range(k):
            sums[part + 1 + s] = sums[left + 1 + s] + (histogram[g + 1 + s] if (corner >> s) & 1 else 0.0)
            sums[other + 1 + s] = sums[limits.total + 1 + s] - sums[part + 1 + s]
        best = max(best, criterion.merit(sums, part) + criterion.merit(sums, other))
    return best


@subroutine
def _merit_of_cut(criterion, limits, sums, left, right):
    """The merit of both sides, whose left has the sums at `left`; −∞ if they may not be parted."""
    for s in range(criterion.width()):
        sums[right + s] = sums[limits.total + s] - sums[left + s]
    if sums[right] <= 0.0 or not allowed(criterion, limits, sums, left, right, None):
        return -np.inf
    return criterion.merit(sums, left) + criterion.merit(sums, right)


@subroutine
def _merit_with(criterion, limits, sums, histogram, missing, left):
    """The merit of the same cut with what is missing on its left."""
    joined = left + 3 * criterion.width()
    for s in range(criterion.width()):
        sums[joined + s] = sums[left + s] + histogram[missing + s]
    return _merit_of_cut(criterion, limits, sums, joined, joined + criterion.width())


@jit_no_alloc
def collect(X, rows, j, low, per_unit, bounds, least, values, places):
    """Values and places of the rows in intervals whose bound is at least `least`; how many there are."""
    kept = np.uint64(0)
    for i in range(len(rows)):
        x = X[np.uint32(rows[i]), j]
        b = _interval(x, low, per_unit)
        values[kept], places[kept] = x, rows[i]
        kept += np.uint64(b < INTERVALS and bounds[b] >= least)
    return np.int64(kept)


@jit_no_alloc
def best_collected_cut(criterion, limits, j, values, places, order, low, per_unit, histogram, y, w, sums, scale):
    """The best cut between the collected rows, in the `order` of their values; of equal cuts the first."""
    width, missing, n = criterion.width(), INTERVALS * criterion.width(), len(order)
    left, right, before = limits.total + width, limits.total + 2 * width, limits.total + 3 * width
    now, coming = before + width, before + 2 * width
    gaps = histogram[missing] > 0.0
    best = Found(-np.inf, np.int64(-1), np.int64(0), 0.0, np.int64(-1))
    for side in range(2 if gaps else 1):
        here, b = np.int64(0), np.int64(-1)
        for s in range(width):
            sums[before + s] = histogram[missing + s] if side == 1 else 0.0
        i = _group(criterion, values, places, order, 0, y, w, sums, coming)
        first = 0
        while first < n:
            x = values[order[first]]
            if _interval(x, low, per_unit) != b:
                b = np.int64(_interval(x, low, per_unit))
                _add_intervals(histogram, here, b, sums, before, width)
                here = b
                for s in range(width):
                    sums[left + s] = sums[before + s]
            for s in range(width):
                sums[left + s] += sums[coming + s]
                sums[now + s] = sums[coming + s]
            first, i = i, _group(criterion, values, places, order, i, y, w, sums, coming)
            other = values[order[first]] if first < n else x
            if first < n:
                near = _are_neighbours(histogram, b, np.int64(_interval(other, low, per_unit)), width)
                skipped = not near or (is_free(limits, None) and criterion.no_cut_between(sums, now, coming))
            else:
                # All known rows against all missing ones is a cut only where the missing are right.
                skipped = side == 1 or not gaps or sums[left] + histogram[missing] != sums[limits.total]
            merit = -np.inf if skipped else _merit_of_cut(criterion, limits, sums, left, right)
            if merit > best.score + scale:
                t = midpoint(np.float64(x), np.float64(other)) if first < n else np.inf
                best = Found(merit, np.int64(j), np.int64(0), t, np.int64(1 - side if gaps else -1))
    return best


@subroutine
def _group(criterion, values, places, order, i, y, w, sums, at):
    """Put at `at` the sums of the rows that have the value of number i in the order; the number of the next value."""
    for s in range(criterion.width()):
        sums[at + s] = 0.0
    first = i
    while i < len(order) and values[order[i]] == values[order[first]]:
        row = places[order[i]]
        criterion.tally(sums, at, y, row, w[row])
        i += 1
    return i


@subroutine
def _add_intervals(histogram, a, b, sums, before, width):
    """From the sums of all rows in intervals before a to those before b."""
    for g in range(a * width, b * width, width):
        for s in range(width):
            sums[before + s] += histogram[g + s]


@subroutine
def _are_neighbours(histogram, a, b, width):
    """Whether no row lies in the intervals between a and b."""
    rows = 0.0
    for g in range(a + 1, b):
        rows += histogram[g * width]
    return rows == 0.0


@jit_no_alloc
def divide_rows(X, j, threshold, missing, rows, flags, spare):
    """Rows of the left side first, each side in its order; how many are left."""
    for i in range(np.uint64(len(rows))):
        x = X[np.uint32(rows[i]), j]
        flags[i] = x <= threshold or (x != x and missing == 0)
    return partition_by_flags(flags, rows, spare)
