"""Newton's method for a kernel machine with a smooth loss.

    minimise over β, b    Σᵢ sᵢ ℓ(yᵢ, fᵢ) + ½ βᵀKβ,    f = Kβ + b                                   (1)
    (I + WK) β⁺ + W1 b⁺ = Wf − g,    1ᵀβ⁺ = 0,    gᵢ = sᵢ ℓ'(yᵢ, fᵢ),  Wᵢᵢ = sᵢ ℓ''(yᵢ, fᵢ)               (2)

(2) is solved with the Cholesky factor of B = I + W^½KW^½, whose eigenvalues are at least 1, so neither K nor W need be
regular; W⁻¹ is not formed. The line from β to β⁺ is searched by halving, and after each step b is the best for its β.
For the logistic loss this is kernel logistic regression: Zhu & Hastie (2005), doi:10.1198/106186005X25619; the stable
form of (2): Rasmussen & Williams (2006), algorithm 3.1.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import lapack

from gnomon._typing import Floats
from gnomon.numerics.linalg import refuse_matrix
from gnomon.optim._follow import Checks, follow
from gnomon.optim.kernel_problem import KernelPoint, KernelProblem
from gnomon.optim.rules import Check
from gnomon.optim.solution import Callback, Solution
from gnomon.optim.stopping import RelativeGap

__all__ = ["kernel_newton"]

SUFFICIENT, HALVINGS = 1e-4, 50


def kernel_newton(
    problem: KernelProblem, *, tol: float = 1e-8, max_iter: int = 100, callback: Callback | None = None
) -> Solution[Floats]:
    """Minimise (1) by (2).

    Parameters
    ----------
    problem : KernelProblem
        With one score per row.
    tol : float, default=1e-8
        Stop when the duality gap is at most this share of the objective.
    max_iter : int, default=100
    callback : callable, optional
        Called with each row of the history; True stops.

    Returns
    -------
    Solution
        `w` is β.

    References
    ----------
    Zhu, J. & Hastie, T. (2005). Kernel logistic regression and the import vector machine. doi:10.1198/106186005X25619

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.losses import LogisticLoss
    >>> from gnomon.optim import KernelProblem, kernel_newton
    >>> x, y = np.arange(4.0), np.array([-1.0, 1.0, -1.0, 1.0])
    >>> K = np.exp(-0.5 * (x[:, None] - x) ** 2)
    >>> solution = kernel_newton(KernelProblem(K, y, LogisticLoss(), np.ones(4), intercept=False), tol=1e-14)
    >>> solution.w.round(7), round(solution.objective, 7), solution.n_iter < 8
    (array([-0.448576 ,  0.5033304, -0.5033304,  0.448576 ]), 2.6760555, True)
    """
    if problem.n_scores != 1:
        raise ValueError(f"{problem.n_scores} scores per row have another Hessian; use fit_kernel with solver='lbfgs'")
    solution = follow(_checks(problem), RelativeGap(tol), max_iter=max_iter, callback=callback)
    return solution._replace(w=solution.w[:-1], intercept=float(solution.w[-1]))


def _checks(problem: KernelProblem) -> Checks:
    point, iteration, step = problem.at(problem.zero), 0, 1.0
    while True:
        yield Check(
            iteration,
            np.append(point.beta, point.intercept),
            point.objective,
            gradient_norm=point.gradient_norm,
            gap=point.gap,
            more={"step": step},
        )
        found = _search(problem, point, _newton_point(problem, point))
        if found is None:
            return
        (point, step), iteration = found, iteration + 1


def _newton_point(problem: KernelProblem, point: KernelPoint) -> tuple[Floats, float]:
    """β⁺ and b⁺ of (2)."""
    K, f, g = problem.K, point.scores, point.slopes
    W = problem.weights * problem.loss.curvature(problem.y, f)
    root = np.sqrt(W)
    B = K * root[:, None]
    B *= root
    B[np.diag_indices_from(B)] += 1.0
    L, info = lapack.dpotrf(B.T, lower=1, overwrite_a=1, clean=0)
    if info != 0:
        refuse_matrix(K, problem.eps)
        raise ValueError(
            "the kernel matrix overflows, or its values differ by less than their rounding; "
            "centre the columns of X and divide them by their scale (StandardScaler)"
        )
    c = W * f - g
    right, _ = lapack.dpotrs(L, np.column_stack([root * (K @ c), root]), lower=1)
    u, v = c - root * right[:, 0], root * right[:, 1]
    total = float(np.sum(v))
    b = float(np.sum(u)) / total if problem.intercept and total > 0.0 else float(point.intercept)
    return u - v * b, b


def _search(problem: KernelProblem, point: KernelPoint, goal: tuple[Floats, float]) -> tuple[KernelPoint, float] | None:
    """The first of 1, ½, ¼ … of the way to the goal that lowers F enough; None where none does."""
    move, shift = goal[0] - point.beta, goal[1] - point.intercept
    image, moved = point.scores - point.intercept, problem.K @ move
    slope = float((point.beta + point.slopes) @ moved)
    for k in range(HALVINGS):
        t = 0.5**k
        beta, there = point.beta + t * move, image + t * moved
        value = problem.losses.at_scores(there + point.intercept + t * shift)[0] + 0.5 * float(beta @ there)
        if value <= point.objective + SUFFICIENT * t * slope and value < point.objective:
            # From Kβ itself, so that errors of updates do not add up.
            return problem.at(beta, problem.K @ beta, point.intercept + t * shift), t
    return None
