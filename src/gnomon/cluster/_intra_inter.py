"""How near rows are within clusters, and between them.

    intraⱼ = mean of δ over the pairs in cluster j,   interⱼ = mean of δ over pairs of a row in j and one outside   (1)

Good clusters have low and high distances, or high and low similarities. Rousseeuw (1987),
doi:10.1016/0377-0427(87)90125-7, compares the two row by row.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gnomon._typing import Array, ArrayLike, Floats, MatrixLike
from gnomon.cluster._pairs import Metric, Similarity, distance_matrix, pair_rows, similarity_matrix
from gnomon.numerics.coding import label_index

__all__ = ["IntraInter", "intra_inter"]


class IntraInter(NamedTuple):
    """The means (1), of all clusters and of each; nan where there is no pair.

    References
    ----------
    Rousseeuw, P. J. (1987). Silhouettes. doi:10.1016/0377-0427(87)90125-7

    Examples
    --------
    >>> from gnomon.cluster import intra_inter
    >>> intra_inter([[0.0], [1.0], [10.0]], [0, 0, 1]).intra
    1.0
    """

    intra: float
    inter: float
    clusters: Array
    intra_of: Floats
    inter_of: Floats


def intra_inter(
    X: MatrixLike, labels: ArrayLike, *, metric: Metric = "euclidean", similarity: Similarity | None = None
) -> IntraInter:
    """Mean distances (1), or mean similarities, of pairs in one cluster and in two.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features), or a square matrix with "precomputed"
    labels : array-like of shape (n_samples,)
    metric : str or callable, default="euclidean"
        A metric of scikit-learn, or "precomputed".
    similarity : str, callable or Kernel, optional
        "cosine", a kernel, a function of two rows, or "precomputed"; in place of `metric`.

    Returns
    -------
    IntraInter

    References
    ----------
    Rousseeuw, P. J. (1987). Silhouettes. doi:10.1016/0377-0427(87)90125-7

    Examples
    --------
    >>> from gnomon.cluster import intra_inter
    >>> found = intra_inter([[0.0], [1.0], [10.0], [12.0]], [0, 0, 1, 1])
    >>> found.intra, found.inter, found.intra_of
    (1.5, 10.5, array([1., 2.]))
    """
    rows = pair_rows(X, labels := np.asarray(labels))
    M = distance_matrix(rows, metric) if similarity is None else similarity_matrix(rows, similarity)
    place, clusters = label_index(labels)
    Z = np.eye(len(clusters))[place]
    sizes = Z.sum(axis=0)
    sums = Z.T @ (M - np.diag(np.diag(M))) @ Z
    within, across = np.diag(sums), sums.sum(axis=1) - np.diag(sums)
    n_within, n_across = sizes * (sizes - 1.0), sizes * (len(M) - sizes)
    return IntraInter(
        float(_ratio(within.sum(), n_within.sum())),
        float(_ratio(across.sum(), n_across.sum())),
        clusters,
        _ratio(within, n_within),
        _ratio(across, n_across),
    )


def _ratio(a: ArrayLike, b: ArrayLike) -> Floats:
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    return np.divide(a, b, out=np.full(b.shape, np.nan), where=b > 0.0)
