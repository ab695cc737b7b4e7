"""Graphs of similar rows.

    W_ij = W_ji ≥ 0,    d_i = Σ_j W_ij                                                              (1)

"rbf" and other kernels; the q nearest neighbours, of either row or of both; self-tuning exp(−δ²/(σ_i σ_j)) with σ_i the
distance to the q-th neighbour (Zelnik-Manor & Perona 2004, NIPS). Loops are left out: no partition cuts them.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.validation import check_array

from gnomon._typing import Floats, MatrixLike
from gnomon.kernels import KERNEL_NAMES, Kernel, KernelLike, read_kernel

__all__ = ["Affinity", "check_graph"]

GRAPHS = ("nearest_neighbors", "mutual", "self_tuning", "precomputed", "precomputed_nearest_neighbors")
"""Words for graphs that are no kernels; the last is made of distances that are given."""

SYMMETRIC = 1e-8
"""Differences of W and Wᵀ up to this share of the largest weight are rounding."""


def check_graph(W: MatrixLike, name: str = "W") -> Any:
    """W without its loops; an error unless it is square, symmetric and ≥ 0.

    Examples
    --------
    >>> from gnomon.cluster._graph import check_graph
    >>> check_graph([[9.0, 1.0], [1.0, 9.0]])
    array([[0., 1.],
           [1., 0.]])
    """
    graph = check_array(W, accept_sparse="csr", dtype=[np.float64, np.float32], input_name=name, copy=True)
    n, m = graph.shape
    if n != m:
        raise ValueError(f"{name} has shape {(n, m)}; a graph has one row and one column for each node")
    least = float(graph.min())
    if least < 0.0:
        raise ValueError(f"{name} holds {least:.4g}; weights of edges must be ≥ 0")
    off = float(abs(graph - graph.T).max())
    if off > SYMMETRIC * float(graph.max()):
        raise ValueError(f"{name} differs from its transpose by {off:.3g}; symmetrise it, for example (W + W.T) / 2")
    if sparse.issparse(graph):
        graph.setdiag(0.0)
        graph.eliminate_zeros()
    else:
        np.fill_diagonal(graph, 0.0)
    return graph


class Affinity(NamedTuple):
    """How similar rows are.

    Fields
    ------
    kind : str
        "kernel", or one of `GRAPHS`.
    kernel : Kernel or None
    n_neighbors : int
    n_jobs : int or None

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.cluster._graph import Affinity
    >>> X = np.array([[0.0], [1.0], [9.0]])
    >>> Affinity("nearest_neighbors", None, 2, None).graph(X).toarray()
    array([[0. , 1. , 0. ],
           [1. , 0. , 0.5],
           [0. , 0.5, 0. ]])
    """

    kind: str
    kernel: Kernel | None
    n_neighbors: int
    n_jobs: int | None

    def graph(self, X: Any) -> Any:
        """W of the rows X, or X itself."""
        if self.kind == "precomputed":
            return check_graph(X, "X")
        if self.kind == "kernel":
            assert self.kernel is not None
            return check_graph(self.kernel.gram(X), "the matrix of the kernel")
        if self.kind == "self_tuning":
            D, scale = pairwise_distances(X), self._scales(X)
            return check_graph(_tuned(D, scale, scale))
        hits = self._search(X).kneighbors_graph(X)
        return check_graph(hits.minimum(hits.T) if self.kind == "mutual" else 0.5 * (hits + hits.T))

    def across(self, X: Any, training: Any) -> Any:
        """Weights of the edges of new rows X to the training rows, of shape (m, n)."""
        if self.kind == "precomputed":
            return X
        if self.kind == "kernel":
            assert self.kernel is not None
            return self.kernel.gram(X, training)
        if self.kind == "self_tuning":
            D = pairwise_distances(X, training)
            k = min(self.n_neighbors, D.shape[1]) - 1
            return _tuned(D, np.partition(D, k, axis=1)[:, k], self._scales(training))
        return self._search(training).kneighbors_graph(X)

    def _search(self, X: Any) -> NearestNeighbors:
        metric = "precomputed" if self.kind == "precomputed_nearest_neighbors" else "minkowski"
        k = min(self.n_neighbors, X.shape[0])
        return NearestNeighbors(n_neighbors=k, n_jobs=self.n_jobs, metric=metric).fit(X)

    def _scales(self, X: Any) -> Floats:
        """The distance of every row to its q-th neighbour."""
        distances, _ = NearestNeighbors(n_neighbors=min(self.n_neighbors + 1, X.shape[0])).fit(X).kneighbors(X)
        return distances[:, -1]


def _tuned(D: Floats, a: Floats, b: Floats) -> Floats:
    unit = np.multiply.outer(a, b)
    # Rows that all their neighbours repeat have no scale of their own; they are near to their copies alone.
    return np.where(unit > 0.0, np.exp(-(D**2) / np.where(unit > 0.0, unit, 1.0)), (D == 0.0).astype(float))


def read_affinity(
    given: KernelLike,
    X: Any,
    *,
    gamma: Any,
    degree: float,
    coef0: float,
    n_neighbors: int,
    n_jobs: int | None,
    names: Any = None,
) -> Affinity:
    """The affinity that an estimator was given, for the training rows X.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.cluster._graph import read_affinity
    >>> read_affinity("rbf", np.zeros((2, 1)), gamma=0.5, degree=3, coef0=1.0, n_neighbors=5, n_jobs=None).kernel
    RBF(length_scale=1.0)
    """
    if isinstance(given, str) and given in GRAPHS:
        return Affinity(given, None, n_neighbors, n_jobs)
    if isinstance(given, str) and given not in KERNEL_NAMES:
        allowed = ", ".join(map(repr, [*KERNEL_NAMES, *GRAPHS]))
        raise ValueError(f"affinity={given!r} must be a Kernel, a callable or one of {allowed}")
    if isinstance(gamma, str):
        squares = pairwise_distances(X)[np.triu_indices(X.shape[0], 1)] ** 2
        middle = float(np.median(squares)) if len(squares) else 0.0
        gamma = 0.5 / middle if middle > 0.0 else 1.0
    kernel = read_kernel(given, X, gamma=gamma, degree=degree, coef0=coef0, names=names)
    return Affinity("kernel", kernel, n_neighbors, n_jobs)
