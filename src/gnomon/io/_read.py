"""Tables from files: delimited text (plain or gzip) and Parquet; the content says which, not the ending.

Every error names the file and, for text, the line.
"""

from __future__ import annotations

import codecs
import errno
import gzip
import io
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO, cast

from gnomon._extras import need
from gnomon.io._parse import parse
from gnomon.io.tables import Table, TableError, as_table

__all__ = ["read_table"]


def read_table(
    path: str | Path | BinaryIO,
    *,
    delimiter: str | None = None,
    encoding: str = "utf-8",
    header: bool | None = None,
    missing: Sequence[str] = (),
    source: str = "standard input",
) -> Table:
    """Read a table of delimited text (comma, semicolon, tab, bar or blank; also compressed by gzip) or of Parquet.

    Cells of text files stay as they are written; what a column means is decided where the table is used. Empty cells
    and the usual markers (NA, n/a, NaN, null, None, ?, #DIV/0! …) are missing.

    Parameters
    ----------
    path : str, path or binary stream
        The file, or for example ``sys.stdin.buffer``.
    delimiter : str, optional
        One character; by default whichever splits the first lines into most fields, equally many in each.
    encoding : str, default="utf-8"
        How the bytes of the text are read; a byte order mark of UTF-8, UTF-16 or UTF-32 overrides it.
    header : bool, optional
        Whether the first line names the columns; otherwise they are called column_1, column_2, … By default it does,
        and a first line that looks like data is an error.
    missing : sequence of str, default=()
        Further cells that mean "missing".
    source : str, default="standard input"
        What errors call a stream, which has no name of its own.

    Returns
    -------
    Table

    References
    ----------
    Shafranovich, Y. (2005). Common format and MIME type for comma-separated values. doi:10.17487/RFC4180

    Examples
    --------
    >>> import io
    >>> from gnomon.io import read_table
    >>> table = read_table(io.BytesIO(b"name;height\\nAda;1,65\\nAlan;NA\\nGrace;-9\\n"), missing=["-9"])
    >>> table["height"].tolist()
    ['1,65', '', '']
    """
    name, opened = _source(path, source)
    try:
        with opened as raw:
            return _read(raw, delimiter=delimiter, encoding=encoding, header=header, missing=missing)
    except TableError as error:
        raise TableError(f"{name}: {error}") from error
    except OSError as error:
        raise TableError(f"{name}: cannot be read: {(error.strerror or str(error)).lower()}") from error


def _source(path: str | Path | BinaryIO, stream: str) -> tuple[str, BinaryIO]:
    """The name of the source and its bytes, from which one may read more than once."""
    if not isinstance(path, (str, Path)):
        return stream, io.BytesIO(path.read())
    path = Path(path)
    if not path.exists():
        raise TableError(f"{path}: no such file")
    if path.is_dir():
        raise TableError(f"{path} is a folder; give a file")
    try:
        return str(path), path.open("rb")
    except OSError as error:
        raise TableError(f"{path}: cannot be read: {(error.strerror or str(error)).lower()}") from error


MOST_UNPACKED, MOST_TIMES = 30_000_000, 100
"""What a compressed file may unpack to: this number of bytes, or so many times its size if that is more."""
PARQUET, GZIP = b"PAR1", b"\x1f\x8b"
FOREIGN = {
    b"PK\x03\x04": "an Excel workbook or a zip archive; export the sheet as CSV",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook; export the sheet as CSV",
    b"%PDF": "a PDF document; export the table as CSV",
    b"BZh": "compressed by bzip2; unpack it first",
    b"\xfd7zXZ": "compressed by xz; unpack it first",
    b"(\xb5/\xfd": "compressed by zstd; unpack it first",
    b"ARROW1": "an Arrow or Feather file; write it as Parquet or CSV",
    b"\x89HDF": "an HDF5 file; export the table as CSV",
    b"SQLite format 3": "a database of SQLite; export the table as CSV",
}
# UTF-32 first: its mark in little endian begins with that of UTF-16.
MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
    codecs.BOM_UTF8: "utf-8-sig",
}


def _read(raw: BinaryIO, *, delimiter: str | None, encoding: str, header: bool | None, missing: Sequence[str]) -> Table:
    _refuse_unknown(encoding)
    start = _start(raw)
    if start.startswith(PARQUET):
        return _read_parquet(raw)
    if start.startswith(GZIP):
        raw = cast(BinaryIO, _Unpacked(raw))
    try:
        encoding = _encoding(_start(raw), encoding)
        # Not closed here: the wrapper would close the bytes, which an error still has to look at.
        lines = io.TextIOWrapper(raw, encoding=encoding, newline="")
        try:
            return parse(lines, delimiter=delimiter, header=header, missing=missing)
        finally:
            lines.detach()
    except UnicodeError as error:
        raise TableError(_where_undecodable(raw, encoding)) from error
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise TableError("the compressed file is damaged or cut short; copy it again") from error


class _Unpacked(gzip.GzipFile):
    """What a compressed file unpacks to, unless that is far more than any table."""

    def __init__(self, raw: BinaryIO):
        size = raw.seek(0, io.SEEK_END)
        raw.seek(0)
        super().__init__(fileobj=raw)
        self._most = max(MOST_UNPACKED, MOST_TIMES * size)

    def read(self, size: int | None = -1) -> bytes:
        return self._counted(super().read(size))

    def read1(self, size: int = -1) -> bytes:
        return self._counted(super().read1(size))

    def _counted(self, found: bytes) -> bytes:
        if self.tell() > self._most:
            # No `TableError`, after which the file would be read in other ways.
            raise OSError(
                errno.EFBIG,
                f"it unpacks to more than {MOST_UNPACKED / 1e6:.0f} MB and {MOST_TIMES} times its size, which no table "
                "does; unpack it first if it is one",
            )
        return found


def _start(raw: BinaryIO) -> bytes:
    start = raw.read(64)
    raw.seek(0)
    return start


def _read_parquet(raw: BinaryIO) -> Table:
    need("reading Parquet", "pyarrow")
    import pyarrow
    import pyarrow.parquet

    try:
        return as_table(pyarrow.parquet.read_table(raw))
    except pyarrow.ArrowException as error:
        raise TableError(f"no readable Parquet file ({str(error).splitlines()[0]})") from error


def _refuse_unknown(encoding: str) -> None:
    try:
        found = codecs.lookup(encoding)
        "".encode(encoding)
    except (LookupError, UnicodeError, ValueError) as error:
        raise TableError(f"encoding {encoding!r} is unknown; give for example utf-8 or latin-1") from error
    if found.name in ("idna", "punycode", "unicode_escape", "raw-unicode-escape", "undefined"):
        raise TableError(f"encoding {encoding!r} is not one of texts; give for example utf-8 or latin-1")


def _encoding(start: bytes, encoding: str) -> str:
    """The encoding that a byte order mark names, else the one that was asked for; what is no text is refused."""
    for signature, meaning in FOREIGN.items():
        if start.startswith(signature):
            raise TableError(f"this is {meaning}")
    marked = next((name for mark, name in MARKS.items() if start.startswith(mark)), None)
    if marked is None and b"\0" in start and not codecs.lookup(encoding).name.startswith(("utf-16", "utf-32")):
        wide = "utf-32" if b"\0\0" in start.strip(b"\0") else "utf-16"
        order = "be" if start.startswith(b"\0") else "le"
        raise TableError(f"zero bytes: this is no text, or it is {wide.upper()}; then give --encoding {wide}-{order}")
    return marked or encoding


def _where_undecodable(raw: BinaryIO, encoding: str) -> str:
    raw.seek(0)
    for number, line in enumerate(raw, start=1):
        try:
            line.decode(encoding)
        except UnicodeDecodeError as error:
            found = line[error.start : error.start + 1].hex()
            return f"line {number}: byte 0x{found} is no {encoding} text; give --encoding, for example latin-1"
    return f"not readable as {encoding} text; give --encoding"
