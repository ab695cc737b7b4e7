"""The tests of one column: what parts each makes, and how to write it down.

    cut     x ≤ t, x > t               three ways  x < t, x = t, x > t  with t a value
    set     x in S, x not in S         multiway    x = v_1, …, x = v_k  for the values present                       (1)

`CandidateTests` hold the parts of all tests of one form as arrays of shape (branches, tests), so that scores are taken
of all at once. Missing rows are a group of their own: with cuts they are tried on either side, and against all known
rows; with categories they are one more value. Breiman et al. (1984), doi:10.1201/9781315139470; three ways and
multiway: Quinlan (1993), C4.5: Programs for Machine Learning.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from gnomon._typing import Array, Floats, Integers
from gnomon.search._cuts import ALL_SUBSETS
from gnomon.search._grouped import Groups, Parts
from gnomon.search.columns import midpoint

COMPARED, TABLE, THREE_WAYS, OBLIQUE = -1, 0, 1, 2
"""Kinds of tests: x ≤ threshold, and those of `Tests`."""

ELSEWHERE = -1
"""The branch of rows that a test cannot place."""


class NodeTest(NamedTuple):
    """A test; the fields after `threshold` are those of `Tests`."""

    feature: int
    threshold: float
    kind: int = COMPARED
    cells: Sequence[int] | Integers = ()
    branches: Sequence[int] | Integers = ()
    coefs: Sequence[float] | Floats = ()

    def branch_of(self, values: Callable[[int], Array]) -> Integers:
        """The branch of each row, `ELSEWHERE` where its value is missing or not in the table.

        `values` gives the column of a number; it knows which rows.
        """
        if self.kind == OBLIQUE:
            # The sum is taken in the order in which a compiled descent takes it.
            total = sum(c * values(j) for c, j in zip(self.coefs[:-1], self.cells[:-1], strict=True))
            return np.where(np.isnan(total), ELSEWHERE, total > self.coefs[-1])
        x = values(self.feature)
        if self.kind == COMPARED:
            return np.where(np.isnan(x), ELSEWHERE, x > self.threshold)
        if self.kind == THREE_WAYS:
            t = self.coefs[0]
            side = np.where(x < t, 0, np.where(x > t, 2, 1))
            return np.where(np.isnan(x), ELSEWHERE, np.asarray(self.branches)[side])
        at = np.minimum(np.searchsorted(self.cells, np.nan_to_num(x, nan=-1.0)), len(self.cells) - 1)
        return np.where(np.asarray(self.cells)[at] == x, np.asarray(self.branches)[at], ELSEWHERE)


class CandidateTests(NamedTuple):
    """Tests of one form: their parts, of shape (branches, tests); `write(c)` gives the test and the missing branch."""

    parts: Parts
    write: Callable[[int], tuple[NodeTest, int]]


class Grouping(NamedTuple):
    """The rows of a node by the value of one column; `values` ascend, and `missing` is the group of NaN or −1."""

    feature: int
    groups: Groups
    values: Floats
    high: Floats
    missing: int

    @property
    def known(self) -> Integers:
        """The groups with a value."""
        return np.arange(len(self.values))


def cuts(g: Grouping) -> list[CandidateTests]:
    """x ≤ t for every gap between values."""
    known = g.known
    below, above = g.groups.prefixes(known), g.groups.prefixes(known[::-1])[::-1]
    if g.missing < 0:
        return [_cut_family(g, below[:-1], above[1:], ELSEWHERE)]
    lower = g.groups.prefixes(np.concatenate([[g.missing], known]))[1:]
    upper = g.groups.prefixes(np.concatenate([[g.missing], known[::-1]]))[::-1][1:]
    return [_cut_family(g, below, upper, 1), _cut_family(g, lower[:-1], above[1:], 0)]


def _cut_family(g, left, right, missing):
    def write(c):
        last = c + 1 == len(g.values)
        return NodeTest(g.feature, np.inf if last else midpoint(g.high[c], g.values[c + 1])), missing

    return CandidateTests(Parts.stack([left, right]), write)


def three_ways(g: Grouping) -> list[CandidateTests]:
    """x < t, x = t, x > t for every value t; missing rows below, above, or against all others."""
    known, k = g.known, len(g.values)
    same = g.groups.each()[:k]
    nothing = Parts.empty(1)
    below = Parts.join([nothing, g.groups.prefixes(known[:-1])]) if k > 1 else nothing
    above = Parts.join([g.groups.prefixes(known[:0:-1])[::-1], nothing]) if k > 1 else nothing
    if g.missing < 0:
        return [_way_family(g, below, same, above, ELSEWHERE)]
    lower = g.groups.prefixes(np.concatenate([[g.missing], known[:-1]]))
    upper = g.groups.prefixes(np.concatenate([[g.missing], known[:0:-1]]))[::-1]
    apart = _cut_family(g, g.groups.prefixes(known)[-1:], g.groups.each()[[g.missing]], 1)
    alone = CandidateTests(apart.parts, lambda c: apart.write(k - 1))
    return [_way_family(g, below, same, upper, 2), _way_family(g, lower, same, above, 0), alone]


def _way_family(g, below, same, above, missing):
    parts = Parts.stack([below, same, above])

    def write(c):
        there = parts.count[:, c] > 0.0
        branches = np.where(there, np.cumsum(there) - 1, ELSEWHERE)
        test = NodeTest(g.feature, np.nan, THREE_WAYS, np.zeros(3, dtype=int), branches, np.full(3, g.values[c]))
        return test, ELSEWHERE if missing < 0 else int(branches[missing])

    return CandidateTests(parts, write)


def multiway(g: Grouping) -> list[CandidateTests]:
    """One branch for each value."""
    each = g.groups.each()
    labels = np.arange(len(each.count))
    return [CandidateTests(Parts.stack([each[[label]] for label in labels]), lambda c: _table(g, labels))]


def equality(g: Grouping) -> list[CandidateTests]:
    """One value against the rest."""
    single = np.eye(len(g.groups.each().count))
    return [_sets(g, single)]


def subsets(g: Grouping) -> list[CandidateTests]:
    """A set of values against the others: prefixes of the best order, or all sets of few values of many classes."""
    k = len(g.groups.each().count)
    if g.groups.many_classes and k <= ALL_SUBSETS:
        # The last group is always right: the other half of the sets are the same divisions.
        return [_sets(g, (np.arange(1, 2 ** (k - 1))[:, None] >> np.arange(k)) & 1)]
    order = g.groups.order()
    left, right = g.groups.prefixes(order)[:-1], g.groups.prefixes(order[::-1])[::-1][1:]
    place = np.argsort(order)
    return [CandidateTests(Parts.stack([left, right]), lambda c: _table(g, (place > c).astype(int)))]


def _sets(g, member):
    parts = Parts.stack([g.groups.unions(member), g.groups.unions(1 - member)])
    return CandidateTests(parts, lambda c: _table(g, 1 - member[c].astype(int)))


def _table(g, labels):
    """The values of groups with their branches."""
    known = labels[: len(g.values)]
    test = NodeTest(g.feature, np.nan, TABLE, g.values.astype(int), known, np.zeros(len(known)))
    return test, ELSEWHERE if g.missing < 0 else int(labels[g.missing])


def drawn(tests, g, is_category, rng):
    """One of the `tests` of each family: at a uniform draw between the extremes of a number, by any set of values."""
    if tests is subsets:
        return [_sets(g, _any_set(len(g.groups.each().count), rng))]
    families = tests(g)
    if is_category or len(g.values) < 2:
        chosen = [int(rng.integers(len(family.parts.mass[0]))) for family in families]
        return [_only(family, [c], family.write) for family, c in zip(families, chosen, strict=True)]
    t = rng.uniform(g.values[0], g.high[-1])
    c = int(np.clip(np.searchsorted(g.high, t, side="right") - 1, 0, len(g.values) - 2))
    inside = g.high[c] <= t < g.values[c + 1]

    def at_draw(family):
        def write(which):
            test, missing = family.write(which)
            moved = which == c and test.kind == COMPARED and inside
            return (test._replace(threshold=t) if moved else test), missing

        # All known rows against the missing ones, where there is such a test, is tried as well.
        tests = family.parts.mass.shape[1]
        return _only(family, [which for which in (c, len(g.values) - 1) if which < tests], write)

    return [at_draw(family) for family in families]


def _any_set(k, rng):
    """A row that marks some of k groups, neither none nor all; all such sets are as likely."""
    member = np.zeros(k, dtype=int)
    while not 0 < np.sum(member) < k:
        member = rng.integers(0, 2, k)
    return member[None]


def _only(family, kept, write):
    return CandidateTests(family.parts[:, kept], lambda c: write(kept[c]))


NumericTest: TypeAlias = Literal["le", "three_way"]
CategoricalTest: TypeAlias = Literal["subset", "multiway", "equality"]
FormOfTest: TypeAlias = Callable[[Grouping], list[CandidateTests]]

NUMBER_TESTS: dict[NumericTest, FormOfTest] = {"le": cuts, "three_way": three_ways}
CATEGORY_TESTS: dict[CategoricalTest, FormOfTest] = {"subset": subsets, "multiway": multiway, "equality": equality}
