"""Samples as statistics: for estimates from order statistics, samples add by concatenation.

    Q(p) = inf {x : F(x) ≥ p},    F(x) = Σ sᵢ 1[xᵢ ≤ x] / Σ sᵢ                                        (1)

Where F equals p on an interval the middle of it is taken, so that Q(½) is the usual median. Hyndman & Fan (1996),
definition 2, doi:10.1080/00031305.1996.10473566.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from gnomon._typing import ArrayLike, Floats, Numbers
from gnomon.distributions._base import as_numbers, check_sample
from gnomon.numerics.weights import weighted_quantile

__all__ = ["Sample", "one_variable"]


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows and their weights; rows without weight are left out."""

    values: Floats
    weights: Floats

    @classmethod
    def of(cls, X: ArrayLike, sample_weight: ArrayLike | None = None, *, vectors: bool = False) -> Self:
        """The rows of X, checked."""
        X, weights = check_sample(X, sample_weight, vectors=vectors)
        kept = weights > 0.0
        return cls(X[kept], weights[kept])

    @property
    def weight(self) -> float:
        """Σ sᵢ."""
        return float(np.sum(self.weights))

    def __add__(self, other: Self) -> Self:
        parts = ("values", "weights")
        return type(self)(*(np.concatenate([getattr(self, name), getattr(other, name)]) for name in parts))

    def mean(self) -> Numbers:
        """Σ sᵢ xᵢ / Σ sᵢ."""
        return self.weights @ self.values / self.weight

    def std(self) -> Numbers:
        """The root of Σ sᵢ (xᵢ − mean)² / Σ sᵢ."""
        deviations = self.values - self.mean()
        # Divided by the largest, since squares might overflow or underflow.
        size = np.max(np.abs(deviations), axis=0)
        unit = np.where(size > 0.0, size, 1.0)
        return unit * np.sqrt(self.weights @ (deviations / unit) ** 2 / self.weight)

    def quantile(self, p: float) -> Floats:
        """(1), of every column."""
        columns = self.values.reshape(len(self.values), -1).T
        found = np.array([weighted_quantile(column, p, self.weights) for column in columns])
        return found.reshape(self.values.shape[1:])

    def spread(self) -> Floats:
        """min(deviation, interquartile range / 1.34) of every column; the deviation where half of a column is equal."""
        deviation, range_ = self.std(), (self.quantile(0.75) - self.quantile(0.25)) / 1.34
        return np.where(range_ > 0.0, np.minimum(deviation, range_), deviation)


def one_variable(X: ArrayLike, law: str) -> Floats:
    """X of shape (n, 1) as a vector; one of shape (n,) is one already."""
    X = as_numbers(X, "X")
    if X.ndim == 2 and X.shape[1] != 1:
        raise ValueError(
            f"X has {X.shape[1]} columns, and {law} is a law of one variable; Product.fit(X, models={law}) makes one "
            "for each column"
        )
    return X[:, 0] if X.ndim == 2 else X
