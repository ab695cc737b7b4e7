"""Threads that share the columns of one tree: the tree is the same to the last bit, whoever does the work."""

import numpy as np
import pandas as pd
import pytest

from daily import daily
from gnomon._jit import jit_no_alloc
from gnomon.numerics.parallel import map_chunks
from gnomon.search import _task_queue
from gnomon.search._task_queue import DONE, INDEX_BITS, REMAINING, STOP, make_queue
from gnomon.trees import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)

N = 6000


@jit_no_alloc
def take_piece(state, at_end):
    return _task_queue.take_piece(state, at_end)


@jit_no_alloc
def publish(state, pieces):
    _task_queue.publish(state, 0, 0, -1, pieces)


@jit_no_alloc
def finish_piece(state):
    _task_queue.finish_piece(state)


def table():
    """Numbers, some missing, and categories, more of them than all subsets are compared of."""
    rng = np.random.default_rng(5)
    X = pd.DataFrame(rng.standard_normal((N, 7)), columns=list("abcdefg"))
    X.loc[rng.random(N) < 0.2, "b"] = np.nan
    X["kind"] = pd.Categorical.from_codes(rng.integers(14, size=N), [f"k{i}" for i in range(14)])
    signal = X["a"] * X["c"] + X["b"].fillna(1.5) + 0.4 * (X["kind"].cat.codes % 5)
    return X, signal.to_numpy() + 0.3 * rng.standard_normal(N)


X, Y = table()
LABELS = np.digitize(Y, np.quantile(Y, [0.3, 0.6]))

MODELS = {
    "exact classes": (DecisionTreeClassifier(min_samples_leaf=3), LABELS),
    "exact numbers": (DecisionTreeRegressor(max_leaf_nodes=60), Y),
    "bins": (DecisionTreeClassifier(binning=64), LABELS),
    "boosting, two classes": (HistGradientBoostingClassifier(max_iter=8, categorical_features="from_dtype"), Y > 0),
    "boosting, three classes": (
        HistGradientBoostingClassifier(max_iter=4, categorical_features="from_dtype"),
        LABELS,
    ),
    "boosting, monotone": (
        HistGradientBoostingRegressor(
            max_iter=8, categorical_features="from_dtype", monotonic_cst={"b": 1}, interaction_cst="pairwise"
        ),
        Y,
    ),
    "boosting, exact": (GradientBoostingRegressor(n_estimators=5, subsample=0.7, random_state=0), Y),
}


@pytest.mark.spec("TRE-053")
@pytest.mark.parametrize("name", daily(MODELS, "bins"))
def test_the_tree_does_not_depend_on_threads(name):
    model, y = MODELS[name]
    one = model.set_params(n_jobs=1).fit(X, y).predict(X)
    for n_jobs in (2, 3, 3):
        np.testing.assert_array_equal(one, model.set_params(n_jobs=n_jobs).fit(X, y).predict(X))


@pytest.mark.spec("TRE-053")
@pytest.mark.parametrize("binning", daily([64, None], 64))
def test_every_node_of_one_tree_is_the_same(binning):
    grown = [DecisionTreeClassifier(binning=binning, n_jobs=n_jobs).fit(X, LABELS).tree_ for n_jobs in (1, 2)]
    for field in ("nodes", "answers", "impurity", "weight", "n_rows", "missing", "ends"):
        one, two = (np.asarray(getattr(tree, field)) for tree in grown)
        assert one.tobytes() == two.tobytes(), field


@pytest.mark.spec("TRE-053")
def test_trees_grow_within_a_pool_that_is_full():
    # Every thread of the pool grows a tree of its own, so that no helper comes.
    def grow(seed):
        model = DecisionTreeRegressor(max_depth=3, n_jobs=4, random_state=seed)
        return model.fit(X[["a", "c"]], Y).predict(X[["a", "c"]])

    first, *others = map_chunks(grow, range(12), 12)
    assert all(np.array_equal(first, other) for other in others)


def test_every_piece_is_taken_once():
    state = make_queue(1, np.arange(3)).state
    assert take_piece(state, True) == -1  # before the first turn
    for turn in range(1, 4):
        publish(state, 5)
        assert [take_piece(state, at_end) for at_end in (True, False, False, True, True)] == [4, 0, 1, 3, 2]
        assert [take_piece(state, True), take_piece(state, False)] == [-1, -1]
        for _ in range(5):
            finish_piece(state)
        assert (state[DONE], state[REMAINING] >> 2 * INDEX_BITS) == (5, turn)
    state[REMAINING] = STOP
    assert take_piece(state, True) == -1
