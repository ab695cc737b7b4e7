"""The nearest rows from blocks of distances.

    D_ij = d(q_i, x_j),   row i: the k smallest D_ij, of equal ones the lower j                      (1)

For every metric that has no faster way, for functions, and for distances that are given. What is no number, as the
correlation with a constant row, comes last.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np
from scipy import sparse
from sklearn.metrics import DistanceMetric, pairwise_distances

from gnomon._typing import Floats, Integers, is_sparse
from gnomon.numerics.neighbors._heap import NOBODY, empty_heaps, select_nearest, sort_heaps
from gnomon.numerics.neighbors._radius import Pairs, RadiusNeighbors, from_pairs, joined_pairs
from gnomon.numerics.neighbors._result import Neighbors, without_self
from gnomon.numerics.parallel import blas_threads, map_chunks
from gnomon.numerics.sharing import read_only

__all__ = ["BlockIndex", "GraphIndex", "matrix_index", "metric_index"]

Result = TypeVar("Result")

ENTRIES = 2**21
"""Distances of a block: 16 megabytes."""


LEARNED: dict[str, Callable[[Floats], dict[str, Floats]]] = {
    "seuclidean": lambda X: {"V": np.var(X, axis=0, ddof=1)},
    "mahalanobis": lambda X: {"VI": np.linalg.inv(np.cov(X.T))},
}
"""Parameters of metrics that are learned from the stored rows where they are not given."""

OF_TREES = ("braycurtis", "sokalmichener")
"""Metrics as scikit-learn's trees have them; SciPy divides by Σ|x + y| in the first, and lacks the second."""


class BlockIndex(NamedTuple):
    """Rows behind a function that gives the distances of queries to all of them.

    Fields
    ------
    n : int
        How many rows there are.
    distances : callable
        Of a slice of queries, the matrix of their distances to the rows.
    rows : array, sparse matrix or sequence
        The rows as queries of their own.

    References
    ----------
    Cover, T. & Hart, P. (1967). Nearest neighbor pattern classification. doi:10.1109/TIT.1967.1053964

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.neighbors import BlockIndex
    >>> x = np.array([0.0, 1.0, 2.0])
    >>> index = BlockIndex(3, lambda q: np.abs(np.subtract.outer(q, x)) % 2.0, x)
    >>> index.nearest(np.array([4.0]), 2)
    Neighbors(indices=array([[0, 2]]), distances=array([[0., 0.]]))
    """

    n: int
    distances: Callable[[Any], Floats]
    rows: Any

    def __len__(self) -> int:
        return self.n

    def nearest(self, queries: Any, k: int, n_jobs: int | None = None) -> Neighbors:
        """The k nearest rows of each query."""

        def search(start: int, D: Floats) -> Neighbors:
            distances, rows = empty_heaps(len(D), k)
            select_nearest(D, distances, rows)
            sort_heaps(distances, rows)
            # Where fewer than k distances are numbers, a sort that places the others last finds the rest.
            lacking = np.flatnonzero(rows[:, -1] == NOBODY)
            if len(lacking):
                rows[lacking] = np.argsort(D[lacking], axis=1, kind="stable")[:, :k]
                distances[lacking] = np.take_along_axis(D[lacking], rows[lacking], axis=1)
            return Neighbors(rows, distances.astype(D.dtype, copy=False))

        parts = self._blocks(search, queries, n_jobs)
        return Neighbors(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

    def within(self, queries: Any, radius: float, n_jobs: int | None = None) -> RadiusNeighbors:
        """All rows at most `radius` from each query."""

        def search(start: int, D: Floats) -> Pairs:
            near, rows = np.nonzero(radius >= D)
            return Pairs(start + near, rows, D[near, rows])

        asked = self.rows if queries is None else queries
        everything = from_pairs(joined_pairs(self._blocks(search, asked, n_jobs)), _count(asked), self.n)
        return everything.without_self() if queries is None else everything

    def _blocks(self, search: Callable[[int, Floats], Result], queries: Any, n_jobs: int | None) -> list[Result]:
        """What `search` says of blocks of distances, with the number of the first query of each."""
        size = max(1, ENTRIES // self.n)

        def work(start: int) -> Result:
            return search(start, np.ascontiguousarray(self.distances(queries[start : start + size])))

        return map_chunks(work, range(0, _count(queries), size), blas_threads() if n_jobs is None else n_jobs)

    def nearest_others(self, k: int, n_jobs: int | None = None) -> Neighbors:
        """The k nearest rows of each row, itself left out."""
        return without_self(self.nearest(self.rows, k + 1, n_jobs))


def _count(rows: Any) -> int:
    return rows.shape[0] if is_sparse(rows) else len(rows)


def metric_index(X: Any, metric: Any, params: Mapping[str, Any] | None = None) -> BlockIndex:
    """An index of rows for a metric of scikit-learn or SciPy, a function of two rows, or a DistanceMetric."""
    if isinstance(metric, str) and metric in OF_TREES:
        X, metric = np.ascontiguousarray(X, dtype=np.float64), DistanceMetric.get_metric(metric)
        return BlockIndex(len(X), lambda rows: metric.pairwise(np.ascontiguousarray(rows, dtype=np.float64), X), X)
    if isinstance(metric, DistanceMetric):
        return BlockIndex(X.shape[0], lambda queries: metric.pairwise(queries, X), X)
    given = {**(LEARNED[metric](X) if isinstance(metric, str) and metric in LEARNED else {}), **(params or {})}
    return BlockIndex(X.shape[0], partial(_distances, read_only(X), metric, given), X)


def _distances(X: Any, metric: Any, params: Mapping[str, Any], queries: Any) -> Floats:
    return pairwise_distances(read_only(queries), X, metric=metric, **params)


def matrix_index(D: Floats) -> BlockIndex:
    """An index of rows of which only the distances D to each other are known; a query is its distances to them."""
    return BlockIndex(len(D), lambda queries: queries, D)


class GraphIndex(NamedTuple):
    """Rows of which only some distances are known: entries of a sparse matrix, explicit zeros included.

    Fields
    ------
    graph : CSR matrix of shape (n, n)

    References
    ----------
    Cover, T. & Hart, P. (1967). Nearest neighbor pattern classification. doi:10.1109/TIT.1967.1053964

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> from gnomon.numerics.neighbors._pairwise import GraphIndex
    >>> graph = csr_array(([2.0, 1.0], [0, 1], [0, 2, 2]), shape=(2, 2))
    >>> GraphIndex(graph).nearest(graph[:1], 1).distances
    array([[1.]])
    """

    graph: Any

    def __len__(self) -> int:
        return self.graph.shape[0]

    def nearest(self, queries: Any, k: int, n_jobs: int | None = None) -> Neighbors:
        """The k nearest rows of each query, of those to which its distance is known."""
        counts = np.diff(queries.indptr)
        if np.any(counts < k):
            raise ValueError(
                f"{k} neighbors per samples are required, but some samples have only {counts.min()} neighbors in "
                "precomputed graph matrix. Decrease number of neighbors used or recompute the graph with more "
                "neighbors."
            )
        rows = np.repeat(np.arange(len(counts)), counts)
        order = np.lexsort((queries.indices, queries.data, rows))
        first: Integers = order[queries.indptr[:-1, None] + np.arange(k)]
        kind = sparse.get_index_dtype(maxval=len(self))
        return Neighbors(queries.indices[first].astype(kind), queries.data[first])

    def nearest_others(self, k: int, n_jobs: int | None = None) -> Neighbors:
        """The k nearest rows of each row, itself left out."""
        return without_self(self.nearest(self.graph, k + 1))

    def within(self, queries: Any, radius: float, n_jobs: int | None = None) -> RadiusNeighbors:
        """All rows at most `radius` from each query, of those to which its distance is known."""
        known = self.graph if queries is None else queries
        near, inside = np.repeat(np.arange(known.shape[0]), np.diff(known.indptr)), known.data <= radius
        pairs = Pairs(near[inside], known.indices[inside], known.data[inside])
        everything = from_pairs(pairs, known.shape[0], len(self))
        return everything.without_self() if queries is None else everything
