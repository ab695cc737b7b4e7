"""Criteria that no sums can carry: absolute error and pinball loss, and impurities that a user writes.

    H = (1/n) min over q    Σ_i w_i ρ(y_i − q)                                                                       (1)

These need the order of the targets, so they answer the questions of `_grouped` from the rows themselves. Absolute
error is twice the pinball loss at α = ½. Breiman et al. (1984), §8.11, doi:10.1201/9781315139470; pinball loss:
Koenker & Bassett (1978), doi:10.2307/1913643.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gnomon._typing import Array, Floats, Integers
from gnomon.search._criterion import Criterion
from gnomon.search._grouped import Groups, Parts
from gnomon.search._pinball import prefix_losses, segment_losses
from gnomon.search.class_criteria import ClassCriterion

__all__ = ["AbsoluteError", "CountsCriterion", "PinballError"]


@dataclass(frozen=True)
class PinballError(Criterion):
    """H of equation (1), the pinball loss around the α-quantile, averaged over outputs; leaves predict the quantile.

    Parameters
    ----------
    alpha : float, default=0.5
        Between 0 and 1.
    scale : float, default=1.0
        A factor of H.

    References
    ----------
    Koenker, R. & Bassett, G. (1978). Regression quantiles. doi:10.2307/1913643

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import PinballError
    >>> y = np.array([1.0, 2.0, 3.0, 4.0, 10.0])
    >>> groups = PinballError(0.75).groups(y, np.ones(5), np.zeros(5, dtype=int), 1)
    >>> groups.answers, -groups.each().worth
    (array([[4.]]), array([6.]))
    """

    alpha: float = 0.5
    scale: float = 1.0

    degree = 1
    exact_zero = True

    @property
    def n_outputs(self) -> None:
        return None

    @property
    def pinball(self) -> tuple[float, float]:
        return float(self.alpha), float(self.scale)

    def groups(self, y: Array, w: Floats, group: Integers, k: int) -> Groups:
        return OrderGroups(self, np.asarray(y, dtype=float).reshape(len(w), -1), w, np.asarray(group), k)


def AbsoluteError() -> PinballError:
    """H = (1/n) Σ_i w_i |y_i − median|, twice the pinball loss at ½.

    Returns
    -------
    PinballError

    References
    ----------
    Breiman, L., Friedman, J., Stone, C. J. & Olshen, R. A. (1984). Classification and Regression Trees, §8.11.
    doi:10.1201/9781315139470

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import AbsoluteError
    >>> groups = AbsoluteError().groups(np.array([1.0, 1, 2, 8, 9]), np.ones(5), np.zeros(5, dtype=int), 1)
    >>> groups.answers, -groups.each().worth / 5
    (array([[2.]]), array([3.]))
    """
    return PinballError(0.5, 2.0)


@dataclass(frozen=True, eq=False)
class OrderGroups:
    """Groups of rows whose worth depends on the order of their targets, a column of `y` for each output."""

    criterion: PinballError
    y: Floats
    w: Floats
    group: Integers
    k: int
    many_classes: bool = False

    def _segments(self, rows, group, k):
        """Losses summed over outputs, and quantiles, of the groups of some rows."""
        starts = np.concatenate([[0], np.cumsum(np.bincount(group, minlength=k))])
        losses, quantiles = np.zeros((self.y.shape[1], k)), np.zeros((self.y.shape[1], k))
        for o, y in enumerate(self.y.T):
            order = np.lexsort((y[rows], group))
            ordered = rows[order]
            segment_losses(y[ordered], self.w[ordered], starts, self.criterion.alpha, losses[o], quantiles[o])
        return np.mean(losses, axis=0), quantiles.T

    def _parts(self, losses, count, mass):
        return Parts(-self.criterion.scale * losses, count, mass)

    @property
    def answers(self):
        """What each group predicts."""
        return self._segments(np.arange(len(self.w)), self.group, self.k)[1]

    def each(self):
        """Each group alone."""
        losses, _ = self._segments(np.arange(len(self.w)), self.group, self.k)
        return self._parts(losses, self._sizes(), self._masses())

    def _sizes(self):
        return np.bincount(self.group, minlength=self.k).astype(float)

    def _masses(self):
        return np.bincount(self.group, weights=self.w, minlength=self.k)

    def prefixes(self, order):
        """The unions of the first 1, 2, … groups of `order`."""
        sizes, masses = self._sizes()[order], self._masses()[order]
        place = np.full(self.k, len(order))
        place[order] = np.arange(len(order))
        rows = np.argsort(place[self.group], kind="stable")
        ends = np.cumsum(sizes).astype(np.int64)
        losses = np.zeros((self.y.shape[1], len(order)))
        for o, y in enumerate(self.y.T):
            by_y = np.argsort(y, kind="stable")
            rank = np.empty(len(y), dtype=np.int64)
            rank[by_y] = np.arange(len(y))
            # Sums of deviations from the middle lose fewer digits than sums of targets far from zero.
            ordered = y[by_y] - y[by_y[len(y) // 2]]
            prefix_losses(ordered, rank, self.w, rows, ends, self.criterion.alpha, losses[o])
        return self._parts(np.mean(losses, axis=0), np.cumsum(sizes), np.cumsum(masses))

    def unions(self, member):
        """The union of the groups that each row of the matrix `member` marks."""
        losses = np.zeros(len(member))
        for s, chosen in enumerate(np.asarray(member, dtype=bool)):
            rows = np.flatnonzero(chosen[self.group])
            losses[s] = self._segments(rows, np.zeros(len(rows), dtype=np.int64), 1)[0][0]
        return self._parts(losses, member @ self._sizes(), member @ self._masses())

    def order(self):
        """The groups by the mean over outputs of what they predict."""
        return np.argsort(np.mean(self.answers, axis=1), kind="stable")


@dataclass(frozen=True)
class CountsCriterion(ClassCriterion):
    """H = what a function says of the weights (n_1, …, n_K) of the classes in a node.

    Parameters
    ----------
    size : int
        Number of classes K.
    function : callable
        Weights of the classes, an array of shape (K,), to a number.

    References
    ----------
    Breiman, L., Friedman, J., Stone, C. J. & Olshen, R. A. (1984). Classification and Regression Trees, §4.2.
    doi:10.1201/9781315139470

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import CountsCriterion
    >>> criterion = CountsCriterion(2, lambda counts: 1.0 - np.max(counts) / np.sum(counts))
    >>> float(-criterion.worth(np.array([16.0, 15.0, 1.0]), 0) / 16)
    0.0625
    """

    size: int
    function: Callable[[Floats], float]

    def worth(self, sums: Floats, at: int) -> float:
        """Minus the impurity times the weight; nothing for a group without weight."""
        counts = np.array(sums[at + 1 : at + 1 + self.size])
        n = np.sum(counts)
        return -float(n) * float(self.function(counts)) if n > 0.0 else 0.0
