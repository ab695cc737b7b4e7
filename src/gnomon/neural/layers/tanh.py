"""Hyperbolic tangent.

    φ(z) = tanh z = 2σ(2z) − 1,    φ' = 1 − φ²                                                        (1)

LeCun et al. (1998), Efficient BackProp, section 4.4, doi:10.1007/3-540-49430-8_2.
"""

from __future__ import annotations

from gnomon._jit import noun
from gnomon._typing import Numbers
from gnomon.neural.layers._activation import Elementwise
from gnomon.numerics.exponentials import tanh

__all__ = ["Tanh"]


@noun
class Tanh(Elementwise):
    """φ(z) = tanh z, with φ' = 1 − φ².

    References
    ----------
    LeCun, Y., Bottou, L., Orr, G. B. & Müller, K.-R. (1998). Efficient BackProp. doi:10.1007/3-540-49430-8_2

    Examples
    --------
    >>> from gnomon.neural.layers import Tanh
    >>> a = Tanh().activate(0.5)
    >>> round(float(a), 7), round(float(Tanh().derivative(0.5, a)), 7)
    (0.4621172, 0.7864477)
    """

    saturating = True

    def activate(self, z: Numbers) -> Numbers:
        return tanh(z)

    def derivative(self, z: Numbers, a: Numbers) -> Numbers:
        return 1.0 - a * a
