"""Golden values of kernel machines: KER-G20 to KER-G30."""

import numpy as np
import pytest

from gnomon.kernels import RBF, FeatureMapKernel, Linear, Polynomial
from gnomon.svm import KernelLogisticRegression, KernelPerceptron, KernelRidge, KernelRidgeCV

X3, Y3 = np.array([[0.0], [1.0], [2.0]]), np.array([0.0, 1.0, 1.0])
SMOOTH = {"alpha": 0.1, "kernel": RBF(length_scale=1.0)}
SQUARE = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
CLOSE = {"rtol": 0, "atol": 1e-7}


@pytest.mark.spec("KER-045", "KER-G22")
@pytest.mark.parametrize("solver", ["primal", "dual"])
def test_a_line_by_its_kernel_in_two_scalings(solver):
    phi = FeatureMapKernel(lambda X: np.column_stack([np.ones(len(X)), X]))
    whole = KernelRidge(1.0, kernel=phi, solver=solver).fit(X3, Y3)
    np.testing.assert_allclose(whole.dual_coef_, [-0.2, 0.4, 0.0], atol=1e-12)
    np.testing.assert_allclose(whole.predict(X3), [0.2, 0.6, 1.0], atol=1e-12)
    mean = KernelRidge(kernel=phi, objective="mean", lam=1.0, solver=solver).fit(X3, Y3)
    np.testing.assert_allclose(mean.predict(X3), [0.1794871795, 0.4871794872, 0.7948717949], atol=1e-10)


@pytest.mark.spec("KER-042", "KER-045", "KER-G23")
def test_three_rows_and_a_gaussian():
    model = KernelRidge(**SMOOTH).fit(X3, Y3)
    np.testing.assert_allclose(model.dual_coef_, [-0.6090382, 1.0091392, 0.4275914], **CLOSE)
    np.testing.assert_allclose(model.predict([[1.5]]), [1.0701844887], atol=1e-10)
    np.testing.assert_allclose(model.rkhs_norm() ** 2, 1.2795182, **CLOSE)


@pytest.mark.spec("KER-047", "KER-G23")
def test_leave_one_out_of_three_rows():
    model = KernelRidgeCV([0.1], kernel=RBF(1.0)).fit(X3, Y3)
    np.testing.assert_allclose(model.loo_residuals_, [-0.4347217, 0.5090154, 0.3052079], **CLOSE)
    np.testing.assert_allclose(model.effective_dof_, 2.5215500, **CLOSE)


@pytest.mark.spec("KER-048", "KER-G24")
def test_with_a_free_constant():
    model = KernelRidge(**SMOOTH, parametric="constant").fit(X3, Y3)
    np.testing.assert_allclose(model.dual_coef_, [-1.0137505, 0.9908715, 0.0228791], **CLOSE)
    np.testing.assert_allclose(model.intercept_, 0.5110353, **CLOSE)


@pytest.mark.spec("KER-045", "KER-G25")
def test_a_weight_of_two():
    expected = [0.0663557, 0.9439911, 0.9626927]
    weighted = KernelRidge(**SMOOTH).fit(X3, Y3, [1.0, 2.0, 1.0])
    twice = KernelRidge(**SMOOTH).fit(X3[[0, 1, 1, 2]], Y3[[0, 1, 1, 2]])
    np.testing.assert_allclose(weighted.predict(X3), expected, **CLOSE)
    np.testing.assert_allclose(twice.predict(X3), expected, **CLOSE)


@pytest.mark.spec("KER-048", "KER-G26")
def test_a_trend_in_the_kernel():
    X, y = np.array([[-1.0], [0.0], [1.0], [2.0]]), np.array([-1.7, -0.2, 2.1, 4.0])
    model = KernelRidge(0.1, kernel=RBF(bandwidth=1.0) + 0.5 * Linear()).fit(X, y)
    np.testing.assert_allclose(model.linear_coef_, [1.3575603750], atol=1e-10)
    np.testing.assert_allclose(model.predict([[0.5], [100.0]]), [0.8868861487, 135.7560375], atol=1e-7)


@pytest.mark.spec("KER-044", "KER-G20")
@pytest.mark.parametrize(
    ("y", "alpha", "updates", "epochs", "w"),
    [([0, 1, 1, 1], [5, 2, 2, 0], 9, 6, [-1, 2, 2]), ([0, 0, 0, 1], [2, 5, 4, 7], 18, 9, [-4, 3, 2])],
    ids=["or", "and"],
)
def test_perceptron_of_a_logical_function(y, alpha, updates, epochs, w):
    model = KernelPerceptron(Linear(coef0=1.0)).fit(SQUARE, y)
    np.testing.assert_array_equal(model.alpha_, alpha)
    assert (model.n_updates_, model.n_iter_, model.converged_) == (updates, epochs, True)
    np.testing.assert_array_equal(model.dual_coef_ @ np.column_stack([np.ones(4), SQUARE]), w)


@pytest.mark.spec("KER-044", "KER-G21")
def test_perceptron_of_the_exclusive_or():
    y = [0, 1, 1, 0]
    gaussian = KernelPerceptron(RBF(1.0)).fit(SQUARE, y)
    np.testing.assert_array_equal(gaussian.alpha_, 1.0)
    assert gaussian.n_iter_ == 2
    np.testing.assert_allclose(gaussian.decision_function(SQUARE), 0.1548181220 * np.array([-1, 1, 1, -1]), atol=1e-10)
    square = KernelPerceptron(Polynomial(2)).fit(SQUARE, y)
    np.testing.assert_array_equal(square.alpha_, [7, 5, 5, 4])
    assert square.n_iter_ == 8
    np.testing.assert_array_equal(square.decision_function(SQUARE), [-1, 2, 2, -3])


EXACT = {"fit_intercept": False, "tol": 1e-14, "random_state": 0}
SOLVERS = ("newton", "lbfgs", "dual_newton")
LINE, ALTERNATING = np.arange(4.0)[:, None], np.array([0, 1, 0, 1])


@pytest.mark.spec("KER-049", "KER-050", "KER-G27")
@pytest.mark.parametrize("solver", SOLVERS)
def test_logistic_regression_of_the_exclusive_or(solver):
    model = KernelLogisticRegression(RBF(1.0), solver=solver, **EXACT).fit(SQUARE, [0, 1, 1, 0])
    np.testing.assert_allclose(model.dual_coef_, 0.4813771 * np.array([-1, 1, 1, -1]), **CLOSE)
    np.testing.assert_allclose(model.predict_proba(SQUARE)[:2, 1], [0.4813771, 0.5186229], **CLOSE)
    np.testing.assert_allclose(model.objective_, 2.6980634594, atol=1e-10)


@pytest.mark.spec("KER-049", "KER-050", "KER-G28")
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(
    ("C", "beta", "objective"),
    [(1.0, [-0.4485760, 0.5033304], 2.6760555470), (10.0, [-2.9235028, 4.2594413], 21.8721546499)],
)
def test_logistic_regression_of_alternating_classes(solver, C, beta, objective):
    model = KernelLogisticRegression(RBF(1.0), C=C, solver=solver, **EXACT).fit(LINE, ALTERNATING)
    np.testing.assert_allclose(model.dual_coef_, [*beta, *(-np.array(beta[::-1]))], rtol=0, atol=1e-6)
    np.testing.assert_allclose(model.objective_, objective, atol=1e-9)
    a, y = np.abs(model.dual_coef_) / C, 2 * ALTERNATING - 1
    K = RBF(1.0).gram(LINE)
    dual = -0.5 * C**2 * (a * y) @ K @ (a * y) - C * np.sum(a * np.log(a) + (1 - a) * np.log(1 - a))
    np.testing.assert_allclose(dual, objective, atol=1e-8)


@pytest.mark.spec("KER-049", "KER-G29")
def test_logistic_regression_of_a_line_by_its_kernel():
    model = KernelLogisticRegression(Linear(coef0=1.0), objective="sum_half", lam=1.0, **EXACT).fit(LINE, ALTERNATING)
    w = model.dual_coef_ @ np.column_stack([np.ones(4), LINE])
    np.testing.assert_allclose(w, [-0.2221191, 0.3009516], **CLOSE)
    np.testing.assert_allclose(model.objective_, 2.6232848463, atol=1e-10)


@pytest.mark.spec("KER-049", "KER-050", "KER-G30")
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(("lam", "beta"), [(1.0, 0.4010581375), (2.0, 0.6748316143), (10.0, 1.6335061702)])
def test_logistic_regression_of_two_points_with_lambda_on_the_loss(solver, lam, beta):
    model = KernelLogisticRegression(Linear(), objective="loss_mean", lam=lam, solver=solver, **EXACT)
    model.fit([[-1.0], [1.0]], [0, 1])
    np.testing.assert_allclose(model.dual_coef_ @ [-1.0, 1.0], beta, atol=1e-8)
