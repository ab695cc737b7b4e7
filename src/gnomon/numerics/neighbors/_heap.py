"""The k smallest of many pairs (distance, row), kept in a heap.

    (d, j) comes before (e, l)   iff   d < e,  or  d = e and j < l                                 (1)

The root of the heap is the pair that comes last of the k, so a new pair is compared with the root alone. By (1) the
result does not depend on the order in which pairs are offered. Williams (1964), doi:10.1145/512274.512284.
"""

from __future__ import annotations

import numpy as np

from gnomon._jit import jit, subroutine
from gnomon._typing import Floats, Integers

__all__ = ["NOBODY", "empty_heaps", "offer", "select_nearest", "sort_heaps"]

NOBODY = np.iinfo(np.int64).max
"""The row of a place that is not taken yet; it comes after every pair."""


def empty_heaps(m: int, k: int) -> tuple[Floats, Integers]:
    """Distances and rows of m heaps of k free places.

    Examples
    --------
    >>> from gnomon.numerics.neighbors._heap import empty_heaps
    >>> empty_heaps(1, 2)[0]
    array([[inf, inf]])
    """
    return np.full((m, k), np.inf), np.full((m, k), NOBODY, dtype=np.int64)


@subroutine
def before(d: float, j: int, e: float, l: int) -> bool:
    """Equation (1)."""
    return d < e or (d == e and j < l)


@subroutine
def sift(distances: Floats, rows: Integers, d: float, j: int, size: int) -> None:
    """Put (d, j) in place of the root of a heap of `size` pairs."""
    at = 0
    while 2 * at + 1 < size:
        child = 2 * at + 1
        if child + 1 < size and before(distances[child], rows[child], distances[child + 1], rows[child + 1]):
            child += 1
        if before(distances[child], rows[child], d, j):
            break
        distances[at], rows[at] = distances[child], rows[child]
        at = child
    distances[at], rows[at] = d, j


@subroutine
def offer(distances: Floats, rows: Integers, d: float, j: int) -> None:
    """Take (d, j) into the heap if it comes before the root."""
    if before(d, j, distances[0], rows[0]):
        sift(distances, rows, d, j, distances.shape[0])


@jit
def sort_heaps(distances: Floats, rows: Integers) -> None:
    """Sort every heap in place, by (1)."""
    for i in range(distances.shape[0]):
        for size in range(distances.shape[1] - 1, 0, -1):
            d, j = distances[i, size], rows[i, size]
            distances[i, size], rows[i, size] = distances[i, 0], rows[i, 0]
            sift(distances[i], rows[i], d, j, size)


@jit
def select_nearest(D: Floats, distances: Floats, rows: Integers) -> None:
    """Offer every column of each row of D to the heap of that row."""
    for i in range(D.shape[0]):
        for j in range(D.shape[1]):
            if D[i, j] <= distances[i, 0]:
                offer(distances[i], rows[i], D[i, j], j)
