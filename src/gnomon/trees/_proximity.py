"""Proximities of rows in a forest.

    P_ij = (1/T) Σ_t 1[leaf_t(x_i) = leaf_t(x_j)] = (Z Zᵀ)_ij / T,   Z the one-hot codes of the leaves               (1)
    out of bag:  the same sum, over the trees whose bags hold neither i nor j, divided by their number               (2)
    outlyingness of i in class c:  n_c / Σ_{j ∈ c} P_ij²,  minus the median of the class, over its spread            (3)

Breiman & Cutler (2003), Manual on setting up, using, and understanding random forests v4.0; Breiman (2001),
doi:10.1023/A:1010933404324. Z is sparse, so that the cost grows with the number of pairs that share a leaf.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import csr_array

from gnomon._typing import Bools, Floats, Integers
from gnomon.numerics.parallel import split_rows

__all__ = ["outlyingness", "prototype_rows", "proximities"]

CELLS = 2**22
"""Entries of P that are computed at a time."""


def proximities(
    Z: csr_array, other: csr_array, *, T: int, seen: Bools | None = None, max_dense: int = 10_000, top: int = 100
) -> Any:
    """(1) of the rows of Z against those of `other`, or (2) where `seen` marks the bags of the rows (n, T).

    An array; above `max_dense` rows on either side a sparse matrix of the `top` largest of each row.
    """
    if max(Z.shape[0], other.shape[0]) <= max_dense:
        out = np.empty((Z.shape[0], other.shape[0]))
        for rows, block in _blocks(Z, other, T, seen):
            out[rows] = block
        return out
    return sparse.vstack([_largest(block, top) for _, block in _blocks(Z, other, T, seen)], format="csr")


def _blocks(Z: csr_array, other: csr_array, T: int, seen: Bools | None) -> Iterator[tuple[slice, Floats]]:
    """Rows of P, as many at a time as fit in a block."""
    left, right = (Z, other) if seen is None else (_unseen(Z, seen), _unseen(other, seen))
    for rows in split_rows(Z.shape[0], max(1, Z.shape[0] * other.shape[0] // CELLS)):
        shared = (left[rows] @ right.T).toarray()
        if seen is None:
            yield rows, shared / T
        else:
            # Trees that have seen neither; without one the proximity is unknown.
            both = (~seen[rows]).astype(float) @ (~seen).T.astype(float)
            yield rows, np.where(both > 0.0, shared / np.maximum(both, 1.0), np.nan)


def _unseen(Z: csr_array, seen: Bools) -> csr_array:
    """The codes without the trees that saw a row; every row of Z has one entry for each tree, in their order."""
    return sparse.csr_array((Z.data * ~seen.ravel(), Z.indices, Z.indptr), shape=Z.shape)


def _largest(block: Floats, top: int) -> csr_array:
    k = min(top, block.shape[1])
    block = np.nan_to_num(block)
    columns = np.sort(np.argpartition(-block, k - 1, axis=1)[:, :k], axis=1)
    values = np.take_along_axis(block, columns, axis=1)
    starts = np.arange(0, columns.size + 1, k)
    found = sparse.csr_array((values.ravel(), columns.ravel(), starts), shape=block.shape)
    found.eliminate_zeros()
    return found


def outlyingness(Z: csr_array, T: int, index: Integers) -> Floats:
    """(3) of every row; `index` is the class of each."""
    out = np.zeros(Z.shape[0])
    for c in np.unique(index):
        here = np.flatnonzero(index == c)
        of_class = Z[here]
        for rows, block in _blocks(of_class, of_class, T, None):
            out[here[rows]] = len(here) / np.sum(block**2, axis=1)
        out[here] = _standardised(out[here])
    return out


def _standardised(x: Floats) -> Floats:
    away = x - np.median(x)
    # If more than half of the rows have the same value, the mean absolute deviation is the scale.
    spread = np.median(np.abs(away)) or np.mean(np.abs(away))
    return away / spread if spread > 0.0 else np.zeros_like(away)


def prototype_rows(Z: csr_array, T: int, index: Integers, n_neighbors: int) -> list[Integers]:
    """For each class the rows around its centre: of the nearest k rows of each row, the largest set of one class."""
    k = min(n_neighbors, Z.shape[0])
    count = np.zeros(Z.shape[0], dtype=int)
    nearest = np.empty((Z.shape[0], k), dtype=int)
    for rows, block in _blocks(Z, Z, T, None):
        nearest[rows] = np.argsort(-block, axis=1, kind="stable")[:, :k]
        count[rows] = np.sum(index[nearest[rows]] == index[rows][:, None], axis=1)
    found = []
    for c in np.unique(index):
        centre = np.flatnonzero(index == c)[np.argmax(count[index == c])]
        near = nearest[centre]
        found.append(near[index[near] == c])
    return found
