"""Weights and targets in units in which sums of squares neither overflow nor vanish.

    w = 2^a w̃,   y = 2^b ỹ:   the tree of (w̃, ỹ) has the tests of that of (w, y),
    weight = 2^a weight̃,   answer = 2^b answer̃,   H = 2^{kb} H̃                                                     (1)

with k the `degree` of the criterion. Powers of two change no digit. Numbers whose largest is between 2^−200 and 2^200
stay as they are: a product of two of them, squared and summed over rows, is a finite number, and not zero.
Higham (2002), Accuracy and Stability of Numerical Algorithms, §27.8 on scaling, doi:10.1137/1.9780898718027.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np

from gnomon._typing import Array, Floats, Numbers
from gnomon.search._criterion import Criterion
from gnomon.search.tree import Tree

__all__ = ["Units", "in_safe_units", "safe_exponent", "times_two_to", "units_of"]

SAFE = 200
LARGEST, SMALLEST = 900, -900
"""Exponents of impurities that are shown: those of larger numbers might not be finite, and of smaller ones zero."""

Grow = TypeVar("Grow", bound=Callable[..., Tree])


def safe_exponent(*numbers: Numbers) -> int:
    """Zero where the product of the largest magnitudes is between 2^−200 and 2^200, else its exponent."""
    exponent = 0
    for some in numbers:
        largest = max(float(np.max(some, initial=0.0)), -float(np.min(some, initial=0.0)))
        exponent += int(np.frexp(largest)[1])
    return exponent if abs(exponent) > SAFE else 0


def times_two_to(values: Any, exponent: int) -> Any:
    """values · 2^exponent; infinite where that is no number."""
    with np.errstate(over="ignore"):
        return np.ldexp(values, exponent) if exponent else values


class Units(NamedTuple):
    """The exponents a of weights, b of targets and kb of impurities in (1)."""

    weight: int = 0
    target: int = 0
    impurity: int = 0

    @property
    def plain(self) -> bool:
        """Whether numbers stay as they are."""
        return self.weight == self.target == 0

    def weights(self, w: Floats) -> Floats:
        """w̃."""
        return cast(Floats, times_two_to(w, -self.weight))

    def targets(self, y: Array) -> Array:
        """ỹ."""
        return cast(Array, times_two_to(y, -self.target))

    def limits(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Limits of growing in these units."""
        exponents = {
            "min_weight_leaf": self.weight,
            "min_gain": self.weight + self.impurity,
            "min_impurity": self.impurity,
        }
        known = {name: times_two_to(options[name], -exponents[name]) for name in exponents if name in options}
        return {**options, **known}

    def restored(self, tree: Tree) -> Tree:
        """The tree in the units of the data; impurities beyond the largest number are those of smaller targets."""
        if self.plain:
            return tree
        shown = int(np.clip(self.impurity, SMALLEST, LARGEST))
        gain = {"gain": times_two_to(tree.extra["gain"], shown)} if "gain" in tree.extra else {}
        return replace(
            tree,
            answers=times_two_to(tree.answers, self.target),
            impurity=times_two_to(tree.impurity, shown),
            weight=times_two_to(tree.weight, self.weight),
            extra=tree.extra | gain,
        )

    def inverse(self) -> Units:
        """From the units of the data to these."""
        return Units(-self.weight, -self.target, -self.impurity)


def units_of(criterion: Criterion, y: Array, w: Floats | None) -> Units:
    """The units for targets and weights; those of a criterion without a degree, or that is no impurity, stay."""
    if not criterion.is_impurity:
        return Units()
    if criterion.degree is None:
        b = 0
    elif criterion.exact_zero:
        b = safe_exponent(y)
    else:
        # The allowance for rounding is then one of the mean.
        b = int(np.frexp(np.mean(np.abs(y)))[1])
    return Units(0 if w is None else safe_exponent(w), b, b * (criterion.degree or 0))


def in_safe_units(grow: Grow) -> Grow:
    """A function (table, y, criterion, *, sample_weight, limits) → Tree that grows in safe units."""

    @wraps(grow)
    def grown(table: Any, y: Array, criterion: Criterion, /, *, sample_weight: Any = None, **options: Any) -> Tree:
        w = None if sample_weight is None else np.asarray(sample_weight, dtype=float)
        units = units_of(criterion, y, w)
        if options.get("choice") == "c4.5":
            # Its price of a cut is in bits per unit of weight, so that the unit of weights has a meaning.
            units = units._replace(weight=0)
        if units.plain:
            return grow(table, y, criterion, sample_weight=w, **options)
        scaled = None if w is None else units.weights(w)
        return units.restored(grow(table, units.targets(y), criterion, sample_weight=scaled, **units.limits(options)))

    return cast(Grow, grown)
