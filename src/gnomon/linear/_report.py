"""Attributes of iterative fits: convergence and history.

    objective = Σₖ Fₖ,    gap = Σₖ (Fₖ − Dₖ)    over the problems k of one against rest                  (1)

Several targets are problems of their own, and each keeps its own numbers.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np
from sklearn.base import BaseEstimator

from gnomon._typing import Floats
from gnomon.optim.solution import History, Solution, log_row

__all__ = ["Model", "PerTarget", "log_row", "most_iterations", "report", "report_each"]

Model = TypeVar("Model", bound=BaseEstimator)

PerTarget: TypeAlias = Any
"""One value for one target, a list for several: a checker cannot know which, and of both nothing could be asked."""


OWN_COUNT = {"asgd", "auto", "lp", "pegasos", "qp", "sgd"}
"""Solvers that may look more often than `max_iter` times, or that are chosen later."""


def most_iterations(model: BaseEstimator, solver: str, n_problems: int) -> int | None:
    """How many iterations all problems of a model take at most; None where its parameters do not tell."""
    told = solver not in OWN_COUNT and model.max_iter is not None and not vars(model).get("solver_options")
    return n_problems * int(model.max_iter) if told else None


def report(model: Model, solutions: Sequence[Solution[Floats]]) -> Model:
    """Set what the problems of one model say together, equation (1)."""
    first = next((solution for solution in solutions if not solution.converged), solutions[0])
    model.objective_ = float(sum(solution.objective for solution in solutions))
    model.dual_gap_ = float(sum(solution.dual_gap for solution in solutions))
    model.n_iter_ = max(solution.n_iter for solution in solutions)
    model.converged_ = all(solution.converged for solution in solutions)
    model.stop_reason_ = first.stop_reason
    model.history_ = _joined([solution.history for solution in solutions])
    return model


def report_each(model: Model, solutions: Sequence[Solution[Floats]]) -> Model:
    """Set the same as it is for one target, as lists over several."""
    for name in ("n_iter", "converged", "stop_reason", "history", "objective", "dual_gap"):
        values = [getattr(solution, name) for solution in solutions]
        setattr(model, f"{name}_", values[0] if len(values) == 1 else values)
    return model


def _joined(histories: Sequence[History]) -> History:
    """One table from those of several problems; what one of them did not record is nan."""
    if len(histories) == 1:
        return histories[0]
    sizes = [len(history["iteration"]) for history in histories]
    names = dict.fromkeys(name for history in histories for name in history)
    pairs = list(zip(histories, sizes, strict=True))
    columns = {name: np.concatenate([h.get(name, np.full(size, np.nan)) for h, size in pairs]) for name in names}
    return {"problem": np.repeat(np.arange(len(sizes)), sizes), **columns}
