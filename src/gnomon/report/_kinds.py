"""What a column is, decided from all its cells by rules that the report can state.

number     at least 95 % of the cells that are there are numbers
date       every cell is a date of one form
text       at least four words per cell on average, mostly different: free text
category   everything else
unused     empty, constant, or like an identifier: different in (nearly) every row
"""

import re
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from gnomon._typing import Array
from gnomon.io.cells import as_numbers, date_format
from gnomon.io.tables import as_float, is_missing

__all__ = ["ColumnKind", "infer_kind"]

NUMBERS_AT_LEAST = 0.95
DISTINCT_IS_ID = 0.9
DISTINCT_IS_TEXT = 0.5
WORDS_IS_TEXT = 4
ROWS_TO_JUDGE = 20

_ID_NAME = re.compile(r"(^|[_\W])(id|ids|uuid|guid|key|index|idx|rownum|row|nr|no|unnamed: 0)$", re.IGNORECASE)


@dataclass(frozen=True)
class ColumnKind:
    """A column's name, kind, and what reading it needs; `reason` says why an unused one is unused."""

    name: str
    kind: Literal["number", "date", "text", "category", "unused"]
    form: str = ""
    reason: str = ""
    n_unreadable: int = 0


def infer_kind(name: str, values: Array, *, keep: bool = False) -> ColumnKind:
    """The kind of one column; with `keep` a column like an identifier is used all the same."""
    there = values[~is_missing(values)]
    if not len(there):
        return ColumnKind(name, "unused", reason="empty")
    if len(there) == len(values) and _constant(there):
        return ColumnKind(name, "unused", reason="constant")
    found = {"T": _kind_of_text, "f": _kind_of_numbers, "M": _kind_of_dates}[values.dtype.kind](name, there)
    like_id = not keep and len(there) >= ROWS_TO_JUDGE and _like_id(found, there)
    return replace(found, kind="unused", reason="identifier") if like_id else found


def _constant(there: Array) -> bool:
    return bool((there == there[0]).all())


def _kind_of_numbers(name: str, there: Array) -> ColumnKind:
    return ColumnKind(name, "number")


def _kind_of_dates(name: str, there: Array) -> ColumnKind:
    return ColumnKind(name, "date", form="iso")


def _kind_of_text(name: str, there: Array) -> ColumnKind:
    unreadable = int(np.isnan(as_numbers(there)).sum())
    few = len(there) < ROWS_TO_JUDGE
    if unreadable == 0 or (not few and unreadable <= (1 - NUMBERS_AT_LEAST) * len(there)):
        return ColumnKind(name, "number", n_unreadable=unreadable)
    form = date_format(there)
    if form:
        return ColumnKind(name, "date", form=form)
    words = np.strings.count(there, " ").mean() + 1
    if words >= WORDS_IS_TEXT and _distinct(there) > DISTINCT_IS_TEXT:
        return ColumnKind(name, "text")
    return ColumnKind(name, "category")


def _distinct(there: Array) -> float:
    """The number of different cells as a share of all."""
    return len(set(there.tolist())) / len(there)


def _like_id(found: ColumnKind, there: Array) -> bool:
    """Different strings in nearly every row, or whole numbers that count the rows or are called an identifier."""
    if found.kind == "category":
        return _distinct(there) > DISTINCT_IS_ID
    if found.kind != "number":
        return False
    numbers = as_float(there)
    whole = bool((numbers == np.round(numbers)).all())
    if not whole or _distinct(numbers) < 1.0:
        return False
    counts_rows = bool(np.ptp(numbers) < 1.05 * len(numbers))
    return counts_rows or bool(_ID_NAME.search(found.name))
