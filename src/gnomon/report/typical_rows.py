"""What the notes beside a model say of the rows that it was made from: a typical cell of each column, and the ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gnomon._typing import Array, Integers
from gnomon.io import Table
from gnomon.io.tables import is_missing, to_text
from gnomon.report._kinds import ColumnKind

__all__ = ["row_notes"]


def row_notes(table: Table, kinds: Sequence[ColumnKind]) -> dict[str, Any]:
    """Of each column a typical cell as it is written, and of numbers and dates the least and the greatest.

    Typical are the lower median of numbers and dates, the most frequent category, and no text.

    Examples
    --------
    >>> from gnomon.io import Table
    >>> from gnomon.report._kinds import infer_kinds
    >>> from gnomon.report.typical_rows import row_notes
    >>> table = Table({"price": ["€ 9", "€ 7", "€ 100"], "colour": ["red", "blue", "red"]})
    >>> notes = row_notes(table, list(infer_kinds(table, table.names).values()))
    >>> notes["typical"], notes["ranges"]
    ({'price': '€ 9', 'colour': 'red'}, {'price': ['€ 7', '€ 100']})
    """
    found = {kind.name: kind for kind in kinds}
    ordered = {name: _in_order(kind, table[name]) for name, kind in found.items() if kind.kind in ORDERED}
    return {
        "typical": {
            name: _TYPICAL[kind.kind](table[name], ordered.get(name)) for name, kind in found.items()
        },
        "ranges": {
            name: [_cell(table[name], order[0]), _cell(table[name], order[-1])]
            for name, order in ordered.items()
            if len(order)
        },
    }  # fmt: skip


ORDERED = ("number", "date", "clock")


def _in_order(kind: ColumnKind, values: Array) -> Integers:
    """The rows where something stands, from the least to the greatest."""
    read = kind.read(values)
    there = np.flatnonzero(~is_missing(read))
    return there[np.argsort(read[there], kind="stable")]


def _middle(values: Array, order: Integers) -> str:
    return _cell(values, order[(len(order) - 1) // 2]) if len(order) else ""


def _most_frequent(values: Array, order: None) -> str:
    cells, counts = np.unique(to_text(values[~is_missing(values)]), return_counts=True)
    return str(cells[np.argmax(counts)]) if len(cells) else ""


def _cell(values: Array, row: int) -> str:
    return str(to_text(values[[row]])[0])


_TYPICAL: dict[str, Any] = {
    **dict.fromkeys(ORDERED, _middle),
    "category": _most_frequent,
    "text": lambda values, order: "",
}
