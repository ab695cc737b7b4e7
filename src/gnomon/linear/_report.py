"""What iterative fits say about themselves.

objective = Σₖ Fₖ,    gap = Σₖ (Fₖ − Dₖ)    over the problems k of one against rest                  (1)
"""

import numpy as np

__all__ = ["report"]


def report(model, solutions):
    """Set what iterative fits say about themselves."""
    first = next((solution for solution in solutions if not solution.converged), solutions[0])
    model.objective_ = float(sum(solution.objective for solution in solutions))
    model.dual_gap_ = float(sum(solution.dual_gap for solution in solutions))
    model.n_iter_ = max(solution.n_iter for solution in solutions)
    model.converged_ = all(solution.converged for solution in solutions)
    model.stop_reason_ = first.stop_reason
    model.history_ = _joined([solution.history for solution in solutions])
    return model


def _joined(histories):
    """One table from those of several problems; what one of them did not record is nan."""
    if len(histories) == 1:
        return histories[0]
    sizes = [len(history["iteration"]) for history in histories]
    names = dict.fromkeys(name for history in histories for name in history)
    pairs = list(zip(histories, sizes, strict=True))
    columns = {name: np.concatenate([h.get(name, np.full(size, np.nan)) for h, size in pairs]) for name in names}
    return {"problem": np.repeat(np.arange(len(sizes)), sizes), **columns}
