"""Rows of a node in groups, and the worth of unions of groups.

    worth(S) = −Σ_{i in S} w_i · H(S),    S = g_1 ∪ … ∪ g_c for c = 1 … k, each group alone, any set of them       (1)

Whatever a test may be (a cut, three ways, one branch for each value, a set of values), its parts are unions of the
groups of rows that share a value, so these three questions are all that is asked. `SumGroups` answers them from sums
that add up; the sums of a union are the sums of its groups. Breiman et al. (1984), doi:10.1201/9781315139470.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gnomon._jit import compiled, jit
from gnomon.search._cuts import order_categories


@dataclass(frozen=True, eq=False)
class Parts:
    """Worth, number of rows and weight of parts of a node, as arrays of one shape."""

    worth: np.ndarray
    count: np.ndarray
    mass: np.ndarray

    def __getitem__(self, which):
        return Parts(self.worth[which], self.count[which], self.mass[which])

    @classmethod
    def empty(cls, length):
        """Parts without rows."""
        return cls(np.zeros(length), np.zeros(length), np.zeros(length))

    @classmethod
    def stack(cls, parts):
        """Several, along a new first axis."""
        return cls._from(np.stack, parts)

    @classmethod
    def join(cls, parts):
        """Several, one after the other."""
        return cls._from(np.concatenate, parts)

    @classmethod
    def _from(cls, combine, parts):
        return cls(*(combine([vars(part)[name] for part in parts]) for name in ("worth", "count", "mass")))


@dataclass(frozen=True, eq=False)
class SumGroups:
    """Groups known by their sums, a row of `sums` each."""

    criterion: Any
    sums: np.ndarray

    @classmethod
    def of(cls, criterion, y, w, group, k):
        """The sums of k groups; `group` gives the group of each row."""
        sums = np.zeros(k * (criterion.size + 1))
        _tally(compiled(criterion.tallied), np.ravel(y), w, group, sums)
        return cls(criterion, sums.reshape(k, criterion.size + 1))

    @property
    def answers(self):
        """What each group predicts."""
        return self.criterion.answers(self.sums)

    def _parts(self, sums):
        return Parts(self.criterion.worths(sums), sums[:, 0], self.criterion.masses(sums))

    def each(self):
        """Each group alone."""
        return self._parts(self.sums)

    def prefixes(self, order):
        """The unions of the first 1, 2, … groups of `order`."""
        return self._parts(np.cumsum(self.sums[order], axis=0))

    def unions(self, member):
        """The union of the groups that each row of the matrix `member` marks."""
        return self._parts(member @ self.sums)

    def order(self):
        """The groups by mean response, or along the first principal component of their class profiles."""
        k, width = self.sums.shape
        many = self.criterion.classes and self.criterion.size > 2
        order, scores = np.zeros(k, dtype=np.int64), np.zeros((4, max(k, width)))
        taken = compiled(self.criterion.tallied)
        order_categories(taken, many, self.sums.ravel(), order, scores[0], scores[1:], k)
        return order

    @property
    def many_classes(self):
        """Whether the best set need not be a prefix of `order`."""
        return self.criterion.classes and self.criterion.size > 2


@jit
def _tally(criterion, y, w, group, sums):
    for i in range(len(w)):
        criterion.tally(sums, group[i] * (criterion.size + 1), y, i, w[i])


def worths_of(criterion, sums, out):
    """The worth of each group, in `out`; the sums of one follow those of another."""
    for group in range(len(out)):
        out[group] = criterion.worth(sums, group * criterion.width())


worths_compiled = jit(worths_of)
