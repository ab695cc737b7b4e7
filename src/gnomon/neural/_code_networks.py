"""The network of an autoencoder and its halves.

    x → h_1 → … → code → … → h_1' → x̂                                                                  (1)

The decoder mirrors the encoder; where weights are tied, its matrices are those of the encoder, transposed. In the
linear case W_1 = V_k and W_2 = V_kᵀ, the first right singular vectors of the (centred) rows, are an optimum: Bourlard &
Kamp (1988), doi:10.1007/BF00332918.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from sklearn.utils.extmath import svd_flip
from sklearn.utils.validation import check_array

from gnomon._typing import ArrayLike, Floats
from gnomon.neural.layers._activation import ActivationFunction
from gnomon.neural.layers._layer import Layer
from gnomon.neural.layers.dense import Dense
from gnomon.neural.layers.noise import GaussianNoise
from gnomon.neural.layers.transposed import Transposed
from gnomon.neural.network import NeuralNetwork
from gnomon.numerics.validation import FLOATS

__all__ = ["CodeNetworks", "coder", "principal_coder", "read_codes"]


class CodeNetworks(NamedTuple):
    """An autoencoder, with its halves as networks of their own.

    Fields
    ------
    network : NeuralNetwork
    encoder, decoder : NeuralNetwork
        With matrices of their own, in the order of the whole.
    """

    network: NeuralNetwork
    encoder: NeuralNetwork
    decoder: NeuralNetwork

    def halves(self, theta: Floats) -> tuple[tuple[NeuralNetwork, Floats], tuple[NeuralNetwork, Floats]]:
        """Each half with its parameters."""
        views = self.network.views(theta)
        names = [node.name for node in self.network.nodes if node.parameters or node.layer.shares]
        parts: list[Floats] = []
        for name, node in ((node.name, node) for node in self.network.nodes if node.name in names):
            shared = [] if node.layer.shares is None else [views[node.layer.shares][0].T]
            parts.append(np.concatenate([part.ravel() for part in (*shared, *views[name])]))
        m = len(names) // 2
        return (self.encoder, np.concatenate(parts[:m])), (self.decoder, np.concatenate(parts[m:]))


def coder(
    d: int,
    k: int,
    hidden: Sequence[int],
    activation: str | ActivationFunction,
    code: str | ActivationFunction,
    tied: bool,
    bias: bool,
    noise: float,
) -> CodeNetworks:
    """(1) with these widths."""
    down = [*hidden, k]
    up = [*reversed(hidden), d]
    phis = [activation] * len(hidden)
    encoder: list[Layer] = [
        Dense(width, phi, bias, name=f"encoder_{i}")
        for i, (width, phi) in enumerate(zip(down, [*phis, code], strict=True), 1)
    ]
    decoder: list[Layer] = [
        Dense(width, phi, bias, name=f"decoder_{i}")
        for i, (width, phi) in enumerate(zip(up, [*phis, "identity"], strict=True), 1)
    ]
    mirrored: list[Layer] = [
        Transposed(width, f"encoder_{len(up) - i}", phi, bias, name=f"decoder_{i + 1}")
        for i, (width, phi) in enumerate(zip(up, [*phis, "identity"], strict=True))
    ]
    before: list[Layer] = [GaussianNoise(noise)] if noise else []
    whole = [*before, *encoder, *(mirrored if tied else decoder)]
    return CodeNetworks(NeuralNetwork(whole, d), NeuralNetwork(encoder, d), NeuralNetwork(decoder, k))


def principal_coder(parts: CodeNetworks, X: Floats, weights: Floats | None, *, center: bool) -> Floats:
    """The parameters of a linear autoencoder of one layer each way that project on principal components."""
    s = np.ones(len(X)) if weights is None else weights
    mean = s @ X / np.sum(s) if center else np.zeros(X.shape[1])
    U, _, Vt = np.linalg.svd((X - mean) * np.sqrt(s)[:, None], full_matrices=False)
    V = svd_flip(U, Vt, u_based_decision=False)[1].T
    k = parts.encoder.shapes["encoder_1"][0]
    W = np.zeros((X.shape[1], k))
    W[:, : V.shape[1]] = V[:, :k]
    tied = any(layer.shares for layer in parts.network.layers)
    matrices = [W.ravel(), -mean @ W, np.empty(0) if tied else W.T.ravel(), mean]
    kept = matrices if center else matrices[::2]
    return np.concatenate(kept).astype(X.dtype)


def read_codes(X: ArrayLike, k: int) -> Floats:
    """Codes of length k, checked."""
    Z: Floats = check_array(X, dtype=FLOATS, input_name="X")
    if Z.shape[1] != k:
        raise ValueError(f"X has {Z.shape[1]} columns and codes have {k}; give what transform gives")
    return Z
