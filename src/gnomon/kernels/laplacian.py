"""Exponentials of a distance.

    Laplacian: exp(−Σ_d |x_d − x'_d| / ℓ_d)  or  exp(−r/ℓ);    γ-exponential: exp(−(r/ℓ)^p),  0 < p ≤ 2           (1)

With p = 2 the second is the Gaussian exp(−r²/ℓ²), with p = 1 the Matérn kernel of ν = ½; no p > 2 is positive
semi-definite: Schoenberg (1938), doi:10.1090/S0002-9947-1938-1501980-0. Spectra: Kanter (1975),
doi:10.1214/aop/1176996309.
"""

from __future__ import annotations

from dataclasses import field
from typing import Literal

import numpy as np

from gnomon._typing import Floats
from gnomon.kernels._base import Bounds, noun
from gnomon.kernels._rows import CITY_BLOCKS, SHARP_SQUARES, Separation
from gnomon.kernels.radial import Radial

__all__ = ["GammaExponential", "Laplacian"]


@noun
class Laplacian(Radial):
    """k(x, x') = exp(−‖x − x'‖₁/ℓ), or with the Euclidean norm.

    Parameters
    ----------
    length_scale : float or array of shape (d,), default=1.0
        ℓ, or one for each column.
    norm : {"l1", "l2"}, default="l1"
        "l2" is the Matérn kernel of ν = ½.
    length_scale_bounds : (low, high) or "fixed", default=(1e-5, 1e5)
    metric : array of shape (d,) or (d, d), optional
        Of "l2".

    References
    ----------
    Schoenberg, I. J. (1938). Metric spaces and positive definite functions. doi:10.1090/S0002-9947-1938-1501980-0

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.kernels import Laplacian
    >>> a, b = np.array([[1.0, 2.0]]), np.array([[3.0, -1.0]])
    >>> [round(Laplacian(2.0, norm).gram(a, b).item(), 10) for norm in ("l1", "l2")]
    [0.0820849986, 0.1648407145]
    >>> round(float(np.exp(-(2 + 3) / 2)), 10)
    0.0820849986
    """

    norm: Literal["l1", "l2"] = "l1"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.norm not in ("l1", "l2"):
            raise ValueError(f"norm={self.norm!r} must be 'l1' or 'l2'")
        if self.norm == "l1" and self.metric is not None:
            raise ValueError("metric belongs to norm='l2'; weigh columns of norm='l1' by their length scales")

    @property
    def separation(self) -> Separation:
        """Absolute differences, or squares."""
        return CITY_BLOCKS if self.norm == "l1" else SHARP_SQUARES

    def profile(self, s: Floats) -> Floats:
        """exp(−s), or exp(−√s)."""
        return np.exp(-(s if self.norm == "l1" else np.sqrt(s)))

    def slope(self, s: Floats) -> Floats:
        """−exp(−s), or −exp(−√s)/(2√s)."""
        k = self.profile(s)
        return -k if self.norm == "l1" else -0.5 * k / np.sqrt(np.where(s > 0.0, s, 1.0))

    def unit_spectrum(self, n: int, d: int, rng: np.random.Generator) -> Floats:
        """Cauchy in every column, or in d dimensions."""
        if self.norm == "l1":
            return rng.standard_cauchy(size=(n, d))
        return rng.normal(size=(n, d)) / np.abs(rng.normal(size=(n, 1)))


@noun
class GammaExponential(Radial):
    """k(x, x') = exp(−(r/ℓ)^p), between the Matérn kernel of ν = ½ (p = 1) and the Gaussian exp(−r²/ℓ²) (p = 2).

    Parameters
    ----------
    length_scale : float or array of shape (d,), default=1.0
        ℓ, or one for each column.
    power : float, default=1.0
        0 < p ≤ 2.
    power_bounds : (low, high) or "fixed", default=(0.01, 2.0)
    length_scale_bounds : (low, high) or "fixed", default=(1e-5, 1e5)
    metric : array of shape (d,) or (d, d), optional

    References
    ----------
    Schoenberg, I. J. (1938). Metric spaces and positive definite functions. doi:10.1090/S0002-9947-1938-1501980-0

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.kernels import GammaExponential
    >>> round(GammaExponential(2.0, 1.5).gram([[0.0]], [[1.0]]).item(), 10)
    0.7021885013
    >>> round(float(np.exp(-(0.5**1.5))), 10)
    0.7021885013
    """

    power: float = 1.0
    power_bounds: Bounds = field(default=(0.01, 2.0), kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0.0 < self.power <= 2.0:
            raise ValueError(f"power={self.power!r} of GammaExponential must be > 0 and ≤ 2: no other is a kernel")

    @property
    def separation(self) -> Separation:
        """Squares whose roots are taken."""
        return SHARP_SQUARES

    def profile(self, s: Floats) -> Floats:
        """exp(−s^(p/2))."""
        return np.exp(-(s ** (0.5 * float(self.power))))

    def slope(self, s: Floats) -> Floats:
        """−½ p s^(p/2 − 1) exp(−s^(p/2))."""
        away, p = np.where(s > 0.0, s, 1.0), float(self.power)
        return -0.5 * p * away ** (0.5 * p - 1.0) * self.profile(s)

    def shape_slope(self, name: str, s: Floats) -> Floats:
        """∂k/∂ log p = −½ p s^(p/2) log(s) exp(−s^(p/2))."""
        away, p = np.where(s > 0.0, s, 1.0), float(self.power)
        return -0.5 * p * s ** (0.5 * p) * np.log(away) * self.profile(s)

    def unit_spectrum(self, n: int, d: int, rng: np.random.Generator) -> Floats:
        """Normal, with variance 2A for A from the positive stable law E exp(−At) = exp(−t^a), a = p/2."""
        a = 0.5 * self.power
        # Kanter (1975), theorem 4.1: A from a uniform angle and an exponential variable.
        angle, e = rng.uniform(0.0, np.pi, size=(n, 1)), rng.exponential(size=(n, 1))
        tail = (np.sin((1.0 - a) * angle) / e) ** ((1.0 - a) / a) if a < 1.0 else 1.0
        stable = np.sin(a * angle) / np.sin(angle) ** (1.0 / a) * tail
        return rng.normal(size=(n, d)) * np.sqrt(2.0 * stable)
