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
def partition(split, codes, size, rows, side, flags, spare, chosen):
    """Rows of the left side of a split first, each side in its order; return how many are left.

    Of a set, the codes `chosen` go left; `side` is None where there are no categories.
    """
    choose(split, chosen, side, True)
    mark(split, codes, size, rows, side, flags, 0, len(rows))
    choose(split, chosen, side, False)
    return sift(flags, rows, spare)


@inner
def choose(split, chosen, side, left):
    """If the split is by a set, put down at the codes `chosen` that they go left; not `left`: that none does."""
    if side is None:
        return
    for g in range(split.cut if np.isnan(split.threshold) else 0):
        side[chosen[g]] = left


@inner
def mark(split, codes, size, rows, side, flags, first, last):
    """Flag those of the rows number first … last − 1 that go left."""
    if side is not None and np.isnan(split.threshold):
        for i in range(np.uint64(first), np.uint64(last)):
            flags[i] = side[codes[np.uint32(rows[i])]]
        return
    cut, gaps = split.cut, split.missing == 0
    for i in range(np.uint64(first), np.uint64(last)):
        c = np.int64(codes[np.uint32(rows[i])])
        flags[i] = (c <= cut) | (gaps & (c == size))
