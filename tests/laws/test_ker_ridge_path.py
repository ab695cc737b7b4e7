"""Laws of the path of kernel ridge regression: what one decomposition says is what refits say."""

import numpy as np
import pytest

from gnomon.kernels import RBF, Linear, Precomputed
from gnomon.linear import RidgeCV
from gnomon.svm import KernelRidge, KernelRidgeCV

RNG = np.random.default_rng(5)
X = RNG.standard_normal((14, 2))
Y = np.column_stack([np.sin(2 * X[:, 0]), X[:, 1] + 0.5 * RNG.standard_normal(14)])
S = np.array([1.0, 2.0, 0.0, 1.5] * 3 + [3.0, 1.0])
ALPHAS = [0.01, 0.3, 4.0]


@pytest.mark.spec("KER-047")
@pytest.mark.parametrize("parametric", [None, "constant", "linear"])
@pytest.mark.parametrize("weights", [None, S], ids=["plain", "weighted"])
@pytest.mark.parametrize("alpha", ALPHAS)
def test_leave_one_out_is_what_refits_leave(parametric, weights, alpha):
    options = {"kernel": RBF(1.2), "parametric": parametric}
    model = KernelRidgeCV([alpha], **options).fit(X, Y, weights)
    whole = KernelRidge(alpha, **options).fit(X, Y, weights)
    np.testing.assert_allclose(model.dual_coef_, whole.dual_coef_, atol=1e-9)
    assert model.objective_ == pytest.approx(whole.objective_)
    for i in range(14):
        others = np.arange(14) != i
        left = KernelRidge(alpha, **options).fit(X[others], Y[others], None if weights is None else weights[others])
        np.testing.assert_allclose(model.loo_residuals_[i], Y[i] - left.predict(X[[i]])[0], atol=1e-8)
    s = np.ones(14) if weights is None else weights
    assert model.best_score_ == pytest.approx(-np.average(np.mean(model.loo_residuals_**2, axis=1), weights=s))


@pytest.mark.spec("KER-047")
@pytest.mark.parametrize("parametric", [None, "constant"])
def test_degrees_of_freedom_are_the_trace_of_the_fit(parametric):
    model = KernelRidgeCV(ALPHAS, kernel=RBF(1.2), parametric=parametric).fit(X, Y[:, 0])
    for alpha, dof, coef in zip(ALPHAS, model.effective_dof_path_, model.dual_coef_path_, strict=True):
        hat = KernelRidge(alpha, kernel=RBF(1.2), parametric=parametric).fit(X, np.eye(14)).predict(X)
        assert dof == pytest.approx(np.trace(hat), abs=1e-9)
        single = KernelRidge(alpha, kernel=RBF(1.2), parametric=parametric).fit(X, Y[:, 0])
        np.testing.assert_allclose(coef, single.dual_coef_, atol=1e-9)
    assert model.effective_dof_ == model.effective_dof_path_[ALPHAS.index(model.alpha_)]


@pytest.mark.spec("KER-047", "KER-L14")
@pytest.mark.parametrize("per_target", [False, True])
def test_a_linear_kernel_chooses_as_the_linear_model_does(per_target):
    linear = RidgeCV(ALPHAS, fit_intercept=False, alpha_per_target=per_target).fit(X, Y)
    model = KernelRidgeCV(ALPHAS, alpha_per_target=per_target).fit(X, Y)
    np.testing.assert_array_equal(model.alpha_, linear.alpha_)
    np.testing.assert_allclose(model.scores_, linear.scores_, rtol=1e-8)
    np.testing.assert_allclose(model.predict(X), linear.predict(X), atol=1e-8)
    np.testing.assert_allclose(model.effective_dof_, linear.effective_dof_, atol=1e-8)


@pytest.mark.spec("KER-047")
def test_the_whole_list_is_looked_at():
    model = KernelRidgeCV(np.logspace(-6, 6, 25), kernel=RBF(0.7) + Linear()).fit(X, Y[:, 1])
    assert model.scores_.shape == (25,)
    assert model.best_score_ == np.max(model.scores_)
    given = KernelRidgeCV(np.logspace(-6, 6, 25), kernel=Precomputed()).fit((RBF(0.7) + Linear()).gram(X), Y[:, 1])
    assert given.alpha_ == model.alpha_
    for alphas in ([], [0.0, 1.0], [-1.0]):
        with pytest.raises(ValueError, match="alphas"):
            KernelRidgeCV(alphas).fit(X, Y)


@pytest.mark.spec("KER-006")
def test_a_matrix_that_is_no_kernel_is_refused():
    with pytest.raises(ValueError, match="least eigenvalue is -2"):
        KernelRidgeCV(kernel="precomputed").fit(np.diag([1.0, 3.0, -2.0]), np.ones(3))
