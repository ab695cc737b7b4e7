"""The engine "torch": the same problem, with passes by PyTorch.

    forward   Z = f(θ, X) as a graph;    backward   ∇θ = Σ_outputs (∂Z/∂θ)ᵀΔ by automatic differentiation           (1)

Only the passes through the network are others: rows, losses, weights, penalties and everything that optimisers see are
those of `NetworkProblem`, so that both engines minimise the same function by the same steps. Parameters are tensors
that share the memory of θ; on another device they are copies. Paszke et
al. (2019), PyTorch: an imperative style, high-performance deep learning library, arXiv:1912.01703.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from gnomon._typing import Floats, is_sparse
from gnomon.neural._torch_layers import TorchRun, dense
from gnomon.neural._torch_module import ModuleLayer, import_torch, propagate
from gnomon.neural._workspace import cut
from gnomon.neural.layers import LayerRun
from gnomon.neural.network import NeuralNetwork

__all__ = ["Masks", "TorchWorkspace", "module_network", "torch_passes"]

Masks: TypeAlias = Literal["numpy", "native"]


def torch_passes(network: Any, *, device: str = "cpu", masks: Masks = "numpy") -> Callable[..., TorchWorkspace]:
    """(dtype, generator) → passes through a network on a device."""
    torch = import_torch()
    if masks not in ("numpy", "native"):
        raise ValueError(f"masks={masks!r} must be 'numpy' or 'native'; give one of these")
    names = list(network.input_shapes), list(network.output_shapes)
    return partial(TorchWorkspace, torch, _device(torch, device), masks, network.nodes, *names)


def module_network(module: Callable[[int, int], Any], n_features: int, n_outputs: int) -> NeuralNetwork:
    """A network whose only layer is a user's module."""
    return NeuralNetwork([ModuleLayer(module, int(n_features), int(n_outputs), output=True)], int(n_features))


class TorchWorkspace:
    """The passes through one network, as `Workspace` has them.

    Parameters
    ----------
    torch : module
    device : torch.device
    masks : {"numpy", "native"}
        Whether masks are drawn by the generator of every engine, or on the device.
    nodes, inputs, outputs, dtype, rng
        As of `Workspace`.
    """

    by_parts: ClassVar[bool] = False  # PyTorch has threads of its own

    def __init__(
        self,
        torch: Any,
        device: Any,
        masks: Masks,
        nodes: Sequence[Any],
        inputs: Sequence[str],
        outputs: Sequence[str],
        dtype: Any,
        rng: np.random.Generator | None = None,
    ) -> None:
        self.torch, self.device, self.nodes, self.names = torch, device, nodes, list(inputs)
        native = NativeDraws(torch, device, rng) if masks == "native" and rng is not None else None
        self.runs = [LayerRun(np.dtype(dtype), rng=rng) for _ in nodes]
        blocked = bool(torch.backends.mkldnn.is_available())
        self._lent = [TorchRun(torch, device, run, native, blocked) for run in self.runs]
        self._wanted = list(outputs)
        self._theta: Floats | None = None
        self._leaves: list[tuple[Any, ...]] = []
        self._outputs: list[Any] = []

    def freeze(self, draws: Mapping[str, dict[str, Any]] | None) -> None:
        """Let random layers use these draws, by the layer's name, in training; None lets them draw again."""
        for node, run in zip(self.nodes, self.runs, strict=True):
            run.masks = None if draws is None else draws.get(node.name)

    def forward(self, theta: Floats, inputs: Sequence[Any], *, training: bool = False) -> list[Floats]:
        """The outputs for a batch as arrays; the graph stays for the way back."""
        for run in self.runs:
            run.training = training
        self._place(theta)
        # Copies, since a module may work in place.
        tensors = [self._lent[0].tensor(np.array(_rows(x))) for x in inputs]
        values = propagate(self.nodes, dict(zip(self.names, tensors, strict=True)), self._leaves, self._lent)
        self._outputs = [dense(values[name]) for name in self._wanted]
        return [np.ascontiguousarray(Z.detach().cpu().numpy()) for Z in self._outputs]

    def outputs(self, theta: Floats, inputs: Sequence[Any]) -> list[Floats]:
        """The outputs for rows, without a graph."""
        with self.torch.no_grad():
            return self.forward(theta, inputs)

    def backward(self, deltas: Sequence[Floats], gradient: Floats) -> None:
        """Write the gradient in θ."""
        leaves = [leaf for node in self._leaves for leaf in node]
        trained = [leaf for leaf in leaves if leaf.requires_grad]
        given = [self._lent[0].tensor(delta) for delta in deltas]
        found = self.torch.autograd.grad(self._outputs, trained, given, allow_unused=True) if trained else ()
        parts = dict(zip(map(id, trained), found, strict=True))
        for node, tensors in zip(self.nodes, self._leaves, strict=True):
            for view, leaf in zip(cut(gradient, node.parameters, node.start), tensors, strict=True):
                part = parts.get(id(leaf))
                view[...] = 0 if part is None else part.cpu().numpy()

    def _place(self, theta: Floats) -> None:
        """Tensors of the parameters: on the processor they share the memory of θ and are made once."""
        if theta is self._theta and self.device.type == "cpu":
            return
        self._theta = theta
        self._leaves = [
            tuple(
                self.torch.from_numpy(view).to(self.device).requires_grad_(node.layer.trainable)
                for view in cut(theta, node.parameters, node.start)
            )
            for node in self.nodes
        ]


class NativeDraws:
    """Numbers drawn on the device, seeded by the generator of the training."""

    def __init__(self, torch: Any, device: Any, rng: np.random.Generator) -> None:
        self.torch, self.device = torch, device
        self._generator = torch.Generator(device=device)
        self._generator.manual_seed(int(rng.integers(2**62)))

    def random(self, shape: Sequence[int], dtype: Any = None) -> Any:
        """Numbers in [0, 1) of single precision."""
        return self.torch.rand(tuple(shape), generator=self._generator, device=self.device)

    def standard_normal(self, shape: Sequence[int]) -> Any:
        """Standard normal numbers of single precision."""
        return self.torch.randn(tuple(shape), generator=self._generator, device=self.device)


def _rows(x: Any) -> Any:
    thin: bool = is_sparse(x)
    return x.toarray() if thin else x


def _device(torch: Any, device: str) -> Any:
    known = {
        "cpu": True,
        "cuda": bool(torch.cuda.is_available()),
        "mps": bool(torch.backends.mps.is_available()),
    }
    kind = str(device).split(":")[0]
    if not known.get(kind, False):
        usable = [name for name, there in known.items() if there]
        raise ValueError(f"device={device!r} must be one that PyTorch finds here, {usable}; give one of these")
    return torch.device(device)
