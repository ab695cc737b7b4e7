"""The sub-networks of dropout.

    mean = Σ_R P(R) g(f_R(x)),    sd² = Σ_R P(R) (g(f_R(x)) − mean)²,    P(R) = Π keep^r (1 − keep)^{1−r}        (1)

over the masks R of all units (of weights, for DropConnect), or over M masks that are drawn; g turns outputs into
predictions. It is not what the average network, which uses the mean of the masks, predicts. Srivastava et al. (2014),
JMLR 15:1929–1958, section 7.5.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from gnomon._typing import Floats, RandomState
from gnomon.neural.layers import DropConnect, Dropout
from gnomon.neural.network import NeuralNetwork
from gnomon.numerics.random import check_rng
from gnomon.numerics.validation import check_integer

__all__ = ["SampledPrediction", "at_prediction_scale", "sample_networks"]

_MOST_UNITS = 15


class SampledPrediction(NamedTuple):
    """What `sample_networks` finds.

    Fields
    ------
    mean, std : ndarray
        Equation (1), by row and output.
    n_networks : int
        Sub-networks that were evaluated.

    References
    ----------
    Srivastava, N., Hinton, G., Krizhevsky, A., Sutskever, I. & Salakhutdinov, R. (2014). Dropout: a simple way to
    prevent neural networks from overfitting. JMLR 15:1929–1958.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.neural import SampledPrediction
    >>> SampledPrediction(np.zeros((1, 1)), np.ones((1, 1)), 50).n_networks
    50
    """

    mean: Floats
    std: Floats
    n_networks: int


def sample_networks(
    network: NeuralNetwork,
    theta: Floats,
    X: Any,
    n_networks: int = 50,
    *,
    exact: bool = False,
    link: Callable[[Floats], Floats] | None = None,
    random_state: RandomState = None,
) -> SampledPrediction:
    """The mean and the standard deviation (1) of the predictions of sub-networks.

    Parameters
    ----------
    network : NeuralNetwork
        With `Dropout` or `DropConnect` layers and one output.
    theta : ndarray
    X : array-like
    n_networks : int, default=50
        M; each mask is used for all rows.
    exact : bool, default=False
        All masks with their probabilities instead, for at most 15 units.
    link : callable, optional
        g, for example the softmax; by default the outputs themselves.
    random_state : int, Generator, RandomState or None, default=None

    References
    ----------
    Srivastava, N., Hinton, G., Krizhevsky, A., Sutskever, I. & Salakhutdinov, R. (2014). Dropout: a simple way to
    prevent neural networks from overfitting. JMLR 15:1929–1958.

    Examples
    --------
    z = 0.5 r₁ − 2 r₂ + 6 r₃ + 0.1, each r one half of the time:

    >>> import numpy as np
    >>> from gnomon.neural import NeuralNetwork, sample_networks
    >>> from gnomon.neural.layers import Dense, Dropout
    >>> network = NeuralNetwork([Dropout(0.5, scaling="average"), Dense(1)], 3)
    >>> theta, x = np.array([0.5, -1.0, 2.0, 0.1]), np.array([[1.0, 2.0, 3.0]])
    >>> sigma = lambda z: 1.0 / (1.0 + np.exp(-z))
    >>> found = sample_networks(network, theta, x, exact=True, link=sigma)
    >>> found.mean.round(7), found.n_networks
    (array([[0.6835887]]), 8)
    >>> sigma(network.output(theta, x)).round(7)  # the average network
    array([[0.9129342]])
    """
    if not network.random or len(network.output_shapes) != 1:
        raise ValueError("sample_networks needs a network with Dropout or DropConnect layers and one output; add them")
    check_integer("n_networks", n_networks, 1)
    space, inputs = network.workspace(np.asarray(theta).dtype, None), network.read_as(theta, X)
    draws = _every_mask(network) if exact else _some_masks(network, n_networks, check_rng(random_state))
    total, mean, squares, count = 0.0, np.zeros(()), np.zeros(()), 0
    for weight, draw in draws:
        space.freeze(draw)
        outputs = space.forward(theta, inputs, training=True)[0]
        f = outputs.astype(float) if link is None else np.asarray(link(outputs), dtype=float)
        total, count = total + weight, count + 1
        change = f - mean  # West (1979): the moments are updated without sums that could cancel
        mean = mean + (weight / total) * change
        squares = squares + weight * change * (f - mean)
    return SampledPrediction(mean, np.sqrt(squares / total), count)


def _some_masks(
    network: NeuralNetwork, n_networks: int, rng: np.random.Generator
) -> Iterator[tuple[float, dict[str, Any]]]:
    for _ in range(n_networks):
        yield 1.0, network.draw(rng, 1)


def _every_mask(network: NeuralNetwork) -> Iterator[tuple[float, dict[str, Any]]]:
    """(P(R), R) for every R with a positive probability."""
    pattern = network.draw(np.random.default_rng(0), 1)
    shapes = {name: found["mask"].shape for name, found in pattern.items() if found}
    sizes = {name: int(np.prod(shape)) for name, shape in shapes.items()}
    units = sum(sizes.values())
    if units > _MOST_UNITS:
        raise ValueError(f"exact=True is for at most {_MOST_UNITS} units and there are {units}; give n_networks")
    random: dict[str, Any] = {node.name: node.layer for node in network.nodes}
    keeps = np.concatenate([np.full(size, random[name].kept) for name, size in sizes.items()])
    for bits in itertools.product((False, True), repeat=units):
        r, first, draw = np.array(bits), 0, {}
        for name, shape in shapes.items():
            draw[name] = {"mask": r[first : first + sizes[name]].reshape(shape)}
            first += sizes[name]
        yield float(np.prod(np.where(r, keeps, 1.0 - keeps))), draw


def at_prediction_scale(network: NeuralNetwork, theta: Floats) -> Floats:
    """θ with every W that takes units of an "average" dropout multiplied by keep, biases as they are.

    A network without the random layers then predicts what `network` does with θ.

    References
    ----------
    Srivastava, N., Hinton, G., Krizhevsky, A., Sutskever, I. & Salakhutdinov, R. (2014). Dropout: a simple way to
    prevent neural networks from overfitting. JMLR 15:1929–1958.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.neural import NeuralNetwork, at_prediction_scale
    >>> from gnomon.neural.layers import Dense, Dropout
    >>> network = NeuralNetwork([Dropout(0.5, scaling="average"), Dense(1)], 3)
    >>> at_prediction_scale(network, np.array([0.5, -1.0, 2.0, 0.1]))
    array([ 0.25, -0.5 ,  1.  ,  0.1 ])
    """
    scaled = np.array(theta)
    views, factors = network.views(scaled), dict.fromkeys(network.input_shapes, 1.0)
    for node in network.nodes:
        given = {factors[source] for source in node.sources}
        if len(given) != 1:
            raise ValueError(f"layer {node.name!r} joins units that are scaled differently; no W can hold that")
        factor, layer = given.pop(), node.layer
        own = layer.factor if isinstance(layer, (Dropout, DropConnect)) else 1.0
        if node.parameters:
            views[node.name][0][...] *= factor * own
        factors[node.name] = 1.0 if node.parameters else factor * own
    return scaled
