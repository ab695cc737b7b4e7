"""The engines: what evaluates a network and its gradient.

    engine  →  passes(dtype, rng) → workspace,    with the passes forward and backward of `Workspace`              (1)

"numpy" serves every layer; "torch" serves the same ones, a user's own modules and other devices, and is imported when
it is asked for. "auto" takes torch only where it is installed and pays: for convolutions, devices other than the
processor, and modules. This is the only place that knows their names. `gnomon.neural._torch_engine` offers
``torch_passes(network, device, masks)``, which returns (1), and ``module_network(module, n_features, n_outputs)``, a
network whose forward pass is a user's module.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeAlias

import numpy as np

from gnomon._extras import is_installed, need
from gnomon.numerics.validation import check_choice

__all__ = ["Passes", "engine_name", "module_network", "passes_here", "passes_of"]

Passes: TypeAlias = Callable[[Any, np.random.Generator | None], Any]
"""(dtype, generator of random layers) → workspace."""

_HEAVY = ("Conv2D", "ModuleLayer")
"""Layers that torch evaluates faster."""


def passes_of(engine: str, network: Any, *, device: str = "cpu", masks: str = "numpy") -> Passes:
    """(1) for a network, by the word for its engine."""
    check_choice("device", device.partition(":")[0], ("cpu", "cuda", "mps"))
    if engine_name(engine, network, device=device) == "numpy":
        if device != "cpu":
            raise ValueError(f"device={device!r} needs engine='torch'; choose it, or device='cpu'")
        if masks != "numpy":
            raise ValueError(f"masks={masks!r} needs engine='torch'; choose it, or masks='numpy'")
        own: Passes = network.workspace
        return own
    torch: Any = import_module("gnomon.neural._torch_engine")
    found: Passes = torch.torch_passes(network, device=device, masks=masks)
    return found


def passes_here(engine: str, network: Any, *, device: str = "cpu") -> Passes:
    """(1) of the engine that a network was trained by; of "numpy", which serves every layer, where torch is missing."""
    installed = engine == "numpy" or is_installed("torch")
    return passes_of(engine, network, device=device) if installed else passes_of("numpy", network)


def engine_name(engine: str, network: Any, *, device: str = "cpu") -> str:
    """ "numpy" or "torch": which engine a word stands for, for this network."""
    check_choice("engine", engine, ("auto", "numpy", "torch"))
    if engine == "torch":
        need("engine='torch'", "torch", otherwise=", or choose 'numpy'")
    if engine != "auto":
        return engine
    heavy = device != "cpu" or any(type(layer).__name__ in _HEAVY for layer in network.layers)
    return "torch" if heavy and is_installed("torch") else "numpy"


def module_network(module: Any, n_features: int, n_outputs: int) -> Any:
    """A network whose forward pass is ``module(n_features, n_outputs)``, a module of PyTorch."""
    engine_name("torch", None)
    torch: Any = import_module("gnomon.neural._torch_engine")
    return torch.module_network(module, n_features, n_outputs)
