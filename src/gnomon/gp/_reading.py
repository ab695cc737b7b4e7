"""Observations in the units of a fit.

    g(xᵢ) + εᵢ = (yᵢ − m(xᵢ) − c)/s                                                                    (1)

m is the known mean; c and s are the mean and the standard deviation of what it leaves, or 0 and 1. Beside a mean that
is given c is 0, so that the mean far from all rows is m. Rows of weight zero and equal rows without noise are left out.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gnomon._typing import ArrayLike, Floats, Integers
from gnomon.base import take_rows
from gnomon.gp._merge import merge_duplicates
from gnomon.gp._noise import NoiseLike, read_noise
from gnomon.gp._observations import NoisyRows, Parameters
from gnomon.gp._process import TargetScale
from gnomon.gp._trend import Trend, check_columns
from gnomon.kernels import Kernel, refuse_off_grid
from gnomon.numerics.weights import check_weights

__all__ = ["Reading", "normalised", "read_observations", "some_noise"]


class Reading(NamedTuple):
    """Observations as the fit uses them, beside those that the user gave.

    Fields
    ------
    data : NoisyRows
    targets : ndarray of shape (n, m)
        In the user's units.
    known : ndarray of shape (n, m)
        m of (1).
    scale : TargetScale
    parameters : Parameters
        Before any search.
    weights : ndarray of shape (n,)
    """

    data: NoisyRows
    targets: Floats
    known: Floats
    scale: TargetScale
    parameters: Parameters
    weights: Floats


def read_observations(
    rows: Any,
    Y: Floats,
    kernel: Kernel,
    trend: Trend,
    sample_weight: ArrayLike | None,
    *,
    alpha: float | ArrayLike,
    noise: NoiseLike,
    normalize: bool,
) -> Reading:
    """(1) for what an estimator was given."""
    weights = check_weights(sample_weight, Y)
    if not np.all(weights > 0.0):
        kept = np.flatnonzero(weights > 0.0)
        rows, Y, weights = take_rows(rows, kept), Y[kept], weights[kept]
        alpha, noise = some_noise(alpha, kept), some_noise(noise, kept)
    centred = Y - trend.known(rows, Y.shape[1])
    scale = _scale(centred, normalize, trend, weights)
    left = _left_by((centred - scale.centre) / scale.spread, trend.columns(rows))
    parameters = Parameters(kernel, read_noise(alpha, noise, left, weights))
    return normalised(rows, Y, weights, parameters, trend, normalize)


def normalised(rows: Any, Y: Floats, weights: Floats, parameters: Parameters, trend: Trend, normalize: bool) -> Reading:
    """(1), with equal rows without noise once."""
    noise = parameters.noise
    refuse_off_grid(parameters.kernel, rows)
    kept = np.arange(len(Y))
    if noise.bounds is None:
        kept = merge_duplicates(rows, Y, noise.variances, advice="give noise > 0 (alpha)")
    if len(kept) < len(Y):
        rows, Y, weights = take_rows(rows, kept), Y[kept], weights[kept]
        parameters = parameters._replace(noise=noise._replace(shares=noise.shares[kept]))
    known = np.broadcast_to(trend.known(rows, Y.shape[1]), Y.shape)
    scale = _scale(Y - known, normalize, trend, weights)
    H = trend.columns(rows)
    check_columns(H, trend.given)
    data = NoisyRows(rows, (Y - known - scale.centre) / scale.spread, H)
    return Reading(data, Y, known, scale, parameters, weights)


def some_noise(noise: Any, kept: Integers) -> Any:
    """The variances of some rows, where each row has its own."""
    return noise if np.ndim(noise) == 0 else np.asarray(noise)[kept]


def _left_by(Y: Floats, H: Floats | None) -> Floats:
    """What a drift leaves of the targets, by least squares."""
    return Y if H is None else Y - H @ np.linalg.lstsq(H, Y, rcond=None)[0]


def _scale(Y: Floats, normalize: bool, trend: Trend, weights: Floats) -> TargetScale:
    """c and s of (1) for targets less the known mean, which is their centre where it is given."""
    m = Y.shape[1]
    if not normalize:
        return TargetScale(np.zeros(m), np.ones(m))
    known = trend.given is not None and not trend.free
    centre = np.zeros(m) if known else np.average(Y, axis=0, weights=weights)
    far = np.max(np.abs(Y - centre), axis=0)
    # What rounding leaves of a constant is no spread.
    unit = np.where(far > 10.0 * np.finfo(float).eps * np.abs(centre), far, 0.0)
    share = (Y - centre) / np.where(unit > 0.0, unit, 1.0)
    spread = unit * np.sqrt(np.average(share**2, axis=0, weights=weights))
    return TargetScale(centre, np.where(spread > 0.0, spread, 1.0))
