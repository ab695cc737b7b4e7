"""Networks as modules of PyTorch, and modules of PyTorch as layers.

    NeuralNetwork, θ  →  torch.nn.Module with equal outputs;    module(n_features, n_outputs)  →  a layer f(x; θ)    (1)

A module is called with its parameters replaced by parts of θ, so that whatever trains a network trains it. Paszke et
al. (2019), arXiv:1912.01703.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from math import prod
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from gnomon._extras import need
from gnomon._typing import Floats
from gnomon.neural._torch_layers import TorchRun, layer_output, readable
from gnomon.neural.layers import Fans, Initializer, Layer, LayerRun, Parameter
from gnomon.neural.layers._layer import Shape

__all__ = ["ModuleLayer", "as_module", "import_torch", "propagate"]

_SWAP = Lock()
"""Held while the parameters of a module are replaced, which threads must not do to one module at once."""


def import_torch() -> Any:
    """PyTorch, or an error that names the extra to install."""
    need("a module of PyTorch", "torch")
    return import_module("torch")


def propagate(nodes: Sequence[Any], values: dict[str, Any], leaves: Sequence[Any], runs: Sequence[TorchRun]) -> Any:
    """The output of every node by its name, given those of the inputs; shared weights come first."""
    first = {node.name: own[0] for node, own in zip(nodes, leaves, strict=True) if len(own)}
    for node, own, run in zip(nodes, leaves, runs, strict=True):
        taken = readable(node.layer, [values[source] for source in node.sources])
        parameters = own if node.layer.shares is None else [first[node.layer.shares], *own]
        values[node.name] = layer_output(node.layer, parameters, taken, run)
    return values


def as_module(network: Any, theta: Floats) -> Any:
    """A module with the outputs of a network; its parameters are copies of θ."""
    torch = import_torch()
    return _network_module(torch)(network, np.asarray(theta))


@cache
def _network_module(torch: Any) -> Any:
    class NetworkModule(torch.nn.Module):
        """The passes of a network; several inputs or outputs are dicts by name."""

        def __init__(self, network: Any, theta: Floats) -> None:
            super().__init__()
            self.network = network
            for name, views in network.views(theta).items():
                trained = next(node.layer.trainable for node in network.nodes if node.name == name)
                for k, view in enumerate(views):
                    copy = torch.from_numpy(np.array(view))
                    self.register_parameter(f"{name}_{k}", torch.nn.Parameter(copy, requires_grad=trained))

        def forward(self, X: Any) -> Any:
            given = X if isinstance(X, dict) else {next(iter(self.network.input_shapes)): X}
            values = {n: x.reshape(len(x), *self.network.input_shapes[n]) for n, x in given.items()}
            first = next(iter(values.values()))
            dtype = first.detach().cpu().numpy()[:0].dtype
            own = LayerRun(dtype, training=self.training, rng=np.random.default_rng())
            run = TorchRun(torch, first.device, own, _GlobalDraws(torch, first.device))
            leaves = [
                [getattr(self, f"{node.name}_{k}") for k in range(len(node.parameters))] for node in self.network.nodes
            ]
            propagate(self.network.nodes, values, leaves, [run] * len(leaves))
            found = {name: values[name] for name in self.network.output_shapes}
            return next(iter(found.values())) if len(found) == 1 else found

    return NetworkModule


class _GlobalDraws:
    """Numbers by the generator that modules use."""

    def __init__(self, torch: Any, device: Any) -> None:
        self.torch, self.device = torch, device

    def random(self, shape: Sequence[int], dtype: Any = None) -> Any:
        return self.torch.rand(tuple(shape), device=self.device)

    def standard_normal(self, shape: Sequence[int]) -> Any:
        return self.torch.randn(tuple(shape), device=self.device)


@dataclass(frozen=True)
class ModuleInit(Initializer):
    """What a fresh module has as its parameter of this number; its draws are seeded by the generator of every start."""

    factory: Callable[[], Any]
    number: int

    def draw(self, rng: np.random.Generator, shape: Shape, fans: Fans) -> Floats:
        torch = import_torch()
        with torch.random.fork_rng():
            torch.manual_seed(int(rng.integers(2**62)))
            return list(self.factory().parameters())[self.number].detach().cpu().numpy()


class ModulePass(NamedTuple):
    """What the way back needs: tensors of the input and the parameters, and the output as a graph."""

    leaves: list[Any]
    output: Any


@dataclass(frozen=True)
class ModuleLayer(Layer):
    """A user's module as a layer.

    Arrays of two axes or more are weights with units along the first axis, others biases. Dropout in the module draws
    by PyTorch, seeded by the generator of the training; what it keeps besides parameters (running means) stays as the
    last batch of the training left it.

    Parameters
    ----------
    module : callable (n_features, n_outputs) → torch.nn.Module
    n_features, n_outputs : int
    """

    module: Callable[[int, int], Any]
    n_features: int
    n_outputs: int

    def __post_init__(self) -> None:
        torch = import_torch()
        made = self.module(self.n_features, self.n_outputs)
        if not isinstance(made, torch.nn.Module):
            raise ValueError(
                f"module={self.module!r} returned {type(made).__name__}; give a function (n_features, n_outputs) → "
                "torch.nn.Module"
            )
        kinds = torch.nn.modules.dropout._DropoutNd, torch.nn.modules.batchnorm._NormBase
        object.__setattr__(self, "_made", made)
        object.__setattr__(self, "_random", any(isinstance(part, kinds) for part in made.modules()))

    @property
    def random(self) -> bool:  # type: ignore[override]
        """Whether a part of the module draws, or couples the rows of a batch."""
        return self._random  # type: ignore[attr-defined]

    @property
    def remembers(self) -> bool:  # type: ignore[override]
        """Whether the module has buffers."""
        return any(True for _ in self._made.buffers())  # type: ignore[attr-defined]

    def output_shape(self, input_shapes: Sequence[Shape]) -> Shape:
        return (int(self.n_outputs),)

    def parameters(self, input_shapes: Sequence[Shape]) -> tuple[Parameter, ...]:
        found = []
        for k, (_, p) in enumerate(self._named()):
            shape, weight = tuple(p.shape), p.ndim > 1
            fans = prod(shape[1:]), shape[0] if shape else 1
            init = ModuleInit(lambda: self.module(self.n_features, self.n_outputs), k)
            found.append(Parameter("W" if weight else "b", shape, *fans, weight, init, norm_axis=0 if weight else None))
        return tuple(found)

    def _named(self) -> list[tuple[str, Any]]:
        return list(self._made.named_parameters())  # type: ignore[attr-defined]

    def call(self, torch: Any, parameters: Sequence[Any], x: Any, training: bool, rng: Any) -> Any:
        """The module's output with other parameters."""
        made: Any = self._made  # type: ignore[attr-defined]
        given = {name: p for (name, _), p in zip(self._named(), parameters, strict=True)}
        draws = training and self.random and rng is not None
        with _SWAP, torch.random.fork_rng(enabled=draws):
            if draws:
                torch.manual_seed(int(rng.integers(2**62)))
            made.train(training).to(device=x.device, dtype=x.dtype)
            found = torch.func.functional_call(made, given, (x,))
        if tuple(found.shape) != (len(x), self.n_outputs):
            raise ValueError(
                f"module={self.module!r} gives an output of shape {tuple(found.shape)} for {len(x)} rows; "
                f"it must be ({len(x)}, {self.n_outputs})"
            )
        return found

    def forward(self, parameters: Sequence[Floats], inputs: Sequence[Any], run: LayerRun) -> tuple[Floats, ModulePass]:
        torch = import_torch()
        leaves = [torch.from_numpy(np.array(a)).requires_grad_() for a in (*parameters, inputs[0])]
        found = self.call(torch, leaves[:-1], leaves[-1], run.training, run.rng)
        return np.ascontiguousarray(found.detach().numpy()), ModulePass(leaves, found)

    def backward(
        self,
        parameters: Sequence[Floats],
        saved: ModulePass,
        delta: Floats,
        gradients: Sequence[Floats],
        run: LayerRun,
        wants_inputs: bool,
    ) -> Sequence[Floats]:
        torch = import_torch()
        given = torch.from_numpy(np.array(delta))
        found = torch.autograd.grad(saved.output, saved.leaves, given, retain_graph=True, materialize_grads=True)
        for gradient, part in zip(gradients, found[:-1], strict=True):
            gradient[...] = part.numpy()
        return (found[-1].numpy(),)


@layer_output.register
def _(layer: ModuleLayer, parameters: Sequence[Any], inputs: Sequence[Any], run: TorchRun) -> Any:
    return layer.call(run.torch, parameters, inputs[0], run.training, run.own.rng)
