"""Rows divided in two, eight at a time.

    rows ← (rows with a flag, rows without), each in their order                                                   (1)

Whatever the flags are, the same is done: branches would be as hard to foretell as the rows are to classify. Lemire &
Boytsov (2015), Decoding billions of integers per second through vectorization, doi:10.1002/spe.2203, for permutations
that are looked up.
"""

import numpy as np

from gnomon._jit import inner
from gnomon._vectors import sift_eight

__all__ = ["sift"]


@inner
def sift(flags, rows, spare):
    """(1) in place; how many rows have a flag, of which there is one for each."""
    left, right, n, eight = np.uint64(0), np.uint64(0), np.uint64(len(rows)), np.uint64(8)
    whole = n - n % eight
    for i in range(np.uint64(0), whole, eight):
        told = np.uint64(sift_eight(rows, i, flags, left, spare, right))
        left += told
        right += eight - told
    for i in range(whole, n):
        row, told = rows[i], np.uint64(flags[i] != 0)
        rows[left] = row
        spare[right] = row
        left += told
        right += np.uint64(1) - told
    for i in range(right):
        rows[left + i] = spare[i]
    return np.int64(left)


@inner
def partition(found, codes, size, rows, work, chosen):
    """Rows of the left side of a split first, each side in its order; return how many are left."""
    if np.isnan(found.threshold) or size < len(rows):
        choose(found, size, chosen, work.side, True)
        mark(codes, rows, work.side, work.flags, 0, len(rows))
        choose(found, size, chosen, work.side, False)
    else:
        for i in range(np.uint64(len(rows))):
            c = np.int64(codes[np.uint32(rows[i])])
            work.flags[i] = found.missing == 0 if c == size else c <= found.cut
    return sift(work.flags, rows, work.rows)


@inner
def choose(found, size, chosen, side, left):
    """Put down at each code whether it goes left, those `chosen` if it is a set; not `left`: that none does."""
    if np.isnan(found.threshold):
        for g in range(found.cut):
            side[chosen[g]] = left
    else:
        for c in range(found.cut + 1):
            side[c] = left
        side[size] = left and found.missing == 0


@inner
def mark(codes, rows, side, flags, first, last):
    """Flag those of the rows number first … last − 1 whose code goes left."""
    for i in range(np.uint64(first), np.uint64(last)):
        flags[i] = side[codes[np.uint32(rows[i])]]
