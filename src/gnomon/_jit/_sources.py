"""What a kernel is made of: the text of every module that its own can reach.

    closure(m) = {m} ∪ ⋃ᵢ closure(i), i imported by m,     stamp(m) = SHA-256 of names and texts of closure(m)      (1)

Imports are followed within the module's own package and within this one: what lies further has a version. A name that a
package only hands on leads to the module that defines it, so that an edit of one loss touches no kernel that uses
another. Texts are read from disk, and a process may outlive them: what was written after it started has no stamp.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import sys
import time
from pathlib import Path

__all__ = ["closure", "digest", "stamp"]

STARTED = time.time_ns()
"""What is imported from now on was on disk by now, unless it was written later."""

# Statements, as the formatter writes them; a line of prose that looks like one only makes the closure larger.
_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)|import[ \t]+([\w., \t]+))", re.MULTILINE
)
_OURS = __name__.split(".")[0]


def digest(*facts: object) -> str:
    """SHA-256 of what is known, for names of files."""
    return hashlib.sha256(repr(facts).encode()).hexdigest()


def stamp(module: str) -> str | None:
    """Equation (1); None where a text cannot be read, or is younger than this process."""
    texts = closure(module)
    return None if None in texts.values() else digest(sorted(texts.items()))


def closure(module: str) -> dict[str, str | None]:
    """The digest of the text of every module that `module` can reach, by name."""
    followed = frozenset({_OURS, module.split(".")[0]})
    found: dict[str, str | None] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        path = _file(name)
        text = _read(path)
        reached, packages = _imports(name, path, text or "", followed)
        known = text is not None and all(_read(package) is not None for package in packages)
        found[name] = _digest_of(text or "") if known else None
        waiting += reached
    return found


@functools.cache
def _imports(module: str, path: Path | None, text: str, followed: frozenset[str]) -> tuple[list[str], set[Path]]:
    """The modules of the packages `followed` that a text imports from, and the files that were read to find them."""
    found: list[str] = []
    packages: set[Path] = set()
    for start, names, plain in _statements(text):
        if plain:
            found += [name.split()[0] for name in plain.split(",") if name.strip() and _file(name.split()[0])]
        elif (source := _absolute(module, path, start)).split(".")[0] in followed:
            found += [end for name in _names(names) if (end := _defining(source, name, packages))]
    return [name for name in found if name.split(".")[0] in followed], packages


@functools.cache
def _digest_of(text: str) -> str:
    return digest(text)


@functools.cache
def _statements(text: str) -> list[tuple[str, str, str]]:
    return _IMPORT.findall(text)


def _names(listed: str) -> list[str]:
    lines = (line.split("#")[0] for line in listed.strip("()").splitlines())
    return [item.split()[0] for line in lines for item in line.split(",") if item.strip()]


def _absolute(module: str, path: Path | None, start: str) -> str:
    """The module that ``from start import …`` names inside `module`."""
    rest = start.lstrip(".")
    if not (up := len(start) - len(rest)):
        return rest
    package = getattr(sys.modules["__main__"], "__package__", None) or "" if module == "__main__" else module
    is_package = module == "__main__" or (path is not None and path.name == "__init__.py")
    parts = package.split(".")
    kept = parts[: len(parts) - up + is_package]
    return ".".join([*kept, rest] if rest else kept)


def _defining(source: str, name: str, packages: set[Path]) -> str | None:
    """The module in which ``from source import name`` ends, if it is one of ours; packages on the way are noted."""
    if _file(f"{source}.{name}"):
        return f"{source}.{name}"
    if (path := _file(source)) is None:
        return None
    if path.name == "__init__.py":
        packages.add(path)
        for start, names, _ in _statements(_read(path) or ""):
            inner = _absolute(source, path, start)
            if inner != source and name in _names(names):
                return _defining(inner, name, packages)
    return source


def _file(module: str) -> Path | None:
    """Where the text of `module` is, whether or not it is imported."""
    top, *rest = module.split(".")
    root = sys.modules.get(top)
    if not rest:
        found = getattr(root, "__file__", None)
        return Path(found) if found and found.endswith(".py") else None
    for folder in getattr(root, "__path__", ()):
        if found := _file_below(os.path.join(folder, *rest)):
            return found
    return None


@functools.cache
def _file_below(path: str) -> Path | None:
    return next((Path(end) for end in (f"{path}.py", os.path.join(path, "__init__.py")) if os.path.isfile(end)), None)


def _read(path: Path | None) -> str | None:
    try:
        state = path.stat() if path else None
        if state is None or state.st_mtime_ns > STARTED:
            return None
        return _text(str(path), state.st_mtime_ns, state.st_size)
    except (OSError, UnicodeDecodeError):
        return None


@functools.cache
def _text(path: str, written: int, size: int) -> str:
    return Path(path).read_text(encoding="utf-8")
