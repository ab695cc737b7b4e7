"""A table: named columns of equal length, with no data frame library needed.

A column is text (``StringDType``; "" is missing), numbers (float64; NaN is missing) or dates (datetime64[s]; NaT is
missing). Files of delimited text give text columns only; what a column means is decided later, from all its cells.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from functools import singledispatch
from typing import Any, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np
from narwhals.stable.v2.typing import IntoDataFrame

from gnomon._typing import Array, ArrayLike, Bools, Floats, NDArray
from gnomon.io._errors import UserError
from gnomon.io.cells import TEXT, as_numbers, as_text, clean, parse_dates

__all__ = ["Table", "TableError", "as_dates", "as_float", "as_table", "check_names", "is_missing", "listed", "to_text"]


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

    def __init__(self, columns: Mapping[str, ArrayLike]):
        arrays = {name: _column(values) for name, values in columns.items()}
        lengths = {name: len(values) for name, values in arrays.items()}
        if len(set(lengths.values())) > 1:
            raise TableError("columns differ in length: " + ", ".join(f"{k} {v}" for k, v in lengths.items()))
        object.__setattr__(self, "columns", arrays)

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

    def take(self, rows: Sequence[int] | Array) -> "Table":
        """The table of these rows (indices or a mask), in that order."""
        return Table({name: values[rows] for name, values in self.columns.items()})

    def select(self, names: Iterable[str]) -> "Table":
        """The table of these columns, in that order."""
        return Table({name: self[name] for name in names})

    def replace(self, name: str, values: ArrayLike) -> "Table":
        """The table with other values in one column."""
        return Table({**self.columns, name: values})


def listed(names: Collection[object], most: int = 12) -> str:
    """`names` in one line; of many only the first are shown."""
    shown = ", ".join(str(name) for name in list(names)[:most])
    return shown if len(names) <= most else f"{shown} … ({len(names)} in all)"


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


def _values(array: Array) -> Array:
    """Text of arbitrary values; truth values are in lower case, as in most files."""
    return clean(["" if _absent(v) else _WORDS.get(str(v), str(v)) for v in array.tolist()])


def _absent(value: Any) -> bool:
    """None, what does not equal itself (NaN, NaT), and pandas' NA, whose comparisons are neither true nor false."""
    try:
        return value is None or bool(value != value)
    except TypeError:
        return True


_WORDS = {"True": "true", "False": "false"}

_BORDER = {
    "T": lambda array: array,
    "U": clean,
    "f": _numbers,
    "i": _numbers,
    "u": _numbers,
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
        raise TableError(f"column {name!r} holds {kind}; only numbers, text, dates and truth values are read")
    if kind.is_numeric():
        return series.cast(nw.Float64).fill_null(float("nan")).to_numpy()
    if kind in (nw.Datetime, nw.Date):
        return np.array([_in_utc(when) for when in series.to_list()], dtype="datetime64[s]")
    return np.array(series.to_list(), dtype=object)


def _in_utc(when: Any) -> Any:
    if _absent(when):
        return None
    aware = getattr(when, "tzinfo", None) is not None
    return when.astimezone(UTC).replace(tzinfo=None) if aware else when


def to_text(values: Array) -> Array:
    """A column of any storage as text, as it would stand in a file."""
    return {"T": lambda v: v, "f": as_text, "M": _dates_as_text}[values.dtype.kind](values)


def _dates_as_text(values: Array) -> Array:
    return np.where(np.isnat(values), "", np.datetime_as_string(values)).astype(TEXT)


def is_missing(values: Array) -> Bools:
    """Which cells of a column of any storage are missing."""
    tests: dict[str, Callable[[Array], Bools]] = {"T": lambda v: v == "", "f": np.isnan, "M": np.isnat}
    return tests[values.dtype.kind](values)


def as_float(values: Array) -> Floats:
    """A column of any storage as float64; what is no number is NaN."""
    return {"T": as_numbers, "f": lambda v: v, "M": _days}[values.dtype.kind](values)


def as_dates(values: Array, form: str) -> NDArray[np.datetime64]:
    """A column of any storage as datetime64[s]; what is no date is NaT."""
    return values if values.dtype.kind == "M" else parse_dates(to_text(values), form)


def _days(dates: NDArray[np.datetime64]) -> Floats:
    seconds = dates.astype(np.int64).astype(np.float64)
    return np.where(np.isnat(dates), np.nan, seconds / 86_400.0)
