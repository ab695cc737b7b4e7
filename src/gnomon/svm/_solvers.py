"""Which solver minimises the dual problem of a support vector machine.

    minimise over β    ½ βᵀ(K + diag r)β − tᵀβ + ε‖β‖₁,    l ≤ β ≤ u,    Σᵢ βᵢ = s                     (1)

One table says what each solver can do, and "auto" takes the first that can: `smo`, which can always. The others are
exact for few rows ("qp"), for machines without a free intercept ("dcd", "pegasos"), or for smooth losses ("primal").
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from gnomon._typing import Floats
from gnomon.kernels import Against
from gnomon.optim import (
    LARGEST_MATRIX,
    LARGEST_QP,
    KernelDual,
    Solution,
    kernel_dcd,
    kernel_pegasos,
    kernel_primal,
    kernel_qp,
    smo,
)
from gnomon.optim.solution import History

__all__ = ["SOLVERS", "DualSolver", "SolverName", "machine_history", "solve_dual"]

SolverName: TypeAlias = Literal["auto", "smo", "qp", "dcd", "primal", "pegasos"]


class DualSolver(NamedTuple):
    """A solver of (1).

    Fields
    ------
    solve : callable (against, problem, **options) → Solution
        As `gnomon.optim.smo` returns it.
    refuses : callable (against, problem) → str or None
        Why it can't solve a problem, for the error; None where it can.
    takes : tuple of str
        Which of the estimators' options it reads beside `max_iter` and `callback`.
    primal : bool
        Whether "objective" in its history is that of the machine; else it is (1), minus the dual one.
    """

    solve: Callable[..., Solution[Floats]]
    refuses: Callable[[Against, KernelDual], str | None]
    takes: tuple[str, ...] = ()
    primal: bool = False


def _too_large_for_qp(against: Against, problem: KernelDual) -> str | None:
    size = int(np.sum(problem.upper > 0.0) + np.sum(problem.lower < 0.0))
    return f"makes a dense program of {size} variables, more than {LARGEST_QP}" if size > LARGEST_QP else None


def _not_by_coordinates(against: Against, problem: KernelDual) -> str | None:
    if problem.total is not None:
        return "can't keep the sum of β; set penalize_intercept=True or fit_intercept=False"
    return None if problem.bounded else "needs a finite C"


def _not_in_the_primal(against: Against, problem: KernelDual) -> str | None:
    if len(problem.target) > LARGEST_MATRIX:
        return f"holds the kernel matrix of {len(problem.target)} rows, more than {LARGEST_MATRIX}"
    return None if problem.bounded else "needs a finite C"


def _no_subgradient(against: Against, problem: KernelDual) -> str | None:
    if problem.ridge is not None:
        return "is for losses with a corner; use loss='hinge', or 'epsilon_insensitive'"
    return _not_by_coordinates(against, problem) or _not_in_the_primal(against, problem)


SOLVERS: dict[str, DualSolver] = {
    "smo": DualSolver(smo, lambda against, problem: None, ("tol", "cache_size", "shrinking", "gap_tol", "working_set")),
    "qp": DualSolver(kernel_qp, _too_large_for_qp, ("tol",)),
    "dcd": DualSolver(kernel_dcd, _not_by_coordinates, ("tol", "cache_size")),
    "primal": DualSolver(kernel_primal, _not_in_the_primal, ("tol",), primal=True),
    "pegasos": DualSolver(kernel_pegasos, _no_subgradient, ("gap_tol", "random_state")),
}
"""Solvers, in the order in which "auto" looks at them."""


def machine_history(name: str, history: History) -> History:
    """The history of a solver with the objective of the machine, nan where it was not computed, and the dual one."""
    objective = history["objective"]
    # A solver that fails before its first certificate has none in its history.
    gap = history.get("gap", np.full(len(objective), np.nan))
    if SOLVERS["smo" if name == "auto" else name].primal:
        return {**history, "dual": objective - gap}
    return {**history, "objective": gap - objective, "dual": -objective}


def solve_dual(name: str, against: Against, problem: KernelDual, options: Mapping[str, Any]) -> Solution[Floats]:
    """Minimise (1) by the solver `name`; `options` are those of all solvers, of which it takes its own."""
    if name == "auto":
        name = next(word for word, solver in SOLVERS.items() if solver.refuses(against, problem) is None)
    solver = SOLVERS[name]
    reason = solver.refuses(against, problem)
    if reason is not None:
        suits = [word for word, other in SOLVERS.items() if other.refuses(against, problem) is None]
        raise ValueError(f"solver={name!r} {reason}; use one of {['auto', *suits]}")
    taken = {"max_iter", "callback", *solver.takes}
    if options.get("gap_tol") is not None and "gap_tol" not in taken:
        raise ValueError(f"gap_tol={options['gap_tol']!r} is not for solver={name!r}, which stops by tol; leave it out")
    given = {word: value for word, value in options.items() if word in taken and value is not None}
    return solver.solve(against, problem, **given)
