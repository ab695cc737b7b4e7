"""Asking for labels of handwritten digits."""

import numpy as np
import pandas as pd
import pytest

from gnomon.decision import ActiveLearner, CommitteeDisagreement, simulate_active_learning
from gnomon.linear import LogisticRegression
from gnomon.trees import RandomForestClassifier
from real_data import data_path


def usps(name, n):
    rows = pd.read_csv(data_path(f"esl/{name}"), nrows=n).to_numpy(dtype=float)
    return rows[:, 1:], rows[:, 0].astype(int)


@pytest.mark.slow
@pytest.mark.spec("EVA-087", "EVA-083")
def test_uncertain_digits_are_worth_more_than_random_ones():
    X, y = usps("zip.train.csv.gz", 3000)
    X_test, y_test = usps("zip.test.csv.gz", 2007)
    curves = simulate_active_learning(
        LogisticRegression(C=0.1, max_iter=1000), X, y, X_test, y_test,
        strategies=("margin", "entropy", "least_confident", "random"), n_labels=300, batch_size=15, n_repeats=4,
        random_state=0, n_jobs=2,
    )  # fmt: skip
    gain = curves.gain("margin")
    assert gain.low > 0.0
    # Whatever 300 random labels reach, uncertain ones reach with a third fewer.
    target = float(np.mean(curves.scores["random"][:, -1]))
    assert np.median(curves.labels_to_reach(target)["margin"]) <= 200
    assert curves.gain("margin", "entropy").value > 0.0


@pytest.mark.slow
def test_the_trees_of_a_forest_are_a_committee():
    X, y = usps("zip.train.csv.gz", 1500)
    X_test, y_test = usps("zip.test.csv.gz", 1000)
    forest = RandomForestClassifier(30, random_state=0)
    learners = {
        "committee": ActiveLearner(forest, CommitteeDisagreement(members="members"), batch="diverse"),
        "random": ActiveLearner(forest, "random"),
    }
    curves = simulate_active_learning(
        forest, X, y, X_test, y_test, strategies=learners, n_labels=200, batch_size=20, n_repeats=4, random_state=0
    )
    assert curves.gain("committee").value > 0.0
