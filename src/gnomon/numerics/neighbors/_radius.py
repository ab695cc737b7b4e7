"""All rows within a radius.

    the rows x_j with d(q, x_j) ≤ r, by increasing j                                                 (1)

As many for each query as there are, so the result is stored as the rows of a CSR matrix.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from gnomon._typing import Floats, Integers

__all__ = ["Pairs", "RadiusNeighbors", "from_pairs", "joined_pairs"]


class Pairs(NamedTuple):
    """Queries and rows that are near each other, and how far apart they are, in any order."""

    queries: Integers
    rows: Integers
    distances: Floats


class RadiusNeighbors(NamedTuple):
    """The rows within a radius of every query: those of query i are ``indices[indptr[i]:indptr[i + 1]]``.

    Fields
    ------
    indptr : ndarray of int64 of shape (m + 1,)
    indices : ndarray of int64
        In increasing order for each query.
    distances : ndarray
    n_rows : int
        How many rows were searched.

    References
    ----------
    Bentley, J. L. (1975). A survey of techniques for fixed radius near neighbor searching. SLAC report 186.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.neighbors import radius_neighbors
    >>> found = radius_neighbors(np.array([[0.0], [1.0], [4.0]]), 1.5)
    >>> found.indptr, found.indices, found.distances
    (array([0, 1, 2, 2]), array([1, 0]), array([1., 1.]))
    """

    indptr: Integers
    indices: Integers
    distances: Floats
    n_rows: int

    @property
    def counts(self) -> Integers:
        """How many rows are within the radius of each query."""
        return np.diff(self.indptr)

    def graph(self) -> sparse.csr_array:
        """The distances as a sparse matrix of shape (m, n), those that are zero included."""
        return sparse.csr_array((self.distances, self.indices, self.indptr), shape=(len(self.indptr) - 1, self.n_rows))

    def without_self(self) -> RadiusNeighbors:
        """For stored rows as queries: without each row itself."""
        queries = np.repeat(np.arange(len(self.indptr) - 1), self.counts)
        others = queries != self.indices
        kept = Pairs(queries[others], self.indices[others], self.distances[others])
        return from_pairs(kept, len(self.indptr) - 1, self.n_rows)


def from_pairs(pairs: Pairs, m: int, n: int) -> RadiusNeighbors:
    """Pairs in any order as the result (1) of m queries of n rows.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.neighbors._radius import Pairs, from_pairs
    >>> from_pairs(Pairs(np.array([1, 1]), np.array([5, 2]), np.array([0.1, 0.2])), 2, 6).indices
    array([2, 5])
    """
    order = np.lexsort((pairs.rows, pairs.queries))
    indptr = np.concatenate([[0], np.cumsum(np.bincount(pairs.queries, minlength=m))]).astype(np.int64)
    return RadiusNeighbors(indptr, pairs.rows[order].astype(np.int64), pairs.distances[order], n)


def joined_pairs(parts: list[Pairs]) -> Pairs:
    """Several sets of pairs as one."""
    empty = Pairs(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), np.empty(0))
    return Pairs(*(np.concatenate(arrays) for arrays in zip(*(parts or [empty]), strict=True)))
