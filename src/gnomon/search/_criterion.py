"""What a split criterion is.

    gain = H(node) − Σ_c (n_c / n) H(c) = [ Σ_c worth(c) − worth(node) ] / n,    worth(c) = −n_c H(c)            (1)

A criterion says what a group c of rows of total weight n_c is worth as a node of a tree, for one impurity H. Its verbs
compute; its traits say which growers and which shortcuts may be used with it. Every trait has the cautious value by
default: one that is not declared costs time, never a wrong tree, except `degree`, without which targets are not scaled
and must not be so large or small that their squares are no numbers. `gnomon.testing.check_criterion` holds a criterion
to what it declares. Breiman et al. (1984), Classification and Regression Trees, doi:10.1201/9781315139470.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Literal

import numpy as np

from gnomon._jit import verb
from gnomon._typing import Array, Floats, Integers
from gnomon.search._grouped import CENTERS, MASSES, WORTHS, Groups, SumGroups, of_each

__all__ = ["ROUNDING", "TINY", "Criterion", "SumCriterion"]

ROUNDING = 1e-15
"""Impurities up to this are those of pure groups, where these are not computed as zero."""

TINY = 1e-300
"""Added where a weight may be zero, so that an empty group is worth nothing rather than NaN."""

Targets = Literal["index", "real", "count", "positive"]


class Criterion(ABC):
    """What growers ask of every criterion; one whose H depends on sums over rows is a `SumCriterion`.

    Attributes
    ----------
    targets : {"index", "real", "count", "positive"}
        What y is: the index of a class; any real number; a non-negative number, not all of them zero; a positive
        number.
    additive : bool
        Whether a group is known by sums over its rows, so that the sums of a union are those of its parts, added.
        `grow_tree` and the growers made of it keep nothing else of a node.
    is_impurity : bool
        Whether H ≥ 0, so that a node with H = 0 is pure and a search may end at a split into such nodes. Without, the
        worth is what a step gains, as Newton's, and weights mean what the criterion says.
    centred : bool
        Whether y − c has the gains of y and the answers less c, and sums keep more digits if c lies among the targets.
        Estimators then take c, the median, from the targets.
    degree : int or None
        k if c·y has the answers of y times c and H times c^k, for every c > 0; None where this is not so, or not known.
        Targets so large or small that sums of their squares are no numbers are then scaled before a tree grows.
    exact_zero : bool
        Whether H of equal targets is computed as zero, so that no allowance for rounding is needed. An allowance would
        have the unit of H.

    References
    ----------
    Breiman, L., Friedman, J., Stone, C. J. & Olshen, R. A. (1984). Classification and Regression Trees.
    doi:10.1201/9781315139470

    Examples
    --------
    >>> from gnomon.search import Gini, PinballError
    >>> Gini(3).additive, Gini(3).class_counts, PinballError(0.9).additive
    (True, (3,), False)
    """

    record: ClassVar[Any] = None
    targets: ClassVar[Targets] = "real"
    additive: ClassVar[bool] = False
    is_impurity: ClassVar[bool] = True
    centred: ClassVar[bool] = False
    degree: ClassVar[int | None] = None
    exact_zero: ClassVar[bool] = False

    @property
    def compiled(self) -> bool:
        """Whether kernels can call its verbs: it was made with ``@noun``."""
        return self.record is not None

    @property
    def classes(self) -> bool:
        """Whether targets are the indices of classes."""
        return self.targets == "index"

    @property
    def class_counts(self) -> tuple[int, ...]:
        """How many classes each output has; none where targets are numbers."""
        return ()

    @property
    def n_outputs(self) -> int | None:
        """How many targets a row has; None if any number will do."""
        return len(self.class_counts) or 1

    @property
    def monotone_worth(self) -> bool:
        """Whether worth(A ∪ B) ≤ worth(A) for any disjoint A, also the empty one, which is worth 0, and B.

        So it is for every concave H ≥ 0, and wherever n H is the least sum of losses ≥ 0 over rows. A group that no
        split may make, of worth −∞, may be part of one that is worth more. Bounds on what the splits within an interval
        or below a cut can be worth rest on it: see `applicable_growers`.
        """
        return False

    @property
    def pinball(self) -> tuple[float, float] | None:
        """(α, c) if H is c times the pinball loss around the α-quantile, for which there is a compiled grower."""
        return None

    def purest(self, min_impurity: float) -> float:
        """The limit on H to which growers add `ROUNDING`."""
        return min_impurity - ROUNDING if self.exact_zero else min_impurity

    @abstractmethod
    def groups(self, y: Array, w: Floats, group: Integers, k: int) -> Groups:
        """The rows in k groups, ready to be joined and compared; row i is in ``group[i]``."""

    def impurities(self, worths: Floats, masses: Floats) -> Floats:
        """H = −worth / n of groups; of one that no split may make, zero."""
        each = -worths / np.maximum(masses, TINY)
        return np.where(worths > -np.inf, np.maximum(each, 0.0), 0.0) if self.is_impurity else each


class SumCriterion(Criterion):
    """Base of criteria with sums: subclass it, decorate with ``gnomon.search.noun``, write four formulas.

    The sums of a group stand in one flat array from `at` on: ``sums[at]`` is its number of rows, ``sums[at + 1]`` …
    ``sums[at + size]`` are the criterion's own. `weigh` adds a row to them; `mass`, `worth` and `center` are functions
    of them. Where targets are classes these must not read the number of rows, which is then not always kept. All else
    has a definition in terms of the four; what is written anew must agree with it.

    Attributes
    ----------
    size : int
        How many sums a group has besides its number of rows: a field of the class.
    class_weights : bool
        Whether the sums are the weights of the classes of one output, and a group of one class is worth 0, the most
        there is. Random cuts may then be searched in rows that are kept as bytes, class by class.
    larger_by : {"weight", "rows"}
        What tells the larger of two children, to which rows go that no test places.

    References
    ----------
    Breiman, L., Friedman, J., Stone, C. J. & Olshen, R. A. (1984). Classification and Regression Trees.
    doi:10.1201/9781315139470

    Examples
    --------
    Half the gamma deviance, n H = n log ȳ − Σ w log y, for positive targets whose spread grows with their size:

    >>> import numpy as np
    >>> from gnomon.search import SumCriterion, code_columns, grow_tree, noun
    >>> @noun
    ... class Gamma(SumCriterion):
    ...     size: int = 3
    ...
    ...     targets = "positive"
    ...     monotone_worth = True
    ...
    ...     def weigh(self, sums, at, y, i, w):
    ...         sums[at + 1] += w
    ...         sums[at + 2] += w * y[i]
    ...         sums[at + 3] += w * np.log(y[i])
    ...
    ...     def mass(self, sums, at):
    ...         return sums[at + 1]
    ...
    ...     def center(self, sums, at):
    ...         return sums[at + 2] / sums[at + 1]
    ...
    ...     def worth(self, sums, at):
    ...         return sums[at + 3] - sums[at + 1] * np.log(sums[at + 2] / sums[at + 1])
    >>> x, y = np.arange(6.0)[:, None], np.array([1.0, 2.0, 1.5, 30.0, 20.0, 40.0])
    >>> tree = grow_tree(code_columns(x), y, Gamma(), max_depth=1)
    >>> tree.predict(x[[0, 5]])
    array([[ 1.5],
           [30. ]])
    """

    additive = True
    class_weights: ClassVar[bool] = False
    larger_by: ClassVar[Literal["weight", "rows"]] = "weight"

    size: int

    @verb
    @abstractmethod
    def weigh(self, sums: Floats, at: int, y: Array, i: int, w: float) -> None:
        """Add row i, of weight w, to the sums of the group at `at`, without its number of rows.

        `y` is flat: the q targets of row i are ``y[i * q]`` … ``y[i * q + q - 1]``.
        """

    @verb
    @abstractmethod
    def mass(self, sums: Floats, at: int) -> float:
        """n, the weight of a group: the sum of w over its rows."""

    @verb
    @abstractmethod
    def worth(self, sums: Floats, at: int) -> float:
        """−n H of a group, or −∞ if no split may make it."""

    @verb
    @abstractmethod
    def center(self, sums: Floats, at: int) -> float:
        """The answer of a group as one number.

        Monotone constraints compare it, and categories are cut in its order. For concave H of two classes, and for
        losses of means, the best such cut is the best of all divisions in two; else it is a heuristic.
        """

    @property
    def many_classes(self) -> bool:
        """Whether the sums are weights of more than two classes: categories are then not cut in the order of centers.

        Few are divided in every way, many ordered along the first principal component of their class frequencies.
        """
        return False

    @property
    def tallier(self) -> SumCriterion:
        """What adds up rows in its stead: where it is not compiled, a compiled criterion with the same sums, if any."""
        return self

    def fixed_width(self) -> SumCriterion:
        """The same criterion with a `width` that the compiler knows, where there is one."""
        return self

    def groups(self, y: Array, w: Floats, group: Integers, k: int) -> SumGroups:
        return SumGroups.of(self, y, w, group, k)

    def answers(self, sums: Floats) -> Floats:
        """What groups predict, a row for each row of sums: their centers."""
        return of_each(CENTERS, self, sums)[:, None]

    def masses(self, sums: Floats) -> Floats:
        """`mass` of many groups, one for each row of sums."""
        return of_each(MASSES, self, sums)

    def worths(self, sums: Floats) -> Floats:
        """`worth` of many groups, one for each row of sums."""
        return of_each(WORTHS, self, sums)

    @verb
    def width(self) -> int:
        """size + 1: how many sums a group has, its number of rows among them."""
        return self.size + 1

    @verb
    def merit(self, sums: Floats, at: int) -> float:
        """worth + Σ a(row) for some a of a row alone, 0 by default.

        The best split has the largest sum of merits. With the term that cancels, such as −Σ w y² of the variance, left
        out of the worth, their differences keep digits that those of worths would lose.
        """
        return self.worth(sums, at)

    @verb
    def tally(self, sums: Floats, at: int, y: Array, i: int, w: float) -> None:
        """Add row i, of weight w, to the group at `at`."""
        sums[at] += 1.0
        self.weigh(sums, at, y, i, w)

    @verb
    def weigh_all(self, sums: Floats, at: int, y: Array, w: Floats, m: int) -> None:
        """Add the first m rows to the group at `at`."""
        for s in range(m):
            self.tally(sums, at, y, s, w[s])

    @verb
    def weigh_range(
        self, sums: Floats, at: int, cells: Array, low: float, high: float, y: Array, w: Floats, m: int
    ) -> None:
        """Add the first m rows whose cells lie in low … high to the group at `at`."""
        for s in range(m):
            if low <= cells[s] <= high:
                self.tally(sums, at, y, s, w[s])

    @verb
    def two_sums(self) -> bool:
        """Whether two numbers that add up, `first_sum` and `second_sum`, tell the merit and the mass of a group.

        Histograms are then cut in loops that the compiler vectorizes.
        """
        return False

    @verb
    def first_sum(self, sums: Floats, at: int) -> float:
        """The first of `two_sums`."""
        return sums[at + 1]

    @verb
    def second_sum(self, sums: Floats, at: int) -> float:
        """The second of `two_sums`."""
        return sums[at + 2]

    @verb
    def merit_of(self, a: float, b: float) -> float:
        """`merit` from the first and the second sum; asked only if there are `two_sums`."""
        return np.nan

    @verb
    def mass_of(self, a: float, b: float) -> float:
        """`mass` from the first and the second sum; asked only if there are `two_sums`."""
        return np.nan

    @verb
    def convex_merit(self) -> bool:
        """Whether no sum falls as rows are added, and the merit is a convex function of all but the number of rows.

        Over all cuts within an interval the merit is then largest at a corner of a box: the second bound of
        `grow_in_place`, for few sums.
        """
        return False

    @verb
    def no_cut_between(self, sums: Floats, a: int, b: int) -> bool:
        """Whether a cut between the neighbouring groups at `a` and `b` is never better than every other one."""
        return False

    @verb
    def clips(self) -> bool:
        """Whether a group whose answer leaves the bounds of a monotone column is weighed at the bound by `worth_at`.

        Otherwise a split that makes such a group is refused.
        """
        return False

    @verb
    def worth_at(self, sums: Floats, at: int, value: float) -> float:
        """The worth of a group that answers with `value`, at its center `worth`; asked only if it `clips`."""
        return np.nan

    @verb
    def shrunk(self, sums: Floats, at: int, more: float) -> float:
        """center · n / (n + more): the answer of a group with the weight `more` of rows that answer zero."""
        return self.center(sums, at) * self.mass(sums, at) / (self.mass(sums, at) + more)
