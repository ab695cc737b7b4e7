"""The words for activations.

"relu" → ReLU(),  "tanh" → Tanh(),  "sigmoid" or "logistic" → LogisticSigmoid(), …                         (1)
"""

from __future__ import annotations

from gnomon.neural.layers._activation import ActivationFunction
from gnomon.neural.layers.hard import HardTanh
from gnomon.neural.layers.identity import Identity
from gnomon.neural.layers.prelu import PReLU
from gnomon.neural.layers.relu import LeakyReLU, ReLU
from gnomon.neural.layers.sigmoid import LogisticSigmoid
from gnomon.neural.layers.smooth import ELU, GELU, SiLU, Softplus
from gnomon.neural.layers.step import Sign, UnitStep
from gnomon.neural.layers.tanh import Tanh

__all__ = ["ACTIVATIONS", "activation_of"]

ACTIVATIONS: dict[str, ActivationFunction] = {
    "identity": Identity(),
    "logistic": LogisticSigmoid(),
    "sigmoid": LogisticSigmoid(),
    "tanh": Tanh(),
    "relu": ReLU(),
    "leaky_relu": LeakyReLU(),
    "prelu": PReLU(),
    "hard_tanh": HardTanh(),
    "softplus": Softplus(),
    "silu": SiLU(),
    "gelu": GELU(),
    "elu": ELU(),
    "step": UnitStep(),
    "sign": Sign(),
}
"""The words for activations with their usual constants."""


def activation_of(activation: str | ActivationFunction) -> ActivationFunction:
    """The activation that a word or an object stands for.

    Examples
    --------
    >>> from gnomon.neural.layers import activation_of
    >>> activation_of("logistic")
    LogisticSigmoid()
    >>> activation_of("swoosh")
    Traceback (most recent call last):
    ...
    ValueError: activation='swoosh' must be one of ['elu', 'gelu', ...] or an activation; give one of these
    """
    if isinstance(activation, ActivationFunction):
        return activation
    if not isinstance(activation, str) or activation not in ACTIVATIONS:
        raise ValueError(
            f"activation={activation!r} must be one of {sorted(ACTIVATIONS)} or an activation; give one of these"
        )
    return ACTIVATIONS[activation]
