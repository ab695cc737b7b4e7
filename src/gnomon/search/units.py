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
from gnomon.numerics.scale import PowerOfTwo
from gnomon.search._criterion import Criterion
from gnomon.search.tree import Tree

__all__ = ["Units", "in_safe_units", "safe_unit", "units_of"]

SAFE = (2.0**-200, 2.0**200)
LARGEST, SMALLEST = 900, -900
"""Exponents of impurities that are shown: those of larger numbers might not be finite, and of smaller ones zero."""

Grow = TypeVar("Grow", bound=Callable[..., Tree])


def safe_unit(*factors: Numbers) -> PowerOfTwo:
    """One where the product of the largest magnitudes is between 2^−200 and 2^200, else its unit."""
    return PowerOfTwo.of(*factors, within=SAFE)


class Units(NamedTuple):
    """2^a of weights, 2^b of targets and 2^kb of impurities in (1)."""

    weight: PowerOfTwo = PowerOfTwo()
    target: PowerOfTwo = PowerOfTwo()
    impurity: PowerOfTwo = PowerOfTwo()

    @property
    def plain(self) -> bool:
        """Whether numbers stay as they are."""
        return self.weight.is_one and self.target.is_one

    def weights(self, w: Floats) -> Floats:
        """w̃."""
        return cast(Floats, self.weight.inward(w))

    def targets(self, y: Array) -> Array:
        """ỹ."""
        return cast(Array, self.target.inward(y))

    def limits(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Limits of growing in these units."""
        own = {
            "min_weight_leaf": self.weight.inward,
            "min_gain": lambda gain: self.weight.inward(self.impurity.inward(gain)),
            "min_impurity": self.impurity.inward,
        }
        return {**options, **{name: own[name](options[name]) for name in own if name in options}}

    def restored(self, tree: Tree) -> Tree:
        """The tree in the units of the data; impurities beyond the largest number are those of smaller targets."""
        if self.plain:
            return tree
        shown = PowerOfTwo(int(np.clip(self.impurity.exponent, SMALLEST, LARGEST)))
        gain = {"gain": shown.outward(tree.extra["gain"])} if "gain" in tree.extra else {}
        return replace(
            tree,
            answers=self.target.outward(tree.answers),
            impurity=shown.outward(tree.impurity),
            weight=self.weight.outward(tree.weight),
            extra=tree.extra | gain,
        )

    def inverse(self) -> Units:
        """From the units of the data to these."""
        return Units(*(PowerOfTwo().over(unit) for unit in self))


def units_of(criterion: Criterion, y: Array, w: Floats | None) -> Units:
    """The units for targets and weights; those of a criterion without a degree, or that is no impurity, stay."""
    if not criterion.is_impurity:
        return Units()
    if criterion.degree is None:
        target = PowerOfTwo()
    else:
        # The allowance for rounding is one of the mean where zero is not exact.
        target = safe_unit(y) if criterion.exact_zero else PowerOfTwo.of(2.0, np.mean(np.abs(y)))
    return Units(PowerOfTwo() if w is None else safe_unit(w), target, target.to_the(criterion.degree or 0))


def in_safe_units(grow: Grow) -> Grow:
    """A function (table, y, criterion, *, sample_weight, limits) → Tree that grows in safe units."""

    @wraps(grow)
    def grown(table: Any, y: Array, criterion: Criterion, /, *, sample_weight: Any = None, **options: Any) -> Tree:
        w = None if sample_weight is None else np.asarray(sample_weight, dtype=float)
        units = units_of(criterion, y, w)
        if options.get("choice") == "c4.5":
            # Its price of a cut is in bits per unit of weight, so that the unit of weights has a meaning.
            units = units._replace(weight=PowerOfTwo())
        if units.plain:
            return grow(table, y, criterion, sample_weight=w, **options)
        scaled = None if w is None else units.weights(w)
        return units.restored(grow(table, units.targets(y), criterion, sample_weight=scaled, **units.limits(options)))

    return cast(Grow, grown)
