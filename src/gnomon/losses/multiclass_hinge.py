"""Multi-class hinge loss.

    ℓ(y, s) = max(0, 1 + max_{j≠y} sⱼ − s_y)                                                       (1)

Crammer & Singer (2001), Journal of Machine Learning Research 2:265–292, https://jmlr.org/papers/v2/crammer01a.html.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gnomon._typing import Numbers
from gnomon.losses._base import ROUNDING, Loss
from gnomon.numerics.special import one_hot

__all__ = ["MulticlassHinge"]


@dataclass(frozen=True)
class MulticlassHinge(Loss):
    """Multi-class hinge ℓ(y, s) = max(0, 1 + max_{j≠y} s_j − s_y).

    y is the index of a class, z has K scores per row. Wherever the loss is positive, also if the class is right, the
    sub-gradient is −1 for the true class and +1 for the best wrong one (lowest index in a tie); else 0. The conjugate
    is u_y where u + e_y lies in the probability simplex.

    References
    ----------
    Crammer, K. & Singer, Y. (2001). On the algorithmic implementation of multiclass kernel-based vector machines.
    https://jmlr.org/papers/v2/crammer01a.html

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.losses import MulticlassHinge
    >>> y, s = np.array([0]), np.array([[1.0, 0.8, -1.0]])
    >>> MulticlassHinge().value(y, s).round(7)
    array([0.8])
    >>> MulticlassHinge().gradient(y, s)
    array([[-1.,  1.,  0.]])
    """

    targets = "index"
    smooth = False

    def value(self, y: Numbers, z: Numbers) -> Numbers:
        truth = one_hot(y, z)
        rival = np.max(np.where(truth == 1.0, -np.inf, z), axis=-1)
        return np.maximum(0.0, 1.0 + rival - np.sum(truth * z, axis=-1))

    def gradient(self, y: Numbers, z: Numbers) -> Numbers:
        truth = one_hot(y, z)
        rival = one_hot(np.argmax(np.where(truth == 1.0, -np.inf, z), axis=-1), z)
        return np.where(self.value(y, z)[..., None] > 0.0, rival - truth, 0.0)

    def conjugate(self, y: Numbers, u: Numbers) -> Numbers:
        truth = one_hot(y, u)
        p = u + truth
        inside = (np.min(p, axis=-1) >= -ROUNDING) & (np.abs(np.sum(p, axis=-1) - 1.0) <= ROUNDING)
        return np.where(inside, np.sum(truth * u, axis=-1), np.inf)
