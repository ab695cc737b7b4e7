"""Linear regions of piecewise linear networks.

    f(x) = A(x)ᵀx + c(x),    A and c constant where no unit changes its piece                            (1)

Every activation pattern has an affine function of its own; A is the derivative of f. Montúfar, Pascanu, Cho & Bengio
(2014), arXiv:1402.1869.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gnomon._typing import Floats, Integers, is_sparse

if TYPE_CHECKING:
    from gnomon.neural.network import NeuralNetwork

__all__ = ["LinearRegions", "regions_of"]


class LinearRegions(NamedTuple):
    """The linear pieces that rows are on.

    Fields
    ------
    patterns : ndarray of shape (n, units)
        Which piece each unit with several pieces is on, layer after layer.
    A : ndarray of shape (n, d, outputs)
        The slopes at each row.
    c : ndarray of shape (n, outputs)
    region : ndarray of shape (n,)
        A number for each pattern that occurs.
    n_regions : int
        How many occur.

    References
    ----------
    Montúfar, G., Pascanu, R., Cho, K. & Bengio, Y. (2014). On the number of linear regions of deep neural networks.
    arXiv:1402.1869

    Examples
    --------
    Both rows below are on the piece on which the second unit alone is active:

    >>> import numpy as np
    >>> from gnomon.neural import NetworkFunction, NeuralNetwork
    >>> from gnomon.neural.layers import Dense
    >>> f = NetworkFunction(
    ...     NeuralNetwork([Dense(2, "relu"), Dense(1)], 2), np.array([1.0, -1, 2, 1, -1, 0.5, 1, 3, 0.2])
    ... )
    >>> found = f.linear_region([[-1.0, 0.2], [0.0, 0.0]])
    >>> found.n_regions, found.A[0].ravel().round(12), found.c[0].round(12)
    (1, array([-3.,  3.]), array([1.7]))
    """

    patterns: Integers
    A: Floats
    c: Floats
    region: Integers
    n_regions: int


def regions_of(network: NeuralNetwork, theta: Floats, X: Any) -> LinearRegions:
    """Pattern, slopes and constant of each row."""
    smooth = [node.name for node in network.nodes if not node.layer.piecewise_linear]
    if smooth:
        raise ValueError(
            f"layer {smooth[0]!r} is not piecewise linear, so the network has no linear regions; use relu, leaky_relu, "
            "prelu, hard_tanh or Maxout, or jacobian for its slopes"
        )
    rows = network.read(X)[0]
    thin: bool = is_sparse(rows)
    rows = rows.toarray() if thin else rows
    n, patterns = len(rows), patterns_of(network, theta, X)
    slopes = network.jacobian(theta, X).reshape(n, -1, int(np.prod(rows.shape[1:])))
    f = np.asarray(network.output(theta, X)).reshape(n, -1)
    c = f - np.einsum("nod,nd->no", slopes, rows.reshape(n, -1))
    region = np.unique(patterns, axis=0, return_inverse=True)[1].reshape(-1)
    return LinearRegions(patterns, slopes.transpose(0, 2, 1), c, region, int(region.max(initial=-1)) + 1)


def patterns_of(network: NeuralNetwork, theta: Floats, X: Any) -> Integers:
    """Which piece every unit is on, for each row, layers beside each other."""
    space = network.workspace(np.result_type(theta, np.float32), None)
    rows = network.read(X)
    space.forward(theta, rows)
    values = space.values[len(rows) :]
    found = [
        node.layer.pattern(saved, value)
        for node, saved, value in zip(network.nodes, space.saved, values, strict=True)
        if node.layer.piecewise_linear
    ]
    parts = [np.asarray(part).reshape(len(part), -1).astype(np.int64) for part in found if part is not None]
    return np.concatenate(parts, axis=1) if parts else np.zeros((rows[0].shape[0], 0), np.int64)
