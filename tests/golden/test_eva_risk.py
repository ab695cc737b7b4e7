"""Golden values of risk estimation and model selection."""

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.metrics import accuracy_score, recall_score
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline

from gnomon.evaluation import (
    BootstrapError,
    BootstrapSplit,
    cv_risk,
    empirical_risk,
    gcv,
    loo_residuals,
    loo_risk,
    required_n,
    select_model,
)
from gnomon.features import PolynomialMap
from gnomon.linear import LinearRegression, Ridge
from gnomon.numerics.linalg import kernel_loo
from real_data import data_path

X, y = np.arange(4.0)[:, None], np.array([0.0, 1.0, 1.0, 3.0])


@pytest.mark.spec("EVA-G03")
@pytest.mark.parametrize(("good", "bad", "accuracy"), [(2000, 10, 0.995025), (10_000, 20, 0.998004)])
def test_calling_all_good_is_accurate_and_finds_nothing(good, bad, accuracy):
    truth = np.repeat([0, 1], [good, bad])
    model = DummyClassifier(strategy="constant", constant=0).fit(truth[:, None], truth)
    assert accuracy_score(truth, model.predict(truth[:, None])) == pytest.approx(accuracy, abs=5e-7)
    assert recall_score(truth, model.predict(truth[:, None])) == 0.0
    assert empirical_risk(truth, model.predict(truth[:, None]), np.not_equal) == pytest.approx(1 - accuracy, abs=5e-7)


@pytest.mark.spec("EVA-G04", "EVA-008", "EVA-011", "EVA-006")
def test_least_squares_of_four_points():
    model = LinearRegression().fit(X, y)
    np.testing.assert_allclose(model.leverages(X), [0.7, 0.3, 0.3, 0.7])
    np.testing.assert_allclose(y - model.predict(X), [0.1, 0.2, -0.7, 0.4], atol=1e-12)
    assert empirical_risk(y, model.predict(X), lambda y, z: (y - z) ** 2) == pytest.approx(0.175)
    expected = [1 / 3, 0.285714, -1.0, 1.333333]
    np.testing.assert_allclose(loo_residuals(LinearRegression(), X, y), expected, atol=5e-7)
    assert loo_risk(LinearRegression(), X, y).value == pytest.approx(0.742630, abs=5e-7)
    assert gcv(LinearRegression(), X, y) == pytest.approx(0.7)
    folds = cv_risk(LinearRegression(), X, y, cv=KFold(2))
    np.testing.assert_allclose(folds.folds, [6.5, 0.5])
    assert folds.risk.value == pytest.approx(3.5)
    assert loo_risk(DummyRegressor(), X, y).value == pytest.approx(2.111111, abs=5e-7)


RIDGES = {
    "penalised intercept": (
        {"objective": "sum", "lam": 1.0, "penalize_intercept": True}, [-0.125, 0.193548, -0.857143, 1.6], 0.836945,
    ),
    "free intercept": ({"objective": "sum", "lam": 1.0}, [-0.333333, 0.176471, -0.882353, 1.666667], 0.924644),
    "mean form": ({"objective": "mean", "lam": 0.25}, [-0.212121, 0.2, -0.907692, 1.606061], 0.872083),
}  # fmt: skip


@pytest.mark.spec("EVA-G05", "EVA-008")
@pytest.mark.parametrize("case", RIDGES)
def test_ridge_of_four_points(case):
    options, residuals, risk = RIDGES[case]
    np.testing.assert_allclose(loo_residuals(Ridge(**options), X, y, method="shortcut"), residuals, atol=5e-7)
    np.testing.assert_allclose(loo_residuals(Ridge(**options), X, y, method="refit"), residuals, atol=5e-7)
    assert loo_risk(Ridge(**options), X, y).value == pytest.approx(risk, abs=5e-7)


@pytest.mark.spec("EVA-G05", "EVA-011")
def test_degrees_of_freedom_and_gcv_of_ridge():
    inside = Ridge(objective="sum", lam=1.0, penalize_intercept=True).fit(X, y)
    assert inside.effective_dof_ == pytest.approx(1.487179, abs=5e-7)
    assert gcv(inside, X, y) == pytest.approx(0.498542, abs=5e-7)
    assert Ridge(objective="sum", lam=1.0).fit(X, y).effective_dof_ == pytest.approx(1.833333, abs=5e-7)


@pytest.mark.spec("EVA-G06", "EVA-009")
def test_leave_one_out_of_a_gaussian_process():
    K = np.exp(-0.5 * (X - X.T) ** 2)
    found = kernel_loo(K, y, 0.1)
    np.testing.assert_allclose(found.residuals, [-0.703618, 1.047120, -1.048294, 2.610846], atol=5e-7)
    np.testing.assert_allclose(found.variances, [0.705941, 0.467395, 0.467395, 0.705941], atol=5e-7)
    assert found.log_density == pytest.approx(-10.094094, abs=5e-7)


def polynomial(degree):
    return make_pipeline(PolynomialMap(degree, include_bias=False), LinearRegression())


@pytest.mark.spec("EVA-G07")
def test_auto_by_polynomials_of_horsepower():
    import pandas as pd

    auto = pd.read_csv(data_path("rbooks/ISLR_Auto.csv.gz"))
    power, mpg = auto[["horsepower"]].to_numpy(dtype=float), auto["mpg"].to_numpy()
    expected = [24.231514, 19.248213, 19.334984, 19.424430, 19.033214, 18.978644, 18.833045]
    # Powers of a column near one lose fewer digits than those of one near a hundred, and the fit is the same.
    units = (power - power.mean()) / power.std()
    found = [
        loo_risk(LinearRegression(), units ** np.arange(1, d + 1), mpg, method="shortcut").value for d in range(1, 8)
    ]
    np.testing.assert_allclose(found, expected, atol=5e-7)


@pytest.mark.spec("EVA-G08", "EVA-L07")
def test_the_best_of_many_coins_seems_good():
    n, rng = 100, np.random.default_rng(0)
    half = binom(n, 0.5)
    truth = np.arange(n) % 2
    for m, expected in ((1, 0.5), (10, 0.576780), (100, 0.624762)):
        steps = np.arange(n + 1) / n
        of_best = np.diff(np.r_[0.0, half.cdf(np.arange(n + 1)) ** m])
        assert steps @ of_best == pytest.approx(expected, abs=5e-7)
        best = [np.max(np.mean(rng.integers(0, 2, (m, n)) == truth, axis=1)) for _ in range(400)]
        assert abs(np.mean(best) - expected) < 4 * np.std(best) / 20


@pytest.mark.spec("EVA-G08", "EVA-016")
def test_selection_on_one_test_set_finds_a_coin_that_seems_good():
    truth = np.arange(100) % 2
    coins = [DummyClassifier(strategy="uniform", random_state=k) for k in range(10)]
    rows = np.arange(100)
    found = select_model(coins, truth[:, None], truth, cv=[(rows, rows)])
    assert 1.0 - found.mean[found.best] == np.max(1.0 - found.risks) > 0.5


def line():
    x = np.linspace(0, 1, 12)[:, None]
    return x, 2 * x[:, 0] + 1 + 0.1 * np.random.default_rng(0).normal(size=12)


@pytest.mark.spec("EVA-G09")
@pytest.mark.parametrize(
    ("degree", "train", "norm", "loo"), [(1, 4.520e-3, 2.193, 6.004e-3), (10, 9.11e-6, 5.57e4, 12.97)]
)
def test_a_line_by_polynomials(degree, train, norm, loo):
    x, t = line()
    model = polynomial(degree).fit(x, t)
    assert np.mean((t - model.predict(x)) ** 2) == pytest.approx(train, rel=2e-3)
    weights = np.r_[model[-1].coef_, model[-1].intercept_]
    assert np.linalg.norm(weights) == pytest.approx(norm, rel=2e-3)
    assert loo_risk(model, x, t).value == pytest.approx(loo, rel=1e-3)


@pytest.mark.spec("EVA-G09", "EVA-011")
@pytest.mark.filterwarnings("ignore:tr H:UserWarning")
def test_leave_one_out_picks_the_line_and_gcv_does_not():
    x, t = line()
    degrees = range(11)
    models = [DummyRegressor(), *(polynomial(degree) for degree in degrees if degree)]
    assert np.argmin([loo_risk(model, x, t).value for model in models]) == 1
    scores = [gcv(model, x, t) for model in models[1:]]
    assert 1 + np.argmin(scores) == 9
    assert np.min(scores) == pytest.approx(3.36e-4, rel=2e-3)


@pytest.mark.spec("EVA-G10", "EVA-006")
def test_folds_of_unequal_size_and_all_rows_together():
    truth = np.array([1.0, 1.0, 1.0, 0.0, 0.0])
    zero = DummyRegressor(strategy="constant", constant=0.0)
    parts = [([3, 4], [0, 1, 2]), ([0, 1, 2], [3, 4])]
    X = np.zeros((5, 1))
    assert cv_risk(zero, X, truth, cv=parts).risk.value == 0.5
    assert cv_risk(zero, X, truth, cv=parts, aggregate="pooled").risk.value == pytest.approx(0.6)


@pytest.mark.spec("EVA-G10", "EVA-012")
@pytest.mark.parametrize(("n", "share"), [(4, 0.683594), (10, 0.651322), (100, 0.633968)])
def test_different_rows_of_a_bootstrap_sample(n, share):
    assert 1 - (1 - 1 / n) ** n == pytest.approx(share, abs=5e-7)
    splits = BootstrapSplit(2000, random_state=0).split(np.zeros((n, 1)))
    shares = np.array([len(np.unique(train)) / n for train, _ in splits])
    # A sample of all rows has nobody out of bag, and is drawn again.
    whole = np.prod(np.arange(1, n + 1) / n)
    assert abs(np.mean(shares) - (share - whole) / (1 - whole)) < 4 * np.std(shares) / np.sqrt(2000)


@pytest.mark.spec("EVA-G11", "EVA-013")
def test_the_632_estimates():
    found = BootstrapError(0.1, 0.3, 0.5)
    assert found._replace(method=".632").value == pytest.approx(0.2264)
    assert found.overfitting == pytest.approx(0.5)
    assert found.weight == pytest.approx(0.774510, abs=5e-7)
    assert found.value == pytest.approx(0.254902, abs=5e-7)
    memory = BootstrapError(0.0, 0.5, 0.5)
    assert memory._replace(method=".632").value == pytest.approx(0.316)
    assert memory.value == pytest.approx(0.5)
    assert memory._replace(method="loob").value == 0.5


@pytest.mark.spec("EVA-022")
def test_rows_for_an_error():
    assert (required_n(0.01), required_n(0.01, "worst")) == (461, 46_052)
