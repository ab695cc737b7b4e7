"""Nearest neighbours and radial networks on real data: digits, phonemes, sonar, the ionosphere, concrete."""

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier as PeerClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from gnomon.kernels import RBF, Linear
from gnomon.neighbors import KNeighborsClassifier, KNeighborsRegressor, RBFNetworkClassifier, RBFNetworkRegressor
from real_data import data_path


def digits(part):
    table = np.loadtxt(data_path(f"esl/zip.{part}.csv.gz"), delimiter=",", skiprows=1)
    return table[:, 1:], table[:, 0].astype(int)


def table(name):
    cells = np.loadtxt(data_path(f"tabular/{name}.csv.gz"), delimiter=",", dtype=str)
    return cells[:, :-1].astype(float), cells[:, -1]


@pytest.mark.spec("KER-080", "KER-082")
def test_the_nearest_of_7291_digits_is_wrong_in_five_and_a_half_per_cent():
    """Hastie, Tibshirani & Friedman (2009), section 13.3.3: 5.63 % of the 2007 test digits of USPS."""
    X, y = digits("train")
    X_test, y_test = digits("test")
    model = KNeighborsClassifier(1).fit(X, y)
    assert np.mean(model.predict(X_test) != y_test) == pytest.approx(0.0563, abs=5e-5)
    single = KNeighborsClassifier(1).fit(X.astype(np.float32), y)
    np.testing.assert_array_equal(single.predict(X_test.astype(np.float32)), model.predict(X_test))


@pytest.mark.spec("KER-080", "KER-083")
@pytest.mark.parametrize("name", ["phoneme", "sonar", "ionosphere"])
def test_the_same_folds_as_scikit_learn_and_one_curve_for_every_k(name):
    X, y = table(name)
    X = StandardScaler().fit_transform(X)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    ks = [1, 3, 5, 11, 25]
    curve = KNeighborsClassifier().fit(X, y).error_curve(ks=ks, cv=folds)
    for k, error in zip(ks, curve.errors, strict=True):
        ours = cross_val_score(KNeighborsClassifier(k), X, y, cv=folds)
        peer = cross_val_score(PeerClassifier(k, algorithm="brute"), X, y, cv=folds)
        # Rows at equal distance may be taken in another order by scikit-learn.
        np.testing.assert_allclose(ours, peer, atol=2.5 / len(X))
        sizes = [len(test) for _, test in folds.split(X, y)]
        assert error == pytest.approx(1.0 - np.average(ours, weights=sizes), abs=1e-12)
    assert curve.errors.min() < {"phoneme": 0.12, "sonar": 0.2, "ionosphere": 0.16}[name]
    assert curve.best_k < 25


@pytest.mark.spec("KER-080")
def test_a_kernel_that_angles_serves_the_ionosphere():
    """The rows are autocorrelations: their angle says more than their length."""
    X, y = table("ionosphere")
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    by_kernel = {
        name: cross_val_score(KNeighborsClassifier(1, kernel=kernel), X, y, cv=folds).mean()
        for name, kernel in {"length": Linear(), "angle": Linear().normalized()}.items()
    }
    plain = cross_val_score(KNeighborsClassifier(1), X, y, cv=folds).mean()
    assert by_kernel["length"] == pytest.approx(plain, abs=1e-12)
    assert by_kernel["angle"] > plain


@pytest.mark.spec("KER-085", "KER-086", "KER-090")
def test_radial_networks_on_sonar_and_concrete():
    X, y = table("sonar")
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    network = make_pipeline(StandardScaler(), RBFNetworkClassifier(n_centers=60, lam=0.1, random_state=0))
    assert cross_val_score(network, X, y, cv=folds).mean() > 0.78
    data = np.load(data_path("uci_regression/concrete.npz"))
    X, y = StandardScaler().fit_transform(data["X"]), data["y"]
    train, test = np.arange(len(y)) % 5 > 0, np.arange(len(y)) % 5 == 0
    errors = {}
    for name, model in {
        "mean": KNeighborsRegressor(int(train.sum())),
        "neighbours": KNeighborsRegressor(5, weights="distance"),
        "kernel": KNeighborsRegressor(20, weights=RBF(0.5)),
        "network": RBFNetworkRegressor(n_centers=100, lam=1e-3, random_state=0, n_init=1),
        "learned": RBFNetworkRegressor(n_centers=100, lam=1e-3, random_state=0, n_init=1, learn_gamma=True, tol=1e-5),
    }.items():
        errors[name] = float(np.mean((model.fit(X[train], y[train]).predict(X[test]) - y[test]) ** 2))
    assert errors["neighbours"] < 0.4 * errors["mean"]
    assert errors["kernel"] < 0.4 * errors["mean"]
    assert errors["network"] < errors["neighbours"]
    assert errors["learned"] < 1.02 * errors["network"]


def test_a_search_over_options_of_kernels_and_ties():
    X, y = table("sonar")
    search = GridSearchCV(
        make_pipeline(StandardScaler(), KNeighborsClassifier(kernel=RBF(3.0))),
        {"kneighborsclassifier__n_neighbors": [1, 4], "kneighborsclassifier__tie": ["lowest", "nearest"]},
        cv=StratifiedKFold(3, shuffle=True, random_state=0),
    ).fit(X, y)
    assert search.best_score_ > 0.75
