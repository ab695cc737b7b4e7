"""What a search for neighbours returns, and what can search.

    the k rows x_j nearest to q:   d(q, x_j) smallest, of equal distances the lower j              (1)

By this rule the result is the same whichever way the rows are searched.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np

from gnomon._typing import Floats, Integers, is_sparse
from gnomon.numerics.neighbors._radius import Pairs, RadiusNeighbors, joined_pairs
from gnomon.numerics.scale import PowerOfTwo, largest_entry

__all__ = ["Neighbors", "RowIndex", "apart_from_far", "pairs_apart_from_far", "without_self"]

FARTHEST = 1e30
"""Stored rows so many times smaller than a query are all at the same distance from it, in double precision."""


class Neighbors(NamedTuple):
    """The k nearest rows of every query, nearest first.

    Fields
    ------
    indices : ndarray of int64 of shape (m, k)
    distances : ndarray of shape (m, k)

    References
    ----------
    Cover, T. & Hart, P. (1967). Nearest neighbor pattern classification. doi:10.1109/TIT.1967.1053964

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.neighbors import nearest_neighbors
    >>> found = nearest_neighbors(np.array([[0.0], [1.0], [4.0]]), 2, queries=np.array([[3.0]]))
    >>> found.first(1)
    Neighbors(indices=array([[2]]), distances=array([[1.]]))
    """

    indices: Integers
    distances: Floats

    def first(self, k: int) -> Neighbors:
        """The nearest k of them."""
        return Neighbors(self.indices[:, :k], self.distances[:, :k])


class RowIndex(Protocol):
    """Stored rows that can be searched.

    References
    ----------
    Cover, T. & Hart, P. (1967). Nearest neighbor pattern classification. doi:10.1109/TIT.1967.1053964

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.neighbors import RowIndex, index_rows
    >>> index: RowIndex = index_rows(np.array([[0.0], [1.0], [4.0]]))
    >>> len(index), index.nearest_others(1).indices.ravel()
    (3, array([1, 0, 1]))
    """

    def __len__(self) -> int: ...

    def nearest(self, queries: Any, k: int, n_jobs: int | None = None) -> Neighbors:
        """The k nearest stored rows of each query."""

    def nearest_others(self, k: int, n_jobs: int | None = None) -> Neighbors:
        """The k nearest stored rows of each stored row, itself left out."""

    def within(self, queries: Any, radius: float, n_jobs: int | None = None) -> RadiusNeighbors:
        """All stored rows at most `radius` from each query; each stored row is a query where `queries` is None."""


def without_self(found: Neighbors) -> Neighbors:
    """The neighbours of stored rows, one more than needed, without the row itself.

    A row with so many equal rows of lower index that it is not among its own neighbours loses the last of them.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.neighbors._result import Neighbors, without_self
    >>> without_self(Neighbors(np.array([[0, 1], [0, 1]]), np.array([[0.0, 2.0], [0.0, 0.0]]))).indices
    array([[1],
           [0]])
    """
    m, k = found.indices.shape
    keep = found.indices != np.arange(m)[:, None]
    keep[np.all(keep, axis=1), -1] = False
    return Neighbors(found.indices[keep].reshape(m, k - 1), found.distances[keep].reshape(m, k - 1))


def apart_from_far(queries: Any, largest: float, k: int, p: float, search: Callable[[Any], Neighbors]) -> Neighbors:
    """Search for all queries but those so far away that every row, none larger than `largest`, is equally near.

    Those would overflow in the unit of the rows, and leave the others no digits in theirs. Their distance from every
    row is ‖q‖, to rounding, and the rows of lowest index are their neighbours.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.neighbors._result import apart_from_far
    >>> apart_from_far(np.array([[1e200, 1e200]]), 1.0, 2, 2.0, None).distances / 1e200
    array([[1.41421356, 1.41421356]])
    """
    near, far, lengths = split_far(queries, largest, p)
    if not len(far):
        return search(queries)
    m = len(near) + len(far)
    indices, distances = np.tile(np.arange(k), (m, 1)), np.empty((m, k))
    distances[far] = lengths[:, None]
    if len(near):
        indices[near], distances[near] = search(queries[near])
    return Neighbors(indices, distances)


def pairs_apart_from_far(
    queries: Any, largest: float, n: int, radius: float, p: float, search: Callable[[Any], Pairs]
) -> Pairs:
    """`apart_from_far` for the pairs of queries and n rows within a radius.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.neighbors._result import pairs_apart_from_far
    >>> pairs_apart_from_far(np.array([[1e200]]), 1.0, 2, 2e200, 2.0, None).rows
    array([0, 1])
    """
    near, far, lengths = split_far(queries, largest, p)
    if not len(far):
        return search(queries)
    inside = lengths <= radius
    count = int(np.count_nonzero(inside))
    parts = [Pairs(np.repeat(far[inside], n), np.tile(np.arange(n), count), np.repeat(lengths[inside], n))]
    if len(near):
        found = search(queries[near])
        parts.append(found._replace(queries=near[found.queries]))
    return joined_pairs(parts)


def split_far(queries: Any, largest: float, p: float) -> tuple[Integers, Integers, Floats]:
    """Numbers of the queries near rows of entries up to `largest` and of those far from them, and the latter's ‖q‖."""
    given: Any = queries
    sizes = largest_entry(queries, axis=1)
    far = np.flatnonzero(sizes / FARTHEST > (largest or np.inf))
    lengths = np.empty(len(far))
    for place, i in enumerate(far):
        q = np.ravel(given[[i]].toarray() if is_sparse(queries) else given[i]).astype(np.float64)
        unit = PowerOfTwo.of(q)
        lengths[place] = unit.outward(np.linalg.norm(unit.inward(q), ord=p))
    return np.setdiff1d(np.arange(len(sizes)), far), far, lengths
