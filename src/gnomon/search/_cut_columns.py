"""All cuts of a table as cuts of ordered codes, and back.

    code ≤ c goes left:  a number, what is missing last or first;  a category: this value first, all others last     (1)

A search over cuts then knows nothing of kinds of columns. Aglin, Nijssen & Schaus (2020), DL8.5,
doi:10.1609/aaai.v34i04.5711, on tables made binary.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple, TypeAlias, Union

import numpy as np

from gnomon._typing import Floats, Integers
from gnomon.search.assemble import Fork
from gnomon.search.columns import Columns, midpoint

__all__ = ["CutColumns", "cut_columns", "fork_of"]

CutPlan: TypeAlias = tuple[int, int, Union["CutPlan", None], Union["CutPlan", None]]
"""(column, code, left, right): a cut of ordered codes, and the cuts of its two sides; None for a leaf."""


class CutColumns(NamedTuple):
    """Ordered codes, one row of `codes` each, and the column of the table that each is made of."""

    codes: Integers
    features: list[int]


def cut_columns(columns: Columns, rows: Integers) -> CutColumns:
    """The ordered codes of some rows."""
    found, features = [np.zeros((0, len(rows)), dtype=np.int64)], []
    for j, size in enumerate(columns.sizes):
        codes = columns.codes[j, rows].astype(np.int64)
        made = _of_category(codes) if columns.category[j] else _of_number(codes, size)
        found.append(made)
        features += [j] * len(made)
    return CutColumns(np.vstack(found), features)


def _of_number(codes, size):
    missing = codes == size
    kinds = [codes, np.where(missing, -1, codes) + 1] if np.any(missing) and not np.all(missing) else [codes]
    return np.array(kinds)


def _of_category(codes):
    values = np.unique(codes)
    # Of two values, one makes the only cut.
    return np.array([codes != value for value in values[: 1 if len(values) == 2 else None]], dtype=np.int64)


def fork_of(
    plan: CutPlan | None,
    cells: CutColumns,
    columns: Columns,
    rows: Integers,
    weights: Floats,
    places: Integers | None = None,
) -> Fork | None:
    """The fork of a plan (column, code, left, right) of ordered codes, as it divides some rows of the table.

    `places` are those of the rows among those of `cells`.
    """
    if plan is None:
        return None
    places = np.arange(len(rows)) if places is None else places
    q, code, left, right = plan
    is_left = cells.codes[q, places] <= code
    j = cells.features[q]
    here = columns.codes[j, rows[places]]
    w = weights[rows[places]]
    missing = here == columns.sizes[j]
    # Where no cell is missing here, missing cells of new rows go with most rows.
    heavier = np.sum(w[~is_left]) > np.sum(w[is_left])
    side = int(not is_left[missing][0] if np.any(missing) else heavier)
    below = tuple(
        fork_of(part, cells, columns, rows, weights, places[which])
        for part, which in ((left, is_left), (right, ~is_left))
    )
    if columns.category[j]:
        values, first = np.unique(here[~missing], return_index=True)
        table = (values.astype(np.int64), (~is_left[~missing][first]).astype(np.int64))
        return Fork(j, np.nan, side, below, table)
    return Fork(j, _threshold(columns, j, here[~missing], is_left[~missing]), side, below)


def _threshold(columns, j, codes, is_left):
    """Between the numbers on both sides; infinite if one side has only what is missing."""
    if np.all(is_left) or not np.any(is_left):
        return inf if np.any(is_left) else -inf
    low, high = columns.starts[j] + np.max(codes[is_left]), columns.starts[j] + np.min(codes[~is_left])
    return midpoint(columns.high[low], columns.low[high])
