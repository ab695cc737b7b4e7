"""Noise on what a layer is given.

    a = u + σε,  ε ~ N(0, I), while training;    a = u in predictions                                    (1)

Training on inputs with noise makes the network insensitive to it, as a penalty on its derivative would: Bishop (1995),
doi:10.1162/neco.1995.7.1.108. An autoencoder that has to undo it learns more than a copy: Vincent et al. (2008),
doi:10.1145/1390156.1390294.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gnomon._typing import Floats, is_sparse
from gnomon.neural.layers._layer import Layer, LayerRun, Shape

__all__ = ["GaussianNoise"]


@dataclass(frozen=True)
class GaussianNoise(Layer):
    """Normal noise that is added while training.

    Parameters
    ----------
    sd : float, default=0.1
        σ.
    name, after, trainable, output
        As every `Layer` has.

    References
    ----------
    Vincent, P., Larochelle, H., Bengio, Y. & Manzagol, P.-A. (2008). Extracting and composing robust features with
    denoising autoencoders. doi:10.1145/1390156.1390294

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.neural import NeuralNetwork
    >>> from gnomon.neural.layers import GaussianNoise
    >>> network, u = NeuralNetwork([GaussianNoise(0.5)], 1), np.ones((10_000, 1))
    >>> space = network.workspace(float, np.random.default_rng(0))
    >>> round(float(space.forward(np.empty(0), [u], training=True)[0].std()), 2), network.output(np.empty(0), u[:1])
    (0.5, array([[1.]]))
    """

    sd: float = 0.1

    random = True
    piecewise_linear = True
    takes_sparse = True
    keeps_sparse = True

    def __post_init__(self) -> None:
        if not 0.0 <= self.sd < np.inf:
            raise ValueError(f"sd={self.sd!r} must be a number ≥ 0; give the standard deviation of the noise")

    def output_shape(self, input_shapes: Sequence[Shape]) -> Shape:
        return input_shapes[0]

    def draw(self, rng: np.random.Generator, n: int, input_shapes: Sequence[Shape]) -> dict[str, Any]:
        return {"noise": rng.standard_normal((n, *input_shapes[0]))}

    def forward(self, parameters: Sequence[Floats], inputs: Sequence[Any], run: LayerRun) -> tuple[Floats, None]:
        u = inputs[0]
        if not run.training or self.sd == 0.0:
            return u, None
        thin: bool = is_sparse(u)
        rows = u.toarray() if thin else u
        noise = run.drawn(self, rows.shape[0], [rows.shape[1:]])["noise"]
        return rows + (self.sd * noise).astype(rows.dtype), None

    def backward(
        self,
        parameters: Sequence[Floats],
        saved: None,
        delta: Floats,
        gradients: Sequence[Floats],
        run: LayerRun,
        wants_inputs: bool,
    ) -> Sequence[Floats]:
        return (delta,)
