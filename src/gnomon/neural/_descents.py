"""Descents on the whole objective of a network.

    θ ← θ + η p,    p by L-BFGS, BFGS, conjugate gradients, or Newton's method with products    (1)

They need one smooth function: all rows at once, nothing random, no L1 and no projection. Nocedal & Wright (2006),
chapters 5 to 7, doi:10.1007/978-0-387-40065-5; for networks: Martens (2010), ICML.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from gnomon._typing import Floats
from gnomon.neural._options import TrainingOptions
from gnomon.neural._tolerances import tolerance_units
from gnomon.optim import BatchProblem, Solution, bfgs, conjugate_gradient, lbfgs, newton_cg
from gnomon.optim.rules import AnyOf, Check, StopRule
from gnomon.optim.solution import Callback, StopReason
from gnomon.optim.stopping import TimeLimit, Validation

__all__ = ["descend"]

MOST_FOR_BFGS = 2000


def descend(
    problem: BatchProblem,
    theta: Floats,
    options: TrainingOptions,
    score: Callable[[Floats], float] | None,
    callback: Callback | None,
) -> Solution[Floats]:
    """Minimise J by the solver that the options name; `score` is that of held-out rows."""
    counted = _Counted(problem)
    rules: tuple[StopRule, ...] = (_Evaluations(counted, options.max_fun),)
    if options.time_limit is not None:
        rules += (TimeLimit(options.time_limit),)
    if score is not None:
        rules += (Validation(score, options.patience + 1, options.tol, first=1),)
    solve = SOLVERS[str(options.solver)](problem, options)
    tol = options.tol * tolerance_units(problem).gradient if options.tol_grad is None else options.tol_grad
    try:
        return solve(counted, theta, tol=tol, max_iter=options.max_iter, stop=AnyOf(rules), callback=callback)
    except NotImplementedError as error:
        raise ValueError(f"solver={options.solver!r} needs the curvature of the loss: {error}") from error


def _bfgs(problem: BatchProblem, options: TrainingOptions) -> Callable[..., Solution[Floats]]:
    if problem.size > MOST_FOR_BFGS:
        raise ValueError(
            f"solver='bfgs' keeps a matrix of the size of the parameters squared and is for at most {MOST_FOR_BFGS}; "
            f"the network has {problem.size}, choose 'lbfgs'"
        )
    return bfgs


def _newton(problem: Any, options: TrainingOptions) -> Callable[..., Solution[Floats]]:
    return partial(newton_cg, product=lambda theta: problem.curvature_product(theta, options.curvature))


SOLVERS: dict[str, Callable[[Any, TrainingOptions], Callable[..., Solution[Floats]]]] = {
    "lbfgs": lambda problem, options: lbfgs,
    "bfgs": _bfgs,
    "cg": lambda problem, options: conjugate_gradient,
    "newton": _newton,
}
"""Each solver, for a problem and the options."""


class _Counted:
    """J and ∇J, and how often they were asked for."""

    def __init__(self, problem: BatchProblem) -> None:
        self._problem, self.calls = problem, 0

    def __call__(self, theta: Floats) -> tuple[float, Floats]:
        self.calls += 1
        return self._problem.value_and_gradient(theta)


@dataclass(frozen=True)
class _Evaluations(StopRule):
    """J was evaluated so many times: "max_iter"."""

    counted: _Counted
    most: int

    def look(self, memory: None, check: Check[Any]) -> tuple[None, StopReason | None]:
        return None, ("max_iter" if self.counted.calls >= self.most else None)
