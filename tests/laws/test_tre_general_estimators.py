"""Decision trees with other criteria, tests, treatments of missing values and leaves than CART's."""

from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline

from gnomon.io import load, save
from gnomon.trees import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreesRegressor,
    RandomForestRegressor,
    impurity,
)
from stable_ids import stable_repr

KINDS = {"gini": lambda k: 1 - 1 / k, "misclassification": lambda k: 1 - 1 / k, "entropy": np.log2}


def numbers(seed, n=60, p=3, gaps=0.0):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 7, (n, p)).astype(float)
    y = (X[:, 0] + X[:, 1] + rng.normal(0, 2, n) > 6).astype(int)
    X[rng.random((n, p)) < gaps] = np.nan
    return X, y


def mixed(seed, n=80, gaps=0.0):
    """A frame with two columns of numbers and two of categories."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "size": rng.integers(0, 9, n).astype(float),
            "hue": rng.choice(["red", "green", "blue", "grey"], n),
            "age": rng.normal(size=n).round(1),
            "town": rng.choice(["a", "b", "c"], n),
        }
    )
    y = np.where((frame["size"] > 4) ^ (frame["hue"] == "red"), "yes", "no")
    return frame.mask(rng.random(frame.shape) < gaps), y


@pytest.mark.spec("TRE-L01", "TRE-016", "TRE-017", "TRE-018")
@pytest.mark.parametrize("kind", KINDS)
def test_impurities_are_zero_for_one_class_and_largest_for_equal_shares(kind):
    rng = np.random.default_rng(0)
    for k in (2, 3, 5):
        shares = rng.dirichlet(np.ones(k), 200)
        found = impurity(shares, kind)
        assert np.all(found > 0.0)
        np.testing.assert_allclose(impurity(np.eye(k), kind), 0.0, atol=1e-15)
        np.testing.assert_allclose(impurity(shares[:, ::-1], kind), found)
        most = KINDS[kind](k)
        assert np.all(found <= most + 1e-12)
        assert impurity(np.ones(k), kind) == pytest.approx(most)
        # Scale does not matter, a node without weight is pure.
        np.testing.assert_allclose(impurity(1e180 * shares, kind), found)
    assert impurity(np.zeros(3), kind) == 0.0


@pytest.mark.parametrize("counts", [[-1.0, 2.0], [np.nan, 1.0], 3.0, np.zeros((2, 0))])
def test_impurities_of_no_counts_are_refused(counts):
    with pytest.raises(ValueError, match="counts"):
        impurity(counts)
    with pytest.raises(ValueError, match="kind"):
        impurity([1.0, 2.0], "giny")


@pytest.mark.spec("TRE-L03")
def test_variance_is_that_within_and_that_between_the_children():
    X, _ = numbers(0)
    y = np.random.default_rng(1).normal(size=len(X))
    tree = DecisionTreeRegressor(max_depth=4).fit(X, y).tree_
    for node in np.flatnonzero(~tree.is_leaf):
        children = tree.children(node)
        share = tree.weight[children] / tree.weight[node]
        between = share @ (tree.answers[children, 0] - tree.answers[node, 0]) ** 2
        assert tree.impurity[node] == pytest.approx(share @ tree.impurity[children] + between)


@pytest.mark.spec("TRE-L04")
@pytest.mark.parametrize("gaps", [0.0, 0.1])
def test_gini_is_twice_the_variance_of_an_indicator(gaps):
    X, y = numbers(2, gaps=gaps)
    classes = DecisionTreeClassifier(max_depth=5).fit(X, y).tree_
    means = DecisionTreeRegressor(max_depth=5).fit(X, y).tree_
    np.testing.assert_array_equal(classes.feature, means.feature)
    np.testing.assert_array_equal(classes.threshold, means.threshold)
    np.testing.assert_allclose(classes.impurity, 2.0 * means.impurity, atol=1e-12)


@pytest.mark.spec("TRE-L12", "TRE-011")
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("regression", [False, True])
def test_the_best_prefix_is_the_best_of_all_sets_of_categories(seed, regression):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 7, 60)
    y = rng.normal(size=60) if regression else rng.integers(0, 2, 60)
    Tree = DecisionTreeRegressor if regression else DecisionTreeClassifier
    tree = Tree(max_depth=1, categorical_features=[0]).fit(x[:, None].astype(float), y).tree_
    sets = [s for size in range(1, 7) for s in combinations(range(7), size)]
    best = min(sum(len(part) * np.var(part) for part in (y[np.isin(x, s)], y[~np.isin(x, s)])) for s in sets)
    factor = 1.0 if regression else 2.0
    assert np.sum((tree.weight * tree.impurity)[1:]) == pytest.approx(factor * best)


@pytest.mark.spec("TRE-L09")
@pytest.mark.parametrize(
    "options", [{}, {"missing": "surrogate"}, {"numeric_test": "three_way"}, {"criterion": "gain_ratio"}]
)
def test_parity_is_learned_though_nothing_is_gained_until_the_last_bit(options):
    X = np.array(list(product([0.0, 1.0], repeat=3)))
    y = X.sum(axis=1).astype(int) % 2
    model = DecisionTreeClassifier(**options).fit(X, y)
    tree = model.tree_
    assert (tree.max_depth, model.score(X, y)) == (3, 1.0)
    np.testing.assert_allclose(tree.gain[(tree.depth < 2) & ~tree.is_leaf], 0.0, atol=1e-12)


@pytest.mark.spec("TRE-027", "TRE-L13")
@pytest.mark.parametrize("missing", ["most_frequent", "median", "mean"])
def test_filling_equals_an_imputer_in_front(missing):
    X, y = numbers(3, gaps=0.2)
    model = DecisionTreeClassifier(missing=missing).fit(X, y)
    imputed = make_pipeline(SimpleImputer(strategy=missing), DecisionTreeClassifier()).fit(X, y)
    np.testing.assert_allclose(model.fill_values_, imputed[0].statistics_)
    np.testing.assert_array_equal(model.tree_.threshold, imputed[1].tree_.threshold)
    np.testing.assert_array_equal(model.predict_proba(X), imputed.predict_proba(X))


@pytest.mark.spec("TRE-027")
def test_categories_are_filled_with_the_most_frequent_value_by_weight():
    frame = pd.DataFrame({"hue": ["red", "blue", None, "blue"], "size": [1.0, 2.0, 3.0, np.nan]})
    model = DecisionTreeClassifier(missing="median").fit(frame, [0, 1, 1, 0])
    assert model.fill_values_ == ["blue", 2.0]
    weighted = DecisionTreeClassifier(missing="median").fit(frame, [0, 1, 1, 0], sample_weight=[3, 1, 1, 1])
    assert weighted.fill_values_ == ["red", 1.0]
    empty = DecisionTreeClassifier(missing="mean").fit([[np.nan, 1.0], [np.nan, 2.0]], [0, 1])
    assert empty.fill_values_ == [None, 1.5]


@pytest.mark.spec("TRE-L13")
@pytest.mark.parametrize("missing", ["most_frequent", "median", "mean", "fractional", "surrogate"])
def test_without_gaps_every_way_grows_the_same_tree(missing):
    frame, y = mixed(0)
    plain, other = (DecisionTreeClassifier(missing=way).fit(frame, y) for way in (None, missing))
    np.testing.assert_array_equal(plain.tree_.feature, other.tree_.feature)
    np.testing.assert_array_equal(plain.tree_.threshold, other.tree_.threshold)
    np.testing.assert_allclose(plain.predict_proba(frame), other.predict_proba(frame))


OPTIONS = [
    {"algorithm": "c4.5"},
    {"categorical_split": "multiway"},
    {"numeric_test": "three_way"},
    {"criterion": "gain_ratio"},
    {"reuse_features": False},
    {"missing": "fractional"},
    {"missing": "surrogate"},
    {"missing": "most_frequent"},
    {"split": "oblique"},
    {"leaf_model": "linear", "max_depth": 2},
    {"criterion": lambda counts: 1.0 - np.max(counts) / np.sum(counts), "max_depth": 3},
]


@pytest.mark.spec("TRE-L08")
@pytest.mark.parametrize("options", OPTIONS, ids=stable_repr)
def test_weight_two_is_the_row_twice_and_weight_zero_no_row(options):
    frame, y = mixed(1, gaps=0.1)
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    again = np.repeat(np.arange(len(y)), weights)
    weighted = DecisionTreeClassifier(**options, random_state=0).fit(frame, y, sample_weight=weights)
    repeated = DecisionTreeClassifier(**options, random_state=0).fit(frame.iloc[again], y[again])
    np.testing.assert_allclose(weighted.predict_proba(frame), repeated.predict_proba(frame), atol=1e-6)


@pytest.mark.parametrize(
    "options", [*OPTIONS[:-1], {"leaf_model": LogisticRegression(), "max_depth": 2}], ids=stable_repr
)
def test_trees_of_every_form_are_saved(options, tmp_path):
    frame, y = mixed(2, gaps=0.1)
    model = DecisionTreeClassifier(**options).fit(frame, y)
    save(model, tmp_path / "tree.skops")
    np.testing.assert_array_equal(load(tmp_path / "tree.skops").predict_proba(frame), model.predict_proba(frame))


@pytest.mark.spec("TRE-023")
def test_id3_refuses_numbers_and_points_to_c45():
    frame, y = mixed(0)
    with pytest.raises(ValueError, match=r"c4\.5"):
        DecisionTreeClassifier(algorithm="id3").fit(frame, y)
    model = DecisionTreeClassifier(algorithm="id3", categorical_features=["size", "age"]).fit(frame, y)
    assert model.get_depth() <= 4


@pytest.mark.spec("TRE-023")
def test_id3_has_a_leaf_for_a_declared_value_without_rows():
    frame = pd.DataFrame({"hue": pd.Categorical(["red", "red", "blue"], ["red", "blue", "black"])})
    model = DecisionTreeClassifier(algorithm="id3").fit(frame, ["a", "a", "b"])
    assert model.get_n_leaves() == 3
    black = pd.DataFrame({"hue": pd.Categorical(["black"], ["red", "blue", "black"])})
    np.testing.assert_allclose(model.predict_proba(black), [[2 / 3, 1 / 3]])


@pytest.mark.spec("TRE-024", "TRE-009")
def test_c45_cuts_at_data_prunes_and_lets_options_override():
    X, y = numbers(4, n=200)
    pruned = DecisionTreeClassifier(algorithm="c4.5").fit(X, y)
    full = DecisionTreeClassifier(algorithm="c4.5", pruning="none").fit(X, y)
    assert pruned.get_n_leaves() < full.get_n_leaves()
    tree = full.tree_
    for j, t in zip(tree.feature[~tree.is_leaf], tree.threshold[~tree.is_leaf], strict=True):
        assert t in X[:, j]
    midpoint = DecisionTreeClassifier(algorithm="c4.5", pruning="none", threshold="midpoint").fit(X, y)
    np.testing.assert_array_equal(midpoint.tree_.feature, tree.feature)
    assert not np.array_equal(midpoint.tree_.threshold, tree.threshold)


@pytest.mark.spec("TRE-009")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_thresholds_at_data_send_rows_the_same_way_in_fit_and_predict(dtype):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 2)).astype(dtype)
    y = rng.integers(0, 2, 100)
    model = DecisionTreeClassifier(threshold="data").fit(X, y)
    assert model.score(X, y) == 1.0
    np.testing.assert_array_equal(model.apply(X), DecisionTreeClassifier().fit(X, y).apply(X))


@pytest.mark.spec("TRE-013")
@pytest.mark.parametrize("oblique", ["lda", "logistic", "random", "oc1"])
def test_oblique_tests_need_fewer_leaves_on_a_diagonal(oblique):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 3)) * [1.0, 100.0, 0.01] + [5.0, 0.0, 1.0]
    y = (X @ [1.0, 0.02, 100.0] > 105.3).astype(int)
    straight = DecisionTreeClassifier().fit(X, y)
    model = DecisionTreeClassifier(split="oblique", oblique=oblique, random_state=0).fit(X, y)
    assert model.score(X, y) == 1.0
    assert model.get_n_leaves() <= straight.get_n_leaves() * (0.5 if oblique != "random" else 1.0)
    again = DecisionTreeClassifier(split="oblique", oblique=oblique, random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.tree_.tests.coefs, again.tree_.tests.coefs)


@pytest.mark.spec("TRE-013")
def test_an_axis_parallel_test_wins_ties_and_gaps_do_not_matter():
    X, y = numbers(5)
    X[:, 0] = y  # one column alone parts the classes, so no sum of columns is better
    tree = DecisionTreeClassifier(split="oblique").fit(X, y).tree_
    assert np.all(tree.tests.kinds != 2)
    X, y = numbers(6, gaps=0.2)
    for missing in (None, "fractional", "surrogate"):
        model = DecisionTreeClassifier(split="oblique", missing=missing).fit(X, y)
        assert np.all(np.isfinite(model.predict_proba(X)))
        assert np.any(model.tree_.tests.kinds == 2)


@pytest.mark.spec("TRE-013")
@pytest.mark.parametrize("oblique", ["lda", "logistic", "oc1"])
def test_oblique_regression(oblique):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 3))
    y = X @ [1.0, 2.0, -1.0]
    straight = DecisionTreeRegressor(max_depth=3).fit(X, y).score(X, y)
    assert DecisionTreeRegressor(max_depth=3, split="oblique", oblique=oblique).fit(X, y).score(X, y) > straight + 0.1


@pytest.mark.spec("TRE-021")
@pytest.mark.parametrize("level", [0.1, 0.5, 0.9])
def test_leaves_of_a_quantile_tree_hold_their_share_below(level):
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(400, 1))
    y = X[:, 0] * rng.normal(size=400)
    model = DecisionTreeRegressor(criterion="quantile", quantile=level, min_samples_leaf=40).fit(X, y)
    leaf = model.apply(X)
    for node in np.unique(leaf):
        below = np.mean(y[leaf == node] <= model.predict(X[leaf == node]) + 1e-12)
        assert below == pytest.approx(level, abs=1 / np.sum(leaf == node) + 1e-12)


@pytest.mark.spec("TRE-041")
def test_models_of_leaves_are_blended_upwards():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(60, 2))
    y = np.where(X[:, 0] > 0.5, 3 * X[:, 1], -X[:, 1]) + 0.1 * rng.normal(size=60)
    model = DecisionTreeRegressor(max_depth=1, leaf_model="linear", leaf_ridge=0.0, smooth=7.0).fit(X, y)
    leaf = model.apply(X)
    whole = LinearRegression().fit(X, y)
    for node in (1, 2):
        rows = leaf == node
        n = np.sum(rows)
        own = LinearRegression().fit(X[rows], y[rows])
        expected = (n * own.predict(X[rows]) + 7.0 * whole.predict(X[rows])) / (n + 7.0)
        np.testing.assert_allclose(model.predict(X[rows]), expected)


@pytest.mark.spec("TRE-041")
def test_leaves_without_enough_rows_or_rank_are_constant_and_clipping_keeps_the_range():
    X = np.arange(12.0)[:, None]
    y = np.where(X[:, 0] < 3, 0.0, X[:, 0])
    few = DecisionTreeRegressor(max_depth=1, leaf_model="linear", min_samples_linear=13, smooth=0.0).fit(X, y)
    np.testing.assert_allclose(few.predict(X), DecisionTreeRegressor(max_depth=1).fit(X, y).predict(X))
    doubled = np.column_stack([X, X])
    flat = DecisionTreeRegressor(max_depth=0, leaf_model="linear", leaf_ridge=0.0).fit(doubled, y)
    np.testing.assert_allclose(flat.predict(doubled), np.mean(y))
    free = DecisionTreeRegressor(max_depth=0, leaf_model="linear", smooth=0.0).fit(X, y)
    held = DecisionTreeRegressor(max_depth=0, leaf_model="linear", smooth=0.0, clip=True).fit(X, y)
    far = np.array([[-50.0], [50.0]])
    assert free.predict(far)[0] < 0.0 < 11.0 < free.predict(far)[1]
    assert held.predict(far).tolist() == [0.0, 11.0]


@pytest.mark.spec("TRE-041")
@pytest.mark.parametrize("leaf_model", ["linear", LogisticRegression()])
def test_logistic_leaves_beat_frequencies_on_a_slope(leaf_model):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 2))
    p = 1 / (1 + np.exp(-np.where(X[:, 0] > 0, 4.0, -4.0) * X[:, 1]))
    y = np.where(rng.random(500) < p, "a", np.where(rng.random(500) < 0.05, "c", "b"))
    train, test = slice(0, 300), slice(300, 500)
    options = {"max_depth": 2, "min_samples_leaf": 30, "criterion": "entropy"}
    constant = DecisionTreeClassifier(**options).fit(X[train], y[train])
    model = DecisionTreeClassifier(**options, leaf_model=leaf_model).fit(X[train], y[train])
    shares = model.predict_proba(X[test])
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert shares.shape[1] == 3
    assert model.score(X[test], y[test]) > constant.score(X[test], y[test])


@pytest.mark.spec("TRE-041")
def test_models_use_the_columns_of_the_path_and_fill_gaps_with_the_means_of_their_rows():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(80, 2))
    y = 5.0 * (X[:, 0] > 0.5) + X[:, 1]
    both = DecisionTreeRegressor(max_depth=1, leaf_model="linear", smooth=0.0, leaf_ridge=0.0).fit(X, y)
    path = DecisionTreeRegressor(
        max_depth=1, leaf_model="linear", smooth=0.0, leaf_ridge=0.0, leaf_features="path"
    ).fit(X, y)
    np.testing.assert_allclose(both.predict(X), y)
    assert np.ptp(path.predict([[0.7, 0.0], [0.7, 1.0]])) == 0.0
    mean = np.mean(X[both.apply(X) == 2, 1])
    np.testing.assert_allclose(both.predict([[0.7, np.nan]]), both.predict([[0.7, mean]]))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"algorithm": "chaid"}, "algorithm"),
        ({"missing": "guess"}, "missing"),
        ({"numeric_test": "lt"}, "numeric_test"),
        ({"threshold": "middle"}, "threshold"),
        ({"oblique": "svm", "split": "oblique"}, "oblique"),
        ({"leaf_model": "quadratic"}, "leaf_model"),
        ({"criterion": "chi2"}, "criterion"),
        ({"leaf_alpha": -1.0}, "leaf_alpha"),
        ({"monotonic_cst": [1, 0, 0], "missing": "fractional"}, "monotonic_cst"),
        ({"missing": "surrogate", "numeric_test": "three_way"}, "surrogate"),
    ],
)
def test_options_that_mean_nothing_are_refused_by_name(options, message):
    X, y = numbers(0)
    with pytest.raises(ValueError, match=message):
        DecisionTreeClassifier(**options).fit(X, y)


@pytest.mark.spec("TRE-021")
@pytest.mark.parametrize("Forest", [RandomForestRegressor, ExtraTreesRegressor])
def test_forests_of_least_absolute_error_are_not_moved_by_giants(Forest):
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(200, 3))
    clean = np.floor(4 * X[:, 0])
    y = np.where(rng.random(200) < 0.05, 1000.0, clean)
    options = {"min_samples_leaf": 10, "random_state": 0, "max_features": 1.0}
    robust = Forest(10, criterion="absolute_error", **options).fit(X, y)
    means = Forest(10, **options).fit(X, y)
    assert np.median(np.abs(robust.predict(X) - clean)) < 0.5 < np.median(np.abs(means.predict(X) - clean))
    threaded = Forest(10, criterion="absolute_error", n_jobs=2, **options).fit(X, y)
    np.testing.assert_array_equal(threaded.predict(X), robust.predict(X))
