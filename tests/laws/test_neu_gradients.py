"""Gradients and curvature of networks against differences, for every layer, activation and loss."""

from functools import partial

import joblib
import numpy as np
import pytest

import gnomon.losses
import gnomon.neural.layers
from gnomon.losses import (
    AbsoluteLoss,
    BinaryCrossEntropy,
    CallableLoss,
    DevianceLoss,
    ExponentialLoss,
    GammaFamily,
    HingeLoss,
    HuberLoss,
    LogGammaLoss,
    LogisticLoss,
    LogLink,
    LogPoissonLoss,
    Loss,
    LpLoss,
    MaxLoss,
    MulticlassHinge,
    OneVsRestCrossEntropy,
    PerceptronLoss,
    PinballLoss,
    SoftmaxLoss,
    SquaredHingeLoss,
    SquaredLoss,
    TwoTermCrossEntropy,
    Weighted,
    ZeroOneLoss,
)
from gnomon.neural import NeuralNetwork, check_gradient
from gnomon.neural.layers import (
    Activation,
    ActivationFunction,
    Add,
    AvgPool2D,
    Concat,
    Conv2D,
    Dense,
    DropConnect,
    Dropout,
    Elementwise,
    Embedding,
    Flatten,
    GaussianNoise,
    Layer,
    LayerNorm,
    LeakyReLU,
    Maxout,
    MaxPool2D,
    PReLU,
    Recurrent,
    Rescale,
    Reshape,
    Transposed,
    hard_tanh,
)
from gnomon.neural.layers._activated import ActivatedLayer

rng = np.random.default_rng(0)
X = rng.normal(size=(5, 3))
REAL = rng.normal(size=(5, 2))
INDEX = np.array([0, 1, 1, 0, 1])
BITS = np.eye(2)[INDEX]

STACKS = {
    "linear": [Dense(4), Dense(2)],
    "sigmoid": [Dense(4, "sigmoid"), Dense(3, "tanh"), Dense(2)],
    "relu": [Dense(4, "relu"), Dense(2)],
    "leaky": [Dense(4, LeakyReLU(0.1)), Dense(2)],
    "prelu": [Dense(4, PReLU()), Dense(3, PReLU(shared=True)), Dense(2)],
    "hard": [Dense(4, hard_tanh(0.5)), Dense(2)],
    "own": [Dense(4, Activation(np.sin, np.cos)), Dense(2)],
    "smooth": [Dense(4, "softplus"), Dense(4, "silu"), LayerNorm(), Dense(4, "gelu"), Dense(3, "elu"), Dense(2)],
    "no bias": [Dense(4, "tanh", bias=False), Dense(2, bias=False)],
    "maxout": [Maxout(4, pieces=3), Maxout(2, groups=[(0, 1, 2), (2, 3)])],
    "graph": [
        Dense(3, "tanh", name="a"), Add(after=["a", "input"], name="sum"), Dense(3, "relu", name="b"),
        Concat(after=["sum", "b", "input"]), Dense(2),
    ],
    "tied": [Dense(2), Dense(3, "tanh", name="code"), Transposed(2, "code", "sigmoid"), Dense(2)],
    "recurrent": [Reshape((3, 1)), Recurrent(3, return_sequences=True), Recurrent(2, PReLU()), Dense(2)],
    "recurrent without bias": [Reshape((3, 1)), Recurrent(2, "sigmoid", bias=False), Dense(2)],
    "dropconnect": [DropConnect(4, 0.6, "tanh", prediction="gaussian"), DropConnect(2, 0.5, scaling="average")],
    "scaled": [Rescale([0.1, 0.2, 0.3], [2.0, 1.0, 0.5]), GaussianNoise(0.2), Dense(4, "tanh"), Dense(2)],
    "dropout": [Dropout(0.6, scaling="average", drop_bias=True), Dense(4, "tanh"), Dropout(drop=0.3), Dense(2)],
}  # fmt: skip
LOSSES = [
    (SquaredLoss(half=True), REAL), (AbsoluteLoss(), REAL), (HuberLoss(), REAL), (BinaryCrossEntropy(), BITS),
    (LogisticLoss(), 2 * BITS - 1), (SquaredHingeLoss(), 2 * BITS - 1), (SoftmaxLoss(), INDEX),
    (TwoTermCrossEntropy(), INDEX), (MulticlassHinge(), INDEX), ([SquaredLoss(half=True), BinaryCrossEntropy()], BITS),
]  # fmt: skip
OTHER_LOSSES = [
    (SquaredLoss(), REAL), (LpLoss(3.0), REAL), (PinballLoss(0.3), REAL), (LogPoissonLoss(), np.round(REAL**2)),
    (LogGammaLoss(), REAL**2 + 0.1), (DevianceLoss(GammaFamily(), LogLink()), REAL**2 + 0.1),
    (HingeLoss(), 2 * BITS - 1), (PerceptronLoss(), 2 * BITS - 1), (ExponentialLoss(), 2 * BITS - 1),
    (OneVsRestCrossEntropy(), INDEX), (Weighted(SoftmaxLoss(), (1.0, 3.0)), INDEX),
    (Weighted(BinaryCrossEntropy(), (2.0, 0.5)), BITS), (CallableLoss(lambda y, z: np.cosh(z - y)), REAL),
]  # fmt: skip


IMAGES = np.random.default_rng(3).normal(size=(5, 2 * 5 * 6))
IMAGE_STACKS = {
    "conv": [Conv2D(3, 3, padding=1, activation="tanh"), Flatten(), Dense(2)],
    "strided": [Conv2D(3, (2, 4), stride=(3, 2), activation=PReLU(), bias=False), Dense(2)],
    "full, floor": [Conv2D(2, 3, stride=2, padding="full", rounding="floor", activation="relu"), Dense(2)],
    "normalised": [LayerNorm(), Conv2D(2, 3, activation="gelu"), LayerNorm(), Dense(2)],
    "ceil": [Conv2D(2, 3, stride=2, rounding="ceil"), Dense(2)],
    "max pool": [Conv2D(3, (2, 3)), MaxPool2D(2), Conv2D(2, (2, 1), activation="sigmoid"), Dense(2)],
    "pools that overlap": [MaxPool2D(3, stride=1), AvgPool2D(2, rounding="ceil"), Maxout(2)],
    "graph": [
        Conv2D(2, 3, padding="same", name="a"), Add(after=["a", "input"], name="sum"), AvgPool2D((1, 2), name="pool"),
        MaxPool2D((1, 2), after="sum", name="max"), Concat(after=["pool", "max"]), Dense(2),
    ],
}  # fmt: skip


def differences(value, theta, h=1e-5):
    return np.array([(value(theta + h * e) - value(theta - h * e)) / (2 * h) for e in np.eye(len(theta))])


def relative(a, b):
    return np.abs(a - b) / np.maximum(np.abs(a) + np.abs(b), 1e-3)


@pytest.mark.spec("NEU-L01", "NEU-015", "NEU-016", "NEU-031")
def test_gradients_are_those_of_the_value():
    for stack, layers in STACKS.items():
        net = NeuralNetwork(layers, 3)
        theta = net.init(np.random.default_rng(1)) + 0.05
        for loss, y in LOSSES:
            problem = net.problem(X, y, [1.0, 2.0, 0.5, 1.0, 3.0], loss=loss, alpha=0.3)
            found = problem.value_and_gradient(theta)[1]
            expected = differences(problem.value, theta)
            assert relative(found, expected).max() < 1e-6, (stack, loss)


@pytest.mark.spec("NEU-L01", "NEU-040", "NEU-044")
def test_gradients_of_every_other_loss_are_those_of_the_value():
    net = NeuralNetwork(STACKS["sigmoid"], 3)
    theta = net.init(np.random.default_rng(1)) + 0.05
    for loss, y in OTHER_LOSSES:
        problem = net.problem(X, y, [1.0, 2.0, 0.5, 1.0, 3.0], loss=loss, alpha=0.3)
        found = problem.value_and_gradient(theta)[1]
        # A loss without a gradient of its own has that of differences.
        tol = 1e-5 if isinstance(loss, CallableLoss) else 1e-6
        assert relative(found, differences(problem.value, theta)).max() < tol, loss


@pytest.mark.spec("NEU-L01")
def test_no_loss_and_no_layer_is_left_out():
    def public(module, base):
        found = [getattr(module, name) for name in module.__all__]
        return {cls for cls in found if isinstance(cls, type) and issubclass(cls, base)} - {base}

    assert public(gnomon.losses, Loss) - {type(loss) for loss, _ in LOSSES + OTHER_LOSSES} == {MaxLoss, ZeroOneLoss}
    net = NeuralNetwork([Dense(2)], 3)
    for loss in (MaxLoss(), ZeroOneLoss()):
        with pytest.raises(ValueError, match="cannot be minimised by gradients"):
            net.problem(X, REAL, loss=loss)
    # Embeddings have a test of their own.
    drawn = [layer for stack in (STACKS | IMAGE_STACKS).values() for layer in stack]
    assert public(gnomon.neural.layers, Layer) - {type(layer) for layer in drawn} == {
        Embedding
    }  # which has a test of its own
    phis = {type(layer.phi) for layer in drawn if isinstance(layer, ActivatedLayer)}
    gone = public(gnomon.neural.layers, ActivationFunction) - {Elementwise} - phis
    assert {phi.__name__ for phi in gone} == {"Sign", "UnitStep"}


@pytest.mark.spec("NEU-L01", "NEU-113", "NEU-116", "NEU-117")
def test_gradients_of_images_are_those_of_the_value():
    for stack, layers in IMAGE_STACKS.items():
        net = NeuralNetwork(layers, (2, 5, 6))
        theta = net.init(np.random.default_rng(1)) + 0.05
        v = np.random.default_rng(2).normal(size=net.n_parameters)
        for loss, y in LOSSES[:1] + LOSSES[6:7]:
            problem = net.problem(IMAGES, y, [1.0, 2.0, 0.5, 1.0, 3.0], loss=loss, alpha=0.3)
            found = problem.value_and_gradient(theta)[1]
            assert relative(found, differences(problem.value, theta)).max() < 1e-6, (stack, loss)
            up, down = (problem.value_and_gradient(theta + h * v)[1] for h in (1e-6, -1e-6))
            assert problem.hvp(theta, v) == pytest.approx((up - down) / 2e-6, abs=2e-7), (stack, loss)
        x = IMAGES.reshape(-1, 2, 5, 6)
        e = np.random.default_rng(4).normal(size=x.shape)
        part = (net.output(theta, x + 1e-6 * e) - net.output(theta, x - 1e-6 * e)) / 2e-6
        assert np.einsum("nkchw,nchw->nk", net.jacobian(theta, x), e) == pytest.approx(part, abs=1e-7), stack


@pytest.mark.spec("NEU-L01", "NEU-094", "NEU-097")
def test_gradients_with_frozen_masks():
    for per in ("row", "batch"):
        for scaling in ("inverted", "average"):
            layers = [
                Dropout(0.7, per=per, scaling=scaling), DropConnect(4, 0.5, "tanh", per=per, scaling=scaling),
                Dropout(0.6, per=per, scaling=scaling), GaussianNoise(0.3), Dense(2),
            ]  # fmt: skip
            net = NeuralNetwork(layers, 3)
            theta = net.init(np.random.default_rng(1)) + 0.05
            problem = net.problem(X, REAL, alpha=0.3)
            problem.freeze(net.draw(np.random.default_rng(5), 5))
            found = np.empty(net.n_parameters)
            problem.batch_value_and_gradient(theta, slice(None), found)
            value = partial(problem.batch_value_and_gradient, rows=slice(None), gradient=np.empty(net.n_parameters))
            expected = differences(value, theta)
            assert relative(found, expected).max() < 1e-6, (per, scaling)


@pytest.mark.spec("NEU-L01")
def test_gradients_of_embeddings():
    net = NeuralNetwork([Embedding([0, 2], [3, 4], units=[2, 1]), Dense(4, "tanh"), Dense(2)], 3)
    table = np.column_stack([[0, 1, 2, -1, 0], X[:, 1], [3, 0, 1, 2, 3]])
    theta = net.init(np.random.default_rng(1))
    problem = net.problem(table, REAL, alpha=0.3)
    expected = differences(problem.value, theta)
    assert relative(problem.value_and_gradient(theta)[1], expected).max() < 1e-6
    assert not net.jacobian(theta, table)[:, :, [0, 2]].any()


@pytest.mark.spec("NEU-L17", "NEU-054")
def test_curvature_is_that_of_the_gradient():
    smooth = [pair for pair in LOSSES if not isinstance(pair[0], (TwoTermCrossEntropy, MulticlassHinge, AbsoluteLoss))]
    smooth += [(OneVsRestCrossEntropy(), INDEX), (Weighted(SoftmaxLoss(), (1.0, 3.0)), INDEX)]
    for stack, layers in STACKS.items():
        net = NeuralNetwork(layers, 3)
        theta = net.init(np.random.default_rng(1)) + 0.05
        v = np.random.default_rng(2).normal(size=net.n_parameters)
        for loss, y in smooth:
            if stack == "own":
                with pytest.raises(ValueError, match="no second derivative"):
                    net.hvp(theta, v, X, y, loss=loss)
                continue
            problem = net.problem(X, y, loss=loss, alpha=0.3)
            up, down = (problem.value_and_gradient(theta + h * v)[1] for h in (1e-6, -1e-6))
            assert problem.hvp(theta, v) == pytest.approx((up - down) / 2e-6, abs=2e-7), (stack, loss)
            G = np.array([problem.hvp(theta, e, "gauss_newton") for e in np.eye(net.n_parameters)])
            assert np.allclose(G, G.T, atol=1e-12), (stack, loss)
            assert np.linalg.eigvalsh(G).min() > -1e-12, (stack, loss)


@pytest.mark.spec("NEU-003")
def test_no_pass_changes_a_layer():
    for layers in STACKS.values():
        before, net = joblib.hash(layers), NeuralNetwork(layers, 3)
        net.problem(X, REAL, loss=SquaredLoss()).value_and_gradient(net.init(np.random.default_rng(1)))
        net.summary()
        assert joblib.hash(layers) == before


@pytest.mark.spec("NEU-053")
def test_jacobian_in_the_input():
    for layers in STACKS.values():
        net = NeuralNetwork(layers, 3)
        theta = net.init(np.random.default_rng(1)) + 0.05
        parts = [(net.output(theta, X + 1e-6 * e) - net.output(theta, X - 1e-6 * e)) / 2e-6 for e in np.eye(3)]
        assert net.jacobian(theta, X) == pytest.approx(np.stack(parts, axis=2), abs=1e-8)


@pytest.mark.spec("NEU-020")
def test_an_activation_of_ones_own_is_checked_before_it_trains():
    own = Activation(lambda z: z / (1 + np.abs(z)), lambda z: (1 + np.abs(z)) ** -2.0)
    network = NeuralNetwork([Dense(4, own), Dense(2)], 3)
    rows, targets = np.random.default_rng(3).normal(size=(7, 3)), np.random.default_rng(4).normal(size=(7, 2))
    assert check_gradient(network, rows, targets)
    # The same function twice: once as two functions of arrays, once as the built-in text.
    twice = [
        NeuralNetwork([Dense(4, phi), Dense(2)], 3)
        for phi in (Activation(np.tanh, lambda z: 1 - np.tanh(z) ** 2), "tanh")
    ]
    theta = twice[0].init(np.random.default_rng(0))
    first, second = (net.value_and_gradient(theta, rows, targets) for net in twice)
    assert first[0] == pytest.approx(second[0], rel=1e-14)
    np.testing.assert_allclose(first[1], second[1], rtol=1e-12, atol=1e-15)
    # A kink is no error; a wrong slope anywhere else is, and says where.
    Activation(np.abs, np.sign)
    with pytest.raises(ValueError, match=r"at z=0.0\d+ it gives 0 and differences give 1; correct either"):
        Activation(lambda z: np.maximum(z, 0), lambda z: (z > 3) * 1.0)
    with pytest.raises(ValueError, match="it gives nan"):
        Activation(np.cos, lambda z: np.full_like(z, np.nan))
    # What is flat everywhere cannot be trained, as a step.
    assert not Dense(2, Activation(np.sign, np.zeros_like)).gradient
