"""Atomic writes: files are written under a temporary name in the same folder, then renamed; and columns as CSV."""

from __future__ import annotations

import csv
import hashlib
import io
import os
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gnomon.io._errors import UserError

__all__ = ["UnwritableError", "csv_text", "digest_of", "outbox"]


class UnwritableError(UserError):
    """A file or folder that cannot be written; the text says which and why.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from sklearn.dummy import DummyRegressor
    >>> from gnomon.io import UnwritableError, save
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "file")
    ...     file.touch()
    ...     try:
    ...         save(DummyRegressor(), file / "model.skops")
    ...     except UnwritableError as error:
    ...         print(str(error).replace(folder, "…"))
    cannot make the folder …/file: file exists; give another one
    """


@contextmanager
def outbox(folder: str | Path) -> Iterator[Callable[[str], Path]]:
    """Yield a function ``place(name)`` → temporary path; on success every file takes its name, otherwise none does.

    The folder is made and tried before any work begins; a folder made here is removed again when the work fails.
    """
    folder = Path(folder)
    made = [p for p in (folder, *folder.parents) if not p.exists()]
    pending: dict[Path, Path] = {}

    def place(name: str) -> Path:
        if (folder / name).is_dir():
            raise UnwritableError(f"cannot write {folder / name}: a folder of that name is there; move it away")
        path = folder / f".{name}.{secrets.token_hex(4)}.part"
        pending[path] = folder / name
        return path

    try:
        _make(folder)
        _probe(place("probe"), folder)
        pending.clear()
        yield place
        for path, final in pending.items():
            _replace(path, final)
    except BaseException:
        for path in pending:
            path.unlink(missing_ok=True)
        for parent in made:
            _remove_if_empty(parent)
        raise


def csv_text(columns: Sequence[tuple[str, Sequence[Any]]]) -> str:
    r"""Named columns of equal length as CSV with a header.

    Examples
    --------
    >>> from gnomon.io.files import csv_text
    >>> csv_text([("name", ["a, b", "c"]), ("size", [1, 2])])
    'name,size\n"a, b",1\nc,2\n'
    """
    names, values = zip(*columns, strict=True)
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(zip(*values, strict=True))
    return buffer.getvalue()


def digest_of(path: Path) -> str:
    """The SHA-256 of a file's content."""
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnwritableError(f"cannot make the folder {folder}: {_reason(error)}; give another one") from error


def _probe(path: Path, folder: Path) -> None:
    try:
        path.touch()
        path.unlink()
    except OSError as error:
        raise UnwritableError(f"cannot write into the folder {folder}: {_reason(error)}; give another one") from error


def _replace(path: Path, final: Path) -> None:
    try:
        os.replace(path, final)
    except OSError as error:
        raise UnwritableError(f"cannot write {final}: {_reason(error)}") from error


def _remove_if_empty(folder: Path) -> None:
    try:
        folder.rmdir()
    except OSError:
        return


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
