"""Iteratively re-weighted least squares.

    θ ← argmin Σᵢ Wᵢ (Zᵢ − xᵢᵀθ)² + 2 Ω(θ),    Wᵢ = sᵢ cᵢ,    Zᵢ = zᵢ − ℓ'(yᵢ, zᵢ)/cᵢ                  (1)

with z = Xθ and cᵢ the curvature of the loss at zᵢ: a weighted ridge regression for an L2 penalty, and equal
to the step of Newton's method; with the expected curvature of a generalised linear model it is Fisher scoring. A
step that does not lower the objective is halved. Nelder & Wedderburn (1972), doi:10.2307/2344614.
"""

from __future__ import annotations

import numpy as np
from scipy import linalg

from gnomon._typing import Floats
from gnomon.optim._follow import Descent, follow_to_rounding
from gnomon.optim._newton import halved_step, positive_factor, solve_factored
from gnomon.optim.problem import Problem
from gnomon.optim.rules import StopRule, check_at
from gnomon.optim.solution import Callback, Solution
from gnomon.optim.stopping import GradientNorm, default_rule

__all__ = ["irls"]


def irls(
    problem: Problem,
    theta: Floats,
    *,
    tol: float = 1e-8,
    tol_obj: float | None = None,
    stop: StopRule | None = None,
    max_iter: int = 100,
    callback: Callback | None = None,
    iterates: bool = False,
) -> Solution[Floats]:
    """Minimise F(θ) = Σ sᵢ ℓ(yᵢ, zᵢ) + Ω(w) by (1), for a loss of one score and an L2 penalty or none.

    Parameters
    ----------
    problem : Problem
    theta : ndarray
        Start.
    tol : float, default=1e-8
        Stop at ‖∇F‖∞ ≤ tol.
    tol_obj : float, optional
        Stop also where F changes by no more than tol_obj · max(1, |F|).
    stop : StopRule, optional
        A further rule of `gnomon.optim.stopping`.
    max_iter : int, default=100
    callback : callable, optional
        Gets each row of the history; may return True to stop.
    iterates : bool, default=False
        Keep every θ in the history.

    Returns
    -------
    Solution

    References
    ----------
    Nelder, J. & Wedderburn, R. (1972). Generalized linear models. doi:10.2307/2344614

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.losses import LogisticLoss
    >>> from gnomon.numerics.design import Design
    >>> from gnomon.optim import Problem, irls
    >>> from gnomon.penalties import NoPenalty
    >>> design = Design(np.array([[0.0], [1.0], [2.0], [3.0]]))
    >>> problem = Problem(design, np.array([-1.0, 1.0, -1.0, 1.0]), LogisticLoss(), NoPenalty(), np.ones(4))
    >>> irls(problem, np.zeros(2)).w.round(7)
    array([ 0.9081843, -1.3622764])
    """
    rule = default_rule(GradientNorm(tol), tol_obj, stop)
    checks = _checks(problem, np.array(theta, copy=True))
    return follow_to_rounding(checks, rule, max_iter=max_iter, callback=callback, iterates=iterates)


def _checks(problem: Problem, theta: Floats) -> Descent:
    value, g = problem.value_and_gradient(theta)
    yield check_at(0, theta, value, g)
    iteration = 0
    while True:
        iteration += 1
        direction = _weighted_ridge(problem, theta, g) - theta
        step, theta, value, g = halved_step(problem.value_and_gradient, theta, value, g, direction)
        if step == 0.0:
            return -float(g @ direction)
        yield check_at(iteration, theta, value, g, step=step)


def _weighted_ridge(problem: Problem, theta: Floats, g: Floats) -> Floats:
    """The minimiser of (1): (XᵀWX + Ω'')⁻¹ XᵀWZ."""
    if not problem.loss.convex and np.any(problem.loss.curvature(problem.y, problem.scores(theta)) < 0.0):
        raise ValueError(
            f"loss={problem.loss!r} has negative curvature at some row, so (1) has no minimum; use another solver"
        )
    # XᵀWZ = (XᵀWX + Ω'')θ − ∇F needs no further pass over the rows, and no division by curvatures that may be zero.
    H = problem.hessian(theta)
    return _least_solution(H, H @ theta - g)


def _least_solution(H: Floats, r: Floats) -> Floats:
    """H⁻¹r by Cholesky's factorisation; where H is singular, the solution of least norm."""
    # Columns are scaled to equal length, so that small pivots mean dependent columns, not small ones.
    size = np.sqrt(np.abs(np.diagonal(H)))
    size[size == 0.0] = 1.0
    factor = positive_factor(H / size / size[:, None])
    if np.min(np.diagonal(factor[0])) ** 2 > 1e3 * len(H) * np.finfo(H.dtype).eps:
        return solve_factored(factor, r / size) / size
    values, V = linalg.eigh(H)
    kept = values > 10.0 * len(H) * np.finfo(H.dtype).eps * values[-1]
    return V[:, kept] @ ((V[:, kept].T @ r) / values[kept])
