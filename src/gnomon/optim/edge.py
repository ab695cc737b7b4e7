"""Solutions at the edge of what a loss allows.

    dist(zᵢ, ∂D) ≤ √ε · max|z|,    D = {z : ℓ(yᵢ, z) < ∞}                                             (1)

A deviance with a link that does not map all scores to means of the family is infinite outside D: with the identity link
a Poisson mean, say, must be kept positive. F may then be least at the edge of D, where its gradient is not zero. Fisher
scoring sees a curvature there that grows without bound, so that its decrement ∇FᵀH⁻¹∇F vanishes and proves nothing.
McCullagh & Nelder (1989), section 2.2.3, doi:10.1007/978-1-4899-3242-6.
"""

from __future__ import annotations

import math

import numpy as np

from gnomon._typing import Floats
from gnomon.optim.problem import Problem
from gnomon.optim.solution import Solution

__all__ = ["edge_in_words", "inspect_edge"]


def inspect_edge(problem: Problem, solution: Solution[Floats]) -> Solution[Floats]:
    """The solution, strictly within D and with the objective there; at the edge (1) rest is no convergence."""
    if not problem.loss.bounded:
        return solution
    theta = _inside(problem, solution.w)
    objective = solution.objective if theta is solution.w else problem.value(theta)
    row = None if solution.converged and solution.stop_reason != "no_change" else _edge_row(problem, theta)
    if row is None:
        return solution._replace(w=theta, objective=objective)
    details = solution.details | {"advice": edge_in_words(problem, row)}
    return solution._replace(w=theta, objective=objective, converged=False, details=details)


def edge_in_words(problem: Problem, row: int) -> str:
    """What to do about a row whose best score lies at the edge of D."""
    return (
        f"row {row} is fitted best at the edge of the domain of loss={problem.loss!r}, where its slope is not zero; "
        "use the usual link of the family (link=None), or another that maps every score into the domain"
    )


def _edge_row(problem: Problem, theta: Floats) -> int | None:
    z = problem.scores(theta)
    reach = math.sqrt(np.finfo(z.dtype).eps) * np.max(np.abs(z), initial=0.0)
    beside = problem.loss.value(problem.y, np.stack([z - reach, z + reach]))
    near = (problem.weights > 0.0) & ~np.all(np.isfinite(beside), axis=0)
    return int(np.argmax(near)) if np.any(near) else None


def _inside(problem: Problem, theta: Floats) -> Floats:
    """θ, or where its scores leave D by rounding the nearest tried intercept that keeps them within."""
    if math.isfinite(problem.value(theta)) or problem.design.intercept == "none":
        return theta
    unit = np.finfo(theta.dtype).eps * np.max(np.abs(problem.scores(theta)), initial=0.0) / problem.design.bias
    for step in unit * np.outer(2.0 ** np.arange(30), [1.0, -1.0]).ravel():
        moved = np.array(theta, copy=True)
        moved[-1] += step
        if math.isfinite(problem.value(moved)):
            return moved
    return theta
