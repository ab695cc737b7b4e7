"""Nested regions of a one-class support vector machine.

    minimise    Σ_m [α_mᵀ K α_m / (2 λ_m) − Σᵢ αᵢₘ],    0 ≤ αᵢₘ ≤ sᵢ,    αᵢₘ/τ_m ≤ αᵢ,ₘ₊₁/τₘ₊₁                     (1)

for levels λ₁ > λ₂ > … > λ_M and weights s that sum to one. Region m is {x : Σᵢ αᵢₘ k(xᵢ, x) > τ_m}; for a kernel
without negative values the last constraint makes the regions nested. In β_m = α_m/τ_m the constraints of a row are a
box and an order, so a row is solved by isotonic regression. Lee & Scott (2010), Nested support vector machines,
doi:10.1109/TSP.2009.2036071, take τ = λ.

λ_m = ν_m ρ_m, where ρ_m is the offset of the one-class machine with ν_m = 1 − coverage: alone, (1) at λ_m is that
machine. The common constraint moves the regions away from their coverages, so τ is found by

    τ_m ← the ν_m-quantile of Σᵢ αᵢₘ k(xᵢ, xⱼ) over the rows                                                       (2)

until it stays. The gap is that of the linear model of (1), which bounds the distance to its minimum: Frank & Wolfe
(1956), doi:10.1002/nav.3800030109.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from gnomon._jit import noun
from gnomon._typing import Floats, Integers
from gnomon.kernels import Against
from gnomon.numerics.weights import weighted_quantile
from gnomon.optim._kernel_blocks import RowCache
from gnomon.optim._smo import smo
from gnomon.optim.kernel_dual import KernelDual
from gnomon.optim.solution import Callback, Solution
from gnomon.optim.working_sets import Look, RowProgram, SetProgram, certified, descend_rows, row_excesses

__all__ = ["NestedLevels", "nested_levels"]

ROUNDS = 100
"""Values of τ that are tried, at most."""

PATIENT, LOOSE = 40, 10.0
"""From this round on, τ may differ from its quantile by so many times the tolerance: late rounds change few rows."""

ROUNDING = 1e-13
"""The least violation, in units of the largest k(x, x), that λ is computed to."""


class NestedLevels(NamedTuple):
    """Nested regions.

    Fields
    ------
    solution : Solution
        `w` is α of shape (n, M); `objective` is (1).
    lam, thresholds : ndarray of shape (M,)
        λ and τ.
    scores : ndarray of shape (n, M)
        Kα, what is compared with τ.
    rounds : int
        How many τ were tried.
    settled : bool
        Whether τ stays as it is, to the tolerance.

    References
    ----------
    Lee, G. & Scott, C. (2010). Nested support vector machines. doi:10.1109/TSP.2009.2036071

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.kernels import RBF
    >>> from gnomon.optim import nested_levels
    >>> found = nested_levels(RBF().against(np.arange(5.0)[:, None]), np.full(5, 0.2), np.array([0.4, 0.8]))
    >>> found.settled, bool(found.lam[0] > found.lam[1])
    (True, True)
    """

    solution: Solution[Floats]
    lam: Floats
    thresholds: Floats
    scores: Floats
    rounds: int
    settled: bool


def nested_levels(
    against: Against,
    weights: Floats,
    coverages: Floats,
    *,
    match: bool = True,
    tol: float = 1e-4,
    max_iter: int = 1000,
    cache_size: float = 200.0,
    callback: Callback | None = None,
) -> NestedLevels:
    """Minimise (1) at the levels of the given coverages.

    Parameters
    ----------
    against : Against
        A kernel without negative values, and the n training rows.
    weights : ndarray of shape (n,)
        s > 0; they sum to one.
    coverages : ndarray of shape (M,)
        Shares of the rows inside each region, ascending.
    match : bool, default=True
        Find τ by (2); without, τ = λ.
    tol : float, default=1e-4
        Largest violation of the optimality conditions, and of (2), as a share of τ; of (2) ten times as much at last.
    max_iter : int, default=1000
        Working sets, for each τ.
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
    >>> inside = scores > found.thresholds
    >>> bool(alpha.min() >= 0.0), bool(alpha.max() <= 1 / 40 + 1e-15), bool(np.all(inside[:, 0] <= inside[:, 1]))
    (True, True, True)
    """
    source, nu = RowCache(against, cache_size), 1.0 - coverages
    lam = np.array([_level(against, weights, part, tol, cache_size) for part in nu])
    limits: dict[str, Any] = {"tol": 0.5 * tol, "max_iter": max_iter, "callback": callback}
    B, tau, settled, rounds = np.zeros((len(weights), len(nu))), lam, not match, 0
    while True:
        program = _OrderedRows(weights, lam, tau, against.diag().astype(float))
        rounds += 1
        solution = certified(source, program, np.minimum(B, program.rows.upper), **limits)
        B = solution.w
        F = solution.details["scores"]
        quantiles = _quantiles(F, nu, weights)
        allowed = tol if rounds < PATIENT else LOOSE * tol
        settled = settled or bool(np.all(np.abs(quantiles - 1.0) <= allowed))
        if settled or rounds == ROUNDS:
            # Only the ratios of τ matter to (1); rows at a threshold are inside, whatever rounding makes of them.
            solution = solution._replace(w=B * tau)
            slack = max(tol, 32.0 * float(np.finfo(source.dtype).eps)) if match else 0.0
            return NestedLevels(solution, lam, tau * (1.0 - slack), F * tau, rounds, settled)
        tau = tau * quantiles


def _level(against: Against, weights: Floats, nu: float, tol: float, cache_size: float) -> float:
    """λ = νρ of the one-class machine with this ν."""
    n = len(weights)
    problem = KernelDual(np.zeros(n), np.zeros(n), weights / nu, total=1.0)
    # No violation falls below the rounding of the gradient, however long the search for it.
    least = ROUNDING * float(np.max(against.diag()))
    rho = -float(smo(against, problem, tol=max(tol * 1e-3, least), cache_size=cache_size).intercept)
    if not rho > 0.0:
        raise ValueError(f"no region has the coverage {1.0 - nu:g}: the kernel is zero there; choose another kernel")
    return nu * rho


def _quantiles(scores: Floats, share: Floats, weights: Floats) -> Floats:
    return np.array([float(weighted_quantile(f, p, weights)) for f, p in zip(scores.T, share, strict=True)])


@noun
class OrderedLevels(RowProgram):
    """The rows of (1) in β: bounds, and for each level its curvature and the score that it aims at.

    Examples
    --------
    A second level that would be lower than the first is raised, and the first lowered:

    >>> import numpy as np
    >>> from gnomon.optim._nested_levels import OrderedLevels
    >>> levels, row = OrderedLevels(np.full((1, 2), 9.0), np.ones(2), np.ones(2)), np.zeros(2)
    >>> levels.settle(0, 1.0, np.zeros((1, 2)), np.array([[-3.0, -1.0]]), row)
    >>> row
    array([3., 3.])
    """

    upper: Floats
    curve: Floats
    goal: Floats

    def excess(self, i: int, curvature: float, B: Floats, F: Floats, row: Floats) -> float:
        """How far the row would move its own scores."""
        self.settle(i, curvature, B, F, row)
        largest = 0.0
        for m in range(B.shape[1]):
            largest = max(largest, abs(row[m] - B[i, m]))
        return curvature * largest

    def settle(self, i: int, curvature: float, B: Floats, F: Floats, row: Floats) -> None:
        """β_m = max_{a≤m} min_{b≥m} of the best common value of a…b: isotonic regression with weights c."""
        M = B.shape[1]
        for m in range(M):
            row[m] = 0.0
            for a in range(m + 1):
                least, total, mass, bound = np.inf, 0.0, 0.0, np.inf
                for b in range(a, M):
                    total += self.curve[b] * (B[i, b] - (F[i, b] - self.goal[b]) / curvature)
                    mass += self.curve[b]
                    bound = min(bound, self.upper[i, b])
                    if b >= m:
                        least = min(least, min(total / mass, bound))
                row[m] = max(row[m], least)


class _OrderedRows(SetProgram):
    """(1) in β: Σ_m c_m [½ β_mᵀKβ_m − g_m Σᵢ βᵢₘ] with c = τ²/λ and g = λ/τ."""

    def __init__(self, weights: Floats, lam: Floats, tau: Floats, diagonal: Floats) -> None:
        self.rows = OrderedLevels(weights[:, None] / tau, tau**2 / lam, lam / tau)
        self.diagonal = np.maximum(diagonal, 1e-290)

    def look(self, B: Floats, F: Floats) -> Look:
        excess, curve, goal = row_excesses(self.rows, self.diagonal, B, F), self.rows.curve, self.rows.goal
        value = float(np.sum(curve * np.sum(B * (0.5 * F - goal), axis=0)))
        slopes = curve * (F - goal)
        gap = float(np.sum(slopes * B) - np.sum(_least_linear(slopes, self.rows.upper)))
        return Look(float(np.max(excess)), excess, value, max(gap, 0.0), np.zeros(len(curve)))

    def solve(self, rows: Integers, K: Floats, B: Floats, F: Floats, tol: float) -> Floats:
        return descend_rows(replace(self.rows, upper=self.rows.upper[rows]), K, B, F, tol)


def _least_linear(slopes: Floats, upper: Floats) -> Floats:
    """min Σ_m gₘ βₘ over 0 ≤ β₁ ≤ β₂ ≤ …, βₘ ≤ uₘ for every row: each βₘ is zero or one of the bounds."""
    values = np.sort(np.column_stack([np.zeros(len(upper)), upper]), axis=1)
    rest = np.zeros_like(values)
    for m in reversed(range(slopes.shape[1])):
        costs = np.where(values <= upper[:, m, None], slopes[:, m, None] * values + rest, np.inf)
        # βₘ₋₁ may be any value up to βₘ.
        rest = np.minimum.accumulate(costs[:, ::-1], axis=1)[:, ::-1]
    return rest[:, 0]
