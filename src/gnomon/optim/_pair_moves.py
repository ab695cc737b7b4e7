"""Clusters with little inside them, from pairwise distances alone.

    minimise over labels    Σⱼ Pⱼ / aⱼ,    Pⱼ = Σ_{i<l in j} sᵢ s_l δ(i, l),    aⱼ = 1 or Wⱼ = Σ_{i in j} sᵢ      (1)

Single rows are moved to the cluster that lowers (1) most, until none does. With the sums A(i, j) = Σ_{l in j}
s_l δ(i, l) at hand a move is judged in O(k) and followed in O(n). With a = W and squared Euclidean distances (1) is the
cost of k-means. Späth (1980), Cluster analysis algorithms, chapter 3, ISBN 978-0-85312-141-1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gnomon._jit import jit, subroutine
from gnomon._typing import Floats, Integers
from gnomon.optim.solution import StopReason

__all__ = ["PairMoves", "move_by_pairs"]

LEAST = 1e-12
"""A decrease below this share of what is exchanged is rounding."""


class PairMoves(NamedTuple):
    """The end of the moves: labels, the value of (1), passes over the rows, and whether no move was left.

    References
    ----------
    Späth, H. (1980). Cluster analysis algorithms. Ellis Horwood.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import move_by_pairs
    >>> x = np.array([0.0, 1.0, 10.0, 11.0])
    >>> move_by_pairs(abs(x - x[:, None]), np.array([0, 1, 1, 1]), np.ones(4), 2).objective
    2.0
    """

    labels: Integers
    objective: float
    n_iter: int
    converged: bool
    history: Floats

    @property
    def stop_reason(self) -> StopReason:
        """ "no_change" or "max_iter"."""
        return "no_change" if self.converged else "max_iter"


def move_by_pairs(
    D: Floats, labels: Integers, weights: Floats, k: int, *, by_size: bool = False, max_iter: int = 300
) -> PairMoves:
    """Move single rows as long as that lowers (1); no cluster loses its last row.

    Parameters
    ----------
    D : ndarray of shape (n, n)
        Symmetric, of either sign; the diagonal does not count.
    labels : ndarray of int of shape (n,)
        Where to start.
    weights : ndarray of shape (n,)
    k : int
    by_size : bool, default=False
        Divide the sum of each cluster by its weight.
    max_iter : int, default=300
        Passes over the rows.

    Returns
    -------
    PairMoves

    References
    ----------
    Späth, H. (1980). Cluster analysis algorithms. Ellis Horwood.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import move_by_pairs
    >>> x = np.array([0.0, 1.0, 10.0, 11.0])
    >>> move_by_pairs(abs(x - x[:, None]), np.array([0, 1, 1, 1]), np.ones(4), 2).labels
    array([0, 0, 1, 1])
    """
    D = D - np.diag(np.diag(D))
    labels = labels.astype(np.int64)
    Z = np.zeros((len(D), k))
    Z[np.arange(len(D)), labels] = weights
    A, totals = D @ Z, Z.sum(axis=0)
    members = np.bincount(labels[weights > 0.0], minlength=k)
    pairs = 0.5 * np.einsum("ij,ij->j", Z, A)
    history = [_value(pairs, totals, by_size)]
    moved = 1
    while moved and len(history) <= max_iter:
        moved = _pass(D, weights, labels, A, pairs, totals, members, by_size)
        history.append(_value(pairs, totals, by_size))
    return PairMoves(labels, history[-1], len(history) - 1, not moved, np.array(history))


def _value(pairs: Floats, totals: Floats, by_size: bool) -> float:
    if not by_size:
        return float(np.sum(pairs))
    return float(np.sum(np.divide(pairs, totals, out=np.zeros(len(pairs)), where=totals > 0.0)))


@jit
def _pass(
    D: Floats,
    weights: Floats,
    labels: Integers,
    A: Floats,
    pairs: Floats,
    totals: Floats,
    members: Integers,
    by_size: bool,
) -> int:
    n_moved = 0
    for i in range(len(D)):
        a, s = labels[i], weights[i]
        if s > 0.0 and members[a] < 2:
            continue
        leaving = _term(pairs[a] - s * A[i, a], totals[a] - s, by_size) - _term(pairs[a], totals[a], by_size)
        best, least = a, 0.0
        for b in range(len(pairs)):
            if b != a:
                joining = _term(pairs[b] + s * A[i, b], totals[b] + s, by_size) - _term(pairs[b], totals[b], by_size)
                change = joining + leaving
                if change < least and change < -LEAST * (abs(joining) + abs(leaving)):
                    best, least = b, change
        if best != a:
            _move(D, weights, i, a, best, labels, A, pairs, totals, members)
            n_moved += 1
    return n_moved


@subroutine
def _term(pairs: float, total: float, by_size: bool) -> float:
    if not by_size:
        return pairs
    return pairs / total if total > 0.0 else 0.0


@subroutine
def _move(
    D: Floats,
    weights: Floats,
    i: int,
    a: int,
    b: int,
    labels: Integers,
    A: Floats,
    pairs: Floats,
    totals: Floats,
    members: Integers,
) -> None:
    s = weights[i]
    pairs[a] -= s * A[i, a]
    pairs[b] += s * A[i, b]
    totals[a] -= s
    totals[b] += s
    members[a] -= 1
    members[b] += 1
    labels[i] = b
    for o in range(len(D)):
        A[o, a] -= s * D[i, o]
        A[o, b] += s * D[i, o]
