"""Exchange of single rows between clusters.

    ΔJ = W_b s/(W_b + s) ‖x − μ_b‖² − W_a s/(W_a − s) ‖x − μ_a‖²                                      (1)

is what the k-means cost changes by when a row x of weight s goes from cluster a to cluster b, whose weights are W_a and
W_b and whose means follow. Lloyd's iteration ends where no row is nearer to another mean; rows may still be there for
which (1) is negative. Hartigan & Wong (1979), doi:10.2307/2346830.
"""

from __future__ import annotations

import numpy as np

from gnomon._jit import jit
from gnomon._typing import Floats, Integers, Matrix
from gnomon.optim.center_distances import Rows, center_rows, row_unit

__all__ = ["exchange_rows"]

LEAST = 1e-12
"""A decrease below this share of the two terms of (1) is rounding."""


def exchange_rows(
    X: Matrix, labels: Integers, centers: Floats, weights: Floats, *, max_iter: int = 300
) -> tuple[Integers, Floats, int]:
    """Move single rows while (1) is negative.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, d)
    labels : ndarray of int of shape (n,)
    centers : ndarray of shape (k, d)
        The means of the clusters.
    weights : ndarray of shape (n,)
    max_iter : int, default=300
        Passes over the rows.

    Returns
    -------
    labels, centers : ndarray
    n_moved : int

    References
    ----------
    Hartigan, J. A. & Wong, M. A. (1979). A k-means clustering algorithm. doi:10.2307/2346830

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import exchange_rows
    >>> X = np.array([[0.0], [1.0], [2.0], [3.1]])
    >>> exchange_rows(X, np.array([0, 0, 0, 1]), np.array([[1.0], [3.1]]), np.ones(4))
    (array([0, 0, 1, 1]), array([[0.5 ], [2.55]]), 1)
    """
    unit = row_unit(X)
    rows, k = center_rows(unit.inward(X)), len(centers)
    labels, means = labels.copy(), unit.inward(np.array(centers, dtype=float))
    used = np.asarray(weights, dtype=float)
    totals = np.bincount(labels, used, k).astype(float)
    members = np.bincount(labels[used > 0.0], minlength=k)
    n_moved = 0
    for _ in range(max_iter):
        moved = _pass(rows, used, labels, means, totals, members, np.zeros(X.shape[1]))
        n_moved += moved
        if not moved:
            break
    return labels, unit.outward(means).astype(centers.dtype), n_moved


@jit
def _pass(
    rows: Rows, weights: Floats, labels: Integers, means: Floats, totals: Floats, members: Integers, zero: Floats
) -> int:
    n_moved = 0
    for i in range(len(labels)):
        a, s = labels[i], weights[i]
        if s == 0.0 or members[a] < 2:
            continue
        away = totals[a] * s / (totals[a] - s) * rows.square_to(i, means[a])
        best, least = a, away * (1.0 - LEAST)
        for b in range(len(means)):
            if b != a and members[b] > 0:
                there = totals[b] * s / (totals[b] + s) * rows.square_to(i, means[b])
                if there < least:
                    best, least = b, there
        if best != a:
            _move(rows, i, s, a, best, labels, means, totals, members, zero)
            n_moved += 1
    return n_moved


@jit
def _move(
    rows: Rows,
    i: int,
    s: float,
    a: int,
    b: int,
    labels: Integers,
    means: Floats,
    totals: Floats,
    members: Integers,
    zero: Floats,
) -> None:
    for center, weight in ((a, -s), (b, s)):
        # μ + w (x − μ) / (W + w)
        share = weight / (totals[center] + weight)
        means[center] *= 1.0 - share
        rows.add_to(i, share, zero, means[center])
        totals[center] += weight
    labels[i] = b
    members[a] -= 1
    members[b] += 1
