"""The duality gap of a regularised linear model.

    F(w, b) = Σᵢ sᵢ ℓ(yᵢ, zᵢ) + Ω(w)   ≥   D(u) = −Σᵢ sᵢ ℓ*(yᵢ, uᵢ) − Ω*(−Σᵢ sᵢ uᵢ xᵢ)                 (1)

for every u with Σᵢ sᵢ uᵢ = 0 when b is free. The natural candidate u = ℓ'(y, z) closes the gap at the optimum; where Ω*
is infinite it is shrunk into the domain. Fenchel–Rockafellar duality: Borwein & Lewis (2006), theorem 3.3.5,
doi:10.1007/978-0-387-31256-9.
"""

import numpy as np

__all__ = ["dual_gap"]


def dual_gap(problem, theta):
    """F(θ) − D(u) ≥ F(θ) − min F, at the dual point that belongs to θ; inf where that point is infeasible.

    Parameters
    ----------
    problem : Problem
    theta : ndarray

    Returns
    -------
    float

    References
    ----------
    Borwein, J. & Lewis, A. (2006). Convex Analysis and Nonlinear Optimization. doi:10.1007/978-0-387-31256-9

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.losses import SquaredLoss
    >>> from gnomon.numerics.design import Design
    >>> from gnomon.optim import Problem, dual_gap
    >>> from gnomon.penalties import L1
    >>> design = Design(np.eye(2), intercept="none")
    >>> problem = Problem(design, np.array([3.0, 0.2]), SquaredLoss(), L1(1.0), np.ones(2))
    >>> dual_gap(problem, np.array([2.5, 0.0]))
    0.0
    >>> round(dual_gap(problem, np.array([2.0, 0.0])), 4)
    1.25
    """
    z = problem.scores(theta)
    primal = problem.at_scores(z)[0] + problem.penalty.value(problem.penalized(theta))
    return max(primal - dual_value(problem, z), 0.0)


def dual_value(problem, z):
    """D(u) at the feasible dual point nearest to u = ℓ'(y, z)."""
    if problem.design.intercept == "free":
        z = _balanced(problem, z)
    g = problem.at_scores(z)[1]
    v = -problem.design.adjoint(g)[..., : problem.design.n_penalized]
    c = problem.penalty.dual_scale(v)
    s = problem.weights if z.ndim == 1 else problem.weights[:, None]
    u = np.divide(c * g, s, out=np.zeros_like(g), where=s > 0)
    losses = problem.loss.conjugate(problem.y, u)
    return -float(problem.weights @ losses) - problem.penalty.conjugate(c * v)


def _balanced(problem, z, *, max_iter=20):
    """Scores shifted by the b that makes Σ sᵢ ℓ' vanish: Newton's method in one unknown per column."""
    for _ in range(max_iter):
        g = problem.at_scores(z)[1]
        slope, scale = np.sum(g, axis=0), np.sum(np.abs(g), axis=0)
        if np.all(np.abs(slope) <= 1e-15 * scale):
            break
        s = problem.weights if z.ndim == 1 else problem.weights[:, None]
        bend = np.sum(s * problem.loss.curvature(problem.y, z), axis=0)
        z = z - np.divide(slope, bend, out=np.zeros_like(bend), where=bend > 0)
    return z
