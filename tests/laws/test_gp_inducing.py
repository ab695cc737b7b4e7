"""Laws of Gaussian processes by inducing rows."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose

from gnomon.gp import GaussianProcessRegressor, _observed
from gnomon.gp._inducing import bound_criterion, choose_rows
from gnomon.gp._observations import Noise, NoisyRows, Parameters
from gnomon.gp._solvers import choose_solver
from gnomon.kernels import RBF, Constant, Linear, Matern, Wendland


def table(n=60):
    rng = np.random.default_rng(0)
    X = rng.uniform(-2.0, 2.0, (n, 2))
    return X, np.sin(2.0 * X[:, 0]) + 0.3 * X[:, 1] + 0.1 * rng.standard_normal(n)


NEW = np.random.default_rng(1).uniform(-2.5, 2.5, (9, 2))


def test_all_rows_as_inducing_ones_are_exact():
    X, y = table()
    Y = np.column_stack([y, y**2])
    alpha = np.linspace(0.05, 0.2, len(y))
    exact, near = (
        GaussianProcessRegressor(
            2.0 * Matern(1.0, nu=1.5), alpha=alpha, mean=0.3, optimizer=None, solver=s, normalize_y=True
        ).fit(X, Y)
        for s in ("cholesky", "inducing")
    )
    assert near.solver_ == "inducing"
    for a, b in zip(near.predict(NEW, return_cov=True), exact.predict(NEW, return_cov=True), strict=True):
        assert_allclose(a, b, rtol=1e-6, atol=1e-8)
    assert_allclose(near.predict(NEW, return_std=True)[1], exact.predict(NEW, return_std=True)[1], rtol=1e-6)
    assert_allclose(near.log_marginal_likelihood_value_, exact.log_marginal_likelihood_value_, rtol=1e-8)
    assert near.evidence_gap_ < 1e-5
    assert near.missing_variance_ < 1e-8
    assert_allclose(near.sample_y(NEW, 4), exact.sample_y(NEW, 4), atol=1e-4)


@pytest.mark.parametrize("m", [3, 8, 20])
def test_the_bounds_enclose_the_evidence(m):
    X, y = table()
    exact = GaussianProcessRegressor(RBF(0.8), alpha=0.05, optimizer=None).fit(X, y).log_marginal_likelihood_value_
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        near = GaussianProcessRegressor(RBF(0.8), alpha=0.05, optimizer=None, solver="inducing", n_inducing=m).fit(X, y)
    low = near.log_marginal_likelihood_value_
    assert low < exact < low + near.evidence_gap_
    assert 0.0 < near.missing_variance_ < 1.0


@pytest.mark.parametrize("kernel", [Constant(2.0) * RBF([0.7, 1.5]), Constant(0.5) * Linear() + Matern(0.8, nu=2.5)])
def test_the_gradient_of_the_bound(kernel):
    X, y = table(30)
    start = Parameters(kernel, Noise(0.2, np.linspace(0.5, 2.0, 30), (1e-5, 1e5)))
    C = bound_criterion(NoisyRows(X, np.column_stack([y, y**2]), None), start, X[choose_rows(kernel, X, 8)])
    theta, h = start.theta, 1e-5
    steps = h * np.eye(len(theta))
    differences = [(C(theta + e)[0] - C(theta - e)[0]) / (2.0 * h) for e in steps]
    assert_allclose(C(theta)[1], differences, rtol=1e-5, atol=1e-5)


def test_what_is_learned_is_near_to_the_exact_maximum():
    X, y = table(200)
    kernel = Constant(1.0) * RBF([1.0, 1.0])
    exact, near = (
        GaussianProcessRegressor(kernel, noise="learn", solver=s, n_inducing=60).fit(X, y)
        for s in ("cholesky", "inducing")
    )
    assert_allclose(near.kernel_.theta, exact.kernel_.theta, atol=0.05)
    assert_allclose(near.predict(NEW), exact.predict(NEW), atol=0.05)
    value, gradient = near.log_marginal_likelihood(near.hyperparameters()[0], eval_gradient=True)
    assert_allclose(value, near.log_marginal_likelihood_value_, atol=1e-3)
    assert np.max(np.abs(gradient)) < 1.0


def test_greedy_rows_are_those_of_a_pivoted_factor():
    X, _ = table()
    chosen = choose_rows(RBF(1.0), X, 10)
    K = RBF(1.0).gram(X)
    for j in range(1, 10):
        u = chosen[:j]
        left = np.diag(K) - np.einsum("ij,ij->j", K[u], np.linalg.solve(K[np.ix_(u, u)], K[u]))
        assert left[chosen[j]] == pytest.approx(left.max(), rel=1e-6)
    assert len(choose_rows(Linear(), X, 10)) == 2


def test_a_coarse_approximation_says_so_and_gives_no_weights_of_rows():
    X, y = table()
    model = GaussianProcessRegressor(RBF(0.2), alpha=0.1, optimizer=None, solver="inducing", n_inducing=5)
    with pytest.warns(UserWarning, match="5 rows leave .* of the prior variance unexplained"):
        model.fit(X, y)
    for ask in (model.loo_predict, model.rkhs_norm, lambda: model.cardinal_weights(NEW), lambda: model.effective_dof_):
        with pytest.raises(AttributeError, match="no weights of single observations"):
            ask()
    with pytest.raises(ValueError, match="takes a known mean"):
        GaussianProcessRegressor(mean="linear", noise=0.1, solver="inducing").fit(X, y)
    with pytest.raises(ValueError, match="needs noise > 0"):
        GaussianProcessRegressor(noise=0.0, solver="inducing").fit(X, y)
    with pytest.raises(ValueError, match="tune='loo' needs an exact solver"):
        GaussianProcessRegressor(noise=0.1, tune="loo", solver="inducing").fit(X, y)
    again = GaussianProcessRegressor(RBF(1.0), alpha=0.1, optimizer=None, solver="inducing").fit(X[:40], y[:40])
    whole = GaussianProcessRegressor(RBF(1.0), alpha=0.1, optimizer=None, solver="inducing").fit(X, y)
    assert_allclose(again.update(X[40:], y[40:]).predict(NEW), whole.predict(NEW), rtol=1e-6)


@pytest.mark.spec("GP-021")
def test_beyond_ten_thousand_rows():
    X = np.random.default_rng(0).uniform(0.0, 100.0, (10_001, 2))
    data = NoisyRows(X, X[:, :1], None)
    noise = Noise(0.1, np.ones(len(X)), None)
    assert choose_solver("auto", Parameters(RBF(), noise), data) == "inducing"
    assert choose_solver("auto", Parameters(Wendland(2.0), noise), data) == "sparse"
    assert choose_solver("auto", Parameters(RBF(), noise._replace(level=0.0)), data) == "cg"
    assert choose_solver("auto", Parameters(RBF(), noise), data._replace(H=np.ones((len(X), 1)))) == "cg"
    with pytest.raises(ValueError, match="has no gradient of the evidence for 10001 rows"):
        GaussianProcessRegressor(Wendland(2.0), alpha=0.1).fit(X, X[:, 0])


@pytest.mark.spec("GP-017", "GP-022")
def test_the_evidence_of_many_rows_is_that_of_their_solver(monkeypatch):
    X, y = table(40)
    kernel = Wendland(1.0, smoothness=2)
    fit = lambda solver: GaussianProcessRegressor(kernel, alpha=0.1, solver=solver, optimizer=None).fit(X, y)  # noqa: E731
    theta = kernel.theta + 0.3
    dense = fit("cholesky").log_marginal_likelihood(theta)
    monkeypatch.setattr(_observed, "MOST_DENSE", 39)
    # Without a matrix of all pairs.
    monkeypatch.setattr(_observed, "criterion", None)
    assert_allclose(fit("sparse").log_marginal_likelihood(theta), dense, rtol=1e-9)
    with pytest.raises(ValueError, match="'sparse' has no gradient of the evidence for 40 rows"):
        fit("sparse").log_marginal_likelihood(theta, eval_gradient=True)
    with pytest.raises(ValueError, match="'cg' has no evidence for 40 rows"):
        fit("cg").log_marginal_likelihood(theta)
