"""The evidence lower bound as a problem for `gnomon.optim`.

    log p(x) ≥ E_q[log p(x | z)] − KL(q ‖ N(0, I)),    q = N(μ(x), diag σ²(x))                              (1)
    z = μ + σ∗ε,  ε ~ N(0, I);    KL = ½ Σ (μ² + σ² − 1 − log σ²)                                           (2)

The encoder gives (μ, log σ²), the decoder the parameters of p(x | z). With z as in (2) a draw of ε makes (1) a function
of the parameters, whose gradient goes back through the decoder to z, from there to μ and log σ², and through the
encoder: Kingma & Welling (2014), arXiv:1312.6114, eq. 10.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from gnomon._typing import Floats
from gnomon.neural.network import NeuralNetwork
from gnomon.numerics.special import sigmoid
from gnomon.optim import ParameterGroup
from gnomon.optim.batch_problem import Rows

__all__ = ["BernoulliDecoder", "DecoderLaw", "ElboProblem", "GaussianDecoder", "kl_to_standard_normal"]

_LOG_2_PI = float(np.log(2.0 * np.pi))


def kl_to_standard_normal(mean: Floats, log_variance: Floats) -> Floats:
    """KL of (2) for each row."""
    return 0.5 * np.sum(mean**2 + np.exp(log_variance) - 1.0 - log_variance, axis=1)


class DecoderCost(NamedTuple):
    """−log p(x | z) of each row, its derivative in the decoder's output, and that in the law's own parameter."""

    values: Floats
    delta: Floats
    own: Floats


class DecoderLaw(Protocol):
    """p(x | f), f what the decoder gives."""

    def cost(self, x: Floats, f: Floats, t: float) -> DecoderCost:
        """With t, the logarithm of the noise variance, where there is one."""

    def mean(self, f: Floats) -> Floats:
        """E[x | f]."""

    def draw(self, f: Floats, t: float, rng: np.random.Generator) -> Floats:
        """Rows from p(x | f)."""


@dataclass(frozen=True)
class GaussianDecoder:
    """x ~ N(f, e^t I)."""

    def cost(self, x: Floats, f: Floats, t: float) -> DecoderCost:
        residual, precision, d = f - x, np.exp(-t), x.shape[1]
        square = precision * np.einsum("ij,ij->i", residual, residual)
        return DecoderCost(0.5 * (square + d * (t + _LOG_2_PI)), precision * residual, 0.5 * (d - square))

    def mean(self, f: Floats) -> Floats:
        return f

    def draw(self, f: Floats, t: float, rng: np.random.Generator) -> Floats:
        return f + np.exp(0.5 * t).astype(f.dtype) * rng.standard_normal(f.shape).astype(f.dtype)


@dataclass(frozen=True)
class BernoulliDecoder:
    """x ~ Bernoulli(σ(f)) column by column; x in [0, 1] counts as a share of ones."""

    def cost(self, x: Floats, f: Floats, t: float) -> DecoderCost:
        return DecoderCost(np.sum(np.logaddexp(0.0, f) - x * f, axis=1), sigmoid(f) - x, np.zeros(len(x)))

    def mean(self, f: Floats) -> Floats:
        return np.asarray(sigmoid(f))

    def draw(self, f: Floats, t: float, rng: np.random.Generator) -> Floats:
        return (rng.random(f.shape) < sigmoid(f)).astype(f.dtype)


class ElboProblem:
    """Minus the mean of (1) over rows, as a function of θ = (encoder, decoder, t).

    Parameters
    ----------
    encoder, decoder : NeuralNetwork
        d → 2k and k → d.
    law : DecoderLaw
    X : ndarray of shape (n, d)
    s : ndarray of shape (n,) or None
    learn_noise : bool
        Whether t is trained.
    rng : numpy.random.Generator
        For ε of mini-batches; the objective over all rows has ε of its own, which are held fixed.
    """

    def __init__(
        self,
        encoder: NeuralNetwork,
        decoder: NeuralNetwork,
        law: DecoderLaw,
        X: Floats,
        s: Floats | None,
        *,
        learn_noise: bool,
        rng: np.random.Generator,
    ) -> None:
        self.encoder, self.decoder, self.law, self.X = encoder, decoder, law, X
        self.n_rows, self.dtype = len(X), np.dtype(X.dtype)
        self.cut, self.size = encoder.n_parameters, encoder.n_parameters + decoder.n_parameters + 1
        self.weights = np.full(len(X), 1.0 / len(X)) if s is None else s / np.sum(s)
        self.learn_noise, self.rng = learn_noise, rng
        self._spaces = encoder.workspace(self.dtype, None), decoder.workspace(self.dtype, None)
        self._fixed = rng.standard_normal((len(X), next(iter(decoder.input_shapes.values()))[0]))

    @property
    def groups(self) -> tuple[ParameterGroup, ...]:
        """The arrays of both networks, and t."""
        halves = (("encoder", self.encoder, 0), ("decoder", self.decoder, self.cut))
        arrays = [(half, group, start) for half, network, start in halves for group in network.groups()]
        found = [
            ParameterGroup(
                f"{half}.{group.name}", start + group.where.start, start + group.where.stop, group.shape, group.kind, i
            )
            for i, (half, group, start) in enumerate(arrays)
        ]
        return (*found, ParameterGroup("log_noise_variance", self.size - 1, self.size, (1,), "bias", len(found)))

    def batch_value_and_gradient(self, theta: Floats, rows: Rows, gradient: Floats) -> float:
        """The estimate from some rows with a new draw for each."""
        x = self.X[rows]
        weights = self.weights[rows] * (self.n_rows / len(x))
        noise = self.rng.standard_normal((len(x), self._fixed.shape[1]))
        return self._evaluate(theta, x, weights, noise, gradient)

    def value_and_gradient(self, theta: Floats) -> tuple[float, Floats]:
        """Over all rows, with the draws that are held fixed."""
        gradient = np.empty(self.size, self.dtype)
        return self._evaluate(theta, self.X, self.weights, self._fixed, gradient), gradient

    def value(self, theta: Floats) -> float:
        """The bound over all rows, with the draws that are held fixed."""
        return self.value_and_gradient(theta)[0]

    def _evaluate(self, theta: Floats, x: Floats, w: Floats, noise: Floats, gradient: Floats) -> float:
        outer, inner = self._spaces
        code = outer.forward(theta[: self.cut], [x])[0]
        k = code.shape[1] // 2
        mean, log_variance = code[:, :k], code[:, k:]
        sd = np.exp(0.5 * log_variance)
        z = np.ascontiguousarray(mean + sd * noise, dtype=self.dtype)
        f = inner.forward(theta[self.cut : -1], [z])[0]
        cost = self.law.cost(x, f, float(theta[-1]))
        delta = np.ascontiguousarray(w[:, None] * cost.delta, dtype=self.dtype)
        pull: Any = inner.backward([delta], gradient[self.cut : -1], wants_inputs=True)[0]
        up = np.hstack([pull + w[:, None] * mean, 0.5 * (pull * noise * sd + w[:, None] * (sd**2 - 1.0))])
        outer.backward([np.ascontiguousarray(up, dtype=self.dtype)], gradient[: self.cut])
        gradient[-1] = w @ cost.own if self.learn_noise else 0.0
        return float(w @ (cost.values + kl_to_standard_normal(mean, log_variance)))
