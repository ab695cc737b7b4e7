"""A dense layer with the weights of another, transposed.

    Z = A_in Wᵀ + 1bᵀ,  W of the layer `of`;    ∇W = (what `of` gives) + (A_inᵀΔ)ᵀ                       (1)

One parameter used twice has the sum of both gradients. Decoders of autoencoders share weights so: Vincent et al.
(2010), JMLR 11:3371–3408, section 2.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gnomon._typing import ArrayLike, Floats
from gnomon.neural.layers._activated import ActivatedLayer
from gnomon.neural.layers._activation import ActivationFunction
from gnomon.neural.layers._layer import LayerRun, Parameter, Shape
from gnomon.neural.layers.dense import Dense, DensePass

__all__ = ["Transposed"]


@dataclass(frozen=True)
class Transposed(ActivatedLayer):
    """A layer of units φ(xᵀw + b) whose weights are the rows of another dense layer's W.

    Parameters
    ----------
    units : int
        How many: as many as the other layer has inputs.
    of : str
        The name of the other layer.
    activation : str or activation, default="identity"
    bias : bool, default=True
    bias_init : float or array-like, default=0.0
    name, after, trainable, output
        As every `Layer` has.

    References
    ----------
    Vincent, P., Larochelle, H., Lajoie, I., Bengio, Y. & Manzagol, P.-A. (2010). Stacked denoising autoencoders.
    JMLR 11:3371–3408.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.neural import NeuralNetwork
    >>> from gnomon.neural.layers import Dense, Transposed
    >>> network = NeuralNetwork([Dense(1, bias=False, name="code"), Transposed(2, of="code", bias=False)], 2)
    >>> network.n_parameters, network.output(np.array([0.6, 0.8]), np.array([[1.0, 0.0]]))
    (2, array([[0.36, 0.48]]))
    """

    units: int
    of: str
    activation: str | ActivationFunction = "identity"
    bias: bool = True
    bias_init: float | ArrayLike = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        dense = Dense(self.units, self.activation, self.bias, bias_init=self.bias_init)
        object.__setattr__(self, "_dense", dense)

    @property
    def dense(self) -> Dense:
        """The layer with weights of its own that computes the same."""
        return self._dense  # type: ignore[attr-defined]

    @property
    def shares(self) -> str:  # type: ignore[override]
        """The layer whose weights it uses."""
        return self.of

    def output_shape(self, input_shapes: Sequence[Shape]) -> Shape:
        return (int(self.units),)

    def parameters(self, input_shapes: Sequence[Shape]) -> tuple[Parameter, ...]:
        return self.dense.parameters(input_shapes)[1:]

    def shared_shape(self, input_shapes: Sequence[Shape]) -> Shape:
        """The shape that W of the other layer must have."""
        return (int(self.units), int(np.prod(input_shapes[0], dtype=object)))

    def forward(self, parameters: Sequence[Floats], inputs: Sequence[Any], run: LayerRun) -> tuple[Floats, DensePass]:
        return self.dense.forward([parameters[0].T, *parameters[1:]], inputs, run)

    def backward(
        self,
        parameters: Sequence[Floats],
        saved: DensePass,
        delta: Floats,
        gradients: Sequence[Floats],
        run: LayerRun,
        wants_inputs: bool,
    ) -> Sequence[Floats]:
        own = run.array("gradient of the transposed weights", gradients[0].shape[::-1])
        given = self.dense.backward(
            [parameters[0].T, *parameters[1:]], saved, delta, [own, *gradients[1:]], run, wants_inputs
        )
        gradients[0][...] = own.T
        return given
