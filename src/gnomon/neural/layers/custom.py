"""An activation of the user's own.

    a = value(z),    φ'(z) = derivative(z)                                                            (1)

The derivative is compared with central differences (value(z + h) − value(z − h))/2h on a grid when the activation is
made: a wrong one would train silently towards something else.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from gnomon._typing import Floats
from gnomon.neural.layers._activation import ActivationFunction

__all__ = ["Activation"]

_STEP = 1e-6
_SHARE_OF_KINKS = 0.1
"""On so small a share of the grid the two derivatives may differ: a kink lies there."""


@dataclass(frozen=True)
class Activation(ActivationFunction):
    """An activation given by two functions of arrays.

    Parameters
    ----------
    value : callable ndarray → ndarray
        φ, elementwise.
    derivative : callable ndarray → ndarray
        φ', elementwise; checked against differences of `value` on a grid of [−5, 5].

    References
    ----------
    Hornik, K., Stinchcombe, M. & White, H. (1989). doi:10.1016/0893-6080(89)90020-8

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.neural.layers import Activation, Dense
    >>> Dense(4, Activation(np.sin, np.cos)).units
    4
    >>> Activation(np.sin, np.sin)
    Traceback (most recent call last):
    ...
    ValueError: derivative=<ufunc 'sin'> is not that of value: at z=-4.93 it gives 0.976 and differences give 0.216; ...
    """

    value: Callable[[Floats], Floats]
    derivative: Callable[[Floats], Floats]

    def __post_init__(self) -> None:
        grid = np.linspace(-4.93, 5.0, 200)
        found = np.broadcast_to(np.asarray(self.derivative(grid), dtype=float), grid.shape)
        expected = (np.asarray(self.value(grid + _STEP)) - np.asarray(self.value(grid - _STEP))) / (2 * _STEP)
        wrong = np.abs(found - expected) > 1e-4 * np.maximum(1.0, np.abs(expected))
        if not np.all(np.isfinite(found)) or np.mean(wrong) > _SHARE_OF_KINKS:
            i = int(np.argmax(wrong | ~np.isfinite(found)))
            raise ValueError(
                f"derivative={self.derivative!r} is not that of value: at z={grid[i]:.3g} it gives {found[i]:.3g} and "
                f"differences give {expected[i]:.3g}; correct either function"
            )

    def forward(self, Z: Floats, A: Floats, parameters: Sequence[Floats]) -> None:
        if Z.dtype.kind == "c":
            # The imaginary part carries a derivative: φ(x + iεv) = φ(x) + iε φ'(x) v up to ε².
            A.real, A.imag = self.value(Z.real), self.derivative(Z.real) * Z.imag
        else:
            A[...] = self.value(Z)

    def backward(
        self, Z: Floats, A: Floats, delta: Floats, parameters: Sequence[Floats], gradients: Sequence[Floats]
    ) -> None:
        if Z.dtype.kind == "c":
            raise ValueError("an Activation of two functions has no second derivative; use a built-in activation")
        delta *= self.derivative(Z)
