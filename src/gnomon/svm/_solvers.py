"""Which solver minimises the dual problem of a support vector machine.

    minimise over β    ½ βᵀ(K + diag r)β − tᵀβ + ε‖β‖₁,    l ≤ β ≤ u,    Σᵢ βᵢ = s                     (1)

One table says what each solver can do, and "auto" takes the first that can.
"""

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

from gnomon._typing import Floats
from gnomon.kernels import Against
from gnomon.optim import KernelDual, Solution, smo

__all__ = ["SOLVERS", "DualSolver", "SolverName", "solve_dual"]

SolverName: TypeAlias = Literal["auto", "smo"]


class DualSolver(NamedTuple):
    """A solver of (1).

    Fields
    ------
    solve : callable (against, problem, **options) → Solution
        As `gnomon.optim.smo` returns it.
    refuses : callable (against, problem) → str or None
        Why it can't solve a problem, for the error; None where it can.
    takes : tuple of str
        Which of the estimators' options it reads beside `tol`, `max_iter` and `callback`.
    """

    solve: Callable[..., Solution[Floats]]
    refuses: Callable[[Against, KernelDual], str | None]
    takes: tuple[str, ...] = ()


SOLVERS: dict[str, DualSolver] = {
    "smo": DualSolver(smo, lambda against, problem: None, ("cache_size", "shrinking", "gap_tol")),
}
"""Solvers, in the order in which "auto" looks at them."""


def solve_dual(name: str, against: Against, problem: KernelDual, options: Mapping[str, Any]) -> Solution[Floats]:
    """Minimise (1) by the solver `name`; `options` are those of all solvers, of which it takes its own."""
    if name == "auto":
        name = next(word for word, solver in SOLVERS.items() if solver.refuses(against, problem) is None)
    solver = SOLVERS[name]
    reason = solver.refuses(against, problem)
    if reason is not None:
        suits = [word for word, other in SOLVERS.items() if other.refuses(against, problem) is None]
        raise ValueError(f"solver={name!r} {reason}; use one of {['auto', *suits]}")
    taken = {"tol", "max_iter", "callback", *solver.takes}
    return solver.solve(against, problem, **{word: value for word, value in options.items() if word in taken})
