"""The layers in PyTorch: one function for each kind.

    a = f(u₁, …, u_m; θ),    the same f as the layer's own, whose derivative automatic differentiation finds        (1)

Two tables, of layers and of activations, are keyed by class. What is in neither, a layer or an activation of the user's
own, goes through its own passes as one node of the graph. Paszke et al. (2019), arXiv:1912.01703.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, singledispatch
from typing import Any

import numpy as np

from gnomon.neural.layers import (
    ELU,
    GELU,
    Activation,
    ActivationFunction,
    Add,
    AvgPool2D,
    Concat,
    Conv2D,
    Dense,
    DropConnect,
    Dropout,
    Embedding,
    Flatten,
    GaussianNoise,
    HardTanh,
    Identity,
    Layer,
    LayerNorm,
    LayerRun,
    LeakyReLU,
    LogisticSigmoid,
    Maxout,
    MaxPool2D,
    PReLU,
    Recurrent,
    ReLU,
    Rescale,
    Reshape,
    SiLU,
    Softplus,
    Tanh,
    Transposed,
)
from gnomon.neural.layers.dropconnect import normal_nodes

__all__ = ["TorchRun", "activated", "dense", "layer_output", "readable"]

_IN_BLOCKS = (Conv2D, MaxPool2D)
"""Layers that take images in blocks of channels."""

_OF_BLOCKS = (Identity, ReLU)
"""Activations that do."""


@dataclass
class TorchRun:
    """What a layer is lent for one pass: the library, whether it trains, and where its draws come from.

    Parameters
    ----------
    torch : module
    device : torch.device
    own : LayerRun
        For what goes through the layer's own passes, and for draws of NumPy.
    native : object, optional
        Draws on the device instead, if given.
    blocked : bool, default=False
        Whether images may pass from convolution to pooling in the layout that oneDNN computes in, blocks of channels.
    """

    torch: Any
    device: Any
    own: LayerRun
    native: Any = None
    blocked: bool = False

    @property
    def training(self) -> bool:
        """Whether random layers draw."""
        return self.own.training

    def drawn(self, layer: Layer, n: int, shape: Sequence[int], what: str = "mask") -> Any:
        """What a random layer draws for a batch of n rows, as a tensor."""
        if self.native is not None and self.own.masks is None:
            return layer.draw(self.native, n, [tuple(shape)])[what]
        return self.tensor(self.own.drawn(layer, n, [tuple(shape)])[what])

    def tensor(self, array: Any) -> Any:
        """An array as a tensor on the device, without a copy where it is the processor."""
        return self.torch.from_numpy(np.ascontiguousarray(array)).to(self.device)

    def images(self, x: Any) -> Any:
        """Images as convolutions take them soonest: in blocks where these exist, for single precision."""
        fits = self.blocked and x.dtype == self.torch.float32 and x.device.type == "cpu"
        return x.to_mkldnn() if fits and not x.is_mkldnn else x


def dense(x: Any) -> Any:
    """A tensor in the order of its axes, whatever layout it has."""
    return x.to_dense() if x.is_mkldnn else x


def readable(layer: Layer, tensors: Sequence[Any]) -> list[Any]:
    """The inputs of a layer in a layout that it knows."""
    return list(tensors) if isinstance(layer, _IN_BLOCKS) else [dense(x) for x in tensors]


@singledispatch
def layer_output(layer: Layer, parameters: Sequence[Any], inputs: Sequence[Any], run: TorchRun) -> Any:
    """(1) for a batch; for a layer that the table lacks, by its own passes."""
    return _own_passes(run.torch).apply(layer, run.own, len(inputs), *inputs, *parameters)


@singledispatch
def activated(phi: ActivationFunction, z: Any, own: Sequence[Any], run: TorchRun) -> Any:
    """φ(z), units along the second axis; for an activation that the table lacks, by its own passes."""
    return _own_activation(run.torch).apply(phi, z, *own)


@activated.register
def _(phi: Activation, z: Any, own: Sequence[Any], run: TorchRun) -> Any:
    return phi.value(z) if phi.derivative is None else _own_activation(run.torch).apply(phi, z, *own)


@activated.register
def _(phi: Identity, z: Any, own: Sequence[Any], run: TorchRun) -> Any:
    return z


@activated.register
def _(phi: LogisticSigmoid, z: Any, own: Sequence[Any], run: TorchRun) -> Any:
    return run.torch.sigmoid(z)


@activated.register
def _(phi: Tanh, z: Any, own: Sequence[Any], run: TorchRun) -> Any:
    return run.torch.tanh(z)


@activated.register
def _(phi: ReLU, z: Any, own: Sequence[Any], run: TorchRun) -> Any:
    return run.torch.relu(z)


@activated.register
def _(phi: LeakyReLU, z: Any, own: Sequence[Any], run: TorchRun) -> Any:
    return run.torch.nn.functional.leaky_relu(z, phi.a)


@activated.register
def _(phi: PReLU, z: Any, own: Sequence[Any], run: TorchRun) -> Any:
    slope = own[0].reshape(1, -1, *[1] * (z.ndim - 2))
    return run.torch.where(z > 0, z, slope * z)


@activated.register
def _(phi: Softplus, z: Any, own: Sequence[Any], run: TorchRun) -> Any:
    # PyTorch's own overflows where its exponential does, which a threshold would hide at the price of digits.
    return run.torch.logaddexp(z, run.torch.zeros_like(z))


@activated.register
def _(phi: SiLU, z: Any, own: Sequence[Any], run: TorchRun) -> Any:
    return run.torch.nn.functional.silu(z)


@activated.register
def _(phi: GELU, z: Any, own: Sequence[Any], run: TorchRun) -> Any:
    return run.torch.nn.functional.gelu(z)


@activated.register
def _(phi: ELU, z: Any, own: Sequence[Any], run: TorchRun) -> Any:
    return run.torch.nn.functional.elu(z, phi.alpha)


@activated.register
def _(phi: HardTanh, z: Any, own: Sequence[Any], run: TorchRun) -> Any:
    # Not torch.clamp, whose slope at −θ is 1.
    bound = run.torch.full_like(z, phi.theta)
    return run.torch.where(z > phi.theta, bound, run.torch.where(z > -phi.theta, z, -bound))


@layer_output.register
def _(layer: Dense, parameters: Sequence[Any], inputs: Sequence[Any], run: TorchRun) -> Any:
    x, W = inputs[0].flatten(1), parameters[0]
    z = run.torch.addmm(parameters[1], x, W) if layer.bias else x @ W
    return activated(layer.phi, z, parameters[1 + layer.bias :], run)


@layer_output.register
def _(layer: Transposed, parameters: Sequence[Any], inputs: Sequence[Any], run: TorchRun) -> Any:
    return layer_output(layer.dense, [parameters[0].T, *parameters[1:]], inputs, run)


@layer_output.register
def _(layer: LayerNorm, parameters: Sequence[Any], inputs: Sequence[Any], run: TorchRun) -> Any:
    return run.torch.nn.functional.layer_norm(inputs[0], inputs[0].shape[1:], *parameters, layer.eps)


@layer_output.register
def _(layer: Rescale, parameters: Sequence[Any], inputs: Sequence[Any], run: TorchRun) -> Any:
    u = inputs[0]
    m, d = (run.tensor(np.asarray(part, dtype=float)).to(u.dtype) for part in (layer.mean, layer.scale))
    return (u - m.reshape(u.shape[1:])) / d.reshape(u.shape[1:])


@layer_output.register
def _(layer: GaussianNoise, parameters: Sequence[Any], inputs: Sequence[Any], run: TorchRun) -> Any:
    u = inputs[0]
    if not run.training or layer.sd == 0.0:
        return u
    return u + (layer.sd * run.drawn(layer, len(u), u.shape[1:], "noise")).to(u.dtype)


@layer_output.register
def _(layer: Maxout, parameters: Sequence[Any], inputs: Sequence[Any], run: TorchRun) -> Any:
    z = inputs[0].flatten(1) @ parameters[0]
    z = z + parameters[1] if layer.bias else z
    return z[:, run.tensor(layer.members[0])].max(dim=2).values


@layer_output.register
def _(layer: Conv2D, parameters: Sequence[Any], inputs: Sequence[Any], run: TorchRun) -> Any:
    x, window, functional = inputs[0], layer.window(inputs[0].shape[1:]), run.torch.nn.functional
    (sh, sw), (ph, pw) = window.stride, window.padding
    more_h = (window.rows - 1) * sh + window.tall - (x.shape[2] + 2 * ph)
    more_w = (window.columns - 1) * sw + window.wide - (x.shape[3] + 2 * pw)
    if max(more_h, more_w) > 0:
        x, ph, pw = functional.pad(dense(x), (pw, pw + max(more_w, 0), ph, ph + max(more_h, 0))), 0, 0
    z = functional.conv2d(run.images(x), parameters[0], parameters[1] if layer.bias else None, window.stride, (ph, pw))
    z = z if isinstance(layer.phi, _OF_BLOCKS) else dense(z)
    return activated(layer.phi, z, parameters[1 + layer.bias :], run)


@layer_output.register
def _(layer: MaxPool2D, parameters: Sequence[Any], inputs: Sequence[Any], run: TorchRun) -> Any:
    window = layer.window(inputs[0].shape[1:])
    size, ceil = (window.tall, window.wide), layer.rounding == "ceil"
    return run.torch.nn.functional.max_pool2d(run.images(inputs[0]), size, window.stride, ceil_mode=ceil)


@layer_output.register
def _(layer: AvgPool2D, parameters: Sequence[Any], inputs: Sequence[Any], run: TorchRun) -> Any:
    window = layer.window(inputs[0].shape[1:])
    size, ceil = (window.tall, window.wide), layer.rounding == "ceil"
    return run.torch.nn.functional.avg_pool2d(inputs[0], size, window.stride, ceil_mode=ceil)


@layer_output.register
def _(layer: Flatten, parameters: Sequence[Any], inputs: Sequence[Any], run: TorchRun) -> Any:
    return inputs[0].flatten(1)


@layer_output.register
def _(layer: Reshape, parameters: Sequence[Any], inputs: Sequence[Any], run: TorchRun) -> Any:
    return inputs[0].reshape(len(inputs[0]), *layer.shape)


@layer_output.register
def _(layer: Add, parameters: Sequence[Any], inputs: Sequence[Any], run: TorchRun) -> Any:
    return sum(inputs[1:], inputs[0])


@layer_output.register
def _(layer: Concat, parameters: Sequence[Any], inputs: Sequence[Any], run: TorchRun) -> Any:
    return run.torch.cat(list(inputs), dim=1)


@layer_output.register
def _(layer: Dropout, parameters: Sequence[Any], inputs: Sequence[Any], run: TorchRun) -> Any:
    u = inputs[0]
    shape = u.shape[1:]
    u = run.torch.cat([u, u.new_ones(len(u), 1)], dim=1) if layer.drop_bias else u
    if layer.kept == 1.0:
        return u
    if not run.training:
        return u * layer.factor
    return u * (run.drawn(layer, len(u), shape) * (1.0 if layer.scaling == "average" else 1.0 / layer.kept))


@layer_output.register
def _(layer: DropConnect, parameters: Sequence[Any], inputs: Sequence[Any], run: TorchRun) -> Any:
    x, b, own = inputs[0].flatten(1), parameters[1] if layer.bias else 0.0, parameters[1 + layer.bias :]
    if run.training:
        mask = run.drawn(layer, len(x), inputs[0].shape[1:]).to(x.dtype)
        W = parameters[0] * (mask * (1.0 if layer.scaling == "average" else 1.0 / layer.keep))
        z = x @ W[0] if len(W) == 1 else (x[:, None, :] @ W)[:, 0]
        return activated(layer.phi, z + b, own, run)
    W = parameters[0] * layer.factor
    z = x @ W + b
    if layer.prediction == "average":
        return activated(layer.phi, z, own, run)
    variance = (1.0 - layer.keep) / layer.keep * (x**2 @ W**2)
    # The slope of a root at zero is infinite; where nothing varies there is none.
    alive = variance > 0
    deviation = run.torch.where(alive, variance, run.torch.ones_like(variance)).sqrt() * alive
    total = found = 0.0
    mean, spread = (part.detach().cpu().numpy() for part in (z, deviation))
    for t, share in normal_nodes(mean, spread, layer.phi):
        found = found + run.tensor(share) * activated(layer.phi, z + deviation * run.tensor(t), own, run)
        total = total + run.tensor(share)
    return found / total


@layer_output.register
def _(layer: Embedding, parameters: Sequence[Any], inputs: Sequence[Any], run: TorchRun) -> Any:
    x = inputs[0]
    codes = run.tensor(layer.codes(x.detach()[:, list(layer.columns)].cpu().numpy()))
    numbers = [j for j in range(x.shape[1]) if j not in set(layer.columns)]
    looked = [
        E[code.clamp(min=0)] * (code >= 0)[:, None] for E, code in zip(parameters, codes.unbind(dim=1), strict=True)
    ]
    return run.torch.cat([x[:, numbers], *looked], dim=1)


@layer_output.register
def _(layer: Recurrent, parameters: Sequence[Any], inputs: Sequence[Any], run: TorchRun) -> Any:
    if run.training and layer.clip is not None:
        parameters = _clipped(run.torch).apply(layer.clip, *parameters)
    W, U = parameters[:2]
    x, T = inputs[0] @ W, inputs[0].shape[1]
    x = x + parameters[2] if layer.bias else x
    states: list[Any] = []
    for t in range(T):
        z = x[:, t]
        if t > 0:
            cut = run.training and layer.truncate is not None and (T - t) % layer.truncate == 0
            z = z + (states[-1].detach() if cut else states[-1]) @ U
        states.append(activated(layer.phi, z, parameters[2 + layer.bias :], run))
    return run.torch.stack(states, dim=1) if layer.return_sequences else states[-1]


@cache
def _clipped(torch: Any) -> Any:
    """The identity, on whose way back all gradients together are scaled down to a norm."""

    class Clipped(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, bound: float, *parameters: Any) -> Any:
            ctx.bound = bound
            return tuple(parameter.view_as(parameter) for parameter in parameters)

        @staticmethod
        def backward(ctx: Any, *gradients: Any) -> Any:
            norm = float(sum(float((g**2).sum()) for g in gradients)) ** 0.5
            factor = min(1.0, ctx.bound / norm) if norm > 0 else 1.0
            return (None, *(g * factor for g in gradients))

    return Clipped


@cache
def _own_passes(torch: Any) -> Any:
    """A layer's own passes as a node of the graph."""

    class OwnPasses(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, layer: Layer, run: LayerRun, n_inputs: int, *tensors: Any) -> Any:
            arrays = [_array(tensor, layer) for tensor in tensors]
            ctx.layer, ctx.run, ctx.n_inputs, ctx.arrays = layer, run, n_inputs, arrays
            value, ctx.kept = layer.forward(arrays[n_inputs:], arrays[:n_inputs], run)
            return torch.from_numpy(np.array(value))

        @staticmethod
        def backward(ctx: Any, delta: Any) -> Any:
            inputs, parameters = ctx.arrays[: ctx.n_inputs], ctx.arrays[ctx.n_inputs :]
            gradients = [np.empty_like(parameter) for parameter in parameters]
            given = ctx.layer.backward(parameters, ctx.kept, delta.numpy().copy(), gradients, ctx.run, True)
            back = [np.array(part).reshape(x.shape) for part, x in zip(given, inputs, strict=True)]
            return (None, None, None, *(torch.from_numpy(part) for part in (*back, *gradients)))

    return OwnPasses


@cache
def _own_activation(torch: Any) -> Any:
    """The passes of an activation as a node of the graph."""

    class OwnActivation(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, phi: ActivationFunction, z: Any, *own: Any) -> Any:
            ctx.shape, Z, ctx.own = z.shape, _units_last(_array(z, phi)), [_array(a, phi) for a in own]
            A = np.empty_like(Z)
            phi.forward(Z, A, ctx.own)
            ctx.phi, ctx.Z, ctx.A = phi, Z, A
            return torch.from_numpy(_units_second(A, z.shape))

        @staticmethod
        def backward(ctx: Any, delta: Any) -> Any:
            D, gradients = np.array(_units_last(delta.cpu().numpy())), [np.empty_like(a) for a in ctx.own]
            ctx.phi.backward(ctx.Z, ctx.A, D, ctx.own, gradients)
            back = torch.from_numpy(_units_second(D, ctx.shape))
            return (None, back, *(torch.from_numpy(g) for g in gradients))

    return OwnActivation


def _array(tensor: Any, of: Any) -> Any:
    if tensor.device.type != "cpu":
        raise ValueError(f"{of!r} has passes of its own, which run on the processor; give device='cpu'")
    return tensor.detach().contiguous().numpy()


def _units_last(z: Any) -> Any:
    """(n, units, …) as rows of units."""
    return np.ascontiguousarray(np.moveaxis(z, 1, -1)).reshape(-1, z.shape[1])


def _units_second(rows: Any, shape: Sequence[int]) -> Any:
    """Rows of units in the shape (n, units, …)."""
    return np.ascontiguousarray(np.moveaxis(rows.reshape(shape[0], *shape[2:], shape[1]), -1, 1))
