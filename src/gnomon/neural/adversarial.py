"""Generative adversarial networks.

    min_G max_D  V(D, G) = E_x log D(x) + E_z log(1 − D(G(z)))                                            (1)
    D*(x) = p(x)/(p(x) + q(x)),    V(D*, G) = −log 4 where the density q of G(z) is p                      (2)

Steps alternate: one up for the discriminator D = σ(·), one down for the generator G, which minimises −log D(G(z))
instead of (1) by default because log(1 − D) is flat where D rejects every draw. Goodfellow et al. (2014),
arXiv:1406.2661. The density q has no formula, so there is no likelihood of rows: D tells two samples apart, it does not
say how probable a row is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import ArrayLike, Count, Floats, NonNegative, Positive, RandomState, Seed, Verbosity
from gnomon.base.estimator import Estimator
from gnomon.base.parameters import store
from gnomon.base.progress import progress_of
from gnomon.base.rows import validate_rows
from gnomon.neural._scaling import warn_of_unit
from gnomon.neural.function import NetworkFunction
from gnomon.neural.layers._activation import ActivationFunction
from gnomon.neural.layers.dense import Dense
from gnomon.neural.network import NeuralNetwork
from gnomon.numerics.random import check_rng
from gnomon.numerics.special import sigmoid
from gnomon.numerics.validation import check_choice, check_integer, check_numbers
from gnomon.optim.updates import Adam

__all__ = ["GenerativeAdversarialNetwork", "adversarial_value", "optimal_discriminator"]


def optimal_discriminator(p: ArrayLike, q: ArrayLike) -> float | Floats:
    """D* of (2), the best answer to densities p of the rows and q of the generator.

    Parameters
    ----------
    p, q : float or array-like
        ≥ 0.

    Returns
    -------
    float or ndarray
        nan where both are 0.

    References
    ----------
    Goodfellow, I. J. et al. (2014). Generative adversarial nets, proposition 1. arXiv:1406.2661

    Examples
    --------
    >>> from gnomon.neural import optimal_discriminator
    >>> round(optimal_discriminator(0.3, 0.1), 7)
    0.75
    """
    ours, theirs = check_numbers("p", p), check_numbers("q", q)
    for name, density in (("p", ours), ("q", theirs)):
        if np.any(density < 0.0):
            raise ValueError(f"{name} has the value {float(np.min(density))!r}; densities must be ≥ 0")
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        D = 1.0 / (1.0 + theirs / ours)
    return D if np.ndim(D) else float(D)


def adversarial_value(real: ArrayLike, fake: ArrayLike) -> float:
    """V of (1), from D at rows and at draws of the generator.

    Parameters
    ----------
    real, fake : array-like
        Probabilities D(x) and D(G(z)).

    Returns
    -------
    float

    References
    ----------
    Goodfellow, I. J. et al. (2014). Generative adversarial nets. arXiv:1406.2661

    Examples
    --------
    >>> import math
    >>> from gnomon.neural import adversarial_value
    >>> round(adversarial_value([0.5], [0.5]) + math.log(4), 12)
    0.0
    """
    return float(np.mean(np.log(real)) + np.mean(np.log1p(-np.asarray(fake, dtype=float))))


class GenerativeAdversarialNetwork(Estimator):
    """A generator G that turns normal noise into rows, trained against a discriminator D that tells them from data.

    Rows should be standardised. There is no likelihood and no certificate: look at samples, and at whether D can still
    tell them apart (`discriminate`).

    Parameters
    ----------
    n_components : int, default=2
        The length of z ~ N(0, I).
    hidden_layer_sizes : sequence of int, default=(50,)
        Of G; D has them in reverse order.
    activation : str or activation, default="leaky_relu"
    generator_loss : {"non_saturating", "minimax"}, default="non_saturating"
        −log D(G(z)), or log(1 − D(G(z))).
    batch_size : int, default=64
    learning_rate_init : float, default=1e-3
    beta_1, beta_2 : float
        Of Adam, 0.5 and 0.999.
    max_iter : int, default=200
        Epochs; all are done, as no test of convergence is known.
    random_state : int, RandomState instance or None, default=None
    verbose : int, default=0

    Attributes
    ----------
    generator_, discriminator_ : NetworkFunction
        G, and the log-odds of D.
    history_ : dict
        For each epoch "generator_loss" and "discriminator_loss" (minus V), and "value", V itself.
    n_iter_ : int

    References
    ----------
    Goodfellow, I. J., Pouget-Abadie, J., Mirza, M., Xu, B., Warde-Farley, D., Ozair, S., Courville, A. & Bengio, Y.
    (2014). Generative adversarial nets. arXiv:1406.2661

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.neural import GenerativeAdversarialNetwork
    >>> X = np.random.default_rng(0).normal(3.0, 0.5, size=(400, 1))
    >>> gan = GenerativeAdversarialNetwork(1, (16,), max_iter=150, random_state=0).fit(X)
    >>> bool(abs(np.mean(gan.sample(1000, random_state=1)) - 3.0) < 0.5)
    True
    """

    def __init__(
        self,
        n_components: Count = 2,
        hidden_layer_sizes: Sequence[int] = (50,),
        activation: str | ActivationFunction = "leaky_relu",
        *,
        generator_loss: Literal["non_saturating", "minimax"] = "non_saturating",
        batch_size: Count = 64,
        learning_rate_init: Positive = 1e-3,
        beta_1: NonNegative = 0.5,
        beta_2: NonNegative = 0.999,
        max_iter: Count = 200,
        random_state: Seed = None,
        verbose: Verbosity = 0,
    ):
        store(self, locals())

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Alternate steps of (1).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        X = validate_rows(self, X)
        check_choice("generator_loss", self.generator_loss, ("non_saturating", "minimax"))
        warn_of_unit(X, None)
        rng, hidden = check_rng(self.random_state), list(self.hidden_layer_sizes)
        up = NeuralNetwork([*(Dense(h, self.activation) for h in hidden), Dense(X.shape[1])], self.n_components)
        down = NeuralNetwork([*(Dense(h, self.activation) for h in reversed(hidden)), Dense(1)], X.shape[1])
        game = _Game(
            _Player.of(up, rng, X.dtype, Adam(self.beta_1, self.beta_2), self.learning_rate_init),
            _Player.of(down, rng, X.dtype, Adam(self.beta_1, self.beta_2), self.learning_rate_init),
            saturating=self.generator_loss == "minimax",
        )
        told = progress_of(self.verbose, "epoch")
        losses = np.empty((self.max_iter, 3))
        for epoch in range(self.max_iter):
            losses[epoch] = _epoch(game, X, min(self.batch_size, len(X)), self.n_components, rng)
            if told is not None:
                told(epoch + 1, self.max_iter, f": value {losses[epoch, 2]:.4g}")
        self.generator_ = NetworkFunction(up, game.generator.theta)
        self.discriminator_ = NetworkFunction(down, game.discriminator.theta)
        names = ("generator_loss", "discriminator_loss", "value")
        self.history_ = {"iteration": np.arange(1, self.max_iter + 1), **dict(zip(names, losses.T, strict=True))}
        self.n_iter_ = self.max_iter
        return self

    def sample(self, n_samples: Count = 1, random_state: RandomState = None) -> Floats:
        """Rows that G makes of noise.

        Parameters
        ----------
        n_samples : int, default=1
        random_state : int, Generator, RandomState or None, default=None

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        Z = check_rng(random_state).standard_normal((check_integer("n_samples", n_samples, 1), self.n_components))
        return np.array(self.generator_.output(Z))

    def decision_function(self, X: ArrayLike) -> Floats:
        """Log-odds log D(x)/(1 − D(x)) of each row to be data rather than a draw of G. Not a likelihood.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        return np.array(self.discriminator_.output(validate_rows(self, X, reset=False))[:, 0])

    def discriminate(self, X: ArrayLike) -> Floats:
        """D(x) of each row, the probability of that.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return np.asarray(sigmoid(self.decision_function(X)))


class _Player(NamedTuple):
    """A network in training: parameters, gradient, arrays of its passes and memory of its steps."""

    theta: Floats
    gradient: Floats
    space: Any
    rule: Adam
    memory: tuple[Floats, ...]
    rate: float
    steps: list[int]

    @classmethod
    def of(cls, network: NeuralNetwork, rng: np.random.Generator, dtype: Any, rule: Adam, rate: float) -> _Player:
        theta = network.init(rng, dtype)
        return cls(theta, np.empty_like(theta), network.workspace(dtype, None), rule, rule.memory(theta), rate, [0])

    def forward(self, X: Floats) -> Floats:
        found: Floats = self.space.forward(self.theta, [X])[0]
        return found

    def step(self) -> None:
        self.steps[0] += 1
        self.rule.step(self.theta, self.gradient, self.memory, rate=self.rate, momentum=0.0, t=self.steps[0])


class _Game(NamedTuple):
    """Both players."""

    generator: _Player
    discriminator: _Player
    saturating: bool


def _epoch(game: _Game, X: Floats, batch: int, k: int, rng: np.random.Generator) -> Floats:
    """One pass over the rows: mean losses of both players and mean V."""
    order, found = rng.permutation(len(X)), []
    for first in range(0, len(X) - batch + 1, batch):
        rows = np.ascontiguousarray(X[order[first : first + batch]])
        noise = rng.standard_normal((2, len(rows), k)).astype(X.dtype)
        value = _discriminate_better(game, rows, noise[0])
        found.append((_generate_better(game, noise[1]), -value, value))
    return np.mean(found, axis=0)


def _discriminate_better(game: _Game, rows: Floats, noise: Floats) -> float:
    """A step of D up (1); V before it."""
    player, n = game.discriminator, len(rows)
    both = np.concatenate([rows, game.generator.forward(noise)])
    scores = player.forward(both)
    value = -np.mean(np.logaddexp(0.0, -scores[:n])) - np.mean(np.logaddexp(0.0, scores[n:]))
    delta = np.concatenate([sigmoid(scores[:n]) - 1.0, sigmoid(scores[n:])]) / n
    player.space.backward([delta.astype(rows.dtype)], player.gradient)
    player.step()
    return float(value)


def _generate_better(game: _Game, noise: Floats) -> float:
    """A step of G down −log D(G(z)), or down (1); its loss before."""
    critic, maker, n = game.discriminator, game.generator, len(noise)
    scores = critic.forward(maker.forward(noise))
    chance = sigmoid(scores)
    loss = -np.mean(np.logaddexp(0.0, scores)) if game.saturating else np.mean(np.logaddexp(0.0, -scores))
    delta = (-chance if game.saturating else chance - 1.0) / n
    pull = critic.space.backward([delta.astype(noise.dtype)], critic.gradient, wants_inputs=True)[0]
    maker.space.backward([np.ascontiguousarray(pull)], maker.gradient)
    maker.step()
    return float(loss)
