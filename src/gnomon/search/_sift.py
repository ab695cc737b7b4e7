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
