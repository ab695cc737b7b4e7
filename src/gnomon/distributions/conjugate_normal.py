"""Conjugate models of normal data.

    covariance Σ known:  Λₙ = Λ₀ + nΣ⁻¹,  mₙ = Λₙ⁻¹(Λ₀m₀ + nΣ⁻¹x̄);  predictive N(mₙ, Σ + Λₙ⁻¹)            (1)
    nothing known:       κₙ = κ₀ + n,  mₙ = (κ₀m₀ + nx̄)/κₙ,  νₙ = ν₀ + n,
                         Ψₙ = Ψ₀ + S + (κ₀n/κₙ)(x̄ − m₀)(x̄ − m₀)ᵀ                                       (2)

with S the scatter about x̄; of one variable, a = ν/2 and b = Ψ/2. Murphy (2007), Conjugate Bayesian analysis of the
Gaussian distribution; Gelman et al. (2013), Bayesian Data Analysis, chapter 3, doi:10.1201/b16018.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from scipy.linalg import cho_solve

from gnomon._typing import ArrayLike, Numbers
from gnomon.distributions._base import Distribution, Frozen, frozen
from gnomon.distributions.conjugate import ConjugateModel
from gnomon.distributions.normal import MultivariateNormal, Normal
from gnomon.distributions.normal_inverse import MeanCov, MeanVar, NormalInverseGamma, NormalInverseWishart
from gnomon.distributions.student import MultivariateT, StudentT
from gnomon.numerics.special import LOG_2PI
from gnomon.numerics.streaming import Moments
from gnomon.numerics.validation import check_choice

__all__ = ["NormalInverseGammaModel", "NormalInverseWishartModel", "NormalKnownCov"]


@dataclass(frozen=True, eq=False)
class NormalKnownCov(ConjugateModel):
    """Normal law of the mean of normal data whose (co)variance is known, equation (1).

    Parameters
    ----------
    mean0 : float or array-like of shape (d,)
        m₀.
    cov0 : float or array-like of shape (d, d)
        Λ₀⁻¹.
    cov : float or array-like of shape (d, d)
        Σ, of one observation.

    References
    ----------
    Bishop, C. M. (2006). Pattern Recognition and Machine Learning, section 2.3.6.

    Examples
    --------
    >>> from gnomon.distributions import NormalKnownCov
    >>> model = NormalKnownCov(mean0=0.0, cov0=1.0, cov=1.0).update([1.0, 2.0, 3.0])
    >>> round(model.mean(), 7), model.law.var, model.predictive().var
    (1.5, 0.25, 1.25)
    >>> round(NormalKnownCov(0.0, 1.0, 1.0).log_evidence([1.0, 2.0, 3.0]), 6)
    -5.949963
    """

    mean0: Numbers
    cov0: Numbers
    cov: Numbers

    domains: ClassVar[dict[str, str]] = {"mean0": "real", "cov0": "covariance", "cov": "covariance"}
    likelihoods: ClassVar[tuple[type[Distribution], ...]] = (Normal, MultivariateNormal)

    def __post_init__(self) -> None:
        for name in ("mean0", "cov0", "cov"):
            object.__setattr__(self, name, frozen(getattr(self, name)))
        _ = self.law, self.predictive(), self.at(self.mean0)

    @property
    def law(self) -> Normal | MultivariateNormal:
        """N(m, Λ⁻¹)."""
        return _normal(self.mean0, self.cov0)

    def statistics(self, X: ArrayLike, sample_weight: ArrayLike | None = None) -> Moments:
        return type(self.law).statistics(X, sample_weight)

    def given(self, statistics: Moments) -> NormalKnownCov:
        # In terms of the gain C₀(C₀ + Σ/n)⁻¹ no precision is formed, and C₀ may be small or large.
        C0, noise = np.atleast_2d(self.cov0), np.atleast_2d(self.cov) / statistics.weight
        total = MultivariateNormal(np.zeros(len(C0)), C0 + noise)
        gain = cho_solve((total.factor, True), C0).T
        mean = self.mean0 + gain @ np.atleast_1d(statistics.mean - self.mean0)
        cov = gain @ noise
        shape = np.shape(self.cov0)
        return NormalKnownCov(mean.reshape(np.shape(self.mean0)), (0.5 * (cov + cov.T)).reshape(shape), self.cov)

    def log_evidence_of(self, statistics: Moments, *, ordered: bool = True) -> Numbers:
        n, d = statistics.weight, np.size(self.mean0)
        noise = MultivariateNormal(np.zeros(d), np.atleast_2d(self.cov))
        inner = np.trace(cho_solve((noise.factor, True), np.atleast_2d(statistics.scatter)))
        # The rows about their mean, and the mean about m₀.
        rows = -0.5 * ((n - 1.0) * (d * LOG_2PI + noise.log_det) + d * np.log(n) + inner)
        return rows + _normal(self.mean0, self.cov0 + np.asarray(self.cov) / n).log_density(statistics.mean)

    def predictive(self) -> Normal | MultivariateNormal:
        return _normal(self.mean0, self.cov0 + np.asarray(self.cov))

    def at(self, theta: Numbers) -> Normal | MultivariateNormal:
        return _normal(theta, self.cov)


@dataclass(frozen=True)
class NormalInverseGammaModel(ConjugateModel):
    """Normal-inverse-gamma law of the mean and the variance of normal data, equation (2); one for each column.

    a and b grow by n/2 and by ½S + κ₀n(x̄ − m₀)²/(2κₙ); the predictive is Student's t with 2a degrees of freedom and
    scale² b(κ + 1)/(aκ).

    Parameters
    ----------
    loc : float or ndarray, default=0.0
        m₀.
    kappa, a, b : float or ndarray, default=1.0

    References
    ----------
    Murphy, K. P. (2007). Conjugate Bayesian analysis of the Gaussian distribution, section 6.

    Examples
    --------
    >>> from gnomon.distributions import NormalInverseGammaModel
    >>> model = NormalInverseGammaModel().update([1.0, 2.0, 3.0])
    >>> model
    NormalInverseGammaModel(loc=1.5, kappa=4.0, a=2.5, b=3.5)
    >>> model.predictive().df, round(model.predictive().scale ** 2, 6)
    (5.0, 1.75)
    """

    loc: Numbers = 0.0
    kappa: Numbers = 1.0
    a: Numbers = 1.0
    b: Numbers = 1.0

    domains: ClassVar[dict[str, str]] = {"loc": "real", "kappa": "positive", "a": "positive", "b": "positive"}
    likelihoods: ClassVar[tuple[type[Distribution], ...]] = (Normal,)

    def __post_init__(self) -> None:
        law = self.law
        for name in ("loc", "kappa", "a", "b"):
            object.__setattr__(self, name, getattr(law, name))

    @property
    def law(self) -> NormalInverseGamma:
        """NIG(m, κ, a, b)."""
        return NormalInverseGamma(self.loc, self.kappa, self.a, self.b)

    def statistics(self, X: ArrayLike, sample_weight: ArrayLike | None = None) -> Moments:
        return Normal.statistics(X, sample_weight)

    def given(self, statistics: Moments) -> NormalInverseGammaModel:
        after = self.law.given(statistics)
        return NormalInverseGammaModel(after.loc, after.kappa, after.a, after.b)

    def log_evidence_of(self, statistics: Moments, *, ordered: bool = True) -> Numbers:
        return self.law.given(statistics).log_norm - self.law.log_norm - 0.5 * statistics.weight * LOG_2PI

    def predictive(self) -> StudentT:
        scale = np.sqrt(self.b * (self.kappa + 1.0) / (self.a * self.kappa))
        return StudentT(2.0 * self.a, self.loc, frozen(scale))

    def at(self, theta: MeanVar) -> Normal:
        return Normal(*theta)


@dataclass(frozen=True, eq=False)
class NormalInverseWishartModel(ConjugateModel):
    """Normal-inverse-Wishart law of the mean and the covariance of normal vectors, equation (2).

    The predictive is t with ν − d + 1 degrees of freedom and shape Ψ(κ + 1)/(κ(ν − d + 1)); the evidence is
    π^{−nd/2} Γ_d(νₙ/2)/Γ_d(ν₀/2) · |Ψ₀|^{ν₀/2}/|Ψₙ|^{νₙ/2} · (κ₀/κₙ)^{d/2}.

    Parameters
    ----------
    loc : array-like of shape (d,)
        m₀.
    kappa : float
        κ₀ > 0.
    scale : array-like of shape (d, d)
        Ψ₀, positive definite.
    df : float
        ν₀ > d − 1.

    References
    ----------
    Murphy, K. P. (2007). Conjugate Bayesian analysis of the Gaussian distribution, section 9.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.distributions import NormalInverseWishartModel
    >>> prior = NormalInverseWishartModel(np.zeros(2), 1.0, np.eye(2), 4.0)
    >>> X = [[1.0, 0.0], [2.0, 1.0], [0.0, 1.0]]
    >>> model = prior.update(X)
    >>> model.loc, model.scale.tolist(), model.df
    (array([0.75, 0.5 ]), [[3.75, 0.5], [0.5, 2.0]], 7.0)
    >>> round(prior.log_evidence(X), 6)
    -9.739086
    """

    loc: Frozen
    kappa: float
    scale: Frozen
    df: float

    domains: ClassVar[dict[str, str]] = {"loc": "real", "kappa": "positive", "scale": "covariance"}
    likelihoods: ClassVar[tuple[type[Distribution], ...]] = (MultivariateNormal,)

    def __post_init__(self) -> None:
        law = self.law
        object.__setattr__(self, "loc", law.loc)
        object.__setattr__(self, "scale", law.scale)

    @property
    def law(self) -> NormalInverseWishart:
        """NIW(m, κ, Ψ, ν)."""
        return NormalInverseWishart(self.loc, self.kappa, self.scale, self.df)

    def statistics(self, X: ArrayLike, sample_weight: ArrayLike | None = None) -> Moments:
        return MultivariateNormal.statistics(X, sample_weight)

    def given(self, statistics: Moments) -> NormalInverseWishartModel:
        after = self.law.given(statistics)
        return NormalInverseWishartModel(after.loc, after.kappa, after.scale, after.df)

    def map(self, which: Literal["joint", "marginal"] = "joint") -> MeanCov:
        """The mean and the covariance of greatest posterior density.

        Parameters
        ----------
        which : {"joint", "marginal"}, default="joint"
            Of both together, Σ = Ψ/(ν + d + 2); or each by itself, Σ = Ψ/(ν + d + 1).
        """
        law = self.law
        if check_choice("which", which, ("joint", "marginal")) == "joint":
            return law.mode
        return MeanCov(law.loc, law.marginal_cov.mode)

    def log_evidence_of(self, statistics: Moments, *, ordered: bool = True) -> Numbers:
        base = -0.5 * statistics.weight * len(self.loc) * LOG_2PI
        return self.law.given(statistics).log_norm - self.law.log_norm + base

    def predictive(self) -> MultivariateT:
        df = self.df - len(self.loc) + 1.0
        return MultivariateT(df, self.loc, self.scale * ((self.kappa + 1.0) / (self.kappa * df)))

    def at(self, theta: MeanCov) -> MultivariateNormal:
        return MultivariateNormal(*theta)


def _normal(mean: Numbers, cov: Numbers) -> Normal | MultivariateNormal:
    """The normal law of one variable or of a vector, by the mean that is given."""
    return MultivariateNormal(mean, cov) if np.ndim(mean) else Normal(frozen(mean), frozen(cov))
