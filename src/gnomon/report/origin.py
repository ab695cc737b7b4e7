"""What a study is given – a file, a table, a data frame, columns or an array – as one table that knows its origin."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import singledispatch
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import ArrayLike

from gnomon._typing import Array
from gnomon.io import Table, UserError, as_table, read_table
from gnomon.io.files import digest_of
from gnomon.io.tables import TableLike, to_text
from gnomon.report._target import Target

__all__ = ["GivenTable", "Rows", "Source", "asked", "given", "labels_of"]

UNNAMED = "y"


class Source(NamedTuple):
    """Where a table is from: the name and the hash of its file, and the options by which that was read."""

    name: str = "a table"
    digest: str = ""
    reading: Mapping[str, Any] = {}


class GivenTable(NamedTuple):
    """A table with its origin; `own` are the columns as the user holds them, where a table would hold other values."""

    table: Table
    source: Source = Source()
    own: Mapping[str, Any] = {}


Rows: TypeAlias = GivenTable | TableLike | ArrayLike | str | os.PathLike[str]
"""What `given` reads."""


@singledispatch
def given(data: Rows, reading: Mapping[str, Any] | None = None) -> GivenTable:
    """`data` as one table; `reading` are options of `gnomon.io.read_table`, for files alone.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.report.origin import given
    >>> given(np.eye(3)).table
    Table(3 rows: column_1, column_2, column_3)
    """
    frame: Any = data
    table = as_table(frame)
    frame = nw.from_native(frame, eager_only=True)
    return GivenTable(table, own=dict(zip(table.names, frame.iter_columns(), strict=True)))


@given.register
def _(data: GivenTable, reading: Mapping[str, Any] | None = None) -> GivenTable:
    return data


@given.register
def _(data: Table, reading: Mapping[str, Any] | None = None) -> GivenTable:
    return GivenTable(data)


@given.register
def _(data: dict, reading: Mapping[str, Any] | None = None) -> GivenTable:
    return GivenTable(as_table(data), own=data)


@given.register(str)
@given.register(os.PathLike)
def _(data: str | os.PathLike[str], reading: Mapping[str, Any] | None = None) -> GivenTable:
    path, options = Path(data), dict(reading or {})
    return GivenTable(read_table(path, **options), Source(path.name, digest_of(path), options))


@given.register(np.ndarray)
@given.register(list)
@given.register(tuple)
def _(data: ArrayLike, reading: Mapping[str, Any] | None = None) -> GivenTable:
    X = _rectangle(data)
    # Columns are called as those of a file without a header.
    return GivenTable(Table({f"column_{j + 1}": X[:, j] for j in range(X.shape[1])}))


def _rectangle(data: ArrayLike) -> Array:
    wanted = "give a row for each case and a column for each feature, a table, a data frame, or the path of a file"
    try:
        X = np.asarray(data)
    except ValueError as error:
        raise UserError(f"the rows of X differ in length; {wanted}") from error
    if X.ndim != 2:
        raise UserError(f"X has the shape {X.shape}; {wanted}")
    return X


def asked(data: Rows, target: str | ArrayLike, reading: Mapping[str, Any] | None) -> tuple[GivenTable, str]:
    """The table with the target as one of its columns, and the name of that."""
    found = given(data, reading)
    if reading and not found.source.digest:
        raise UserError(f"reading={dict(reading)!r} says how to read a file, and the data are no path; leave it out")
    return _with_target(found, target)


def _with_target(found: GivenTable, target: str | ArrayLike) -> tuple[GivenTable, str]:
    if target is None:
        raise UserError("y is None; give the name of the column to predict, or its values")
    if np.ndim(target) == 0:
        return found, str(target)
    n, values = len(found.table), np.asarray(target)
    if values.size != len(values) or len(values) != n:
        raise UserError(f"y has the shape {values.shape}, and X {n} rows; give one value for each row")
    name, values = str(getattr(target, "name", None) or UNNAMED), values.ravel()
    column = Table({name: values})[name]
    own = {**found.own, name: values}
    if name not in found.table.columns:
        return GivenTable(
            Table({**found.table.columns, name: column}, decimal=found.table.decimal), found.source, own
        ), name
    if (to_text(column) != to_text(found.table[name])).any():
        raise UserError(f"y is called {name!r}, and X has a column of that name with other values; rename one")
    return found, name


def labels_of(target: Target, own: Mapping[str, Any]) -> Array:
    """The classes as the user writes them: for each, the value that stands in a row of it."""
    if not target.classes or target.name not in own:
        return np.array(target.classes)
    values = np.asarray(own[target.name])
    first = [target.rows[np.argmax(target.y == name)] for name in target.classes]
    return values[first]
