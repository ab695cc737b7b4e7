"""Laws of single trees and forests: maps of columns, useless columns, depth, weights, bins, paths."""

import gzip
import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectFromModel
from sklearn.pipeline import make_pipeline

from gnomon.search import code_columns, midpoint
from gnomon.trees import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from real_data import data_path

TREES = [
    (DecisionTreeClassifier, load_breast_cancer, {"max_depth": 6}),
    (DecisionTreeClassifier, load_wine, {"criterion": "entropy"}),
    (DecisionTreeRegressor, load_diabetes, {"min_samples_leaf": 4}),
]
CASES = pytest.mark.parametrize(("cls", "load", "options"), TREES)


def _same_tree(a, b):
    """Equal tests and rows at every node."""
    assert a.node_count == b.node_count
    np.testing.assert_array_equal(a.feature, b.feature)
    np.testing.assert_array_equal(a.n_rows, b.n_rows)
    np.testing.assert_array_equal(a.threshold, b.threshold)
    np.testing.assert_allclose(a.answers, b.answers, atol=1e-9)


@pytest.mark.spec("TRE-L05")
@CASES
@pytest.mark.parametrize("rising", [lambda x: 4.0 * x - 8.0, lambda x: np.arcsinh(x * 50), lambda x: x + x**3, "ranks"])
def test_rising_maps_leave_the_parts_of_the_training_rows(cls, load, options, rising):
    X, y = load(return_X_y=True)
    other = pd.DataFrame(X).rank(method="dense").to_numpy() if isinstance(rising, str) else rising(X)
    one, two = cls(**options).fit(X, y), cls(**options).fit(other, y)
    np.testing.assert_array_equal(one.tree_.feature, two.tree_.feature)
    np.testing.assert_array_equal(one.apply(X), two.apply(other))
    np.testing.assert_allclose(one.predict(X), two.predict(other))


@pytest.mark.spec("TRE-L05")
@pytest.mark.parametrize("cls", [RandomForestRegressor, ExtraTreesRegressor])
def test_forests_do_not_see_the_units_of_their_columns(cls):
    X, y = load_diabetes(return_X_y=True)
    units = 2.0 ** np.arange(-4, 6)
    one = cls(5, random_state=0).fit(X, y)
    two = cls(5, random_state=0).fit(X * units, y)
    np.testing.assert_allclose(one.predict(X), two.predict(X * units), rtol=1e-9)


@pytest.mark.spec("TRE-L05")
def test_tests_of_sums_and_linear_leaves_do_see_maps():
    X, y = load_diabetes(return_X_y=True)
    linear = {"leaf_model": "linear", "max_depth": 1}
    one = DecisionTreeRegressor(**linear).fit(X[:, :3], y)
    two = DecisionTreeRegressor(**linear).fit(np.exp(10 * X[:, :3]), y)
    assert np.max(np.abs(one.predict(X[:, :3]) - two.predict(np.exp(10 * X[:, :3])))) > 1.0
    Z = X[:, [2, 8]]
    for oblique in ("lda", "logistic", "oc1"):
        tree = DecisionTreeRegressor(split="oblique", oblique=oblique, max_depth=2, random_state=0)
        parts = [clone(tree).fit(some, y).apply(some) for some in (Z, 4.0 * Z - 8.0, np.exp(10 * Z))]
        # Sums of columns are sums in other units too, but not of other functions of them.
        np.testing.assert_array_equal(parts[0], parts[1])
        assert np.mean(parts[0] != parts[2]) > 0.05
        assert len(np.unique(parts[0])) == 4
        assert np.all(clone(tree).fit(Z, y).tree_.tests.kinds == 2)


@pytest.mark.spec("TRE-L06")
@CASES
def test_constant_columns_are_never_used(cls, load, options):
    X, y = load(return_X_y=True)
    wide = np.column_stack([np.full(len(X), 3.0), X, np.full(len(X), np.nan)])
    plain, tree = cls(**options).fit(X, y), cls(**options).fit(wide, y)
    assert not np.isin(tree.tree_.feature, [0, wide.shape[1] - 1]).any()
    np.testing.assert_array_equal(tree.apply(wide), plain.apply(X))
    unused = np.setdiff1d(np.arange(wide.shape[1]), tree.tree_.feature)
    for kind in ("samples", "tests", "impurity"):
        np.testing.assert_array_equal(tree.importance(kind)[unused], 0.0)
    np.testing.assert_array_equal(tree.importance("depth")[unused], tree.get_depth())


@pytest.mark.spec("TRE-L06", "TRE-049")
def test_noise_matters_little_in_limited_trees_and_columns_may_change_places():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 8))
    y = (X[:, 1] + 0.5 * X[:, 4] + 0.3 * rng.normal(size=2000) > 0).astype(int)
    tree = DecisionTreeClassifier(max_depth=4).fit(X, y)
    noise = [0, 2, 3, 5, 6, 7]
    assert tree.feature_importances_[noise].sum() < 0.05
    order = rng.permutation(8)
    moved = DecisionTreeClassifier(max_depth=4).fit(X[:, order], y)
    inner = ~tree.tree_.is_leaf
    np.testing.assert_array_equal(order[moved.tree_.feature[inner]], tree.tree_.feature[inner])
    np.testing.assert_array_equal(moved.tree_.threshold, tree.tree_.threshold)
    np.testing.assert_allclose(moved.feature_importances_, tree.feature_importances_[order])


@pytest.mark.spec("TRE-L07", "TRE-034")
@CASES
def test_training_error_never_rises_with_depth_and_ends_at_zero(cls, load, options):
    X, y = load(return_X_y=True)
    free = {name: value for name, value in options.items() if name == "criterion"}

    def error(model):
        wrong = model.predict(X) - y
        return np.mean(wrong**2) if cls is DecisionTreeRegressor else np.mean(wrong != 0)

    trees = [cls(max_depth=depth, **free).fit(X, y) for depth in range(9)]
    errors = [error(tree) for tree in trees]
    assert [tree.get_depth() for tree in trees[:4]] == [0, 1, 2, 3]
    assert trees[0].get_n_leaves() == 1
    assert all(after <= before + 1e-12 for before, after in itertools.pairwise(errors))
    assert error(cls(**free).fit(X, y)) == pytest.approx(0.0, abs=1e-20)


@pytest.mark.spec("TRE-L07")
def test_contradictions_are_all_that_an_unlimited_tree_gets_wrong():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.integers(0, 3, 200), "b": rng.choice(["u", "v", "w"], 200)})
    y = rng.integers(0, 3, 200)
    counts = pd.crosstab([X["a"], X["b"]], y).to_numpy()
    tree = DecisionTreeClassifier().fit(X, y)
    assert np.sum(tree.predict(X) != y) == np.sum(counts.sum(axis=1) - counts.max(axis=1)) > 0


@pytest.mark.spec("TRE-L07")
def test_the_error_on_new_rows_is_least_between_full_trees_and_stumps(record_property):
    with gzip.open(data_path("tabular/phoneme.csv.gz"), "rt") as file:
        rows = np.random.default_rng(0).permutation(np.loadtxt(file, delimiter=","))
    # A fifth of the labels is turned over, so that a full tree has something to learn by heart.
    X, y = rows[:, :-1], rows[:, -1] != (np.arange(len(rows)) % 5 == 0)
    sizes = (1, 20, 60, 1500)
    models = [DecisionTreeClassifier(min_samples_leaf=size).fit(X[:3000], y[:3000]) for size in sizes]
    errors = [float(np.mean(model.predict(X[3000:]) != y[3000:])) for model in models]
    record_property("validation_error", dict(zip(sizes, errors, strict=True)))
    assert min(errors[1:3]) < min(errors[0], errors[3]) - 0.02


WEIGHTED = [
    (DecisionTreeClassifier, load_wine, {}),
    (DecisionTreeClassifier, load_breast_cancer, {"criterion": "entropy", "max_depth": 5}),
    (DecisionTreeClassifier, load_wine, {"criterion": "misclassification", "max_leaf_nodes": 6}),
    (DecisionTreeRegressor, load_diabetes, {"max_depth": 5}),
    (DecisionTreeRegressor, load_diabetes, {"criterion": "poisson", "max_depth": 3}),
]


@pytest.mark.spec("TRE-L08", "TRE-031")
@pytest.mark.parametrize(("cls", "load", "options"), WEIGHTED)
def test_weight_two_is_the_row_twice_and_weight_zero_no_row(cls, load, options):
    X, y = load(return_X_y=True)
    w = np.random.default_rng(0).integers(0, 4, len(y))
    weighted = cls(**options).fit(X, y, sample_weight=w)
    repeated = cls(**options).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    np.testing.assert_array_equal(weighted.tree_.threshold, repeated.tree_.threshold)
    np.testing.assert_allclose(weighted.tree_.weight, repeated.tree_.n_rows)
    np.testing.assert_allclose(weighted.tree_.answers, repeated.tree_.answers, atol=1e-9)
    np.testing.assert_allclose(weighted.tree_.impurity, repeated.tree_.impurity, rtol=1e-8, atol=1e-8)
    scaled = cls(**options).fit(X, y, sample_weight=0.25 * w)
    _same_tree(scaled.tree_, weighted.tree_)


@pytest.mark.spec("TRE-L08", "TRE-031")
def test_balanced_weights_make_class_sums_equal():
    X, y = load_wine(return_X_y=True)
    counts = np.bincount(y)
    balanced = DecisionTreeClassifier(class_weight="balanced", max_depth=3).fit(X, y)
    np.testing.assert_allclose(balanced.tree_.answers[0], 1 / 3)
    by_hand = DecisionTreeClassifier(max_depth=3).fit(X, y, sample_weight=(len(y) / (3 * counts))[y])
    _same_tree(balanced.tree_, by_hand.tree_)
    priced = DecisionTreeClassifier(class_weight={0: 2.0, 1: 1.0, 2: 1.0}, max_depth=3).fit(X, y)
    _same_tree(priced.tree_, DecisionTreeClassifier(max_depth=3).fit(X, y, sample_weight=1.0 + (y == 0)).tree_)


@pytest.mark.spec("TRE-L17", "TRE-052")
@pytest.mark.parametrize(
    "options", [{}, {"max_leaf_nodes": 12}, {"min_samples_leaf": 5, "criterion": "entropy"}], ids=str
)
def test_enough_bins_are_the_exact_search(options):
    X, y = load_wine(return_X_y=True)
    exact = DecisionTreeClassifier(**options).fit(X, y)
    for bins in (int(np.max(code_columns(X).sizes)), 255):
        binned = DecisionTreeClassifier(binning=bins, **options).fit(X, y)
        _same_tree(exact.tree_, binned.tree_)
    few = DecisionTreeClassifier(binning=4, **options).fit(X, y)
    thresholds = {(j, t) for j, t in zip(few.tree_.feature, few.tree_.threshold, strict=True) if j >= 0}
    assert all(len({t for k, t in thresholds if k == j}) <= 3 for j, _ in thresholds)


@pytest.mark.spec("TRE-L17")
@pytest.mark.parametrize("binning", [None, 16])
def test_the_number_of_threads_changes_nothing(binning):
    X, y = load_breast_cancer(return_X_y=True)
    trees = [DecisionTreeClassifier(binning=binning, n_jobs=n_jobs).fit(X, y) for n_jobs in (1, 2, 3)]
    forests = [
        RandomForestClassifier(8, binning=binning, n_jobs=n_jobs, random_state=0).fit(X, y) for n_jobs in (1, 2, 3)
    ]
    for other in (1, 2):
        _same_tree(trees[0].tree_, trees[other].tree_)
        np.testing.assert_array_equal(forests[0].predict_proba(X), forests[other].predict_proba(X))


@pytest.mark.spec("TRE-007", "TRE-L07")
def test_small_variances_keep_their_digits():
    x = np.arange(25.0)[:, None]
    far, wide = 1e9 + 0.01 * np.sin(x[:, 0]), 4.0 ** x[:, 0]
    for y in (far, wide, np.append(far[1:], 0.0)):
        assert DecisionTreeRegressor().fit(x, y).get_n_leaves() == 25


@pytest.mark.spec("TRE-L41", "TRE-043")
def test_a_prediction_costs_the_length_of_its_path(record_property):
    x = np.arange(64.0)[:, None]
    balanced = DecisionTreeRegressor().fit(x, x[:, 0])
    steps = np.asarray(balanced.decision_path(x).sum(axis=1)).ravel() - 1
    np.testing.assert_array_equal(steps, 6)  # log₂ 64
    x = np.arange(20.0)[:, None]
    chain = DecisionTreeRegressor().fit(x, 4.0 ** x[:, 0])
    assert chain.get_depth() == 19
    steps = np.asarray(chain.decision_path(x).sum(axis=1)).ravel() - 1
    np.testing.assert_array_equal(steps, chain.tree_.depth[chain.apply(x)])
    assert np.mean(steps) == pytest.approx(np.sum(chain.importance("tests")))
    record_property("mean_path", float(np.mean(steps)))
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(5, random_state=0, bootstrap=False).fit(X, y)
    marks, starts = forest.decision_path(X)
    lengths = np.stack(
        [np.asarray(marks[:, starts[t] : starts[t + 1]].sum(axis=1)).ravel() - 1 for t in range(5)], axis=1
    )
    leaves = forest.apply(X)
    depths = np.stack([forest.forest_.tree(t).depth[leaves[:, t]] for t in range(5)], axis=1)
    np.testing.assert_array_equal(lengths, depths)


@pytest.mark.spec("TRE-006", "TRE-007", "TRE-040")
def test_leaves_answer_with_frequencies_or_means_of_their_rows():
    X, y = load_wine(return_X_y=True)
    w = np.random.default_rng(0).random(len(y))
    tree = DecisionTreeClassifier(max_depth=2).fit(X, y, sample_weight=w)
    smooth = DecisionTreeClassifier(max_depth=2, leaf_alpha=1.5).fit(X, y, sample_weight=w)
    values = DecisionTreeRegressor(max_depth=2).fit(X, X[:, 0], sample_weight=w)
    for leaf in np.unique(tree.apply(X)):
        here = tree.apply(X) == leaf
        counts = np.bincount(y[here], w[here], 3)
        np.testing.assert_allclose(tree.predict_proba(X[here]), np.tile(counts / counts.sum(), (here.sum(), 1)))
        np.testing.assert_allclose(smooth.predict_proba(X[here])[0], (counts + 1.5) / (counts.sum() + 4.5))
        assert set(tree.predict(X[here])) == {np.argmax(counts)}
    for leaf in np.unique(values.apply(X)):
        here = values.apply(X) == leaf
        np.testing.assert_allclose(values.predict(X[here]), np.average(X[here, 0], weights=w[here]))


@pytest.mark.spec("TRE-009")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_thresholds_that_round_to_a_value_send_rows_the_same_way(dtype):
    low = dtype(1.0)
    high = np.nextafter(low, dtype(2.0))
    assert midpoint(float(low), float(np.nextafter(1.0, 2.0))) == 1.0
    X, y = np.array([[low], [high]], dtype=dtype), [0, 1]
    for binning in (None, 255):
        tree = DecisionTreeClassifier(binning=binning).fit(X, y)
        assert low <= tree.tree_.threshold[0] < high
        assert tree.predict(X).tolist() == y


@pytest.mark.spec("TRE-026", "TRE-030")
def test_missing_is_a_value_of_its_own_and_new_values_are_missing():
    X = pd.DataFrame({"hue": ["red", "red", "blue", None, None, "blue"], "size": [1.0, 2.0, 3.0, np.nan, np.nan, 4.0]})
    y = ["a", "a", "a", "b", "b", "a"]
    for name in X:
        tree = DecisionTreeClassifier().fit(X[[name]], y)
        assert tree.get_depth() == 1
        assert tree.predict(X[[name]]).tolist() == y
    tree = DecisionTreeClassifier().fit(X[["hue"]], y)
    assert tree.predict(pd.DataFrame({"hue": ["green", None]})).tolist() == ["b", "b"]
    strict = DecisionTreeClassifier(unseen="error").fit(X[["hue"]], y)
    with pytest.raises(ValueError, match=r"'green' in column 'hue'.*unseen"):
        strict.predict(pd.DataFrame({"hue": ["green"]}))
    whole = DecisionTreeClassifier().fit(pd.DataFrame({"hue": ["red", "red", "red", "blue"]}), [0, 0, 0, 1])
    # Nothing was missing: what is new goes with most rows.
    assert whole.predict(pd.DataFrame({"hue": ["green"]})).tolist() == [0]
    assert whole.predict(pd.DataFrame({"hue": [None]}, dtype=object)).tolist() == [0]


@pytest.mark.spec("TRE-033")
def test_columns_are_reduced_in_front_of_a_tree():
    X, y = load_breast_cancer(return_X_y=True)
    reduced = make_pipeline(PCA(3), DecisionTreeClassifier(max_depth=3)).fit(X, y)
    assert reduced[-1].n_features_in_ == 3
    assert reduced.score(X, y) > 0.9
    chosen = make_pipeline(
        SelectFromModel(DecisionTreeClassifier(max_depth=3), threshold=0.02), DecisionTreeClassifier(max_depth=3)
    ).fit(X, y)
    kept = chosen[0].get_support()
    assert 1 <= np.sum(kept) < 8
    np.testing.assert_array_equal(kept, chosen[0].estimator_.feature_importances_ >= 0.02)
    assert chosen.score(X, y) > 0.9


STOPS = [
    ("min_samples_split", 30, lambda tree, inner: np.min(tree.n_rows[inner]) >= 30),
    ("min_samples_split", 0.2, lambda tree, inner: np.min(tree.n_rows[inner]) >= 0.2 * 569),
    ("min_samples_leaf", 12, lambda tree, inner: np.min(tree.n_rows) >= 12),
    ("min_samples_leaf", 0.1, lambda tree, inner: np.min(tree.n_rows) >= 0.1 * 569),
    ("min_weight_fraction_leaf", 0.08, lambda tree, inner: np.min(tree.weight) >= 0.08 * tree.weight[0]),
    ("max_depth", 3, lambda tree, inner: tree.max_depth == 3),
    ("max_leaf_nodes", 7, lambda tree, inner: tree.n_leaves == 7),
    ("min_impurity", 0.2, lambda tree, inner: np.min(tree.impurity[inner]) > 0.2),
    ("min_impurity_decrease", 0.02, lambda tree, inner: np.min((tree.weight * tree.gain)[inner]) >= 0.02 * 569 - 1e-9),
]


@pytest.mark.spec("TRE-034")
@pytest.mark.parametrize(("name", "value", "holds"), STOPS, ids=lambda item: str(item) if not callable(item) else "")
def test_every_stop_rule_holds_at_every_node(name, value, holds):
    X, y = load_breast_cancer(return_X_y=True)
    free, tree = DecisionTreeClassifier().fit(X, y).tree_, DecisionTreeClassifier(**{name: value}).fit(X, y).tree_
    assert holds(tree, ~tree.is_leaf)
    assert not holds(free, ~free.is_leaf)
    assert 1 < tree.n_leaves < free.n_leaves
