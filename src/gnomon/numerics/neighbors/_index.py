"""Which way of searching suits which rows and metric: `METHODS`, the one place that decides.

The results of all ways are the same: exact, of equal distances the lower index.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from sklearn.metrics import DistanceMetric
from sklearn.neighbors import VALID_METRICS

from gnomon._typing import is_sparse
from gnomon.numerics.neighbors._euclidean import euclidean_index
from gnomon.numerics.neighbors._pairwise import GraphIndex, matrix_index, metric_index
from gnomon.numerics.neighbors._radius import RadiusNeighbors
from gnomon.numerics.neighbors._result import Neighbors, RowIndex
from gnomon.numerics.neighbors._trees import ball_tree_index, kd_tree_index
from gnomon.numerics.validation import check_choice, check_integer, check_non_negative

__all__ = ["Method", "choose_method", "index_rows", "nearest_neighbors", "radius_neighbors"]

Method: TypeAlias = Literal["auto", "brute", "kd_tree", "ball_tree"]

FEW_COLUMNS = 8
"""With so many columns a k-d tree is faster than BLAS on data without structure (60 000 rows)."""

MODERATE = 15
"""With so many columns a tree is tried for metrics that BLAS cannot compute, as in scikit-learn."""

EXPONENTS = {"euclidean": 2.0, "l2": 2.0, "manhattan": 1.0, "cityblock": 1.0, "l1": 1.0, "chebyshev": np.inf,
             "infinity": np.inf}  # fmt: skip
"""p of metrics that are Minkowski distances."""

OBJECTS = {"EuclideanDistance": 2.0, "ManhattanDistance": 1.0, "ChebyshevDistance": np.inf}
"""The same of metrics that are objects, by the names of their classes without the size of a number."""


class Search(NamedTuple):
    """What is searched: rows, and by which metric."""

    X: Any
    metric: Any
    params: Mapping[str, Any]
    k: int | None
    leaf_size: int

    @property
    def p(self) -> float | None:
        """The exponent of an unweighted Minkowski distance that is a metric; None of any other."""
        if isinstance(self.metric, DistanceMetric):
            return OBJECTS.get(type(self.metric).__name__.rstrip("3264"))
        if not isinstance(self.metric, str):
            return None
        if self.metric in ("minkowski", "p") and self.params.get("w") is None:
            p = float(self.params.get("p", 2.0))
            return p if p >= 1.0 else None
        return EXPONENTS.get(self.metric) if not self.params else None

    @property
    def no_tree(self) -> bool:
        """Whether trees cannot be used, or would visit nearly every node."""
        n, d = self.X.shape
        return is_sparse(self.X) or d > MODERATE or (self.k is not None and self.k >= n // 2)

    @property
    def in_ball_trees(self) -> bool:
        semi = isinstance(self.metric, str) and self.metric == "minkowski" and self.params.get("p", 2.0) < 1.0
        return not semi and (callable(self.metric) or self.metric in VALID_METRICS["ball_tree"])


METHODS: tuple[tuple[Callable[[Search], bool], str, str], ...] = (
    (lambda s: isinstance(s.metric, str) and s.metric == "precomputed", "precomputed", "distances are given"),
    (lambda s: s.no_tree, "brute", "sparse rows, many columns or many neighbours: a tree would visit all rows"),
    (lambda s: s.p == 2.0 and s.X.shape[1] > FEW_COLUMNS, "brute", "products by BLAS are faster than a tree"),
    (lambda s: s.p is not None, "kd_tree", "few columns and a Minkowski distance"),
    (lambda s: s.in_ball_trees, "ball_tree", "few columns and another metric"),
    (lambda s: True, "brute", "no tree has this metric"),
)
"""The first row that applies says how to search, and why."""


def choose_method(search: Search) -> str:
    """The way of searching that `METHODS` says.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.neighbors._index import Search, choose_method
    >>> [choose_method(Search(np.zeros((100, d)), "euclidean", {}, 5, 30)) for d in (2, 20)]
    ['kd_tree', 'brute']
    """
    return next(method for applies, method, _ in METHODS if applies(search))


def index_rows(
    X: Any,
    *,
    metric: Any = "euclidean",
    params: Mapping[str, Any] | None = None,
    method: Method = "auto",
    k: int | None = None,
    leaf_size: int = 30,
) -> RowIndex:
    """Rows made ready for searches.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, d), or distances of shape (n, n) with ``metric="precomputed"``
    metric : str, callable or DistanceMetric, default="euclidean"
        A name of scikit-learn or SciPy, or a function of two rows.
    params : dict, optional
        Further arguments of the metric.
    method : {"auto", "brute", "kd_tree", "ball_tree"}, default="auto"
        "auto" is what `METHODS` says.
    k : int, optional
        How many neighbours will be asked for, where that is known: trees do not help to find half of the rows.
    leaf_size : int, default=30
        Of trees.

    Returns
    -------
    RowIndex
        With the verbs ``nearest(queries, k, n_jobs)``, ``nearest_others(k, n_jobs)`` and
        ``within(queries, radius, n_jobs)``.

    References
    ----------
    Friedman, J. H., Bentley, J. L. & Finkel, R. A. (1977). An algorithm for finding best matches in logarithmic
    expected time. doi:10.1145/355744.355745

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.neighbors import index_rows
    >>> index = index_rows(np.array([[0.0, 0.0], [3.0, 4.0], [1.0, 1.0]]), metric="manhattan")
    >>> index.nearest(np.array([[0.0, 1.0]]), 2)
    Neighbors(indices=array([[0, 2]]), distances=array([[1., 1.]]))
    """
    check_choice("method", method, ["auto", "brute", "kd_tree", "ball_tree"])
    search = Search(X, metric, params or {}, k, leaf_size)
    chosen = choose_method(search)
    return MAKERS[chosen if method == "auto" or chosen == "precomputed" else method](search)


def _brute(search: Search) -> RowIndex:
    return euclidean_index(search.X) if search.p == 2.0 else metric_index(search.X, search.metric, search.params)


def _kd_tree(search: Search) -> RowIndex:
    if search.p is None or is_sparse(search.X):
        raise ValueError(
            f"method='kd_tree' needs dense rows and a Minkowski distance, p ≥ 1, without weights; found "
            f"metric={search.metric!r} with {dict(search.params)}; choose 'ball_tree', 'brute' or 'auto'"
        )
    return kd_tree_index(search.X, search.p, search.leaf_size)


def _precomputed(search: Search) -> RowIndex:
    return GraphIndex(search.X) if is_sparse(search.X) else matrix_index(search.X)


MAKERS: dict[str, Callable[[Search], RowIndex]] = {
    "brute": _brute,
    "kd_tree": _kd_tree,
    "ball_tree": lambda s: ball_tree_index(s.X, s.metric, s.params, s.leaf_size),
    "precomputed": _precomputed,
}


def nearest_neighbors(
    X: Any,
    k: int,
    *,
    queries: Any = None,
    metric: Any = "euclidean",
    params: Mapping[str, Any] | None = None,
    method: Method = "auto",
    n_jobs: int | None = None,
) -> Neighbors:
    """The k nearest rows of X for each query, or for each row of X but itself.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, d), or distances of shape (n, n) with ``metric="precomputed"``
    k : int
        At most n, or n − 1 without queries.
    queries : ndarray or CSR matrix of shape (m, d), optional
    metric, params, method
        As in `index_rows`.
    n_jobs : int, optional
        Threads; None for as many as BLAS has.

    Returns
    -------
    Neighbors

    References
    ----------
    Cover, T. & Hart, P. (1967). Nearest neighbor pattern classification. doi:10.1109/TIT.1967.1053964

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.neighbors import nearest_neighbors
    >>> nearest_neighbors(np.array([[0.0], [1.0], [2.0], [5.0]]), 1)
    Neighbors(indices=array([[1],
           [0],
           [1],
           [2]]), distances=array([[1.],
           [1.],
           [1.],
           [3.]]))
    """
    index = index_rows(X, metric=metric, params=params, method=method, k=k)
    check_integer("k", k, low=1, high=len(index) - (queries is None))
    return index.nearest_others(k, n_jobs) if queries is None else index.nearest(queries, k, n_jobs)


def radius_neighbors(
    X: Any,
    radius: float,
    *,
    queries: Any = None,
    metric: Any = "euclidean",
    params: Mapping[str, Any] | None = None,
    method: Method = "auto",
    n_jobs: int | None = None,
) -> RadiusNeighbors:
    """All rows of X at most `radius` from each query, or from each row of X but itself.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, d), or distances of shape (n, n) with ``metric="precomputed"``
    radius : float
    queries : ndarray or CSR matrix of shape (m, d), optional
    metric, params, method
        As in `index_rows`.
    n_jobs : int, optional
        Threads; None for as many as BLAS has.

    Returns
    -------
    RadiusNeighbors

    References
    ----------
    Bentley, J. L. (1975). A survey of techniques for fixed radius near neighbor searching. SLAC report 186.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.neighbors import radius_neighbors
    >>> x = np.array([[0.0], [1.0], [2.0], [5.0]])
    >>> radius_neighbors(x, 1.0, queries=np.array([[1.0], [9.0]])).graph().toarray()
    array([[1., 0., 1., 0.],
           [0., 0., 0., 0.]])
    """
    check_non_negative("radius", radius)
    return index_rows(X, metric=metric, params=params, method=method).within(queries, radius, n_jobs)
