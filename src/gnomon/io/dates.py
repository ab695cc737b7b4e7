"""How the dates of a column are written: ISO 8601, or one of the patterns below.

One form holds for a whole column. Where every cell reads both with the day and with the month first, the reading in
which the dates lie closer together is taken; `date_forms` returns the other one too, so that it can be said.

ISO 8601-1:2019; Python, format codes of ``strptime``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice

import numpy as np

from gnomon._typing import Array, NDArray
from gnomon.io.cells import PLACEHOLDERS

__all__ = ["ISO", "DateForm", "date_forms"]

ENOUGH = 0.95
CELLS_TO_TRY = 500

_DAYS = (
    "%Y/%m/%d", "%Y.%m.%d", "%d.%m.%Y", "%d.%m.%y", "%m/%d/%Y", "%d/%m/%Y", "%m/%d/%y", "%d/%m/%y", "%d-%m-%Y",
    "%m-%d-%Y", "%d-%m-%y", "%m-%d-%y", "%d-%b-%Y", "%d-%b-%y", "%d/%b/%Y", "%d %b %Y", "%d %B %Y", "%d. %b %Y",
    "%d. %B %Y", "%b %d, %Y", "%B %d, %Y", "%b %d %Y", "%B %d %Y", "%d%b%Y", "%Y-%b-%d", "%a, %d %b %Y",
    "%A, %d %B %Y", "%a, %b %d, %Y", "%A, %B %d, %Y",
)  # fmt: skip
_CLOCKS = ("", " %H:%M", " %H:%M:%S", " %H:%M:%S.%f", " %I:%M %p", " %I:%M:%S %p", " %I:%M%p")
_JOINTS = (" ", ", ", "T")
_OTHERS = (
    "%Y-%m", "%Y/%m", "%m/%Y", "%b %Y", "%B %Y", "%b-%Y", "%b-%y", "%H:%M", "%H:%M:%S", "%I:%M %p", "%I:%M:%S %p",
    "%Y-%m-%d %I:%M %p", "%Y-%m-%d %I:%M:%S %p", "%Y-%m-%d %H:%M:%S %z", "%Y-%m-%d %H:%M %z", "%Y-%m-%d %H:%M:%S %Z",
    "%a, %d %b %Y %H:%M:%S %z", "%a, %d %b %Y %H:%M:%S %Z", "%a %b %d %H:%M:%S %Y", "%a %b %d %H:%M:%S %Z %Y",
    "%d/%b/%Y:%H:%M:%S %z",
)  # fmt: skip


@dataclass(frozen=True)
class DateForm:
    """The way in which a column writes dates: "iso" or a pattern of ``strptime``; `read` gives datetime64[s] in UTC."""

    pattern: str = "iso"

    def read(self, text: Array) -> NDArray[np.datetime64]:
        """The cells as datetime64[s]; a missing or unreadable cell is NaT."""
        known = {cell: self.value(cell) for cell in set(text.tolist())}
        return np.array([known[cell] for cell in text.tolist()], dtype="datetime64[s]")

    def value(self, cell: str) -> datetime | None:
        """The date of one cell, or None."""
        try:
            iso = self.pattern == "iso"
            when = datetime.fromisoformat(cell) if iso else datetime.strptime(_spaced(cell), self.pattern)
            return when.astimezone(UTC).replace(tzinfo=None) if when.tzinfo else when
        except (ValueError, OverflowError):
            return None


ISO = DateForm()


def date_forms(cells: Mapping[str, int]) -> list[DateForm]:
    """The forms that read nearly all of the cells, given how often each occurs: none, one, or two that differ.

    Two differ in which of day and month comes first; the one whose dates lie closer together stands first.
    """
    cells = {cell: count for cell, count in cells.items() if cell.lower() not in PLACEHOLDERS}
    shapes = {_shape(cell) for cell in islice(cells, CELLS_TO_TRY)}
    patterns = ["iso", *dict.fromkeys(p for shape in sorted(shapes) for p in _PATTERNS.get(shape, ()))]
    forms = [DateForm(pattern) for pattern in patterns]
    for some in (dict(islice(cells.items(), CELLS_TO_TRY)), cells):
        forms = [form for form in forms if _share_read(form, some) >= ENOUGH]
    most = max((_share_read(form, cells) for form in forms), default=0.0)
    readings = {form: [form.value(cell) for cell in cells] for form in forms}
    best = {form: dates for form, dates in readings.items() if _share_read(form, cells) == most}
    distinct = [form for k, form in enumerate(best) if best[form] not in list(best.values())[:k]]
    return sorted(distinct, key=lambda form: _span(best[form]))


def _share_read(form: DateForm, cells: Mapping[str, int]) -> float:
    total = sum(cells.values())
    return sum(count for cell, count in cells.items() if form.value(cell) is not None) / total if total else 0.0


def _span(dates: Sequence[datetime | None]) -> float:
    there = [when for when in dates if when is not None]
    return (max(there) - min(there)).total_seconds()


def _spaced(cell: str) -> str:
    return " ".join(cell.split())


def _shape(cell: str) -> str:
    """A cell with every number as 0 and every word as a: what patterns must share with it."""
    zoned = re.sub(r"[+-]\d\d:?\d\d$", "+0", _spaced(cell))
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "0", zoned))


def _shapes() -> dict[str, list[str]]:
    joined = [day + clock.replace(" ", joint, 1) for day in _DAYS for clock in _CLOCKS for joint in _JOINTS]
    patterns: dict[str, list[str]] = {}
    for pattern in dict.fromkeys((*joined, *_OTHERS)):
        example = datetime(2020, 12, 31, 23, 59, 58, 999, tzinfo=UTC).strftime(pattern)
        patterns.setdefault(_shape(example), []).append(pattern)
    return patterns


_PATTERNS = _shapes()
