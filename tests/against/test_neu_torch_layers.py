"""Convolution, pooling and recurrence against PyTorch: values and gradients."""

import numpy as np
import pytest

from gnomon.neural import NeuralNetwork
from gnomon.neural.layers import ELU, AvgPool2D, Conv2D, Dense, LayerNorm, MaxPool2D, Recurrent

torch = pytest.importorskip("torch")


def compare(net, theta, x, forward):
    """Output, gradient in θ and in x of ½‖output‖² equal those of `forward`, a function of tensors θ and x."""
    space, gradient = net.workspace(float, None), np.empty(net.n_parameters)
    found = space.forward(theta, [x])[0]
    dx = space.backward([np.array(found)], gradient, wants_inputs=True)[0]
    t, u = (torch.tensor(a, requires_grad=True) for a in (theta, x))
    expected = forward(t, u)
    (0.5 * expected**2).sum().backward()
    assert np.allclose(found, expected.detach().numpy(), atol=1e-12)
    assert np.allclose(dx, u.grad.numpy(), atol=1e-12)
    if len(theta):
        assert np.allclose(gradient, t.grad.numpy(), atol=1e-11)


@pytest.mark.spec("NEU-G27", "NEU-G28", "NEU-113")
@pytest.mark.parametrize(
    ("size", "stride", "padding"), [((3, 3), (1, 1), (1, 1)), ((2, 3), (3, 2), (0, 2)), ((3, 1), (1, 1), (2, 0))]
)
def test_convolution(size, stride, padding):
    rng = np.random.default_rng(0)
    x, shape = rng.normal(size=(4, 3, 8, 9)), (5, 3, *size)
    net = NeuralNetwork([Conv2D(5, size, stride, padding)], (3, 8, 9))
    theta, n = rng.normal(size=net.n_parameters), int(np.prod(shape))
    compare(
        net, theta, x,
        lambda t, u: torch.nn.functional.conv2d(u, t[:n].reshape(shape), t[n:], stride=stride, padding=padding),
    )  # fmt: skip


@pytest.mark.spec("NEU-G29", "NEU-116")
@pytest.mark.parametrize(
    ("size", "stride", "rounding"), [(2, 2, "exact"), (3, 1, "exact"), (3, 2, "ceil"), (3, 2, "floor")]
)
def test_pooling(size, stride, rounding):
    rng = np.random.default_rng(1)
    edge = 8 if rounding != "exact" else 6
    x, ceil = rng.normal(size=(3, 2, edge, edge)), rounding == "ceil"
    nothing = np.empty(0)
    net = NeuralNetwork([MaxPool2D(size, stride, rounding)], (2, edge, edge))
    compare(net, nothing, x, lambda t, u: torch.nn.functional.max_pool2d(u, size, stride, ceil_mode=ceil))
    net = NeuralNetwork([AvgPool2D(size, stride, rounding)], (2, edge, edge))
    compare(net, nothing, x, lambda t, u: torch.nn.functional.avg_pool2d(u, size, stride, ceil_mode=ceil))


@pytest.mark.spec("NEU-G37", "NEU-035")
def test_recurrence():
    rng = np.random.default_rng(2)
    x = rng.normal(size=(4, 6, 3))
    net = NeuralNetwork([Recurrent(5, return_sequences=True)], (6, 3))

    def forward(t, u):
        W, U, b = t[:15].reshape(3, 5), t[15:40].reshape(5, 5), t[40:]
        h, states = torch.zeros(4, 5, dtype=torch.float64), []
        for k in range(6):
            h = torch.tanh(u[:, k] @ W + h @ U + b)
            states.append(h)
        return torch.stack(states, dim=1)

    compare(net, rng.normal(size=net.n_parameters) / 2, x, forward)


@pytest.mark.parametrize(
    ("activation", "peer"),
    [
        ("softplus", torch.nn.functional.softplus),
        ("silu", torch.nn.functional.silu),
        ("gelu", torch.nn.functional.gelu),
        (ELU(0.7), lambda z: torch.nn.functional.elu(z, 0.7)),
    ],
    ids=["softplus", "silu", "gelu", "elu"],
)
def test_smooth_activations(activation, peer):
    rng = np.random.default_rng(3)
    net = NeuralNetwork([Dense(4, activation)], 3)
    theta, x = rng.normal(size=16), np.vstack([4 * rng.normal(size=(6, 3)), [[0, 0, 0]]])
    compare(net, theta, x, lambda t, u: peer(u @ t[:12].reshape(3, 4) + t[12:]))
    assert np.all(np.isfinite(net.output(theta, 1e3 * x)))


def test_layer_normalisation():
    rng = np.random.default_rng(4)
    net, shape = NeuralNetwork([LayerNorm()], (2, 3, 4)), (2, 3, 4)
    theta, x = rng.normal(size=48), rng.normal(size=(5, *shape))

    def peer(t, u):
        return torch.nn.functional.layer_norm(u, shape, t[:24].reshape(shape), t[24:].reshape(shape))

    compare(net, theta, x, peer)
