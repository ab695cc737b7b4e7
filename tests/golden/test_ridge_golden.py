"""Golden values of ridge regression."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from gnomon.linear import LinearRegression, Ridge

A = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
Y = np.array([0.0, 1.0, 1.0])
B = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, -1.0]])
YB = np.array([2.0, 2.0, 0.0, 3.0])
X4 = np.array([[1.0], [2.0], [3.0]])


@pytest.mark.spec("LIN-G02", "LIN-040")
@pytest.mark.parametrize("solver", ["auto", "cholesky", "dual", "svd"])
def test_three_points(solver):
    model = Ridge(objective="sum", lam=1.0, fit_intercept=False, solver=solver, store_loo=True).fit(A, Y)
    assert_allclose(model.coef_, [0.2, 0.4])
    assert_allclose(model.predict(A), [0.2, 0.6, 1.0])
    assert_allclose(model.dual_coefficients(A, Y), [-0.2, 0.4, 0.0], atol=1e-15)
    assert_allclose(A.T @ model.dual_coefficients(A, Y), model.coef_)
    assert_allclose(model.effective_dof_, 4 / 3)
    assert_allclose(model.loo_residuals_, [-1 / 3, 0.5454545, 0.0], rtol=0, atol=5e-8)
    assert_allclose(model.gcv(A, Y), 0.216)


@pytest.mark.spec("LIN-G04")
@pytest.mark.parametrize(
    ("objective", "expected"),
    [
        ("sum", 0.9333333),
        ("mean", 0.8235294),
        ("sum_half", 0.9655172),
        ("mean_half", 0.9032258),
        ("loss_mean", 0.9032258),
        ("C", 0.9655172),
    ],
)
def test_six_forms(objective, expected):
    model = Ridge(objective=objective, lam=1.0, fit_intercept=False).fit(X4, X4[:, 0])
    assert_allclose(model.coef_, [expected], rtol=0, atol=5e-8)
    assert_allclose(LinearRegression(fit_intercept=False).fit(X4, X4[:, 0]).coef_, [1.0])


@pytest.mark.spec("LIN-G05", "LIN-040")
@pytest.mark.parametrize(
    ("objective", "lam"),
    [("sum", 2), ("mean", 2 / 3), ("sum_half", 4), ("mean_half", 4 / 3), ("C", 0.25), ("loss_mean", 0.75)],
)
def test_one_model_six_lambdas(objective, lam):
    model = Ridge(objective=objective, lam=lam, fit_intercept=False).fit(X4, X4[:, 0])
    assert_allclose(model.coef_, [0.875])
    assert_allclose(model.lam_in("sum"), 2.0)
    assert_allclose(model.lam_in(objective), lam)


@pytest.mark.spec("LIN-G10")
def test_identity():
    model = Ridge(lam=1.0, fit_intercept=False).fit(np.eye(3), [3.0, -0.2, -2.0])
    assert_allclose(model.coef_, [1.5, -0.1, -1.0])


@pytest.mark.spec("LIN-G12", "LIN-045", "LIN-046")
@pytest.mark.parametrize(
    ("lam", "w", "theta"),
    [(1, (1.75, -0.25), 3.125), (2, (1.4, -0.2), 2.0), (4, (1.0, -1 / 7), 1.0204082)],
)
def test_orthogonal_design_and_its_bound(lam, w, theta):
    model = Ridge(lam=lam, fit_intercept=False).fit(B, YB)
    assert_allclose(model.coef_, w)
    assert_allclose(model.theta_for(lam), theta, rtol=0, atol=5e-8)
    assert_allclose(model.lam_for(model.theta_for(lam)), lam)
    bound = Ridge(constraint=model.theta_for(lam), fit_intercept=False).fit(B, YB)
    assert_allclose(bound.coef_, w)
    assert_allclose(bound.multiplier_, lam)
