"""k-medoids.

    minimise over rows m₁ … m_k    L = Σᵢ sᵢ minⱼ δ(i, mⱼ)                                               (1)

PAM exchanges a medoid for another row as long as that lowers (1). FasterPAM finds the best medoid to exchange for a row
in one pass over the rows, from the nearest and second nearest medoid of each, and exchanges at once: Schubert &
Rousseeuw (2021), doi:10.1016/j.is.2021.101804, algorithms 3 and 4. The first medoids are taken one by one, each the row
that lowers (1) most: BUILD of Kaufman & Rousseeuw (1990), doi:10.1002/9780470316801.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gnomon._jit import jit, subroutine
from gnomon._typing import Floats, Integers

__all__ = ["Medoids", "build_medoids", "faster_pam"]


class Medoids(NamedTuple):
    """The end of FasterPAM.

    Parameters
    ----------
    rows : ndarray of int of shape (k,)
        The medoids.
    labels : ndarray of int of shape (n,)
    objective : float
        L.
    n_iter : int
        Passes over the rows.
    n_swaps : int
    converged : bool
        Whether no exchange of a medoid lowers L.
    history : ndarray
        L before the first pass and after each.

    References
    ----------
    Schubert, E. & Rousseeuw, P. J. (2021). Fast and eager k-medoids clustering. doi:10.1016/j.is.2021.101804

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import faster_pam
    >>> x = np.array([0.0, 1.0, 2.0, 10.0, 11.0])
    >>> found = faster_pam(abs(x - x[:, None]), np.array([0, 1]), np.ones(5))
    >>> np.sort(found.rows), found.objective
    (array([1, 3]), 3.0)
    """

    rows: Integers
    labels: Integers
    objective: float
    n_iter: int
    n_swaps: int
    converged: bool
    history: Floats


def faster_pam(D: Floats, rows: Integers, weights: Floats, *, max_iter: int = 100) -> Medoids:
    """Exchange medoids until no exchange lowers (1).

    Parameters
    ----------
    D : ndarray of shape (n, n)
        Symmetric.
    rows : ndarray of int of shape (k,)
        Medoids to start from.
    weights : ndarray of shape (n,)
        A row without weight is no medoid.
    max_iter : int, default=100
        Passes over the rows.

    Returns
    -------
    Medoids

    References
    ----------
    Schubert, E. & Rousseeuw, P. J. (2021). Fast and eager k-medoids clustering. doi:10.1016/j.is.2021.101804

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import faster_pam
    >>> x = np.array([0.0, 1.0, 9.0])
    >>> faster_pam(abs(x - x[:, None]), np.array([1]), np.array([1.0, 1.0, 5.0])).rows
    array([2])
    """
    rows = np.array(rows, dtype=np.int64)
    n, k = len(D), len(rows)
    if k == 1:
        return _single(D, rows, weights)
    near, second = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    d_near, d_second = np.empty(n), np.empty(n)
    _all_nearest(D, rows, near, second, d_near, d_second)
    history = [float(weights @ d_near)]
    n_swaps, n_iter, since = 0, 0, 0
    gains = np.empty(k)
    while n_iter < max_iter and since < n:
        swaps, since = _pass(D, weights, rows, near, second, d_near, d_second, gains, since)
        n_swaps, n_iter = n_swaps + swaps, n_iter + 1
        history.append(float(weights @ d_near))
    return Medoids(rows, near, history[-1], n_iter, n_swaps, since >= n, np.array(history))


def _single(D: Floats, rows: Integers, weights: Floats) -> Medoids:
    costs = D @ weights
    best = int(np.argmin(np.where(weights > 0.0, costs, np.inf)))
    history = np.array([costs[rows[0]], costs[best]])
    swaps = int(costs[best] < costs[rows[0]])
    return Medoids(np.array([best]), np.zeros(len(D), dtype=np.int64), float(costs[best]), 1, swaps, True, history)


def build_medoids(D: Floats, k: int, weights: Floats) -> Integers:
    """k medoids, each the row that lowers (1) most.

    Parameters
    ----------
    D : ndarray of shape (n, n)
    k : int
    weights : ndarray of shape (n,)

    Returns
    -------
    ndarray of int of shape (k,)

    References
    ----------
    Kaufman, L. & Rousseeuw, P. J. (1990). Finding groups in data. doi:10.1002/9780470316801

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import build_medoids
    >>> x = np.array([0.0, 1.0, 2.0, 10.0, 11.0])
    >>> build_medoids(abs(x - x[:, None]), 2, np.ones(5))
    array([2, 3])
    """
    rows = np.empty(k, dtype=np.int64)
    closest = np.full(len(D), np.inf)
    for c in range(k):
        left = np.where(weights > 0.0, _cost_with(D, closest, weights), np.inf)
        left[rows[:c]] = np.inf
        rows[c] = int(np.argmin(left))
        closest = np.minimum(closest, D[rows[c]])
    return rows


@jit
def _cost_with(D: Floats, closest: Floats, weights: Floats) -> Floats:
    """L once each row is a medoid too."""
    cost = np.zeros(len(D))
    for i in range(len(D)):
        line = D[i]
        for o in range(len(D)):
            cost[i] += weights[o] * min(line[o], closest[o])
    return cost


@jit
def _all_nearest(D: Floats, rows: Integers, near: Integers, second: Integers, d_near: Floats, d_second: Floats) -> None:
    for o in range(len(D)):
        _two_nearest(D, rows, o, near, second, d_near, d_second)


@subroutine
def _two_nearest(
    D: Floats, rows: Integers, o: int, near: Integers, second: Integers, d_near: Floats, d_second: Floats
) -> None:
    """The places of the two medoids nearest to row o; a single medoid has none behind it."""
    near[o], second[o], d_near[o], d_second[o] = 0, 0, np.inf, np.inf
    for j in range(len(rows)):
        d = D[o, rows[j]]
        # A medoid is its own, whatever other row lies where it does.
        if d < d_near[o] or (rows[j] == o and d <= d_near[o]):
            near[o], second[o], d_near[o], d_second[o] = j, near[o], d, d_near[o]
        elif d < d_second[o]:
            second[o], d_second[o] = j, d


@jit
def _pass(
    D: Floats,
    weights: Floats,
    rows: Integers,
    near: Integers,
    second: Integers,
    d_near: Floats,
    d_second: Floats,
    gains: Floats,
    since: int,
) -> tuple[int, int]:
    """Try every row as a medoid, until as many rows in a row as there are brought nothing: swaps, and that number."""
    n, n_swaps = len(D), 0
    losses = np.empty(len(rows))
    _removal_losses(weights, near, d_near, d_second, losses)
    for c in range(n):
        if since >= n:
            break
        since += 1
        if rows[near[c]] == c or weights[c] == 0.0:
            continue
        j, gain = _best_exchange(D[c], weights, near, d_near, d_second, losses, gains)
        # Relative to what is exchanged: smaller changes are rounding, and could go on for ever.
        if gain < -1e-12 * (abs(losses[j]) + 1e-300):
            rows[j] = c
            _follow_swap(D, rows, j, near, second, d_near, d_second)
            _removal_losses(weights, near, d_near, d_second, losses)
            n_swaps += 1
            since = 0
    return n_swaps, since


@subroutine
def _removal_losses(weights: Floats, near: Integers, d_near: Floats, d_second: Floats, losses: Floats) -> None:
    """What the removal of each medoid costs."""
    losses[:] = 0.0
    for o in range(len(near)):
        losses[near[o]] += weights[o] * (d_second[o] - d_near[o])


@subroutine
def _best_exchange(
    line: Floats, weights: Floats, near: Integers, d_near: Floats, d_second: Floats, losses: Floats, gains: Floats
) -> tuple[int, float]:
    """The medoid that is best exchanged for a row with these distances, and what that changes L by."""
    shared = 0.0
    for j in range(len(losses)):
        gains[j] = losses[j]
    for o in range(len(line)):
        d = line[o]
        if d < d_second[o]:
            if d < d_near[o]:
                shared += weights[o] * (d - d_near[o])
                gains[near[o]] += weights[o] * (d_near[o] - d_second[o])
            else:
                gains[near[o]] += weights[o] * (d - d_second[o])
    best = 0
    for j in range(1, len(gains)):
        best = j if gains[j] < gains[best] else best
    return best, gains[best] + shared


@subroutine
def _follow_swap(
    D: Floats, rows: Integers, j: int, near: Integers, second: Integers, d_near: Floats, d_second: Floats
) -> None:
    """Nearest and second nearest medoids once medoid j is another row."""
    line = D[rows[j]]
    for o in range(len(near)):
        if near[o] == j or second[o] == j:
            _two_nearest(D, rows, o, near, second, d_near, d_second)
        elif line[o] < d_near[o]:
            near[o], second[o], d_near[o], d_second[o] = j, near[o], line[o], d_near[o]
        elif line[o] < d_second[o]:
            second[o], d_second[o] = j, line[o]
