"""How the numbers of a column are written: separators, currency, unit.

    cell  =  sign  currency  digits grouped by `thousands`  `decimal` digits  exponent  unit

One form holds for a whole column. 1,234 alone may be either number: the file decides (`Table.decimal`).
International Bureau of Weights and Measures (2019), The International System of Units, §5.4.4: both decimal marks.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

import numpy as np

from gnomon._typing import Array, Floats
from gnomon.io.cells import PLACEHOLDERS, TEXT

__all__ = ["PLAIN", "NumberForm", "as_numbers", "decimal_marks", "number_form"]

ENOUGH = 0.95
CELLS_TO_TRY = 200
LEAST_VALUES_OF_A_UNIT = 3

_SIGNS = "$€£¥₹₽₩₺₪₫₦₴₱฿"
_CODES = "USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|BRL|MXN|ZAR|Rs\\.?|Fr\\.|kr\\.?"
_MONEY = rf"[{_SIGNS}]|(?:US|CA|AU|NZ|HK|R)\$|{_CODES}"
# Letters and signs; of digits only an exponent, as in m2 and s^3: "31 Dec 2020" has no unit.
_UNIT = rf"(?:[^\W\d_]|[%‰°{_SIGNS}])(?:[^\W\d_]|[%‰°{_SIGNS}²³^/·*.\-\s]|(?<=[^\W\d_])[23](?!\w)|(?<=\^)\d){{0,19}}"
_CELL = re.compile(
    rf"(?P<debit>\()?(?P<minus>[+\-−]?)\s?(?:(?P<prefix>{_MONEY})\s?)?(?P<late>[+\-−]?)"
    r"(?P<digits>\d+(?:[ .,'’\u00a0\u202f]\d+)*[.,]?|[.,]\d+)(?P<power>[eE][+\-−]?\d+)?"
    rf"(?:\s?(?P<suffix>{_UNIT}))?(?(debit)\))"
)
_BLANKS = str.maketrans({"\u00a0": " ", "\u202f": " ", "’": "'", "−": "-"})


@dataclass(frozen=True)
class NumberForm:
    """The way in which a column writes numbers; `read` turns its cells into float64."""

    decimal: str = "."
    thousands: str = ""
    prefix: str = ""
    suffix: str = ""

    @property
    def sample(self) -> str:
        """A number in this form."""
        return f"{self._before}1{self.thousands}234{self.decimal}5 {self.suffix}".rstrip()

    @property
    def _before(self) -> str:
        return f"{self.prefix} " if self.prefix[-1:].isalpha() else self.prefix

    def read(self, text: Array) -> Floats:
        """The cells as float64; a missing, infinite or unreadable cell is NaN."""
        numbers = self._at_once(text) if self == PLAIN else None
        if numbers is None:
            known = {cell: self.value(cell) for cell in set(text.tolist())}
            numbers = np.array([known[cell] for cell in text.tolist()], dtype=np.float64)
        return np.where(np.isfinite(numbers), numbers, np.nan)

    def value(self, cell: str) -> float:
        """The number of one cell, or NaN; a unit is asked of every number but zero."""
        found = _CELL.fullmatch(cell)
        if found is None:
            return np.nan
        value = self._amount(found)
        same = (found["prefix"] or "", _unit(found)) == (self.prefix, self.suffix)
        return value if same or value == 0.0 else np.nan

    def write(self, number: float) -> str:
        """A number in this form, such that `value` finds it again; a unit stands beside zero too."""
        digits = repr(abs(number)).replace(".", self.decimal)
        return f"{'-' if number < 0 else ''}{self._before}{digits} {self.suffix}".rstrip()

    def _amount(self, found: re.Match[str]) -> float:
        digits = found["digits"].translate(_BLANKS)
        if not _DIGITS[self.thousands, self.decimal].fullmatch(digits):
            return np.nan
        plain = digits.replace(self.thousands, "") if self.thousands else digits
        size = float(plain.replace(self.decimal, ".") + (found["power"] or "").translate(_BLANKS))
        signs = [found["minus"], found["late"], found["debit"]]
        return -size if sum(sign in ("-", "−", "(") for sign in signs) == 1 else size

    @staticmethod
    def _at_once(text: Array) -> Floats | None:
        """All cells by one conversion, or None where NumPy refuses one of them."""
        if (np.strings.find(text, "_") >= 0).any():
            return None  # Python reads 1_000 as a number, nobody else does
        try:
            return np.where(text == "", "nan", text).astype(TEXT).astype(np.float64)
        except ValueError:
            return None


def _grouped(thousands: str, decimal: str) -> re.Pattern[str]:
    t, d = re.escape(thousands), re.escape(decimal)
    # Groups of two before the last three are Indian: 12,34,567.
    whole = rf"\d{{1,3}}(?:{t}\d{{2,3}})*{t}\d{{3}}|\d+" if thousands else r"\d+"
    return re.compile(rf"(?:{whole})?(?:{d}\d*)?")


CONVENTIONS = ((".", ""), (".", ","), (",", "."), (".", " "), (",", " "), (".", "'"), (",", "'"))
"""Pairs of decimal mark and separator of thousands, in the order in which a column that fits several takes them."""
_DIGITS = {(t, d): _grouped(t, d) for d, t in CONVENTIONS}
_THREES = re.compile(r"[1-9]\d{0,2}(?:[.,]\d{3})+")
PLAIN = NumberForm()


def as_numbers(text: Array) -> Floats:
    """Cells in plain notation as float64; a missing, infinite or unreadable cell is NaN."""
    return PLAIN.read(text)


def number_form(cells: Mapping[str, int], decimal: str = ".") -> NumberForm | None:
    """The form in which nearly all of the cells are numbers, given how often each occurs; None if there is none.

    `decimal` is the decimal mark where 1.234 or 1,234 could be either.
    """
    cells = {cell: count for cell, count in cells.items() if cell.lower() not in PLACEHOLDERS}
    trial = [_CELL.fullmatch(cell) is not None for cell in islice(cells, CELLS_TO_TRY)]
    if not trial or np.mean(trial) < ENOUGH / 2:
        return None
    found = {cell: match for cell in cells if (match := _CELL.fullmatch(cell))}
    units = Counter[tuple[str, str]]()
    for cell, match in found.items():
        units[match["prefix"] or "", _unit(match)] += cells[cell]
    if not units:
        return None
    prefix, suffix = units.most_common(1)[0][0]
    forms = [NumberForm(d, t, prefix, suffix) for d, t in CONVENTIONS]
    forms.sort(key=lambda form: form.decimal != decimal)
    if not any(set(match["digits"]) & set(".,") for match in found.values()):
        forms.sort(key=lambda form: form.thousands != "")
    read = [sum(cells[cell] for cell in found if form.value(cell) == form.value(cell)) for form in forms]
    best = int(np.argmax(read))
    total = sum(cells.values())
    if read[best] < ENOUGH * total:
        return None
    # "1. White" in nearly every row is a level, not a number of whites.
    several = len({value for cell in found if (value := forms[best].value(cell)) == value}) >= LEAST_VALUES_OF_A_UNIT
    return forms[best] if several or not suffix[:1].isalpha() else None


def decimal_marks(cells: Mapping[str, int]) -> set[str]:
    """The decimal marks that the cells of a column of numbers prove: 1,5 or 1.234,5 proves the comma, 1,234 nothing."""
    form = number_form(cells)
    if form is None:
        return set()
    return {form.decimal for digits in _digits(cells) if form.decimal in digits and not _THREES.fullmatch(digits)}


def _digits(cells: Mapping[str, int]) -> Iterator[str]:
    for cell in cells:
        if match := _CELL.fullmatch(cell):
            yield match["digits"].translate(_BLANKS)


def _unit(found: re.Match[str]) -> str:
    return " ".join((found["suffix"] or "").split())
