"""Standard errors of means over folds or rows.

    SE = √(Σᵢ (vᵢ − v̄)² / (F (F − 1)))                                                              (1)

Squares of large numbers overflow where the numbers do not, so (1) is computed in their own unit, a power of two, which
changes no digit: Higham (2002), section 27.8, doi:10.1137/1.9780898718027.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np

from gnomon._typing import Floats, Numbers

__all__ = ["RULES", "Rule", "standard_error", "unit_of"]

Rule: TypeAlias = Literal["min", "1se"]
"""The candidate of least error, or the simplest within one standard error of it."""

RULES = get_args(Rule)


def unit_of(values: Floats) -> float:
    """The power of two next below the largest magnitude of the values; 1 for zeros."""
    largest = float(np.max(np.abs(values), initial=0.0))
    # Division by a subnormal power would overflow.
    return float(np.ldexp(1.0, max(int(np.frexp(largest)[1]) - 1, -1000))) if largest > 0.0 else 1.0


def standard_error(values: Floats) -> Numbers:
    """(1) along the first axis; zero where there is one value only."""
    F = len(values)
    if F < 2:
        return np.zeros(np.shape(values)[1:])
    unit = unit_of(values)
    return unit * np.std(np.asarray(values) / unit, axis=0, ddof=1) / np.sqrt(F)
