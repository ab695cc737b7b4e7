"""Attributes of iterative fits: convergence and history.

    one target: a number,    several targets: a list of numbers                                   (1)

Several targets are problems of their own, and each keeps its own numbers; classes are reported together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from sklearn.base import BaseEstimator

from gnomon._typing import Floats
from gnomon.base.reports import Model, report
from gnomon.optim.solution import Solution, log_row

__all__ = ["Model", "PerTarget", "log_row", "most_iterations", "report", "report_each"]

PerTarget: TypeAlias = Any
"""One value for one target, a list for several: a checker cannot know which, and of both nothing could be asked."""


OWN_COUNT = {"asgd", "auto", "lp", "pegasos", "qp", "sgd"}
"""Solvers that may look more often than `max_iter` times, or that are chosen later."""


def most_iterations(model: BaseEstimator, solver: str, n_problems: int) -> int | None:
    """How many iterations all problems of a model take at most; None where its parameters do not tell."""
    told = solver not in OWN_COUNT and model.max_iter is not None and not vars(model).get("solver_options")
    return n_problems * int(model.max_iter) if told else None


def report_each(model: Model, solutions: Sequence[Solution[Floats]]) -> Model:
    """Set the same as it is for one target, as lists over several."""
    for name in ("n_iter", "converged", "stop_reason", "history", "objective", "dual_gap"):
        values = [getattr(solution, name) for solution in solutions]
        setattr(model, f"{name}_", values[0] if len(values) == 1 else values)
    return model
