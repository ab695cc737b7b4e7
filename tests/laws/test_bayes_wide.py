"""Bayesian regression with more columns than rows: the n × n form, and what is refused."""

import tracemalloc

import numpy as np
import pytest
from scipy import sparse

from gnomon.linear import BayesianLinearRegression, Ridge


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("sigma2", [0.5, "conjugate"])
@pytest.mark.parametrize("prior", [2.0, (np.full(60, 0.1), np.diag(np.linspace(0.5, 2.0, 60)))], ids=["number", "pair"])
def test_more_columns_than_rows_agree_with_ridge_and_with_the_covariance(prior, sigma2, intercept):
    """The n × n form: the mean is ridge's, and what predictions need is xᵀSx of the d × d covariance."""
    rng = np.random.default_rng(2)
    A, y, new = rng.normal(size=(15, 60)) + 1.0, rng.normal(size=15), rng.normal(size=(7, 60))
    model = BayesianLinearRegression(sigma2, prior, fit_intercept=intercept).fit(A, y)
    if prior == 2.0 and sigma2 == 0.5:
        peer = Ridge(sigma2 / prior, fit_intercept=intercept).fit(A, y)
        np.testing.assert_allclose(model.coef_, peer.coef_, rtol=1e-8, atol=1e-10)
    rows = np.column_stack([new, np.ones(7)]) if intercept else new
    law, latent = model.posterior_, model.predict_dist(new, include_noise=False)
    np.testing.assert_allclose(latent.mean, rows @ law.mean)
    np.testing.assert_allclose(latent.var, np.sum((rows @ law.cov) * rows, axis=1), rtol=1e-8)
    np.testing.assert_allclose(model.mean_, law.mean)


def test_very_many_columns_need_no_square_matrix_until_one_is_asked_for():
    rng = np.random.default_rng(0)
    wide = sparse.random(30, 20_000, density=1e-3, random_state=0, format="csr")
    y = wide @ rng.normal(size=20_000) + 1.0
    tracemalloc.start()
    model = BayesianLinearRegression(0.1).fit(wide, y)
    assert model.predict(wide, return_std=True)[1].shape == (30,)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak <= 20 * 8 * 30 * 20_000
    np.testing.assert_allclose(model.coef_, Ridge(0.1).fit(wide, y).coef_, atol=1e-8)
    with pytest.raises(ValueError, match=r"20000 coefficients.*at most 16384.*select columns"):
        _ = model.posterior_
    with pytest.raises(ValueError, match=r"20000 columns.*at most 4096.*Gaussian prior"):
        BayesianLinearRegression(0.1, "laplace").fit(wide, y)
    with pytest.raises(ValueError, match=r"90000 columns.*select columns first"):
        BayesianLinearRegression().fit(sparse.csr_array((90_000, 90_000)), np.ones(90_000))
