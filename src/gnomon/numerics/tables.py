"""Tables of numbers and categories, from arrays and data frames alike.

A column is numbers (float64, NaN where a cell is missing) or values of any other kind (None where missing). Arrays of
numbers stay one matrix. Strings, truth values and categories of pandas and polars come in as they are; a column whose
type declares its categories (pandas' categorical, polars' Enum) brings them along.
"""

import numbers
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from sklearn.utils.validation import check_consistent_length, validate_data

__all__ = ["Table", "as_table", "table_rows"]


@dataclass(frozen=True)
class Column:
    """Cells of one column: floats, or objects if `is_category`; `declared` lists the categories that its type has."""

    cells: np.ndarray
    is_category: bool = False
    declared: tuple | None = None

    @property
    def is_number(self):
        """Whether the cells are floats."""
        return self.cells.dtype.kind == "f"

    @property
    def missing(self):
        """Where there is no cell."""
        if self.is_number:
            return np.isnan(self.cells)
        return np.fromiter((cell is None for cell in self.cells), dtype=bool, count=len(self.cells))

    def __getitem__(self, rows):
        return Column(self.cells[rows], self.is_category, self.declared)


@dataclass(frozen=True)
class Table:
    """Columns of equal length with their names; `matrix` holds them all where all are plain numbers."""

    names: tuple
    matrix: np.ndarray | None = None
    columns: tuple[Any, ...] = ()

    def __len__(self):
        return len(self.columns[0].cells) if self.matrix is None else len(self.matrix)

    @property
    def shape(self):
        """Rows and columns."""
        return len(self), len(self.names)

    @property
    def dtype(self):
        """The type of the array that the table was made of, None for columns of several kinds."""
        return None if self.matrix is None else self.matrix.dtype

    def __getitem__(self, rows):
        """The table of some rows."""
        if self.matrix is not None:
            return Table(self.names, self.matrix[rows])
        return Table(self.names, None, tuple(column[rows] for column in self.columns))

    def column(self, j):
        """Column number j."""
        return self.columns[j] if self.matrix is None else Column(np.asarray(self.matrix[:, j], dtype=float))

    def cell(self, i, j):
        """One cell, as a Python object."""
        return self.column(j).cells[i : i + 1].tolist()[0]

    def numbers(self, which):
        """The columns `which` as a matrix of floats; a column of other values is refused."""
        if self.matrix is not None:
            return np.asarray(self.matrix[:, which], dtype=float)
        for j in which:
            if not self.columns[j].is_number:
                raise ValueError(
                    f"column {self.names[j]!r} holds {_first(self.columns[j])!r}, which is no number; turn the column "
                    "into numbers, or give it a categorical model"
                )
        return np.column_stack([self.columns[j].cells for j in which])


def table_rows(estimator, X, y="no_validation", *, reset=True, gaps=True):
    """X as a `Table` (and y), checked against the estimator's columns as scikit-learn's ``validate_data`` does."""
    checked = _checked(estimator, X, y, reset)
    if not gaps:
        _refuse_gaps(checked[0] if isinstance(checked, tuple) else checked)
    return checked


def _refuse_gaps(table):
    for j, name in enumerate(table.names):
        missing = table.column(j).missing
        if np.any(missing):
            raise ValueError(
                f"X contains NaN in column {name!r} ({int(np.sum(missing))} rows), and missing='error'; fill these "
                "cells in, or choose missing='marginalize' or 'state'"
            )


def _checked(estimator, X, y, reset):
    frame = _frame(X)
    if frame is None:
        # An array keeps its type; of a list NumPy would make strings as soon as one cell is a string.
        kind = None if isinstance(X, np.ndarray) else object
        checked = validate_data(estimator, X, y, reset=reset, dtype=kind, ensure_all_finite=False)
        rows, *rest = checked if isinstance(checked, tuple) else (checked,)
        table = _from_array(rows, vars(estimator).get("feature_names_in_"))
        return (table, *rest) if rest else table
    if min(frame.shape) == 0:
        raise ValueError(f"X has shape {frame.shape}; give at least one row and one column, a minimum of 1 is required")
    alone = isinstance(y, str) and y == "no_validation"
    validate_data(estimator, X, y, reset=reset, skip_check_array=True)
    table = _from_frame(frame)
    if alone:
        return table
    check_consistent_length(X, y)
    return table, y


def as_table(X):
    """X as a `Table`, where there is no estimator to remember its columns."""
    frame = _frame(X)
    if frame is not None:
        return _from_frame(frame)
    X = X if isinstance(X, np.ndarray) else np.asarray(X, dtype=object)
    if X.ndim != 2 or min(X.shape) == 0:
        raise ValueError(f"X has shape {X.shape}; give a table of at least one row and one column")
    return _from_array(X, None)


def _frame(X):
    found = nw.from_native(X, eager_only=True, pass_through=True)
    return found if isinstance(found, nw.DataFrame) else None


def _from_array(X, names):
    names = tuple(names) if names is not None else tuple(f"x{j}" for j in range(X.shape[1]))
    if X.dtype.kind in "fiub":
        _refuse_infinite(X, names)
        return Table(names, X)
    columns = tuple(_plain_column(X[:, j], names[j]) for j in range(X.shape[1]))
    if all(column.is_number and not column.is_category for column in columns):
        return Table(names, np.column_stack([column.cells for column in columns]))
    return Table(names, None, columns)


def _from_frame(frame):
    pandas_like = frame.implementation.is_pandas_like()
    columns = tuple(_series_column(series, pandas_like) for series in frame.iter_columns())
    return Table(tuple(frame.columns), None, columns)


def _series_column(series, pandas_like):
    kind = series.dtype
    if kind.is_temporal():
        raise TypeError(f"column {series.name!r} holds {kind}; turn dates into numbers or strings first")
    if kind.is_numeric() or kind == nw.Boolean:
        cells = series.cast(nw.Float64).to_numpy().astype(float)
        _refuse_infinite(cells[:, None], (series.name,))
        return Column(cells, kind == nw.Boolean)
    column = _plain_column(series.to_numpy(), series.name)
    if kind == nw.Enum or (kind == nw.Categorical and pandas_like):
        return Column(column.cells.astype(object), True, tuple(series.cat.get_categories().to_list()))
    return column


def _plain_column(cells, name):
    """A column of anything: numbers if every cell that is there is one, else objects."""
    cells = np.array([None if _absent(cell) else cell for cell in cells.tolist()], dtype=object)
    present = [cell for cell in cells if cell is not None]
    if all(isinstance(cell, numbers.Real) for cell in present):
        out = np.array([np.nan if cell is None else float(cell) for cell in cells])
        _refuse_infinite(out[:, None], (name,))
        return Column(out, bool(present) and all(isinstance(cell, (bool, np.bool_)) for cell in present))
    wrong = [cell for cell in present if not isinstance(cell, (str, numbers.Real))]
    if wrong:
        raise TypeError(
            f"column {name!r} holds {wrong[0]!r}; a cell's argument must be a string or a number, not "
            f"{type(wrong[0]).__name__}"
        )
    return Column(cells, True)


def _absent(cell):
    """None, and what does not equal itself (NaN) or will not say whether it does (the NA of pandas)."""
    try:
        return cell is None or bool(cell != cell)
    except TypeError:
        return True


def _refuse_infinite(X, names):
    with np.errstate(over="ignore", invalid="ignore"):
        total = np.sum(X, dtype=float)
    # A finite sum proves that every entry is finite; only otherwise is a mask made.
    if not np.isfinite(total):
        bad = np.any(np.isinf(X), axis=0)
        if np.any(bad):
            raise ValueError(f"X contains infinity (inf) in column {names[int(np.argmax(bad))]!r}; clip or drop it")


def _first(column):
    return next(cell for cell in column.cells if cell is not None)
