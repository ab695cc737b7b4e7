"""Golden values of the lasso and the elastic net."""

import numpy as np
import pytest

from gnomon.linear import ElasticNet, Lasso, path
from gnomon.losses import SquaredLoss
from gnomon.numerics.design import Design
from gnomon.optim import Problem, coordinate_descent
from gnomon.penalties import L1

A = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]), np.array([0.0, 1.0, 1.0])
B = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, -1.0]]), np.array([2.0, 2.0, 0.0, 3.0])


def lasso(data, lam, **options):
    return Lasso(objective="sum", lam=lam, fit_intercept=False, tol=1e-15, **options).fit(*data)


@pytest.mark.spec("LIN-G11", "LIN-042")
@pytest.mark.parametrize(
    ("lam", "w", "theta", "objective"),
    [
        (1.0, (13 / 6, -1 / 6), 7 / 3, 2.8333333),
        (2.0, (2.0, 0.0), 2.0, 5.0),
        (4.0, (5 / 3, 0.0), 5 / 3, 8.6666667),
        (14.0, (0.0, 0.0), 0.0, 17.0),
    ],
)
def test_lasso_on_b(lam, w, theta, objective):
    model = lasso(B, lam, store_path=True)
    np.testing.assert_allclose(model.coef_, w, atol=1e-7)
    assert model.objective_ == pytest.approx(objective, abs=5e-8)
    assert model.objective_ - model.dual_gap_ == pytest.approx(objective, abs=5e-8)
    assert model.theta_for(lam) == pytest.approx(theta, abs=1e-9)


@pytest.mark.spec("LIN-G11", "LIN-048")
def test_exact_knots_of_b():
    knots = path(*B, SquaredLoss(), L1(), exact=True, fit_intercept=False)
    np.testing.assert_allclose(knots.lams, [14.0, 2.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(knots.coefs[-1], [7 / 3, -1 / 3], atol=1e-12)


@pytest.mark.spec("LIN-G13", "LIN-042", "LIN-043")
def test_lasso_and_elastic_net_on_a():
    np.testing.assert_allclose(lasso(A, 0.5).coef_, [1 / 12, 0.5], atol=1e-7)
    np.testing.assert_allclose(lasso(A, 1.0).coef_, [0.0, 0.5], atol=1e-7)
    net = ElasticNet(objective="sum", lam=1.0, l1_ratio=0.5, fit_intercept=False, tol=1e-15).fit(*A)
    np.testing.assert_allclose(net.coef_, [0.1341463, 0.4268293], rtol=0, atol=5e-8)


@pytest.mark.spec("LIN-G13", "LIN-083")
@pytest.mark.parametrize(("passes", "w"), [(1, (0.5833333, 0.2)), (2, (0.3833333, 0.32))])
def test_coordinate_updates_in_order(passes, w):
    problem = Problem(Design(A[0], intercept="none"), A[1], SquaredLoss(), L1(0.5), np.ones(3))
    found = coordinate_descent(problem, np.zeros(2), tol=1e-15, max_iter=passes)
    np.testing.assert_allclose(found.w, w, rtol=0, atol=5e-8)


@pytest.mark.spec("LIN-G08", "LIN-G10", "LIN-043")
def test_one_dimension_and_identity():
    for y, w in ((0.3, 0.0), (1.0, 0.5), (-2.0, -1.5)):
        assert lasso((np.ones((1, 1)), np.array([y])), 1.0).coef_[0] == pytest.approx(w, abs=1e-9)
    y = np.array([3.0, -0.2, -2.0])
    net = ElasticNet(objective="sum", lam=1.0, l1_ratio=0.5, fit_intercept=False, tol=1e-15).fit(np.eye(3), y)
    np.testing.assert_allclose(net.coef_, [1.8333333, 0.0, -1.1666667], rtol=0, atol=5e-8)
