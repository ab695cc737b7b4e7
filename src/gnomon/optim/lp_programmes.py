"""Regression in the 1-norm and in the maximum norm as linear programmes.

    p = 1    maximise  Σᵢ tᵢνᵢ   subject to  Mᵀν = 0,  |νᵢ| ≤ sᵢ                                        (1)
    p = ∞    maximise  Σᵢ tᵢνᵢ   subject to  Mᵀν = 0,  Σᵢ|νᵢ| ≤ 1                                       (2)

The multipliers of Mᵀν = 0 are the coefficients. Barrodale & Roberts (1973), doi:10.1137/0710069; solved by HiGHS, whose
tolerances are absolute: rows of M, t and s should have size one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import optimize, sparse

from gnomon._typing import Floats

__all__ = ["PROGRAMMES", "Vertex"]


class Vertex(NamedTuple):
    """An optimal point of a linear programme and its dual."""

    phi: Floats
    nu: Floats
    n_iter: int


def _median(M: Any, t: Floats, s: Floats) -> Vertex | None:
    result = _solve_programme(-t, M.T, np.zeros(M.shape[1]), np.column_stack([-s, s]))
    return None if result is None else Vertex(-result.eqlin.marginals, result.x, int(result.nit))


def _minimax(M: Any, t: Floats, s: Floats) -> Vertex | None:
    # ν = ν⁺ − ν⁻ makes Σ|ν| ≤ 1 linear; a slack turns it into an equation.
    n, width = M.shape
    sides = sparse.hstack([M.T, -M.T, sparse.csr_array((width, 1))])
    constraints = sparse.vstack([sides, sparse.csr_array(np.ones((1, 2 * n + 1)))])
    cost, right = np.concatenate([-t, t, [0.0]]), np.append(np.zeros(width), 1.0)
    result = _solve_programme(cost, constraints, right, (0, None))
    if result is None:
        return None
    return Vertex(-result.eqlin.marginals[:width], result.x[:n] - result.x[n : 2 * n], int(result.nit))


PROGRAMMES = {1.0: _median, np.inf: _minimax}
"""The linear programmes, by p."""


def _solve_programme(cost: Floats, A: Any, b: Floats, bounds: Any) -> Any:
    """The result of HiGHS, at its tightest tolerances; None where all of its ways give up."""
    tight = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    for method, presolve in (("highs", True), ("highs", False), ("highs-ipm", True)):
        result = optimize.linprog(
            cost, A_eq=A, b_eq=b, bounds=bounds, method=method, options={"presolve": presolve, **tight}
        )
        if result.success:
            return result
    return None
