"""Golden trees of a single column: classes and numbers."""

import numpy as np
import pytest

from gnomon.trees import DecisionTreeClassifier, DecisionTreeRegressor


@pytest.mark.spec("TRE-G16", "TRE-006", "TRE-008", "TRE-009")
@pytest.mark.parametrize(
    ("options", "alphas", "losses"),
    [
        ({}, [0, 0.1, 0.3], [0, 0.2, 0.5]),
        ({"pruning_loss": "misclassification"}, [0, 1 / 16, 3 / 8], [0, 1 / 8, 1 / 2]),
        ({"criterion": "entropy"}, [0, 0.225603, 0.548795], None),
    ],
)
def test_eight_rows_of_two_classes(options, alphas, losses):
    x, y = np.arange(1.0, 9.0)[:, None], np.array([0, 0, 0, 1, 0, 1, 1, 1])
    tree = DecisionTreeClassifier(**options).fit(x, y)
    assert tree.tree_.threshold[~tree.tree_.is_leaf].tolist() == [3.5, 5.5, 4.5]
    assert tree.get_n_leaves() == 4
    assert tree.predict(x).tolist() == y.tolist()
    path = tree.cost_complexity_pruning_path(x, y)
    np.testing.assert_allclose(path.ccp_alphas, alphas, atol=5e-7)
    assert path.leaves.tolist() == [4, 2, 1]
    if losses is not None:
        np.testing.assert_allclose(path.impurities, losses, atol=1e-12)
    assert tree.prune(0.0).get_n_leaves() == 4
    assert DecisionTreeClassifier(ccp_alpha=0.11).fit(x, y).get_n_leaves() == 2


@pytest.mark.spec("TRE-G17", "TRE-007", "TRE-020")
def test_six_rows_of_numbers():
    x, y = np.arange(1.0, 7.0)[:, None], np.array([1.0, 1.0, 2.0, 8.0, 9.0, 10.0])
    tree = DecisionTreeRegressor().fit(x, y)
    assert tree.tree_.impurity[0] == pytest.approx(15.138889, abs=5e-7)
    assert tree.tree_.threshold[0] == 3.5
    assert tree.tree_.impurity[0] - tree.tree_.gain[0] == pytest.approx(0.444444, abs=5e-7)
    path = tree.cost_complexity_pruning_path(x, y)
    np.testing.assert_allclose(path.ccp_alphas, [0, 0.083333, 0.111111, 0.25, 14.694444], atol=5e-7)
