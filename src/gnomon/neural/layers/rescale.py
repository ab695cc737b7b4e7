"""Columns in other units.

    a = (u − m)/d,    ∂J/∂u = (∂J/∂a)/d                                                                 (1)

Fixed numbers, no parameters: what stands before a network that was trained on standardised columns. LeCun et al.
(1998), section 4.3, doi:10.1007/3-540-49430-8_2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gnomon._typing import ArrayLike, Floats
from gnomon.neural.layers._layer import Layer, LayerRun, Shape

__all__ = ["Rescale"]


@dataclass(frozen=True, eq=False)
class Rescale(Layer):
    """(u − mean)/scale, column by column.

    Parameters
    ----------
    mean, scale : array-like
        One number for each number of a row.
    name, after, trainable, output
        As every `Layer` has.

    References
    ----------
    LeCun, Y., Bottou, L., Orr, G. B. & Müller, K.-R. (1998). Efficient BackProp. doi:10.1007/3-540-49430-8_2

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.neural import NeuralNetwork
    >>> from gnomon.neural.layers import Rescale
    >>> NeuralNetwork([Rescale([1.0, 2.0], [2.0, 4.0])], 2).output(np.empty(0), np.array([[3.0, 4.0]]))
    array([[1. , 0.5]])
    """

    mean: ArrayLike
    scale: ArrayLike

    piecewise_linear = True

    def output_shape(self, input_shapes: Sequence[Shape]) -> Shape:
        size = int(np.prod(input_shapes[0]))
        if np.size(self.mean) != size or np.size(self.scale) != size:
            raise ValueError(f"mean and scale must have {size} numbers and have {np.size(self.mean)}; give as many")
        return input_shapes[0]

    def forward(self, parameters: Sequence[Floats], inputs: Sequence[Any], run: LayerRun) -> tuple[Floats, None]:
        u = inputs[0]
        m, d = (np.asarray(part, dtype=u.dtype).reshape(u.shape[1:]) for part in (self.mean, self.scale))
        return (u - m) / d, None

    def backward(
        self,
        parameters: Sequence[Floats],
        saved: None,
        delta: Floats,
        gradients: Sequence[Floats],
        run: LayerRun,
        wants_inputs: bool,
    ) -> Sequence[Floats]:
        return (delta / np.asarray(self.scale, dtype=delta.dtype).reshape(delta.shape[1:]),)
