"""The values that a categorical column may take, and the codes of cells among them.

    slot of cell x:  k for the value v_k,  V for none of v_0 … v_{V−1},  V + 1 where the cell is missing             (1)

Values are declared by the user or by the type of a column, or are what the cells hold. Domains of chunks join.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any, Literal, TypeAlias

import numpy as np

from gnomon._jit import jit
from gnomon._typing import Array, ArrayLike, Floats, Integers
from gnomon.numerics.tables import Column, FeatureTable

__all__ = ["Domain", "domains_of", "encode", "listed_values", "ordered", "sizes_of"]

MOST_VALUES = 10**7
"""A table of more values than this is a mistake: an identifier, or a measurement."""


Categories: TypeAlias = Literal["auto"] | Sequence[ArrayLike | None] | dict[str, Any]


@dataclass(frozen=True)
class Domain:
    """The values of a column.

    Parameters
    ----------
    size : int
        V. It may exceed the number of values that are listed: then some are known to exist but not by name.
    values : tuple, optional
        The values in order; None: the codes 0 … V − 1, to which numbers are cut.
    declared : bool, default=False
        Whether there can be no others.

    Examples
    --------
    >>> from gnomon.numerics.domains import Domain
    >>> from gnomon.numerics.tables import as_table
    >>> hue = Domain(2, ("blue", "red"))
    >>> hue.codes(as_table([["red"], ["green"], [None]]).column(0)).tolist()
    [1, 2, 3]
    >>> hue.joined(Domain(2, ("green", "red")), "hue").values
    ('blue', 'green', 'red')
    """

    size: int
    values: tuple[Any, ...] | None = None
    declared: bool = False

    @property
    def labels(self) -> Array:
        """The values in order, as an array."""
        if self.values is None:
            return np.arange(self.size)
        if {type(value) for value in self.values} == {str}:
            return np.array(self.values)
        # One by one: values may be tuples, which NumPy would take apart.
        return np.fromiter(self.values, dtype=object, count=len(self.values))

    def codes(self, column: Column) -> Integers:
        """The slot of every cell: that of its value, `size` for none of them, `size` + 1 where it is missing."""
        if self.values is None:
            if not column.is_number:
                return np.where(column.missing, self.size + 1, self.size)
            return _slots(column.cells[:, None], np.array([self.size]))[:, 0]
        slots = {value: slot for slot, value in enumerate(self.values)}
        if column.places is not None and column.declared is not None:
            return np.array([*(slots.get(value, self.size) for value in column.declared), self.size + 1])[column.places]
        cells = column.cells.tolist()
        codes = np.fromiter(map(slots.get, cells, repeat(self.size)), dtype=np.intp, count=len(cells))
        return np.where(column.missing, self.size + 1, codes)

    def joined(self, other: Domain, name: str) -> Domain:
        """The domain of both."""
        if 0 in (self.size, other.size):
            return self if self.size else other
        if self.values is None and other.values is None:
            return Domain(max(self.size, other.size))
        if self.values is None or other.values is None:
            raise ValueError(f"column {name!r} held numbers in one chunk and other values in another; convert it")
        new = tuple(value for value in other.values if value not in set(self.values))
        declared = self.declared or other.declared
        values = self.values + new if declared else ordered(self.values + new)
        return Domain(max(len(values), self.size, other.size), values, declared)

    def slots_of(self, other: Domain) -> Integers:
        """Where the values of another domain, and its slot for missing cells, are in this one's counts."""
        if self.values is None or other.values is None or self == other:
            places = np.arange(other.size)
        else:
            unnamed = range(len(other.values), other.size)
            places = np.array([*map(self.values.index, other.values), *unnamed], dtype=np.intp)
        return np.append(places, self.size)


def ordered(values: Iterable[Any]) -> tuple[Any, ...]:
    """Values sorted, numbers before strings.

    Examples
    --------
    >>> from gnomon.numerics.domains import ordered
    >>> ordered({"b", 10, "a", 9})
    (9, 10, 'a', 'b')
    """
    return tuple(sorted(values, key=lambda value: (isinstance(value, str), value)))


def domains_of(
    table: FeatureTable, which: Sequence[int], categories: Categories = "auto", min_categories: ArrayLike | None = None
) -> tuple[Domain, ...]:
    """The domains of the columns `which`: declared by `categories` or by the column, else what the cells hold.

    Parameters
    ----------
    table : FeatureTable
    which : sequence of int
        Numbers of the columns.
    categories : "auto", list of array-like, or dict, default="auto"
        The values of every column of the table, met or not (None for a column as it is); a dict names columns, and
        leaves the others as they are. "auto": those that the type of a column declares; for numbers, which are cut to
        whole ones, those from 0 to the largest; for strings those that are met.
    min_categories : int or array-like of int, one for each of `which`, optional
        V is at least this.

    Returns
    -------
    tuple of Domain

    Examples
    --------
    >>> from gnomon.numerics.domains import domains_of
    >>> from gnomon.numerics.tables import as_table
    >>> table = as_table([["red", 2], ["blue", 0]])
    >>> [domain.labels.tolist() for domain in domains_of(table, [0, 1])]
    [['blue', 'red'], [0, 1, 2]]
    >>> domains_of(table, [0], {"x0": ["red", "green", "blue"]})[0].size
    3
    """
    least = _least_sizes(min_categories, len(which))
    listed = listed_values(categories, table.names, which)
    if table.matrix is not None and all(values is None for values in listed):
        extremes = zip(which, *_extremes(table.block(which)), least, strict=True)
        return tuple(_codes(low, high, table.names[j], int(size)) for j, low, high, size in extremes)
    return tuple(
        _domain(table.column(j), table.names[j], declared, int(size))
        for j, declared, size in zip(which, listed, least, strict=True)
    )


def listed_values(categories: Categories, names: Sequence[str], which: Sequence[int]) -> list[tuple[Any, ...] | None]:
    """The values that `categories`, as in `domains_of`, lists for the columns `which`; None for a column as it is.

    Examples
    --------
    >>> from gnomon.numerics.domains import listed_values
    >>> listed_values({"hue": ["red", "blue"]}, ["hue", "size"], [0, 1])
    [('red', 'blue'), None]
    """
    if isinstance(categories, str) and categories == "auto":
        return [None] * len(which)
    if isinstance(categories, dict):
        unknown = [name for name in categories if name not in names]
        if unknown:
            raise ValueError(f"categories names the column {unknown[0]!r}, which X does not have; it has {list(names)}")
        listed: Sequence[Any] = [categories.get(name) for name in names]
    elif isinstance(categories, str) or not np.iterable(categories) or len(categories) != len(names):
        raise ValueError(
            f"categories={categories!r} must be 'auto', a list with the values of each of the {len(names)} columns "
            "(None for a column as it is), or a dict from the name of a column to its values"
        )
    else:
        listed = categories
    return [_values(listed[j], names[j]) for j in which]


def _values(declared: Iterable[Any] | None, name: str) -> tuple[Any, ...] | None:
    """The values that the user declares for a column, as Python objects; None for none."""
    if declared is None:
        return None
    if isinstance(declared, str) or not np.iterable(declared):
        raise ValueError(f"the categories of column {name!r} are given as {declared!r}; give a list of values")
    values = tuple(value.item() if isinstance(value, np.generic) else value for value in declared)
    if any(value is None or value != value for value in values):
        raise ValueError(f"the categories of column {name!r} are {list(values)}; a missing cell is no value, drop it")
    if len(set(values)) != len(values) or not values:
        raise ValueError(f"the categories of column {name!r} are {list(values)}; list each value once")
    return values


def _least_sizes(min_categories: ArrayLike | None, d: int) -> Integers:
    if min_categories is None:
        return np.zeros(d, dtype=int)
    least = np.asarray(min_categories)
    if least.dtype.kind != "i":
        raise ValueError(f"'min_categories' should have integral type. Got {least.dtype} instead.")
    if least.shape not in ((), (d,)):
        raise ValueError(f"'min_categories' should have shape ({d},) when an array-like is provided. Got {least.shape}")
    if np.any(least < (0 if least.ndim else 1)):
        raise ValueError(f"min_categories={min_categories!r} must be ≥ 1; give numbers of values")
    return np.broadcast_to(least, (d,))


def _domain(column: Column, name: str, declared: tuple[Any, ...] | None, least: int) -> Domain:
    if declared is None:
        declared = _values(column.declared or None, name)
    if declared is not None:
        return Domain(max(len(declared), least), declared, declared=True)
    if column.is_number:
        low, high = _extremes(column.cells[:, None])
        return _codes(low[0], high[0], name, least)
    values = ordered({cell for cell in column.cells if cell is not None})
    return Domain(max(len(values), least), values)


def _codes(low: float, high: float, name: str, least: int) -> Domain:
    """The domain of whole numbers up to the largest that was met; empty if none was."""
    if low <= -1.0:
        raise ValueError(
            f"Negative values in data passed as categories: column {name!r} holds {low:g}; codes are whole numbers "
            "from 0 on, so recode it, or declare its categories"
        )
    if high >= MOST_VALUES:
        raise ValueError(
            f"column {name!r} holds {high:g}; codes run from 0 to the largest, which would be too many, so make them "
            "strings, or declare the categories"
        )
    return Domain(max(int(max(high, -1.0)) + 1, least))


def encode(table: FeatureTable, which: Sequence[int], domains: Sequence[Domain]) -> Integers:
    """Slots of all cells of the columns `which` by equation (1) of this module, shape (n, len(which)).

    Examples
    --------
    >>> from gnomon.numerics.domains import domains_of, encode
    >>> from gnomon.numerics.tables import as_table
    >>> table = as_table([["red", 2], ["blue", 0], [None, 5]])
    >>> encode(table, [0, 1], domains_of(table[:2], [0, 1])).tolist()
    [[1, 2], [0, 0], [3, 3]]
    """
    if table.matrix is not None and all(domain.values is None for domain in domains):
        return _slots(table.block(which), sizes_of(domains))
    columns = [domain.codes(table.column(j)) for j, domain in zip(which, domains, strict=True)]
    return np.column_stack(columns)


def sizes_of(domains: Iterable[Domain]) -> Integers:
    """V of every domain, which is also the slot of values that it does not have.

    Examples
    --------
    >>> from gnomon.numerics.domains import Domain, sizes_of
    >>> sizes_of([Domain(3), Domain(2, ("no", "yes"))])
    array([3, 2])
    """
    return np.array([domain.size for domain in domains])


@jit
def _slots(X: Array, sizes: Integers) -> Integers:
    """Equation (1) where the values are the codes 0 … V − 1, to which numbers are cut."""
    out = np.empty(X.shape, dtype=np.intp)
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            x = X[i, j]
            if x != x:
                out[i, j] = sizes[j] + 1
            elif x > -1 and x < sizes[j]:
                out[i, j] = int(x)
            else:
                out[i, j] = sizes[j]
    return out


@jit
def _extremes(X: Array) -> tuple[Floats, Floats]:
    """The least and the largest number of every column, infinities where there is none."""
    low, high = np.full(X.shape[1], np.inf), np.full(X.shape[1], -np.inf)
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            x = float(X[i, j])
            if x < low[j]:
                low[j] = x
            if x > high[j]:
                high[j] = x
    return low, high
