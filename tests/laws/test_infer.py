"""Laws of inference: Laplace's approximation and the average of a sigmoid."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit, gammaln
from scipy.stats import multivariate_normal
from sklearn.exceptions import ConvergenceWarning

from gnomon.infer import laplace, laplace_at, sigmoid_average
from gnomon.linear import BayesianLogisticRegression


@pytest.mark.spec("LIN-066")
@pytest.mark.parametrize("variance", [0.0, 0.3, 2.0, 2.3, 30.0, 1e4])
def test_quadrature_of_the_sigmoid_is_exact(variance):
    s = np.sqrt(variance)
    for mean in (-6.0, 0.0, 0.7, 40.0):
        kink = [-mean / s] if s > 0.0 and abs(mean / s) < 10.0 else None
        exact = quad(
            lambda x, m=mean: expit(m + s * x) * np.exp(-0.5 * x * x) / np.sqrt(2.0 * np.pi),
            -12.0,
            12.0,
            points=kink,
            epsabs=1e-14,
            limit=400,
        )[0]
        assert sigmoid_average(mean, variance) == pytest.approx(exact, abs=1e-12)


@pytest.mark.spec("LIN-066")
def test_the_other_ways_are_close_and_symmetric():
    m, v = np.linspace(-5.0, 5.0, 21)[:, None], np.array([0.01, 1.0, 4.0, 25.0])
    exact = sigmoid_average(m, v)
    # Half way between certainty and ignorance: always nearer to ½ than the mode.
    assert np.all(np.abs(exact - 0.5) <= np.abs(sigmoid_average(m, v, "mode") - 0.5) + 1e-15)
    for method, error in (("mackay", 0.02), ("erf", 5e-4), ("samples", 0.03)):
        options = {"n_samples": 20000, "random_state": 0} if method == "samples" else {}
        found = sigmoid_average(m, v, method, **options)
        assert np.max(np.abs(found - exact)) < error
    np.testing.assert_allclose(exact + exact[::-1], 1.0, atol=1e-14)
    with pytest.raises(ValueError, match="method='guess' is unknown"):
        sigmoid_average(0.0, 1.0, "guess")
    with pytest.raises(ValueError, match="variances must be ≥ 0"):
        sigmoid_average(0.0, -1.0)


@pytest.mark.parametrize("analytic", [False, True])
def test_laplace_is_exact_for_a_normal_law(analytic):
    A, m = np.array([[2.0, 0.5], [0.5, 1.0]]), np.array([1.0, -3.0])
    more = {"gradient": lambda t: -A @ (t - m), "hessian": lambda t: -A} if analytic else {}
    found = laplace(lambda t: -0.5 * (t - m) @ A @ (t - m) + 0.7, np.zeros(2), **more)
    np.testing.assert_allclose(found.mode, m, atol=1e-5)
    np.testing.assert_allclose(found.law.cov, np.linalg.solve(A, np.eye(2)), rtol=1e-4)
    peak = multivariate_normal(m, np.linalg.solve(A, np.eye(2))).logpdf(m)
    assert found.log_evidence == pytest.approx(0.7 - peak, abs=1e-4)


def test_laplace_of_the_gamma_function_is_stirlings_formula():
    found = laplace(lambda t: 50.0 * np.log(t[0]) - t[0], np.array([30.0]))
    assert found.log_evidence == pytest.approx(gammaln(51.0), abs=1.0 / 600.0 + 1e-4)


def test_a_search_that_ends_short_of_the_mode_says_so():
    def log_p(t):
        return -0.5 * float(np.sum(np.array([1.0, 50.0]) * (t - 3.0) ** 2))

    with pytest.warns(ConvergenceWarning, match="may still rise by"):
        laplace(log_p, np.zeros(2), max_iter=1)


def test_a_saddle_is_refused():
    with pytest.raises(ValueError, match="not positive definite"):
        laplace_at(np.zeros(2), np.diag([1.0, -1.0]), 0.0)


@pytest.mark.spec("LIN-066")
def test_the_estimator_and_the_generic_function_agree():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    y = np.where(rng.random(40) < expit(X[:, 0]), 1, -1)
    model = BayesianLogisticRegression(parameter_prior=3.0, fit_intercept=False).fit(X, y)

    def log_joint(w):
        return -np.sum(np.logaddexp(0.0, -y * (X @ w))) - 0.5 * w @ w / 3.0 - np.log(2.0 * np.pi * 3.0)

    found = laplace(log_joint, np.zeros(2))
    np.testing.assert_allclose(model.map_, found.mode, atol=1e-5)
    np.testing.assert_allclose(model.posterior_.cov, found.law.cov, rtol=1e-4)
    assert model.log_evidence_ == pytest.approx(found.log_evidence, abs=1e-4)
