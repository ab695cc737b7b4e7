"""The noise of observations, from what the user gives.

    εᵢ ~ N(0, σ² sᵢ),    sᵢ = 1/wᵢ                                                                    (1)

A weight is a number of repetitions: the mean of w observations has the variance σ²/w.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np

from gnomon._typing import ArrayLike, Floats
from gnomon.gp._observations import Noise

__all__ = ["NoiseLike", "more_noise", "new_noise", "read_noise", "read_variances"]

NoiseLike: TypeAlias = float | ArrayLike | Literal["learn"] | None

UNKNOWN_NOISE = "the noise of the training rows is an array, give that of the new rows as an array too"

START, BOUNDS = 0.1, (1e-10, 1e5)
"""Of a level that is learned, relative to the mean square of the targets."""


def read_noise(alpha: float | ArrayLike, noise: NoiseLike, y: Floats, weights: Floats) -> Noise:
    """σ² and s of (1) for targets y, or what a drift leaves of them; `noise` stands for `alpha` where it is given."""
    shares = 1.0 / weights
    if isinstance(noise, str):
        if noise != "learn":
            raise ValueError(f"noise={noise!r} is unknown; give a variance, one for each row, or 'learn'")
        unit = float(np.mean(y**2)) or 1.0
        return Noise(START * unit, shares, (BOUNDS[0] * unit, BOUNDS[1] * unit))
    name, given = ("alpha", alpha) if noise is None else ("noise", noise)
    values = read_variances(name, given, len(y), "y")
    return Noise(float(values), shares, None) if values.ndim == 0 else Noise(1.0, values * shares, None)


def read_variances(name: str, given: Any, n: int, rows: str) -> Floats:
    """A variance, or one for each of n rows, as an array of shape () or (n,)."""
    values = np.asarray(given, dtype=float)
    if values.shape == (1,):
        values = values[0]
    if values.ndim and values.shape != (n,):
        raise ValueError(
            f"{name} must be a scalar or an array with same number of entries as {rows}. ({values.shape[0]} != {n})"
            if values.ndim == 1
            else f"{name} has shape {values.shape}; give a variance, or an array of shape ({n},)"
        )
    if not np.all((values >= 0.0) & np.isfinite(values)):
        bad = values[()] if values.ndim == 0 else values[~((values >= 0.0) & np.isfinite(values))][0]
        raise ValueError(f"{name}={bad:.3g} is a variance and must be ≥ 0 and finite; give another value")
    return values


def new_noise(include_noise: bool | ArrayLike, q: int, level: NoiseLike) -> Floats:
    """Variances of q new observations, of shape (q, 1): as given, none, or σ² where it is one number."""
    given = np.asarray(include_noise)
    if given.dtype != bool or given.ndim:
        return np.broadcast_to(read_variances("include_noise", include_noise, q, "X").reshape(-1, 1), (q, 1))
    if not given:
        return np.zeros((q, 1))
    if isinstance(level, str):
        raise ValueError(f"include_noise=True before a fit needs a noise level, and noise={level!r}; give a number")
    if np.ndim(np.asarray(level)):
        raise ValueError(f"include_noise=True needs one noise level; {UNKNOWN_NOISE}")
    return np.full((q, 1), float(read_variances("noise", level, q, "X")))


def more_noise(old: Noise, noise: float | ArrayLike | None, y: Floats, weights: Floats, has_level: bool) -> Noise:
    """The noise of the old rows followed by that of new ones, of the same level unless `noise` says otherwise."""
    if noise is None:
        if not has_level:
            raise ValueError(f"noise=None is not enough; {UNKNOWN_NOISE}")
        return old._replace(shares=np.append(old.shares, 1.0 / weights))
    more, level = read_noise(noise, None, y, weights), old.level or 1.0
    return old._replace(level=level, shares=np.append(old.variances, more.variances) / level)
