"""Laws of regression in the p-norm."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import optimize, sparse

from gnomon.linear import LinearRegression, LpRegression, NonConvexWarning
from gnomon.numerics.design import Design
from gnomon.optim import lp_norm

NORMS = (1, 1.05, 1.3, 2, 3, 8, 40, np.inf)


def regression(n=60, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, X @ [1.0, -2.0, 0.5][:d] + 0.4 + rng.standard_t(2, n)


def cost(r, p, s):
    return np.max(np.abs(r[s > 0])) if p == np.inf else np.sum(s * np.abs(r) ** p)


@pytest.mark.spec("LIN-051")
@pytest.mark.parametrize("p", NORMS)
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_minimum_is_certified(p, fit_intercept):
    X, y = regression()
    s = np.random.default_rng(1).integers(0, 3, len(y)).astype(float)
    model = LpRegression(p, fit_intercept=fit_intercept).fit(X, y, s)
    value = cost(y - model.predict(X), p, s)
    assert_allclose(model.objective_, value)
    assert model.converged_
    assert 0.0 <= model.dual_gap_ <= 1e-9 * value
    rng = np.random.default_rng(2)
    for size in (1e-1, 1e-3):
        w = model.coef_ + size * rng.standard_normal(3)
        b = model.intercept_ + size * rng.standard_normal() * fit_intercept
        assert cost(y - X @ w - b, p, s) >= value * (1 - 1e-12)


@pytest.mark.spec("LIN-051")
@pytest.mark.parametrize("p", [1, 1.5, 3])
def test_weight_two_is_the_row_twice(p):
    X, y = regression()
    s = np.random.default_rng(1).integers(0, 3, len(y))
    rows = np.repeat(np.arange(len(y)), s)
    assert_allclose(LpRegression(p).fit(X, y, s).objective_, LpRegression(p).fit(X[rows], y[rows]).objective_)


@pytest.mark.spec("LIN-051")
def test_medians_means_and_midranges():
    y = np.array([0.0, 1.0, 5.0, 7.0, 100.0])
    X = np.zeros((5, 1))
    assert_allclose(LpRegression(1).fit(X, y).intercept_, np.median(y))
    assert_allclose(LpRegression(np.inf).fit(X, y).intercept_, 50.0)
    X, y = regression()
    assert_allclose(LpRegression(2).fit(X, y).coef_, LinearRegression().fit(X, y).coef_)
    quantile = optimize.linprog(
        np.r_[np.zeros(4), np.ones(120)],
        A_eq=np.hstack([X, np.ones((60, 1)), np.eye(60), -np.eye(60)]),
        b_eq=y,
        bounds=[(None, None)] * 4 + [(0, None)] * 120,
    )
    assert_allclose(LpRegression(1).fit(X, y).objective_, quantile.fun)


@pytest.mark.spec("LIN-051")
def test_below_one_is_flagged_and_ignores_more_outliers():
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (60, 1))
    y = 2.0 * x[:, 0] + 1.0
    y[:25] += rng.uniform(5, 10, 25)
    with pytest.warns(NonConvexWarning, match="not convex"):
        model = LpRegression(0.5, random_state=0).fit(x, y)
    assert_allclose([model.coef_[0], model.intercept_], [2.0, 1.0], atol=1e-6)
    assert len(model.restarts_) == 10
    assert_allclose(model.objective_, np.min(model.restarts_))
    assert np.isnan(model.dual_gap_)


@pytest.mark.parametrize("p", [1, 1.5, 4, np.inf])
def test_sparse_float32_and_dependent_columns(p):
    X, y = regression()
    expected = LpRegression(p).fit(X, y)
    assert_allclose(LpRegression(p).fit(sparse.csr_array(X), y).coef_, expected.coef_, atol=1e-6)
    assert LpRegression(p).fit(X.astype(np.float32), y).coef_.dtype == np.float32
    doubled = LpRegression(p).fit(np.column_stack([X, X[:, 0]]), y)
    assert_allclose(doubled.objective_, expected.objective_, rtol=1e-7)


@pytest.mark.parametrize("p", [1, 1.5, 4, np.inf])
def test_an_exact_fit_costs_nothing(p):
    X, _ = regression()
    model = LpRegression(p).fit(X, X @ [1.0, 2.0, 3.0] + 1.0)
    assert_allclose(model.coef_, [1.0, 2.0, 3.0], atol=1e-9)
    assert model.objective_ < 1e-9


def test_errors_say_what_to_do():
    X, y = regression()
    with pytest.raises(ValueError, match=r"p=0 must lie in \(0, inf\]|p=0 must be > 0"):
        LpRegression(0).fit(X, y)
    with pytest.raises(ValueError, match="tol=0"):
        LpRegression(1.5, tol=0).fit(X, y)


@pytest.mark.parametrize("p", [1.3, 3.0, 8.0])
def test_the_objective_and_the_gap_are_those_of_the_solution(p):
    """Also short of convergence, where the last step still changes much."""
    X, y = regression()
    s = np.ones(60)
    best = lp_norm(Design(X), y, p, s).objective
    for max_iter in (1, 2, 200):
        short = lp_norm(Design(X), y, p, s, max_iter=max_iter)
        assert_allclose(short.objective, cost(y - Design(X).apply(short.w), p, s), rtol=1e-12)
        assert short.objective - best <= short.dual_gap + 1e-9 * best


def test_below_one_a_run_that_was_cut_short_does_not_say_converged():
    X, y = regression()
    short = lp_norm(Design(X), y, 0.5, np.ones(60), max_iter=5, random_state=0)
    assert (short.converged, short.stop_reason, short.n_iter) == (False, "max_iter", 5)
    assert lp_norm(Design(X), y, 0.5, np.ones(60), random_state=0).converged
