"""Kernel density.

    p(x) = Σᵢ sᵢ ∏ⱼ φ((xⱼ − xᵢⱼ)/hⱼ)/hⱼ  /  Σᵢ sᵢ,    φ the standard normal density                      (1)

    "silverman"       hⱼ = 0.9 · min(deviation, IQR/1.34) · n^{−1/(d+4)}
    "scott"           hⱼ = deviation · n^{−1/(d+4)}
    "flexible_bayes"  h = n^{−1/2}                                                                  (2)

with n = Σ sᵢ. Silverman (1986), Density Estimation for Statistics and Data Analysis, equation 3.31,
doi:10.1201/9781315140919; Scott (1992), doi:10.1002/9780470316849; John & Langley (1995), arXiv:1302.4964.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Self, TypeAlias

import numpy as np
from numpy.polynomial.hermite_e import hermegauss
from scipy.optimize import brentq
from scipy.special import ndtr

from gnomon._typing import ArrayLike, Floats, Numbers
from gnomon.distributions._base import Distribution, Frozen, check_points, finite, frozen, positive
from gnomon.distributions._kernel_sums import CentreCells, cell_log_sums, cells_of, log_sums
from gnomon.distributions._sample import Sample
from gnomon.numerics.parallel import blas_threads, map_chunks, split_rows
from gnomon.numerics.special import LOG_2PI

__all__ = ["KDE"]


Rule: TypeAlias = Literal["silverman", "scott", "flexible_bayes"]

RULES: dict[str, Callable[[Sample, float], Numbers]] = {
    "silverman": lambda sample, power: 0.9 * sample.spread() * sample.weight**power,
    "scott": lambda sample, power: sample.std() * sample.weight**power,
    "flexible_bayes": lambda sample, power: np.full(sample.values.shape[1:], sample.weight**-0.5),
}

NODES = {1: 20, 2: 12}
"""Gauss and Hermite's nodes per coordinate for expectations under each kernel, by the number of coordinates."""


@dataclass(frozen=True, eq=False)
class KDE(Distribution):
    """Mean of normal densities round the points of a sample.

    Parameters
    ----------
    centers : array-like of shape (n,) or (n, d)
        The xᵢ: entries for one variable, rows for a law of vectors.
    bandwidth : float or array-like of shape (d,)
        h > 0.
    weights : array-like of shape (n,), optional
        The sᵢ; all one by default.

    References
    ----------
    Silverman, B. W. (1986). Density Estimation for Statistics and Data Analysis. doi:10.1201/9781315140919

    Examples
    --------
    >>> from gnomon.distributions import KDE
    >>> law = KDE.fit([0.1, 0.2, 0.4, 0.9], bandwidth=0.5)
    >>> round(float(law.density(0.3)), 6)
    0.672271
    >>> round(float(KDE.fit([0.1, 0.2, 0.4, 0.9]).bandwidth), 6)
    0.210229
    """

    centers: Frozen
    bandwidth: Numbers
    weights: Frozen = None

    def __post_init__(self) -> None:
        centers, h = frozen(self.centers), frozen(self.bandwidth)
        if np.ndim(centers) not in (1, 2) or len(centers) == 0:
            raise ValueError(f"centers has shape {np.shape(centers)}; give at least one point, as (n,) or (n, d)")
        finite(centers=centers)
        positive(bandwidth=h)
        if np.ndim(h) and np.shape(h) != centers.shape[1:]:
            raise ValueError(f"bandwidth has shape {np.shape(h)}; give one number, or one for each column of centers")
        kept = Sample.of(centers, self.weights)
        for name, value in (("centers", frozen(kept.values)), ("bandwidth", h), ("weights", frozen(kept.weights))):
            object.__setattr__(self, name, value)

    @classmethod
    def statistics(cls, X: ArrayLike, sample_weight: ArrayLike | None = None) -> Sample:
        """The sample itself."""
        return Sample.of(X, sample_weight)

    @classmethod
    def from_statistics(
        cls, statistics: Sample, *, bandwidth: Rule | float | Sequence[float] | Floats = "silverman"
    ) -> Self:
        """Equation (1) with the bandwidth given, or found by a rule of (2).

        Parameters
        ----------
        statistics : Statistics
        bandwidth : {"silverman", "scott", "flexible_bayes"}, float or array-like, default="silverman"
        """
        if isinstance(bandwidth, str):
            bandwidth = _ruled(statistics, bandwidth)
        return cls(statistics.values, bandwidth, statistics.weights)

    @property
    def vectors(self) -> bool:
        """Whether the centres are rows."""
        return self.centers.ndim == 2

    @property
    def mean(self) -> Numbers:
        """Of the centres."""
        return Sample(self.centers, self.weights).mean()

    @property
    def var(self) -> Numbers:
        """Of the centres, and h²."""
        return Sample(self.centers, self.weights).std() ** 2 + np.square(self.bandwidth)

    @property
    def cov(self) -> Floats:
        """Of the centres, and diag(h²)."""
        Z = self.centers - self.mean
        inner = (Z.T * self.weights) @ Z / np.sum(self.weights)
        return inner + np.diag(np.full(Z.shape[1], 1.0) * np.square(self.bandwidth))

    @property
    def mode(self) -> Numbers:
        """Where mean shift ends that starts at the centre of greatest density: a local maximum, as a rule the highest.

        Fukunaga & Hostetler (1975), doi:10.1109/TIT.1975.1055330.
        """
        C = self._centers
        x = C[np.argmax(self.log_density(self.centers))]
        for _ in range(1000):
            e = np.log(self.weights) - 0.5 * np.sum(((C - x) / self._bandwidth) ** 2, axis=1)
            p = np.exp(e - np.max(e))
            old, x = x, p @ C / np.sum(p)
            if np.max(np.abs(x - old) / self._bandwidth) <= 1e-10:
                break
        return x if self.vectors else float(x[0])

    @property
    def n_parameters(self) -> int:
        """The numbers that the law keeps: its centres and widths."""
        return int(self.centers.size + np.size(self.bandwidth))

    @property
    def _centers(self) -> Floats:
        return self.centers.reshape(len(self.centers), -1)

    @property
    def _bandwidth(self) -> Floats:
        return np.full(self._centers.shape[1], 1.0) * self.bandwidth

    @cached_property
    def _sorted(self) -> tuple[Floats, Floats]:
        """Centres in units of h, by their first coordinate, and the logarithms of their shares."""
        order = np.argsort(self._centers[:, 0], kind="stable")
        return self._centers[order] / self._bandwidth, np.log(self.weights / np.sum(self.weights))[order]

    @cached_property
    def _cells(self) -> CentreCells | None:
        """The cells of many centres on a line, else None."""
        C, shares = self._sorted
        return cells_of(C[:, 0], shares) if C.shape[1] == 1 else None

    def log_density(self, x: ArrayLike) -> Numbers:
        x = check_points(x, self.centers.shape[1:])
        d = self._centers.shape[1]
        if self.vectors and x.shape[-1:] != (d,) and not (d == 1 and x.ndim <= 1):
            raise ValueError(f"x has shape {x.shape}; give rows of {d} numbers")
        with np.errstate(over="ignore"):
            sums = self._sums(x.reshape(-1, d) / self._bandwidth)
        out = sums - 0.5 * d * LOG_2PI - np.sum(np.log(self._bandwidth))
        shape = x.shape[:-1] if self.vectors and x.shape[-1:] == (d,) else x.shape
        return out.reshape(shape)[()]

    def _sums(self, Q: Floats) -> Floats:
        C, shares = self._sorted
        # The terms that are left out are together below one part in 10¹⁶ of those that are summed.
        reach = float(np.max(shares) + np.log(len(C)) + 37.0)

        def part(rows: slice) -> Floats:
            if self._cells is None:
                return log_sums(Q[rows], C, shares, reach)
            return cell_log_sums(Q[rows, 0], C[:, 0], shares, reach, *self._cells)

        chunks = split_rows(len(Q), max(1, min(16, len(Q) * len(C) // 2**20)))
        return np.concatenate(map_chunks(part, chunks, blas_threads()))

    def sample(self, n: int, rng: np.random.Generator) -> Floats:
        chosen = self.centers[rng.choice(len(self.centers), size=n, p=self.weights / np.sum(self.weights))]
        return chosen + self.bandwidth * rng.standard_normal(chosen.shape)

    def quantile(self, p: ArrayLike) -> Numbers:
        """The root of the distribution function, for one variable; quantiles of every coordinate by itself."""
        C, h, share = self._centers, self._bandwidth, self.weights / np.sum(self.weights)
        p = np.asarray(p, dtype=float)
        found = [[_root(C[:, j], h[j], share, level) for level in p.ravel()] for j in range(C.shape[1])]
        return np.array(found).T.reshape(p.shape + self.centers.shape[1:])[()]

    def rule(self) -> tuple[Floats, Floats]:
        d = self._centers.shape[1]
        if d not in NODES:
            raise NotImplementedError(f"no rule for integrals over {d} coordinates; give n_samples, for draws instead")
        z, v = hermegauss(NODES[d])
        nodes = np.stack(np.meshgrid(*[z] * d, indexing="ij"), axis=-1).reshape(-1, d)
        mass = np.prod(np.meshgrid(*[v / np.sum(v)] * d, indexing="ij"), axis=0).ravel()
        points = self._centers[:, None, :] + self._bandwidth * nodes
        weights = np.outer(self.weights / np.sum(self.weights), mass).ravel()
        return points.reshape(-1, *self.centers.shape[1:]), weights


def _ruled(sample: Sample, rule: Rule) -> Numbers:
    if rule not in RULES:
        raise ValueError(f"bandwidth={rule!r} is unknown; choose from {list(RULES)}, or give a number")
    d = int(np.prod(sample.values.shape[1:], dtype=int))
    h = RULES[rule](sample, -1.0 / (d + 4.0))
    if not np.all(h > 0.0):
        raise ValueError(f"a column of X is constant, so bandwidth={rule!r} is zero; give a number or 'flexible_bayes'")
    return h


def _root(centers: Floats, h: float, share: Floats, p: float) -> float:
    low, high = float(np.min(centers)) - 40.0 * h, float(np.max(centers)) + 40.0 * h
    if not 0.0 < p < 1.0:
        return -np.inf if p <= 0.0 else np.inf
    return brentq(lambda x: float(share @ ndtr((x - centers) / h)) - p, low, high, xtol=1e-13 * h, rtol=1e-14)
