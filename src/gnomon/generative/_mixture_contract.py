"""What every mixture offers, given the joint densities of its components.

    p(x) = Σⱼ wⱼ pⱼ(x),        γⱼ(x) = wⱼ pⱼ(x) / p(x)                                                (1)
    BIC = −2ℓ + p log n,    AIC = −2ℓ + 2p,    ICL = BIC − 2 Σᵢⱼ γᵢⱼ log γᵢⱼ                             (2)

Schwarz (1978), doi:10.1214/aos/1176344136; Akaike (1974), doi:10.1109/TAC.1974.1100705; Biernacki, Celeux & Govaert
(2000), doi:10.1109/34.865189.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from sklearn.base import DensityMixin
from sklearn.utils.validation import _num_samples, check_is_fitted

from gnomon._typing import AnyRows, Array, ArrayLike, Floats, Integers, RandomState
from gnomon.base.estimator import Estimator
from gnomon.generative._rows import in_precision_of
from gnomon.numerics.random import check_rng
from gnomon.numerics.special import log_shares, log_sum_exp
from gnomon.numerics.validation import check_integer
from gnomon.numerics.weights import check_weights

__all__ = ["MixtureDensity"]


class MixtureDensity(DensityMixin, Estimator, ABC):
    """Base of mixtures: a subclass sets `weights_` and `n_parameters_`, and gives what is abstract."""

    random_state: RandomState = None

    @abstractmethod
    def _log_joint(self, X: Any) -> Floats:
        """log wⱼ pⱼ(xᵢ), shape (n, k), of rows as the user gives them."""

    @abstractmethod
    def _draw(self, counts: Integers, rng: np.random.Generator) -> Array:
        """`counts[j]` rows from component j, one component after the other."""

    def fit_predict(self, X: AnyRows, y: object = None, sample_weight: ArrayLike | None = None) -> Integers:
        """Fit, and the most probable component of every row."""
        return self.fit(X, sample_weight=sample_weight).predict(X)

    def score_samples(self, X: AnyRows) -> Floats:
        """log p(x) of every row."""
        return in_precision_of(self._log_densities(X), X)

    def score(self, X: AnyRows, y: object = None, sample_weight: ArrayLike | None = None) -> float:
        """Mean of log p(x)."""
        return -self.nll(X, sample_weight) / self._total(X, sample_weight)

    def nll(self, X: AnyRows, sample_weight: ArrayLike | None = None) -> float:
        """−Σ sᵢ log p(xᵢ), the negative log-likelihood."""
        return -_weighted_sum(self._log_densities(X), sample_weight)

    def predict(self, X: AnyRows) -> Integers:
        """The most probable component of every row; the lowest index of several."""
        return np.argmax(self._log_proba(X), axis=1)

    def predict_proba(self, X: AnyRows) -> Floats:
        """Responsibilities γ, shape (n_samples, n_components).

        A row so far out that every density is zero in floating point has the weights of the components; one at which
        densities are infinite is shared by these.
        """
        return in_precision_of(np.exp(self._log_proba(X)).astype(self.weights_.dtype, copy=False), X)

    def _log_densities(self, X: AnyRows) -> Floats:
        return log_sum_exp(self._log_joint(X))

    def _log_proba(self, X: AnyRows) -> Floats:
        joint = self._log_joint(X)
        with np.errstate(divide="ignore"):
            return log_shares(joint, np.log(np.asarray(self.weights_, dtype=float)))

    def sample(self, n_samples: int = 1, random_state: RandomState = None) -> tuple[Array, Integers]:
        """Draw rows, and the components they come from.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
        z : ndarray of int of shape (n_samples,)
        """
        check_is_fitted(self)
        rng = check_rng(self.random_state if random_state is None else random_state)
        p = np.asarray(self.weights_, dtype=float)
        counts = rng.multinomial(check_integer("n_samples", n_samples, low=1), p / np.sum(p))
        return self._draw(counts, rng), np.repeat(np.arange(len(counts)), counts)

    def aic(self, X: AnyRows, sample_weight: ArrayLike | None = None) -> float:
        """−2ℓ + 2p."""
        return 2.0 * self.nll(X, sample_weight) + 2.0 * self.n_parameters_

    def bic(self, X: AnyRows, sample_weight: ArrayLike | None = None) -> float:
        """−2ℓ + p log n, with n the total weight."""
        return 2.0 * self.nll(X, sample_weight) + self.n_parameters_ * np.log(self._total(X, sample_weight))

    def icl(self, X: AnyRows, sample_weight: ArrayLike | None = None) -> float:
        """BIC and twice the entropy of the responsibilities: small for components that are apart."""
        gamma = self.predict_proba(X)
        logs = np.log(gamma, out=np.zeros_like(gamma), where=gamma > 0.0)
        return self.bic(X, sample_weight) - 2.0 * _weighted_sum(np.sum(gamma * logs, axis=1), sample_weight)

    def _total(self, X: AnyRows, sample_weight: ArrayLike | None) -> float:
        return float(np.sum(check_weights(sample_weight, np.empty((_num_samples(X), 0)))))


def _weighted_sum(values: Floats, sample_weight: ArrayLike | None) -> float:
    """Σ sᵢ vᵢ; a row of weight zero is no row, even where its term is infinite."""
    weights = check_weights(sample_weight, values[:, None])
    return float(weights @ np.where(weights > 0.0, values, 0.0))
