"""Layers that end with an activation, and the two loops that all of them run.

    Z ← Z + 1bᵀ,  A = φ(Z);    Δ = ∂J/∂A ∗ φ'(Z),  ∇b = Δᵀ1                                             (1)

How Z comes from the inputs, and what Δ means for the weights, is the layer's own: a product, windows of images, steps
of a sequence. Rumelhart, Hinton & Williams (1986), doi:10.1038/323533a0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from gnomon._typing import Array, Floats
from gnomon.neural.layers._activation import (
    ActivationFunction,
    Elementwise,
    add_columns,
    scale_by_slope,
    shift_and_activate,
)
from gnomon.neural.layers._layer import Layer, LayerRun
from gnomon.neural.layers.words import activation_of

__all__ = ["ActivatedLayer", "activate", "check_units", "retreat"]


class ActivatedLayer(Layer):
    """Base of layers with a field `activation`, whose passes save Z."""

    activation: str | ActivationFunction
    phi: ActivationFunction
    """The activation as an object."""

    unit_axis: ClassVar[int] = -1
    """The axis of Z, as `scores` gives it, that counts units."""

    def __post_init__(self) -> None:
        """Find the activation at once: a layer is a value, and no pass may change it."""
        object.__setattr__(self, "phi", activation_of(self.activation))

    @property
    def gradient(self) -> bool:  # type: ignore[override]
        """Whether a gradient can pass its activation."""
        return self.phi.gradient

    @property
    def piecewise_linear(self) -> bool:  # type: ignore[override]
        """Whether its activation is piecewise linear."""
        return self.phi.piecewise_linear

    def scores(self, saved: Any, output: Floats) -> Floats:
        Z: Floats = saved.Z
        return Z

    def pattern(self, saved: Any, output: Floats) -> Array | None:
        return self.phi.pattern(saved.Z)


def check_units(name: str, value: Any, what: str) -> None:
    """ValueError unless so many units can be built."""
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < 1:
        raise ValueError(f"{name}={value!r} must be a positive integer; give {what}")


def activate(
    phi: ActivationFunction, Z: Floats, b: Floats | None, A: Floats, own: Sequence[Floats], run: LayerRun
) -> None:
    """Z ← Z + 1bᵀ and A ← φ(Z), in one compiled loop where φ is a function of one number."""
    if A is Z:
        if b is not None:
            Z += b
    elif b is not None and run.compiled and isinstance(phi, Elementwise):
        shift_and_activate(Z, b, A, run.form(phi))
    else:
        if b is not None:
            Z += b
        phi.forward(Z, A, own)


def retreat(
    phi: ActivationFunction,
    Z: Floats,
    A: Floats,
    delta: Floats,
    gb: Floats | None,
    own: Sequence[Floats],
    gradients: Sequence[Floats],
    run: LayerRun,
) -> None:
    """Δ ← ∂J/∂A ∗ φ'(Z) in place, with ∇b and the gradients of the activation's own parameters."""
    if A is not Z:
        if gb is not None and run.compiled and isinstance(phi, Elementwise):
            scale_by_slope(Z, A, delta, gb, run.form(phi))
            return
        phi.backward(Z, A, delta, own, gradients)
    if gb is not None:
        add_columns(delta, gb)
