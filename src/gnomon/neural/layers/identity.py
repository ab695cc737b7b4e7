"""Identity.

    φ(z) = z,    φ'(z) = 1                                                                            (1)

The output of a regression, and the layers of a linear network: Baldi & Hornik (1989), doi:10.1016/0893-6080(89)90014-2.
"""

from __future__ import annotations

from gnomon._jit import noun
from gnomon._typing import Array, Floats, Numbers
from gnomon.neural.layers._activation import Elementwise

__all__ = ["Identity"]


@noun
class Identity(Elementwise):
    """φ(z) = z, with φ' = 1.

    References
    ----------
    Baldi, P. & Hornik, K. (1989). Neural networks and principal component analysis. doi:10.1016/0893-6080(89)90014-2

    Examples
    --------
    >>> from gnomon.neural.layers import Identity
    >>> Identity().activate(-2.0), Identity().derivative(-2.0, -2.0)
    (-2.0, 1.0)
    """

    piecewise_linear = True

    def activate(self, z: Numbers) -> Numbers:
        return 1.0 * z

    def derivative(self, z: Numbers, a: Numbers) -> Numbers:
        return 1.0 + 0.0 * z

    def pattern(self, Z: Floats) -> Array | None:
        return None
