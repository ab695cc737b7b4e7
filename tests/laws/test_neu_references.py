"""Models of other families that are networks with one frozen layer and an output in closed form."""

import numpy as np
import pytest

from gnomon.features import ExtremeLearningRegressor
from gnomon.kernels import RBF
from gnomon.neighbors import RBFNetworkRegressor
from gnomon.neural import NetworkRegressor
from gnomon.neural.layers import Activation, Dense

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
y = np.sin(X[:, 0]) * X[:, 1] + 0.1 * RNG.normal(size=60)
NEW = RNG.normal(size=(20, 3))


def refitted(layers, rows, lam):
    """A network with these frozen layers, whose output alone is solved."""
    model = NetworkRegressor(layers, max_iter=1, tol=1e9, standardize=False, random_state=0, n_iter_no_change=1)
    with pytest.warns(UserWarning, match="not converged after 1"):
        model.fit(rows, y)
    return model.refit_output(rows, y, lam)


@pytest.mark.spec("NEU-034", "NEU-033")
def test_extreme_learning_machines_are_networks_with_a_frozen_layer():
    for activation in ("tanh", "sigmoid"):
        machine = ExtremeLearningRegressor(
            15, alpha=0.3, activation=activation, standardize=False, random_state=1
        ).fit(X, y)  # fmt: skip
        drawn = machine.layer_
        hidden = Dense(15, activation, init=drawn.weights, bias_init=drawn.bias, trainable=False)
        network = refitted([hidden], X, 0.3)
        np.testing.assert_allclose(network.predict(NEW), machine.predict(NEW), rtol=1e-8, atol=1e-10)
        H = network._as_function().transform(X, "dense_1")
        # Hidden units of a network may have either sign, and so may their outputs.
        assert (activation == "sigmoid") == bool(np.all(H > 0))


@pytest.mark.spec("NEU-034")
def test_radial_networks_are_one_layer_on_fixed_positive_features():
    machine = RBFNetworkRegressor(centers="random", n_centers=12, gamma=0.4, lam=0.2, random_state=0).fit(X, y)
    features = RBF(gamma=0.4).gram(X, machine.centers_)
    assert np.all(features > 0)
    # exp(−γ‖x − μ‖²) = φ(−γ(‖x‖² − 2xᵀμ + ‖μ‖²)) with φ = exp: a dense frozen layer on (x, ‖x‖²).
    rows = np.c_[X, np.sum(X**2, axis=1)]
    mu = machine.centers_
    W = np.r_[0.8 * mu.T, np.full((1, 12), -0.4)]
    exponential = Activation(np.exp, np.exp)
    hidden = Dense(
        12, exponential, init=W, bias_init=-0.4 * np.sum(mu**2, axis=1), trainable=False
    )  # fmt: skip
    network = refitted([hidden, Dense(1, bias=False, output=True)], rows, 0.2)
    np.testing.assert_allclose(network.predict(rows), machine.predict(X), rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(features @ machine.coef_, machine.predict(X), rtol=1e-9)
