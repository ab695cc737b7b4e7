"""0/1 loss: the number of errors.

    ℓ(y, z) = 1[y ≠ sign z],    sign z = +1 for z > 0, −1 otherwise                                (1)

It is for evaluation and cannot be minimised by descent: its gradient is 0 almost everywhere, and minimising it is
NP-hard: Höffgen, Simon & Van Horn (1995), doi:10.1006/jcss.1995.1011.
"""

from __future__ import annotations

from gnomon._jit import choose, noun
from gnomon._typing import Numbers
from gnomon.losses._base import Loss

__all__ = ["ZeroOneLoss"]


@noun
class ZeroOneLoss(Loss):
    """0/1 loss ℓ(y, z) = 1[y ≠ sign z] for y ∈ {−1, +1}; a score of exactly 0 predicts −1.

    References
    ----------
    Höffgen, K.-U., Simon, H.-U. & Van Horn, K. (1995). Robust trainability of single neurons.
    doi:10.1006/jcss.1995.1011

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.losses import ZeroOneLoss
    >>> ZeroOneLoss().value(np.array([1.0, 1.0, -1.0, -1.0]), np.array([2.0, 0.0, 0.0, 0.1]))
    array([0., 1., 0., 1.])
    """

    targets = "sign"
    convex = False
    smooth = False
    trainable = False

    def value(self, y: Numbers, z: Numbers) -> Numbers:
        return choose(choose(z > 0.0, 1.0, -1.0) == y, 0.0, 1.0)

    def gradient(self, y: Numbers, z: Numbers) -> Numbers:
        raise NotImplementedError(
            "the gradient of the 0/1 loss is 0 almost everywhere and leads nowhere; "
            "train with a surrogate such as LogisticLoss or HingeLoss"
        )
