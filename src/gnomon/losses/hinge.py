"""Hinge loss.

    ℓ(y, z) = max(0, c − yz),    y ∈ {−1, +1}                                                     (1)

Cortes & Vapnik (1995), doi:10.1007/BF00994018. Its dual coordinate step: Hsieh et al. (2008),
doi:10.1145/1390156.1390208.
"""

from __future__ import annotations

import numpy as np

from gnomon._jit import choose, noun
from gnomon._typing import Numbers
from gnomon.losses._base import ROUNDING, Loss

__all__ = ["HingeLoss"]


@noun
class HingeLoss(Loss):
    """Hinge loss ℓ(y, z) = max(0, c − yz) for y ∈ {−1, +1}, with c = `margin`.

    The sub-gradient is −y where yz < c and 0 elsewhere, the kink included. With a = −u y ∈ [0, 1] the conjugate is
    −c a.

    Parameters
    ----------
    margin : float, default=1.0
        The margin c from which on nothing is paid.

    References
    ----------
    Cortes, C. & Vapnik, V. (1995). Support-vector networks. doi:10.1007/BF00994018

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.losses import HingeLoss
    >>> HingeLoss().value(1.0, np.array([2.0, 1.0, 0.5, 0.0, -1.0]))
    array([0. , 0. , 0.5, 1. , 2. ])
    >>> HingeLoss().gradient(1.0, np.array([1.0, 0.5]))
    array([ 0., -1.])
    """

    margin: float = 1.0

    targets = "sign"
    dual_steps = True
    smooth = False

    def value(self, y: Numbers, z: Numbers) -> Numbers:
        return np.maximum(0.0, self.margin - y * z)

    def gradient(self, y: Numbers, z: Numbers) -> Numbers:
        return choose(y * z < self.margin, -y, 0.0 * y)

    def conjugate(self, y: Numbers, u: Numbers) -> Numbers:
        a = -u * y
        inside = np.minimum(np.maximum(a, 0.0), 1.0)
        return choose(np.abs(a - inside) <= ROUNDING, -self.margin * inside, np.inf)

    def dual_upper(self, weight: Numbers) -> Numbers:
        return weight

    def dual_slope(self, y: Numbers, alpha: Numbers, score: Numbers, weight: Numbers) -> Numbers:
        return y * score - self.margin

    def dual_curvature(self, alpha: Numbers, weight: Numbers) -> Numbers:
        return 0.0
