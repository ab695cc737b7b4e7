"""Types of public signatures: what callers may hand in, and what they get back."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Array",
    "ArrayLike",
    "Bools",
    "ClassWeight",
    "Floats",
    "Folds",
    "Integers",
    "MatrixLike",
    "NDArray",
    "RandomState",
    "Scoring",
    "Sparse",
    "Splitter",
    "Verbosity",
]


class Sparse(Protocol):
    """A matrix of ``scipy.sparse``, in any of its formats."""

    @property
    def shape(self) -> tuple[int, ...]: ...

    def tocsr(self) -> Any: ...


class Splitter(Protocol):
    """A cross-validator of scikit-learn, or another object with its ``split``."""

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterable[tuple[Any, Any]]: ...


MatrixLike: TypeAlias = ArrayLike | Sparse
"""Rows of a table: an array, a data frame, nested lists, or a sparse matrix."""

Array: TypeAlias = NDArray[Any]
"""An array of any type, as labels are."""

Floats: TypeAlias = NDArray[np.floating[Any]]
Integers: TypeAlias = NDArray[np.integer[Any]]
Bools: TypeAlias = NDArray[np.bool_]

RandomState: TypeAlias = int | np.random.Generator | np.random.RandomState | None
"""A seed, a generator that is drawn from, or None for another result each time."""

Folds: TypeAlias = int | Splitter | Iterable[tuple[ArrayLike, ArrayLike]] | None
"""``cv`` of scikit-learn: how many folds, a splitter, pairs of training and test rows, or None for five folds."""

Scoring: TypeAlias = str | Callable[[Any, Any, Any], float] | None
"""``scoring`` of scikit-learn: a scorer's name, or ``scorer(estimator, X, y)``; None for the usual score."""

ClassWeight: TypeAlias = Mapping[Any, float] | Literal["balanced"] | None
Verbosity: TypeAlias = bool | int
