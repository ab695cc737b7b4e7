"""Vowels of British English: table 4.1, figures 4.7 and 4.10 of Hastie, Tibshirani & Friedman (2009); and diabetes."""

import numpy as np
import pandas as pd
import pytest
from sklearn.impute import SimpleImputer
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from gnomon.generative import (
    DensityGate,
    GaussianClassifier,
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from real_data import data_path


def vowels():
    frames = (pd.read_csv(data_path(f"esl/vowel.{part}.csv.gz")) for part in ("train", "test"))
    return [(frame.drop(columns="y"), frame["y"]) for frame in frames]


@pytest.mark.spec("GEN-059", "GEN-056")
@pytest.mark.parametrize(
    ("model", "train_error", "test_error"),
    [
        (LinearDiscriminantAnalysis(), 0.32, 0.56),
        (GaussianClassifier("tied"), 0.32, 0.56),
        (QuadraticDiscriminantAnalysis(), 0.01, 0.53),
        (GaussianClassifier(), 0.01, 0.53),
    ],
    ids=str,
)
def test_error_rates_of_the_vowels(model, train_error, test_error):
    train, test = vowels()
    model.fit(*train)
    assert round(1.0 - model.score(*train), 2) == train_error
    assert round(1.0 - model.score(*test), 2) == test_error


@pytest.mark.spec("GEN-059", "GEN-L16")
def test_two_discriminant_axes_serve_the_vowels_best():
    train, test = vowels()
    axes = LinearDiscriminantAnalysis().fit(*train)
    Z, Z_test = axes.transform(train[0]), axes.transform(test[0])
    errors = []
    for k in range(1, 11):
        tied = GaussianClassifier("tied").fit(Z[:, :k], train[1])
        errors.append(1.0 - tied.score(Z_test[:, :k], test[1]))
    assert np.argmin(errors) + 1 == 2
    assert errors[1] == pytest.approx(0.49, abs=0.005)
    assert errors[9] == pytest.approx(0.56, abs=0.005)


@pytest.mark.spec("GEN-060")
def test_a_little_pooling_serves_the_vowels_best():
    train, test = vowels()
    pool = np.linspace(0.0, 1.0, 11)
    errors = [1.0 - GaussianClassifier(pool=share).fit(*train).score(*test) for share in pool]
    assert pool[np.argmin(errors)] == pytest.approx(0.1)
    assert min(errors) < 0.46


@pytest.mark.spec("GEN-034", "GEN-061")
@pytest.mark.parametrize("kind", ["full", "tied"])
def test_measurements_that_were_not_taken(kind):
    table = pd.read_csv(data_path("tabular/pima-indians-diabetes.csv.gz"), header=None).to_numpy(dtype=float)
    X, y = table[:, :8], table[:, 8]
    # A pressure or a thickness of zero was not measured.
    X[:, 1:6] = np.where(X[:, 1:6] == 0.0, np.nan, X[:, 1:6])
    assert np.isnan(X).any(axis=1).mean() > 0.4
    model = GaussianClassifier(kind)
    loss = -cross_val_score(model, X, y, cv=5, scoring="neg_log_loss").mean()
    means = -cross_val_score(make_pipeline(SimpleImputer(), model), X, y, cv=5, scoring="neg_log_loss").mean()
    assert loss < means


@pytest.mark.spec("GEN-040", "GEN-032")
def test_a_vowel_never_heard_is_stopped_at_the_gate():
    (X, y), _ = vowels()
    known = y < 10
    gate = DensityGate(QuadraticDiscriminantAnalysis(), contamination=0.05).fit(X[known], y[known])
    assert np.mean(gate.predict(X[known]) == -1) == pytest.approx(0.05, abs=0.005)
    assert np.mean(gate.predict(X[~known] + 3.0) == -1) > 0.9
    why = gate.classifier_.explain(X.iloc[:1])
    assert len(why.names) == 10
    assert why.classes[np.argmax(why.posterior)] == gate.classifier_.predict(X.iloc[:1])[0]
