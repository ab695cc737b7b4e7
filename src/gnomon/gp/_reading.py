"""NoisyRows in the units of a fit.

    g(xᵢ) + εᵢ = (yᵢ − m(xᵢ) − c)/s                                                                    (1)

m is the known mean; c and s are the mean and the standard deviation of what it leaves, or 0 and 1. Rows of weight zero
and equal rows without noise are left out.
"""

from typing import Any, NamedTuple

import numpy as np

from gnomon._typing import ArrayLike, Floats, Integers
from gnomon.base import take_rows
from gnomon.gp._merge import merge_duplicates
from gnomon.gp._noise import NoiseLike, read_noise
from gnomon.gp._observations import NoisyRows, Parameters
from gnomon.gp._process import TargetScale
from gnomon.gp._trend import Trend
from gnomon.kernels import Kernel
from gnomon.numerics.weights import check_weights

__all__ = ["Reading", "normalised", "read_observations"]


class Reading(NamedTuple):
    """NoisyRows as the fit uses them, beside those that the user gave.

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
    """

    data: NoisyRows
    targets: Floats
    known: Floats
    scale: TargetScale
    parameters: Parameters


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
    weights = None if sample_weight is None else check_weights(sample_weight, Y)
    if weights is not None and not np.all(weights > 0.0):
        kept = np.flatnonzero(weights > 0.0)
        rows, Y, weights = take_rows(rows, kept), Y[kept], weights[kept]
        alpha, noise = _some(alpha, kept), _some(noise, kept)
    centred = Y - trend.known(rows, Y.shape[1])
    scale = _scale(centred, normalize)
    parameters = Parameters(kernel, read_noise(alpha, noise, (centred - scale.centre) / scale.spread, weights))
    return normalised(rows, Y, parameters, trend, normalize)


def normalised(rows: Any, Y: Floats, parameters: Parameters, trend: Trend, normalize: bool) -> Reading:
    """(1), with equal rows without noise once."""
    noise = parameters.noise
    kept = (
        np.arange(len(Y))
        if noise.bounds is not None
        else merge_duplicates(rows, Y, noise.variances, advice="give noise > 0 (alpha)")
    )
    if len(kept) < len(Y):
        rows, Y = take_rows(rows, kept), Y[kept]
        parameters = parameters._replace(noise=noise._replace(shares=noise.shares[kept]))
    known = np.broadcast_to(trend.known(rows, Y.shape[1]), Y.shape)
    scale = _scale(Y - known, normalize)
    data = NoisyRows(rows, (Y - known - scale.centre) / scale.spread, trend.columns(rows))
    return Reading(data, Y, known, scale, parameters)


def _some(noise: Any, kept: Integers) -> Any:
    """The variances of some rows, where each row has its own."""
    return noise if np.ndim(noise) == 0 else np.asarray(noise)[kept]


def _scale(Y: Floats, normalize: bool) -> TargetScale:
    m = Y.shape[1]
    if not normalize:
        return TargetScale(np.zeros(m), np.ones(m))
    spread = Y.std(axis=0)
    return TargetScale(Y.mean(axis=0), np.where(spread > 0.0, spread, 1.0))
