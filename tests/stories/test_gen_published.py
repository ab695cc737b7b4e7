"""Error rates that were published with the data: diabetes among the Pima, and whether an office is occupied.

Michie, Spiegelhalter & Taylor (1994), Machine Learning, Neural and Statistical Classification, chapter 9 (Statlog);
Ripley (1996), Pattern Recognition and Neural Networks, his split and count repeated by Williams & Barber (1998),
doi:10.1109/34.735807; Candanedo & Feldheim (2016), doi:10.1016/j.enbuild.2015.11.071.
"""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import KFold, cross_val_score

from gnomon.generative import (
    GaussianClassifier,
    GaussianNB,
    LinearDiscriminantAnalysis,
    NaiveBayes,
    QuadraticDiscriminantAnalysis,
    dependence_report,
    select_components,
)
from real_data import data_path

SENSORS = ["Temperature", "Humidity", "Light", "CO2", "HumidityRatio"]


def pima():
    table = pd.read_csv(data_path("tabular/pima-indians-diabetes.csv.gz"), header=None).to_numpy(dtype=float)
    return table[:, :8], table[:, 8]


def occupancy(columns):
    parts = ("datatraining", "datatest", "datatest2")
    frames = (pd.read_csv(data_path(f"sequences/occupancy_{part}.txt.gz")) for part in parts)
    return [(frame[columns], frame["Occupancy"]) for frame in frames]


@pytest.mark.spec("GEN-059", "GEN-049", "GEN-051", "GEN-061")
@pytest.mark.parametrize(
    ("model", "published", "within"),
    [
        (LinearDiscriminantAnalysis(), 0.225, 0.003),
        (QuadraticDiscriminantAnalysis(), 0.262, 0.003),
        # Statlog's naive Bayes cut the numbers into intervals.
        (GaussianNB(), 0.262, 0.02),
        (NaiveBayes("histogram"), 0.262, 0.02),
        (NaiveBayes("kde"), 0.262, 0.02),
    ],
    ids=str,
)
def test_twelve_folds_of_the_pima_err_as_in_statlog(model, published, within):
    X, y = pima()
    error = 1.0 - cross_val_score(model, X, y, cv=KFold(12)).mean()
    assert error == pytest.approx(published, abs=within)


@pytest.mark.spec("GEN-059", "GEN-056")
@pytest.mark.parametrize("model", [LinearDiscriminantAnalysis(), GaussianClassifier("tied")], ids=str)
def test_a_linear_discriminant_errs_on_sixty_seven_of_the_test_rows_of_ripley(model):
    train, test = (pd.read_csv(data_path(f"rbooks/MASS_Pima.{part}.csv.gz")) for part in ("tr", "te"))
    columns = ["npreg", "glu", "bp", "skin", "bmi", "ped", "age"]
    model.fit(train[columns], train["type"])
    assert len(test) == 332
    assert np.sum(model.predict(test[columns]) != test["type"]) == 67


@pytest.mark.spec("GEN-059", "GEN-056", "GEN-049")
@pytest.mark.parametrize(
    ("columns", "published"), [(SENSORS, (0.9790, 0.9876)), (["Temperature"], (0.85, 0.83))], ids=["all", "temperature"]
)
def test_an_office_is_occupied(columns, published):
    train, *tests = occupancy(columns)
    model = LinearDiscriminantAnalysis().fit(*train)
    for rows, accuracy in zip(tests, published, strict=True):
        assert model.score(*rows) == pytest.approx(accuracy, abs=5e-5 if len(columns) > 1 else 0.01)
    for other in (GaussianClassifier(), GaussianNB()):
        assert min(other.fit(*train).score(*rows) for rows in tests) > min(published) - 0.003


@pytest.mark.spec("GEN-053")
def test_light_tells_most_and_humidity_is_told_twice():
    train, *_ = occupancy(SENSORS)
    report = dependence_report(*train)
    assert report.names[np.argmax(report.relevance)] == "Light"
    assert set(report.pairs()[0][:2]) == {"Humidity", "HumidityRatio"}


@pytest.mark.spec("GEN-079")
def test_within_one_standard_error_old_faithful_has_two_kinds_of_eruption():
    frame = pd.read_csv(data_path("sequences/faithful.csv.gz"))[["eruptions", "waiting"]]
    best, sparing = (select_components(frame, range(1, 6), rule=rule) for rule in ("min", "1se"))
    assert best.best > 2
    assert sparing.best == select_components(frame, range(1, 6), "bic").best == 2
    assert sparing.best_estimator.n_components == 2
