"""Rows that come in chunks, read once for every pass.

    one pass:  (X₁, s₁), (X₂, s₂), …                                                                (1)

A generator can be read only once; a list, or a function that makes a new iterator, again and again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

import numpy as np

from gnomon._typing import ArrayLike

__all__ = ["Chunks", "read_chunks"]

Chunk: TypeAlias = ArrayLike | tuple[ArrayLike, ArrayLike | None]
"""Rows, or rows and their weights."""

Chunks: TypeAlias = Iterable[Chunk] | Callable[[], Iterable[Chunk]]
"""What can be read again and again: a list of chunks, or a function that begins a new pass."""


def read_chunks(chunks: Chunks, *, once: bool = False) -> Callable[[], Iterator[tuple[ArrayLike, ArrayLike | None]]]:
    """A function that begins a new pass over pairs (X, weights or None).

    What cannot be read twice is refused, unless it is read `once`; chunks whose weights are all zero are left out.

    Examples
    --------
    >>> from gnomon.base.chunks import read_chunks
    >>> read = read_chunks([[[1.0]], ([[2.0]], [3.0])])
    >>> list(read()) == list(read()) == [([[1.0]], None), ([[2.0]], [3.0])]
    True
    """
    if not once and not callable(chunks) and iter(chunks) is chunks:
        raise ValueError(
            f"chunks={chunks!r} can be read only once, and the fit makes many passes; give a list, or a function that "
            "returns a new iterator"
        )

    def begin() -> Iterator[tuple[ArrayLike, ArrayLike | None]]:
        for item in chunks() if callable(chunks) else chunks:
            X, weights = item if isinstance(item, tuple) else (item, None)
            # Rows without weight are as if they were not there.
            if weights is None or np.any(np.asarray(weights)):
                yield X, weights

    return begin
