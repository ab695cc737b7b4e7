"""Machines on real tables, beside scikit-learn's: the same objective and the same answers."""

import numpy as np
import pandas as pd
import pytest
from sklearn import svm as peer
from sklearn.datasets import load_svmlight_file

from gnomon.svm import SVC
from real_data import data_path


def tabular(name):
    rows = pd.read_csv(data_path(f"tabular/{name}.csv.gz"), header=None).to_numpy()
    X = rows[:, :-1].astype(float)
    spread = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(spread > 0.0, spread, 1.0), rows[:, -1].astype(str)


def heart():
    X, y = load_svmlight_file(str(data_path("svm/heart_scale")))
    return X.toarray(), y


def digits():
    rows = pd.read_csv(data_path("esl/zip.train.csv.gz")).to_numpy()[:800]
    return rows[:, 1:], rows[:, 0].astype(int)


CASES = {
    "heart": (heart, {"C": 1.0, "gamma": 1 / 13}),
    "sonar": (lambda: tabular("sonar"), {"C": 10.0, "gamma": 0.02}),
    "ionosphere": (lambda: tabular("ionosphere"), {"C": 2.0, "gamma": 0.05}),
    "phoneme": (lambda: [part[:2000] for part in tabular("phoneme")], {"C": 1.0, "gamma": 0.5}),
    "digits": (digits, {"C": 5.0, "gamma": 1 / 128}),
}


@pytest.mark.spec("KER-054", "KER-058", "KER-076")
@pytest.mark.parametrize("name", CASES)
def test_same_machine_on_real_rows(name):
    read, options = CASES[name]
    X, y = read()
    ours, theirs = SVC(**options, tol=1e-4).fit(X, y), peer.SVC(**options, tol=1e-4).fit(X, y)
    same = np.mean(ours.predict(X) == theirs.predict(X))
    assert same >= 0.999
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=0.02)
    np.testing.assert_allclose(ours.n_support_.sum(), theirs.n_support_.sum(), rtol=0.01)
    assert ours.dual_gap_ <= 1e-3 * ours.objective_
