"""Laws of convolution, pooling, shapes, recurrence and embeddings; the check of gradients."""

from dataclasses import dataclass

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from gnomon.losses import SoftmaxLoss
from gnomon.neural import NetworkClassifier, NeuralNetwork, check_gradient, conv_output_size, feature_maps, filters
from gnomon.neural.layers import (
    AvgPool2D,
    Conv2D,
    Dense,
    Dropout,
    Embedding,
    Flatten,
    Identity,
    Layer,
    Maxout,
    MaxPool2D,
    Recurrent,
    Reshape,
)
from gnomon.optim import Clipped, train

rng = np.random.default_rng(0)
IMAGES = rng.normal(size=(3, 2, 6, 7))
NOTHING = np.empty(0)


@pytest.mark.spec("NEU-L02", "NEU-116", "NEU-018")
def test_pooling_is_maxout_or_a_constant_filter():
    pooled = NeuralNetwork([MaxPool2D((2, 3), stride=(2, 2))], (2, 6, 7)).output(NOTHING, IMAGES)
    places = np.arange(84).reshape(2, 6, 7)
    groups = [
        places[c, 2 * a : 2 * a + 2, 2 * b : 2 * b + 3].ravel() for c in range(2) for a in range(3) for b in range(3)
    ]
    maxout = NeuralNetwork([Maxout(18, groups=groups, bias=False)], 84)
    assert np.allclose(maxout.output(np.eye(84).ravel(), IMAGES.reshape(3, 84)), pooled.reshape(3, 18), atol=1e-15)
    single = IMAGES[:, :1]
    average = NeuralNetwork([AvgPool2D(3, stride=1)], (1, 6, 7)).output(NOTHING, single)
    constant = NeuralNetwork([Conv2D(1, 3, bias=False)], (1, 6, 7)).output(np.full(9, 1 / 9), single)
    assert np.allclose(average, constant, atol=1e-15)


@pytest.mark.spec("NEU-L02", "NEU-018")
def test_the_largest_of_k_lines_is_convex():
    t = np.linspace(-3, 3, 2001)
    for k in (2, 3, 5):
        net = NeuralNetwork([Maxout(1, pieces=k)], 1)
        f = net.output(np.random.default_rng(k).normal(size=2 * k), t[:, None])[:, 0]
        bends = np.diff(f, 2)
        assert bends.min() > -1e-12
        assert np.sum(np.diff(np.flatnonzero(bends > 1e-9)) > 1) + bool((bends > 1e-9).any()) <= k - 1


@pytest.mark.spec("NEU-L27", "NEU-113")
def test_shifted_images_give_shifted_maps():
    for stride in (1, 2):
        net = NeuralNetwork([Conv2D(3, 3, stride=stride, activation="tanh")], (2, 15, 15))
        theta, x = net.init(np.random.default_rng(0)), np.random.default_rng(1).normal(size=(2, 2, 15, 15))
        moved = np.zeros_like(x)
        moved[:, :, 2 * stride :, stride:] = x[:, :, : -2 * stride, :-stride]
        y, z = net.output(theta, x), net.output(theta, moved)
        assert np.allclose(z[:, :, 2:, 1:], y[:, :, :-2, :-1], atol=1e-14)


@pytest.mark.spec("NEU-L27", "NEU-113", "NEU-036")
def test_a_convolution_is_a_dense_layer_with_shared_weights():
    conv = NeuralNetwork([Conv2D(3, (2, 3), stride=(2, 1), padding=1, rounding="ceil"), Flatten()], (2, 6, 7))
    theta = conv.init(np.random.default_rng(0)) + 0.1
    (W, b) = conv.views(theta)["conv2d_1"]
    _, rows, columns = conv.shapes["conv2d_1"]
    toeplitz, bias = np.zeros((2, 6, 7, 3, rows, columns)), np.repeat(b, rows * columns)
    for m, c, u, v, i, j in np.ndindex(3, 2, 2, 3, rows, columns):
        y, x = 2 * i + u - 1, j + v - 1
        if 0 <= y < 6 and 0 <= x < 7:
            toeplitz[c, y, x, m, i, j] = W[m, c, u, v]
    dense = NeuralNetwork([Dense(bias.size)], 84)
    expected = dense.output(np.concatenate([toeplitz.ravel(), bias]), IMAGES.reshape(3, 84))
    assert np.allclose(conv.output(theta, IMAGES), expected, atol=1e-13)
    assert conv.n_parameters == 3 * (2 * 2 * 3 + 1) < dense.n_parameters


@pytest.mark.spec("NEU-114", "NEU-115", "NEU-L27")
def test_sizes_and_words_for_padding():
    shape = {
        p: NeuralNetwork([Conv2D(1, 3, padding=p)], (1, 6, 7)).output_shapes["conv2d_1"] for p in ("valid", "same")
    }
    assert shape == {"valid": (1, 4, 5), "same": (1, 6, 7)}
    assert NeuralNetwork([Conv2D(1, (2, 4), padding="full")], (1, 6, 7)).output_shapes["conv2d_1"] == (1, 7, 10)
    x = np.array([1.0, 2.0, 3.0]).reshape(1, 1, 1, 3)
    full = NeuralNetwork([Conv2D(1, (1, 2), padding="full", bias=False)], (1, 1, 3))
    assert full.output(np.array([1.0, 10.0]), x).ravel().tolist() == [10, 21, 32, 3]
    for options, message in (
        ({"size": 2, "padding": "same"}, "needs an odd size and stride 1"),
        ({"size": 3, "stride": 2, "padding": "same"}, "needs an odd size and stride 1"),
        ({"size": 3, "padding": "big"}, "padding='big' must be"),
        ({"size": 4, "stride": 3}, r"1\.67 is not an integer for n=6, p=0, f=4, s=3; give p=2, or s=2"),
        ({"size": 9}, r"f=9 is larger than n \+ 2p = 6"),
        ({"size": (3, 2, 1)}, "size=.* one for the height"),
    ):
        with pytest.raises(ValueError, match=message):
            NeuralNetwork([Conv2D(1, **options)], (1, 6, 7))
    with pytest.raises(ValueError, match="no pixel of the image"):
        NeuralNetwork([MaxPool2D(1, stride=4, rounding="ceil")], (1, 6, 6))
    for n, f, s, p in ((28, 5, 1, 0), (11, 3, 2, 1), (9, 3, 3, 0)):
        x = np.zeros((1, 1, n, n))
        assert NeuralNetwork([Conv2D(1, f, s, p)], (1, n, n)).output(np.zeros(f * f + 1), x).shape[2] == (
            conv_output_size(n, f, s, p)
        )


@pytest.mark.spec("NEU-117")
def test_shapes_that_do_not_fit_name_both_layers():
    with pytest.raises(ValueError, match=r"'second' does not fit what it takes from 'first' \(5\): Conv2D needs rows"):
        NeuralNetwork([Dense(5, name="first"), Conv2D(2, 3, name="second")], 4)
    with pytest.raises(ValueError, match=r"'r' does not fit .*'f' \(12\): Reshape to 2×5 = 10 numbers"):
        NeuralNetwork([Flatten(name="f"), Reshape((2, 5), name="r")], (3, 4))
    with pytest.raises(ValueError, match=r"Recurrent needs rows times×columns and has 4"):
        NeuralNetwork([Recurrent(3)], 4)
    net = NeuralNetwork([Reshape((2, 6)), Flatten(), Dense(2)], (3, 4))
    assert net.output(np.zeros(26), np.ones((5, 12))).shape == (5, 2)
    with pytest.raises(ValueError, match=r"end with Flatten"):
        NeuralNetwork([Conv2D(1, 3)], (1, 6, 7)).problem(IMAGES[:, :1], np.zeros((3, 20)))


@pytest.mark.spec("NEU-113")
def test_large_batches_go_in_blocks():
    net = NeuralNetwork([Conv2D(4, 3, padding=1, activation="relu")], (2, 6, 7))
    theta, x = net.init(np.random.default_rng(0)), np.random.default_rng(1).normal(size=(400, 2, 6, 7))
    assert np.array_equal(net.output(theta, x)[-3:], net.output(theta, x[-3:]))
    single = net.output(theta.astype(np.float32), x.astype(np.float32))
    assert single.dtype == np.float32
    assert np.allclose(single, net.output(theta, x), atol=1e-5)


@pytest.mark.spec("NEU-118")
def test_filters_and_feature_maps():
    net = NeuralNetwork([Conv2D(3, 3, activation="relu"), MaxPool2D(), Dense(4)], (1, 8, 8))
    theta = net.init(np.random.default_rng(0))
    x = np.random.default_rng(1).normal(size=(2, 1, 8, 8))
    assert np.array_equal(filters(net, theta), theta[:27].reshape(3, 1, 3, 3))
    W = filters(net, theta, "dense_1")
    pooled = feature_maps(net, theta, x, "maxpool2d_1")
    assert np.allclose(np.einsum("nchw,kchw->nk", pooled, W) + theta[-4:], net.output(theta, x))
    maps = feature_maps(net, theta, x, "conv2d_1")
    assert maps[0, 1, 2, 3] == pytest.approx(max(np.sum(x[0, 0, 2:5, 3:6] * filters(net, theta)[1, 0]), 0))
    with pytest.warns(ConvergenceWarning):
        model = NetworkClassifier([Conv2D(3, 3)], (1, 8, 8), max_iter=1, engine="numpy", random_state=0).fit(
            np.repeat(x.reshape(2, 64), 5, axis=0), np.arange(10) % 2
        )
    assert np.array_equal(model.filters(), filters(model.network_, model.theta_, "conv2d_1"))
    with pytest.raises(ValueError, match="layer='conv' must be one of"):
        filters(net, theta, "conv")
    with pytest.raises(ValueError, match="are no images"):
        filters(NeuralNetwork([Dense(2)], 3), np.zeros(8))


@pytest.mark.spec("NEU-035")
def test_truncated_and_clipped_gradients():
    x, y = rng.normal(size=(4, 5, 2)), rng.normal(size=(4, 1))

    def gradients(**options):
        net = NeuralNetwork([Recurrent(3, **options), Dense(1)], (5, 2))
        theta, found = net.init(np.random.default_rng(0)), np.empty(net.n_parameters)
        problem = net.problem(x, y)
        problem.batch_value_and_gradient(theta, slice(None), found)
        return found, problem.value_and_gradient(theta)[1], net, theta

    full, exact, net, theta = gradients()
    assert np.array_equal(full, exact)
    assert np.array_equal(gradients(truncate=5)[0], exact)
    short, whole, _, _ = gradients(truncate=2)
    assert np.array_equal(whole, exact)
    # Two steps from the end: the same network started at the state before them, which is held fixed.
    states = NeuralNetwork([Recurrent(3, return_sequences=True)], (5, 2)).output(theta[:18], x)

    def last(t):
        W, U, b, V, c = t[:6].reshape(2, 3), t[6:15].reshape(3, 3), t[15:18], t[18:21], t[21]
        h = states[:, 2]
        for k in (3, 4):
            h = np.tanh(x[:, k] @ W + h @ U + b)
        return 0.5 * np.mean((h @ V + c - y[:, 0]) ** 2)

    expected = [(last(theta + 1e-6 * e) - last(theta - 1e-6 * e)) / 2e-6 for e in np.eye(22)]
    assert short == pytest.approx(expected, abs=1e-8)
    bound = 0.1 * np.linalg.norm(exact[:18])
    clipped, whole, _, _ = gradients(clip=bound)
    assert np.array_equal(whole, exact)
    assert np.linalg.norm(clipped[:18]) == pytest.approx(bound)
    assert np.allclose(clipped[:18] / bound, exact[:18] / (10 * bound))
    assert np.array_equal(clipped[18:], exact[18:])
    assert np.array_equal(gradients(clip=20 * bound)[0], exact)
    assert net.n_parameters == 3 * (2 + 3 + 1) + 4


def test_embeddings_are_tables_of_indicator_columns():
    net = NeuralNetwork([Embedding([0], [3], units=2), Dense(1)], 2)
    theta = net.init(np.random.default_rng(0))
    rows = np.array([[0, 0.5], [2, 1.0], [1, -1.0], [-1, 2.0]])
    E, (W, b) = theta[:6].reshape(3, 2), net.views(theta)["dense_1"]
    codes = np.eye(4)[rows[:, 0].astype(int)][:, :3]
    assert np.allclose(net.output(theta, rows), rows[:, 1:] * W[0] + codes @ E @ W[1:] + b)
    assert Embedding([0, 1], [3, 400]).widths == (2, 50)
    with pytest.raises(ValueError, match="column 0 of row 1 is 3; give the codes 0 … 2"):
        net.output(theta, np.array([[0, 0.5], [3, 1.0]]))
    with pytest.raises(ValueError, match=r"columns=\[5\] must be columns"):
        NeuralNetwork([Embedding([5], [3])], 2)


@dataclass(frozen=True)
class Wrong(Layer):
    """A layer whose derivative forgets a factor."""

    def output_shape(self, input_shapes):
        return input_shapes[0]

    def forward(self, parameters, inputs, run):
        return inputs[0] ** 2, inputs[0]

    def backward(self, parameters, saved, delta, gradients, run, wants_inputs):
        return (delta * saved,)


@pytest.mark.spec("NEU-052")
def test_check_of_gradients():
    x, y = rng.normal(size=(4, 1, 6, 6)), np.array([0, 1, 1, 0])
    layers = [Conv2D(2, 3, activation="relu"), MaxPool2D(), Dropout(0.7), Dense(2)]
    report = check_gradient(NeuralNetwork(layers, (1, 6, 6)), x, y, loss=SoftmaxLoss(), alpha=0.1)
    assert report
    assert report.max_error < 1e-6
    assert [check.name for check in report.arrays] == ["conv2d_1.W", "conv2d_1.b", "dense_1.W", "dense_1.b"]
    assert [check.checked + check.skipped for check in report.arrays] == [18, 2, 16, 2]
    assert "conv2d_1.W" in str(report)
    wrong = check_gradient(NeuralNetwork([Dense(3, name="before"), Wrong(), Dense(1, name="after")], 2), x[:, 0, 0, :2],
                           np.zeros((4, 1)))  # fmt: skip
    assert not wrong
    errors = {check.layer: check.max_error for check in wrong.arrays}
    assert errors["after"] < 1e-6 < errors["before"]


@pytest.mark.spec("NEU-052")
def test_kinks_are_left_out_and_counted():
    net = NeuralNetwork([Dense(1, "relu", bias=False), Dense(1)], 1)
    at_kink = check_gradient(net, np.ones((1, 1)), np.ones((1, 1)), theta=np.array([1e-6, 1.0, 0.0]))
    assert at_kink.arrays[0].skipped == 1
    assert at_kink
    # Errors are relative, however small the derivatives: here those before the square are wrong by a factor of two.
    small = NeuralNetwork([Dense(1, bias=False), Wrong(), Dense(1, bias=False)], 1)
    report = check_gradient(small, np.ones((1, 1)), np.zeros((1, 1)), theta=np.array([0.02, 0.5]))
    assert [check.max_error for check in report.arrays] == pytest.approx([1 / 3, 0.0], abs=1e-6)
    assert isinstance(NeuralNetwork([Dense(1)], 1).layers[0].phi, Identity)
    with pytest.raises(ValueError, match="at most 256 rows"):
        check_gradient(net, np.ones((300, 1)), np.ones((300, 1)))


def test_clipped_gradients_bound_every_step():
    net = NeuralNetwork([Dense(3, "tanh"), Dense(1)], 4)
    x, y = rng.normal(size=(20, 4)), 1e3 * rng.normal(size=(20, 1))
    problem, start = net.problem(x, y), net.init(np.random.default_rng(0))
    free, found = np.empty_like(start), np.empty_like(start)
    clipped = Clipped(problem, 2.0)
    assert clipped.batch_value_and_gradient(start, slice(0, 5), found) == problem.batch_value_and_gradient(
        start, slice(0, 5), free
    )
    assert np.linalg.norm(free) > 2
    assert np.allclose(found, 2 * free / np.linalg.norm(free), rtol=1e-14)
    assert np.array_equal(clipped.value_and_gradient(start)[1], problem.value_and_gradient(start)[1])
    end = train(clipped, start, solver="sgd", schedule=0.1, batch_size=5, max_iter=1, tol=None, random_state=0).w
    assert np.linalg.norm(end - start) <= 4 * 0.1 * 2 + 1e-12
    with pytest.raises(ValueError, match="bound=0"):
        Clipped(problem, 0)
