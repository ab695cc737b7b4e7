"""The mean of a sigmoid under a normal law: the class probability of a Gaussian score.

    E[σ(f)],    f ~ N(m, v)                                                                       (1)

There is no closed form. "quadrature" is exact to rounding: for small v the Gauss–Hermite rule on (1); for large v,
where σ looks like a step to that rule, (1) is read as P(f > L) with L logistic, that is E[Φ((m − L)/√v)], a smooth
function under a density with exponential tails, for which equal steps converge geometrically (Trefethen & Weideman
2014, doi:10.1137/130932132). "mackay" is σ(m/√(1 + πv/8)) (MacKay 1992, doi:10.1162/neco.1992.4.5.720, equation 10);
"erf" a sum of five error functions fitted to σ (Williams & Barber 1998, doi:10.1109/34.735807, appendix A); "mode" is
σ(m), which ignores v; "samples" a Monte Carlo mean.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np
from scipy.special import expit, ndtr

from gnomon._typing import ArrayLike, Floats, RandomState
from gnomon.numerics.random import check_rng

__all__ = ["SIGMOID_AVERAGES", "SigmoidAverage", "sigmoid_average"]

SigmoidAverage: TypeAlias = Literal["quadrature", "mackay", "erf", "samples", "mode"]
Draws: TypeAlias = Callable[[], Floats]

WIDE = 1.5
"""The standard deviation from which on the second form of the quadrature is used; at it both are exact."""


def sigmoid_average(
    mean: ArrayLike,
    variance: ArrayLike,
    method: SigmoidAverage = "quadrature",
    *,
    n_samples: int = 1000,
    random_state: RandomState = None,
) -> Floats:
    """E[σ(f)] for f ~ N(mean, variance), elementwise.

    Parameters
    ----------
    mean, variance : float or ndarray
        m and v ≥ 0.
    method : {"quadrature", "mackay", "erf", "samples", "mode"}, default="quadrature"
    n_samples : int, default=1000
        Draws for "samples".
    random_state : int, Generator or RandomState, optional
        Seed for "samples".

    Returns
    -------
    ndarray
        Probabilities.

    References
    ----------
    MacKay, D. J. C. (1992). The evidence framework applied to classification networks. doi:10.1162/neco.1992.4.5.720

    Williams, C. K. I. & Barber, D. (1998). Bayesian classification with Gaussian processes. doi:10.1109/34.735807

    Examples
    --------
    >>> from gnomon.infer import sigmoid_average
    >>> [round(float(sigmoid_average(1.0, 4.0, method)), 6) for method in ("quadrature", "mackay", "mode")]
    [0.647726, 0.651056, 0.731059]
    """
    if method not in SIGMOID_AVERAGES:
        raise ValueError(f"method={method!r} is unknown; choose from {list(SIGMOID_AVERAGES)}")
    m, v = np.broadcast_arrays(np.asarray(mean, dtype=float), np.asarray(variance, dtype=float))
    if not np.all(v >= 0.0):
        raise ValueError(f"variance has the entry {np.min(v)!r}; variances must be ≥ 0")
    return SIGMOID_AVERAGES[method](m, np.sqrt(v), lambda: check_rng(random_state).standard_normal(n_samples))


def _quadrature(m: Floats, s: Floats, draws: Draws) -> Floats:
    narrow = s < WIDE
    out = np.empty(m.shape)
    out[narrow] = _hermite(m[narrow], s[narrow])
    out[~narrow] = _logistic_steps(m[~narrow], s[~narrow])
    return out[()]


def _hermite(m: Floats, s: Floats, *, nodes: int = 100) -> Floats:
    x, w = np.polynomial.hermite_e.hermegauss(nodes)
    return sum(wi * expit(m + s * xi) for xi, wi in zip(x, w / np.sqrt(2.0 * np.pi), strict=True))


def _logistic_steps(m: Floats, s: Floats, *, width: float = 0.25, end: float = 40.0) -> Floats:
    t = np.arange(-end, end + width, width)
    w = width * expit(t) * expit(-t)
    return sum(wi * ndtr((m - ti) / s) for ti, wi in zip(t, w, strict=True))


def _mackay(m: Floats, s: Floats, draws: Draws) -> Floats:
    return expit(m / np.sqrt(1.0 + np.pi * s**2 / 8.0))


def _erf(m: Floats, s: Floats, draws: Draws) -> Floats:
    # σ(f) ≈ ½ + Σ cⱼ erf(λⱼ f)/2 with the widths and weights of Williams & Barber (1998), as scikit-learn rounds them.
    widths = np.array([0.41, 0.4, 0.37, 0.44, 0.39])
    weights = np.array([-1854.8214151, 3516.89893646, 221.29346712, 128.12323805, -2010.49422654])
    scaled = np.sqrt(2.0) * widths / np.sqrt(1.0 + 2.0 * (s[..., None] * widths) ** 2)
    parts = ndtr(m[..., None] * scaled) - 0.5
    return np.sum(weights * parts, axis=-1) + 0.5


def _mode(m: Floats, s: Floats, draws: Draws) -> Floats:
    return expit(m)


def _sampled(m: Floats, s: Floats, draws: Draws) -> Floats:
    noise = draws()
    return sum(expit(m + s * e) for e in noise) / len(noise)


SIGMOID_AVERAGES: dict[SigmoidAverage, Callable[[Floats, Floats, Draws], Floats]] = {
    "quadrature": _quadrature,
    "mackay": _mackay,
    "erf": _erf,
    "samples": _sampled,
    "mode": _mode,
}
"""The ways to compute (1)."""
