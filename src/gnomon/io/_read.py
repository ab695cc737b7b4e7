"""Tables from files: delimited text (plain or gzip) and Parquet.

Every error names the file and, for text, the line.
"""

import codecs
import csv
import gzip
import io
import zlib
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from gnomon._typing import Array
from gnomon.io.cells import TEXT, as_numbers, clean, plain
from gnomon.io.tables import Table, TableError, as_table, check_names

__all__ = ["read_table"]

DELIMITERS = (",", ";", "\t", "|")
ROWS_AT_ONCE = 20_000
LINES_TO_SNIFF = 50


def read_table(
    path: str | Path, *, delimiter: str | None = None, encoding: str = "utf-8", header: bool = True
) -> Table:
    """Read a table from ``.csv``, ``.tsv``, ``.txt`` (each also with ``.gz``) or ``.parquet``.

    Empty cells and NA, N/A, NaN, NULL, None and ? are missing. A byte order mark is skipped.

    Parameters
    ----------
    path : str or path
        The file.
    delimiter : str, optional
        By default whichever of comma, semicolon, tab and bar splits the first lines into most fields, equally many in
        each.
    encoding : str, default="utf-8"
        How the bytes of the text are read.
    header : bool, default=True
        Whether the first line names the columns; otherwise they are called column_1, column_2, …

    Returns
    -------
    Table

    References
    ----------
    Shafranovich, Y. (2005). Common format and MIME type for comma-separated values. doi:10.17487/RFC4180

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from gnomon.io import read_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "small.csv")
    ...     _ = path.write_text("name;height\\nAda;1,65\\nAlan;NA\\n")
    ...     table = read_table(path)
    >>> table["height"].tolist()
    ['1.65', '']
    """
    path = Path(path)
    if not path.exists():
        raise TableError(f"{path}: no such file")
    if path.is_dir():
        raise TableError(f"{path} is a folder; give a file")
    try:
        if path.suffix in (".parquet", ".pq"):
            return _read_parquet(path)
        return _read_text(path, delimiter, encoding, header)
    except TableError as error:
        raise TableError(f"{path}: {error}") from error
    except OSError as error:
        raise TableError(f"{path}: cannot be read: {(error.strerror or str(error)).lower()}") from error


def _read_parquet(path: Path) -> Table:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise TableError("reading Parquet needs pyarrow; install it with: pip install 'gnomon[scale]'") from error
    try:
        # partitioning=None: a folder called year=2024 must not add a column.
        return as_table(pyarrow.parquet.read_table(path, partitioning=None))
    except pyarrow.ArrowException as error:
        raise TableError(f"no readable Parquet file ({str(error).splitlines()[0]})") from error


def _read_text(path: Path, delimiter: str | None, encoding: str, header: bool) -> Table:
    _refuse_unknown(encoding)
    _refuse_binary(path, encoding)
    try:
        with _opened(path, encoding) as lines:
            delimiter = delimiter or _sniff(lines)
            lines.seek(0)
            return _parse(csv.reader(lines, delimiter=delimiter, strict=True), delimiter, header)
    except UnicodeDecodeError as error:
        raise TableError(_where_undecodable(path, encoding)) from error
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise TableError("the compressed file is damaged or cut short; copy it again") from error


def _refuse_unknown(encoding: str) -> None:
    try:
        codecs.lookup(encoding)
    except LookupError as error:
        raise TableError(f"encoding {encoding!r} is unknown; give for example utf-8 or latin-1") from error


def _bytes_of(path: Path) -> gzip.GzipFile | io.BufferedReader:
    return gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")


def _opened(path: Path, encoding: str) -> io.TextIOWrapper:
    encoding = "utf-8-sig" if encoding.lower().replace("_", "-") in ("utf-8", "utf8") else encoding
    return io.TextIOWrapper(_bytes_of(path), encoding=encoding, newline="")


GZIP = b"\x1f\x8b"
SIGNATURES = {
    b"PK\x03\x04": "an Excel workbook or a zip archive; export the sheet as CSV",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook; export the sheet as CSV",
    b"PAR1": "Parquet; give the file the ending .parquet",
    GZIP: "gzip; give the file the ending .csv.gz",
    codecs.BOM_UTF16_LE: "text in UTF-16; give --encoding utf-16",
    codecs.BOM_UTF16_BE: "text in UTF-16; give --encoding utf-16",
    b"%PDF": "a PDF document; export the table as CSV",
}


def _refuse_binary(path: Path, encoding: str) -> None:
    with path.open("rb") as raw:
        start = raw.read(8)
    expected = [GZIP] * (path.suffix == ".gz") + [codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE] * ("16" in encoding)
    for signature, meaning in SIGNATURES.items():
        if start.startswith(signature) and signature not in expected:
            raise TableError(f"this is {meaning}")


def _where_undecodable(path: Path, encoding: str) -> str:
    with _bytes_of(path) as raw:
        for number, line in enumerate(raw, start=1):
            try:
                line.decode(encoding)
            except UnicodeDecodeError as error:
                found = line[error.start : error.start + 1].hex()
                return f"line {number}: byte 0x{found} is no {encoding} text; give --encoding, for example latin-1"
    return f"not readable as {encoding} text; give --encoding"


def _sniff(lines: Iterable[str]) -> str:
    """The delimiter that splits the first lines into most fields, the same number in each; else the comma."""
    sample = list(islice(lines, LINES_TO_SNIFF))
    best, most = ",", 1
    for delimiter in DELIMITERS:
        widths = {len(cells) for cells in csv.reader(sample[:-1] or sample, delimiter=delimiter) if cells}
        if len(widths) == 1 and max(widths) > most:
            best, most = delimiter, max(widths)
    return best


def _parse(reader, delimiter, header):
    try:
        rows = (cells for cells in reader if cells)
        first = next(rows, None)
        if first is None:
            raise TableError("the file is empty")
        names = _names(first, header)
        chunks = [] if header else [[_text(cell) for cell in zip(first, strict=True)]]
        chunks += _chunks(reader, rows, len(names))
    except csv.Error as error:
        raise TableError(f"line {reader.line_num}: {error}; look for a stray quotation mark") from error
    if not chunks:
        raise TableError("the file has a header but no rows")
    return Table({name: _joined(parts, delimiter) for name, *parts in zip(names, *chunks, strict=True)})


def _names(first: list[str], header: bool) -> list[str]:
    if not header:
        return [f"column_{k}" for k in range(1, len(first) + 1)]
    names = [cell.strip() or f"column_{k}" for k, cell in enumerate(first, start=1)]
    if not np.isnan(as_numbers(clean(names))).any():
        raise TableError("the first line holds only numbers, so it seems to be data; give --no-header, or add a header")
    check_names(names)
    return names


def _chunks(reader, rows, width):
    while block := _checked(reader, islice(rows, ROWS_AT_ONCE), width):
        yield [_text(cells) for cells in zip(*block, strict=True)]


def _checked(reader, rows, width):
    block = []
    for cells in rows:
        if len(cells) != width:
            raise TableError(
                f"line {reader.line_num} has {len(cells)} fields where the first line has {width}; "
                "quote fields that contain the delimiter, or give --delimiter"
            )
        block.append(cells)
    return block


def _text(cells: Sequence[str]) -> Array:
    return np.array(cells, dtype=TEXT)


def _joined(parts: Sequence[Array], delimiter: str) -> Array:
    return plain(clean(np.concatenate(parts)), delimiter)
