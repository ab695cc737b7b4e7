"""Golden values of convolution, pooling, dropout and recurrence: NEU-G20, G26 to G30, G37, also by PyTorch."""

import itertools

import numpy as np
import pytest

from gnomon.neural import NeuralNetwork, conv_output_size
from gnomon.neural.layers import AvgPool2D, Conv2D, Dense, DropConnect, Dropout, MaxPool2D, Recurrent

IMAGE = np.arange(16.0).reshape(1, 1, 4, 4)
FILTER = np.array([1.0, 2.0, 0.0, -1.0, 0.5])
NOTHING = np.empty(0)


@pytest.mark.spec("NEU-G26", "NEU-114")
@pytest.mark.parametrize(
    ("n", "p", "f", "s", "length"),
    [(28, 0, 5, 1, 24), (32, 2, 5, 1, 32), (227, 0, 11, 4, 55), (7, 0, 3, 2, 3), (28, 1, 3, 1, 28)],
)
def test_sizes(n, p, f, s, length):
    assert conv_output_size(n, f, s, p) == length


@pytest.mark.spec("NEU-G26", "NEU-114")
def test_sizes_that_do_not_fit():
    with pytest.raises(ValueError, match=r"2\.33 .* n=7, p=0, f=3, s=3; give p=1, or s=2"):
        conv_output_size(7, 3, 3)
    with pytest.raises(ValueError, match=r"112\.50 .* n=224, p=3, f=7, s=2; give s=1"):
        conv_output_size(224, 7, 2, 3)
    assert [conv_output_size(7, 3, 3, rounding=word) for word in ("floor", "ceil")] == [2, 3]
    assert [conv_output_size(224, 7, 2, 3, word) for word in ("floor", "ceil")] == [112, 113]
    with pytest.raises(ValueError, match="f=7 is larger than n"):
        conv_output_size(5, 7)
    with pytest.raises(ValueError, match="s=0 must be"):
        conv_output_size(5, 3, 0)
    with pytest.raises(ValueError, match="give p < f"):
        conv_output_size(5, 3, 1, 3)


@pytest.mark.spec("NEU-G27", "NEU-113")
@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [-2.5, -0.5, 1.5, 5.5, 7.5, 9.5, 13.5, 15.5, 17.5]),
        ({"stride": 2}, [-2.5, 1.5, 13.5, 17.5]),
        ({"stride": 2, "padding": 1}, [0.5, -1.5, 0.5, 0.5, 7.5, 7.5, 24.5, 41.5, 15.5]),
    ],
)
def test_convolution(options, expected):
    net = NeuralNetwork([Conv2D(1, 2, **options)], (1, 4, 4))
    assert net.output(FILTER, IMAGE).ravel().tolist() == expected


@pytest.mark.spec("NEU-G28", "NEU-113")
def test_gradient_of_a_convolution():
    net = NeuralNetwork([Conv2D(1, 2)], (1, 4, 4))
    space, gradient = net.workspace(float, None), np.empty(5)
    y = space.forward(FILTER, [IMAGE])[0]
    assert 0.5 * np.sum(y**2) == 457.125
    dx = space.backward([y.copy()], gradient, wants_inputs=True)[0]
    assert gradient.tolist() == [541.5, 609, 811.5, 879, 67.5]
    expected = [-2.5, -5.5, 0.5, 3, 5.5, 21, 25, 17.5, 13.5, 37, 41, 25.5, 0, -13.5, -15.5, -17.5]
    assert dx.ravel().tolist() == expected


@pytest.mark.spec("NEU-G29", "NEU-116")
def test_pooling():
    image = np.array([[1.0, 3, 2, 2], [0, -1, 2, 2], [5, 5, -3, -4], [5, 5, -1, -2]])[None, None]
    space = NeuralNetwork([MaxPool2D(2)], (1, 4, 4)).workspace(float, None)
    assert space.forward(NOTHING, [image])[0].ravel().tolist() == [3, 2, 5, -1]
    dx = space.backward([np.ones((1, 1, 2, 2))], NOTHING, wants_inputs=True)[0][0, 0]
    assert np.argwhere(dx).tolist() == [[0, 1], [0, 2], [2, 0], [3, 2]]
    average = NeuralNetwork([AvgPool2D(2)], (1, 4, 4)).output(NOTHING, image)
    assert average.ravel().tolist() == [0.75, 2, 5, -2.5]


@pytest.mark.spec("NEU-G30", "NEU-036")
def test_parameters_are_counted():
    assert NeuralNetwork([Dense(256), Dense(128), Dense(10)], 784).n_parameters == 235146
    net = NeuralNetwork(
        [Conv2D(16, 3, padding="same"), MaxPool2D(), Conv2D(32, 3, padding="same"), MaxPool2D(), Dense(10)],
        (1, 28, 28),
    )  # fmt: skip
    assert [node.size for node in net.nodes] == [160, 0, 4640, 0, 15690]
    assert net.n_parameters == 20490
    assert "4640" in net.summary()
    assert "32×7×7" in net.summary()
    assert NeuralNetwork([Dense(10**6, bias=False)], 10**6).n_parameters == 10**12


def means(layer, keep, function):
    """The exact mean over all masks of three units, by the definition."""
    net = NeuralNetwork([layer, Dense(1)], 3)
    space, total = net.workspace(float, None), 0.0
    for bits in itertools.product([False, True], repeat=3):
        space.freeze({"dropout_1": {"mask": np.array([bits])}})
        z = space.forward(np.array([0.5, -1.0, 2.0, 0.1]), [np.array([[1.0, 2.0, 3.0]])], training=True)[0]
        total += keep ** sum(bits) * (1 - keep) ** (3 - sum(bits)) * function(z[0, 0])
    return total


@pytest.mark.spec("NEU-G20", "NEU-094", "NEU-095")
@pytest.mark.parametrize(("keep", "z", "sigma", "relu"), [(0.5, 2.35, 0.6835887, 2.7625), (0.8, 3.7, 0.8469172, 3.94)])
def test_means_over_masks(keep, z, sigma, relu):
    layer, theta = Dropout(keep, scaling="average"), np.array([0.5, -1.0, 2.0, 0.1])
    average = NeuralNetwork([layer, Dense(1)], 3).output(theta, np.array([[1.0, 2.0, 3.0]]))[0, 0]
    assert average == pytest.approx(z)
    assert means(layer, keep, float) == pytest.approx(z)
    assert means(layer, keep, lambda t: 1 / (1 + np.exp(-t))) == pytest.approx(sigma, abs=5e-8)
    assert means(layer, keep, lambda t: max(t, 0.0)) == pytest.approx(relu, abs=5e-8)
    assert means(Dropout(keep), keep, float) == pytest.approx(4.6)


@pytest.mark.spec("NEU-G20", "NEU-097")
@pytest.mark.parametrize(("keep", "variance"), [(0.5, 10.0625), (0.8, 6.44)])
def test_variance_of_dropconnect(keep, variance):
    net = NeuralNetwork([DropConnect(1, keep, scaling="average", prediction="gaussian")], 3)
    space = net.workspace(float, None)
    space.forward(np.array([0.5, -1.0, 2.0, 0.1]), [np.array([[1.0, 2.0, 3.0]])])
    assert space.saved[0].deviation[0, 0] ** 2 == pytest.approx(variance)


@pytest.mark.spec("NEU-G37", "NEU-035")
def test_elman():
    net = NeuralNetwork([Recurrent(1), Dense(1)], (3, 1))
    theta, x = np.array([0.5, 0.8, 0.1, 1.5, -0.2]), np.array([1.0, -1.0, 2.0]).reshape(1, 3, 1)
    states = NeuralNetwork([Recurrent(1, return_sequences=True)], (3, 1)).output(theta[:3], x)
    assert states.ravel() == pytest.approx([0.5370496, 0.0296310, 0.8088537], abs=5e-8)
    assert net.output(theta, x)[0, 0] == pytest.approx(1.0132806, abs=5e-8)
    gradient = net.value_and_gradient(theta, x, np.ones((1, 1)))[1]
    assert gradient == pytest.approx([0.0114041, 0.0031607, 0.0155271, 0.0107420, 0.0132806], abs=5e-8)
