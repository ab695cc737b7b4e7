"""Laws of Bayesian regression: points, evidence, order of data, and the equivalences with penalties."""

import numpy as np
import pytest
from scipy import stats
from scipy.signal import lfilter
from scipy.sparse import csr_matrix
from sklearn.exceptions import ConvergenceWarning

from gnomon.distributions import Laplace, MultivariateNormal, Normal
from gnomon.linear import BayesianLinearRegression, BayesianLogisticRegression
from gnomon.linear._gibbs import effective_draws
from gnomon.losses import LogisticLoss, SquaredLoss
from gnomon.numerics.design import Design
from gnomon.optim import fit_linear, maximize_evidence
from gnomon.penalties import L1, L2, NoPenalty

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3)) @ np.array([[1.0, 0.5, 0.0], [0.0, 1.0, 0.3], [0.0, 0.0, 2.0]]) + 3.0
Y = X @ np.array([1.0, -2.0, 0.0]) + 4.0 + 0.7 * RNG.normal(size=40)
MODES = [
    {"sigma2": 0.5, "parameter_prior": 2.0},
    {"sigma2": 0.5, "parameter_prior": (np.array([1.0, 0.0, -1.0]), np.diag([1.0, 2.0, 3.0]) + 0.3)},
    {"sigma2": "conjugate", "parameter_prior": 2.0, "noise_prior": (2.0, 1.0)},
    {"optimize_evidence": True},
]


@pytest.mark.spec("LIN-L18", "LIN-061", "LIN-060")
@pytest.mark.parametrize("intercept", [True, False])
def test_map_under_a_gaussian_prior_is_ridge_and_the_posterior_mean(intercept):
    sigma2, beta2 = 0.5, 2.0
    model = BayesianLinearRegression(sigma2, beta2, fit_intercept=intercept).fit(X, Y)
    design = Design(X, intercept="free" if intercept else "none")
    ridge = fit_linear(design, Y, SquaredLoss(), L2(sigma2 / beta2), solver="newton", tol=1e-10)
    np.testing.assert_allclose(model.coef_, ridge.w, atol=1e-8)
    assert model.intercept_ == pytest.approx(ridge.intercept, abs=1e-7)
    np.testing.assert_array_equal(model.map_, model.mean_)
    # The normal equations of the textbook, with the prior covariance (σ²/ρ)I.
    if not intercept:
        precision = np.eye(3) / beta2 + X.T @ X / sigma2
        np.testing.assert_allclose(model.posterior_.cov, np.linalg.solve(precision, np.eye(3)), rtol=1e-8)
        np.testing.assert_allclose(model.mean_, np.linalg.solve(precision, X.T @ Y / sigma2), rtol=1e-8)


@pytest.mark.spec("LIN-L18")
def test_maximum_likelihood_under_gaussian_noise_is_least_squares_for_any_variance():
    ols = np.linalg.lstsq(np.column_stack([X, np.ones(40)]), Y, rcond=None)[0]
    for sigma2 in (0.1, 1.0, 7.0):
        nll = fit_linear(
            Design(X), Y, SquaredLoss(), NoPenalty(), np.full(40, 0.5 / sigma2), solver="newton", tol=1e-10
        )
        np.testing.assert_allclose(np.append(nll.w, nll.intercept), ols, atol=1e-7)
        flat = BayesianLinearRegression(sigma2, 1e10).fit(X, Y)
        np.testing.assert_allclose(flat.mean_, ols, atol=1e-6)


@pytest.mark.spec("LIN-L18", "LIN-065", "LIN-061")
@pytest.mark.parametrize("intercept", [True, False])
def test_map_under_a_laplace_prior_is_the_lasso(intercept):
    sigma2, b = 0.5, 0.02
    model = BayesianLinearRegression(
        sigma2, Laplace(0.0, b), fit_intercept=intercept, n_draws=300, burn_in=100, random_state=0
    ).fit(X, Y)
    design = Design(X, intercept="free" if intercept else "none")
    lasso = fit_linear(design, Y, SquaredLoss(), L1(2.0 * sigma2 / b), solver="cd", tol=1e-10)
    np.testing.assert_allclose(model.map_[:3], lasso.w, atol=1e-7)
    np.testing.assert_array_equal(model.map_[:3] == 0.0, lasso.w == 0.0)
    assert np.any(lasso.w == 0.0) == intercept
    assert np.all(model.mean_ != 0.0)


@pytest.mark.spec("LIN-065")
def test_gibbs_draws_have_the_moments_of_the_exact_posterior():
    """One coefficient: the posterior by a sum over a grid."""
    x, y, b, sigma2 = np.array([1.0, 2.0, 0.5]), np.array([1.0, 1.2, 0.1]), 0.3, 0.5
    model = BayesianLinearRegression(sigma2, Laplace(0.0, b), fit_intercept=False, n_draws=40000, random_state=0).fit(
        x[:, None], y
    )
    w = np.linspace(-3.0, 3.0, 6001)
    p = np.exp(-np.sum((y - np.outer(w, x)) ** 2, axis=1) / (2.0 * sigma2) - np.abs(w) / b)
    p /= p.sum()
    assert model.mean_[0] == pytest.approx(p @ w, abs=0.01)
    assert model.posterior_.var[0] == pytest.approx(p @ w**2 - (p @ w) ** 2, rel=0.05)
    low, high = model.posterior_.interval(0.9)
    exact = np.interp([0.05, 0.95], np.cumsum(p), w)
    np.testing.assert_allclose([low[0], high[0]], exact, atol=0.02)


@pytest.mark.spec("LIN-065")
def test_gibbs_with_unknown_noise_agrees_with_a_grid():
    x, y, (a0, b0) = np.array([1.0, 2.0, 0.5]), np.array([1.0, 1.2, 0.1]), (3.0, 2.0)
    model = BayesianLinearRegression(
        "conjugate", "laplace", noise_prior=(a0, b0), fit_intercept=False, n_draws=40000, random_state=0
    ).fit(x[:, None], y)
    W, t = np.meshgrid(np.linspace(-4.0, 4.0, 801), np.linspace(-4.0, 4.0, 401), indexing="ij")
    rss = np.sum((y - W[..., None] * x) ** 2, axis=-1)
    # In t = log σ²: likelihood, prior of w given σ, prior of σ², Jacobian.
    log_p = -1.5 * t - 0.5 * rss * np.exp(-t) - 0.5 * t - np.abs(W) * np.exp(-0.5 * t)
    log_p += -(a0 + 1.0) * t - b0 * np.exp(-t) + t
    p = np.exp(log_p - log_p.max())
    p /= p.sum()
    assert model.mean_[0] == pytest.approx(np.sum(p * W), abs=0.01)
    assert model.sigma2_ == pytest.approx(np.sum(p * np.exp(t)), rel=0.03)
    assert model.noise_posterior_.mean == model.sigma2_


def test_effective_draws_of_an_autoregression():
    """x ← φx + noise has an effective size of m(1 − φ)/(1 + φ)."""
    rng, m = np.random.default_rng(0), 40000
    for phi in (0.0, 0.5, 0.9):
        chain = lfilter([1.0], [1.0, -phi], rng.standard_normal(m))
        assert effective_draws(chain) == pytest.approx(m * (1.0 - phi) / (1.0 + phi), rel=0.15)
    assert effective_draws(np.ones(10)) == 10.0
    model = BayesianLinearRegression(0.5, "laplace", n_draws=500, random_state=0).fit(X, Y)
    assert 50.0 < model.effective_draws_ <= 700.0
    assert BayesianLinearRegression().fit(X, Y).effective_draws_ == np.inf


@pytest.mark.spec("LIN-065", "LIN-062")
def test_a_sampled_predictive_law_matches_its_moments():
    model = BayesianLinearRegression(0.5, "laplace", n_draws=4000, random_state=0).fit(X, Y)
    mean, std = model.predict(X[:5], return_std=True)
    law = model.predict_dist(X[:5])
    np.testing.assert_allclose(law.mean, mean, atol=0.05)
    np.testing.assert_allclose(law.std, std, rtol=0.05)
    latent = model.predict_dist(X[:5], include_noise=False)
    assert np.all(latent.var < law.var)
    again = BayesianLinearRegression(0.5, "laplace", n_draws=4000, random_state=0).fit(X, Y)
    np.testing.assert_array_equal(again.mean_, model.mean_)


@pytest.mark.spec("LIN-L19")
@pytest.mark.filterwarnings("ignore:the evidence has no maximum")  # of the first row alone
@pytest.mark.parametrize("options", MODES)
@pytest.mark.parametrize("intercept", [True, False])
def test_sequential_updates_equal_the_batch(options, intercept):
    batch = BayesianLinearRegression(fit_intercept=intercept, **options).fit(X, Y)
    for order in (np.arange(40), np.random.default_rng(1).permutation(40)):
        step = BayesianLinearRegression(fit_intercept=intercept, **options)
        for rows in np.split(order, [1, 3, 20]):
            step.partial_fit(X[rows], Y[rows])
        np.testing.assert_allclose(step.mean_, batch.mean_, rtol=1e-8, atol=1e-9)
        np.testing.assert_allclose(step.posterior_.cov, batch.posterior_.cov, rtol=1e-8, atol=1e-10)
        assert step.log_evidence_ == pytest.approx(batch.log_evidence_, rel=1e-9)


@pytest.mark.spec("LIN-L19")
@pytest.mark.parametrize("options", MODES)
def test_weight_two_is_the_row_twice(options):
    s = np.random.default_rng(2).integers(0, 3, size=40)
    weighted = BayesianLinearRegression(**options).fit(X, Y, sample_weight=s)
    repeated = BayesianLinearRegression(**options).fit(np.repeat(X, s, axis=0), np.repeat(Y, s))
    np.testing.assert_allclose(weighted.mean_, repeated.mean_, rtol=1e-7)
    np.testing.assert_allclose(weighted.posterior_.cov, repeated.posterior_.cov, rtol=1e-7)
    assert weighted.log_evidence_ == pytest.approx(repeated.log_evidence_)


@pytest.mark.spec("LIN-L19", "LIN-062")
def test_predictive_variance_exceeds_the_noise_and_shrinks_with_data():
    new, last = X[:6] + 0.5, np.full(6, np.inf)
    for n in (2, 5, 10, 40):
        law = BayesianLinearRegression(0.5, 2.0).fit(X[:n], Y[:n]).predict_dist(new)
        assert np.all(law.var >= 0.5)
        # A free intercept and the slopes are all better known with every row.
        assert np.all(law.var <= last + 1e-12)
        last = law.var


@pytest.mark.spec("LIN-L19", "LIN-063")
@pytest.mark.parametrize("intercept", [True, False])
def test_evidence_is_the_density_of_the_data(intercept):
    m0, S0, sigma2 = np.array([1.0, 0.0, -1.0]), np.diag([1.0, 2.0, 3.0]) + 0.3, 0.5
    model = BayesianLinearRegression(sigma2, (m0, S0), fit_intercept=intercept).fit(X, Y)
    A, t = (X - X.mean(axis=0), Y - Y.mean()) if intercept else (X, Y)
    exact = stats.multivariate_normal(A @ m0, sigma2 * np.eye(40) + A @ S0 @ A.T).logpdf(t)
    assert model.log_evidence_ == pytest.approx(exact)
    a0, b0 = 2.0, 1.5
    student = BayesianLinearRegression("conjugate", (m0, S0), noise_prior=(a0, b0), fit_intercept=intercept).fit(X, Y)
    shape = (b0 / a0) * (np.eye(40) + A @ S0 @ A.T)
    assert student.log_evidence_ == pytest.approx(stats.multivariate_t(A @ m0, shape, df=2.0 * a0).logpdf(t))


@pytest.mark.spec("LIN-L19", "LIN-063")
def test_the_fixed_point_holds_at_the_maximum():
    best = maximize_evidence(X, Y)
    alpha, beta = best.prior_precision, best.noise_precision
    model = BayesianLinearRegression(1.0 / beta, 1.0 / alpha, fit_intercept=False).fit(X, Y)
    gamma, m = model.effective_dof_, model.mean_
    assert best.converged
    assert gamma == pytest.approx(best.gamma)
    assert alpha == pytest.approx(gamma / (m @ m), rel=1e-8)
    assert beta == pytest.approx((40 - gamma) / np.sum((Y - X @ m) ** 2), rel=1e-8)
    assert model.log_evidence_ == pytest.approx(best.log_evidence)
    for a, b in ((1.05, 1.0), (0.95, 1.0), (1.0, 1.05), (1.0, 0.95)):
        other = BayesianLinearRegression(b / beta, a / alpha, fit_intercept=False).fit(X, Y)
        assert other.log_evidence_ < best.log_evidence
    assert np.all(np.diff(best.history["objective"]) >= -1e-9)


@pytest.mark.spec("LIN-064")
def test_unknown_noise_marginals_by_simulation():
    """Draw σ² and then w, and compare with the closed t law."""
    model = BayesianLinearRegression("conjugate", 2.0).fit(X, Y)
    rng = np.random.default_rng(0)
    noise = model.noise_posterior_.sample(100000, rng)
    root = model._posterior.found.root[0]
    w = model.mean_[0] + np.sqrt(noise) * (rng.standard_normal((100000, 3)) @ root)
    low, high = model.posterior_.interval(0.9)
    assert np.mean((w > low[0]) & (w < high[0])) == pytest.approx(0.9, abs=0.005)
    latent = model.predict_dist(X[:2], include_noise=False)
    noisy = model.predict_dist(X[:2])
    assert latent.df == noisy.df == 2.0 * (1.0 + 20.0)
    np.testing.assert_allclose(noisy.scale**2 - latent.scale**2, model.noise_posterior_.b / model.noise_posterior_.a)


@pytest.mark.spec("LIN-L18", "LIN-066")
@pytest.mark.parametrize("penalized", [True, False])
def test_logistic_map_is_the_l2_fit_with_prior_variance_one_over_lambda(penalized):
    y = np.where(np.median(Y) < Y, 1.0, -1.0)
    for lam in (0.3, 5.0):
        model = BayesianLogisticRegression(1.0 / lam, penalize_intercept=penalized).fit(X, y)
        design = Design(X, intercept="penalized" if penalized else "free")
        map_fit = fit_linear(design, y, LogisticLoss(), L2(lam, half=True), solver="lbfgs", tol=1e-9)
        np.testing.assert_allclose(model.coef_[0], map_fit.w, atol=1e-6)


@pytest.mark.spec("LIN-066")
def test_averaging_moves_probabilities_towards_one_half():
    y = np.where(np.median(Y) < Y, "yes", "no")
    model = BayesianLogisticRegression(integration="quadrature").fit(X, y)
    far = X + 100.0 * (X - X.mean(axis=0))
    averaged = model.predict_proba(far)
    mode = model.set_params(integration="mode").predict_proba(far)
    assert np.all(np.abs(averaged - 0.5) < np.abs(mode - 0.5) + 1e-12)
    assert np.max(averaged) < 1.0 - 1e-6 < np.max(mode)
    assert list(model.classes_) == ["no", "yes"]
    mean, variance = model.predict_latent(X)
    rows = np.column_stack([X, np.ones(40)])
    np.testing.assert_allclose(variance, np.sum((rows @ model.posterior_.cov) * rows, axis=1))
    np.testing.assert_allclose(mean, rows @ model.map_)


def test_three_classes_are_set_against_the_rest():
    y = np.digitize(Y, np.quantile(Y, [0.33, 0.66]))
    model = BayesianLogisticRegression(10.0).fit(X, y)
    proba = model.predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    assert model.coef_.shape == (3, 3)
    assert len(model.posterior_) == 3
    one = BayesianLogisticRegression(10.0).fit(X, y == 0)
    np.testing.assert_allclose(model.coef_[0], one.coef_[0])
    assert model.log_evidence_[0] == pytest.approx(one.log_evidence_)


@pytest.mark.parametrize("make", [BayesianLinearRegression, BayesianLogisticRegression])
def test_sparse_rows_and_single_precision(make):
    y = Y if make is BayesianLinearRegression else np.median(Y) < Y
    dense, thin = make().fit(X, y), make().fit(csr_matrix(X), y)
    np.testing.assert_allclose(dense.coef_, thin.coef_, rtol=1e-7)
    np.testing.assert_allclose(dense.predict(X) * 1.0, thin.predict(csr_matrix(X)) * 1.0, rtol=1e-7)
    single = make().fit(X.astype(np.float32), y)
    assert single.coef_.dtype == np.float32
    np.testing.assert_allclose(single.coef_, dense.coef_, rtol=1e-3)


@pytest.mark.spec("LIN-060")
def test_fewer_rows_than_columns_and_directions_without_data():
    rng = np.random.default_rng(0)
    A, t = rng.normal(size=(3, 6)), rng.normal(size=3)
    model = BayesianLinearRegression(0.5, 2.0, fit_intercept=False).fit(A, t)
    precision = np.eye(6) / 2.0 + A.T @ A / 0.5
    np.testing.assert_allclose(model.posterior_.cov, np.linalg.solve(precision, np.eye(6)), atol=1e-12)
    free = np.linalg.svd(A)[2][-1]
    assert free @ model.posterior_.cov @ free == pytest.approx(2.0)
    constant = BayesianLinearRegression(0.5, 2.0).fit(np.ones((4, 2)), np.arange(4.0))
    np.testing.assert_allclose(constant.posterior_.cov[:2, :2], 2.0 * np.eye(2), atol=1e-12)
    assert constant.predict([[1.0, 1.0]])[0] == pytest.approx(1.5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sigma2": -1.0}, "sigma2=-1.0 must be"),
        ({"sigma2": "conjugate", "noise_prior": (0.0, 1.0)}, r"noise_prior\[0\]=0.0 must be"),
        ({"parameter_prior": "cauchy"}, "parameter_prior='cauchy' is unknown; choose from"),
        ({"parameter_prior": -2.0}, "parameter_prior=-2.0 must be"),
        ({"parameter_prior": {"scale": 1.0}}, "must be a number, a tuple, a Distribution or"),
        ({"parameter_prior": (np.zeros(2), np.eye(2))}, "law of 2 coordinates where 3"),
        ({"parameter_prior": (np.zeros(3), np.ones((3, 3)))}, "not positive definite"),
        ({"parameter_prior": Laplace(1.0, 1.0)}, "not centred at 0"),
        ({"parameter_prior": "laplace", "n_draws": 0}, "n_draws=0 must"),
        ({"parameter_prior": "laplace", "optimize_evidence": True}, "optimize_evidence=True chooses"),
        ({"sigma2": "conjugate", "optimize_evidence": True}, "optimize_evidence=True chooses"),
    ],
)
def test_bad_options_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        BayesianLinearRegression(**options).fit(X, Y)


def test_bad_options_of_the_classifier_are_named():
    y = np.median(Y) < Y
    with pytest.raises(ValueError, match="integration='guess'"):
        BayesianLogisticRegression(integration="guess").fit(X, y)
    with pytest.raises(ValueError, match="not a multiple of the identity"):
        BayesianLogisticRegression(MultivariateNormal(np.zeros(3), np.diag([1.0, 2.0, 3.0]))).fit(X, y)
    with pytest.raises(ValueError, match="has a kink"):
        BayesianLogisticRegression("laplace").fit(X, y)
    with pytest.raises(ValueError, match="1 class only"):
        BayesianLogisticRegression().fit(X, np.ones(40))


def test_an_evidence_that_is_not_maximised_warns():
    with pytest.warns(ConvergenceWarning, match="raise max_iter=1"):
        BayesianLinearRegression(optimize_evidence=True, max_iter=1).fit(X, Y)


@pytest.mark.parametrize(
    ("y", "stopped"), [(np.zeros(40), "prior"), (np.ones(40), "prior"), (X[:, 0], "noise")], ids=["0", "1", "exact"]
)
def test_degenerate_targets_leave_finite_results(y, stopped):
    with pytest.warns(ConvergenceWarning) as caught:
        model = BayesianLinearRegression(optimize_evidence=True, max_iter=5000).fit(X, y)
    sentences = [str(warning.message) for warning in caught]
    assert any(f"precision of the {stopped} was stopped" in sentence for sentence in sentences)
    assert all("set optimize_evidence=False" in sentence for sentence in sentences)
    assert not model.converged_
    assert np.all(np.isfinite(model.mean_))
    assert np.isfinite(model.log_evidence_)
    np.testing.assert_allclose(model.predict(X), y, atol=1e-4)


@pytest.mark.parametrize("scale", [1e-140, 1e-3, 1e140])
def test_the_evidence_maximum_follows_the_units(scale):
    plain = maximize_evidence(X, Y)
    for c, k in ((scale, 1.0), (1.0, scale), (scale, scale)):
        found = maximize_evidence(k * X, c * Y)
        assert found.noise_precision * c**2 == pytest.approx(plain.noise_precision)
        assert found.prior_precision * (c / k) ** 2 == pytest.approx(plain.prior_precision)
        assert found.log_evidence == pytest.approx(plain.log_evidence - 40 * np.log(c))


def test_a_prior_may_be_given_as_a_distribution():
    by_number = BayesianLinearRegression(0.5, 2.0).fit(X, Y)
    for prior in (Normal(0.0, 2.0), MultivariateNormal(np.zeros(3), 2.0 * np.eye(3)), (np.zeros(3), 2.0 * np.eye(3))):
        np.testing.assert_allclose(BayesianLinearRegression(0.5, prior).fit(X, Y).mean_, by_number.mean_)
    assert by_number.prior_ == Normal(0.0, 2.0)
