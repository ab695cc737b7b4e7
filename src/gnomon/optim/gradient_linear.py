"""First-order methods for linear models.

    minimise over θ    F(θ) = Σᵢ sᵢ ℓ(yᵢ, zᵢ) + Ω(w),    z = Xw + b                                   (1)

Each function hands (1) to a generic minimiser with what it can use: the Lipschitz constant smoothness(ℓ) · λ_max(XᵀSX)
for the step, products with the Hessian for exact searches, the proximal step on w but not on b. A `tol` below the
rounding error of the gradient is raised to it, and the duality gap at the end certifies the result. For a loss or
penalty with kinks the gradient becomes a sub-gradient: the steps must then decrease, F may rise on the way, and
coefficients come near zero without ever being zero. Shor (1985), doi:10.1007/978-3-642-82118-9.
"""

from __future__ import annotations

import math
import warnings
from functools import partial
from typing import Any, Literal

import numpy as np

from gnomon._typing import Floats
from gnomon.optim._bfgs import bfgs
from gnomon.optim._conjugate_gradient import conjugate_gradient
from gnomon.optim._gradient_descent import gradient_descent
from gnomon.optim._proximal_gradient import OnPart, proximal_gradient
from gnomon.optim.centring import CentredProblem
from gnomon.optim.duality import dual_gap
from gnomon.optim.problem import Problem, largest_eigenvalue
from gnomon.optim.rounding import attainable_tol
from gnomon.optim.schedules import Power, RateLike
from gnomon.optim.solution import Solution
from gnomon.optim.steps import StepLike, as_step_rule

__all__ = [
    "ApproximateZerosWarning",
    "bfgs_linear",
    "cg_linear",
    "fista_linear",
    "gd_linear",
    "ista_linear",
    "momentum_linear",
    "subgradient_linear",
]


class ApproximateZerosWarning(UserWarning):
    """A sub-gradient method was asked for a sparse model: its small coefficients are not exactly zero.

    References
    ----------
    Duchi, J. & Singer, Y. (2009). Efficient online and batch learning using forward backward splitting. JMLR 10,
    2899–2934, section 1. https://jmlr.org/papers/v10/duchi09a.html

    Examples
    --------
    >>> import warnings
    >>> from gnomon.linear import Lasso
    >>> from gnomon.optim import ApproximateZerosWarning
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     model = Lasso(solver="subgradient").fit([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [1.0, 2.0, 3.0])
    >>> any(w.category is ApproximateZerosWarning for w in caught)
    True
    """


def gd_linear(problem: Problem, theta: Floats, *, step: StepLike | None = None, **options: Any) -> Solution[Floats]:
    """Minimise (1) by gradient descent, by sub-gradient descent where (1) has kinks; options as for it."""
    smooth = problem.loss.smooth and problem.penalty.smooth
    step = _default_step(problem, smooth) if step is None else step
    # It takes many passes over the rows, and only this step rule needs it.
    known = step == "auto" and math.isfinite(problem.loss.smoothness)
    L = problem.lipschitz + problem.penalty.strong_convexity if known else None
    if not (problem.loss.differentiable and problem.penalty.smooth) and as_step_rule(step, L).searches:
        raise ValueError(
            f"step={step!r} searches along the gradient of a differentiable F; give a number or a schedule here"
        )
    options = _attainable(problem, theta, options)
    product = partial(_hessian_product, problem) if problem.loss.quadratic and problem.n_scores == 1 else None
    solution = gradient_descent(
        problem.value_and_gradient, theta, step=step, lipschitz=L, hessian_product=product, **options
    )
    return _certified(problem, solution)


def momentum_linear(problem: Problem, theta: Floats, *, momentum: RateLike = 0.9, **options: Any) -> Solution[Floats]:
    """Minimise (1) by gradient descent with momentum."""
    if "memory" in options:
        return gd_linear(problem, theta, **options)
    return gd_linear(problem, theta, momentum=momentum, **options)


def subgradient_linear(problem: Problem, theta: Floats, **options: Any) -> Solution[Floats]:
    """Minimise (1) by sub-gradient descent, as a contrast to the solvers that find exact zeros."""
    if not problem.penalty.smooth:
        warnings.warn(
            "sub-gradient descent is slow and its zeros are only approximate; "
            "solver='cd' or 'fista' gives exact zeros and a certificate",
            ApproximateZerosWarning,
            stacklevel=4,
        )
    return gd_linear(problem, theta, **options)


def bfgs_linear(problem: Problem, theta: Floats, **options: Any) -> Solution[Floats]:
    """Minimise (1) by BFGS; options as for `bfgs`."""
    options = _attainable(problem, theta, options)
    return _certified(problem, bfgs(problem.value_and_gradient, theta, **options))


def cg_linear(problem: Problem, theta: Floats, **options: Any) -> Solution[Floats]:
    """Minimise (1) by non-linear conjugate gradients; options as for `conjugate_gradient`."""
    options = _attainable(problem, theta, options)
    return _certified(problem, conjugate_gradient(problem.value_and_gradient, theta, **options))


def ista_linear(
    problem: Problem, theta: Floats, *, step: float | Literal["auto", "backtracking"] = "auto", **options: Any
) -> Solution[Floats]:
    """Minimise (1) by proximal gradient steps; options as for `proximal_gradient`."""
    options = _attainable(problem, theta, options)
    penalty = penalty_on_theta(problem)
    if problem.design.intercept != "free" or step != "auto" or "lipschitz" in options:
        options.setdefault("lipschitz", problem.lipschitz)
        return _certified(problem, proximal_gradient(problem.data_term, theta, penalty, step=step, **options))
    centred = CentredProblem(problem)
    start, L = centred.from_theta(theta), centred.lipschitz
    solution = proximal_gradient(centred.data_term, start, penalty, lipschitz=L, **options)
    history = dict(solution.history)
    if "iterates" in history:
        history["iterates"] = np.array([centred.to_theta(phi) for phi in history["iterates"]])
    return _certified(problem, solution._replace(w=centred.to_theta(solution.w), history=history))


def fista_linear(problem: Problem, theta: Floats, *, check_every: int = 10, **options: Any) -> Solution[Floats]:
    """Minimise (1) by accelerated proximal gradient steps; options as for `proximal_gradient`."""
    return ista_linear(problem, theta, acceleration="fista", check_every=check_every, **options)


def penalty_on_theta(problem: Problem) -> OnPart:
    """The penalty of the problem as a function of θ: it leaves a free b alone."""
    K, width, d = problem.n_scores, problem.design.width, problem.design.n_penalized
    if K == 1:
        return OnPart(problem.penalty, slice(0, d))
    inside = np.tile(np.arange(width) < d, K)
    return OnPart(problem.penalty, inside, (K, d))


def _attainable(problem: Problem, theta: Floats, options: dict[str, Any]) -> dict[str, Any]:
    return {**options, "tol": attainable_tol(problem, theta, options.get("tol", 1e-6))}


def _default_step(problem: Problem, smooth: bool) -> StepLike:
    if smooth:
        return "auto"
    # Without a bound on ℓ″, that of a loss with ℓ″ = 1 sets the scale.
    bound = problem.loss.smoothness if math.isfinite(problem.loss.smoothness) else 1.0
    L = bound * largest_eigenvalue(problem.design, problem.weights) + problem.penalty.strong_convexity
    return Power(1.0 / L if L > 0.0 else 1.0, p=0.5)


def _hessian_product(problem: Problem, theta: Floats, v: Floats) -> Floats:
    curvature = problem.weights * problem.loss.curvature(problem.y, problem.scores(theta))
    product = problem.design.adjoint(curvature * problem.design.apply(v))
    d = problem.design.n_penalized
    product[:d] += problem.penalty.strong_convexity * v[:d]
    return product


def _certified(problem: Problem, solution: Solution[Floats]) -> Solution[Floats]:
    """The solution with its duality gap, where the loss and the penalty have conjugates."""
    if not (problem.loss.convex and problem.penalty.convex):
        return solution
    try:
        gap = dual_gap(problem, solution.w)
    except NotImplementedError:
        return solution
    return solution._replace(dual_gap=gap) if math.isfinite(gap) else solution
