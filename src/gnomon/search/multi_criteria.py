"""Impurities of several outputs, each of its own classes.

    H = (1/q) Σ_o H_o,    H_o the impurity of the classes of output o                                               (1)

One tree then answers for all outputs, as in Blockeel, De Raedt & Ramon (1998), Top-down induction of clustering trees,
ICML 15, and Breiman et al. (1984), doi:10.1201/9781315139470, §4.3 for H_o. The weights of the classes of all outputs
stand side by side, as many for each as the output with the most classes has.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from gnomon._jit import noun
from gnomon._typing import Array, Floats, Integers
from gnomon.search._criterion import TINY, SumCriterion
from gnomon.search.class_criteria import ClassCriterion, Gini

__all__ = ["SeveralOutputs"]


@noun
class SeveralOutputs(SumCriterion):
    """The mean (1) of one impurity over outputs. Targets are the indices of classes, one row after the other.

    Parameters
    ----------
    each : ClassCriterion
        `Gini`, `Entropy`, `Misclassification` or one's own, of the largest number K of classes.
    counts : ndarray of int of shape (q,)
        How many classes each output has.
    size : int
        q K.

    References
    ----------
    Blockeel, H., De Raedt, L. & Ramon, J. (1998). Top-down induction of clustering trees. ICML 15.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import Gini, SeveralOutputs
    >>> criterion, sums = SeveralOutputs.of(Gini, (2, 3)), np.zeros(7)
    >>> y = np.array([0, 0, 1, 0, 1, 2])
    >>> for i in range(3):
    ...     criterion.tally(sums, 0, y, i, 1.0)
    >>> sums
    array([3., 1., 2., 0., 2., 0., 1.])
    >>> bool(np.isclose(-criterion.worth(sums, 0) / 3, (4 / 9 + 4 / 9) / 2))
    True
    """

    each: ClassCriterion
    counts: Integers
    size: int

    targets = "index"

    @property
    def compiled(self) -> bool:
        return self.each.compiled

    @property
    def class_counts(self) -> tuple[int, ...]:
        return tuple(self.counts)

    @property
    def monotone_worth(self) -> bool:
        return self.each.monotone_worth

    @property
    def many_classes(self) -> bool:
        return self.size > 2

    @property
    def tallier(self) -> SumCriterion:
        return self if self.compiled else replace(self, each=Gini(self.each.size))

    @classmethod
    def of(cls, kind: Callable[[int], ClassCriterion], counts: Sequence[int]) -> SeveralOutputs:
        """The mean of `kind` over outputs of so many classes."""
        return cls(kind(max(counts)), np.array(counts, dtype=np.int64), max(counts) * len(counts))

    def weigh(self, sums: Floats, at: int, y: Array, i: int, w: float) -> None:
        q = len(self.counts)
        K = self.size // q
        for o in range(q):
            sums[np.intp(at + 1 + o * K + y[i * q + o])] += w

    def mass(self, sums: Floats, at: int) -> float:
        return self.each.mass(sums, at)

    def masses(self, sums: Floats) -> Floats:
        """Weights of many groups, one per row of sums."""
        return np.sum(sums[:, 1 : 1 + self.each.size], axis=1)

    def answers(self, sums: Floats) -> Floats:
        """Class frequencies, output by output."""
        return sums[:, 1:] / np.maximum(self.masses(sums), TINY)[:, None]

    def center(self, sums: Floats, at: int) -> float:
        return self.each.center(sums, at)

    def worth(self, sums: Floats, at: int) -> float:
        q = len(self.counts)
        K = self.size // q
        total = 0.0
        for o in range(q):
            total += self.each.worth(sums, at + o * K)
        return total / q

    def merit(self, sums: Floats, at: int) -> float:
        q = len(self.counts)
        K = self.size // q
        total = 0.0
        for o in range(q):
            total += self.each.merit(sums, at + o * K)
        return total / q
