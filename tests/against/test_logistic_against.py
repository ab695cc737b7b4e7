"""Logistic regression against scikit-learn, on the same real tables in the same process."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn import linear_model
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import OneHotEncoder, StandardScaler, scale

import gnomon.linear
from gnomon.linear import GLM, LogisticRegression, LogisticRegressionCV
from real_data import data_path


def adult():
    frame = pd.read_csv(data_path("tabular/adult_train.csv.gz"), skipinitialspace=True)
    X, y = frame.iloc[:, :-1], frame.iloc[:, -1]
    numbers = [c for c in X.columns if pd.api.types.is_numeric_dtype(X[c])]
    words = [c for c in X.columns if c not in numbers]
    table = make_column_transformer((StandardScaler(), numbers), (OneHotEncoder(), words), sparse_threshold=1.0)
    return table.fit_transform(X).tocsr(), y.to_numpy()


def objective(model, X, y, C=1.0):
    index = np.searchsorted(model.classes_, y)
    logs = model.predict_log_proba(X)[np.arange(X.shape[0]), index]
    return -C * np.sum(logs) + 0.5 * np.sum(model.coef_**2)


@pytest.mark.spec("LIN-122")
def test_adult():
    X, y = adult()
    ours = LogisticRegression(max_iter=1000, tol=1e-9).fit(X, y)
    peer = linear_model.LogisticRegression(max_iter=1000, tol=1e-9, solver="newton-cholesky").fit(X, y)
    np.testing.assert_allclose(ours.coef_, peer.coef_, atol=1e-4)
    np.testing.assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=1e-5)
    assert objective(ours, X, y) <= objective(peer, X, y) * (1.0 + 1e-9)
    assert ours.objective_ == pytest.approx(objective(ours, X, y))
    assert 0.0 <= ours.dual_gap_ <= 1e-4 * ours.objective_
    dense = LogisticRegression(max_iter=1000, tol=1e-9).fit(X.toarray(), y)
    np.testing.assert_allclose(dense.coef_, ours.coef_, atol=1e-4)


@pytest.mark.spec("LIN-122")
def test_adult_with_the_defaults_is_at_least_as_good():
    X, y = adult()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peer = linear_model.LogisticRegression().fit(X, y)
    ours = LogisticRegression().fit(X, y)
    assert ours.converged_
    assert objective(ours, X, y) <= objective(peer, X, y) * (1.0 + 1e-6)


@pytest.mark.spec("LIN-120", "LIN-122")
def test_text():
    messages = pd.read_csv(data_path("text/sms_spam.tsv.gz"), sep="\t", header=None, names=["label", "text"])
    X, y = TfidfVectorizer().fit_transform(messages["text"]), messages["label"].to_numpy()
    for C in (1.0, 100.0):
        ours = LogisticRegression(C=C, max_iter=1000, tol=1e-6).fit(X, y)
        peer = linear_model.LogisticRegression(C=C, max_iter=1000, tol=1e-6).fit(X, y)
        assert objective(ours, X, y, C) <= objective(peer, X, y, C) * (1.0 + 1e-4)
        assert np.mean(ours.predict(X) != peer.predict(X)) < 1e-3
        assert 0.0 <= ours.dual_gap_ <= 1e-2 * ours.objective_


@pytest.mark.spec("LIN-128", "LIN-129")
@pytest.mark.parametrize("solver", ["lbfgs", "newton"])
def test_digits(solver):
    train = pd.read_csv(data_path("esl/zip.train.csv.gz")).to_numpy()
    X, y = train[:1000, 100:130], train[:1000, 0].astype(int)
    words = {"C": 0.05, "tol": 1e-8, "max_iter": 2000}
    ours = LogisticRegression(solver=solver, **words).fit(X, y)
    peer = linear_model.LogisticRegression(**words).fit(X, y)
    np.testing.assert_allclose(ours.coef_, peer.coef_, atol=1e-4)
    np.testing.assert_allclose(ours.intercept_, peer.intercept_, atol=1e-4)


@pytest.mark.spec("LIN-123")
@pytest.mark.parametrize("l1_ratio", [1.0, 0.5])
def test_l1_and_elastic_net(l1_ratio):
    table = np.loadtxt(data_path("tabular/sonar.csv.gz"), delimiter=",", usecols=range(60))
    y = np.loadtxt(data_path("tabular/sonar.csv.gz"), delimiter=",", usecols=60, dtype=str)
    X = (table - table.mean(axis=0)) / table.std(axis=0)
    ours = LogisticRegression(C=0.1, l1_ratio=l1_ratio, solver="cd", tol=1e-9, max_iter=10000).fit(X, y)
    peer = linear_model.LogisticRegression(C=0.1, l1_ratio=l1_ratio, solver="saga", tol=1e-9, max_iter=100000)
    peer.fit(X, y)
    np.testing.assert_allclose(ours.coef_, peer.coef_, atol=1e-4)
    np.testing.assert_array_equal(ours.coef_ == 0.0, np.abs(peer.coef_) < 1e-5)


@pytest.mark.spec("LIN-123")
@pytest.mark.parametrize("l1_ratio", [1.0, 0.3])
@pytest.mark.parametrize("C", [0.1, 2.0])
def test_l1_and_elastic_net_of_three_classes(C, l1_ratio):
    X, y = load_iris(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    options = {"l1_ratio": l1_ratio, "C": C, "solver": "saga"}
    ours = LogisticRegression(tol=1e-13, **options).fit(X, y)
    peer = linear_model.LogisticRegression(tol=1e-9, max_iter=100_000, random_state=0, **options).fit(X, y)
    np.testing.assert_allclose(ours.coef_, peer.coef_, atol=1e-5)
    np.testing.assert_allclose(ours.intercept_, peer.intercept_, atol=1e-5)
    np.testing.assert_array_equal(ours.coef_ == 0.0, np.abs(peer.coef_) < 1e-7)
    assert ours.n_iter_[0] <= 20


@pytest.mark.spec("LIN-049")
def test_cross_validation():
    data = np.loadtxt(data_path("tabular/banknote_authentication.csv.gz"), delimiter=",")
    X, y = data[:, :4], data[:, 4].astype(int)
    ours = LogisticRegressionCV(Cs=5, scoring="neg_log_loss", tol=1e-7, max_iter=1000).fit(X, y)
    peer = linear_model.LogisticRegressionCV(
        Cs=5, scoring="neg_log_loss", tol=1e-7, max_iter=1000, l1_ratios=(0.0,), use_legacy_attributes=False
    ).fit(X, y)
    assert ours.C_ == peer.C_
    np.testing.assert_allclose(ours.scores_, peer.scores_, rtol=1e-4)
    np.testing.assert_allclose(ours.coefs_paths_, peer.coefs_paths_, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("solver", ["sag", "saga", "newton-cg", "newton-cholesky"])
def test_three_classes_by_every_word_for_a_solver(solver):
    X, y = load_iris(return_X_y=True)
    found = [
        module.LogisticRegression(solver=solver, tol=1e-8, max_iter=20_000).fit(scale(X), y)
        for module in (gnomon.linear, linear_model)
    ]
    np.testing.assert_allclose(found[0].coef_, found[1].coef_, atol=1e-4)


LEGACY = [
    {"l1_ratios": (0.0,)},
    {"l1_ratios": (0.0, 0.5), "penalty": "elasticnet"},
    {"l1_ratios": None},
    {"l1_ratios": None, "penalty": "l2"},
    {"l1_ratios": None, "penalty": "l1"},
    {"l1_ratios": (0.0,), "refit": False},
]


@pytest.mark.spec("LIN-049")
@pytest.mark.parametrize("legacy", [True, False, "warn"])
@pytest.mark.parametrize("words", LEGACY, ids=repr)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_what_is_withdrawn_from_cross_validation_keeps_its_meaning(n_classes, words, legacy):
    X, y = load_iris(return_X_y=True)
    rows = slice(0, 50 * n_classes)
    X, y = scale(X[rows]), np.array(["setosa", "versicolor", "virginica"])[y[rows]]
    smooth = words.get("penalty", "l2") == "l2"
    options = {"Cs": [0.05, 0.5], "cv": 3, "scoring": "neg_log_loss", "use_legacy_attributes": legacy, **words}
    options |= {"tol": 1e-8, "max_iter": 20_000, "solver": "lbfgs" if smooth else "saga"}
    found = []
    for module in (gnomon.linear, linear_model):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found.append(module.LogisticRegressionCV(**options).fit(X, y))
        withdrawn = ("penalty" in words) + (legacy == "warn") + (words == {"l1_ratios": None})
        assert sum(w.category is FutureWarning for w in caught) == withdrawn
    ours, peer = found
    np.testing.assert_allclose(ours.coef_, peer.coef_, atol=1e-3)
    np.testing.assert_array_equal(ours.C_, peer.C_)
    assert np.shape(ours.n_iter_) == np.shape(peer.n_iter_)
    for name in ("scores_", "coefs_paths_"):
        mine, theirs = getattr(ours, name), getattr(peer, name)
        pairs = [(mine, theirs)] if legacy is False else [(mine[label], theirs[label]) for label in theirs]
        assert legacy is False or list(mine) == list(theirs)
        for a, b in pairs:
            assert a.shape == b.shape
            np.testing.assert_allclose(a, b, atol=1e-3)
    if words["l1_ratios"] is not None:
        np.testing.assert_array_equal(ours.l1_ratio_, peer.l1_ratio_)
    assert np.shape(ours.l1_ratio_) == np.shape(peer.l1_ratio_)


@pytest.mark.spec("LIN-145")
@pytest.mark.parametrize(
    ("ours", "peer"),
    [
        (GLM("poisson", alpha=0.1), linear_model.PoissonRegressor(alpha=0.1, tol=1e-9, max_iter=1000)),
        (GLM("gamma", "log", alpha=0.1), linear_model.GammaRegressor(alpha=0.1, tol=1e-9, max_iter=1000)),
        (
            GLM("tweedie", alpha=0.1),
            linear_model.TweedieRegressor(power=1.5, alpha=0.1, tol=1e-9, max_iter=1000),
        ),
    ],
)
def test_generalized_linear_models(ours, peer):
    frame = pd.read_csv(data_path("tabular/abalone.csv.gz"), header=None)
    X = StandardScaler().fit_transform(frame.iloc[:, 1:8])
    y = frame.iloc[:, 8].to_numpy(dtype=float)
    weights = np.random.default_rng(0).random(len(y))
    ours.fit(X, y, sample_weight=weights)
    peer.fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(ours.coef_, peer.coef_, atol=1e-5)
    np.testing.assert_allclose(ours.predict(X), peer.predict(X), rtol=1e-5)
