"""Laws of the search for hyper-parameters by the average information."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import optimize

from gnomon.distributions import Normal
from gnomon.gp import GaussianProcessRegressor
from gnomon.gp._observations import Noise, NoisyRows, Parameters, factored, scored_evidence
from gnomon.gp._scoring import Scored, climb
from gnomon.kernels import RBF, Constant, Linear, Matern, RationalQuadratic, TensorProduct, slope_sums


def table(n=60, d=3, m=1):
    rng = np.random.default_rng(0)
    X = rng.uniform(-2.0, 2.0, (n, d))
    return X, np.sin(2.0 * X[:, [0]] + np.arange(m)) + 0.5 * X[:, [1]] + 0.2 * rng.standard_normal((n, m))


KERNELS = [
    Constant(2.0) * RBF(np.array([0.5, 1.5, 4.0])),
    RBF(0.7, length_scale_bounds="fixed") * Matern(np.array([0.8, 1.0, 2.0]), nu=2.5) + Constant(0.3) * Linear(),
    (RationalQuadratic(0.9, alpha=1.3).on([0]) * Constant(0.5)).exp(),
    (RBF(0.9) + Constant(1.0)).normalized(),
    TensorProduct([RBF(0.5), Matern(1.0, nu=0.5), RBF(2.0, length_scale_bounds="fixed")]),
]


@pytest.mark.parametrize("n", [30, 500])
@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_products_of_the_slopes_are_those_of_their_matrices(kernel, n):
    X, B = table(n)[0], np.random.default_rng(1).standard_normal((n, 2))
    expected = np.einsum("ijp,jr->pir", kernel.gradients(X), B)
    assert_allclose(slope_sums(kernel, kernel.prepare(X), B), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.spec("GP-022")
@pytest.mark.parametrize("m", [1, 3])
@pytest.mark.parametrize("drift", [False, True])
def test_the_average_information_is_the_mean_of_both_informations(drift, m):
    """At the maximum of a covariance that is linear in its variances, where second derivatives of it drop out."""
    X, Y = table(m=m)
    data = NoisyRows(X, Y, np.column_stack([np.ones(len(X)), X[:, 0]]) if drift else None)
    kernel = Constant(1.0) * RBF(0.8, length_scale_bounds="fixed")
    start = Parameters(kernel, Noise(0.1, np.ones(len(X)), (1e-6, 1e3)))
    evidence = scored_evidence(data, start, "lml")
    theta = climb(evidence, start.theta, start.bounds).theta
    h = 1e-5 * np.eye(2)
    observed = -np.array([(evidence(theta + s).gradient - evidence(theta - s).gradient) / 2e-5 for s in h])
    found = factored(start.at(theta), data, jitter=False)
    A = [start.at(theta).kernel.gram(X), start.at(theta).noise.level * np.eye(len(X))]
    PA = [found._projected() @ part for part in A]
    expected = 0.5 * m * np.array([[np.trace(a @ b) for b in PA] for a in PA])
    assert_allclose(evidence(theta).information, 0.5 * (observed + expected), rtol=1e-4)


@pytest.mark.spec("GP-022", "GP-025")
@pytest.mark.parametrize(
    "options",
    [{}, {"mean": "linear"}, {"prior": {"noise": Normal(-1.0, 0.3), "k1__value": Normal(0.0, 0.5)}}],
    ids=["plain", "drift", "prior"],
)
def test_scoring_finds_the_maximum_of_a_general_search(options):
    X, Y = table(80)
    calls = []

    def search(cost, start, bounds):
        found = optimize.minimize(cost, start, method="L-BFGS-B", jac=True, bounds=bounds, options={"ftol": 1e-15})
        calls.append(found.nfev)
        return found.x, found.fun

    kernel = Constant(1.0) * RBF(np.ones(3), length_scale_bounds=(1e-2, 1e2))
    by_scoring, general = (
        GaussianProcessRegressor(kernel, noise="learn", optimizer=optimizer, **options)
        for optimizer in ("fmin_l_bfgs_b", search)
    )
    with pytest.warns(match="upper bound"):
        by_scoring.fit(X, Y[:, 0])
    with pytest.warns(match="upper bound"):
        general.fit(X, Y[:, 0])
    assert_allclose(by_scoring.objective_, general.objective_, rtol=1e-7)
    assert_allclose(by_scoring.kernel_.theta, general.kernel_.theta, atol=1e-3)
    assert by_scoring.converged_
    assert by_scoring.gradient_norm_ < 1e-3
    assert by_scoring.n_iter_ < 0.7 * calls[0]


def test_steps_stay_in_the_box_and_go_up():
    """Of a function whose information says nothing along one direction and too little along another."""
    seen = []

    def hill(theta):
        seen.append(theta)
        value = -np.exp(theta[0]) + theta[0] + 0.1 * theta[1] - 5.0 * theta[2] ** 4
        return Scored(value, np.array([1.0 - np.exp(theta[0]), 0.1, -20.0 * theta[2] ** 3]), np.diag([1.0, 0.0, 0.1]))

    bounds = np.array([[-9.0, 9.0], [-2.0, 7.0], [-3.0, 3.0]])
    found = climb(hill, np.array([-8.0, 0.0, 2.0]), bounds)
    assert_allclose(found.theta, [0.0, 7.0, 0.0], atol=5e-2)
    assert np.all(np.diff(found.history) > 0.0)
    assert np.all((np.array(seen) >= bounds[:, 0]) & (np.array(seen) <= bounds[:, 1]))
    assert found.reason == "tol"
    assert climb(lambda theta: Scored(-np.inf, theta, np.eye(3)), np.zeros(3), bounds).reason == "max_iter"


@pytest.mark.parametrize("noise", [0.1, 1e-10])
def test_many_points_are_predicted_as_few(noise):
    """Many by the inverse of the factor, few by substitution."""
    X, Y = table(300, m=2)
    model = GaussianProcessRegressor(RBF(1.5), alpha=noise, mean="linear", optimizer=None).fit(X, Y)
    new = np.vstack([X, table(400)[0] + 1e-3])
    mean, std = model.predict(new, return_std=True)
    few = [model.predict(part, return_std=True) for part in np.array_split(new, 7)]
    rounding = 1e-15 * np.sum(np.abs(model.alpha_))
    assert_allclose(mean, np.concatenate([m for m, _ in few]), atol=rounding)
    assert_allclose(std**2, np.concatenate([s**2 for _, s in few]), atol=1e-10)
    assert_allclose(mean, model.predict(new), atol=rounding)
