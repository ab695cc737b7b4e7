"""Iteratively re-weighted least squares.

    θ ← argmin Σᵢ Wᵢ (Zᵢ − xᵢᵀθ)² + 2 Ω(θ),    Wᵢ = sᵢ cᵢ,    Zᵢ = zᵢ − ℓ'(yᵢ, zᵢ)/cᵢ                  (1)

with z = Xθ and cᵢ the curvature of the loss at zᵢ: a weighted ridge regression for an L2 penalty, and the step of
Newton's method in other clothes; with the expected curvature of a generalised linear model it is Fisher's scoring. A
step that raises the objective is halved. Nelder & Wedderburn (1972), doi:10.2307/2344614.
"""

import numpy as np
from scipy import linalg

from gnomon.optim.follow import follow
from gnomon.optim.lbfgs import largest_entry
from gnomon.optim.newton import positive_factor
from gnomon.optim.stopping import Check, GradientNorm, default_rule

__all__ = ["irls"]


def irls(problem, theta, *, tol=1e-8, tol_obj=None, stop=None, max_iter=100, callback=None, iterates=False):
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
    solution = follow(checks, rule, max_iter=max_iter, callback=callback, iterates=iterates)
    # Rounding may end a descent; that no first step is found is a fault of the start or of the scale.
    ended = solution.stop_reason == "no_change" and solution.n_iter > 0
    return solution._replace(converged=solution.converged or ended)


def _checks(problem, theta, *, max_halvings=30):
    value, g = problem.value_and_gradient(theta)
    yield Check(0, theta, value, largest_entry(g))
    iteration = 0
    while True:
        target = _weighted_ridge(problem, theta)
        for halvings in range(max_halvings):
            step = 0.5**halvings
            there = theta + np.asarray(step, dtype=theta.dtype) * (target - theta)
            value_there, g_there = problem.value_and_gradient(there)
            flat = abs(value_there - value) <= 10.0 * np.finfo(g.dtype).eps * abs(value)
            if (value_there < value and not flat) or (flat and largest_entry(g_there) < largest_entry(g)):
                break
        else:
            return
        theta, value, g, iteration = there, value_there, g_there, iteration + 1
        yield Check(iteration, theta, value, largest_entry(g), more={"step": step})


def _weighted_ridge(problem, theta):
    """The minimiser of (1): (XᵀWX + Ω'')⁻¹ XᵀWZ."""
    z = problem.scores(theta)
    W = problem.weights * problem.loss.curvature(problem.y, z)
    # WZ = Wz − sℓ' needs no division, so rows without curvature do no harm; a known offset is no part of the response.
    response = W * (z - problem.offset) - problem.at_scores(z)[1]
    return _least_solution(problem.hessian(theta), problem.design.adjoint(response))


def _least_solution(H, r):
    """H⁻¹r by Cholesky's factorisation; where H is singular, the solution of least norm."""
    factor = positive_factor(H)
    pivots = np.abs(np.diagonal(factor[0]))
    if np.min(pivots) ** 2 > 1e3 * len(H) * np.finfo(H.dtype).eps * np.max(pivots) ** 2:
        return linalg.cho_solve(factor, r)
    values, V = linalg.eigh(H)
    kept = values > 10.0 * len(H) * np.finfo(H.dtype).eps * values[-1]
    return V[:, kept] @ ((V[:, kept].T @ r) / values[kept])
