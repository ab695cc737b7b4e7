"""What a partition costs.

    "pair_distance"     Σⱼ Σ_{pairs in j} δ(x, y)            to minimise                              (1)
    "pair_similarity"   Σⱼ Σ_{pairs in j} ρ(x, y)            to maximise                              (2)
    "distance"          Σⱼ Σ_{i in j} δ(xᵢ, rⱼ)              to minimise                              (3)
    "similarity"        Σⱼ Σ_{i in j} ρ(xᵢ, rⱼ)              to maximise                              (4)
    "soft"              Σᵢ Σⱼ zᵢⱼ δ(xᵢ, rⱼ),  Σⱼ zᵢⱼ = 1     to minimise                              (5)

Pairs are unordered and of different rows. Divided by the size of its cluster, (1) with squared Euclidean distances is
the cost of k-means: Σ over ordered pairs of ‖x − y‖² = 2 nⱼ Σ ‖x − μⱼ‖². Without division (1) prefers clusters of equal
size, and (2) puts everything into one. Kaufman & Rousseeuw (1990), doi:10.1002/9780470316801.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
from sklearn.utils.validation import check_array

from gnomon._typing import ArrayLike, Floats, MatrixLike
from gnomon.cluster._pairs import Metric, Similarity, distance_matrix, pair_rows, similarity_matrix
from gnomon.numerics.coding import label_index
from gnomon.numerics.validation import check_choice

__all__ = ["PartitionObjective", "partition_cost"]

PartitionObjective: TypeAlias = Literal["pair_distance", "pair_similarity", "distance", "similarity", "soft"]
OBJECTIVES = ["pair_distance", "pair_similarity", "distance", "similarity", "soft"]


def partition_cost(
    X: MatrixLike,
    labels: ArrayLike,
    *,
    objective: PartitionObjective = "pair_distance",
    metric: Metric = "sqeuclidean",
    similarity: Similarity = "cosine",
    representatives: ArrayLike | None = None,
    pairs: Literal["unordered", "ordered"] = "unordered",
    normalise: Literal["none", "size"] = "none",
) -> float:
    """The value of one of (1) to (5).

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features), or a square matrix with "precomputed" and an objective of pairs
    labels : array-like of shape (n_samples,); with "soft" the shares z of shape (n_samples, k)
    objective : {"pair_distance", "pair_similarity", "distance", "similarity", "soft"}, default="pair_distance"
    metric : str or callable, default="sqeuclidean"
        δ.
    similarity : str, callable or Kernel, default="cosine"
        ρ.
    representatives : array-like of shape (k, n_features), optional
        r, in the order of the sorted labels; the means by default.
    pairs : {"unordered", "ordered"}, default="unordered"
        "ordered" counts every pair twice.
    normalise : {"none", "size"}, default="none"
        "size" divides the sum of each cluster by the number of its rows.

    Returns
    -------
    float

    References
    ----------
    Kaufman, L. & Rousseeuw, P. J. (1990). Finding groups in data. doi:10.1002/9780470316801

    Examples
    --------
    >>> from gnomon.cluster import partition_cost
    >>> X = [[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]]
    >>> partition_cost(X, [0, 0, 0], pairs="ordered"), round(partition_cost(X, [0, 0, 0], normalise="size"), 6)
    (20.0, 3.333333)
    """
    check_choice("objective", objective, OBJECTIVES)
    check_choice("pairs", pairs, ["unordered", "ordered"])
    check_choice("normalise", normalise, ["none", "size"])
    Z = _shares(labels, objective)
    rows, sizes = pair_rows(X, Z), Z.sum(axis=0)
    if objective.startswith("pair_"):
        M = distance_matrix(rows, metric) if objective == "pair_distance" else similarity_matrix(rows, similarity)
        sums = (1.0 if pairs == "ordered" else 0.5) * np.einsum("ij,ij->j", Z, (M - np.diag(np.diag(M))) @ Z)
    else:
        if pairs == "ordered":
            raise ValueError(f"pairs='ordered' has no meaning for objective={objective!r}; leave it out")
        R = _representatives(representatives, Z, rows)
        M = similarity_matrix(rows, similarity, R) if objective == "similarity" else distance_matrix(rows, metric, R)
        sums = np.einsum("ij,ij->j", Z, M)
    shared = sizes > 0.0
    return float(np.sum(sums[shared] / sizes[shared] if normalise == "size" else sums))


def _shares(labels: ArrayLike, objective: PartitionObjective) -> Floats:
    given = np.asarray(labels)
    if objective != "soft":
        place, clusters = label_index(given)
        return np.eye(len(clusters))[place]
    Z = given.astype(float)
    if Z.ndim != 2 or not np.allclose(Z.sum(axis=1), 1.0) or np.min(Z) < 0.0:
        raise ValueError("labels must be shares ≥ 0 of shape (n_samples, k) whose rows sum to one for objective='soft'")
    return Z


def _representatives(given: ArrayLike | None, Z: Floats, rows: Floats) -> Floats:
    """r as given, or the means; a cluster without a share of any row takes the mean of all, which costs nothing."""
    if given is None:
        sizes, mean = Z.sum(axis=0), rows.mean(axis=0)
        return mean + (Z.T @ (rows - mean)) / np.where(sizes > 0.0, sizes, 1.0)[:, None]
    R = check_array(given, dtype=float, input_name="representatives")
    wanted = (Z.shape[1], rows.shape[1])
    if R.shape != wanted:
        raise ValueError(f"representatives have the shape {R.shape}; give an array of shape {wanted}")
    return R
