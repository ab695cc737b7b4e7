"""The duality gap of a regularised linear model.

    F(w, b) = Σᵢ sᵢ ℓ(yᵢ, zᵢ) + Ω(w)   ≥   D(u) = Σᵢ sᵢ (uᵢ oᵢ − ℓ*(yᵢ, uᵢ)) − Ω*(−Σᵢ sᵢ uᵢ xᵢ)          (1)

with z = Xw + b + o, o a known offset, for every u with Σᵢ sᵢ uᵢ = 0 when b is free. The natural candidate u = ℓ'(y, z)
closes the gap at the optimum; where Ω* is infinite, or Σᵢ sᵢ uᵢ ≠ 0, it is shrunk into the domain. Fenchel–Rockafellar
duality: Borwein & Lewis (2006), theorem 3.3.5, doi:10.1007/978-0-387-31256-9.
"""

from __future__ import annotations

from typing import cast

import numpy as np
from scipy import optimize

from gnomon._typing import Floats
from gnomon.losses import SoftmaxLoss
from gnomon.optim.problem import Problem
from gnomon.penalties import Penalty

__all__ = ["dual_gap"]

LARGEST_SHIFT = 1e150
"""Of scores, in search of the b at which a loss without curvature is balanced."""


def dual_gap(problem: Problem, theta: Floats) -> float:
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
    0.26
    """
    z = problem.scores(theta)
    primal = problem.at_scores(z)[0] + problem.penalty.value(problem.penalized(theta))
    return max(primal - dual_value(problem, z), 0.0)


def gap_by_gradient(problem: Problem, theta: Floats, gradient: Floats) -> float:
    """The duality gap from ∇F(θ), without a pass over the rows where that is possible.

    With u = ℓ'(y, z) and v = Σ sᵢ uᵢ xᵢ Fenchel's equality ℓ*(u) = u z − ℓ(z) turns the gap into Ω(w) + wᵀv + Ω*(−v),
    whatever the offset. A free b needs Σ sᵢ uᵢ = 0 as well: u is moved on a few rows, in proportion to the curvature,
    until that holds.
    """
    w = problem.penalized(theta)
    v = problem.penalized(gradient) - problem.penalty.slope(w)
    if problem.n_scores > 1 or problem.penalty.dual_scale(-v) < 1.0:
        return dual_gap(problem, theta)
    conjugate, correction = problem.penalty.conjugate(-v), 0.0
    if not np.isfinite(conjugate):
        return np.inf
    if problem.design.intercept == "free":
        correction, shift = _corrected_rows(problem, theta, float(gradient[-1]))
        conjugate = problem.penalty.conjugate(-(v + shift[: len(v)]))
    gap = problem.penalty.value(w) + float(w @ v) + conjugate + correction
    return max(gap, 0.0) if np.isfinite(gap) else dual_gap(problem, theta)


def _corrected_rows(problem: Problem, theta: Floats, excess: float, *, n_rows: int = 4096) -> tuple[float, Floats]:
    """b ∇_b F and the changes of −Σ sᵢ (uᵢ oᵢ − ℓ*(yᵢ, uᵢ)) and of v, when u is moved so that Σ sᵢ uᵢ vanishes."""
    part = problem.take(np.linspace(0, problem.design.n - 1, min(problem.design.n, n_rows)).astype(int))
    z = part.scores(theta)
    curvature = part.weights * part.loss.curvature(part.y, z)
    g = part.at_scores(z)[1]
    moved = g - (excess / part.design.bias) * curvature / max(float(np.sum(curvature)), np.finfo(curvature.dtype).tiny)
    s, y = part.weights, part.y
    before, after = (np.divide(h, s, out=np.zeros_like(h), where=s > 0) for h in (g, moved))
    change = float(s @ (part.loss.conjugate(y, after) - part.loss.conjugate(y, before)))
    change -= float(np.sum((moved - g) * part.offset))
    return float(theta[-1]) * excess + change, part.design.adjoint(moved - g)


def dual_value(problem: Problem, z: Floats) -> float:
    """D(u) at the feasible dual point nearest to u = ℓ'(y, z)."""
    free = problem.design.intercept == "free"
    if free and problem.loss.smooth:
        z = balanced_scores(problem, z)
    g = problem.at_scores(z)[1]
    if free and not problem.loss.smooth:
        g = _without_excess(g)
    v = problem.design.adjoint(g)[..., : problem.design.n_penalized]
    at = dual_at(problem, problem.penalty, g, v)
    # If u is infeasible, u = 0 would give only the trivial bound that losses are bounded below, no certificate.
    return at if problem.loss.smooth or at == -np.inf else max(at, _best_on_ray(problem, g, v))


def _best_on_ray(problem: Problem, g: Floats, v: Floats) -> float:
    """The greatest D on the way from 0 to u: near a kink ℓ' is far from the u that closes the gap."""
    found = optimize.minimize_scalar(
        lambda c: -dual_at(problem, problem.penalty, c * g, c * v), bounds=(0.0, 1.0), method="bounded"
    )
    return max(-float(found.fun), dual_at(problem, problem.penalty, 0.0 * g, 0.0 * v))


def _without_excess(g: Floats) -> Floats:
    """g scaled down in parts until Σ g = 0: ℓ* is finite at 0 and at u, and so between them."""
    return _one_score_without_excess(g) if g.ndim == 1 else _scores_without_excess(g)


def _one_score_without_excess(g: Floats) -> Floats:
    """The heavier sign is scaled down to the weight of the other."""
    up, down = np.sum(np.maximum(g, 0.0)), np.sum(np.maximum(-g, 0.0))
    least, tiny = np.minimum(up, down), np.finfo(g.dtype).tiny
    return g * np.where(g > 0.0, least / np.maximum(up, tiny), least / np.maximum(down, tiny))


def _scores_without_excess(g: Floats) -> Floats:
    """A row of g moves mass from score to score; of what two scores exchange, the heavier part is scaled down."""
    up, down, tiny = np.maximum(g, 0.0), np.maximum(-g, 0.0), np.finfo(g.dtype).tiny
    up_share = up / np.maximum(np.sum(up, axis=1, keepdims=True), tiny)
    moved = down.T @ up_share
    kept = np.minimum(moved, moved.T) / np.maximum(moved, tiny)
    return up_share * (down @ kept) - down * (up_share @ kept.T)


def dual_at(problem: Problem, penalty: Penalty, g: Floats, v: Floats) -> float:
    """D(u) for sᵢuᵢ = c gᵢ and given v = Xᵀg, with the largest feasible c ≤ 1; −inf if there is no conjugate."""
    c = penalty.dual_scale(-v)
    s = problem.weights if g.ndim == 1 else problem.weights[:, None]
    u = np.divide(c * g, s, out=np.zeros_like(g), where=s > 0)
    known = float(np.sum(c * g * problem.offset))
    try:
        # np.sum instead of a dot product: starting BLAS threads would cost more than the sum.
        return known - float(np.sum(problem.weights * problem.loss.conjugate(problem.y, u))) - penalty.conjugate(-c * v)
    except NotImplementedError:
        return -np.inf


def balanced_scores(problem: Problem, z: Floats, *, max_iter: int = 20) -> Floats:
    """Scores shifted by the b that makes Σ sᵢ ℓ' vanish: Newton's method in b, inside the domain of the loss."""
    for _ in range(max_iter):
        value, g = problem.at_scores(z)
        slope, scale = np.sum(g, axis=0), np.sum(np.abs(g), axis=0)
        if np.all(np.abs(slope) <= 1e-13 * scale):
            break
        curvature = _curvature_in_shift(problem, z)
        # Softmax is invariant to a constant added to all scores: of the equivalent steps take the shortest.
        shift = slope / curvature if curvature.ndim == 0 else np.linalg.lstsq(curvature, slope, rcond=1e-12)[0]
        z = _shifted(problem, z, shift, value) if np.isfinite(value) else z - shift
    return z


def _shifted(problem: Problem, z: Floats, shift: Floats, value: float, *, max_halvings: int = 40) -> Floats:
    """z − shift/2ᵏ with the least k at which the loss is not above `value`, that of z.

    Where all rows are sure, the curvature is nearly zero and a whole step may lead anywhere; where it is zero, as of a
    Huber loss far from its targets, no step is a Newton step, and the shift is bracketed.
    """
    most = value + 1e-9 * abs(value)
    there = (z - shift / 2.0**k for k in range(max_halvings if np.all(np.isfinite(shift)) else 0))
    moved = next((moved for moved in there if problem.at_scores(moved)[0] <= most), None)
    if moved is None:
        return _bracketed(problem, z) if z.ndim == 1 else z
    return moved


def _bracketed(problem: Problem, z: Floats) -> Floats:
    """z shifted to where Σ sᵢ ℓ' changes its sign; z where that cannot be found."""

    def slope(b: float) -> float:
        return float(np.sum(problem.at_scores(z - b)[1]))

    near, far = 0.0, float(np.sign(slope(0.0)))
    while slope(far) * slope(near) > 0.0 and abs(far) < LARGEST_SHIFT:
        near, far = far, 2.0 * far
    if not slope(far) * slope(near) <= 0.0:
        return z
    return z - optimize.brentq(slope, near, far)


def _curvature_in_shift(problem: Problem, z: Floats) -> Floats:
    """∇² of Σ sᵢ ℓ(yᵢ, zᵢ + b) in b: a number, or a K × K matrix."""
    if problem.loss.by_row:
        return cast(SoftmaxLoss, problem.loss).total_curvature(problem.y, z, problem.weights)
    s = problem.weights if z.ndim == 1 else problem.weights[:, None]
    curvature = np.maximum(np.sum(s * problem.loss.curvature(problem.y, z), axis=0), np.finfo(z.dtype).tiny)
    return curvature if z.ndim == 1 else np.diag(curvature)
