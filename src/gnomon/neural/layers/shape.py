"""Layers that change only the shape of rows.

    Flatten  a = the numbers of u in C order as one axis,    Reshape  a = the same numbers in another shape      (1)

Rows of images are channels × height × width; Dense flattens what it takes by itself. LeCun et al. (1998),
doi:10.1109/5.726791.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from gnomon._typing import Floats
from gnomon.neural.layers._layer import Layer, LayerRun, Shape, shape_text

__all__ = ["Flatten", "Reshape"]


@dataclass(frozen=True)
class Flatten(Layer):
    """All axes of a row as one, in C order; `Dense` and `Maxout` do it by themselves.

    Parameters
    ----------
    name, after, trainable, output
        As every `Layer` has.

    References
    ----------
    LeCun, Y., Bottou, L., Bengio, Y. & Haffner, P. (1998). Gradient-based learning applied to document recognition.
    doi:10.1109/5.726791

    Examples
    --------
    >>> from gnomon.neural import NeuralNetwork
    >>> from gnomon.neural.layers import Flatten
    >>> NeuralNetwork([Flatten()], (3, 8, 8)).output_shapes
    {'flatten_1': (192,)}
    """

    piecewise_linear = True

    def output_shape(self, input_shapes: Sequence[Shape]) -> Shape:
        return (prod(input_shapes[0]),)

    def forward(self, parameters: Sequence[Floats], inputs: Sequence[Any], run: LayerRun) -> tuple[Floats, Shape]:
        return inputs[0].reshape(len(inputs[0]), -1), inputs[0].shape

    def backward(
        self,
        parameters: Sequence[Floats],
        saved: Shape,
        delta: Floats,
        gradients: Sequence[Floats],
        run: LayerRun,
        wants_inputs: bool,
    ) -> Sequence[Floats]:
        return (delta.reshape(saved),)


@dataclass(frozen=True)
class Reshape(Layer):
    """The numbers of a row in another shape, in C order.

    Parameters
    ----------
    shape : sequence of int
        Of a row of the output.
    name, after, trainable, output
        As every `Layer` has.

    References
    ----------
    LeCun, Y., Bottou, L., Bengio, Y. & Haffner, P. (1998). Gradient-based learning applied to document recognition.
    doi:10.1109/5.726791

    Examples
    --------
    >>> from gnomon.neural import NeuralNetwork
    >>> from gnomon.neural.layers import Reshape
    >>> NeuralNetwork([Reshape((1, 8, 8))], 64).output_shapes
    {'reshape_1': (1, 8, 8)}
    """

    shape: Sequence[int]

    piecewise_linear = True

    def __post_init__(self) -> None:
        lengths = tuple(self.shape) if isinstance(self.shape, Sequence) else ()
        if not lengths or any(not isinstance(k, (int, np.integer)) or k < 1 for k in lengths):
            raise ValueError(f"shape={self.shape!r} must be a tuple of positive integers; give the shape of a row")

    def output_shape(self, input_shapes: Sequence[Shape]) -> Shape:
        wanted = tuple(map(int, self.shape))
        if prod(wanted) != prod(input_shapes[0]):
            given = f"{shape_text(input_shapes[0])} = {prod(input_shapes[0])} numbers"
            raise ValueError(f"Reshape to {shape_text(wanted)} = {prod(wanted)} numbers cannot take {given}")
        return wanted

    def forward(self, parameters: Sequence[Floats], inputs: Sequence[Any], run: LayerRun) -> tuple[Floats, Shape]:
        return inputs[0].reshape(len(inputs[0]), *self.shape), inputs[0].shape

    def backward(
        self,
        parameters: Sequence[Floats],
        saved: Shape,
        delta: Floats,
        gradients: Sequence[Floats],
        run: LayerRun,
        wants_inputs: bool,
    ) -> Sequence[Floats]:
        return (delta.reshape(saved),)
