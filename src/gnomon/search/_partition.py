"""Stable partition of rows in two, eight at a time.

    rows ← (rows with a flag, rows without), each in their order                                                   (1)

Without branches on the flags, which a processor would mispredict as often as the rows are hard to classify. Lemire &
Boytsov (2015), Decoding billions of integers per second through vectorization, doi:10.1002/spe.2203, for permutations
that are looked up.
"""

import numpy as np

from gnomon._jit import inner
from gnomon._vectors import partition_eight

__all__ = ["flag_rows", "partition", "partition_by_flags", "set_sides"]


@inner
def partition_by_flags(flags, rows, spare):
    """(1) in place; how many rows have a flag, of which there is one for each."""
    left, right, n, eight = np.uint64(0), np.uint64(0), np.uint64(len(rows)), np.uint64(8)
    whole = n - n % eight
    for i in range(np.uint64(0), whole, eight):
        flagged = np.uint64(partition_eight(rows, i, flags, left, spare, right))
        left += flagged
        right += eight - flagged
    for i in range(whole, n):
        row, flagged = rows[i], np.uint64(flags[i] != 0)
        rows[left] = row
        spare[right] = row
        left += flagged
        right += np.uint64(1) - flagged
    for i in range(right):
        rows[left + i] = spare[i]
    return np.int64(left)


@inner
def partition(found, codes, size, rows, work, chosen):
    """Rows of the left side of a split first, each side in its order; return how many are left."""
    if np.isnan(found.threshold) or size < len(rows):
        set_sides(found, size, chosen, work.side, True)
        flag_rows(codes, rows, work.side, work.flags, 0, len(rows))
        set_sides(found, size, chosen, work.side, False)
    else:
        for i in range(np.uint64(len(rows))):
            c = np.int64(codes[np.uint32(rows[i])])
            work.flags[i] = found.missing == 0 if c == size else c <= found.cut
    return partition_by_flags(work.flags, rows, work.rows)


@inner
def set_sides(found, size, chosen, side, left):
    """Write `left` at every code of the left side, which are those `chosen` if the split is a set."""
    if np.isnan(found.threshold):
        for g in range(found.cut):
            side[chosen[g]] = left
    else:
        for c in range(found.cut + 1):
            side[c] = left
        side[size] = left and found.missing == 0


@inner
def flag_rows(codes, rows, side, flags, first, last):
    """Flag those of the rows number first … last − 1 whose code goes left."""
    for i in range(np.uint64(first), np.uint64(last)):
        flags[i] = side[codes[np.uint32(rows[i])]]
