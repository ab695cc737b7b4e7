"""First weights learned from rows without labels.

    (W_l, b_l) ← encoder of an autoencoder, or a Boltzmann machine, on A_{l−1};   A_l = φ_l(A_{l−1}W_l + 1b_lᵀ)     (1)

Greedy, layer by layer; the output layer keeps its draw. Autoencoders: Bengio, Lamblin, Popovici & Larochelle (2007),
NeurIPS 19, with noise Vincent et al. (2008), doi:10.1145/1390156.1390294; restricted Boltzmann machines: Hinton,
Osindero & Teh (2006), doi:10.1162/neco.2006.18.7.1527.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn.neural_network import BernoulliRBM
from sklearn.utils.validation import check_array

from gnomon._typing import ArrayLike, Floats, RandomState
from gnomon.neural._code_networks import coder
from gnomon.neural._parameters import Pretraining
from gnomon.neural._scaling import check_shares
from gnomon.neural.layers.dense import Dense
from gnomon.neural.layers.sigmoid import LogisticSigmoid
from gnomon.neural.network import NeuralNetwork
from gnomon.numerics.random import check_rng
from gnomon.numerics.validation import check_choice, check_integer, check_non_negative, check_positive
from gnomon.optim import train

__all__ = ["pretrain"]


def pretrain(
    network: NeuralNetwork,
    X: ArrayLike,
    method: Pretraining = "autoencoder",
    *,
    noise: float = 0.1,
    max_iter: int = 20,
    learning_rate_init: float = 1e-3,
    random_state: RandomState = None,
) -> Floats:
    """First parameters of a chain of dense layers by (1), from which training goes on.

    Parameters
    ----------
    network : NeuralNetwork
        Dense layers behind each other.
    X : array-like of shape (n, d)
        Rows, labelled or not.
    method : {"autoencoder", "rbm"}, default="autoencoder"
        "rbm" needs X in [0, 1] and sigmoid layers.
    noise : float, default=0.1
        Standard deviation of the noise that autoencoders have to undo.
    max_iter : int, default=20
        Epochs for each layer.
    learning_rate_init : float, default=1e-3
    random_state : int, Generator, RandomState or None, default=None

    Returns
    -------
    ndarray of shape (n_parameters,)

    References
    ----------
    Bengio, Y., Lamblin, P., Popovici, D. & Larochelle, H. (2007). Greedy layer-wise training of deep networks.
    NeurIPS 19.

    Hinton, G. E., Osindero, S. & Teh, Y.-W. (2006). A fast learning algorithm for deep belief nets.
    doi:10.1162/neco.2006.18.7.1527

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.neural import NeuralNetwork, pretrain
    >>> from gnomon.neural.layers import Dense
    >>> network = NeuralNetwork([Dense(3, "tanh"), Dense(1)], 4)
    >>> theta = pretrain(network, np.random.default_rng(0).normal(size=(50, 4)), random_state=0)
    >>> theta.shape
    (19,)
    """
    learn = _LEARNERS[check_choice("method", method, tuple(_LEARNERS))]
    check_non_negative("noise", noise)
    check_integer("max_iter", max_iter, 1)
    check_positive("learning_rate_init", learning_rate_init)
    rng, A = check_rng(random_state), check_array(X, dtype=float, input_name="X")
    _check_chain(network, A, method)
    theta = network.init(rng)
    views = network.views(theta)
    for node in network.nodes[:-1]:
        layer = node.layer
        assert isinstance(layer, Dense)
        W, b = learn(A, layer, noise, max_iter, learning_rate_init, rng)
        views[node.name][0][...] = W
        if layer.bias:
            views[node.name][1][...] = b
        A = (
            NeuralNetwork([layer], A.shape[1])
            .output(np.concatenate([part.ravel() for part in views[node.name]]), A)
            .copy()
        )
    return theta


def _by_autoencoder(
    A: Floats, layer: Dense, noise: float, max_iter: int, rate: float, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    parts = coder(A.shape[1], layer.units, (), layer.activation, layer.activation, False, layer.bias, noise)
    problem = parts.network.problem(A, A, rng=rng)
    start = parts.network.init(rng)
    solution = train(problem, start, schedule=rate, max_iter=max_iter, tol=None, random_state=rng)
    views = parts.network.views(solution.w)["encoder_1"]
    return views[0], views[1] if layer.bias else np.zeros(layer.units)


def _by_boltzmann_machine(
    A: Floats, layer: Dense, noise: float, max_iter: int, rate: float, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    seed = int(rng.integers(2**31))
    machine = BernoulliRBM(layer.units, learning_rate=rate, n_iter=max_iter, random_state=seed).fit(A)
    return machine.components_.T, machine.intercept_hidden_


def _check_chain(network: NeuralNetwork, X: Floats, method: str) -> None:
    before = next(iter(network.input_shapes))
    for i, node in enumerate(network.nodes):
        hidden = i + 1 < len(network.nodes)
        if not isinstance(node.layer, Dense) or node.sources != (before,):
            raise ValueError(f"layer {node.name!r} is not a Dense layer on the one before it; pretraining needs these")
        if method == "rbm" and hidden and not isinstance(node.layer.phi, LogisticSigmoid):
            raise ValueError(
                f"pretraining by 'rbm' needs sigmoid layers and {node.name!r} has {node.layer.activation!r}; choose "
                "'sigmoid', or pretrain by 'autoencoder'"
            )
        before = node.name
    if method == "rbm":
        check_shares("pretraining by 'rbm'", X)


_LEARNERS: dict[str, Callable[..., tuple[Floats, Floats]]] = {
    "autoencoder": _by_autoencoder,
    "rbm": _by_boltzmann_machine,
}
