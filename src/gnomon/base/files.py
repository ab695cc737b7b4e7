"""Files that are written whole or not at all.

    write a part beside the file, put it on the disk,    then rename it to the file                    (1)

A reader finds the old file or the new one, never a part; POSIX.1-2017, rename. Symbolic links are followed: the link
stays, and what it leads to is written. A pipe or a character device, as /dev/null, is no file that could be renamed
over; it is given the bytes at the end.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

__all__ = ["UnfinishedFiles", "follow_links", "is_stream", "part_beside", "whole_file", "write_text"]

OLD = 86_400.0
"""Seconds after which a part was left by a process that has been killed."""
MOST_LINKS = 40
LONGEST_STEM = 50
"""Characters of a file's name in that of its part, which must not be too long for the file system."""
DESCRIPTOR = re.compile(r"/(?:dev|proc/self|proc/\d+)/fd/(\d+)")
FOREIGN = {
    stat.S_IFDIR: "a folder of that name is there; move it away",
    stat.S_IFSOCK: "it is a socket; give a file",
    stat.S_IFBLK: "it is a block device, of which the content would be lost; give a file",
}


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Write a file by (1): the block writes at the path that is yielded; after an error in it nothing has changed.

    Parameters
    ----------
    path : str or path

    Yields
    ------
    Path

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from gnomon.base.files import whole_file
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     link, file = pathlib.Path(folder, "link"), pathlib.Path(folder, "file")
    ...     link.symlink_to(file)
    ...     with whole_file(link) as part:
    ...         _ = part.write_text("new")
    ...     link.is_symlink(), file.read_text()
    (True, 'new')
    """
    parts = UnfinishedFiles()
    try:
        yield parts.place(path)
        parts.finish()
    finally:
        parts.discard()


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text by (1), in UTF-8.

    Parameters
    ----------
    path : str or path
    text : str

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from gnomon.base.files import write_text
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "state.json")
    ...     write_text(path, "{}")
    ...     path.read_text(), [other.name for other in path.parent.iterdir()]
    ('{}', ['state.json'])
    """
    with whole_file(path) as part:
        part.write_text(text, encoding="utf-8")


class UnfinishedFiles:
    """Several files that are written by (1): `finish` renames all parts, `discard` removes those that are left.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from gnomon.base.files import UnfinishedFiles
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     parts = UnfinishedFiles()
    ...     _ = parts.place(pathlib.Path(folder, "a")).write_text("1")
    ...     _ = parts.place(pathlib.Path(folder, "b")).write_text("2")
    ...     parts.finish()
    ...     sorted(path.name for path in pathlib.Path(folder).iterdir())
    ['a', 'b']
    """

    def __init__(self) -> None:
        self._files: dict[Path, Path] = {}
        self._streams: dict[Path, Path] = {}

    def place(self, path: str | os.PathLike[str]) -> Path:
        """Where to write what becomes the content of `path`; a folder, a socket or a block device is refused."""
        final = follow_links(path)
        if is_stream(final):
            descriptor, name = tempfile.mkstemp(prefix="gnomon-")
            os.close(descriptor)
            return _noted(self._streams, Path(name), final)
        return _noted(self._files, part_beside(final), final)

    def finish(self) -> None:
        """Let every part be the file; parts are on the disk before the first is."""
        for part in self._files:
            _flush(part)
        for part, stream in self._streams.items():
            _pour(part, stream)
        for part, final in self._files.items():
            if final.exists():
                shutil.copymode(final, part)
            os.replace(part, final)
        if os.name == "posix":
            for folder in {final.parent for final in self._files.values()}:
                _flush(folder)

    def discard(self) -> None:
        """Remove the parts that were not renamed."""
        for part in (*self._files, *self._streams):
            part.unlink(missing_ok=True)


def _noted(parts: dict[Path, Path], part: Path, final: Path) -> Path:
    parts[part] = final
    return part


def follow_links(path: str | os.PathLike[str]) -> Path:
    """What a path leads to, which need not exist; a link to a descriptor of a process stays as it is.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from gnomon.base.files import follow_links
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     link = pathlib.Path(folder, "link")
    ...     link.symlink_to("nowhere")
    ...     follow_links(link).name
    'nowhere'
    """
    found = Path(path)
    for _ in range(MOST_LINKS):
        if DESCRIPTOR.fullmatch(str(found)) or not found.is_symlink():
            return found
        found = found.parent / os.readlink(found)
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))


def part_beside(path: Path) -> Path:
    """A name in the folder of a file that no other process uses; old parts of the same file are removed.

    Examples
    --------
    >>> import pathlib
    >>> from gnomon.base.files import part_beside
    >>> path = part_beside(pathlib.Path("a", "model.skops"))
    >>> path.parent.name, path.name[:13], path.suffix
    ('a', '.model.skops.', '.part')
    """
    stem = f".{path.name[:LONGEST_STEM]}."
    ours = re.compile(re.escape(stem) + r"[0-9a-f]{8}\.part")
    with suppress(OSError):
        for other in path.parent.iterdir():
            if ours.fullmatch(other.name) and time.time() - other.lstat().st_mtime > OLD:
                other.unlink()
    return path.with_name(f"{stem}{secrets.token_hex(4)}.part")


def is_stream(path: Path) -> bool:
    """Whether bytes go to what is there one after another, as to a pipe; what cannot be written to is refused.

    Examples
    --------
    >>> import pathlib
    >>> from gnomon.base.files import is_stream
    >>> is_stream(pathlib.Path("/dev/null")), is_stream(pathlib.Path("a file that is not there"))
    (True, False)
    """
    try:
        state = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    kind = stat.S_IFMT(state.st_mode)
    if kind in FOREIGN:
        raise OSError(errno.EINVAL, FOREIGN[kind], str(path))
    if not os.access(path, os.W_OK):
        raise OSError(errno.EACCES, "it is protected against writing; give another name", str(path))
    return not stat.S_ISREG(state.st_mode) or DESCRIPTOR.fullmatch(str(path)) is not None


def _pour(part: Path, stream: Path) -> None:
    """Give a stream the bytes of a part; a descriptor of this process goes on where it stands."""
    own = DESCRIPTOR.fullmatch(str(stream))
    target = os.dup(int(own[1])) if own else os.open(stream, os.O_WRONLY)
    with open(part, "rb") as source, open(target, "wb") as sink:
        shutil.copyfileobj(source, sink)


def _flush(path: Path) -> None:
    """Put on the disk what was written to a file, or renamed in a folder."""
    descriptor = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
