"""Thresholds of the regions that hold a given probability.

    log ε_λ   with   P(log p(X) > log ε_λ) = λ,   X ~ p                                                  (1)
    normal law in d dimensions:   log ε_λ = log p(μ) − ½ χ²_d(λ)                                          (2)

The region {p > ε_λ} is the smallest that holds λ. For a normal law (2) is exact; in one dimension (1) is solved by
quadrature where that accounts for all the mass; otherwise log ε is the (1 − λ)-quantile of log p over draws from the
law: Hyndman (1996), Computing and graphing highest density regions, doi:10.1080/00031305.1996.10473566.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.stats import chi2

from gnomon._typing import Floats
from gnomon.anomaly._base import contamination_threshold
from gnomon.distributions import MultivariateNormal, Normal, row_log_density, sample_density
from gnomon.numerics.validation import check_interval

__all__ = ["check_level", "log_thresholds"]

CELLS = 2**14
LOST_MASS = 1e-4
EXACT = 1e-10
"""How near to log ε the search comes."""


def check_level(name: str, level: float) -> float:
    """A probability in (0, 1)."""
    return check_interval(name, level, 0.0, 1.0, closed="neither")


@singledispatch
def log_thresholds(density: Any, levels: Floats, *, n_draws: int, rng: np.random.Generator) -> Floats:
    """log ε of equation (1) for every level, from one set of draws, so that the regions are nested."""
    if not callable(getattr(density, "sample", None)):
        raise ValueError(
            f"level= needs draws and {type(density).__name__} has no sample; give contamination=, epsilon= or "
            "log_epsilon= instead"
        )
    rows = sample_density(density, n_draws, rng)
    found = _by_quadrature(density, rows[:, 0], levels) if rows.shape[1] == 1 else None
    if found is not None:
        return found
    scores = row_log_density(density, rows)
    return np.array([contamination_threshold(scores, 1.0 - level) for level in levels.tolist()])


@log_thresholds.register
def _(density: MultivariateNormal, levels, *, n_draws, rng):
    return density.log_density(density.mean) - 0.5 * chi2.ppf(levels, density.mean.size)


@log_thresholds.register
def _(density: Normal, levels, *, n_draws, rng):
    mean = np.atleast_1d(density.mean)
    return np.sum(density.log_density(mean)) - 0.5 * chi2.ppf(levels, mean.size)


def _by_quadrature(density: Any, draws: Floats, levels: Floats) -> Floats | None:
    """log ε of a smooth law of one variable; None where the grid does not hold its mass."""
    if len(np.unique(draws)) < len(draws):
        # Repeated draws mean a discrete distribution.
        return None
    low, high = np.min(draws), np.max(draws)
    grid = np.linspace(low - 0.25 * (high - low), high + 0.25 * (high - low), CELLS + 1)
    log_p = row_log_density(density, grid[:, None])
    mass = np.trapezoid(np.exp(log_p), grid)
    if not abs(mass - 1.0) < LOST_MASS:
        return None
    upper, lower = np.maximum(log_p[1:], log_p[:-1]), np.minimum(log_p[1:], log_p[:-1])
    inside = np.isfinite(upper)
    cells = upper[inside], lower[inside], grid[1] - grid[0]
    bracket = np.min(log_p[np.isfinite(log_p)]) - 1.0, np.max(log_p)
    # If p is constant at ε, that region is needed to reach probability λ: ε must lie below it by more than rounding.
    return np.array([brentq(_excess, *bracket, (*cells, share * mass), xtol=EXACT) for share in levels]) - 2.0 * EXACT


def _excess(t: float, upper: Floats, lower: Floats, step: float, wanted: float) -> float:
    """∫ p over {log p > t} less what is wanted; cells that t crosses count up to the crossing, log p being linear."""
    above, edge = upper > t, np.isneginf(lower)
    crossed = above & ~edge & (lower <= t)
    part = np.divide(upper - t, upper - lower, out=np.ones(len(upper)), where=crossed)
    area = part * 0.5 * (np.exp(upper) + np.where(edge, 0.0, np.exp(np.maximum(lower, t))))
    return step * np.sum(area[above]) - wanted
