"""Ward's tree from rows.

    δ(a, b) = 2 n_a n_b / (n_a + n_b) ‖μ_a − μ_b‖²  ≥  2 n_a n_b / (n_a + n_b) ‖V(μ_a − μ_b)‖²,   V Vᵀ = I       (1)

Clusters that are each other's nearest are merged, found by chains of nearest neighbours of means in O(n²) distances
and O(n d) memory: Murtagh (1983), doi:10.1093/comjnl/26.4.354. Where a few principal directions V hold most of the
variance, the right side of (1) is looked at first, and the left for the few clusters that it does not rule out.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gnomon._jit import jit, subroutine
from gnomon._typing import Floats, Integers
from gnomon.numerics.centred_rows import rows_about
from gnomon.numerics.principal import principal_components

__all__ = ["ward_chain"]

SHARE = 0.8
"""Of the variance that the directions V hold."""

MANY = 32
"""Columns from which on few directions may be worth their search."""

ROUNDING = 1e-12
"""Errors of V(μ_a − μ_b), in units of the longest row."""


class _Shadows(NamedTuple):
    """Rows in few directions.

    Fields
    ------
    columns : ndarray of shape (m, n)
        V x of each row x, or the rows themselves.
    rows : ndarray of shape (n, d)
        The rows; without columns where the shadows are complete.
    slack : float
        How much longer than a difference of rows that of their shadows may be, by rounding.
    """

    columns: Floats
    rows: Floats
    slack: float


def ward_chain(X: Floats) -> Floats:
    """Edges of Ward's tree.

    Parameters
    ----------
    X : ndarray of float of shape (n, d)

    Returns
    -------
    ndarray of shape (n − 1, 3)
        Two rows, each of one of the clusters that are merged, and δ of (1), in no particular order.

    References
    ----------
    Murtagh, F. (1983). A survey of recent advances in hierarchical clustering algorithms. doi:10.1093/comjnl/26.4.354

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search._ward_chain import ward_chain
    >>> ward_chain(np.array([[0.0], [1.0], [3.0]]))[:, 2].round(6)
    array([1.      , 8.333333])
    """
    return _merges(*_shadows(X))


def _shadows(X: Floats) -> _Shadows:
    n, d = X.shape
    most = d // 3
    if d >= MANY and n >= 2 * d:
        about = rows_about(X)
        found = principal_components(about, most, route="covariance_eigh")
        held = np.cumsum(found.values)
        if held[-1] >= SHARE * found.total > 0.0:
            m = int(np.searchsorted(held, SHARE * found.total)) + 1
            longest = float(np.sqrt(np.max(np.einsum("ij,ij->i", X, X))))
            columns = np.ascontiguousarray(about.times(found.axes[:, :m]).T)
            return _Shadows(columns, X.copy(), ROUNDING * longest)
    return _Shadows(np.ascontiguousarray(X.T), np.empty((n, 0)), 0.0)


@jit
def _merges(columns: Floats, rows: Floats, slack: float) -> Floats:
    """Merges by chains of nearest neighbours of means, by which the columns and rows are overwritten."""
    n = columns.shape[1]
    merges, size, ids = np.empty((n - 1, 3)), np.ones(n), np.arange(n)
    place, chain, length = np.arange(n), np.empty(n, dtype=np.int64), 0
    values, n_alive = np.empty(n), n
    for i in range(n - 1):
        if length == 0:
            chain[0], length = ids[0], 1
        while True:
            a = place[chain[length - 1]]
            before = place[chain[length - 2]] if length > 1 else -1
            _squares(columns, size, a, n_alive, values)
            if rows.shape[1] == 0:
                b = _least(values, n_alive, a, before)
            else:
                b = _least_of_rows(values, rows, size, n_alive, a, before, slack)
            if b == before and length > 1:
                break
            chain[length] = ids[b]
            length += 1
        length -= 2
        merges[i, 0], merges[i, 1], merges[i, 2] = ids[a], ids[b], values[b]
        n_alive = _join_means(columns, rows, size, ids, place, a, b, n_alive)
    return merges


@subroutine
def _squares(columns: Floats, size: Floats, a: int, n_alive: int, values: Floats) -> None:
    """(1) for every cluster c, in the directions that the columns have."""
    d = len(columns)
    for c in range(n_alive):
        values[c] = 0.0
    for f in range(d):
        line, x = columns[f], columns[f, a]
        for c in range(n_alive):
            apart = line[c] - x
            values[c] += apart * apart
    for c in range(n_alive):
        values[c] *= 2.0 * size[a] * size[c] / (size[a] + size[c])


@subroutine
def _least(values: Floats, n_alive: int, a: int, before: int) -> int:
    """The place of the least value but `a`; `before` where it is among the least."""
    values[a] = np.inf
    best = before if before >= 0 else (0 if a > 0 else 1)
    least = values[best]
    for c in range(n_alive):
        if values[c] < least:
            best, least = c, values[c]
    return best


@subroutine
def _least_of_rows(values: Floats, rows: Floats, size: Floats, n_alive: int, a: int, before: int, slack: float) -> int:
    """The same where the values are lower bounds; that of the cluster that is found becomes the left side of (1)."""
    first = _least(values, n_alive, a, -1)
    best, least = first, _square(rows, size, a, first)
    if before >= 0:
        found = _square(rows, size, a, before)
        if found <= least:
            best, least = before, found
    # A weight of (1) is below 2 n_a.
    far = np.sqrt(2.0 * size[a]) * slack
    limit = (np.sqrt(least) + far) ** 2
    for c in range(n_alive):
        if values[c] > limit or c in (first, before):
            continue
        found = _square(rows, size, a, c)
        if found < least or (found == least and c < best and best != before):
            best, least = c, found
            limit = (np.sqrt(least) + far) ** 2
    values[best] = least
    return best


@subroutine
def _square(rows: Floats, size: Floats, a: int, c: int) -> float:
    """The left side of (1)."""
    total = 0.0
    for f in range(rows.shape[1]):
        apart = rows[c, f] - rows[a, f]
        total += apart * apart
    return total * (2.0 * size[a] * size[c] / (size[a] + size[c]))


@subroutine
def _join_means(
    columns: Floats, rows: Floats, size: Floats, ids: Integers, place: Integers, a: int, b: int, n_alive: int
) -> int:
    """Merge the cluster at place a into that at place b; the last one takes the place that is free."""
    total, last = size[a] + size[b], n_alive - 1
    share = size[a] / total
    for f in range(len(columns)):
        columns[f, b] += (columns[f, a] - columns[f, b]) * share
        columns[f, a] = columns[f, last]
    for f in range(rows.shape[1]):
        rows[b, f] += (rows[a, f] - rows[b, f]) * share
        rows[a, f] = rows[last, f]
    size[b] = total
    size[a] = size[last]
    ids[a] = ids[last]
    place[ids[a]] = a
    return last
