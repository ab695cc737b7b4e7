"""Distances and similarities of all pairs of rows.

    δ(x, y) ≥ 0, δ(x, x) = 0, δ(x, y) = δ(y, x);      ρ(x, y) = ρ(y, x), large for rows that are alike     (1)

A kernel is a similarity; its distance is δ² = k(x, x) + k(y, y) − 2 k(x, y).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from scipy.sparse import issparse
from sklearn.metrics import pairwise_distances
from sklearn.utils.validation import check_array

from gnomon._typing import Array, Floats
from gnomon.base import is_given_matrix
from gnomon.kernels import Kernel, read_kernel
from gnomon.numerics.scale import largest_entry
from gnomon.numerics.sharing import read_only
from gnomon.optim import distances_to

__all__ = [
    "Metric",
    "Similarity",
    "check_square",
    "distance_matrix",
    "pair_rows",
    "refuse_unknown",
    "similarity_matrix",
    "unit_rows",
]

Metric: TypeAlias = str | Callable[..., Any]
Similarity: TypeAlias = str | Callable[..., Any] | Kernel

SLACK = 1e-8
"""Differences from symmetry, and diagonals, below this share of the largest entry are rounding."""

TILE = 256
"""Rows and columns that are compared at a time."""


def pair_rows(X: Any, labels: Any) -> Floats:
    """Finite rows, one for each label."""
    rows = check_array(X, dtype=float, input_name="X")
    if len(labels) != len(rows):
        raise ValueError(f"labels have {len(labels)} entries and X has {len(rows)} rows; give one for each row")
    return rows


def distance_matrix(X: Any, metric: Metric, other: Any = None) -> Floats:
    """δ of all pairs of rows, or of rows and others; a name or callable of scikit-learn, or "precomputed"."""
    if is_given_matrix(metric):
        return _checked_distances(X) if other is None else np.asarray(X, dtype=float)
    if isinstance(metric, str) and metric == "cosine":
        A, B = unit_rows(X), None if other is None else unit_rows(other)
        return np.maximum(0.0, 1.0 - _products(A, A if B is None else B))
    if isinstance(metric, str) and metric in ("euclidean", "l2", "sqeuclidean"):
        # From differences: rows that are alike have a distance of zero, not of √ε.
        B = X if other is None else other
        apart = distances_to(X, B.toarray() if issparse(B) else B)
        return apart**2 if metric == "sqeuclidean" else apart
    D = refuse_unknown("metric", metric, pairwise_distances(read_only(X), read_only(other), metric=metric))
    return D if other is not None else 0.5 * (D + D.T)


def similarity_matrix(X: Any, similarity: Similarity, other: Any = None) -> Floats:
    """ρ of all pairs: "cosine", the name of a kernel, a kernel, a callable of two rows, or "precomputed"."""
    if is_given_matrix(similarity):
        return check_square("X", X) if other is None else np.asarray(X, dtype=float)
    if isinstance(similarity, str) and similarity == "cosine":
        A = unit_rows(X)
        return _products(A, A if other is None else unit_rows(other))
    if callable(similarity) and not isinstance(similarity, Kernel):
        rows, others = read_only(X), read_only(X if other is None else other)
        return refuse_unknown(
            "similarity", similarity, np.array([[float(similarity(x, y)) for y in others] for x in rows])
        )
    try:
        kernel = read_kernel(similarity, X)
    except ValueError as error:
        raise ValueError(f"similarity={similarity!r}: {error}") from None
    return kernel.gram(X) if other is None else kernel.gram(X, other)


def refuse_unknown(name: str, measure: Any, found: Floats, first: int = 0) -> Floats:
    """What was found for pairs of rows, of which the first row has the number `first`, where all of it is finite."""
    if not np.all(np.isfinite(found)):
        row, other = np.argwhere(~np.isfinite(found))[0]
        raise ValueError(
            f"{name}={measure!r} is {found[row, other]} for the rows {first + row} and {other}, as correlations of "
            "constant rows are; leave such rows out, or choose another"
        )
    return found


def unit_rows(X: Any) -> Any:
    """Rows divided by their lengths; a row of zeros has no direction."""
    largest: Floats = largest_entry(X, axis=1)
    if np.any(largest == 0.0):
        row = int(np.argmin(largest))
        raise ValueError(f"row {row} of X is zero and has no cosine with other rows; leave such rows out")
    # First by the largest entry: squares of very large or small ones are none.
    scaled = _divided(X, largest)
    squares = scaled.multiply(scaled).sum(axis=1) if issparse(scaled) else np.einsum("ij,ij->i", scaled, scaled)
    return _divided(scaled, np.sqrt(np.asarray(squares).ravel()))


def check_square(name: str, given: Any) -> Floats:
    """A symmetric matrix; rounding of its symmetry is taken out."""
    if issparse(given):
        raise ValueError(f"{name} is sparse; give the matrix of all pairs as an array")
    K: Array = np.asarray(given, dtype=float)
    if K.ndim != 2 or K.shape[0] != K.shape[1]:
        raise ValueError(f"{name} has the shape {K.shape}; with 'precomputed' it must be square")
    worst = _asymmetry(K)
    if worst == 0.0:
        return K
    if worst > SLACK * max(float(np.max(K)), -float(np.min(K))):
        raise ValueError(f"{name} is not symmetric: entries differ by up to {worst:.3g}; symmetrise it")
    return 0.5 * (K + K.T)


def _asymmetry(K: Floats) -> float:
    """max |K − Kᵀ|, in squares of which both halves stay in the cache."""
    cuts = [slice(start, start + TILE) for start in range(0, len(K), TILE)]
    tiles = (K[a, b] - K[b, a].T for i, a in enumerate(cuts) for b in cuts[i:])
    return max((float(np.max(np.abs(tile))) for tile in tiles), default=0.0)


def _checked_distances(given: Any) -> Floats:
    D = check_square("X", given)
    least, largest = float(np.min(D, initial=0.0)), float(np.max(D, initial=0.0))
    if least < 0.0:
        raise ValueError(f"X has the negative entry {least:.3g}; distances are ≥ 0")
    if float(np.max(np.diag(D), initial=0.0)) > SLACK * largest:
        raise ValueError(f"X has {np.max(np.diag(D)):.3g} on its diagonal; a row has the distance zero from itself")
    return D


def _divided(X: Any, by: Floats) -> Any:
    if issparse(X):
        return X.multiply((1.0 / by).astype(X.dtype)[:, None]).tocsr()
    return X / by.astype(X.dtype)[:, None]


def _products(A: Any, B: Any) -> Floats:
    found = A @ B.T
    return np.clip(found.toarray() if issparse(found) else found, -1.0, 1.0)
