"""Laws of drawing: weights are chances, sizes are as asked, members keep the rows and columns they were fitted to."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.tree import DecisionTreeClassifier as AnyTree

from gnomon.trees import (
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    RandomizedTreesClassifier,
)

IRIS, SPECIES = load_iris(return_X_y=True)
RNG = np.random.default_rng(0)
X = RNG.normal(size=(241, 4))
Y = (X[:, 0] + 0.5 * RNG.normal(size=241) > 0.0).astype(int)


def roots(forest):
    return [forest.forest_.tree(t) for t in range(len(forest))]


@pytest.mark.spec("TRE-059")
@pytest.mark.parametrize("cls", [RandomForestClassifier, RandomForestRegressor])
def test_rows_of_a_forest_are_drawn_in_proportion_to_their_weights(cls):
    weights = np.where(Y == 1, 3.0, np.where(X[:, 1] > 0.0, 1.0, 0.0))
    forest = cls(60, random_state=0).fit(X, Y, sample_weight=weights)
    drawn = np.concatenate(forest.estimators_samples_)
    assert np.all(weights[drawn] > 0.0)
    expected = np.sum(weights[Y == 1]) / np.sum(weights)
    assert np.mean(Y[drawn]) == pytest.approx(expected, abs=4 * np.sqrt(0.25 / len(drawn)))
    # A row counts once for each time that it was drawn.
    for tree, rows in zip(roots(forest), forest.estimators_samples_, strict=True):
        assert tree.weight[0] == len(rows) == len(X)
        assert tree.answers[0, -1] == pytest.approx(np.mean(Y[rows]))


@pytest.mark.spec("TRE-059")
def test_a_bag_never_lacks_weight():
    weights = np.zeros(len(X))
    weights[[3, 50, 120]] = 1e-9, 5.0, 0.2
    forest = RandomForestClassifier(30, max_samples=2, random_state=0).fit(X, Y, sample_weight=weights)
    np.testing.assert_allclose(forest.predict_proba(X).sum(axis=1), 1.0)
    pasted = RandomizedTreesClassifier(30, max_samples=2, random_state=0).fit(X, Y, sample_weight=weights)
    np.testing.assert_allclose(pasted.predict_proba(X).sum(axis=1), 1.0)


@pytest.mark.spec("TRE-059", "TRE-031")
@pytest.mark.parametrize("prices", ["balanced", {0: 1.0, 1: 3.0}])
def test_class_weights_are_chances_too(prices):
    rare = np.flatnonzero((Y == 0) | (np.arange(len(Y)) % 5 == 0))
    forest = RandomForestClassifier(80, class_weight=prices, random_state=0).fit(X[rare], Y[rare])
    found = np.mean([np.mean(Y[rare][rows]) for rows in forest.estimators_samples_])
    prices = {0: 1.0, 1: np.sum(Y[rare] == 0) / np.sum(Y[rare] == 1)} if prices == "balanced" else prices
    ones = prices[1] * np.sum(Y[rare] == 1)
    assert found == pytest.approx(ones / (ones + np.sum(Y[rare] == 0)), abs=0.03)


@pytest.mark.spec("TRE-059", "TRE-031")
@pytest.mark.parametrize("prices", ["balanced", "balanced_subsample"])
@pytest.mark.parametrize("cls", [RandomForestClassifier, ExtraTreesClassifier])
def test_a_class_without_weight_does_not_matter(cls, prices):
    weights = (SPECIES < 2).astype(float)
    weighted = cls(5, class_weight=prices, random_state=0).fit(IRIS, SPECIES, sample_weight=weights)
    assert np.all(weighted.predict_proba(IRIS)[:, 2] == 0.0)
    np.testing.assert_allclose(weighted.predict_proba(IRIS).sum(axis=1), 1.0)


@pytest.mark.spec("TRE-059")
def test_without_bags_balanced_subsample_is_balanced():
    weights = RNG.integers(1, 4, len(X))
    one, other = (
        ExtraTreesClassifier(4, class_weight=word, random_state=0, min_samples_leaf=9).fit(X, Y, sample_weight=weights)
        for word in ("balanced", "balanced_subsample")
    )
    np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))
    np.testing.assert_allclose(one.forest_.tree(0).answers[0], 0.5)


@pytest.mark.spec("TRE-034", "TRE-059")
@pytest.mark.parametrize("max_samples", [0.1, 3.0])
@pytest.mark.parametrize("balance", [None, "balanced_subsample"])
def test_stop_rules_are_shares_of_the_weight_of_the_bag(max_samples, balance):
    options = {"max_samples": max_samples, "class_weight": balance, "max_features": None, "random_state": 0}
    forest = RandomForestClassifier(10, min_weight_fraction_leaf=0.1, **options).fit(X, Y)
    for tree in roots(forest):
        assert tree.n_leaves > 1
        assert np.all(tree.weight >= 0.1 * tree.weight[0] - 1e-9)
    forest = RandomForestClassifier(10, min_impurity_decrease=0.02, **options).fit(X, Y)
    for tree in roots(forest):
        inner = ~tree.is_leaf
        assert inner[0]
        assert np.all((tree.weight * tree.gain)[inner] >= 0.02 * tree.weight[0] - 1e-9)


@pytest.mark.spec("TRE-059")
@pytest.mark.parametrize(
    ("max_samples", "size"), [(None, 241), (50, 50), (500, 500), (0.7, 168), (1.0, 241), (2.5, 602)]
)
def test_bags_are_as_large_as_asked(max_samples, size):
    forest = RandomForestClassifier(3, max_samples=max_samples, max_depth=1, random_state=0).fit(X, Y)
    assert {len(rows) for rows in forest.estimators_samples_} == {size}


@pytest.mark.spec("TRE-059", "TRE-056")
@pytest.mark.parametrize("cls", [RandomForestClassifier, BaggingClassifier])
def test_a_fraction_is_one_of_the_total_weight(cls):
    options = {"n_estimators": 3, "random_state": 0}
    heavy = cls(max_samples=0.5, **options).fit(X, Y, sample_weight=np.full(len(X), 2.0))
    assert {len(rows) for rows in heavy.estimators_samples_} == {241}
    with pytest.warns(UserWarning, match=r"max_samples=0\.5 of a total weight of 1 draws a low number of rows, 1"):
        cls(max_samples=0.5, **options).fit(X, Y, sample_weight=np.full(len(X), 1 / 241))


@pytest.mark.parametrize("cls", [RandomForestClassifier, BaggingClassifier])
@pytest.mark.parametrize("max_samples", [0, 0.0, -0.5, -3])
def test_sizes_of_nothing_are_refused(cls, max_samples):
    with pytest.raises(ValueError, match="max_samples"):
        cls(max_samples=max_samples).fit(X, Y)


@pytest.mark.parametrize(("share", "unit"), [(1e308, 1.0), (1.0, 1e300), (np.finfo(float).max, 1.0)])
def test_a_bag_that_no_memory_holds_is_refused(share, unit):
    with pytest.raises(ValueError, match=r"max_samples=.* would draw .* rows; give a whole number"):
        RandomForestClassifier(2, max_samples=share).fit(X, Y, sample_weight=np.full(len(X), unit))


@pytest.mark.spec("TRE-056")
def test_a_sample_without_replacement_is_no_larger_than_there_are_rows():
    with pytest.raises(ValueError, match="asks for 300 rows without replacement, and 241 of 241"):
        BaggingClassifier(max_samples=300, bootstrap=False).fit(X, Y)
    with pytest.raises(ValueError, match="asks for 300 rows without replacement"):
        RandomizedTreesClassifier(max_samples=300).fit(X, Y)
    weights = (np.arange(len(X)) < 100).astype(float)
    with (
        pytest.warns(UserWarning, match="bootstrap=True"),
        pytest.raises(ValueError, match=r"101 rows without replacement, and 100 of 241 have .* give fewer"),
    ):
        BaggingClassifier(max_samples=101, bootstrap=False).fit(X, Y, sample_weight=weights)
    with pytest.warns(UserWarning, match="recommended to use bootstrap=True"):
        bag = BaggingClassifier(max_samples=100, bootstrap=False).fit(X, Y, sample_weight=weights)
    assert all(np.array_equal(rows, np.arange(100)) for rows in bag.estimators_samples_)


@pytest.mark.spec("TRE-056", "TRE-057")
def test_members_keep_their_rows_and_columns():
    bag = BaggingClassifier(n_estimators=5, max_features=2, max_samples=60, warm_start=True, random_state=0)
    before = bag.fit(X, Y).predict_proba(X)
    rows, columns = bag.estimators_samples_, bag.estimators_features_
    bag.set_params(n_estimators=9, max_features=3, max_samples=None, bootstrap_features=True, oob_score=True)
    bag.fit(X, Y)
    for t in range(5):
        np.testing.assert_array_equal(bag.estimators_samples_[t], rows[t])
        np.testing.assert_array_equal(bag.estimators_features_[t], columns[t])
    assert [len(some) for some in bag.estimators_samples_] == [60] * 5 + [241] * 4
    assert [len(some) for some in bag.estimators_features_] == [2] * 5 + [3] * 4
    kept = [bag[t].predict_proba(X[:, columns[t]]) for t in range(5)]
    np.testing.assert_allclose(np.mean(kept, axis=0), before)
    total, votes = np.zeros((241, 2)), np.zeros(241)
    for member, some, used in zip(bag, bag.estimators_samples_, bag.estimators_features_, strict=True):
        out = ~np.isin(np.arange(241), some)
        total[out] += member.predict_proba(X[:, used])[out]
        votes += out
    np.testing.assert_allclose(bag.oob_decision_function_, total / votes[:, None])


@pytest.mark.spec("TRE-059", "TRE-062")
def test_trees_keep_their_bags():
    forest = RandomForestClassifier(5, max_samples=60, warm_start=True, random_state=0).fit(X, Y)
    rows = forest.estimators_samples_
    forest.set_params(n_estimators=40, max_samples=None, oob_score=True).fit(X, Y, sample_weight=1.0 + Y)
    for t in range(5):
        np.testing.assert_array_equal(forest.estimators_samples_[t], rows[t])
    assert [len(some) for some in forest.estimators_samples_] == [60] * 5 + [241] * 35
    total, votes = np.zeros((241, 2)), np.zeros(241)
    for tree, some in zip(forest, forest.estimators_samples_, strict=True):
        out = ~np.isin(np.arange(241), some)
        total[out] += tree.predict_proba(X)[out]
        votes += out
    np.testing.assert_allclose(forest.oob_decision_function_, total / votes[:, None])


@pytest.mark.spec("TRE-059", "TRE-050")
def test_trees_of_other_rows_have_no_out_of_bag_rows_in_common():
    forest = RandomForestClassifier(3, warm_start=True, random_state=0).fit(X[:100], Y[:100])
    forest.set_params(n_estimators=6).fit(X, Y)
    assert [int(np.max(rows)) < 100 for rows in forest.estimators_samples_] == [True] * 3 + [False] * 3
    with pytest.raises(ValueError, match="warm_start kept trees of a fit to other rows"):
        forest.importance("oob_permutation", X, Y)
    with pytest.raises(ValueError, match="grown from 100"):
        forest.set_params(n_estimators=8, oob_score=True).fit(X, Y)


@pytest.mark.parametrize("model", [RandomForestClassifier(3), BaggingRegressor(AnyTree(), 3)], ids=str)
def test_a_warm_start_without_new_members_warns(model):
    model.set_params(warm_start=True, random_state=0).fit(X, Y)
    with pytest.warns(UserWarning, match="without increasing n_estimators"):
        model.fit(X, Y)
    assert len(model) == 3


@pytest.mark.parametrize("cls", [RandomForestClassifier, RandomForestRegressor])
def test_negative_prices_of_leaves_are_refused(cls):
    with pytest.raises(ValueError, match=r"ccp_alpha=-0\.1"):
        cls(2, ccp_alpha=-0.1).fit(X, Y)


@pytest.mark.spec("TRE-066", "TRE-050")
def test_what_matters_to_a_forest_without_labels():
    table = X.copy()
    table[:, 1] = table[:, 0] + 0.05 * RNG.normal(size=len(X))
    forest = RandomForestClassifier(40, random_state=0).fit_unsupervised(table)
    mean, _ = forest.importance("oob_permutation", table, np.ones(len(X), dtype=int), random_state=0)
    # A real row is told by what two columns have in common.
    assert mean[:2].min() > 2 * mean[2:].max()


class Quiet(DummyClassifier):
    """Its `fit` returns nothing, and keeps the form of its rows."""

    def fit(self, X, y):
        super().fit(X, y)
        self.form_ = type(X)


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_array, sparse.csr_matrix, sparse.csc_matrix])
def test_members_are_kept_and_see_the_form_of_the_rows_that_were_given(form):
    model = BaggingClassifier(Quiet(), n_estimators=2, random_state=0).fit(form(X), Y)
    assert [member.form_ for member in model.estimators_] == [form, form]


@pytest.mark.parametrize("warm_start", [False, True])
@pytest.mark.parametrize("cls", [BaggingClassifier, BaggingRegressor])
def test_answers_out_of_bag_are_those_of_the_last_fit_or_none(cls, warm_start):
    model = cls(n_estimators=20, oob_score=True, random_state=0).fit(X, Y)
    model.set_params(oob_score=False, warm_start=warm_start, n_estimators=21).fit(X, Y)
    assert not [name for name in vars(model) if name.startswith("oob_") and name.endswith("_")]
