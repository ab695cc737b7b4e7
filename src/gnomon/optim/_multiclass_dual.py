"""The multi-class SVM of Crammer and Singer, by sequential dual ascent.

    minimise over W    Σᵢ sᵢ max(0, 1 + max_{j≠yᵢ} w_jᵀxᵢ − w_{yᵢ}ᵀxᵢ) + (c/2) Σₖ ‖w_k‖²                          (1)

Its dual has a vector αᵢ per sample, with Σₖ αᵢₖ = 0, αᵢₖ ≤ sᵢ for k = yᵢ and ≤ 0 else, and w_k = (1/c) Σᵢ αᵢₖ xᵢ. All
of αᵢ at once is moved to the maximum by sorting K numbers. Crammer & Singer (2001), JMLR 2, 265–292; Keerthi et al.
(2008), section 3, doi:10.1145/1401890.1401942.
"""

from __future__ import annotations

import itertools

import numpy as np
from sklearn.utils import check_random_state

from gnomon._jit import compiled, jit_no_alloc, jitable
from gnomon._typing import Floats, Integers, Seed
from gnomon.numerics.design import Vectors
from gnomon.optim._follow import Checks, follow
from gnomon.optim._sgd import row_norms
from gnomon.optim.problem import Problem
from gnomon.optim.rules import StopRule
from gnomon.optim.solution import Callback, Solution
from gnomon.optim.stopping import KKT, Check, default_rule

__all__ = ["multiclass_dual"]


def multiclass_dual(
    problem: Problem,
    theta: Floats | None = None,
    *,
    tol: float = 1e-4,
    max_iter: int = 1000,
    check_every: int = 10,
    random_state: Seed = 0,
    callback: Callback | None = None,
    stop: StopRule | None = None,
) -> Solution[Floats]:
    """Maximise the dual of (1) sample by sample.

    Parameters
    ----------
    problem : Problem
        Multi-class hinge with `n_scores` classes, L2 penalty, no free intercept.
    theta : ndarray, optional
        Not used: W belongs to α. It stands here because every solver of a problem takes it.
    tol : float, default=1e-4
        Stop when no sample violates its optimality conditions by more, in units of the margin.
    max_iter : int, default=1000
        Passes over the data.
    check_every : int, default=10
        Passes between evaluations of primal and dual.
    random_state : int, RandomState or None, default=0
    callback : callable, optional
        Called with each row of the history; True stops.
    stop : StopRule, optional
        A further rule.

    Returns
    -------
    Solution
        `details["alpha"]` is α of shape (n, K).

    References
    ----------
    Keerthi, S. S., Sundararajan, S., Chang, K.-W., Hsieh, C.-J. & Lin, C.-J. (2008). A sequential dual method for large
    scale multi-class linear SVMs. doi:10.1145/1401890.1401942

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.losses import MulticlassHinge
    >>> from gnomon.numerics.design import Design
    >>> from gnomon.optim import Problem, multiclass_dual
    >>> from gnomon.penalties import L2
    >>> X, y = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), np.array([0, 1, 2])
    >>> problem = Problem(Design(X, intercept="none"), y, MulticlassHinge(), L2(1.0, half=True), np.ones(3), n_scores=3)
    >>> solution = multiclass_dual(problem, tol=1e-8)
    >>> round(solution.objective, 4), round(solution.dual_gap, 7)
    (0.6667, 0.0)
    """
    problem.refuse_offset("multiclass_dual")
    alpha = np.zeros((problem.design.n, problem.n_scores))
    W = np.zeros((problem.design.width, problem.n_scores))
    checks = _ascend(problem, alpha, W, tol, max_iter, check_every, check_random_state(random_state))
    solution = follow(checks, default_rule(KKT(tol), None, stop), max_iter=max_iter, callback=callback)
    gap = max(solution.objective - _dual(problem, alpha, W), 0.0)
    return solution._replace(w=solution.w.astype(problem.design.dtype), dual_gap=gap, details={"alpha": alpha})


def _dual(problem: Problem, alpha: Floats, W: Floats) -> float:
    wrong = np.sum(alpha) - np.sum(alpha[np.arange(len(alpha)), problem.y])
    return -float(wrong) - problem.penalty.value(W)


def _ascend(
    problem: Problem, alpha: Floats, W: Floats, tol: float, max_iter: int, check_every: int, rng: np.random.RandomState
) -> Checks:
    """Yield checks; samples with αᵢ = 0 well inside the margin are skipped until the others meet a tolerance."""
    s, scale = problem.weights.astype(float), 1.0 / problem.penalty.strong_convexity
    norms, rows, order = scale * row_norms(problem.design), compiled(problem.design.rows), np.flatnonzero(s > 0)
    index = problem.y.astype(np.int64)
    spaces = [np.empty(problem.n_scores) for _ in range(3)]
    columns, due = np.ascontiguousarray(W.T), 0
    violation, active, settled = np.inf, order.size, max(1.0, 10.0 * tol)
    for iteration in itertools.count():
        if iteration >= due or iteration == max_iter or violation <= tol:
            due = iteration + max(check_every, iteration // 10)
            W[...] = columns.T
            theta = np.ravel(columns).copy()
            primal, dual = problem.value(theta), _dual(problem, alpha, W)
            yield Check(iteration, theta, primal, kkt=violation, gap=max(primal - dual, 0.0), more={"dual": dual})
        rng.shuffle(order[:active])
        visited = active
        active, worst = _sweep(rows, index, s, norms, scale, order, active, alpha, columns, *spaces)
        violation = worst if visited == order.size else np.inf
        if worst <= settled:
            active, settled = order.size, max(0.5 * settled, tol)


@jitable
def _insert(falling: Floats, count: int, value: float) -> None:
    """Insert `value` among the first `count` entries, which are in descending order."""
    while count > 0 and falling[count - 1] < value:
        falling[count] = falling[count - 1]
        count -= 1
    falling[count] = value


@jit_no_alloc
def _sweep(
    rows: Vectors,
    y: Integers,
    s: Floats,
    norms: Floats,
    scale: float,
    order: Integers,
    active: int,
    alpha: Floats,
    W: Floats,
    slope: Floats,
    bound: Floats,
    sorted_bound: Floats,
) -> tuple[int, float]:
    """A pass over the active samples; returns how many stay active and the largest violation met."""
    worst, K, position = 0.0, W.shape[0], 0
    while position < active:
        i = order[position]
        # ∂(−D)/∂αᵢₖ: the score of class k, plus the margin for the wrong ones.
        low, high, rival, rest = np.inf, -np.inf, -np.inf, True
        for k in range(K):
            slope[k] = rows.dot(i, W[k]) + (0.0 if k == y[i] else 1.0)
            high = max(high, slope[k])
            if k != y[i]:
                rival = max(rival, slope[k])
            rest = rest and alpha[i, k] == 0.0
            if alpha[i, k] < (s[i] if k == y[i] else 0.0):
                low = min(low, slope[k])
        if rest and slope[y[i]] > rival:
            active -= 1
            order[position], order[active] = order[active], i
            continue
        position += 1
        worst = max(worst, high - low)
        if high - low <= 1e-12 or norms[i] <= 0.0:
            continue
        for k in range(K):
            bound[k] = slope[k] - norms[i] * alpha[i, k]
            _insert(sorted_bound, k, bound[k] + (norms[i] * s[i] if k == y[i] else 0.0))
        # Keerthi et al. (2008), algorithm 3: the level β at which the clipped αᵢ sum to zero.
        beta, r = sorted_bound[0] - norms[i] * s[i], 1
        while r < K and beta < r * sorted_bound[r]:
            beta += sorted_bound[r]
            r += 1
        beta /= r
        for k in range(K):
            new = min(s[i] if k == y[i] else 0.0, (beta - bound[k]) / norms[i])
            if new != alpha[i, k]:
                rows.add(i, scale * (new - alpha[i, k]), W[k])
                alpha[i, k] = new
    return active, worst
