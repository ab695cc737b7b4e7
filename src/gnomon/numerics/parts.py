"""Work in parts whose division does not depend on the number of threads.

    Σ_p f(p),  added in the order of the parts p,  has the same bits whoever computes f(p)              (1)

Sums of floats depend on their order: Goldberg (1991), What every computer scientist should know about floating-point
arithmetic, doi:10.1145/103162.103163.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias, TypeVar

from gnomon.numerics.parallel import split_rows

__all__ = ["Run", "fixed_parts", "in_turn"]

MOST_PARTS = 4

Item = TypeVar("Item")
Result = TypeVar("Result")

Run: TypeAlias = Callable[[Callable[[Any], Any], Iterable[Any]], list[Any]]
"""(function, items) → the list of its results: `in_turn`, or a `Team` of threads."""


def in_turn(function: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
    """The results by the caller alone: a `Run` for those who are lent no threads.

    References
    ----------
    Goldberg, D. (1991). What every computer scientist should know about floating-point arithmetic.
    doi:10.1145/103162.103163

    Examples
    --------
    >>> from gnomon.numerics.parts import in_turn
    >>> in_turn(lambda k: k * k, range(4))
    [0, 1, 4, 9]
    """
    return [function(item) for item in items]


def fixed_parts(n: int, least: int) -> list[slice]:
    """`n` rows as at most four slices of at least `least` rows, or as one.

    References
    ----------
    Goldberg, D. (1991). What every computer scientist should know about floating-point arithmetic.
    doi:10.1145/103162.103163

    Examples
    --------
    >>> from gnomon.numerics.parts import fixed_parts
    >>> fixed_parts(100, 40), fixed_parts(100, 60)
    ([slice(0, 50, None), slice(50, 100, None)], [slice(0, 100, None)])
    """
    return split_rows(n, min(MOST_PARTS, n // least))
