"""Silhouettes.

    s_i = (b_i − a_i) / max(a_i, b_i)                                                               (1)

a is the mean distance of a row to the others of its cluster, b that to the nearest other cluster; 0 for a row that is
alone. Distances are made in blocks of rows, so memory does not grow with their square. Rousseeuw (1987),
doi:10.1016/0377-0427(87)90125-7.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import pairwise_distances
from sklearn.utils.validation import check_array

from gnomon._typing import ArrayLike, Floats, MatrixLike
from gnomon.base import is_given_matrix
from gnomon.cluster._pairs import distance_matrix, refuse_unknown
from gnomon.numerics.coding import label_index
from gnomon.numerics.parallel import blas_threads, map_chunks, split_rows
from gnomon.numerics.sharing import read_only
from gnomon.numerics.validation import FLOATS
from gnomon.optim import distances_to
from gnomon.optim.center_distances import row_unit

__all__ = ["silhouettes"]

BLOCK = 2**20
"""Distances that are in memory at once, for each thread."""


def silhouettes(X: MatrixLike, labels: ArrayLike, *, metric: Any = "euclidean") -> Floats:
    """Equation (1) for every row.

    Parameters
    ----------
    X : array-like of shape (n, d), or distances of shape (n, n) with ``metric="precomputed"``
    labels : array-like of shape (n,)
    metric : str or callable, default="euclidean"
        As in scikit-learn.

    Returns
    -------
    ndarray of shape (n,)

    References
    ----------
    Rousseeuw, P. J. (1987). Silhouettes: a graphical aid to the interpretation and validation of cluster analysis.
    doi:10.1016/0377-0427(87)90125-7

    Examples
    --------
    >>> from gnomon.cluster import silhouettes
    >>> silhouettes([[0.0], [1.0], [9.0], [10.0]], [0, 0, 1, 1]).round(4)
    array([0.8947, 0.8824, 0.8824, 0.8947])
    """
    rows = check_array(X, dtype=FLOATS, accept_sparse="csr", input_name="X")
    index, clusters = label_index(labels)
    n, k = rows.shape[0], len(clusters)
    if len(index) != n:
        raise ValueError(f"labels have {len(index)} entries and X has {n} rows; give one for each row")
    if not 2 <= k <= n - 1:
        raise ValueError(f"Number of labels is {k}. Valid values are 2 to n_samples - 1 (inclusive)")
    rows = distance_matrix(rows, metric).astype(rows.dtype) if is_given_matrix(metric) else rows
    members = np.eye(k, dtype=rows.dtype)[index]
    sizes = np.bincount(index)
    prepared = _centred(rows) if metric == "euclidean" and isinstance(rows, np.ndarray) else None

    def block(part: slice) -> Floats:
        D = _distances(rows, part, metric) if prepared is None else prepared.distances(part)
        return _scores(D @ members, index[part], sizes)

    blocks = split_rows(n, max(1, -(-n * n // BLOCK)))
    return np.concatenate(map_chunks(block, blocks, blas_threads()))


class _Centred(NamedTuple):
    """Rows about their mean Z, and A and B with ‖zᵢ − zⱼ‖² = (A B)ᵢⱼ."""

    Z: Floats
    A: Floats
    B: Floats
    near: Floats
    """Squared distances below these have lost half of their digits, a number for each row."""

    def distances(self, part: slice) -> Floats:
        """Distances of some rows from all."""
        D = self.A[part] @ self.B
        own = np.arange(len(D)), np.arange(part.start, part.stop)
        D[own] = np.inf
        close = np.flatnonzero((self.near[part] > D).any(axis=1))
        D[own] = 0.0
        np.sqrt(np.maximum(D, 0.0, out=D), out=D)
        if len(close):
            D[close] = distances_to(self.Z[part][close], self.Z, n_jobs=1)
        return D


def _centred(X: Floats) -> _Centred:
    """Rows in a unit in which squares are ordinary numbers: (1) does not depend on it."""
    Z = np.asarray(row_unit(X).inward(X))
    Z = np.ascontiguousarray(Z - Z.mean(axis=0))
    squares, ones = np.einsum("ij,ij->i", Z, Z)[:, None], np.ones((len(Z), 1), dtype=Z.dtype)
    near = np.sqrt(np.finfo(Z.dtype).eps) * (squares + squares.max())
    return _Centred(Z, np.hstack([-2.0 * Z, squares, ones]), np.hstack([Z, ones, squares]).T, near)


def _distances(rows: Any, part: slice, metric: Any) -> Floats:
    if is_given_matrix(metric):
        return np.asarray(rows[part])
    rows = read_only(rows)
    return refuse_unknown("metric", metric, pairwise_distances(rows[part], rows, metric=metric), part.start)


def _scores(sums: Floats, index: Any, sizes: Any) -> Floats:
    """Equation (1) from the sums of distances to each cluster."""
    at = np.arange(len(sums))
    own = sizes[index]
    a = sums[at, index] / np.maximum(own - 1, 1)
    means = sums / sizes
    means[at, index] = np.inf
    b = means.min(axis=1)
    largest = np.maximum(a, b)
    s = np.divide(b - a, largest, out=np.zeros_like(b), where=largest > 0.0)
    return np.where(own > 1, s, 0.0)
