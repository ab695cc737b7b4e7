"""`gnomon predict`: the rows of a file or of standard input through a model file, as CSV."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gnomon.cli._guard import errors
from gnomon.io import Table, UserError, read_table
from gnomon.io.files import csv_text, outfile
from gnomon.serve.answers import Asked, open_model, warnings_as_notes

__all__ = ["run", "telling_warnings"]

STANDARD_INPUT = Path("-")


def run(
    model: Path,
    data: Path | None,
    *,
    out: Path | None,
    proba: bool,
    threshold: float | None,
    ids: Sequence[str],
    reading: Mapping[str, Any],
) -> None:
    """Predict every row of `data`; write CSV to `out` or standard output."""
    asked = Asked(proba, threshold, ids)
    _refuse_read(out, model, data)
    with telling_warnings():
        opened = open_model(model)
    opened.check(asked)
    with telling_warnings():
        table = _table(data, opened.reading(reading))
    say_notes(opened.remarks(table))
    with telling_warnings():
        columns = opened.answers(table, asked).columns()
    _write(columns, out)


@contextmanager
def telling_warnings() -> Iterator[None]:
    """Every warning of the block once, as a note."""
    with warnings_as_notes() as said:
        yield
    say_notes(said)


def say_notes(texts: Iterable[str]) -> None:
    """Each text on a line of standard error."""
    for text in texts:
        errors().print(f"note: {text}", markup=False)


def _table(data: Path | None, reading: Mapping[str, Any]) -> Table:
    if data is not None and data != STANDARD_INPUT:
        return read_table(data, **reading)
    if sys.stdin.isatty():
        raise UserError("give the FILE of rows to predict, or pipe it in")
    return read_table(sys.stdin.buffer, **reading)


def _refuse_read(out: Path | None, *read: Path | None) -> None:
    """Refuse to write over a file that is read, by whatever name."""
    for path in read:
        if out and path and out.is_file() and path.is_file() and out.samefile(path):
            raise UserError(f"--out {out} is the file that is read; give another one")


def _write(columns: Sequence[tuple[str, list[Any]]], out: Path | None) -> None:
    text = csv_text(columns)
    if out is None:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    with outfile(out) as temporary:
        temporary.write_text(text, encoding="utf-8")
