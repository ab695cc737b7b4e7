"""Rows that are all points of a grid.

{x_i} = {a₁, a₂, …} × {b₁, b₂, …} × …,  each point once                                                (1)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gnomon._typing import Floats, Integers

__all__ = ["Grid", "full_grid"]


class Grid(NamedTuple):
    """Rows as a full grid: the values of each axis, and the point in C order that each row is."""

    axes: list[Floats]
    order: Integers


def full_grid(rows: Any) -> Grid | None:
    """The grid (1) whose points the rows are; None where they are none."""
    parts = [np.unique(column, return_inverse=True) for column in rows.T]
    shape = tuple(len(values) for values, _ in parts)
    if np.prod(shape, dtype=float) != len(rows):
        return None
    order = np.ravel_multi_index(tuple(np.ravel(places) for _, places in parts), shape)
    return Grid([values for values, _ in parts], order) if len(np.unique(order)) == len(rows) else None
