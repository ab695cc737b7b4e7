"""A day with output codes: forensic glass, cell sites of proteins and spoken vowels, told apart by trees."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from gnomon.multiclass import AdaBoostECC, OneVsRestClassifier, OutputCodeClassifier, code_report
from real_data import data_path

TREE = DecisionTreeClassifier(random_state=0)


def vowels(part):
    frame = pd.read_csv(data_path(f"esl/vowel.{part}.csv.gz"))
    return frame.filter(like="x."), frame["y"]


def last_column(name):
    frame = pd.read_csv(data_path(f"tabular/{name}.csv.gz"), header=None)
    return frame.iloc[:, :-1].set_axis([f"x{j}" for j in range(frame.shape[1] - 1)], axis=1), frame.iloc[:, -1]


@pytest.mark.spec("TRE-094", "TRE-099", "TRE-091")
def test_a_code_repairs_the_errors_of_trees_on_vowels():
    """Eleven vowels of speakers never heard before: every column errs often, the code corrects."""
    X, y = vowels("train")
    new, truth = vowels("test")
    rest = OneVsRestClassifier(TREE).fit(X, y)
    bits = OutputCodeClassifier(TREE, code="binary").fit(X, y)
    code = OutputCodeClassifier(TREE, code="ecoc", random_state=0).fit(X, y)
    report = code_report(code.code_book_)
    assert report.correctable >= 8
    assert code.score(new, truth) > rest.score(new, truth) + 0.1
    assert code.score(new, truth) > bits.score(new, truth) + 0.2
    # One column alone is wrong for a fifth of the rows or more, and no answer was built on it.
    sides = code.code_book_[np.searchsorted(code.classes_, truth)] > 0
    columns = np.array([np.mean(e.predict(new) != side) for e, side in zip(code.estimators_, sides.T, strict=True)])
    assert np.median(columns) > 0.2
    # The radius of the code is a real "don't know": what it answers it answers better.
    careful = OutputCodeClassifier(TREE, code="ecoc", random_state=0, max_distance="radius").fit(X, y)
    answers = careful.answer_report(new, truth)
    assert 0.2 < answers.coverage < 1.0
    assert answers.accuracy > code.score(new, truth) + 0.02


@pytest.mark.slow
@pytest.mark.spec("TRE-094", "TRE-096")
def test_longer_codes_repair_more_on_glass():
    """Six kinds of glass from a crime scene; mean accuracy of five folds, as the code grows."""
    X, y = last_column("glass")
    folds = StratifiedKFold(5, shuffle=True, random_state=0)

    def right(model):
        return np.mean(cross_val_predict(model, X, y, cv=folds) == y)

    rest = right(OneVsRestClassifier(TREE))
    short, middle, whole = (
        right(OutputCodeClassifier(TREE, code=code, n_columns=n, random_state=0))
        for code, n in (("binary", None), ("random", 12), ("exhaustive", None))
    )
    assert short < middle < whole
    assert whole > rest + 0.05


@pytest.mark.spec("TRE-098", "TRE-097")
def test_choosing_a_code_for_eight_sites_of_proteins():
    """Two of the eight classes have two rows each; codes are chosen like any other parameter."""
    X, y = last_column("ecoli")
    search = GridSearchCV(
        OutputCodeClassifier(GaussianNB(var_smoothing=1e-3), n_columns=12, random_state=0),
        {"code": ["ovr", "ecoc", "pca", "stagewise"]},
        cv=KFold(3, shuffle=True, random_state=0),
        error_score="raise",
    ).fit(X, y)
    scores = dict(zip(search.cv_results_["param_code"].tolist(), search.cv_results_["mean_test_score"], strict=True))
    assert min(scores.values()) > 0.5
    assert search.best_score_ > 0.75
    assert set(search.predict(X)) <= set(y)
    assert search.predict_proba(X).shape == (336, 8)


@pytest.mark.spec("TRE-104")
def test_stumps_learn_vowels_by_boosting_a_code():
    X, y = vowels("train")
    held = np.arange(len(y)) % 3 == 0
    stump = OneVsRestClassifier(DecisionTreeClassifier(max_depth=1)).fit(X[~held], y[~held])
    boosted = AdaBoostECC(n_estimators=150, random_state=0).fit(X[~held], y[~held])
    assert boosted.score(X[held], y[held]) > stump.score(X[held], y[held]) + 0.25
    assert np.all(np.diff(boosted.history_["objective"]) < 0.0)
    staged = [np.mean(labels == y[held]) for labels in boosted.staged_predict(X[held])]
    assert staged[-1] > staged[9] + 0.25
