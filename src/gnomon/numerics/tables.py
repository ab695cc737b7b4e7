"""Tables of numbers and categories, from arrays or data frames.

    cell = a number (NaN where it is missing)    or    a value of any other kind (None where it is missing)        (1)

A column is of one kind throughout. Arrays of numbers stay one matrix. Strings, truth values and categories of pandas
and polars come in as they are; a column whose type declares its categories (pandas' categorical, polars' Enum) brings
them along, and its cells are these, of whatever type: also numbers, dates or tuples.
"""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from narwhals import Series

from gnomon._typing import Array, Bools, Floats, Integers, TableLike
from gnomon.numerics.validation import machine_numbers

__all__ = ["Column", "FeatureTable", "as_frame", "as_table", "assert_complete", "is_missing", "row_table"]

PLAIN_CELLS = (str, numbers.Real)
"""What cells may be without a type of their column that declares them."""


@dataclass(frozen=True, eq=False)
class Column:
    """One column of a `FeatureTable`.

    Parameters
    ----------
    cells : ndarray of shape (n,)
        Floats, NaN where a cell is missing; or objects, None where one is. Those of declared categories are objects.
    is_category : bool, default=False
        Whether they are categories: strings, truth values (as 0 and 1), or what the type of the column says are.
    declared : tuple, optional
        The categories that the type of the column has, met or not.
    places : ndarray of int of shape (n,), optional
        The place of every cell among the declared categories, −1 where it is missing.

    Examples
    --------
    >>> from gnomon.numerics.tables import as_table
    >>> column = as_table([["red", 1.0], [None, 2.0]]).column(0)
    >>> column.cells.tolist(), column.missing.tolist(), column.is_category, column.is_number
    (['red', None], [False, True], True, False)
    """

    cells: Array
    is_category: bool = False
    declared: tuple[Any, ...] | None = None
    places: Integers | None = None

    @property
    def is_number(self) -> bool:
        """Whether the cells are floats."""
        return self.cells.dtype.kind == "f"

    @property
    def missing(self) -> Bools:
        """Where there is no cell."""
        if self.is_number:
            return np.isnan(self.cells)
        if self.places is not None:
            return self.places < 0
        return np.fromiter((cell is None for cell in self.cells), dtype=bool, count=len(self.cells))

    def __getitem__(self, rows: slice | Array) -> Column:
        places = None if self.places is None else self.places[rows]
        return Column(self.cells[rows], self.is_category, self.declared, places)


@dataclass(frozen=True, eq=False)
class FeatureTable:
    """Columns of equal length with their names.

    Parameters
    ----------
    names : tuple
    matrix : ndarray of shape (n, d), optional
        All columns, where all are plain numbers of one type; it belongs to the user, so it is only read.
    columns : tuple of Column
        The columns, where there is no matrix.

    Examples
    --------
    >>> from gnomon.numerics.tables import as_table
    >>> table = as_table([["red", 1.0], ["blue", None]])
    >>> table.shape, table.names, table.categorical
    ((2, 2), ('x0', 'x1'), (0,))
    >>> table.numbers([1]).ravel()
    array([ 1., nan])
    """

    names: tuple[str, ...]
    matrix: Array | None = None
    columns: tuple[Column, ...] = ()

    def __len__(self) -> int:
        return len(self.columns[0].cells) if self.matrix is None else len(self.matrix)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self), len(self.names)

    @property
    def dtype(self) -> np.dtype[Any] | None:
        """The type of the array that the table was made of, None for columns of several kinds."""
        return None if self.matrix is None else self.matrix.dtype

    @property
    def categorical(self) -> tuple[int, ...]:
        """The numbers of the columns that hold categories."""
        if self.matrix is not None:
            return tuple(range(len(self.names))) if self.matrix.dtype.kind == "b" else ()
        return tuple(j for j, column in enumerate(self.columns) if column.is_category)

    def __getitem__(self, rows: slice | Array) -> FeatureTable:
        """The table of some rows."""
        if self.matrix is not None:
            return FeatureTable(self.names, self.matrix[rows])
        return FeatureTable(self.names, None, tuple(column[rows] for column in self.columns))

    def column(self, j: int) -> Column:
        """Column number j."""
        if self.matrix is None:
            return self.columns[j]
        return Column(np.asarray(self.matrix[:, j], dtype=float), self.matrix.dtype.kind == "b")

    def cell(self, i: int, j: int) -> Any:
        """One cell, as a Python object."""
        return self[i : i + 1].column(j).cells.tolist()[0]

    def block(self, which: Iterable[int]) -> Array:
        """The columns `which` of the matrix, in this order, truth values as 0 and 1; no copy where they are all."""
        if self.matrix is None:
            raise ValueError(
                f"the columns {list(self.names)} have several kinds, so there is no matrix; take them singly"
            )
        matrix, which = self.matrix.view(np.uint8) if self.matrix.dtype.kind == "b" else self.matrix, list(which)
        return matrix if which == list(range(len(self.names))) else matrix[:, which]

    def numbers(self, which: Sequence[int]) -> Floats:
        """The columns `which` as a matrix of floats; a column of other values is refused."""
        if self.matrix is not None:
            return np.asarray(self.block(which), dtype=float)
        for j in which:
            if not self.columns[j].is_number:
                raise ValueError(
                    f"column {self.names[j]!r} holds {_first(self.columns[j])!r}, which is no number; turn the column "
                    "into numbers, or treat it as categories"
                )
        return np.column_stack([self.columns[j].cells for j in which])


def as_frame(X: object) -> nw.DataFrame[Any] | None:
    """X as a data frame of narwhals, which wraps those of pandas, polars and Arrow; None if X is no data frame.

    Examples
    --------
    >>> import pandas as pd
    >>> from gnomon.numerics.tables import as_frame
    >>> as_frame(pd.DataFrame({"age": [31, 40]})).columns, as_frame([[31], [40]])
    (['age'], None)
    """
    found = nw.from_native(X, eager_only=True, pass_through=True)
    return found if isinstance(found, nw.DataFrame) else None


def as_table(X: TableLike, names: Iterable[str] | None = None) -> FeatureTable:
    """X as a `FeatureTable`.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
    names : iterable of str, optional
        Of the columns of an array; x0, x1, … by default.

    Examples
    --------
    >>> import polars as pl
    >>> from gnomon.numerics.tables import as_table
    >>> table = as_table(pl.DataFrame({"age": [31, None], "smokes": [True, False]}))
    >>> table.column(0).cells, table.column(1).cells, table.categorical
    (array([31., nan]), array([1., 0.]), (1,))
    """
    found: nw.DataFrame[Any] | Array | None = as_frame(X)
    if found is None:
        found = X if isinstance(X, np.ndarray) else np.asarray(X, dtype=object)
    if len(found.shape) != 2 or min(found.shape) == 0:
        raise ValueError(f"X has shape {found.shape}; give a table of at least one row and one column")
    return _from_array(found, names) if isinstance(found, np.ndarray) else _from_frame(found)


def row_table(cells: Iterable[Any], names: Iterable[str]) -> FeatureTable:
    """The table of one row, whose cells may be values of any type, as those of declared categories are.

    Examples
    --------
    >>> from gnomon.numerics.tables import row_table
    >>> table = row_table([31, (2, "left"), None], ["age", "seat", "sky"])
    >>> [table.cell(0, j) for j in range(3)]
    [31.0, (2, 'left'), nan]
    """
    names = tuple(names)
    columns = (
        _plain_column(_objects([cell]), name) if is_missing(cell) or isinstance(cell, PLAIN_CELLS)
        else Column(_objects([cell]), True)
        for cell, name in zip(cells, names, strict=True)
    )  # fmt: skip
    return FeatureTable(names, None, tuple(columns))


def assert_complete(table: FeatureTable, advice: str = "fill these cells in, or drop the rows") -> None:
    """Raise a ValueError that names a column of the table in which cells are missing, and says what to do.

    Examples
    --------
    >>> from gnomon.numerics.tables import as_table, assert_complete
    >>> assert_complete(as_table([["red", 1.0], [None, 2.0]]))
    Traceback (most recent call last):
    ...
    ValueError: X contains NaN in column 'x0' (1 row); fill these cells in, or drop the rows
    """
    for j, name in enumerate(table.names):
        gaps = int(np.sum(table.column(j).missing))
        if gaps:
            rows = "1 row" if gaps == 1 else f"{gaps} rows"
            raise ValueError(f"X contains NaN in column {name!r} ({rows}); {advice}")


def is_missing(cell: object) -> bool:
    """Whether a cell is None, does not equal itself (NaN, NaT), or is pandas' NA, which has no truth value.

    Examples
    --------
    >>> from gnomon.numerics.tables import is_missing
    >>> is_missing(None), is_missing(float("nan")), is_missing("nan")
    (True, True, False)
    """
    try:
        return cell is None or bool(cell != cell)
    except TypeError:
        return True
    except ValueError:  # an array, which says so for each of its entries
        return False


def _from_array(X: Array, names: Iterable[str] | None) -> FeatureTable:
    names = tuple(names) if names is not None else tuple(f"x{j}" for j in range(X.shape[1]))
    if X.dtype.kind in "fiub":
        _refuse_infinite(X, names)
        return FeatureTable(names, machine_numbers(X))
    columns = tuple(_plain_column(X[:, j], names[j]) for j in range(X.shape[1]))
    if all(column.is_number and not column.is_category for column in columns):
        return FeatureTable(names, np.column_stack([column.cells for column in columns]))
    return FeatureTable(names, None, columns)


def _from_frame(frame: nw.DataFrame[Any]) -> FeatureTable:
    pandas_like = frame.implementation.is_pandas_like()
    columns = tuple(_series_column(series, pandas_like) for series in frame.iter_columns())
    return FeatureTable(tuple(frame.columns), None, columns)


def _series_column(series: Series[Any], pandas_like: bool) -> Column:
    kind = series.dtype
    if kind.is_temporal():
        raise TypeError(f"column {series.name!r} holds {kind}; turn dates into numbers or strings first")
    if kind.is_numeric() or kind == nw.Boolean:
        cells = series.cast(nw.Float64).to_numpy().astype(float)
        _refuse_infinite(cells[:, None], (series.name,))
        return Column(cells, kind == nw.Boolean)
    if kind == nw.Enum or (kind == nw.Categorical and pandas_like):
        return _category_column(series, pandas_like)
    return _plain_column(series.to_numpy(), series.name)


def _category_column(series: Series[Any], pandas_like: bool) -> Column:
    """A column of declared categories, from their codes, without a loop over cells."""
    native = series.to_native()
    if series.implementation.is_pandas():
        # The general way below gives the same in ten times the time, and not for every type of category.
        declared, places = native.cat.categories.tolist(), native.cat.codes.to_numpy().astype(np.int64)
    else:
        declared = series.cat.get_categories().to_list()
        found = nw.from_native(native.cat.codes if pandas_like else native.to_physical(), series_only=True)
        places = found.cast(nw.Int64).fill_null(-1).to_numpy()
    return Column(_objects([*declared, None])[places], True, tuple(declared), places)


def _plain_column(cells: Array, name: str) -> Column:
    """A column of anything: numbers if every cell that is there is one, else objects."""
    values = [None if is_missing(cell) else cell for cell in cells.tolist()]
    present = [cell for cell in values if cell is not None]
    # Types are few where cells are many.
    kinds = set(map(type, present))
    if all(issubclass(kind, numbers.Real) for kind in kinds):
        out = np.array([np.nan if cell is None else float(cell) for cell in values])
        _refuse_infinite(out[:, None], (name,))
        return Column(out, bool(kinds) and kinds <= {bool, np.bool_})
    wrong = [cell for cell in present if not isinstance(cell, PLAIN_CELLS)]
    if wrong:
        raise TypeError(
            f"column {name!r} holds {wrong[0]!r}; a cell's argument must be a string or a number, not "
            f"{type(wrong[0]).__name__}; turn the column into numbers, strings, or a categorical of pandas"
        )
    return Column(_objects(values), True)


def _objects(values: Sequence[Any]) -> Array:
    """An array of objects, one for each value; NumPy's own conversion would take tuples apart."""
    return np.fromiter(values, dtype=object, count=len(values))


def _refuse_infinite(X: Array, names: Sequence[str]) -> None:
    with np.errstate(over="ignore", invalid="ignore"):
        total = np.sum(X, dtype=float)
    # A finite sum proves that every entry is finite; only otherwise is a mask made.
    if not np.isfinite(total):
        bad = np.any(np.isinf(X), axis=0)
        if np.any(bad):
            raise ValueError(f"X contains infinity (inf) in column {names[int(np.argmax(bad))]!r}; clip or drop it")


def _first(column: Column) -> object:
    return next(cell for cell in column.cells if cell is not None)
