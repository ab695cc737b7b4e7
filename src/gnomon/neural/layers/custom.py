"""An activation of the user's own.

    a = value(z),    φ'(z) = derivative(z)                                                            (1)

A function of tensors of PyTorch needs no derivative: automatic differentiation finds it, on both engines. The
derivative is compared with central differences (value(z + h) − value(z − h))/2h on a grid when the activation is
made: a wrong one would train silently towards something else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from gnomon._extras import need
from gnomon._typing import Floats
from gnomon.neural.layers._activation import ActivationFunction

__all__ = ["Activation"]

_GRID = np.linspace(-4.93, 5.0, 200)
_STEP = 1e-6
_SHARE_OF_KINKS = 0.1
"""On so small a share of the grid the two derivatives may differ: a kink lies there."""


@dataclass(frozen=True)
class Activation(ActivationFunction):
    """An activation given by two functions of arrays, or by one differentiable function of PyTorch.

    Parameters
    ----------
    value : callable ndarray → ndarray, or tensor → tensor
        φ, elementwise.
    derivative : callable ndarray → ndarray, optional
        φ', elementwise; checked against differences of `value` on a grid of [−5, 5]. Without it `value` takes and
        returns tensors of PyTorch, for example ``torch.nn.functional.mish``, and is differentiated automatically.

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

    value: Callable[[Any], Any]
    derivative: Callable[[Floats], Floats] | None = None

    def __post_init__(self) -> None:
        value, derivative = self._pair
        grid = _GRID
        found = np.broadcast_to(np.asarray(derivative(grid), dtype=float), grid.shape)
        expected = (np.asarray(value(grid + _STEP)) - np.asarray(value(grid - _STEP))) / (2 * _STEP)
        wrong = np.abs(found - expected) > 1e-4 * np.maximum(1.0, np.abs(expected))
        if not np.all(np.isfinite(found)) or np.mean(wrong) > _SHARE_OF_KINKS:
            i = int(np.argmax(wrong | ~np.isfinite(found)))
            raise ValueError(
                f"derivative={self.derivative!r} is not that of value: at z={grid[i]:.3g} it gives {found[i]:.3g} and "
                f"differences give {expected[i]:.3g}; correct either function"
            )

    @property
    def gradient(self) -> bool:  # type: ignore[override]
        """Whether φ' is not zero everywhere, as that of a step is."""
        return bool(np.any(self._pair[1](_GRID)))

    @property
    def _pair(self) -> tuple[Callable[[Floats], Floats], Callable[[Floats], Floats]]:
        """φ and φ' as functions of arrays."""
        if self.derivative is not None:
            return self.value, self.derivative
        return partial(_value_of_tensors, self.value), partial(_slope_of_tensors, self.value)

    def forward(self, Z: Floats, A: Floats, parameters: Sequence[Floats]) -> None:
        value, derivative = self._pair
        if Z.dtype.kind == "c":
            # The imaginary part carries a derivative: φ(x + iεv) = φ(x) + iε φ'(x) v up to ε².
            A.real, A.imag = value(Z.real), derivative(Z.real) * Z.imag
        else:
            A[...] = value(Z)

    def backward(
        self, Z: Floats, A: Floats, delta: Floats, parameters: Sequence[Floats], gradients: Sequence[Floats]
    ) -> None:
        if Z.dtype.kind == "c":
            raise ValueError("an Activation of one's own has no second derivative; use a built-in activation")
        delta *= self._pair[1](Z)


def _value_of_tensors(value: Callable[[Any], Any], Z: Floats) -> Floats:
    found: Floats = value(_tensor(value, Z)).numpy()
    return found


def _slope_of_tensors(value: Callable[[Any], Any], Z: Floats) -> Floats:
    """φ'(Z), the gradient of Σ φ(z)."""
    z = _tensor(value, Z).requires_grad_()
    try:
        value(z).sum().backward()
    except (AttributeError, RuntimeError, TypeError) as error:
        raise ValueError(
            f"value={value!r} is not a differentiable function of PyTorch ({error}); give its derivative too"
        ) from error
    slope: Floats = z.grad.numpy()
    return slope


def _tensor(value: Callable[[Any], Any], Z: Floats) -> Any:
    need(f"value={value!r} without a derivative", "torch", otherwise=", or give the derivative")
    return import_module("torch").from_numpy(np.ascontiguousarray(Z))
