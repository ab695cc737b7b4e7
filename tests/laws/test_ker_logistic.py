"""Laws of kernel logistic regression: solvers agree, the gap is a bound, and the linear model is a special case."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from gnomon.kernels import RBF, FeatureMapKernel, Linear, NotPSDWarning, Polynomial
from gnomon.linear import LogisticRegression
from gnomon.losses import LogisticLoss, SoftmaxLoss
from gnomon.numerics.linalg import kernel_root
from gnomon.optim import KernelProblem, fit_kernel, kernel_newton
from gnomon.svm import SVC, KernelLogisticRegression
from gnomon.testing import check_units

RNG = np.random.default_rng(2)
X = RNG.standard_normal((40, 3))
Y = (X[:, 0] ** 2 + X[:, 1] + 0.5 * RNG.standard_normal(40) > 0.8).astype(int)
Y3 = Y + (X[:, 2] > 0.7)
S = RNG.integers(0, 4, 40).astype(float)
NEW = RNG.standard_normal((9, 3))
PRECISE = {"tol": 1e-13}


def value(model, K, signs, C, s=1.0):
    beta = model.dual_coef_
    return 0.5 * beta @ K @ beta + C * np.sum(s * np.logaddexp(0.0, -signs * (K @ beta + model.intercept_)))


@pytest.mark.spec("KER-049", "KER-050", "KER-L19", "KER-L20")
@pytest.mark.parametrize("kernel", [RBF(1.0), Polynomial(2), Linear(coef0=1.0), RBF(20.0)], ids=repr)
@pytest.mark.parametrize("C", [0.05, 30.0])
@pytest.mark.parametrize("solver", ["newton", "lbfgs", "dual_newton"])
def test_solvers_agree_and_every_row_has_its_coefficient(kernel, C, solver):
    signs, K = 2.0 * Y - 1.0, kernel.gram(X)
    model = KernelLogisticRegression(
        kernel, C=C, solver=solver, fit_intercept=False, tol=1e-9, max_iter=20000, random_state=0
    ).fit(X, Y)
    best = KernelLogisticRegression(kernel, C=C, fit_intercept=False, **PRECISE).fit(X, Y)
    assert (
        0.0 <= model.objective_ - best.objective_ + 1e-12 * best.objective_ <= model.dual_gap_ + 2e-12 * best.objective_
    )
    assert model.dual_gap_ <= 1e-9 * model.objective_
    assert model.converged_
    assert model.objective_ == pytest.approx(value(model, K, signs, C), rel=1e-9)
    np.testing.assert_allclose(model.decision_function(NEW), best.decision_function(NEW), atol=2e-3)
    # a = σ(−y f) at the optimum, which is never 0.
    np.testing.assert_allclose(
        best.dual_coef_, C * signs * expit(-signs * (K @ best.dual_coef_)), rtol=1e-4, atol=1e-5 * C
    )
    assert model.n_parameters_ == 40


@pytest.mark.spec("KER-049", "KER-L35")
@pytest.mark.parametrize("solver", ["newton", "lbfgs"])
def test_a_free_intercept_is_found_by_any_minimiser(solver):
    signs, K = 2.0 * Y - 1.0, RBF(1.0).gram(X)
    model = KernelLogisticRegression(RBF(1.0), C=3.0, solver=solver, tol=1e-12).fit(X, Y, S)

    def objective(theta):
        f = K @ theta[:-1] + theta[-1]
        g = -3.0 * S * signs * expit(-signs * f)
        return 0.5 * theta[:-1] @ K @ theta[:-1] + 3.0 * S @ np.logaddexp(0.0, -signs * f), np.append(
            K @ (theta[:-1] + g), np.sum(g)
        )

    found = minimize(objective, np.zeros(41), jac=True, method="BFGS", options={"gtol": 1e-9, "maxiter": 2000})
    assert model.objective_ == pytest.approx(found.fun, rel=1e-8)
    assert model.intercept_ == pytest.approx(found.x[-1], abs=1e-5)
    assert abs(np.sum(model.dual_coef_)) < 1e-5
    np.testing.assert_array_equal(model.dual_coef_[S == 0], 0.0)


@pytest.mark.spec("KER-L19", "KER-050")
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("loss", ["logistic", "softmax"])
def test_the_gap_bounds_the_distance_to_the_optimum_at_every_point(loss, intercept):
    rng = np.random.default_rng(11)
    y, nouns, k = (2.0 * Y - 1.0, LogisticLoss(), 1) if loss == "logistic" else (Y3, SoftmaxLoss(), 3)
    problem = KernelProblem(RBF(1.0).gram(X), y, nouns, S + 0.5, intercept, k)
    best = fit_kernel(problem, solver="newton" if k == 1 else "lbfgs", tol=1e-12)
    for scale in (0.0, 1e-3, 0.3, 3.0):
        point = problem.at(best.w + scale * rng.standard_normal(best.w.shape))
        assert best.objective - 1e-9 <= point.objective <= best.objective + point.gap + 1e-9
        # The gap itself, by its definition: primal minus dual value.
        u, s = -point.slopes, problem.weights if k == 1 else problem.weights[:, None]
        dual = -problem.weights @ nouns.conjugate(y, -u / s) - 0.5 * np.sum(u * (problem.K @ u))
        by_slopes = point.objective - dual
        assert point.gap <= by_slopes * (1.0 + 1e-6) + 1e-8
        assert not intercept or point.gap == pytest.approx(by_slopes, rel=1e-6, abs=1e-8)
        assert not intercept or np.max(np.abs(np.sum(u, axis=0))) < 1e-8
    assert 0.0 < problem.lower_bound() <= best.objective
    history = kernel_newton(problem, tol=1e-12).history if k == 1 else best.history
    assert np.all(np.diff(history["objective"]) <= 1e-9 * history["objective"][0])
    if k == 1:
        assert np.all(history["gap"] >= 0.0)
        assert history["gap"][-1] <= 1e-12 * history["objective"][-1]
        assert len(history["gap"]) < 12


@pytest.mark.spec("KER-049", "KER-051", "KER-L14")
@pytest.mark.parametrize("target", [Y, Y3], ids=["two", "three"])
@pytest.mark.parametrize("multi_class", ["auto", "ovr"])
@pytest.mark.parametrize("intercept", [True, False])
def test_a_linear_kernel_is_linear_logistic_regression(target, multi_class, intercept):
    options = {"C": 0.7, "fit_intercept": intercept, "multi_class": multi_class}
    linear = LogisticRegression(tol=1e-10, max_iter=10000, **options).fit(X, target, S)
    model = KernelLogisticRegression(Linear(), **options, tol=1e-16 if len(set(target)) == 2 else 1e-14).fit(
        X, target, S
    )
    np.testing.assert_allclose(model.predict_proba(NEW), linear.predict_proba(NEW), atol=2e-7)
    assert model.objective_ == pytest.approx(linear.objective_, rel=1e-8)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(NEW)), model.predict_proba(NEW))
    np.testing.assert_array_equal(model.predict(NEW), linear.predict(NEW))


@pytest.mark.spec("KER-051")
def test_a_softmax_of_kernels_is_one_of_features():
    def phi(A):
        return np.column_stack([A, A**2, A[:, :1] * A[:, 1:]])

    model = KernelLogisticRegression(FeatureMapKernel(phi), C=2.0, class_weight="balanced", tol=1e-13).fit(X, Y3)
    peer = LogisticRegression(C=2.0, class_weight="balanced", tol=1e-10, max_iter=10000).fit(phi(X), Y3)
    np.testing.assert_allclose(model.predict_proba(NEW), peer.predict_proba(phi(NEW)), atol=1e-6)
    assert model.dual_coef_.shape == (40, 3)
    np.testing.assert_allclose(np.sum(model.dual_coef_, axis=1), 0.0, atol=1e-5)
    np.testing.assert_allclose(np.sum(model.intercept_), 0.0, atol=1e-12)
    assert model.dual_gap_ <= 1e-10 * model.objective_


@pytest.mark.spec("KER-L10", "KER-050")
def test_rows_of_a_root_are_features_of_the_kernel():
    rng = np.random.default_rng(11)
    K = Polynomial(2).gram(X)
    root = kernel_root(K)
    assert root.R.shape == (40, 10)
    np.testing.assert_allclose(root.R @ root.R.T, K, atol=1e-10)
    W, near = rng.standard_normal((2, 10)), rng.standard_normal((40, 2))
    beta = root.lift(W, near)
    np.testing.assert_allclose(K @ beta, root.R @ W.T, atol=1e-9)
    model = KernelLogisticRegression(Polynomial(2), fit_intercept=False, tol=1e-14).fit(X, Y)
    peer = LogisticRegression(fit_intercept=False, tol=1e-10, max_iter=1000).fit(root.R, Y)
    np.testing.assert_allclose(model.decision_function(X), peer.decision_function(root.R), atol=1e-6)


@pytest.mark.spec("KER-049")
@pytest.mark.parametrize(
    ("objective", "lam", "factor"),
    [
        ("sum", 0.25, 0.5),
        ("sum_half", 0.5, 0.5),
        ("mean", 0.25 / 20, 1 / 40),
        ("mean_half", 0.5 / 20, 1 / 40),
        ("C", 2.0, 1.0),
        ("loss_mean", 40.0, 1.0),
    ],
)
def test_every_scaling_of_lambda_is_one_model(objective, lam, factor):
    s = 20.0 * S / S.sum()
    model = KernelLogisticRegression(RBF(1.0), objective=objective, lam=lam, **PRECISE).fit(X, Y, s)
    plain = KernelLogisticRegression(RBF(1.0), C=2.0, **PRECISE).fit(X, Y, s)
    np.testing.assert_allclose(model.dual_coef_, plain.dual_coef_, atol=1e-6)
    assert model.objective_ == pytest.approx(factor * plain.objective_)
    with pytest.raises(ValueError, match="exclude each other"):
        KernelLogisticRegression(C=2.0, objective=objective, lam=lam).fit(X, Y)


@pytest.mark.spec("KER-049")
@pytest.mark.parametrize("target", [Y, Y3], ids=["two", "three"])
def test_weights_and_prices_are_repetitions(target):
    options = {"kernel": RBF(1.0), "tol": 1e-14}
    prices = {0: 1, 1: 2, 2: 3} if len(set(target)) == 3 else {0: 1, 1: 2}
    model = KernelLogisticRegression(**options, class_weight=prices).fit(X, target, S)
    times = (S * np.array([prices[k] for k in target])).astype(int)
    repeated = np.repeat(np.arange(40), times)
    twice = KernelLogisticRegression(**options).fit(X[repeated], target[repeated])
    np.testing.assert_allclose(model.decision_function(NEW), twice.decision_function(NEW), atol=1e-5)


@pytest.mark.spec("KER-049")
def test_what_a_solver_cannot_do_is_refused():
    with pytest.raises(ValueError, match="set fit_intercept=False"):
        KernelLogisticRegression(solver="dual_newton").fit(X, Y)
    with pytest.raises(ValueError, match="use solver='lbfgs', or multi_class='ovr'"):
        KernelLogisticRegression(solver="newton").fit(X, Y3)
    with pytest.raises(ValueError, match="lam=0"):
        KernelLogisticRegression(lam=0.0).fit(X, Y)
    with pytest.raises(ValueError, match="only one class"):
        KernelLogisticRegression().fit(X, np.ones(40))
    with pytest.warns(ConvergenceWarning, match=r"duality gap .* raise max_iter=1"):
        model = KernelLogisticRegression(C=100.0, max_iter=1).fit(X, Y)
    assert not model.converged_
    assert model.stop_reason_ == "max_iter"
    assert model.dual_gap_ > 1e-6 * model.objective_


@pytest.mark.spec("KER-006")
@pytest.mark.parametrize(("solver", "target"), [("newton", Y), ("lbfgs", Y), ("lbfgs", Y3)])
def test_a_matrix_that_is_no_kernel_is_refused_with_its_least_eigenvalue(solver, target):
    K = RBF(1.0).gram(X) - 0.9 * np.eye(40)
    least = np.linalg.eigvalsh(K)[0]
    with pytest.warns(NotPSDWarning), pytest.raises(ValueError, match=f"least eigenvalue is {least:.3f}"):
        KernelLogisticRegression("precomputed", C=1e4, solver=solver).fit(K, target)


@pytest.mark.spec("KER-049")
def test_scores_far_apart_do_not_overflow():
    x = np.array([[-1e3], [-999.0], [999.0], [1e3]])
    model = KernelLogisticRegression(Linear(), C=1e6).fit(x, [0, 0, 1, 1])
    assert model.converged_
    logs = model.predict_log_proba([[1e9]])
    assert np.isfinite(logs).all()
    assert model.predict_proba([[1e9]])[0, 1] == 1.0


UNITS = [
    ("newton", True, "ovr"),
    ("newton", False, "ovr"),
    ("lbfgs", True, "softmax"),
    ("lbfgs", False, "ovr"),
    ("dual_newton", False, "ovr"),
]


@pytest.mark.spec("KER-049", "KER-050", "KER-051")
@pytest.mark.parametrize(("solver", "intercept", "multi_class"), UNITS)
def test_the_units_of_the_kernel_do_not_matter(solver, intercept, multi_class):
    model = KernelLogisticRegression(
        Linear(),
        solver=solver,
        fit_intercept=intercept,
        multi_class=multi_class,
        tol=1e-12,
        max_iter=20000,
        random_state=0,
    )
    check_units(model, convert=lambda m, u: None if u.offset else m.set_params(C=m.C / u.x**2 / u.weight))
    small = KernelLogisticRegression(Linear(), C=1e16, solver="newton" if solver == "newton" else "lbfgs", tol=1e-9)
    plain = clone(small).set_params(C=1.0).fit(X, Y)
    small.fit(1e-8 * X, Y)
    assert small.objective_ == pytest.approx(1e16 * plain.objective_, rel=1e-8)
    assert small.dual_gap_ <= 1e-9 * small.objective_
    assert small.history_["objective"][-1] == pytest.approx(small.objective_, rel=1e-6)


@pytest.mark.spec("KER-L20")
def test_probabilities_need_all_rows_and_margins_few():
    clear = np.array([[-2.0], [-1.5], [-1.0], [1.0], [1.5], [2.0]])
    y = [0, 0, 0, 1, 1, 1]
    logistic = KernelLogisticRegression(RBF(1.0), C=10.0).fit(clear, y)
    margin = SVC(kernel=RBF(1.0), C=10.0).fit(clear, y)
    assert np.all(logistic.dual_coef_ != 0.0)
    assert logistic.n_parameters_ == 6 > margin.n_parameters_ == len(margin.support_)


@pytest.mark.parametrize("solver", ["newton", "lbfgs"])
@pytest.mark.parametrize("y", [Y, Y3], ids=["two", "three"])
@pytest.mark.parametrize("multi_class", ["softmax", "ovr"])
def test_rows_far_from_zero_have_the_same_machine(solver, y, multi_class):
    """Coefficients sum to zero where b is free, so that the origin of a linear kernel has no part but in b."""
    if solver == "newton" and y is Y3:
        multi_class = "ovr"
    model = KernelLogisticRegression("linear", solver=solver, multi_class=multi_class, tol=1e-10)
    plain = model.fit(X, y).decision_function(NEW)
    objective = model.objective_
    for offset in (1e6, 1e8):
        far = clone(model).fit(X + offset, y)
        assert far.converged_
        assert far.objective_ == pytest.approx(objective, rel=1e-16 * offset + 1e-9)
        assert far.dual_gap_ <= 1e-9 * objective
        np.testing.assert_allclose(far.decision_function(NEW + offset), plain, rtol=0.0, atol=1e-14 * offset + 1e-6)
