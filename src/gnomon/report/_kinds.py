"""What a column is, decided from all its cells by rules that the report can state.

number     at least 95 % of the cells that are there are numbers of one form (decimal mark, thousands, currency, unit)
date       at least 95 % of them are dates of one form
text       at least four words per cell on average, mostly different: free text
category   everything else
clock      of the dates that order the rows, the hour and the weekday
unused     empty, constant, nested, whole numbers beyond 2⁵³, or like an identifier: it counts the rows, or is
           different in (nearly) every one

`types` overrides: "number", "category", "date", "text", or "date:%d/%m/%Y" with a pattern of strptime.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from gnomon._typing import Array, Bools, Floats, Integers
from gnomon.io import Table, UserError
from gnomon.io.cells import PLACEHOLDERS, counted
from gnomon.io.dates import ISO, DateForm, date_forms
from gnomon.io.numbers import PLAIN, NumberForm, decimal_marks, number_form
from gnomon.io.tables import EXACT, as_dates, as_float, is_missing, to_text

__all__ = [
    "ColumnKind",
    "as_kinds",
    "check_extent",
    "clock_of",
    "decimal_of",
    "from_json",
    "infer_kinds",
    "numbers_of",
    "settled",
    "settled_kinds",
    "to_json",
    "used_kinds",
]

NUMBERS_AT_LEAST = 0.95
MIXED_AT_LEAST = 0.5
DISTINCT_IS_ID = 0.9
DISTINCT_IS_TEXT = 0.5
WORDS_IS_TEXT = 4
ROWS_TO_JUDGE = 20
LONGEST_EXAMPLE = 40
ABSURD = 1e30
"""A number so many times the median is a mark of a missing cell, as the largest float is, or a slip."""
MOST_COLUMNS = 20_000
"""Each takes a millisecond before anything is learned, and most of them a line in the report."""
LONGEST_CELL, MOST_TEXT = 100_000, 200_000_000
"""Characters of a cell, and of all cells of a column of text."""
LARGEST, LARGEST_OF_DISTANCES = 1e306, 1e150
"""Of larger numbers, sums and differences are none, or squares."""
FIRST_YEAR, LAST_YEAR = 1500, 2200
TYPES = ("number", "category", "date", "text")

LONGEST_WHOLE = 300
"""Digits of a whole number below the largest of float64."""
_TOO_LARGE = re.compile(r"[+-]?\d+(\.\d*)?[eE]\+?\d{3,}")
_ID_NAME = re.compile(
    r"(^|[_\W])(id|ids|uuid|guid|key|index|idx|rownum|rowname|rownames|row|nr|no|unnamed: 0)$", re.IGNORECASE
)


@dataclass(frozen=True)
class ColumnKind:
    """A column's name and kind, and the form in which its cells are read.

    `reason` says why an unused column is unused; `example` is a cell of it, or one of the `n_unreadable` cells that
    its form cannot read; `remark` says how cells were understood where that is not plain.
    """

    name: str
    kind: Literal["number", "date", "clock", "text", "category", "unused"]
    number: NumberForm = PLAIN
    date: DateForm = ISO
    reason: str = ""
    n_unreadable: int = 0
    example: str = ""
    remark: str = ""
    largest: float = np.inf

    def read(self, values: Array) -> Array:
        """The cells as numbers up to `largest` or as dates, where the column is such; otherwise as they are."""
        reading = {"number": self._numbers, "date": self._dates, "clock": self._dates}
        return reading[self.kind](values) if self.kind in reading else values

    @property
    def form(self) -> str:
        """An example of how its numbers are written, or the pattern of its dates."""
        return self.date.pattern if self.kind in ("date", "clock") else self.number.sample

    def lost(self, values: Array) -> Bools:
        """Which cells hold something, and no placeholder, but are not read."""
        return _unreadable(values, is_missing(self.read(values)))

    def _dates(self, values: Array) -> Array:
        return as_dates(values, self.date)

    def _numbers(self, values: Array) -> Floats:
        numbers = as_float(values, self.number)
        return np.where(np.abs(numbers) > self.largest, np.nan, numbers)


def to_json(kinds: Sequence[ColumnKind]) -> str:
    """The columns as one text."""
    fields = [{**vars(kind), "number": vars(kind.number), "date": vars(kind.date)} for kind in kinds]
    return json.dumps(fields, default=lambda number: number.item())


def from_json(text: str) -> tuple[ColumnKind, ...]:
    """The columns of `to_json`."""
    return tuple(
        ColumnKind(**{**fields, "number": NumberForm(**fields["number"]), "date": DateForm(**fields["date"])})
        for fields in json.loads(text)
    )


def check_extent(table: Table, dropped: Sequence[str]) -> None:
    """Refuse a table that has more columns, or longer texts, than a study can look at."""
    names = [name for name in table.names if name not in set(dropped)]
    if len(names) > MOST_COLUMNS:
        raise UserError(f"{len(names)} columns are too many; give a table of {MOST_COLUMNS} at most, or --drop some")
    for name in names:
        lengths = np.strings.str_len(table[name]) if table[name].dtype.kind == "T" else np.zeros(1)
        if lengths.max(initial=0) > LONGEST_CELL or lengths.sum() > MOST_TEXT:
            raise UserError(
                f"the texts of {name} are too long: {lengths.max()} characters in a cell and {lengths.sum()} in all; "
                f"at most {LONGEST_CELL} and {MOST_TEXT} are read; give shorter ones, or --drop {name}"
            )


def infer_kinds(
    table: Table, names: Sequence[str], *, types: Mapping[str, str] | None = None, keep: Sequence[str] = ()
) -> dict[str, ColumnKind]:
    """The kinds of these columns; those of `keep` are used although they look like identifiers."""
    types = types or {}
    decimal = decimal_of(table)
    found = {}
    for name in names:
        values = table[name]
        if name in types:
            found[name] = _as_told(name, values, types[name], decimal)
        else:
            found[name] = _infer(name, values, decimal, keep=name in keep)
    return found


def as_kinds(table: Table, kinds: Sequence[ColumnKind]) -> Table:
    """`table` with the columns of `kinds` read as what they are."""
    read = {kind.name: kind.read(table[kind.name]) for kind in kinds}
    return Table({**table.columns, **read}, decimal=table.decimal)


def clock_of(kind: ColumnKind, values: Array) -> ColumnKind | None:
    """The hour and the weekday of dates that order the rows; None where there is one time of day, or no date."""
    if kind.kind != "date":
        return None
    hours = as_float(kind.read(values)) % 1.0
    return replace(kind, kind="clock") if np.nanmin(hours) < np.nanmax(hours) else None


def settled(kind: ColumnKind, values: Array) -> ColumnKind:
    """`kind`, or unused where these rows of the column, read as what they are, are empty or all the same."""
    gaps = is_missing(values)
    if gaps.all():
        return replace(kind, kind="unused", reason="empty")
    return replace(kind, kind="unused", reason="constant") if not gaps.any() and _constant(values) else kind


def settled_kinds(
    table: Table,
    found: Mapping[str, ColumnKind],
    reasons: Mapping[str, str],
    rows: Integers | slice = slice(None),
    *,
    largest: float = LARGEST,
) -> tuple[ColumnKind, ...]:
    """The kinds, with those unused that have a reason or hold nothing to learn from in these rows."""
    for name, kind in found.items():
        if kind.kind == "number" and name not in reasons:
            _refuse_huge(name, table[name], largest)
    return tuple(
        ColumnKind(name, "unused", reason=reasons[name]) if name in reasons else settled(kind, table[name][rows])
        for name, kind in found.items()
    )


def _refuse_huge(name: str, numbers: Floats, most: float) -> None:
    largest = np.max(np.abs(numbers), initial=0.0, where=np.isfinite(numbers))
    if largest > most:
        raise UserError(
            f"{name} has numbers of about {largest:.2g}, too large to calculate with; give it in another unit, "
            f"or --drop {name}"
        )


def used_kinds(kinds: Sequence[ColumnKind]) -> tuple[ColumnKind, ...]:
    """The columns to learn from; an error where none is left."""
    used = tuple(kind for kind in kinds if kind.kind != "unused")
    if not used:
        raise UserError(
            "no column is left to learn from; all are empty, constant, identifiers or left out; --keep NAME uses one "
            "that only looks like an identifier"
        )
    return used


def decimal_of(table: Table) -> str:
    """The decimal mark that some column proves and none denies; otherwise what the table itself says."""
    texts = [values for values in table.columns.values() if values.dtype.kind == "T"]
    marked = [v for v in texts if (np.strings.find(v, ",") >= 0).any()]
    if not marked:
        return "."
    proved = set().union(*(decimal_marks(counted(values)) for values in texts))
    return proved.pop() if len(proved) == 1 else table.decimal


def numbers_of(values: Array, decimal: str = ".") -> tuple[Floats, Bools]:
    """The cells as numbers in the form that reads most of them, and which are there but cannot be read."""
    numbers = as_float(values, _number_form(values, decimal) or PLAIN)
    return numbers, _unreadable(values, np.isnan(numbers))


def _number_form(values: Array, decimal: str) -> NumberForm | None:
    """The form in which nearly all cells of a column are numbers, or None."""
    if values.dtype.kind != "T":
        return PLAIN
    numbers = as_float(values)
    plain = not np.isnan(numbers).all() and not _unreadable(values, np.isnan(numbers)).any()
    # With a decimal comma, 1.234 is more than a thousand.
    if plain and (decimal == "." or not (np.strings.find(values, ".") >= 0).any()):
        return PLAIN
    return number_form(counted(values), decimal)


def _unreadable(values: Array, lost: Bools) -> Bools:
    """Cells that are lost though they hold something, and not a placeholder."""
    return lost & ~is_missing(values) & ~_placeholders(values, lost)


def _placeholders(values: Array, lost: Bools) -> Bools:
    found = np.zeros(len(values), dtype=bool)
    rows = np.flatnonzero(lost)
    found[rows] = [cell.lower() in PLACEHOLDERS for cell in to_text(values[rows]).tolist()]
    return found


def _as_told(name: str, values: Array, told: str, decimal: str) -> ColumnKind:
    """The kind that the user asked for, with the form that reads most cells; an error if it reads none."""
    kind, _, pattern = told.partition(":")
    if kind not in TYPES or (pattern and kind != "date"):
        raise UserError(f"--type {name}={told}: give one of {', '.join(TYPES)}, or date:PATTERN as in date:%d/%m/%Y")
    there = values[~is_missing(values)]
    found = {
        "number": lambda: _as_number(name, there, _number_form(there, decimal) or _best_form(there, decimal)),
        "date": lambda: _as_date(name, there, [DateForm(pattern)] if pattern else _date_forms(there) or [ISO]),
        "category": lambda: ColumnKind(name, "category"),
        "text": lambda: ColumnKind(name, "text"),
    }[kind]()
    if len(there) and is_missing(found.read(there)).all():
        raise UserError(
            f"--type {name}={told}: no cell can be read so, for example {_example(there)!r}; give another type, or none"
        )
    return found


def _best_form(there: Array, decimal: str) -> NumberForm:
    """The form of those cells that are numbers, however few."""
    cells = {cell: n for cell, n in counted(to_text(there)).items() if number_form({cell: n})}
    return number_form(cells, decimal) or PLAIN


def _date_forms(there: Array) -> list[DateForm]:
    return date_forms(counted(to_text(there)))


def _infer(name: str, values: Array, decimal: str, *, keep: bool) -> ColumnKind:
    there = values[~is_missing(values)]
    if not len(there):
        return ColumnKind(name, "unused", reason="empty")
    if len(there) == len(values) and _constant(there):
        return ColumnKind(name, "unused", reason="constant", example=_example(there))
    found = {
        "T": lambda: _kind_of_text(name, there, decimal),
        "f": lambda: _as_number(name, there, PLAIN),
        "M": lambda: ColumnKind(name, "date"),
    }[values.dtype.kind]()
    if not keep and len(there) >= ROWS_TO_JUDGE and _like_id(found, there):
        return replace(found, kind="unused", reason="identifier", example=_example(there))
    return found


def _constant(there: Array) -> bool:
    return bool((there == there[0]).all())


def _example(there: Array) -> str:
    cell = str(to_text(there[:1])[0])
    return cell if len(cell) <= LONGEST_EXAMPLE else cell[: LONGEST_EXAMPLE - 1] + "…"


def _kind_of_text(name: str, there: Array, decimal: str) -> ColumnKind:
    if _nested(there).mean() >= NUMBERS_AT_LEAST:
        return ColumnKind(name, "unused", reason="nested", example=_example(there))
    if _beyond_float(there).mean() > 1 - NUMBERS_AT_LEAST and np.isnan(as_float(there)).mean() > NUMBERS_AT_LEAST:
        return ColumnKind(name, "unused", reason="large", example=_example(there))
    form = _number_form(there, decimal)
    found = _as_number(name, there, form) if form else None
    if found and _enough(found, there):
        beyond = _beyond_float(there).mean() > 1 - NUMBERS_AT_LEAST
        return replace(found, kind="unused", reason="large", example=_example(there)) if beyond else found
    forms = _date_forms(there)
    found = _as_date(name, there, forms) if forms else None
    if found and _enough(found, there):
        return found
    words = np.strings.count(there, " ").mean() + 1
    if words >= WORDS_IS_TEXT and _distinct(there) > DISTINCT_IS_TEXT:
        return ColumnKind(name, "text")
    return _as_category(name, there)


def _nested(there: Array) -> Bools:
    pairs = (("[", "]"), ("{", "}"))
    return np.any([np.strings.startswith(there, a) & np.strings.endswith(there, z) for a, z in pairs], axis=0)


def _beyond_float(there: Array) -> Bools:
    """Which cells are numbers that float64 cannot hold, or whole ones that it cannot tell from their neighbours."""
    found = (np.strings.str_len(there) >= len(str(EXACT))) | (np.strings.find(np.strings.lower(there), "e") > 0)
    found[found] = [_is_beyond(cell) for cell in there[found].tolist()]
    return found


def _is_beyond(cell: str) -> bool:
    if _TOO_LARGE.fullmatch(cell):
        return math.isinf(float(cell))
    digits = cell.lstrip("+-")
    return digits.isdecimal() and (len(digits) > LONGEST_WHOLE or abs(int(digits)) > EXACT)


def _enough(found: ColumnKind, there: Array) -> bool:
    """Whether so few cells are unreadable that the column may be called so; of few cells, none."""
    allowed = (1 - NUMBERS_AT_LEAST) * len(there) if len(there) >= ROWS_TO_JUDGE else 0
    return found.n_unreadable <= allowed


def _as_number(name: str, there: Array, form: NumberForm) -> ColumnKind:
    numbers = as_float(there, form)
    sizes = np.abs(numbers[~np.isnan(numbers) & (numbers != 0.0)])
    with np.errstate(over="ignore"):
        largest = min(ABSURD * float(np.median(sizes)), np.finfo(float).max) if len(sizes) else np.inf
    lost = np.isnan(numbers)
    bad = _unreadable(there, lost) | (np.abs(numbers) > largest)
    return ColumnKind(
        name,
        "number",
        number=form,
        largest=largest,
        n_unreadable=int(bad.sum()),
        example=_example(there[bad]) if bad.any() else "",
        remark=" and ".join(_remarks(there, numbers, _placeholders(there, lost))),
    )


def _remarks(there: Array, numbers: Floats, holders: Bools) -> Iterator[str]:
    odd = ~np.isnan(numbers) & (numbers != as_float(there))
    if odd.any():
        k = int(np.argmax(odd))
        yield f"{_example(there[k:])!r} is read as {numbers[k]:.15g}"
    if holders.any():
        yield f"{_example(there[holders])!r} and the like ({holders.sum()} cells) mean missing"


def _as_date(name: str, there: Array, forms: Sequence[DateForm]) -> ColumnKind:
    dates = as_dates(there, forms[0])
    bad = _unreadable(there, np.isnat(dates))
    example = _example(there[bad]) if bad.any() else ""
    return ColumnKind(
        name, "date", date=forms[0], n_unreadable=int(bad.sum()), example=example, remark=_other(there, dates, forms)
    )


def _other(there: Array, dates: Array, forms: Sequence[DateForm]) -> str:
    """What to say where day and month cannot be told apart in any cell."""
    if len(forms) < 2:
        return ""
    k = int(np.flatnonzero(~np.isnat(dates) & (dates != as_dates(there, forms[1])))[0])
    day = np.datetime_as_string(dates[k], unit="D")
    return (
        f"no cell tells day from month; {_example(there[k:])!r} is read as {day}, and date:{forms[1].pattern} reads it "
        "the other way"
    )


def _as_category(name: str, there: Array) -> ColumnKind:
    """A category; where half of the cells are numbers, the user may have meant them."""
    form = _best_form(there, ".")
    numbers = as_float(there, form)
    lost = np.isnan(numbers)
    if lost.mean() > MIXED_AT_LEAST or len(there) < ROWS_TO_JUDGE:
        return ColumnKind(name, "category")
    if not lost.any():
        odd = _example(there[np.argmax(np.abs(numbers)) :])
        return ColumnKind(name, "category", remark=f"{odd!r} and others are so large that there is no common scale")
    odd = _example(there[lost])
    return ColumnKind(name, "category", remark=f"{1 - lost.mean():.0%} of the cells are numbers, but {odd!r} is none")


def _distinct(there: Array) -> float:
    """The number of different cells as a share of all."""
    return len(set(there.tolist())) / len(there)


def _like_id(found: ColumnKind, there: Array) -> bool:
    """Different strings in nearly every row, or whole numbers that count the rows or are called an identifier."""
    if found.kind == "category":
        return _distinct(there) > DISTINCT_IS_ID
    if found.kind != "number" or found.number != PLAIN:
        return False
    numbers = found.read(there)
    whole = bool((numbers == np.round(numbers)).all())
    if not whole or _distinct(numbers) < 1.0:
        return False
    years = bool(numbers.min() >= FIRST_YEAR and numbers.max() <= LAST_YEAR)
    counts_rows = bool(np.ptp(numbers) < 1.05 * len(numbers)) and not years
    return counts_rows or bool(_ID_NAME.search(found.name))
