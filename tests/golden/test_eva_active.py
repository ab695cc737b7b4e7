"""Golden values of active learning."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from gnomon.decision import ActiveLearner, CommitteeDisagreement, ExpectedErrorReduction, LearningState, confidence
from gnomon.distributions import entropy


class Cells(ClassifierMixin, BaseEstimator):
    """P(+) = (n₊ + 1)/(n + 2) of the cell that a row names."""

    def fit(self, X, y):
        self.classes_ = np.array([0, 1])
        self.counts_ = np.ones((2, 2))
        return self.partial_fit(X, y)

    def partial_fit(self, X, y):
        np.add.at(self.counts_, (np.ravel(X).astype(int), np.asarray(y).astype(int)), 1.0)
        return self

    def predict_proba(self, X):
        counts = self.counts_[np.ravel(X).astype(int)]
        return counts / counts.sum(axis=1, keepdims=True)


class Rows(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.asarray(X)


@pytest.mark.spec("EVA-G37", "EVA-084")
def test_three_measures_of_two_rows():
    p = np.array([[0.5, 0.4, 0.1], [0.45, 0.3, 0.25]])
    np.testing.assert_allclose(1.0 - confidence(p, "max"), [0.5, 0.55])
    np.testing.assert_allclose(confidence(p), [0.1, 0.15])
    np.testing.assert_allclose(entropy(p), [0.943348, 1.067094], atol=5e-7)
    for word, row in {"least_confident": 1, "margin": 0, "entropy": 1}.items():
        assert ActiveLearner(Rows(), word).fit(np.eye(3), [0, 1, 2]).query(p).tolist() == [row]
    assert confidence([[0.4, 0.25, 0.35]])[0] == pytest.approx(0.05)


@pytest.mark.spec("EVA-G38", "EVA-086")
@pytest.mark.parametrize(
    ("remaining", "after_a", "after_b"), [("entropy", 3.239204, 3.465736), ("zero_one", 1.833333, 2.5)]
)
def test_the_crowded_cell_is_asked(remaining, after_a, after_b):
    pool = np.array([[0], [0], [0], [0], [0], [1]])
    none = np.empty((0, 1)), np.empty(0, dtype=int)
    state = LearningState(Cells(), Cells().fit(*none), *none)
    found = -ExpectedErrorReduction(remaining)(state, pool, np.random.default_rng(0))
    np.testing.assert_allclose(found, [after_a] * 5 + [after_b], atol=5e-7)


@pytest.mark.spec("EVA-G38")
def test_three_members_of_a_committee():
    proba = np.array([[[0.9, 0.1]], [[0.6, 0.4]], [[0.3, 0.7]]])
    assert CommitteeDisagreement().of(proba)[0] == pytest.approx(0.136692, abs=5e-7)
    assert CommitteeDisagreement("vote_entropy").of(proba)[0] == pytest.approx(0.636514, abs=5e-7)
