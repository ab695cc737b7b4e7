"""Machines with a linear kernel: rows far from zero, rows of any size, and an interior point in the features."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC as PeerSVC

from gnomon.kernels import RBF, Linear, Polynomial
from gnomon.optim import KernelDual, smo
from gnomon.optim._feature_start import feature_start
from gnomon.svm import SVC, SVR, KernelRidge, check_kkt

n = 300
rng = np.random.default_rng(0)
X = rng.normal(size=(n, 3))
Y = (X[:, 0] + 0.5 * rng.normal(size=n) > 0.0).astype(int)
T = X[:, 0] + 0.1 * rng.normal(size=n)
S = 2.0 * Y - 1.0


def primal(model, rows):
    w = model.coef_[0]
    return 0.5 * w @ w + np.sum(np.maximum(0.0, 1.0 - S * model.decision_function(rows)))


@pytest.mark.spec("KER-062", "KER-063", "KER-064")
@pytest.mark.parametrize("solver", ["smo", "qp", "primal"])
def test_a_free_intercept_takes_up_any_offset_of_the_columns(solver):
    near, far = (SVC(kernel="linear", tol=1e-4, solver=solver).fit(X + shift, Y) for shift in (0.0, 1e8))
    assert far.converged_
    np.testing.assert_allclose(far.coef_, near.coef_, atol=1e-3)
    assert primal(far, X + 1e8) == pytest.approx(far.objective_, rel=1e-6)
    assert far.objective_ == pytest.approx(near.objective_, rel=1e-5)
    assert far.dual_gap_ <= 1e-4 * far.objective_
    assert check_kkt(far, X + 1e8, Y)
    assert far.rkhs_norm() == pytest.approx(near.rkhs_norm(), abs=1e-3)
    low, high = far.intercept_interval_[0]
    assert low - 1e-3 <= far.intercept_[0] <= high + 1e-3


@pytest.mark.spec("KER-077")
def test_regression_takes_up_an_offset_too():
    near, far = (SVR(kernel="linear", tol=1e-6).fit(X + shift, T) for shift in (0.0, 1e8))
    np.testing.assert_allclose(far.predict(X + 1e8), near.predict(X), atol=1e-5)
    assert far.objective_ == pytest.approx(near.objective_, rel=1e-6)
    np.testing.assert_allclose(far.intercept_interval_, far.intercept_[0], atol=1e-5)


@pytest.mark.spec("KER-066")
@pytest.mark.filterwarnings("ignore:.probability. is deprecated:FutureWarning")
def test_probabilities_of_rows_far_from_zero():
    options = {"kernel": "linear", "probability": True, "random_state": 0}
    near, far = (SVC(**options).fit(X + shift, Y) for shift in (0.0, 1e6))
    np.testing.assert_allclose(far.predict_proba(X + 1e6), near.predict_proba(X), atol=1e-3)


@pytest.mark.spec("KER-L14")
def test_weights_of_kernel_ridge_regression_far_from_zero():
    """By their own equations, not as Σβx, which has no digits left."""
    far = KernelRidge(kernel="linear").fit(X + 1e8, T)
    rows = np.asarray(X + 1e8, dtype=np.longdouble)
    gradient = rows.T @ (T - rows @ far.linear_coef_) - far.linear_coef_
    assert np.max(np.abs(gradient)) < 1e-9 * np.max(rows.T @ rows)
    np.testing.assert_allclose(far.predict(X + 1e8), (rows @ far.linear_coef_).astype(float), atol=1e-6)
    with pytest.warns(UserWarning, match="subtract the means of columns far from zero"):
        KernelRidge(kernel="linear", solver="dual").fit(X + 1e8, T)


@pytest.mark.spec("KER-058", "KER-061")
@pytest.mark.parametrize("unit", [1e-4, 1.0, 1e3, 1e5])
@pytest.mark.parametrize("intercept", [{}, {"fit_intercept": False}, {"penalize_intercept": True}], ids=str)
def test_overlapping_classes_of_any_size_end(unit, intercept):
    """Steps of two variables would grow in number with the square of the unit."""
    model = SVC(kernel="linear", **intercept).fit(unit * X, Y)
    assert model.converged_
    assert model.dual_gap_ <= 1e-3 * model.objective_
    w = model.coef_[0]
    more = model.intercept_[0] ** 2 if "penalize_intercept" in intercept else 0.0
    value = 0.5 * (w @ w + more) + np.sum(np.maximum(0.0, 1.0 - S * model.decision_function(unit * X)))
    assert model.objective_ == pytest.approx(value, rel=1e-4)


@pytest.mark.spec("KER-064")
def test_where_rounding_hides_the_optimum_a_warning_has_the_gap():
    with pytest.warns(ConvergenceWarning, match="scale the columns of X"):
        model = SVC(kernel="linear").fit(1e6 * X, Y)
    assert not model.converged_
    assert model.objective_ - model.dual_gap_ <= 87.8835 <= model.objective_ + 1e-3
    assert model.dual_gap_ < 0.1


def test_a_path_that_rounding_spoils_is_not_taken():
    with pytest.warns(ConvergenceWarning):
        history = SVC(kernel="linear", max_iter=1000).fit(1e8 * X, Y).history_
    assert len(history["dual"]) > 2
    assert np.all(np.diff(history["dual"]) >= 0.0)


PROBLEMS = {
    "classification": KernelDual(S, np.minimum(S, 0.0), np.maximum(S, 0.0)),
    "no intercept": KernelDual(S, np.minimum(S, 0.0), np.maximum(S, 0.0), total=None),
    "squared hinge": KernelDual(S, np.where(S > 0, 0, -np.inf), np.where(S > 0, np.inf, 0), ridge=np.full(n, 0.5)),
    "regression": KernelDual(T, -np.ones(n), np.ones(n), epsilon=0.1),
    "squared tube": KernelDual(T, np.full(n, -np.inf), np.full(n, np.inf), epsilon=0.1, ridge=np.full(n, 0.5)),
    "one class": KernelDual(np.zeros(n), np.zeros(n), np.ones(n), total=0.3 * n),
}


@pytest.mark.spec("KER-061")
@pytest.mark.parametrize("name", PROBLEMS)
def test_the_path_in_the_features_ends_at_the_optimum(name):
    problem, rows = PROBLEMS[name], X + 1.0 if name == "one class" else X
    found = feature_start(rows, problem)
    beta, f = found.beta, rows @ (rows.T @ found.beta)
    assert np.all((beta >= problem.lower) & (beta <= problem.upper))
    if problem.total is not None:
        assert np.sum(beta) == pytest.approx(problem.total, abs=1e-10)
    b = problem.intercept(beta, problem.gradient(beta, f))
    assert problem.gap(beta, f, b) <= 1e-6 * abs(problem.objective(beta, f))
    assert 5 <= found.n_iter <= 60
    # By rows of K alone, where there is no path.
    by_pairs = smo(Linear(1e-300).against(rows), problem, tol=1e-7)
    assert problem.objective(beta, f) == pytest.approx(by_pairs.objective, rel=1e-7)


@pytest.mark.spec("KER-061", "KER-L26")
def test_maps_of_few_features_are_solved_in_them():
    options = {"C": 10.0, "tol": 1e-6, "solver": "smo"}
    mapped = SVC(kernel=Polynomial(2), **options).fit(X, Y)
    by_pairs = SVC(kernel=Polynomial(2) + 0.0 * RBF(), **options).fit(X, Y)
    np.testing.assert_allclose(mapped.decision_function(X), by_pairs.decision_function(X), atol=1e-4)
    assert mapped.n_iter_[0] < 3 * n < by_pairs.n_iter_[0]


@pytest.mark.spec("KER-058")
def test_a_limit_of_steps_holds_for_the_path_too():
    with pytest.warns(ConvergenceWarning, match="after 605 iterations"):
        assert SVC(kernel="linear", max_iter=605).fit(100.0 * X, Y).n_iter_[0] == 605


@pytest.mark.spec("KER-062")
def test_sparse_rows_have_sparse_weights():
    rows = sparse.csr_matrix(np.where(np.abs(X) > 0.5, X, 0.0))
    ours, theirs = SVC(kernel="linear").fit(rows, Y), PeerSVC(kernel="linear").fit(rows, Y)
    assert type(ours.coef_) is type(theirs.coef_)
    np.testing.assert_allclose(ours.coef_.toarray(), theirs.coef_.toarray(), atol=1e-2)
