"""What a study tells of its steps while it goes on, and how many threads its linear algebra may take."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TypeAlias

from gnomon.numerics.parallel import calm_blas

__all__ = ["Progress", "silent", "suited_threads"]

Progress: TypeAlias = Callable[[int, int, str], None]
"""Called with the steps done, the number of steps, and the name of the step that begins."""

SMALL_CELLS = 200_000


def silent(done: int, total: int, text: str) -> None:
    """Say nothing."""


def suited_threads(rows: int, columns: int) -> AbstractContextManager[None]:
    """A context in which BLAS takes one thread for a small table, where more cost more than they save."""
    return calm_blas(1) if rows * columns < SMALL_CELLS else nullcontext()
