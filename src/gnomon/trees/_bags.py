"""The rows of every member of an ensemble, drawn by its seed alone.

    rows of member t ~ m draws of row i with probability s_i / Σ s, with or without replacement;   m = share · Σ s   (1)

A weight is a probability of being drawn: with replacement, weight two is the same as having the row twice, and a row
counts as often as it was drawn. Members that `warm_start` keeps also keep their draw, whatever later fits draw.
Breiman (1996), Bagging predictors, doi:10.1007/BF00058655; without replacement: Breiman (1999),
doi:10.1023/A:1007563306331.
"""

from __future__ import annotations

import numbers
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from gnomon._typing import Floats, Integers
from gnomon.search import Bags

__all__ = ["Draw", "DrawnBags", "bag_size"]

MOST_DRAWN = 2**32
"""Rows of a bag above which the unit of the weights must be a mistake."""

FEW = 10
"""Rows below which a bag drawn by a fraction is worth a warning."""


@dataclass(frozen=True, eq=False)
class Draw:
    """How a fit draws: `size` of n rows with probabilities `shares` (None: uniform); no size: members see all rows."""

    n: int
    size: int | None = None
    replace: bool = True
    shares: Floats | None = None

    @classmethod
    def of(cls, weights: Floats, size: int, *, replace: bool) -> Self:
        """A draw of `size` rows by their weights."""
        available = np.count_nonzero(weights)
        if not replace and size > available:
            raise ValueError(
                f"max_samples asks for {size} rows without replacement, and {available} of {len(weights)} have a "
                "positive weight: a larger sample than there are; give fewer, or bootstrap=True"
            )
        uniform = np.all(weights == weights[0])
        return cls(len(weights), size, replace, None if uniform else weights / np.sum(weights))

    def counts(self, seed: int) -> Floats:
        """How often each row is drawn."""
        if self.shares is None:
            return Bags(self.n, self.size, self.replace, (seed,)).counts(0)
        rows = np.random.default_rng(seed).choice(self.n, self.size, replace=self.replace, p=self.shares)
        return np.bincount(rows, minlength=self.n).astype(float)


@dataclass(frozen=True, eq=False)
class DrawnBags:
    """The seed and the draw of every member."""

    seeds: tuple[int, ...] = ()
    draws: tuple[Draw, ...] = ()

    def extended(self, kept: int, seeds: Sequence[int], draw: Draw) -> DrawnBags:
        """The bags of the first `kept` members, and new ones drawn by `draw` for the other seeds."""
        return DrawnBags(tuple(seeds), (*self.draws[:kept], *[draw] * (len(seeds) - kept)))

    def counts(self, t: int) -> Floats:
        """How often each row is in the bag of member t."""
        return self.draws[t].counts(self.seeds[t])

    def rows(self, t: int) -> Integers:
        """The rows in the bag of member t, with repetitions."""
        counts = self.counts(t)
        return np.repeat(np.arange(len(counts)), counts.astype(np.int64))

    @property
    def all_drawn(self) -> bool:
        """Whether every member has a bag of its own."""
        return all(draw.size is not None for draw in self.draws)

    @property
    def same_rows(self) -> bool:
        """Whether all members were fitted to the same number of rows."""
        return len({draw.n for draw in self.draws}) == 1


def bag_size(max_samples: float | None, weights: Floats) -> int:
    """m of (1): as many as there are rows by default, a whole number as it is, another number times Σ s."""
    n, total = len(weights), float(np.sum(weights))
    if max_samples is None:
        return n
    if isinstance(max_samples, numbers.Integral):
        return int(max_samples)
    meant = float(max_samples) * total
    if meant > MOST_DRAWN:
        raise ValueError(
            f"max_samples={max_samples!r} of a total weight of {total:g} would draw {meant:g} rows; give a whole "
            "number, or weights whose sum is the number of rows"
        )
    size = max(1, int(meant))
    if size < max(FEW, n ** (1.0 / 3.0)):
        warnings.warn(
            f"max_samples={max_samples!r} of a total weight of {total:g} draws a low number of rows, {size}; give a "
            "whole number, or weights whose sum is the number of rows",
            UserWarning,
            stacklevel=5,
        )
    return size
