"""The feature maps and selectors beside scikit-learn's, on the same data in the same process."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectFromModel, SequentialFeatureSelector
from sklearn.kernel_approximation import PolynomialCountSketch
from sklearn.linear_model import Lasso, LinearRegression, LogisticRegression
from sklearn.metrics.pairwise import polynomial_kernel
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.svm import LinearSVC

from gnomon.features import GreedySelector, PolynomialMap, SparseSelector, Whitener


@pytest.mark.spec("LIN-151")
@pytest.mark.parametrize("degree", [0, 1, 2, 3, 5])
@pytest.mark.parametrize("d", [1, 2, 5])
@pytest.mark.parametrize("include_bias", [True, False])
def test_plain_map_is_that_of_scikit_learn(degree, d, include_bias):
    X = np.random.default_rng(0).normal(size=(20, d))
    if degree == 0 and not include_bias:
        with pytest.raises(ValueError, match="makes no column"):
            PolynomialMap(degree, include_bias=include_bias).fit(X)
        return
    ours = PolynomialMap(degree, include_bias=include_bias).fit(X)
    theirs = PolynomialFeatures(degree, include_bias=include_bias).fit(X)
    assert_allclose(ours.transform(X), theirs.transform(X), rtol=1e-12)
    assert_array_equal(ours.get_feature_names_out(), theirs.get_feature_names_out())
    assert_array_equal(ours.powers_, theirs.powers_)


@pytest.mark.spec("LIN-151", "LIN-152")
@pytest.mark.parametrize("degree", [2, 3])
def test_sparse_and_homogeneous_maps_are_those_of_scikit_learn(degree):
    X = sparse.random_array((50, 12), density=0.2, format="csr", rng=0)
    ours, theirs = PolynomialMap(degree), PolynomialFeatures(degree)
    assert_allclose(ours.fit_transform(X).toarray(), theirs.fit_transform(X).toarray(), rtol=1e-12)
    exact = PolynomialFeatures((degree, degree), include_bias=False)
    homogeneous = PolynomialMap(degree, homogeneous=True)
    assert_allclose(homogeneous.fit_transform(X.toarray()), exact.fit_transform(X.toarray()), rtol=1e-12)


@pytest.mark.spec("LIN-152")
def test_kernel_weights_give_the_kernel_that_scikit_learn_computes_and_sketches():
    X = np.random.default_rng(0).normal(size=(30, 4))
    kernel = polynomial_kernel(X, degree=3, gamma=1.0, coef0=1.0)
    Z = PolynomialMap(3, weights="kernel").fit_transform(X)
    assert_allclose(Z @ Z.T, kernel, rtol=1e-9, atol=1e-9)
    sketch = PolynomialCountSketch(gamma=1.0, degree=3, coef0=1, n_components=Z.shape[1], random_state=0)
    S = sketch.fit_transform(X)
    assert np.linalg.norm(S @ S.T - kernel) > 1e3 * np.linalg.norm(Z @ Z.T - kernel)


@pytest.mark.spec("LIN-172")
def test_whitening_by_pca_is_that_of_scikit_learn_with_ddof_one():
    X, _ = load_diabetes(return_X_y=True)
    ours = Whitener(kind="pca", ddof=1, tol=1e-12).fit_transform(X)
    theirs = PCA(whiten=True, svd_solver="full").fit_transform(X)
    assert_allclose(np.abs(ours), np.abs(theirs), atol=1e-8)


@pytest.mark.spec("LIN-182", "LIN-183", "LIN-184")
@pytest.mark.parametrize("direction", ["forward", "backward"])
@pytest.mark.parametrize("size", [2, 5])
def test_greedy_selection_is_that_of_scikit_learn(direction, size):
    X, y = load_diabetes(return_X_y=True)
    theirs = SequentialFeatureSelector(
        LinearRegression(), n_features_to_select=size, direction=direction, scoring="neg_mean_squared_error", cv=5
    ).fit(X, y)
    ours = GreedySelector("least_squares", direction, stop=size, cv=5).fit(X, y)
    assert_array_equal(ours.support_, theirs.support_)


@pytest.mark.spec("LIN-185")
@pytest.mark.parametrize("alpha", [0.1, 1.0, 10.0])
def test_support_of_the_lasso_is_that_of_scikit_learn(alpha):
    X, y = load_diabetes(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    theirs = SelectFromModel(Lasso(alpha, tol=1e-10), threshold=1e-9).fit(X, y)
    ours = SparseSelector("lasso", lam=2 * alpha, tol=1e-10).fit(X, y)
    assert_array_equal(ours.support_, theirs.get_support())
    assert_allclose(ours.coef_[0], theirs.estimator_.coef_, atol=1e-5)


@pytest.mark.spec("LIN-185")
@pytest.mark.parametrize("C", [0.01, 0.1, 1.0])
def test_supports_of_classifiers_are_those_of_scikit_learn(C):
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    logistic = LogisticRegression(l1_ratio=1.0, C=C, solver="saga", tol=1e-9, max_iter=100_000).fit(
        X[:200, :8], y[:200]
    )
    ours = SparseSelector("logistic", lam=C, objective="C", tol=1e-10).fit(X[:200, :8], y[:200])
    assert_array_equal(ours.support_, np.abs(logistic.coef_[0]) > 1e-6)
    assert_allclose(ours.coef_, logistic.coef_, atol=1e-4)
    # LIBLINEAR penalises the intercept, so the comparison is without one.
    svm = LinearSVC(penalty="l1", dual=False, C=C, fit_intercept=False, tol=1e-9, max_iter=100_000, random_state=0)
    svm.fit(X[:200, :8], y[:200])
    ours = SparseSelector("svm", lam=C, objective="C", fit_intercept=False, tol=1e-10).fit(X[:200, :8], y[:200])
    assert_array_equal(ours.support_, np.abs(svm.coef_[0]) > 1e-6)
    assert_allclose(ours.coef_, svm.coef_, atol=1e-3)
