"""DropConnect.

    Z = A_in (R ∗ W)/keep + 1bᵀ  ("inverted")    or    A_in (R ∗ W) + 1bᵀ  ("average"),    R ~ Bernoulli(keep)   (1)

while training, with a mask R of the weights for each row. For predictions z has the mean μ and the variance v of (1),

    μ = q Σ w a + b,    v = q² (1 − keep)/keep Σ w² a²,    q = 1 ("inverted") or keep ("average"),               (2)

and a prediction is φ(μ) ("average") or E φ(z) for a normal z ("gaussian"), as

    E φ(z) = Σ_panels ∫ φ(μ + √v t) N(t) dt,                                                                     (3)

with edges where φ has kinks and bends and where N falls, so that every panel is smooth: right to 1e-8 (1 + √v) for
every v. Wan, Zeiler, Zhang, LeCun & Fergus (2013), PMLR 28(3):1058–1066, section 3.2.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np

from gnomon._typing import ArrayLike, Floats
from gnomon.neural.layers._activated import ActivatedLayer, activate, retreat
from gnomon.neural.layers._activation import ActivationFunction
from gnomon.neural.layers._layer import LayerRun, Parameter, Shape
from gnomon.neural.layers.dense import Dense
from gnomon.neural.layers.dropout import check_keep, check_words, draw_mask
from gnomon.neural.layers.initializers import Initializer

__all__ = ["DropConnect"]

NODES, SHARES = np.polynomial.legendre.leggauss(12)
"""Gauss–Legendre, for each panel of (3)."""

TAILS = (-8.0, -2.5, 2.5, 8.0)
"""Edges in t, outside which a standard normal number has the probability 1e-15."""

BENDS = (-12.0, -4.0, 4.0, 12.0)
"""Edges in z, beside the kinks of φ, between which a smooth φ bends and outside which it does not."""


class ConnectPass(NamedTuple):
    """What the way back needs: the inputs, what W was multiplied by (one matrix, or one for each row), Z, its standard
    deviation where predictions average over it, and A."""

    x: Floats
    factors: Floats
    Z: Floats
    deviation: Floats | None
    A: Floats


@dataclass(frozen=True)
class DropConnect(ActivatedLayer):
    """A dense layer each of whose weights is kept with the probability `keep`, while training.

    Parameters
    ----------
    units : int
    keep : float, default=0.5
        The probability that a weight is KEPT, in (0, 1].
    activation : str or activation, default="identity"
    scaling : {"inverted", "average"}, default="inverted"
        As of `Dropout`.
    per : {"row", "batch"}, default="row"
        A mask of its own for each row, or one for all rows of a batch, which costs no more than a dense layer.
    prediction : {"average", "gaussian"}, default="average"
        φ of the mean of z, or the mean of φ(z) over a normal z with the moments (2), right to 1e-8 of 1 + its standard
        deviation for the activations of this package.
    bias : bool, default=True
        Biases are not dropped.
    init : str, Initializer or array-like, default="auto"
    l1, l2, max_norm : float, optional
        As of `Dense`.
    name, after, trainable, output
        As every `Layer` has.

    References
    ----------
    Wan, L., Zeiler, M., Zhang, S., LeCun, Y. & Fergus, R. (2013). Regularization of neural networks using DropConnect.
    PMLR 28(3):1058–1066.

    Examples
    --------
    For w∗a = (0.5, −2, 6) the mean of z is half the sum and its variance a quarter of the sum of squares:

    >>> import numpy as np
    >>> from gnomon.neural import NeuralNetwork
    >>> from gnomon.neural.layers import DropConnect
    >>> network = NeuralNetwork([DropConnect(1, 0.5, scaling="average", bias=False)], 3)
    >>> theta, a = np.array([0.5, -1.0, 2.0]), np.array([[1.0, 2.0, 3.0]])
    >>> network.output(theta, a)
    array([[2.25]])
    >>> space = network.workspace(float, np.random.default_rng(0))
    >>> z = space.forward(theta, [np.repeat(a, 200_000, axis=0)], training=True)[0]
    >>> bool(abs(z.mean() - 2.25) < 0.05), bool(abs(z.var() - 10.0625) < 0.1)
    (True, True)
    """

    units: int
    keep: float = 0.5
    activation: str | ActivationFunction = "identity"
    scaling: Literal["inverted", "average"] = "inverted"
    per: Literal["row", "batch"] = "row"
    prediction: Literal["average", "gaussian"] = "average"
    bias: bool = True
    init: str | Initializer | ArrayLike = "auto"
    l1: float | None = None
    l2: float | None = None
    max_norm: float | None = None

    random = True

    def __post_init__(self) -> None:
        super().__post_init__()
        check_keep(self.keep)
        check_words(self.scaling, self.per)
        if self.prediction not in ("average", "gaussian"):
            raise ValueError(f"prediction={self.prediction!r} must be 'average' or 'gaussian'; give one of these")
        dense = Dense(self.units, self.activation, self.bias, self.init)
        if self.prediction == "gaussian" and dense.phi.parameters(1):
            raise ValueError(f"prediction='gaussian' needs an activation without parameters, not {self.activation!r}")
        object.__setattr__(self, "_dense", dense)

    @property
    def piecewise_linear(self) -> bool:  # type: ignore[override]
        """Whether its activation, and its way to predict, are piecewise linear."""
        return self.phi.piecewise_linear and self.prediction == "average"

    @property
    def kept(self) -> float:
        """The probability that a weight is kept."""
        return self.keep

    @property
    def factor(self) -> float:
        """q of (2): what a prediction multiplies W by."""
        return self.keep if self.scaling == "average" else 1.0

    def output_shape(self, input_shapes: Sequence[Shape]) -> Shape:
        return (int(self.units),)

    def parameters(self, input_shapes: Sequence[Shape]) -> tuple[Parameter, ...]:
        return self._dense.parameters(input_shapes)  # type: ignore[attr-defined]

    def draw(self, rng: np.random.Generator, n: int, input_shapes: Sequence[Shape]) -> dict[str, Any]:
        fan_in = int(np.prod(input_shapes[0]))
        return {"mask": draw_mask(rng, self.keep, (n if self.per == "row" else 1, fan_in, int(self.units)))}

    def forward(self, parameters: Sequence[Floats], inputs: Sequence[Any], run: LayerRun) -> tuple[Floats, ConnectPass]:
        x, factors = inputs[0].reshape(inputs[0].shape[0], -1), self._factors(inputs[0], run)
        W = parameters[0] * factors
        b, Z = parameters[1] if self.bias else None, run.array("Z", (x.shape[0], W.shape[2]))
        A = run.array("A", Z.shape)
        Z[...] = x @ W[0] if len(W) == 1 else (x[:, None, :] @ W)[:, 0]
        if run.training or self.prediction == "average":
            activate(self.phi, Z, b, A, parameters[1 + self.bias :], run)
            return A, ConnectPass(x, factors, Z, None, A)
        if b is not None:
            Z += b
        deviation = np.sqrt(self._spread * (x**2 @ W[0] ** 2))
        A[...], total = 0, np.zeros(Z.shape)
        for t, share in normal_nodes(Z, deviation, self.phi):
            A += share * self._phi_at(Z + deviation * t)
            total += share
        A /= total
        return A, ConnectPass(x, factors, Z, deviation, A)

    def backward(
        self,
        parameters: Sequence[Floats],
        saved: ConnectPass,
        delta: Floats,
        gradients: Sequence[Floats],
        run: LayerRun,
        wants_inputs: bool,
    ) -> Sequence[Floats]:
        x, factors, Z, deviation, A = saved
        W = parameters[0] * factors
        if deviation is not None:
            return self._backward_gaussian(W[0], saved, deviation, delta, gradients)
        own, gb = slice(1 + self.bias, None), gradients[1] if self.bias else None
        retreat(self.phi, Z, A, delta, gb, parameters[own], gradients[own], run)
        if len(W) == 1:
            gradients[0][...] = (x.T @ delta) * factors[0]
            return (delta @ W[0].T,)
        gradients[0][...] = np.sum(factors * x[:, :, None] * delta[:, None, :], axis=0)
        return ((W @ delta[:, :, None])[:, :, 0],)

    def _factors(self, x: Floats, run: LayerRun) -> Floats:
        """What W is multiplied by: a matrix for each row, or one for all; a mask in training, else q of (2)."""
        if not run.training:
            return np.full((1, 1, 1), self.factor, run.dtype)
        mask = run.drawn(self, len(x), [x.shape[1:]])["mask"]
        return mask * run.dtype.type(1.0 if self.scaling == "average" else 1.0 / self.keep)

    @property
    def _spread(self) -> float:
        return (1.0 - self.keep) / self.keep

    def _phi_at(self, Z: Floats) -> Floats:
        A = np.empty_like(Z)
        self.phi.forward(Z, A, ())
        return A

    def _backward_gaussian(
        self, W: Floats, saved: ConnectPass, deviation: Floats, delta: Floats, gradients: Sequence[Floats]
    ) -> Sequence[Floats]:
        """The derivative of (3) in μ and v, and of these in W, b and the inputs."""
        x, factors, Z = saved[:3]
        in_mean, in_deviation, total = np.zeros_like(Z), np.zeros_like(Z), np.zeros(Z.shape)
        for t, share in normal_nodes(Z, deviation, self.phi):
            z, part = Z + deviation * t, share * delta
            self.phi.backward(z, self._phi_at(z), part, (), ())
            in_mean += part
            in_deviation += t * part
            total += share
        in_mean /= total
        in_deviation /= total
        alive = np.real(deviation) > 0
        in_variance = np.where(alive, in_deviation / (2.0 * np.where(alive, deviation, 1.0)), 0.0)
        c = 2.0 * self._spread
        gradients[0][...] = (x.T @ in_mean + c * W * ((x**2).T @ in_variance)) * factors[0]
        if self.bias:
            np.add.reduce(in_mean, axis=0, out=gradients[1])
        return (in_mean @ W.T + c * x * (in_variance @ (W**2).T),)


def normal_nodes(mean: Floats, deviation: Floats, phi: ActivationFunction) -> Iterator[tuple[Floats, Floats]]:
    """Nodes t of (3) for every number, and their shares but for a factor."""
    mean, deviation = np.real(mean), np.real(deviation)
    scale = np.where(deviation > 0.0, deviation, 1.0)
    inside = [np.clip((edge - mean) / scale, TAILS[0], TAILS[-1]) for edge in (*BENDS, *phi.kinks)]
    edges = np.sort(np.stack([*inside, *(np.full_like(mean, edge) for edge in TAILS)]), axis=0)
    for low, high in pairwise(edges):
        half = 0.5 * (high - low)
        for node, share in zip(NODES, SHARES, strict=True):
            t = low + half * (1.0 + node)
            yield t, share * half * np.exp(-0.5 * t * t)
