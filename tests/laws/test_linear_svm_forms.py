"""The six forms of a linear SVM's objective, and the steps of its textbook solvers."""

import numpy as np
import pytest

from gnomon.linear import LinearSVC, LinearSVM


def rows(n=50, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.where(X[:, 0] - X[:, 1] + rng.normal(size=n) > 0.3, 1.0, -1.0)


def hinges(model, X, y, s=1.0):
    hinge = np.maximum(0.0, 1.0 - y * model.decision_function(X))
    return np.sum(s * (hinge if model.loss == "hinge" else hinge**2))


FORMS = {
    "sum": lambda data, size, lam, n: data + lam * size,
    "mean": lambda data, size, lam, n: data / n + lam * size,
    "sum_half": lambda data, size, lam, n: data + lam / 2.0 * size,
    "mean_half": lambda data, size, lam, n: data / n + lam / 2.0 * size,
    "C": lambda data, size, lam, n: lam * data + size / 2.0,
    "loss_mean": lambda data, size, lam, n: lam / n * data + size / 2.0,
}


def rho(objective, n, strength=3.0):
    """The λ of each form for one and the same ratio of penalty to loss."""
    inverse = {"C": 1.0 / (2.0 * strength), "loss_mean": n / (2.0 * strength)}
    scale = {"sum": 1.0, "mean": 1.0 / n, "sum_half": 2.0, "mean_half": 2.0 / n}
    return inverse[objective] if objective in inverse else scale[objective] * strength


@pytest.mark.spec("LIN-140")
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("weighted", [False, True])
def test_six_forms_of_one_minimiser(loss, weighted):
    X, y = rows()
    s = np.random.default_rng(1).uniform(0.2, 2.0, size=50) if weighted else np.ones(50)
    n, fits = float(np.sum(s)), {}
    for objective, form in FORMS.items():
        lam = rho(objective, n)
        model = LinearSVM(loss=loss, objective=objective, lam=lam, tol=1e-10).fit(X, y, sample_weight=s)
        value = form(hinges(model, X, y, s), np.sum(model.coef_**2), lam, n)
        assert model.objective_ == pytest.approx(value, rel=1e-10)
        # The gap is in units of the same objective: it bounds what any other w could gain.
        assert 0.0 <= model.dual_gap_ < 1e-6 * value
        fits[objective] = np.append(model.coef_, model.intercept_)
    for theta in fits.values():
        np.testing.assert_allclose(theta, fits["sum"], atol=1e-5)
    C = LinearSVM(loss=loss, C=rho("C", n), tol=1e-10).fit(X, y, sample_weight=s)
    np.testing.assert_allclose(np.append(C.coef_, C.intercept_), fits["C"], atol=1e-9)
    # C = 1/(nλ) for "mean_half".
    assert rho("C", n) == pytest.approx(1.0 / (n * rho("mean_half", n)))


@pytest.mark.spec("LIN-140")
@pytest.mark.parametrize("objective", FORMS)
def test_the_namesake_takes_the_forms_too(objective):
    X, y = rows()
    lam = rho(objective, 50.0)
    model = LinearSVC(objective=objective, lam=lam, tol=1e-10).fit(X, y)
    plain = LinearSVC(C=rho("C", 50.0), tol=1e-10).fit(X, y)
    np.testing.assert_allclose(model.coef_, plain.coef_, atol=1e-7)
    np.testing.assert_allclose(model.intercept_, plain.intercept_, atol=1e-7)
    with pytest.raises(ValueError, match="both given"):
        LinearSVC(C=2.0, objective=objective, lam=lam).fit(X, y)


@pytest.mark.spec("LIN-140")
def test_defaults():
    X, y = rows()
    model = LinearSVM().fit(X, y)
    value = hinges(model, X, y) / 50.0 + 0.01 / 2.0 * np.sum(model.coef_**2)
    assert model.objective_ == pytest.approx(value, rel=1e-10)
    # The intercept is free: a shift of the columns changes nothing else.
    moved = LinearSVM().fit(X + 10.0, y)
    np.testing.assert_allclose(moved.coef_, model.coef_, atol=1e-6)
    assert LinearSVC().get_params()["C"] == 1.0
    assert LinearSVC().get_params()["loss"] == "squared_hinge"


@pytest.mark.spec("LIN-142", "LIN-140")
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_an_l1_norm_is_never_halved(loss):
    X, y = rows()
    for objective, lam in (("sum", 2.0), ("sum_half", 2.0), ("mean", 0.04), ("mean_half", 0.04), ("C", 0.5)):
        model = LinearSVM(loss=loss, penalty="l1", objective=objective, lam=lam, tol=1e-9).fit(X, y)
        scale = {"mean": 0.02, "mean_half": 0.02, "C": 0.5}.get(objective, 1.0)
        strength = 1.0 if objective == "C" else lam
        value = scale * hinges(model, X, y) + strength * np.sum(np.abs(model.coef_))
        assert model.objective_ == pytest.approx(value, rel=1e-9)
        reference = LinearSVM(loss=loss, penalty="l1", objective="sum", lam=2.0, tol=1e-9).fit(X, y)
        np.testing.assert_allclose(model.coef_, reference.coef_, atol=1e-4)


@pytest.mark.spec("LIN-141")
def test_steps_of_gradient_descent_and_of_single_points():
    """w ← (1 − 2λη) w + (η/n) Σ y x 1[m < 1]; single points without the 1/n."""
    X, y = rows(n=20)
    lam, eta, n = 0.1, 0.2, 20
    words = {"objective": "mean", "lam": lam, "fit_intercept": False, "max_iter": 3}
    options = {"iterates": True}
    with pytest.warns(Warning, match="not converged"):
        full = LinearSVM(**words, solver="gd", solver_options={**options, "step": eta, "tol": 0.0}).fit(X, y)
    single = {"sampling": "cyclic", "schedule": lambda t: eta, "check_every": 1, "tol": None}
    with pytest.warns(Warning, match="not converged"):
        points = LinearSVM(**words, solver="sgd", solver_options={**options, **single}).fit(X, y)
    w = np.zeros(3)
    for found in full.history_["iterates"]:
        np.testing.assert_allclose(found, w, atol=1e-14)
        w = (1.0 - 2.0 * lam * eta) * w + eta / n * (y * (y * (X @ w) < 1.0)) @ X
    w = np.zeros(3)
    for t, found in enumerate(points.history_["iterates"]):
        np.testing.assert_allclose(found, w, atol=1e-13)
        i = t % n
        w = (1.0 - 2.0 * lam * eta) * w + eta * y[i] * X[i] * (y[i] * (X[i] @ w) < 1.0)


@pytest.mark.spec("LIN-L30")
def test_small_strengths_make_fewer_training_errors_and_large_ones_wider_margins():
    errors, widths = np.zeros(2), np.zeros(2)
    for seed in range(10):
        X, y = rows(n=40, d=12, seed=seed)
        fits = [LinearSVM(lam=lam).fit(X, y) for lam in (1e-4, 3.0)]
        errors += [np.sum(model.predict(X) != y) for model in fits]
        widths += [1.0 / np.linalg.norm(model.coef_) for model in fits]
    assert errors[0] < 0.8 * errors[1]
    assert widths[0] < 0.5 * widths[1]
