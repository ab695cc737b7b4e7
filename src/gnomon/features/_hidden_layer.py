"""A hidden layer whose weights are drawn.

    h(x) = g(A x̃ + b),    x̃ = (x − mean) / sd,      or      h_j(x) = exp(−‖x̃ − a_j‖² / (2 s² d))          (1)

A, b and the centres a_j are drawn once, without a look at the rows but for their means and standard deviations. Huang,
Zhu & Siew (2006), doi:10.1016/j.neucom.2005.12.126.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from scipy import sparse
from scipy.special import expit
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils.sparsefuncs import mean_variance_axis

from gnomon._typing import Floats
from gnomon.numerics.scale import PowerOfTwo

__all__ = ["Activation", "HiddenLayer", "LayerDraw", "draw_layer"]

Activation: TypeAlias = Literal["sigmoid", "tanh", "relu", "cos", "rbf"]
Law: TypeAlias = Literal["uniform", "normal"]

ACTIVATIONS: dict[str, Callable[[Floats], Floats]] = {
    "sigmoid": lambda z: expit(z, out=z),
    "tanh": lambda z: np.tanh(z, out=z),
    "relu": lambda z: np.maximum(z, 0.0, out=z),
    "cos": lambda z: np.cos(z, out=z),
    "rbf": lambda z: np.exp(z, out=z),
}
"""g of each name, in place; for "rbf" of minus half the squared distance."""


class LayerDraw(NamedTuple):
    """What is drawn.

    Fields
    ------
    n_hidden : int
    activation : str
    law : {"uniform", "normal"}
        Of the entries of A and b.
    scale : float
        Factor of A and b; s for "rbf".
    standardize : bool
    """

    n_hidden: int
    activation: Activation
    law: Law
    scale: float
    standardize: bool


class HiddenLayer(NamedTuple):
    """The layer (1).

    Fields
    ------
    activation : str
    weights : ndarray of shape (d, n_hidden)
        Aᵀ, or the centres as columns.
    bias : ndarray of shape (n_hidden,)
    mean, sd : ndarray of shape (d,)
    width : float
        s √d of "rbf".

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.features._hidden_layer import HiddenLayer
    >>> layer = HiddenLayer("relu", np.array([[1.0, -1.0]]), np.zeros(2), np.array([1.0]), np.array([2.0]), 1.0)
    >>> layer.outputs(np.array([[5.0]]))
    array([[2., 0.]])
    """

    activation: Activation
    weights: Floats
    bias: Floats
    mean: Floats
    sd: Floats
    width: float

    def outputs(self, X: Any) -> Floats:
        """h of every row."""
        W = self.weights.astype(X.dtype)
        if self.activation == "rbf":
            rows = (X.toarray() if sparse.issparse(X) else X) - self.mean.astype(X.dtype)
            z = euclidean_distances(rows / self.sd.astype(X.dtype), W.T, squared=True) / (-2.0 * self.width**2)
        elif sparse.issparse(X):
            # A x̃ + b with the shift taken out of the product, so that X stays sparse.
            z = np.asarray(X @ (W / self.sd[:, None]).astype(X.dtype)) + (self.bias - (self.mean / self.sd) @ W)
        else:
            z = ((X - self.mean.astype(X.dtype)) / self.sd.astype(X.dtype)) @ W + self.bias
        return ACTIVATIONS[self.activation](z.astype(X.dtype, copy=False))


def draw_layer(X: Any, weights: Floats, draw: LayerDraw, rng: np.random.RandomState) -> HiddenLayer:
    """A layer for the rows X, whose weights say how much each counts in mean and standard deviation.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.features._hidden_layer import LayerDraw, draw_layer
    >>> draw = LayerDraw(2, "tanh", "uniform", 0.5, True)
    >>> layer = draw_layer(np.array([[1.0], [3.0]]), np.ones(2), draw, np.random.RandomState(0))
    >>> layer.mean, layer.sd, bool(np.all(np.abs(layer.weights) < 0.5))
    (array([2.]), array([1.]), True)
    """
    d = X.shape[1]
    mean, sd = column_moments(X, weights) if draw.standardize or draw.activation == "rbf" else (np.zeros(d), np.ones(d))
    if draw.activation == "rbf":
        centers = rng.standard_normal(size=(d, draw.n_hidden))
        if not draw.standardize:
            # The same centres in the units of the rows, which are then compared as they are.
            centers, mean, sd = mean[:, None] + sd[:, None] * centers, np.zeros(d), np.ones(d)
        return HiddenLayer("rbf", centers, np.zeros(draw.n_hidden), mean, sd, draw.scale * np.sqrt(d))
    size = (d + 1, draw.n_hidden)
    drawn = draw.scale * (rng.uniform(-1.0, 1.0, size=size) if draw.law == "uniform" else rng.standard_normal(size))
    return HiddenLayer(draw.activation, drawn[:d], drawn[d], mean, sd, 1.0)


def column_moments(X: Any, weights: Floats) -> tuple[Floats, Floats]:
    """Weighted mean and standard deviation of every column, 1 where it is constant; at any scale of the columns.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.features._hidden_layer import column_moments
    >>> column_moments(np.array([[1e8, 7.0], [1e8 + 2, 7.0]]), np.ones(2))
    (array([1.00000001e+08, 7.00000000e+00]), array([1., 1.]))
    """
    shares = weights.astype(float) / np.max(weights)
    shares /= shares.sum()
    if sparse.issparse(X):
        mean, variance = mean_variance_axis(X.astype(float), axis=0, weights=shares)[:2]
        return mean, np.where(variance > 0.0, np.sqrt(variance), 1.0)
    unit = PowerOfTwo.of(X, axis=0)
    rows = unit.inward(X.astype(float))
    mean = shares @ rows
    centred = rows - mean
    mean = mean + shares @ centred
    sd = np.sqrt(shares @ (rows - mean) ** 2)
    varies = sd > 8.0 * np.finfo(X.dtype).eps * np.abs(mean)
    return unit.outward(mean), np.where(varies, unit.outward(sd), 1.0)
