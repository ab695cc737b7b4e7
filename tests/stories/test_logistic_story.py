"""The South African heart disease table of Hastie, Tibshirani & Friedman (2009), tables 4.2 and 4.3."""

import numpy as np
import pandas as pd
import pytest

from gnomon.linear import GLM, LogisticRegression, LogisticRegressionCV
from real_data import data_path

COLUMNS = ["sbp", "tobacco", "ldl", "famhist", "obesity", "alcohol", "age"]

# Table 4.2: coefficient, standard error, Z score.
TABLE = {
    "intercept": (-4.130, 0.964, -4.285),
    "sbp": (0.006, 0.006, 1.023),
    "tobacco": (0.080, 0.026, 3.034),
    "ldl": (0.185, 0.057, 3.219),
    "famhist": (0.939, 0.225, 4.178),
    "obesity": (-0.035, 0.029, -1.187),
    "alcohol": (0.001, 0.004, 0.136),
    "age": (0.043, 0.010, 4.184),
}


def heart(columns):
    frame = pd.read_csv(data_path("esl/SAheart.csv.gz"))
    frame["famhist"] = (frame["famhist"].astype(str).isin(["Present", "1", "2"])).astype(float)
    return frame[columns].astype(float), frame["chd"].to_numpy()


def standard_errors(rows, theta):
    """Roots of the diagonal of the inverse information, the intercept last."""
    p = 1 / (1 + np.exp(-rows @ theta))
    return np.sqrt(np.diag(np.linalg.inv(rows.T @ ((p * (1 - p))[:, None] * rows))))


@pytest.mark.spec("LIN-145", "LIN-121")
def test_table_of_the_book():
    X, y = heart(COLUMNS)
    rows = np.column_stack([X, np.ones(len(X))])
    words = {"C": np.inf, "solver": "irls", "solver_options": {"iterates": True}}
    model = LogisticRegression(tol=1e-12, **words).fit(X, y)
    expected = np.array(list(TABLE.values()))
    # The book divides the coefficients of the fourth step from zero by the errors of the weights that made this step.
    weighed, fourth = model.history_["iterates"][3:5]
    se = standard_errors(rows, weighed)
    found = np.roll(np.column_stack([fourth, se, fourth / se]), 1, axis=0)
    np.testing.assert_allclose(found, expected, rtol=0, atol=5e-4)
    # At the maximum itself four of the Z scores differ from the printed ones, by up to 0.0032.
    summary = GLM("binomial", tol=1e-12).fit(X, y).summary()
    assert summary.names == list(TABLE)
    theta = np.append(model.coef_[0], model.intercept_)
    se = standard_errors(rows, theta)
    for got, exact in ((summary.coef, theta), (summary.se, se), (summary.z, theta / se)):
        np.testing.assert_allclose(got, np.roll(exact, 1), rtol=1e-9)
    np.testing.assert_allclose(np.column_stack([summary.coef, summary.se]), expected[:, :2], rtol=0, atol=5e-4)
    far = np.abs(summary.z - expected[:, 2]) > 5e-4
    assert np.array(summary.names)[far].tolist() == ["intercept", "ldl", "famhist", "age"]
    np.testing.assert_allclose(rows.T @ (1 / (1 + np.exp(-rows @ theta)) - y), 0.0, atol=1e-8)


@pytest.mark.spec("LIN-121")
def test_the_four_columns_that_remain():
    X, y = heart(["tobacco", "ldl", "famhist", "age"])
    model = LogisticRegression(C=np.inf, tol=1e-9, max_iter=1000).fit(X, y)
    np.testing.assert_allclose(model.intercept_, -4.204, rtol=0, atol=5e-4)
    np.testing.assert_allclose(model.coef_[0], [0.081, 0.168, 0.924, 0.044], rtol=0, atol=5e-4)


@pytest.mark.spec("LIN-120", "LIN-127", "LIN-049")
def test_a_days_work():
    X, y = heart(COLUMNS)
    scaled = (X - X.mean()) / X.std()
    chosen = LogisticRegressionCV(Cs=8, scoring="neg_log_loss", rule="1se").fit(scaled, y)
    assert chosen.C_ < 1e4
    assert chosen.score(scaled, y) > -0.6
    model = LogisticRegression(C=chosen.C_).fit(scaled, y)
    odds = np.exp(model.coef_[0])
    assert odds[COLUMNS.index("famhist")] > 1.2
    np.testing.assert_allclose(model.llr(scaled), model.decision_function(scaled) - np.log(y.mean() / (1 - y.mean())))
    cautious = LogisticRegression(C=chosen.C_, threshold=0.3).fit(scaled, y)
    assert np.sum(cautious.predict(scaled)) > np.sum(model.predict(scaled))
