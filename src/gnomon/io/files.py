"""Files of results: written whole or not at all, all of a folder or none; and columns as CSV."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from gnomon.base.files import UnfinishedFiles, follow_links, is_stream, part_beside
from gnomon.io._errors import UserError

__all__ = ["UnwritableError", "csv_text", "digest_of", "outbox", "outfile"]


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

    The folder is made and tried before any work begins, and there again only when the files are.
    """
    folder = Path(folder)
    _try(folder)
    with _all_or_none() as place:
        yield lambda name: place(folder / name)


@contextmanager
def outfile(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path; on success what was written there is the content of `path`, otherwise nothing changes.

    Symbolic links are followed, and a device or a pipe is written to: see `gnomon.base.files`.
    """
    with _of_writing():
        final = follow_links(path)
        stream = is_stream(final)
    if not stream:
        _try(final.parent)
    with _all_or_none() as place:
        yield place(Path(path))


@contextmanager
def _all_or_none() -> Iterator[Callable[[Path], Path]]:
    """A function ``place(path)`` of which the files appear at the end, with the folders that they need."""
    parts, made = UnfinishedFiles(), list[Path]()

    def place(path: Path) -> Path:
        with _of_writing():
            made.extend(_make(follow_links(path).parent))
            return parts.place(path)

    try:
        yield place
        with _of_writing():
            parts.finish()
    except BaseException:
        parts.discard()
        for folder in made:
            _remove_if_empty(folder)
        raise
    parts.discard()


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


def _try(folder: Path) -> None:
    """Refuse a folder into which nothing can be written; one that is not there is made and removed again."""
    made = _make(folder)
    try:
        probe = part_beside(folder / "probe")
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise UnwritableError(f"cannot write into the folder {folder}: {_reason(error)}; give another one") from error
    finally:
        for each in made:
            _remove_if_empty(each)


def _make(folder: Path) -> list[Path]:
    """The folders that had to be made, the deepest first."""
    try:
        folder = follow_links(folder)
        absent = [each for each in (folder, *folder.parents) if not each.exists()]
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnwritableError(f"cannot make the folder {folder}: {_reason(error)}; give another one") from error
    return absent


@contextmanager
def _of_writing() -> Iterator[None]:
    """Errors of the system in words; that a reader has gone is no error of writing."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        what = error.filename2 or error.filename or "the output"
        raise UnwritableError(f"cannot write {what}: {_reason(error)}") from error


def _remove_if_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
