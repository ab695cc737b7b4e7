"""Impurities of several outputs, each of its own classes.

    H = (1/q) Σ_o H_o,    H_o the impurity of the classes of output o                                               (1)

One tree then answers for all outputs, as in Blockeel, De Raedt & Ramon (1998), Top-down induction of clustering trees,
ICML 15, and Breiman et al. (1984), doi:10.1201/9781315139470, §4.3 for H_o. The weights of the classes of all outputs
stand side by side, as many for each as the output with the most classes has.
"""

import numpy as np

from gnomon._jit import noun
from gnomon.search.criteria import TINY, Criterion

__all__ = ["SeveralOutputs"]


@noun
class SeveralOutputs(Criterion):
    """The mean (1) of one impurity over outputs. Targets are the indices of classes, one row after the other.

    Parameters
    ----------
    each : Criterion
        `Gini`, `Entropy` or `Misclassification` of the largest number K of classes.
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

    each: object
    counts: np.ndarray
    size: int

    classes = True

    @classmethod
    def of(cls, kind, counts):
        """The mean of `kind` over outputs of so many classes."""
        return cls(kind(max(counts)), np.array(counts, dtype=np.int64), max(counts) * len(counts))

    def weigh(self, sums, at, y, i, w):
        q = len(self.counts)
        K = self.size // q
        for o in range(q):
            sums[np.intp(at + 1 + o * K + y[i * q + o])] += w

    def mass(self, sums, at):
        return self.each.mass(sums, at)

    def masses(self, sums):
        """Weights of many groups, one per row of sums."""
        return np.sum(sums[:, 1 : 1 + self.each.size], axis=1)

    def answers(self, sums):
        """Class frequencies, output by output."""
        return sums[:, 1:] / np.maximum(self.masses(sums), TINY)[:, None]

    def center(self, sums, at):
        return self.each.center(sums, at)

    def worth(self, sums, at):
        q = len(self.counts)
        K = self.size // q
        total = 0.0
        for o in range(q):
            total += self.each.worth(sums, at + o * K)
        return total / q

    def merit(self, sums, at):
        q = len(self.counts)
        K = self.size // q
        total = 0.0
        for o in range(q):
            total += self.each.merit(sums, at + o * K)
        return total / q
