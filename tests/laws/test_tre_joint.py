"""Histograms of columns that are filled together are those of columns filled one by one."""

import numpy as np
import pytest

from gnomon.numerics.parallel import team
from gnomon.search import Gini, Newton, SquaredError, code_columns
from gnomon.search import _grow as grow
from gnomon.search._joint import CROWDED, MOST_JOINT_CODES, each_alone, join_columns

# Every case compiles kernels of its own; what they do is seen daily through the estimators.
pytestmark = pytest.mark.slow


def table(n=3000, seed=0):
    """Columns that tell each other, of few codes, nearly constant, with gaps, a category, and two of many codes."""
    rng = np.random.default_rng(seed)
    few = rng.integers(0, 5, (n, 4)).astype(float)
    rare = np.where(rng.random(n) < 0.05, rng.integers(1, 90, n), 0)
    other = np.where((rare == 0) & (rng.random(n) < 0.05), rng.integers(1, 90, n), 0)
    gaps = np.where(rng.random(n) < 0.1, np.nan, rng.integers(0, 7, n))
    X = np.column_stack([few, few[:, 0] ** 3, rare, other, gaps, rng.integers(0, 12, n), rng.normal(size=(n, 2))])
    y = few[:, 0] + 2.0 * (rare > 40) - np.nan_to_num(gaps) + (X[:, 8] % 3) + np.round(2.0 * X[:, 9])
    return X, np.round(y + rng.normal(size=n))


def coded():
    X, y = table()
    category = np.zeros(X.shape[1], dtype=bool)
    category[8] = True
    return code_columns(X, category=category, bins=255), y


def test_joint_codes_tell_the_codes_of_every_column():
    columns, _ = coded()
    joint = join_columns(columns)
    assert np.array_equal(np.sort(joint.members), np.arange(len(columns.sizes)))
    assert len(joint.sizes) < len(columns.sizes)
    assert np.max(joint.sizes) <= MOST_JOINT_CODES
    for b in range(len(joint.sizes)):
        several = joint.places[b] >= each_alone(columns).n_entries
        assert not several or np.array_equal(np.unique(joint.codes[b]), np.arange(joint.sizes[b]))
        for k in range(joint.starts[b], joint.starts[b + 1]):
            j = joint.members[k]
            found = joint.parts[joint.codes[b], k] - columns.starts[j] - j if several else joint.codes[b]
            assert np.array_equal(found, columns.codes[j])


def test_codes_that_many_rows_have_are_divided():
    columns, _ = coded()
    joint = join_columns(columns)
    for codes, size in zip(joint.codes, joint.sizes, strict=True):
        assert np.max(np.bincount(codes)) <= len(codes) / CROWDED[0] + size or size > MOST_JOINT_CODES // 2


def test_columns_of_many_codes_stay_alone():
    X = np.random.default_rng(0).normal(size=(2000, 5))
    columns = code_columns(X, bins=255)
    assert join_columns(columns).codes is each_alone(columns).codes


@pytest.mark.parametrize("p", range(5, 12))
def test_sums_of_joint_codes_have_places_of_their_own(p):
    rng = np.random.default_rng(p)
    columns = code_columns(rng.integers(0, 9, (3000, p)).astype(float), bins=255)
    grower = grow.Grower(columns, rng.normal(size=3000), SquaredError(), np.ones(3000), most_rows=3000)
    joint, width = grower.joint, SquaredError().size + 1
    assert len(joint.sizes) < p
    several = joint.places >= each_alone(columns).n_entries
    taken = [np.arange(each_alone(columns).n_entries)]
    taken += [np.arange(at, at + size) for at, size in zip(joint.places[several], joint.sizes[several], strict=True)]
    assert np.array_equal(np.concatenate(taken), np.arange(joint.n_entries))
    assert grower.work.histograms.sums.shape[1] >= joint.n_entries * width


@pytest.mark.parametrize("max_leaf_nodes", [None, 31])
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize(
    ("criterion", "floor"),
    [(Newton(1.0), -np.inf), (SquaredError(), 0.0), (Gini(3), 0.0)],
    ids=["newton", "squared_error", "gini"],
)
def test_trees_are_those_of_columns_one_by_one(criterion, floor, n_jobs, max_leaf_nodes, monkeypatch):
    # All sums are of whole numbers, hence the same in any order.
    columns, y = coded()
    y = (y % 3).astype(np.int32) if criterion.classes else y
    options, trees = {"max_leaf_nodes": max_leaf_nodes, "min_impurity": floor}, []
    for join in (join_columns, each_alone):
        monkeypatch.setattr(grow, "join_columns", join)
        with team(n_jobs) as run:
            grower = grow.Grower(columns, y, criterion, np.ones(len(y)), most_rows=len(y), run=run, **options)
            trees.append(grower.grow(np.arange(len(y)), 0)[0])
    assert trees[0].node_count > 20
    for name in ("feature", "threshold", "children_right", "answers", "n_rows", "missing", "ends"):
        one, two = (getattr(tree, name) for tree in trees)
        assert np.array_equal(one, two, equal_nan=name == "threshold"), name
