"""A hidden layer of random weights, as a feature map.

    h(x) = g(A x̃ + b),    x̃ = (x − mean) / sd,    A and b drawn once, g elementwise                 (1)

or h_j(x) = exp(−‖x̃ − a_j‖² / (2 s² d)) for radial units. Nothing is trained: the weights after this layer are a linear
problem. Huang, Zhu & Siew (2006), doi:10.1016/j.neucom.2005.12.126.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from sklearn.utils import check_random_state

from gnomon._typing import Array, Count, Positive, Seed
from gnomon.features._base import FeatureMap, Rows
from gnomon.features._hidden_layer import Activation, LayerDraw, draw_layer

__all__ = ["RandomHiddenFeatures"]


class RandomHiddenFeatures(FeatureMap):
    """The outputs of hidden units whose weights are drawn, equation (1).

    Parameters
    ----------
    n_hidden : int, default=100
    activation : {"sigmoid", "tanh", "relu", "cos", "rbf"}, default="sigmoid"
        g; "rbf" units have centres a_j instead of weights, drawn from a normal law with the means and standard
        deviations of the columns.
    weights : {"uniform", "normal"}, default="uniform"
        Law of the entries of A and b: uniform on (−1, 1), or standard normal; of centres always normal.
    scale : float, default=1.0
        Factor of A and b; for "rbf" the width s.
    standardize : bool, default=True
        False leaves x as it is.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    layer_ : HiddenLayer
        With fields `weights` (Aᵀ, or the centres as columns), `bias` (b), `mean` and `sd`.

    References
    ----------
    Huang, G.-B., Zhu, Q.-Y. & Siew, C.-K. (2006). Extreme learning machine: theory and applications.
    doi:10.1016/j.neucom.2005.12.126

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.features import RandomHiddenFeatures
    >>> features = RandomHiddenFeatures(3, standardize=False, random_state=0).fit([[0.0], [1.0]])
    >>> layer = features.layer_
    >>> np.allclose(features.transform([[2.0]]), 1.0 / (1.0 + np.exp(-(2.0 * layer.weights + layer.bias))))
    True
    """

    _sparse = True

    def __init__(
        self,
        n_hidden: Count = 100,
        *,
        activation: Activation = "sigmoid",
        weights: Literal["uniform", "normal"] = "uniform",
        scale: Positive = 1.0,
        standardize: bool = True,
        random_state: Seed = None,
    ):
        self.n_hidden = n_hidden
        self.activation = activation
        self.weights = weights
        self.scale = scale
        self.standardize = standardize
        self.random_state = random_state

    def _learn(self, X: Rows) -> None:
        draw = LayerDraw(self.n_hidden, self.activation, self.weights, self.scale, self.standardize)
        self.layer_ = draw_layer(X, np.ones(X.shape[0]), draw, check_random_state(self.random_state))

    def _map(self, X: Rows) -> Rows:
        return self.layer_.outputs(X)

    def _names(self, names: Array) -> Sequence[str]:
        return [f"randomhiddenfeatures{j}" for j in range(self.n_hidden)]
