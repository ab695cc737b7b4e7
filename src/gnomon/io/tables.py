"""A table: named columns of equal length, with no data frame library needed.

A column is text (``StringDType``; "" is missing), numbers (float64; NaN is missing) or dates (datetime64[s]; NaT is
missing). Files of delimited text give text columns only; what a column means is decided later, from all its cells.
Whole numbers that float64 cannot tell apart, and nested values, stay text: no digit is lost before that decision.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import singledispatch
from typing import Any, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np
from narwhals.stable.v2.typing import IntoDataFrame

from gnomon._typing import Array, ArrayLike, Bools, Floats, NDArray
from gnomon.io._errors import UserError
from gnomon.io.cells import TEXT, as_text, clean
from gnomon.io.dates import ISO, DateForm
from gnomon.io.numbers import PLAIN, NumberForm

__all__ = [
    "Table",
    "TableError",
    "as_dates",
    "as_float",
    "as_table",
    "check_names",
    "is_missing",
    "listed",
    "refuse_unknown",
    "to_text",
]


class TableError(UserError):
    """A table that cannot be read or lacks what is asked of it; the text says where and what to do.

    Examples
    --------
    >>> from gnomon.io import Table, TableError
    >>> try:
    ...     Table({"a": [1.0, 2.0], "b": [1.0]})
    ... except TableError as error:
    ...     print(error)
    columns differ in length: a 2, b 1
    """


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Table:
    """Named columns of equal length.

    Parameters
    ----------
    columns : dict of str → array-like
        Strings, numbers or dates; other values are taken as text.
    decimal : {".", ","}, default="."
        The decimal mark of text columns where 1.234 or 1,234 could be either.
    has_row_names : bool, default=False
        Whether the first column is one that the first line of a file does not name.

    Examples
    --------
    >>> from gnomon.io import Table
    >>> table = Table({"age": [39.0, 50.0], "work": ["State", "?"]})
    >>> table
    Table(2 rows: age, work)
    >>> table["work"].tolist()
    ['State', '']
    >>> len(table.take([1]))
    1
    """

    columns: dict[str, Array]
    decimal: str
    has_row_names: bool

    def __init__(self, columns: Mapping[str, ArrayLike], *, decimal: str = ".", has_row_names: bool = False):
        arrays = {name: _column(values) for name, values in columns.items()}
        lengths = {name: len(values) for name, values in arrays.items()}
        if len(set(lengths.values())) > 1:
            raise TableError("columns differ in length: " + ", ".join(f"{k} {v}" for k, v in lengths.items()))
        object.__setattr__(self, "columns", arrays)
        object.__setattr__(self, "decimal", decimal)
        object.__setattr__(self, "has_row_names", has_row_names)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return tuple(self.columns)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def __getitem__(self, name: str) -> Array:
        """The array of one column; an unknown name is an error that lists those there are."""
        if name not in self.columns:
            raise TableError(f"no column {name!r}; the columns are: {listed(self.names)}")
        return self.columns[name]

    def __repr__(self) -> str:
        return f"Table({len(self)} rows: {listed(self.names)})"

    def take(self, rows: Sequence[int] | Array) -> Table:
        """The table of these rows (indices or a mask), in that order."""
        return self._with({name: values[rows] for name, values in self.columns.items()})

    def select(self, names: Iterable[str]) -> Table:
        """The table of these columns, in that order."""
        return Table({name: self[name] for name in names}, decimal=self.decimal)

    def replace(self, name: str, values: ArrayLike) -> Table:
        """The table with other values in one column."""
        return self._with({**self.columns, name: values})

    def _with(self, columns: Mapping[str, ArrayLike]) -> Table:
        """The table of these columns, which have the names of its own."""
        return Table(columns, decimal=self.decimal, has_row_names=self.has_row_names)


def listed(names: Collection[object], most: int = 12) -> str:
    """`names` in one line; of many only the first are shown."""
    shown = ", ".join(str(name) for name in list(names)[:most])
    return shown if len(names) <= most else f"{shown} … ({len(names)} in all)"


def refuse_unknown(table: Table, option: str, names: Sequence[str]) -> None:
    """Refuse names that an option gives and the table does not have."""
    unknown = [name for name in names if name not in table.columns]
    if unknown:
        raise TableError(f"{option}: no column {listed(unknown)}; the columns are: {listed(table.names)}")


def check_names(names: Iterable[str]) -> None:
    """Raise `TableError` if a name occurs twice."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise TableError(f"column names occur more than once: {listed(twice)}; rename them")


def _column(values: ArrayLike) -> Array:
    array = np.asarray(values)
    return _BORDER.get(array.dtype.kind, _values)(array)


def _numbers(array: Array) -> Floats:
    numbers = array.astype(np.float64)
    return np.where(np.isfinite(numbers), numbers, np.nan)


def _integers(array: Array) -> Array:
    """Whole numbers as float64; as text where that would lose digits."""
    if len(array) and (array.max() > EXACT or array.min() < -EXACT):
        return np.array([str(v) for v in array.tolist()], dtype=TEXT)
    return array.astype(np.float64)


def _values(array: Array) -> Array:
    """Text of arbitrary values; truth values are in lower case, as in most files."""
    return clean(["" if _absent(v) else _WORDS.get(str(v), str(v)) for v in array.tolist()])


def _absent(value: Any) -> bool:
    """None, what does not equal itself (NaN, NaT), and pandas' NA, whose comparisons are neither true nor false."""
    try:
        return value is None or bool(value != value)
    except TypeError:
        return True


EXACT = 2**53
"""Whole numbers up to here are float64 without loss."""
_WORDS = {"True": "true", "False": "false"}

_BORDER = {
    "T": lambda array: array,
    "U": clean,
    "f": _numbers,
    "i": _integers,
    "u": _integers,
    "b": lambda array: clean(np.where(array, "true", "false")),
    "M": lambda array: array.astype("datetime64[s]"),
}


TableLike: TypeAlias = Table | dict[str, Any] | IntoDataFrame
"""What `as_table` reads."""


@singledispatch
def as_table(data: TableLike) -> Table:
    """`data` as a `Table`: a table, a dict of columns, or a pandas, polars or Arrow frame.

    Examples
    --------
    >>> from gnomon.io import as_table
    >>> as_table({"x": [1, 2], "ok": [True, None]})["ok"].tolist()
    ['true', '']
    """
    native: Any = data
    try:
        frame = nw.from_native(native, eager_only=True)
    except TypeError as error:
        kind = type(data).__name__
        raise TableError(f"{kind} is no table; give a gnomon.io.Table, a dict of columns or a data frame") from error
    names = [str(name) for name in frame.columns]
    check_names(names)
    return Table({name: _from_series(name, series) for name, series in zip(names, frame.iter_columns(), strict=True)})


@as_table.register
def _(data: Table) -> Table:
    return data


@as_table.register
def _(data: dict) -> Table:
    return Table(data)


def _from_series(name: str, series: Any) -> Array:
    kind = series.dtype
    if kind.is_nested():
        return np.array(["" if v is None else _as_json(v) for v in series.to_list()], dtype=TEXT)
    if kind.is_integer():
        return _from_integers(series)
    if kind.is_numeric():
        return series.cast(nw.Float64).fill_null(float("nan")).to_numpy()
    if kind in (nw.Datetime, nw.Date):
        # Counted, not built one by one: Python's dates end in the year 9999, those of files do not.
        return _from_milliseconds(series.dt.timestamp("ms"))
    if kind == nw.Duration:
        return _from_integers(series.dt.total_milliseconds()) / 1000.0
    return np.array(series.to_list(), dtype=object)


def _from_integers(series: Any) -> Array:
    least, most = series.min(), series.max()
    if not _absent(least) and max(-int(least), int(most)) > EXACT:
        return np.array(["" if _absent(v) else str(int(v)) for v in series.to_list()], dtype=TEXT)
    return series.cast(nw.Float64).fill_null(float("nan")).to_numpy()


def _from_milliseconds(series: Any) -> NDArray[np.datetime64]:
    gaps = series.is_null().to_numpy()
    counts = series.fill_null(0).cast(nw.Int64).to_numpy()
    dates = (counts // 1000).astype("datetime64[s]")
    return np.where(gaps, np.datetime64("NaT"), dates)


def _as_json(value: Any) -> str:
    return json.dumps(value, default=str, ensure_ascii=False)


def to_text(values: Array) -> Array:
    """A column of any storage as text, as it would stand in a file."""
    return {"T": lambda v: v, "f": as_text, "M": _dates_as_text}[values.dtype.kind](values)


def _dates_as_text(values: Array) -> Array:
    return np.where(np.isnat(values), "", np.datetime_as_string(values)).astype(TEXT)


def is_missing(values: Array) -> Bools:
    """Which cells of a column of any storage are missing."""
    tests: dict[str, Callable[[Array], Bools]] = {"T": lambda v: v == "", "f": np.isnan, "M": np.isnat}
    return tests[values.dtype.kind](values)


def as_float(values: Array, form: NumberForm = PLAIN) -> Floats:
    """A column of any storage as float64, text by its form; what is no number is NaN."""
    return {"T": form.read, "f": lambda v: v, "M": _days}[values.dtype.kind](values)


def as_dates(values: Array, form: DateForm = ISO) -> NDArray[np.datetime64]:
    """A column of any storage as datetime64[s], text by its form; what is no date is NaT."""
    return values if values.dtype.kind == "M" else form.read(to_text(values))


def _days(dates: NDArray[np.datetime64]) -> Floats:
    seconds = dates.astype(np.int64).astype(np.float64)
    return np.where(np.isnat(dates), np.nan, seconds / 86_400.0)
