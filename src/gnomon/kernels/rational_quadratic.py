"""The rational quadratic kernel.

    k(x, x') = (1 + r²/(2αℓ²))^{−α}                                                               (1)

A mixture of Gaussian kernels of all widths; α → ∞ is one of them. Rasmussen & Williams (2006), equation 4.19.
"""

from __future__ import annotations

from dataclasses import field

import numpy as np

from gnomon._typing import Floats
from gnomon.kernels._base import WIDE, Bounds, noun
from gnomon.kernels.radial import Radial, check_positive

__all__ = ["RationalQuadratic"]


@noun
class RationalQuadratic(Radial):
    """The rational quadratic kernel (1); α = ½ and 1 are inverse (multi-)quadrics.

    Parameters
    ----------
    length_scale : float or array of shape (d,), default=1.0
        ℓ, or one for each column.
    alpha : float, default=1.0
        α > 0.
    alpha_bounds, length_scale_bounds : (low, high) or "fixed", default=(1e-5, 1e5)
    metric : array of shape (d,) or (d, d), optional

    References
    ----------
    Rasmussen, C. E. & Williams, C. K. I. (2006). Gaussian Processes for Machine Learning, section 4.2. MIT Press.

    Examples
    --------
    >>> from gnomon.kernels import RationalQuadratic
    >>> RationalQuadratic(1.0, alpha=2.0).gram([[0.0]], [[1.0]]), round((1 + 1 / 4) ** -2, 8)
    (array([[0.64]]), 0.64)
    """

    alpha: float = 1.0
    alpha_bounds: Bounds = field(default=WIDE, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive(self, "alpha", self.alpha)

    def profile(self, s: Floats) -> Floats:
        """(1 + s/(2α))^{−α}."""
        alpha = float(self.alpha)
        return np.exp(-alpha * np.log1p(s / (2.0 * alpha)))

    def slope(self, s: Floats) -> Floats:
        """−½ (1 + s/(2α))^{−α−1}."""
        alpha = float(self.alpha)
        return -0.5 * np.exp(-(alpha + 1.0) * np.log1p(s / (2.0 * alpha)))

    def shape_slope(self, name: str, s: Floats) -> Floats:
        """∂k/∂ log α = α k (v/(1 + v) − log(1 + v)), v = s/(2α)."""
        alpha = float(self.alpha)
        v = s / (2.0 * alpha)
        return alpha * self.profile(s) * (v / (1.0 + v) - np.log1p(v))

    def unit_spectrum(self, n: int, d: int, rng: np.random.Generator) -> Floats:
        """Normal, with a variance from a Gamma law of shape and rate α."""
        return rng.normal(size=(n, d)) * np.sqrt(rng.gamma(self.alpha, 1.0 / self.alpha, size=(n, 1)))
