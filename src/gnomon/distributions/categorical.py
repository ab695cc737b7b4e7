"""Categorical and multinomial distributions.

    P(X = k) = πₖ,    P(x₁, …, x_K) = (Σ xₖ)! / ∏ xₖ! · ∏ πₖ^xₖ                                       (1)
    π̂ₖ = (Nₖ + α) / (N + Kα),    N = Σ Nₖ                                                         (2)

Nₖ is the (weighted) number of times that k was met: observations, or words of all documents. α = 0 is maximum
likelihood; α > 0 is the posterior mean under Dirichlet(α), and the mode under Dirichlet(α + 1). Bishop (2006), Pattern
Recognition and Machine Learning, section 2.2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Self, cast

import numpy as np
from scipy import sparse
from scipy.special import gammaln, xlogy

from gnomon._typing import Array, ArrayLike, Floats, Integers, MatrixLike, Numbers
from gnomon.distributions._base import Distribution, Frozen, Prior, check_points, check_sample, frozen
from gnomon.distributions.discrete import Counts, Discrete, below, check_counts, whole
from gnomon.numerics.energy import Energy
from gnomon.numerics.saddle_point import log_binomial, log_poisson, two_product
from gnomon.numerics.validation import assert_finite, check_integer

__all__ = ["Categorical", "Multinomial"]

MOST_VALUES = 10**7
"""Beyond this a code is no code but a number."""


@dataclass(frozen=True, eq=False)
class Categorical(Discrete):
    """Law over 0, …, K−1, or one such law per row of the probabilities.

    Parameters
    ----------
    probabilities : array of shape (..., K)
        Non-negative, summing to one along the last axis.

    References
    ----------
    Bishop, C. M. (2006). Pattern Recognition and Machine Learning, section 2.2.

    Examples
    --------
    >>> from gnomon.distributions import Categorical
    >>> law = Categorical([0.5, 0.25, 0.25])
    >>> float(law.mean), round(float(law.entropy()), 7)
    (0.75, 1.0397208)
    >>> Categorical.fit([0, 2, 2, 2], n_values=4).probabilities
    array([0.25, 0.  , 0.75, 0.  ])
    >>> Categorical.fit([0, 2, 2, 2], n_values=4, alpha=1.0).probabilities
    array([0.25 , 0.125, 0.5  , 0.125])
    """

    probabilities: Frozen

    summed_options: ClassVar[tuple[str, ...]] = ("n_values",)

    def __post_init__(self) -> None:
        _simplex(self)

    @classmethod
    def statistics(cls, X: ArrayLike, sample_weight: ArrayLike | None = None, *, n_values: int | None = None) -> Counts:
        """The counts Nₖ.

        Parameters
        ----------
        X : array-like of int of shape (n,) or (n, d)
            Codes 0, …, K−1; each column has a law of its own.
        sample_weight : array-like of shape (n,), optional
        n_values : int, optional
            K, the declared values, met or not. By default one more than the largest code.
        """
        declared = np.inf if n_values is None else check_integer("n_values", n_values, 1)
        X, weights = check_counts(X, sample_weight, most=declared - 1, what="codes")
        K = int(np.max(X)) + 1 if n_values is None else int(declared)
        if K > MOST_VALUES:
            raise ValueError(f"X holds the code {K - 1}, which asks for as many counts; code the values as 0, 1, …")
        columns = X.reshape(len(X), -1).astype(int)
        d = columns.shape[1]
        cells = np.bincount((columns + K * np.arange(d)).ravel(), np.repeat(weights, d), K * d)
        # NumPy's stub takes weighted sums for counts.
        return Counts(float(np.sum(weights)), cells.reshape(*X.shape[1:], K))  # type: ignore[arg-type]

    @classmethod
    def from_statistics(
        cls, statistics: Counts, *, alpha: ArrayLike = 0.0, prior: Prior | None = None, n_values: int | None = None
    ) -> Self:
        """Equation (2), or the mode under a `Dirichlet` prior.

        Parameters
        ----------
        statistics : Statistics
        alpha : float or array-like of shape (K,), default=0.0
            Pseudo-counts.
        prior : Dirichlet, optional
        n_values : int, optional
            K; by default as many as were counted.
        """
        statistics = statistics if n_values is None else statistics + Counts(0.0, np.zeros(n_values))
        if prior is not None:
            return prior.mode_given(statistics)
        return cls(_smoothed(statistics.counts, alpha))

    @property
    def support(self) -> Integers:
        return np.arange(self.probabilities.shape[-1])

    @property
    def mean(self) -> Numbers:
        """Σ k πₖ."""
        return self.probabilities @ self.support

    @property
    def var(self) -> Numbers:
        """Σ (k − mean)² πₖ."""
        return np.sum(self.probabilities * (self.support - np.expand_dims(self.mean, -1)) ** 2, axis=-1)

    @property
    def n_parameters(self) -> int:
        return self.probabilities.size - self.probabilities.size // self.probabilities.shape[-1]

    @property
    def energy(self) -> Energy:
        return Energy("softmax", 1.0)

    def log_density(self, x: ArrayLike) -> Numbers:
        laws, K = self.probabilities.shape[:-1], self.probabilities.shape[-1]
        x = check_points(x, laws)
        inside = whole(x) & (x < K)
        code = np.where(inside, x, 0.0).astype(int)
        first = K * np.arange(np.prod(laws, dtype=int)).reshape(laws)
        with np.errstate(divide="ignore"):
            return np.where(inside, np.log(self.probabilities).ravel()[first + code], -np.inf)

    def sample(self, n: int, rng: np.random.Generator) -> Integers:
        edges = np.cumsum(self.probabilities, axis=-1)
        u = rng.random((n, *edges.shape[:-1], 1)) * edges[..., -1:]
        return np.sum(u >= edges, axis=-1)


@dataclass(frozen=True, eq=False)
class Multinomial(Distribution):
    """Law of the counts of K values among independent draws, for example of the words of a document.

    Parameters
    ----------
    probabilities : array of shape (K,)
    n_trials : int, optional
        The draws, Σ xₖ. By default the law is that of the counts given their sum, whatever it is.
    coefficient : bool, default=True
        False drops (Σ xₖ)! / ∏ xₖ!, which is the law of one order in which the values came.

    References
    ----------
    Bishop, C. M. (2006). Pattern Recognition and Machine Learning, section 2.2.

    Examples
    --------
    >>> from gnomon.distributions import Multinomial
    >>> law = Multinomial.fit([[10, 2, 1], [10, 8, 0]])
    >>> (31 * law.probabilities).round(7)
    array([20., 10.,  1.])
    >>> round(float(law.log_density([10, 2, 1])), 6)
    -3.324737
    >>> ordered = Multinomial(law.probabilities, coefficient=False)
    >>> round(float(law.log_density([10, 2, 1]) - ordered.log_density([10, 2, 1])), 6)
    6.754604
    """

    probabilities: Frozen
    n_trials: int | None = None
    coefficient: bool = True

    vectors = True

    def __post_init__(self) -> None:
        _simplex(self)
        if self.probabilities.ndim != 1:
            raise ValueError(f"probabilities has shape {self.probabilities.shape}; give a vector")
        if self.n_trials is not None:
            check_integer("n_trials", self.n_trials, 0)

    @classmethod
    def statistics(cls, X: MatrixLike, sample_weight: ArrayLike | None = None) -> Counts:
        """The counts Nₖ; X, of shape (n, K), may be sparse."""
        rows = (
            sparse.csr_array(X, dtype=float)
            if sparse.issparse(X)
            else check_sample(cast(ArrayLike, X), vectors=True)[0]
        )
        assert_finite(rows)
        check_counts(_entries(rows), None)
        _, weights = check_sample(np.zeros((rows.shape[0], 1)), sample_weight)
        return Counts(float(np.sum(weights)), weights @ rows)

    @classmethod
    def from_statistics(
        cls,
        statistics: Counts,
        *,
        alpha: ArrayLike = 0.0,
        prior: Prior | None = None,
        n_trials: int | None = None,
        coefficient: bool = True,
    ) -> Self:
        """Equation (2), or the mode under a `Dirichlet` prior.

        Parameters
        ----------
        statistics : Statistics
        alpha : float or array-like of shape (K,), default=0.0
            Added to every count.
        prior : Dirichlet, optional
        n_trials, coefficient
            Of the law.
        """
        p = Categorical.from_statistics(statistics, alpha=alpha, prior=prior).probabilities
        return cls(p, n_trials, coefficient)

    @property
    def mean(self) -> Floats:
        """m π."""
        return self._trials() * self.probabilities

    @property
    def var(self) -> Floats:
        """m πₖ(1 − πₖ)."""
        return self.mean * (1.0 - self.probabilities)

    @property
    def cov(self) -> Floats:
        """m (diag π − ππᵀ)."""
        return np.diag(self.mean) - np.outer(self.mean, self.probabilities)

    @property
    def mode(self) -> Integers:
        """Counts of greatest probability: mπ rounded down, and the rest where it costs least."""
        # Probabilities need not sum to one in the last digits, but the counts must sum to m.
        p = self.probabilities / np.sum(self.probabilities)
        x = below(self._trials() * p)
        while np.sum(x) < self._trials():
            # One more draw of the value k multiplies the probability by mπₖ / (xₖ + 1).
            gain = p / (x + 1.0)
            x[np.argmax(gain >= np.max(gain) * (1.0 - 1e-14))] += 1.0
        return x.astype(int)

    @property
    def n_parameters(self) -> int:
        return self.probabilities.size - 1

    def log_density(self, x: MatrixLike) -> Numbers:
        X = sparse.csr_array(x, dtype=float) if sparse.issparse(x) else check_points(cast(ArrayLike, x))
        assert_finite(X, "x")
        if X.shape[-1:] != self.probabilities.shape or X.ndim > 2:
            raise ValueError(f"x has shape {X.shape}; give rows of {self.probabilities.size} counts")
        wrong = _map_entries(X, lambda entries: ~whole(entries)) @ np.ones(self.probabilities.size)
        total, possible = X @ np.ones(self.probabilities.size), self.probabilities > 0.0
        if self.coefficient:
            out = _log_multinomial(X, total, np.where(possible, self.probabilities, 1.0))
        else:
            out = X @ np.log(np.where(possible, self.probabilities, 1.0))
        outside = (wrong > 0.0) | (X @ (~possible).astype(float) > 0.0)
        if self.n_trials is not None:
            outside = outside | (total != self.n_trials)
        return np.where(outside, -np.inf, out)

    def sample(self, n: int, rng: np.random.Generator) -> Integers:
        return rng.multinomial(self._trials(), self.probabilities, size=n)

    def entropy(self) -> float:
        """−log m! − m Σ πₖ log πₖ + Σ E[log xₖ!], each xₖ binomial."""
        m, p = self._trials(), self.probabilities
        if not self.coefficient:
            return -m * float(np.sum(xlogy(p, p)))
        k = np.arange(m + 1.0)[:, None]
        single = np.exp(log_binomial(k, m, p))
        return float(np.sum(single * gammaln(k + 1.0)) - gammaln(m + 1.0) - m * np.sum(xlogy(p, p)))

    def _trials(self) -> int:
        if self.n_trials is None:
            raise ValueError("n_trials=None: moments and draws need a number of trials; give it at construction")
        return self.n_trials


def _log_multinomial(X: Any, total: Numbers, p: Floats) -> Numbers:
    """Poisson counts, given their sum: those that are stored one by one, and e^{−nπ} for each that is zero."""
    rows, n = sparse.csr_array(np.atleast_2d(X) if not sparse.issparse(X) else X), np.abs(np.atleast_1d(total))
    rows.eliminate_zeros()
    stored = np.diff(rows.indptr)
    k, (rate, rest) = np.abs(rows.data), two_product(np.repeat(n, stored), p[rows.indices])
    parts = sparse.csr_array((log_poisson(k, rate, (k - rate) - rest), rows.indices, rows.indptr), shape=rows.shape)
    present = sparse.csr_array((np.ones(len(k)), rows.indices, rows.indptr), shape=rows.shape)
    absent = np.where(stored < p.size, np.maximum(1.0 - present @ p, 0.0), 0.0)
    out = parts @ np.ones(p.size) - n * absent - log_poisson(n, n)
    return out if np.ndim(total) else out[0]


def _simplex(law: Categorical | Multinomial) -> None:
    p = frozen(law.probabilities)
    if np.ndim(p) == 0 or not np.all(p >= 0.0) or not np.allclose(np.sum(p, axis=-1), 1.0, rtol=0.0, atol=1e-6):
        raise ValueError(f"probabilities={law.probabilities!r} must be ≥ 0 and sum to 1 along the last axis")
    object.__setattr__(law, "probabilities", p)


def _smoothed(counts: Floats, alpha: ArrayLike) -> Floats:
    alpha = np.broadcast_to(np.asarray(alpha, dtype=float), counts.shape)
    if not np.all(alpha >= 0.0):
        raise ValueError(f"alpha={np.min(alpha)} must be ≥ 0; give pseudo-counts, 0 for none")
    raised = counts + alpha
    total = np.sum(raised, axis=-1, keepdims=True)
    if not np.all(total > 0.0):
        raise ValueError("nothing was counted and alpha=0, so there are no frequencies; give alpha > 0")
    return raised / total


def _entries(X: Any) -> Array:
    return X.data if sparse.issparse(X) else X


def _map_entries(X: Any, function: Callable[[Floats], Array]) -> Any:
    """A function with f(0) = 0 of every entry, dense or sparse."""
    if sparse.issparse(X):
        return sparse.csr_array((function(X.data).astype(float), X.indices, X.indptr), shape=X.shape)
    return function(X).astype(float)
