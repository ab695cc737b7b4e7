"""Which rows the stochastic solvers draw.

    row i with probability qᵢ,   the gradient of its loss divided by n qᵢ                                          (1)

is an unbiased estimate of the whole gradient, so that the fit minimises the same objective for every q. With
``solver_options={"correct": False}`` nothing is divided, and the fit minimises the risk of rows weighted by n qᵢ.
Needell, Srebro & Ward (2016), doi:10.1007/s10107-015-0864-7.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator

from gnomon._typing import ArrayLike

__all__ = ["ClassSampling", "RowSampling", "sampling_options"]

RowSampling: TypeAlias = Literal["uniform", "shuffle", "cyclic"] | ArrayLike | None
"""The order of the rows by its name, or their probabilities; None is that of the solver."""

ClassSampling: TypeAlias = Literal["uniform", "shuffle", "cyclic", "balanced"] | ArrayLike | None
"""The same for classes, of which "balanced" draws each as often as the others."""

DRAWING = ("sgd", "asgd", "sag", "pegasos")
"""The solvers that draw rows; the last two only by the names "uniform" and "cyclic"."""


def sampling_options(model: BaseEstimator, solver: str) -> dict[str, Any]:
    """What the solver is given for `sampling`, which is refused where it draws no rows."""
    if model.sampling is None:
        return {}
    shown = repr(model.sampling) if isinstance(model.sampling, str) else "probabilities"
    allowed = DRAWING if isinstance(model.sampling, str) and model.sampling in ("uniform", "cyclic") else DRAWING[:2]
    if solver not in allowed:
        raise ValueError(
            f"sampling={shown} is for solvers that draw rows so, {list(allowed)}, not solver={model.solver!r}; "
            "leave one of them out"
        )
    if "sampling" in (model.solver_options or {}):
        raise ValueError(f"sampling={shown} and solver_options['sampling'] are both given; leave one out")
    return {"sampling": model.sampling if isinstance(model.sampling, str) else np.asarray(model.sampling)}
