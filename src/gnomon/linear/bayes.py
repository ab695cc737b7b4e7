"""Bayesian linear regression.

    yᵢ | w, b ~ N(xᵢᵀw + b, σ²/sᵢ),    w ~ a prior,    b ~ flat                                      (1)

The posterior of w, its predictions with their uncertainty, and the evidence p(y). Gaussian priors are exact, with σ²
known or integrated out; the Laplace prior has the lasso as its mode and is explored by Gibbs sampling. Bishop (2006),
Pattern Recognition and Machine Learning, section 3.3; MacKay (1992), doi:10.1162/neco.1992.4.3.415; Park & Casella
(2008), doi:10.1198/016214508000000337.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Literal, Self, TypeAlias, overload

import numpy as np
from scipy import sparse
from sklearn.base import RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from gnomon._typing import ArrayLike, Count, CountOrZero, Floats, MatrixLike, NonNegative, Positive, RandomState
from gnomon.base import validate_rows
from gnomon.base.estimator import Estimator
from gnomon.distributions import (
    Distribution,
    Empirical,
    InverseGamma,
    Laplace,
    MultivariateNormal,
    MultivariateT,
    Normal,
    StudentT,
)
from gnomon.linear._gibbs import SampledPosterior, gibbs_lasso
from gnomon.linear._posteriors import GaussianPosterior, StudentPosterior, joint_mean
from gnomon.linear._prior import ParameterPrior, as_prior
from gnomon.linear._scores import linear_scores
from gnomon.linear._summary import Summary, merge_summaries, summarize
from gnomon.losses import SquaredLoss, from_likelihood
from gnomon.numerics.design import Design
from gnomon.numerics.random import check_rng
from gnomon.numerics.validation import check_positive
from gnomon.numerics.weights import check_weights
from gnomon.optim import fit_linear, maximize_evidence, warn_unless_converged
from gnomon.optim.evidence import LIMIT
from gnomon.optim.solution import History
from gnomon.penalties import from_prior

__all__ = ["BayesianLinearRegression"]

Noise: TypeAlias = float | InverseGamma
"""σ², or its prior."""

Posterior: TypeAlias = GaussianPosterior | StudentPosterior | SampledPosterior


class BayesianLinearRegression(RegressorMixin, Estimator):
    """Bayesian linear regression (1): a law over the coefficients instead of one guess.

    With a Gaussian prior N(0, β²I) the most probable coefficients are those of ridge with ρ = σ²/β² (the prior
    covariance is (σ²/ρ)I, not (1/ρ)I); with Laplace(0, b) those of the lasso with ρ = 2σ²/b, both in the sum form.

    Parameters
    ----------
    sigma2 : float or "conjugate", default=1.0
        The noise variance σ²; or "conjugate" to integrate it out under an inverse-gamma prior, with priors in units of
        the noise: w | σ² ~ N(m₀, σ²V₀), or Laplace(0, σb).
    parameter_prior : None, float, pair, str or Distribution, default=None
        The law of the coefficients: the variance β² of N(0, β²I), a pair (m₀, S₀), "laplace" or "normal" of scale one,
        or a distribution such as ``Laplace(0, b)``. None is N(0, I).
    noise_prior : pair of float, default=(1.0, 1.0)
        (a₀, b₀) of σ² ~ InverseGamma, used with ``sigma2="conjugate"``.
    fit_intercept : bool, default=True
        Whether there is an intercept; it has a flat prior.
    optimize_evidence : bool, default=False
        Choose σ² and the variance of the prior N(0, β²I) by maximising the evidence (MacKay's fixed point); what was
        given is then not used.
    n_draws, burn_in : int, default=2000 and 500
        Draws kept and thrown away of the Gibbs sampler (Laplace prior).
    tol : float, default=1e-10
        Tolerance of the evidence maximisation and of the lasso.
    max_iter : int, default=1000
        Most iterations of these.
    random_state : int, Generator or RandomState, optional
        Seed of the sampler.

    Attributes
    ----------
    posterior_ : MultivariateNormal, MultivariateT or Empirical
        The law of the coefficients, the intercept last: `mean`, `cov`, `sample(n, rng)`, `interval(level)`. Formed when
        it is asked for: for fewer rows than columns the fit and its predictions need no d × d matrix.
    map_, mean_ : ndarray
        The most probable coefficients and their mean, the intercept last; equal unless the prior is Laplace.
    coef_, intercept_ : ndarray of shape (n_features,) and float
        `mean_`, split.
    sigma2_ : float
        σ² as given, as chosen, or its posterior mean.
    noise_posterior_ : InverseGamma, Empirical or None
        The law of σ², with ``sigma2="conjugate"``; None where σ² is known.
    prior_ : Distribution
        The prior that was used.
    log_evidence_ : float
        log p(y); of the centred data if there is an intercept. nan for the Laplace prior.
    effective_dof_ : float
        γ = tr of the hat matrix: how many coefficients the data determine. nan for the Laplace prior.
    effective_draws_ : float
        The least number of independent draws that would know a coefficient as well as the sampler's; inf for closed
        laws. A few hundred give intervals to two digits; otherwise raise `n_draws`.
    n_iter_, converged_ : int and bool
        Of the evidence maximisation, False where the evidence has no maximum; 1 and True for what is closed.
    history_ : dict of str to ndarray
        Of the evidence maximisation.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    MacKay, D. J. C. (1992). Bayesian interpolation. doi:10.1162/neco.1992.4.3.415

    Park, T. & Casella, G. (2008). The Bayesian lasso. doi:10.1198/016214508000000337

    Examples
    --------
    >>> from gnomon.linear import BayesianLinearRegression
    >>> Phi, y = [[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]], [0.0, 1.0, 1.0]
    >>> model = BayesianLinearRegression(sigma2=0.25, fit_intercept=False).fit(Phi, y)
    >>> model.mean_.round(7), round(model.log_evidence_, 7)
    (array([0.1860465, 0.4651163]), -3.5723965)
    >>> law = model.predict_dist([[1.0, 3.0]])
    >>> law.mean.round(7), law.var.round(7)
    (array([1.5813953]), array([0.7616279]))
    """

    map_: Floats
    mean_: Floats
    coef_: Floats
    intercept_: float
    sigma2_: float
    noise_posterior_: InverseGamma | Empirical | None
    prior_: Distribution
    log_evidence_: float
    effective_dof_: float
    effective_draws_: float
    n_iter_: int
    converged_: bool
    history_: History
    _summary: Summary
    _posterior: Posterior

    def __init__(
        self,
        sigma2: Positive | Literal["conjugate"] = 1.0,
        parameter_prior: ParameterPrior = None,
        *,
        noise_prior: tuple[float, float] = (1.0, 1.0),
        fit_intercept: bool = True,
        optimize_evidence: bool = False,
        n_draws: Count = 2000,
        burn_in: CountOrZero = 500,
        tol: NonNegative = 1e-10,
        max_iter: Count = 1000,
        random_state: RandomState = None,
    ):
        self.sigma2 = sigma2
        self.parameter_prior = parameter_prior
        self.noise_prior = noise_prior
        self.fit_intercept = fit_intercept
        self.optimize_evidence = optimize_evidence
        self.n_draws = n_draws
        self.burn_in = burn_in
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Condition (1) on the rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
        y : array-like of shape (n,)
        sample_weight : array-like of shape (n,), optional
            Weight 2 is the row twice.
        """
        return self._update(None, X, y, sample_weight)

    def partial_fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Condition on further rows; any order and any batches give the law that `fit` gives on all of them."""
        return self._update(vars(self).get("_summary"), X, y, sample_weight)

    @overload
    def predict(self, X: MatrixLike, return_std: Literal[False] = False) -> Floats: ...
    @overload
    def predict(self, X: MatrixLike, return_std: Literal[True]) -> tuple[Floats, Floats]: ...
    @overload
    def predict(self, X: MatrixLike, return_std: bool = ...) -> Floats | tuple[Floats, Floats]: ...
    def predict(self, X: MatrixLike, return_std: bool = False) -> Floats | tuple[Floats, Floats]:
        """Mean of the predictive law; with `return_std` also its standard deviation, the noise included."""
        mean = linear_scores(self, X)
        return (mean, self._posterior.std(self._dense(X))) if return_std else mean

    def predict_dist(self, X: MatrixLike, *, include_noise: bool = True) -> Normal | StudentT | Empirical:
        """The law of y at new rows: Normal, StudentT or Empirical; without the noise, that of xᵀw + b."""
        mean = linear_scores(self, X)
        return self._posterior.predictive(self._dense(X), mean, include_noise=include_noise)

    @property
    def posterior_(self) -> MultivariateNormal | MultivariateT | Empirical:
        """The law of the coefficients, the intercept last; its covariance is formed when it is asked for."""
        check_is_fitted(self, "_posterior")
        return self._posterior.law

    def _dense(self, X: MatrixLike) -> Floats:
        X = validate_rows(self, X, reset=False, accept_sparse="csr")
        return X.toarray() if sparse.issparse(X) else X

    def _update(self, before: Summary | None, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None) -> Self:
        X, y = validate_rows(self, X, y, reset=before is None, accept_sparse="csr", y_numeric=True)
        rows = summarize(X, y, check_weights(sample_weight, X), intercept=self.fit_intercept)
        self._summary = rows if before is None else merge_summaries(before, rows)
        prior, noise = as_prior(self.parameter_prior), self._noise()
        self.n_iter_, self.converged_ = 1, True
        if self.optimize_evidence:
            prior, noise = self._best_prior(prior)
        condition = _CONDITIONS.get(type(prior), _condition_gaussian)
        self.prior_, self._posterior = prior, condition(self, self._summary, prior, noise)
        self.map_, self.mean_ = self._posterior.mode, self._posterior.mean
        self.sigma2_, self.noise_posterior_ = float(self._posterior.sigma2), self._posterior.noise
        self.log_evidence_, self.effective_dof_ = self._posterior.log_evidence, self._posterior.dof
        self.effective_draws_ = self._posterior.effective
        self.coef_ = self.mean_[: X.shape[1]].astype(X.dtype)
        self.intercept_ = float(self.mean_[-1]) if self.fit_intercept else 0.0
        return self

    def _noise(self) -> Noise:
        if self.sigma2 == "conjugate":
            a, b = self.noise_prior
            return InverseGamma(check_positive("noise_prior[0]", a), check_positive("noise_prior[1]", b))
        return float(self.sigma2)

    def _best_prior(self, prior: Distribution) -> tuple[Normal, float]:
        """N(0, α⁻¹I) and σ² of the greatest evidence."""
        if type(prior) is not Normal or self.sigma2 == "conjugate":
            raise ValueError(
                "optimize_evidence=True chooses σ² and β² of N(0, β²I); give a number as sigma2 and no parameter_prior "
                f"with it, not sigma2={self.sigma2!r} and {prior!r}"
            )
        rows = self._summary
        best = maximize_evidence(rows.R, rows.z, n=rows.total, rest=rows.rest, tol=self.tol, max_iter=self.max_iter)
        short = (
            f"the evidence was not maximised in {best.n_iter} iterations; raise max_iter={self.max_iter}, "
            f"loosen tol={self.tol}, or scale the columns of X"
        )
        for sentence in [] if best.converged else [_UNBOUNDED[name] for name in best.stopped] or [short]:
            warnings.warn(sentence, ConvergenceWarning, stacklevel=4)
        self.n_iter_, self.converged_, self.history_ = best.n_iter, best.converged, best.history
        return Normal(0.0, 1.0 / best.prior_precision), 1.0 / best.noise_precision

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


_UNBOUNDED = {
    name: f"the evidence has no maximum: {why}, and the precision of the {name} was stopped at {LIMIT:.0e} times the "
    f"scale of the data; {advice}, or give sigma2 and parameter_prior as numbers and set optimize_evidence=False"
    for name, why, advice in (
        ("prior", "y shows no effect of X", "give columns that have one"),
        ("noise", "the columns fit y exactly", "give more rows or fewer columns"),
    )
}


def _condition_gaussian(
    model: BayesianLinearRegression,
    summary: Summary,
    prior: Any,
    noise: Noise,
) -> Posterior:
    joint = prior.joint(summary.R.shape[1])
    if isinstance(noise, InverseGamma):
        return StudentPosterior(summary, joint, noise)
    return GaussianPosterior(summary, joint, noise)


def _condition_laplace(
    model: BayesianLinearRegression,
    summary: Summary,
    prior: Laplace,
    noise: Noise,
) -> Posterior:
    sigma2, noise_prior = (None, noise) if isinstance(noise, InverseGamma) else (noise, None)
    n_draws = model.n_draws
    burn_in = model.burn_in
    rng = check_rng(model.random_state)
    start = sigma2 or (float(np.sum(summary.z**2)) + summary.rest) / summary.total or 1.0
    # With σ² unknown the scale b of the prior is in units of σ.
    unit = 1.0 if sigma2 is None else np.sqrt(sigma2)
    options: dict[str, Any] = {"noise_prior": noise_prior, "n_draws": n_draws, "burn_in": burn_in, "rng": rng}
    draws, noises = gibbs_lasso(summary, unit / prior.scale, start, **options)
    typical = sigma2 or float(np.mean(noises))
    scaled = Laplace(prior.mean, prior.scale * (np.sqrt(typical) if sigma2 is None else 1.0))
    penalty = from_prior(scaled, loss_scale=from_likelihood(Normal(0.0, typical)).scale)
    solve: dict[str, Any] = {"solver": "cd", "tol": model.tol, "max_iter": model.max_iter}
    lasso = fit_linear(Design(summary.R, intercept="none"), summary.z, SquaredLoss(), penalty, **solve)
    warn_unless_converged(lasso, model.max_iter, stacklevel=5)
    if summary.intercept:
        b = summary.y_mean - draws @ summary.x_mean + np.sqrt(noises / summary.total) * rng.standard_normal(n_draws)
        draws = np.column_stack([draws, b])
    return SampledPosterior(draws, noises, joint_mean(summary, lasso.w), summary, noise_prior is not None)


_CONDITIONS: dict[type[Distribution], Callable[..., Posterior]] = {Laplace: _condition_laplace}
