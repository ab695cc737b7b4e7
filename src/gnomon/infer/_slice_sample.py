"""Slice sampling of a density that is known up to a constant, one coordinate after the other.

    u ~ U(0, p(x)),    x' ~ U{x' : p(x') > u}                                                        (1)

The interval around x is stepped out until both ends leave the slice, and shrunk by every draw outside of it, so that no
width has to be tuned. Neal (2003), Slice sampling, doi:10.1214/aos/1056562461, figures 3 and 5.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gnomon._typing import Floats

__all__ = ["slice_sample"]

MOST_STEPS = 50


def slice_sample(
    log_density: Callable[[Floats], float],
    start: Floats,
    n_samples: int,
    rng: np.random.Generator,
    *,
    width: float = 1.0,
    burn_in: int = 0,
    bounds: Floats | None = None,
) -> Floats:
    """Draws from a density by (1), each after one pass over all coordinates.

    Parameters
    ----------
    log_density : callable
        x → log p(x) up to a constant; −∞ where p is zero.
    start : ndarray of shape (d,)
        Of positive density.
    n_samples : int
    rng : numpy.random.Generator
    width : float, default=1.0
        Of the first interval.
    burn_in : int, default=0
        Passes before the first draw.
    bounds : ndarray of shape (d, 2), optional
        Beyond which the density is zero.

    Returns
    -------
    ndarray of shape (n_samples, d)

    References
    ----------
    Neal, R. M. (2003). Slice sampling. doi:10.1214/aos/1056562461

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.infer import slice_sample
    >>> draws = slice_sample(lambda x: -0.5 * float(x @ x), np.zeros(2), 2000, np.random.default_rng(0))
    >>> bool(np.all(np.abs(draws.mean(axis=0)) < 0.1)), bool(np.all(np.abs(draws.std(axis=0) - 1.0) < 0.1))
    (True, True)
    """
    x = np.array(start, dtype=float)
    low, high = (np.full(x.shape, -np.inf), np.full(x.shape, np.inf)) if bounds is None else np.asarray(bounds).T
    value = log_density(x)
    if not np.isfinite(value):
        raise ValueError(f"log_density={value} at the start {x}; start where the density is positive and finite")
    draws = np.empty((n_samples, len(x)))
    for pass_ in range(-burn_in, n_samples):
        for j in range(len(x)):
            x, value = _move(log_density, x, value, j, (low[j], high[j]), width, rng)
        if pass_ >= 0:
            draws[pass_] = x
    return draws


def _move(
    log_density: Callable[[Floats], float],
    x: Floats,
    value: float,
    j: int,
    bounds: tuple[float, float],
    width: float,
    rng: np.random.Generator,
) -> tuple[Floats, float]:
    """One draw (1) of coordinate j."""
    level = value - rng.exponential()

    def at(place: float) -> tuple[Floats, float]:
        moved = x.copy()
        moved[j] = place
        return moved, log_density(moved)

    left = x[j] - width * rng.uniform()
    right = left + width
    left, right = _stepped(at, left, -width, bounds[0], level), _stepped(at, right, width, bounds[1], level)
    while True:
        found = at(rng.uniform(left, right))
        if found[1] >= level:
            return found
        place = found[0][j]
        left, right = (place, right) if place < x[j] else (left, place)


def _stepped(at: Callable[[float], tuple[Floats, float]], end: float, step: float, bound: float, level: float) -> float:
    """An end of the interval that has left the slice, or is at the bound."""
    for _ in range(MOST_STEPS):
        if (end - bound) * step >= 0.0:
            return bound
        if at(end)[1] < level:
            return end
        end += step
    return end
