"""Kernels that do not look at the rows.

    constant: k = c,    white noise: k(x_i, x_j) = c · 1[the same row of the same table]           (1)

Rasmussen & Williams (2006), section 4.2.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import _num_samples

from gnomon._typing import Floats, Integers
from gnomon.kernels._base import WIDE, Bounds, Kernel, noun
from gnomon.kernels._pattern import Pattern, nowhere, true_at

__all__ = ["Constant", "White"]


class NumberedRows(NamedTuple):
    """Rows of one table, by number.

    Fields
    ------
    numbers : ndarray of int
    table : object
        The same object for all rows of one table.
    dtype : dtype
        Of the values: single precision where the rows have it.
    """

    numbers: Integers
    table: object
    dtype: Any

    def __len__(self) -> int:
        return len(self.numbers)

    def take(self, rows: slice | Integers) -> NumberedRows:
        """Some of the rows."""
        return NumberedRows(self.numbers[rows], self.table, self.dtype)


@noun
class Constant(Kernel):
    """k(x, x') = c, the variance of a constant function.

    Parameters
    ----------
    value : float, default=1.0
        c ≥ 0.
    value_bounds : (low, high) or "fixed", default=(1e-5, 1e5)
        While c is 0 it is not learned.

    References
    ----------
    Rasmussen, C. E. & Williams, C. K. I. (2006). Gaussian Processes for Machine Learning, section 4.2. MIT Press.

    Examples
    --------
    >>> from gnomon.kernels import Constant
    >>> Constant(2.0).gram([[0.0], [1.0]])
    array([[2., 2.],
           [2., 2.]])
    """

    value: float = 1.0
    value_bounds: Bounds = field(default=WIDE, kw_only=True)

    def __post_init__(self) -> None:
        check_factor(self.value)

    def features(self, X: Any) -> Floats:
        """√c."""
        rows = numbered(X)
        return np.full((len(rows), 1), np.sqrt(self.value), dtype=rows.dtype)

    def sample_spectrum(self, n: int, d: int, rng: np.random.Generator) -> Floats:
        """Frequency zero."""
        return np.zeros((n, d))

    @property
    def constant(self) -> float:
        """c."""
        return self.value

    def by_axis(self, d: int) -> list[Kernel] | None:
        """c for the first column, one for the others."""
        return [self, *(Constant(1.0) for _ in range(d - 1))]

    def map_size(self, A: Any) -> float:
        """One."""
        return 1

    def prepare(self, A: Any, like: Any = None) -> NumberedRows:
        """The number of rows."""
        return numbered(A)

    def cross(self, P: NumberedRows, Q: NumberedRows) -> Floats:
        """c everywhere."""
        return np.full((len(P), len(Q)), self.value, dtype=P.dtype)

    def pairs(self, P: NumberedRows, Q: NumberedRows, i: Integers, j: Integers) -> Floats:
        """c everywhere."""
        return np.full(len(i), self.value, dtype=P.dtype)

    def diagonal(self, P: NumberedRows) -> Floats:
        """c everywhere."""
        return np.full(len(P), self.value, dtype=P.dtype)

    def partial(self, name: str, P: NumberedRows, Q: NumberedRows) -> Iterator[Floats]:
        """∂k/∂ log c = k."""
        yield self.cross(P, Q)

    def slope_products(self, P: NumberedRows, Q: NumberedRows, M: Floats, B: Floats) -> Floats:
        """c MB."""
        return self.value * (M @ B)[None] if len(self.theta) else np.empty((0, len(P), B.shape[1]))


@noun
class White(Kernel):
    """k(x_i, x_j) = c for the same row of the same table, else 0: the variance of independent noise.

    Parameters
    ----------
    noise_level : float, default=1.0
        c ≥ 0.
    noise_level_bounds : (low, high) or "fixed", default=(1e-5, 1e5)

    References
    ----------
    Rasmussen, C. E. & Williams, C. K. I. (2006). Gaussian Processes for Machine Learning, section 4.2. MIT Press.

    Examples
    --------
    Equal rows of the same table are different rows; rows of another table are never the same:

    >>> from gnomon.kernels import White
    >>> White(0.5).gram([[1.0], [1.0]])
    array([[0.5, 0. ],
           [0. , 0.5]])
    >>> White(0.5).gram([[1.0]], [[1.0]])
    array([[0.]])
    """

    noise_level: float = 1.0
    noise_level_bounds: Bounds = field(default=WIDE, kw_only=True)

    def __post_init__(self) -> None:
        check_factor(self.noise_level, "noise_level")

    @property
    def support_radius(self) -> float:
        """Zero from any distance on."""
        return 0.0

    def pattern(self, P: NumberedRows, Q: NumberedRows) -> Pattern:
        """The same row of the same table."""
        if P.table is not Q.table:
            return nowhere(len(P), len(Q))
        _, i, j = np.intersect1d(P.numbers, Q.numbers, assume_unique=True, return_indices=True)
        return true_at(i, j, (len(P), len(Q)))

    def prepare(self, A: Any, like: Any = None) -> NumberedRows:
        """The numbers of the rows of this table."""
        return numbered(A)

    def cross(self, P: NumberedRows, Q: NumberedRows) -> Floats:
        """c where the numbers agree."""
        if P.table is not Q.table:
            return np.zeros((len(P), len(Q)), dtype=P.dtype)
        return float(self.noise_level) * np.equal.outer(P.numbers, Q.numbers).astype(P.dtype)

    def pairs(self, P: NumberedRows, Q: NumberedRows, i: Integers, j: Integers) -> Floats:
        """c where the numbers agree."""
        return float(self.noise_level) * ((P.numbers[i] == Q.numbers[j]) & (P.table is Q.table)).astype(P.dtype)

    def diagonal(self, P: NumberedRows) -> Floats:
        """c everywhere."""
        return np.full(len(P), self.noise_level, dtype=P.dtype)

    def partial(self, name: str, P: NumberedRows, Q: NumberedRows) -> Iterator[Floats]:
        """∂k/∂ log c = k."""
        yield self.cross(P, Q)


def numbered(A: Any) -> NumberedRows:
    """The rows of A by number."""
    single = getattr(A, "dtype", None) == np.float32
    return NumberedRows(np.arange(_num_samples(A)), object(), np.float32 if single else np.float64)


def check_factor(value: float, name: str = "value") -> None:
    """Refuse a factor that is negative: it makes a kernel that is none."""
    if not 0.0 <= value < np.inf:
        raise ValueError(f"{name}={value!r} must be ≥ 0 and finite: a negative multiple of a kernel is none")
