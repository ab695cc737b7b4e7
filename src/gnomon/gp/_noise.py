"""The noise of observations, from what the user gives.

    εᵢ ~ N(0, σ² sᵢ),    sᵢ = 1/wᵢ                                                                    (1)

A weight is a number of repetitions: the mean of w observations has the variance σ²/w.
"""

from typing import Literal, TypeAlias

import numpy as np

from gnomon._typing import ArrayLike, Floats
from gnomon.gp._observations import Noise
from gnomon.numerics.validation import check_numbers
from gnomon.numerics.weights import check_weights

__all__ = ["NoiseLike", "more_noise", "noise_of_queries", "read_noise"]

NoiseLike: TypeAlias = float | ArrayLike | Literal["learn"] | None

UNKNOWN_NOISE = "that of the training rows is an array, or is not learned yet; give that of the new rows as an array"

START, BOUNDS = 0.1, (1e-10, 1e5)
"""Of a level that is learned, relative to the mean square of the targets."""


def read_noise(alpha: float | ArrayLike, noise: NoiseLike, y: Floats, weights: Floats | None) -> Noise:
    """σ² and s of (1); `noise` stands for `alpha` where it is given."""
    shares = np.ones(len(y)) if weights is None else 1.0 / weights
    if isinstance(noise, str):
        if noise != "learn":
            raise ValueError(f"noise={noise!r} is unknown; give a variance, one for each row, or 'learn'")
        unit = float(np.mean(y**2)) or 1.0
        return Noise(START * unit, shares, (BOUNDS[0] * unit, BOUNDS[1] * unit))
    name, given = ("alpha", alpha) if noise is None else ("noise", noise)
    values = np.asarray(given, dtype=float)
    if values.ndim and values.shape != (len(y),):
        if values.shape == (1,):
            values = values[0]
        else:
            raise ValueError(
                f"{name} must be a scalar or an array with same number of entries as y. ({values.shape[0]} != {len(y)})"
            )
    if not np.all(values >= 0.0):
        raise ValueError(f"{name}={np.min(values):.3g} is a variance and must be ≥ 0")
    return Noise(float(values), shares, None) if values.ndim == 0 else Noise(1.0, values * shares, None)


def noise_of_queries(include_noise: bool | ArrayLike, q: int, level: float | None) -> Floats:
    """Variances of the noise of q new observations, of shape (q, 1); `level` is None where rows have no common one."""
    if isinstance(include_noise, bool | np.bool_):
        if include_noise and level is None:
            raise ValueError(f"include_noise=True needs one noise level; {UNKNOWN_NOISE}")
        return np.full((q, 1), level if include_noise else 0.0)
    variances = check_numbers("include_noise", include_noise)
    if variances.shape not in ((), (q,)):
        raise ValueError(f"include_noise has shape {variances.shape} for {q} rows; give one variance for each of them")
    if not np.all(variances >= 0.0):
        raise ValueError(f"include_noise={np.min(variances):.3g} is a variance and must be ≥ 0")
    return np.broadcast_to(variances.reshape(-1, 1), (q, 1))


def more_noise(
    old: Noise, noise: float | ArrayLike | None, y: Floats, sample_weight: ArrayLike | None, has_level: bool
) -> Noise:
    """The noise of the old rows followed by that of new ones, of the same level unless `noise` says otherwise."""
    weights = None if sample_weight is None else check_weights(sample_weight, y)
    if noise is None:
        if not has_level:
            raise ValueError(f"noise=None is not enough; {UNKNOWN_NOISE}")
        return old._replace(shares=np.append(old.shares, np.ones(len(y)) if weights is None else 1.0 / weights))
    more, level = read_noise(noise, None, y, weights), old.level or 1.0
    return old._replace(level=level, shares=np.append(old.variances, more.variances) / level)
