"""Rows that are observed more than once without noise.

xᵢ = xⱼ and yᵢ = yⱼ: one observation;    xᵢ = xⱼ and yᵢ ≠ yⱼ: no function passes through both         (1)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gnomon._typing import Floats, Integers

__all__ = ["merge_duplicates"]


def merge_duplicates(rows: Any, y: Floats, variances: Floats, *, advice: str) -> Integers:
    """Indices of the rows to keep: all but the later ones of equal rows without noise; ValueError by (1)."""
    exact = np.flatnonzero(variances == 0.0)
    if not isinstance(rows, np.ndarray) or len(exact) < 2:
        return np.arange(len(y))
    _, first, group = np.unique(rows[exact], axis=0, return_index=True, return_inverse=True)
    twin = exact[first[np.ravel(group)]]
    differs = np.flatnonzero(np.any(y[twin] != y[exact], axis=1))
    if len(differs):
        i, j = int(twin[differs[0]]), int(exact[differs[0]])
        raise ValueError(
            f"rows {i} and {j} of X are equal, their targets differ and their noise is 0, so that no function passes "
            f"through both; {advice}, or remove one of them"
        )
    return np.setdiff1d(np.arange(len(y)), exact[twin != exact])
