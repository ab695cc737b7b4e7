"""Numbers in units that are powers of two, in which squares and sums neither overflow nor vanish.

    x = 2^e x̃,   2^e ≤ max |x| < 2^(e+1)   ⇒   1 ≤ max |x̃| < 2,   f(x) = 2^(ke) f(x̃) for f of degree k               (1)

No digit of an entry is lost, unless it is 2^−1021 times the largest, or smaller. Higham (2002), Accuracy and Stability
of Numerical Algorithms, section 27.8, doi:10.1137/1.9780898718027.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np

from gnomon._typing import Integers, is_sparse

__all__ = ["ALWAYS", "PowerOfTwo", "largest_entry"]

ALWAYS = (1.0, 1.0)
"""The sizes that stay as they are where every other is brought to one."""


def largest_entry(X: Any, axis: int | tuple[()] | None = None) -> Any:
    """max |x| over all entries, over an axis, or of every entry by itself (``axis=()``); 0 of nothing.

    References
    ----------
    Higham, N. J. (2002). Accuracy and Stability of Numerical Algorithms. doi:10.1137/1.9780898718027

    Examples
    --------
    >>> from gnomon.numerics.scale import largest_entry
    >>> float(largest_entry([[1.0, -3.0], [2.0, 0.0]])), largest_entry([[1.0, -3.0], [2.0, 0.0]], axis=0).tolist()
    (3.0, [2.0, 3.0])
    """
    entries = X
    if is_sparse(X):
        stored: Any = X
        if isinstance(axis, int):
            return abs(stored).max(axis=axis).toarray().ravel() if min(X.shape) else np.zeros(X.shape[1 - axis])
        entries = stored.data
    return np.maximum(np.max(entries, axis=axis, initial=0.0), -np.min(entries, axis=axis, initial=0.0))


class PowerOfTwo(NamedTuple):
    """The unit 2^e of (1), for all numbers or for each column.

    Parameters
    ----------
    exponent : int or ndarray of int

    References
    ----------
    Higham, N. J. (2002). Accuracy and Stability of Numerical Algorithms. doi:10.1137/1.9780898718027

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.scale import PowerOfTwo
    >>> unit = PowerOfTwo.of([3e-200, -5e-200])
    >>> x = unit.inward([3e-200, -5e-200])
    >>> float(x @ x) > 1.0, unit.outward(np.sqrt(x @ x)) / np.hypot(3e-200, 5e-200)
    (True, np.float64(1.0))
    """

    exponent: int | Integers = 0

    @classmethod
    def of(cls, *factors: Any, axis: int | tuple[()] | None = None, within: tuple[float, float] = ALWAYS) -> Self:
        """The unit of products of these numbers: one where they are zeros, or the largest is `within` these sizes.

        Parameters
        ----------
        *factors : array-like or sparse matrix
        axis : int or (), optional
            Over what a unit is taken: everything, an axis (0 gives one for each column), or each number by itself.
        within : (float, float), default=ALWAYS

        Raises
        ------
        ValueError
            If a number is infinite or NaN.

        Examples
        --------
        >>> from gnomon.numerics.scale import PowerOfTwo
        >>> PowerOfTwo.of([3.0, -5.0]).value, PowerOfTwo.of([3.0, -5.0], within=(1e-3, 1e3)).value
        (4.0, 1.0)
        """
        mantissa, exponent = 0.5, 1
        for numbers in factors:
            largest = largest_entry(numbers, axis)
            if not np.all(np.isfinite(largest)):
                raise ValueError(f"a unit is of finite numbers; the largest given is {np.max(largest)}")
            m, e = np.frexp(np.asarray(largest, dtype=float))
            mantissa, carried = np.frexp(mantissa * m)
            exponent = exponent + e + carried
        size = np.ldexp(mantissa, np.clip(exponent, -1000, 1000))
        plain = (size == 0.0) | ((within[0] <= size) & (size <= within[1]))
        found = np.where(plain, 0, exponent - 1)
        return cls(found if found.ndim else int(found))

    @property
    def value(self) -> Any:
        """2^e; infinite or zero where that is no number."""
        value = np.ldexp(1.0, self.exponent)
        return value if np.ndim(value) else float(value)

    @property
    def is_one(self) -> bool:
        """Whether numbers stay as they are."""
        return not np.any(self.exponent)

    def to_the(self, degree: int) -> PowerOfTwo:
        """The unit of what is of this degree in the numbers."""
        return PowerOfTwo(degree * self.exponent)

    def over(self, other: PowerOfTwo) -> PowerOfTwo:
        """The unit of ratios of numbers to those of another unit."""
        return PowerOfTwo(self.exponent - other.exponent)

    def inward(self, x: Any) -> Any:
        """x̃ = 2^−e x, of the type of x; x itself where the unit is one."""
        return _times_two_to(x, -np.asarray(self.exponent)) if np.any(self.exponent) else x

    def outward(self, x: Any, degree: int = 1) -> Any:
        """2^(ke) x, for x of degree k in the numbers; infinite where that is no number."""
        return _times_two_to(x, degree * np.asarray(self.exponent)) if np.any(self.exponent) else x


def _times_two_to(x: Any, exponent: Integers) -> Any:
    if is_sparse(x):
        given: Any = x
        scaled = given.copy()
        scaled.data = _times_two_to(scaled.data, exponent[scaled.tocoo().col] if exponent.ndim else exponent)
        return scaled
    with np.errstate(over="ignore"):
        return np.ldexp(x, exponent)
