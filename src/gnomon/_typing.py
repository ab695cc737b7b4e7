"""Types of public signatures: what callers may hand in, and what they get back."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

if TYPE_CHECKING:
    from typing_extensions import TypeIs

__all__ = [
    "Array",
    "ArrayLike",
    "Bools",
    "ClassWeight",
    "Compressed",
    "Elementwise",
    "Floats",
    "Integers",
    "Matrix",
    "MatrixLike",
    "NDArray",
    "Numbers",
    "RandomState",
    "Sparse",
    "Verbosity",
    "is_sparse",
]

Array: TypeAlias = NDArray[Any]
"""An array of any type, as labels are."""

Floats: TypeAlias = NDArray[np.floating[Any]]
Integers: TypeAlias = NDArray[np.integer[Any]]
Bools: TypeAlias = NDArray[np.bool_]


class Sparse(Protocol):
    """A matrix of ``scipy.sparse``, in any of its formats."""

    @property
    def shape(self) -> tuple[int, ...]: ...

    def tocsr(self) -> Any: ...


class Compressed(Sparse, Protocol):
    """A sparse matrix that is stored by rows or by columns, as validation leaves it.

    SciPy has no annotations; what is made of such a matrix is anything, as what SciPy returns is.
    """

    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def ndim(self) -> int: ...
    @property
    def nnz(self) -> int: ...
    @property
    def format(self) -> str: ...
    @property
    def data(self) -> Array: ...
    @property
    def indices(self) -> Integers: ...
    @property
    def indptr(self) -> Integers: ...
    @property
    def has_canonical_format(self) -> bool: ...
    @property
    def T(self) -> Any: ...

    def astype(self, dtype: Any, /, *, copy: bool = True) -> Any: ...
    def copy(self) -> Any: ...
    def sum_duplicates(self) -> None: ...
    def multiply(self, other: Any, /) -> Any: ...
    def toarray(self) -> Array: ...
    def tocoo(self) -> Any: ...
    def __getitem__(self, key: Any, /) -> Any: ...
    def __matmul__(self, other: Any, /) -> Any: ...
    def __rmatmul__(self, other: Any, /) -> Any: ...


MatrixLike: TypeAlias = ArrayLike | Sparse
"""Rows of a table: an array, a data frame, nested lists, or a sparse matrix."""

Matrix: TypeAlias = Array | Compressed
"""Rows after validation."""

Elementwise = TypeVar("Elementwise", float, Floats)
"""What a formula takes and returns alike: a number, or an array of them."""

Numbers: TypeAlias = Any
"""A number, or an array of them, where a checker cannot know which: of ``float | Floats`` nothing could be asked."""

RandomState: TypeAlias = int | np.random.Generator | np.random.RandomState | None
"""A seed, a generator that is drawn from, or None for another result each time."""

ClassWeight: TypeAlias = Mapping[Any, float] | Literal["balanced"] | None
Verbosity: TypeAlias = bool | int


def is_sparse(X: object) -> "TypeIs[Sparse]":
    """``scipy.sparse.issparse``, in a form that checkers follow: what is not sparse is the rest of its type."""
    return sparse.issparse(X)
