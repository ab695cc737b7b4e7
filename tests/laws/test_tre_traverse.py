"""Laws of rows that go down trees: a row ends where equation (1) of `search.traverse` sends it, in whatever company."""

import numpy as np
import pytest

from gnomon.search import LEAF, Gini, code_columns, grow_general_tree, grow_tree, traverse
from gnomon.search import tree as trees

# Every case compiles kernels of its own; what they do is seen daily through the estimators.
pytestmark = pytest.mark.slow


def alone(tree, x):
    """The leaf of one row, by the definition."""
    node = 0
    while tree.feature[node] != LEAF:
        j, t, k = tree.feature[node], tree.threshold[node], tree.tests.which[node]
        branch = -1
        if k >= 0:
            kind, cells, branches, coefs = tree.tests.test(k)
            if kind == 2:
                total = sum(c * x[cell] for c, cell in zip(coefs[:-1], cells[:-1], strict=True))
                branch = -1 if np.isnan(total) else int(total > coefs[-1])
            elif kind == 1 and not np.isnan(x[j]):
                branch = branches[0 if x[j] < coefs[0] else 1 if x[j] == coefs[0] else 2]
            elif kind == 0:
                branch = next((b for cell, b in zip(cells, branches, strict=True) if cell == x[j]), -1)
        elif not np.isnan(x[j]):
            branch = int(x[j] > t)
        branch = branch if branch >= 0 else tree.missing[node]
        if branch < 0:
            break
        node = tree.children(node)[branch]
    return node


def rows_of_all_kinds(rng, n, gaps, category):
    X = np.column_stack([rng.normal(size=n), rng.integers(0, 9, n), rng.normal(size=n).round(1)])
    X[:, 1] = X[:, 1] if category else X[:, 1] - rng.random(n)
    X[rng.random(X.shape) < gaps] = np.nan
    return X


FORMS = {
    "cuts": (grow_tree, {}, 0.0, False),
    "cuts with gaps": (grow_tree, {}, 0.1, False),
    "sets": (grow_tree, {}, 0.0, True),
    "sets with gaps": (grow_tree, {}, 0.1, True),
    "three ways": (grow_general_tree, {"numeric_test": "three_way"}, 0.1, False),
    "branches for values": (grow_general_tree, {"categorical_split": "multiway"}, 0.1, True),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("form", FORMS)
def test_many_rows_go_where_each_goes_alone(form, dtype, monkeypatch):
    grow, options, gaps, category = FORMS[form]
    rng = np.random.default_rng(0)
    X = rows_of_all_kinds(rng, 1500, gaps, category).astype(dtype)
    y = rng.integers(0, 2, 1500)
    tree = grow(code_columns(X.astype(float), category=[False, category, False]), y, Gini(2), **options)
    # What was not met before goes down too: gaps where there were none, other categories.
    new = rows_of_all_kinds(rng, 3000, max(gaps, 0.02), category).astype(dtype)
    for rows in (X, new):
        expected = np.array([alone(tree, x) for x in rows])
        assert np.array_equal(tree.apply(rows), expected)
        assert np.array_equal(np.concatenate([tree.apply(part) for part in np.array_split(rows, 200)]), expected)
        monkeypatch.setattr(traverse, "MOST_NODES_PER_ROW", 0)
        assert np.array_equal(tree.apply(rows), expected)
        monkeypatch.undo()


def cuts_at(thresholds, n_features=1, feature=0):
    """A tree that asks for ever larger thresholds, and stops at the first that is not passed."""
    n = 2 * len(thresholds) + 1
    nodes = np.zeros(n, dtype=trees.NODE)
    nodes["feature"], nodes["threshold"], nodes["right"] = LEAF, LEAF, -1
    inner = np.arange(0, n - 1, 2)
    nodes["feature"][inner], nodes["threshold"][inner], nodes["right"][inner] = feature, thresholds, inner + 2
    ends = np.where(np.isin(np.arange(n), inner), n, np.arange(1, n + 1)).astype(np.int32)
    some = np.zeros(n)
    return trees.Tree(nodes=nodes, answers=some[:, None], impurity=some, weight=some, n_rows=some, ends=ends,
                missing=np.zeros(n, dtype=np.int16), n_features=n_features, tests=trees.Tests.none(n))  # fmt: skip


def test_thresholds_between_neighbours_of_single_precision():
    steps = np.array([1.0, 0.0, -0.0, 1e-45, 3e38, -1.0, -1e-45], dtype=np.float32)
    values = np.unique(np.concatenate([steps, np.nextafter(steps, np.float32(np.inf)), -steps, [-np.inf, np.inf]]))
    with np.errstate(over="ignore"):
        between = values[:-1].astype(float) / 2 + values[1:].astype(float) / 2
    cuts = np.concatenate([between, values, [-1e-60, 1e300]])
    thresholds = np.unique(cuts[np.isfinite(cuts)])
    tree = cuts_at(thresholds)
    X = np.tile(values, 500)[:, None].astype(np.float32)
    assert np.array_equal(tree.apply(X), [alone(tree, x) for x in X])


@pytest.mark.parametrize(("columns", "cuts"), [(5000, 5), (1, 2**18 + 1)], ids=["many columns", "many nodes"])
def test_numbers_that_four_bytes_do_not_hold(columns, cuts):
    tree = cuts_at(np.arange(cuts, dtype=float), columns, columns - 1)
    n = max(traverse.MANY_ROWS, cuts // 50)
    X = np.zeros((n, columns), dtype=np.float32)
    X[:, -1] = np.random.default_rng(0).integers(0, cuts + 1, n)
    assert np.array_equal(tree.apply(X), 2 * X[:, -1] + (X[:, -1] < cuts))
