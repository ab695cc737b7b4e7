"""Newton and quasi-Newton methods for linear models.

    minimise over θ    F(θ) = Σᵢ sᵢ ℓ(yᵢ, zᵢ) + Ω(w),    z = Xw + b                                    (1)

L-BFGS starts from the minimiser over a sample of the rows and is preconditioned by

    M = I_K ⊗ (Xᵀ diag(s c̄) X + Ω'')                                                                (2)

over that sample, c̄ᵢ being the mean over the K scores of ∂²ℓ/∂z². For one score (2) estimates the Hessian itself: the
few passes over all rows that remain have the gradient exact. Sub-sampled Newton methods: Roosta-Khorasani & Mahoney
(2019), doi:10.1007/s10107-018-1346-5; the fixed matrix for several scores: Böhning (1992), doi:10.1007/BF00048682.
"""

from functools import partial
from typing import Any, Literal

import numpy as np
from scipy import linalg

from gnomon._typing import Floats, Integers
from gnomon.losses import Loss
from gnomon.optim._irls import irls
from gnomon.optim._lbfgs import Precondition, lbfgs
from gnomon.optim._newton import newton, positive_factor
from gnomon.optim.duality import gap_by_gradient
from gnomon.optim.problem import Problem
from gnomon.optim.rounding import attainable_tol
from gnomon.optim.solution import Solution

__all__ = ["irls_linear", "lbfgs_linear", "newton_linear"]

WIDEST = 1500
"""Columns up to which the matrix (2) pays."""

SAMPLE_STEPS = 20
"""Iterations on the sample: each costs a tenth of a pass."""


def lbfgs_linear(
    problem: Problem, theta: Floats, *, precondition: Literal["auto"] | None = "auto", **options: Any
) -> Solution[Floats]:
    """Minimise (1) by L-BFGS; `precondition` is "auto" (by (2), where that pays) or None; options as for `lbfgs`."""
    solve = refresh = None
    options["tol"] = attainable_tol(problem, theta, options.get("tol", 1e-6))
    if precondition is not None and _pays(problem):
        sample = _sample(problem)
        theta, solve = _sketch(problem, sample, theta, options["tol"])
        refresh = partial(_model, problem) if sample is problem else None
    fun = _Last(problem)
    return _certified(fun, lbfgs(fun, theta, precondition=solve, refresh=refresh, **options))


def newton_linear(problem: Problem, theta: Floats, **options: Any) -> Solution[Floats]:
    """Minimise (1) by Newton's method; options as for `newton`."""
    fun = _Last(problem)
    options["tol"] = attainable_tol(problem, theta, options.get("tol", 1e-8))
    return _certified(fun, newton(fun, theta, hessian=problem.hessian, **options))


def irls_linear(problem: Problem, theta: Floats, **options: Any) -> Solution[Floats]:
    """Minimise (1) by re-weighted least squares; options as for `irls`."""
    options["tol"] = attainable_tol(problem, theta, options.get("tol", 1e-8))
    return _certified(_Last(problem), irls(problem, theta, **options))


class _Last:
    """F and ∇F, remembering where they were asked last: the certificate then costs no further pass."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self._last: tuple[Floats, tuple[float, Floats]] | None = None

    def __call__(self, theta: Floats) -> tuple[float, Floats]:
        if self._last is None or theta is not self._last[0]:
            self._last = theta, self.problem.value_and_gradient(theta)
        return self._last[1]


def _certified(fun: _Last, solution: Solution[Floats]) -> Solution[Floats]:
    if not fun.problem.loss.convex:
        return solution
    try:
        return solution._replace(dual_gap=gap_by_gradient(fun.problem, solution.w, fun(solution.w)[1]))
    except NotImplementedError:
        return solution


def _pays(problem: Problem) -> bool:
    written = type(problem.loss).curvature is not Loss.curvature
    return written and problem.loss.convex and problem.design.width <= min(WIDEST, problem.design.n)


def _sketch(problem: Problem, sample: Problem, theta: Floats, tol: float) -> tuple[Floats, Precondition | None]:
    """A start and v → M⁻¹v."""
    if sample is problem:
        return theta, _model(problem, theta)
    rare = _rare_columns(problem, sample)
    # A start given by the caller is better than one estimated from a sample of rows.
    if not np.any(theta):
        first = _model(sample, theta, rare)
        theta = lbfgs(sample.value_and_gradient, theta, precondition=first, tol=tol, max_iter=SAMPLE_STEPS).w
    return theta, _model(sample, theta, rare)


def _sample(problem: Problem) -> Problem:
    """The problem on a tenth of its many rows, at least four per column, with the same total weight; else itself."""
    n, weights = problem.design.n, problem.weights
    size = max(n // 10, 4 * problem.design.width, 2000)
    if 2 * size > n:
        return problem
    rows = np.sort(np.random.default_rng(0).choice(n, size, replace=False))
    total = float(np.sum(weights[rows]))
    return problem.take(rows, float(np.sum(weights)) / total) if total > 0.0 else problem


def _model(sample: Problem, theta: Floats, rare: tuple[Integers, Floats] | None = None) -> Precondition | None:
    """v → M⁻¹v for (2) at θ, None if M is not finite; `rare` columns get the diagonal they would have over all rows."""
    M = sample.mean_hessian(theta)
    if not np.isfinite(np.sum(M)):
        return None
    index = np.arange(sample.design.n_penalized)
    M[index, index] += sample.penalty.strong_convexity
    if rare is not None:
        columns, squares = rare
        level = float(np.mean(sample.loss.curvature(sample.y, sample.scores(theta))))
        M[columns, columns] = np.maximum(M[columns, columns], level * squares)
    factor, width = positive_factor(M), sample.design.width
    return lambda v: linalg.cho_solve(factor, v.reshape(-1, width).T, check_finite=False).T.ravel()


def _rare_columns(problem: Problem, sample: Problem) -> tuple[Integers, Floats] | None:
    """The columns that the sample hardly saw, and Σᵢ sᵢ xᵢⱼ² over all rows for them; None if it saw all well."""
    stored: Any = sample.design.X != 0
    seen = np.asarray(stored.sum(axis=0)).ravel()
    rare = np.flatnonzero(seen < 30)
    return (rare, problem.column_squares(rare)) if len(rare) else None
