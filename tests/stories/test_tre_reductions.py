"""A day with many classes: spoken vowels, glass from a crime scene, proteins of E. coli."""

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from gnomon import io
from gnomon.generative import LinearDiscriminantAnalysis
from gnomon.multiclass import (
    IndicatorRegression,
    OneVsOneClassifier,
    OneVsRestClassifier,
    compare_reductions,
    number_of_classifiers,
)
from real_data import data_path

pd = pytest.importorskip("pandas")


@pytest.fixture(scope="module")
def vowels():
    parts = [pd.read_csv(data_path(f"esl/vowel.{part}.csv.gz")) for part in ("train", "test")]
    return [(part.filter(like="x."), part["y"].to_numpy()) for part in parts]


@pytest.mark.spec("TRE-090")
def test_regression_on_indicators_as_in_the_elements_of_statistical_learning(vowels):
    """Table 4.1 there: error 0.48 on training rows and 0.67 on test rows, because classes mask each other."""
    (X, y), (X_test, y_test) = vowels
    model = IndicatorRegression(LinearRegression()).fit(X, y)
    assert 1 - model.score(X, y) == pytest.approx(0.48, abs=0.005)
    assert 1 - model.score(X_test, y_test) == pytest.approx(0.67, abs=0.005)
    integers = IndicatorRegression(LinearRegression(), coding="integer").fit(X, y)
    assert integers.score(X_test, y_test) < model.score(X_test, y_test)


@pytest.mark.spec("TRE-082", "TRE-086", "TRE-087", "TRE-088")
def test_pairs_of_vowels_are_easier_to_part_than_one_from_the_rest(vowels):
    (X, y), (X_test, y_test) = vowels
    base = make_pipeline(StandardScaler(), LinearDiscriminantAnalysis())
    rest, pairs = OneVsRestClassifier(base).fit(X, y), OneVsOneClassifier(base).fit(X, y)
    assert len(rest.estimators_) == number_of_classifiers(11) == 11
    assert len(pairs.estimators_) == number_of_classifiers(11, "ovo") == 55
    assert pairs.score(X_test, y_test) > rest.score(X_test, y_test) + 0.08
    graph = OneVsOneClassifier(base, decision="dag").fit(X, y)
    agree = np.mean(graph.predict(X_test) == pairs.predict(X_test))
    champion = np.max(pairs.votes(X_test), axis=1) == 10
    np.testing.assert_array_equal(graph.predict(X_test)[champion], pairs.predict(X_test)[champion])
    assert agree > 0.8


@pytest.mark.spec("TRE-105", "TRE-L38", "TRE-089")
def test_to_know_when_one_does_not_know(vowels):
    (X, y), (X_test, y_test) = vowels
    base = make_pipeline(StandardScaler(), LinearDiscriminantAnalysis())
    model = OneVsOneClassifier(base, decision="coupling", reject_threshold=0.0).fit(X, y)
    reports = [model.set_params(reject_threshold=t).answer_report(X_test, y_test) for t in (0.0, 0.5, 0.8)]
    coverage, accuracy = [r.coverage for r in reports], [r.accuracy for r in reports]
    assert coverage[0] == 1.0 > coverage[1] > coverage[2] > 0.1
    assert accuracy[0] < accuracy[1] < accuracy[2]
    assert reports[2].n_rejected == np.sum(model.is_rejected(X_test)) == np.sum(model.predict(X_test) == -1)


@pytest.fixture(scope="module")
def proteins():
    table = pd.read_csv(data_path("tabular/ecoli.csv.gz"), header=None)
    table = table.rename(columns=lambda j: f"score {j}")
    common = table.iloc[:, -1].isin(["cp", "im", "pp", "imU", "om"]).to_numpy()
    return table.iloc[common, :-1], table.iloc[common, -1].to_numpy()


@pytest.mark.spec("TRE-085", "TRE-083")
def test_places_of_proteins_by_calibrated_machines(proteins, tmp_path):
    """Words as labels, a data frame as rows, a base without probabilities that calibration gives them."""
    X, y = proteins
    base = make_pipeline(StandardScaler(), SVC(gamma=0.2))
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    model = OneVsRestClassifier(CalibratedClassifierCV(base, cv=3), combine="proba", reject_threshold=0.5)
    P = cross_val_predict(model, X, y, cv=folds, method="predict_proba")
    assert P.shape == (len(y), 5)
    np.testing.assert_allclose(P.sum(axis=1), 1.0)
    assert np.mean(np.unique(y)[np.argmax(P, axis=1)] == y) > 0.85
    fitted = model.fit(X, y)
    assert fitted.feature_names_in_.tolist() == X.columns.tolist()
    assert set(fitted.predict(X)) <= {*np.unique(y), "reject"}
    io.save(fitted, tmp_path / "proteins.skops")
    np.testing.assert_array_equal(io.load(tmp_path / "proteins.skops").predict(X), fitted.predict(X))


@pytest.mark.spec("TRE-082", "TRE-086")
@pytest.mark.parametrize("reduction", [OneVsRestClassifier, OneVsOneClassifier])
def test_parameters_of_the_base_are_searched_through_the_reduction(reduction, proteins):
    X, y = proteins
    model = reduction(make_pipeline(StandardScaler(), LinearSVC()))
    search = GridSearchCV(model, {"estimator__linearsvc__C": [0.001, 0.1]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.85
    assert search.best_params_ == {"estimator__linearsvc__C": 0.1}


@pytest.mark.spec("TRE-106")
def test_which_reduction_for_glass():
    table = pd.read_csv(data_path("tabular/glass.csv.gz"), header=None)
    X, y = table.iloc[:, :-1].to_numpy(), table.iloc[:, -1].to_numpy()
    base = make_pipeline(StandardScaler(), LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.1))
    compared = compare_reductions(base, X, y, cv=3, random_state=0)
    error = dict(zip(compared.table["reduction"].tolist(), compared.table["error"].tolist(), strict=True))
    fits = dict(zip(compared.table["reduction"].tolist(), compared.table["n_classifiers"].tolist(), strict=True))
    assert (fits["ovr"], fits["ovo"], fits["binary"], fits["exhaustive"]) == (6, 15, 3, 31)
    assert error[compared.best] == min(error.values()) < 0.45
    assert str(compared).count("\n") == len(error)
