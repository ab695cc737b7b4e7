"""Files in and out: tables without a data frame library, and model files whose loading never runs code."""

from __future__ import annotations

from gnomon.io._errors import UserError
from gnomon.io._read import read_table
from gnomon.io.files import UnwritableError
from gnomon.io.models import ModelFileError, load, notes, save
from gnomon.io.tables import Table, TableError, as_table

__all__ = [
    "ModelFileError",
    "Table",
    "TableError",
    "UnwritableError",
    "UserError",
    "as_table",
    "load",
    "notes",
    "read_table",
    "save",
]
