"""The network of an estimator: hidden layers, and the output that its targets ask for.

    D-H₁-…-H_{L−1}-M:    M columns of linear scores Z, to which the loss is applied    (1)

Given everything but the last layer, its least-squares fit is linear: W = argmin Σ sᵢ‖aᵢᵀW + b − yᵢ‖² + λ‖W‖², a the
output of the layer before it. Golub & Pereyra (1973), doi:10.1137/0710036.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gnomon._typing import Array, Floats
from gnomon.losses import SquaredLoss
from gnomon.neural._engines import module_network
from gnomon.neural._graph import check_layers
from gnomon.neural._targets import HeadTargets
from gnomon.neural.layers import Dense, Identity, Layer
from gnomon.neural.layers._layer import shape_text
from gnomon.neural.network import NeuralNetwork
from gnomon.numerics.linalg import ridge
from gnomon.numerics.validation import check_non_negative

__all__ = ["architecture", "built", "listed_network", "refitted_output"]


def built(layers: Sequence[Layer], input_shape: Any, targets: Any, output_init: Any = "auto") -> NeuralNetwork:
    """The layers with an output layer for the targets, unless the last of them is marked ``output=True``."""
    layers = list(layers)
    check_layers(layers)
    if layers and layers[-1].output:
        network = NeuralNetwork(layers, input_shape)
        _check_width(network, targets)
        return network
    if not isinstance(targets, HeadTargets):
        return NeuralNetwork([*layers, Dense(targets.width, name="output", init=output_init)], input_shape)
    last = (NeuralNetwork(layers, input_shape).nodes[-1].name) if layers else "input"
    heads = [Dense(head.width, name=name, after=last, output=True) for name, head in targets.heads.items()]
    return NeuralNetwork([*layers, *heads], input_shape)


def listed_network(model: Any, n_features: int, targets: Any) -> Any:
    """The network of an estimator with the parameters of `NetworkClassifier`: its layers, or its module."""
    if model.module is not None:
        if len(model.layers):
            raise ValueError("layers and module both say what the network is; give one of them")
        return module_network(model.module, n_features, targets.width)
    shape = n_features if model.input_shape is None else tuple(model.input_shape)
    if np.prod(shape) != n_features:
        raise ValueError(
            f"input_shape={model.input_shape!r} has {np.prod(shape)} numbers and X {n_features} columns; "
            "give the shape of a row"
        )
    return built(model.layers, shape, targets)


def _check_width(network: NeuralNetwork, targets: Any) -> None:
    width = sum(int(np.prod(shape)) for shape in network.output_shapes.values())
    if width != targets.width:
        raise ValueError(
            f"layers end with an output of width {width} and y needs {targets.width}; give that width, or leave "
            "output=True out and have the output appended"
        )


def architecture(network: NeuralNetwork) -> str:
    """(1), the widths from the input to the output."""
    widths = [shape_text(shape) for shape in network.input_shapes.values()]
    widths += [shape_text(node.shape) for node in network.nodes if node.parameters]
    return "-".join(widths)


def refitted_output(network: NeuralNetwork, theta: Floats, X: Any, y: Array, s: Floats | None, lam: float) -> Floats:
    """θ with the last layer solved by (ridge) least squares."""
    check_non_negative("lam", lam)
    node = network.nodes[-1]
    layer = node.layer
    if not isinstance(layer, Dense) or not isinstance(layer.phi, Identity) or len(network.output_shapes) > 1:
        raise ValueError("refit_output is for networks that end with one linear dense layer; this one does not")
    source = node.sources[0]
    features = network.read(X)[0] if source in network.input_shapes else network.forward(theta, X)[1][source]
    found = ridge(
        features.reshape(features.shape[0], -1) if features.ndim > 2 else features, y, lam, s, intercept=layer.bias
    )
    new = theta.copy()
    views = network.views(new)[node.name]
    views[0][...] = np.reshape(found.coef, views[0].shape)
    if layer.bias:
        views[1][...] = found.intercept
    return new


def is_least_squares(loss: Any) -> bool:
    """Whether a linear output has a closed fit."""
    return isinstance(loss, SquaredLoss)
