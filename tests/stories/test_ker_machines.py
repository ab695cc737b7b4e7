"""Kernel machines on real data: the same numbers as the peer, and better ones than a line where the truth is none."""

import numpy as np
import pandas as pd
import pytest
from sklearn.kernel_ridge import KernelRidge as PeerRidge
from sklearn.linear_model import LogisticRegression as PeerLogistic
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from gnomon.kernels import RBF, Additive
from gnomon.linear import LogisticRegression, RidgeCV
from gnomon.svm import KernelLogisticRegression, KernelPerceptron, KernelRidge, KernelRidgeCV
from real_data import data_path


def scaled(X):
    return StandardScaler().fit_transform(X)


def without_header(name):
    table = pd.read_csv(data_path(f"tabular/{name}.csv.gz"), header=None)
    return table.iloc[:, :-1].to_numpy(float), table.iloc[:, -1].to_numpy()


def prostate():
    table = pd.read_csv(data_path("esl/prostate.csv.gz"))
    columns = ["lcavol", "lweight", "age", "lbph", "svi", "lcp", "gleason", "pgg45"]
    return scaled(table[columns]), table["lpsa"].to_numpy()


def california(n):
    table = pd.read_csv(data_path("tabular/california_housing.csv.gz")).dropna()
    table = table.sample(n, random_state=0)
    X = table[["longitude", "latitude", "housing_median_age", "median_income"]]
    return scaled(X), table["median_house_value"].to_numpy() / 1e5


@pytest.mark.spec("KER-045", "KER-047")
def test_prostate_with_its_strength_by_leave_one_out():
    X, y = prostate()
    model = KernelRidgeCV(np.logspace(-2, 2, 9), kernel="rbf", gamma=0.02, parametric="constant").fit(X, y)
    peer = PeerRidge(alpha=model.alpha_, kernel="rbf", gamma=0.02)
    plain = KernelRidge(model.alpha_, kernel="rbf", gamma=0.02)
    np.testing.assert_allclose(plain.fit(X, y).dual_coef_, peer.fit(X, y).dual_coef_, atol=1e-9)
    # One row left out for real.
    others = np.arange(len(y)) != 5
    left = KernelRidge(model.alpha_, kernel="rbf", gamma=0.02, parametric="constant").fit(X[others], y[others])
    assert model.loo_residuals_[5] == pytest.approx(y[5] - left.predict(X[[5]])[0], abs=1e-9)
    linear = RidgeCV(np.logspace(-2, 2, 9)).fit(X, y)
    assert model.best_score_ > linear.best_score_ - 0.02
    assert 8 < model.effective_dof_ < 60


@pytest.mark.spec("KER-045", "KER-038")
def test_house_prices_of_california_need_a_curved_map():
    X, y = california(900)
    train, test, y_train, y_test = train_test_split(X, y, random_state=0, test_size=300)
    grid = {"gamma": [0.1, 0.5, 2.0]}
    search = GridSearchCV(KernelRidgeCV(np.logspace(-3, 1, 9), kernel="rbf", parametric="constant"), grid, cv=3)
    curved = search.fit(train, y_train).score(test, y_test)
    straight = RidgeCV(np.logspace(-3, 3, 7)).fit(train, y_train).score(test, y_test)
    additive = KernelRidgeCV(np.logspace(-3, 1, 9), kernel=Additive([RBF(0.7)] * 4), parametric="constant")
    assert curved > straight + 0.03
    assert additive.fit(train, y_train).score(test, y_test) > straight + 0.03
    parts = additive.components(test)
    np.testing.assert_allclose(parts.sum(axis=1) + additive.intercept_, additive.predict(test), atol=1e-8)
    best = search.best_estimator_
    peer = PeerRidge(alpha=best.alpha_, kernel="rbf", gamma=best.gamma).fit(train, y_train)
    ours = KernelRidge(best.alpha_, kernel="rbf", gamma=best.gamma).fit(train, y_train)
    np.testing.assert_allclose(ours.predict(test), peer.predict(test), atol=1e-8)


@pytest.mark.spec("KER-049", "KER-050", "KER-L10")
@pytest.mark.parametrize(("name", "gamma"), [("sonar", 0.02), ("ionosphere", 0.05)])
def test_a_classifier_and_the_linear_model_of_its_empirical_features(name, gamma):
    X, y = without_header(name)
    X = scaled(X)
    values, U = np.linalg.eigh(rbf_kernel(X, gamma=gamma))
    R = U * np.sqrt(np.maximum(values, 0.0))
    for intercept in (True, False):
        model = KernelLogisticRegression(C=2.0, gamma=gamma, fit_intercept=intercept, tol=1e-10).fit(X, y)
        peer = PeerLogistic(C=2.0, fit_intercept=intercept, tol=1e-10, max_iter=10000).fit(R, y)
        np.testing.assert_allclose(model.predict_proba(X), peer.predict_proba(R), atol=1e-4)
        assert model.dual_gap_ <= 1e-10 * model.objective_
    dual = KernelLogisticRegression(C=2.0, gamma=gamma, fit_intercept=False, solver="dual_newton", random_state=0)
    assert dual.fit(X, y).objective_ == pytest.approx(model.objective_, rel=2e-6)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    curved, straight = (
        np.mean(cross_val_score(make_pipeline(StandardScaler(), machine), X, y, cv=folds))
        for machine in (KernelLogisticRegression(C=10.0, gamma=gamma), LogisticRegression(max_iter=1000))
    )
    assert curved > straight + 0.03


@pytest.mark.spec("KER-044", "KER-049")
def test_phonemes_have_a_curved_boundary():
    X, y = without_header("phoneme")
    few = np.random.default_rng(0).permutation(len(y))[:1500]
    train, test, y_train, y_test = train_test_split(X[few], y[few], test_size=500, random_state=0, stratify=y[few])
    logistic = KernelLogisticRegression(RBF(0.5), C=5.0).fit(train, y_train)
    mean = KernelPerceptron(RBF(0.5), output="averaged", selection="shuffle", max_iter=20, random_state=0)
    line = LogisticRegression().fit(train, y_train).score(test, y_test)
    assert logistic.score(test, y_test) > line + 0.06
    assert mean.fit(train, y_train).score(test, y_test) > line + 0.06
    assert logistic.converged_
    # Log-odds: where a class is given 80 to 90 %, it is right about so often.
    p = logistic.predict_proba(test)
    sure = (p.max(axis=1) > 0.8) & (p.max(axis=1) <= 0.95)
    assert 0.75 < np.mean(logistic.predict(test)[sure] == y_test[sure]) < 0.98


@pytest.mark.spec("KER-051")
def test_a_softmax_of_kernels_on_vowels():
    train = pd.read_csv(data_path("esl/vowel.train.csv.gz"))
    test = pd.read_csv(data_path("esl/vowel.test.csv.gz"))
    columns = [name for name in train if name.startswith("x.")]
    scaler = StandardScaler().fit(train[columns])
    X, X_test = scaler.transform(train[columns]), scaler.transform(test[columns])
    y, y_test = train["y"].to_numpy(), test["y"].to_numpy()
    kept = np.isin(y, [1, 2, 3, 4])
    model = KernelLogisticRegression(C=5.0, gamma=0.1, tol=1e-6).fit(X[kept], y[kept])
    assert model.dual_gap_ <= 1e-6 * model.objective_
    p = model.predict_proba(X_test[np.isin(y_test, [1, 2, 3, 4])])
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    line = LogisticRegression(max_iter=1000).fit(X[kept], y[kept])
    few = np.isin(y_test, [1, 2, 3, 4])
    assert model.score(X_test[few], y_test[few]) > line.score(X_test[few], y_test[few]) - 0.02
