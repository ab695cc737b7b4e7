"""Where a Gram matrix may differ from zero.

    {(i, j) : ‖p_i − q_j‖ ≤ radius},    unions for sums, intersections for products                (1)

Found by trees of the rows: Bentley (1975), Multidimensional binary search trees, doi:10.1145/361002.361007.
"""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse
from scipy.spatial import cKDTree

from gnomon._typing import Floats, Integers

__all__ = ["Pattern", "intersection", "nowhere", "true_at", "union", "within"]

Pattern: TypeAlias = Any
"""A CSR array of booleans; an entry that is stored is true."""


def within(P: Floats, Q: Floats, radius: float) -> Pattern:
    """Pairs of rows up to a distance; a little beyond it, so that rounding leaves none out."""
    shape = (len(P), len(Q))
    if 0 in shape:
        return nowhere(*shape)
    found = cKDTree(P).sparse_distance_matrix(cKDTree(Q), radius * (1.0 + 1e-6), output_type="ndarray")
    return true_at(found["i"], found["j"], shape)


def true_at(i: Integers, j: Integers, shape: tuple[int, int]) -> Pattern:
    """True at the pairs (i, j)."""
    return sparse.csr_array((np.ones(len(i), dtype=bool), (i, j)), shape=shape)


def nowhere(n: int, m: int) -> Pattern:
    """True at no pair."""
    return sparse.csr_array((n, m), dtype=bool)


def union(*patterns: Pattern | None) -> Pattern | None:
    """Where any of them is true; None, which is everywhere, where one of them is None."""
    known = [pattern for pattern in patterns if pattern is not None]
    return reduce(add, known) if len(known) == len(patterns) else None


def intersection(*patterns: Pattern | None) -> Pattern | None:
    """Where all of them are true, None being everywhere."""
    known = [pattern for pattern in patterns if pattern is not None]
    return reduce(lambda a, b: a.multiply(b).tocsr(), known) if known else None
