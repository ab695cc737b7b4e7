"""LinearSVC and Perceptron beside their namesakes: the same objective or better, the same weights visit by visit."""

import numpy as np
import pytest
from sklearn import linear_model, svm
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_svmlight_file
from sklearn.exceptions import ConvergenceWarning

from gnomon.linear import LinearSVC, LinearSVM, Perceptron
from real_data import data_path


def objective(coef, b, X, y, *, C=1.0, loss="squared_hinge"):
    """LIBLINEAR's objective, summed over one against rest."""
    classes = np.unique(y)
    positive = classes[1:] if len(classes) == 2 else classes
    total = 0.0
    for k, w, bias in zip(positive, coef, b, strict=True):
        hinge = np.maximum(0.0, 1.0 - np.where(y == k, 1.0, -1.0) * (X @ w + bias))
        total += C * np.sum(hinge if loss == "hinge" else hinge**2) + 0.5 * (w @ w + bias**2)
    return total


@pytest.mark.spec("LIN-140", "LIN-084")
@pytest.mark.parametrize("load", [load_iris, load_breast_cancer, load_digits])
@pytest.mark.parametrize("loss", ["squared_hinge", "hinge"])
@pytest.mark.parametrize("dual", [True, "auto"])
def test_objective_is_not_worse_than_liblinears(load, loss, dual):
    X, y = load(return_X_y=True)
    X = X / np.maximum(np.abs(X).max(axis=0), 1.0)
    words = {"loss": loss, "dual": dual, "random_state": 0, "max_iter": 100_000, "tol": 1e-5}
    ours, theirs = LinearSVC(**words).fit(X, y), svm.LinearSVC(**words).fit(X, y)
    mine = objective(ours.coef_, ours.intercept_, X, y, loss=loss)
    assert mine == pytest.approx(ours.objective_)
    assert mine <= objective(theirs.coef_, theirs.intercept_, X, y, loss=loss) * (1.0 + 1e-6)
    assert ours.dual_gap_ <= 1e-4 * mine
    assert np.mean(ours.predict(X) == theirs.predict(X)) > 0.995


@pytest.mark.spec("LIN-142", "LIN-140")
def test_l1_keeps_the_same_columns():
    X, y = load_digits(return_X_y=True)
    X = X / 16.0
    words = {"penalty": "l1", "dual": False, "C": 0.05, "tol": 1e-6, "max_iter": 20_000}
    ours, theirs = LinearSVC(**words).fit(X, y), svm.LinearSVC(**words, random_state=0).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=2e-3)
    assert np.mean((ours.coef_ == 0.0) == (theirs.coef_ == 0.0)) > 0.99


@pytest.mark.spec("LIN-140")
def test_crammer_singer():
    X, y = load_iris(return_X_y=True)
    words = {"multi_class": "crammer_singer", "tol": 1e-7, "max_iter": 100_000}
    ours, theirs = LinearSVC(**words).fit(X, y), svm.LinearSVC(**words, random_state=0).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-4)


@pytest.mark.spec("LIN-140", "LIN-143")
@pytest.mark.parametrize(
    "words",
    [
        {"class_weight": "balanced"},
        {"class_weight": {0: 3.0}},
        {"fit_intercept": False},
        {"intercept_scaling": 10.0},
        {"C": 0.01},
        {"dual": False},
    ],
    ids=str,
)
def test_words_mean_the_same(words):
    X, y = load_breast_cancer(return_X_y=True)
    X = X / X.max(axis=0)
    s = np.random.default_rng(0).uniform(0.5, 2.0, size=len(y))
    ours = LinearSVC(**words, tol=1e-9).fit(X, y, sample_weight=s)
    theirs = svm.LinearSVC(**{"dual": True, **words}, tol=1e-9, max_iter=10**6, random_state=0).fit(
        X, y, sample_weight=s
    )
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-4, atol=1e-5)


@pytest.mark.spec("LIN-140")
@pytest.mark.parametrize("words", [{"penalty": "l1", "dual": True}, {"loss": "hinge", "dual": False}], ids=str)
def test_what_liblinear_lacks_is_refused(words):
    X, y = load_iris(return_X_y=True)
    for peer in (LinearSVC, svm.LinearSVC):
        with pytest.raises(ValueError, match="not supported"):
            peer(**words).fit(X, y)


@pytest.mark.spec("LIN-140", "LIN-141")
def test_free_intercept_beside_libsvm_on_heart_scale():
    X, y = load_svmlight_file(str(data_path("svm/heart_scale")))
    X = X.toarray()
    theirs = svm.SVC(kernel="linear", C=1.0, tol=1e-9).fit(X, y)
    ours = LinearSVM(C=1.0).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-6)
    assert ours.dual_gap_ <= 1e-10 * ours.objective_


WORDS = [
    {},
    {"shuffle": False},
    {"random_state": 3, "eta0": 0.1},
    {"penalty": "l2"},
    {"penalty": "l1"},
    {"penalty": "elasticnet"},
    {"early_stopping": True},
    {"class_weight": "balanced"},
    {"fit_intercept": False, "n_iter_no_change": 2},
]


@pytest.mark.spec("LIN-100")
@pytest.mark.parametrize("load", [load_breast_cancer, load_iris])
@pytest.mark.parametrize("words", WORDS, ids=str)
def test_perceptron_takes_the_same_steps(load, words):
    X, y = load(return_X_y=True)
    ours, theirs = Perceptron(**words).fit(X, y), linear_model.Perceptron(**words).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-9, atol=1e-9)
    assert (ours.n_iter_, ours.t_) == (theirs.n_iter_, theirs.t_)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.spec("LIN-100")
def test_perceptron_warns_like_its_namesake():
    X, y = load_breast_cancer(return_X_y=True)
    for peer in (Perceptron, linear_model.Perceptron):
        with pytest.warns(ConvergenceWarning):
            peer(max_iter=2).fit(X, y)
