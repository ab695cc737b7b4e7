"""Regularisation paths.

    λ ↦ argmin over w, b of  A Σᵢ sᵢ ℓ(yᵢ, xᵢᵀw + b) + B Ω(w),    A and B as the scaling `objective` says       (1)

Each λ is started from the solution before it; for the lasso the knots of the piecewise-linear path are exact. Efron,
Hastie, Johnstone & Tibshirani (2004), doi:10.1214/009053604000000067; Friedman, Hastie & Tibshirani (2010),
doi:10.18637/jss.v033.i01.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_X_y

from gnomon._typing import ArrayLike, Floats, Integers, MatrixLike, is_sparse
from gnomon.base.targets import check_target
from gnomon.linear._forms import lam_of
from gnomon.linear._knots import weighted_knots
from gnomon.linear._nouns import check_targets
from gnomon.losses import Loss
from gnomon.numerics.design import Design
from gnomon.numerics.validation import FLOATS, check_integer, check_positive
from gnomon.numerics.weights import check_weights
from gnomon.optim import Solution, fit_linear, warn_unless_all_converged
from gnomon.optim.duality import balanced_scores
from gnomon.optim.problem import Problem
from gnomon.optim.units import natural_problem
from gnomon.penalties import Penalty, convert_lam, objective_form
from gnomon.penalties.forms import Objective

__all__ = ["Path", "path"]


class Path(NamedTuple):
    """Coefficients along a grid of λ.

    Fields
    ------
    lams : ndarray of shape (n_lams,)
        Falling (for "C" and "loss_mean", where λ is on the loss, rising).
    coefs : ndarray of shape (n_lams, n_features)
    intercepts : ndarray of shape (n_lams,)
    n_nonzero : ndarray of shape (n_lams,)
    norms : ndarray of shape (n_lams,)
        θ = Ω(w) at strength one.
    solutions : list of Solution
        With certificates; empty for exact knots.

    References
    ----------
    Friedman, J., Hastie, T. & Tibshirani, R. (2010). Regularization paths for generalized linear models via coordinate
    descent. doi:10.18637/jss.v033.i01

    Examples
    --------
    >>> from gnomon.linear import path
    >>> from gnomon.losses import SquaredLoss
    >>> from gnomon.penalties import L1
    >>> X, y = [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, -1.0]], [2.0, 2.0, 0.0, 3.0]
    >>> path(X, y, SquaredLoss(), L1(), lams=[14.0, 4.0, 1.0], fit_intercept=False).norms.round(6)
    array([0.      , 1.666667, 2.333333])
    """

    lams: Floats
    coefs: Floats
    intercepts: Floats
    n_nonzero: Integers
    norms: Floats
    solutions: list[Solution[Floats]]


def path(
    X: MatrixLike,
    y: ArrayLike,
    loss: Loss,
    penalty: Penalty,
    *,
    lams: ArrayLike | None = None,
    n_lams: int = 100,
    eps: float = 1e-3,
    objective: Objective = "sum",
    fit_intercept: bool = True,
    sample_weight: ArrayLike | None = None,
    exact: bool = False,
    solver: str = "auto",
    tol: float = 1e-8,
    max_iter: int = 10_000,
    **options: Any,
) -> Path:
    """Coefficients over a grid of λ, for any loss and penalty: ridge, lasso, elastic net, logistic regression, SVM.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Targets as `loss.targets` says: numbers, or −1 and +1.
    loss : Loss
    penalty : Penalty
        At strength one; λ of the grid sets the strength.
    lams : array-like, optional
        The grid; by default `n_lams` values from the least λ with w = 0 down to `eps` times it (for a smooth penalty,
        from ten times the largest pull of the data).
    objective : {"sum", "mean", "sum_half", "mean_half", "C", "loss_mean"}, default="sum"
        The scaling in which λ is given.
    fit_intercept : bool, default=True
    sample_weight : array-like of shape (n_samples,), optional
    exact : bool, default=False
        Return the knots of the lasso path instead of a grid (squared loss, L1, dense X).
    solver, tol, max_iter, **options
        Passed to `gnomon.optim.fit_linear`.

    Returns
    -------
    Path

    References
    ----------
    Efron, B., Hastie, T., Johnstone, I. & Tibshirani, R. (2004). Least angle regression.
    doi:10.1214/009053604000000067

    Examples
    --------
    >>> from gnomon.linear import path
    >>> from gnomon.losses import SquaredLoss
    >>> from gnomon.penalties import L1
    >>> X, y = [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, -1.0]], [2.0, 2.0, 0.0, 3.0]
    >>> knots = path(X, y, SquaredLoss(), L1(), exact=True, fit_intercept=False)
    >>> knots.lams, knots.n_nonzero
    (array([14.,  2.,  0.]), array([0, 1, 2]))
    """
    y = check_target(y, numeric=True)
    X, y = check_X_y(X, y, dtype=FLOATS, accept_sparse=("csr", "csc"))
    check_targets(loss, loss.targets, y)
    weights = check_weights(sample_weight, X)
    design = Design(X, intercept="free" if fit_intercept else "none")
    problem = Problem(design, y.astype(X.dtype), loss, penalty, weights)
    if exact:
        return _knots(problem, objective)
    n = float(weights.sum(dtype=float))
    lams = _grid(problem, objective, n, n_lams, check_positive("eps", eps)) if lams is None else lams
    lams = np.asarray(lams, dtype=float)
    solutions, start = [], None
    for lam in lams:
        form = objective_form(objective, float(lam), n)
        scaled, s = penalty.scaled(form.strength, half=form.half), (form.loss_scale * weights).astype(X.dtype)
        options |= {"solver": solver, "tol": tol, "max_iter": max_iter}
        solution = fit_linear(design, problem.y, loss, scaled, s, start=start, **options)
        solutions.append(solution)
        start = np.append(solution.w, solution.intercept) if fit_intercept else solution.w
    warn_unless_all_converged(solutions, max_iter)
    return _collect(lams, [s.w for s in solutions], [s.intercept for s in solutions], penalty, solutions)


def _grid(problem: Problem, objective: Objective, n: float, n_lams: int, eps: float) -> Floats:
    """From the least λ at which zero is optimal, found from the gradient of the loss at w = 0."""
    share = _kink(problem.penalty)
    rho = _largest_pull(problem) * (1.0 / share if share > 0.0 else 10.0)
    # If the gradient at w = 0 is zero, w = 0 is the solution for every λ.
    largest = convert_lam(rho or np.finfo(float).resolution, "sum", objective, n=n, penalty="l1")
    rising = objective in ("C", "loss_mean")
    return np.geomspace(largest, largest / eps if rising else eps * largest, check_integer("n_lams", n_lams, 1))


def _largest_pull(problem: Problem) -> float:
    """‖∂/∂w of the loss‖∞ at w = 0 and the best b, found in natural units."""
    natural, unit = natural_problem(problem, alike=True), 1.0
    if natural is not None:
        problem, unit = natural.problem, natural.value / natural.target * float(natural.scale[0])
    z = np.zeros(problem.design.n, dtype=problem.design.dtype) + problem.offset
    z = balanced_scores(problem, z) if problem.design.intercept == "free" else z
    return unit * float(np.max(np.abs(problem.design.adjoint(problem.at_scores(z)[1])[: problem.design.d])))


def _kink(penalty: Penalty) -> float:
    """Half the jump of Ω's slope at zero, per unit of strength: the largest gradient for which zero is optimal."""
    big = 1e6
    return big - float(penalty.gap(0.0, big))


def _knots(problem: Problem, objective: Objective) -> Path:
    loss, penalty, X = problem.loss, problem.penalty, problem.design.X
    if not loss.quadratic or is_sparse(X) or _kink(penalty) == 0.0 or penalty.strong_convexity > 0.0:
        raise ValueError(
            f"exact=True needs the squared loss, an L1 penalty and dense X; found loss={loss!r}, penalty={penalty!r}"
        )
    intercept = problem.design.intercept == "free"
    knots, x_mean, y_mean = weighted_knots(X, problem.y, problem.weights, intercept=intercept)
    n = float(problem.weights.sum(dtype=float))
    # τ = ρ/2 for Σ r², and the smoothness of ℓ says whether it carries the ½.
    rho = knots.tau * loss.smoothness / _kink(penalty)
    lams = np.array([lam_of(float(r), objective, n, "l1") for r in rho])
    return _collect(lams, knots.coefs, y_mean - knots.coefs @ x_mean, penalty, [])


def _collect(
    lams: Floats,
    coefs: ArrayLike,
    intercepts: Floats | Sequence[float | Floats],
    penalty: Penalty,
    solutions: list[Solution[Floats]],
) -> Path:
    coefs = np.array(coefs)
    norms = np.array([penalty.value(w) for w in coefs])
    return Path(np.asarray(lams), coefs, np.array(intercepts), np.count_nonzero(coefs, axis=1), norms, solutions)
