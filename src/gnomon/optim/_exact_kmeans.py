"""The least cost of k-means.

    J* = min over partitions into k clusters of Σⱼ Σ_{i∈j} sᵢ ‖xᵢ − μⱼ‖²                               (1)

In one dimension clusters are intervals of the sorted rows, and J*(c, n) = min_m J*(c − 1, m) + cost(m + 1 … n), where
the best m does not fall as n grows: Wang & Song (2011), doi:10.32614/RJ-2011-015, in O(k n log n) steps by Grønlund et
al. (2017), arXiv:1701.07204. In more dimensions all partitions of few rows are searched; a partition of the first rows
that costs as much as the best one of all is left.
"""

import numpy as np

from gnomon._jit import jit
from gnomon._typing import ArrayLike, Floats, Integers
from gnomon.numerics.validation import check_integer
from gnomon.numerics.weights import check_weights
from gnomon.optim._kmeans import KMeansResult
from gnomon.optim.center_distances import row_unit
from gnomon.optim.center_search import nearest_center

__all__ = ["exact_kmeans"]

MOST_ROWS = 12
"""Rows of which all partitions are searched."""


def exact_kmeans(X: ArrayLike, k: int, sample_weight: ArrayLike | None = None) -> KMeansResult:
    """The optimum (1): of any number of rows with one column, or of at most twelve rows.

    Parameters
    ----------
    X : array-like of shape (n, d)
    k : int
        At most the number of rows of positive weight.
    sample_weight : array-like of shape (n,), optional

    Returns
    -------
    KMeansResult
        Clusters are numbered in the order of their first rows.

    References
    ----------
    Wang, H. & Song, M. (2011). Ckmeans.1d.dp: optimal k-means clustering in one dimension by dynamic programming.
    doi:10.32614/RJ-2011-015

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.cluster import exact_kmeans
    >>> exact_kmeans([[0.0], [1.0], [2.0], [3.1]], 2).labels
    array([0, 0, 1, 1])
    >>> P = np.array([[1, 1], [1.5, 2], [3, 4], [5, 7], [3.5, 5], [4.5, 5], [3.5, 4.5]])
    >>> [round(exact_kmeans(P, k).objective, 6) for k in (1, 2, 3)]
    [37.071429, 8.525, 2.5]
    """
    A = np.asarray(X, dtype=float)
    if A.ndim != 2 or not np.all(np.isfinite(A)):
        raise ValueError(f"X of shape {A.shape} must be a matrix of finite numbers, one row for each item")
    weights = check_weights(sample_weight, A).astype(float)
    used = np.flatnonzero(weights > 0.0)
    check_integer("k", k, low=1, high=len(used))
    if A.shape[1] > 1 and len(used) > MOST_ROWS:
        raise ValueError(
            f"X has {len(used)} rows and {A.shape[1]} columns; the optimum is found for one column, or for at most "
            f"{MOST_ROWS} rows; use KMeans"
        )
    unit = row_unit(A)
    rows = (A[used] - A[used].mean(axis=0)) / unit
    best = _on_a_line(rows[:, 0], k, weights[used]) if A.shape[1] == 1 else _of_few(rows, k, weights[used])
    return _result(A, best, used, weights, k)


def _result(A: Floats, best: Integers, used: Integers, weights: Floats, k: int) -> KMeansResult:
    numbers = dict(zip(dict.fromkeys(best.tolist()), range(k), strict=True))
    best = np.array([numbers[label] for label in best.tolist()])
    inside = [used[best == j] for j in range(k)]
    centers = np.array([np.average(A[rows], axis=0, weights=weights[rows]) for rows in inside])
    labels = nearest_center(A, centers)[0]
    labels[used] = best
    objective = float(weights @ np.sum((A - centers[labels]) ** 2, axis=1))
    history = {"iteration": np.zeros(1), "objective": np.array([objective]), "seconds": np.zeros(1)}
    return KMeansResult(centers, labels, objective, 0, True, history, "exact", 0)


def _on_a_line(x: Floats, k: int, weights: Floats) -> Integers:
    order = np.argsort(x, kind="stable")
    s, y = weights[order], x[order]
    none, first, second = (np.concatenate([[0.0], np.cumsum(part)]) for part in (s, s * y, s * y * y))
    starts = _interval_starts(none, first, second, k)
    labels = np.empty(len(x), dtype=np.int64)
    labels[order] = np.searchsorted(starts, np.arange(len(x)), side="right") - 1
    return labels


@jit
def _interval_starts(s: Floats, sy: Floats, syy: Floats, k: int) -> Integers:
    """Where each of the k best intervals starts."""
    n = len(s) - 1
    cost, last = np.full((k, n + 1), np.inf), np.zeros((k, n + 1), dtype=np.int64)
    for m in range(1, n + 1):
        cost[0, m] = _interval_cost(s, sy, syy, 0, m)
    for c in range(1, k):
        _next_layer(s, sy, syy, cost[c - 1], cost[c], last[c], c + 1)
    starts, end = np.zeros(k, dtype=np.int64), n
    for c in range(k - 1, 0, -1):
        end = last[c, end]
        starts[c] = end
    return starts


@jit
def _next_layer(s: Floats, sy: Floats, syy: Floats, before: Floats, cost: Floats, last: Integers, least: int) -> None:
    """The best last interval of the first m rows for every m, the middle one first: its start bounds the others."""
    n = len(s) - 1
    stack = np.empty((2 * n + 2, 4), dtype=np.int64)
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = least, n, least - 1, n - 1
    depth = 1
    while depth > 0:
        depth -= 1
        lo, hi, first, final = stack[depth, 0], stack[depth, 1], stack[depth, 2], stack[depth, 3]
        if lo > hi:
            continue
        m = (lo + hi) // 2
        for start in range(first, min(final, m - 1) + 1):
            value = before[start] + _interval_cost(s, sy, syy, start, m)
            if value < cost[m]:
                cost[m], last[m] = value, start
        stack[depth, 0], stack[depth, 1], stack[depth, 2], stack[depth, 3] = lo, m - 1, first, last[m]
        stack[depth + 1, 0], stack[depth + 1, 1], stack[depth + 1, 2], stack[depth + 1, 3] = m + 1, hi, last[m], final
        depth += 2


@jit
def _interval_cost(s: Floats, sy: Floats, syy: Floats, start: int, end: int) -> float:
    weight, total = s[end] - s[start], sy[end] - sy[start]
    return max(0.0, syy[end] - syy[start] - total * total / weight)


def _of_few(X: Floats, k: int, weights: Floats) -> Integers:
    """All partitions of the rows, each cluster begun by the first of its rows."""
    n = len(X)
    best: tuple[float, Integers] = (np.inf, np.zeros(n, dtype=np.int64))

    def extend(i: int, labels: list[int], sums: list[Floats], totals: list[float], cost: float) -> None:
        nonlocal best
        if cost >= best[0] or len(sums) + n - i < k:
            return
        if i == n:
            best = (cost, np.array(labels))
            return
        for j in range(len(sums)):
            apart = X[i] - sums[j] / totals[j]
            more = totals[j] * weights[i] / (totals[j] + weights[i]) * float(apart @ apart)
            new_sums, new_totals = sums.copy(), totals.copy()
            new_sums[j], new_totals[j] = sums[j] + weights[i] * X[i], totals[j] + weights[i]
            extend(i + 1, [*labels, j], new_sums, new_totals, cost + more)
        if len(sums) < k:
            extend(i + 1, [*labels, len(sums)], [*sums, weights[i] * X[i]], [*totals, weights[i]], cost)

    extend(0, [], [], [], 0.0)
    return best[1]
