"""Dual coordinate ascent with kernels.

    minimise over βᵢ    ½ (K_ii + rᵢ) (βᵢ − β⁰ᵢ)² + gᵢ (βᵢ − β⁰ᵢ) + ε|βᵢ|,    lᵢ ≤ βᵢ ≤ uᵢ                           (1)

one variable after the other, g = Kβ⁰ + rβ⁰ − t: a projected, soft-thresholded Newton step. There must be no equality
Σβ = s, along which no single variable could move: the intercept is penalised, or there is none. The variable of
largest gain is moved, in working sets (`working_sets`). For a linear kernel with fewer columns than rows w = Σ βᵢxᵢ is
kept instead of Kβ, and a step costs a row of X: Hsieh et al. (2008), doi:10.1145/1390156.1390208.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from gnomon._jit import noun
from gnomon._typing import Floats, Integers
from gnomon.kernels import Against, Linear
from gnomon.losses import HingeLoss, SquaredHingeLoss
from gnomon.numerics.design import Design
from gnomon.optim._dual_coordinate_ascent import dual_coordinate_ascent
from gnomon.optim._kernel_blocks import RowCache
from gnomon.optim.kernel_dual import KernelDual
from gnomon.optim.problem import Problem
from gnomon.optim.solution import Callback, Solution
from gnomon.optim.units import RELATIVE, solve_naturally
from gnomon.optim.working_sets import Look, RowProgram, SetProgram, certified, descend_rows, row_excesses
from gnomon.penalties import L2

__all__ = ["kernel_dcd"]


def kernel_dcd(
    against: Against,
    problem: KernelDual,
    *,
    tol: float = 1e-3,
    max_iter: int | None = None,
    cache_size: float = 200.0,
    callback: Callback | None = None,
) -> Solution[Floats]:
    """Minimise a dual problem without equality.

    Parameters
    ----------
    against : Against
        The kernel and the n rows.
    problem : KernelDual
        With ``total=None``, and bounds or a ridge.
    tol : float, default=1e-3
        Largest violation of the optimality conditions, in units of f.
    max_iter : int, optional
        Working sets, or passes over the rows of a linear kernel; 10000 by default.
    cache_size : float, default=200.0
        Megabytes for rows of K.
    callback : callable, optional
        Called with each row of the history; True stops.

    Returns
    -------
    Solution
        As from `smo`.

    References
    ----------
    Hsieh, C.-J., Chang, K.-W., Lin, C.-J., Keerthi, S. S. & Sundararajan, S. (2008). A dual coordinate descent method
    for large-scale linear SVM. doi:10.1145/1390156.1390208

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.kernels import Linear
    >>> from gnomon.optim import KernelDual, kernel_dcd
    >>> y = np.array([-1.0, 1.0])
    >>> problem = KernelDual(y, np.array([-1.0, 0.0]), np.array([0.0, 1.0]), total=None)
    >>> found = kernel_dcd(Linear().against(np.array([[-1.0], [1.0]])), problem, tol=1e-9)
    >>> found.details["scores"], found.objective, found.dual_gap
    (array([-1.,  1.]), -0.5, 0.0)
    """
    if problem.total is not None or not problem.bounded:
        raise ValueError("coordinates can't move under Σβ = s, nor end without bounds; use smo")
    limit = 10_000 if max_iter is None else max_iter
    design = linear_design(against, problem)
    if design is not None:
        found = _with_columns(design, problem, tol, limit, callback)
    else:
        program, start = _BoxRows(problem, against.diag().astype(float)), np.zeros((len(problem.target), 1))
        source = RowCache(against, cache_size)
        # The conditions upwards and downwards may both be missed, on different rows.
        found = certified(source, program, start, tol=0.5 * tol, max_iter=limit, callback=callback)
        found = found._replace(w=found.w[:, 0], details={})
    support = np.flatnonzero(found.w)
    f = against.combine_rows(support, found.w[support]) if len(support) else np.zeros(len(found.w))
    return problem.certified(found, np.asarray(f, dtype=float))


def linear_design(against: Against, problem: KernelDual) -> Design | None:
    """The columns of a linear kernel, with a constant for one that is added to it; None where β is kept instead."""
    parts = against.kernel.summands()
    linear = [number for number, part in enumerate(parts) if isinstance(part, Linear)]
    constants = [part.constant for number, part in enumerate(parts) if number not in linear]
    added = sum(value for value in constants if value is not None)
    two = problem.epsilon == 0.0 and bool(np.all(np.abs(problem.target) == 1.0))
    sided = bool(np.all(np.where(problem.target > 0.0, problem.lower, problem.upper) == 0.0))
    if len(linear) != 1 or None in constants or not (two and sided):
        return None
    prepared: Any = against.prepared
    values = prepared.values if len(parts) == 1 else prepared.parts[linear[0]].values
    kernel: Any = parts[linear[0]]
    bias = float(np.sqrt(kernel.coef0 + added))
    if values.shape[1] >= len(problem.target):
        return None
    return Design(values.astype(float), "penalized", bias) if bias > 0.0 else Design(values.astype(float), "none")


def _with_columns(
    design: Design, problem: KernelDual, tol: float, limit: int, callback: Callback | None
) -> Solution[Floats]:
    """The same by a solver of linear machines; its C is the bound, or half of one over the ridge."""
    y, C = problem.target, np.maximum(problem.upper, -problem.lower)
    loss: Any = HingeLoss()
    if problem.ridge is not None:
        loss, C = SquaredHingeLoss(), 0.5 / problem.ridge
    linear = Problem(design, y, loss, L2(1.0, half=True), C)
    found = solve_naturally(dual_coordinate_ascent, linear, RELATIVE, tol=tol, max_iter=limit, callback=callback)
    return found._replace(w=found.details["alpha"] * y, details={})


@noun
class BoxVariables(RowProgram):
    """The variables of (1).

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim._kernel_dcd import BoxVariables
    >>> one = np.ones(1)
    >>> variables, row = BoxVariables(one, -one, one, 0.25, 0.0 * one), np.zeros(1)
    >>> variables.settle(0, 2.0, np.zeros((1, 1)), np.zeros((1, 1)), row)
    >>> row
    array([0.375])
    """

    target: Floats
    lower: Floats
    upper: Floats
    epsilon: float
    ridge: Floats

    def excess(self, i: int, curvature: float, B: Floats, F: Floats, row: Floats) -> float:
        """How far the derivatives upwards and downwards are on the wrong side of zero."""
        beta = B[i, 0]
        g = F[i, 0] + self.ridge[i] * beta - self.target[i]
        up = g + (self.epsilon if beta >= 0.0 else -self.epsilon)
        down = g + (self.epsilon if beta > 0.0 else -self.epsilon)
        return max(-up if beta < self.upper[i] else 0.0, down if beta > self.lower[i] else 0.0, 0.0)

    def settle(self, i: int, curvature: float, B: Floats, F: Floats, row: Floats) -> None:
        """(1): soft-threshold, then project."""
        total = curvature + self.ridge[i]
        z = B[i, 0] - (F[i, 0] + self.ridge[i] * B[i, 0] - self.target[i]) / total
        width = self.epsilon / total
        z = max(z - width, 0.0) if z > 0.0 else min(z + width, 0.0)
        row[0] = min(max(z, self.lower[i]), self.upper[i])


class _BoxRows(SetProgram):
    """A dual problem without equality, as a matrix of one column."""

    def __init__(self, problem: KernelDual, diagonal: Floats) -> None:
        ridge = np.zeros(len(problem.target)) if problem.ridge is None else problem.ridge
        self.problem, self.diagonal = problem, np.maximum(diagonal, 1e-290)
        self.rows = BoxVariables(problem.target, problem.lower, problem.upper, problem.epsilon, ridge)

    def look(self, B: Floats, F: Floats) -> Look:
        excess = row_excesses(self.rows, self.diagonal, B, F)
        beta, f = B[:, 0], F[:, 0]
        value, gap = self.problem.objective(beta, f), self.problem.gap(beta, f, 0.0)
        return Look(float(np.max(excess)), excess, value, gap, np.zeros(1))

    def solve(self, rows: Integers, K: Floats, B: Floats, F: Floats, tol: float) -> Floats:
        v = self.rows
        part = replace(v, target=v.target[rows], lower=v.lower[rows], upper=v.upper[rows], ridge=v.ridge[rows])
        return descend_rows(part, K, B, F, tol)
