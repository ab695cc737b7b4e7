"""Split criteria for numbers: variance, deviance, and what a Newton step gains.

    worth = −Σ w (y − ȳ)²,    −Σ w (y log(y/ȳ) + ȳ − y),    ½ G² / (H + λ)                                          (1)

`merit` leaves out what the rows add in whichever group they are: Σ w y², or Σ w y log y. Breiman et al. (1984),
Classification and Regression Trees, doi:10.1201/9781315139470; Newton's gain: Friedman (2001),
doi:10.1214/aos/1013203451, with the penalty of Chen & Guestrin (2016), doi:10.1145/2939672.2939785, eq. 7. What a
criterion is, `_criterion` says; those for classes are in `class_criteria`.
"""

from __future__ import annotations

import numpy as np

from gnomon._jit import noun
from gnomon._typing import Array, Floats
from gnomon.search._criterion import TINY, SumCriterion

__all__ = ["Newton", "PoissonDeviance", "SquaredError"]

ROUNDED = 1e-15


class _Means(SumCriterion):
    """Sums w, Σ w y², Σ w y_o of q targets per row, which stand one row after the other."""

    monotone_worth = True

    def weigh(self, sums: Floats, at: int, y: Array, i: int, w: float) -> None:
        q = self.width() - 3
        sums[at + 1] += w
        for o in range(q):
            sums[at + 2] += w * y[i * q + o] * y[i * q + o]
            sums[at + 3 + o] += w * y[i * q + o]

    def mass(self, sums: Floats, at: int) -> float:
        return sums[at + 1]

    def masses(self, sums: Floats) -> Floats:
        """Weights of many groups, one per row of sums."""
        return sums[:, 1]

    def answers(self, sums: Floats) -> Floats:
        """Means."""
        return sums[:, 3:] / np.maximum(sums[:, 1:2], TINY)

    def center(self, sums: Floats, at: int) -> float:
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

    centred = True
    degree = 2
    exact_zero = True

    @classmethod
    def of(cls, outputs: int) -> SquaredError:
        """The criterion for so many targets."""
        return cls(outputs + 2)

    @property
    def n_outputs(self) -> int:
        return self.size - 2

    def worth(self, sums: Floats, at: int) -> float:
        total = sums[at + 2] - self.merit(sums, at) * (self.width() - 3)
        # A difference within the rounding of Σ w y² is zero: the group is pure.
        return -total / (self.width() - 3) if total > ROUNDED * np.sqrt(sums[at]) * sums[at + 2] else 0.0

    def merit(self, sums: Floats, at: int) -> float:
        q, squares = self.width() - 3, 0.0
        for o in range(q):
            squares += sums[at + 3 + o] * sums[at + 3 + o]
        return squares / (q * (sums[at + 1] + TINY))

    def fixed_width(self) -> SumCriterion:
        return SingleSquaredError() if self.size == 3 else self


@noun
class SingleSquaredError(SquaredError):
    """`SquaredError` of one output, whose loop over outputs the compiler unrolls."""

    size: int = 3

    def width(self) -> int:
        return 4

    def two_sums(self) -> bool:
        return True

    def second_sum(self, sums: Floats, at: int) -> float:
        return sums[at + 3]

    def merit_of(self, a: float, b: float) -> float:
        return b * b / (a + TINY)

    def mass_of(self, a: float, b: float) -> float:
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

    targets = "count"
    degree = 1

    @classmethod
    def of(cls, outputs: int) -> PoissonDeviance:
        """The criterion for so many targets."""
        return cls(2 * outputs + 2)

    @property
    def n_outputs(self) -> int:
        return self.size // 2 - 1

    def weigh(self, sums: Floats, at: int, y: Array, i: int, w: float) -> None:
        q = self.size // 2 - 1
        sums[at + 1] += w
        for o in range(q):
            sums[at + 3 + o] += w * y[i * q + o]
            if y[i * q + o] > 0.0:
                sums[at + 2] += w * y[i * q + o] * np.log(y[i * q + o])
                # A count is exact: it tells whether all targets of a group are zero, which rounded sums cannot.
                sums[at + 3 + q + o] += 1.0

    def answers(self, sums: Floats) -> Floats:
        return sums[:, 3 : 2 + self.size // 2] / np.maximum(sums[:, 1:2], TINY)

    def worth(self, sums: Floats, at: int) -> float:
        return self.merit(sums, at) - sums[at + 2] / (self.size // 2 - 1)

    def merit(self, sums: Floats, at: int) -> float:
        q, total = self.size // 2 - 1, 0.0
        for o in range(q):
            y = sums[at + 3 + o]
            # A group whose mean is zero has an infinite deviance for any later count: it may not be made.
            total += y * np.log(y / sums[at + 1]) if sums[at + 3 + q + o] > 0.5 else -np.inf
        return total / q


@noun
class Newton(SumCriterion):
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

    is_impurity = False
    larger_by = "rows"

    def width(self) -> int:
        return 4

    def weigh(self, sums: Floats, at: int, y: Array, i: int, w: float) -> None:
        sums[at + 1] += y[i]
        sums[at + 2] += w

    def mass(self, sums: Floats, at: int) -> float:
        return sums[at + 2]

    def masses(self, sums: Floats) -> Floats:
        """Curvatures of many groups, one per row of sums."""
        return sums[:, 2]

    def answers(self, sums: Floats) -> Floats:
        """One Newton step."""
        return -sums[:, 1:2] / (sums[:, 2:3] + self.lam + TINY)

    def center(self, sums: Floats, at: int) -> float:
        return -sums[at + 1] / (sums[at + 2] + self.lam + TINY)

    def worth(self, sums: Floats, at: int) -> float:
        return self.merit_of(sums[at + 1], sums[at + 2])

    def two_sums(self) -> bool:
        return True

    def merit_of(self, a: float, b: float) -> float:
        return 0.5 * a * a / (b + self.lam + TINY)

    def mass_of(self, a: float, b: float) -> float:
        return b

    def clips(self) -> bool:
        return True

    def worth_at(self, sums: Floats, at: int, value: float) -> float:
        return -0.5 * sums[at + 1] * value

    def shrunk(self, sums: Floats, at: int, more: float) -> float:
        return -sums[at + 1] / (sums[at + 2] + more)
