"""A network with its parameters: one function.

    f(x) = φ_L(… φ_1(xᵀW_1 + b_1) … W_L + b_L),    θ = (W_1, b_1, …, W_L, b_L)                             (1)

`NeuralNetwork` knows layers and shapes, θ is a vector; the two together are a function of x that can be looked into:
what its hidden layers say about a row, which cell of their hyperplanes and which linear piece a row is on, and which
other θ are the same function. Bishop (2006), Pattern Recognition and Machine Learning, chapter 5.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeAlias

import numpy as np

from gnomon._typing import ArrayLike, Floats
from gnomon.neural._cells import CellCodes, cells_of
from gnomon.neural._linear_region import LinearRegions, regions_of
from gnomon.neural._symmetry import canonical_parameters, same_function, symmetries_of

if TYPE_CHECKING:
    from gnomon.neural.network import NeuralNetwork

__all__ = ["FunctionLike", "HiddenValues", "NetworkFunction", "as_function"]

HiddenValues: TypeAlias = Literal["activation", "score"]


class NetworkFunction(NamedTuple):
    """A network and a vector of its parameters.

    Fields
    ------
    network : NeuralNetwork
    theta : ndarray of shape (n_parameters,)

    References
    ----------
    Bishop, C. M. (2006). Pattern Recognition and Machine Learning, chapter 5.

    Examples
    --------
    The exclusive or as ReLU(x₁ + x₂) − 2 ReLU(x₁ + x₂ − 1):

    >>> import numpy as np
    >>> from gnomon.neural import NetworkFunction, NeuralNetwork
    >>> from gnomon.neural.layers import Dense
    >>> network = NeuralNetwork([Dense(2, "relu"), Dense(1)], input_shape=2)
    >>> xor = NetworkFunction(network, np.array([1.0, 1, 1, 1, 0, -1, 1, -2, 0]))
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> xor.output(X).ravel()
    array([0., 1., 1., 0.])
    >>> xor.transform(X)[3], xor.linear_region(X).n_regions
    (array([2., 1.]), 3)
    """

    network: NeuralNetwork
    theta: Floats

    def output(self, X: Any) -> Any:
        """f(x) of each row, with random layers off."""
        return self.network.output(self.theta, X)

    def jacobian(self, X: Any) -> Floats:
        """∂f/∂x of each row."""
        return self.network.jacobian(self.theta, X)

    def transform(self, X: Any, layer: int | str | None = None, values: HiddenValues = "activation") -> Floats:
        """What a layer says about each row.

        Parameters
        ----------
        X : array-like
        layer : int or str, optional
            Its place in the list or its name; by default the last before the output.
        values : {"activation", "score"}, default="activation"
            A_l, or Z_l before the activation.

        Returns
        -------
        ndarray of shape (n, *shape of the layer)
        """
        name = layer_name(self.network, layer)
        if values not in ("activation", "score"):
            raise ValueError(f"values={values!r} must be 'activation' or 'score'; give one of these")
        Z, A = self.network.forward(self.theta, X)
        return (A if values == "activation" else Z)[name]

    def encode_cells(self, X: Any, y: ArrayLike | None = None) -> CellCodes:
        """The cell of the first layer's hyperplanes that each row is in, as bits; with y, how pure the cells are."""
        return cells_of(self.network, self.theta, X, y)

    def linear_region(self, X: Any) -> LinearRegions:
        """The linear piece of f that each row is on, as f(x) = Aᵀx + c."""
        return regions_of(self.network, self.theta, X)

    def canonical(self) -> NetworkFunction:
        """The same function with one θ for all that symmetries of hidden layers make equal to it."""
        return NetworkFunction(self.network, canonical_parameters(self.network, self.theta))

    def equivalent(self, other: NetworkFunction, tol: float = 1e-9) -> bool:
        """Whether another θ (of a network of the same layers) is equal to this one up to symmetries."""
        return same_function(self.network, self.theta, other.network, other.theta, tol)

    def n_symmetries(self) -> int:
        """How many θ permutations and changes of sign of hidden units make from one: Π H_l!, times 2^{H_l}."""
        return symmetries_of(self.network)


class FittedNetwork(Protocol):
    """An estimator that holds a network and its parameters."""

    network_: NeuralNetwork
    theta_: Floats
    history_: Any

    def _as_function(self) -> NetworkFunction: ...
    def _asked(self, X: Any, y: Any) -> tuple[Any, Any]: ...


FunctionLike: TypeAlias = NetworkFunction | FittedNetwork
"""What `as_function` takes."""


def as_function(model: FunctionLike) -> NetworkFunction:
    """The function of a fitted estimator, of rows in the units of X; one that is given already is returned.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.neural import NetworkFunction, NeuralNetwork
    >>> from gnomon.neural.function import as_function
    >>> from gnomon.neural.layers import Dense
    >>> f = NetworkFunction(NeuralNetwork([Dense(1)], 1), np.array([2.0, 1.0]))
    >>> as_function(f) is f
    True
    """
    if not isinstance(model, NetworkFunction) and not hasattr(model, "_as_function"):
        raise TypeError(f"{model!r} has no network; give a NetworkFunction or an estimator of gnomon.neural")
    return model if isinstance(model, NetworkFunction) else model._as_function()


def layer_name(network: NeuralNetwork, layer: int | str | None) -> str:
    """The name of a layer, given by place or name; None is the last that another layer takes."""
    names = [node.name for node in network.nodes]
    if layer is None:
        hidden = [name for name in names if name not in network.output_shapes]
        if not hidden:
            raise ValueError("layer=None is the last hidden layer and the network has none; name the layer")
        return hidden[-1]
    if isinstance(layer, str) and layer in names:
        return layer
    if isinstance(layer, (int, np.integer)) and -len(names) <= layer < len(names):
        return names[int(layer)]
    raise ValueError(f"layer={layer!r} must be a place below {len(names)} or one of {names}; give one of these")
