"""Dual coordinate ascent.

    maximise over 0 ≤ αᵢ ≤ Uᵢ    D(α) = −Σᵢ sᵢ ℓ*(yᵢ, −αᵢ yᵢ / sᵢ) − (c/2) ‖θ‖²,    θ = (1/c) Σᵢ αᵢ yᵢ xᵢ        (1)

is the dual of Σᵢ sᵢ ℓ(yᵢ, xᵢᵀθ) + (c/2)‖θ‖². One αᵢ at a time is moved to the maximum of (1) in it, and θ is kept up to
date, so a step costs one row of X. For the hinge U = s; for the squared hinge U = ∞ and (1) has curvature 1/(2sᵢ).
Random order, and samples that stay at an end of their box are skipped until the others have converged ("shrinking"):
Hsieh, Chang, Lin, Keerthi & Sundararajan (2008), algorithm 3, doi:10.1145/1390156.1390208. Where (1) is quadratic,
every pass ends with an exact step in the two αᵢ of steepest slope, up and down, for which single coordinates would need
hundreds of passes if rows are nearly parallel; every second pass ends with a line search along the change of the last
two, which costs no row of X, since θ is linear in α.

With s = C and c = 1 this is the textbook's α ∈ [0, C]; in the form ½‖w‖² + (λ/n) Σ ℓ the fractions αᵢ/sᵢ ∈ [0, 1] are
its α. A free intercept would add the constraint Σ αᵢ yᵢ = 0, along which no single αᵢ can move: append a penalised
constant column instead, or use ``qp``.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np
from sklearn.utils import check_random_state

from gnomon._jit import compiled
from gnomon._typing import ArrayLike, Floats, Seed
from gnomon.optim._dual_passes import Ascent, PassRules, advance
from gnomon.optim._follow import Checks, follow
from gnomon.optim._sgd import row_norms
from gnomon.optim.problem import Problem
from gnomon.optim.rules import StopRule
from gnomon.optim.solution import Callback, Solution
from gnomon.optim.stopping import KKT, Check, default_rule

__all__ = ["Order", "dual_coordinate_ascent", "dual_value_at"]

Order: TypeAlias = Literal["shuffle", "cyclic"]
ORDERS: tuple[Order, ...] = get_args(Order)


def dual_coordinate_ascent(
    problem: Problem,
    theta: Floats | None = None,
    *,
    alpha: ArrayLike | None = None,
    order: Order = "shuffle",
    shrinking: bool = True,
    extrapolation: bool = True,
    tol: float = 1e-4,
    max_iter: int = 1000,
    check_every: int = 10,
    random_state: Seed = 0,
    callback: Callback | None = None,
    stop: StopRule | None = None,
) -> Solution[Floats]:
    """Maximise (1) coordinate by coordinate.

    Parameters
    ----------
    problem : Problem
        A loss with dual steps (hinge, squared hinge, logistic), an L2 penalty, no free intercept.
    theta : ndarray, optional
        Not used: θ belongs to α. It stands here because every solver of a problem takes it.
    alpha : ndarray of shape (n,), optional
        Start; by default the end of the box at which the loss is inactive.
    order : {"shuffle", "cyclic"}, default="shuffle"
    shrinking : bool, default=True
        Leave out samples at the ends of their boxes while they stay there.
    extrapolation : bool, default=True
        End passes with a step in two coordinates and a search along the last two passes.
    tol : float, default=1e-4
        Stop when the projected slopes of (1) lie within an interval of this length, in units of the margin.
    max_iter : int, default=1000
        Passes over the data.
    check_every : int, default=10
        Passes between evaluations of primal and dual; in long runs, a tenth of the passes made.
    random_state : int, RandomState or None, default=0
    callback : callable, optional
        Called with each row of the history; True stops.
    stop : StopRule, optional
        A further rule, for example ``DualityGap(1e-6)``.

    Returns
    -------
    Solution
        `details["alpha"]` is α, and `dual_gap` the primal minus the dual objective.

    References
    ----------
    Hsieh, C.-J., Chang, K.-W., Lin, C.-J., Keerthi, S. S. & Sundararajan, S. (2008). A dual coordinate descent method
    for large-scale linear SVM. doi:10.1145/1390156.1390208

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.losses import HingeLoss
    >>> from gnomon.numerics.design import Design
    >>> from gnomon.optim import Problem, dual_coordinate_ascent
    >>> from gnomon.penalties import L2
    >>> X, y = np.array([[1.0], [-1.0]]), np.array([1.0, -1.0])
    >>> problem = Problem(Design(X, intercept="none"), y, HingeLoss(), L2(1.0, half=True), np.full(2, 0.25))
    >>> solution = dual_coordinate_ascent(problem, tol=1e-8)
    >>> solution.w, round(solution.dual_gap, 7), solution.details["alpha"]
    (array([0.5]), 0.0, array([0.25, 0.25]))
    """
    if order not in ORDERS:
        raise ValueError(f"order={order!r} is unknown; choose from {list(ORDERS)}")
    state, quadratic = start_ascent(problem, alpha, random_state), problem.loss.dual_start == 0.0
    rules = PassRules(order == "shuffle", bool(shrinking), bool(extrapolation and quadratic), -1.0)
    checks = watch(problem, state, rules, tol, max_iter, check_every)
    rule = default_rule(KKT(tol), None, stop)
    return finish_ascent(problem, state, follow(checks, rule, max_iter=max_iter, callback=callback))


def start_ascent(problem: Problem, alpha: ArrayLike | None, random_state: Seed) -> Ascent:
    """Arrays for a start at `alpha`, by default where the loss says."""
    problem.refuse_offset("dual coordinate ascent")
    scale, s = 1.0 / problem.penalty.strong_convexity, problem.weights.astype(float)
    alpha = problem.loss.dual_start * s if alpha is None else np.array(alpha, dtype=float)
    theta = scale * np.asarray(problem.design.adjoint(alpha * problem.y), dtype=float)
    order = np.flatnonzero(s > 0)
    return Ascent(
        alpha,
        theta,
        scale * row_norms(problem.design),
        order,
        active=np.array([order.size]),
        limits=np.array([-np.inf, np.inf]),
        seed=np.array([check_random_state(random_state).randint(1, 2**31 - 1)], dtype=np.uint64),
        old_alpha=alpha.copy(),
        old_theta=theta.copy(),
        buffer=np.zeros_like(theta),
        scale=scale,
    )


def finish_ascent(problem: Problem, state: Ascent, solution: Solution[Floats]) -> Solution[Floats]:
    """The solution with α, and the gap between its objective and the best dual value, which is the last."""
    gap = max(solution.objective - dual_value_at(problem, state.alpha, state.theta), 0.0)
    return solution._replace(
        w=solution.w.astype(problem.design.dtype), dual_gap=gap, details={**solution.details, "alpha": state.alpha}
    )


def dual_value_at(problem: Problem, alpha: Floats, theta: Floats) -> float:
    """D(α) of (1), given the θ that belongs to it."""
    s = problem.weights
    u = np.divide(-alpha * problem.y, s, out=np.zeros_like(alpha), where=s > 0)
    return -float(np.sum(s * problem.loss.conjugate(problem.y, u))) - problem.penalty.value(theta)


def run_passes(problem: Problem, state: Ascent, rules: PassRules, tol: float, count: int) -> tuple[int, float]:
    """Up to `count` passes, in place; returns their number and the range of the slopes."""
    loss, rows, s = compiled(problem.loss), compiled(problem.design.rows), problem.weights.astype(float)
    return advance(loss, rows, problem.y, s, state, rules, tol, count)


def watch(problem: Problem, state: Ascent, rules: PassRules, tol: float, max_iter: int, check_every: int) -> Checks:
    """Yield a check for the start, after every `check_every` passes, and when the slopes have converged."""
    iteration, violation = 0, np.inf
    while True:
        yield _check(problem, state, iteration, violation)
        # Intervals between checks grow, so that long runs do not spend their time on checks.
        count = max(check_every, min(iteration // 10, 100 * check_every))
        done, violation = run_passes(problem, state, rules, tol, max(min(count, max_iter - iteration), 1))
        iteration += done


def _check(problem: Problem, state: Ascent, iteration: int, violation: float) -> Check[Floats]:
    # θ has accumulated the rounding of many updates; for a certificate it is recomputed from α.
    state.theta[:] = state.scale * problem.design.adjoint(state.alpha * problem.y)
    state.old_alpha[:], state.old_theta[:] = state.alpha, state.theta
    primal, dual = problem.value(state.theta), dual_value_at(problem, state.alpha, state.theta)
    more = {"dual": dual, "active": int(state.active[0])}
    return Check(iteration, np.array(state.theta), primal, kkt=violation, gap=max(primal - dual, 0.0), more=more)
