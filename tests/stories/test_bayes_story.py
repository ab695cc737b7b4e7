"""A statistician's day with the prostate data: how sure are the coefficients, and the predictions?"""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import log_loss
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from gnomon.linear import BayesianLinearRegression, BayesianLogisticRegression
from real_data import data_path

PREDICTORS = ["lcavol", "lweight", "age", "lbph", "svi", "lcp", "gleason", "pgg45"]


@pytest.fixture(scope="module")
def prostate():
    frame = pd.read_csv(data_path("esl/prostate.csv.gz"))
    train = frame["train"].astype(str).str.upper().str.startswith("T")
    X = pd.DataFrame(StandardScaler().fit_transform(frame[PREDICTORS]), columns=PREDICTORS)
    return X[train], frame["lpsa"][train], X[~train], frame["lpsa"][~train]


@pytest.mark.spec("LIN-060", "LIN-062", "LIN-063")
def test_intervals_of_predictions_cover_and_sure_coefficients_are_found(prostate):
    X, y, X_test, y_test = prostate
    model = BayesianLinearRegression(optimize_evidence=True).fit(X, y)
    assert 2.0 < model.effective_dof_ < 8.0
    low, high = model.predict_dist(X_test).interval(0.9)
    assert np.mean((y_test > low) & (y_test < high)) >= 0.8
    low, high = model.posterior_.interval(0.95)
    sure = {name for name, a, b in zip(PREDICTORS, low, high, strict=False) if a > 0.0 or b < 0.0}
    assert {"lcavol", "lweight"} <= sure
    assert "pgg45" not in sure
    # The prediction is nearly as good as the best that the book finds (test error 0.45 to 0.6).
    assert np.mean((model.predict(X_test) - y_test) ** 2) < 0.6


@pytest.mark.spec("LIN-065")
def test_the_bayesian_lasso_says_which_zeros_are_sure(prostate):
    X, y, _, _ = prostate
    model = BayesianLinearRegression("conjugate", "laplace", noise_prior=(0.01, 0.01), random_state=0).fit(X, y)
    low, high = model.posterior_.interval(0.95)
    assert low[0] > 0.2
    assert low[5] < 0.0 < high[5]
    assert model.sigma2_ == pytest.approx(0.5, abs=0.2)
    assert np.all(np.abs(model.map_[:-1]) <= np.maximum(np.abs(low), np.abs(high))[:-1])


@pytest.mark.spec("LIN-066")
def test_averaged_probabilities_in_a_pipeline(prostate):
    X, y, X_test, y_test = prostate
    late, late_test = y > 2.5, y_test > 2.5
    pipeline = make_pipeline(StandardScaler(), BayesianLogisticRegression())
    assert np.mean(cross_val_score(pipeline, X, late, cv=5)) > 0.65
    model = BayesianLogisticRegression(parameter_prior=25.0).fit(X, late)
    averaged = log_loss(late_test, model.predict_proba(X_test))
    plugged = log_loss(late_test, model.set_params(integration="mode").predict_proba(X_test))
    assert averaged < plugged
