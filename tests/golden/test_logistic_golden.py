"""Golden values of logistic regression (data D of the specification: x = 0 … 3, classes 0, 1, 0, 1)."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from gnomon.linear import GLM, LogisticRegression, convert_parametrization
from gnomon.losses import LogisticLoss

X = np.array([[0.0], [1.0], [2.0], [3.0]])
c = np.array([0, 1, 0, 1])
EXACT = {"tol": 1e-12, "max_iter": 1000}


def line(**words):
    model = LogisticRegression(**{**EXACT, **words}).fit(X, c)
    return [model.intercept_[0], model.coef_[0, 0]]


@pytest.mark.spec("LIN-G34", "LIN-121", "LIN-120")
@pytest.mark.parametrize("solver", ["lbfgs", "newton", "irls", "bfgs"])
def test_maximum_likelihood(solver):
    model = LogisticRegression(C=np.inf, objective="mean", solver=solver, **EXACT).fit(X, c)
    np.testing.assert_allclose([model.intercept_[0], model.coef_[0, 0]], [-1.3622764, 0.9081843], rtol=0, atol=5e-8)
    assert model.objective_ == pytest.approx(0.5868716, abs=5e-8)
    assert model.history_["objective"][0] == pytest.approx(np.log(2.0), abs=1e-15)
    assert -model.log_likelihood(X, c) == pytest.approx(4 * model.objective_)


@pytest.mark.spec("LIN-G34", "LIN-145")
def test_standard_errors_of_maximum_likelihood():
    summary = GLM("binomial", tol=1e-12).fit(X, c).summary()
    np.testing.assert_allclose(summary.coef, [-1.3622764, 0.9081843], rtol=0, atol=5e-8)
    np.testing.assert_allclose(summary.se, [1.9748829, 1.0851921], rtol=0, atol=5e-8)


@pytest.mark.spec("LIN-G34", "LIN-124")
def test_first_step_of_gradient_descent():
    options = {"step": 1.0, "iterates": True}
    model = LogisticRegression(C=np.inf, objective="mean", solver="gd", max_iter=1, solver_options=options)
    with pytest.warns(ConvergenceWarning, match="not converged"):
        model.fit(X, c)
    np.testing.assert_allclose(model.history_["iterates"], [[0.0, 0.0], [0.25, 0.0]], atol=1e-15)


@pytest.mark.spec("LIN-G35", "LIN-122")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ({"objective": "sum_half", "lam": 1.0, "penalize_intercept": True}, (-0.2221191, 0.3009516)),
        ({"objective": "sum_half", "lam": 1.0}, (-0.6793129, 0.4528753)),
        ({"C": 1.0}, (-0.6793129, 0.4528753)),
        ({"objective": "C"}, (-0.6793129, 0.4528753)),
        ({"objective": "mean_half", "lam": 1.0}, (-0.2861344, 0.1907563)),
        ({"objective": "loss_mean", "lam": 1.0}, (-0.2861344, 0.1907563)),
        ({"objective": "sum", "lam": 1.0}, (-0.4644022, 0.3096015)),
        ({"objective": "mean", "lam": 1.0}, (-0.1622058, 0.1081372)),
        ({"objective": "mean_half", "lam": 1.0, "penalize_intercept": True}, (-0.0424129, 0.1423647)),
    ],
)
def test_l2_in_every_scaling(words, expected):
    np.testing.assert_allclose(line(**words), expected, rtol=0, atol=5e-8)


@pytest.mark.spec("LIN-G35")
def test_mean_form_of_the_textbook_is_a_quarter_of_the_sum_form():
    model = LogisticRegression(objective="sum_half", lam=1.0, penalize_intercept=True, **EXACT).fit(X, c)
    assert model.objective_ / 4 == pytest.approx(0.6558212, abs=5e-8)


@pytest.mark.spec("LIN-G36", "LIN-123")
@pytest.mark.parametrize("solver", ["cd", "fista"])
def test_l1(solver):
    words = {"l1_ratio": 1.0, "objective": "sum", "solver": solver, "tol": 1e-11, "max_iter": 10000}
    model = LogisticRegression(lam=0.5, **words).fit(X, c)
    np.testing.assert_allclose([model.intercept_[0], model.coef_[0, 0]], [-0.6172038, 0.4114692], rtol=0, atol=5e-8)
    assert model.objective_ == pytest.approx(2.6711780, abs=5e-8)
    assert model.dual_gap_ < 1e-8
    assert LogisticRegression(lam=1.0001, **words).fit(X, c).coef_[0, 0] == 0.0
    assert LogisticRegression(lam=0.999, **words).fit(X, c).coef_[0, 0] > 0.0


@pytest.mark.spec("LIN-G37")
@pytest.mark.parametrize(("lam", "w"), [(1, 0.4010581), (2, 0.6748316), (10, 1.6335062)])
def test_loss_mean_of_a_pair(lam, w):
    model = LogisticRegression(objective="loss_mean", lam=lam, fit_intercept=False, **EXACT)
    model.fit([[1.0], [-1.0]], [1, -1])
    assert model.coef_[0, 0] == pytest.approx(w, abs=5e-8)
    if lam == 1:
        assert model.objective_ == pytest.approx(0.5930146, abs=5e-8)


@pytest.mark.spec("LIN-G38", "LIN-126", "LIN-127")
@pytest.mark.parametrize(
    ("prior", "w", "b", "risk"),
    [
        (0.5, 0.7706430, 0.2160163, 0.5922233),
        (0.2, 0.6369866, -1.1298013, 0.4463529),
        (0.4, 0.7455417, -0.1734223, 0.5792672),
        (None, 0.7455417, -0.1734223, 0.5792672),
    ],
)
def test_prior_weighting(prior, w, b, risk):
    x, z = np.array([[-2.0], [-1.0], [0.5], [-0.5], [1.0]]), np.array([-1, -1, -1, 1, 1])
    model = LogisticRegression(objective="mean_half", lam=0.1, prior=prior, **EXACT).fit(x, z)
    np.testing.assert_allclose(
        [model.coef_[0, 0], model.intercept_[0], model.objective_], [w, b, risk], rtol=0, atol=5e-8
    )
    used = 0.4 if prior is None else prior
    np.testing.assert_allclose(model.train_prior_, [1.0 - used, used])
    np.testing.assert_allclose(model.llr([[0.0]]), b - np.log(used / (1.0 - used)), rtol=0, atol=5e-8)
    if prior is None:
        assert model.llr([[0.0]])[0] == pytest.approx(0.2320428, abs=5e-8)


@pytest.mark.spec("LIN-G39", "LIN-L35")
def test_separable_points():
    x, z = np.array([-2.0, -1.0, 1.0, 2.0]), np.array([-1.0, -1.0, 1.0, 1.0])
    sums = [float(np.sum(LogisticLoss().value(z, w * x))) for w in (1.0, 10.0, 100.0)]
    np.testing.assert_allclose(sums, [0.8803794, 9.080192e-5, 7.440152e-44], rtol=1e-6)
    for words in ({"objective": "mean_half", "lam": 0.1}, {"objective": "sum_half", "lam": 0.4}):
        model = LogisticRegression(**words, **EXACT).fit(x[:, None], z)
        assert model.coef_[0, 0] == pytest.approx(1.4578357, abs=5e-8)
        assert model.intercept_[0] == pytest.approx(0.0, abs=1e-9)


def softmax_in_extended_precision(x, y, lam, free):
    """(W, b, objective) of the mean softmax loss + (λ/2)‖W‖² over the first `free` of 3 classes, by Newton's method.

    Gradients in extended precision correct steps in double precision, so that only the former limits the result. A
    shift of all b changes nothing in the full model; the least-norm step leaves it at zero.
    """
    A = np.column_stack([x, np.ones_like(x)]).astype(np.longdouble)
    code, theta = np.eye(3)[y], np.zeros((2, 3), dtype=np.longdouble)
    ridge = np.diag([lam, 0.0])
    for _ in range(50):
        P = np.exp(A @ theta)
        P /= P.sum(axis=1, keepdims=True)
        gradient = A.T @ (P - code) / len(x) + ridge @ theta
        spread = np.einsum("ia,ij,ib,jk->ajbk", A, P, A, np.eye(3)) - np.einsum("ia,ij,ib,ik->ajbk", A, P, A, P)
        H = spread / len(x) + np.einsum("ab,jk->ajbk", ridge, np.eye(3))
        H, g = H[:, :free, :, :free].reshape(2 * free, -1), gradient[:, :free].ravel()
        theta[:, :free] -= np.linalg.lstsq(H.astype(float), g.astype(float), rcond=1e-12)[0].reshape(2, free)
    S = A @ theta
    losses = np.log(np.sum(np.exp(S), axis=1)) - S[np.arange(len(x)), y]
    return theta[0], theta[1], np.mean(losses) + lam / 2 * np.sum(theta[0] ** 2)


@pytest.mark.spec("LIN-G44", "LIN-128")
@pytest.mark.parametrize("solver", ["lbfgs", "newton"])
@pytest.mark.parametrize(
    ("parametrization", "free", "w", "b", "objective"),
    [
        ("full", 3, [-0.6569316, 0.2381950, 0.4187366], None, 0.7653356),
        ("reference", 2, [-0.8736881, 0.0085395, 0.0], [3.2772253, 0.6633514, 0.0], 0.7832957),
    ],
)
def test_softmax_in_both_parametrizations(parametrization, free, w, b, objective, solver):
    x, y = np.arange(6.0), np.array([0, 0, 1, 0, 2, 1])
    words = {"objective": "mean_half", "lam": 0.1, "solver": solver, "tol": 1e-13, "max_iter": 1000}
    model = LogisticRegression(parametrization=parametrization, **words).fit(x[:, None], y)
    # The last digits of the specification's weights are off by one to four; these are those of extended precision.
    exact_w, exact_b, least = (np.asarray(part, dtype=float) for part in softmax_in_extended_precision(x, y, 0.1, free))
    np.testing.assert_allclose([exact_w, exact_b], [w, exact_b if b is None else b], rtol=0, atol=5e-8)
    np.testing.assert_allclose(least, objective, rtol=0, atol=5e-8)
    np.testing.assert_allclose(model.coef_[:, 0], exact_w, rtol=0, atol=1e-9)
    np.testing.assert_allclose(model.intercept_, exact_b, rtol=0, atol=1e-9)
    np.testing.assert_allclose(model.objective_, least, rtol=0, atol=1e-9)
    assert model.n_parameters_ == 2 * free


@pytest.mark.spec("LIN-G45", "LIN-L34")
def test_two_classes_as_a_full_softmax():
    words = {"objective": "mean_half", **EXACT}
    full = LogisticRegression(multi_class="softmax", lam=0.1, **words).fit(X, c)
    assert full.coef_[1, 0] - full.coef_[0, 0] == pytest.approx(0.7435851, abs=5e-8)
    assert full.intercept_[1] - full.intercept_[0] == pytest.approx(-1.1153776, abs=5e-8)
    binary = LogisticRegression(lam=0.05, **words).fit(X, c)
    np.testing.assert_allclose(full.decision_function(X), binary.decision_function(X), atol=1e-8)
    W, b = convert_parametrization(full.coef_, full.intercept_, to="reference", reference=0)
    np.testing.assert_allclose([W[1, 0], b[1]], [binary.coef_[0, 0], binary.intercept_[0]], atol=1e-8)
