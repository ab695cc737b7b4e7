"""Best subset regression: the least squares of every size, exactly.

    rss(k) = min over |S| = k of  min_w ‖t − Z_S w‖²,        k = 0, 1, …, d                          (1)

Leaps and bounds: dropping a column never lowers the residual, so a branch whose smallest residual exceeds the best
known for every size it can still produce is cut. Furnival & Wilson (1974), doi:10.1080/00401706.1974.10489231; the
tree of dropped columns on triangular factors, strongest column first: Hofmann, Gatu & Kontoghiorghes (2007),
doi:10.1016/j.csda.2007.03.017. Beyond a few dozen columns: forward selection, Efroymson (1960), improved by iterative
hard thresholding, Blumensath & Davies (2009), doi:10.1016/j.acha.2009.04.002; then nothing is proved.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import linalg

from gnomon._jit import jit_no_alloc, jitable
from gnomon._typing import ArrayLike, Floats, Integers

__all__ = ["SubsetTable", "best_subsets", "greedy_subsets", "size_intervals"]

_REORDER_FROM = 5
"""Branches with fewer free columns than this are not worth sorting."""


class SubsetTable(NamedTuple):
    """The best subset of each size.

    Parameters
    ----------
    rss : ndarray of shape (K + 1,)
        Residual sum of squares by size.
    subsets : list of ndarray
        The columns, ascending, by size.
    exact : bool
        Whether equation (1) is proved.
    n_nodes : int
        Branches visited.

    References
    ----------
    Furnival, G. M. & Wilson, R. W. (1974). Regressions by leaps and bounds. doi:10.1080/00401706.1974.10489231

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import best_subsets
    >>> table = best_subsets(np.eye(3), np.array([3.0, -0.2, -2.0]))
    >>> table.rss.round(2) + 0.0, [s.tolist() for s in table.subsets]
    (array([13.04,  4.04,  0.04,  0.  ]), [[], [0], [0, 2], [0, 1, 2]])
    """

    rss: Floats
    subsets: list[Integers]
    exact: bool
    n_nodes: int


def best_subsets(R: Floats, z: Floats, rest: float = 0.0, *, max_size: int | None = None) -> SubsetTable:
    """Solve (1) for every size up to `max_size`, by leaps and bounds.

    Parameters
    ----------
    R : ndarray of shape (m, d)
        Any matrix with RᵀR = ZᵀZ, for example the triangular factor of the centred rows.
    z : ndarray of shape (m,)
        With Rᵀz = Zᵀt.
    rest : float, default=0.0
        ‖t‖² − ‖z‖², the part of t that no column explains.
    max_size : int, optional
        Largest size of interest; `d` by default.

    Returns
    -------
    SubsetTable

    References
    ----------
    Furnival, G. M. & Wilson, R. W. (1974). Regressions by leaps and bounds. doi:10.1080/00401706.1974.10489231

    Hofmann, M., Gatu, C. & Kontoghiorghes, E. J. (2007). Efficient algorithms for computing the best subset regression
    models for large-scale problems. doi:10.1016/j.csda.2007.03.017

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import best_subsets
    >>> X, y = np.array([[10.0, 9], [9, 10], [10, 11], [11, 10]]), np.array([1.0, -1, -1, 1])
    >>> best_subsets(X, y).rss.round(7) + 0.0
    array([4.       , 3.9900498, 0.       ])
    """
    d = R.shape[1]
    K = d if max_size is None else min(max_size, d)
    A, order = np.zeros((d + 1, d, d + 1)), np.zeros((d + 1, d), dtype=np.int64)
    A[0], extra = _square(R, z)
    order[0] = np.arange(d)
    best, subset = np.full(d + 1, np.inf), np.zeros((d + 1, d), dtype=np.int64)
    best[0] = float(np.sum(A[0, :, d] ** 2)) + extra
    path, work = np.zeros((3, d + 1), dtype=np.int64), np.zeros((d + 2, d + 1))
    n_nodes = _leaps(A, order, extra, best, subset, K, path, work) if d > 0 else 0
    subsets = [np.sort(subset[k, :k]) for k in range(K + 1)]
    rss = np.array([_residual(R, z, columns) for columns in subsets])
    return SubsetTable(np.minimum.accumulate(rss) + rest, subsets, True, int(n_nodes))


def greedy_subsets(S: Floats, c: Floats, total: float, *, max_size: int, max_iter: int = 100) -> SubsetTable:
    """Good subsets of each size for many columns: forward selection, then hard thresholding from each of them.

    Parameters
    ----------
    S : ndarray of shape (d, d)
        ZᵀZ.
    c : ndarray of shape (d,)
        Zᵀt.
    total : float
        ‖t‖².
    max_size : int
    max_iter : int, default=100
        Thresholding steps for each size.

    Returns
    -------
    SubsetTable
        With ``exact=False``.

    References
    ----------
    Blumensath, T. & Davies, M. E. (2009). Iterative hard thresholding for compressed sensing.
    doi:10.1016/j.acha.2009.04.002

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import greedy_subsets
    >>> table = greedy_subsets(np.eye(3), np.array([3.0, -0.2, -2.0]), 13.04, max_size=2)
    >>> table.rss.round(2), table.subsets[2].tolist(), table.exact
    (array([13.04,  4.04,  0.04]), [0, 2], False)
    """
    order = _forward(S, c, max_size)
    step = 1.0 / max(float(linalg.eigvalsh(S, subset_by_index=[len(S) - 1, len(S) - 1])[0]), 1e-300)
    rss = [total]
    subsets: list[Integers] = [np.zeros(0, dtype=np.int64)]
    for k in range(1, len(order) + 1):
        start = np.sort(order[:k])
        candidates = [start, _threshold(S, c, start, step, max_iter)]
        values = [total - float(c[s] @ _solve(S, c, s)) for s in candidates]
        best = int(np.argmin(values))
        rss.append(max(min(values[best], rss[-1]), 0.0))
        subsets.append(candidates[best])
    return SubsetTable(np.array(rss), subsets, False, 2 * len(order))


def size_intervals(rss: ArrayLike) -> list[tuple[float, float] | None]:
    """For each size k the open interval of ρ where rss(k) + ρk is least, None where there is no such ρ.

    References
    ----------
    Furnival, G. M. & Wilson, R. W. (1974). Regressions by leaps and bounds. doi:10.1080/00401706.1974.10489231

    Examples
    --------
    >>> from gnomon.optim import size_intervals
    >>> size_intervals([4.0, 3.9900498, 0.0])
    [(2.0, inf), None, (0.0, 2.0)]
    """
    rss = np.asarray(rss, dtype=float)
    found = []
    for k in range(len(rss)):
        low = max((float(rss[k] - rss[j]) / (j - k) for j in range(k + 1, len(rss))), default=0.0)
        high = min((float(rss[i] - rss[k]) / (k - i) for i in range(k)), default=np.inf)
        found.append((low, high) if low < high * (1.0 - 1e-12) else None)
    return found


def _square(R: Floats, z: Floats) -> tuple[Floats, float]:
    """[R z] as a regular triangle of d rows, and the square of what z has outside its range."""
    d = R.shape[1]
    # A tiny ridge term avoids division by zero for dependent columns; the residuals are recomputed without it.
    norms = np.sqrt(np.sum(R * R, axis=0))
    ridge = 1e-8 * np.where(norms > 0.0, norms, max(np.max(norms), 1.0)) * _is_deficient(R)
    stack = np.vstack([np.column_stack([R, z]), np.column_stack([np.diag(ridge), np.zeros(d)])])
    T = linalg.qr(stack, mode="r")[0]
    return T[:d], float(np.sum(T[d:, d] ** 2))


def _residual(R: Floats, z: Floats, columns: Integers) -> float:
    """‖z − R_S w‖² at its least."""
    if len(columns) == 0:
        return float(z @ z)
    part = R[:, columns]
    return float(np.sum((z - part @ linalg.lstsq(part, z)[0]) ** 2))


def _is_deficient(R: Floats) -> bool:
    norms = np.sqrt(np.sum(R * R, axis=0))
    return bool(np.linalg.matrix_rank(R / np.where(norms > 0.0, norms, 1.0)) < R.shape[1])


def _forward(S: Floats, c: Floats, max_size: int) -> Integers:
    """The order in which columns enter: each the one that lowers the residual most, given those before it."""
    S, c = S.copy(), c.copy()
    scale = np.diag(S).copy()
    order: list[int] = []
    for _ in range(max_size):
        left = np.diag(S)
        gain = np.where(left > 1e-12 * scale, c**2 / np.where(left > 0.0, left, 1.0), -1.0)
        gain[order] = -1.0
        j = int(np.argmax(gain))
        if gain[j] < 0.0:
            break
        order.append(j)
        column = S[:, j].copy()
        c = c - column * (c[j] / column[j])
        S = S - np.outer(column, column / column[j])
    return np.array(order, dtype=np.int64)


def _threshold(S: Floats, c: Floats, start: Integers, step: float, max_iter: int) -> Integers:
    """w ← the k largest of w + step (c − Sw), until the support stays; w is refitted on each support."""
    support = start
    for _ in range(max_iter):
        w = np.zeros(len(c))
        w[support] = _solve(S, c, support)
        moved = np.abs(w + step * (c - S @ w))
        new = np.sort(np.argsort(-moved, kind="stable")[: len(start)])
        if np.array_equal(new, support):
            break
        support = new
    return support


def _solve(S: Floats, c: Floats, support: Integers) -> Floats:
    return linalg.lstsq(S[np.ix_(support, support)], c[support])[0]


@jit_no_alloc
def _leaps(
    A: Floats, order: Integers, rest: float, best: Floats, subset: Integers, max_size: int, path: Integers, work: Floats
) -> int:
    """Depth-first search of the tree of dropped columns from A[0] and order[0]; returns the number of nodes.

    A node is a triangle over m columns of which the first `fixed` stay in every descendant. Its leading columns are
    models themselves; its children drop one of the free columns each. `path` and `work` are buffers for the path from
    the root and for a triangle.
    """
    d = A.shape[1]
    size, fixed, drop, base, inverse = path[0], path[1], path[2], work[0], work[1:]
    size[0], fixed[0], base[0], drop[0] = d, 0, rest, d - 2
    _sort_free(A[0], order[0], d, 0, d, inverse)
    _record(A[0], order[0], d, 0, d, rest, best, subset)
    level, n_nodes = 0, 1
    while level >= 0:
        i = drop[level]
        if i < fixed[level]:
            level -= 1
            continue
        drop[level] = i - 1
        m = size[level] - 1
        # New models below this child have at least i + 1 columns, and no smaller residual than the child.
        if i + 1 > max_size:
            continue
        lost = _drop(A[level], order[level], m + 1, i, d, A[level + 1], order[level + 1])
        n_nodes += 1
        if base[level] + lost >= best[i + 1]:
            continue
        level += 1
        size[level], fixed[level], base[level], drop[level] = m, i, base[level - 1] + lost, m - 2
        if m - i >= _REORDER_FROM:
            _sort_free(A[level], order[level], m, i, d, inverse)
        _record(A[level], order[level], m, i, d, base[level], best, subset)
    return n_nodes


@jitable
def _record(
    A: Floats, order: Integers, m: int, fixed: int, d: int, base: float, best: Floats, subset: Integers
) -> None:
    """Compare the leading models of a node with the best so far."""
    rss = base
    for k in range(m, fixed, -1):
        if rss < best[k]:
            best[k] = rss
            for c in range(k):
                subset[k, c] = order[c]
        rss += A[k - 1, d] * A[k - 1, d]


@jitable
def _drop(A: Floats, order: Integers, m: int, i: int, d: int, B: Floats, new_order: Integers) -> float:
    """The triangle without column i, in B; returns what its residual gains."""
    for c in range(m - 1):
        source = c if c < i else c + 1
        new_order[c] = order[source]
        for r in range(min(source, m - 1) + 1):
            B[r, c] = A[r, source]
        for r in range(source + 1, m):
            B[r, c] = 0.0
    for r in range(m):
        B[r, d] = A[r, d]
    for c in range(i, m - 1):
        _rotate(B, c, c, m - 1, d)
    return B[m - 1, d] * B[m - 1, d]


@jitable
def _rotate(B: Floats, r: int, c: int, n_columns: int, d: int) -> None:
    """Zero B[r + 1, c] by a Givens rotation of rows r and r + 1."""
    a, b = B[r, c], B[r + 1, c]
    if b == 0.0:
        return
    h = np.sqrt(a * a + b * b)
    cos, sin = a / h, b / h
    for j in range(c, n_columns):
        x, y = B[r, j], B[r + 1, j]
        B[r, j], B[r + 1, j] = cos * x + sin * y, cos * y - sin * x
    x, y = B[r, d], B[r + 1, d]
    B[r, d], B[r + 1, d] = cos * x + sin * y, cos * y - sin * x


@jitable
def _sort_free(A: Floats, order: Integers, m: int, fixed: int, d: int, work: Floats) -> None:
    """Order the free columns by the cost of dropping each, largest first, and restore the triangle."""
    cost, inverse = work[0], work[1:]
    _drop_costs(A, m, fixed, d, inverse, cost)
    for c in range(fixed, m):
        dearest = c
        for j in range(c + 1, m):
            if cost[j - fixed] > cost[dearest - fixed]:
                dearest = j
        cost[dearest - fixed] = cost[c - fixed]
        order[c], order[dearest] = order[dearest], order[c]
        for r in range(m):
            A[r, c], A[r, dearest] = A[r, dearest], A[r, c]
    for c in range(fixed, m):
        for r in range(m - 2, c - 1, -1):
            _rotate(A, r, c, m, d)


@jitable
def _drop_costs(A: Floats, m: int, fixed: int, d: int, inverse: Floats, cost: Floats) -> None:
    """(wⱼ / ‖eⱼᵀR⁻¹‖)² for the free columns: what the residual gains when column j is dropped."""
    f = m - fixed
    for c in range(f):
        inverse[c, c] = 1.0 / A[fixed + c, fixed + c]
        for r in range(c - 1, -1, -1):
            total = 0.0
            for k in range(r + 1, c + 1):
                total += A[fixed + r, fixed + k] * inverse[k, c]
            inverse[r, c] = -total / A[fixed + r, fixed + r]
    for r in range(f):
        w, norm = 0.0, 0.0
        for c in range(r, f):
            w += inverse[r, c] * A[fixed + c, d]
            norm += inverse[r, c] * inverse[r, c]
        cost[r] = w * w / norm
