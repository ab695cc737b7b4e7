"""Standard errors of means over folds or rows.

    SE = √(Σᵢ (vᵢ − v̄)² / (F (F − 1)))                                                              (1)

Squares of large numbers overflow where the numbers do not, so (1) is computed in their own unit, a power of two, which
changes no digit: Higham (2002), section 27.8, doi:10.1137/1.9780898718027.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np

from gnomon._typing import Floats, Numbers
from gnomon.numerics.scale import PowerOfTwo

__all__ = ["RULES", "Rule", "standard_error"]

Rule: TypeAlias = Literal["min", "1se"]
"""The candidate of least error, or the simplest within one standard error of it."""

RULES = get_args(Rule)


def standard_error(values: Floats) -> Numbers:
    """(1) along the first axis; zero where there is one value only, NaN where one is NaN, as R² of a single row is."""
    F = len(values)
    if F < 2:
        return np.zeros(np.shape(values)[1:])
    unit = PowerOfTwo.of(np.nan_to_num(values))
    return unit.outward(np.std(unit.inward(values), axis=0, ddof=1)) / np.sqrt(F)
