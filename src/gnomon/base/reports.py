"""Attributes of iterative fits: convergence and history.

objective = Σₖ Fₖ,    gap = Σₖ (Fₖ − Dₖ)    over the problems k of one against rest                  (1)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from sklearn.base import BaseEstimator

from gnomon._typing import Floats
from gnomon.optim.solution import History, Solution

__all__ = ["Model", "report"]

Model = TypeVar("Model", bound=BaseEstimator)


def report(model: Model, solutions: Sequence[Solution[Floats]]) -> Model:
    """Set what the problems of one model say together, equation (1).

    Examples
    --------
    >>> from sklearn.base import BaseEstimator
    >>> from gnomon.base.reports import report
    >>> from gnomon.optim import Solution
    >>> history = {"iteration": [7]}
    >>> found = Solution([0.5], 1.0, n_iter=7, converged=True, stop_reason="tol", history=history, dual_gap=0.25)
    >>> report(BaseEstimator(), [found]).dual_gap_
    0.25
    """
    first = next((solution for solution in solutions if not solution.converged), solutions[0])
    model.objective_ = float(sum(solution.objective for solution in solutions))
    model.dual_gap_ = float(sum(solution.dual_gap for solution in solutions))
    model.n_iter_ = max(solution.n_iter for solution in solutions)
    model.converged_ = all(solution.converged for solution in solutions)
    model.stop_reason_ = first.stop_reason
    model.history_ = _joined([solution.history for solution in solutions])
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
