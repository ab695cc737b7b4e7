"""Sigmoid.

    φ(z) = σ(z) = 1/(1 + e^{−z}),    φ' = φ(1 − φ) ≤ ¼                                                 (1)

Rumelhart, Hinton & Williams (1986), doi:10.1038/323533a0.
"""

from __future__ import annotations

import numpy as np

from gnomon._jit import choose, noun
from gnomon._typing import Numbers
from gnomon.neural.layers._activation import Elementwise
from gnomon.numerics.exponentials import exp_of_negative

__all__ = ["LogisticSigmoid"]


@noun
class LogisticSigmoid(Elementwise):
    """φ(z) = 1/(1 + e^{−z}), without overflow; φ' = φ(1 − φ), at most ¼.

    References
    ----------
    Rumelhart, D. E., Hinton, G. E. & Williams, R. J. (1986). doi:10.1038/323533a0

    Examples
    --------
    >>> from gnomon.neural.layers import LogisticSigmoid
    >>> a = LogisticSigmoid().activate(2.0)
    >>> round(float(a), 7), round(float(LogisticSigmoid().derivative(2.0, a)), 7)
    (0.8807971, 0.1049936)
    """

    saturating = True
    slope_max = 0.25

    def activate(self, z: Numbers) -> Numbers:
        e = exp_of_negative(choose(np.real(z) > 0.0, -z, z))
        return choose(np.real(z) > 0.0, 1.0, e) / (1.0 + e)

    def derivative(self, z: Numbers, a: Numbers) -> Numbers:
        return a * (1.0 - a)
