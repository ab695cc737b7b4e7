"""The least cost of k-means.

    J* = min over partitions into k clusters of Σⱼ Σ_{i∈j} sᵢ ‖xᵢ − μⱼ‖²                               (1)

In one dimension clusters are intervals of the sorted rows, and J*(c, n) = min_m J*(c − 1, m) + cost(m + 1 … n), where
the best m does not fall as n grows: Wang & Song (2011), doi:10.32614/RJ-2011-015, in O(k n log n) steps by Grønlund et
al. (2017), arXiv:1701.07204. In more dimensions all partitions of few rows are searched; a partition of the first rows
that costs as much as the best one of all is left.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gnomon._jit import jit, subroutine
from gnomon._typing import ArrayLike, Floats, Integers
from gnomon.numerics.scale import PowerOfTwo
from gnomon.numerics.validation import check_integer
from gnomon.numerics.weights import check_weights
from gnomon.optim._kmeans import KMeansResult
from gnomon.optim.center_distances import check_objective, row_unit
from gnomon.optim.center_search import nearest_center

__all__ = ["exact_kmeans"]

MOST_ROWS = 12
"""Rows of which all partitions are searched."""

HALVES = 2.0**27 + 1.0
"""A multiple by which a double is cut in two halves whose products are exact."""


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
    rows = unit.inward(A)
    search = _of_few if A.shape[1] > 1 else _on_a_line
    best = search(rows[used], k, weights[used])
    return _result(rows, unit, best, used, weights, k)


def _result(rows: Floats, unit: PowerOfTwo, best: Integers, used: Integers, weights: Floats, k: int) -> KMeansResult:
    """Labels of the rows with weight as they were found, of the others by their nearest centre."""
    numbers = dict(zip(dict.fromkeys(best.tolist()), range(k), strict=True))
    best = np.array([numbers[label] for label in best.tolist()])
    inside = [used[best == j] for j in range(k)]
    centers = np.array([np.average(rows[part], axis=0, weights=weights[part]) for part in inside])
    labels = nearest_center(rows, centers)[0]
    labels[used] = best
    squares = np.sum((rows - centers[labels]) ** 2, axis=1)
    in_units = float(weights @ squares)
    objective = float(unit.outward(in_units, 2))
    check_objective(objective, is_zero=in_units == 0.0)
    history = {"iteration": np.zeros(1), "objective": np.array([objective]), "seconds": np.zeros(1)}
    centers, squares = unit.outward(centers), unit.outward(squares, 2)
    return KMeansResult(centers, labels, objective, 0, True, history, "exact", 0, squares)


def _on_a_line(X: Floats, k: int, weights: Floats) -> Integers:
    """The best intervals of rows with one column."""
    x = X[:, 0]
    order = np.argsort(x, kind="stable")
    starts = _interval_starts(_line_sums(x[order], weights[order]), k)
    labels = np.empty(len(x), dtype=np.int64)
    labels[order] = np.searchsorted(starts, np.arange(len(x)), side="right") - 1
    return labels


class _LineSums(NamedTuple):
    """Σ s, Σ s y and Σ s y² of the first rows, each in two parts: a number, and what rounding took from it.

    Far rows have large sums, and the cost of near ones is a difference of these: Dekker (1971), doi:10.1007/BF01397083.
    """

    s: Floats
    sy: Floats
    syy: Floats


@jit
def _line_sums(y: Floats, weights: Floats) -> _LineSums:
    n = len(y)
    sums = _LineSums(np.zeros((n + 1, 2)), np.zeros((n + 1, 2)), np.zeros((n + 1, 2)))
    for i in range(n):
        first, rest = _product(weights[i], y[i])
        second, other = _product(first, y[i])
        _add(sums.s, i, weights[i], 0.0)
        _add(sums.sy, i, first, rest)
        _add(sums.syy, i, second, other + rest * y[i])
    return sums


@subroutine
def _add(sums: Floats, i: int, a: float, b: float) -> None:
    """The sum of the first i + 1 terms, of which a + b is the last."""
    total, lost = _sum(sums[i, 0], a)
    sums[i + 1, 0], sums[i + 1, 1] = _sum(total, lost + (sums[i, 1] + b))


@subroutine
def _sum(a: float, b: float) -> tuple[float, float]:
    """a + b, and what rounding took from it: Knuth (1997), section 4.2.2, theorem B."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


@subroutine
def _product(a: float, b: float) -> tuple[float, float]:
    """a b, and what rounding took from it: Dekker (1971), section 5."""
    c, d = HALVES * a, HALVES * b
    a_high, b_high = c - (c - a), d - (d - b)
    a_low, b_low, product = a - a_high, b - b_high, a * b
    return product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


@jit
def _interval_starts(sums: _LineSums, k: int) -> Integers:
    """Where each of the k best intervals starts."""
    n = len(sums.s) - 1
    cost, last = np.full((k, n + 1), np.inf), np.zeros((k, n + 1), dtype=np.int64)
    for m in range(1, n + 1):
        cost[0, m] = _interval_cost(sums, 0, m)
    for c in range(1, k):
        _fill(sums, cost[c - 1], cost[c], last[c], c + 1, n, c, n - 1)
    starts, end = np.zeros(k, dtype=np.int64), n
    for c in range(k - 1, 0, -1):
        end = last[c, end]
        starts[c] = end
    return starts


@jit
def _fill(
    sums: _LineSums, before: Floats, cost: Floats, last: Integers, low: int, high: int, first: int, final: int
) -> None:
    """The best last interval of the first m rows for m = low … high, which starts at first … final.

    The middle m comes first: its start bounds those of the others.
    """
    if low > high:
        return
    m = (low + high) // 2
    for start in range(first, min(final, m - 1) + 1):
        value = before[start] + _interval_cost(sums, start, m)
        if value < cost[m]:
            cost[m], last[m] = value, start
    _fill(sums, before, cost, last, low, m - 1, first, last[m])
    _fill(sums, before, cost, last, m + 1, high, last[m], final)


@subroutine
def _interval_cost(sums: _LineSums, start: int, end: int) -> float:
    """Σ s y² − (Σ s y)² / Σ s of the rows start … end − 1."""
    w, w_rest = _difference(sums.s, start, end)
    t, t_rest = _difference(sums.sy, start, end)
    q, q_rest = _difference(sums.syy, start, end)
    square, square_rest = _product(t, t)
    share = square / w
    back, back_rest = _product(share, w)
    share_rest = (((square - back) - back_rest) + (square_rest + 2.0 * t * t_rest) - share * w_rest) / w
    return max(0.0, (q - share) + (q_rest - share_rest))


@subroutine
def _difference(sums: Floats, start: int, end: int) -> tuple[float, float]:
    high, lost = _sum(sums[end, 0], -sums[start, 0])
    return _sum(high, lost + (sums[end, 1] - sums[start, 1]))


def _of_few(X: Floats, k: int, weights: Floats) -> Integers:
    """All partitions of the rows, each cluster begun by the first of its rows."""
    n, X = len(X), X - X.mean(axis=0)
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
