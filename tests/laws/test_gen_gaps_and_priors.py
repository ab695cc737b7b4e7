"""Missing cells, laws over parameters and counts of parameters, for every classifier by Bayes' rule that has them.

f_c(x_observed) = ∫ f_c(x) dx_missing,        f_c(x) = ∫ f(x | θ) p(θ | D_c) dθ                               (1)
"""

import numpy as np
import pytest
from scipy.stats import multivariate_normal, multivariate_t
from sklearn.covariance import EmpiricalCovariance

from gnomon import distributions, evaluation
from gnomon.distributions import (
    KDE,
    Bernoulli,
    Beta,
    BetaBernoulli,
    Exponential,
    InverseGamma,
    MultivariateNormal,
    MultivariateT,
    Normal,
    NormalInverseGammaModel,
    NormalInverseWishartModel,
    Poisson,
    Product,
)
from gnomon.generative import (
    GaussianClassifier,
    GaussianMixture,
    GaussianNB,
    GenerativeClassifier,
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)

RNG = np.random.default_rng(5)
Y = np.repeat([0, 1, 2], 40)
X = (
    RNG.normal(size=(120, 3)) @ np.array([[1.0, 0.3, 0.0], [0.0, 0.8, 0.2], [0.0, 0.0, 1.5]])
    + np.array([0.0, 1.0, 2.5])[Y, None]
)
GAPS = np.where(RNG.random(X.shape) < 0.15, np.nan, X)
NIG = NormalInverseGammaModel(0.0, 1.0, 1.0, 1.0)
PRIOR = NormalInverseWishartModel(np.zeros(3), 2.0, np.eye(3) * 2.0, 7.0)


def both(kind, **options):
    """Discriminant analysis of a kind, and the Gaussian classifier that it is."""
    own = {"tied": LinearDiscriminantAnalysis, "full": QuadraticDiscriminantAnalysis}[kind]
    return own(missing="marginalize", **options), GaussianClassifier(kind)


@pytest.mark.spec("GEN-034")
@pytest.mark.parametrize("solver", ["svd", "eigen", "lsqr"])
@pytest.mark.parametrize("kind", ["tied", "full"])
def test_discriminant_analysis_of_rows_with_gaps_is_the_gaussian_classifier(kind, solver):
    if (kind, solver) == ("full", "lsqr"):
        return
    model, peer = both(kind, solver=solver)
    model.fit(GAPS, Y)
    peer.fit(GAPS, Y)
    assert model.means_ == pytest.approx(peer.means_)
    for rows in (X, GAPS):
        assert model.predict_proba(rows) == pytest.approx(peer.predict_proba(rows), abs=1e-7)
        assert model.score_samples(rows) == pytest.approx(peer.score_samples(rows), abs=1e-6)
    assert np.mean(model.predict(GAPS) == Y) > 0.7


@pytest.mark.spec("GEN-034")
@pytest.mark.parametrize("model", [LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis()])
def test_a_row_is_scored_by_its_observed_block(model):
    model.set_params(missing="marginalize").fit(X, Y)
    row = np.array([[0.4, np.nan, 1.0]])
    peer = GaussianClassifier("tied" if isinstance(model, LinearDiscriminantAnalysis) else "full").fit(X, Y)
    covs = np.broadcast_to(peer.covariances_, (3, 3, 3))
    seen = [0, 2]
    laws = [multivariate_normal(m[seen], c[np.ix_(seen, seen)]) for m, c in zip(peer.means_, covs, strict=True)]
    expected = [law.logpdf(row[0, seen]) for law in laws]
    assert model.class_log_likelihood(row)[0] == pytest.approx(expected)
    assert model.predict_proba(np.full((1, 3), np.nan))[0] == pytest.approx(model.class_prior_)


@pytest.mark.spec("GEN-034")
def test_gaps_are_refused_where_they_are_to_be():
    models = [LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis(), GenerativeClassifier(missing="error")]
    for model in models:
        with pytest.raises(ValueError, match="NaN"):
            model.fit(GAPS, Y)
        model.fit(X, Y)
        for verb in (model.predict, model.class_log_likelihood):
            with pytest.raises(ValueError, match="NaN"):
                verb(GAPS)
        with pytest.raises(ValueError, match="missing='gone'"):
            model.set_params(missing="gone").fit(X, Y)
    for model in (LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis):
        for rows in (GAPS, X):
            with pytest.raises(ValueError, match="inf"):
                model(missing="marginalize").fit(np.where(rows > 3.0, np.inf, rows), Y)
        with pytest.raises(ValueError, match="whole rows"):
            model(solver="eigen", shrinkage="auto", missing="marginalize").fit(GAPS, Y)


@pytest.mark.spec("GEN-034")
@pytest.mark.parametrize(
    ("density", "peer"),
    [
        (MultivariateNormal, GaussianClassifier("full")),
        (Normal, GaussianNB(var_smoothing=0.0)),
        (GaussianMixture(1, reg_covar=0.0, tol=1e-9, max_iter=500), GaussianClassifier("full")),
    ],
)
def test_any_density_with_gaps(density, peer):
    model = GenerativeClassifier(density).fit(GAPS, Y)
    peer.fit(GAPS, Y)
    assert model.predict_proba(GAPS) == pytest.approx(peer.predict_proba(GAPS), abs=1e-4)


@pytest.mark.spec("GEN-034")
def test_columns_without_a_normal_law_are_fitted_to_their_own_cells():
    counts = np.where(RNG.random((120, 2)) < 0.2, np.nan, RNG.poisson(3.0 + 2.0 * Y[:, None], (120, 2)))
    model = GenerativeClassifier(Poisson).fit(counts, Y)
    for k, law in enumerate(model.densities_):
        assert law.mean == pytest.approx(np.nanmean(counts[k == Y], axis=0))
    single = np.array([[4.0, np.nan]])
    expected = [Poisson(law.mean[0]).log_density(4.0) for law in model.densities_]
    assert model.class_log_likelihood(single)[0] == pytest.approx(np.array(expected))
    with pytest.raises(ValueError, match="X contains NaN in column 0"):
        GenerativeClassifier(KDE).fit(GAPS, Y)
    with pytest.raises(ValueError, match="column 1 is missing in every row"):
        GenerativeClassifier(Normal).fit(np.where([False, True, False], np.nan, X), Y)


def test_marginal_laws_of_rows_with_gaps():
    law = MultivariateT(5.0, [1.0, 2.0], [[2.0, 0.3], [0.3, 1.0]])
    alone = multivariate_t(loc=[2.0], shape=[[1.0]], df=5.0).logpdf([0.5])
    assert law.observed_log_density(np.array([[np.nan, 0.5]])) == pytest.approx(alone)
    mixed = Product([(0, Exponential(2.0)), ([1, 2], law)])
    expected = float(Exponential(2.0).log_density(0.7)) + alone
    assert mixed.observed_log_density(np.array([[0.7, np.nan, 0.5]])) == pytest.approx(expected)


@pytest.mark.spec("GEN-036")
@pytest.mark.parametrize("estimate", ["map", "predictive"])
def test_quadratic_discriminant_analysis_under_a_prior_is_the_gaussian_classifier(estimate):
    options = {"estimate": estimate, "parameter_prior": PRIOR}
    peer = GaussianClassifier("full", **options).fit(X, Y)
    for solver in ("svd", "eigen"):
        model = QuadraticDiscriminantAnalysis(solver=solver, **options).fit(X, Y)
        assert model.class_log_likelihood(X) == pytest.approx(peer.class_log_likelihood(X))
        rebuilt = [R * v @ R.T for R, v in zip(model.rotations_, model.scalings_, strict=True)]
        mode = GaussianClassifier("full", estimate="map", parameter_prior=PRIOR).fit(X, Y)
        assert np.array(rebuilt) == pytest.approx(mode.covariances_)


@pytest.mark.spec("GEN-036")
@pytest.mark.parametrize("solver", ["svd", "lsqr", "eigen"])
def test_linear_discriminant_analysis_under_a_prior(solver):
    """The posterior of one Σ and three means, written out."""
    n, d = 40, 3
    psi = PRIOR.scale.copy()
    means = []
    for k in range(3):
        rows = X[k == Y]
        off = rows.mean(0) - PRIOR.loc
        psi += (rows - rows.mean(0)).T @ (rows - rows.mean(0)) + PRIOR.kappa * n / (PRIOR.kappa + n) * np.outer(
            off, off
        )
        means.append((PRIOR.kappa * PRIOR.loc + n * rows.mean(0)) / (PRIOR.kappa + n))
    mode = psi / (PRIOR.df + 3 * n + 3 + d + 1)
    model = LinearDiscriminantAnalysis(solver, store_covariance=True, estimate="map", parameter_prior=PRIOR).fit(X, Y)
    assert model.means_ == pytest.approx(np.array(means))
    assert model.covariance_ == pytest.approx(mode)
    own = np.stack([multivariate_normal(m, mode).logpdf(X) for m in means], axis=1)
    assert model.class_log_likelihood(X) == pytest.approx(own)
    assert model.predict_proba(X) == pytest.approx(np.exp(own) / np.exp(own).sum(1, keepdims=True))
    df, kappa = PRIOR.df + 3 * n - d + 1, PRIOR.kappa + n
    t = np.stack([multivariate_t(m, psi * (kappa + 1) / (kappa * df), df).logpdf(X) for m in means], axis=1)
    model.set_params(estimate="predictive").fit(X, Y)
    assert model.class_log_likelihood(X) == pytest.approx(t)
    assert model.predict_proba(X) == pytest.approx(np.exp(t) / np.exp(t).sum(1, keepdims=True))
    with pytest.raises(AttributeError, match="not linear"):
        _ = model.linear_form_


@pytest.mark.spec("GEN-036")
def test_any_density_under_a_prior():
    bits = (X > 1.0)[:, :1].astype(float)
    counts = [(float(bits[k == Y].sum()), 40.0) for k in range(3)]
    beta = Beta(2.0, 3.0)
    mode = GenerativeClassifier(Bernoulli, estimate="map", parameter_prior=beta).fit(bits, Y)
    mean = GenerativeClassifier(Bernoulli, estimate="predictive", parameter_prior=BetaBernoulli(2.0, 3.0)).fit(bits, Y)
    for k, (r, m) in enumerate(counts):
        assert mode.densities_[k].p == pytest.approx((r + 1.0) / (m + 3.0))
        assert mean.densities_[k].p == pytest.approx((r + 2.0) / (m + 5.0))
    full = GenerativeClassifier(estimate="predictive", parameter_prior=PRIOR).fit(X, Y)
    peer = GaussianClassifier(estimate="predictive", parameter_prior=PRIOR).fit(X, Y)
    assert full.predict_proba(X) == pytest.approx(peer.predict_proba(X))
    each = {0: PRIOR, 1: PRIOR, 2: NormalInverseWishartModel(np.ones(3), 1e3, np.eye(3), 8.0)}
    pulled = GenerativeClassifier(estimate="map", parameter_prior=each).fit(X, Y)
    assert pulled.densities_[2].mean == pytest.approx(np.ones(3), abs=0.1)


@pytest.mark.spec("GEN-036")
@pytest.mark.parametrize(
    ("model", "message"),
    [
        (GenerativeClassifier(estimate="map"), "parameter_prior"),
        (GenerativeClassifier(parameter_prior=PRIOR), "'mle' takes none"),
        (GenerativeClassifier(estimate="bayes"), "estimate='bayes'"),
        (GenerativeClassifier(estimate="predictive", parameter_prior=BetaBernoulli()), "does not integrate out"),
        (GenerativeClassifier(Normal, estimate="predictive", parameter_prior=InverseGamma(1.0, 1.0)), "conjugate"),
        (GenerativeClassifier(KDE, estimate="map", parameter_prior=PRIOR), "KDE is not estimated under a prior"),
        (GenerativeClassifier(GaussianMixture(), estimate="map", parameter_prior=PRIOR), "needs a Distribution class"),
        (GenerativeClassifier(estimate="map", parameter_prior={0: PRIOR}), "no entry for class 1"),
        (GenerativeClassifier(Normal.family(ddof=1), estimate="predictive", parameter_prior=NIG), "options"),
        (LinearDiscriminantAnalysis(estimate="map"), "parameter_prior"),
        (LinearDiscriminantAnalysis("eigen", 0.5, estimate="map", parameter_prior=PRIOR), "shrinkage=0.5 beside"),
        (LinearDiscriminantAnalysis(estimate="map", parameter_prior=Beta(1.0, 1.0)), "NormalInverseWishartModel"),
        (
            LinearDiscriminantAnalysis(
                "eigen", covariance_estimator=EmpiricalCovariance(), estimate="map", parameter_prior=PRIOR
            ),
            "covariance_estimator beside",
        ),
        (GaussianClassifier("diag", estimate="map", parameter_prior=PRIOR), "needs covariance_type='full'"),
        (GaussianClassifier(shrinkage=0.1, estimate="map", parameter_prior=PRIOR), "shrinkage=None"),
        (QuadraticDiscriminantAnalysis(estimate="map", parameter_prior=PRIOR, reg_param=0.1), "reg_param=0.1 beside"),
        (QuadraticDiscriminantAnalysis(parameter_prior=PRIOR), "'mle' takes none"),
    ],
)  # fmt: skip
def test_estimates_that_do_not_go_with_their_prior_are_refused(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit(X, Y)


@pytest.mark.spec("GEN-038")
def test_parameters_of_discriminant_analysis():
    k, d = 3, 3
    for solver in ("svd", "lsqr", "eigen"):
        assert LinearDiscriminantAnalysis(solver).fit(X, Y).n_parameters_ == k * d + d * (d + 1) // 2 + k - 1
    for solver in ("svd", "eigen"):
        assert QuadraticDiscriminantAnalysis(solver=solver).fit(X, Y).n_parameters_ == k * d * (d + 3) // 2 + k - 1
    assert LinearDiscriminantAnalysis().fit(X, Y).n_parameters_ == GaussianClassifier("tied").fit(X, Y).n_parameters_
    assert QuadraticDiscriminantAnalysis().fit(X, Y).n_parameters_ == GaussianClassifier("full").fit(X, Y).n_parameters_


@pytest.mark.spec("GEN-012")
def test_evaluation_offers_entropy_and_divergences():
    for name in ("entropy", "cross_entropy", "kl_divergence"):
        assert name in evaluation.__all__
        assert getattr(evaluation, name) is getattr(distributions, name)
    p, q = [0.5, 0.5], [0.25, 0.75]
    assert evaluation.cross_entropy(p, q) == pytest.approx(evaluation.entropy(p) + evaluation.kl_divergence(p, q))
