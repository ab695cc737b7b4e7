"""gnomon: classical machine learning as it is taught. One contract, shared nouns, certificates, speed.

Families, nouns and algorithms are subpackages: ``gnomon.linear``, ``gnomon.trees``, ``gnomon.io`` … Each is imported
when it is first asked for, so that ``import gnomon`` costs nothing. ``gnomon.learn`` is the whole study of a table.

Examples
--------
>>> import gnomon
>>> "trees" in dir(gnomon), gnomon.linear.Ridge().alpha
(True, 1.0)
"""

from __future__ import annotations

from functools import cache
from typing import Any

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name == "learn":
        return import_module("gnomon.report").learn
    if name.startswith("_") or name not in _packages():
        raise AttributeError(f"module 'gnomon' has no attribute {name!r}; its packages are: {', '.join(_packages())}")
    return import_module(f"gnomon.{name}")


def __dir__() -> list[str]:
    return sorted([*globals(), "learn", *_packages()])


@cache
def _packages() -> tuple[str, ...]:
    # Kept: pickling asks every module for every name, and to look into folders takes milliseconds.
    from pkgutil import iter_modules

    return tuple(found.name for found in iter_modules(__path__) if found.ispkg and not found.name.startswith("_"))
