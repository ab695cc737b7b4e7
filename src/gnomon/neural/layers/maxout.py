"""Maxout: each unit is the largest of several linear functions.

    a_h = max_{j ∈ S_h} z_j,    Z = A_in W + 1bᵀ;    ∂J/∂z_j = ∂J/∂a_h for the first largest j, 0 else   (1)

A maximum of k lines is convex with at most k pieces. Goodfellow et al. (2013), PMLR 28(3):1319–1327.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gnomon._typing import Array, ArrayLike, Floats, Integers
from gnomon.neural.layers._activated import check_units
from gnomon.neural.layers._layer import Layer, LayerRun, Parameter, Shape
from gnomon.neural.layers.initializers import ConstantInit, Initializer, initializer_of

__all__ = ["Maxout"]

_GAIN = 2.0
"""Two pieces of which the larger passes keep the variance as a rectifier does, up to the mean that they add."""


class Winners(NamedTuple):
    """What a pass leaves for the way back: the input, the linear units, and which of them each output took."""

    x: Any
    Z: Floats
    taken: Integers


@dataclass(frozen=True)
class Maxout(Layer):
    """Units that take the largest of `pieces` linear units of their own, or of free subsets of linear units.

    Parameters
    ----------
    units : int
    pieces : int, default=2
        Linear units of each, consecutive in W and not shared.
    groups : sequence of sequences of int, optional
        For each unit the indices of the linear units that it takes the largest of; they may be shared. The layer then
        has as many linear units as the largest index says, and `pieces` is not used.
    bias : bool, default=True
    init : str, Initializer or array-like, default="auto"
        First values of W, as of `Dense`; "auto" is He.
    l1, l2, max_norm : float, optional
        As of `Dense`.
    name, after, trainable, output
        As every `Layer` has.

    References
    ----------
    Goodfellow, I. J., Warde-Farley, D., Mirza, M., Courville, A. & Bengio, Y. (2013). Maxout networks.
    PMLR 28(3):1319–1327.

    Examples
    --------
    The lines t, −t + 0.2 and 0.3:

    >>> import numpy as np
    >>> from gnomon.neural import NeuralNetwork
    >>> from gnomon.neural.layers import Maxout
    >>> network = NeuralNetwork([Maxout(1, pieces=3)], 1)
    >>> theta = np.array([1.0, -1.0, 0.0, 0.0, 0.2, 0.3])
    >>> network.output(theta, np.array([[-1.0], [0.05], [0.5]])).ravel()
    array([1.2, 0.3, 0.5])
    """

    units: int
    pieces: int = 2
    groups: Sequence[Sequence[int]] | None = None
    bias: bool = True
    init: str | Initializer | ArrayLike = "auto"
    l1: float | None = None
    l2: float | None = None
    max_norm: float | None = None

    piecewise_linear = True
    takes_sparse = True

    def __post_init__(self) -> None:
        check_units("units", self.units, "the width of the layer")
        if self.groups is None and not 2 <= self.pieces <= 20:
            raise ValueError(f"pieces={self.pieces!r} must be in [2, 20]; give the number of lines of each unit")
        if self.groups is not None and (len(self.groups) != self.units or not all(len(g) for g in self.groups)):
            raise ValueError(f"groups must have a non-empty group for each of units={self.units}; give as many")

    @property
    def members(self) -> tuple[Integers, int]:
        """The linear units of each unit as rows (short ones repeat their last member), and how many there are."""
        if self.groups is None:
            return np.arange(self.units * self.pieces).reshape(self.units, self.pieces), self.units * self.pieces
        longest = max(map(len, self.groups))
        rows = np.array([[*group, *[group[-1]] * (longest - len(group))] for group in self.groups])
        return rows, int(rows.max()) + 1

    def output_shape(self, input_shapes: Sequence[Shape]) -> Shape:
        return (int(self.units),)

    def parameters(self, input_shapes: Sequence[Shape]) -> tuple[Parameter, ...]:
        fan_in, lines = int(np.prod(input_shapes[0], dtype=object)), self.members[1]
        init = initializer_of(self.init, _GAIN)
        W = Parameter("W", (fan_in, lines), fan_in, int(self.units), True, init, _GAIN, norm_axis=1)
        b = Parameter("b", (lines,), fan_in, int(self.units), False, ConstantInit(0.0))
        return (W, b) if self.bias else (W,)

    def forward(self, parameters: Sequence[Floats], inputs: Sequence[Any], run: LayerRun) -> tuple[Floats, Winners]:
        x = inputs[0].reshape(inputs[0].shape[0], -1) if inputs[0].ndim > 2 else inputs[0]
        members, _ = self.members
        Z = x @ parameters[0]
        if self.bias:
            Z += parameters[1]
        first = np.argmax(np.real(Z)[:, members], axis=2)
        taken = members[np.arange(len(members)), first]
        return np.take_along_axis(Z, taken, axis=1), Winners(x, Z, taken)

    def backward(
        self,
        parameters: Sequence[Floats],
        saved: Winners,
        delta: Floats,
        gradients: Sequence[Floats],
        run: LayerRun,
        wants_inputs: bool,
    ) -> Sequence[Floats]:
        x, Z, taken = saved
        lines = np.zeros(Z.shape, delta.dtype)
        np.add.at(lines, (np.arange(len(Z))[:, None], taken), delta)
        gradients[0][...] = x.T @ lines
        if self.bias:
            np.add.reduce(lines, axis=0, out=gradients[1])
        return (lines @ parameters[0].T,) if wants_inputs else ()

    def scores(self, saved: Winners, output: Floats) -> Floats:
        return saved.Z

    def pattern(self, saved: Winners, output: Floats) -> Array:
        return saved.taken
