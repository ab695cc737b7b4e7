"""From what a client sends to a table: JSON, CSV, or the fields of the form.

All three end in cells as they stand in the training file, so that they are read in one way: a number of JSON is written
in the form of its column first. Bray (2017), doi:10.17487/RFC8259; Shafranovich (2005), doi:10.17487/RFC4180.
"""

from __future__ import annotations

import io
import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl

from gnomon.io import Table, TableError, read_table
from gnomon.io.cells import MISSING, clean
from gnomon.io.tables import listed
from gnomon.serve.limits import RefusedError

__all__ = ["form_fields", "json_rows", "table_of_csv", "table_of_rows"]

PACKED = (b"\x1f\x8b", b"PAR1")
"""How files begin that unpack to more than they are: gzip and Parquet."""
MOST_COLUMNS = 10_000
"""In a file, beyond those of the model; each costs memory of its own."""


def json_rows(body: bytes, most: int) -> list[dict[str, Any]]:
    """The rows of a body of JSON: one object, or a list of them.

    Examples
    --------
    >>> from gnomon.serve.bodies import json_rows
    >>> json_rows(b'{"age": 40, "town": null}', 10)
    [{'age': 40, 'town': None}]
    """
    try:
        found = json.loads(
            body.decode("utf-8"), parse_constant=_no_number, parse_float=_finite, object_pairs_hook=_distinct
        )
    except RefusedError:
        raise
    except (ValueError, RecursionError) as error:
        raise RefusedError(
            400, f"the body is no JSON ({_short(error)}); send one object or a list of objects"
        ) from None
    rows = found if isinstance(found, list) else [found]
    odd = [i for i, row in enumerate(rows, 1) if not isinstance(row, dict)]
    if odd or not rows:
        what = f"row {odd[0]} is {_KINDS[type(rows[odd[0] - 1])]}" if odd else "there are no rows"
        raise RefusedError(422, f"{what}; send one object with a value for each column, or a list of such objects")
    if len(rows) > most:
        raise RefusedError(413, f"{len(rows)} rows are too many at once; send at most {most}, or use gnomon predict")
    return rows


def form_fields(body: bytes, most: int) -> dict[str, str]:
    """The fields of a form, at most so many."""
    try:
        pairs = parse_qsl(body.decode("ascii"), keep_blank_values=True, max_num_fields=most, errors="strict")
    except ValueError as error:
        raise RefusedError(
            400, f"the body holds no fields of a form ({_short(error)}); use the form of this page"
        ) from None
    return _distinct(pairs)


def table_of_rows(
    rows: Sequence[Mapping[str, Any]], kinds: Mapping[str, Any], missing: Sequence[str] = ()
) -> tuple[Table, list[str]]:
    """The rows as a table of the columns `kinds`, and the names of what else they hold.

    Examples
    --------
    >>> from gnomon.io import Table
    >>> from gnomon.report._kinds import infer_kinds
    >>> from gnomon.serve.bodies import table_of_rows
    >>> training = Table({"price": ["€ 1,5", "€ 12,5", "€ 7"], "colour": ["red", "blue", "red"]})
    >>> kinds = infer_kinds(training, training.names)
    >>> table, others = table_of_rows([{"price": 2.5, "colour": None, "z": 0}], kinds)
    >>> table["price"].tolist(), table["colour"].tolist(), others
    (['€2,5'], [''], ['z'])
    """
    for i, row in enumerate(rows, 1):
        absent = [name for name in kinds if name not in row]
        if absent:
            where = f"row {i}: " if len(rows) > 1 else ""
            raise RefusedError(
                422, f"{where}columns that the model needs are missing: {listed(absent)}; give null where none is known"
            )
    markers = {*MISSING, *missing}
    cells = {
        name: [_cell(i, row[name], kind, markers) for i, row in enumerate(rows, 1)] for name, kind in kinds.items()
    }
    try:
        table = Table({name: clean(values, markers) for name, values in cells.items()})
    except UnicodeEncodeError:
        raise RefusedError(400, "a text holds half of a surrogate pair, which is no character; send UTF-8") from None
    return table, list(dict.fromkeys(name for row in rows for name in row if name not in kinds))


def table_of_csv(body: bytes, most: int, reading: Mapping[str, Any]) -> Table:
    """The table of a body of delimited text."""
    if body.startswith(PACKED):
        raise RefusedError(415, "the body is compressed or Parquet; send plain CSV, or use gnomon predict")
    head = body.partition(b"\n")[0]
    if max(head.count(mark) for mark in b",;\t|") > MOST_COLUMNS:
        raise RefusedError(413, f"the first line has more than {MOST_COLUMNS} fields; send fewer columns")
    try:
        table = read_table(io.BytesIO(body), **reading, source="the body")
    except TableError as error:
        raise RefusedError(400, str(error)) from None
    if len(table) > most:
        raise RefusedError(413, f"{len(table)} rows are too many at once; send at most {most}, or use gnomon predict")
    return table


def _cell(i: int, value: Any, kind: Any, markers: set[str]) -> str:
    """The value of row i as it would stand in the training file."""
    write = _WRITE.get(type(value))
    if write is None:
        raise RefusedError(
            422, f"row {i}: {kind.name} is {_KINDS[type(value)]}; give a number, a text, true, false or null"
        )
    text = write(value)
    if kind.kind != "number" or type(value) not in (int, float):
        return text
    return "" if text in markers else kind.number.write(value)


_WRITE: dict[type, Any] = {
    str: str,
    int: str,
    float: lambda value: f"{value:.15g}",
    bool: lambda value: "true" if value else "false",
    type(None): lambda value: "",
}
_KINDS = {list: "a list", dict: "an object", str: "a text", int: "a number", float: "a number", bool: "a truth value",
          type(None): "null"}  # fmt: skip


def _no_number(name: str) -> None:
    raise RefusedError(400, f"{name} is no number of JSON; give null where none is known")


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise RefusedError(400, f"{digits[:40]} is beyond the largest number; give null where none is known")
    return value


def _distinct(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise RefusedError(400, f"{twice!r} occurs more than once in a row; give each column once")
    return found


def _short(error: Exception) -> str:
    return f"{error}".splitlines()[0][:160] if str(error) else type(error).__name__
