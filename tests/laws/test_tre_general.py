"""The splitter of every form of test: it agrees with the compiled one, with brute force, and with its definitions."""

import numpy as np
import pytest

from gnomon.search import (
    AbsoluteError,
    CountsCriterion,
    Entropy,
    Gini,
    Misclassification,
    PinballError,
    PoissonDeviance,
    SquaredError,
    code_columns,
    data_thresholds,
    grow_general_tree,
    grow_tree,
    leaf_weights,
    score_columns,
)
from gnomon.trees import DecisionTreeClassifier

LIMITS = ({}, {"min_samples_leaf": 3}, {"max_leaf_nodes": 4}, {"max_depth": 2}, {"min_gain": 1.0})


def table(seed, n=40, p=4, gaps=0.0, values=6):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, values, (n, p)).astype(float)
    X[rng.random((n, p)) < gaps] = np.nan
    category = np.arange(p) % 2 == 1
    weights = rng.integers(0, 3, n).astype(float)
    return X, category, weights, rng


def same_tree(a, b):
    inner = ~a.is_leaf
    np.testing.assert_array_equal(a.feature, b.feature)
    np.testing.assert_array_equal(a.threshold, b.threshold)
    np.testing.assert_array_equal(a.ends, b.ends)
    np.testing.assert_array_equal(a.missing[inner], b.missing[inner])
    np.testing.assert_array_equal(a.tests.branches, b.tests.branches)
    np.testing.assert_array_equal(a.n_rows, b.n_rows)
    np.testing.assert_allclose(a.answers, b.answers, atol=1e-12)
    np.testing.assert_allclose(a.impurity, b.impurity, atol=1e-9)


def class_criteria(k):
    return Gini(k), Entropy(k), Misclassification(k)


@pytest.mark.spec("TRE-008", "TRE-011")
@pytest.mark.parametrize("gaps", [0.0, 0.2])
@pytest.mark.parametrize("seed", range(4))
def test_both_splitters_grow_the_same_tree(seed, gaps):
    X, category, weights, rng = table(seed, gaps=gaps)
    columns = code_columns(X, category=category)
    # Whole numbers make sums exact, so that equal gains are equal in both.
    targets = [(one, rng.integers(0, one.size, len(X)).astype(np.int32)) for one in (Gini(2), Gini(3))]
    targets.append((SquaredError(3), rng.integers(0, 9, (len(X), 1)).astype(float)))
    for criterion, y in targets:
        for limits in LIMITS:
            for split in ("subset", "equality"):
                options = {"sample_weight": weights, "categorical_split": split, **limits}
                fast = grow_tree(columns, y, criterion, **options)
                general = grow_general_tree(columns, y, criterion, **options)
                same_tree(fast, general)
                np.testing.assert_allclose(fast.predict(X), general.predict(X))


@pytest.mark.spec("TRE-L13")
@pytest.mark.parametrize("seed", range(3))
def test_without_gaps_all_ways_with_missing_values_grow_the_same_tree(seed):
    X, category, weights, rng = table(seed)
    columns = code_columns(X, category=category)
    y = rng.integers(0, 2, len(X)).astype(np.int32)
    trees = [
        grow_general_tree(columns, y, Gini(2), sample_weight=weights, missing=missing)
        for missing in ("own_value", "fractional", "surrogate")
    ]
    for tree in trees[1:]:
        same_tree(trees[0], tree)
        # Rows without weight may hold values that no node has seen, which the ways treat as they treat missing ones.
        np.testing.assert_allclose(tree.predict(X[weights > 0]), trees[0].predict(X[weights > 0]))
        np.testing.assert_allclose(tree.gain, trees[0].gain, atol=1e-12)


@pytest.mark.spec("TRE-029", "TRE-L13")
@pytest.mark.parametrize("seed", range(3))
def test_fractions_of_a_row_sum_to_one_and_its_answer_is_their_mean(seed):
    X, category, weights, rng = table(seed, gaps=0.3)
    columns = code_columns(X, category=category)
    y = rng.integers(0, 3, len(X)).astype(np.int32)
    tree = grow_general_tree(
        columns, y, Entropy(3), sample_weight=weights, missing="fractional", categorical_split="multiway", max_depth=3
    )
    share = leaf_weights(tree, X)
    np.testing.assert_allclose(np.asarray(share.sum(axis=1)).ravel(), 1.0)
    assert set(share.indices) <= set(np.flatnonzero(tree.is_leaf))
    np.testing.assert_allclose(tree.predict(X), share @ tree.answers)
    # Training went the same way: the weight of a leaf is the sum of its rows' shares.
    np.testing.assert_allclose((share.T @ weights)[tree.is_leaf], tree.weight[tree.is_leaf])
    children = [np.sum(tree.weight[tree.children(node)]) for node in np.flatnonzero(~tree.is_leaf)]
    np.testing.assert_allclose(children, tree.weight[~tree.is_leaf])


@pytest.mark.spec("TRE-029")
def test_an_unknown_row_goes_by_the_weights_of_the_branches():
    X = np.array([[0.0], [1.0], [1.0], [1.0]])
    tree = grow_general_tree(code_columns(X), np.array([0, 1, 1, 1]), Gini(2), missing="fractional")
    np.testing.assert_allclose(tree.predict(np.array([[np.nan]])), [[0.25, 0.75]])


@pytest.mark.spec("TRE-028")
def test_surrogates_are_ranked_by_agreement_and_used_for_missing_cells():
    """Column 1 agrees with column 0 in 9 of 10 rows, column 2, turned round, in 8, column 3 no better than chance."""
    x0 = np.array([0.0] * 5 + [1.0] * 5)
    x1, x2, x3 = x0.copy(), 1.0 - x0, np.tile([0.0, 0.0, 0.0, 1.0, 1.0], 2)
    x1[0] = 1.0
    x2[[1, 7]] = x0[[1, 7]]
    X = np.column_stack([x0, x1, x2, x3])
    y = x0.astype(np.int32)
    tree = grow_general_tree(code_columns(X), y, Gini(2), missing="surrogate")
    assert tree.feature.tolist() == [0, -2, -2]
    backups = tree.extra["surrogates"][0]
    assert [backup[0] for backup in backups] == [1, 2]
    rows = np.array([[np.nan, 1.0, 1.0, 0], [np.nan, np.nan, 1.0, 0], [np.nan, np.nan, 0.0, 0], [np.nan] * 4])
    # By column 1; by column 2 turned round; then the heavier child, the second of equals.
    assert tree.predict(rows).argmax(axis=1).tolist() == [1, 0, 1, 1]
    assert tree.apply(rows).tolist() == [2, 1, 2, 2]


@pytest.mark.spec("TRE-028")
@pytest.mark.parametrize("many", [0, 1])
def test_a_row_that_no_surrogate_places_goes_to_the_heavier_child(many):
    x = np.array([many] * 6 + [1 - many] * 4)
    for weight, heavier in ((1.0, many), (5.0, 1 - many)):
        w = np.where(x == many, 1.0, weight)
        columns = code_columns(x[:, None].astype(float))
        tree = grow_general_tree(columns, x.astype(np.int32), Gini(2), missing="surrogate", sample_weight=w)
        assert tree.apply(np.array([[np.nan]])).tolist() == [1 + heavier]


@pytest.mark.spec("TRE-028")
def test_training_rows_with_gaps_follow_the_surrogates_too():
    rng = np.random.default_rng(0)
    x = rng.normal(size=60)
    X = np.column_stack([x, x + 0.01 * rng.normal(size=60), rng.normal(size=60)])
    y = (x > 0).astype(np.int32)
    X[:10, 0] = np.nan
    tree = grow_general_tree(code_columns(X), y, Gini(2), missing="surrogate", max_depth=1)
    np.testing.assert_array_equal(np.bincount(tree.apply(X), minlength=3)[1:], tree.n_rows[1:])
    assert np.mean(tree.predict(X).argmax(axis=1) == y) > 0.9


@pytest.mark.spec("TRE-028")
def test_at_most_five_surrogates_and_only_for_two_branches():
    x = np.arange(20.0)
    X = np.column_stack([x] * 8)
    columns, y = code_columns(X), (x > 9).astype(np.int32)
    assert len(grow_general_tree(columns, y, Gini(2), missing="surrogate").extra["surrogates"][0]) == 5
    with pytest.raises(ValueError, match="two branches"):
        grow_general_tree(columns, y, Gini(2), missing="surrogate", numeric_test="three_way")


@pytest.mark.spec("TRE-010")
@pytest.mark.parametrize("gaps", [0.0, 0.2])
def test_three_way_tests_are_the_best_of_all(gaps):
    X, _, weights, rng = table(1, gaps=gaps, p=3)
    y = rng.integers(0, 2, len(X)).astype(np.int32)
    tree = grow_general_tree(code_columns(X), y, Gini(2), sample_weight=weights, numeric_test="three_way", max_depth=1)
    best = np.inf
    for j in range(3):
        x = X[:, j]
        for t in np.unique(x[~np.isnan(x)]):
            for nan in ("below", "above"):
                below = (x < t) | (np.isnan(x) & (nan == "below"))
                above = (x > t) | (np.isnan(x) & (nan == "above"))
                best = min(best, total_gini(y, weights, [below, x == t, above]))
        best = min(best, total_gini(y, weights, [np.isnan(x), ~np.isnan(x)]))
    np.testing.assert_allclose(np.sum((tree.weight * tree.impurity)[1:]), best)
    went = np.bincount(tree.apply(X[weights > 0]), minlength=tree.node_count)
    np.testing.assert_array_equal(went[1:], tree.n_rows[1:])


def total_gini(y, weights, parts):
    total = 0.0
    for part in parts:
        counts = np.bincount(y[part], weights=weights[part], minlength=2)
        n = np.sum(counts)
        total += n - np.sum(counts**2) / n if n else 0.0
    return total


@pytest.mark.spec("TRE-010")
def test_empty_branches_of_a_three_way_test_are_dropped():
    X, y = np.array([[1.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 1])
    tree = grow_general_tree(code_columns(X), y, Gini(2), numeric_test="three_way")
    assert tree.n_leaves == 2  # x = 1 against x > 1
    assert tree.predict(np.array([[1.0], [7.0]])).argmax(axis=1).tolist() == [0, 1]
    # A value for which there is no branch goes to the heavier child, the second of equals.
    assert tree.apply(np.array([[0.0]])).tolist() == [2]


@pytest.mark.spec("TRE-011", "TRE-030")
def test_multiway_tests_have_a_branch_for_each_value_and_answer_the_rest_at_the_node():
    X = np.array([[0.0], [1.0], [1.0], [4.0], [np.nan], [np.nan]])
    y = np.array([0, 1, 1, 0, 1, 1])
    tree = grow_general_tree(code_columns(X, category=[True]), y, Gini(2), categorical_split="multiway")
    assert tree.n_rows.tolist() == [6, 1, 2, 1, 2]
    assert tree.predict(np.array([[4.0], [np.nan]])).argmax(axis=1).tolist() == [0, 1]
    np.testing.assert_allclose(tree.predict(np.array([[2.0]])), [[0.0, 1.0]])  # as the missing, which were seen
    known = grow_general_tree(code_columns(X[:4], category=[True]), y[:4], Gini(2), categorical_split="multiway")
    np.testing.assert_allclose(known.predict(np.array([[2.0], [np.nan]])), [[0.5, 0.5], [0.5, 0.5]])


@pytest.mark.spec("TRE-012")
def test_a_column_is_tested_once_on_a_path():
    X, category, _, rng = table(3, n=120)
    columns = code_columns(X, category=category)
    y = rng.integers(0, 2, len(X)).astype(np.int32)
    for split in ("subset", "multiway"):
        once = grow_general_tree(columns, y, Gini(2), categorical_split=split, reuse_features=False)
        again = grow_general_tree(columns, y, Gini(2), categorical_split=split)
        assert max(repeats(once)) == 1
        assert max(repeats(again)) > 1
        assert once.max_depth <= X.shape[1]


def repeats(tree):
    for leaf in np.flatnonzero(tree.is_leaf):
        tested = tree.feature[tree.path(leaf)[:-1]]
        yield max(np.bincount(tested), default=0)


@pytest.mark.spec("TRE-009")
@pytest.mark.parametrize("seed", range(3))
def test_thresholds_at_data_change_no_training_row(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 3)).astype(np.float32).astype(float)
    y = rng.integers(0, 2, 60).astype(np.int32)
    columns = code_columns(X)
    tree = grow_tree(columns, y, Gini(2))
    at_data = data_thresholds(tree, columns)
    inner = ~tree.is_leaf
    np.testing.assert_array_equal(tree.apply(X), at_data.apply(X))
    assert np.all(at_data.threshold[inner] <= tree.threshold[inner])
    for j, t, middle in zip(tree.feature[inner], at_data.threshold[inner], tree.threshold[inner], strict=True):
        assert t == np.max(X[X[:, j] <= middle, j])


@pytest.mark.spec("TRE-019")
def test_gain_ratio_divides_the_gain_and_refuses_tests_without_split_information():
    X, category, _, rng = table(5, n=60)
    y = rng.integers(0, 3, len(X)).astype(np.int32)
    columns = code_columns(X, category=category)
    scores = score_columns(columns, y, Entropy(3), categorical_split="subset", choice="gain_ratio")
    tree = grow_general_tree(columns, y, Entropy(3), choice="gain_ratio", max_depth=1)
    assert tree.feature[0] == np.argmax([score.gain_ratio for score in scores])
    shares = tree.weight[1:] / tree.weight[0]
    ratio = tree.gain[0] / -np.sum(shares * np.log2(shares))
    np.testing.assert_allclose(ratio, max(score.gain_ratio for score in scores))
    # No other cut of a number has a larger ratio.
    for j in np.flatnonzero(~category):
        for t in np.unique(X[:, j])[:-1]:
            assert ratio_of(y, X[:, j] <= t) <= ratio + 1e-12
    constant = score_columns(code_columns(np.ones((4, 1))), np.array([0, 1, 0, 1]), Entropy(2), choice="gain_ratio")
    assert np.isnan(constant[0].gain)


@pytest.mark.spec("TRE-019")
def test_of_the_cuts_of_a_number_that_of_the_largest_ratio_is_taken():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), rng.integers(0, 3, 40).astype(np.int32)
    by_ratio, by_gain = (
        score_columns(code_columns(X), y, Entropy(3), choice=choice) for choice in ("gain_ratio", "gain")
    )
    for x, here, other in zip(X.T, by_ratio, by_gain, strict=True):
        np.testing.assert_allclose(here.gain_ratio, max(ratio_of(y, x <= t) for t in np.sort(x)[:-1]))
        assert here.gain <= other.gain
    assert any(here.gain < other.gain for here, other in zip(by_ratio, by_gain, strict=True))


def ratio_of(y, left):
    def entropy(rows):
        p = np.bincount(rows) / len(rows)
        return -np.sum(p[p > 0] * np.log2(p[p > 0]))

    gain = entropy(y) - np.mean(left) * entropy(y[left]) - np.mean(~left) * entropy(y[~left])
    return gain / entropy(left.astype(int))


@pytest.mark.spec("TRE-024")
def test_c45_demands_two_branches_of_two_rows_and_charges_for_thresholds():
    # Only the first row differs: a cut that parts it alone has one branch of two rows.
    X = np.array([[0.0, 0], [1, 0], [1, 1], [1, 1], [1, 1], [1, 1], [1, 1], [1, 1]])
    y = np.array([1, 0, 0, 0, 0, 0, 0, 0])
    assert grow_general_tree(code_columns(X), y, Entropy(2)).feature[0] == 0
    assert grow_general_tree(code_columns(X), y, Entropy(2), choice="c4.5").feature[0] == 1
    # A binary column and a number with the same best split: the number pays log₂(7)/8.
    y = (np.arange(8) > 3).astype(np.int32)
    X = np.column_stack([np.arange(8.0), y])
    X[3, 1], y[3] = 1.0, 1
    tree = grow_general_tree(code_columns(X), y, Entropy(2), choice="c4.5")
    assert tree.feature[0] == 1
    # The two rows of the first column have the larger ratio, .0203/.141 against .278/3.32, and less than the mean gain.
    y, place = np.repeat([0, 1], 50), np.arange(100)
    rare, level = place >= 98, np.where(place % 50 < 40, place // 50 * 5, 5 - place // 50 * 5) + place % 5
    columns = code_columns(np.column_stack([rare, level]), category=[True, True])
    options = {"categorical_split": "multiway", "reuse_features": False}
    assert grow_general_tree(columns, y, Entropy(2), choice="gain_ratio", **options).feature[0] == 0
    assert grow_general_tree(columns, y, Entropy(2), choice="c4.5", **options).feature[0] == 1
    # Nothing to gain: no test, where the others would make one.
    xor = code_columns(np.array([[0.0, 0], [0, 0], [0, 1], [0, 1], [1, 0], [1, 0], [1, 1], [1, 1]]))
    target = np.array([0, 0, 1, 1, 1, 1, 0, 0])
    assert grow_general_tree(xor, target, Entropy(2), choice="c4.5").node_count == 1
    assert grow_general_tree(xor, target, Entropy(2)).node_count == 7


@pytest.mark.spec("TRE-023")
def test_a_declared_value_without_rows_has_the_answer_of_the_node_above():
    X = np.array([[0.0], [0.0], [2.0]])
    options = {"categorical_split": "multiway", "reuse_features": False, "declared": np.array([4])}
    tree = grow_general_tree(code_columns(X, category=[True]), np.array([0, 0, 1]), Entropy(2), **options)
    assert tree.n_rows.tolist() == [3, 2, 0, 1, 0]
    np.testing.assert_allclose(tree.predict(np.array([[1.0], [3.0]])), [[2 / 3, 1 / 3]] * 2)


@pytest.mark.spec("TRE-022")
@pytest.mark.parametrize("seed", range(2))
def test_an_impurity_that_a_user_writes_grows_the_same_tree(seed):
    X, category, weights, rng = table(seed, gaps=0.1)
    columns = code_columns(X, category=category)
    y = rng.integers(0, 3, len(X)).astype(np.int32)
    own = CountsCriterion(3, lambda counts: 1.0 - np.sum((counts / np.sum(counts)) ** 2))
    same_tree(
        grow_general_tree(columns, y, Gini(3), sample_weight=weights),
        grow_general_tree(columns, y, own, sample_weight=weights),
    )


@pytest.mark.spec("TRE-021", "TRE-L03")
@pytest.mark.parametrize(("criterion", "alpha"), [(AbsoluteError(), 0.5), (PinballError(0.2), 0.2)])
@pytest.mark.parametrize("gaps", [0.0, 0.2])
def test_cuts_of_least_absolute_error_and_pinball_loss_by_brute_force(criterion, alpha, gaps):
    X, _, weights, rng = table(7, gaps=gaps, p=2)
    y = rng.normal(size=(len(X), 2))
    tree = grow_general_tree(code_columns(X), y, criterion, sample_weight=weights, max_depth=1)
    best = np.inf
    for x in X.T:
        for t in [*np.unique(x[~np.isnan(x)]), np.inf]:
            for nan in (True, False):
                left = (x <= t) | (np.isnan(x) & nan)
                if min(np.sum(weights[left]), np.sum(weights[~left])) > 0:
                    best = min(best, least(y, weights, left, alpha) + least(y, weights, ~left, alpha))
    np.testing.assert_allclose(np.sum((tree.weight * tree.impurity)[1:]), criterion.scale * best)
    leaf = tree.apply(X)
    for node in (1, 2):
        rows = np.repeat(y[leaf == node], weights[leaf == node].astype(int), axis=0)
        quantile = np.quantile(rows, alpha, axis=0, method="averaged_inverted_cdf")
        np.testing.assert_allclose(tree.answers[node], quantile)


@pytest.mark.spec("TRE-021")
@pytest.mark.parametrize("criterion", [AbsoluteError(), PinballError(0.2)], ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_ordered_criteria_grow_the_same_tree_compiled_and_not(seed, criterion):
    X, _, weights, rng = table(seed, gaps=0.2 * (seed % 2), p=3)
    y = rng.integers(0, 9, (len(X), 1 + seed // 2)).astype(float)
    compiled = code_columns(X)
    # A category, though it has one value, needs the general splitter.
    general = code_columns(np.column_stack([X, np.zeros(len(X))]), category=[False, False, False, True])
    for limits in (*LIMITS, {"min_weight_leaf": 4.0}):
        trees = [
            grow_general_tree(columns, y, criterion, sample_weight=weights, **limits) for columns in (compiled, general)
        ]
        same_tree(*trees)


def least(y, weights, rows, alpha):
    """min over q of the pinball loss, at one of the targets, averaged over outputs."""
    total = 0.0
    for target in y[rows].T:
        deviations = target[:, None] - target[None, :]
        losses = np.where(deviations > 0, alpha * deviations, (alpha - 1) * deviations)
        total += np.min(weights[rows] @ losses)
    return total / y.shape[1]


@pytest.mark.spec("TRE-L02")
@pytest.mark.parametrize("missing", ["own_value", "fractional"])
@pytest.mark.parametrize("numeric_test", ["le", "three_way"])
@pytest.mark.parametrize("split", ["subset", "multiway", "equality"])
def test_no_gain_is_negative_and_the_unit_of_weights_does_not_matter(missing, numeric_test, split):
    X, category, weights, rng = table(11, gaps=0.1)
    columns = code_columns(X, category=category)
    classes = rng.integers(0, 3, len(X)).astype(np.int32)
    numbers = rng.integers(1, 9, (len(X), 1)).astype(float)
    options = {"missing": missing, "numeric_test": numeric_test, "categorical_split": split, "max_depth": 4}
    criteria = [(c, classes) for c in class_criteria(3)] + [(SquaredError(3), numbers), (AbsoluteError(), numbers)]
    for criterion, y in [*criteria, (PoissonDeviance(), numbers)]:
        tree = grow_general_tree(columns, y, criterion, sample_weight=weights, **options)
        assert np.all(tree.gain >= -1e-12)
        scaled = grow_general_tree(columns, y, criterion, sample_weight=8.0 * weights, **options)
        np.testing.assert_array_equal(tree.feature, scaled.feature)
        np.testing.assert_array_equal(tree.threshold, scaled.threshold)
        np.testing.assert_allclose(tree.answers, scaled.answers)


@pytest.mark.spec("TRE-014", "TRE-015")
def test_drawn_thresholds_and_columns_depend_on_the_seed_alone():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 4)), rng.normal(size=(80, 1))
    columns = code_columns(X)
    options = {"splitter": "random", "max_features": 2, "max_depth": 3}
    grown = [grow_general_tree(columns, y, AbsoluteError(), seed=seed, **options) for seed in (0, 0, 1)]
    np.testing.assert_array_equal(grown[0].threshold, grown[1].threshold)
    assert not np.array_equal(grown[0].threshold, grown[2].threshold)
    one = {"max_features": 1, "max_depth": 1}
    roots = [grow_general_tree(columns, y, AbsoluteError(), seed=seed, **one).feature[0] for seed in range(30)]
    assert set(roots) == {0, 1, 2, 3}
    # A drawn threshold is no midpoint of values, and lies between them.
    t, j = grown[0].threshold[0], grown[0].feature[0]
    assert X[:, j].min() < t < X[:, j].max()
    assert not np.isclose(t, grow_general_tree(columns, y, AbsoluteError(), max_depth=1).threshold[0])


@pytest.mark.spec("TRE-034")
def test_a_limit_on_leaves_holds_with_many_branches():
    X = np.arange(30.0)[:, None] % 5
    y = np.arange(30) % 3
    for most in range(2, 9):
        tree = grow_general_tree(
            code_columns(np.column_stack([X, X[::-1]]), category=[True, True]), y, Gini(3),
            categorical_split="multiway", max_leaf_nodes=most,
        )  # fmt: skip
        assert tree.n_leaves <= most


@pytest.mark.parametrize(
    "options", [{}, {"missing": "fractional"}, {"missing": "surrogate"}, {"numeric_test": "three_way"}]
)
def test_one_row_one_class_and_columns_without_values(options):
    one = grow_general_tree(code_columns(np.array([[1.0]])), np.array([0]), Gini(1), **options)
    assert one.node_count == 1
    X = np.full((3, 2), np.nan)
    X[:, 1] = [1.0, 2.0, np.nan]
    tree = grow_general_tree(code_columns(X), np.array([0, 1, 1]), Gini(2), **options)
    assert tree.feature[0] in (1, -2)
    assert np.all(np.isfinite(tree.predict(X)))


@pytest.mark.spec("TRE-009", "TRE-L08")
def test_thresholds_at_data_are_values_of_rows_with_weight():
    X, y = np.array([[1.0], [2.0], [3.0], [5.0]]), np.array([0, 0, 1, 1])
    weights = np.array([1.0, 0.0, 0.0, 1.0])
    columns = code_columns(X)
    tree = grow_tree(columns, y, Gini(2), sample_weight=weights)
    assert data_thresholds(tree, columns, weights).threshold[0] == 1.0
    assert data_thresholds(tree, columns).threshold[0] == 3.0


@pytest.mark.spec("TRE-010", "TRE-013", "TRE-052")
@pytest.mark.parametrize("options", [{"numeric_test": "three_way"}, {"split": "oblique"}], ids=["three_way", "oblique"])
def test_tests_of_values_are_not_grown_from_bins(options):
    X = np.random.default_rng(0).normal(size=(300, 3))
    y = (X.sum(axis=1) > 0.0).astype(int)
    with pytest.raises(ValueError, match=f"{next(iter(options))}=.*bins.*choose binning=None"):
        DecisionTreeClassifier(binning=8, **options).fit(X, y)
    # Bins of one value each are the values.
    few = np.round(X)
    binned = DecisionTreeClassifier(binning=64, **options).fit(few, y)
    np.testing.assert_array_equal(
        binned.predict_proba(few), DecisionTreeClassifier(**options).fit(few, y).predict_proba(few)
    )


@pytest.mark.spec("TRE-060")
def test_any_set_of_categories_is_drawn():
    kinds = np.random.default_rng(0).integers(0, 4, (200, 1)).astype(float)
    y = (kinds[:, 0] > 1).astype(int)
    columns = code_columns(kinds, category=[True])
    sides = set()
    for seed in range(200):
        tree = grow_general_tree(columns, y, Gini(2), splitter="random", max_depth=1, min_gain=-1.0, seed=seed)
        _, cells, branches, _ = tree.tests.test(0)
        sides.add(frozenset(cells[branches == 0].tolist()))
    assert len(sides) == 2**4 - 2
