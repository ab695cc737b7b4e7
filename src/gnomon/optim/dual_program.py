"""The dual problem of a kernel machine as a quadratic program.

    minimise over x    ½ xᵀHx + cᵀx,    0 ≤ x ≤ h,    aᵀx = s                                          (1)

The variables are the parts β⁺ and β⁻ of β = β⁺ − β⁻ that their bounds allow: H = aaᵀ ∘ K + diag r, c = ε − a t with
signs a; at the minimum β⁺β⁻ = 0. Schölkopf & Smola (2002), section 10.3.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Self, TypeAlias

import numpy as np

from gnomon._typing import Floats, Integers
from gnomon.numerics.scale import PowerOfTwo
from gnomon.optim.box_program import BoxProgram, Curvature
from gnomon.optim.kernel_dual import KernelDual

__all__ = ["DualProgram"]

MakeCurvature: TypeAlias = Callable[[Integers, Floats, Floats, float], Curvature]
"""H from the rows, signs and ridges of the variables, and the unit of K."""


class DualProgram(NamedTuple):
    """(1) in units of its own, in which slopes and variables are of the order of one.

    Fields
    ------
    box : BoxProgram
    rows : ndarray of int
        To which row of the kernel machine each variable belongs.
    unit : float
        Of β.
    n : int
        Rows of the kernel machine.
    """

    box: BoxProgram
    rows: Integers
    unit: float
    n: int

    @classmethod
    def of(cls, problem: KernelDual, diagonal: Floats, curvature: MakeCurvature) -> Self:
        """The program at the start of its path, of a kernel with this diagonal."""
        unit, slope = _units(diagonal, problem)
        part = problem.in_units(unit, slope)
        up, down = np.flatnonzero(part.upper > 0.0), np.flatnonzero(part.lower < 0.0)
        rows, a = np.concatenate([up, down]), np.concatenate([np.ones(len(up)), -np.ones(len(down))])
        h = np.concatenate([part.upper[up], -part.lower[down]])
        c = part.epsilon - a * part.target[rows]
        ridge = np.zeros(len(rows)) if part.ridge is None else part.ridge[rows]
        H = curvature(rows, a, ridge, unit / slope)
        return cls(BoxProgram.start(H, c, h, a, part.total), rows, unit, len(problem.target))

    def beta(self, x: Floats) -> Floats:
        """β of a point."""
        beta = np.zeros(self.n)
        np.add.at(beta, self.rows, self.box.a * x)
        return self.unit * beta


def _units(diagonal: Floats, problem: KernelDual) -> tuple[float, float]:
    """A unit of β and one of f in which the program has numbers of the order of one; powers of two, so that what is at
    a bound in these units is at it in all."""
    curvature = float(np.max(diagonal if problem.ridge is None else diagonal + problem.ridge, initial=0.0))
    slope = float(np.max(np.abs(problem.target), initial=0.0)) + problem.epsilon
    bounds = np.maximum(problem.upper, -problem.lower)
    most = float(np.max(bounds[np.isfinite(bounds)], initial=0.0)) or np.inf
    step = slope / curvature if slope > 0.0 and curvature > 0.0 else np.inf
    beta = min(most, step) if min(most, step) < np.inf else 1.0
    return PowerOfTwo.of(2.0, beta).value, PowerOfTwo.of(2.0, slope or curvature * beta or 1.0).value
