"""Laws of forests: what their trees are, how they are added up, what rows out of bag say, what is near in them."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning

from gnomon.base import coded_rows
from gnomon.trees import (
    BaggingClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    RandomizedTreesClassifier,
    RandomizedTreesRegressor,
    RandomTreesEmbedding,
    _forest,
)

CLASSIFIERS = (RandomForestClassifier, ExtraTreesClassifier, RandomizedTreesClassifier)
FORESTS = (*CLASSIFIERS, RandomForestRegressor, ExtraTreesRegressor, RandomizedTreesRegressor)


def table(n=240, p=6, seed=0):
    """Two columns decide, the others are noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    y = (X[:, 0] + 0.5 * X[:, 1] ** 2 + 0.3 * rng.normal(size=n) > 0.4).astype(int)
    return X, y


X, Y = table()


def grown(cls, n_estimators=12, **options):
    return cls(n_estimators, random_state=3, **options).fit(X, Y)


def bytes_of(forest):
    trees = (forest.forest_.tree(t) for t in range(len(forest)))
    return [(tree.nodes.tobytes(), tree.answers.tobytes()) for tree in trees]


def same_trees(a, b):
    return bytes_of(a) == bytes_of(b)


@pytest.mark.spec("TRE-L18")
@pytest.mark.parametrize(("forest", "tree"), [(RandomForestClassifier, DecisionTreeClassifier),
                                              (RandomForestRegressor, DecisionTreeRegressor)])  # fmt: skip
def test_one_tree_of_all_rows_and_columns_is_the_tree(forest, tree):
    one = forest(1, bootstrap=False, max_features=None).fit(X, Y)
    alone = tree().fit(X, Y)
    np.testing.assert_array_equal(one.forest_.tree(0).nodes, alone.tree_.nodes)
    np.testing.assert_allclose(one.forest_.tree(0).answers, alone.tree_.answers, atol=1e-12)


@pytest.mark.spec("TRE-L18")
@pytest.mark.parametrize("cls", [*FORESTS, RandomTreesEmbedding], ids=lambda cls: cls.__name__)
def test_trees_depend_on_their_number_alone(cls):
    """Not on how many there are, on threads, or on the fit in which they were added."""
    options = {"bootstrap": True} if cls in (RandomizedTreesClassifier, RandomizedTreesRegressor) else {}
    large, small = grown(cls, 12, n_jobs=2, **options), grown(cls, 5, **options)
    assert same_trees(small, grown(cls, 5, n_jobs=3, **options))
    for t in range(5):
        np.testing.assert_array_equal(large.forest_.tree(t).nodes, small.forest_.tree(t).nodes)
    more = cls(5, random_state=3, warm_start=True, **options).fit(X, Y).set_params(n_estimators=12).fit(X, Y)
    assert same_trees(large, more)


@pytest.mark.spec("TRE-059")
def test_warm_start_keeps_trees_and_refuses_fewer():
    forest = RandomForestClassifier(20, random_state=0, warm_start=True, oob_score=True, max_samples=0.4).fit(X, Y)
    with pytest.raises(ValueError, match="n_estimators=3 is less than the 20 trees"):
        forest.set_params(n_estimators=3).fit(X, Y)
    with pytest.raises(ValueError, match="unknown which rows"):
        forest.set_params(n_estimators=25).fit(X[:50], Y[:50])


@pytest.mark.spec("TRE-059")
def test_every_bag_is_balanced_by_itself():
    rare = np.flatnonzero((Y == 0) | (np.arange(len(Y)) % 5 == 0))
    forest = RandomForestClassifier(8, class_weight="balanced_subsample", random_state=0).fit(X[rare], Y[rare])
    roots = forest.forest_.whole.answers[forest.forest_.roots[:-1]]
    np.testing.assert_allclose(roots, 0.5)
    plain = RandomForestClassifier(8, class_weight="balanced", random_state=0).fit(X[rare], Y[rare])
    assert np.ptp(plain.forest_.whole.answers[plain.forest_.roots[:-1], 0]) > 0.01


@pytest.mark.spec("TRE-059")
def test_default_forests_are_breimans():
    forest = grown(RandomForestClassifier)
    assert RandomForestClassifier().n_estimators == 100
    assert (RandomForestClassifier().max_features, RandomForestRegressor().max_features) == ("sqrt", 1.0)
    for rows, tree in zip(forest.estimators_samples_, forest.estimators_, strict=True):
        assert len(rows) == len(X)
        assert len(np.unique(rows)) < len(X)
        assert np.all(tree.tree_.impurity[tree.tree_.is_leaf] == 0.0)  # full trees
        np.testing.assert_array_equal(tree.predict(X[rows]), Y[rows])


@pytest.mark.spec("TRE-059")
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_an_interrupt_keeps_the_trees_that_are_done(monkeypatch, n_jobs):
    def stopping(verbose, what):
        def report(done, total, note=""):
            if done >= 5:
                raise KeyboardInterrupt

        return report

    monkeypatch.setattr(_forest, "progress_of", stopping)
    forest = RandomForestClassifier(12, random_state=3, warm_start=True, n_jobs=n_jobs)
    with pytest.warns(ConvergenceWarning, match=r"interrupted after \d+ of 12 trees.*warm_start=True"):
        forest.fit(X, Y)
    assert 1 <= len(forest) < 12
    assert forest.predict(X).shape == Y.shape
    monkeypatch.undo()
    assert same_trees(forest.fit(X, Y), grown(RandomForestClassifier, 12))


@pytest.mark.parametrize("n_jobs", [None, 2])
@pytest.mark.parametrize(
    ("cls", "options"), [(RandomForestClassifier, {}), (RandomForestClassifier, {"voting": "hard"}),
                         (RandomForestRegressor, {})], ids=["soft", "hard", "numbers"],
)  # fmt: skip
def test_progress_tells_the_error_out_of_bag(cls, options, n_jobs, capsys):
    forest = cls(8, random_state=3, oob_score=True, verbose=2, n_jobs=n_jobs, warm_start=True, **options)
    with warnings.catch_warnings():
        # After eight trees some rows are in every bag.
        warnings.simplefilter("ignore", UserWarning)
        forest.fit(X, Y + 100)
        said = capsys.readouterr().err.splitlines()
        forest.set_params(n_estimators=20, verbose=1).fit(X, Y + 100)
    said += capsys.readouterr().err.splitlines()
    told = [*range(8), *range(9, 20, 2)]
    assert said == [f"tree {t + 1} of {8 if t < 8 else 20}, out-of-bag error {forest.oob_errors_[t]:.4g}" for t in told]


def test_progress_without_out_of_bag_counts_trees(capsys):
    RandomForestClassifier(5, random_state=0, verbose=1).fit(X, Y)
    assert capsys.readouterr().err.splitlines() == [f"tree {t} of 5" for t in range(1, 6)]
    BaggingClassifier(n_estimators=2, random_state=0, verbose=1).fit(X, Y)
    assert capsys.readouterr().err.splitlines() == ["member 1 of 2", "member 2 of 2"]


@pytest.mark.spec("TRE-L08")
@pytest.mark.parametrize("cls", [ExtraTreesClassifier, ExtraTreesRegressor, RandomizedTreesClassifier])
def test_without_bootstrap_weights_are_repetitions(cls):
    weights = np.random.default_rng(0).integers(0, 3, len(X))
    weighted = cls(5, random_state=0).fit(X, Y, sample_weight=weights)
    repeated = cls(5, random_state=0).fit(np.repeat(X, weights, axis=0), np.repeat(Y, weights))
    np.testing.assert_allclose(weighted.predict(X), repeated.predict(X), atol=1e-12)
    np.testing.assert_array_equal(weighted.apply(X), repeated.apply(X))


@pytest.mark.spec("TRE-060")
def test_extra_trees_draw_thresholds_and_see_all_rows():
    forest = grown(ExtraTreesClassifier, 30, max_features=None)
    assert all(len(np.unique(rows)) == len(X) for rows in forest.estimators_samples_)
    trees = [forest.forest_.tree(t) for t in range(30)]
    assert len({float(tree.threshold[0]) for tree in trees}) == 30
    middles = [np.convolve(np.unique(X[:, j]), [0.5, 0.5], mode="valid") for j in range(X.shape[1])]
    exact = np.mean([np.min(np.abs(middles[tree.feature[0]] - tree.threshold[0])) < 1e-12 for tree in trees])
    assert exact < 0.3
    # The best of the drawn ones: the deciding columns stand at the root most often.
    assert np.mean([tree.feature[0] in (0, 1) for tree in trees]) > 0.8


@pytest.mark.spec("TRE-060")
def test_extra_trees_draw_sets_of_categories():
    kinds = np.array(list("abcdef"))[np.random.default_rng(0).integers(0, 6, 200)]
    y = np.isin(kinds, list("ace")).astype(int)
    forest = ExtraTreesClassifier(40, random_state=0).fit(pd.DataFrame({"kind": kinds}), y)
    sides = set()
    for t in range(40):
        tests = forest.forest_.tree(t).tests
        _, cells, branches, _ = tests.test(tests.which[0])
        sides.add(frozenset(cells[branches == 0].tolist()))
    assert len(sides) > 10
    assert forest.score(pd.DataFrame({"kind": kinds}), y) == 1.0


@pytest.mark.spec("TRE-057")
@pytest.mark.parametrize("cls", FORESTS, ids=lambda cls: cls.__name__)
def test_a_subspace_is_drawn_once_for_each_tree(cls):
    forest = grown(cls, 30, max_features_tree=2)
    used = [set(tree.feature[~tree.is_leaf].tolist()) for tree in (forest.forest_.tree(t) for t in range(30))]
    assert all(len(columns) <= 2 for columns in used)
    assert set().union(*used) == set(range(6))
    assert forest.forest_.tree(0).n_features == 6
    with pytest.raises(ValueError, match="max_features_tree=0"):
        grown(cls, 2, max_features_tree=0)


@pytest.mark.spec("TRE-058")
def test_each_source_of_chance_is_a_switch_of_its_own():
    def roots(**options):
        forest = grown(RandomizedTreesClassifier, 20, **options)
        trees = [forest.forest_.tree(t) for t in range(20)]
        rows = {tuple(np.sort(some)) for some in forest.estimators_samples_}
        return len(rows), {(int(tree.feature[0]), float(tree.threshold[0])) for tree in trees}

    assert [len(found) if isinstance(found, set) else found for found in roots()] == [1, 1]
    rows, tests = roots(splitter="random")
    assert (rows, len(tests)) == (1, 20)
    rows, tests = roots(max_features=1)
    # One best threshold for each column.
    assert rows == 1
    assert 1 < len(tests) == len({j for j, _ in tests})
    rows, tests = roots(max_features_tree=1)
    assert rows == 1
    assert 1 < len(tests) == len({j for j, _ in tests})
    assert roots(bootstrap=True)[0] == 20
    half = grown(RandomizedTreesClassifier, 5, max_samples=0.5)
    assert all(len(rows) == len(np.unique(rows)) == len(X) // 2 for rows in half.estimators_samples_)
    both = grown(RandomizedTreesClassifier, 20, bootstrap=True, splitter="random", max_features=2, max_features_tree=3)
    assert both.score(X, Y) > 0.9


@pytest.mark.spec("TRE-L19", "TRE-061")
@pytest.mark.parametrize("cls", CLASSIFIERS, ids=lambda cls: cls.__name__)
def test_a_soft_vote_is_the_mean_of_the_trees(cls):
    shallow = grown(cls, max_depth=3, max_features=2)
    answers = shallow.predict_trees(X)
    np.testing.assert_allclose(shallow.predict_proba(X), answers.each.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(answers.each[4], shallow.estimators_[4].predict_proba(X))
    np.testing.assert_allclose(answers.std, answers.each.std(axis=0))
    hard = grown(cls, max_depth=3, max_features=2, voting="hard")
    votes = np.mean([tree.predict(X)[:, None] == [0, 1] for tree in shallow.estimators_], axis=0)
    np.testing.assert_allclose(hard.predict_proba(X), votes)
    assert np.any(votes != shallow.predict_proba(X))
    full = grown(cls, max_features=2)
    assert set(np.unique(full.predict_trees(X).each)) == {0.0, 1.0}
    np.testing.assert_allclose(full.predict_proba(X), grown(cls, max_features=2, voting="hard").predict_proba(X))


@pytest.mark.spec("TRE-061")
def test_regression_is_the_mean_of_the_trees_with_their_spread():
    forest = grown(RandomForestRegressor)
    answers = forest.predict_trees(X)
    assert answers.each.shape == (12, len(X))
    np.testing.assert_allclose(forest.predict(X), answers.mean)
    np.testing.assert_allclose(answers.each[3], forest[3].predict(X))
    assert answers.std.max() > 0.0


@pytest.mark.spec("TRE-062")
@pytest.mark.parametrize("cls", [RandomForestClassifier, RandomForestRegressor], ids=lambda cls: cls.__name__)
def test_out_of_bag_answers_come_from_the_trees_without_the_row(cls):
    forest = cls(40, random_state=1, oob_score=True, min_samples_leaf=2, n_jobs=2).fit(X, Y)
    total, votes = 0.0, np.zeros(len(X))
    errors = []
    for rows, tree in zip(forest.estimators_samples_, forest.estimators_, strict=True):
        out = ~np.isin(np.arange(len(X)), rows)
        answers = tree.predict_proba(X) if cls is RandomForestClassifier else tree.predict(X)[:, None]
        total, votes = total + out[:, None] * answers, votes + out
        known = votes > 0
        mean = total[known] / votes[known, None]
        wrong = mean.argmax(axis=1) != Y[known] if cls is RandomForestClassifier else (mean[:, 0] - Y[known]) ** 2
        errors.append(np.mean(wrong))
    found = forest.oob_decision_function_ if cls is RandomForestClassifier else forest.oob_prediction_[:, None]
    np.testing.assert_allclose(found, total / votes[:, None], atol=1e-12)
    np.testing.assert_allclose(forest.oob_errors_, errors, atol=1e-12)
    if cls is RandomForestClassifier:
        assert forest.oob_score_ == pytest.approx(1 - forest.oob_errors_[-1])
        assert forest.oob_errors_[-1] < forest.oob_errors_[0]


@pytest.mark.spec("TRE-062")
def test_a_row_in_every_bag_has_no_answer_and_a_warning():
    with pytest.warns(UserWarning, match="rows are in the bag of every tree.*grow more trees"):
        forest = RandomForestClassifier(2, oob_score=True, random_state=0).fit(X, Y)
    seen = np.all([np.isin(np.arange(len(X)), rows) for rows in forest.estimators_samples_], axis=0)
    np.testing.assert_array_equal(np.isnan(forest.oob_decision_function_[:, 0]), seen)
    known = np.argmax(forest.oob_decision_function_[~seen], axis=1)
    assert forest.oob_score_ == pytest.approx(np.mean(known == Y[~seen]))
    with pytest.raises(ValueError, match="oob_score=True needs bootstrap=True"):
        RandomForestClassifier(2, oob_score=True, bootstrap=False).fit(X, Y)


@pytest.mark.spec("TRE-L20")
def test_out_of_bag_is_honest():
    rows, y = make_classification(2400, 10, n_informative=5, flip_y=0.15, random_state=0)
    forest = RandomForestClassifier(60, random_state=0, oob_score=True, min_samples_leaf=3).fit(rows[:800], y[:800])
    shares = [len(np.unique(some)) / 800 for some in forest.estimators_samples_]
    assert np.mean(shares) == pytest.approx(1 - np.exp(-1), abs=3 * np.std(shares) / np.sqrt(60) + 1 / 800)
    test = forest.score(rows[800:], y[800:])
    spread = np.sqrt(test * (1 - test) * (1 / 800 + 1 / 1600))
    assert abs(forest.oob_score_ - test) < 3 * spread
    assert forest.score(rows[:800], y[:800]) > test + 3 * spread  # what the trees have seen is no test
    changed = y[:800].copy()
    changed[7] = 1 - changed[7]
    other = RandomForestClassifier(60, random_state=0, oob_score=True, min_samples_leaf=3).fit(rows[:800], changed)
    np.testing.assert_array_equal(other.oob_decision_function_[7], forest.oob_decision_function_[7])
    assert np.any(other.oob_decision_function_ != forest.oob_decision_function_)


@pytest.mark.spec("TRE-050")
@pytest.mark.parametrize("cls", [RandomForestClassifier, RandomForestRegressor], ids=lambda cls: cls.__name__)
def test_permuting_a_column_out_of_bag(cls):
    forest = cls(40, random_state=0, min_samples_leaf=3, max_features=3).fit(X, Y)
    mean, std = forest.importance("oob_permutation", X, Y, random_state=0)
    assert set(np.argsort(-mean)[:2]) == {0, 1}
    assert mean[0] > 0.05
    np.testing.assert_allclose(mean[2:], 0.0, atol=0.02)
    assert np.all(std >= 0.0)
    # By hand: the rise of the error of each tree, averaged over many permutations.
    rises = []
    rng = np.random.default_rng(1)
    for rows, tree in zip(forest.estimators_samples_, forest.estimators_, strict=True):
        out = np.setdiff1d(np.arange(len(X)), rows)
        moved = X[out].copy()
        moved[:, 0] = rng.permutation(moved[:, 0])
        before, after = tree.predict(X[out]), tree.predict(moved)
        if cls is RandomForestClassifier:
            rises.append(np.mean(after != Y[out]) - np.mean(before != Y[out]))
        else:
            rises.append(np.mean((after - Y[out]) ** 2) - np.mean((before - Y[out]) ** 2))
    assert mean[0] == pytest.approx(np.mean(rises), abs=4 * np.std(rises) / np.sqrt(40))
    again = forest.set_params(n_jobs=2).importance("oob_permutation", X, Y, random_state=0)
    np.testing.assert_array_equal(again.mean, mean)


@pytest.mark.spec("TRE-050")
def test_permutation_needs_the_rows_of_fit():
    forest = grown(RandomForestClassifier, 4)
    with pytest.raises(ValueError, match="give X and y"):
        forest.importance("oob_permutation")
    with pytest.raises(ValueError, match=f"needs the {len(X)} rows of fit"):
        forest.importance("oob_permutation", X[:9], Y[:9])
    with pytest.raises(ValueError, match="out of bag"):
        grown(ExtraTreesClassifier, 4).importance("oob_permutation", X, Y)
    with pytest.raises(ValueError, match=r"kind='gain'.*oob_permutation"):
        forest.importance("gain")


@pytest.mark.spec("TRE-L06")
def test_constant_columns_have_no_importance_and_noise_has_little():
    rows = np.column_stack([X, np.full(len(X), 7.0)])
    forest = RandomForestClassifier(40, max_depth=3, max_features=None, random_state=0).fit(rows, Y)
    for kind in ("samples", "tests", "impurity"):
        mean, std = forest.importance(kind)
        assert mean[-1] == std[-1] == 0.0
        assert mean[2:6].max() < 0.5 * mean[:2].min()
    assert forest.importance("oob_permutation", rows, Y, random_state=0).mean[-1] == 0.0
    depths = [forest.forest_.tree(t).max_depth for t in range(40)]
    assert forest.importance("depth").mean[-1] == np.mean(depths)
    assert forest.feature_importances_[-1] == 0.0
    assert forest.feature_importances_[2:6].sum() < 0.25


@pytest.mark.spec("TRE-054")
@pytest.mark.parametrize("cls", FORESTS, ids=lambda cls: cls.__name__)
def test_single_rows_take_a_short_way_to_the_same_answer(cls, monkeypatch):
    forest = grown(cls)
    answers, predict_row = forest.predict(X), forest.compile_row()
    np.testing.assert_allclose([predict_row(x) for x in X[:40]], answers[:40])
    gap = X[:1].copy()
    gap[0, 0] = np.nan
    assert predict_row(gap[0]) == pytest.approx(forest.predict(gap)[0])
    monkeypatch.setattr(coded_rows, "read_rows", None)  # which the short way does not call
    np.testing.assert_allclose([forest.predict(X[i : i + 1])[0] for i in range(40)], answers[:40])
    monkeypatch.undo()
    with pytest.raises(ValueError, match="inf"):
        forest.predict(np.full((1, 6), np.inf))
    with pytest.raises(ValueError, match="5 features"):
        forest.predict(X[:1, :5])


@pytest.mark.spec("TRE-054")
def test_single_precision_goes_the_same_way_in_fit_and_prediction():
    rng = np.random.default_rng(0)
    rows = (1.0 + rng.integers(0, 300, (300, 1)) * np.finfo(np.float32).eps).astype(np.float32)
    y = (rows[:, 0].view(np.int32) % 2).astype(int)
    forest = ExtraTreesClassifier(5, random_state=0).fit(rows, y)
    assert forest.score(rows, y) == 1.0
    np.testing.assert_array_equal(forest.predict_proba(rows), forest.predict_proba(rows.astype(float)))


@pytest.mark.spec("TRE-055")
def test_the_cost_is_that_of_all_trees():
    forest = grown(RandomForestClassifier)
    cost = forest.summary(X)
    trees = [tree.tree_ for tree in forest.estimators_]
    assert cost.n_trees == 12
    assert cost.nodes == sum(tree.node_count for tree in trees)
    assert cost.leaves == sum(tree.n_leaves for tree in trees)
    assert cost.depth == max(tree.max_depth for tree in trees)
    in_bag = np.repeat(np.arange(len(X)), 1)
    paths = forest.decision_path(X[in_bag])[0].sum() - 12 * len(X)
    assert cost.tests == pytest.approx(paths / len(X), rel=0.2)  # tests of a row, on average over bags
    assert cost.bytes > 16 * cost.nodes
    assert cost.tree.nodes == sorted(tree.node_count for tree in trees)[6]
    assert min(cost.fit_seconds, cost.predict_seconds) > 0.0
    assert "one tree" in str(cost)
    assert np.isnan(forest.summary().predict_seconds)
    assert str(forest.summary().tree).splitlines()[0].split() == ["one", "tree"]


def test_the_paths_of_all_trees_side_by_side():
    forest = grown(RandomForestClassifier, 4)
    marks, starts = forest.decision_path(X)
    assert marks.shape == (len(X), starts[-1])
    for t in range(4):
        np.testing.assert_array_equal(
            marks[:, starts[t] : starts[t + 1]].toarray(), forest[t].decision_path(X).toarray()
        )


def test_sparse_rows_are_as_good_as_dense_ones():
    rows = np.where(np.abs(X) > 0.8, X, 0.0)
    dense = RandomForestClassifier(8, random_state=0).fit(rows, Y)
    thin = RandomForestClassifier(8, random_state=0).fit(sparse.csr_array(rows), Y)
    assert same_trees(dense, thin)
    np.testing.assert_array_equal(dense.predict_proba(rows), thin.predict_proba(sparse.csc_array(rows)))
    pair = thin.importance("oob_permutation", sparse.csr_array(rows), Y, random_state=0)
    np.testing.assert_array_equal(pair.mean, dense.importance("oob_permutation", rows, Y, random_state=0).mean)


@pytest.mark.parametrize("kind", [RandomForestClassifier, RandomForestRegressor])
def test_no_column_is_favoured_for_its_place(kind):
    X, y = table()
    X = np.column_stack([X[:, 0], X[:, 0], X[:, 2:]])
    shares = kind(n_estimators=150, max_features=3, random_state=0, n_jobs=2).fit(X, y).feature_importances_
    assert 0.8 < shares[0] / shares[1] < 1.25


def test_trees_stand_where_their_seeds_do_whatever_their_sizes():
    X, y = table(n=400)
    alone = RandomForestClassifier(n_estimators=20, max_depth=3, random_state=0).fit(X, y)
    shared = RandomForestClassifier(n_estimators=20, max_depth=3, random_state=0, n_jobs=3).fit(X, y)
    # The first trees are small, so that there is no room for those that follow.
    grown = RandomForestClassifier(n_estimators=3, max_depth=1, random_state=0, warm_start=True).fit(X, y)
    grown.set_params(n_estimators=20, max_depth=3).fit(X, y)
    for t in range(20):
        assert np.array_equal(alone.forest_.tree(t).nodes, shared.forest_.tree(t).nodes)
        if t >= 3:
            assert np.array_equal(alone.forest_.tree(t).nodes, grown.forest_.tree(t).nodes)
    assert len(grown.forest_.whole.answers) == grown.forest_.roots[-1]


@pytest.mark.parametrize("n_estimators", [1, 2, 3, 5])
def test_forests_of_few_trees_predict_large_tables(n_estimators):
    """Threads take groups of trees, some of which are empty then."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    forest = RandomForestRegressor(n_estimators, random_state=0).fit(X, X[:, 0])
    many = rng.normal(size=(12_000, 3))
    expected = np.mean([tree.predict(many) for tree in forest.estimators_], axis=0)
    np.testing.assert_allclose(forest.predict(many), expected, rtol=1e-12)
