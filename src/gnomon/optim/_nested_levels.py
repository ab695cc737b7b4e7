"""Nested regions of a one-class support vector machine.

    minimise    Σ_m [α_mᵀ K α_m / (2 λ_m) − Σᵢ αᵢₘ],    0 ≤ αᵢₘ ≤ sᵢ,    αᵢₘ/λ_m ≤ αᵢ,ₘ₊₁/λₘ₊₁                     (1)

for levels λ₁ > λ₂ > … > λ_M and weights s that sum to one. Region m is {x : Σᵢ αᵢₘ k(xᵢ, x) > λ_m}; for a kernel
without negative values the last constraint makes the regions nested. In β_m = α_m/λ_m the constraints of a row are a
box and an order, so a row is solved by isotonic regression. Lee & Scott (2010), Nested support vector machines,
doi:10.1109/TSP.2009.2036071. The λ_m that belong to given coverages are found by

    λ_m ← λ_m q_m,    q_m the (1 − coverage)-quantile of Σᵢ βᵢₘ k(xᵢ, xⱼ) over the rows,                          (2)

until q_m = 1. The gap is that of the linear model of (1), which bounds the distance to its minimum: Frank & Wolfe
(1956), doi:10.1002/nav.3800030109.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gnomon._jit import noun
from gnomon._typing import Floats, Integers
from gnomon.kernels import Against
from gnomon.numerics.weights import weighted_quantile
from gnomon.optim.solution import Callback, Solution
from gnomon.optim.working_sets import KernelRows, Look, RowProgram, RowSets, certified, descend_rows, row_excesses

__all__ = ["NestedLevels", "nested_levels"]

ROUNDS = 100
"""Values of λ that are tried, at most."""


class NestedLevels(NamedTuple):
    """Levels and their solution.

    Fields
    ------
    solution : Solution
        `w` is α of shape (n, M); `objective` is (1).
    levels : ndarray of shape (M,)
        λ, descending.
    rounds : int
        How many λ were tried.
    settled : bool
        Whether every quantile of (2) is one, to the tolerance.

    References
    ----------
    Lee, G. & Scott, C. (2010). Nested support vector machines. doi:10.1109/TSP.2009.2036071

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.kernels import RBF
    >>> from gnomon.optim import nested_levels
    >>> found = nested_levels(RBF().against(np.arange(5.0)[:, None]), np.full(5, 0.2), np.array([0.4, 0.8]))
    >>> found.settled, bool(found.levels[0] > found.levels[1])
    (True, True)
    """

    solution: Solution[Floats]
    levels: Floats
    rounds: int
    settled: bool


def nested_levels(
    against: Against,
    weights: Floats,
    coverages: Floats,
    *,
    tol: float = 1e-3,
    max_iter: int = 1000,
    cache_size: float = 200.0,
    callback: Callback | None = None,
) -> NestedLevels:
    """Minimise (1) at the levels λ of the given coverages.

    Parameters
    ----------
    against : Against
        A kernel without negative values, and the n training rows.
    weights : ndarray of shape (n,)
        s > 0; they sum to one.
    coverages : ndarray of shape (M,)
        Shares of the rows inside each region, ascending.
    tol : float, default=1e-3
        Largest violation of the optimality conditions and of (2), as a share of λ.
    max_iter : int, default=1000
        Working sets, for each λ.
    cache_size : float, default=200
        Megabytes of kernel rows that are kept.
    callback : callable, optional
        Called with each row of the history; True stops.

    Returns
    -------
    NestedLevels

    References
    ----------
    Lee, G. & Scott, C. (2010). Nested support vector machines. doi:10.1109/TSP.2009.2036071

    Examples
    --------
    Every coefficient is within its box, and the larger region contains the smaller one:

    >>> import numpy as np
    >>> from gnomon.kernels import RBF
    >>> from gnomon.optim import nested_levels
    >>> against = RBF().against(np.random.default_rng(0).normal(size=(40, 1)))
    >>> found = nested_levels(against, np.full(40, 1 / 40), np.array([0.5, 0.9]))
    >>> alpha, scores = found.solution.w, against.matrix() @ found.solution.w
    >>> inside = scores > found.levels
    >>> bool(alpha.min() >= 0.0), bool(alpha.max() <= 1 / 40 + 1e-15), bool(np.all(inside[:, 0] <= inside[:, 1]))
    (True, True, True)
    """
    source = KernelRows(against, cache_size=cache_size)
    B = np.repeat(weights[:, None], len(coverages), axis=1)
    lam, share = np.ones(len(coverages)), 1.0 - coverages
    scores = source.product(B)
    for rounds in range(1, ROUNDS + 1):
        quantiles = _quantiles(scores, share, weights)
        if rounds > 1 and np.all(np.abs(quantiles - 1.0) <= tol):
            break
        B, lam = B / quantiles if rounds == 1 else B, np.minimum.accumulate(lam * quantiles)
        program = _OrderedRows(weights, lam, source.diag())
        solution = certified(source, program, 0.5 * tol, max_iter, callback, np.minimum(B, program.rows.upper))
        B = solution.w
        scores = source.product(B)
    return NestedLevels(solution._replace(w=B * lam), lam, rounds - 1, bool(rounds < ROUNDS))


def _quantiles(scores: Floats, share: Floats, weights: Floats) -> Floats:
    pairs = zip(scores.T, share, strict=True)
    return np.array([float(weighted_quantile(column, p, weights)) for column, p in pairs])


@noun
class OrderedLevels(RowProgram):
    """The rows of (1) in β: bounds and levels.

    Examples
    --------
    A second level that would be lower than the first is raised, and the first lowered:

    >>> import numpy as np
    >>> from gnomon.optim._nested_levels import OrderedLevels
    >>> levels, row = OrderedLevels(np.array([[9.0, 9.0]]), np.array([1.0, 1.0])), np.zeros(2)
    >>> levels.settle(0, 1.0, np.zeros((1, 2)), np.array([[-3.0, -1.0]]), row)
    >>> row
    array([3., 3.])
    """

    upper: Floats
    lam: Floats

    def excess(self, i: int, curvature: float, B: Floats, F: Floats, row: Floats) -> float:
        """How far the row would move its own scores."""
        self.settle(i, curvature, B, F, row)
        largest = 0.0
        for m in range(B.shape[1]):
            largest = max(largest, abs(row[m] - B[i, m]))
        return curvature * largest

    def settle(self, i: int, curvature: float, B: Floats, F: Floats, row: Floats) -> None:
        """β_m = max_{a≤m} min_{b≥m} of the best common value of a…b: isotonic regression with weights λ."""
        M = B.shape[1]
        for m in range(M):
            row[m] = 0.0
            for a in range(m + 1):
                least, total, mass = np.inf, 0.0, 0.0
                for b in range(a, M):
                    total += self.lam[b] * (B[i, b] - (F[i, b] - 1.0) / curvature)
                    mass += self.lam[b]
                    if b >= m:
                        # Bounds grow with the level, so the first of a block binds.
                        least = min(least, min(total / mass, self.upper[i, a]))
                row[m] = max(row[m], least)


class _OrderedRows(RowSets):
    """(1) in β."""

    def __init__(self, weights: Floats, lam: Floats, diagonal: Floats) -> None:
        self.rows = OrderedLevels(weights[:, None] / lam, lam)
        self.diagonal = np.maximum(diagonal, 1e-290)

    def look(self, B: Floats, F: Floats) -> Look:
        excess, lam = row_excesses(self.rows, self.diagonal, B, F), self.rows.lam
        value = float(np.sum(lam * (0.5 * np.einsum("im,im->m", B, F) - np.sum(B, axis=0))))
        slopes = lam * (F - 1.0)
        gap = float(np.sum(slopes * B) - np.sum(_least_linear(slopes, self.rows.upper)))
        return Look(float(np.max(excess)), excess, value, max(gap, 0.0), np.zeros(len(lam)))

    def solve(self, rows: Integers, K: Floats, B: Floats, F: Floats, tol: float) -> Floats:
        return descend_rows(replace(self.rows, upper=self.rows.upper[rows]), K, B, F, tol)


def _least_linear(slopes: Floats, upper: Floats) -> Floats:
    """min Σ_m gₘ βₘ over 0 ≤ β₁ ≤ β₂ ≤ …, βₘ ≤ uₘ for every row: some βₘ are zero, the others one of the bounds."""
    n, M = slopes.shape
    values = np.column_stack([np.zeros(n), upper])
    rest = np.zeros((n, M + 1))
    for m in reversed(range(M)):
        costs = slopes[:, m, None] * values + rest
        costs[:, m + 2 :] = np.inf
        # βₘ₋₁ may be any value up to βₘ.
        rest = np.minimum.accumulate(costs[:, ::-1], axis=1)[:, ::-1]
    return rest[:, 0]
