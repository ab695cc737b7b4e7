"""Rows of a node in groups, and the worth of unions of groups.

    worth(S) = −Σ_{i in S} w_i · H(S),    S = g_1 ∪ … ∪ g_c for c = 1 … k, each group alone, any set of them       (1)

Whatever a test may be (a cut, three ways, one branch for each value, a set of values), its parts are unions of the
groups of rows that share a value, so these three questions are all that is asked. `SumGroups` answers them from sums
that add up; the sums of a union are the sums of its groups. Breiman et al. (1984), doi:10.1201/9781315139470.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from gnomon._jit import compiled, jit
from gnomon._typing import Array, Floats, Integers
from gnomon.search._cuts import order_categories

if TYPE_CHECKING:
    from gnomon.search._criterion import SumCriterion


@dataclass(frozen=True, eq=False)
class Parts:
    """Worth, number of rows and weight of parts of a node, as arrays of one shape.

    Parameters
    ----------
    worth, count, mass : ndarray
        −n H, the number of rows, and n = Σ w.

    References
    ----------
    Breiman, L., Friedman, J., Stone, C. J. & Olshen, R. A. (1984). Classification and Regression Trees.
    doi:10.1201/9781315139470

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import Gini
    >>> parts = Gini(2).groups(np.array([0, 1, 1, 1]), np.ones(4), np.array([0, 0, 1, 1]), 2).each()
    >>> parts.worth, parts.count, parts.mass
    (array([-1.,  0.]), array([2., 2.]), array([2., 2.]))
    """

    worth: Floats
    count: Floats
    mass: Floats

    def __getitem__(self, which: Any) -> Parts:
        return Parts(self.worth[which], self.count[which], self.mass[which])

    @classmethod
    def empty(cls, length: int) -> Parts:
        """Parts without rows."""
        return cls(np.zeros(length), np.zeros(length), np.zeros(length))

    @classmethod
    def stack(cls, parts: Sequence[Parts]) -> Parts:
        """Several, along a new first axis."""
        return cls._from(np.stack, parts)

    @classmethod
    def join(cls, parts: Sequence[Parts]) -> Parts:
        """Several, one after the other."""
        return cls._from(np.concatenate, parts)

    @classmethod
    def _from(cls, combine: Callable[[list[Floats]], Floats], parts: Sequence[Parts]) -> Parts:
        return cls(*(combine([vars(part)[name] for part in parts]) for name in ("worth", "count", "mass")))


class Groups(Protocol):
    """What is asked of the rows of a node in groups: what `Criterion.groups` gives.

    References
    ----------
    Breiman, L., Friedman, J., Stone, C. J. & Olshen, R. A. (1984). Classification and Regression Trees.
    doi:10.1201/9781315139470

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import AbsoluteError
    >>> groups = AbsoluteError().groups(np.array([1.0, 2.0, 9.0]), np.ones(3), np.array([0, 0, 1]), 2)
    >>> -groups.prefixes(np.array([1, 0])).worth
    array([0., 8.])
    """

    @property
    def answers(self) -> Floats:
        """What each group predicts, a row for each."""

    @property
    def many_classes(self) -> bool:
        """Whether the best set need not be a prefix of `order`."""

    def each(self) -> Parts:
        """Each group alone."""

    def prefixes(self, order: Integers) -> Parts:
        """The unions of the first 1, 2, … groups of `order`."""

    def unions(self, member: Array) -> Parts:
        """The union of the groups that each row of the matrix `member` marks."""

    def order(self) -> Integers:
        """The groups in the order in which categories are cut."""


@dataclass(frozen=True, eq=False)
class SumGroups:
    """Groups known by their sums, a row of `sums` each."""

    criterion: SumCriterion
    sums: Floats

    @classmethod
    def of(cls, criterion: SumCriterion, y: Array, w: Floats, group: Integers, k: int) -> SumGroups:
        """The sums of k groups; `group` gives the group of each row."""
        sums = np.zeros(k * (criterion.size + 1))
        TALLY.run(criterion.tallier, np.ravel(y), w, group, sums)
        return cls(criterion, sums.reshape(k, criterion.size + 1))

    @property
    def answers(self) -> Floats:
        return self.criterion.answers(self.sums)

    @property
    def many_classes(self) -> bool:
        return self.criterion.many_classes

    def _parts(self, sums: Floats) -> Parts:
        return Parts(self.criterion.worths(sums), sums[:, 0], self.criterion.masses(sums))

    def each(self) -> Parts:
        return self._parts(self.sums)

    def prefixes(self, order: Integers) -> Parts:
        return self._parts(np.cumsum(self.sums[order], axis=0))

    def unions(self, member: Array) -> Parts:
        return self._parts(member @ self.sums)

    def order(self) -> Integers:
        """By mean response, or along the first principal component of their class profiles."""
        taken, (k, width) = self.criterion.tallier, self.sums.shape
        if not taken.compiled:
            return np.argsort(of_each(CENTERS, taken, self.sums), kind="stable")
        order, scores = np.zeros(k, dtype=np.int64), np.zeros((4, max(k, width)))
        order_categories(compiled(taken), self.many_classes, self.sums.ravel(), order, scores[0], scores[1:], k)
        return order


class Loop(NamedTuple):
    """A function of a criterion and arrays, as Python and compiled."""

    plain: Callable[..., None]
    fast: Callable[..., None]

    def run(self, criterion: SumCriterion, *arrays: Any) -> None:
        """Call the one that the criterion can serve."""
        if criterion.compiled:
            self.fast(compiled(criterion), *arrays)
        else:
            self.plain(criterion, *arrays)


def of_each(loop: Loop, criterion: SumCriterion, sums: Floats) -> Floats:
    """What the loop finds for every group, a row of sums each."""
    out = np.empty(len(sums))
    loop.run(criterion, np.ravel(sums), out)
    return out


def _tally(criterion, y, w, group, sums):
    for i in range(len(w)):
        criterion.tally(sums, group[i] * (criterion.size + 1), y, i, w[i])


def _centers(criterion, sums, out):
    for group in range(len(out)):
        out[group] = criterion.center(sums, group * criterion.width())


def _masses(criterion, sums, out):
    for group in range(len(out)):
        out[group] = criterion.mass(sums, group * criterion.width())


def _worths(criterion, sums, out):
    for group in range(len(out)):
        out[group] = criterion.worth(sums, group * criterion.width())


TALLY, CENTERS, MASSES, WORTHS = (Loop(plain, jit(plain)) for plain in (_tally, _centers, _masses, _worths))
