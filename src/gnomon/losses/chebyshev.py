"""Chebyshev loss: the largest residual.

    R(y, z) = maxᵢ |yᵢ − zᵢ|                                                                      (1)

It is not a sum over samples; linear programs and sub-gradient methods minimise it. Chebyshev (1854); as a linear
program: Barrodale & Phillips (1975), doi:10.1145/355644.355651.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gnomon._typing import ArrayLike, Floats
from gnomon.losses._base import Loss

__all__ = ["MaxLoss"]


@dataclass(frozen=True)
class MaxLoss(Loss):
    """Largest residual max_i |y_i − z_i| of a whole sample.

    `value` is one number for all samples, `gradient` a sub-gradient: the sign of z − y at the first sample where the
    maximum is reached, 0 elsewhere. Rows of weight zero must be left out before.

    References
    ----------
    Barrodale, I. & Phillips, C. (1975). Algorithm 495: solution of an overdetermined system of linear equations in the
    Chebychev norm. doi:10.1145/355644.355651

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.losses import MaxLoss
    >>> y, z = np.array([0.0, 1.0, 5.0]), np.array([1.0, 1.0, 2.0])
    >>> MaxLoss().value(y, z)
    3.0
    >>> MaxLoss().gradient(y, z)
    array([ 0.,  0., -1.])
    """

    additive = False
    smooth = False

    def value(self, y: ArrayLike, z: ArrayLike) -> float:
        return float(np.max(np.abs(np.subtract(y, z))))

    def gradient(self, y: ArrayLike, z: ArrayLike) -> Floats:
        r = np.subtract(z, y)
        worst = np.argmax(np.abs(r))
        g = np.zeros_like(r)
        g[worst] = np.sign(r[worst])
        return g
