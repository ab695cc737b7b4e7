"""Rows of categories at the border of the models that count them.

    slot of cell x:  k for the value v_k,  V for none of v_0 … v_{V−1},  V + 1 where the cell is missing             (1)

What a model does about cells of the last two kinds is the user's choice: `handle_unknown` and `missing`.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from sklearn.base import BaseEstimator

from gnomon._jit import jit
from gnomon._typing import Array, ArrayLike, Integers, TableLike
from gnomon.base import map_rows, table_rows
from gnomon.generative._words import UnknownValues
from gnomon.numerics.domains import Domain, encode, sizes_of
from gnomon.numerics.tables import FeatureTable, assert_complete

__all__ = ["CodedRows", "known_codes", "read_table", "refuse_empty", "refuse_undeclared", "with_gap"]


class ColumnSums(Protocol):
    """Sums over rows that know the names and domains of their columns."""

    @property
    def names(self) -> tuple[Any, ...]: ...
    @property
    def domains(self) -> tuple[Domain, ...]: ...


def read_table(model: BaseEstimator, X: TableLike, y: ArrayLike | None = "no_validation", *, reset: bool = True) -> Any:
    """X as a `FeatureTable` (and y) for a model with the parameters `missing` and `handle_unknown`."""
    checked = table_rows(model, X, y, reset=reset)
    if model.missing == "error":
        map_rows(_refuse_gaps, checked)
    return checked


def _refuse_gaps(table: FeatureTable) -> None:
    assert_complete(
        table, "missing='error' refuses such cells, so fill them in, or choose missing='marginalize' or 'state'"
    )


@dataclass(frozen=True, eq=False)
class CodedRows:
    """Slots of all cells, and the type of the array that they were made of, whose precision the answers have."""

    codes: Integers
    dtype: np.dtype[Any] | None


def known_codes(
    table: FeatureTable, which: Sequence[int], domains: Sequence[Domain], handle_unknown: UnknownValues
) -> Integers:
    """Slots of the cells at prediction; a value that its column does not have is refused or told of, by choice."""
    codes, sizes = encode(table, which, domains), sizes_of(domains)
    if handle_unknown == "ignore" or not _meets(codes, sizes):
        return codes
    row, place = np.argwhere(codes == sizes)[0]
    j = which[place]
    what = f"column {table.names[j]!r} holds {table.cell(row, j)!r}, which is none of its categories"
    if handle_unknown == "error":
        raise ValueError(
            f"{what} {domains[place].labels.tolist()}; correct it, or choose handle_unknown='floor' or 'ignore'"
        )
    warnings.warn(
        f"{what} ({int(np.sum(codes == sizes))} such cells in all): they count as values never met; "
        "handle_unknown='ignore' leaves their factors out",
        UserWarning,
        stacklevel=5,
    )
    return codes


@jit
def _meets(codes: Integers, sizes: Integers) -> bool:
    """Whether a cell is none of the values of its column."""
    for i in range(codes.shape[0]):
        for j in range(codes.shape[1]):
            if codes[i, j] == sizes[j]:
                return True
    return False


def refuse_undeclared(table: FeatureTable, which: Sequence[int], domains: Sequence[Domain], codes: Integers) -> None:
    """An error that names a cell in `fit` that is none of the declared values of its column."""
    if not any(domain.declared for domain in domains):
        return
    outside = codes == sizes_of(domains)
    if np.any(outside):
        row, place = np.argwhere(outside)[0]
        cell = table.cell(row, which[place])
        raise ValueError(
            f"column {table.names[which[place]]!r} holds {cell!r} in row {row}, which is not among its categories "
            f"{domains[place].labels.tolist()}; add it there, or correct the cell"
        )


def with_gap(labels: Array) -> Array:
    """The labels, and None for the state of missing cells."""
    return np.array([*labels.tolist(), None], dtype=object)


def refuse_empty(statistics: ColumnSums) -> None:
    """An error that names a column in which no cell was seen."""
    for name, domain in zip(statistics.names, statistics.domains, strict=True):
        if domain.size == 0:
            raise ValueError(f"column {name!r} has no cells, all are missing; drop it, or declare its categories")
