"""Dual coordinate ascent with a free intercept, by the method of multipliers.

    maximise over 0 ≤ αᵢ ≤ sᵢ    D(α) − b Σᵢ αᵢ yᵢ − (τ/2) (Σᵢ αᵢ yᵢ)²,    then    b ← b + τ Σᵢ αᵢ yᵢ             (1)

D is the dual of a linear SVM without intercept. The free intercept adds the constraint Σ αᵢ yᵢ = 0, whose multiplier is
b itself. (1) is the dual of the same SVM with a constant column of height √(cτ) and b measured from its last value, so
every round is a run of dual coordinate ascent on warm starts. Hestenes (1969), doi:10.1007/BF00927673; Rockafellar
(1976), doi:10.1287/moor.1.2.97. It takes over where an interior point would need a matrix that is too large.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from gnomon._typing import Floats, is_sparse
from gnomon.numerics.design import Design
from gnomon.optim._dual_coordinate_ascent import run_passes
from gnomon.optim._dual_passes import Ascent, PassRules
from gnomon.optim._follow import Checks
from gnomon.optim.problem import Problem
from gnomon.optim.stopping import Check

__all__ = ["multiplier_rounds", "with_constant_column"]


def with_constant_column(problem: Problem) -> Problem:
    """The problem with a penalised constant column as high as a row of X is long, on average."""
    X = problem.design.X
    squares = (X.multiply(X) if is_sparse(X) else X * X).sum()
    height = float(np.sqrt(max(squares / problem.design.n, 1e-300)))
    return replace(problem, design=Design(X, "penalized", height))


def multiplier_rounds(
    problem: Problem,
    closed: Problem,
    state: Ascent,
    certificate: Callable[[Problem, Floats, Floats], tuple[float, float]],
    best_theta: Callable[[Problem, Floats], Floats],
    *,
    max_passes: int = 200,
) -> Checks:
    """Yield a check per round of (1); `closed` is `with_constant_column(problem)` and `state` its ascent, in place.

    `certificate(problem, theta, alpha)` gives objective and gap, `best_theta(problem, alpha)` the primal point of α.
    """
    tol, height, rules = 0.1, closed.design.bias, PassRules(shuffle=True, shrinking=True, extrapolation=True, clip=-1.0)
    for iteration in itertools.count():
        theta = best_theta(problem, state.alpha)
        objective, gap = certificate(problem, theta, state.alpha)
        yield Check(iteration, theta, objective, gap=gap)
        tol *= 0.3
        run_passes(closed, state, rules, tol, max_passes)
        # θ_d = (b + τ Σ αy)/height, so moving b by τ Σ αy moves θ_d by height/c · Σ αy.
        shift = state.scale * height * float(np.sum(state.alpha * problem.y))
        state.theta[-1] += shift
        # The move of b is not part of the line along which passes extrapolate.
        state.old_theta[-1] += shift
