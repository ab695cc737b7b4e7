"""Graphs of similar rows.

    W_ij = W_ji ≥ 0,    d_i = Σ_j W_ij                                                              (1)

"rbf" and other kernels; the q nearest neighbours, of either row or of both; self-tuning exp(−δ²/(σ_i σ_j)) with σ_i the
distance to the q-th neighbour (Zelnik-Manor & Perona 2004, NIPS). Loops have no part in a cut: `edges`.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.validation import check_array

from gnomon._typing import Floats, MatrixLike
from gnomon.base import kernel_of
from gnomon.cluster._pairs import distance_matrix
from gnomon.kernels import KERNEL_NAMES, Kernel

__all__ = ["Affinity", "check_graph", "edges", "read_affinity"]

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
    graph = _checked(W, name)
    if (off := _asymmetry(graph)) > 0.0:
        raise ValueError(f"{name} differs from its transpose by {off:.3g}; symmetrise it, for example (W + W.T) / 2")
    return _without_loops(graph)


def _without_loops(W: Any) -> Any:
    """A copy of W with a diagonal of zeros."""
    graph = W.copy()
    if sparse.issparse(graph):
        graph.setdiag(0.0)
        graph.eliminate_zeros()
    else:
        np.fill_diagonal(graph, 0.0)
    return graph


def _checked(W: MatrixLike, name: str) -> Any:
    graph = check_array(W, accept_sparse="csr", dtype=[np.float64, np.float32], input_name=name)
    n, m = graph.shape
    if n != m:
        raise ValueError(f"{name} has shape {(n, m)}; a graph has one row and one column for each node")
    least = float(graph.min())
    if least < 0.0:
        raise ValueError(f"{name} holds {least:.4g}; weights of edges must be ≥ 0")
    return graph


def _asymmetry(graph: Any) -> float:
    """The largest difference of W and Wᵀ; zero where it is rounding."""
    off = float(abs(graph - graph.T).max())
    return off if off > SYMMETRIC * float(graph.max()) else 0.0


def edges(graph: Any) -> Any:
    """Affinities without loops; the mean of both directions with a warning where they differ, as in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.cluster._graph import edges
    >>> edges(np.array([[1.0, 2.0], [2.0, 1.0]]))
    array([[0., 2.],
           [2., 0.]])
    """
    if (off := _asymmetry(graph)) == 0.0:
        return _without_loops(graph)
    warnings.warn(
        f"the affinity is not symmetric: it differs from its transpose by {off:.3g}, and the mean of both is used; "
        "symmetrise it yourself if that is not what you want",
        stacklevel=3,
    )
    return _without_loops(0.5 * (graph + graph.T))


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
    array([[1. , 1. , 0. ],
           [1. , 1. , 0.5],
           [0. , 0.5, 1. ]])
    """

    kind: str
    kernel: Kernel | None
    n_neighbors: int
    n_jobs: int | None

    def graph(self, X: Any) -> Any:
        """W of the rows X, or X itself, with its loops."""
        if self.kind == "precomputed":
            return _checked(X, "X")
        if self.kind == "kernel":
            assert self.kernel is not None
            return _checked(self.kernel.gram(X), "the matrix of the kernel")
        if self.kind == "self_tuning":
            D = distance_matrix(X, "euclidean")
            scale = self._scales(D)
            return _tuned(D, scale, scale)
        hits = self._search(X).kneighbors_graph(X)
        return sparse.csr_matrix(hits.minimum(hits.T) if self.kind == "mutual" else 0.5 * (hits + hits.T))

    def across(self, X: Any, training: Any) -> Any:
        """Weights of the edges of new rows X to the training rows, of shape (m, n)."""
        if self.kind == "precomputed":
            return X
        if self.kind == "kernel":
            assert self.kernel is not None
            return self.kernel.gram(X, training)
        if self.kind == "self_tuning":
            D = distance_matrix(X, "euclidean", training)
            k = min(self.n_neighbors, D.shape[1]) - 1
            own = self._scales(distance_matrix(training, "euclidean"))
            return _tuned(D, np.partition(D, k, axis=1)[:, k], own)
        return self._search(training).kneighbors_graph(X)

    def _search(self, X: Any) -> NearestNeighbors:
        metric = "precomputed" if self.kind == "precomputed_nearest_neighbors" else "minkowski"
        return NearestNeighbors(n_neighbors=self.n_neighbors, n_jobs=self.n_jobs, metric=metric).fit(X)

    def _scales(self, D: Floats) -> Floats:
        """The distance of every row to its q-th neighbour, itself being none."""
        k = min(self.n_neighbors, len(D) - 1)
        return np.partition(D, k, axis=1)[:, k]


def _tuned(D: Floats, a: Floats, b: Floats) -> Floats:
    unit = np.multiply.outer(a, b)
    # Rows that all their neighbours repeat have no scale of their own; they are near to their copies alone.
    return np.where(unit > 0.0, np.exp(-(D**2) / np.where(unit > 0.0, unit, 1.0)), (D == 0.0).astype(float))


def read_affinity(model: Any, X: Any) -> Affinity:
    """The affinity that a model with scikit-learn's words was given, for the training rows X.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.cluster import SpectralClustering
    >>> from gnomon.cluster._graph import read_affinity
    >>> read_affinity(SpectralClustering(gamma=0.5), np.zeros((2, 1))).kernel
    RBF(length_scale=1.0)
    """
    given, words = model.affinity, (model.n_neighbors, model.n_jobs)
    if isinstance(given, str) and given in GRAPHS:
        return Affinity(given, None, *words)
    if isinstance(given, str) and given not in KERNEL_NAMES:
        allowed = ", ".join(map(repr, [*KERNEL_NAMES, *GRAPHS]))
        raise ValueError(f"affinity={given!r} must be a Kernel, a callable or one of {allowed}")
    gamma = _median_gamma(X) if isinstance(model.gamma, str) else model.gamma
    return Affinity("kernel", kernel_of(model, X, given=given, gamma=gamma, pairs=True), *words)


def _median_gamma(X: Any) -> float:
    """1/(2 m) of the median m of the squared distances of different rows."""
    squares = pairwise_distances(X)[np.triu_indices(X.shape[0], 1)] ** 2
    middle = float(np.median(squares)) if len(squares) else 0.0
    return 0.5 / middle if middle > 0.0 else 1.0
