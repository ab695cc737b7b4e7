"""Squared hinge loss.

    ℓ(y, z) = max(0, 1 − yz)²,    y ∈ {−1, +1}                                                    (1)

Chang, Hsieh & Lin (2008), JMLR 9, 1369–1398. Its dual coordinate step: Hsieh et al. (2008),
doi:10.1145/1390156.1390208.
"""

from __future__ import annotations

import numpy as np

from gnomon._jit import choose, noun
from gnomon._typing import Numbers
from gnomon.losses._base import ROUNDING, Loss

__all__ = ["SquaredHingeLoss"]


@noun
class SquaredHingeLoss(Loss):
    """Squared hinge loss ℓ(y, z) = max(0, 1 − yz)² for y ∈ {−1, +1}.

    The gradient is −2y max(0, 1 − yz); the curvature is 2 where yz < 1 and 0 elsewhere (the gradient has a kink at
    yz = 1). With a = −u y ≥ 0 the conjugate is a²/4 − a.

    References
    ----------
    Chang, K.-W., Hsieh, C.-J. & Lin, C.-J. (2008). Coordinate descent method for large-scale L2-loss linear support
    vector machines. JMLR 9, 1369–1398.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.losses import SquaredHingeLoss
    >>> SquaredHingeLoss().value(1.0, np.array([2.0, 1.0, 0.5, 0.0, -1.0]))
    array([0.  , 0.  , 0.25, 1.  , 4.  ])
    >>> float(SquaredHingeLoss().gradient(1.0, 0.5))
    -1.0
    """

    targets = "sign"
    dual_steps = True

    def value(self, y: Numbers, z: Numbers) -> Numbers:
        return np.maximum(0.0, 1.0 - y * z) ** 2

    def gradient(self, y: Numbers, z: Numbers) -> Numbers:
        return -2.0 * y * np.maximum(0.0, 1.0 - y * z)

    def curvature(self, y: Numbers, z: Numbers) -> Numbers:
        return choose(y * z < 1.0, 2.0 + 0.0 * z, 0.0 * z)

    def conjugate(self, y: Numbers, u: Numbers) -> Numbers:
        a = -u * y
        return choose(a >= -ROUNDING, 0.25 * a * a - a, np.inf)

    @property
    def smoothness(self) -> float:
        return 2.0

    def dual_upper(self, weight: Numbers) -> Numbers:
        return np.inf

    def dual_slope(self, y: Numbers, alpha: Numbers, score: Numbers, weight: Numbers) -> Numbers:
        return y * score - 1.0 + 0.5 * alpha / weight

    def dual_curvature(self, alpha: Numbers, weight: Numbers) -> Numbers:
        return 0.5 / weight
