"""What a loss is.

    R(w) = Σᵢ sᵢ ℓ(yᵢ, zᵢ),    zᵢ = xᵢᵀw + b                                                     (1)

A loss is the formula ℓ(y, z) for one sample, its derivatives in the score z, its conjugate
ℓ*(y, u) = sup_z (u z − ℓ(y, z)), and the map from scores to predictions. The formulas are written with NumPy's
elementwise functions, so the same code serves arrays in Python and scalars in kernels.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from gnomon._jit import inlined_verb, verb
from gnomon._typing import Numbers

__all__ = ["ROUNDING", "Between", "Loss", "Targets"]

ROUNDING = 1e-6
"""How far u may leave the domain of a conjugate by rounding (of float32) before the conjugate is infinite."""

Targets: TypeAlias = Literal["real", "sign", "unit", "count", "positive", "index"]
Between: TypeAlias = Literal["middle", "lower"]


class Loss(ABC):
    """Base of every loss: subclass it, decorate with ``gnomon.losses.noun``, write the formulas of one sample.

    Attributes
    ----------
    targets : {"real", "sign", "unit", "count", "positive", "index"}
        What y is: any real number; −1 or +1; a number in [0, 1]; a non-negative number; a positive number; the index
        of a class (then z is a row of K scores).
    convex, smooth : bool
        Whether ℓ is convex in z; whether its gradient is Lipschitz continuous in z.
    differentiable, curved : bool
        Whether its gradient is continuous in z; whether its curvature is finite besides. A smooth loss is both; a
        line search needs no more, however steep the loss becomes.
    bounded : bool
        Whether ℓ is infinite for some z, as a deviance is where the link has no mean of the family.
    additive : bool
        Whether the risk is the sum (1). The largest residual is not a sum: its `value` is one number for all samples.
    trainable : bool
        Whether a descent can use it. The 0/1 loss only evaluates.
    dual_steps : bool
        Whether the dual verbs are written. With y ∈ {−1, +1}, weight s and α = −s u y, the dual objective of one
        sample, all others fixed, is −½ norm (Δα)² − y z Δα − s ℓ*(y, u) over 0 ≤ α ≤ `dual_upper`; `dual_slope` and
        `dual_curvature` are minus its first derivative and minus its second without the norm.
    dual_start : float
        α/s to start from: zero where the dual is quadratic, else inside the box, where it is differentiable.
    by_row : bool
        Whether a loss of several scores has the verbs `row`, `masses` and `total_curvature` of the softmax.
    quadratic : bool
        Whether its curvature is constant, so that one Newton model is the loss itself.
    best_shift : callable (residuals, weights, between="middle") → float or None
        For losses that Newton's step does not serve: the number that, added to all scores, makes the loss of the
        residuals y − z least; of an interval of such numbers the middle or the lower end.

    References
    ----------
    Steinwart, I. & Christmann, A. (2008). Support Vector Machines, chapter 2. doi:10.1007/978-0-387-77242-4

    Examples
    --------
    The log-cosh loss, ready for every compiled solver of a smooth loss:

    >>> import numpy as np
    >>> from gnomon.losses import Loss, noun
    >>> @noun
    ... class LogCosh(Loss):
    ...     def value(self, y, z):
    ...         return np.logaddexp(y - z, z - y) - np.log(2.0)
    ...
    ...     def gradient(self, y, z):
    ...         return np.tanh(z - y)
    ...
    ...     def curvature(self, y, z):
    ...         return 1.0 - np.tanh(z - y) ** 2
    ...
    ...     @property
    ...     def smoothness(self):
    ...         return 1.0
    >>> round(float(LogCosh().value(0.0, 1.0)), 7)
    0.4337808
    """

    record: ClassVar[type[tuple[Any, ...]] | None] = None
    best_shift: ClassVar[Callable[..., float] | None] = None
    additive: ClassVar[bool] = True
    dual_steps: ClassVar[bool] = False
    dual_start: ClassVar[float] = 0.0
    by_row: ClassVar[bool] = False
    quadratic: ClassVar[bool] = False

    @property
    def targets(self) -> Targets:
        """What y is."""
        return "real"

    @property
    def convex(self) -> bool:
        """Whether ℓ is convex in z."""
        return True

    @property
    def smooth(self) -> bool:
        """Whether ∂ℓ/∂z is Lipschitz continuous in z."""
        return True

    @property
    def bounded(self) -> bool:
        """Whether ℓ is infinite for some z."""
        return False

    @property
    def trainable(self) -> bool:
        """Whether a descent can use it."""
        return True

    @verb
    @abstractmethod
    def value(self, y: Numbers, z: Numbers) -> Numbers:
        """ℓ(y, z), elementwise."""

    @verb
    @abstractmethod
    def gradient(self, y: Numbers, z: Numbers) -> Numbers:
        """∂ℓ/∂z, elementwise; a sub-gradient where ℓ has a kink."""

    @inlined_verb
    def value_and_gradient(self, y: Numbers, z: Numbers) -> tuple[Numbers, Numbers]:
        """ℓ(y, z) and ∂ℓ/∂z together; overridden where they share work."""
        return self.value(y, z), self.gradient(y, z)

    @inlined_verb
    def value_gradient_curvature(self, y: Numbers, z: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        """ℓ(y, z), ∂ℓ/∂z and ∂²ℓ/∂z² together; overridden where they share work."""
        return self.value(y, z), self.gradient(y, z), self.curvature(y, z)

    @verb
    def curvature(self, y: Numbers, z: Numbers) -> Numbers:
        """∂²ℓ/∂z², elementwise; for a kinked gradient, a generalised one."""
        raise NotImplementedError(f"{type(self).__name__} has no curvature; use a solver that needs only gradients")

    def curvature_times(self, y: Numbers, z: Numbers, r: Numbers) -> Numbers:
        """∂²ℓ/∂z² times r; overridden where z is a row of scores whose second derivatives are no diagonal matrix."""
        return self.curvature(y, z) * r

    @verb
    def conjugate(self, y: Numbers, u: Numbers) -> Numbers:
        """ℓ*(y, u) = sup_z (u z − ℓ(y, z)), elementwise; +inf outside its domain."""
        raise NotImplementedError(f"{type(self).__name__} has no conjugate; there is no duality gap for it")

    @verb
    def dual_upper(self, weight: Numbers) -> Numbers:
        """The largest α of a sample of this weight, for losses that have `dual_steps`."""
        raise NotImplementedError(_no_dual(self))

    @verb
    def dual_slope(self, y: Numbers, alpha: Numbers, score: Numbers, weight: Numbers) -> Numbers:
        """Minus the derivative of the dual in α, for losses that have `dual_steps`."""
        raise NotImplementedError(_no_dual(self))

    @verb
    def dual_curvature(self, alpha: Numbers, weight: Numbers) -> Numbers:
        """Minus the second derivative of the dual in α, without the norm, for losses that have `dual_steps`."""
        raise NotImplementedError(_no_dual(self))

    @verb
    def dual_step(self, y: float, alpha: float, score: float, norm: float, weight: float) -> float:
        """The α that maximises the dual in this sample: a Newton step kept in the box, exact for a quadratic dual."""
        # For a row of zeros the dual may be linear in α; the floor on its curvature then sends α to the better end.
        move = self.dual_slope(y, alpha, score, weight) / np.maximum(norm + self.dual_curvature(alpha, weight), 1e-300)
        return np.minimum(np.maximum(alpha - move, 0.0), self.dual_upper(weight))

    def prox(self, y: Numbers, z: Numbers, step: Numbers) -> Numbers:
        """argmin_v ½ (v − z)² + step · ℓ(y, v), elementwise, where it has a closed form."""
        raise NotImplementedError(f"{type(self).__name__} has no closed proximal step; use another solver")

    @property
    def differentiable(self) -> bool:
        """Whether ∂ℓ/∂z is continuous in z."""
        return self.smooth

    @property
    def curved(self) -> bool:
        """Whether ∂ℓ/∂z is continuous and `curvature` finite, for every z."""
        return self.smooth

    @property
    def smoothness(self) -> float:
        """The least L with ∂²ℓ/∂z² ≤ L everywhere; inf if there is none."""
        return np.inf

    def rescaled(self, unit: float) -> tuple[Loss, float] | None:
        """(ℓ', φ) with ℓ(a + unit·y, a + unit·z) = φ ℓ'(y, z) for all a; None unless ℓ is a function of y − z alone."""
        return None

    def inverse(self, z: Numbers) -> Numbers:
        """The prediction that belongs to the score z: a mean or a probability."""
        return z

    def link(self, mean: Numbers) -> Numbers:
        """The score that belongs to a prediction, the inverse of `inverse`."""
        return mean


def _no_dual(loss: Loss) -> str:
    return f"{type(loss).__name__} has no dual steps; use a solver of the primal problem"
