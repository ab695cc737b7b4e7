"""Newton and quasi-Newton methods for linear models.

    minimise over θ    F(θ) = Σᵢ sᵢ ℓ(yᵢ, zᵢ) + Ω(w),    z = Xw + b                                    (1)

L-BFGS starts from the minimiser over a sample of the rows, where there are many, and is preconditioned by

    one score    M⁻¹ = D⁻¹,                        D  = Xᵀ diag(s ℓ'') X + Ω''                       (2)
    softmax      M⁻¹ = R diag(D₁⁻¹ … D_K⁻¹) Rᵀ,    Dₖ = Xᵀ diag(s pₖ(1 − pₖ)) X K/(K − 1) + Ω''      (3)

with the probabilities p of the classes. The Hessian of a row, A = diag(p) − ppᵀ, is singular: scores that are all
shifted alike change nothing. R = I − 11ᵀ/K projects such shifts away; in that direction F has the curvature Ω'' alone,
and a matrix without R is wrong there by a factor of the order of n. With a reference class R = (I, −1). (3) is exact
where p = 1/K in all rows. R diag(1/p) Rᵀ is the (pseudo-)inverse of A for any p, but rows of which the model is sure
have almost no curvature and would weigh as much as the others in a sum of pₖ xxᵀ.

Of few parameters M is the Hessian itself. (2) and (3) come from the sample, for wide problems with one matrix for all
classes, and from all rows after some iterations: a sample may say little of rare classes or columns. Sub-sampled Newton
methods: Roosta-Khorasani & Mahoney (2019), doi:10.1007/s10107-018-1346-5; the Hessian of the softmax: Böhning (1992),
doi:10.1007/BF00048682.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal, NamedTuple, cast

import numpy as np

from gnomon._typing import Floats, Integers, is_sparse
from gnomon.losses import Loss, SoftmaxLoss
from gnomon.optim._irls import irls
from gnomon.optim._lbfgs import Precondition, lbfgs
from gnomon.optim._newton import newton, positive_factor, solve_factored
from gnomon.optim.duality import gap_by_gradient
from gnomon.optim.problem import Problem
from gnomon.optim.rounding import attainable_tol
from gnomon.optim.solution import Solution, joined_histories

__all__ = ["irls_linear", "lbfgs_linear", "newton_linear"]

NARROW, WIDEST = 64, 1500
"""Columns up to which the matrices (2) and (3) pay: in any case, and where there are at least as many rows."""

SMALL = 64
"""Parameters up to which M is the Hessian itself."""

FIRST_STEPS = 30
"""Iterations of L-BFGS before those of Newton's method on several scores."""

SAMPLE_STEPS = 20
"""Iterations on the sample: each costs a tenth of a pass."""


def lbfgs_linear(
    problem: Problem, theta: Floats, *, precondition: Literal["auto"] | None = "auto", **options: Any
) -> Solution[Floats]:
    """Minimise (1) by L-BFGS; `precondition` is None or "auto": (2) or (3) where it pays; options as for `lbfgs`."""
    model: dict[str, Any] = {}
    options["tol"] = attainable_tol(problem, theta, options.get("tol", 1e-6))
    if precondition is not None and _pays(problem):
        sample = _sample(problem)
        if sample is problem and problem.loss.by_row and problem.size <= SMALL:
            model = {"precondition": _exact(problem, theta), "refresh": partial(_exact, problem), "refresh_first": 3}
        else:
            theta, solve = _sketch(problem, sample, theta, options["tol"])
            model = {"precondition": solve, "refresh": partial(_model, problem)}
            model["refresh_first"] = max(9, _price(problem))
    fun = _Last(problem)
    return _certified(fun, lbfgs(fun, theta, **model, **options))


def newton_linear(problem: Problem, theta: Floats, **options: Any) -> Solution[Floats]:
    """Minimise (1) by Newton's method; options as for `newton`.

    A Hessian of several scores costs as much as many passes over the rows, so that the first steps are left to L-BFGS;
    they count as iterations.
    """
    fun = _Last(problem)
    options["tol"] = attainable_tol(problem, theta, options.get("tol", 1e-8))
    most = options.pop("max_iter", 100)
    if problem.n_scores == 1 or problem.size <= SMALL or np.any(theta) or most < 2:
        return _certified(fun, newton(fun, theta, hessian=problem.hessian, max_iter=most, **options))
    first = lbfgs_linear(problem, theta, tol=options["tol"], max_iter=min(FIRST_STEPS, most - 1))
    then = newton(fun, first.w, hessian=problem.hessian, max_iter=most - first.n_iter, **options)
    history = joined_histories(first.history, then.history)
    return _certified(fun, then._replace(n_iter=first.n_iter + then.n_iter, history=history))


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
    return written and problem.loss.convex and problem.design.width <= max(NARROW, min(WIDEST, problem.design.n))


def _price(problem: Problem) -> int:
    """The matrices (3) over all rows cost about as much as this many iterations."""
    return problem.design.width // 16


def _sketch(problem: Problem, sample: Problem, theta: Floats, tol: float) -> tuple[Floats, Precondition | None]:
    """A start and v → M⁻¹v."""
    shared = _price(problem) > 9
    if sample is problem:
        return theta, _model(problem, theta, shared=shared)
    rare = _rare_columns(problem, sample)
    # A start given by the caller is better than one estimated from a sample of rows.
    if not np.any(theta):
        first = _model(sample, theta, rare, shared=shared)
        theta = lbfgs(sample.value_and_gradient, theta, precondition=first, tol=tol, max_iter=SAMPLE_STEPS).w
        # At the minimiser over some rows these have less curvature than others: they are fitted too well.
        sample = _sample(problem, part=1)
        rare = _rare_columns(problem, sample)
    return theta, _model(sample, theta, rare, shared=shared)


def _sample(problem: Problem, part: int = 0) -> Problem:
    """The problem on a tenth of its many rows, at least four per column, with the same total weight; else itself.

    The parts 0 and 1 have no row in common.
    """
    n, weights = problem.design.n, problem.weights
    size = max(n // 10, 4 * problem.design.width, 2000)
    if 2 * size > n:
        return problem
    rows = np.sort(np.random.default_rng(0).choice(n, 2 * size, replace=False)[part * size : (part + 1) * size])
    total = float(np.sum(weights[rows]))
    return problem.take(rows, float(np.sum(weights)) / total) if total > 0.0 else problem


def _model(sample: Problem, theta: Floats, rare: _Rare | None = None, *, shared: bool = False) -> Precondition | None:
    """v → M⁻¹v at θ, None if M is not finite; `rare` columns get the diagonal they would have over all rows."""
    D = sample.class_hessians(theta, shared=shared)
    if not np.isfinite(np.sum(D)):
        return None
    index = np.arange(sample.design.n_penalized)
    D[:, index, index] += sample.penalty.strong_convexity
    if rare is not None:
        levels = np.mean(sample.curvatures(sample.scores(theta), shared=shared), axis=0)
        D[:, rare.columns, rare.columns] = np.maximum(D[:, rare.columns, rare.columns], np.outer(levels, rare.squares))
    inverse = _BlockInverse(D)
    if not sample.loss.by_row:
        return inverse
    return partial(_by_differences if cast(SoftmaxLoss, sample.loss).reference else _by_projection(sample), inverse)


def _exact(problem: Problem, theta: Floats) -> Precondition | None:
    """v → ∇²F(θ)⁻¹v: blocks of classes alone are poor where the classes can nearly be separated."""
    H = problem.hessian(theta)
    if not np.isfinite(np.sum(H)):
        return None
    return partial(solve_factored, positive_factor(H))


class _BlockInverse:
    """diag(D₁⁻¹ … D_K⁻¹); a single D stands for all."""

    def __init__(self, D: Floats) -> None:
        self.width = D.shape[1]
        self._factors = [positive_factor(block) for block in D]

    def __call__(self, v: Floats) -> Floats:
        V = v.reshape(len(self._factors), -1, self.width)
        parts = zip(self._factors, V, strict=True)
        return np.ravel([solve_factored(factor, part.T).T for factor, part in parts])


def _by_differences(inverse: _BlockInverse, v: Floats) -> Floats:
    """(3) with R = (I, −1), for a reference class, the last one."""
    V = v.reshape(-1, inverse.width)
    U = inverse(np.vstack([V, -np.sum(V, axis=0)])).reshape(-1, inverse.width)
    return np.ravel(U[:-1] - U[-1])


def _by_projection(problem: Problem) -> Callable[[_BlockInverse, Floats], Floats]:
    """(3) with R = I − 11ᵀ/K; in the direction of 1, where F is Ω alone, M is Ω''."""
    free = np.zeros(problem.design.width, dtype=problem.design.dtype)
    if problem.penalty.strong_convexity > 0.0:
        free[: problem.design.n_penalized] = 1.0 / problem.penalty.strong_convexity

    def solve(inverse: _BlockInverse, v: Floats) -> Floats:
        V = v.reshape(-1, inverse.width)
        mean = np.mean(V, axis=0)
        U = inverse(V - mean).reshape(V.shape)
        return np.ravel(U - np.mean(U, axis=0) + free * mean)

    return solve


class _Rare(NamedTuple):
    """Columns that the sample hardly saw vary, and Σᵢ sᵢ (xᵢⱼ − cⱼ)² over all rows for each, c its usual value."""

    columns: Integers
    squares: Floats


def _rare_columns(problem: Problem, sample: Problem) -> _Rare | None:
    """None if the sample saw all columns well."""
    X = sample.design.X
    usual = np.zeros(X.shape[1]) if is_sparse(X) else np.median(X[:1000], axis=0)
    differ: Any = (0 if is_sparse(X) else usual) != X
    columns = np.flatnonzero(np.asarray(differ.sum(axis=0)).ravel() < 30)
    return _Rare(columns, problem.column_squares(columns, usual[columns])) if len(columns) else None
