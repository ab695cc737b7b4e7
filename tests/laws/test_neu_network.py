"""Laws of networks as values: batches, weights, initial values, symmetry, errors."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from gnomon.losses import SoftmaxLoss, SquaredLoss, ZeroOneLoss
from gnomon.neural import NeuralNetwork, RowFunction
from gnomon.neural.layers import (
    Add,
    ConstantInit,
    Dense,
    FanOutNormal,
    Glorot,
    He,
    LeakyReLU,
    LeCun,
    Maxout,
    NormalInit,
    PReLU,
    activation_of,
    hard_tanh,
)  # fmt: skip
from gnomon.optim import train

rng = np.random.default_rng(0)

X, y = rng.normal(size=(12, 3)), rng.normal(size=(12, 2))
NET = NeuralNetwork([Dense(4, "tanh"), Dense(2)], 3)
THETA = NET.init(np.random.default_rng(1))


@pytest.mark.spec("NEU-L02", "NEU-011", "NEU-016", "NEU-019")
def test_identities_of_activations():
    z = np.linspace(-4, 4, 81)
    relu, sigmoid = activation_of("relu").activate, activation_of("sigmoid").activate
    assert np.allclose(np.tanh(z), 2 * sigmoid(2 * z) - 1, atol=1e-15)
    assert np.allclose(relu(z + 1.5) - relu(z - 1.5) - 1.5, hard_tanh(1.5).activate(z), atol=1e-15)
    assert np.array_equal(LeakyReLU(0.0).activate(z), relu(z))
    assert np.array_equal(LeakyReLU(1.0).activate(z), z)
    assert activation_of("step").activate(np.array([-1.0, 0.0, 1.0])).tolist() == [0, 0, 1]
    assert activation_of("sign").activate(np.array([-1.0, 0.0, 1.0])).tolist() == [-1, 0, 1]
    for word in ("step", "sign"):
        with pytest.raises(ValueError, match="use sigmoid or tanh"):
            NeuralNetwork([Dense(2, word)], 3).value_and_gradient(np.zeros(8), X, y)


@pytest.mark.spec("NEU-L02", "NEU-017", "NEU-018")
def test_prelu_and_maxout_contain_relu():
    relu = NeuralNetwork([Dense(2, "relu")], 3)
    theta = relu.init(np.random.default_rng(1))
    for a, activation in ((0.0, "relu"), (1.0, "identity")):
        found = NeuralNetwork([Dense(2, PReLU())], 3).output(np.append(theta, [a, a]), X)
        assert np.array_equal(found, NeuralNetwork([Dense(2, activation)], 3).output(theta, X))
    W, b = theta[:6].reshape(3, 2), theta[6:]
    pieces = np.concatenate([np.stack([W, 0 * W], axis=2).ravel(), np.stack([b, 0 * b], axis=1).ravel()])
    assert np.allclose(NeuralNetwork([Maxout(2)], 3).output(pieces, X), relu.output(theta, X), atol=1e-15)


@pytest.mark.spec("NEU-L03")
def test_identity_networks_are_linear():
    net = NeuralNetwork([Dense(4), Dense(5), Dense(2)], 3)
    theta = net.init(np.random.default_rng(0)) + 0.1
    (A, a), (B, b), (C, c) = net.views(theta).values()
    assert np.allclose(net.output(theta, X), X @ A @ B @ C + (a @ B + b) @ C + c, atol=1e-12)
    ones = np.c_[X, np.ones(12)]
    least = 0.5 * np.sum((y - ones @ np.linalg.lstsq(ones, y)[0]) ** 2) / 12
    assert all(net.problem(X, y).value(net.init(np.random.default_rng(k))) >= least for k in range(5))


@pytest.mark.spec("NEU-L05", "NEU-L06")
def test_batches_and_weights():
    only_second = NET.value_and_gradient(THETA, X, NET.output(THETA, X) + np.array([0.0, 1.0]))[1]
    assert not NET.views(only_second)["dense_2"][0][:, 0].any()
    problem = NET.problem(X, y, alpha=0.5)
    value, gradient = problem.value_and_gradient(THETA)
    rows, one = [], np.empty(NET.n_parameters)
    for i in range(12):
        problem.batch_value_and_gradient(THETA, np.array([i]), one)
        rows.append(one.copy())
    assert np.allclose(np.mean(rows, axis=0), gradient, atol=1e-14)
    assert problem.batch_value_and_gradient(THETA, slice(None), one) == pytest.approx(value)
    assert np.array_equal(one, gradient)
    s, repeated = np.array([4.0, 0.0, *[1.0] * 10]), [0, 0, 0, 0, *range(2, 12)]
    weighted = NET.problem(X, y, s, alpha=0.5).value_and_gradient(THETA)
    again = NET.problem(X[repeated], y[repeated], alpha=0.5).value_and_gradient(THETA)
    assert weighted[0] == pytest.approx(again[0])
    assert np.allclose(weighted[1], again[1], atol=1e-14)


@pytest.mark.spec("NEU-L12", "NEU-060", "NEU-061", "NEU-062", "NEU-063", "NEU-064", "NEU-066")
def test_moments_of_first_values():
    m, k = 300, 200
    cases = {
        LeCun(): 1 / m, LeCun("uniform"): 1 / m, Glorot(): 2 / (m + k), Glorot("uniform"): 2 / (m + k), He(): 2 / m,
        He("uniform"): 2 / m, NormalInit(0.1): 0.1, NormalInit(0.1, "std"): 0.01, FanOutNormal(): k**-0.5,
    }  # fmt: skip
    for init, variance in cases.items():
        net = NeuralNetwork([Dense(k, init=init)], m)
        W, b = net.views(net.init(np.random.default_rng(0)))["dense_1"]
        assert W.var() == pytest.approx(variance, rel=0.02), init
        assert not b.any()


@pytest.mark.spec("NEU-L13")
def test_variance_through_ten_layers():
    inputs = np.random.default_rng(0).normal(size=(200, 256))

    def last(activation, init="auto"):
        net = NeuralNetwork([Dense(256, activation, init=init) for _ in range(10)], 256)
        return net.forward(net.init(np.random.default_rng(1)), inputs)[0]["dense_10"].var()

    assert 0.5 < last("identity") < 2
    assert 1 < last("relu") < 4
    assert 1 < last(PReLU()) < 4
    assert last("relu", "lecun_normal") < 0.01
    assert last("relu", NormalInit(0.1)) > 1e6

    def ratio(activation):
        net = NeuralNetwork([Dense(256, activation) for _ in range(10)], 256)
        theta = net.init(np.random.default_rng(1))
        # He et al. (2015) take the error at the output to be independent of the activations; y = 0 would make it A_10.
        noise = np.random.default_rng(2).normal(size=(200, 256))
        gradient = net.value_and_gradient(theta, inputs, net.output(theta, inputs) + noise)[1]
        sizes = [np.linalg.norm(W) for W, _ in net.views(gradient).values()]
        return sizes[0] / sizes[-1]

    assert 0.5 < ratio("relu") < 2
    assert ratio("sigmoid") < 1e-3


@pytest.mark.spec("NEU-L14")
def test_equal_units_stay_equal():
    net = NeuralNetwork([Dense(4, "tanh", init=ConstantInit(0.3)), Dense(2, init=ConstantInit(0.2))], 3)
    theta = net.init(np.random.default_rng(0))
    for _ in range(20):
        theta = theta - 0.1 * net.value_and_gradient(theta, X, y)[1]
    W = net.views(theta)["dense_1"][0]
    assert all(np.array_equal(W[:, 0], W[:, j]) for j in range(4))
    zero = np.zeros(net.n_parameters)
    assert not net.views(net.value_and_gradient(zero, X, y)[1])["dense_1"][0].any()


def test_parameters_are_counted_with_integers():
    assert NeuralNetwork([Dense(256), Dense(128), Dense(10)], 784).n_parameters == 235146
    assert NeuralNetwork([Dense(10**6, bias=False)], 10**6).n_parameters == 10**12
    assert NeuralNetwork([Dense(4, PReLU()), Maxout(2, pieces=3)], 3).n_parameters == 16 + 4 + 5 * 6
    assert "deep network of 4 layers" in NeuralNetwork([Dense(2) for _ in range(4)], 2).summary()


def test_one_row_has_the_scores_of_a_batch():
    for layers, dtype in (([Dense(7, "tanh"), Dense(5, "tanh"), Dense(2)], np.float64), ([Dense(2)], np.float32)):
        net = NeuralNetwork(layers, 3)
        theta = net.init(np.random.default_rng(2), dtype) + dtype(0.1)
        found = RowFunction(net, theta)(X[0].astype(dtype))
        assert found.dtype == dtype
        np.testing.assert_allclose(found, net.output(theta, X[:1].astype(dtype))[0], rtol=1e-6)
        # Rows with gaps in memory and of another type are the same rows; one of another length is none.
        gaps = np.repeat(X[0], 2)[::2]
        np.testing.assert_array_equal(RowFunction(net, theta)(gaps), found)
        with pytest.raises(ValueError, match="one number for each input"):
            RowFunction(net, theta)(np.zeros(2, dtype))
    for layers in ([Dense(4, "tanh"), Dense(2, "relu")], [Dense(4, PReLU()), Dense(2)], [Dense(2, bias=False)]):
        net = NeuralNetwork(layers, 3)
        with pytest.raises(ValueError, match="no chain of dense layers"):
            RowFunction(net, net.init(np.random.default_rng(0)))


def test_frozen_layers_have_no_gradient():
    net = NeuralNetwork([Dense(4, "tanh", trainable=False), Dense(2)], 3)
    gradient = net.problem(X, y, alpha=1.0).value_and_gradient(THETA)[1]
    assert not gradient[:16].any()
    free = NET.problem(X, y, alpha=1.0).value_and_gradient(THETA)[1]
    assert np.array_equal(gradient[16:], free[16:])


def test_a_network_is_a_problem_of_the_optimisers():
    net = NeuralNetwork([Dense(4, "tanh", max_norm=0.5), Dense(3, trainable=False, max_norm=0.1), Dense(2, l1=1e9)], 3)
    start = net.init(np.random.default_rng(0))
    found = train(net.problem(X, y), start, solver="gd", schedule=0.01, max_iter=3, tol=None).w
    views, before = net.views(found), net.views(start)
    assert np.linalg.norm(views["dense_1"][0], axis=0).max() <= 0.5 + 1e-12
    assert np.array_equal(views["dense_2"][0], before["dense_2"][0])
    assert not views["dense_3"][0].any()
    assert views["dense_3"][1].all()


def test_sparse_rows_and_several_inputs_and_outputs():
    found = NET.value_and_gradient(THETA, sparse.csr_array(X), y)
    expected = NET.value_and_gradient(THETA, X, y)
    assert found[0] == pytest.approx(expected[0])
    assert np.allclose(found[1], expected[1])
    layers = [
        Dense(3, name="l", after="left"), Dense(3, name="r", after="right"), Add(after=["l", "r"], name="sum"),
        Dense(2, name="number", after="sum"), Dense(2, name="kind", after="sum"),
    ]  # fmt: skip
    net = NeuralNetwork(layers, {"left": 3, "right": 3})
    theta, data = net.init(np.random.default_rng(0)), {"left": X, "right": X[::-1]}
    assert set(net.output(theta, data)) == {"number", "kind"}
    truths = {"number": y, "kind": (y[:, 0] > 0).astype(int)}
    one = net.value_and_gradient(theta, data, truths, loss={"number": SquaredLoss(half=True), "kind": SoftmaxLoss()})[0]
    assert np.isfinite(one)


def test_layer_lists_are_cloned_and_compared():
    layers = [Dense(4, PReLU(), l2=0.1), Dense(2)]
    assert clone(layers, safe=False) == layers


def test_refusals():
    with pytest.raises(ValueError, match=r"cycle: .*a"):
        NeuralNetwork([Add(name="a", after=["input", "b"]), Dense(3, name="b", after="a")], 3)
    with pytest.raises(ValueError, match=r"'b' does not fit.*'input' \(3\), 'a' \(2\)"):
        NeuralNetwork([Dense(2, name="a"), Add(name="b", after=["input", "a"])], 3)
    with pytest.raises(ValueError, match="names 'c'"):
        NeuralNetwork([Dense(2, after="c")], 3)
    with pytest.raises(ValueError, match="activation='swoosh'"):
        Dense(2, "swoosh")
    with pytest.raises(ValueError, match="units=0"):
        Dense(0)
    with pytest.raises(ValueError, match="init='magic'"):
        NeuralNetwork([Dense(2, init="magic")], 3)
    with pytest.raises(ValueError, match="shape 2; the network needs 3"):
        NET.output(THETA, np.ones((1, 2)))
    with pytest.raises(ValueError, match="theta has shape"):
        NET.output(THETA[1:], X)
    with pytest.raises(ValueError, match="cannot be minimised"):
        NET.value_and_gradient(THETA, X, y, loss=ZeroOneLoss())
