"""Golden values of Bayesian linear and logistic regression."""

import numpy as np
import pytest

from gnomon.linear import BayesianLinearRegression, BayesianLogisticRegression
from gnomon.optim import maximize_evidence

PHI, Y = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]), np.array([0.0, 1.0, 1.0])
D, C = np.arange(4.0)[:, None], np.array([0, 1, 0, 1])


@pytest.mark.spec("LIN-G16", "LIN-060", "LIN-062", "LIN-063")
def test_known_noise():
    model = BayesianLinearRegression(sigma2=0.25, fit_intercept=False).fit(PHI, Y)
    np.testing.assert_allclose(model.posterior_.mean, [0.1860465, 0.4651163], rtol=0, atol=5e-8)
    cov = [[0.1627907, -0.0930233], [-0.0930233, 0.1007752]]
    np.testing.assert_allclose(model.posterior_.cov, cov, rtol=0, atol=5e-8)
    noisy, latent = (model.predict_dist([[1.0, 3.0]], include_noise=noise) for noise in (True, False))
    np.testing.assert_allclose([noisy.mean[0], noisy.var[0]], [1.5813953, 0.7616279], rtol=0, atol=5e-8)
    assert latent.var[0] == pytest.approx(0.5116279, abs=5e-8)
    mean, std = model.predict([[1.0, 3.0]], return_std=True)
    np.testing.assert_allclose([mean[0], std[0] ** 2], [1.5813953, 0.7616279], rtol=0, atol=5e-8)
    assert model.log_evidence_ == pytest.approx(-3.5723965, abs=5e-8)


@pytest.mark.spec("LIN-G17", "LIN-064")
def test_unit_noise_and_unknown_noise():
    known = BayesianLinearRegression(sigma2=1.0, fit_intercept=False).fit(PHI, Y)
    np.testing.assert_allclose(known.mean_, [0.2, 0.4], atol=1e-12)
    np.testing.assert_allclose(known.posterior_.cov, [[0.4, -0.2], [-0.2, 0.2666667]], rtol=0, atol=5e-8)
    assert known.log_evidence_ == pytest.approx(-4.3108407, abs=5e-8)
    model = BayesianLinearRegression(sigma2="conjugate", noise_prior=(1.0, 1.0), fit_intercept=False).fit(PHI, Y)
    assert (model.noise_posterior_.a, model.noise_posterior_.b) == (2.5, pytest.approx(1.2))
    law = model.predict_dist([[1.0, 3.0]])
    assert law.df == 5.0
    assert law.scale[0] ** 2 == pytest.approx(1.248)
    assert model.log_evidence_ == pytest.approx(-4.2819617, abs=5e-8)
    np.testing.assert_allclose(model.map_, [0.2, 0.4], atol=1e-12)


@pytest.mark.spec("LIN-G18", "LIN-063")
def test_greatest_evidence():
    X, y = np.column_stack([np.ones(5), np.arange(5.0)]), np.array([0.1, 0.9, 2.2, 2.8, 4.1])
    best = maximize_evidence(X, y)
    assert best.prior_precision == pytest.approx(2.011964, abs=5e-7)
    assert best.noise_precision == pytest.approx(28.37702, abs=5e-6)
    assert best.gamma == pytest.approx(1.952529, abs=5e-7)
    assert best.log_evidence == pytest.approx(-3.3574906, abs=5e-8)
    model = BayesianLinearRegression(fit_intercept=False, optimize_evidence=True).fit(X, y)
    np.testing.assert_allclose(model.mean_, [0.0517485, 0.9837588], rtol=0, atol=5e-8)
    assert model.log_evidence_ == pytest.approx(-3.3574906, abs=5e-8)
    assert model.sigma2_ == pytest.approx(1 / 28.37702, rel=1e-6)
    # A flat prior leaves least squares and its standard errors.
    ols = np.linalg.lstsq(X, y, rcond=None)[0]
    np.testing.assert_allclose(ols, [0.04, 0.99], atol=1e-12)
    s2 = np.sum((y - X @ ols) ** 2) / 3
    flat = BayesianLinearRegression(sigma2=s2, parameter_prior=1e12, fit_intercept=False).fit(X, y)
    np.testing.assert_allclose(flat.mean_, [0.04, 0.99], atol=1e-9)
    np.testing.assert_allclose(flat.posterior_.std, [0.1462874, 0.0597216], rtol=0, atol=5e-8)


@pytest.mark.spec("LIN-G50", "LIN-066")
def test_bayesian_logistic_regression():
    model = BayesianLogisticRegression(parameter_prior=1.0, penalize_intercept=True).fit(D, C)
    np.testing.assert_allclose(model.map_, [0.3009516, -0.2221191], rtol=0, atol=5e-8)
    np.testing.assert_allclose(
        model.posterior_.cov, [[0.3104572, -0.2218788], [-0.2218788, 0.6685465]], rtol=0, atol=5e-8
    )
    assert model.log_evidence_ == pytest.approx(-3.5448380, abs=5e-8)
    expected = {"mode": 0.7274428, "mackay": 0.6499634, "quadrature": 0.6466121}
    for integration, p in expected.items():
        found = model.set_params(integration=integration).predict_proba([[4.0]])[0, 1]
        assert found == pytest.approx(p, abs=5e-8)
    sampled = model.set_params(integration="samples", n_samples=20000, random_state=0).predict_proba([[4.0]])
    assert sampled[0, 1] == pytest.approx(0.6466, abs=0.005)


@pytest.mark.spec("LIN-G50")
def test_distance_of_laplaces_approximation_to_the_exact_posterior():
    """The exact figures, by a fine grid over (w, b)."""
    grid = np.linspace(-8.0, 8.0, 801)
    W, B = np.meshgrid(grid, grid, indexing="ij")
    log_p = -0.5 * (W**2 + B**2) - np.log(2.0 * np.pi)
    for x, c in zip(D[:, 0], C, strict=True):
        log_p -= np.logaddexp(0.0, (1 - 2 * c) * (W * x + B))
    step = (grid[1] - grid[0]) ** 2
    evidence = np.sum(np.exp(log_p)) * step
    assert np.log(evidence) == pytest.approx(-3.4742111, abs=5e-8)
    exact = np.sum(np.exp(log_p) / (1.0 + np.exp(-4.0 * W - B))) * step / evidence
    assert exact == pytest.approx(0.6663372, abs=5e-8)
