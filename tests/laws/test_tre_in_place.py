"""Laws of trees that are grown where the table stands: they are the trees of coded columns."""

import numpy as np
import pytest

from criterion_cases import CRITERIA, labels
from daily import daily
from gnomon.numerics.parallel import Team
from gnomon.search import Gini, code_columns, grow_in_place, grow_tree
from gnomon.search import _grow_in_place as in_place
from gnomon.search._intervals import INTERVALS
from gnomon.trees import DecisionTreeClassifier
from gnomon.trees import _forms as forms

N, P = 1500, 5


@pytest.fixture(autouse=True)
def _few_rows(monkeypatch):
    monkeypatch.setattr(in_place, "SMALL_SUBTREE", 100)


def with_gaps(X, rng, share=0.1):
    X[rng.random(X.shape) < share] = np.nan
    return X


TABLES = {
    "normal": lambda rng: rng.normal(size=(N, P)),
    "single precision": lambda rng: rng.normal(size=(N, P)).astype(np.float32),
    "column by column": lambda rng: np.asfortranarray(rng.normal(size=(N, P))),
    "every other column": lambda rng: rng.normal(size=(N, 2 * P))[:, ::2],
    "rounded": lambda rng: rng.normal(size=(N, P)).round(1),
    "few values": lambda rng: rng.integers(0, 3, (N, P)).astype(float),
    "heavy tails": lambda rng: rng.standard_cauchy((N, P)) ** 3,
    "mostly zero": lambda rng: rng.normal(size=(N, P)) * (rng.random((N, P)) < 0.03),
    "constant columns": lambda rng: rng.normal(size=(N, P)) * [1.0, 0.0, 1.0, 0.0, 1.0],
    "largest numbers": lambda rng: rng.uniform(-1.0, 1.0, (N, P)) * np.finfo(float).max,
    "least numbers": lambda rng: rng.integers(-50, 50, (N, P)) * np.finfo(float).smallest_subnormal,
    "far from zero": lambda rng: 1e9 + rng.normal(size=(N, P)),
    "gaps": lambda rng: with_gaps(rng.normal(size=(N, P)), rng),
    "gaps in few values": lambda rng: with_gaps(rng.integers(0, 3, (N, P)).astype(np.float32), rng, 0.4),
    "a column of gaps": lambda rng: rng.normal(size=(N, P)) * [1.0, np.nan, 1.0, 1.0, 1.0],
}


def signal(X):
    rank = np.argsort(np.argsort(np.nan_to_num(X[:, 0]))) / len(X)
    return rank + (np.nan_to_num(X[:, 2]) > 0.0)


BOUNDED = {
    name: case for name, case in CRITERIA.items() if case.may_use("grow_in_place") and not name.startswith("own")
}

NO_LIMITS = {
    "min_samples_split": 2,
    "min_samples_leaf": 1,
    "min_weight_leaf": 0.0,
    "min_impurity": 0.0,
    "min_gain": 0.0,
}
TEAM = Team(1)

LIMITS = (
    {},
    {"max_depth": 4},
    {"min_samples_leaf": 30},
    {"min_samples_split": 200},
    {"min_weight_leaf": 25.5},
    {"min_gain": 2.0},
    {"min_impurity": 0.2},
)


def assert_same(tree, other, exact):
    assert np.array_equal(tree.feature, other.feature)
    assert np.array_equal(tree.threshold, other.threshold)
    for name in ("n_rows", "missing", "ends", "children_right"):
        assert np.array_equal(getattr(tree, name), getattr(other, name)), name
    for name in ("answers", "impurity", "weight"):
        one, two = getattr(tree, name), getattr(other, name)
        assert np.array_equal(one, two) if exact else np.allclose(one, two, rtol=1e-9, atol=1e-9), name


def both(X, y, criterion, w=None, **limits):
    coded = grow_tree(code_columns(X), y, criterion, sample_weight=w, **limits)
    return grow_in_place(X, y, criterion, sample_weight=w, **limits), coded


CASES = [(table, "Gini, 2 classes") for table in TABLES] + [
    (table, criterion) for table in ("normal", "rounded", "mostly zero", "gaps") for criterion in list(BOUNDED)[1:]
]


@pytest.mark.parametrize(
    ("table", "criterion"), daily(CASES, *(case for case in CASES if case[1] in ("Gini, 2 classes", "squared error")))
)
def test_the_tree_is_that_of_coded_columns(table, criterion):
    rng = np.random.default_rng(0)
    X = TABLES[table](rng)
    noun = BOUNDED[criterion].criterion
    tree, coded = both(X, BOUNDED[criterion].draw(signal(X), rng), noun)
    assert tree.node_count > 3
    assert_same(tree, coded, exact=noun.classes)


@pytest.mark.parametrize("gaps", [0.0, 0.2])
@pytest.mark.parametrize("criterion", daily(BOUNDED, "Gini, 2 classes", "Gini, 3 classes", "squared error", "Poisson"))
def test_no_cut_is_better_than_the_bound_of_its_interval(criterion, gaps):
    rng = np.random.default_rng(8)
    X = with_gaps(rng.normal(size=(N, 3)), rng, gaps)
    noun = BOUNDED[criterion].criterion
    y = BOUNDED[criterion].draw(signal(X), rng)
    top = in_place._IntervalSplitter(X, y, noun, np.ones(N), np.arange(N, dtype=np.int32), None, NO_LIMITS, TEAM)
    width, flat = noun.size + 1, np.ravel(y)

    def sums_of(rows):
        sums = np.zeros(width)
        for i in rows:
            noun.tally(sums, 0, flat, i, 1.0)
        return sums

    whole = sums_of(range(N))
    node_data = in_place._NodeData(
        top.rows, np.concatenate([whole, np.zeros(5 * width)]), 0.0, *in_place._ranges(X, top.rows)
    )
    end = top._bound_columns(node_data, 0, 3)[0]
    lost, order = sums_of(np.flatnonzero(np.isnan(X[:, 0]))), np.argsort(X[:, 0])[: int(np.sum(~np.isnan(X[:, 0])))]
    left, best = np.zeros(width), -np.inf
    places = np.clip((X[order, 0] - node_data.low[0]) * node_data.per_unit[0], 0, INTERVALS - 1).astype(int)
    for i, row in enumerate(order[:-1]):
        left = left + sums_of([row])
        for side in (left, left + lost):
            merit = noun.merit(side, 0) + noun.merit(whole - side, 0)
            assert merit <= top.bounds[0, places[i]] + 1e-9 * abs(merit) or merit == -np.inf
            best = max(best, merit)
    assert -np.inf < end <= best + 1e-9 * abs(best)


@pytest.mark.parametrize("limits", LIMITS, ids=str)
@pytest.mark.parametrize("criterion", ["Gini, 2 classes", "squared error", "Poisson"])
def test_limits_are_kept(criterion, limits):
    rng = np.random.default_rng(1)
    X = with_gaps(rng.normal(size=(N, P)), rng, 0.05)
    noun = BOUNDED[criterion].criterion
    assert_same(*both(X, BOUNDED[criterion].draw(signal(X), rng), noun, **limits), exact=noun.classes)


@pytest.mark.parametrize("table", ["normal", "rounded", "gaps"])
@pytest.mark.parametrize("criterion", ["Gini, 3 classes", "squared error"])
def test_weights_are_repetitions(criterion, table):
    rng = np.random.default_rng(2)
    X = TABLES[table](rng)
    noun = BOUNDED[criterion].criterion
    y, w = BOUNDED[criterion].draw(signal(X), rng), rng.integers(0, 4, N)
    tree, coded = both(X, y, noun, w.astype(float))
    assert_same(tree, coded, exact=noun.classes)
    repeated = grow_in_place(np.repeat(X, w, axis=0), np.repeat(y, w, axis=0), noun)
    assert np.array_equal(tree.feature, repeated.feature)
    assert np.array_equal(tree.threshold, repeated.threshold)
    assert np.allclose(tree.weight, repeated.weight)


def test_threads_and_read_only_tables_make_no_difference():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(N, P))
    y = labels(3)(signal(X), rng)
    tree = grow_in_place(X, y, Gini(3))
    X.flags.writeable = False
    for n_jobs in (2, 4):
        assert_same(grow_in_place(X, y, Gini(3), n_jobs=n_jobs), tree, exact=True)


@pytest.mark.parametrize("max_depth", [0, 1, 7, 30, 31, 32, 36, 45, np.int8(10), np.int32(35), np.int64(200)])
def test_depths_of_any_size_and_type(max_depth):
    rng = np.random.default_rng(6)
    X, y = rng.normal(size=(N, P)), rng.integers(0, 2, N)
    tree, coded = both(X, y, Gini(2), max_depth=max_depth)
    assert_same(tree, coded, exact=True)
    assert tree.max_depth <= max_depth


def test_infinite_numbers_are_the_least_and_the_largest():
    rng = np.random.default_rng(7)
    X = rng.normal(size=(N, 2))
    chance = rng.random(N)
    X[chance < 0.3, 0], X[chance > 0.7, 0] = -np.inf, np.inf
    y = ((X[:, 0] == -np.inf) ^ (X[:, 1] > 0.0)).astype(int)
    assert_same(*both(X, y, Gini(2)), exact=True)


def test_a_rare_class_is_cut_where_it_begins():
    n = 1_000_000
    y = np.zeros(n, dtype=int)
    y[n // 2 + 37] = 1
    tree = grow_in_place(np.arange(n, dtype=float)[:, None], y, Gini(2))
    assert tree.threshold[0] in (n // 2 + 36.5, n // 2 + 37.5)
    assert tree.node_count == 5


@pytest.mark.parametrize("name", [name for name, case in CRITERIA.items() if not case.may_use("grow_in_place")])
def test_criteria_without_bounds_are_refused(name):
    noun = CRITERIA[name].criterion
    with pytest.raises(ValueError, match=r"criterion=.* lacks what grow_in_place needs: .*=True .*; use grow_tree"):
        grow_in_place(np.zeros((3, 1)), np.zeros(3), noun)


@pytest.mark.parametrize("rows", [1, 2, 100, 101])
def test_few_rows_and_one_class(rows):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(rows, P))
    assert_same(*both(X, rng.integers(0, 2, rows), Gini(2)), exact=True)
    assert grow_in_place(X, np.zeros(rows, dtype=int), Gini(2)).node_count == 1


def test_an_estimator_grows_the_same_tree_either_way(monkeypatch):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(N, P)).astype(np.float32)
    y = np.array(["a", "b", "c"])[labels(3)(signal(X), rng)]
    coded = DecisionTreeClassifier(random_state=0).fit(X, y)
    monkeypatch.setattr(forms, "IN_PLACE_FROM", 200)
    monkeypatch.setattr(forms, "grow_tree", None)
    model = DecisionTreeClassifier(random_state=0).fit(X, y)
    assert_same(model.tree_, coded.tree_, exact=True)
    assert np.array_equal(model.predict_proba(X), coded.predict_proba(X))
    assert np.array_equal(model.tree_.value, coded.tree_.value)
