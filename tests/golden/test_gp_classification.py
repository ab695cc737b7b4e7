"""Golden values of Gaussian process classification."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from gnomon.gp import GaussianProcessClassifier
from gnomon.infer import laplace_softmax
from gnomon.kernels import RBF, Constant

X, Y = np.arange(4.0)[:, None], np.array([0, 0, 1, 1])


def fitted(**options):
    return GaussianProcessClassifier(**{"integration": "quadrature", "optimizer": None, **options}).fit(X, Y)


@pytest.mark.spec("GP-G26", "GP-038", "GP-039", "GP-040", "GP-041", "GP-043")
def test_logit():
    model = fitted()
    assert_allclose(model.mode_, [-0.556688535, -0.335684023, 0.335684023, 0.556688535], rtol=1e-8)
    assert_allclose(model._parts[0].posterior.psi, -2.327493231)
    assert_allclose(model.log_marginal_likelihood_value_, -2.732538376)
    mean, variance = model.predict_latent([[2.5]])
    assert_allclose([mean.item(), variance.item()], [0.538041209, 0.723578216], rtol=1e-8)
    assert_allclose(model.predict_proba([[2.5], [4.0], [1.5]])[:, 1], [0.614319490, 0.556720389, 0.5], rtol=1e-8)
    for integration, p in (("mackay", 0.616518498), ("mode", 0.631356635)):
        assert_allclose(fitted(integration=integration).predict_proba([[2.5]])[0, 1], p, rtol=1e-8)
    assert abs(fitted(integration="erf").predict_proba([[2.5]])[0, 1] - 0.614319490) < 4e-4
    assert model.predict([[2.5], [0.2], [1.51], [1.49]]).tolist() == [1, 0, 1, 0]


@pytest.mark.spec("GP-G27", "GP-042")
def test_probit():
    model = fitted(link="probit")
    assert_allclose(model.mode_, [-0.677971772, -0.416477436, 0.416477436, 0.677971772], rtol=1e-8)
    assert_allclose(model.log_marginal_likelihood_value_, -2.661626190)
    mean, variance = model.predict_latent([[2.5]])
    assert_allclose([mean.item(), variance.item()], [0.662437545, 0.561260882], rtol=1e-8)
    assert_allclose(model.predict_proba([[2.5]])[0, 1], 0.701999602, rtol=1e-8)


@pytest.mark.spec("GP-G28", "GP-040")
def test_a_larger_variance():
    model = fitted(kernel=Constant(9.0) * RBF())
    assert_allclose(model.mode_[2:], [1.279799628, 1.991551217], rtol=1e-8)
    assert_allclose(model.log_marginal_likelihood_value_, -2.671580837)
    assert_allclose(model.predict_proba([[2.5]])[0, 1], 0.789131654, rtol=1e-8)
    mode = fitted(kernel=Constant(9.0) * RBF(), integration="mode")
    assert_allclose(mode.predict_proba([[2.5]])[0, 1], 0.880665708, rtol=1e-8)


@pytest.mark.spec("GP-G29", "GP-046")
def test_softmax():
    K = RBF().gram(np.array([[0.0], [2.0], [4.0]]))
    found = laplace_softmax(K, np.arange(3), 3)
    assert_allclose(found.mode[:, 0], [0.464717401, -0.191124134, -0.273593268], rtol=1e-8)
    assert_allclose(found.proba[:, 0], [0.500769754, 0.259902065, 0.239328181], rtol=1e-8)
    assert_allclose(np.linalg.solve(K, found.mode.T), np.eye(3) - found.proba.T, atol=1e-9)
