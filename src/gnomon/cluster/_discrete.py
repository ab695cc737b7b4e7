"""Clusters from the rows of orthonormal vectors.

    V R ≈ Z,    R orthogonal, every row of Z a unit vector e_j: row i is in cluster j                 (1)

`cluster_qr` finds R from the pivots of a QR factorisation, without a start: Damle, Minden & Ying (2019),
doi:10.1093/imaiai/iay008. `discretize` alternates between Z and R: Yu & Shi (2003), doi:10.1109/ICCV.2003.1238361.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg

from gnomon._typing import Floats, Integers

__all__ = ["cluster_qr", "discretize"]


def cluster_qr(V: Floats, k: int) -> Integers:
    """The largest entry of every row of V R, R from the k rows of V that are most independent.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.cluster._discrete import cluster_qr
    >>> labels = cluster_qr(np.array([[1.0, 0.1], [1.0, 0.0], [0.0, 1.0]]), 2)
    >>> bool(labels[0] == labels[1] != labels[2])
    True
    """
    pivots = linalg.qr(V.T, mode="r", pivoting=True)[1][:k]
    U, _, Wt = linalg.svd(V[pivots].T, full_matrices=False)
    return np.argmax(np.abs(V @ (U @ Wt)), axis=1)


def discretize(V: Floats, k: int, rng: np.random.RandomState, *, max_iter: int = 100, tries: int = 30) -> Integers:
    """Alternate between the nearest unit vectors of V R and the best rotation R for them, until neither changes.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.cluster._discrete import discretize
    >>> labels = discretize(np.array([[1.0, 0.1], [1.0, 0.0], [0.0, 1.0]]), 2, np.random.RandomState(0))
    >>> bool(labels[0] == labels[1] != labels[2])
    True
    """
    lengths = np.linalg.norm(V, axis=1, keepdims=True)
    V = V / np.where(lengths > 0.0, lengths, 1.0)
    best, labels = -np.inf, np.zeros(len(V), dtype=np.int64)
    for _ in range(tries):
        found, value = _alternate(V, _spread_rows(V, k, rng), k, max_iter)
        if value > best:
            best, labels = value, found
    return labels


def _spread_rows(V: Floats, k: int, rng: np.random.RandomState) -> Floats:
    """k rows of V as unlike as possible, the first of them drawn, as the columns of a first rotation."""
    chosen = [int(rng.randint(len(V)))]
    likeness = np.zeros(len(V))
    for _ in range(1, k):
        likeness += np.abs(V @ V[chosen[-1]])
        chosen.append(int(np.argmin(likeness)))
    return V[chosen].T


def _alternate(V: Floats, R: Floats, k: int, max_iter: int) -> tuple[Integers, float]:
    value = -np.inf
    labels = np.zeros(len(V), dtype=np.int64)
    for _ in range(max_iter):
        labels = np.argmax(V @ R, axis=1)
        U, s, Wt = linalg.svd(np.eye(k)[labels].T @ V, full_matrices=False)
        if s.sum() <= value * (1.0 + 1e-12):
            break
        value, R = float(s.sum()), Wt.T @ U.T
    return labels, value
