"""The recurrent layer of Elman.

    h_t = φ(x_t W + h_{t−1} U + b),    h_0 = 0,    t = 1 … T                                                     (1)
    Δ_t = (∂J/∂h_t + Δ_{t+1} Uᵀ) ∗ φ'(z_t),    ∇W = Σ x_tᵀ Δ_t,  ∇U = Σ h_{t−1}ᵀ Δ_t,  ∇b = Σ Δ_tᵀ 1             (2)

Elman (1990), doi:10.1207/s15516709cog1402_1; (2) is back-propagation through time, Werbos (1990), doi:10.1109/5.58337.
Sequences are stored time by time, so that the products with W are one product of matrices for all times.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gnomon._typing import ArrayLike, Floats
from gnomon.neural.layers._activated import ActivatedLayer, activate, check_units, retreat
from gnomon.neural.layers._activation import ActivationFunction
from gnomon.neural.layers._layer import LayerRun, Parameter, Shape, shape_text
from gnomon.neural.layers.initializers import ConstantInit, Initializer, initializer_of

__all__ = ["Recurrent"]


class RecurrentPass(NamedTuple):
    """What the way back needs: inputs, Z and states, all of shape (T, n, ·)."""

    x: Floats
    Z: Floats
    h: Floats


@dataclass(frozen=True)
class Recurrent(ActivatedLayer):
    """States that depend on the input and on the state before, for rows that are sequences T × d.

    Parameters
    ----------
    units : int
    activation : str or activation, default="tanh"
    return_sequences : bool, default=False
        Whether the output is every state, T × units, or the last.
    truncate : int, optional
        While training, gradients go back through at most so many steps: the sequence is cut into pieces of this length,
        counted from its end, and none crosses a cut. The gradient over all rows, which certificates use, is exact.
    clip : float, optional
        While training, a gradient of this layer's parameters whose norm exceeds `clip` is scaled down to it.
    bias : bool, default=True
    init : str, Initializer or array-like, default="auto"
        First values of W.
    recurrent_init : str, Initializer or array-like, default="auto"
        First values of U.
    l1, l2, max_norm : float, optional
        As of `Dense`.
    name, after, trainable, output
        As every `Layer` has.

    References
    ----------
    Elman, J. L. (1990). Finding structure in time. doi:10.1207/s15516709cog1402_1

    Williams, R. J. & Peng, J. (1990). An efficient gradient-based algorithm for on-line training of recurrent network
    trajectories. doi:10.1162/neco.1990.2.4.490

    Pascanu, R., Mikolov, T. & Bengio, Y. (2013). On the difficulty of training recurrent neural networks. PMLR
    28(3):1310–1318.

    Examples
    --------
    h₁ = tanh(0.5·1 + 0.1) and h₂ = tanh(0.5·(−1) + 0.8 h₁ + 0.1):

    >>> import numpy as np
    >>> from gnomon.neural import NeuralNetwork
    >>> from gnomon.neural.layers import Recurrent
    >>> network = NeuralNetwork([Recurrent(1, return_sequences=True)], (2, 1))
    >>> network.output(np.array([0.5, 0.8, 0.1]), np.array([[[1.0], [-1.0]]])).ravel().round(7)
    array([0.5370496, 0.029631 ])
    """

    units: int
    activation: str | ActivationFunction = "tanh"
    return_sequences: bool = False
    truncate: int | None = None
    clip: float | None = None
    bias: bool = True
    init: str | Initializer | ArrayLike = "auto"
    recurrent_init: str | Initializer | ArrayLike = "auto"
    l1: float | None = None
    l2: float | None = None
    max_norm: float | None = None

    def __post_init__(self) -> None:
        check_units("units", self.units, "the width of the layer")
        if self.truncate is not None and not (isinstance(self.truncate, (int, np.integer)) and self.truncate >= 1):
            raise ValueError(f"truncate={self.truncate!r} must be a positive integer or None; give a number of steps")
        if self.clip is not None and not self.clip > 0:
            raise ValueError(f"clip={self.clip!r} must be positive or None; give the largest norm of a gradient")
        super().__post_init__()

    def output_shape(self, input_shapes: Sequence[Shape]) -> Shape:
        if len(input_shapes[0]) != 2:
            given = shape_text(input_shapes[0])
            raise ValueError(f"Recurrent needs rows times×columns and has {given}; put Reshape before it")
        return (input_shapes[0][0], int(self.units)) if self.return_sequences else (int(self.units),)

    def parameters(self, input_shapes: Sequence[Shape]) -> tuple[Parameter, ...]:
        d, units, gain = input_shapes[0][1], int(self.units), self.phi.gain
        W = Parameter("W", (d, units), d, units, True, initializer_of(self.init, gain), gain, norm_axis=1)
        start = initializer_of(self.recurrent_init, gain)
        U = Parameter("U", (units, units), units, units, True, start, gain, norm_axis=1)
        b = Parameter("b", (units,), d, units, False, ConstantInit(0.0), gain)
        return (W, U, *((b,) if self.bias else ()), *self.phi.parameters(units))

    def forward(
        self, parameters: Sequence[Floats], inputs: Sequence[Any], run: LayerRun
    ) -> tuple[Floats, RecurrentPass]:
        W, U = parameters[:2]
        x = np.ascontiguousarray(inputs[0].transpose(1, 0, 2))
        T, n, d = x.shape
        Z, h = run.array("Z", (T, n, W.shape[1])), run.array("h", (T, n, W.shape[1]))
        np.dot(x.reshape(T * n, d), W, out=Z.reshape(T * n, -1))
        for t in range(T):
            if t > 0:
                Z[t] += h[t - 1] @ U
            activate(self.phi, Z[t], parameters[2] if self.bias else None, h[t], parameters[2 + self.bias :], run)
        return (h.transpose(1, 0, 2) if self.return_sequences else h[-1]), RecurrentPass(x, Z, h)

    def backward(
        self,
        parameters: Sequence[Floats],
        saved: RecurrentPass,
        delta: Floats,
        gradients: Sequence[Floats],
        run: LayerRun,
        wants_inputs: bool,
    ) -> Sequence[Floats]:
        x, _, h = saved
        T, n, units = h.shape
        D = self._through_time(parameters, saved, delta, gradients, run)
        flat = D.reshape(T * n, units)
        np.dot(x.reshape(T * n, -1).T, flat, out=gradients[0])
        np.dot(h[:-1].reshape(-1, units).T, flat[n:], out=gradients[1])
        if run.training and self.clip is not None:
            _clip(gradients, self.clip)
        return ((flat @ parameters[0].T).reshape(x.shape).transpose(1, 0, 2),) if wants_inputs else ()

    def _through_time(
        self,
        parameters: Sequence[Floats],
        saved: RecurrentPass,
        delta: Floats,
        gradients: Sequence[Floats],
        run: LayerRun,
    ) -> Floats:
        """Δ_t of (2) for every t, with the gradients of b and of the activation's own parameters."""
        _, Z, h = saved
        T, n, units = h.shape
        D, own = run.array("Δ", h.shape), parameters[2 + self.bias :]
        D[...] = delta.reshape(n, T, units).transpose(1, 0, 2) if self.return_sequences else 0
        if not self.return_sequences:
            D[-1] = delta
        rest = gradients[2:]
        parts = [np.empty_like(g) for g in rest]
        for g in rest:
            g[...] = 0
        for t in range(T - 1, -1, -1):
            if t < T - 1 and not self._is_cut(T - 1 - t, run):
                D[t] += D[t + 1] @ parameters[1].T
            retreat(
                self.phi, Z[t], h[t], D[t], parts[0] if self.bias else None, own, parts[self.bias :], run
            )  # fmt: skip
            for g, part in zip(rest, parts, strict=True):
                g += part
        return D

    def _is_cut(self, steps_to_end: int, run: LayerRun) -> bool:
        return run.training and self.truncate is not None and steps_to_end % self.truncate == 0

    def scores(self, saved: RecurrentPass, output: Floats) -> Floats:
        return saved.Z.transpose(1, 0, 2)


def _clip(gradients: Sequence[Floats], bound: float) -> None:
    """Scale all of them together to the norm `bound` if theirs is larger: Pascanu et al. (2013), algorithm 1."""
    norm = np.sqrt(sum(float(np.vdot(g, g).real) for g in gradients))
    if norm > bound:
        for g in gradients:
            g *= bound / norm
