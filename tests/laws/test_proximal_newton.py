"""Laws of the proximal Newton method for several scores."""

import numpy as np
import pytest
from scipy import sparse

from gnomon.linear import LogisticRegression
from gnomon.losses import SoftmaxLoss
from gnomon.numerics.design import Design
from gnomon.optim import Problem, applicable_solvers, dual_gap, fit_linear, proximal_newton
from gnomon.penalties import L1, L2, ElasticNetPenalty
from real_data import data_path

PENALTIES = [L1(0.5), L1(5.0), ElasticNetPenalty(2.0, 0.5), L2(0.5)]


def table(n=150, d=6, K=4):
    """Classes that share rows, a column that is a sum of others, and weights."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    X[:, -1] = X[:, 0] - X[:, 1]
    y = np.argmax(X @ rng.normal(size=(d, K)) + [2.0, 0.0, 0.0, -1.0] + 2.0 * rng.gumbel(size=(n, K)), axis=1)
    return X, y, rng.uniform(0.0, 2.0, n)


def problem(penalty, *, X=None, intercept="free", reference=False):
    own, y, weights = table()
    design = Design(own if X is None else X, intercept=intercept, bias=2.0 if intercept == "penalized" else 1.0)
    return Problem(design, y, SoftmaxLoss(reference=reference), penalty, weights, 4 - reference)


@pytest.mark.spec("LIN-053")
@pytest.mark.parametrize("reference", [False, True])
@pytest.mark.parametrize("intercept", ["free", "none", "penalized"])
@pytest.mark.parametrize("penalty", PENALTIES, ids=repr)
def test_no_solver_finds_less(penalty, intercept, reference):
    p = problem(penalty, intercept=intercept, reference=reference)
    found = proximal_newton(p, np.zeros(p.size), tol=1e-9, relative_to="objective")
    peer = fit_linear(
        p.design, p.y, p.loss, penalty, p.weights, solver="fista", n_scores=p.n_scores, tol=1e-9, max_iter=20_000
    )
    assert found.stop_reason == "gap"
    assert found.objective == pytest.approx(p.value(found.w), rel=1e-12)
    assert found.objective <= peer.objective + 1e-8 * peer.objective
    # The certificate is that of the point itself, and of all points before.
    assert 0.0 <= found.objective - peer.objective + 1e-9 * peer.objective <= found.dual_gap + 2e-9 * peer.objective
    assert found.dual_gap <= 1e-9 * found.objective
    assert dual_gap(p, found.w) <= 1e-6 * found.objective
    assert found.n_iter <= 25


@pytest.mark.spec("LIN-053")
@pytest.mark.parametrize("intercept", ["free", "none", "penalized"])
def test_sparse_rows_and_single_precision_are_the_same_problem(intercept):
    dense = problem(L1(2.0), intercept=intercept)
    X = np.where(np.abs(dense.design.X) > 0.5, dense.design.X, 0.0)
    runs = [
        proximal_newton(p, np.zeros(p.size, dtype=p.design.dtype), tol=tol).w
        for p, tol in (
            (problem(L1(2.0), X=X, intercept=intercept), 1e-9),
            (problem(L1(2.0), X=sparse.csr_matrix(X), intercept=intercept), 1e-9),
            (problem(L1(2.0), X=X.astype(np.float32), intercept=intercept), 1e-5),
        )
    ]
    np.testing.assert_allclose(runs[1], runs[0], atol=1e-9)
    np.testing.assert_allclose(runs[2], runs[0], atol=5e-3)
    assert runs[2].dtype == np.float32


def test_the_objective_never_rises_and_the_gap_bounds_it():
    p = problem(L1(1.0))
    found = proximal_newton(p, np.zeros(p.size), tol=1e-12)
    F, gap = found.history["objective"], found.history["gap"]
    assert np.all(np.diff(F) <= 1e-12 * F[0])
    assert np.all(gap >= F - found.objective - 1e-9 * F[0])
    assert len(F) == found.n_iter + 1


def test_a_start_at_the_minimum_takes_no_step_and_a_bad_one_is_no_harm():
    p = problem(L1(1.0))
    found = proximal_newton(p, np.zeros(p.size), tol=1e-10)
    assert proximal_newton(p, found.w, tol=1e-6).n_iter == 0
    # Every row is sure, most of the wrong class: the curvature there is nearly zero.
    far = proximal_newton(p, np.random.default_rng(1).normal(size=p.size) * 100.0, tol=1e-9)
    assert far.converged
    assert far.objective == pytest.approx(found.objective, rel=1e-8)


def test_a_support_larger_than_the_largest_set_is_found_in_parts(monkeypatch):
    p = problem(L1(0.1))
    whole = proximal_newton(p, np.zeros(p.size), tol=1e-9)
    monkeypatch.setattr("gnomon.optim._proximal_newton.LARGEST_SET", 8)
    monkeypatch.setattr("gnomon.optim._proximal_newton.SMALLEST_SET", 8)
    parts = proximal_newton(p, np.zeros(p.size), tol=1e-6, max_iter=1000)
    assert np.count_nonzero(whole.w) > 8
    assert parts.converged
    assert parts.objective == pytest.approx(whole.objective, rel=1e-5)


def test_stops_by_the_callback_and_by_the_number_of_models():
    p = problem(L1(1.0))
    assert proximal_newton(p, np.zeros(p.size), tol=0.0, callback=lambda row: row["iteration"] == 2).n_iter == 2
    short = proximal_newton(p, np.zeros(p.size), tol=1e-12, max_iter=2)
    assert (short.stop_reason, short.converged, short.n_iter) == ("max_iter", False, 2)
    ended = proximal_newton(p, np.zeros(p.size), tol=0.0)
    assert ended.converged
    with pytest.raises(ValueError, match="relative_to='best'"):
        proximal_newton(p, np.zeros(p.size), relative_to="best")


def test_it_is_what_a_sparse_softmax_is_fitted_by():
    p = problem(L1(1.0))
    assert applicable_solvers(p)[0] == "prox_newton"
    X, y, weights = table()
    models = [
        LogisticRegression(l1_ratio=1.0, solver=solver, tol=tol, max_iter=20_000).fit(X, y, weights)
        for solver, tol in (("auto", 1e-9), ("saga", 1e-9), ("prox_newton", 1e-9), ("fista", 1e-10))
    ]
    # Of an even number of classes the same constant can be added to all coefficients of a column.
    for model in models[1:]:
        np.testing.assert_allclose(model.predict_proba(X), models[0].predict_proba(X), atol=1e-5)
        assert model.objective_ == pytest.approx(models[0].objective_, rel=1e-8)
    np.testing.assert_array_equal(models[0].coef_, models[2].coef_)
    assert models[0].n_iter_[0] <= 25 < models[3].n_iter_[0]


def test_forest_cover_takes_few_models():
    """Ill-conditioned, rare classes and columns: 300 steps of FISTA leave a gap of a hundredth."""
    rows = np.loadtxt(data_path("tabular/covtype_sample.csv.gz"), delimiter=",", skiprows=1, max_rows=1500)
    X, y = rows[:, :-1], np.unique(rows[:, -1], return_inverse=True)[1]
    X = X[:, X.std(axis=0) > 0.0]
    design = Design((X - X.mean(axis=0)) / X.std(axis=0))
    for strength in (30.0, 1.0, 0.1):
        p = Problem(design, y, SoftmaxLoss(), L1(strength), np.ones(len(y)), int(y.max()) + 1)
        found = proximal_newton(p, np.zeros(p.size), relative_to="objective")
        assert found.stop_reason == "gap"
        assert found.n_iter <= 25, (strength, found.n_iter)
