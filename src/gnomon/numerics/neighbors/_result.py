"""What a search for neighbours returns, and what can search.

the k rows x_j nearest to q:   d(q, x_j) smallest, of equal distances the lower j              (1)
"""

from typing import Any, NamedTuple, Protocol

import numpy as np

from gnomon._typing import Floats, Integers

__all__ = ["Neighbors", "RowIndex", "without_self"]


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

    def first(self, k: int) -> "Neighbors":
        """The nearest k of them."""
        return Neighbors(self.indices[:, :k], self.distances[:, :k])


class RowIndex(Protocol):
    """Stored rows that can be searched."""

    def __len__(self) -> int: ...

    def nearest(self, queries: Any, k: int, n_jobs: int | None = None) -> Neighbors:
        """The k nearest stored rows of each query."""

    def nearest_others(self, k: int, n_jobs: int | None = None) -> Neighbors:
        """The k nearest stored rows of each stored row, itself left out."""


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
