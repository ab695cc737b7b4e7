"""Thin-plate splines.

    k(x, x') = r² log r,    0 where r = 0,    of rows with two columns                            (1)

The bending energy of a thin plate is cᵀKc; K is positive definite on coefficients c with Σ cᵢ = 0 and Σ cᵢ xᵢ = 0, so a
model with it also fits an affine function. Duchon (1977), doi:10.1007/BFb0086566.
"""

from __future__ import annotations

import numpy as np

from gnomon._typing import Floats
from gnomon.kernels._base import Psd, noun
from gnomon.kernels.radial import Radial

__all__ = ["ThinPlate"]


@noun
class ThinPlate(Radial):
    """The thin-plate spline (1), for models that fit an affine function beside it.

    Parameters
    ----------
    length_scale : float, default=1.0
        Unit of r; another one changes the affine function only.
    length_scale_bounds : (low, high) or "fixed", default=(1e-5, 1e5)
    metric : array of shape (2,) or (2, 2), optional

    References
    ----------
    Duchon, J. (1977). Splines minimizing rotation-invariant semi-norms in Sobolev spaces. doi:10.1007/BFb0086566

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.kernels import ThinPlate
    >>> ThinPlate().gram([[0.0, 0.0]], [[0.0, 0.0], [3.0, 4.0]]).round(6), round(25 * np.log(5), 6)
    (array([[ 0.      , 40.235948]]), np.float64(40.235948))
    """

    @property
    def psd(self) -> Psd:
        """Beside affine functions."""
        return "conditional"

    @property
    def cpd_order(self) -> int:
        """Polynomials of degree below two are left out."""
        return 2

    @property
    def columns(self) -> range:
        """Two."""
        return range(2, 3)

    def profile(self, s: Floats) -> Floats:
        """½ s log s."""
        return 0.5 * s * np.log(np.where(s > 0.0, s, 1.0))

    def slope(self, s: Floats) -> Floats:
        """½ (log s + 1)."""
        return 0.5 * (np.log(np.where(s > 0.0, s, 1.0)) + 1.0)
