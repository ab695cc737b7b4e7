"""Lines of an array along one axis, some at a time, as columns of a table.

    an array of shape (…, n, …) is `outer` × n × `inner` entries in memory; line ℓ = o · inner + j has the entries
    o n inner + i inner + j,  i = 0 … n − 1                                                              (1)

A recursion along a line waits for its last result. `WIDTH` lines beside each other are computed by the same vector
instructions, along the last axis of an array as along the others.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gnomon._jit import subroutine
from gnomon._typing import ArrayLike, Floats, Integers
from gnomon.numerics.validation import FLOATS

__all__ = ["WIDTH", "Lines", "as_lines", "gather", "scatter"]

WIDTH = 16
"""Lines that are computed beside each other: two cache lines of double precision."""


class Lines(NamedTuple):
    """An array in C order, its number of entries along the axis, and those between two of them in memory.

    Fields
    ------
    values : ndarray
        A copy of the user's array, which may be changed.
    n, inner : int
        Of (1).
    """

    values: Floats
    n: int
    inner: int


def as_lines(Y: ArrayLike, axis: int, name: str = "Y") -> Lines:
    """A copy of Y in single or double precision, whichever it has."""
    given: Any = np.asarray(Y)
    if given.ndim == 0 or not -given.ndim <= axis < given.ndim:
        raise ValueError(f"axis={axis} of {name}, which has {given.ndim} dimensions; give one that it has")
    if given.dtype.kind not in "biuf":
        raise ValueError(f"{name} must hold real numbers, found {given.dtype}; convert it")
    dtype = given.dtype if given.dtype in FLOATS else np.dtype(float)
    values = np.array(given, dtype=dtype, order="C")
    if not np.all(np.isfinite(values)):
        bad = int(np.sum(~np.isfinite(values)))
        raise ValueError(f"{name} contains NaN or infinity ({bad} entries); fill the gaps first")
    inner = int(np.prod(values.shape[axis % values.ndim + 1 :], dtype=np.int64))
    return Lines(values, values.shape[axis], inner)


@subroutine
def gather(flat: Floats, n: int, inner: int, first: int, last: int, starts: Integers, block: Floats) -> None:
    """Lines first … last − 1 of (1) as columns of `block`, of shape (n, WIDTH); `starts` gets their first entries."""
    count = last - first
    for j in range(count):
        line = first + j
        starts[j] = line // inner * n * inner + line % inner
    if starts[count - 1] - starts[0] == count - 1:
        for i in range(n):
            row = starts[0] + i * inner
            for j in range(count):
                block[i, j] = flat[row + j]
        return
    for i in range(n):
        for j in range(count):
            block[i, j] = flat[starts[j] + i * inner]


@subroutine
def scatter(block: Floats, n: int, inner: int, count: int, starts: Integers, flat: Floats) -> None:
    """The inverse of `gather`, for as many lines."""
    if starts[count - 1] - starts[0] == count - 1:
        for i in range(n):
            row = starts[0] + i * inner
            for j in range(count):
                flat[row + j] = block[i, j]
        return
    for i in range(n):
        for j in range(count):
            flat[starts[j] + i * inner] = block[i, j]
