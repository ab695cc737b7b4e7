"""Histogram density.

    p(x) = (n_b + α) / ((N + αB) · width_b)    for x in bin b of B                                  (1)

Freedman & Diaconis (1981), doi:10.1007/BF01025868, take bins of width 2 · IQR · N^{−1/3}.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Self, TypeAlias, cast

import numpy as np
from numpy.polynomial.legendre import leggauss
from scipy.special import xlogy

from gnomon._typing import ArrayLike, Floats, Numbers
from gnomon.distributions._base import Distribution, Frozen, Statistics, check_points, check_sample, finite, frozen
from gnomon.distributions._sample import Sample, one_variable
from gnomon.numerics.validation import check_choice, check_integer, check_non_negative

__all__ = ["Histogram"]

Count: TypeAlias = Literal["fd"] | int
Bins: TypeAlias = Count | Sequence[float] | Floats
Tails: TypeAlias = Literal["clip", "zero"]

NODES = 16
"""Of the rule for expectations, in each bin."""

MOST_BINS = 10_000
"""Freedman and Diaconis' rule asks for more only where a few values lie far from all others."""


@dataclass(frozen=True, eq=False)
class BinCounts(Statistics):
    """Σ sᵢ and how much weight fell into each bin between given edges."""

    counts: Floats
    edges: Floats

    def __add__(self, other: BinCounts) -> BinCounts:
        if not np.array_equal(self.edges, other.edges):
            raise ValueError("counts over different edges do not add; give both the same edges")
        return BinCounts(self.weight + other.weight, self.counts + other.counts, self.edges)

    def binned(self, bins: Bins) -> tuple[Floats, Floats]:
        """The counts and edges; `bins` were given when they were counted, and cannot be others now."""
        if not (isinstance(bins, str) and bins == "fd") and not np.array_equal(np.asarray(bins), self.edges):
            raise ValueError(f"bins={bins!r}, but the rows were counted between {self.edges.tolist()}; leave bins out")
        return self.counts, self.edges


class RawValues(Sample):
    """Values whose bins are chosen once all are there."""

    def binned(self, bins: Bins) -> tuple[Floats, Floats]:
        """The counts and edges of `bins` bins, or of Freedman and Diaconis' rule; or between given edges."""
        if np.ndim(bins):
            found = Histogram.statistics(self.values, self.weights, bins=bins)
            return cast(BinCounts, found).binned("fd")
        bins = _checked_count(cast(Count, bins))
        edges = np.linspace(*_range(self.values), self._rule() + 1 if bins == "fd" else bins + 1)
        return np.histogram(self.values, edges, weights=self.weights)[0], edges

    def _rule(self) -> int:
        low, high = _range(self.values)
        width = 2.0 * float(self.quantile(0.75) - self.quantile(0.25)) * self.weight ** (-1.0 / 3.0)
        return int(np.clip(np.ceil((high - low) / width), 1, MOST_BINS)) if width > 0.0 else _sturges(self.weight)


@dataclass(frozen=True, eq=False)
class Histogram(Distribution):
    """Density that is constant on each of B bins.

    Parameters
    ----------
    edges : array-like of shape (B + 1,)
        Increasing; every bin contains its left edge, the last also its right one.
    probabilities : array-like of shape (B,)
        Of the bins.
    tails : {"clip", "zero"}, default="clip"
        The density outside the edges: that of the nearest bin, or 0. With "clip" it does not integrate to one over
        the whole line, and no value is impossible for lying out of the range.

    References
    ----------
    Freedman, D. & Diaconis, P. (1981). On the histogram as a density estimator: L2 theory. doi:10.1007/BF01025868

    Examples
    --------
    >>> from gnomon.distributions import Histogram
    >>> law = Histogram.fit([0.1, 0.2, 0.4, 0.9], bins=[0.0, 0.25, 0.5, 1.0])
    >>> law.density([0.1, 0.3, 0.7])
    array([2. , 1. , 0.5])
    >>> Histogram.fit([0.1, 0.2, 0.4, 0.9], bins=[0.0, 0.25, 0.5, 1.0], alpha=1.0).density([0.1, 0.3, 0.7]).round(6)
    array([1.714286, 1.142857, 0.571429])
    """

    edges: Frozen
    probabilities: Frozen
    tails: Tails = "clip"

    summed_options: ClassVar[tuple[str, ...]] = ("bins",)

    def __post_init__(self) -> None:
        edges, p = _checked_edges(self.edges), frozen(self.probabilities)
        if p.shape != (edges.size - 1,) or not np.all(p >= 0.0) or abs(np.sum(p) - 1.0) > 1e-6:
            raise ValueError(f"probabilities={p!r} must be {edges.size - 1} numbers ≥ 0 with sum 1, one for each bin")
        check_choice("tails", self.tails, ("clip", "zero"))
        object.__setattr__(self, "edges", edges)
        object.__setattr__(self, "probabilities", p)

    @classmethod
    def statistics(
        cls, X: ArrayLike, sample_weight: ArrayLike | None = None, *, bins: Bins = "fd"
    ) -> BinCounts | RawValues:
        """The counts of the bins where `bins` are edges; else the sample, whose bins are chosen once all is there."""
        if np.ndim(bins) == 0:
            _checked_count(cast(Count, bins))
            return RawValues.of(one_variable(X, "Histogram"), sample_weight)
        edges = _checked_edges(bins)
        X, weights = check_sample(one_variable(X, "Histogram"), sample_weight)
        clipped = np.clip(X, edges[0], edges[-1])
        return BinCounts(float(np.sum(weights)), np.histogram(clipped, edges, weights=weights)[0], edges)

    @classmethod
    def from_statistics(
        cls, statistics: BinCounts | RawValues, *, bins: Bins = "fd", alpha: float = 0.0, tails: Tails = "clip"
    ) -> Self:
        """Equation (1).

        Parameters
        ----------
        statistics : Statistics
        bins : "fd", int or array-like of edges, default="fd"
            Freedman and Diaconis' rule, the number of bins of equal width over the range, or their edges.
        alpha : float, default=0.0
            Pseudo-count of every bin.
        tails : {"clip", "zero"}, default="clip"
        """
        counts, edges = statistics.binned(bins)
        raised = counts + check_non_negative("alpha", alpha)
        return cls(edges, raised / np.sum(raised), tails)

    @property
    def mean(self) -> float:
        """Of the middles of the bins."""
        return float(self.probabilities @ self._middles())

    @property
    def var(self) -> float:
        """Between the middles, and within the bins."""
        within = np.diff(self.edges) ** 2 / 12.0
        return float(self.probabilities @ ((self._middles() - self.mean) ** 2 + within))

    @property
    def mode(self) -> float:
        """The middle of the bin of greatest density, the first of several."""
        density = self.probabilities / np.diff(self.edges)
        return float(self._middles()[np.argmax(density >= np.max(density) * (1.0 - 1e-12))])

    @property
    def n_parameters(self) -> int:
        return self.probabilities.size - 1

    def log_density(self, x: ArrayLike) -> Numbers:
        x = check_points(x)
        index = np.searchsorted(self.edges, x, side="right") - 1
        with np.errstate(divide="ignore"):
            levels = np.log(self.probabilities / np.diff(self.edges))
        out = levels[np.clip(index, 0, levels.size - 1)]
        return out if self.tails == "clip" else np.where((x < self.edges[0]) | (x > self.edges[-1]), -np.inf, out)

    def sample(self, n: int, rng: np.random.Generator) -> Floats:
        return self.quantile(rng.random(n))

    def quantile(self, p: ArrayLike) -> Numbers:
        reached = np.concatenate([[0.0], np.cumsum(self.probabilities)])
        # Bins without probability are steps of the inverse, which np.interp would enter from the wrong side.
        kept = np.concatenate([[True], np.diff(reached) > 0.0])
        left = np.append(self.edges[:-1][kept[1:]], self.edges[-1])
        share, b = reached[:-1][kept[1:]], np.flatnonzero(kept[1:])
        p = np.asarray(p, dtype=float)
        at = np.clip(np.searchsorted(share, p, side="right") - 1, 0, len(b) - 1)
        inside = np.clip((p * reached[-1] - share[at]) / self.probabilities[b[at]], 0.0, 1.0)
        return left[at] + inside * np.diff(self.edges)[b[at]]

    def rule(self) -> tuple[Floats, Floats]:
        # Gauss–Legendre nodes within each bin.
        z, v = leggauss(NODES)
        points = self._middles()[:, None] + 0.5 * np.diff(self.edges)[:, None] * z
        return points.ravel(), np.outer(self.probabilities, 0.5 * v).ravel()

    def entropy(self) -> float:
        """−Σ p_b log(p_b / width_b)."""
        return -float(np.sum(xlogy(self.probabilities, self.probabilities / np.diff(self.edges))))

    def _middles(self) -> Floats:
        return 0.5 * (self.edges[1:] + self.edges[:-1])


def _checked_count(bins: Count) -> Count:
    return check_choice("bins", bins, ("fd",)) if isinstance(bins, str) else check_integer("bins", bins, 1)


def _checked_edges(edges: ArrayLike) -> Floats:
    kept = frozen(edges)
    finite(edges=kept)
    if np.ndim(kept) != 1 or kept.size < 2 or not np.all(np.diff(kept) > 0.0):
        raise ValueError(f"edges={kept!r} must be at least two increasing numbers; sort them and drop repetitions")
    return kept


def _range(values: Floats) -> tuple[float, float]:
    """The extremes, widened where all values are equal."""
    low, high = float(np.min(values)), float(np.max(values))
    apart = 0.0 if high > low else max(0.5, abs(low) * 1e-6)
    return low - apart, high + apart


def _sturges(n: float) -> int:
    return int(np.ceil(np.log2(max(n, 1.0)))) + 1
