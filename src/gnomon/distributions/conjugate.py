"""Conjugate models: a prior and a likelihood whose posterior stays in the family of the prior.

    p(θ | D) = p(D | θ) p(θ) / p(D),    p(D) = ∫ p(D | θ) p(θ) dθ,    p(x | D) = ∫ p(x | θ) p(θ | D) dθ    (1)

=========================  ==========================  ==========================  =========================
data                       law of the parameters       predictive                  model
=========================  ==========================  ==========================  =========================
bits, successes            Beta                        Bernoulli                   BetaBernoulli
categories, counts         Dirichlet                   Categorical                 DirichletCategorical
normal, variance known     normal                      normal                      NormalKnownCov
normal                     NormalInverseGamma          StudentT                    NormalInverseGammaModel
normal vectors             NormalInverseWishart        MultivariateT               NormalInverseWishartModel
values of a function       Gaussian process            Gaussian process            gnomon.gp
=========================  ==========================  ==========================  =========================

The data enter through statistics that add, so updates agree in any order and in any batches. A model is also a prior:
its `mode_given` makes it fit for ``Distribution.fit(X, prior=model)``. Raiffa & Schlaifer (1961), Applied Statistical
Decision Theory; Bishop (2006), Pattern Recognition and Machine Learning, chapter 2.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np

from gnomon._typing import ArrayLike, Floats, Numbers
from gnomon.distributions._base import Distribution, Frozen
from gnomon.distributions.bernoulli import Bernoulli
from gnomon.distributions.beta import Beta
from gnomon.distributions.categorical import Categorical
from gnomon.distributions.dirichlet import Dirichlet
from gnomon.distributions.discrete import Counts, Trials
from gnomon.numerics.saddle_point import log_dirichlet_multinomial, log_gamma_ratio

__all__ = ["BetaBernoulli", "ConjugateModel", "DirichletCategorical", "Estimation", "check_prior"]

Estimation: TypeAlias = Literal["mle", "map", "predictive"]
"""Greatest likelihood; greatest posterior density; or no point estimate but the predictive law."""


class ConjugateModel(ABC):
    """Base of the conjugate models: an immutable state of belief about the parameters of a likelihood.

    Attributes
    ----------
    law : Distribution
        The law of the parameters, now.
    domains : dict of str to str
        The hyper-parameters over which evidence may be maximised, each "real", "positive" or "covariance".

    References
    ----------
    Raiffa, H. & Schlaifer, R. (1961). Applied Statistical Decision Theory.

    Examples
    --------
    The three summaries of a posterior: its mode, its mean, and no point at all.

    >>> from gnomon.distributions import BetaBernoulli
    >>> model = BetaBernoulli(alpha=2.0, beta=3.0).update([1, 1, 1, 1, 1, 1, 1, 0, 0, 0])
    >>> round(model.map(), 6), model.mean(), model.predictive()
    (0.615385, 0.6, Bernoulli(p=0.6))
    """

    domains: ClassVar[dict[str, str]] = {}
    likelihoods: ClassVar[tuple[type[Distribution], ...]] = ()
    """The laws that the data may have."""

    @property
    @abstractmethod
    def law(self) -> Distribution:
        """The law of the parameters, now."""

    @abstractmethod
    def statistics(self, X: ArrayLike, sample_weight: ArrayLike | None = None) -> Any:
        """What the data enter through: sums over rows, which add."""

    @abstractmethod
    def given(self, statistics: Any) -> Self:
        """The model after data with these statistics."""

    @abstractmethod
    def log_evidence_of(self, statistics: Any, *, ordered: bool = True) -> Numbers:
        """The logarithm of p(D) in (1), from statistics."""

    @abstractmethod
    def predictive(self) -> Distribution:
        """The law of the next observation, the parameters integrated out."""

    @abstractmethod
    def at(self, theta: Any) -> Distribution:
        """The law of the data, given the parameters."""

    def update(self, X: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """The model after the rows of X; a weight of two is the row twice."""
        return self.given(self.statistics(X, sample_weight))

    def from_statistics(self, statistics: Any) -> Distribution:
        """The law of the next observation after data with these statistics, as a `DistributionFamily` gives a law."""
        return self.given(statistics).predictive()

    def fit(self, X: ArrayLike, sample_weight: ArrayLike | None = None) -> Distribution:
        """The law of the next observation after the rows of X."""
        return self.from_statistics(self.statistics(X, sample_weight))

    def map(self) -> Any:
        """The parameters of greatest posterior density."""
        return self.law.mode

    def mean(self) -> Any:
        """The mean of the parameters, which minimises the expected squared error: Bayes' estimate."""
        return self.law.mean

    def log_evidence(self, X: ArrayLike, sample_weight: ArrayLike | None = None, *, ordered: bool = True) -> float:
        """log p(D) of (1) for the rows of X.

        Parameters
        ----------
        X : array-like
        sample_weight : array-like of shape (n,), optional
        ordered : bool, default=True
            Whether the rows came in this order; False, for discrete data, is the evidence of their counts alone.
        """
        return float(np.sum(self.log_evidence_of(self.statistics(X, sample_weight), ordered=ordered)))

    def mode_given(self, statistics: Any) -> Distribution:
        """The law of the data at the parameters of greatest posterior density."""
        after = self.given(statistics)
        return after.at(after.map())


@dataclass(frozen=True)
class BetaBernoulli(ConjugateModel):
    """Beta law of the probability of bits.

    Posterior Beta(α + r, β + m − r) after r ones in m bits; evidence B(α + r, β + m − r) / B(α, β), times C(m, r) if
    the order is not known. Successes in several trials enter through ``given(Binomial.statistics(X, n_trials=m))``.

    Parameters
    ----------
    alpha, beta : float or ndarray, default=1.0
        Of the beta law; 1 and 1 is uniform.

    References
    ----------
    Bishop, C. M. (2006). Pattern Recognition and Machine Learning, section 2.1.1.

    Examples
    --------
    >>> from gnomon.distributions import BetaBernoulli
    >>> prior = BetaBernoulli(2.0, 3.0)
    >>> prior.update([1, 0], sample_weight=[7, 3])
    BetaBernoulli(alpha=9.0, beta=6.0)
    >>> round(prior.log_evidence([1, 0], sample_weight=[7, 3]), 6)
    -7.31422
    """

    alpha: Numbers = 1.0
    beta: Numbers = 1.0

    domains: ClassVar[dict[str, str]] = {"alpha": "positive", "beta": "positive"}
    likelihoods: ClassVar[tuple[type[Distribution], ...]] = (Bernoulli,)

    def __post_init__(self) -> None:
        object.__setattr__(self, "alpha", self.law.alpha)
        object.__setattr__(self, "beta", self.law.beta)

    @property
    def law(self) -> Beta:
        """Beta(α, β)."""
        return Beta(self.alpha, self.beta)

    def statistics(self, X: ArrayLike, sample_weight: ArrayLike | None = None) -> Trials:
        return Bernoulli.statistics(X, sample_weight)

    def given(self, statistics: Trials) -> BetaBernoulli:
        after = self.law.given(statistics.total, statistics.trials)
        return BetaBernoulli(after.alpha, after.beta)

    def log_evidence_of(self, statistics: Trials, *, ordered: bool = True) -> Numbers:
        counts = np.stack([statistics.total, statistics.trials - statistics.total], axis=-1)
        return _log_evidence(counts, np.stack([self.alpha, self.beta], axis=-1), ordered)

    def predictive(self) -> Bernoulli:
        return Bernoulli(self.law.mean)

    def at(self, theta: Numbers) -> Bernoulli:
        return Bernoulli(theta)


@dataclass(frozen=True, eq=False)
class DirichletCategorical(ConjugateModel):
    """Dirichlet law of the probabilities of K values, coded 0, …, K−1.

    Posterior Dirichlet(α + n) after counts n; evidence B(α + n) / B(α), with B(α) = ∏ Γ(αₖ) / Γ(Σ αₖ), times the
    multinomial coefficient if the order is not known. Counts enter through ``given(Multinomial.statistics(X))``.

    Parameters
    ----------
    alpha : array-like of shape (K,)

    References
    ----------
    Bishop, C. M. (2006). Pattern Recognition and Machine Learning, section 2.2.1.

    Examples
    --------
    >>> from gnomon.distributions import DirichletCategorical
    >>> prior = DirichletCategorical([1.0, 1.0, 1.0])
    >>> prior.update([0, 1, 2], sample_weight=[2, 3, 5]).map()
    array([0.2, 0.3, 0.5])
    >>> round(prior.log_evidence([0, 1, 2], sample_weight=[2, 3, 5]), 6)
    -12.021669
    """

    alpha: Frozen

    domains: ClassVar[dict[str, str]] = {"alpha": "positive"}
    likelihoods: ClassVar[tuple[type[Distribution], ...]] = (Categorical,)

    def __post_init__(self) -> None:
        object.__setattr__(self, "alpha", self.law.alpha)

    @property
    def law(self) -> Dirichlet:
        """Dirichlet(α)."""
        return Dirichlet(self.alpha)

    def statistics(self, X: ArrayLike, sample_weight: ArrayLike | None = None) -> Counts:
        return Categorical.statistics(X, sample_weight, n_values=self.alpha.shape[-1])

    def given(self, statistics: Counts) -> DirichletCategorical:
        return DirichletCategorical(self.law.given(statistics.counts).alpha)

    def log_evidence_of(self, statistics: Counts, *, ordered: bool = True) -> Numbers:
        return _log_evidence(statistics.counts, self.alpha, ordered)

    def predictive(self) -> Categorical:
        return Categorical(self.law.mean)

    def at(self, theta: Floats) -> Categorical:
        return Categorical(theta)


def _log_evidence(counts: ArrayLike, alpha: Floats, ordered: bool) -> Numbers:
    """log B(α + n)/B(α), times the number of orders in which values with these counts can come."""
    if not ordered:
        return log_dirichlet_multinomial(counts, alpha)
    counts = np.asarray(counts, dtype=float)
    parts = np.sum(log_gamma_ratio(alpha, counts), axis=-1)
    return parts - log_gamma_ratio(np.sum(alpha, axis=-1), np.sum(counts, axis=-1))


def check_prior(prior: object, kinds: tuple[type, ...]) -> None:
    """Refuse a law that is not one over the parameters of the model.

    Examples
    --------
    >>> from gnomon.distributions import Beta, Dirichlet, Normal
    >>> from gnomon.distributions.conjugate import check_prior
    >>> check_prior(Normal(), (Beta, Dirichlet))
    Traceback (most recent call last):
    ...
    ValueError: parameter_prior=Normal(...) is no law of these parameters; give a Beta or Dirichlet
    """
    if not isinstance(prior, kinds):
        words = " or ".join(kind.__name__ for kind in kinds)
        raise ValueError(f"parameter_prior={prior!r} is no law of these parameters; give a {words}")
