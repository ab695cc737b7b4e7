"""Stable partition of rows in two, eight at a time.

    rows ← (rows with a flag, rows without), each in their order                                                   (1)

Without branches on the flags, which a processor would mispredict as often as the rows are hard to classify. Lemire &
Boytsov (2015), Decoding billions of integers per second through vectorization, doi:10.1002/spe.2203, for permutations
that are looked up.
"""

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

    Of a set, the codes `chosen` go left; `side` is None where there are no categories.
    """
    set_sides(split, chosen, side, True)
    flag_rows(split, codes, size, rows, side, flags, 0, len(rows))
    set_sides(split, chosen, side, False)
    return partition_by_flags(flags, rows, spare)


@subroutine
def set_sides(split, chosen, side, left):
    """If the split is by a set, write `left` at the codes `chosen`."""
    if side is None:
        return
    for g in range(split.cut if np.isnan(split.threshold) else 0):
        side[chosen[g]] = left


@subroutine
def flag_rows(split, codes, size, rows, side, flags, first, last):
    """Flag those of the rows number first … last − 1 that go left."""
    if side is not None and np.isnan(split.threshold):
        for i in range(np.uint64(first), np.uint64(last)):
            flags[i] = side[codes[np.uint32(rows[i])]]
        return
    cut, gaps = split.cut, split.missing == 0
    for i in range(np.uint64(first), np.uint64(last)):
        c = np.int64(codes[np.uint32(rows[i])])
        flags[i] = (c <= cut) | (gaps & (c == size))
