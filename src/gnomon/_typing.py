"""Types of public signatures: what callers may hand in, and what they get back."""

from collections.abc import Mapping
from typing import Any, Literal, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Array",
    "ArrayLike",
    "Bools",
    "ClassWeight",
    "Elementwise",
    "Floats",
    "Integers",
    "MatrixLike",
    "NDArray",
    "Numbers",
    "RandomState",
    "Sparse",
    "Verbosity",
]


class Sparse(Protocol):
    """A matrix of ``scipy.sparse``, in any of its formats."""

    @property
    def shape(self) -> tuple[int, ...]: ...

    def tocsr(self) -> Any: ...


MatrixLike: TypeAlias = ArrayLike | Sparse
"""Rows of a table: an array, a data frame, nested lists, or a sparse matrix."""

Array: TypeAlias = NDArray[Any]
"""An array of any type, as labels are."""

Floats: TypeAlias = NDArray[np.floating[Any]]
Integers: TypeAlias = NDArray[np.integer[Any]]
Bools: TypeAlias = NDArray[np.bool_]

Elementwise = TypeVar("Elementwise", float, Floats)
"""What a formula takes and returns alike: a number, or an array of them."""

Numbers: TypeAlias = Any
"""A number, or an array of them, where a checker cannot know which: of ``float | Floats`` nothing could be asked."""

RandomState: TypeAlias = int | np.random.Generator | np.random.RandomState | None
"""A seed, a generator that is drawn from, or None for another result each time."""

ClassWeight: TypeAlias = Mapping[Any, float] | Literal["balanced"] | None
Verbosity: TypeAlias = bool | int
