"""What an activation is.

    a = φ(z),    ∂J/∂z = ∂J/∂a · φ'(z)                                                                (1)

The value and the slope of most activations are functions of one number; they are written once, elementwise, and serve
arrays of complex numbers in NumPy and the two fused loops below alike. Hornik, Stinchcombe & White (1989),
doi:10.1016/0893-6080(89)90020-8.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from gnomon._jit import jit_no_alloc, verb
from gnomon._typing import Array, Floats, Numbers

__all__ = ["ActivationFunction", "Elementwise"]


class ActivationFunction(ABC):
    """Base of every activation.

    Attributes
    ----------
    gradient : bool
        Whether a gradient can pass; False where the derivative is zero everywhere.
    piecewise_linear : bool
        Whether φ is piecewise linear.
    slope_max : float
        The largest φ'.
    gain : float
        The variance that weights of fan-in m should have is gain/m (He et al. 2015), 1 where nothing better is known.
    saturating : bool
        Whether φ' tends to zero on both sides.

    References
    ----------
    Hornik, K., Stinchcombe, M. & White, H. (1989). Multilayer feedforward networks are universal approximators.
    doi:10.1016/0893-6080(89)90020-8

    Examples
    --------
    >>> from gnomon.neural.layers import activation_of
    >>> relu = activation_of("relu")
    >>> relu.gain, relu.piecewise_linear, activation_of("sigmoid").slope_max
    (2.0, True, 0.25)
    """

    gradient: ClassVar[bool] = True
    piecewise_linear: ClassVar[bool] = False
    saturating: ClassVar[bool] = False
    slope_max: ClassVar[float] = 1.0

    @property
    def gain(self) -> float:
        """The variance of weights times their fan-in that keeps the variance of Z from layer to layer."""
        return 1.0

    @property
    def kinks(self) -> tuple[float, ...]:
        """Where φ may have no derivative, or jumps."""
        return (0.0,)

    def parameters(self, units: int) -> tuple[Any, ...]:
        """The parameters of its own that it needs for so many units."""
        return ()

    @abstractmethod
    def forward(self, Z: Floats, A: Floats, parameters: Sequence[Floats]) -> None:
        """Write φ(Z) to A; rows are samples, columns units."""

    @abstractmethod
    def backward(
        self, Z: Floats, A: Floats, delta: Floats, parameters: Sequence[Floats], gradients: Sequence[Floats]
    ) -> None:
        """Turn delta from ∂J/∂A into ∂J/∂Z in place, and write the gradients of its own parameters."""

    def pattern(self, Z: Floats) -> Array | None:
        """Which linear piece each number is on, as integers; None where there is one."""
        return None


class Elementwise(ActivationFunction):
    """Base of activations of one number: write `activate` and `derivative`, and decorate with `gnomon.losses.noun`.

    References
    ----------
    Hornik, K., Stinchcombe, M. & White, H. (1989). doi:10.1016/0893-6080(89)90020-8

    Examples
    --------
    The softplus, ready for compiled loops:

    >>> import numpy as np
    >>> from gnomon.losses import noun
    >>> from gnomon.neural.layers import Dense, Elementwise
    >>> @noun
    ... class Softplus(Elementwise):
    ...     def activate(self, z):
    ...         return np.log1p(np.exp(z))
    ...
    ...     def derivative(self, z, a):
    ...         return 1.0 - np.exp(-a)
    >>> round(float(Softplus().activate(0.0)), 7)
    0.6931472
    """

    record: ClassVar[Any] = None

    @verb
    @abstractmethod
    def activate(self, z: Numbers) -> Numbers:
        """φ(z), elementwise."""

    @verb
    @abstractmethod
    def derivative(self, z: Numbers, a: Numbers) -> Numbers:
        """φ'(z), elementwise, given a = φ(z) too."""

    def forward(self, Z: Floats, A: Floats, parameters: Sequence[Floats]) -> None:
        A[...] = self.activate(Z)

    def backward(
        self, Z: Floats, A: Floats, delta: Floats, parameters: Sequence[Floats], gradients: Sequence[Floats]
    ) -> None:
        delta *= self.derivative(Z, A)

    def pattern(self, Z: Floats) -> Array | None:
        return (np.real(Z) > 0).view(np.int8) if self.piecewise_linear else None


@jit_no_alloc
def shift_and_activate(Z: Floats, b: Floats, A: Floats, phi: Any) -> None:
    """Add the biases to Z in place and write φ(Z) to A, in one loop; φ in the form for kernels."""
    n, m = Z.shape
    for i in range(n):
        for j in range(m):
            z = Z[i, j] + b[j]
            Z[i, j] = z
            A[i, j] = phi.activate(z)


@jit_no_alloc
def scale_by_slope(Z: Floats, A: Floats, delta: Floats, gb: Floats, phi: Any) -> None:
    """Multiply delta by φ'(Z) in place and write its column sums, the gradient of the biases, to gb, in one loop."""
    n, m = Z.shape
    gb[:] = 0
    for i in range(n):
        for j in range(m):
            d = delta[i, j] * phi.derivative(Z[i, j], A[i, j])
            delta[i, j] = d
            gb[j] += d


@jit_no_alloc
def add_columns(delta: Floats, gb: Floats) -> None:
    """The column sums of delta, to gb."""
    n, m = delta.shape
    gb[:] = 0
    for i in range(n):
        for j in range(m):
            gb[j] += delta[i, j]
