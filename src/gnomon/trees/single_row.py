"""One row, in any form that users give, as the coded numbers that a fitted tree takes.

{"age": 31, "sky": "grey"},    [31, "grey"],    or a table of one row    →    (31, 1), numbers and codes         (1)
"""

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from gnomon._typing import Floats, Sparse, TableLike
from gnomon.numerics.tables import as_table
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
        x = [x.get(name) for name in names]
        if vars(estimator).get("_by_name"):
            return estimator._rows(replace(as_table([x]), names=tuple(names)))[0]
    elif np.ndim(x) != 1:
        rows = estimator._rows(x)
        if rows.shape[0] != 1:
            raise ValueError(f"x has {rows.shape[0]} rows; one decision is explained at a time, so give one row")
        return as_dense(rows)[0]
    if len(x) != len(names) and not vars(estimator).get("_by_name"):
        raise ValueError(f"x has {len(x)} values for the {len(names)} columns {list(names)}; give one for each")
    with warnings.catch_warnings():
        # The values are in the order of the columns and their number was checked, so names are not needed.
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        return as_dense(estimator._rows(np.array([list(x)], dtype=object)))[0]
