"""Types of public signatures: what callers may pass, and what they get back."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils import metaestimators

if TYPE_CHECKING:
    from typing_extensions import TypeIs

__all__ = [
    "AnyRows",
    "Array",
    "ArrayLike",
    "Bools",
    "ClassWeight",
    "Closed",
    "Compressed",
    "Count",
    "CountOrZero",
    "Elementwise",
    "Floats",
    "Folds",
    "Integers",
    "IterationLimit",
    "Matrix",
    "MatrixLike",
    "NDArray",
    "NonNegative",
    "Numbers",
    "Positive",
    "PositiveOrInfinite",
    "ProperShare",
    "RandomState",
    "Scoring",
    "Seed",
    "Share",
    "SomeShare",
    "Sparse",
    "Splitter",
    "TableLike",
    "Verbosity",
    "Within",
    "available_if",
    "is_sparse",
]

Closed: TypeAlias = Literal["both", "left", "right", "neither"]


@dataclass(frozen=True)
class Within:
    """A range of numbers: of an annotated one (``Annotated[float, Within(0, 1)]``, which `gnomon.base.parameters`
    checks), and of `gnomon.numerics.validation.check_interval`.
    """

    low: float = -math.inf
    high: float = math.inf
    closed: Closed = "left"

    def holds(self, value: float) -> bool:
        """Whether the value is in the range."""
        above = self.low <= value if self.closed in ("both", "left") else self.low < value
        return above and (value <= self.high if self.closed in ("both", "right") else value < self.high)

    def __str__(self) -> str:
        """The range in words that follow "must be": an end that is infinite and excluded makes numbers finite."""
        if self.low == self.high:
            return f"= {self.low:g}"
        left, right = self.closed in ("both", "left"), self.closed in ("both", "right")
        unbounded = (self.low == -math.inf and not left) or (self.high == math.inf and not right)
        finite = " and finite" if unbounded else ""
        if self.low == -math.inf:
            return f"{'≤' if right else '<'} {self.high:g}{finite}" if self.high < math.inf else f"real{finite}"
        if self.high == math.inf:
            return f"{'≥' if left else '>'} {self.low:g}{finite}"
        return f"in {'[' if left else '('}{self.low:g}, {self.high:g}{']' if right else ')'}"


NonNegative: TypeAlias = Annotated[float, Within(0.0)]
Positive: TypeAlias = Annotated[float, Within(0.0, closed="neither")]
Share: TypeAlias = Annotated[float, Within(0.0, 1.0, closed="both")]
"""A part of a whole, none and all of it included."""
ProperShare: TypeAlias = Annotated[float, Within(0.0, 1.0, closed="neither")]
"""A part of a whole that is neither nothing nor all of it."""
SomeShare: TypeAlias = Annotated[float, Within(0.0, 1.0, closed="right")]
"""A part of a whole, which may be all of it but not nothing."""
PositiveOrInfinite: TypeAlias = Annotated[float, Within(0.0, closed="right")]
Count: TypeAlias = Annotated[int, Within(1, closed="both")]
CountOrZero: TypeAlias = Annotated[int, Within(0, closed="both")]
IterationLimit: TypeAlias = Annotated[int, Within(-1, closed="both")]
"""At most so many iterations; −1 for any number of them."""

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
    def tocsc(self) -> Any: ...
    def __getitem__(self, key: Any, /) -> Any: ...
    def __matmul__(self, other: Any, /) -> Any: ...
    def __rmatmul__(self, other: Any, /) -> Any: ...


class Splitter(Protocol):
    """A cross-validator of scikit-learn, or another object with its ``split``."""

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterable[tuple[Any, Any]]: ...


TableLike: TypeAlias = ArrayLike | Sequence[Sequence[Any]]
"""Rows of cells of any kind: an array, a data frame, or lists of numbers, strings and None."""

MatrixLike: TypeAlias = ArrayLike | Sparse
"""Rows of a table: an array, a data frame, nested lists, or a sparse matrix."""

AnyRows: TypeAlias = TableLike | Sparse
"""Rows for a model that takes what its parts take: cells of any kind, or a sparse matrix."""

Matrix: TypeAlias = Array | Compressed
"""Rows after validation."""

Elementwise = TypeVar("Elementwise", float, Floats)
"""What a formula takes and returns alike: a number, or an array of them."""

Method = TypeVar("Method", bound=Callable[..., Any])

Numbers: TypeAlias = Any
"""A number, or an array of them, where a checker cannot know which: of ``float | Floats`` nothing could be asked."""

RandomState: TypeAlias = CountOrZero | np.random.Generator | np.random.RandomState | None
"""A seed, a generator that is drawn from, or None for another result each time."""

Seed: TypeAlias = Annotated[int, Within(0, 2**32 - 1, closed="both")] | np.random.RandomState | None
"""What ``sklearn.utils.check_random_state`` takes: no generator of the newer kind."""

Folds: TypeAlias = Annotated[int, Within(2, closed="both")] | Splitter | Iterable[tuple[ArrayLike, ArrayLike]] | None
"""``cv`` of scikit-learn: how many folds, a splitter, pairs of training and test rows, or None for five folds."""

Scoring: TypeAlias = str | Callable[[Any, Any, Any], float] | None
"""``scoring`` of scikit-learn: a scorer's name, or ``scorer(estimator, X, y)``; None for the usual score."""

ClassWeight: TypeAlias = Mapping[Any, float] | Literal["balanced"] | None
Verbosity: TypeAlias = bool | CountOrZero


def available_if(check: Callable[[Any], bool]) -> Callable[[Method], Method]:
    """`available_if` of scikit-learn, in a form that checkers follow: the method keeps its type."""
    return metaestimators.available_if(check)


def is_sparse(X: object) -> TypeIs[Sparse]:
    """``scipy.sparse.issparse``, in a form that checkers follow: what is not sparse is the rest of its type."""
    return sparse.issparse(X)
