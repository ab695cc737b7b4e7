"""The cache of compiled kernels: one file for each kernel and types of arguments, named by all that it depends on.

A file is written under another name and then moved, so that processes may read and write at once; what two of them
compile at the same time is the same. It ends with a digest of its content: a file that was cut short or damaged is
compiled anew. Against who can write into the folder it is no defence, for the content is unpickled. A file that nobody
has read for 90 days is deleted. Folders: the XDG base directory specification on Linux, the conventions of macOS and
Windows there; ``NUMBA_CACHE_DIR`` wins.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import sys
import time
import uuid
import warnings
from collections.abc import Iterator
from pathlib import Path

__all__ = ["SHIPPED", "clear", "entries", "folder", "read", "write"]

SHIPPED = Path(__file__).parents[1] / "_kernels"
"""Kernels that came with the package, in wheels that carry them."""

ENDING = ".kernel"
DIGEST = hashlib.sha256().digest_size
"""Bytes of the digest at the end of an entry: machine code of which one bit has changed crashes the process."""
DAY = 86400.0
UNUSED_DAYS = 90.0


def folder() -> Path:
    """Where kernels are kept between processes; it need not exist."""
    if chosen := os.environ.get("NUMBA_CACHE_DIR"):
        return Path(chosen) / "gnomon"
    if sys.platform == "win32":
        return _expanded(os.environ.get("LOCALAPPDATA") or "~/AppData/Local") / "gnomon" / "Cache"
    if sys.platform == "darwin":
        return _expanded("~/Library/Caches/gnomon")
    return _expanded(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "gnomon"


def _expanded(path: str) -> Path:
    try:
        return Path(path).expanduser()
    except RuntimeError:
        # Of a user without a home nothing can be kept; below this file no folder can be made, and `write` says so.
        return Path(os.devnull)


def read(path: Path) -> bytes | None:
    """The content of an entry, which counts as used from now on; None if there is none, or not what was written."""
    try:
        kept = path.read_bytes()
    except OSError:
        return None
    content, seal = kept[:-DIGEST], kept[-DIGEST:]
    if hashlib.sha256(content).digest() != seal:
        return None
    with contextlib.suppress(OSError):
        if time.time() - path.stat().st_mtime > DAY:
            os.utime(path)
    return content


def write(path: Path, content: bytes) -> None:
    """Keep an entry; where that is not possible, say so once and go on."""
    temporary = path.with_name(f"{uuid.uuid4().hex}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(content + hashlib.sha256(content).digest())
        os.replace(temporary, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        _say_that_nothing_is_kept(error.strerror or type(error).__name__)
    else:
        _delete_unused()


def entries(root: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Every file of kernels below `root`, finished or not; what another process deletes meanwhile is left out."""
    for path in root.rglob("*"):
        with contextlib.suppress(OSError):
            if path.suffix in (ENDING, ".part") and path.is_file():
                yield path, path.stat()


def clear(root: Path, unused_days: float = 0.0) -> int:
    """Delete the kernels below `root` that were not used for `unused_days`; return how many there were."""
    count, limit = 0, time.time() - unused_days * DAY
    for path, state in list(entries(root)):
        if unused_days == 0.0 or state.st_mtime < limit:
            with contextlib.suppress(OSError):
                path.unlink()
                count += 1
    for empty in sorted((path for path in root.rglob("*") if path.is_dir()), reverse=True):
        with contextlib.suppress(OSError):
            empty.rmdir()
    return count


@functools.cache
def _delete_unused() -> None:
    # Once a process, and then only if no other has done it today.
    mark = folder() / "swept"
    with contextlib.suppress(OSError):
        if not mark.exists() or time.time() - mark.stat().st_mtime > DAY:
            mark.touch()
            clear(folder(), UNUSED_DAYS)


@functools.cache
def _say_that_nothing_is_kept(error: str) -> None:
    warnings.warn(
        f"compiled kernels cannot be kept in {folder()} ({error}), so every process compiles them anew; "
        "set NUMBA_CACHE_DIR to a folder that can be written",
        RuntimeWarning,
        stacklevel=2,
    )
