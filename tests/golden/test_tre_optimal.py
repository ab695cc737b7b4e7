"""Golden values of optimal trees: eight rows on which the greedy tree goes wrong."""

import numpy as np
import pytest

from gnomon.search import Gini, code_columns, grow_tree
from gnomon.trees import DecisionTreeClassifier, OptimalTreeClassifier

ROWS = ["000", "001", "011", "011", "101", "101", "110", "110"]
X = np.array([[int(bit) for bit in row] for row in ROWS], dtype=float)
Y = (X[:, 0] != X[:, 1]).astype(int)


@pytest.mark.spec("TRE-G22", "TRE-051", "TRE-L16")
def test_greedy_and_optimal_errors_by_depth():
    stumps = [grow_tree(code_columns(x[:, None]), Y, Gini(2), max_depth=1) for x in X.T]
    assert [round(float(s.impurity[0] - s.gain[0]), 6) for s in stumps] == [0.5, 0.5, 0.2]
    greedy = [DecisionTreeClassifier(max_depth=depth).fit(X, Y) for depth in (1, 2, 3)]
    assert [int(np.sum(tree.predict(X) != Y)) for tree in greedy] == [1, 1, 0]
    best = [OptimalTreeClassifier(max_depth=depth).fit(X, Y) for depth in (1, 2, 3)]
    assert [round(8 * tree.objective_) for tree in best] == [1, 0, 0]
    assert all(tree.proved_ for tree in best)
    assert best[1].get_depth() == 2
    assert set(best[1].tree_.feature[~best[1].tree_.is_leaf].tolist()) == {0, 1}
