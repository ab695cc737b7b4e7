"""One row at a time, without overhead.

    a₀ = x,    a_l = φ(a_{l−1}W_l + b_l),  l < L,    f(x) = a_{L−1}W_L + b_L                                  (1)

A call of a layer costs more than the arithmetic of a small one, so that all layers of a chain are one compiled loop.
Rumelhart, Hinton & Williams (1986), doi:10.1038/323533a0.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gnomon._jit import compiled, jit, subroutine_reassoc
from gnomon._jit.entries import entry_of
from gnomon._typing import Floats
from gnomon.neural.layers import Dense, Elementwise, Identity

__all__ = ["RowFunction"]


class RowFunction:
    """(1) for one row: `function(x)` returns the scores of x, an array with as many numbers as the network has inputs.

    Parameters
    ----------
    network : NeuralNetwork
        A chain of dense layers with biases, one elementwise activation in all but the last, which has none.
    theta : ndarray

    References
    ----------
    Rumelhart, D. E., Hinton, G. E. & Williams, R. J. (1986). Learning representations by back-propagating errors.
    doi:10.1038/323533a0

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.neural import NeuralNetwork, RowFunction
    >>> from gnomon.neural.layers import Dense
    >>> network = NeuralNetwork([Dense(2, "relu"), Dense(1)], input_shape=2)
    >>> theta = np.array([1.0, 1, 1, 1, 0, -1, 1, -2, 0])
    >>> xor = RowFunction(network, theta)
    >>> xor(np.array([1.0, 0.0])), network.output(theta, [[1.0, 0.0]])[0]
    (array([1.]), array([1.]))
    """

    def __init__(self, network: Any, theta: Floats) -> None:
        *hidden, last = [node.layer for node in network.nodes]
        phi = hidden[0].phi if hidden and isinstance(hidden[0], Dense) else Identity()
        chain = all(len(node.sources) == 1 for node in network.nodes) and len(network.output_shapes) == 1
        same = all(isinstance(layer, Dense) and layer.phi == phi and layer.bias for layer in hidden)
        ends = isinstance(last, Dense) and isinstance(last.phi, Identity) and last.bias
        if not (chain and same and ends and isinstance(phi, Elementwise)):
            raise ValueError(
                f"{network!r} is no chain of dense layers with biases and one elementwise activation that ends with "
                "linear scores; use its output instead"
            )
        sizes = [int(np.prod(next(iter(network.input_shapes.values())))), *(node.shape[0] for node in network.nodes)]
        self._theta, self._phi = np.ascontiguousarray(theta), compiled(phi)
        self._sizes = np.array(sizes, dtype=np.int64)
        # With a gap between its numbers: the form for such rows takes all others too.
        row = np.zeros(2 * sizes[0] + 2, self._theta.dtype)[: 2 * sizes[0] : 2]
        self._dtype, self._fast = row.dtype, entry_of(_scores, row, self._theta, self._sizes, self._phi)

    def __call__(self, x: Floats) -> Floats:
        if x.dtype is not self._dtype:
            x = np.asarray(x, dtype=self._dtype)
        found: Floats = self._fast(x, self._theta, self._sizes, self._phi)
        return found


@jit
def _scores(x, theta, sizes, phi):
    if x.shape[0] != sizes[0]:
        raise ValueError("x must have one number for each input of the network")
    layers = sizes.shape[0] - 1
    # One array for the outputs of all layers: to get one takes longer than to fill it.
    values = np.empty(np.sum(sizes[1:]), theta.dtype)
    start = first = 0
    a = x
    for k in range(layers):
        n, m = sizes[k], sizes[k + 1]
        bias = start + n * m
        z = values[first : first + m]
        _score_layer(a, theta[start:bias].reshape(n, m), theta[bias : bias + m], z)
        if k < layers - 1:
            for j in range(m):
                z[j] = phi.activate(z[j])
        a = z
        start = bias + m
        first += m
    return a


@subroutine_reassoc
def _score_layer(a, W, b, z):
    n, m = W.shape
    for j in range(m):
        z[j] = b[j]
    for i in range(0, n - 3, 4):
        # Four rows of W for each pass over z, which then is loaded and stored a quarter as often.
        c, d, e, f = a[i], a[i + 1], a[i + 2], a[i + 3]
        for j in range(m):
            z[j] += (c * W[i, j] + d * W[i + 1, j]) + (e * W[i + 2, j] + f * W[i + 3, j])
    for i in range(n - n % 4, n):
        c = a[i]
        for j in range(m):
            z[j] += c * W[i, j]
