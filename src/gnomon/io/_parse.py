"""Delimited text: which character separates fields, what quotation marks mean, whether the first line is a header.

Each question is answered by the whole file. Quotation marks are tried in the ways of `QUOTES`; the first that gives
every line the same number of fields is the file's. Shafranovich (2005), doi:10.17487/RFC4180.
"""

from __future__ import annotations

import csv
import re
import sys
import threading
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any, TextIO

import numpy as np

from gnomon._typing import Array
from gnomon.io.cells import TEXT, clean, counted
from gnomon.io.dates import date_forms
from gnomon.io.numbers import as_numbers, number_form
from gnomon.io.tables import Table, TableError, check_names, listed

__all__ = ["parse"]

DELIMITERS = (",", ";", "\t", "|", " ")
ROWS_AT_ONCE = 20_000
LINES_TO_SNIFF, CHARACTERS_TO_SNIFF = 50, 500_000
LONGEST_LINE = 20_000_000
"""Characters of the first lines; what has more is no table."""
COLUMNS_TO_COMPARE = 2_000
ROWS_TO_COMPARE = 100
LONGEST_RUN_BY_CHANCE = 4
ROW_NAMES = "rownames"
MARK = "\ufeff"
"""A byte order mark that stands after another, where files with one each were joined or converted twice."""

QUOTES: tuple[dict[str, Any], ...] = (
    {"doublequote": True, "strict": True},
    {"doublequote": False, "escapechar": "\\", "strict": True},
    {"quoting": csv.QUOTE_NONE},
)
"""RFC 4180; marks inside quotes with a backslash before them; marks that are ordinary characters."""


def parse(lines: TextIO, *, delimiter: str | None, header: bool | None, missing: Sequence[str]) -> Table:
    """The table of `lines`; `header` is None where the first line names the columns unless it looks like data."""
    with _fields_of_any_length():
        delimiter = _one_character(delimiter) if delimiter is not None else _sniff(lines)
        cells = _read_cells(lines, delimiter)
    first, columns = cells.first, [clean(column, missing) for column in cells.columns]
    if header is False:
        if cells.has_row_names:
            raise TableError(
                f"line 1 has {len(first) - 1} fields where line 2 has {len(first)}; if it names the columns, leave out "
                "--no-header"
            )
        names = [f"column_{k}" for k in range(1, len(first) + 1)]
        rows = [np.concatenate([clean([cell], missing), column]) for cell, column in zip(first, columns, strict=True)]
        return Table(dict(zip(names, rows, strict=True)), decimal=_DECIMALS.get(delimiter, "."))
    if not len(columns[0]):
        raise TableError("the file has a header but no rows")
    names = [cell.strip() or f"column_{k}" for k, cell in enumerate(first, start=1)]
    if header is None:
        _refuse_data(names, columns)
    check_names(names)
    decimal = _DECIMALS.get(delimiter, ".")
    return Table(dict(zip(names, columns, strict=True)), decimal=decimal, has_row_names=cells.has_row_names)


_DECIMALS = {";": ","}
"""Programs separate fields by a semicolon where the comma is the decimal mark."""

_LIMIT = threading.RLock()


@contextmanager
def _fields_of_any_length() -> Iterator[None]:
    """The csv module has one limit of a field's length for the whole process; it is put back as it was."""
    with _LIMIT:
        before = csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
        try:
            yield
        finally:
            csv.field_size_limit(before)


def _one_character(delimiter: str) -> str:
    if len(delimiter) != 1 or delimiter in '"\r\n\\' or (not delimiter.isprintable() and delimiter != "\t"):
        raise TableError(
            f"the delimiter {delimiter!r} cannot separate fields; give one character, for example ; or the word tab"
        )
    return delimiter


def _sniff(lines: TextIO) -> str:
    """The delimiter that splits the first lines into most fields, the same number in each; else the comma.

    The first line may have one field less (names of rows); blanks separate only where nothing else does.
    """
    sample = _first_lines(lines)
    best, most = ",", 1
    for one_less in (False, True):
        for delimiter in DELIMITERS:
            width = max(_width(sample, delimiter, quotes, one_less) for quotes in QUOTES)
            if width > most and (delimiter != " " or (most == 1 and _mostly_numbers(sample))):
                best, most = delimiter, width
        if most > 1:
            return best
    return best


def _first_lines(lines: TextIO) -> list[str]:
    """Some lines, two of them at least; one that is too long for a table is refused."""
    sample: list[str] = []
    while len(sample) < LINES_TO_SNIFF and (len(sample) < 2 or sum(map(len, sample)) < CHARACTERS_TO_SNIFF):
        line = lines.readline(LONGEST_LINE + 1)
        if len(line) > LONGEST_LINE:
            raise TableError(f"line {len(sample) + 1} has more than {LONGEST_LINE} characters; this is no table")
        if not line:
            break
        sample.append(line)
    return sample


def _width(sample: Sequence[str], delimiter: str, quotes: dict[str, Any], one_less: bool) -> int:
    """The number of fields in each of the lines, or 0 if it differs; in the first, it may be `one_less`.

    The last of many lines does not count: where the sample ends, a cell may be cut.
    """
    lenient = {**quotes, "strict": False}
    widths = [len(cells) for cells in csv.reader(sample, **lenient, **_shape_of(delimiter)) if cells]
    cut = len(sample) >= LINES_TO_SNIFF or sum(map(len, sample)) >= CHARACTERS_TO_SNIFF
    whole = widths[:-1] if cut else widths
    if not whole:
        return 0
    first, rest = whole[0] + one_less, set(whole[1:])
    return first if rest == {first} or not (rest or one_less) else 0


def _shape_of(delimiter: str) -> dict[str, Any]:
    """Several blanks separate as one does."""
    return {"delimiter": delimiter, "skipinitialspace": delimiter == " "}


def _mostly_numbers(sample: Sequence[str]) -> bool:
    """Whether words between blanks are numbers rather than sentences."""
    words = [word.strip('"') for line in sample[1:] for word in line.split()]
    return bool(words) and bool(np.mean(~np.isnan(as_numbers(clean(words)))) >= 0.5)


@dataclass(frozen=True)
class _Cells:
    """The first line, and the columns of all others; `has_row_names` where a name was put before those of that line."""

    first: list[str]
    columns: list[Array]
    several_lines: bool
    has_row_names: bool


def _read_cells(lines: TextIO, delimiter: str) -> _Cells:
    """The cells by the first of `QUOTES` that gives every line the same width; the first error if none does."""
    failure: TableError | None = None
    for quotes in QUOTES:
        try:
            if failure and "escapechar" in quotes and not _escaped(lines):
                continue
            cells = _cells(lines, delimiter, quotes)
        except TableError as error:
            failure = failure or error
            continue
        if quotes is QUOTES[-1] and "unexpected end" in str(failure):
            _warn_of_open_quote(cells)
        return _without_quotes(lines, delimiter, cells) if cells.several_lines and len(cells.first) > 1 else cells
    assert failure is not None
    raise failure


def _warn_of_open_quote(cells: _Cells) -> None:
    """Where quotation marks are ordinary characters because one is never closed, the file may have been cut short."""
    every = (*cells.first, *(cell for column in cells.columns for cell in column.tolist()))
    opened = [cell for cell in every if cell[:1] == '"' != cell[-1:]]
    if opened:
        warnings.warn(
            f"the quotation mark before {_short(opened[0])!r} is never closed and is taken as a part of the cell; see "
            "that nothing is missing at the end",
            UserWarning,
            stacklevel=2,
        )


def _escaped(lines: TextIO) -> bool:
    lines.seek(0)
    return any('\\"' in line for line in lines)


def _without_quotes(lines: TextIO, delimiter: str, cells: _Cells) -> _Cells:
    """Cells of several lines may be text in which two lone quotation marks were taken for a pair.

    If every line has the same number of fields by itself, that is the reading; a quoted cell of several lines seldom
    has the table's number of delimiters in each of them.
    """
    try:
        return _cells(lines, delimiter, QUOTES[-1])
    except TableError:
        return cells


def _cells(lines: TextIO, delimiter: str, quotes: dict[str, Any]) -> _Cells:
    lines.seek(0)
    reader = csv.reader(lines, **quotes, **_shape_of(delimiter))
    try:
        rows = (cells for cells in reader if any(cells))
        first = next(rows, None)
        if first is None:
            raise TableError("the file is empty")
        second = next(rows, None)
        width = len(second) if second and len(second) == len(first) + 1 else len(first)
        blocks = list(_blocks(reader, _all(second, rows), width))
    except csv.Error as error:
        raise TableError(
            f"line {reader.line_num}: {error}; look for a stray quotation mark, or a wrong --delimiter"
        ) from error
    first[0] = first[0].lstrip(MARK)
    columns = [np.concatenate(parts) for parts in zip(*blocks, strict=True)] or [_text([])] * width
    several = reader.line_num > sum(len(block[0]) for block in blocks) + 1
    names, columns = _named_rows(first, columns)
    return _Cells(names, columns, several, len(names) > len(first))


def _all(second: list[str] | None, rows: Iterator[list[str]]) -> Iterator[list[str]]:
    if second is not None:
        yield second
    yield from rows


def _named_rows(first: list[str], columns: list[Array]) -> tuple[list[str], list[Array]]:
    """Lines with one field more than the first have names of rows, as R writes them, or end with a delimiter."""
    if len(columns) == len(first):
        return first, columns
    if (columns[-1] == "").all():
        return first, columns[:-1]
    return [ROW_NAMES, *first], columns


def _blocks(reader: Any, rows: Iterable[list[str]], width: int) -> Iterator[list[Array]]:
    rows = iter(rows)
    while block := list(islice(_checked(reader, rows, width), ROWS_AT_ONCE)):
        yield [_text(cells) for cells in zip(*block, strict=True)]


def _checked(reader: Any, rows: Iterable[list[str]], width: int) -> Iterator[list[str]]:
    for cells in rows:
        if len(cells) != width:
            raise TableError(
                f"line {reader.line_num} has {len(cells)} fields where the first line has {width}; "
                "quote fields that contain the delimiter, or give --delimiter"
            )
        yield cells


def _text(cells: Sequence[str]) -> Array:
    return np.array(cells, dtype=TEXT)


def _refuse_data(names: Sequence[str], columns: Sequence[Array]) -> None:
    """Refuse a first line that is data: it fits the cells below in some columns and is unlike them in none."""
    if _numbered(names):
        return
    verdicts = [_fits(name, column) for name, column in islice(zip(names, columns, strict=True), COLUMNS_TO_COMPARE)]
    alike = [name for name, verdict in zip(names, verdicts, strict=False) if verdict == "data"]
    numbers = not np.isnan(as_numbers(clean(alike))).all() if alike else False
    if not alike or "name" in verdicts:
        return
    twice = len(set(names)) < len(names)
    if not (numbers or twice or len(alike) >= len(verdicts) / 2):
        return
    raise TableError(
        f"the first line seems to be data, not a header: {listed([repr(_short(cell)) for cell in alike], 3)} "
        f"{'is' if len(alike) == 1 else 'are'} like the cells below; give --no-header (the columns are then called "
        f"column_1 to column_{len(names)}), or --header if it does name the columns"
    )


def _numbered(names: Sequence[str]) -> bool:
    """Whether the numbers among the names count on evenly, as in 0, 1, 2 … or 2019, 2020: names, though numbers."""
    numbers = as_numbers(clean(names))
    numbers = numbers[~np.isnan(numbers)]
    steps = np.unique(np.diff(numbers))
    years = bool(len(numbers) > 1 and ((numbers >= 1900) & (numbers <= 2100)).all())
    return len(steps) == 1 and steps[0] != 0 and (years or len(numbers) > LONGEST_RUN_BY_CHANCE)


def _fits(name: str, column: Array) -> str:
    """Whether a cell of the first line is "data" like those below it, a "name" unlike them, or "open"."""
    there = column[column != ""]
    cell = clean([name])
    if re.fullmatch(r"column_\d+", name) or cell[0] == "" or not len(there):
        return "open"
    if (column == name).any():
        return "data"
    some = there[:ROWS_TO_COMPARE]
    if not np.isnan(as_numbers(some)).any():
        return "name" if np.isnan(as_numbers(cell)).any() else "data"
    number, dates = number_form(counted(some)), date_forms(counted(some))
    if number:
        return "name" if np.isnan(number.value(name)) else "data"
    if dates:
        return "name" if dates[0].value(name) is None else "data"
    return "open"


def _short(cell: str, most: int = 30) -> str:
    return cell if len(cell) <= most else cell[: most - 1] + "…"
