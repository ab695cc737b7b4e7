"""Squared loss.

    ℓ(y, z) = (y − z)²,    or with ``half=True``  ½ (y − z)²                                       (1)

Legendre (1805), Nouvelles méthodes pour la détermination des orbites des comètes; Gauss (1809), Theoria motus.
"""

from __future__ import annotations

from gnomon._jit import noun
from gnomon._typing import Numbers
from gnomon.losses._base import Loss

__all__ = ["SquaredLoss"]


@noun
class SquaredLoss(Loss):
    """Squared loss ℓ(y, z) = (y − z)², with ``half=True`` ½ (y − z)².

    With c = 2 (half: 1) its proximal step is (z + c t y)/(1 + c t) and its conjugate u y + u²/(2c). It is the negative
    log-likelihood of Gaussian noise up to scale and shift.

    Parameters
    ----------
    half : bool, default=False
        Multiply by ½, so that the gradient is z − y.

    References
    ----------
    Gauss, C. F. (1809). Theoria motus corporum coelestium.

    Examples
    --------
    >>> from gnomon.losses import SquaredLoss
    >>> SquaredLoss().value(3.0, 1.0), SquaredLoss().gradient(3.0, 1.0)
    (4.0, -4.0)
    >>> SquaredLoss(half=True).value(3.0, 1.0), SquaredLoss(half=True).gradient(3.0, 1.0)
    (2.0, -2.0)
    """

    half: bool = False

    quadratic = True

    def value(self, y: Numbers, z: Numbers) -> Numbers:
        return 0.5 * self.curvature(y, z) * (y - z) ** 2

    def gradient(self, y: Numbers, z: Numbers) -> Numbers:
        return self.curvature(y, z) * (z - y)

    def curvature(self, y: Numbers, z: Numbers) -> Numbers:
        return (1.0 if self.half else 2.0) + 0.0 * z

    def conjugate(self, y: Numbers, u: Numbers) -> Numbers:
        return u * y + 0.5 * u**2 / self.curvature(y, u)

    def prox(self, y: Numbers, z: Numbers, step: Numbers) -> Numbers:
        weight = step * self.curvature(y, z)
        return (z + weight * y) / (1.0 + weight)

    def rescaled(self, unit: float) -> tuple[Loss, float]:
        return self, unit * unit

    def residual(self, y: Numbers, z: Numbers) -> Numbers:
        """r = y − z, elementwise."""
        return y - z

    @property
    def smoothness(self) -> float:
        return 1.0 if self.half else 2.0
