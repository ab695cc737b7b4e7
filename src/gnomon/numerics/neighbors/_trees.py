"""The nearest rows by trees.

    a box or ball of rows further from q than the k-th distance found so far holds no neighbour     (1)

SciPy's k-d tree searches by Minkowski distances, scikit-learn's ball tree by any metric that it knows. Trees return any
of the rows at equal distances. So one neighbour more is asked for, and where it is as near as the k-th all rows that
near are fetched and the lower indices taken. Friedman, Bentley & Finkel (1977), doi:10.1145/355744.355745;
Omohundro (1989), Five balltree construction algorithms, ICSI TR-89-063.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

import numpy as np
from scipy.spatial import cKDTree
from sklearn.metrics import DistanceMetric
from sklearn.neighbors import BallTree

from gnomon._jit import jit, subroutine
from gnomon._typing import Floats, Integers
from gnomon.numerics.neighbors._pairwise import BlockIndex, metric_index
from gnomon.numerics.neighbors._points import sum_of_squares
from gnomon.numerics.neighbors._radius import Pairs, RadiusNeighbors, from_pairs, joined_pairs
from gnomon.numerics.neighbors._result import (
    Neighbors,
    apart_from_far,
    pairs_apart_from_far,
    without_self,
)
from gnomon.numerics.parallel import blas_threads, map_chunks, split_rows
from gnomon.numerics.scale import PowerOfTwo
from gnomon.numerics.sharing import read_only

__all__ = ["BallTreeIndex", "KDTreeIndex", "ball_tree_index", "kd_tree_index"]

Result = TypeVar("Result")

ROUNDING = 1e-12
"""Distances that differ by this share of them may be equal."""

NO_METRICS = ("braycurtis", "dice", "sokalsneath")
"""These break the triangle inequality, or are no number for two rows of zeros: a tree would miss neighbours."""

PARTS = 8
"""Parts of the queries for each thread: some are searched faster than others."""


class KDTreeIndex(NamedTuple):
    """Rows in a k-d tree, for distances (Σ_j |q_j − x_j|^p)^{1/p}, p ≥ 1.

    Fields
    ------
    rows : ndarray of shape (n, d)
        Divided by `unit`, a power of two.
    unit : float
    tree : scipy.spatial.cKDTree
    p : float

    References
    ----------
    Friedman, J. H., Bentley, J. L. & Finkel, R. A. (1977). An algorithm for finding best matches in logarithmic
    expected time. doi:10.1145/355744.355745

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.neighbors._trees import kd_tree_index
    >>> kd_tree_index(np.array([[1.0], [-1.0], [1.0], [5.0]])).nearest(np.array([[0.0]]), 2)
    Neighbors(indices=array([[0, 1]]), distances=array([[1., 1.]]))
    """

    rows: Floats
    unit: float
    tree: Any
    p: float

    def __len__(self) -> int:
        return len(self.rows)

    def nearest(self, queries: Any, k: int, n_jobs: int | None = None) -> Neighbors:
        """The k nearest rows of each query."""
        return apart_from_far(queries, self.unit, k, self.p, lambda rows: self._search(rows, k, n_jobs))

    def nearest_others(self, k: int, n_jobs: int | None = None) -> Neighbors:
        """The k nearest rows of each row, itself left out."""
        return without_self(self.nearest(self.rows * self.unit, k + 1, n_jobs))

    def within(self, queries: Any, radius: float, n_jobs: int | None = None) -> RadiusNeighbors:
        """All rows at most `radius` from each query."""
        asked = self.rows * self.unit if queries is None else np.ascontiguousarray(queries, dtype=np.float64)
        pairs = pairs_apart_from_far(asked, self.unit, len(self), radius, self.p, lambda rows: self._near(rows, radius))
        everything = from_pairs(pairs, len(asked), len(self))
        return everything.without_self() if queries is None else everything

    def _near(self, queries: Floats, radius: float) -> Pairs:
        Q, most = queries / self.unit, radius / self.unit
        near = cKDTree(Q).sparse_distance_matrix(self.tree, most * (1.0 + ROUNDING), p=self.p, output_type="ndarray")
        apart = np.empty((len(near), 1))
        pairs_apart(Q[near["i"]], self.rows, np.ascontiguousarray(near["j"])[:, None], self.p, apart)
        distances = np.sqrt(apart[:, 0]) if self.p == 2.0 else apart[:, 0]
        inside = distances <= most
        return Pairs(near["i"][inside], near["j"][inside], distances[inside] * self.unit)

    def _search(self, queries: Any, k: int, n_jobs: int | None) -> Neighbors:
        Q = np.ascontiguousarray(queries, dtype=np.float64) / self.unit
        asked = np.arange(1, min(k + 1, len(self)) + 1)

        def search(part: slice) -> Neighbors:
            indices = self.tree.query(Q[part], k=asked, p=self.p)[1]
            found = Neighbors(indices, self._apart(Q[part], indices))
            return _settled(found, k, lambda i, most: self._within(Q[part][i], most))

        found = _on_threads(search, len(Q), n_jobs)
        distances = np.sqrt(found.distances) if self.p == 2.0 else found.distances
        return Neighbors(found.indices, distances * self.unit)

    def _within(self, q: Floats, most: float) -> tuple[Integers, Floats]:
        radius = np.sqrt(most) if self.p == 2.0 else most
        inside = np.array(self.tree.query_ball_point(q, radius, p=self.p), dtype=np.int64)
        return inside, self._apart(q[None], inside[None])[0]

    def _apart(self, Q: Floats, indices: Integers) -> Floats:
        """Distances of each query to some of the rows; their squares where p is 2, which hold more digits."""
        apart = np.empty(indices.shape)
        pairs_apart(Q, self.rows, indices, self.p, apart)
        return apart


def kd_tree_index(X: Any, p: float = 2.0, leaf_size: int = 30) -> KDTreeIndex:
    """An index of dense rows for Minkowski distances."""
    rows = np.ascontiguousarray(X, dtype=np.float64)
    unit = PowerOfTwo.of(2.0, rows).value
    scaled = rows / unit
    return KDTreeIndex(scaled, unit, cKDTree(scaled, leafsize=leaf_size), p)


class BallTreeIndex(NamedTuple):
    """Rows in a ball tree, for a metric of scikit-learn or a function of two rows.

    Fields
    ------
    rows : ndarray of shape (n, d)
    tree : sklearn.neighbors.BallTree
    numbers : object
        Whether a function of two rows has `failed` to give a number.
    blocks : BlockIndex
        What is searched where it has.

    References
    ----------
    Omohundro, S. M. (1989). Five balltree construction algorithms. ICSI technical report 89-063.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.neighbors._trees import ball_tree_index
    >>> rows = np.array([[0.0, 1.0], [1.0, 1.0], [1.0, 0.0]])
    >>> ball_tree_index(rows, "hamming").nearest(np.array([[0.0, 0.0]]), 2)
    Neighbors(indices=array([[0, 2]]), distances=array([[0.5, 0.5]]))
    """

    rows: Floats
    tree: Any
    numbers: _Numbers
    blocks: BlockIndex

    def __len__(self) -> int:
        return len(self.rows)

    def nearest(self, queries: Any, k: int, n_jobs: int | None = None) -> Neighbors:
        """The k nearest rows of each query."""
        Q = np.ascontiguousarray(queries, dtype=np.float64)

        def search(part: slice) -> Neighbors:
            distances, indices = self.tree.query(Q[part], k=min(k + 1, len(self)))
            return _settled(Neighbors(indices, distances), k, lambda i, radius: self._within(Q[part][i], radius))

        found = _on_threads(search, len(Q), n_jobs)
        return self.blocks.nearest(Q, k, n_jobs) if self.numbers.failed else found

    def nearest_others(self, k: int, n_jobs: int | None = None) -> Neighbors:
        """The k nearest rows of each row, itself left out."""
        return without_self(self.nearest(self.rows, k + 1, n_jobs))

    def within(self, queries: Any, radius: float, n_jobs: int | None = None) -> RadiusNeighbors:
        """All rows at most `radius` from each query."""
        Q = self.rows if queries is None else np.ascontiguousarray(queries, dtype=np.float64)

        def search(part: slice) -> Pairs:
            indices, distances = self.tree.query_radius(Q[part], radius, return_distance=True)
            counts = [len(found) for found in indices]
            near = np.repeat(np.arange(part.start, part.stop), counts)
            return Pairs(near, np.concatenate(indices), np.concatenate(distances))

        everything = from_pairs(joined_pairs(_in_parts(search, len(Q), n_jobs)), len(Q), len(self))
        if self.numbers.failed:
            return self.blocks.within(queries, radius, n_jobs)
        return everything.without_self() if queries is None else everything

    def _within(self, q: Floats, radius: float) -> tuple[Integers, Floats]:
        indices, distances = self.tree.query_radius(q[None], radius, return_distance=True)
        return indices[0], distances[0]


def ball_tree_index(
    X: Any, metric: Any = "euclidean", params: Mapping[str, Any] | None = None, leaf_size: int = 30
) -> BallTreeIndex | BlockIndex:
    """An index of dense rows for any metric of scikit-learn's ball tree; of distances that are no metric, in blocks."""
    rows = np.ascontiguousarray(X, dtype=np.float64)
    blocks = metric_index(rows, metric, params)
    if isinstance(metric, str) and metric in NO_METRICS:
        return blocks
    numbers = _Numbers(metric)
    counted = callable(metric) and not isinstance(metric, DistanceMetric)
    tree = BallTree(rows, leaf_size, metric=numbers if counted else metric, **(params or {}))
    return blocks if numbers.failed else BallTreeIndex(rows, tree, numbers, blocks)


class _Numbers:
    """A function of two rows, and whether it has `failed`: a NaN, which no bound of a tree can be.

    An error would be lost inside the tree.
    """

    def __init__(self, metric: Any) -> None:
        self.metric, self.failed = metric, False

    def __call__(self, a: Floats, b: Floats, **params: Any) -> float:
        found = self.metric(read_only(a), read_only(b), **params)
        self.failed = self.failed or bool(np.isnan(found))
        return found


def _on_threads(search: Callable[[slice], Neighbors], m: int, n_jobs: int | None) -> Neighbors:
    parts = _in_parts(search, m, n_jobs)
    return Neighbors(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def _in_parts(search: Callable[[slice], Result], m: int, n_jobs: int | None) -> list[Result]:
    """What `search` says of parts of m queries, on threads."""
    threads = blas_threads() if n_jobs is None else n_jobs
    return map_chunks(search, split_rows(m, 1 if threads == 1 else PARTS * abs(threads)), threads)


def _settled(found: Neighbors, k: int, within: Callable[[int, float], tuple[Integers, Floats]]) -> Neighbors:
    """The k nearest of k + 1 rows, ties by index; where the last two may tie, of all rows as near as they are."""
    order = np.lexsort((found.indices, found.distances))
    indices = np.take_along_axis(found.indices, order, axis=1)
    distances = np.take_along_axis(found.distances, order, axis=1)
    if distances.shape[1] > k:
        radii = distances[:, k - 1] * (1.0 + ROUNDING)
        for i in np.flatnonzero(distances[:, k] <= radii):
            inside, apart = within(int(i), radii[i] * (1.0 + ROUNDING))
            first = np.lexsort((inside, apart))[:k]
            indices[i, :k], distances[i, :k] = inside[first], apart[first]
    return Neighbors(indices[:, :k], distances[:, :k])


@jit
def pairs_apart(Q: Floats, X: Floats, indices: Integers, p: float, apart: Floats) -> None:
    """How far apart each query and some of the rows are: ‖q − x‖² where p is 2, else the distance."""
    for i in range(indices.shape[0]):
        for k in range(indices.shape[1]):
            q, x = Q[i], X[indices[i, k]]
            apart[i, k] = sum_of_squares(q, x) if p == 2.0 else _minkowski(q, x, p)


@subroutine
def _minkowski(a: Floats, b: Floats, p: float) -> float:
    most, total = 0.0, 0.0
    for j in range(a.shape[0]):
        most = max(most, abs(a[j] - b[j]))
        total += abs(a[j] - b[j])
    if p == 1.0:
        return total
    if p == np.inf or most == 0.0:
        return most
    total = 0.0
    for j in range(a.shape[0]):
        total += (abs(a[j] - b[j]) / most) ** p
    return most * total ** (1.0 / p)
