"""Autoencoders.

    minimise over θ    J = (1/n) [Σᵢ sᵢ ℓ(xᵢ, decode(encode(xᵢ))) + ½ α Σ ‖W‖²],    ℓ = ½‖x − x̂‖² by default   (1)

The code has fewer numbers than a row, so that only what rows have in common fits in. With identity activations the
optimum is the projection on the first principal components, Σ ‖x − x̂‖² = Σ_{j>k} s_j² with the singular values s_j of
the centred rows; only the product of the two matrices is determined: Baldi & Hornik (1989),
doi:10.1016/0893-6080(89)90014-2. In general: Hinton & Salakhutdinov (2006), doi:10.1126/science.1127647.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import ArrayLike, Count, Floats, NonNegative, Positive, Seed, Verbosity
from gnomon.base.estimator import Estimator
from gnomon.base.parameters import store
from gnomon.base.progress import progress_of
from gnomon.base.rows import validate_rows
from gnomon.losses import AbsoluteLoss, BinaryCrossEntropy, HuberLoss, Loss, SquaredLoss
from gnomon.neural._code_networks import CodeNetworks, coder, principal_coder, read_codes
from gnomon.neural._fit import fit_network, progress
from gnomon.neural._options import DESCENTS, TrainingOptions
from gnomon.neural._scaling import check_shares, warn_of_unit
from gnomon.neural.function import NetworkFunction
from gnomon.neural.layers._activation import ActivationFunction
from gnomon.neural.layers.words import ACTIVATIONS
from gnomon.numerics.validation import check_choice
from gnomon.numerics.weights import check_weights
from gnomon.optim import UPDATE_RULES, Solution
from gnomon.optim.solution import warn_unless_converged
from gnomon.optim.updates import UpdateRule

__all__ = ["Autoencoder"]

LOSSES: dict[str, Loss] = {
    "squared_error": SquaredLoss(half=True),
    "absolute_error": AbsoluteLoss(),
    "huber": HuberLoss(),
    "binary_crossentropy": BinaryCrossEntropy(),
}

SOLVERS = ("svd", *UPDATE_RULES, *DESCENTS)


class Autoencoder(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    """A network d → … → k → … → d that reproduces its input from k numbers.

    Parameters
    ----------
    n_components : int, default=2
        k, the length of the code.
    hidden_layer_sizes : sequence of int, default=()
        Widths of the layers before the code; the decoder has them in reverse order.
    activation : str or activation, default="tanh"
        Of the hidden layers.
    code_activation : "same", str or activation, default="same"
        Of the code; "identity" leaves it unbounded.
    tied : bool, default=False
        Decoder weights are those of the encoder, transposed; biases are their own.
    loss : {"squared_error", "absolute_error", "huber", "binary_crossentropy"} or Loss, default="squared_error"
        ℓ of (1), summed over columns, the first with ½. Cross-entropy needs rows in [0, 1] and gives reconstructions in
        (0, 1).
    bias : bool, default=True
        Without biases the linear optimum is that of rows that are not centred.
    noise : float, default=0.0
        Standard deviation of normal noise on the input while training (a denoising autoencoder).
    solver : {"svd", "adam", "sgd", "gd", "rprop", "lbfgs", …}, default="adam"
        "svd" is the exact optimum of the linear case: identity activations, squared error, no hidden layers.
    alpha : float, default=0.0
    batch_size : int or "auto", default="auto"
    learning_rate_init : float, default=1e-3
    max_iter : int, default=200
    tol : float, default=1e-4
    n_iter_no_change : int, default=10
    n_restarts : int, default=1
        As of `MLPRegressor`.
    random_state : int, RandomState instance or None, default=None
    verbose : int, default=0

    Attributes
    ----------
    network_ : NeuralNetwork
    theta_ : ndarray
        Its parameters.
    encoder_, decoder_ : NetworkFunction
        The two halves.
    objective_ : float
        J of (1).
    n_iter_, converged_, stop_reason_, history_
        As of every iterative fit.

    References
    ----------
    Hinton, G. E. & Salakhutdinov, R. R. (2006). Reducing the dimensionality of data with neural networks.
    doi:10.1126/science.1127647

    Baldi, P. & Hornik, K. (1989). Neural networks and principal component analysis. doi:10.1016/0893-6080(89)90014-2

    Examples
    --------
    The linear case is principal component analysis, Σ_{j>k} s_j²:

    >>> import numpy as np
    >>> from gnomon.neural import Autoencoder
    >>> X = np.array([[2.0, 0, 1], [0, 1, -1], [-1, 2, 0], [3, -1, 2], [1, 1, 3]])
    >>> linear = Autoencoder(1, activation="identity", solver="svd").fit(X)
    >>> s = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)
    >>> round(linear.reconstruction_error(X), 7), round(float(np.sum(s[1:] ** 2)), 7)
    (5.5996505, 5.5996505)

    A bent line has one coordinate, which no straight line has:

    >>> t = np.linspace(-1, 1, 40)
    >>> bow = np.c_[t, 2 * t**2]
    >>> bent = Autoencoder(1, (8,), solver="lbfgs", tol=1e-3, max_iter=2000, random_state=2).fit(bow)
    >>> line = Autoencoder(1, activation="identity", solver="svd").fit(bow)
    >>> bool(bent.reconstruction_error(bow) < 0.1 * line.reconstruction_error(bow))
    True
    """

    def __init__(
        self,
        n_components: Count = 2,
        hidden_layer_sizes: Sequence[int] = (),
        activation: str | ActivationFunction = "tanh",
        *,
        code_activation: str | ActivationFunction = "same",
        tied: bool = False,
        loss: str | Loss = "squared_error",
        bias: bool = True,
        noise: NonNegative = 0.0,
        solver: Any = "adam",
        alpha: NonNegative = 0.0,
        batch_size: Count | Literal["auto"] = "auto",
        learning_rate_init: Positive = 1e-3,
        max_iter: Count = 200,
        tol: NonNegative = 1e-4,
        n_iter_no_change: Count = 10,
        n_restarts: Count = 1,
        random_state: Seed = None,
        verbose: Verbosity = 0,
    ):
        store(self, locals())

    def fit(self, X: ArrayLike, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Minimise (1).

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
        self._loss = self._read_loss(X)
        parts = self._coder(X.shape[1])
        if isinstance(self.solver, str) and self.solver == "svd":
            self._check_linear(X.shape[1])
            theta = principal_coder(parts, X, weights, center=self.bias)
            value = parts.network.problem(X, X, weights, loss=self._loss).value(theta)
            solution = Solution(
                theta, value, 1, True, "exact", {"iteration": np.array([1]), "objective": np.array([value])}
            )
        else:
            check_choice("solver", self.solver, SOLVERS) if not isinstance(self.solver, UpdateRule) else None
            warn_of_unit(X, weights)
            options = TrainingOptions.of(self)
            told = progress(options, progress_of(self.verbose, "epoch"))
            fitted = fit_network(parts.network, X, X, weights, loss=self._loss, options=options, callback=told)
            solution = warn_unless_converged(fitted.solution, self.max_iter)
        return self._keep(parts, solution)

    def transform(self, X: ArrayLike) -> Floats:
        """The code of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        check_is_fitted(self)
        return np.array(self.encoder_.output(validate_rows(self, X, reset=False)))

    def inverse_transform(self, X: ArrayLike) -> Floats:
        """The row that the decoder makes of each code.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)
            Codes, as `transform` gives them.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        Z = read_codes(X, self.n_components)
        return np.asarray(self._loss.inverse(np.array(self.decoder_.output(Z))))

    def reconstruct(self, X: ArrayLike) -> Floats:
        """x̂ of each row: the decoded code.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        return self.inverse_transform(self.transform(X))

    def reconstruction_error(
        self, X: ArrayLike, *, reduction: Literal["sum", "mean", "none"] = "sum"
    ) -> float | Floats:
        """Squared distances ‖x − x̂‖².

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        reduction : {"sum", "mean", "none"}, default="sum"
            Over the rows; "none" for one number a row.

        Returns
        -------
        float, or ndarray of shape (n_samples,)
        """
        check_choice("reduction", reduction, ("sum", "mean", "none"))
        check_is_fitted(self)
        rows = validate_rows(self, X, reset=False)
        errors = np.sum((rows - self.reconstruct(X)) ** 2, axis=1)
        return errors if reduction == "none" else float(errors.sum() if reduction == "sum" else errors.mean())

    def score(self, X: ArrayLike, y: object = None) -> float:
        """Minus the mean squared distance; larger is better.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        float
        """
        return -float(self.reconstruction_error(X, reduction="mean"))

    def _coder(self, d: int) -> CodeNetworks:
        same = isinstance(self.code_activation, str) and self.code_activation == "same"
        code = self.activation if same else _named_activation("code_activation", self.code_activation)
        return coder(
            d, self.n_components, self.hidden_layer_sizes, self.activation, code, self.tied, self.bias, self.noise
        )

    def _keep(self, parts: CodeNetworks, solution: Solution[Floats]) -> Self:
        self.network_, self.theta_ = parts.network, solution.w
        self.encoder_, self.decoder_ = (NetworkFunction(*half) for half in parts.halves(solution.w))
        self.objective_, self.n_iter_ = float(solution.objective), solution.n_iter
        self.converged_, self.stop_reason_, self.history_ = solution.converged, solution.stop_reason, solution.history
        return self

    def _as_function(self) -> NetworkFunction:
        check_is_fitted(self)
        return NetworkFunction(self.network_, self.theta_)

    def _asked(self, X: ArrayLike, y: object) -> tuple[Any, Loss]:
        return X, self._loss

    def _read_loss(self, X: Floats) -> Loss:
        loss = self.loss if isinstance(self.loss, Loss) else LOSSES[check_choice("loss", self.loss, tuple(LOSSES))]
        if loss.targets == "unit":
            check_shares(f"loss={self.loss!r}", X)
        return loss

    def _check_linear(self, d: int) -> None:
        reasons = {
            "activation='identity'": self.activation != "identity",
            "code_activation='same'": self.code_activation not in ("same", "identity"),
            "loss='squared_error'": self.loss != "squared_error",
            "hidden_layer_sizes=()": len(self.hidden_layer_sizes) > 0,
            "alpha=0": self.alpha != 0,
            "noise=0": self.noise != 0,
            f"n_components ≤ {d}": self.n_components > d,
        }
        broken = [need for need, is_broken in reasons.items() if is_broken]
        if broken:
            raise ValueError(f"solver='svd' is the exact optimum of the linear case only: it needs {', '.join(broken)}")

    @property
    def _n_features_out(self) -> int:
        return self.n_components


def _named_activation(name: str, activation: Any) -> ActivationFunction:
    """The activation, or an error that names the parameter."""
    if isinstance(activation, ActivationFunction):
        return activation
    return ACTIVATIONS[check_choice(name, activation, ("same", *ACTIVATIONS))]
