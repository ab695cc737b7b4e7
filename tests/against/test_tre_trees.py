"""Decision trees against scikit-learn's: equal up to its random choice between equal splits.

scikit-learn sometimes divides a pure node whose impurity is a rounding error above zero; such divisions are undone
before trees are compared. Where equal splits abound, every node is compared by itself: a stump of scikit-learn's on its
rows must gain what ours does there.
"""

import gzip

import numpy as np
import pytest
from scipy import sparse
from sklearn import tree as peers
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine

from gnomon.trees import DecisionTreeClassifier, DecisionTreeRegressor
from real_data import data_path

STATES = 30
PAIRS = {
    "classes": (DecisionTreeClassifier, peers.DecisionTreeClassifier),
    "numbers": (DecisionTreeRegressor, peers.DecisionTreeRegressor),
}


def _read(name, n, columns=None, header=True):
    with gzip.open(data_path(name), "rt") as file:
        rows = np.genfromtxt(file, delimiter=",", skip_header=int(header), usecols=columns, max_rows=n)
    return rows[:, :-1].astype(np.float32), rows[:, -1]


def covtype():
    X, y = _read("tabular/covtype_sample.csv.gz", 1500)
    return X, y.astype(int)


def phoneme():
    X, y = _read("tabular/phoneme.csv.gz", 1500, header=False)
    return X, y.astype(int)


def spam():
    with gzip.open(data_path("esl/spam.csv.gz"), "rt") as file:
        names = file.readline().replace('"', "").strip().split(",")
        rows = [line.replace('"', "").strip().split(",") for line in file][::4]
    at = names.index("spam")
    y = np.array([row[at] for row in rows])
    return np.array([row[:at] + row[at + 1 :] for row in rows], dtype=np.float32), y


def california():
    # The columns before the last, which is a word; the target is the value of the house.
    return _read("tabular/california_housing.csv.gz", 1500, columns=range(9))


def plain(load):
    def read():
        X, y = load(return_X_y=True)
        return X.astype(np.float32), y

    read.__name__ = load.__name__
    return read


IRIS, WINE, CANCER, DIABETES = map(plain, (load_iris, load_wine, load_breast_cancer, load_diabetes))


def trimmed(peer):
    """(sorted impurities, depth) of the peer's tree without divisions of pure nodes."""
    tree, scale = peer.tree_, max(peer.tree_.impurity[0], 1e-300)
    kept, depths, waiting = [], [], [(0, 0)]
    while waiting:
        node, depth = waiting.pop()
        kept.append(tree.impurity[node])
        depths.append(depth)
        if tree.children_left[node] >= 0 and tree.impurity[node] > 1e-12 * scale:
            waiting += [(tree.children_left[node], depth + 1), (tree.children_right[node], depth + 1)]
    return np.sort(kept), max(depths)


def assert_some_state_agrees(kind, X, y, options, **fitting):
    Ours, Peer = PAIRS[kind]
    ours = Ours(**options).fit(X, y, **fitting)
    answer = ours.predict_proba if kind == "classes" else ours.predict
    for state in range(STATES):
        peer = Peer(random_state=state, **options).fit(X, y, **fitting)
        impurities, depth = trimmed(peer)
        theirs = peer.predict_proba(X) if kind == "classes" else peer.predict(X)
        if len(impurities) == ours.tree_.node_count and np.allclose(theirs, answer(X), rtol=1e-5, atol=1e-6):
            assert ours.get_depth() == depth
            scale = ours.tree_.impurity[0] if options.get("criterion") != "poisson" else None
            if scale is not None:
                np.testing.assert_allclose(np.sort(ours.tree_.impurity), impurities, rtol=1e-6, atol=1e-6 * scale)
            return ours, peer
    raise AssertionError(f"no state gives our tree of {ours.tree_.node_count} nodes with {options}")


CLASSES = [
    {},
    {"criterion": "entropy"},
    {"criterion": "log_loss", "max_depth": 4},
    {"min_samples_leaf": 0.03, "min_samples_split": 0.1},
    {"min_samples_split": 20},
    {"max_leaf_nodes": 9},
    {"min_impurity_decrease": 0.01},
    {"min_weight_fraction_leaf": 0.05},
    {"class_weight": "balanced", "max_depth": 4},
    {"ccp_alpha": 0.01},
]


@pytest.mark.spec("TRE-006", "TRE-008", "TRE-009", "TRE-017", "TRE-018", "TRE-025", "TRE-031", "TRE-034")
@pytest.mark.parametrize("options", CLASSES, ids=str)
@pytest.mark.parametrize("load", [IRIS, WINE, CANCER], ids=lambda load: load.__name__)
def test_classification_trees_are_scikit_learns(load, options):
    X, y = load()
    ours, _ = assert_some_state_agrees("classes", X, y, options)
    np.testing.assert_allclose(ours.predict_proba(X).sum(axis=1), 1.0)


NUMBERS = [
    {"max_depth": 4},
    {"criterion": "poisson", "max_depth": 3},
    {"criterion": "absolute_error", "max_depth": 3},
    {"min_samples_leaf": 10},
    {"max_leaf_nodes": 9},
    {"min_impurity_decrease": 50.0},
    {"min_weight_fraction_leaf": 0.1},
    {"min_samples_split": 60},
]


@pytest.mark.spec("TRE-007", "TRE-008", "TRE-020", "TRE-025", "TRE-034")
@pytest.mark.parametrize("options", NUMBERS, ids=str)
def test_regression_trees_are_scikit_learns(options):
    X, y = DIABETES()
    assert_some_state_agrees("numbers", X, y, options)


@pytest.mark.spec("TRE-020")
def test_friedmans_score_is_the_variance_and_scikit_learn_says_so():
    X, y = DIABETES()
    with pytest.warns(FutureWarning, match="always equivalent"):
        peers.DecisionTreeRegressor(criterion="friedman_mse")
    score = DecisionTreeRegressor(criterion="friedman_mse", max_depth=5).fit(X, y)
    variance = DecisionTreeRegressor(max_depth=5).fit(X, y)
    np.testing.assert_array_equal(score.tree_.threshold, variance.tree_.threshold)
    is_left = X[:, score.tree_.feature[0]] <= score.tree_.threshold[0]
    n, m = np.sum(is_left), np.sum(~is_left)
    gain = n * m / (n + m) * (np.mean(y[is_left]) - np.mean(y[~is_left])) ** 2
    assert len(y) * score.tree_.gain[0] == pytest.approx(gain)


@pytest.mark.spec("TRE-007", "TRE-025")
def test_several_outputs_share_a_tree():
    X, y = DIABETES()
    Y = np.column_stack([y, np.sqrt(y), X[:, 2] * 100])
    ours, _ = assert_some_state_agrees("numbers", X, Y, {"max_depth": 4})
    assert ours.predict(X).shape == Y.shape
    assert ours.n_outputs_ == 3


@pytest.mark.spec("TRE-031", "TRE-025")
@pytest.mark.parametrize("kind", PAIRS)
def test_weights_count_as_scikit_learns_do(kind):
    X, y = WINE() if kind == "classes" else DIABETES()
    weights = np.random.default_rng(0).integers(0, 4, len(y)).astype(float)
    options = {"max_depth": 4, "min_weight_fraction_leaf": 0.02}
    assert_some_state_agrees(kind, X, y, options, sample_weight=weights)


@pytest.mark.spec("TRE-026", "TRE-025")
@pytest.mark.parametrize("kind", PAIRS)
@pytest.mark.parametrize("share", [0.1, 0.4])
def test_missing_numbers_go_to_the_better_side(kind, share):
    X, y = CANCER() if kind == "classes" else DIABETES()
    X = np.where(np.random.default_rng(1).random(X.shape) < share, np.nan, X)
    X[:, 3] = np.where(y > np.median(y) if kind == "numbers" else y == 1, np.nan, X[:, 3])
    X[::7, 3] = 1.0
    ours, peer = assert_some_state_agrees(kind, X, y, {"max_depth": 3})
    holed = np.where(np.random.default_rng(2).random(X.shape) < 0.2, np.nan, X)
    np.testing.assert_allclose(ours.predict(holed), peer.predict(holed))


@pytest.mark.spec("TRE-025")
@pytest.mark.parametrize("kind", PAIRS)
def test_monotonic_constraints_are_scikit_learns(kind):
    X, y = CANCER() if kind == "classes" else DIABETES()
    signs = np.zeros(X.shape[1], dtype=int)
    signs[[0, 2]], signs[[3, 8]] = 1, -1
    ours, _ = assert_some_state_agrees(kind, X, y, {"monotonic_cst": signs, "max_depth": 4})
    for j, sign in enumerate(signs):
        grid = np.repeat(X[:20], 30, axis=0)
        grid[:, j] = np.tile(np.quantile(X[:, j], np.linspace(0, 1, 30)), 20)
        answers = ours.predict_proba(grid)[:, 1] if kind == "classes" else ours.predict(grid)
        assert np.all(sign * np.diff(answers.reshape(20, 30), axis=1) >= -1e-9)


@pytest.mark.spec("TRE-025", "TRE-043")
@pytest.mark.parametrize("form", [sparse.csr_matrix, sparse.csc_matrix])
def test_sparse_rows_give_the_tree_of_dense_ones(form):
    rng = np.random.default_rng(0)
    X = np.where(rng.random((300, 8)) < 0.7, 0.0, rng.normal(size=(300, 8))).astype(np.float32)
    y = (X[:, 0] + X[:, 1] * X[:, 2] > 0).astype(int)
    dense, thin = DecisionTreeClassifier().fit(X, y), DecisionTreeClassifier().fit(form(X), y)
    np.testing.assert_array_equal(dense.tree_.threshold, thin.tree_.threshold)
    np.testing.assert_array_equal(dense.apply(X), thin.apply(form(X)))
    assert_some_state_agrees("classes", X, y, {"max_depth": 6})
    peer = peers.DecisionTreeClassifier(max_depth=2, random_state=0).fit(form(X), y)
    ours = DecisionTreeClassifier(max_depth=2).fit(form(X), y)
    np.testing.assert_allclose(ours.predict_proba(form(X)), peer.predict_proba(form(X)))
    passed = DecisionTreeClassifier(max_depth=2).fit(X, y).decision_path(X)
    np.testing.assert_array_equal(ours.decision_path(form(X)).toarray(), passed.toarray())


def assert_every_node_is_greedy(kind, X, y, options):
    Ours, Peer = PAIRS[kind]
    ours = Ours(**options).fit(X, y)
    tree, passes = ours.tree_, ours.decision_path(X).tocsc()
    for node in range(tree.node_count):
        rows = passes[:, [node]].nonzero()[0]
        assert len(rows) == tree.n_node_samples[node]
        if tree.impurity[node] <= 1e-9 * tree.impurity[0] or len(rows) < 2:
            assert tree.is_leaf[node]
            continue
        stump = Peer(random_state=0, **{**options, "max_depth": 1}).fit(X[rows], y[rows]).tree_
        assert stump.impurity[0] == pytest.approx(tree.impurity[node], rel=1e-6)
        assert tree.is_leaf[node] == (stump.node_count == 1)
        if stump.node_count > 1:
            theirs = np.average(stump.impurity[1:], weights=stump.weighted_n_node_samples[1:])
            below = tree.impurity[node] - tree.gain[node]
            assert below == pytest.approx(theirs, rel=1e-6, abs=1e-9 * tree.impurity[0])
    return ours


@pytest.mark.spec("TRE-008", "TRE-009", "TRE-025")
@pytest.mark.parametrize("options", [{}, {"criterion": "entropy", "min_samples_leaf": 5}], ids=str)
@pytest.mark.parametrize("load", [phoneme, covtype, spam, CANCER], ids=lambda load: load.__name__)
def test_every_split_of_a_real_table_gains_what_scikit_learns_would(load, options):
    X, y = load()
    ours = assert_every_node_is_greedy("classes", X, y, options)
    if not options:
        assert np.mean(ours.predict(X) != y) == np.mean(peers.DecisionTreeClassifier().fit(X, y).predict(X) != y)


@pytest.mark.spec("TRE-008", "TRE-026", "TRE-025")
def test_every_split_of_house_prices_gains_what_scikit_learns_would():
    X, y = california()
    assert np.isnan(X).any()
    assert_every_node_is_greedy("numbers", X, y, {"min_samples_leaf": 5})


@pytest.mark.spec("TRE-025")
@pytest.mark.parametrize("kind", PAIRS)
def test_fitted_attributes_are_scikit_learns(kind):
    X, y = CANCER() if kind == "classes" else DIABETES()
    ours, peer = assert_some_state_agrees(kind, X, y, {"max_depth": 2})
    public = [name for name in vars(peer) if name.endswith("_") and not name.startswith("_")]
    assert [name for name in public if name not in vars(ours)] == []
    for name in ("n_features_in_", "n_outputs_", "max_features_"):
        assert vars(ours)[name] == vars(peer)[name]
    np.testing.assert_allclose(ours.feature_importances_, peer.feature_importances_, atol=1e-6)
    for name in ("node_count", "max_depth", "n_leaves"):
        assert getattr(ours.tree_, name) == getattr(peer.tree_, name)
    for name in ("children_left", "children_right", "n_node_samples", "feature"):
        np.testing.assert_array_equal(getattr(ours.tree_, name), getattr(peer.tree_, name))
    np.testing.assert_allclose(ours.tree_.threshold, peer.tree_.threshold, rtol=1e-6)
    np.testing.assert_allclose(ours.tree_.value, peer.tree_.value, rtol=1e-6)
    np.testing.assert_array_equal(ours.tree_.n_classes, peer.tree_.n_classes)
    assert (ours.tree_.n_outputs, ours.tree_.max_n_classes) == (peer.tree_.n_outputs, peer.tree_.max_n_classes)
    np.testing.assert_array_equal(ours.apply(X), peer.apply(X))
    np.testing.assert_array_equal(ours.decision_path(X).toarray(), peer.decision_path(X).toarray())
