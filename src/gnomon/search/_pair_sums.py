"""The best trees of depth one and two, from sums over pairs of cuts.

    min over cuts a, b, c of  cost(a, b) + cost(a, ¬b) + cost(¬a, c) + cost(¬a, ¬c)                                  (1)

One look at the rows on the smaller side of a first cut gives their sums by the codes of a second column; with the sums
of all rows, the four parts of every second cut follow: Demirović et al. (2022), MurTree, JMLR 23(26), for binary
columns. Here a column has any number of ordered codes, the sums are those of any criterion, and first cuts that bounds
rule out are not weighed (Briţa, van der Linden & Demirović 2025, doi:10.1609/aaai.v39i11.33210).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gnomon._jit import jit, jitable

__all__ = ["Sorted", "best_cut", "best_pair", "make_sorted", "open_cuts", "sort_rows"]


class Sorted(NamedTuple):
    """Rows of a part of the data, sorted by each column; `totals` are the sums of the rows of each code."""

    rows: np.ndarray
    rank: np.ndarray
    codes: np.ndarray
    sizes: np.ndarray
    totals: np.ndarray
    held: np.ndarray


def make_sorted(q, n, k, width):
    """Arrays for n rows of q columns with at most k codes, used again for every part."""
    rows, rank = np.zeros((q, n), dtype=np.int32), np.zeros((q, n), dtype=np.int32)
    codes, totals = np.zeros((q, k), dtype=np.int32), np.zeros((q, k * width))
    return Sorted(rows, rank, codes, np.zeros(q, dtype=np.int64), totals, np.zeros(k * width))


@jit
def sort_rows(order, codes, inside, sums, width, into):
    """Fill `into` with the rows that are `inside`; `order` sorts all rows by each column."""
    for j in range(codes.shape[0]):
        made, rank, last = 0, -1, -1
        for t in range(order.shape[1]):
            i = order[j, t]
            if not inside[i]:
                continue
            if codes[j, i] != last:
                last = codes[j, i]
                rank += 1
                into.codes[j, rank] = last
                into.totals[j, rank * width : (rank + 1) * width] = 0.0
            into.rows[j, made] = i
            into.rank[j, i] = rank
            for s in range(width):
                into.totals[j, rank * width + s] += sums[i * width + s]
            made += 1
        into.sizes[j] = rank + 1


@jit
def best_cut(criterion, data, whole, penalty, slack):
    """(cost, column, code) of the best single cut; the leaf's cost and column −1 if no cut is better."""
    width = criterion.width()
    parts = np.zeros(2 * width)
    best, column, code = penalty - criterion.worth(whole, 0), -1, -1
    for j in range(len(data.sizes)):
        parts[:] = 0.0
        for c in range(data.sizes[j] - 1):
            for s in range(width):
                parts[s] += data.totals[j, c * width + s]
                parts[width + s] = whole[s] - parts[s]
            cost = 2.0 * penalty - criterion.worth(parts, 0) - criterion.worth(parts, width)
            if cost < best - slack:
                best, column, code = cost, j, data.codes[j, c]
    return best, column, code


@jit
def open_cuts(left, right, row_bounds, low, high, limit):
    """The first, the middle and the last of the cuts `low` … `high` − 1 that may cost less than `limit`; −1 if none.

    `left` and `right` are what the sides of each cut cost at least; those of cuts beside the range raise others.
    Farther right, the left side has more rows and costs no less; the right side's cost falls by at most `row_bounds`.
    """
    first, last, many = -1, -1, 0
    for t in range(low, high):
        if low > 0:
            left[t] = _raised(left[t], left[low - 1])
            right[t] = _raised(right[t], right[low - 1] - (row_bounds[t] - row_bounds[low - 1]))
        if high < len(left):
            right[t] = _raised(right[t], right[high])
            left[t] = _raised(left[t], left[high] - (row_bounds[high] - row_bounds[t]))
        if left[t] + right[t] < limit:
            first = t if first < 0 else first
            last = t
            many += 1
    middle = first - 1
    for _ in range(many // 2 + 1 if many > 0 else 0):
        middle += 1
        while not left[middle] + right[middle] < limit:
            middle += 1
    return first, middle, last


@jitable
def _raised(bound, other):
    # Not `max`: the difference of infinite costs is NaN, and no bound.
    return other if other > bound else bound


@jit
def best_pair(criterion, data, sums, whole, a, m, penalty, slack, limit, bounds, cuts):
    """The best tree whose first cut is in column `a`: the number of that cut, −1 if none costs less than `limit`.

    `bounds` has the least costs of the left and the right sides and the sums of `row_bounds` up to each cut; where a
    cut is weighed, the costs themselves are put in, and `cuts` gets the column and code of both sides, −1 for a leaf.
    """
    n = data.sizes[a] - 1
    left, right, row_bounds = bounds[0, :n], bounds[1, :n], bounds[2, :n]
    gaps = np.empty((n + 2, 2), dtype=np.int64)
    gaps[0, 0], gaps[0, 1] = 0, n
    best, size = -1, 1
    parts, near = np.zeros(4 * criterion.width()), np.zeros(criterion.width())
    while size > 0:
        size -= 1
        first, t, last = open_cuts(left, right, row_bounds, gaps[size, 0], gaps[size, 1], limit - slack)
        if first < 0:
            continue
        _weigh(criterion, data, sums, whole, near, parts, a, t, m, penalty, slack, bounds, cuts)
        if left[t] + right[t] < limit - slack:
            limit, best = left[t] + right[t], t
        gaps[size, 0], gaps[size, 1] = first, t
        gaps[size + 1, 0], gaps[size + 1, 1] = t + 1, last + 1
        size += 2
    return best


@jit
def _weigh(criterion, data, sums, whole, near, parts, a, t, m, penalty, slack, bounds, cuts):
    """Find what the two sides of a cut cost, from the sums of the rows of the smaller one."""
    width = criterion.width()
    stop = 0
    while stop < m and data.rank[a, data.rows[a, stop]] <= t:
        stop += 1
    begin, side = 0, 0
    if 2 * stop > m:
        begin, stop, side = stop, m, 1
    near[:] = 0.0
    for i in range(begin, stop):
        for s in range(width):
            near[s] += sums[data.rows[a, i] * width + s]
    least = bounds[0, t] + bounds[1, t]
    for s in range(width):
        parts[s] = near[s]
        parts[width + s] = whole[s] - near[s]
    for far in range(2):
        bounds[side if far == 0 else 1 - side, t] = penalty - criterion.worth(parts, far * width)
        cuts[far, t, 0] = -1
    for b in range(len(data.sizes)):
        if data.sizes[b] < 2:
            continue
        if bounds[0, t] + bounds[1, t] <= least + slack:
            break
        data.held[: data.sizes[b] * width] = 0.0
        for i in range(begin, stop):
            row = data.rows[a, i]
            at = data.rank[b, row] * width
            for s in range(width):
                data.held[at + s] += sums[row * width + s]
        _scan(criterion, data, whole, near, parts, b, t, side, penalty, slack, bounds, cuts)


@jit
def _scan(criterion, data, whole, near, parts, b, t, side, penalty, slack, bounds, cuts):
    """Weigh every cut of column b on both sides of cut t; `held` and `near` are sums of one `side`."""
    width = criterion.width()
    parts[:] = 0.0
    for c in range(data.sizes[b] - 1):
        for s in range(width):
            here = data.held[c * width + s]
            parts[s] += here
            parts[width + s] = near[s] - parts[s]
            parts[2 * width + s] += data.totals[b, c * width + s] - here
            parts[3 * width + s] = whole[s] - near[s] - parts[2 * width + s]
        for far in range(2):
            low, high = 2 * far * width, (2 * far + 1) * width
            # The first sum counts rows: a side without any is no cut.
            if parts[low] < 0.5 or parts[high] < 0.5:
                continue
            which = side if far == 0 else 1 - side
            cost = 2.0 * penalty - criterion.worth(parts, low) - criterion.worth(parts, high)
            if cost < bounds[which, t] - slack:
                bounds[which, t] = cost
                cuts[which, t, 0] = b
                cuts[which, t, 1] = data.codes[b, c]
