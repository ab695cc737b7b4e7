"""Stochastic average gradient.

    θ ← θ − η [ (1/S) Σᵢ sᵢ gᵢ xᵢ + (1/Σs) ∇Ω(w) ],    one gᵢ = ℓ'(yᵢ, zᵢ) renewed per step                      (1)

S is the weight of the rows seen so far, η = 1/L_max with L_max the largest smoothness constant of a single term of the
mean form. The memory of one number per row makes the error fall linearly, as for full gradients, at the cost of one row
per step. Schmidt, Le Roux & Bach (2017), doi:10.1007/s10107-016-1030-6, with the refinements of its section 4: exact
penalty gradient, division by the rows seen, and updates of untouched coordinates delayed until they are needed.

``penalty_memory="stored"`` is the literal algorithm instead: gᵢ is the gradient of the whole term
ℓ(yᵢ, zᵢ) + Ω(w)/n, so its penalty part is as old as the visit, and the mean is over n from the start.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Literal

import numpy as np
from sklearn.utils import check_random_state

from gnomon._jit import compiled, jit_no_alloc
from gnomon._typing import Array, Bools, Floats, Integers, Seed
from gnomon.losses import Loss
from gnomon.numerics.design import Vectors
from gnomon.numerics.validation import check_choice
from gnomon.optim._follow import Checks, follow
from gnomon.optim._sgd import row_norms
from gnomon.optim.problem import Problem
from gnomon.optim.rules import StopRule, check_at
from gnomon.optim.solution import Callback, Solution
from gnomon.optim.stopping import KKT, default_rule
from gnomon.penalties import Penalty

__all__ = ["sag"]

PENALTY_MEMORY = ("exact", "stored")


def sag(
    problem: Problem,
    theta: Floats,
    *,
    step: float | None = None,
    penalty_memory: Literal["exact", "stored"] = "exact",
    sampling: Literal["uniform", "cyclic"] = "uniform",
    tol: float = 1e-6,
    max_iter: int = 1000,
    random_state: Seed = 0,
    callback: Callback | None = None,
    stop: StopRule | None = None,
) -> Solution[Floats]:
    """Minimise a smooth F by (1).

    Parameters
    ----------
    problem : Problem
        A smooth loss of one score, a smooth penalty.
    theta : ndarray
        Start.
    step : float, optional
        η, constant; 1/L_max by default.
    penalty_memory : {"exact", "stored"}, default="exact"
    sampling : {"uniform", "cyclic"}, default="uniform"
        Rows with replacement, as the theory has it, or in order.
    tol : float, default=1e-6
        Stop when the largest entry of ∇F/Σs, the gradient of the mean form, is at most tol.
    max_iter : int, default=1000
        Passes over the data; every pass ends with a full gradient.
    random_state : int, RandomState or None, default=0
    callback : callable, optional
        Called with each row of the history; True stops.
    stop : StopRule, optional
        A further rule.

    Returns
    -------
    Solution

    References
    ----------
    Schmidt, M., Le Roux, N. & Bach, F. (2017). Minimizing finite sums with the stochastic average gradient.
    doi:10.1007/s10107-016-1030-6

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.losses import SquaredLoss
    >>> from gnomon.numerics.design import Design
    >>> from gnomon.optim import Problem, sag
    >>> from gnomon.penalties import L2
    >>> X, y = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]), np.array([0.0, 1.0, 1.0])
    >>> problem = Problem(Design(X, intercept="none"), y, SquaredLoss(), L2(1.0), np.ones(3))
    >>> solution = sag(problem, np.zeros(2), tol=1e-10)
    >>> solution.w.round(7), solution.stop_reason
    (array([0.2, 0.4]), 'kkt')
    """
    check_choice("penalty_memory", penalty_memory, PENALTY_MEMORY)
    check_choice("sampling", sampling, ("uniform", "cyclic"))
    step = 1.0 / _largest_smoothness(problem) if step is None else step
    rng, n = check_random_state(random_state), problem.design.n
    picks = (lambda: rng.randint(n, size=n)) if sampling == "uniform" else (lambda: np.arange(n))
    run = _lazy_passes if penalty_memory == "exact" else _stored_passes
    checks = _checks(problem, np.array(theta, dtype=float), run, step, picks)
    solution = follow(checks, default_rule(KKT(tol), None, stop), max_iter=max_iter, callback=callback)
    return solution._replace(w=solution.w.astype(problem.design.dtype))


def _largest_smoothness(problem: Problem) -> float:
    """L_max of the terms n (sᵢ/Σs) ℓ(yᵢ, xᵢᵀθ) + Ω(w)/Σs."""
    s = problem.weights.astype(float)
    total = float(np.sum(s))
    loss = problem.loss.smoothness * float(np.max(problem.design.n * s / total * row_norms(problem.design)))
    return max(loss + problem.penalty.strong_convexity / total, 1e-300)


def _checks(
    problem: Problem,
    theta: Floats,
    run: Callable[[Problem, Floats, float, Callable[[], Integers]], Iterator[Floats]],
    step: float,
    picks: Callable[[], Integers],
) -> Checks:
    total = float(np.sum(problem.weights))
    passes = run(problem, theta, step, picks)
    for iteration, point in enumerate(passes):
        value, gradient = problem.value_and_gradient(point)
        check = check_at(iteration, point, value, gradient)
        yield check._replace(kkt=check.gradient_norm / total)
        if not math.isfinite(value):
            return


def _lazy_passes(problem: Problem, theta: Floats, step: float, picks: Callable[[], Integers]) -> Iterator[Floats]:
    s, total = problem.weights.astype(float), float(np.sum(problem.weights))
    loss, rows = compiled(problem.loss), compiled(problem.design.rows)
    d, p = problem.design.d, problem.design.n_penalized
    memory, mean, seen, state = np.zeros(s.size), np.zeros_like(theta), np.zeros(s.size, dtype=np.bool_), np.zeros(1)
    shrink, y, offset = 1.0 - step * problem.penalty.strong_convexity / total, problem.y, problem.offsets
    while True:
        yield theta.copy()
        lag = np.zeros_like(theta)
        _lazy_steps(loss, rows, y, offset, s, picks(), step, shrink, d, p, theta, mean, memory, seen, state, lag)


def _stored_passes(problem: Problem, theta: Floats, step: float, picks: Callable[[], Integers]) -> Iterator[Floats]:
    s, total, n = problem.weights.astype(float), float(np.sum(problem.weights)), problem.design.n
    nouns = compiled(problem.loss), compiled(problem.penalty), compiled(problem.design.rows)
    y, offset, factor = problem.y, problem.offsets, n * s / total
    mean, memory, slopes = np.zeros_like(theta), np.zeros(n), np.zeros((n, problem.design.n_penalized))
    while True:
        yield theta.copy()
        _stored_steps(*nouns, y, offset, factor, 1.0 / total, picks(), step, theta, mean, memory, slopes)


@jit_no_alloc
def _lazy_steps(
    loss: Loss,
    rows: Vectors,
    y: Array,
    offset: Floats,
    s: Floats,
    picks: Integers,
    step: float,
    shrink: float,
    d: int,
    p: int,
    v: Floats,
    mean: Floats,
    memory: Floats,
    seen: Bools,
    state: Floats,
    lag: Floats,
) -> None:
    """Steps (1) on θ = scale · v with mean = Σ sᵢgᵢxᵢ; `lag` is, per coordinate, how much of the clock was applied."""
    scale, clock, weight = 1.0, 0.0, state[0]
    for i in picks:
        for k in range(rows.count(i)):
            j = rows.index(i, k)
            v[j] -= (clock - lag[j]) * mean[j]
            lag[j] = clock
        if d < v.shape[0]:
            v[d] -= (clock - lag[d]) * mean[d]
            lag[d] = clock
        g = s[i] * loss.gradient(y[i], scale * rows.dot(i, v) + offset[i])
        if not seen[i]:
            seen[i], weight = True, weight + s[i]
        rows.add(i, g - memory[i], mean)
        memory[i] = g
        if weight <= 0.0:
            continue
        if p < v.shape[0]:
            v[d] /= shrink
        scale *= shrink
        clock += step / (weight * scale)
        if scale < 1e-9:
            for j in range(v.shape[0]):
                v[j], lag[j] = scale * (v[j] - (clock - lag[j]) * mean[j]), 0.0
            scale, clock = 1.0, 0.0
    for j in range(v.shape[0]):
        v[j] = scale * (v[j] - (clock - lag[j]) * mean[j])
    state[0] = weight


@jit_no_alloc
def _stored_steps(
    loss: Loss,
    penalty: Penalty,
    rows: Vectors,
    y: Array,
    offset: Floats,
    factor: Floats,
    share: float,
    picks: Integers,
    step: float,
    theta: Floats,
    mean: Floats,
    memory: Floats,
    slopes: Floats,
) -> None:
    """Literal steps: the stored gradient of term i, its penalty part included, is replaced and the mean followed."""
    n, p = memory.shape[0], slopes.shape[1]
    for i in picks:
        g = factor[i] * loss.gradient(y[i], rows.dot(i, theta) + offset[i])
        rows.add(i, (g - memory[i]) / n, mean)
        memory[i] = g
        for j in range(p):
            slope = share * penalty.slope(theta[j]) / n
            mean[j] += slope - slopes[i, j]
            slopes[i, j] = slope
        for j in range(theta.shape[0]):
            theta[j] -= step * mean[j]
