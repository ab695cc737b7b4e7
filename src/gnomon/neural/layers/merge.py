"""Layers that join the outputs of several layers.

    Add     a = u₁ + … + u_m,    ∂J/∂uⱼ = ∂J/∂a                                                       (1)
    Concat  a = (u₁, …, u_m),    ∂J/∂uⱼ = its columns of ∂J/∂a                                        (2)

Sums make skip connections: He et al. (2016), doi:10.1109/CVPR.2016.90.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from gnomon._typing import Floats
from gnomon.neural.layers._layer import Layer, LayerRun, Shape, shape_text

__all__ = ["Add", "Concat"]


@dataclass(frozen=True)
class Add(Layer):
    """The sum of the outputs of the layers named in `after`.

    Parameters
    ----------
    name, after, trainable, output
        As every `Layer` has.

    References
    ----------
    He, K., Zhang, X., Ren, S. & Sun, J. (2016). Deep residual learning for image recognition.
    doi:10.1109/CVPR.2016.90

    Examples
    --------
    >>> from gnomon.neural import NeuralNetwork
    >>> from gnomon.neural.layers import Add, Dense
    >>> NeuralNetwork([Dense(3, "tanh", name="hidden"), Add(after=["input", "hidden"])], 3).n_parameters
    12
    """

    piecewise_linear = True
    many_inputs = True

    def output_shape(self, input_shapes: Sequence[Shape]) -> Shape:
        if len(set(input_shapes)) != 1:
            shapes = ", ".join(map(shape_text, input_shapes))
            raise ValueError(f"Add needs inputs of one shape and has {shapes}; make the widths equal, or use Concat")
        return input_shapes[0]

    def forward(self, parameters: Sequence[Floats], inputs: Sequence[Any], run: LayerRun) -> tuple[Floats, int]:
        total = run.array("A", inputs[0].shape)
        total[...] = inputs[0]
        for more in inputs[1:]:
            total += more
        return total, len(inputs)

    def backward(
        self,
        parameters: Sequence[Floats],
        saved: int,
        delta: Floats,
        gradients: Sequence[Floats],
        run: LayerRun,
        wants_inputs: bool,
    ) -> Sequence[Floats]:
        return [delta, *(delta.copy() for _ in range(saved - 1))]


@dataclass(frozen=True)
class Concat(Layer):
    """The outputs of the layers named in `after`, beside each other along the first axis of a row.

    Parameters
    ----------
    name, after, trainable, output
        As every `Layer` has.

    References
    ----------
    Huang, G., Liu, Z., van der Maaten, L. & Weinberger, K. Q. (2017). Densely connected convolutional networks.
    doi:10.1109/CVPR.2017.243

    Examples
    --------
    >>> from gnomon.neural import NeuralNetwork
    >>> from gnomon.neural.layers import Concat, Dense
    >>> NeuralNetwork([Dense(3, name="hidden"), Concat(after=["input", "hidden"])], 2).output_shapes
    {'concat_1': (5,)}
    """

    piecewise_linear = True
    many_inputs = True

    def output_shape(self, input_shapes: Sequence[Shape]) -> Shape:
        if len({shape[1:] for shape in input_shapes}) != 1:
            shapes = ", ".join(map(shape_text, input_shapes))
            raise ValueError(f"Concat needs inputs that differ in their first axis only and has {shapes}; reshape them")
        return (sum(shape[0] for shape in input_shapes), *input_shapes[0][1:])

    def forward(self, parameters: Sequence[Floats], inputs: Sequence[Any], run: LayerRun) -> tuple[Floats, list[int]]:
        ends = [0, *np.cumsum([x.shape[1] for x in inputs]).tolist()]
        joined = run.array("A", (inputs[0].shape[0], ends[-1], *inputs[0].shape[2:]))
        for x, (start, stop) in zip(inputs, pairwise(ends), strict=True):
            joined[:, start:stop] = x
        return joined, ends

    def backward(
        self,
        parameters: Sequence[Floats],
        saved: list[int],
        delta: Floats,
        gradients: Sequence[Floats],
        run: LayerRun,
        wants_inputs: bool,
    ) -> Sequence[Floats]:
        return [np.ascontiguousarray(delta[:, start:stop]) for start, stop in pairwise(saved)]
