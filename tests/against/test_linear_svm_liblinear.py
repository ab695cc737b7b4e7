"""Linear SVMs beside LIBLINEAR and LIBSVM: the same objective or a better one, the same answers."""

import numpy as np
import pytest
import sklearn.svm
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_iris, load_svmlight_file
from sklearn.preprocessing import StandardScaler

from gnomon.linear import LinearSVC, LinearSVM
from real_data import data_path


def heart():
    X, y = load_svmlight_file(str(data_path("svm/heart_scale")))
    return X.toarray(), y


def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X), y


def objective(model, X, y, *, weights=1.0):
    """C Σ s ℓ + ½(‖w‖² + (b/κ)²), or with the sum of moduli, at the parameters of the model."""
    sign = np.where(y == model.classes_[1], 1.0, -1.0)
    hinge = np.maximum(0.0, 1.0 - sign * model.decision_function(X))
    losses = hinge if model.loss == "hinge" else hinge**2
    theta = np.append(model.coef_, model.intercept_ / model.intercept_scaling if model.fit_intercept else 0.0)
    size = np.sum(np.abs(theta)) if model.penalty == "l1" else 0.5 * theta @ theta
    return model.C * np.sum(weights * losses) + size


WORDS = [
    {"dual": True},
    {"dual": False},
    {"dual": "auto", "C": 0.01},
    {"dual": True, "C": 10.0, "fit_intercept": False},
    {"loss": "hinge", "dual": True},
    {"loss": "hinge", "dual": True, "C": 0.05, "intercept_scaling": 10.0},
    {"penalty": "l1", "dual": False},
    {"penalty": "l1", "dual": False, "C": 0.05},
]


@pytest.mark.spec("LIN-140", "LIN-141", "LIN-142", "LIN-084")
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix], ids=["dense", "sparse"])
@pytest.mark.parametrize("words", WORDS, ids=str)
def test_the_namesake_reaches_the_objective_of_liblinear(words, form):
    X, y = heart()
    options = {"tol": 1e-6, "max_iter": 100_000, "random_state": 0, **words}
    theirs = sklearn.svm.LinearSVC(**options).fit(form(X), y)
    ours = LinearSVC(**options).fit(form(X), y)
    assert ours.objective_ == pytest.approx(objective(ours, X, y), rel=1e-10)
    assert ours.objective_ <= objective(theirs, X, y) * (1.0 + 1e-7)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=2e-3)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=2e-3)
    assert np.mean(ours.predict(X) == theirs.predict(X)) >= 269 / 270
    assert ours.dual_gap_ <= 1e-4 * ours.objective_


@pytest.mark.spec("LIN-140")
@pytest.mark.parametrize("words", [{}, {"loss": "hinge"}, {"penalty": "l1"}, {"C": 0.01}], ids=str)
def test_default_tolerance_is_as_good_as_liblinear_s(words):
    X, y = cancer()
    dual = words.get("penalty") != "l1"
    theirs = sklearn.svm.LinearSVC(**words, dual=dual, max_iter=100_000, random_state=0).fit(X, y)
    ours = LinearSVC(**words, max_iter=100_000, random_state=0).fit(X, y)
    assert ours.objective_ <= objective(theirs, X, y) * (1.0 + 1e-4)


@pytest.mark.spec("LIN-143", "LIN-140")
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_weights_of_classes_and_rows(loss):
    X, y = heart()
    s = np.random.default_rng(0).uniform(0.1, 3.0, size=len(y))
    options = {"loss": loss, "dual": True, "tol": 1e-7, "max_iter": 200_000, "random_state": 0}
    prices = {-1.0: 1.0, 1.0: 5.0}
    for weights in ("balanced", prices):
        theirs = sklearn.svm.LinearSVC(class_weight=weights, **options).fit(X, y, sample_weight=s)
        ours = LinearSVC(class_weight=weights, **options).fit(X, y, sample_weight=s)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-3)
        np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-3)
    total = np.where(y > 0, 5.0, 1.0) * s
    assert ours.objective_ <= objective(theirs, X, y, weights=total) * (1.0 + 1e-8)
    assert ours.objective_ == pytest.approx(objective(ours, X, y, weights=total), rel=1e-10)


@pytest.mark.spec("LIN-140")
@pytest.mark.parametrize("multi_class", ["ovr", "crammer_singer"])
def test_three_classes(multi_class):
    X, y = load_iris(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    options = {"multi_class": multi_class, "C": 0.5, "tol": 1e-8, "max_iter": 200_000, "random_state": 0}
    theirs = sklearn.svm.LinearSVC(**options).fit(X, y)
    ours = LinearSVC(**options).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=2e-4)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=2e-4)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=2e-3)


@pytest.mark.spec("LIN-140", "LIN-141", "LIN-144")
@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
def test_a_free_intercept_is_that_of_libsvm(C):
    X, y = heart()
    theirs = sklearn.svm.SVC(kernel="linear", C=C, tol=1e-8).fit(X, y)
    ours = LinearSVM(C=C).fit(X, y)
    hinge = np.maximum(0.0, 1.0 - y * theirs.decision_function(X))
    reached = C * hinge.sum() + 0.5 * np.sum(theirs.coef_**2)
    assert ours.objective_ <= reached * (1.0 + 1e-9)
    # Ours is certified to more digits than theirs has.
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-3)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=2e-3)
    # α y of the support vectors; the others have none. α need not be unique, w is.
    alpha = np.zeros(len(y))
    alpha[theirs.support_] = np.abs(theirs.dual_coef_[0])
    assert np.sum(ours.dual_coef_) == pytest.approx(np.sum(alpha), rel=1e-6)
    assert ours.dual_gap_ <= 1e-8 * ours.objective_


@pytest.mark.spec("LIN-140")
def test_words_that_liblinear_refuses_are_refused():
    X, y = heart()
    for words in (
        {"penalty": "l1", "loss": "hinge"},
        {"penalty": "l1", "dual": True},
        {"loss": "hinge", "dual": False},
    ):
        with pytest.raises(ValueError, match="not supported"):
            LinearSVC(**words).fit(X, y)
        with pytest.raises(ValueError, match="not supported"):
            sklearn.svm.LinearSVC(**words).fit(X, y)
    assert LinearSVC().get_params().items() >= sklearn.svm.LinearSVC().get_params().items()
