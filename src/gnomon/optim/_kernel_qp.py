"""The dual problem of a kernel machine as a dense quadratic program.

    minimise over β    ½ βᵀ(K + diag r)β − tᵀβ + ε‖β‖₁,    l ≤ β ≤ u,    Σᵢ βᵢ = s                     (1)

`dual_program` has its variables, `box_program` the interior point that comes near the solution and the equations that
give the digits that an interior point lacks: Mehrotra (1992), doi:10.1137/0802028. Memory and time grow with the square
and the cube of the number of rows.
"""

from __future__ import annotations

import itertools

import numpy as np

from gnomon._typing import Floats, Integers
from gnomon.kernels import Against
from gnomon.optim._follow import Checks, follow
from gnomon.optim.box_program import DenseCurvature
from gnomon.optim.dual_program import DualProgram
from gnomon.optim.kernel_dual import KernelDual
from gnomon.optim.solution import Callback, Solution
from gnomon.optim.stopping import KKT, Check

__all__ = ["LARGEST_QP", "kernel_qp"]

LARGEST_QP = 2000
"""Variables that a dense program may have: a step of the interior point is then a second's work."""

NEAR = 1e-4
"""From this share of the first complementarity on, the equations of the free variables are tried."""

VANISHING = 1e-14
"""Without bounds: ‖f‖² below this share of (Σ|β|)² max K_ii means that there is no minimum."""


def kernel_qp(
    against: Against,
    problem: KernelDual,
    *,
    tol: float = 1e-3,
    max_iter: int | None = None,
    callback: Callback | None = None,
) -> Solution[Floats]:
    """Minimise (1).

    Parameters
    ----------
    against : Against
        A positive semi-definite kernel and the n rows.
    problem : KernelDual
    tol : float, default=1e-3
        Largest violation of the optimality conditions at which a solution is accepted, in units of f; what is found is
        usually exact.
    max_iter : int, optional
        Steps of the interior point; 200 by default.
    callback : callable, optional
        Called with each row of the history; True stops.

    Returns
    -------
    Solution
        As from `smo`.

    References
    ----------
    Mehrotra, S. (1992). On the implementation of a primal–dual interior point method. doi:10.1137/0802028

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.kernels import Linear
    >>> from gnomon.optim import KernelDual, kernel_qp
    >>> x = np.arange(3.0)
    >>> found = kernel_qp(Linear().against(x[:, None]), KernelDual(x, -np.ones(3), np.ones(3), epsilon=0.5))
    >>> found.w.round(12) + 0.0, round(found.intercept, 12), round(found.objective, 12)
    (array([-0.25,  0.  ,  0.25]), 0.5, -0.125)
    """
    K = against.matrix().astype(float)
    limit = 200 if max_iter is None else max_iter
    found = follow(_iterate(K, problem), KKT(tol), max_iter=limit, callback=callback)
    beta = problem.settled(found.w)
    return problem.certified(found._replace(w=beta), K @ beta)


def _iterate(K: Floats, problem: KernelDual) -> Checks:
    def curvature(rows: Integers, a: Floats, ridge: Floats, unit: float) -> DenseCurvature:
        return DenseCurvature(np.outer(a, a) * (K[np.ix_(rows, rows)] * unit) + np.diag(ridge))

    program = DualProgram.of(problem, np.diag(K), curvature)
    box = program.box
    first, scale = box.complementarity, float(np.max(np.diag(K), initial=0.0))
    for iteration in itertools.count():
        near = box.complementarity <= NEAR * first
        points = [box.x, box.polished()] if near else [box.x]
        # Equations of the wrong variables lead astray: the point of the path is then nearer.
        beta = min((program.beta(x) for x in points), key=lambda beta: _violation(K, problem, beta))
        f = K @ beta
        g = problem.gradient(beta, f)
        value, kkt, gap = problem.objective(beta, f), np.nan, np.nan
        if near and _feasible(problem, beta):
            kkt, gap = problem.range(beta, g).violation, problem.gap(beta, f, problem.intercept(beta, g))
        total = float(np.sum(np.abs(beta)))
        if iteration and not problem.bounded and float(beta @ f) / total <= VANISHING * scale * total:
            value = -np.inf
        yield Check(iteration, beta, value, kkt=kkt, gap=gap, more={"complementarity": box.complementarity})
        if not box.advance():
            return


def _violation(K: Floats, problem: KernelDual, beta: Floats) -> float:
    """The largest violation of the optimality conditions, infinite where β has not its sum."""
    return problem.range(beta, problem.gradient(beta, K @ beta)).violation if _feasible(problem, beta) else np.inf


def _feasible(problem: KernelDual, beta: Floats) -> bool:
    """Whether β has the sum that it must have, up to rounding."""
    if problem.total is None:
        return True
    return abs(float(np.sum(beta)) - problem.total) <= 1e-12 * max(float(np.sum(np.abs(beta))), abs(problem.total))
