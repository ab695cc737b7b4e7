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
from gnomon._typing import ArrayLike, Floats, Integers, TableLike
from gnomon.base import map_rows, table_rows
from gnomon.distributions.counts import CategoryCounts, CategoryGaps, LogTable, UnknownValues, gather
from gnomon.generative._naive import check_alpha
from gnomon.numerics.domains import Domain, encode, sizes_of
from gnomon.numerics.tables import FeatureTable, assert_complete

__all__ = [
    "CodedRows",
    "column_alphas",
    "column_factors",
    "declared_codes",
    "known_codes",
    "read_table",
    "refuse_empty",
]


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


def declared_codes(table: FeatureTable, which: Sequence[int], domains: tuple[Domain, ...]) -> Integers:
    """Slots of the cells in `fit`; an error names one that is none of the declared values of its column."""
    codes = encode(table, which, domains)
    outside = codes == sizes_of(domains)
    if any(domain.declared for domain in domains) and np.any(outside):
        row, place = np.argwhere(outside)[0]
        cell = table.cell(row, which[place])
        raise ValueError(
            f"column {table.names[which[place]]!r} holds {cell!r} in row {row}, which is not among its categories "
            f"{domains[place].labels.tolist()}; add it there, or correct the cell"
        )
    return codes


def column_alphas(
    alpha: ArrayLike | Sequence[ArrayLike],
    statistics: CategoryCounts,
    missing: CategoryGaps = "marginalize",
    *,
    force_alpha: bool = True,
) -> list[Floats]:
    """α for each column: a number, or one for each of its values (and for the state of missing cells)."""
    d = len(statistics.domains)
    if not np.iterable(alpha):
        return [check_alpha(alpha, (), force_alpha=force_alpha)] * d
    if len(alpha) != d:
        raise ValueError(f"alpha has {len(alpha)} entries for {d} columns; give one number, or one entry for each")
    sizes = statistics.sizes(missing)
    return [check_alpha(a, (size,), force_alpha=force_alpha) for a, size in zip(alpha, sizes, strict=True)]


def column_factors(
    codes: Integers, tables: Sequence[LogTable], domains: Sequence[Domain], weights: Floats | None = None
) -> tuple[list[int], Floats]:
    """Places of the columns whose cell in the first row has a factor, and these v_j log P(x_j | c), (m, C)."""
    pairs = enumerate(zip(tables, domains, strict=True))
    there = [j for j, (table, domain) in pairs if table.is_state or codes[0, j] <= domain.size]
    v = np.ones(len(tables)) if weights is None else weights
    terms = [gather(codes[:1, [j]], [tables[j].logs], v[[j]])[0] for j in there]
    return there, np.reshape(terms, (len(there), tables[0].logs.shape[1]))


def refuse_empty(statistics: ColumnSums) -> None:
    """An error that names a column in which no cell was seen."""
    for name, domain in zip(statistics.names, statistics.domains, strict=True):
        if domain.size == 0:
            raise ValueError(f"column {name!r} has no cells, all are missing; drop it, or declare its categories")
