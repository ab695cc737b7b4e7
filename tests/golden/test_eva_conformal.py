"""Conformal sets by hand."""

import numpy as np
import pytest
from sklearn.dummy import DummyRegressor
from sklearn.naive_bayes import GaussianNB

from gnomon.decision import AdaptiveScore, ConformalClassifier, ConformalRegressor
from gnomon.infer import conformal_quantile


def test_jackknife_plus_of_the_mean_of_four_numbers():
    """Means without 0, 1, 2, 3 are 2, 5/3, 4/3, 1, with residuals 2, 2/3, 2/3, 2; of the ends the third counts.

    Upper ends are 4, 7/3, 2, 3, the third smallest 3; lower ends 0, 1, 2/3, −1, the third largest 0.
    """
    model = ConformalRegressor(DummyRegressor(), coverage=0.6, method="jackknife+").fit(
        np.zeros((4, 1)), [0.0, 1, 2, 3]
    )
    np.testing.assert_allclose(model.scores_, [2.0, 2 / 3, 2 / 3, 2.0])
    low, high = model.predict_interval([[0.0]])
    np.testing.assert_allclose([low[0], high[0]], [0.0, 3.0], atol=1e-15)


def test_two_folds_of_the_mean_of_four_numbers():
    """Fold means 5/2 and 1/2, residuals 5/2, 3/2, 3/2, 5/2; upper ends 5, 4, 2, 3, lower ends 0, 1, −1, −2."""
    folds = [([2, 3], [0, 1]), ([0, 1], [2, 3])]
    model = ConformalRegressor(DummyRegressor(), coverage=0.6, method="cross", cv=folds)
    low, high = model.fit(np.zeros((4, 1)), [0.0, 1, 2, 3]).predict_interval([[0.0]])
    assert (low[0], high[0]) == (-1.0, 4.0)
    assert model.predict([[0.0]])[0] == 1.5


@pytest.mark.parametrize(("new_weight", "bound"), [(0.0, 2.0), (1.0, 3.0), (4.0, 3.0), (4.1, np.inf)])
def test_weighted_quantile_of_three_scores(new_weight, bound):
    """Scores 1, 2, 3 of weights 1, 3, 2 reach 1, 4, 6; of all weights, the new one too, 0.6 is 3.6, 4.2, 6, 6.06."""
    assert conformal_quantile([3.0, 1.0, 2.0], 0.6, [2.0, 1.0, 3.0], new_weight)[0] == bound


def test_adaptive_scores_of_three_classes():
    p = np.array([[0.2, 0.5, 0.3]])
    np.testing.assert_allclose(AdaptiveScore()(p, np.array([0.5])), [[0.9, 0.25, 0.65]])
    np.testing.assert_allclose(AdaptiveScore(0.1, 1)(p), [[1.2, 0.5, 0.9]])
    np.testing.assert_allclose(AdaptiveScore()(np.full((1, 4), 0.25)), [[0.25, 0.5, 0.75, 1.0]])


def test_p_values_of_four_rows():
    """Scores 1 − p of the true classes are 0.1, 0.2, 0.4, 0.7; a class of probability 0.6 ties with the third."""

    class Given(GaussianNB):
        def predict_proba(self, X):
            return np.column_stack([X[:, 0], 1.0 - X[:, 0]])

    model = Given().fit([[0.0], [1.0]], ["no", "yes"])
    rows = np.array([[0.9], [0.8], [0.6], [0.3]])
    found = ConformalClassifier(model, method="prefit").fit(rows, ["no"] * 4)
    np.testing.assert_allclose(found.scores_, [0.1, 0.2, 0.4, 0.7])
    np.testing.assert_allclose(found.p_values([[0.6], [0.95]]), [[0.6, 0.4], [1.0, 0.2]])
    assert found.predict_set([[0.6]], 0.5).labels() == [["no"]]
    assert found.predict_set([[0.6]], 0.6).labels() == [["no"]]
    assert found.predict_set([[0.6]], 0.7).labels() == [["no", "yes"]]
