"""Golden values of linear SVMs: free and penalised intercepts, squared hinge, L1."""

import numpy as np
import pytest

from gnomon.linear import LinearSVC, LinearSVM

FIVE = np.array([[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [3.0, 0.0], [0.5, 0.5]])
SIGNS = np.array([-1, -1, 1, 1, 1])


def assert_fit(model, w, b, objective):
    np.testing.assert_allclose(model.coef_, [w], rtol=0, atol=5e-8)
    assert model.intercept_[0] == pytest.approx(b, abs=5e-8)
    assert model.objective_ == pytest.approx(objective, abs=5e-8)
    assert model.dual_gap_ == pytest.approx(0.0, abs=1e-7)
    assert model.converged_


@pytest.mark.spec("LIN-G46", "LIN-140", "LIN-141")
@pytest.mark.parametrize(
    ("C", "w", "b", "objective"), [(10.0, (1.0, -1.0), -1.0, 21.0), (1.0, (0.5, -1.0), 0.0, 2.875)]
)
@pytest.mark.parametrize("method", ["path", "multipliers"])
def test_free_intercept(C, w, b, objective, method):
    options = {"method": method, "tol": 1e-12}
    assert_fit(LinearSVM(C=C, solver="qp", solver_options=options).fit(FIVE, SIGNS), w, b, objective)


@pytest.mark.spec("LIN-G46", "LIN-140")
def test_where_b_is_an_interval_its_middle_is_returned():
    model = LinearSVM(C=0.1).fit(FIVE, SIGNS)
    assert_fit(model, (0.05, -0.15), 0.875, 0.3875)
    hinges = np.maximum(0.0, 1.0 - SIGNS * (FIVE @ model.coef_[0] + np.array([[0.85], [0.9], [0.84], [0.91]])))
    objectives = 0.1 * hinges.sum(axis=1) + 0.5 * np.sum(model.coef_**2)
    np.testing.assert_allclose(objectives[:2], 0.3875, atol=1e-12)
    assert np.all(objectives[2:] > 0.3875 + 1e-6)


@pytest.mark.spec("LIN-G46", "LIN-140", "LIN-141")
@pytest.mark.parametrize("solver", ["dcd", "qp", "dual_newton"])
def test_penalised_intercept(solver):
    model = LinearSVM(C=0.1, penalize_intercept=True, solver=solver, tol=1e-12).fit(FIVE, SIGNS)
    assert_fit(model, (0.305, -0.15), 0.085, 0.423625)


@pytest.mark.spec("LIN-G46", "LIN-140", "LIN-141")
@pytest.mark.parametrize(
    ("solver", "tol"), [("newton", 1e-9), ("lbfgs", 1e-9), ("bfgs", 1e-9), ("fista", 1e-9), ("cd", 1e-14)]
)
@pytest.mark.parametrize(
    ("penalize", "w", "b", "objective"),
    [
        (False, (0.3870968, -0.6451613), -0.0322581, 2.8387097),
        (True, (0.3836634, -0.6460396), -0.0247525, 2.8391089),
    ],
    ids=["free", "penalised"],
)
def test_squared_hinge(solver, tol, penalize, w, b, objective):
    words = {"loss": "squared_hinge", "C": 1.0, "penalize_intercept": penalize}
    model = LinearSVM(**words, solver=solver, tol=tol, max_iter=10_000).fit(FIVE, SIGNS)
    assert_fit(model, w, b, objective)


@pytest.mark.spec("LIN-G46", "LIN-140")
@pytest.mark.parametrize("dual", [True, False, "auto"])
def test_namesake_penalises_the_intercept_and_squares_the_hinge(dual):
    model = LinearSVC(dual=dual, tol=1e-10).fit(FIVE, SIGNS)
    assert_fit(model, (0.3836634, -0.6460396), -0.0247525, 2.8391089)
    hinge = LinearSVC(loss="hinge", C=0.1, tol=1e-12).fit(FIVE, SIGNS)
    assert_fit(hinge, (0.305, -0.15), 0.085, 0.423625)


@pytest.mark.spec("LIN-G37", "LIN-140")
@pytest.mark.parametrize("lam", [0.3, 1.0, 2.0, 10.0])
@pytest.mark.parametrize("solver", ["qp", "dcd"])
def test_loss_mean_of_a_pair(lam, solver):
    words = {"objective": "loss_mean", "lam": lam, "fit_intercept": False, "solver": solver}
    model = LinearSVM(**words, tol=1e-12).fit([[1.0], [-1.0]], [1, -1])
    assert model.coef_[0, 0] == pytest.approx(min(1.0, lam), abs=1e-10)


@pytest.mark.spec("LIN-G48", "LIN-142")
@pytest.mark.parametrize(("lam", "w", "b", "objective"), [(1.0, (1.0, 0.0), -2.0, 1.0), (5.0, (0.5, 0.0), -1.0, 3.5)])
def test_l1_is_a_linear_program(lam, w, b, objective):
    X, y = [[0.0, 0.0], [1.0, 0.5], [3.0, 0.0], [4.0, 0.5]], [-1, -1, 1, 1]
    model = LinearSVM(penalty="l1", objective="sum", lam=lam).fit(X, y)
    assert_fit(model, w, b, objective)
    assert model.coef_[0, 1] == 0.0
