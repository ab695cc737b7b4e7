"""No penalty.

Ω(w) = 0                                                                                      (1)
"""

import numpy as np

from gnomon._jit import noun
from gnomon.penalties._base import Penalty

__all__ = ["NoPenalty"]


@noun
class NoPenalty(Penalty):
    """The penalty that costs nothing: Ω(w) = 0.

    References
    ----------
    Parikh, N. & Boyd, S. (2014). Proximal algorithms, section 2. doi:10.1561/2400000003

    Examples
    --------
    >>> from gnomon.penalties import NoPenalty
    >>> NoPenalty().value([1.0, -2.0]), NoPenalty().prox(3.0, 1.0)
    (0.0, 3.0)
    """

    smooth = True

    def scaled(self, factor, *, half=False):
        return self

    def term(self, w):
        return 0.0 * w

    def slope(self, w):
        return 0.0 * w

    def prox(self, x, step):
        return x

    def gap(self, w, g):
        return np.abs(g)

    def conjugate(self, v):
        return 0.0 if not np.any(v) else np.inf
