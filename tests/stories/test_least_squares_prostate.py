"""Prostate cancer: tables 3.2 and 3.3 of Hastie, Tibshirani & Friedman (2009), refound."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import brentq

from gnomon.linear import BestSubset, LinearRegression, Ridge, RidgeCV
from real_data import data_path

COLUMNS = ["lcavol", "lweight", "age", "lbph", "svi", "lcp", "gleason", "pgg45"]


@pytest.fixture(scope="module")
def prostate():
    frame = pd.read_csv(data_path("esl/prostate.csv.gz"))
    X = (frame[COLUMNS] - frame[COLUMNS].mean()) / frame[COLUMNS].std()
    train = frame["train"].astype(str).isin(["True", "T", "TRUE"])
    return X[train], frame["lpsa"][train], X[~train], frame["lpsa"][~train]


@pytest.mark.spec("LIN-030", "LIN-035")
def test_least_squares_and_its_z_scores(prostate):
    X, y, X_test, y_test = prostate
    model = LinearRegression().fit(X, y)
    assert_allclose(model.intercept_, 2.465, atol=5e-4)
    assert_allclose(model.coef_, [0.680, 0.263, -0.141, 0.210, 0.305, -0.288, -0.021, 0.267], rtol=0, atol=5e-4)
    errors, of_intercept = model.standard_errors()
    assert_allclose(errors, [0.13, 0.10, 0.10, 0.10, 0.12, 0.15, 0.15, 0.15], rtol=0, atol=5e-3)
    assert_allclose(model.coef_ / errors, [5.37, 2.75, -1.40, 2.06, 2.47, -1.87, -0.15, 1.74], rtol=0, atol=5e-3)
    assert_allclose(model.intercept_ / of_intercept, 27.60, rtol=0, atol=5e-3)
    squares = (y_test - model.predict(X_test)) ** 2
    assert_allclose([squares.mean(), squares.std() / np.sqrt(30)], [0.521, 0.179], rtol=0, atol=5e-4)


@pytest.mark.spec("LIN-052")
def test_the_best_pair(prostate):
    X, y, X_test, y_test = prostate
    model = BestSubset(2).fit(X, y)
    assert np.array(COLUMNS)[model.support_].tolist() == ["lcavol", "lweight"]
    assert model.exact_
    assert_allclose([model.intercept_, *model.coef_[:2]], [2.477, 0.740, 0.316], rtol=0, atol=5e-4)
    assert_allclose(np.mean((y_test - model.predict(X_test)) ** 2), 0.492, rtol=0, atol=5e-4)


@pytest.mark.spec("LIN-040")
def test_ridge_with_five_degrees_of_freedom(prostate):
    X, y, X_test, y_test = prostate
    # tr H counts the intercept too.
    alpha = brentq(lambda a: Ridge(a).fit(X, y).effective_dof_ - 6.0, 1e-3, 1e3)
    model = Ridge(alpha).fit(X, y)
    assert_allclose(model.coef_, [0.420, 0.238, -0.046, 0.162, 0.227, 0.000, 0.040, 0.133], atol=3e-3)
    assert_allclose(np.mean((y_test - model.predict(X_test)) ** 2), 0.492, atol=3e-3)


@pytest.mark.spec("LIN-049")
def test_cross_validation_prefers_less_than_least_squares(prostate):
    X, y, X_test, y_test = prostate
    alphas = np.logspace(-2, 4, 50)
    best, sparing = RidgeCV(alphas).fit(X, y), RidgeCV(alphas, rule="1se").fit(X, y)
    assert 1.0 < best.alpha_ < sparing.alpha_
    assert sparing.effective_dof_ < best.effective_dof_ < 9
    ols = np.mean((y_test - LinearRegression().fit(X, y).predict(X_test)) ** 2)
    assert np.mean((y_test - best.predict(X_test)) ** 2) < ols
