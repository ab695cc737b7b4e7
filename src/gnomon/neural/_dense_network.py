"""The hidden layers that the parameters of a multi-layer perceptron stand for.

    [Dropout(keep_input)]  Dense(H₁, φ)  [Dropout(keep_hidden)]  Dense(H₂, φ)  …                                     (1)

Srivastava et al. (2014), JMLR 15:1929–1958, on where units are dropped.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from gnomon.neural._built import built
from gnomon.neural.layers import Dense, Dropout, Layer, activation_of
from gnomon.neural.network import NeuralNetwork

__all__ = ["dense_network"]


def dense_network(model: Any, n_features: int, targets: Any) -> NeuralNetwork:
    """(1) with an output for the targets, for an estimator with the parameters of `MLPClassifier`."""
    sizes, phi = _widths(model.hidden_layer_sizes), activation_of(model.activation)
    first = _first_weights(model.init, len(sizes) + 1)
    layers: list[Layer] = [] if model.keep_input == 1.0 else [Dropout(model.keep_input)]
    for width, init in zip(sizes, first, strict=False):
        layers.append(Dense(width, phi, init=init))
        if model.keep_hidden < 1.0:
            layers.append(Dropout(model.keep_hidden))
    return built(layers, n_features, targets, first[-1])


def _widths(sizes: Any) -> list[int]:
    widths = list(sizes) if isinstance(sizes, Iterable) else [sizes]
    whole = all(isinstance(width, (int, np.integer)) and not isinstance(width, bool) for width in widths)
    if not whole or any(width < 1 for width in widths):
        raise ValueError(f"hidden_layer_sizes={sizes!r} must be > 0: one whole number for each hidden layer, or ()")
    return [int(width) for width in widths]


def _first_weights(init: Any, n_layers: int) -> list[Any]:
    if not isinstance(init, (list, tuple)):
        return [init] * n_layers
    if len(init) != n_layers:
        raise ValueError(f"init has {len(init)} entries for {n_layers} layers of weights; give one for each")
    return list(init)
