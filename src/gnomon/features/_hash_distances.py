"""Distances of rows that random hashes find.

    "hyperplane": 1 − cos θ,    "l2": ‖a − b‖₂,    "l1": ‖a − b‖₁,    "minhash": 1 − |A ∩ B| / |A ∪ B|            (1)

Rows of "hyperplane" have unit length, those of "minhash" are sets: CSR matrices of ones. Leskovec, Rajaraman & Ullman
(2014), Mining of Massive Datasets, chapter 3, doi:10.1017/CBO9781139924801.
"""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.metrics import pairwise_distances

from gnomon._typing import Floats, Integers

__all__ = ["all_distances", "hash_argument", "pair_distances"]

METRICS = {"hyperplane": "cosine", "l2": "euclidean", "l1": "manhattan", "minhash": "jaccard"}


def hash_argument(kind: str, distances: Floats) -> Floats:
    """What `collision_probability` takes, from a distance."""
    if kind == "hyperplane":
        return np.arccos(np.clip(1.0 - distances, -1.0, 1.0))
    return 1.0 - distances if kind == "minhash" else distances


def all_distances(kind: str, x: Any, X: Any) -> Floats:
    """Distances of one row to all others."""
    if kind != "minhash":
        return pairwise_distances(x, X, metric=METRICS[kind])[0]
    common = np.asarray((X @ x.T).todense()).ravel()
    return _jaccard_distance(common, x.nnz, np.diff(X.indptr))


def pair_distances(kind: str, A: Any, B: Any, i: Integers, j: Integers) -> Floats:
    """Distances of the pairs (a_i, b_j), in blocks that stay small."""
    out = np.empty(len(i))
    block = max(1, 1_000_000 // A.shape[1])
    for start in range(0, len(i), block):
        part = slice(start, start + block)
        a, b = A[i[part]], B[j[part]]
        if kind == "minhash":
            common = np.asarray(a.multiply(b).sum(axis=1)).ravel()
            out[part] = _jaccard_distance(common, np.diff(a.indptr), np.diff(b.indptr))
            continue
        difference = a - b
        if sparse.issparse(difference):
            difference = abs(difference)
            sums = difference.sum(axis=1) if kind == "l1" else difference.multiply(difference).sum(axis=1)
            sums = np.asarray(sums).ravel()
        else:
            sums = np.abs(difference).sum(axis=1) if kind == "l1" else np.einsum("ij,ij->i", difference, difference)
        # Of unit vectors half the squared distance is 1 − cos θ.
        out[part] = sums if kind == "l1" else np.sqrt(sums) if kind == "l2" else 0.5 * sums
    return out


def _jaccard_distance(common: Floats, left: Any, right: Any) -> Floats:
    union = left + right - common
    # Two empty sets are equal.
    return np.where(union > 0, 1.0 - common / np.maximum(union, 1), 0.0)
