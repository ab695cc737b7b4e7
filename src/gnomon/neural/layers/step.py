"""Step and sign.

    step(z) = 1[z > 0],    sign(z) = −1, 0 or 1                                                       (1)

The neurons of McCulloch & Pitts (1943), doi:10.1007/BF02478259, and Rosenblatt (1958), doi:10.1037/h0042519. Their
derivative is zero everywhere, so no gradient can train what lies before them.
"""

from __future__ import annotations

import numpy as np

from gnomon._jit import choose, noun
from gnomon._typing import Numbers
from gnomon.neural.layers._activation import Elementwise

__all__ = ["Sign", "UnitStep"]


@noun
class UnitStep(Elementwise):
    """step(z) = 1 for z > 0, else 0. For constructed networks; training by gradients is refused.

    References
    ----------
    McCulloch, W. S. & Pitts, W. (1943). A logical calculus of the ideas immanent in nervous activity.
    doi:10.1007/BF02478259

    Examples
    --------
    >>> from gnomon.neural.layers import UnitStep
    >>> [float(UnitStep().activate(z)) for z in (-1.0, 0.0, 2.0)]
    [0.0, 0.0, 1.0]
    """

    gradient = False
    piecewise_linear = True
    slope_max = 0.0

    def activate(self, z: Numbers) -> Numbers:
        return choose(np.real(z) > 0.0, 1.0, 0.0)

    def derivative(self, z: Numbers, a: Numbers) -> Numbers:
        return 0.0 * z


@noun
class Sign(Elementwise):
    """sign(z), 0 at 0. For constructed networks; training by gradients is refused.

    References
    ----------
    Rosenblatt, F. (1958). The perceptron. doi:10.1037/h0042519

    Examples
    --------
    >>> from gnomon.neural.layers import Sign
    >>> [float(Sign().activate(z)) for z in (-3.0, 0.0, 2.0)]
    [-1.0, 0.0, 1.0]
    """

    gradient = False
    piecewise_linear = True
    slope_max = 0.0

    def activate(self, z: Numbers) -> Numbers:
        return choose(np.real(z) > 0.0, 1.0, choose(np.real(z) < 0.0, -1.0, 0.0))

    def derivative(self, z: Numbers, a: Numbers) -> Numbers:
        return 0.0 * z
