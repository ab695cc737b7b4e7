"""Variational autoencoders.

    maximise    (1/n) Σᵢ sᵢ ELBO(xᵢ),    ELBO(x) = E_q[log p(x | z)] − KL(q(z | x) ‖ N(0, I)) ≤ log p(x)          (1)
    log p(x) ≈ log (1/M) Σ_m p(x | z_m) N(z_m; 0, I)/q(z_m | x),    z_m ~ q(· | x)                              (2)

x = f(z) plus noise with z ~ N(0, I): a density that can be drawn from. Without hidden layers and with Gaussian noise
the optimum of (1) is probabilistic principal component analysis. Kingma & Welling (2014), arXiv:1312.6114; (2) is that
of Burda, Grosse & Salakhutdinov (2016), arXiv:1509.00519.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Self

import numpy as np
from scipy.special import logsumexp
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import ArrayLike, Count, Floats, NonNegative, Positive, RandomState, Seed, Verbosity
from gnomon.base.estimator import Estimator
from gnomon.base.parameters import store
from gnomon.base.progress import progress_of
from gnomon.base.rows import validate_rows
from gnomon.neural._code_networks import read_codes
from gnomon.neural._elbo import BernoulliDecoder, DecoderLaw, ElboProblem, GaussianDecoder, kl_to_standard_normal
from gnomon.neural._fit import progress
from gnomon.neural._options import TrainingOptions
from gnomon.neural._scaling import check_shares, warn_of_unit
from gnomon.neural.function import NetworkFunction
from gnomon.neural.layers._activation import ActivationFunction
from gnomon.neural.layers.dense import Dense
from gnomon.neural.network import NeuralNetwork
from gnomon.numerics.random import check_rng
from gnomon.numerics.validation import check_choice, check_integer, check_positive
from gnomon.numerics.weights import check_weights
from gnomon.optim import train
from gnomon.optim.solution import warn_unless_converged

__all__ = ["VariationalAutoencoder"]

LAWS: dict[str, DecoderLaw] = {"gaussian": GaussianDecoder(), "bernoulli": BernoulliDecoder()}


class VariationalAutoencoder(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    """A density x = f(z) + noise, z ~ N(0, I_k), with f a network, trained together with an encoder q(z | x).

    Parameters
    ----------
    n_components : int, default=2
        k.
    hidden_layer_sizes : sequence of int, default=(50,)
        Of the encoder; the decoder has them in reverse order.
    activation : str or activation, default="tanh"
    decoder : {"gaussian", "bernoulli"}, default="gaussian"
        p(x | z): normal with one variance for all columns, or bits (rows in [0, 1]).
    noise_variance : "learn" or float, default="learn"
        Of the normal law.
    batch_size : int or "auto", default="auto"
    learning_rate_init : float, default=1e-3
    max_iter : int, default=200
    tol : float, default=1e-4
    n_iter_no_change : int, default=50
        As of `MLPRegressor`; the solver is Adam. The draws make the loss noisy, so patience is long.
    random_state : int, RandomState instance or None, default=None
    verbose : int, default=0

    Attributes
    ----------
    encoder_, decoder_ : NetworkFunction
        x → (μ, log σ²) and z → f(z).
    noise_variance_ : float
        That of the normal law; nan for bits.
    objective_ : float
        Minus the mean ELBO at the end, for one draw a row.
    n_iter_, converged_, stop_reason_, history_
        As of every iterative fit.

    References
    ----------
    Kingma, D. P. & Welling, M. (2014). Auto-encoding variational Bayes. arXiv:1312.6114

    Burda, Y., Grosse, R. & Salakhutdinov, R. (2016). Importance weighted autoencoders. arXiv:1509.00519

    Examples
    --------
    A bent line with noise; the model of it makes rows that lie near it:

    >>> import numpy as np
    >>> from gnomon.neural import VariationalAutoencoder
    >>> rng = np.random.default_rng(0)
    >>> t = rng.normal(size=300)
    >>> X = np.c_[t, 0.5 * t**2 - 0.5] + 0.1 * rng.normal(size=(300, 2))
    >>> model = VariationalAutoencoder(1, (20,), batch_size=50, learning_rate_init=0.01, max_iter=500, random_state=0)
    >>> model = model.fit(X)
    >>> new = model.sample(300, random_state=1)
    >>> bool(np.corrcoef(new[:, 0] ** 2, new[:, 1])[0, 1] > 0.9)
    True
    >>> bool(np.mean(model.elbo(X, n_draws=2000)) <= np.mean(model.score_samples(X, n_draws=2000)))
    True
    """

    def __init__(
        self,
        n_components: Count = 2,
        hidden_layer_sizes: Sequence[int] = (50,),
        activation: str | ActivationFunction = "tanh",
        *,
        decoder: Literal["gaussian", "bernoulli"] = "gaussian",
        noise_variance: Positive | Literal["learn"] = "learn",
        batch_size: Count | Literal["auto"] = "auto",
        learning_rate_init: Positive = 1e-3,
        max_iter: Count = 200,
        tol: NonNegative = 1e-4,
        n_iter_no_change: Count = 50,
        random_state: Seed = None,
        verbose: Verbosity = 0,
    ):
        store(self, locals())

    def fit(self, X: ArrayLike, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Maximise (1).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        self
        """
        X = validate_rows(self, X)
        weights = None if sample_weight is None else check_weights(sample_weight, X)
        self._law = self._read_law(X)
        warn_of_unit(X, weights)
        rng = check_rng(self.random_state)
        problem = ElboProblem(
            *self._networks(X.shape[1]), self._law, X, weights, learn_noise=self.noise_variance == "learn", rng=rng
        )
        options = TrainingOptions.of(self)
        solution = train(
            problem,
            self._start(problem, X, rng),
            schedule=self.learning_rate_init,
            batch_size=options.rows_of_a_batch(len(X)),
            tol=self.tol,
            n_iter_no_change=self.n_iter_no_change,
            max_iter=self.max_iter,
            callback=progress(options, progress_of(self.verbose, "epoch")),
            random_state=rng,
        )
        warn_unless_converged(solution, self.max_iter)
        cut = problem.cut
        self.encoder_ = NetworkFunction(problem.encoder, solution.w[:cut])
        self.decoder_ = NetworkFunction(problem.decoder, solution.w[cut:-1])
        self.noise_variance_ = float(np.exp(solution.w[-1])) if self.decoder == "gaussian" else np.nan
        self.objective_, self.n_iter_ = float(solution.objective), solution.n_iter
        self.converged_, self.stop_reason_, self.history_ = solution.converged, solution.stop_reason, solution.history
        return self

    def transform(self, X: ArrayLike) -> Floats:
        """μ(x) of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        return self._posterior(X)[1].copy()

    def inverse_transform(self, X: ArrayLike) -> Floats:
        """E[x | z] of each code.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        return self._law.mean(np.array(self.decoder_.output(read_codes(X, self.n_components))))

    def sample(self, n_samples: Count = 1, random_state: RandomState = None) -> Floats:
        """Rows of the density.

        Parameters
        ----------
        n_samples : int, default=1
        random_state : int, Generator, RandomState or None, default=None

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        rng = check_rng(random_state)
        Z = rng.standard_normal((check_integer("n_samples", n_samples, 1), self.n_components))
        return self._law.draw(np.array(self.decoder_.output(Z)), self._t, rng)

    def elbo(self, X: ArrayLike, *, n_draws: Count = 50, random_state: RandomState = 0) -> Floats:
        """ELBO of each row, the expectation by a mean over draws.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        n_draws : int, default=50
        random_state : int, Generator, RandomState or None, default=0

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        X, mean, log_variance = self._posterior(X)
        expected = self._log_weights(X, mean, log_variance, n_draws, random_state, with_prior=False)
        return np.mean(expected, axis=0) - kl_to_standard_normal(mean, log_variance)

    def score_samples(self, X: ArrayLike, *, n_draws: Count = 200, random_state: RandomState = 0) -> Floats:
        """log p(x) of each row by importance sampling, (2): a lower bound in expectation that rises with the draws.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        n_draws : int, default=200
        random_state : int, Generator, RandomState or None, default=0

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        weights = self._log_weights(*self._posterior(X), n_draws, random_state, with_prior=True)
        return np.asarray(logsumexp(weights, axis=0) - np.log(len(weights)))

    def score(self, X: ArrayLike, y: object = None) -> float:
        """Mean of `score_samples`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        float
        """
        return float(np.mean(self.score_samples(X)))

    def _log_weights(
        self,
        X: Floats,
        mean: Floats,
        log_variance: Floats,
        n_draws: int,
        random_state: RandomState,
        *,
        with_prior: bool,
    ) -> Floats:
        """log p(x | z) of each draw and row, plus log N(z; 0, I) − log q(z | x) if wanted."""
        rng, sd = check_rng(random_state), np.exp(0.5 * log_variance)
        found = np.empty((check_integer("n_draws", n_draws, 1), len(X)))
        for m in range(n_draws):
            noise = rng.standard_normal((1, mean.shape[1]))  # the same for all rows: no row depends on its neighbours
            z = mean + sd * noise
            found[m] = -self._law.cost(X, self.decoder_.output(z), self._t).values
            if with_prior:
                found[m] += 0.5 * np.sum(noise**2 + log_variance - z**2, axis=1)
        return found

    def _posterior(self, X: ArrayLike) -> tuple[Floats, Floats, Floats]:
        check_is_fitted(self)
        rows = validate_rows(self, X, reset=False)
        code = np.array(self.encoder_.output(rows))
        return rows, code[:, : self.n_components], code[:, self.n_components :]

    def _networks(self, d: int) -> tuple[NeuralNetwork, NeuralNetwork]:
        hidden, phi = list(self.hidden_layer_sizes), self.activation
        down = [*(Dense(width, phi) for width in hidden), Dense(2 * self.n_components)]
        up = [*(Dense(width, phi) for width in reversed(hidden)), Dense(d)]
        return NeuralNetwork(down, d), NeuralNetwork(up, self.n_components)

    def _start(self, problem: ElboProblem, X: Floats, rng: np.random.Generator) -> Floats:
        """Drawn networks; t is the variance that is given, or that of the columns."""
        variance = float(np.mean(np.var(X, axis=0))) if self.noise_variance == "learn" else float(self.noise_variance)
        theta = np.concatenate([problem.encoder.init(rng), problem.decoder.init(rng), [np.log(variance or 1.0)]])
        return theta.astype(X.dtype)

    def _read_law(self, X: Floats) -> DecoderLaw:
        law = LAWS[check_choice("decoder", self.decoder, tuple(LAWS))]
        if self.noise_variance != "learn":
            check_positive("noise_variance", self.noise_variance)
            if self.decoder == "bernoulli":
                raise ValueError(f"noise_variance={self.noise_variance!r} has no meaning for bits; leave it at 'learn'")
        if self.decoder == "bernoulli":
            check_shares("decoder='bernoulli'", X, "or use decoder='gaussian'")
        return law

    @property
    def _t(self) -> float:
        return float(np.log(self.noise_variance_)) if self.decoder == "gaussian" else 0.0

    @property
    def _n_features_out(self) -> int:
        return self.n_components
