"""The best split of one coded column: of numbers or of categories, searched or drawn.

    numbers     maximise merit(codes ≤ c) + merit(codes > c) over c, missing rows on either side                 (1)
    categories  maximise merit(codes in S) + merit(codes not in S) over sets S of those that occur                (2)
    drawn       t uniform between the least and the largest value of the node, S uniform                           (3)

Breiman et al. (1984), doi:10.1201/9781315139470, for (1) and (2); Geurts, Ernst & Wehenkel (2006),
doi:10.1007/s10994-006-6226-1, for (3).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gnomon._jit import inlined_subroutine, inlined_verb, noun, subroutine
from gnomon.search._cuts import (
    ALL_SUBSETS,
    against_rest,
    best_bin,
    best_cut,
    best_subset,
    heap_sort,
    is_bounded,
    keep_middle,
    order_categories,
)
from gnomon.search._groups import ORDER, PRESENT, compress, is_dense, occurs, sort_rows, tally_rows
from gnomon.search._histograms import CURRENT
from gnomon.search.columns import midpoint


class Found(NamedTuple):
    """A split: rows of codes up to `cut` are left. With threshold NaN it is a set, the first `cut` of the groups."""

    score: float
    feature: int
    cut: int
    threshold: float
    missing: int


@subroutine
def _none():
    return Found(-np.inf, np.int64(-1), np.int64(0), 0.0, np.int64(-1))


# Parts take arrays one by one: a tuple of many is taken apart and put together again for every call.
@subroutine
def _tally(histograms, first, codes, size, rows, criterion, counting, y, w, sums):
    """The histogram of a column, kept for the node or made of its rows, and its offset; −1 where it would be sparse.

    Codes of the column begin at `first` in a histogram that is kept.
    """
    if histograms is not None:
        slot = histograms.slots[CURRENT]
        if slot >= 0:
            return histograms.sums[slot], first * criterion.width()
    if not is_dense(size, len(rows)):
        return sums, np.int64(-1)
    tally_rows(codes, size, rows, criterion, counting, y, w, sums)
    return sums, np.int64(0)


@subroutine
def _groups(histogram, place, codes, size, rows, criterion, counting, y, w, sums, present, keys, counts):
    """Groups of the rows by a column: those of its histogram, if there is one, that occur."""
    if place >= 0:
        return compress(criterion, counting, histogram, place, size, sums, present)
    return sort_rows(codes, size, rows, criterion, y, w, sums, present, keys, counts)


@inlined_subroutine
def _search_numbers(vectorized, columns, codes, criterion, limits, work, j, rows, scale):
    size, at = columns.sizes[j], columns.starts[j]
    sums, present, order = work.sums, work.groups[PRESENT], work.groups[ORDER]
    of_rows = codes[j], size, rows, criterion, limits.counting, work.y, work.w, sums
    histogram, place = _tally(work.histograms, columns.starts[j] + j, *of_rows)
    if vectorized is not None:
        gaps = place >= 0 and occurs(criterion, limits.counting, histogram, place + size * criterion.width())
        if place >= 0 and not (is_bounded(work.bounds) or gaps):
            score, a, b = best_bin(criterion, limits, histogram, place, size, sums, work.scores, scale)
            if a == b:
                return _none()
            t = _threshold(columns.low, columns.high, columns.edges, limits.at_edges, at, a, b)
            return Found(score, j, a, t, np.int64(-1))
    k = _groups(histogram, place, *of_rows, present, work.keys, work.counts)
    if k < 2:
        return _none()
    missing = np.int64(k - 1 if present[k - 1] == size else -1)
    known = k if missing < 0 else k - 1
    for g in range(known):
        order[g] = g
    score, cut, side = best_cut(criterion, limits, sums, order, known, missing, scale, work.bounds)
    if cut == 0:
        return _none()
    a = present[cut - 1]
    if cut == known:
        t = np.inf
    else:
        # All edges within a gap of empty bins cut alike; the one next to the side without missing rows is taken.
        b = present[cut]
        last = b - 1 if limits.at_edges and missing >= 0 and side == 1 else a
        t = _threshold(columns.low, columns.high, columns.edges, limits.at_edges, at, last, b)
    return Found(score, j, a, t, np.int64(-1 if missing < 0 else 1 - side))


@subroutine
def _threshold(low, high, edges, at_edges, at, a, b):
    """The number between the codes a and b of the column whose bins begin at `at`."""
    if at_edges and len(edges) > 0:
        return edges[at + a]
    return midpoint(high[at + a], low[at + (a + 1 if at_edges else b)])


@inlined_subroutine
def _draw_numbers(columns, codes, criterion, limits, work, j, rows, scale):
    """Three groups, at most the drawn cut, above it, and missing, of which `best_cut` has one division or two."""
    column, size, at = codes[j], columns.sizes[j], columns.starts[j]
    sums, order, cells = work.sums, work.groups[ORDER], work.cells
    m, width, total = len(rows), criterion.width(), limits.total
    for s in range(m):
        cells[s] = column[np.uint32(rows[s])]
    least, most = _range(cells, m)
    gaps = most == size
    if gaps:
        most = _most_below(cells, m, size)
    if most < 0 or (least == most and not gaps):
        return _none()
    a, t = drawn_cut(columns, at, least, most, work.seed)
    for s in range(3 * width):
        sums[s] = 0.0
    criterion.weigh_range(sums, 0, cells, 0, a, work.y, work.w, m)
    if gaps:
        criterion.weigh_range(sums, 2 * width, cells, size, size, work.y, work.w, m)
    for s in range(width):
        sums[width + s] = sums[total + s] - sums[s] - sums[2 * width + s]
    order[0], order[1] = 0, 1
    known = 2 if least < most else 1
    missing = np.int64(2 if gaps else -1)
    score, cut, side = best_cut(criterion, limits, sums, order, known, missing, scale, work.bounds)
    if cut == 0:
        return _none()
    if cut == known:
        a, t = most, np.inf
    return Found(score, j, a, t, np.int64(-1 if missing < 0 else 1 - side))


@subroutine
def _range(cells, m):
    """The least and the largest of the first m cells, compared in their own type, which vectorizes best."""
    least, most = cells[0], cells[0]
    for s in range(m):
        least, most = min(least, cells[s]), max(most, cells[s])
    return np.int64(least), np.int64(most)


@subroutine
def _most_below(cells, m, size):
    most = np.int64(-1)
    for s in range(m):
        most = max(most, np.int64(cells[s]) if cells[s] < size else most)
    return most


@subroutine
def drawn_cut(columns, at, least, most, seed):
    """The last code left of a uniform draw, and the draw, moved out of a bin whose rows it cannot part."""
    if least == most:
        return least, np.inf
    t, first, length = drawn_between(columns, at, least, most, seed), at + least, most - least
    while length > 1:
        # A select, not a branch, which would be mispredicted every other time.
        half = length >> 1
        first = first + half if columns.high[first + half] <= t else first
        length -= half
    return first - at, outside_bins(columns, first, t)


@subroutine
def drawn_between(columns, at, least, most, seed):
    """A number drawn uniformly from the range of the codes."""
    low, high = columns.low[at + least], columns.high[at + most]
    return low + uniform(seed) * (high - low)


@subroutine
def outside_bins(columns, left, t):
    """The number t, moved between the bin `left` and the next if it lies in one of them."""
    high, low = columns.high[left], columns.low[left + 1]
    between = midpoint(high, low)
    return t if (high <= t) & (t < low) else between


@noun
class Searched:
    """The best cut (1) of numbers; there are no categories. With `vectorized`, histograms are cut by `best_bin`.

    It is True or None, so that what is not used is not compiled.
    """

    vectorized: bool | None = None

    def split_column(self, columns, codes, criterion, limits, work, j, rows, scale):
        return _search_numbers(self.vectorized, columns, codes, criterion, limits, work, j, rows, scale)


@noun
class Drawn:
    """A drawn cut (3) of numbers; there are no categories."""

    def split_column(self, columns, codes, criterion, limits, work, j, rows, scale):
        return _draw_numbers(columns, codes, criterion, limits, work, j, rows, scale)


@noun
class SearchedMixed:
    """The best cut (1) of numbers and the best set (2) of categories.

    One of `subset`, `equality` (sets of one category only) and `supported` (of categories with enough rows) is True.
    All are True or None.
    """

    vectorized: bool | None = None
    subset: bool | None = None
    equality: bool | None = None
    supported: bool | None = None

    @inlined_verb
    def split_column(self, columns, codes, criterion, limits, work, j, rows, scale):
        if columns.category[j]:
            return _search_sets(self, columns, codes, criterion, limits, work, j, rows, scale)
        return _search_numbers(self.vectorized, columns, codes, criterion, limits, work, j, rows, scale)


@noun
class DrawnMixed:
    """A drawn cut or set (3); `equality`: a set of one category only."""

    equality: bool = False

    @inlined_verb
    def split_column(self, columns, codes, criterion, limits, work, j, rows, scale):
        if columns.category[j]:
            return _draw_set(columns, codes, criterion, limits, work, j, rows, self.equality)
        return _draw_numbers(columns, codes, criterion, limits, work, j, rows, scale)


@subroutine
def _search_sets(kinds, columns, codes, criterion, limits, work, j, rows, scale):
    size = columns.sizes[j]
    sums, present, order = work.sums, work.groups[PRESENT], work.groups[ORDER]
    of_rows = codes[j], size, rows, criterion, limits.counting, work.y, work.w, sums
    histogram, place = _tally(work.histograms, columns.starts[j] + j, *of_rows)
    k = _groups(histogram, place, *of_rows, present, work.keys, work.counts)
    if k < 2:
        return _none()
    score, cut = _best_set(kinds.subset, kinds.equality, kinds.supported, criterion, limits, work, k, scale)
    return _set_found(score, j, cut, present, order, k, size)


@subroutine
def _best_set(subset, equality, supported, criterion, limits, work, k, scale):
    """The best set of k groups. Numba drops what a None rules out, so that only the way that is used is compiled."""
    sums, order, bounds = work.sums, work.groups[ORDER], work.bounds
    score, cut = -np.inf, 0
    if supported is not None:
        score, cut = _best_supported(criterion, limits, work, k, scale)
    if equality is not None:
        score, cut = _best_single(criterion, limits, sums, order, k, scale, bounds)
    if subset is not None:
        if limits.many_classes and k <= ALL_SUBSETS:
            score, cut = best_subset(criterion, limits, sums, order, k, scale, bounds)
        else:
            order_categories(criterion, limits.many_classes, sums, order, work.scores[0], work.scores[1:], k)
            score, cut, _ = best_cut(criterion, limits, sums, order, k, -1, scale, bounds)
    return score, cut


@subroutine
def _set_found(score, j, cut, present, order, k, size):
    if cut == 0:
        return _none()
    missing = np.int64(1 if present[k - 1] == size else -1)
    for g in range(cut):
        if present[order[g]] == size:
            missing = np.int64(0)
    return Found(score, j, np.int64(cut), np.nan, missing)


@subroutine
def _best_supported(criterion, limits, work, k, scale):
    """Categories with enough rows, ordered by shrunk answers; all others go with the larger side of the order."""
    width, total = criterion.width(), limits.total
    sums, order, key = work.sums, work.groups[ORDER], work.scores[0]
    factor = sums[total] / (criterion.mass(sums, total) + 1e-300)
    used, last = 0, k
    for g in range(k):
        key[g] = -criterion.shrunk(sums, g * width, limits.support)
        if criterion.mass(sums, g * width) * factor >= limits.support:
            order[used] = g
            used += 1
        else:
            last -= 1
            order[last] = g
    if used < 2:
        return -np.inf, 0
    heap_sort(order, key, used)
    score, cut, _ = best_cut(criterion, limits, sums, order, (used + 1) // 2 + 1, -1, scale, work.bounds)
    for c in range(used // 2):
        order[c], order[used - 1 - c] = order[used - 1 - c], order[c]
    other, taken, _ = best_cut(criterion, limits, sums, order, (used + 1) // 2, -1, scale, work.bounds)
    if taken > 0 and other > score + scale:
        return other, taken
    for c in range(used // 2):
        order[c], order[used - 1 - c] = order[used - 1 - c], order[c]
    return score, cut


@subroutine
def _best_single(criterion, limits, sums, order, k, scale, bounds):
    """One category against the rest."""
    best, chosen = -np.inf, -1
    for g in range(k):
        score = against_rest(criterion, limits, sums, g, bounds)
        if score > best + scale:
            best, chosen = score, g
            keep_middle(bounds)
    order[0] = chosen
    return best, (1 if chosen >= 0 else 0)


@subroutine
def _draw_set(columns, codes, criterion, limits, work, j, rows, equality):
    """A set drawn uniformly from all that leave a category on either side, or from those of one category."""
    size = columns.sizes[j]
    sums, present, order = work.sums, work.groups[PRESENT], work.groups[ORDER]
    width = criterion.width()
    of_rows = codes[j], size, rows, criterion, limits.counting, work.y, work.w, sums
    histogram, place = _tally(work.histograms, columns.starts[j] + j, *of_rows)
    k = _groups(histogram, place, *of_rows, present, work.keys, work.counts)
    if k < 2:
        return _none()
    cut = 1 if equality else 0
    order[0] = below(work.seed, k) if equality else 0
    while cut == 0 or cut == k:
        cut, last = 0, k
        for g in range(k):
            if uniform(work.seed) < 0.5:
                order[cut] = g
                cut += 1
            else:
                last -= 1
                order[last] = g
    for g in range(1, cut):
        for s in range(width):
            sums[order[0] * width + s] += sums[order[g] * width + s]
    score = against_rest(criterion, limits, sums, order[0], work.bounds)
    keep_middle(work.bounds)
    return _set_found(score, j, cut if score > -np.inf else 0, present, order, k, size)


@subroutine
def _next(seed):
    """Xorshift: Marsaglia (2003), doi:10.18637/jss.v008.i14. No product, of whose overflow plain Python would warn."""
    x = seed[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    seed[0] = x
    return x


def scrambled(seed):
    """A state for `uniform`, far from that of any other seed and never zero (one step of splitmix64)."""
    z = (seed + 0x9E3779B97F4A7C15) % 2**64
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
    return z ^ (z >> 31) or 1


@subroutine
def uniform(seed):
    """A number in [0, 1); advances `seed`."""
    return np.float64(_next(seed) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@subroutine
def below(seed, n):
    """A whole number in 0 … n − 1; advances `seed`."""
    return np.int64(uniform(seed) * n)
