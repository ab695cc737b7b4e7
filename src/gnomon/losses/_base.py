"""What a loss is.

    R(w) = Σᵢ sᵢ ℓ(yᵢ, zᵢ),    zᵢ = xᵢᵀw + b                                                     (1)

A loss is the formula ℓ(y, z) for one sample, its derivatives in the score z, its conjugate
ℓ*(y, u) = sup_z (u z − ℓ(y, z)), and the map from scores to predictions. The formulas are written with NumPy's
elementwise functions, so one text serves arrays in Python and scalars in kernels.
"""

from abc import ABC, abstractmethod
from typing import ClassVar, Literal

import numpy as np

__all__ = ["Loss"]

Targets = Literal["real", "sign", "unit", "count", "positive", "index"]


class Loss(ABC):
    """Base of every loss: subclass it, decorate with ``gnomon.losses.noun``, write the formulas of one sample.

    Attributes
    ----------
    targets : {"real", "sign", "unit", "count", "positive", "index"}
        What y is: any real number; −1 or +1; a number in [0, 1]; a non-negative number; a positive number; the index
        of a class (then z is a row of K scores).
    convex, smooth : bool
        Whether ℓ is convex in z; whether its gradient is Lipschitz continuous in z.
    """

    targets: ClassVar[Targets] = "real"
    record: ClassVar = None
    convex: ClassVar[bool] = True
    smooth: ClassVar[bool] = True

    @abstractmethod
    def value(self, y, z):
        """ℓ(y, z), elementwise."""

    @abstractmethod
    def gradient(self, y, z):
        """∂ℓ/∂z, elementwise; a sub-gradient where ℓ has a kink."""

    def curvature(self, y, z):
        """∂²ℓ/∂z², elementwise; for a kinked gradient, a generalised one."""
        raise NotImplementedError(f"{type(self).__name__} has no curvature; use a solver that needs only gradients")

    def conjugate(self, y, u):
        """ℓ*(y, u) = sup_z (u z − ℓ(y, z)), elementwise; +inf outside its domain."""
        raise NotImplementedError(f"{type(self).__name__} has no conjugate; there is no duality gap for it")

    @property
    def smoothness(self):
        """The least L with ∂²ℓ/∂z² ≤ L everywhere; inf if there is none."""
        return np.inf

    def inverse(self, z):
        """The prediction that belongs to the score z: a mean or a probability."""
        return z

    def link(self, mean):
        """The score that belongs to a prediction, the inverse of `inverse`."""
        return mean
