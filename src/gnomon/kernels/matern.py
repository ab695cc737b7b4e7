"""The Matérn kernels.

    k(x, x') = 2^{1−ν}/Γ(ν) z^ν K_ν(z),    z = √(2ν) r/ℓ,    k(x, x) = 1                           (1)

Functions of a Gaussian process with it have ⌈ν⌉ − 1 derivatives; ν → ∞ is the Gaussian kernel. Closed forms stand for
ν = ½, 3/2, 5/2 and ∞. K' of (1) lowers ν by one: dk/ds = −ν/(2(ν − 1)) k_{ν−1}(z) for s = r²/ℓ². For large ν, where K_ν
overflows, (1) is the mean of exp(−s/(2τ)) over τ from a Gamma law of shape and rate ν, by Gauss's quadrature.
Stein (1999), Interpolation of Spatial Data, section 2.7, doi:10.1007/978-1-4612-1494-6; Golub & Welsch (1969),
doi:10.1090/S0025-5718-69-99647-1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh_tridiagonal
from scipy.special import gammaln, kve

from gnomon._typing import Floats
from gnomon.kernels._base import noun
from gnomon.kernels._rows import SHARP_SQUARES, Separation
from gnomon.kernels.radial import Radial, check_positive

__all__ = ["Matern"]

LARGE = 30.0
"""Above this ν, Bessel functions overflow at distances that matter."""

NODES = 80
"""Of the quadrature; for ν > LARGE more change nothing."""


@noun
class Matern(Radial):
    """The Matérn kernel (1).

    Parameters
    ----------
    length_scale : float or array of shape (d,), default=1.0
        ℓ, or one for each column.
    nu : float, default=1.5
        ν > 0; ½ is exp(−r/ℓ), of the Ornstein–Uhlenbeck process, inf the Gaussian kernel.
    length_scale_bounds : (low, high) or "fixed", default=(1e-5, 1e5)
    metric : array of shape (d,) or (d, d), optional

    References
    ----------
    Stein, M. L. (1999). Interpolation of Spatial Data, section 2.7. doi:10.1007/978-1-4612-1494-6

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.kernels import Matern
    >>> [round(Matern(1.0, nu).gram([[0.0]], [[0.5]]).item(), 10) for nu in (0.5, 1.5, 2.0, 2.5)]
    [0.6065306597, 0.784887654, 0.8124194493, 0.8286491424]
    >>> z = np.sqrt(3) * 0.5
    >>> round(float((1 + z) * np.exp(-z)), 10)
    0.784887654
    """

    nu: float = 1.5

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive(self, "nu", self.nu)

    @property
    def separation(self) -> Separation:
        """Squares whose roots are taken."""
        return SHARP_SQUARES

    def profile(self, s: Floats) -> Floats:
        """(1) of s = (r/ℓ)²."""
        return CLOSED[self.nu].value(s) if self.nu in CLOSED else _value(s, float(self.nu))

    def slope(self, s: Floats) -> Floats:
        """dk/ds."""
        return CLOSED[self.nu].slope(s) if self.nu in CLOSED else _slope(s, float(self.nu))

    def unit_spectrum(self, n: int, d: int, rng: np.random.Generator) -> Floats:
        """Student's t with 2ν degrees of freedom, in d dimensions."""
        z = rng.normal(size=(n, d))
        return z if np.isinf(self.nu) else z / np.sqrt(rng.gamma(self.nu, 1.0 / self.nu, size=(n, 1)))


def _value(s: Floats, nu: float) -> Floats:
    return _bessel(np.sqrt(2.0 * nu * s), nu) if nu <= LARGE else _mixture(s, nu, slope=False)


def _slope(s: Floats, nu: float) -> Floats:
    """−ν c z^{ν−1} K_{ν−1}(z), c = 2^{1−ν}/Γ(ν)."""
    if nu > LARGE:
        return _mixture(s, nu, slope=True)
    z = np.sqrt(2.0 * nu * s)
    if nu > 1.0:
        return -0.5 * nu / (nu - 1.0) * _bessel(z, nu - 1.0)
    away = np.where(z > 0.0, z, 1.0).astype(float)
    logs = (1.0 - nu) * np.log(2.0) - gammaln(nu) + (nu - 1.0) * np.log(away) - away
    return (-nu * np.exp(logs) * kve(nu - 1.0, away)).astype(s.dtype)


def _bessel(z: Floats, nu: float) -> Floats:
    """2^{1−ν}/Γ(ν) z^ν K_ν(z), by logarithms; where K_ν overflows z is so small that it is one."""
    away = np.where(z > 0.0, z, 1.0).astype(float)
    scaled = kve(nu, away)
    known = (z > 0.0) & np.isfinite(scaled)
    with np.errstate(divide="ignore"):
        logs = (1.0 - nu) * np.log(2.0) - gammaln(nu) + nu * np.log(away) - away + np.log(scaled)
    return np.where(known, np.exp(np.minimum(logs, 0.0)), 1.0).astype(z.dtype)


def _mixture(s: Floats, nu: float, *, slope: bool) -> Floats:
    """The mean of exp(−s/(2τ)), or of its derivative; nodes and weights by Golub & Welsch (1969)."""
    n = np.arange(NODES)
    nodes, V = eigh_tridiagonal(2.0 * n + nu, np.sqrt(n[1:] * (n[1:] + nu - 1.0)))
    total = np.zeros_like(s)
    for t, weight in zip(nodes / nu, V[0] ** 2, strict=True):
        total += weight * (-0.5 / t if slope else 1.0) * np.exp(-0.5 * s / t)
    return total


class _Closed(NamedTuple):
    value: Callable[[Floats], Floats]
    slope: Callable[[Floats], Floats]


def _half(s: Floats) -> Floats:
    return np.exp(-np.sqrt(s))


def _half_slope(s: Floats) -> Floats:
    u = np.sqrt(np.where(s > 0.0, s, 1.0))
    return -0.5 * np.exp(-u) / u


def _three_halves(s: Floats) -> Floats:
    z = np.sqrt(3.0 * s)
    k = np.exp(-z)
    k *= 1.0 + z
    return k


def _three_halves_slope(s: Floats) -> Floats:
    return -1.5 * np.exp(-np.sqrt(3.0 * s))


def _five_halves(s: Floats) -> Floats:
    z = np.sqrt(5.0 * s)
    return (1.0 + z + z * z / 3.0) * np.exp(-z)


def _five_halves_slope(s: Floats) -> Floats:
    z = np.sqrt(5.0 * s)
    return -5.0 / 6.0 * (1.0 + z) * np.exp(-z)


def _gaussian(s: Floats) -> Floats:
    return np.exp(-0.5 * s)


def _gaussian_slope(s: Floats) -> Floats:
    return -0.5 * np.exp(-0.5 * s)


CLOSED = {
    0.5: _Closed(_half, _half_slope),
    1.5: _Closed(_three_halves, _three_halves_slope),
    2.5: _Closed(_five_halves, _five_halves_slope),
    np.inf: _Closed(_gaussian, _gaussian_slope),
}
"""Where (1) is an elementary function of s, and its derivative."""
