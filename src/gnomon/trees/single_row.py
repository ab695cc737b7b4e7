"""One row, in any form that users give, as the coded numbers that a fitted tree takes.

{"age": 31, "sky": "grey"},    [31, "grey"],    or a table of one row    →    (31, 1), numbers and codes         (1)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from gnomon._typing import Floats, Sparse, TableLike, is_sparse
from gnomon.base.coded_rows import Coding
from gnomon.numerics.tables import as_frame, row_table
from gnomon.search.traverse import as_dense

__all__ = ["Row", "one_row"]

Row: TypeAlias = dict[Any, Any] | Sequence[Any] | TableLike | Sparse
"""One row: a dict by column, its values in order, or a table of one row."""


def one_row(estimator: Any, x: Any, names: Sequence[str]) -> Floats:
    """One row as numbers: of a dict by column, of values in order, or of a table."""
    if isinstance(x, dict):
        unknown = [name for name in x if name not in names]
        if unknown:
            raise ValueError(f"x names {unknown[0]!r}, which is no column; the columns are {list(names)}")
        return estimator._rows(row_table([x.get(name) for name in names], names))[0]
    if _is_table(x, estimator.coding_):
        rows = estimator._rows(x)
        if rows.shape[0] != 1:
            raise ValueError(f"x has {rows.shape[0]} rows; one decision is explained at a time, so give one row")
        return as_dense(rows)[0]
    if vars(estimator).get("_by_name"):
        return estimator._rows(np.array([list(x)], dtype=object))[0]
    if len(x) != len(names):
        raise ValueError(f"x has {len(x)} values for the {len(names)} columns {list(names)}; give one for each")
    return estimator._rows(row_table(x, names))[0]


def _is_table(x: Any, coding: Coding) -> bool:
    """Whether x has two dimensions; a sequence of as many cells as columns has one, even if categories are tuples."""
    if is_sparse(x) or as_frame(x) is not None or isinstance(x, np.ndarray):
        return len(x.shape) != 1
    cells = (list, np.ndarray) if len(x) == len(coding.names) and any(coding.category) else (list, tuple, np.ndarray)
    return len(x) > 0 and all(isinstance(row, cells) for row in x)
