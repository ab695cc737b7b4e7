"""Stable partition of rows in two, eight at a time.

    rows ← (rows with a flag, rows without), each in their order                                                   (1)

Without branches on the flags, which a processor would mispredict as often as the rows are hard to classify. Lemire &
Boytsov (2015), Decoding billions of integers per second through vectorization, doi:10.1002/spe.2203, for permutations
that are looked up.
"""

from __future__ import annotations

import numpy as np

from gnomon._jit import subroutine
from gnomon._vectors import partition_eight

__all__ = ["flag_rows", "partition", "partition_by_flags", "set_sides"]


@subroutine
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


@subroutine
def partition(split, codes, size, rows, side, flags, spare, chosen):
    """Rows of the left side of a split first, each side in its order; return how many are left.

    Of a set, the codes `chosen` go left. Where there are fewer codes than rows, the side of each code is looked up in
    `side`, which is None in small tables without categories.
    """
    if side is not None and (np.isnan(split.threshold) or size < len(rows)):
        set_sides(split, size, chosen, side, True)
        flag_rows(codes, rows, side, flags, 0, len(rows))
        set_sides(split, size, chosen, side, False)
    else:
        for i in range(np.uint64(len(rows))):
            c = np.int64(codes[np.uint32(rows[i])])
            flags[i] = split.missing == 0 if c == size else c <= split.cut
    return partition_by_flags(flags, rows, spare)


@subroutine
def set_sides(split, size, chosen, side, left):
    """Write `left` at every code of the left side, which are those `chosen` if the split is a set."""
    if np.isnan(split.threshold):
        for g in range(split.cut):
            side[chosen[g]] = left
    else:
        for c in range(split.cut + 1):
            side[c] = left
        side[size] = left and split.missing == 0


@subroutine
def flag_rows(codes, rows, side, flags, first, last):
    """Flag those of the rows number first … last − 1 whose code goes left."""
    for i in range(np.uint64(first), np.uint64(last)):
        flags[i] = side[codes[np.uint32(rows[i])]]
