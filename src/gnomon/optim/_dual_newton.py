"""Newton's method on the dual of logistic regression, one sample at a time.

    D(α) = −(c/2) ‖θ‖² − Σᵢ [αᵢ log αᵢ + (sᵢ − αᵢ) log(sᵢ − αᵢ) − sᵢ log sᵢ],    θ = (1/c) Σᵢ αᵢ yᵢ xᵢ       (1)

over 0 < αᵢ < sᵢ. In one αᵢ, −D has slope yᵢ xᵢᵀθ + log(αᵢ/(sᵢ − αᵢ)) and curvature ‖xᵢ‖²/c + 1/αᵢ + 1/(sᵢ − αᵢ).
``inner="exact"`` iterates Newton on the side of the box where it cannot overshoot until the coordinate is solved (Yu,
Huang & Lin 2011, algorithm 4, doi:10.1007/s10994-010-5221-8); ``inner="one_step"`` takes a single step, clipped to
[ε s, (1 − ε) s]. In the form ½‖w‖² + (λ/n) Σ ℓ the fractions αᵢ/sᵢ are the textbook's α ∈ (0, 1).
"""

from __future__ import annotations

from typing import Literal

from gnomon._typing import ArrayLike, Floats, Seed
from gnomon.optim._dual_coordinate_ascent import ORDERS, Order, finish_ascent, start_ascent, watch
from gnomon.optim._dual_passes import PassRules
from gnomon.optim._follow import follow
from gnomon.optim.problem import Problem
from gnomon.optim.rules import StopRule
from gnomon.optim.solution import Callback, Solution
from gnomon.optim.stopping import KKT, default_rule

__all__ = ["dual_newton"]

INNER = ("exact", "one_step")
CLIP = 1e-12


def dual_newton(
    problem: Problem,
    theta: Floats | None = None,
    *,
    alpha: ArrayLike | None = None,
    inner: Literal["exact", "one_step"] = "exact",
    order: Order = "shuffle",
    tol: float = 1e-4,
    max_iter: int = 1000,
    check_every: int = 10,
    random_state: Seed = 0,
    callback: Callback | None = None,
    stop: StopRule | None = None,
) -> Solution[Floats]:
    """Maximise (1), or the dual of another loss with dual steps, by Newton steps in one coordinate after the other.

    Parameters
    ----------
    problem : Problem
        A loss with dual steps (logistic, hinge, squared hinge), an L2 penalty, no free intercept.
    theta : ndarray, optional
        Not used: θ belongs to α. It stands here because every solver of a problem takes it.
    alpha : ndarray of shape (n,), optional
        Start; by default the middle sᵢ/2 for the logistic loss.
    inner : {"exact", "one_step"}, default="exact"
        Solve each coordinate, or take one clipped Newton step in it.
    order : {"shuffle", "cyclic"}, default="shuffle"
    tol : float, default=1e-4
        Stop when the slopes of (1) lie within an interval of this length.
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
    Yu, H.-F., Huang, F.-L. & Lin, C.-J. (2011). Dual coordinate descent methods for logistic regression and maximum
    entropy models. doi:10.1007/s10994-010-5221-8

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.losses import LogisticLoss
    >>> from gnomon.numerics.design import Design
    >>> from gnomon.optim import Problem, dual_newton
    >>> from gnomon.penalties import L2
    >>> X, y = np.array([[1.0], [-1.0]]), np.array([1.0, -1.0])
    >>> problem = Problem(Design(X, intercept="none"), y, LogisticLoss(), L2(1.0, half=True), np.full(2, 0.5))
    >>> solution = dual_newton(problem, tol=1e-10)
    >>> solution.w.round(7), (solution.details["alpha"] / 0.5).round(7), round(solution.dual_gap, 7)
    (array([0.4010581]), array([0.4010581, 0.4010581]), 0.0)
    """
    if order not in ORDERS:
        raise ValueError(f"order={order!r} is unknown; choose from {list(ORDERS)}")
    if inner not in INNER:
        raise ValueError(f"inner={inner!r} is unknown; choose from {list(INNER)}")
    state = start_ascent(problem, alpha, random_state)
    clip = -1.0 if inner == "exact" else CLIP * (problem.loss.dual_start > 0.0)
    rules = PassRules(order == "shuffle", shrinking=True, extrapolation=False, clip=clip)
    checks = watch(problem, state, rules, tol, max_iter, check_every)
    rule = default_rule(KKT(tol), None, stop)
    return finish_ascent(problem, state, follow(checks, rule, max_iter=max_iter, callback=callback))
