"""The sigmoid "kernel".

    k(x, x') = tanh(a xᵀx' + c)                                                                   (1)

It is no kernel: its Gram matrices have negative eigenvalues. A machine with it is a network of one hidden layer with a
unit for each training row, whose objective need not be convex. Lin & Lin (2003), A study on sigmoid kernels for SVM and
the training of non-PSD kernels by SMO-type methods, National Taiwan University.
"""

from __future__ import annotations

from dataclasses import field

import numpy as np

from gnomon._typing import Floats
from gnomon.kernels._base import WIDE, Bounds, Psd, noun
from gnomon.kernels.dot_product import DotProduct
from gnomon.kernels.radial import check_positive

__all__ = ["Sigmoid"]


@noun
class Sigmoid(DotProduct):
    """tanh(a xᵀx' + c), which is not positive semi-definite.

    Parameters
    ----------
    scale : float, default=1.0
        a > 0.
    coef0 : float, default=0.0
        c; learned only where it is positive.
    scale_bounds, coef0_bounds : (low, high) or "fixed", default=(1e-5, 1e5)

    References
    ----------
    Lin, H.-T. & Lin, C.-J. (2003). A study on sigmoid kernels for SVM. National Taiwan University.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.kernels import Sigmoid
    >>> np.linalg.eigvalsh(Sigmoid().gram([[0.1], [2.0]])).round(4)
    array([-0.0279,  1.0373])
    """

    scale: float = 1.0
    coef0: float = 0.0
    scale_bounds: Bounds = field(default=WIDE, kw_only=True)
    coef0_bounds: Bounds = field(default=WIDE, kw_only=True)

    def __post_init__(self) -> None:
        check_positive(self, "scale", self.scale)
        if not np.isfinite(self.coef0):
            raise ValueError(f"coef0={self.coef0!r} of Sigmoid must be a finite number")

    @property
    def psd(self) -> Psd:
        """No."""
        return False

    @property
    def factor(self) -> float:
        """a."""
        return self.scale

    def profile(self, t: Floats) -> Floats:
        """tanh(t + c)."""
        return np.tanh(t + float(self.coef0))

    def shape_slope(self, name: str, t: Floats) -> Floats:
        """∂k/∂ log a = t (1 − k²), ∂k/∂ log c = c (1 − k²)."""
        return (1.0 - self.profile(t) ** 2) * (float(self.coef0) if name == "coef0" else t)
