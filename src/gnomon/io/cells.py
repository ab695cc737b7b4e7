"""Cells of a text column: which are missing.

A text column is an array of ``numpy.dtypes.StringDType`` in which the empty string means "missing". Nothing here
guesses from a sample: a rule that is stated as "all cells" looks at all cells.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gnomon._typing import Array, ArrayLike, Floats

__all__ = ["MISSING", "PLACEHOLDERS", "TEXT", "as_text", "clean", "counted"]

TEXT = np.dtypes.StringDType()

MISSING = (
    "NA", "na", "Na", "N/A", "n/a", "N/a", "n.a.", "N.A.", "<NA>", "<na>", "NaN", "nan", "NAN", "-NaN", "-nan", "NaT",
    "NULL", "null", "Null", "(null)", "<null>", "\\N", "None", "?", "#N/A", "#N/A N/A", "#NA", "#DIV/0!", "#VALUE!",
    "#REF!", "#NAME?", "#NUM!", "#NULL!", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN",
)  # fmt: skip
"""What says "missing" wherever it stands."""

PLACEHOLDERS = frozenset({
    "-", "--", "---", "–", "—", ".", "..", "...", "…", "*", "**", "_", "/",
    "x", "none", "nil", "nd", "n.d.", "na.", "tbd",
    "unknown", "unk", "missing", "not available", "not applicable", "no data", "nodata", "no value", "blank", "empty",
    "inf", "+inf", "-inf", "infinity", "+infinity", "-infinity", "∞", "-∞", "1.#inf", "-1.#inf",
    "0000-00-00", "0000-00-00 00:00:00", "00/00/0000", "00.00.0000",
})  # fmt: skip
"""What says "missing" among numbers or dates only, in lower case: elsewhere - and x may be a class."""


def clean(cells: ArrayLike, missing: Iterable[str] = ()) -> Array:
    """`cells` without surrounding blanks, as a text column; `MISSING` and `missing` become the empty string."""
    markers = {*MISSING, *missing}
    stripped = (cell.strip() for cell in np.asarray(cells, dtype=TEXT).tolist())
    return np.array(["" if cell in markers else cell for cell in stripped], dtype=TEXT)


def counted(text: Array) -> dict[str, int]:
    """The different cells that are not empty, in order of appearance, and how often each occurs."""
    counts: dict[str, int] = {}
    for cell in text.tolist():
        counts[cell] = counts.get(cell, 0) + 1
    counts.pop("", None)
    return counts


def as_text(numbers: Floats) -> Array:
    """Numbers as text: 3.0 becomes "3", 0.1 stays "0.1", NaN becomes missing."""
    return np.array(["" if v != v else f"{v:.15g}" for v in numbers.tolist()], dtype=TEXT)
