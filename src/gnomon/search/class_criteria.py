"""Split criteria for classes: impurities of the shares p_k of classes.

    Gini Σ_k p_k (1 − p_k),    entropy −Σ_k p_k log₂ p_k,    misclassification 1 − max_k p_k                     (1)

One noun has all three, by its `kind`, so that kernels are compiled once for them. Breiman et al. (1984), Classification
and Regression Trees, doi:10.1201/9781315139470; what a criterion is, `_criterion` says.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from gnomon._jit import noun, subroutine_reassoc
from gnomon._typing import Array, Floats
from gnomon.search._criterion import TINY, SumCriterion

__all__ = ["ClassCriterion", "Entropy", "Gini", "Misclassification"]

GINI, ENTROPY, MISCLASSIFICATION = range(3)


class ClassCriterion(SumCriterion):
    """Base of criteria of one output of classes: the sums are the weights n_k of the classes, and `worth` is left.

    ``sums[at + 1 + k]`` is n_k of the group at `at`. Answers are class frequencies.

    Attributes
    ----------
    size : int
        Number of classes K: a field of the class.

    References
    ----------
    Breiman, L., Friedman, J., Stone, C. J. & Olshen, R. A. (1984). Classification and Regression Trees, §4.2.
    doi:10.1201/9781315139470

    Examples
    --------
    The criterion of Kearns & Mansour (1999, doi:10.1006/jcss.1997.1543), H = Σ_k √(p_k (1 − p_k)):

    >>> import numpy as np
    >>> from gnomon.search import ClassCriterion, noun
    >>> @noun
    ... class RootGini(ClassCriterion):
    ...     size: int
    ...
    ...     monotone_worth = class_weights = True
    ...
    ...     def worth(self, sums: Floats, at: int) -> float:
    ...         n, total = self.mass(sums, at), 0.0
    ...         for k in range(1, self.width()):
    ...             total += np.sqrt(max(sums[at + k] * (n - sums[at + k]), 0.0))
    ...         return -total
    >>> float(-RootGini(2).worth(np.array([10.0, 8.0, 2.0]), 0) / 10)
    0.8
    """

    targets = "index"

    @property
    def class_counts(self) -> tuple[int, ...]:
        return (self.size,)

    @property
    def many_classes(self) -> bool:
        return self.size > 2

    @property
    def tallier(self) -> SumCriterion:
        return self if self.compiled else Gini(self.size)

    def weigh(self, sums: Floats, at: int, y: Array, i: int, w: float) -> None:
        # In plain Python `at` may be of a type that becomes a float with that of y.
        sums[np.intp(at + 1 + y[i])] += w

    def mass(self, sums: Floats, at: int) -> float:
        total = 0.0
        for k in range(self.width() - 1):
            total += sums[at + 1 + k]
        return total

    def masses(self, sums: Floats) -> Floats:
        """Weights of many groups, one per row of sums."""
        return np.sum(sums[:, 1:], axis=1)

    def answers(self, sums: Floats) -> Floats:
        """Class frequencies."""
        return sums[:, 1:] / np.maximum(self.masses(sums), TINY)[:, None]

    def center(self, sums: Floats, at: int) -> float:
        """The share of the last class: for two classes the mean response, by which categories are ordered."""
        return sums[at + self.width() - 1] / (self.mass(sums, at) + TINY)


@subroutine_reassoc
def _weight_within(cells, low, high, y, k, w, m):
    """The weight of class k among the first m rows whose cells lie in low … high."""
    total = 0.0
    for s in range(m):
        total += w[s] if (cells[s] >= low) & (cells[s] <= high) & (y[s] == k) else 0.0
    return total


@subroutine_reassoc
def _rows_within(cells, low, high, m):
    rows = 0
    for s in range(m):
        rows += (cells[s] >= low) & (cells[s] <= high)
    return rows


@subroutine_reassoc
def _pair_weights(y, w, m):
    """The weights of both classes among the first m rows."""
    both, second = 0.0, 0.0
    for s in range(m):
        both += w[s]
        second += w[s] if y[s] == 1 else 0.0
    # Exact for a pure group: both sums then add the same numbers in the same order.
    return both - second, second


@subroutine_reassoc
def _pair_weights_within(cells, low, high, y, w, m):
    """How many of the first m rows have cells in low … high, and the weights of both classes among these."""
    rows, both, second = 0, 0.0, 0.0
    for s in range(m):
        within = (cells[s] >= low) & (cells[s] <= high)
        weight = w[s] if within else 0.0
        rows += within
        both += weight
        second += weight if y[s] == 1 else 0.0
    return rows, both - second, second


@noun
class Impurity(ClassCriterion):
    """(1) by `kind`."""

    size: int
    kind: int

    monotone_worth = class_weights = True

    def fixed_width(self) -> SumCriterion:
        if self.size != 2:
            return self
        return PairGini() if self.kind == GINI else PairImpurity(kind=self.kind)

    def weigh_range(
        self, sums: Floats, at: int, cells: Array, low: float, high: float, y: Array, w: Floats, m: int
    ) -> None:
        for k in range(self.width() - 1):
            sums[at + 1 + k] += _weight_within(cells, low, high, y, k, w, m)
        sums[at] += _rows_within(cells, low, high, m)

    def worth(self, sums: Floats, at: int) -> float:
        n, total = self.mass(sums, at), 0.0
        for k in range(self.width() - 1):
            n_k = sums[at + 1 + k]
            if self.kind == GINI:
                total -= n_k * (n - n_k) / (n + TINY)
            elif self.kind == ENTROPY:
                total += n_k * np.log2(n_k / n) if n_k > 0.0 else 0.0
            else:
                total = n_k if n_k > total else total
        return total - n if self.kind == MISCLASSIFICATION else total

    def merit(self, sums: Floats, at: int) -> float:
        if self.kind != GINI:
            return self.worth(sums, at)
        n, squares = TINY, 0.0
        for k in range(self.width() - 1):
            n += sums[at + 1 + k]
            squares += sums[at + 1 + k] * sums[at + 1 + k]
        return squares / n

    def convex_merit(self) -> bool:
        return True

    def no_cut_between(self, sums: Floats, a: int, b: int) -> bool:
        # Fayyad & Irani (1992), doi:10.1007/BF00994007, theorem 1: no best cut parts rows of one class.
        left, right = 0, 0
        for k in range(1, self.width()):
            if sums[a + k] > 0.0:
                left = k if left == 0 else -1
            if sums[b + k] > 0.0:
                right = k if right == 0 else -1
        return left == right and left > 0 and self.kind != MISCLASSIFICATION


@noun
class PairImpurity(Impurity):
    """`Impurity` of two classes, whose loops over classes the compiler unrolls."""

    size: int = 2
    kind: int = GINI

    def width(self) -> int:
        return 3

    def weigh_all(self, sums: Floats, at: int, y: Array, w: Floats, m: int) -> None:
        first, second = _pair_weights(y, w, m)
        sums[at] += m
        sums[at + 1] += first
        sums[at + 2] += second

    def weigh_range(
        self, sums: Floats, at: int, cells: Array, low: float, high: float, y: Array, w: Floats, m: int
    ) -> None:
        rows, first, second = _pair_weights_within(cells, low, high, y, w, m)
        sums[at] += rows
        sums[at + 1] += first
        sums[at + 2] += second


@noun
class PairGini(PairImpurity):
    """Gini's impurity of two classes, whose loops over cuts the compiler vectorizes."""

    def two_sums(self) -> bool:
        return True

    def merit_of(self, a: float, b: float) -> float:
        return (a * a + b * b) / (a + b + TINY)

    def mass_of(self, a: float, b: float) -> float:
        return a + b


@dataclass(frozen=True)
class Gini(Impurity):
    """H = Σ_k p_k (1 − p_k), between 0 and 1 − 1/K.

    Parameters
    ----------
    size : int
        Number of classes K.

    References
    ----------
    Breiman, L., Friedman, J., Stone, C. J. & Olshen, R. A. (1984). Classification and Regression Trees, §4.3.1.
    doi:10.1201/9781315139470

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import Gini
    >>> round(float(-Gini(2).worth(np.array([16.0, 15.0, 1.0]), 0) / 16), 7)
    0.1171875
    """

    kind: int = field(default=GINI, init=False, repr=False)


@dataclass(frozen=True)
class Entropy(Impurity):
    """H = −Σ_k p_k log₂ p_k, between 0 and log₂ K bits.

    Parameters
    ----------
    size : int
        Number of classes K.

    References
    ----------
    Quinlan, J. R. (1986). Induction of decision trees. doi:10.1007/BF00116251

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import Entropy
    >>> round(float(-Entropy(2).worth(np.array([14.0, 5.0, 9.0]), 0) / 14), 6)
    0.940286
    """

    kind: int = field(default=ENTROPY, init=False, repr=False)


@dataclass(frozen=True)
class Misclassification(Impurity):
    """H = 1 − max_k p_k, between 0 and 1 − 1/K.

    Parameters
    ----------
    size : int
        Number of classes K.

    References
    ----------
    Breiman, L., Friedman, J., Stone, C. J. & Olshen, R. A. (1984). Classification and Regression Trees, §4.2.
    doi:10.1201/9781315139470

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.search import Misclassification
    >>> round(float(-Misclassification(3).worth(np.array([10.0, 3.0, 6.0, 1.0]), 0) / 10), 6)
    0.4
    """

    kind: int = field(default=MISCLASSIFICATION, init=False, repr=False)
