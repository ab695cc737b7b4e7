"""The units in which tolerances hold.

    m = mean of y,    value = Σᵢ sᵢ ℓ(yᵢ, m)/n,    slope = mean |∂ℓ/∂z (yᵢ, m)|                                      (1)

A loss that falls by less than `tol`, or a gradient below it, says something of a fit only where losses and gradients of
a poor one are of the order of one. Where those of the constant answer (1) are far below, as half the squared error of
targets of 1e-6 is, `tol` is that part of them; everywhere else it is the number itself, as of scikit-learn's networks.
On scaled tests: Dennis & Schnabel (1996), Numerical Methods for Unconstrained Optimization, section 7.2.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gnomon._typing import Array, Floats
from gnomon.optim import Solution

__all__ = ["ToleranceUnits", "is_stuck", "tolerance_units"]

SMALL = 2.0**-6
"""Slopes of the constant answer below which they are the unit; of losses its square."""

ROUNDING = 8.0
"""Units of rounding within which targets are constant."""

STEEP, RESOLVED = 0.1, 1e-12
"""A gradient is steep from this share of the slope of the constant answer, a fall of J seen from this share of J."""


class ToleranceUnits(NamedTuple):
    """What a tolerance of one stands for.

    Fields
    ------
    loss : float
        As a change of J.
    gradient : float
        As a size of ∇J.
    """

    loss: float
    gradient: float


def tolerance_units(problem: Any) -> ToleranceUnits:
    """The units for a `NetworkProblem`: (1) where it is small, else one."""
    value, slope = _constant_answer(problem)
    # Constant targets have no unit, and indices of classes none that could be small.
    if not 0.0 < slope < SMALL or not value < SMALL**2:
        return ToleranceUnits(1.0, 1.0)
    return ToleranceUnits(value, slope)


def is_stuck(problem: Any, solution: Solution[Floats]) -> bool:
    """Whether a loss rests only because its changes cannot be told from rounding: it never fell, and ∇J is steep."""
    losses = solution.history["objective"]
    if solution.stop_reason != "no_change" or losses[0] - np.min(losses) > RESOLVED * abs(losses[0]):
        return False
    return solution.gradient_norm > STEEP * _constant_answer(problem)[1]


def _constant_answer(problem: Any) -> tuple[float, float]:
    """Value and slope of (1)."""
    parts = [_at_mean(y, loss, problem.weights) for y, loss in zip(problem.targets, problem.losses, strict=True)]
    return sum(part[0] for part in parts), max(part[1] for part in parts)


def _at_mean(y: Array, loss: Any, s: Floats | None) -> tuple[float, float]:
    if y.dtype.kind != "f":
        return 1.0, 1.0
    if np.max(np.ptp(y, axis=0)) <= ROUNDING * np.finfo(y.dtype).eps * np.max(np.abs(y)):
        return 0.0, 0.0
    w = np.full(len(y), 1.0 / len(y), y.dtype) if s is None else s / np.sum(s)
    Z = np.ascontiguousarray(np.broadcast_to(np.tensordot(w, y, axes=1), y.shape), dtype=y.dtype)
    delta = np.empty_like(Z)
    with np.errstate(over="ignore", invalid="ignore"):
        value = float(loss.evaluate(y, Z, w.astype(y.dtype, copy=False), delta))
    return value, float(np.max(np.sum(np.abs(delta), axis=0)))
