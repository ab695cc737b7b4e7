"""The files of a study: its page, and its model with the notes that `gnomon predict` and `gnomon serve` need."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gnomon._typing import Array
from gnomon.io import Table, save
from gnomon.io.files import outbox
from gnomon.io.tables import is_missing, to_text
from gnomon.report._kinds import ColumnKind
from gnomon.report._study_record import Study
from gnomon.report.pages import page, summary

__all__ = ["notes_of", "typical_cells", "write_study_model", "write_study_page"]


def notes_of(study: Study) -> dict[str, Any]:
    """What stands beside the model in its file: outcome, options of reading, and a typical cell of each column."""
    typical = typical_cells(study.table, study.model[0].kinds)
    return {**summary(study), "reading": dict(study.source.reading), "typical": typical}


def typical_cells(table: Table, kinds: Sequence[ColumnKind]) -> dict[str, str]:
    """Of each column a cell as it is written: the median of numbers and dates, the most frequent category, no text.

    Examples
    --------
    >>> from gnomon.io import Table
    >>> from gnomon.report._kinds import infer_kinds
    >>> from gnomon.report.study_files import typical_cells
    >>> table = Table({"price": ["€ 9", "€ 7", "€ 100"], "colour": ["red", "blue", "red"]})
    >>> typical_cells(table, list(infer_kinds(table, table.names).values()))
    {'price': '€ 9', 'colour': 'red'}
    """
    return {kind.name: _TYPICAL[kind.kind](kind, table[kind.name]) for kind in kinds}


def _middle(kind: ColumnKind, values: Array) -> str:
    read = kind.read(values)
    there = np.flatnonzero(~is_missing(read))
    order = there[np.argsort(read[there], kind="stable")]
    return str(to_text(values[order[[(len(order) - 1) // 2]]])[0]) if len(order) else ""


def _most_frequent(kind: ColumnKind, values: Array) -> str:
    cells, counts = np.unique(to_text(values[~is_missing(values)]), return_counts=True)
    return str(cells[np.argmax(counts)]) if len(cells) else ""


_TYPICAL = {
    "number": _middle,
    "date": _middle,
    "clock": _middle,
    "category": _most_frequent,
    "text": lambda kind, values: "",
}


def write_study_model(study: Study, path: str | Path) -> None:
    """Write the model of a study, whole or not at all."""
    save(study.model, path, **notes_of(study))


def write_study_page(study: Study, path: str | Path) -> None:
    """Write the page of a study, whole or not at all."""
    path, source = Path(path), study.source
    with outbox(path.parent) as place:
        html = page(study, study.table, source=source.name, digest=source.digest)
        place(path.name).write_text(html, encoding="utf-8")
