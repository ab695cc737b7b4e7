"""Pegasos: primal estimated sub-gradient solver for linear SVMs.

    minimise    (λ/2) ‖w‖² + (1/n) Σᵢ max(0, 1 − yᵢ xᵢᵀw)                                            (1)

    w ← (1 − 1/t) w + (1/(λt|B|)) Σ_{i∈B, yᵢxᵢᵀw < 1} yᵢ xᵢ,    then optionally  ‖w‖ ≤ 1/√λ               (2)

Shalev-Shwartz, Singer & Srebro (2007), doi:10.1145/1273496.1273598. F = Σ sᵢ ℓ + (c/2)‖w‖² has the form (1) with
λ = c/Σs after division by Σs. w is kept as a multiple of a vector, so a step costs the rows of its batch.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from sklearn.utils import check_random_state

from gnomon._jit import compiled, jit_no_alloc
from gnomon._typing import Array, Floats, Integers, Seed
from gnomon.losses import Loss
from gnomon.numerics.design import Vectors
from gnomon.numerics.validation import check_choice, check_integer
from gnomon.optim._follow import Checks, follow
from gnomon.optim._sgd import change_rule
from gnomon.optim.problem import Problem
from gnomon.optim.rules import StopRule
from gnomon.optim.solution import Callback, Solution
from gnomon.optim.stopping import Check

__all__ = ["pegasos"]


def pegasos(
    problem: Problem,
    theta: Floats,
    *,
    batch_size: int = 1,
    projection: bool = False,
    sampling: Literal["uniform", "cyclic"] = "uniform",
    tol: float | None = 1e-5,
    max_iter: int = 100,
    check_every: int | None = None,
    random_state: Seed = 0,
    callback: Callback | None = None,
    stop: StopRule | None = None,
    iterates: bool = False,
) -> Solution[Floats]:
    """Take the steps (2).

    Parameters
    ----------
    problem : Problem
        Hinge loss, L2 penalty of positive strength. A free intercept follows its sub-gradient with the same rate.
    theta : ndarray
        Start; the first step forgets w.
    batch_size : int, default=1
        k rows per step; their sub-gradients are averaged.
    projection : bool, default=False
        End each step with the projection on the ball ‖w‖ ≤ 1/√λ, which holds the minimiser.
    sampling : {"uniform", "cyclic"}, default="uniform"
        Rows with replacement, or in order.
    tol : float or None, default=1e-5
        Stop when F stayed within tol · max(1, |F|) for half of all checks, as `Settled` says; None never does.
    max_iter : int, default=100
        Passes over the data.
    check_every : int, optional
        Steps between evaluations of F; by default a pass.
    random_state : int, RandomState or None, default=0
    callback : callable, optional
        Called with each row of the history; True stops.
    stop : StopRule, optional
        A further rule.
    iterates : bool, default=False
        Keep every checked θ in the history.

    Returns
    -------
    Solution
        `n_iter` counts passes; the column "iteration" of the history counts updates.

    References
    ----------
    Shalev-Shwartz, S., Singer, Y. & Srebro, N. (2007). Pegasos: primal estimated sub-gradient solver for SVM.
    doi:10.1145/1273496.1273598

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.losses import HingeLoss
    >>> from gnomon.numerics.design import Design
    >>> from gnomon.optim import Problem, pegasos
    >>> from gnomon.penalties import L2
    >>> design = Design(np.array([[1.0]]), intercept="none")
    >>> problem = Problem(design, np.array([1.0]), HingeLoss(), L2(0.5, half=True), np.ones(1))
    >>> pegasos(problem, np.zeros(1), max_iter=5, tol=None, iterates=True).history["iterates"].ravel().round(7)
    array([0.       , 2.       , 1.       , 0.6666667, 1.       , 0.8      ])
    """
    check_choice("sampling", sampling, ("uniform", "cyclic"))
    batch_size = check_integer("batch_size", batch_size, 1)
    problem.refuse_offset("pegasos")
    n = problem.design.n
    every = max(n // batch_size, 1) if check_every is None else check_integer("check_every", check_every, 1)
    checks = _descend(problem, np.array(theta, dtype=float), batch_size, projection, sampling, every, random_state)
    updates = math.ceil(max_iter * n / batch_size)
    solution = follow(checks, change_rule(problem, tol, stop), max_iter=updates, callback=callback, iterates=iterates)
    passes = math.ceil(solution.n_iter * batch_size / n)
    return solution._replace(w=solution.w.astype(problem.design.dtype), n_iter=passes)


def _descend(
    problem: Problem,
    theta: Floats,
    batch: int,
    projection: bool,
    sampling: Literal["uniform", "cyclic"],
    every: int,
    random_state: Seed,
) -> Checks:
    rng, n, s = check_random_state(random_state), problem.design.n, problem.weights.astype(float)
    lam, factor = problem.penalty.strong_convexity / float(np.sum(s)), n * s / float(np.sum(s))
    radius = 1.0 / math.sqrt(lam) if projection else np.inf
    loss, rows, p = compiled(problem.loss), compiled(problem.design.rows), problem.design.n_penalized
    t = 0
    while True:
        kept = theta.copy()
        yield Check(t, kept, problem.value(kept), more={"epoch": t * batch / n, "step": 1.0 / (lam * max(t, 1))})
        m = every * batch
        picks = rng.randint(n, size=m) if sampling == "uniform" else (t * batch + np.arange(m)) % n
        _steps(loss, rows, problem.y, factor, picks, t, lam, radius, p, theta, np.empty(batch))
        t += every


@jit_no_alloc
def _steps(
    loss: Loss,
    rows: Vectors,
    y: Array,
    factor: Floats,
    picks: Integers,
    t: int,
    lam: float,
    radius: float,
    p: int,
    v: Floats,
    coefs: Floats,
) -> None:
    """Steps (2) on w = scale · v; b, if free, is the last entry of scale · v."""
    batch, d = coefs.shape[0], v.shape[0] - 1
    scale = 1.0
    for first in range(0, picks.shape[0], batch):
        t += 1
        for k in range(batch):
            i = picks[first + k]
            coefs[k] = factor[i] * loss.gradient(y[i], scale * rows.dot(i, v)) / (lam * t * batch)
        by = 1.0 - 1.0 / t
        if t == 1:
            for j in range(p):
                v[j] = 0.0
        else:
            scale *= by
            if p <= d:
                v[d] /= by
        for k in range(batch):
            rows.add(picks[first + k], -coefs[k] / scale, v)
        if radius < np.inf:
            square = 0.0
            for j in range(p):
                square += v[j] * v[j]
            by = min(1.0, radius / max(scale * np.sqrt(square), 1e-300))
            scale *= by
            if p <= d:
                v[d] /= by
    for j in range(v.shape[0]):
        v[j] *= scale
