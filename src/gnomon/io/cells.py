"""Cells of a text column: which are missing, which are numbers, which are dates.

A text column is an array of ``numpy.dtypes.StringDType`` in which the empty string means "missing". Nothing here
guesses from a sample: a rule that is stated as "all cells" looks at all cells.
"""

import re
from datetime import UTC, datetime

import numpy as np

from gnomon._typing import Array, ArrayLike, Floats, NDArray

__all__ = ["DATE_FORMATS", "MISSING", "TEXT", "as_numbers", "as_text", "clean", "date_format", "parse_dates", "plain"]

TEXT = np.dtypes.StringDType()
MISSING = ("NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null", "None", "?")
DATE_FORMATS = ("iso", "%d.%m.%Y", "%d.%m.%Y %H:%M", "%d.%m.%Y %H:%M:%S", "%Y/%m/%d", "%d/%m/%Y", "%m/%d/%Y")

_THOUSANDS = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?|[+-]?\d+(\.\d+)?")
_DECIMAL_COMMA = re.compile(r"[+-]?\d*(,\d+)?([eE][+-]?\d+)?")


def clean(cells: ArrayLike) -> Array:
    """`cells` without surrounding blanks, as a text column; every missing marker becomes the empty string."""
    text = np.strings.strip(np.asarray(cells, dtype=TEXT))
    missing = np.zeros(text.shape, dtype=bool)
    for marker in MISSING:
        missing |= text == marker
    return np.where(missing, "", text).astype(TEXT)


def plain(text: Array, delimiter: str) -> Array:
    """Numbers in plain notation: 1,234.5 becomes 1234.5, and 3,14 becomes 3.14 where the comma is no delimiter.

    A column is touched only if all its cells agree; "1,234" in a file with another delimiter is read as a decimal
    comma, which is what writes such files.
    """
    commas = np.strings.find(text, ",") >= 0
    if not commas.any():
        return text
    distinct = set(text[text != ""].tolist())
    pattern, mark = (_THOUSANDS, "") if delimiter == "," else (_DECIMAL_COMMA, ".")
    if all(pattern.fullmatch(cell) for cell in distinct):
        return np.strings.replace(text, ",", mark).astype(TEXT)
    return text


def as_numbers(text: Array) -> Floats:
    """The cells as float64; a missing, infinite or unreadable cell is NaN."""
    filled = np.where(text == "", "nan", text).astype(TEXT)
    try:
        if (np.strings.find(filled, "_") >= 0).any():
            raise ValueError("Python reads 1_000 as a number, nobody else does")
        numbers = filled.astype(np.float64)
    except ValueError:
        numbers = np.array([_number(cell) for cell in text.tolist()], dtype=np.float64)
    return np.where(np.isfinite(numbers), numbers, np.nan)


def as_text(numbers: Floats) -> Array:
    """Numbers as text: 3.0 becomes "3", 0.1 stays "0.1", NaN becomes missing."""
    return np.array(["" if v != v else f"{v:.15g}" for v in numbers.tolist()], dtype=TEXT)


def date_format(text: Array) -> str | None:
    """The first of `DATE_FORMATS` that reads every cell, or None; None too if day and month cannot be told apart."""
    distinct = sorted(set(text[text != ""].tolist()))
    if not distinct or not distinct[0][:1].isdigit():
        return None
    fitting = [form for form in DATE_FORMATS if all(_date(cell, form) is not None for cell in distinct)]
    undecided = {"%d/%m/%Y", "%m/%d/%Y"} <= set(fitting)
    return None if undecided or not fitting else fitting[0]


def parse_dates(text: Array, form: str) -> NDArray[np.datetime64]:
    """The cells as datetime64[s]; a missing or unreadable cell is NaT."""
    known = {cell: _date(cell, form) for cell in set(text.tolist())}
    return np.array([known[cell] for cell in text.tolist()], dtype="datetime64[s]")


def _number(cell: str) -> float:
    try:
        return np.nan if "_" in cell else float(cell)
    except ValueError:
        return np.nan


def _date(cell: str, form: str) -> datetime | None:
    try:
        when = datetime.fromisoformat(cell) if form == "iso" else datetime.strptime(cell, form)
    except ValueError:
        return None
    return when.astimezone(UTC).replace(tzinfo=None) if when.tzinfo else when
