"""Rows of a node grouped by the code of one column, with the sums of every group.

    sums_g = Σ_{i in node, code_i = g} (1, statistics of row i)                                                  (1)

Few codes for the rows: a histogram. Many codes: the rows are sorted by code first, by insertion where they are few and
by radix else (Knuth, The Art of Computer Programming 3, §5.2.1 and §5.2.5). Either way only codes that occur are kept,
in order, so that what follows need not know.
"""

from __future__ import annotations

import numpy as np

from gnomon._jit import subroutine

DENSE = 8
"""A histogram of at most so many codes per row is cheaper than sorting, while it stays in cache."""

PRESENT, ORDER, LEFT = range(3)
"""Rows of the array of groups: the codes that occur, the groups in order, the codes left of the best cut."""

CACHED = 1024
INSERTION = 40
DIGIT_BITS = 11
ROW_MASK = np.uint64(0xFFFFFFFF)
CODE_SHIFT = np.uint64(32)


@subroutine
def is_dense(size, m):
    """Whether a histogram of `size` codes is the way to group m rows."""
    return size < DENSE * m and (size < CACHED or size < m)


@subroutine
def tally_rows(codes, size, rows, criterion, counting, y, w, sums):
    """The histogram of the rows, that is (1) for every code; without `counting` the numbers of rows stay zero."""
    width = criterion.width()
    for c in range((size + 1) * width):
        sums[c] = 0.0
    for s in range(len(rows)):
        # An unsigned index avoids Numba's branch for negative ones.
        at = np.int64(codes[np.uint32(rows[s])]) * width
        if counting:
            sums[at] += 1.0
        criterion.weigh(sums, at, y, s, w[s])


@subroutine
def sort_rows(codes, size, rows, criterion, y, w, sums, present, keys, counts):
    """Fill `present` with the codes that occur and `sums` with (1); return how many occur."""
    m, width = len(rows), criterion.width()
    for s in range(m):
        keys[0, s] = (np.uint64(codes[rows[s]]) << CODE_SHIFT) | np.uint64(s)
    sort_keys(keys, counts, m, size)
    k = -1
    last = ROW_MASK
    for i in range(m):
        code = keys[0, i] >> CODE_SHIFT
        if code != last:
            k += 1
            last = code
            present[k] = code
            for s in range(width):
                sums[k * width + s] = 0.0
        s = np.int64(keys[0, i] & ROW_MASK)
        criterion.tally(sums, k * width, y, s, w[s])
    return k + 1


@subroutine
def occurs(criterion, counting, histogram, g):
    """Whether the group at `g` has rows; without `counting`, weight."""
    return histogram[g] > 0.0 or (not counting and criterion.mass(histogram, g) > 0.0)


@subroutine
def compress(criterion, counting, histogram, at, size, sums, present):
    """Keep the codes that occur of the histogram at `at`; `sums` may be the histogram itself."""
    k = 0
    width = criterion.width()
    for c in range(size + 1):
        g = at + c * width
        if occurs(criterion, counting, histogram, g):
            present[k] = c
            for s in range(width):
                sums[k * width + s] = histogram[g + s]
            k += 1
    return k


@subroutine
def sort_keys(keys, counts, m, size):
    """Sort ``keys[0, :m]``, codes below `size` or equal to it in their upper half; equal codes keep their order."""
    if m <= INSERTION:
        _insertion_sort(keys[0], m)
    else:
        _radix_sort(keys, counts, m, size)


@subroutine
def _insertion_sort(keys, m):
    for i in range(1, m):
        key = keys[i]
        j = i
        while j > 0 and keys[j - 1] > key:
            keys[j] = keys[j - 1]
            j -= 1
        keys[j] = key


@subroutine
def _radix_sort(keys, counts, m, size):
    """Sort ``keys[0, :m]`` by code, in passes of at most `DIGIT_BITS` bits; equal codes keep their order."""
    bits = 1
    while (size >> bits) > 0:
        bits += 1
    passes = (bits + DIGIT_BITS - 1) // DIGIT_BITS
    width = (bits + passes - 1) // passes
    mask = np.uint64((1 << width) - 1)
    source = 0
    for turn in range(passes):
        shift = np.uint64(32 + turn * width)
        for d in range(1 << width):
            counts[d] = 0
        for i in range(m):
            counts[np.int64((keys[source, i] >> shift) & mask)] += 1
        total = 0
        for d in range(1 << width):
            here = counts[d]
            counts[d] = total
            total += here
        for i in range(m):
            d = np.int64((keys[source, i] >> shift) & mask)
            keys[1 - source, counts[d]] = keys[source, i]
            counts[d] += 1
        source = 1 - source
    if source == 1:
        for i in range(m):
            keys[0, i] = keys[1, i]
