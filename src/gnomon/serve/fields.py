"""The columns of a row as a client should know them: fields of the form, and a schema of JSON.

The schema is of the draft 2020-12 (Wright et al. 2022, JSON Schema: A Media Type for Describing JSON Documents).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gnomon.io import ModelFileError
from gnomon.io.dates import ISO
from gnomon.serve.answers import OpenModel

__all__ = ["Field", "fields_of", "row_schema"]

MOST_LEVELS = 1000


@dataclass(frozen=True)
class Field:
    """One column: its kind, what it holds in training rows, and how cells are written."""

    name: str
    kind: str
    typical: str
    hint: str
    levels: tuple[str, ...] = ()


def fields_of(model: OpenModel) -> list[Field]:
    """The columns that the model needs, in the order of the training table."""
    typical, ranges = (_noted(model.facts, name) for name in ("typical", "ranges"))
    if absent := [name for name in model.kinds if name not in typical]:
        raise ModelFileError(f"the notes of the model have no typical cell of {absent[0]}; make the model again")
    return [
        Field(
            name,
            kind.kind,
            str(typical[name]),
            _hint(kind, ranges.get(name)),
            tuple(model.levels.get(name, ())),
        )
        for name, kind in model.kinds.items()
    ]


def _noted(facts: Mapping[str, Any], name: str) -> dict[str, Any]:
    found = facts.get(name)
    if not isinstance(found, dict):
        raise ModelFileError(f"the notes of the model have no {name!r}; make the model again with this gnomon")
    return found


def _hint(kind: Any, ends: Any) -> str:
    """What stands in training rows, in words."""
    within = f"{ends[0]} to {ends[1]}" if ends else ""
    words = {
        "number": f"number, {within} in training rows" if within else "number",
        "date": _date_hint(kind, within),
        "category": "one of the levels of training rows",
        "text": "text of any length",
    }
    return words.get(kind.kind, words["date"])


def _date_hint(kind: Any, within: str) -> str:
    """The form, where the ends do not show it, and the ends."""
    form = "" if within and kind.date == ISO else f" in the form {kind.form}"
    return f"date{form}" + (f", {within} in training rows" if within else "")


def row_schema(fields: list[Field], title: str) -> dict[str, Any]:
    """The schema of one row; what is not known is null, and levels never seen are accepted as rare ones.

    Examples
    --------
    >>> from gnomon.serve.fields import Field, row_schema
    >>> schema = row_schema([Field("age", "number", "40", "number, 18 to 90 in training rows")], "a row")
    >>> schema["required"], schema["properties"]["age"]["type"]
    (['age'], ['number', 'string', 'null'])
    """
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        "type": "object",
        "properties": {field.name: _property(field) for field in fields},
        "required": [field.name for field in fields],
        "additionalProperties": True,
    }


def _property(field: Field) -> dict[str, Any]:
    types = {"number": ["number", "string", "null"], "category": ["string", "number", "boolean", "null"]}
    examples = list(field.levels[:MOST_LEVELS]) or [field.typical]
    return {
        "type": types.get(field.kind, ["string", "null"]),
        "description": field.hint,
        "default": field.typical,
        "examples": examples,
    }
