"""Split criteria: how good a group of rows is as a node of a tree.

    gain = H(node) − Σ_c (n_c / n) H(c) = [ Σ_c worth(c) − worth(node) ] / n,    worth(c) = −n_c H(c)            (1)

A criterion keeps sums over rows: the number of rows, then sums of its own, so that the sums of a node are those of its
children added. `merit` is the worth without what the rows add in whichever group they are: the best split has the
largest sum of merits, and differences of merits keep the digits that differences of worths would lose. Breiman et al.
(1984), Classification and Regression Trees, doi:10.1201/9781315139470; Newton's gain: Friedman (2001),
doi:10.1214/aos/1013203451, with the penalty of Chen & Guestrin (2016), doi:10.1145/2939672.2939785, eq. 7. Criteria for
classes are in `class_criteria`.

Sums stand in one flat array; `at` is where those of a group begin, ``sums[at]`` being its number of rows.
"""

from typing import ClassVar

import numpy as np

from gnomon._jit import compiled, noun
from gnomon.search._grouped import SumGroups, worths_compiled, worths_of

__all__ = ["TINY", "Criterion", "Newton", "PoissonDeviance", "SquaredError"]

ROUNDED = 1e-15
TINY = 1e-300
"""Added where a weight may be zero, so that an empty group is worth nothing rather than NaN."""


class Criterion:
    """Base of the criteria: sums of rows, and their worth.

    Attributes
    ----------
    size : int
        How many sums a group has besides its number of rows.
    classes : bool
        Whether targets are the indices of classes and the sums their weights.
    ordered : bool
        Whether the order of the targets matters, so that there are no sums.
    stepping : bool
        Whether the worth is what a step gains, so that no group is pure.

    References
    ----------
    Breiman, L., Friedman, J., Stone, C. J. & Olshen, R. A. (1984). Classification and Regression Trees.
    doi:10.1201/9781315139470

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import Gini
    >>> sums = np.array([10.0, 3.0, 6.0, 1.0])
    >>> round(float(-Gini(3).worth(sums, 0) / 10), 6)
    0.54
    """

    classes: ClassVar[bool] = False
    ordered: ClassVar[bool] = False
    stepping: ClassVar[bool] = False
    record: ClassVar = None

    @property
    def tallied(self):
        """A compiled criterion with the same sums."""
        return self

    def worths(self, sums):
        """The worth of each row of sums; a criterion that is not compiled is asked row by row."""
        out = np.empty(len(sums))
        if self.record is None:
            worths_of(self, np.ravel(sums), out)
        else:
            worths_compiled(compiled(self), np.ravel(sums), out)
        return out

    def impurities(self, worths, masses):
        """H of groups; of one that no split may make, zero."""
        return np.where(worths > -np.inf, np.maximum(-worths / np.maximum(masses, TINY), 0.0), 0.0)

    def merit(self, sums, at):
        """The worth of a group up to a term that is the same for every split of one node."""
        return self.worth(sums, at)

    def twofold(self):
        """Whether two sums of a group, `first` and `second`, tell its merit and mass: `merit_of` and `mass_of`."""
        return False

    def first(self, sums, at):
        return sums[at + 1]

    def second(self, sums, at):
        return sums[at + 2]

    def merit_of(self, a, b):
        return 0.0

    def mass_of(self, a, b):
        return 0.0

    def groups(self, y, w, group, k):
        """The rows in k groups, ready to be joined and compared."""
        return SumGroups.of(self, y, w, group, k)

    def width(self):
        """How many sums a group has, its number of rows among them."""
        return self.size + 1

    def tally(self, sums, at, y, i, w):
        """Add row i to the group at `at`."""
        sums[at] += 1.0
        self.weigh(sums, at, y, i, w)

    def weigh_all(self, sums, at, y, w, m):
        """Add the first m rows to the group at `at`."""
        for s in range(m):
            self.tally(sums, at, y, s, w[s])

    def weigh_range(self, sums, at, cells, low, high, y, w, m):
        """Add the first m rows whose cells lie in low … high to the group at `at`."""
        for s in range(m):
            if low <= cells[s] <= high:
                self.tally(sums, at, y, s, w[s])

    def alike(self, sums, a, b):
        """Whether a cut between the groups at `a` and `b` is never better than the best on either side of both."""
        return False

    def rising(self):
        """How many sums there are besides the number of rows, if none falls as rows are added and they are few."""
        return 0

    def unrolled(self):
        """The same criterion with a width that the compiler knows, where there is one."""
        return self

    def clips(self):
        """Whether groups whose answers leave the bounds of a monotone column are weighed at the bound, or refused."""
        return False

    def worth_at(self, sums, at, value):
        """The worth of a group that answers with `value`."""
        return self.worth(sums, at)

    def shrunk(self, sums, at, more):
        """The answer of a group with the weight `more` of rows that answer zero."""
        return self.center(sums, at) * self.mass(sums, at) / (self.mass(sums, at) + more)

    def hefts(self, weights, rows):
        """By which of two groups the larger is known, to which rows go that no test places."""
        return weights


class _Means(Criterion):
    """Sums w, Σ w y², Σ w y_o of q targets per row, which stand one row after the other."""

    def weigh(self, sums, at, y, i, w):
        q = self.width() - 3
        sums[at + 1] += w
        for o in range(q):
            sums[at + 2] += w * y[i * q + o] * y[i * q + o]
            sums[at + 3 + o] += w * y[i * q + o]

    def mass(self, sums, at):
        return sums[at + 1]

    def masses(self, sums):
        """Weights of many groups, one per row of sums."""
        return sums[:, 1]

    def answers(self, sums):
        """Means."""
        return sums[:, 3:] / np.maximum(sums[:, 1:2], TINY)

    def center(self, sums, at):
        return sums[at + 3] / (sums[at + 1] + TINY)


@noun
class SquaredError(_Means):
    """H = (1/q) Σ_o (1/n) Σ_i w_i (y_io − ȳ_o)², the variance, averaged over the q outputs.

    Parameters
    ----------
    size : int, default=3
        q + 2.

    References
    ----------
    Breiman, L., Friedman, J., Stone, C. J. & Olshen, R. A. (1984). Classification and Regression Trees, §8.3.
    doi:10.1201/9781315139470

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import SquaredError
    >>> y = np.array([1.0, 1.0, 2.0, 8.0, 9.0, 10.0])
    >>> sums = np.zeros(4)
    >>> for i in range(6):
    ...     SquaredError().tally(sums, 0, y, i, 1.0)
    >>> round(float(-SquaredError().worth(sums, 0) / 6), 6)
    15.138889
    """

    size: int = 3

    @classmethod
    def of(cls, outputs):
        """The criterion for so many targets."""
        return cls(outputs + 2)

    def worth(self, sums, at):
        total = sums[at + 2] - self.merit(sums, at) * (self.width() - 3)
        # What little cancellation leaves of Σ w y² is rounding, that of a sum over the rows: the group is pure.
        return -total / (self.width() - 3) if total > ROUNDED * np.sqrt(sums[at]) * sums[at + 2] else 0.0

    def merit(self, sums, at):
        q, squares = self.width() - 3, 0.0
        for o in range(q):
            squares += sums[at + 3 + o] * sums[at + 3 + o]
        return squares / (q * (sums[at + 1] + TINY))

    def unrolled(self):
        return SingleSquaredError() if self.size == 3 else self


@noun
class SingleSquaredError(SquaredError):
    """`SquaredError` of one output, whose loop over outputs the compiler unrolls."""

    size: int = 3

    def width(self):
        return 4

    def twofold(self):
        return True

    def second(self, sums, at):
        return sums[at + 3]

    def merit_of(self, a, b):
        return b * b / (a + TINY)

    def mass_of(self, a, b):
        return a


@noun
class PoissonDeviance(_Means):
    """H = (1/n) Σ_i w_i (y_i log(y_i/ȳ) + ȳ − y_i), half the deviance.

    Parameters
    ----------
    size : int, default=4
        2 q + 2 for q outputs, whose deviances are averaged.

    References
    ----------
    McCullagh, P. & Nelder, J. A. (1989). Generalized Linear Models, §2.3. doi:10.1007/978-1-4899-3242-6

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import PoissonDeviance
    >>> y, sums = np.array([1.0, 3.0]), np.zeros(5)
    >>> for i in range(2):
    ...     PoissonDeviance().tally(sums, 0, y, i, 1.0)
    >>> bool(np.isclose(-PoissonDeviance().worth(sums, 0), np.log(1 / 2) + 3 * np.log(3 / 2)))
    True
    """

    size: int = 4

    @classmethod
    def of(cls, outputs):
        """The criterion for so many targets."""
        return cls(2 * outputs + 2)

    def weigh(self, sums, at, y, i, w):
        q = self.size // 2 - 1
        sums[at + 1] += w
        for o in range(q):
            sums[at + 3 + o] += w * y[i * q + o]
            if y[i * q + o] > 0.0:
                sums[at + 2] += w * y[i * q + o] * np.log(y[i * q + o])
                # A number of rows has no rounding: it tells for certain whether all targets of a group are zero.
                sums[at + 3 + q + o] += 1.0

    def answers(self, sums):
        return sums[:, 3 : 2 + self.size // 2] / np.maximum(sums[:, 1:2], TINY)

    def worth(self, sums, at):
        return self.merit(sums, at) - sums[at + 2] / (self.size // 2 - 1)

    def merit(self, sums, at):
        q, total = self.size // 2 - 1, 0.0
        for o in range(q):
            y = sums[at + 3 + o]
            # A group whose mean is zero has an infinite deviance for any later count: it may not be made.
            total += y * np.log(y / sums[at + 1]) if sums[at + 3 + q + o] > 0.5 else -np.inf
        return total / q


@noun
class Newton(Criterion):
    """worth = ½ G² / (H + λ) with the sums G of gradients and H of curvatures: what one Newton step gains.

    The targets are gradients, the weights curvatures.

    Parameters
    ----------
    lam : float, default=0.0
        The ridge penalty λ ≥ 0 on the values of leaves.
    size : int, default=3
        G, H and a zero: four numbers, with that of rows, are added as one.

    References
    ----------
    Chen, T. & Guestrin, C. (2016). XGBoost: a scalable tree boosting system, eq. 7. doi:10.1145/2939672.2939785

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import Newton
    >>> left, right, node = np.array([2, 1.0, 0.5]), np.array([4, -1.0, 1.0]), np.array([6, 0.0, 1.5])
    >>> float(sum(Newton(0.0).worth(sums, 0) for sums in (left, right)) - Newton(0.0).worth(node, 0))
    1.5
    """

    lam: float = 0.0
    size: int = 3

    stepping = True

    def width(self):
        return 4

    def weigh(self, sums, at, y, i, w):
        sums[at + 1] += y[i]
        sums[at + 2] += w

    def mass(self, sums, at):
        return sums[at + 2]

    def masses(self, sums):
        """Curvatures of many groups, one per row of sums."""
        return sums[:, 2]

    def answers(self, sums):
        """One Newton step."""
        return -sums[:, 1:2] / (sums[:, 2:3] + self.lam + TINY)

    def center(self, sums, at):
        return -sums[at + 1] / (sums[at + 2] + self.lam + TINY)

    def worth(self, sums, at):
        return self.merit_of(sums[at + 1], sums[at + 2])

    def twofold(self):
        return True

    def merit_of(self, a, b):
        return 0.5 * a * a / (b + self.lam + TINY)

    def mass_of(self, a, b):
        return b

    def impurities(self, worths, masses):
        """The negative worth per weight of groups, so that gains are those of Newton's steps."""
        return -worths / np.maximum(masses, TINY)

    def clips(self):
        return True

    def worth_at(self, sums, at, value):
        return -0.5 * sums[at + 1] * value

    def shrunk(self, sums, at, more):
        return -sums[at + 1] / (sums[at + 2] + more)

    def hefts(self, weights, rows):
        return rows.astype(float)
