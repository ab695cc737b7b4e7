"""Golden values of small networks: NEU-G01 to G04, G10, G12 to G14, G16 to G18."""

import numpy as np
import pytest

from gnomon.losses import SoftmaxLoss, SquaredLoss, TwoTermCrossEntropy
from gnomon.neural import NeuralNetwork
from gnomon.neural.layers import (
    Dense,
    FanOutNormal,
    Fans,
    Glorot,
    He,
    LeCun,
    Maxout,
    NormalInit,
    PReLU,
    activation_of,
    hard_tanh,
)  # fmt: skip

X = np.array([[1.0, 2.0], [-1.0, 0.5]])
Y = np.array([[1.0, 0.0], [0.0, 2.0]])
THETA = np.array([0.5, -0.3, 0.1, 0.2, 0.1, -0.2, 0.7, -0.4, -0.6, 0.9, 0.05, 0.0])


def network(activation="tanh"):
    return NeuralNetwork([Dense(2, activation), Dense(2)], 2)


@pytest.mark.spec("NEU-G01")
@pytest.mark.parametrize(
    ("activation", "f", "gradient"),
    [
        ("sigmoid", -0.3873938, (0.5713449, -1.7915591)),
        ("tanh", -0.3222297, (1.6935647, -1.4202058)),
        ("relu", -0.36, (2.448, -1.632)),
    ],
)
def test_one_unit(activation, f, gradient):
    net = NeuralNetwork([Dense(1, activation, bias=False), Dense(1, bias=False)], 1)
    theta, x, y = np.array([0.4, -0.6]), np.array([[1.5]]), np.array([[1.0]])
    value, found = net.value_and_gradient(theta, x, y, loss=SquaredLoss())
    assert net.output(theta, x)[0, 0] == pytest.approx(f, abs=5e-8)
    assert value == pytest.approx((1 - f) ** 2, abs=2e-7)
    assert found == pytest.approx(gradient, abs=1e-7)
    half, found = net.value_and_gradient(theta, x, y)
    assert half == pytest.approx(value / 2)
    assert found == pytest.approx(np.array(gradient) / 2, abs=1e-7)


@pytest.mark.spec("NEU-G02", "NEU-050")
def test_forward():
    Z, A = network().forward(THETA, X)
    assert Z["dense_1"].ravel() == pytest.approx([0.8, -0.1, -0.35, 0.2], abs=1e-12)
    assert A["dense_1"].ravel() == pytest.approx([0.6640368, -0.0996680, -0.3363755, 0.1973753], abs=5e-8)
    assert A["dense_2"].ravel() == pytest.approx([0.5746265, -0.3553159, -0.3038881, 0.3121880], abs=5e-8)


@pytest.mark.spec("NEU-G02", "NEU-G03", "NEU-051")
def test_gradient():
    value, gradient = network().value_and_gradient(THETA, X, Y)
    expected = [
        -0.2485458, 0.6103526, 0.0155121, -0.3850750, 0.1615372, -0.6742716,
        -0.0901216, 0.1658979, -0.0087919, -0.1488594, -0.3646308, -1.0215639,
    ]  # fmt: skip
    assert value == pytest.approx(0.8120623, abs=5e-8)
    assert gradient == pytest.approx(expected, abs=1e-7)


@pytest.mark.spec("NEU-G04", "NEU-012", "NEU-014")
def test_other_activations():
    value, gradient = network("relu").value_and_gradient(THETA, X, Y)
    assert value == pytest.approx(0.89295, abs=1e-12)
    assert gradient[:4] == pytest.approx([-0.0725, 0.798, -0.145, -0.399], abs=1e-12)
    assert gradient[6:10] == pytest.approx([-0.156, -0.128, -0.007, -0.182], abs=1e-12)
    value, gradient = network("sigmoid").value_and_gradient(THETA, X, Y)
    assert value == pytest.approx(0.8447946, abs=5e-8)
    assert gradient[:4] == pytest.approx([-0.1446080, 0.2600336, -0.0846610, 0.0531481], abs=5e-8)


@pytest.mark.spec("NEU-G10")
def test_weights_of_rows():
    value, gradient = network().value_and_gradient(THETA, X, Y, [2.0, 1.0])
    assert value == pytest.approx(0.5925735, abs=5e-8)
    assert gradient[:4] == pytest.approx([-0.1947000, 0.3855955, -0.0476643, -0.2993292], abs=5e-8)
    twice = network().value_and_gradient(THETA, X[[0, 0, 1]], Y[[0, 0, 1]])
    assert twice[0] == pytest.approx(value)
    assert twice[1] == pytest.approx(gradient)


@pytest.mark.spec("NEU-G12", "NEU-054")
def test_curvature():
    H = network().hessian(THETA, X, Y)
    eigenvalues = np.linalg.eigvalsh(H)
    assert eigenvalues[[0, -1]] == pytest.approx([-1.0412868, 5.4767783], abs=1e-7)
    assert np.trace(H) == pytest.approx(9.6331806, abs=5e-8)
    assert network().hvp(THETA, np.ones(12), X, Y)[:3] == pytest.approx([0.424967, 1.852857, -0.995205], abs=1e-6)


@pytest.mark.spec("NEU-G13", "NEU-012", "NEU-013")
def test_sigmoid_and_tanh():
    s, t = activation_of("sigmoid"), activation_of("tanh")
    assert s.activate(2.0) == pytest.approx(0.8807971, abs=5e-8)
    assert [s.derivative(z, s.activate(z)) for z in (2.0, 0.5)] == pytest.approx([0.1049936, 0.2350037], abs=5e-8)
    assert t.activate(0.5) == pytest.approx(0.4621172, abs=5e-8)
    expected = [0.7864477, 0.4199743, 0.0098660]
    assert [t.derivative(z, t.activate(z)) for z in (0.5, 1.0, 3.0)] == pytest.approx(expected, abs=5e-8)


@pytest.mark.spec("NEU-G14", "NEU-019")
def test_two_rectifiers():
    z = np.array([-3, -1, -0.5, 0, 0.5, 1, 3])
    assert hard_tanh(1.0).activate(z).tolist() == [-1, -1, -0.5, 0, 0.5, 1, 1]


@pytest.mark.spec("NEU-G15")
def test_losses_of_scores_through_a_network():
    scores, y = np.array([2.0, 1.0, 0.0, -1.0]), np.array([1])
    net = NeuralNetwork([Dense(4, bias=False)], 1)
    value, _ = net.value_and_gradient(scores, np.ones((1, 1)), y, loss=SoftmaxLoss())
    assert value == pytest.approx(1.4401897, abs=5e-8)
    value, gradient = net.value_and_gradient(scores, np.ones((1, 1)), y, loss=TwoTermCrossEntropy())
    assert value == pytest.approx(2.5965346, abs=5e-8)
    assert gradient == pytest.approx([1.2050316, -1.2219346, 0.0138182, 0.0030848], abs=5e-8)


@pytest.mark.spec("NEU-G16", "NEU-017")
def test_prelu():
    net = NeuralNetwork([Dense(2, PReLU(), bias=False), Dense(1, bias=False)], 2)
    theta = np.array([0.5, -1, 0.2, 0.3, 0.25, 0.25, 1, 2])
    value, gradient = net.value_and_gradient(theta, np.array([[1.0, 2.0]]), np.array([[1.0]]))
    assert value == pytest.approx(0.045)
    assert gradient == pytest.approx([-0.3, -0.15, -0.6, -0.3, 0, 0.24, -0.27, 0.03])


@pytest.mark.spec("NEU-G17", "NEU-018")
def test_maxout():
    net, theta = NeuralNetwork([Maxout(1, pieces=3)], 1), np.array([1, -1, 0, 0, 0.2, 0.3])
    assert net.output(theta, np.array([[-1.0], [0.05], [0.5]])).ravel() == pytest.approx([1.2, 0.3, 0.5])
    _, gradient = net.value_and_gradient(theta, np.array([[0.5]]), np.array([[0.0]]))
    assert gradient.tolist() == [0.25, 0, 0, 0.5, 0, 0]
    # Equal pieces: the gradient goes to the first.
    tied = net.value_and_gradient(np.array([1, 1, 0, 0, 0, 0.5]), np.array([[0.5]]), np.array([[0.0]]))[1]
    assert tied.tolist() == [0.25, 0, 0, 0.5, 0, 0]
    for pieces in (1, 21):
        with pytest.raises(ValueError, match=f"pieces={pieces} must be in"):
            Maxout(1, pieces=pieces)


@pytest.mark.spec("NEU-G18", "NEU-060", "NEU-061", "NEU-062", "NEU-063", "NEU-064")
def test_variances():
    fans = Fans(100, 50, 20)
    found = [
        LeCun().variance(fans), LeCun(count_bias=True).variance(fans), LeCun().bound(fans),
        LeCun(count_bias=True).bound(fans), Glorot().variance(fans), Glorot().bound(fans),
        Glorot(fan_out="next").variance(fans), He().variance(fans), He().bound(fans),
        He().variance(fans._replace(gain=PReLU().gain)), NormalInit(0.1).variance(fans) ** 0.5,
        FanOutNormal().variance(fans), FanOutNormal("std").variance(fans), He().variance(Fans(75, 400, 400)),
    ]  # fmt: skip
    expected = [
        0.01, 0.0099010, 0.1732051, 0.1723455, 0.0133333, 0.2, 0.0166667, 0.02, 0.2449490, 0.0188235, 0.3162278,
        0.1414214, 0.02, 0.0266667,
    ]  # fmt: skip
    assert found == pytest.approx(expected, abs=5e-8)
