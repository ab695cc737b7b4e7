"""Layer normalisation.

    a = g ∗ v + b,    v = (u − μ)/√(s² + ε),    μ and s² the mean and the variance of the row u                  (1)
    ∂J/∂u = (d − mean d − v · mean(d ∗ v))/√(s² + ε),    d = g ∗ ∂J/∂a                                           (2)

Ba, Kiros & Hinton (2016), arXiv:1607.06450. A row is normalised by its own numbers, so that training and prediction are
one function.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gnomon._typing import Floats
from gnomon.neural.layers._layer import Layer, LayerRun, Parameter, Shape
from gnomon.neural.layers.initializers import ConstantInit

__all__ = ["LayerNorm"]


class NormPass(NamedTuple):
    """What the way back needs: v of (1) and 1/√(s² + ε)."""

    v: Floats
    scale: Floats


@dataclass(frozen=True)
class LayerNorm(Layer):
    """Every row with mean 0 and variance 1, then with a trained scale g and offset b for each number.

    Parameters
    ----------
    eps : float, default=1e-5
        ε of (1).
    name, after, trainable, output
        As every `Layer` has.

    References
    ----------
    Ba, J. L., Kiros, J. R. & Hinton, G. E. (2016). Layer normalization. arXiv:1607.06450

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.neural import NeuralNetwork
    >>> from gnomon.neural.layers import LayerNorm
    >>> network = NeuralNetwork([LayerNorm()], 3)
    >>> network.output(network.init(np.random.default_rng(0)), np.array([[1.0, 2.0, 6.0]])).round(3)
    array([[-0.926, -0.463,  1.389]])
    """

    eps: float = 1e-5

    def output_shape(self, input_shapes: Sequence[Shape]) -> Shape:
        return input_shapes[0]

    def parameters(self, input_shapes: Sequence[Shape]) -> tuple[Parameter, ...]:
        shape = input_shapes[0]
        g = Parameter("a", shape, 1, 1, False, ConstantInit(1.0))
        return g, Parameter("b", shape, 1, 1, False, ConstantInit(0.0))

    def forward(self, parameters: Sequence[Floats], inputs: Sequence[Any], run: LayerRun) -> tuple[Floats, NormPass]:
        u = inputs[0]
        axes = tuple(range(1, u.ndim))
        centred = u - np.mean(u, axis=axes, keepdims=True)
        scale = 1.0 / np.sqrt(np.mean(centred * centred, axis=axes, keepdims=True) + u.dtype.type(self.eps))
        v = centred * scale
        return parameters[0] * v + parameters[1], NormPass(v, scale)

    def backward(
        self,
        parameters: Sequence[Floats],
        saved: NormPass,
        delta: Floats,
        gradients: Sequence[Floats],
        run: LayerRun,
        wants_inputs: bool,
    ) -> Sequence[Floats]:
        v, scale = saved
        axes = tuple(range(1, v.ndim))
        np.sum(delta * v, axis=0, out=gradients[0])
        np.sum(delta, axis=0, out=gradients[1])
        d = parameters[0] * delta
        mean, along = np.mean(d, axis=axes, keepdims=True), np.mean(d * v, axis=axes, keepdims=True)
        return ((d - mean - v * along) * scale,)
