"""Losses of a positive mean through its logarithm, with the curvature itself.

    Poisson  ℓ(y, z) = e^z − y z,    gamma  ℓ(y, z) = z + y e^{−z},    each half the deviance up to a constant       (1)

`DevianceLoss` of these families with the log link has the same gradient. Its curvature is the one expected under the
model, for Fisher scoring; the Newton step of boosted trees needs the observed one. Friedman (2001), section 4.6,
doi:10.1214/aos/1013203451.
"""

from __future__ import annotations

import numpy as np

from gnomon._jit import noun
from gnomon._typing import Numbers
from gnomon.losses._base import Loss

__all__ = ["LogGammaLoss", "LogPoissonLoss"]


class _LogMean(Loss):
    """What both share: the link, and a curvature that is finite and has no bound."""

    smooth = False
    differentiable = True
    curved = True

    def inverse(self, z: Numbers) -> Numbers:
        return np.exp(z)

    def link(self, mean: Numbers) -> Numbers:
        return np.log(mean)


@noun
class LogPoissonLoss(_LogMean):
    """ℓ(y, z) = e^z − y z, half the Poisson deviance up to a constant.

    References
    ----------
    Nelder, J. & Wedderburn, R. (1972). Generalized linear models. doi:10.2307/2344614

    Examples
    --------
    >>> from gnomon.losses import LogPoissonLoss
    >>> loss = LogPoissonLoss()
    >>> float(loss.gradient(3.0, 0.0)), float(loss.curvature(3.0, 0.0))
    (-2.0, 1.0)
    """

    targets = "count"

    def value(self, y: Numbers, z: Numbers) -> Numbers:
        return np.exp(z) - y * z

    def gradient(self, y: Numbers, z: Numbers) -> Numbers:
        return np.exp(z) - y

    def curvature(self, y: Numbers, z: Numbers) -> Numbers:
        return np.exp(z)


@noun
class LogGammaLoss(_LogMean):
    """ℓ(y, z) = z + y e^{−z}, half the gamma deviance up to a constant.

    References
    ----------
    Nelder, J. & Wedderburn, R. (1972). Generalized linear models. doi:10.2307/2344614

    Examples
    --------
    >>> from gnomon.losses import LogGammaLoss
    >>> float(LogGammaLoss().gradient(3.0, 0.0)), float(LogGammaLoss().curvature(3.0, 0.0))
    (-2.0, 3.0)
    """

    targets = "positive"

    def value(self, y: Numbers, z: Numbers) -> Numbers:
        return z + y * np.exp(-z)

    def gradient(self, y: Numbers, z: Numbers) -> Numbers:
        return 1.0 - y * np.exp(-z)

    def curvature(self, y: Numbers, z: Numbers) -> Numbers:
        return y * np.exp(-z)
