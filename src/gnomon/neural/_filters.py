"""Weights and activations as images.

    filters of layer l = its W as images,    feature maps of x = A_l(x), one image for each filter               (1)

Zeiler & Fergus (2014), Visualizing and understanding convolutional networks, doi:10.1007/978-3-319-10590-1_53.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gnomon._typing import Floats
from gnomon.neural._graph import Node
from gnomon.neural.network import NeuralNetwork

__all__ = ["feature_maps", "filters"]


def filters(network: NeuralNetwork, theta: Floats, layer: str | None = None) -> Floats:
    """The weights of a layer as images (units, channels, height, width).

    Those of a convolution have that shape; a unit of a dense layer that takes images has one weight for each pixel.

    Parameters
    ----------
    network : NeuralNetwork
    theta : ndarray
    layer : str, optional
        Its name; by default the first layer with weights.

    References
    ----------
    Zeiler, M. D. & Fergus, R. (2014). Visualizing and understanding convolutional networks.
    doi:10.1007/978-3-319-10590-1_53

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.neural import NeuralNetwork, filters
    >>> from gnomon.neural.layers import Conv2D, Dense
    >>> network = NeuralNetwork([Conv2D(2, 3), Dense(5)], (1, 8, 8))
    >>> theta = network.init(np.random.default_rng(0))
    >>> filters(network, theta).shape, filters(network, theta, "dense_1").shape
    ((2, 1, 3, 3), (5, 2, 6, 6))
    """
    node = _layer(network, layer)
    W = network.views(theta)[node.name][0]
    if W.ndim == 4:
        return W.copy()
    shape = node.input_shapes[0]
    if W.ndim != 2 or len(shape) != 3:
        raise ValueError(f"the weights of layer {node.name!r} are no images: it takes rows of shape {shape}")
    return np.ascontiguousarray(W.T).reshape(W.shape[1], *shape)


def feature_maps(network: NeuralNetwork, theta: Floats, X: Any, layer: str | None = None) -> Floats:
    """The output of a layer for each row, (rows, channels, height, width) for a convolution.

    Parameters
    ----------
    network : NeuralNetwork
    theta : ndarray
    X : array-like
    layer : str, optional
        Its name; by default the first layer with weights.

    References
    ----------
    Zeiler, M. D. & Fergus, R. (2014). Visualizing and understanding convolutional networks.
    doi:10.1007/978-3-319-10590-1_53

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.neural import NeuralNetwork, feature_maps
    >>> from gnomon.neural.layers import Conv2D
    >>> network = NeuralNetwork([Conv2D(2, 3)], (1, 8, 8))
    >>> feature_maps(network, network.init(np.random.default_rng(0)), np.ones((4, 64))).shape
    (4, 2, 6, 6)
    """
    return np.ascontiguousarray(network.forward(theta, X)[1][_layer(network, layer).name])


def _layer(network: NeuralNetwork, name: str | None) -> Node:
    with_weights = {node.name: node for node in network.nodes if node.parameters}
    known = {node.name: node for node in network.nodes} if name is not None else with_weights
    if name is None and known:
        return next(iter(known.values()))
    if name not in known:
        raise ValueError(f"layer={name!r} must be one of {sorted(known)}; give one of these")
    return known[name]
