"""Gaussian processes inside of scikit-learn's searches, and what else their users ask for."""

import doctest
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from gnomon.gp import GaussianProcessClassifier, GaussianProcessRegressor
from gnomon.infer import laplace
from gnomon.kernels import RBF, Constant, Matern, Wendland


def table(n=40):
    rng = np.random.default_rng(0)
    X = rng.uniform(-2.0, 2.0, (n, 2))
    return X, np.sin(2.0 * X[:, 0]) + 0.1 * rng.standard_normal(n)


@pytest.mark.spec("GP-024")
def test_a_grid_over_the_parameters_of_a_kernel_and_over_kernels():
    X, y = table()
    model = GaussianProcessRegressor(Constant(1.0) * Matern(1.0), noise=0.01, optimizer=None)
    grid = {"kernel__k2__length_scale": [0.01, 1.0, 100.0], "kernel__k2__nu": [0.5, 2.5], "noise": [0.01, 1.0]}
    search = GridSearchCV(model, grid, cv=4).fit(X, y)
    assert search.best_params_ == {"kernel__k2__length_scale": 1.0, "kernel__k2__nu": 2.5, "noise": 0.01}
    assert search.best_estimator_.kernel_ == Constant(1.0) * Matern(1.0, nu=2.5)
    # Candidates are clones: the kernel that was given is as it was.
    assert model.kernel == Constant(1.0) * Matern(1.0)
    kernels = [RBF(0.01), RBF(1.0), Matern(1.0, nu=0.5)]
    found = GridSearchCV(make_pipeline(StandardScaler(), model), {"gaussianprocessregressor__kernel": kernels}, cv=4)
    assert found.fit(X, y).best_params_["gaussianprocessregressor__kernel"] == RBF(1.0)
    drawn = RandomizedSearchCV(model, grid, n_iter=4, cv=3, random_state=0).fit(X, y)
    assert drawn.best_score_ <= search.best_score_ + 0.05


@pytest.mark.spec("GP-024")
def test_a_grid_for_classes():
    X, y = table(60)
    search = GridSearchCV(
        GaussianProcessClassifier(RBF(), optimizer=None),
        {"kernel__length_scale": [0.01, 0.7, 50.0], "link": ["logit", "probit"]},
        scoring="neg_log_loss",
        cv=3,
    )
    assert search.fit(X, y > 0.0).best_params_["kernel__length_scale"] == 0.7


@pytest.mark.spec("GP-045")
def test_the_generic_approximation_is_that_of_the_classifier():
    X, y = table(6)
    signs = np.where(y > np.median(y), 1.0, -1.0)
    K = RBF(0.8).gram(X)
    whitened = np.linalg.cholesky(K)

    def log_p(v):
        z = whitened @ v
        return -np.sum(np.logaddexp(0.0, -signs * z)) - 0.5 * v @ v - 0.5 * len(v) * np.log(2.0 * np.pi)

    found = laplace(log_p, np.zeros(6))
    model = GaussianProcessClassifier(RBF(0.8), optimizer=None).fit(X, signs)
    assert_allclose(whitened @ found.mode, model.mode_, atol=1e-5)
    assert_allclose(found.log_evidence, model.log_marginal_likelihood_value_, atol=1e-4)
    k = RBF(0.8).gram(X, X[:2] + 0.1)
    weights = np.linalg.solve(K, k)
    spread = (
        1.0 - np.sum(k * weights, axis=0) + np.sum((whitened.T @ weights) * (found.cov @ whitened.T @ weights), axis=0)
    )
    assert_allclose(spread, model.predict_latent(X[:2] + 0.1)[1], rtol=1e-4)


def test_the_same_model_gives_the_same_answer_twice():
    X, y = table()
    kernel = Constant(1.0) * RBF([1.0, 1.0])
    fits = [
        GaussianProcessRegressor(kernel, noise="learn", n_restarts_optimizer=2, random_state=3, n_jobs=jobs).fit(X, y)
        for jobs in (1, 1, 2)
    ]
    for other in fits[1:]:
        assert np.array_equal(fits[0].kernel_.theta, other.kernel_.theta)
        for a, b in zip(fits[0].predict(X, return_std=True), other.predict(X, return_std=True), strict=True):
            assert np.array_equal(a, b)
        assert np.array_equal(fits[0].sample_y(X, 3), other.sample_y(X, 3))


def test_jitter_is_stated_and_what_was_added_is_in_the_evidence():
    X = np.repeat(np.linspace(0.0, 1.0, 30)[:, None], 2, axis=0) + np.tile([[0.0], [1e-9]], (30, 1))
    y = np.sin(X[:, 0])
    with pytest.warns(UserWarning, match="was added to the diagonal of the covariance"):
        model = GaussianProcessRegressor(RBF(0.3), noise=0.0, optimizer=None).fit(X, y)
    assert model.jitter_ > 0.0
    again = GaussianProcessRegressor(RBF(0.3), noise=model.jitter_, optimizer=None).fit(X, y)
    assert_allclose(again.log_marginal_likelihood_value_, model.log_marginal_likelihood_value_, rtol=1e-6)
    assert again.jitter_ == 0.0


def test_numbers_and_categories_have_kernels_of_their_own():
    import pandas as pd

    rng = np.random.default_rng(0)
    n = 90
    frame = pd.DataFrame({"size": rng.uniform(0.0, 3.0, n), "shop": rng.integers(0, 3, n).astype(float)})
    level = np.array([0.0, 2.0, -1.0])[frame["shop"].astype(int)]
    y = np.sin(2.0 * frame["size"]) + level + 0.05 * rng.standard_normal(n)
    kernel = Constant(1.0) * RBF(1.0).on(["size"]) + Constant(1.0) * RBF(0.1, length_scale_bounds="fixed").on(["shop"])
    model = GaussianProcessRegressor(kernel, noise="learn").fit(frame[:60], y[:60])
    assert model.score(frame[60:], y[60:]) > 0.99


@pytest.mark.spec("GP-015")
def test_the_guide_to_dependent_rows_names_three_ways_and_its_example_runs():
    guide = Path(__file__).resolve().parents[2] / "docs" / "gp.md"
    text = guide.read_text(encoding="utf-8").split("## Data that are not independent")[1]
    for way in ("columns of neighbouring values", "Markov", "Gaussian process of position"):
        assert way in text
    assert doctest.testfile(str(guide), module_relative=False).failed == 0


@pytest.mark.spec("GP-L07", "GP-017")
def test_the_work_of_a_sparse_factor_grows_with_the_rows_and_that_of_a_dense_one_with_their_cube():
    rng, nonzeros = np.random.default_rng(0), []
    for n in (1000, 4000):
        X = rng.uniform(0.0, np.sqrt(n), (n, 2))
        model = GaussianProcessRegressor(Wendland(2.0), alpha=0.1, optimizer=None, solver="sparse").fit(X, X[:, 0])
        factor = model._found.precision._factor.factors
        nonzeros.append(factor.L.nnz + factor.U.nnz)
    # Four times the rows at the same neighbours: a factor with 16 times the entries would be dense.
    assert 4.0 <= nonzeros[1] / nonzeros[0] < 8.0
