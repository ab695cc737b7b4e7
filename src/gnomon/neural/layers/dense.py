"""The dense layer.

    Z = A_in W + 1bᵀ,    A = φ(Z);    Δ = ∂J/∂A ∗ φ'(Z),  ∇W = A_inᵀΔ,  ∇b = Δᵀ1,  ∂J/∂A_in = ΔWᵀ       (1)

Rumelhart, Hinton & Williams (1986), doi:10.1038/323533a0. The products go through BLAS into arrays that are allocated
once; the biases, the activation and its slope are one compiled loop each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from gnomon._typing import ArrayLike, Floats
from gnomon.neural.layers._activated import ActivatedLayer, activate, check_units, retreat
from gnomon.neural.layers._activation import ActivationFunction
from gnomon.neural.layers._layer import LayerRun, Parameter, Shape
from gnomon.neural.layers.identity import Identity
from gnomon.neural.layers.initializers import ConstantInit, Initializer, initializer_of

__all__ = ["Dense"]


class DensePass(NamedTuple):
    """What a pass through a layer of linear units leaves for the way back."""

    x: Any
    Z: Floats
    A: Floats


@dataclass(frozen=True)
class Dense(ActivatedLayer):
    """A layer of units φ(xᵀw + b), each connected with every input.

    Rows of several axes (images) are flattened in C order.

    Parameters
    ----------
    units : int
        How many.
    activation : str or activation, default="identity"
        "relu", "tanh", "sigmoid" …, or an object as ``LeakyReLU(0.1)``.
    bias : bool, default=True
        Whether units have a b.
    init : str, Initializer or array-like, default="auto"
        First values of W; "auto" is He for rectifiers and LeCun else.
    bias_init : float or array-like, default=0.0
        First values of b.
    l1, l2 : float, optional
        Penalties of this layer's W instead of those of the whole network.
    max_norm : float, optional
        Bound on the norm of each unit's incoming weights instead of that of the whole network.
    name, after, trainable, output
        As every `Layer` has.

    References
    ----------
    Rumelhart, D. E., Hinton, G. E. & Williams, R. J. (1986). Learning representations by back-propagating errors.
    doi:10.1038/323533a0

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.neural import NeuralNetwork
    >>> from gnomon.neural.layers import Dense
    >>> network = NeuralNetwork([Dense(1, "tanh", init=[[2.0]], bias_init=1.0)], 1)
    >>> theta = network.init(np.random.default_rng(0))
    >>> network.output(theta, np.array([[0.25]])).round(7)  # tanh(2 · 0.25 + 1)
    array([[0.9051483]])
    """

    units: int
    activation: str | ActivationFunction = "identity"
    bias: bool = True
    init: str | Initializer | ArrayLike = "auto"
    bias_init: float | ArrayLike = 0.0
    l1: float | None = None
    l2: float | None = None
    max_norm: float | None = None

    takes_sparse = True

    def __post_init__(self) -> None:
        check_units("units", self.units, "the width of the layer")
        super().__post_init__()

    def output_shape(self, input_shapes: Sequence[Shape]) -> Shape:
        return (int(self.units),)

    def parameters(self, input_shapes: Sequence[Shape]) -> tuple[Parameter, ...]:
        fan_in, units, gain = int(np.prod(input_shapes[0], dtype=object)), int(self.units), self.phi.gain
        W = Parameter("W", (fan_in, units), fan_in, units, True, initializer_of(self.init, gain), gain, norm_axis=1)
        start = (
            ConstantInit(float(self.bias_init)) if isinstance(self.bias_init, Real) else initializer_of(self.bias_init)
        )
        b = Parameter("b", (units,), fan_in, units, False, start, gain)
        return (W, *((b,) if self.bias else ()), *self.phi.parameters(units))

    def forward(self, parameters: Sequence[Floats], inputs: Sequence[Any], run: LayerRun) -> tuple[Floats, DensePass]:
        x, W = inputs[0], parameters[0]
        if x.ndim > 2:
            x = x.reshape(len(x), -1)
        Z = run.array("Z", (x.shape[0], W.shape[1]))
        if isinstance(x, np.ndarray):
            np.dot(x, W, out=Z)
        else:
            Z[...] = x @ W
        b = parameters[1] if self.bias else None
        A = Z if isinstance(self.phi, Identity) else run.array("A", Z.shape)
        activate(self.phi, Z, b, A, parameters[1 + self.bias :], run)
        return A, DensePass(x, Z, A)

    def backward(
        self,
        parameters: Sequence[Floats],
        saved: DensePass,
        delta: Floats,
        gradients: Sequence[Floats],
        run: LayerRun,
        wants_inputs: bool,
    ) -> Sequence[Floats]:
        x, Z, A = saved
        gb = gradients[1] if self.bias else None
        own = slice(1 + self.bias, None)
        retreat(self.phi, Z, A, delta, gb, parameters[own], gradients[own], run)
        if isinstance(x, np.ndarray):
            np.dot(x.T, delta, out=gradients[0])
        else:
            gradients[0][...] = x.T @ delta
        if not wants_inputs:
            return ()
        return (np.dot(delta, parameters[0].T, out=run.array("D", (delta.shape[0], parameters[0].shape[0]))),)
