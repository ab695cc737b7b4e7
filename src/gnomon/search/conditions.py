"""What a branch of a tree asks of a row: an interval of a quantity, or a set of categories.

    low < Σ_j c_j x_j ≤ high        x_j ∈ {v, v′, …}        each with or without "or missing"                        (1)

A comparison x_j ≤ t is the interval of the single term x_j, an oblique test one of several terms. Conditions of the
same quantity meet (both hold) in one condition, so that a path of many tests becomes one condition per quantity.
Quinlan (1987), Generating production rules from decision trees, IJCAI-87.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any, Self, TypeAlias

import numpy as np

from gnomon._typing import Array, Bools
from gnomon.search.tree import Tree
from gnomon.search.words import Cell, Words

__all__ = ["Interval", "OneOf", "branch_conditions", "narrowed", "reached", "stop_condition", "usual_branch"]

Terms: TypeAlias = tuple[tuple[int, float], ...]
"""Columns and their coefficients."""

End: TypeAlias = tuple[float, bool]
"""Where an interval ends, and whether that number is left out (the lower end) or belongs to it (the upper end)."""

Reach: TypeAlias = Mapping[int, frozenset[int]]
"""The categories that can reach a node, by column."""


@dataclass(frozen=True)
class Interval:
    """Values of Σ c_j x_j between two ends.

    Parameters
    ----------
    terms : tuple of (int, float)
        Columns and their coefficients; ``((j, 1.0),)`` for a single column.
    low : (float, bool)
        The lower end, and whether it is left out.
    high : (float, bool)
        The upper end, and whether it belongs.
    holes : frozenset of float
        Numbers between them that do not pass.
    missing : bool
        Whether a row in which the quantity cannot be computed passes.
    mention_missing : bool
        Whether text mentions it; it does not where such rows follow the heavier branch, as is usual.

    References
    ----------
    Quinlan, J. R. (1987). Generating production rules from decision trees. IJCAI-87, 304-307.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search.conditions import Interval
    >>> both = Interval.of(0, high=(5.0, True)).meet(Interval.of(0, low=(2.0, True)))
    >>> both.holds(np.array([[2.0], [5.0], [np.nan]]))
    array([False,  True, False])
    """

    terms: Terms
    low: End = (-inf, True)
    high: End = (inf, True)
    holes: frozenset[float] = frozenset()
    missing: bool = False
    mention_missing: bool = field(default=False, compare=False)

    @classmethod
    def of(cls, column: int, **parts: Any) -> Self:
        """An interval of one column."""
        return cls(((column, 1.0),), **parts)

    @property
    def key(self) -> Terms:
        """Conditions of the same key meet."""
        return self.terms

    @property
    def columns(self) -> tuple[int, ...]:
        """The columns that it reads."""
        return tuple(j for j, _ in self.terms)

    @property
    def place(self) -> tuple[bool, End]:
        """Where it stands among others of its key: by the lower end, and last if no number passes."""
        return (self.is_empty, self.low)

    @property
    def is_empty(self) -> bool:
        """Whether no number passes."""
        (a, strict), (b, included) = self.low, self.high
        return a > b or (a == b and (strict or not included))

    @property
    def is_whole(self) -> bool:
        """Whether every row passes."""
        return self.low[0] == -inf and self.high[0] == inf and self.missing and not self.holes

    def complete(self, values: tuple[Cell, ...] | None) -> Self:
        """The same for rows without gaps; `values` are those of the column, None for numbers."""
        return replace(self, missing=False, mention_missing=False)

    def holds(self, X: Array) -> Bools:
        """Whether each row of X passes."""
        value = np.zeros(len(X))
        for j, c in self.terms:
            value = value + c * X[:, j].astype(float)
        (a, strict), (b, included) = self.low, self.high
        above = value > a if strict else value >= a
        below = value <= b if included else value < b
        return (above & below & ~np.isin(value, list(self.holes))) | (np.isnan(value) & self.missing)

    def meet(self, other: Self) -> Self:
        """Both hold."""
        return replace(
            self,
            low=max(self.low, other.low),
            high=min(self.high, other.high),
            holes=self.holes | other.holes,
            missing=self.missing and other.missing,
            mention_missing=self.mention_missing or other.mention_missing,
        )

    def join(self, other: Self) -> Self | None:
        """One or the other holds; None if no single condition says so."""
        first, second = sorted([self, other], key=lambda interval: interval.place)
        missing, mention_missing = self.missing or other.missing, self.mention_missing or other.mention_missing
        if second.is_empty:
            return replace(first, missing=missing, mention_missing=mention_missing)
        if second.low[0] == second.high[0] and second.low[0] in first.holes:
            return replace(first, holes=first.holes - {second.low[0]}, missing=missing, mention_missing=mention_missing)
        (a, included), (b, strict) = first.high, second.low
        # They touch if the end of one is the beginning of the other, and just one of them has it.
        if a != b or included != strict:
            return None
        return replace(
            first, high=second.high, holes=first.holes | second.holes, missing=missing, mention_missing=mention_missing
        )


@dataclass(frozen=True)
class OneOf:
    """Categories of one column.

    Parameters
    ----------
    column : int
    codes : frozenset of int
        Those that pass.
    size : int
        How many categories there are.
    missing, mention_missing : bool
        As in `Interval`; a category that is not among them counts as missing.

    References
    ----------
    Quinlan, J. R. (1987). Generating production rules from decision trees. IJCAI-87, 304-307.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search.conditions import OneOf
    >>> OneOf(0, frozenset({0, 2}), 3).holds(np.array([[0.0], [1.0], [np.nan]]))
    array([ True, False, False])
    """

    column: int
    codes: frozenset[int]
    size: int
    missing: bool = False
    mention_missing: bool = field(default=False, compare=False)

    @property
    def key(self) -> Terms:
        """Conditions of the same key meet."""
        return ((self.column, 1.0),)

    @property
    def columns(self) -> tuple[int, ...]:
        """The columns that it reads."""
        return (self.column,)

    @property
    def place(self) -> int:
        """Where it stands among others of its key; all can be joined, so anywhere."""
        return 0

    @property
    def is_empty(self) -> bool:
        """Whether no category passes."""
        return not self.codes

    @property
    def is_whole(self) -> bool:
        """Whether every row passes."""
        return len(self.codes) == self.size and self.missing

    def complete(self, values: tuple[Cell, ...] | None) -> OneOf:
        """The same for rows without gaps; `values` are those of the column, None last if a gap is one of them."""
        size = min(self.size, sum(value is not None for value in values or ()))
        return OneOf(self.column, self.codes & frozenset(range(size)), size)

    def holds(self, X: Array) -> Bools:
        """Whether each row of X passes."""
        x = X[:, self.column]
        known = np.isin(x, np.arange(self.size))
        return np.where(known, np.isin(x, list(self.codes)), self.missing)

    def meet(self, other: Self) -> Self:
        """Both hold."""
        missing, mention_missing = self.missing and other.missing, self.mention_missing or other.mention_missing
        return replace(self, codes=self.codes & other.codes, missing=missing, mention_missing=mention_missing)

    def join(self, other: Self) -> Self:
        """One or the other holds."""
        missing, mention_missing = self.missing or other.missing, self.mention_missing or other.mention_missing
        return replace(self, codes=self.codes | other.codes, missing=missing, mention_missing=mention_missing)


Condition: TypeAlias = Interval | OneOf


def usual_branch(tree: Tree, node: int) -> int:
    """Where missing values go if nothing was learnt of them: of two branches the heavier or second, of more none."""
    children = tree.children(node)
    if len(children) != 2 or not np.any(tree.weight[children] > 0.0):
        return -1
    return int(tree.weight[children[1]] >= tree.weight[children[0]])


def branch_conditions(tree: Tree, node: int, words: Words) -> list[Condition]:
    """What each branch of a node asks, in order; `words` says how many categories a column has.

    References
    ----------
    Quinlan, J. R. (1987). Generating production rules from decision trees. IJCAI-87, 304-307.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import Gini, Words, code_columns, grow_tree
    >>> from gnomon.search.conditions import branch_conditions
    >>> tree = grow_tree(code_columns(np.array([[1.0], [2.0]])), np.array([0, 1]), Gini(2))
    >>> [condition.high[0] for condition in branch_conditions(tree, 0, Words.plain(tree))]
    [1.5, inf]
    """
    branches = range(len(tree.children(node)))
    missing = int(tree.missing[node])
    mention_missing = missing != usual_branch(tree, node)
    found = _known_conditions(tree, node, words, len(branches))
    # A branch beyond those of the test is that of missing values alone.
    found += [Interval(found[0].key, low=(inf, True)) for _ in branches[len(found) :]]
    return [replace(found[b], missing=b == missing, mention_missing=mention_missing) for b in branches]


def narrowed(conditions: Iterable[Condition], reach: Reach) -> list[Condition]:
    """Conditions with those categories alone that can reach them; `reach` has these by column, of some columns.

    References
    ----------
    Quinlan, J. R. (1987). Generating production rules from decision trees. IJCAI-87, 304-307.

    Examples
    --------
    >>> from gnomon.search.conditions import OneOf, narrowed
    >>> narrowed([OneOf(0, frozenset({0, 1}), 3)], {0: frozenset({1, 2})})[0].codes
    frozenset({1})
    """
    found = []
    for condition in conditions:
        if isinstance(condition, OneOf) and condition.codes & reach.get(condition.column, condition.codes):
            condition = replace(condition, codes=condition.codes & reach.get(condition.column, condition.codes))
        found.append(condition)
    return found


def reached(condition: Condition, reach: Reach) -> Reach:
    """`reach` behind a condition."""
    return {**reach, condition.column: condition.codes} if isinstance(condition, OneOf) else reach


def stop_condition(tree: Tree, node: int, words: Words) -> Condition | None:
    """What rows are asked that stop at an inner node: no branch takes them; None if every row has a branch."""
    if tree.is_leaf[node] or tree.missing[node] >= 0:
        return None
    taken = _known_conditions(tree, node, words, len(tree.children(node)))
    sets = [condition for condition in taken if isinstance(condition, OneOf)]
    if sets:
        left = frozenset(range(sets[0].size)).difference(*(condition.codes for condition in sets))
        return replace(sets[0], codes=left, missing=True, mention_missing=True)
    k = tree.tests.which[node]
    three_ways = k >= 0 and tree.tests.test(k)[0] == 1
    left = _ways(tree, node, -1) if three_ways else Interval(taken[0].key, low=(inf, True))
    return replace(left, missing=True, mention_missing=True)


def _ways(tree: Tree, node: int, branch: int) -> Interval:
    """The part of x < t, x = t and x > t that goes to a branch: an interval, perhaps with a hole at t."""
    _, _, branches, coefs = tree.tests.test(tree.tests.which[node])
    t, to = float(coefs[0]), np.where(branches[:3] < 0, tree.missing[node], branches[:3])
    here = np.flatnonzero(to == branch).tolist()
    if not here:
        return Interval.of(int(tree.feature[node]), low=(inf, True))
    low, high = ((-inf, True), (t, False), (t, True))[here[0]], ((t, False), (t, True), (inf, True))[here[-1]]
    holes = frozenset({t} if here == [0, 2] else ())
    return Interval.of(int(tree.feature[node]), low=low, high=high, holes=holes)


def _known_conditions(tree: Tree, node: int, words: Words, n_branches: int) -> list[Condition]:
    k, j = tree.tests.which[node], int(tree.feature[node])
    if k < 0:
        return _sides(((j, 1.0),), float(tree.threshold[node]))
    kind, cells, branches, coefs = tree.tests.test(k)
    if kind == 2:
        return _sides(tuple(zip(cells[:-1].tolist(), coefs[:-1].tolist(), strict=True)), float(coefs[-1]))
    if kind == 1:
        return [_ways(tree, node, b) for b in range(n_branches)]
    size = max(words.size(j), int(np.max(cells, initial=-1)) + 1)
    goes = np.full(size, tree.missing[node])
    goes[cells] = branches
    return [OneOf(j, frozenset(np.flatnonzero(goes == b).tolist()), size) for b in range(n_branches)]


def _sides(terms: Terms, t: float) -> list[Condition]:
    return [Interval(terms, high=(t, True)), Interval(terms, low=(t, True))]
