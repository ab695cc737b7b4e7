"""Clusters by their representatives, whatever these are.

    zᵢ ← argminⱼ δ(i, j | z),    δ(i, j | z) = distance of row i from the representative of {l : z_l = j}       (1)

Where the representative of a cluster minimises the sum of distances of its rows, neither step raises
J = Σᵢ sᵢ δ(i, zᵢ | z). k-medians and kernel k-means are of this kind: Banerjee et al. (2005), Journal of Machine
Learning Research 6, 1705–1749, section 3.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from gnomon._typing import Bools, Floats, Integers
from gnomon.optim.solution import Callback, History, StopReason, Trace

__all__ = ["Reassigned", "reassign"]


class Reassigned(NamedTuple):
    """The end of (1).

    Parameters
    ----------
    labels : ndarray of int of shape (n,)
    objective : float
        J.
    n_iter : int
    converged : bool
    stop_reason : str
    history : dict of str to ndarray

    References
    ----------
    Banerjee, A. et al. (2005). Clustering with Bregman divergences. Journal of Machine Learning Research 6, 1705-1749.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import reassign
    >>> x = np.array([0.0, 1.0, 10.0, 11.0])
    >>> def distances(labels):
    ...     return abs(x[:, None] - [np.median(x[labels == j]) for j in (0, 1)])
    >>> reassign(distances, np.array([0, 1, 1, 1]), np.ones(4)).objective
    2.0
    """

    labels: Integers
    objective: float
    n_iter: int
    converged: bool
    stop_reason: StopReason
    history: History


def reassign(
    distances: Callable[[Integers], Floats],
    labels: Integers,
    weights: Floats,
    *,
    max_iter: int = 300,
    callback: Callback | None = None,
) -> Reassigned:
    """Repeat (1) until no label of a row with weight changes.

    A cluster that loses all its rows takes the row that is farthest from its representative.

    Parameters
    ----------
    distances : callable
        ``distances(labels)`` is the array of δ(i, j | labels) of shape (n, k); every cluster has rows.
    labels : ndarray of int of shape (n,)
        Where to start.
    weights : ndarray of shape (n,)
    max_iter : int, default=300
    callback : callable, optional
        Called with each row of the history; True stops.

    Returns
    -------
    Reassigned

    References
    ----------
    Banerjee, A. et al. (2005). Clustering with Bregman divergences. Journal of Machine Learning Research 6, 1705-1749.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import reassign
    >>> x = np.array([0.0, 1.0, 10.0, 11.0])
    >>> def distances(labels):
    ...     return (x[:, None] - [np.mean(x[labels == j]) for j in (0, 1)]) ** 2
    >>> reassign(distances, np.array([0, 1, 1, 1]), np.ones(4)).labels
    array([0, 0, 1, 1])
    """
    trace, used = Trace(callback), weights > 0.0
    reason: StopReason = "max_iter"
    n_iter, rows = 0, np.arange(len(labels))
    while True:
        D = distances(labels)
        nearest = np.argmin(D, axis=1)
        # A row stays where it is among equally near clusters: else rounding could move it to and fro.
        nearest = np.where(D[rows, labels] <= D[rows, nearest], labels, nearest)
        own = D[rows, nearest]
        objective = float(weights @ own)
        asked = trace.add(n_iter, objective)
        changed = not np.array_equal(nearest[used], labels[used])
        labels = nearest
        if not changed or asked or n_iter == max_iter:
            reason = "no_change" if not changed else "callback" if asked else "max_iter"
            break
        labels = _without_empty(labels, own, used, D.shape[1])
        n_iter += 1
    met = reason == "no_change"
    return Reassigned(labels, objective, min(n_iter + met, max_iter), met, reason, trace.history)


def _without_empty(labels: Integers, own: Floats, used: Bools, k: int) -> Integers:
    """Labels in which each cluster without rows has the farthest row of a cluster that keeps some."""
    labels = labels.copy()
    for j in np.flatnonzero(np.bincount(labels[used], minlength=k) == 0):
        sizes = np.bincount(labels[used], minlength=k)
        can = used & (sizes[labels] > 1)
        i = int(np.argmax(np.where(can, own, -1.0)))
        labels[i], own = j, np.where(np.arange(len(own)) == i, -1.0, own)
    return labels
