"""The engines: what evaluates the gradient of a network.

    engine  →  make_problem(network, X, targets, losses, weights, options) → BatchProblem                        (1)

"numpy" serves every layer; "torch" serves the same ones, a user's own modules and other devices, and is imported when
it is asked for. "auto" takes torch only where it is installed and pays: for convolutions, devices other than the
processor, and modules. This is the only place that knows their names. `gnomon.neural._torch_engine` offers
``maker(device, masks)``, which returns (1), and ``module_network(module, n_features, n_outputs)``, a network whose
forward pass is a user's module.
"""

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any, TypeAlias

from gnomon._typing import Floats
from gnomon.numerics.validation import check_choice
from gnomon.optim import BatchProblem

__all__ = ["MakeProblem", "engine_name", "engine_of", "module_network"]

MakeProblem: TypeAlias = Callable[..., BatchProblem]
"""(network, X, targets, losses, weights, options) → problem; `options` are `penalties` and `rng`."""

_HEAVY = ("Conv2D", "ModuleLayer")
"""Layers that torch evaluates faster."""


def engine_of(engine: str, network: Any, *, device: str = "cpu", masks: str = "numpy") -> MakeProblem:
    """The function that makes problems for a network, by the word for its engine."""
    check_choice("device", device.partition(":")[0], ("cpu", "cuda", "mps"))
    name = engine_name(engine, network, device=device)
    if name == "numpy":
        if device != "cpu":
            raise ValueError(f"device={device!r} needs engine='torch'; choose it, or device='cpu'")
        return numpy_problem
    torch: Any = import_module("gnomon.neural._torch_engine")
    make: MakeProblem = torch.maker(device=device, masks=masks)
    return make


def engine_name(engine: str, network: Any, *, device: str = "cpu") -> str:
    """ "numpy" or "torch": which engine a word stands for, for this network."""
    check_choice("engine", engine, ("auto", "numpy", "torch"))
    installed = find_spec("torch") is not None
    if engine == "torch" and not installed:
        raise ImportError(
            "engine='torch' needs PyTorch; install it with: pip install gnomon[neural], or choose 'numpy'"
        )
    if engine != "auto":
        return engine
    heavy = device != "cpu" or any(type(layer).__name__ in _HEAVY for layer in network.layers)
    return "torch" if installed and heavy else "numpy"


def numpy_problem(
    network: Any, X: Any, targets: Any, losses: Any, weights: Floats | None, options: Any
) -> BatchProblem:
    """The problem by this package's own passes."""
    problem: BatchProblem = network.problem(X, targets, weights, loss=losses, **options)
    return problem


def module_network(module: Any, n_features: int, n_outputs: int) -> Any:
    """A network whose forward pass is ``module(n_features, n_outputs)``, a module of PyTorch."""
    engine_name("torch", None)
    torch: Any = import_module("gnomon.neural._torch_engine")
    return torch.module_network(module, n_features, n_outputs)
