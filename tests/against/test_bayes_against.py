"""The Bayesian models beside scikit-learn's."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.linear_model import BayesianRidge, LogisticRegression

from gnomon.linear import BayesianLinearRegression, BayesianLogisticRegression

X, Y = load_diabetes(return_X_y=True)
X, Y = 20.0 * X[:150], Y[:150] / 50.0


@pytest.mark.spec("LIN-062", "LIN-063")
@pytest.mark.parametrize("intercept", [True, False])
def test_evidence_maximum_is_bayesian_ridge_without_hyperpriors(intercept):
    ours = BayesianLinearRegression(optimize_evidence=True, fit_intercept=intercept).fit(X, Y)
    flat = {"alpha_1": 0.0, "alpha_2": 0.0, "lambda_1": 0.0, "lambda_2": 0.0}
    peer = BayesianRidge(fit_intercept=intercept, tol=1e-13, max_iter=5000, compute_score=True, **flat).fit(X, Y)
    np.testing.assert_allclose(ours.coef_, peer.coef_, rtol=1e-6)
    assert 1.0 / ours.sigma2_ == pytest.approx(peer.alpha_, rel=1e-6)
    assert 1.0 / ours.prior_.var == pytest.approx(peer.lambda_, rel=1e-6)
    assert ours.log_evidence_ == pytest.approx(peer.scores_[-1], rel=1e-8)
    mean, std = ours.predict(X[:20], return_std=True)
    peer_mean, peer_std = peer.predict(X[:20], return_std=True)
    np.testing.assert_allclose(mean, peer_mean, rtol=1e-7)
    # The peer leaves out the uncertainty σ²/n of a free intercept.
    of_intercept = ours.sigma2_ / 150 if intercept else 0.0
    np.testing.assert_allclose(std**2 - of_intercept, peer_std**2, rtol=1e-6)


@pytest.mark.spec("LIN-066")
def test_the_mode_is_scikit_learns_penalised_fit():
    y = np.median(Y) < Y
    for variance in (0.1, 2.0):
        ours = BayesianLogisticRegression(variance).fit(X, y)
        peer = LogisticRegression(C=variance, tol=1e-10, max_iter=1000).fit(X, y)
        np.testing.assert_allclose(ours.coef_, peer.coef_, atol=1e-5)
        np.testing.assert_allclose(ours.intercept_, peer.intercept_, atol=1e-5)
