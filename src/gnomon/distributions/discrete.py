"""Laws of whole numbers, and the sums that estimate them.

E[f(X)] = Σ_k P(X = k) f(k),    over the k that carry all but 10⁻¹⁵ of the probability            (1)
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gnomon._typing import Array, ArrayLike, Bools, Floats, Integers, Numbers
from gnomon.distributions._base import Distribution, Statistics, check_sample

__all__ = ["Counts", "Discrete", "Totals", "Trials", "below", "check_counts", "plain_integers", "whole"]


@dataclass(frozen=True, eq=False)
class Totals(Statistics):
    """Σ sᵢ and Σ sᵢ xᵢ."""

    total: Numbers


@dataclass(frozen=True, eq=False)
class Trials(Totals):
    """Σ sᵢ, the weighted successes Σ sᵢ xᵢ, and the weighted trials that they come from."""

    trials: Numbers


@dataclass(frozen=True, eq=False)
class Counts(Statistics):
    """Σ sᵢ, and how much weight fell on each value, along the last axis; fewer values are as many that were not met."""

    counts: Floats

    def __add__(self, other: Counts) -> Counts:
        K = max(self.counts.shape[-1], other.counts.shape[-1])
        return Counts(self.weight + other.weight, _padded(self.counts, K) + _padded(other.counts, K))


class Discrete(Distribution):
    """A law of whole numbers, or one per entry of arrays of parameters."""

    @property
    @abstractmethod
    def support(self) -> Integers:
        """The values of (1), in order."""

    def table(self, ndim: int = 0) -> tuple[Integers, Floats]:
        """The values of (1) along the first axis, with axes for the parameters behind, and their probabilities."""
        k = self.support
        k = k.reshape(k.shape + (1,) * max(ndim, np.ndim(self.mean)))
        return k, self.density(k)

    @property
    def mode(self) -> Numbers:
        """The most probable value, the least of several."""
        k, P = self.table()
        # Values that are equally probable differ by rounding.
        return plain_integers(k.ravel()[np.argmax(np.max(P, axis=0) * (1.0 - 1e-14) <= P, axis=0)])

    def quantile(self, p: ArrayLike) -> Numbers:
        """The least k with P(X ≤ k) ≥ p."""
        k, P = self.table()
        p = np.asarray(p)
        extra = (1,) * max(p.ndim - (P.ndim - 1), 0)
        below = np.cumsum(P, axis=0).reshape(P.shape[:1] + extra + P.shape[1:])
        # The cumulative sum may differ from p by rounding, which must not change the quantile.
        return k.ravel()[np.minimum(np.sum(below < p - 1e-14, axis=0), k.size - 1)]

    def integrate(self, f: Callable[[Any], Any]) -> Numbers:
        k, P = self.table()
        values = np.asarray([f(value) for value in k], dtype=float)
        return np.sum(P.reshape(P.shape + (1,) * (values.ndim - P.ndim)) * values, axis=0)

    def integrate_log_density(self, other: Distribution) -> Numbers:
        k, P = self.table(np.ndim(other.mean))
        with np.errstate(invalid="ignore"):
            # 0 log 0 = 0, and the divergence is infinite if P > 0 where Q = 0.
            return np.sum(np.where(P > 0.0, P * other.log_density(k), 0.0), axis=0)


def plain_integers(k: Array) -> Any:
    """Whole numbers as an array of integers, a single one as an `int`."""
    return k.astype(int) if np.ndim(k) else int(k)


def below(x: Numbers) -> Floats:
    """The greatest whole number below x, and not below zero: the mode where the ratio P(k)/P(k − 1) falls to 1 at x."""
    return np.maximum(np.ceil(np.asarray(x, dtype=float)) - 1.0, 0.0)


def whole(x: Floats) -> Bools:
    """Whether an entry is a whole number ≥ 0."""
    return (x >= 0.0) & (x == np.floor(x))


def check_counts(
    X: ArrayLike, sample_weight: ArrayLike | None, *, most: float | Floats = np.inf, what: str = "counts"
) -> tuple[Floats, Floats]:
    """A sample and its weights, where every entry is a whole number from 0 to `most`."""
    X, weights = check_sample(X, sample_weight)
    wrong = ~whole(X) | (most < X)
    if np.any(wrong):
        limit = "" if np.all(np.isinf(most)) else f" up to {most}"
        raise ValueError(
            f"X holds {X[wrong].flat[0]:g}, where {what} are whole numbers ≥ 0{limit}; "
            "repair the data, and put fractions into sample_weight"
        )
    return X, weights


def _padded(counts: Floats, K: int) -> Floats:
    return np.pad(counts, [(0, 0)] * (counts.ndim - 1) + [(0, K - counts.shape[-1])])
