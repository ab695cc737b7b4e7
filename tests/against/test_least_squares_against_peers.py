"""The same work by scikit-learn, in the same process."""

import numpy as np
import pandas as pd
import pytest
import sklearn.linear_model as peer
from numpy.testing import assert_allclose
from scipy import sparse

from gnomon.linear import LinearRegression, LpRegression, Ridge, RidgeCV
from real_data import data_path


@pytest.fixture(scope="module")
def california():
    frame = pd.read_csv(data_path("tabular/california_housing.csv.gz")).dropna()
    X = frame.drop(columns=["median_house_value", "ocean_proximity"])
    return X, frame["median_house_value"]


@pytest.mark.spec("LIN-030", "LIN-031")
@pytest.mark.parametrize("solver", ["auto", "cholesky", "qr", "svd"])
def test_california_least_squares(california, solver):
    X, y = california
    s = np.linspace(0.5, 2, len(y))
    for weights in (None, s):
        ours = LinearRegression(solver=solver).fit(X, y, weights)
        theirs = peer.LinearRegression().fit(X, y, weights)
        assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9)
        assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-9)
        assert_allclose(ours.predict(X), theirs.predict(X))
        assert ours.rank_ == theirs.rank_
        assert_allclose(ours.singular_, theirs.singular_, rtol=1e-7)
    assert ours.feature_names_in_.tolist() == list(X.columns)


@pytest.mark.spec("LIN-040", "LIN-049")
@pytest.mark.parametrize("alpha", [1e-3, 1.0, 1e4])
def test_california_ridge(california, alpha):
    X, y = california
    ours, theirs = Ridge(alpha).fit(X, y), peer.Ridge(alpha, solver="svd").fit(X, y)
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8)
    assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-8)


@pytest.mark.spec("LIN-049")
@pytest.mark.parametrize("shape", [(200, 12), (30, 60)])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("targets", [None, 1, 3])
def test_ridge_cv(shape, weighted, targets):
    rng = np.random.default_rng(0)
    X = rng.standard_normal(shape)
    y = X @ rng.standard_normal((shape[1], targets or 1)) + 5 * rng.standard_normal((shape[0], targets or 1))
    y = y[:, 0] if targets is None else y
    s = rng.uniform(0.5, 2, shape[0]) if weighted else None
    alphas = np.logspace(-2, 4, 15)
    for options in (
        {"store_cv_results": True},
        {"alpha_per_target": True},
        {"scoring": "r2"},
        {"cv": 4},
        {"cv": 4, "scoring": "neg_mean_absolute_error"},
        {"fit_intercept": False},
    ):
        ours, theirs = (M(alphas, **options).fit(X, y, sample_weight=s) for M in (RidgeCV, peer.RidgeCV))
        assert_allclose(ours.alpha_, theirs.alpha_)
        assert_allclose(ours.best_score_, theirs.best_score_)
        assert_allclose(ours.coef_, theirs.coef_, atol=1e-9)
        assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-9)
        assert ours.coef_.shape == theirs.coef_.shape
        if "store_cv_results" in options:
            assert_allclose(ours.cv_results_, theirs.cv_results_, atol=1e-9)


@pytest.mark.parametrize("targets", [None, 1, 3])
@pytest.mark.parametrize("name", ["LinearRegression", "Ridge"])
@pytest.mark.parametrize("positive", [False, True])
def test_shapes_and_signs(targets, name, positive):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((50, 4)), rng.standard_normal((50, targets or 1))
    y = y[:, 0] if targets is None else y
    ours = {"LinearRegression": LinearRegression, "Ridge": Ridge}[name](positive=positive).fit(X, y)
    theirs = getattr(peer, name)(positive=positive, tol=1e-12).fit(X, y)
    assert ours.coef_.shape == theirs.coef_.shape
    assert np.shape(ours.intercept_) == np.shape(theirs.intercept_)
    assert ours.predict(X).shape == theirs.predict(X).shape
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)


def test_sparse_rows():
    rng = np.random.default_rng(0)
    X = sparse.random_array((500, 30), density=0.2, rng=rng, format="csr")
    y = rng.standard_normal(500)
    assert_allclose(LinearRegression().fit(X, y).coef_, peer.LinearRegression().fit(X.toarray(), y).coef_, atol=1e-9)
    assert_allclose(Ridge(2.0).fit(X, y).coef_, peer.Ridge(2.0).fit(X.toarray(), y).coef_, atol=1e-9)


@pytest.mark.spec("LIN-051")
def test_median_regression():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((150, 4))
    y = X @ [1.0, 2.0, 3.0, 4.0] + rng.standard_t(2, 150)
    ours, theirs = LpRegression(1).fit(X, y), peer.QuantileRegressor(quantile=0.5, alpha=0.0).fit(X, y)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-7)
    assert_allclose(ours.objective_, np.sum(np.abs(y - theirs.predict(X))))
