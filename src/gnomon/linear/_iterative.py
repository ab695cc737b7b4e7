"""Squared loss by an iterative solver, target by target.

    minimise over w, b    A Σᵢ sᵢ (yᵢ − xᵢᵀw − b)² + Ω(w)                                          (1)

A and Ω come from the form of the objective, so that histories are in its units.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from gnomon._typing import ArrayLike, Floats
from gnomon.linear._report import report_each
from gnomon.losses import SquaredLoss
from gnomon.numerics.design import Design
from gnomon.numerics.linalg import Rows
from gnomon.optim import fit_linear, warn_unless_all_converged
from gnomon.penalties import Penalty

__all__ = ["iterate"]


def iterate(
    estimator: BaseEstimator,
    rows: Rows,
    penalties: Sequence[Penalty],
    solver: str,
    *,
    start: ArrayLike | None = None,
    loss_scale: float = 1.0,
    **options: Any,
) -> tuple[Floats, Floats, Floats]:
    """Minimise (1) for every target and its penalty; sets the attributes of iterative fits, returns w, b and Σ s r²."""
    design = Design(rows.X, intercept="free" if rows.intercept else "none")
    weights = np.ones(rows.shape[0], dtype=design.dtype) if rows.weights is None else rows.weights
    scaled = (loss_scale * weights).astype(design.dtype, copy=False)
    theta = None if start is None else np.asarray(start, dtype=design.dtype)
    common = {"solver": solver, "start": theta, **options}
    solutions = [
        fit_linear(design, np.ascontiguousarray(rows.Y[:, j]), SquaredLoss(), penalty, scaled, **common)
        for j, penalty in enumerate(penalties)
    ]
    warn_unless_all_converged(solutions, options.get("max_iter"), stacklevel=5)
    report_each(estimator, solutions)
    w = np.column_stack([solution.w for solution in solutions])
    b = np.array([solution.intercept for solution in solutions])
    return w, b, weights @ (rows.Y - rows.X @ w - b) ** 2
