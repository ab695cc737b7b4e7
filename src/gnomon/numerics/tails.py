"""Tails of distribution functions, without underflow or cancellation; on arrays in Python, on scalars in kernels.

    erfcx(x) = e^{x²} erfc(x),    Φ(s) = ½ e^{−s²/2} erfcx(−s/√2),    φ(s)/Φ(s) = √(2/π) / erfcx(−s/√2)         (1)

Near 0 and 1 a distribution function loses digits; its logarithm and the slope of that do not. Kernels have
no erfcx; there it is a rational approximation: Cody (1969), doi:10.1090/S0025-5718-1969-0247736-4.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from gnomon._jit import choose, in_kernels, jitable
from gnomon._typing import ArrayLike, Elementwise

__all__ = [
    "erfcx",
    "exponent_range",
    "log_normal_cdf",
    "log_normal_cdf_slope",
    "log_one_minus_exp",
    "normal_cdf",
    "normal_density",
]

HALF_ROOT = 0.7071067811865476  # 1/√2
DENSITY_AT_ZERO = 0.3989422804014327  # 1/√(2π)
SLOPE_AT_ZERO = 0.7978845608028654  # √(2/π)
ONE_BY_ROOT_PI = 0.5641895835477563

# Coefficients of the numerator and the denominator, highest power first: of x for ½ ≤ x ≤ 4, of 1/x² beyond.
MIDDLE = (
    (2.15311535474403846e-8, 1.0),
    (5.64188496988670089e-1, 1.57449261107098347e1),
    (8.88314979438837594e0, 1.17693950891312499e2),
    (6.61191906371416295e1, 5.37181101862009858e2),
    (2.98635138197400131e2, 1.62138957456669019e3),
    (8.81952221241769090e2, 3.29079923573345963e3),
    (1.71204761263407058e3, 4.36261909014324716e3),
    (2.05107837782607147e3, 3.43936767414372164e3),
    (1.23033935479799725e3, 1.23033935480374942e3),
)
FAR = (
    (1.63153871373020978e-2, 1.0),
    (3.05326634961232344e-1, 2.56852019228982242e0),
    (3.60344899949804439e-1, 1.87295284992346047e0),
    (1.25781726111229246e-1, 5.27905102951428412e-1),
    (1.60837851487422766e-2, 6.05183413124413191e-2),
    (6.58749161529837803e-4, 2.33520497626869185e-3),
)


@jitable
def _ratio(coefficients: tuple[tuple[float, float], ...], x: float) -> float:
    over, under = 0.0, 0.0
    for p, q in coefficients:
        over, under = over * x + p, under * x + q
    return over / under


def _erfcx_of_one(x: float) -> float:
    if x < 0.5:
        return math.exp(x * x) * math.erfc(x)
    if x <= 4.0:
        return _ratio(MIDDLE, x)
    t = 1.0 / x / x
    return (ONE_BY_ROOT_PI - t * _ratio(FAR, t)) / x


@in_kernels(_erfcx_of_one)
def erfcx(x: Elementwise) -> Elementwise:
    """Scaled complementary error function e^{x²} erfc(x); about 1/(x√π) for large x.

    References
    ----------
    Cody, W. J. (1969). Rational Chebyshev approximations for the error function. doi:10.1090/S0025-5718-1969-0247736-4

    Examples
    --------
    >>> from gnomon.numerics.tails import erfcx
    >>> float(erfcx(0.0)), round(float(erfcx(1e6)), 13)
    (1.0, 5.641896e-07)
    """
    return special.erfcx(x)


@in_kernels(lambda s: 0.5 * math.erfc(-s * HALF_ROOT))
def normal_cdf(s: Elementwise) -> Elementwise:
    """Φ(s), the distribution function of the standard normal; the lower tail keeps its digits.

    References
    ----------
    Cody, W. J. (1969). Rational Chebyshev approximations for the error function. doi:10.1090/S0025-5718-1969-0247736-4

    Examples
    --------
    >>> from gnomon.numerics.tails import normal_cdf
    >>> float(normal_cdf(0.0)), round(float(normal_cdf(1.96)), 7)
    (0.5, 0.9750021)
    """
    return special.ndtr(s)


@in_kernels(lambda s: 700.0)
def exponent_range(s: ArrayLike) -> float:
    """A bound r for exponents: e^r, times a few thousands, is a number of the floating type of s.

    References
    ----------
    IEEE (2019). Standard for Floating-Point Arithmetic, section 3.4. doi:10.1109/IEEESTD.2019.8766229

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.tails import exponent_range
    >>> exponent_range(1.0), exponent_range(np.float32(1.0))
    (700.0, 79.0)
    """
    kind = np.result_type(np.asarray(s), np.float16)
    return float(np.floor(np.log(float(np.finfo(kind).max)) - 9.0))


@jitable
def _squarable(s: Elementwise) -> Elementwise:
    limit = math.exp(0.5 * exponent_range(s))
    return np.minimum(np.maximum(s, -limit), limit)


@jitable
def normal_density(s: Elementwise) -> Elementwise:
    """φ(s) = e^{−s²/2}/√(2π), the density of the standard normal.

    References
    ----------
    Abramowitz, M. & Stegun, I. (1964). Handbook of Mathematical Functions, 26.2.1.

    Examples
    --------
    >>> from gnomon.numerics.tails import normal_density
    >>> round(float(normal_density(0.0)), 7), float(normal_density(1e300))
    (0.3989423, 0.0)
    """
    s = _squarable(s)
    return DENSITY_AT_ZERO * np.exp(-0.5 * s * s)


@jitable
def log_normal_cdf(s: Elementwise) -> Elementwise:
    """log Φ(s): −s²/2 − log(−s√(2π)) far below zero, −Φ(−s) far above.

    References
    ----------
    Abramowitz, M. & Stegun, I. (1964). Handbook of Mathematical Functions, 26.2.12.

    Examples
    --------
    >>> from gnomon.numerics.tails import log_normal_cdf
    >>> round(float(log_normal_cdf(0.0)), 7), round(float(log_normal_cdf(-1000.0)), 6)
    (-0.6931472, -500007.826695)
    """
    t = np.abs(_squarable(s))
    scaled, exponent = 0.5 * erfcx(HALF_ROOT * t), -0.5 * t * t
    return choose(s < 0.0, np.log(scaled) + exponent, np.log1p(-scaled * np.exp(exponent)))


@jitable
def log_normal_cdf_slope(s: Elementwise) -> Elementwise:
    """d log Φ/ds = φ(s)/Φ(s), the inverse of Mills' ratio: about −s far below zero.

    References
    ----------
    Mills, J. P. (1926). Table of the ratio: area to bounding ordinate, for any portion of normal curve.
    doi:10.1093/biomet/18.3-4.395

    Examples
    --------
    >>> from gnomon.numerics.tails import log_normal_cdf_slope
    >>> round(float(log_normal_cdf_slope(0.0)), 7), round(float(log_normal_cdf_slope(-1000.0)), 7)
    (0.7978846, 1000.001)
    """
    return SLOPE_AT_ZERO / erfcx(-HALF_ROOT * s)


@jitable
def log_one_minus_exp(s: Elementwise) -> Elementwise:
    """log(1 − e^s) for s < 0, exact to rounding near s = 0 and far below it; −inf for s ≥ 0.

    References
    ----------
    Mächler, M. (2012). Accurately computing log(1 − exp(−|a|)). doi:10.32614/CRAN.package.Rmpfr

    Examples
    --------
    >>> from gnomon.numerics.tails import log_one_minus_exp
    >>> round(float(log_one_minus_exp(-1e-300)), 7), round(float(log_one_minus_exp(-1.0)), 7)
    (-690.7755279, -0.4586751)
    """
    inside = choose(s < 0.0, s, -1.0)
    far = np.log1p(-np.exp(np.minimum(inside, -0.5)))
    return choose(s < 0.0, choose(inside < -0.6931471805599453, far, np.log(-np.expm1(inside))), -np.inf)
