"""Golden values of least squares, its geometry and its classifier."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone

from gnomon.linear import (
    LeastSquaresClassifier,
    LinearRegression,
    LinearSVC,
    LinearSVM,
    LogisticRegression,
    Ridge,
    cost_report,
)
from gnomon.numerics.linalg import RankWarning

A = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
Y = np.array([0.0, 1.0, 1.0])
CLOSED = ("auto", "normal", "cholesky", "qr", "svd", "pinv")


@pytest.mark.spec("LIN-G01", "LIN-030", "LIN-033", "LIN-035")
@pytest.mark.parametrize("solver", CLOSED)
def test_three_points(solver):
    model = LinearRegression(fit_intercept=False, solver=solver).fit(A, Y)
    assert_allclose(model.coef_, [1 / 6, 1 / 2])
    assert_allclose(model.predict(A), [1 / 6, 2 / 3, 7 / 6])
    assert_allclose(model.residual_norm_, 0.4082483, rtol=0, atol=5e-8)
    assert_allclose(model.residual_norm_**2, 1 / 6)
    assert_allclose(model.leverages(A), [5 / 6, 1 / 3, 5 / 6])
    assert_allclose(model.loo_residuals(A, Y), [-1.0, 0.5, -1.0])
    assert_allclose(model.sigma2_, 1 / 18)
    assert_allclose(model.log_likelihood(A, Y), 0.0787420, rtol=0, atol=5e-8)


@pytest.mark.spec("LIN-G01", "LIN-033")
def test_three_points_with_the_constant_as_intercept():
    model = LinearRegression().fit(A[:, 1:], Y)
    assert_allclose([model.intercept_, *model.coef_], [1 / 6, 1 / 2])
    assert_allclose(model.leverages(A[:, 1:]), [5 / 6, 1 / 3, 5 / 6])


@pytest.mark.spec("LIN-G06", "LIN-032")
@pytest.mark.parametrize("solver", CLOSED)
def test_rank_one(solver):
    X, y = np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]), [1.0, 2.0, 2.0]
    with pytest.warns(RankWarning, match="rank 1 but 2 columns"):
        model = LinearRegression(fit_intercept=False, solver=solver).fit(X, y)
    assert_allclose(model.coef_, [0.3928571, 0.3928571], rtol=0, atol=5e-8)
    assert model.rank_ == 1
    assert_allclose(model.singular_[0], np.sqrt(28))
    with pytest.raises(ValueError, match="rank 1 but 2 columns"):
        LinearRegression(fit_intercept=False, solver=solver, on_singular="raise").fit(X, y)


@pytest.mark.spec("LIN-G07", "LIN-034")
@pytest.mark.parametrize("solver", CLOSED)
def test_weights_are_repetitions(solver):
    model = LinearRegression(fit_intercept=False, solver=solver).fit(A, Y, sample_weight=[1, 2, 1])
    assert_allclose(model.coef_, [0.25, 0.5])
    again = LinearRegression(fit_intercept=False, solver=solver).fit(A[[0, 1, 1, 2]], Y[[0, 1, 1, 2]])
    assert_allclose(again.coef_, model.coef_)


@pytest.mark.spec("LIN-G32", "LIN-109")
def test_a_far_point_moves_the_boundary():
    x, t = np.array([0.0, 1, 2, 4, 5, 6])[:, None], np.array([0, 0, 0, 1, 1, 1])
    model = LeastSquaresClassifier().fit(x, t)
    assert_allclose(-model.intercept_[0] / model.coef_[0, 0], 3.0)
    assert np.sum(model.predict(x) != t) == 0
    far, labels = np.vstack([x, [[100.0]]]), np.append(t, 1)
    model = LeastSquaresClassifier().fit(far, labels)
    assert_allclose(-model.intercept_[0] / model.coef_[0, 0], 4.7057057, rtol=0, atol=5e-8)
    assert np.sum(model.predict(far) != labels) == 1


@pytest.mark.spec("LIN-G33", "LIN-109")
def test_the_middle_class_is_masked():
    x, t = np.arange(6.0)[:, None], np.array([0, 0, 1, 1, 2, 2])
    assert LeastSquaresClassifier().fit(x, t).predict(x).tolist() == [0, 0, 0, 2, 2, 2]
    with pytest.warns(UserWarning, match="order of the classes"):
        integer = LeastSquaresClassifier(coding="integer").fit(x, t)
    assert integer.predict(x).tolist() == t.tolist()
    permuted = np.array([0, 2, 1])[t]
    with pytest.warns(UserWarning, match="order of the classes"):
        integer = LeastSquaresClassifier(coding="integer").fit(x, permuted)
    assert integer.predict(x).tolist() == [0, 1, 1, 1, 1, 2]


@pytest.mark.spec("LIN-G57", "LIN-031")
def test_normal_equations_are_not_used_on_powers():
    x = np.linspace(0, 1, 200)[:, None]
    assert np.linalg.cond(x ** np.arange(1, 101)) > 1e17
    V = x ** np.arange(0, 11)
    assert_allclose(np.linalg.cond(V), 2.19e7, rtol=5e-3)
    # On many rows the normal equations are the cheapest, and they are left once the condition number is seen.
    many = np.repeat(V, 20, axis=0)
    assert cost_report(*many.shape).cheapest() == "cholesky"
    assert LinearRegression(fit_intercept=False).fit(many[:, :6], many[:, 0]).solver_ == "cholesky"
    for solver, rows in (("auto", V), ("cholesky", V), ("auto", many)):
        model = LinearRegression(fit_intercept=False, solver=solver).fit(rows, rows @ np.ones(11))
        assert model.solver_ == "qr"
        assert_allclose(model.coef_, 1.0, atol=1e-7)
    with pytest.warns(RankWarning):
        high = LinearRegression().fit(x ** np.arange(1, 101), np.sin(9 * x[:, 0]))
    assert_allclose(high.predict(x ** np.arange(1, 101)), np.sin(9 * x[:, 0]), atol=1e-9)


@pytest.mark.spec("LIN-G58")
def test_degree_ten_on_twelve_points():
    x = np.linspace(0, 1, 12)[:, None]
    y = 2 * x[:, 0] + 1 + 0.1 * np.random.default_rng(0).standard_normal(12)
    # Eleven nodes integrate the squared error to the truth, of degree at most 20, over [0, 1] exactly.
    nodes, weights = np.polynomial.legendre.leggauss(11)
    between = (nodes[:, None] + 1) / 2
    found = []
    for degree in (1, 10):
        powers = np.arange(1, degree + 1)
        model = LinearRegression().fit(x**powers, y)
        train = np.mean((y - model.predict(x**powers)) ** 2)
        truth = weights / 2 @ (model.predict(between**powers) - 2 * between[:, 0] - 1) ** 2
        found.append((train, truth, np.hypot(model.intercept_, np.linalg.norm(model.coef_))))
    printed = [[4.52e-3, 3.76e-4, 2.193], [9.11e-6, 5.5e-3, 5.57e4]]
    half_units = [[5e-6, 5e-7, 5e-4], [5e-9, 5e-5, 50.0]]
    assert (np.abs(np.subtract(found, printed)) <= half_units).all()


@pytest.mark.spec("LIN-037")
def test_cost_report():
    report = cost_report(10_000, 50)
    assert report["cholesky"].flops < report["qr"].flops < report["svd"].flops
    assert_allclose(report["cholesky"].flops, 10_000 * 50**2, rtol=0.01)
    assert_allclose(report["newton"].flops, 2 * 10_000 * 50**2, rtol=0.01)
    assert report["gd"].flops == 4 * 10_000 * 50
    assert report["sgd"].flops == 4 * 50
    assert report["cholesky"].memory == 50 * 51
    X = np.random.default_rng(0).standard_normal((10_000, 5))
    assert LinearRegression().fit(X, X[:, 0]).solver_ == cost_report(*X.shape).cheapest() == "cholesky"
    assert LinearRegression(on_singular="ignore").fit(X[:6], X[:6, 0]).solver_ == cost_report(6, 5).cheapest() == "qr"


@pytest.mark.spec("LIN-L36", "LIN-G32")
@pytest.mark.parametrize(
    "model", [LogisticRegression(C=10.0), LinearSVM(C=10.0), LinearSVM("squared_hinge", C=10.0), LinearSVC(C=10.0)]
)
def test_the_far_point_moves_least_squares_alone(model):
    far, labels = np.array([0.0, 1, 2, 4, 5, 6, 100])[:, None], np.array([0, 0, 0, 1, 1, 1, 1])
    spoiled = LeastSquaresClassifier().fit(far, labels)
    assert np.sum(spoiled.predict(far) != labels) == 1
    near = clone(model).fit(far[:-1], labels[:-1])
    with_far = clone(model).fit(far, labels)
    assert np.sum(with_far.predict(far) != labels) == 0
    boundary, moved = (-float(m.intercept_[0] / m.coef_[0, 0]) for m in (near, with_far))
    assert_allclose([boundary, moved], 3.0, atol=0.15)


@pytest.mark.spec("LIN-G03")
def test_free_intercept_in_two_forms():
    x, y = np.array([[0.0], [1.0], [2.0]]), Y
    found = Ridge(objective="sum", lam=1.0).fit(x, y)
    assert_allclose([found.coef_[0], found.intercept_], [1 / 3, 1 / 3])
    found = Ridge(objective="mean", lam=1.0).fit(x, y)
    assert_allclose([found.coef_[0], found.intercept_], [0.2, 0.4666667], rtol=0, atol=5e-8)
