"""The bootstrap, as counts of rows.

    c ~ Multinomial(N; w/N),  N = Σ wᵢ;      θ* = θ(c)                                                        (1)
    interval: the (1 ± level)/2 quantiles of θ*,  standard error: their standard deviation                       (2)
    band over all points at once: θ ± q s.e.,  q the `level` quantile of max |θ* − θ|/s.e.                       (3)

A resample is never copied: it is a weight for each row, so whatever takes weights (a curve whose rows are sorted once,
a mean of losses, a table of counts) is resampled without sorting or indexing again. A weight counts rows: weight two is
the row twice, in the resamples too. Rows that depend on each other are drawn by the group; strata keep their size.
Efron (1979), doi:10.1214/aos/1176344552; groups: Field & Welsh (2007), doi:10.1111/j.1467-9868.2007.00593.x; rows by
a guide table: Chen & Asau (1974), doi:10.1080/05695557408974949.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gnomon._jit import jit
from gnomon._typing import Array, ArrayLike, Floats, Integers, RandomState
from gnomon.numerics.estimates import Estimate, normal_quantile
from gnomon.numerics.parallel import map_chunks
from gnomon.numerics.random import spawn_seeds
from gnomon.numerics.validation import check_integer

__all__ = ["Bootstrap", "band_of", "bootstrap", "estimate_of", "replicates"]

BLOCK = 16
"""Resamples with one generator; fixed, so that the number of threads changes nothing."""

MOST_ROWS = 2**53
"""Counts up to here are exact numbers."""


class Stratum(NamedTuple):
    """Units that are drawn among themselves.

    Fields
    ------
    units : ndarray of int
    ends : ndarray
        Running sums of their weights.
    guide : ndarray of int
        For each whole number k the first unit whose running sum exceeds it: where the search for k + u begins. Empty
        where every weight is one, and k itself is that unit.
    """

    units: Integers
    ends: Floats
    guide: Integers

    @property
    def is_heavy(self) -> bool:
        """Whether a binomial number for each unit is less work than a draw for each row that they stand for."""
        return bool(self.ends[-1] > 8.0 * len(self.units))

    def tally(self, rng: np.random.Generator, counts: Floats) -> None:
        """Draw as many units as they weigh, by weight, and count them."""
        total = float(self.ends[-1])
        draws = max(1, round(total))
        if self.is_heavy:
            counts[self.units] = rng.multinomial(draws, np.diff(self.ends, prepend=0.0) / total)
            return
        _tally(rng.random(draws), self.ends, self.guide, self.units, counts)


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """Resamples (1) of rows; made by `bootstrap`.

    Parameters
    ----------
    strata : tuple of Stratum
    weights : ndarray of shape (n,)
        Of the rows themselves.
    groups : ndarray of int of shape (n,), optional
        The unit of each row; None where each row is one.

    References
    ----------
    Efron, B. (1979). Bootstrap methods: another look at the jackknife. doi:10.1214/aos/1176344552

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.resampling import bootstrap
    >>> draws = bootstrap([1.0, 2.0, 1.0], groups=["a", "b", "a"])
    >>> counts = draws.counts(np.random.default_rng(0))
    >>> bool(counts[0] == counts[2])
    True
    """

    strata: tuple[Stratum, ...]
    weights: Floats
    groups: Integers | None

    def counts(self, rng: np.random.Generator) -> Floats:
        """How often each row is in one resample."""
        counts = np.zeros(len(self.weights) if self.groups is None else 1 + int(np.max(self.groups)))
        for stratum in self.strata:
            stratum.tally(rng, counts)
        return counts if self.groups is None else counts[self.groups] * self.weights


def bootstrap(weights: ArrayLike, *, strata: ArrayLike | None = None, groups: ArrayLike | None = None) -> Bootstrap:
    """The bootstrap (1) of rows with weights.

    Parameters
    ----------
    weights : array-like of shape (n,)
        How many rows each one stands for.
    strata : array-like of shape (n,), optional
        Rows of one value are drawn among themselves.
    groups : array-like of shape (n,), optional
        Rows of one value are drawn together.

    Returns
    -------
    Bootstrap

    References
    ----------
    Field, C. A. & Welsh, A. H. (2007). Bootstrapping clustered data. doi:10.1111/j.1467-9868.2007.00593.x

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.resampling import bootstrap
    >>> counts = bootstrap(np.ones(6), strata=[0, 0, 1, 1, 1, 1]).counts(np.random.default_rng(0))
    >>> float(counts[:2].sum()), float(counts[2:].sum())
    (2.0, 4.0)
    """
    w = np.asarray(weights, dtype=float)
    if groups is not None and strata is not None:
        raise ValueError("groups and strata exclude each other: a group may have rows of several strata; give one")
    if groups is not None:
        index = _codes("groups", groups, len(w))
        return Bootstrap((_stratum(np.arange(1 + np.max(index)), np.ones(1 + np.max(index))),), w, index)
    if not 1.5 <= np.sum(w) <= MOST_ROWS:
        raise ValueError(
            f"sample_weight sums to {np.sum(w):g}, but weights count rows here; scale them so that their sum is the "
            "number of independent rows that they stand for"
        )
    index = np.zeros(len(w), dtype=int) if strata is None else _codes("strata", strata, len(w))
    rows = (np.flatnonzero(index == k) for k in range(1 + np.max(index)))
    return Bootstrap(tuple(_stratum(part, w[part]) for part in rows if np.any(w[part] > 0.0)), w, None)


def _codes(name: str, labels: ArrayLike, n: int) -> Integers:
    index = np.unique(np.asarray(labels), return_inverse=True)[1]
    if index.shape != (n,):
        raise ValueError(f"{name} has shape {index.shape}; give one label for each of {n} rows")
    return index


def _stratum(units: Integers, w: Floats) -> Stratum:
    ends = np.cumsum(w)
    plain = Stratum(units, ends, np.empty(0, dtype=np.intp))
    if plain.is_heavy or np.all(w == 1.0):
        return plain
    return plain._replace(guide=np.searchsorted(ends, np.arange(int(ends[-1]) + 1), side="right"))


@jit
def _tally(u: Floats, ends: Floats, guide: Integers, units: Integers, counts: Floats) -> None:
    """Count the first unit whose running sum exceeds u Σw, for each u in [0, 1)."""
    last = len(ends) - 1
    total = ends[last]
    for k in range(len(u)):
        place = total * u[k]
        i = int(place)
        # Reads of a table take most of the time, so units of weight one do without.
        if len(guide):
            i = guide[i]
            while i < last and ends[i] <= place:
                i += 1
        counts[units[min(i, last)]] += 1.0


def replicates(
    statistic: Callable[[Floats], float | Floats],
    draws: Bootstrap,
    n_resamples: int = 1000,
    *,
    random_state: RandomState = None,
    n_jobs: int | None = None,
) -> Array:
    """θ* of (1): a statistic of the weights of the rows, for many resamples.

    Parameters
    ----------
    statistic : callable (weights) → float or ndarray
    draws : Bootstrap
    n_resamples : int, default=1000
    random_state : None, int, Generator or RandomState
    n_jobs : int, optional
        Threads; they change nothing but the time.

    Returns
    -------
    ndarray of shape (n_resamples, …)

    References
    ----------
    Efron, B. (1979). Bootstrap methods: another look at the jackknife. doi:10.1214/aos/1176344552

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.resampling import bootstrap, replicates
    >>> x = np.arange(100.0)
    >>> means = replicates(lambda w: w @ x / w.sum(), bootstrap(np.ones(100)), 500, random_state=0)
    >>> bool(abs(np.std(means) / (np.std(x) / 10) - 1) < 0.1)
    True
    """
    n_resamples = check_integer("n_resamples", n_resamples, 2)
    starts = range(0, n_resamples, BLOCK)

    def block(piece: tuple[int, int]) -> Array:
        start, seed = piece
        rng = np.random.default_rng(seed)
        return np.array([statistic(draws.counts(rng)) for _ in range(start, min(start + BLOCK, n_resamples))])

    seeds = spawn_seeds(random_state, len(starts))
    return np.concatenate(map_chunks(block, zip(starts, seeds, strict=True), n_jobs))


def estimate_of(value: float, found: Floats, level: float = 0.95) -> Estimate:
    """A value with the interval (2) of its replicates; nan among them are left out.

    References
    ----------
    Efron, B. (1979). Bootstrap methods: another look at the jackknife. doi:10.1214/aos/1176344552

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.resampling import estimate_of
    >>> print(estimate_of(0.5, np.linspace(0.0, 1.0, 101), level=0.9))
    0.5 (90 % interval 0.05 to 0.95)
    """
    normal_quantile(level)  # refuses what is no level
    good = found[~np.isnan(found)]
    if len(good) < 2:
        return Estimate(value, np.nan, np.nan, np.nan, level)
    low, high = np.quantile(good, [0.5 - 0.5 * level, 0.5 + 0.5 * level])
    return Estimate(value, float(np.std(good, ddof=1)), float(low), float(high), level)


def band_of(value: Floats, found: Floats, level: float = 0.95, *, simultaneous: bool = False) -> tuple[Floats, Floats]:
    """Ends of the intervals (2) at each point of a curve, or of the band (3); replicates with nan are left out.

    References
    ----------
    Montiel Olea, J. L. & Plagborg-Møller, M. (2019). Simultaneous confidence bands: theory, implementation, and an
    application to SVARs. doi:10.1002/jae.2656

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.resampling import band_of
    >>> found = np.random.default_rng(0).standard_normal((500, 20))
    >>> one, all_ = band_of(np.zeros(20), found)[1], band_of(np.zeros(20), found, simultaneous=True)[1]
    >>> bool(np.mean(one) < 2.2 < 2.7 < np.mean(all_))
    True
    """
    normal_quantile(level)
    good = found[~np.any(np.isnan(found), axis=1)]
    if not simultaneous:
        low, high = np.quantile(good, [0.5 - 0.5 * level, 0.5 + 0.5 * level], axis=0)
        return low, high
    error = np.std(good, axis=0, ddof=1)
    far = np.divide(np.abs(good - value), error, out=np.zeros_like(good), where=error > 0.0)
    width = np.quantile(np.max(far, axis=1), level) * error
    return value - width, value + width
