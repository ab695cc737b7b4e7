"""Laws of pruning: each method returns the best there is, found by enumeration or by a recursion written out."""

from itertools import product

import numpy as np
import pytest
from scipy.special import bdtr

from gnomon.search import (
    Gini,
    Misclassification,
    SquaredError,
    code_columns,
    cut_at,
    grow_general_tree,
    grow_tree,
    prune_error_based,
    prune_pessimistic,
    prune_reduced_error,
    prune_tree,
    pruning_path,
    refit_nodes,
    upper_error_rate,
)
from gnomon.trees import DecisionTreeClassifier, prune_cv

LOSSES = ("impurity", "misclassification")


def rows(seed, n=24, p=3, classes=3):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (n, p)).astype(float)
    y = np.where(rng.random(n) < 0.6, (X[:, 0] + X[:, 1]) % classes, rng.integers(0, classes, n)).astype(np.int32)
    return X, y, rng


def binary(seed, **options):
    X, y, rng = rows(seed, **options)
    w = rng.integers(1, 4, len(y)).astype(float)
    return X, y, w, grow_tree(code_columns(X), y, Gini(3), sample_weight=w, max_depth=4)


def deep(seed):
    X, y, w, _ = binary(seed, n=90, p=4)
    return X, y, w, grow_tree(code_columns(X), y, Gini(3), sample_weight=w)


def multiway(seed, missing="own_value", holes=0.0):
    X, y, rng = rows(seed)
    X[rng.random(X.shape) < holes] = np.nan
    w = rng.integers(1, 4, len(y)).astype(float)
    columns = code_columns(X, category=[True, True, False])
    options = {"categorical_split": "multiway", "reuse_features": False, "missing": missing, "max_depth": 2}
    return X, y, w, grow_general_tree(columns, y, Gini(3), sample_weight=w, **options)


TREES = [(grow, seed) for grow in (binary, multiway) for seed in range(4)]


def prunings(tree, node=0):
    """The sets of leaves of all subtrees with the same root."""
    yield frozenset([node])
    if tree.children(node):
        for parts in product(*(list(prunings(tree, child)) for child in tree.children(node))):
            yield frozenset().union(*parts)


def best_pruning(cost):
    """The smallest of the sets of leaves with the least cost; they must be nested."""
    least = min(cost.values())
    best = [leaves for leaves, value in cost.items() if value <= least + 1e-9]
    smallest = min(best, key=len)
    assert sum(len(leaves) == len(smallest) for leaves in best) == 1
    return smallest


def same_tree(one, other):
    for name in ("feature", "threshold", "children_right", "ends", "answers", "impurity", "weight", "n_rows"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


def same_leaves(tree, pruned, leaves):
    same_tree(pruned, cut_at(tree, sorted(leaves)))


@pytest.mark.spec("TRE-035", "TRE-036", "TRE-L14")
@pytest.mark.parametrize(("grow", "seed"), TREES)
@pytest.mark.parametrize("loss", LOSSES)
def test_each_tree_of_the_path_is_the_smallest_minimiser(grow, seed, loss):
    *_, tree = grow(seed)
    each = tree.impurity if loss == "impurity" else 1.0 - tree.answers.max(axis=1)
    cost = tree.weight / tree.weight[0] * each
    everything = list(prunings(tree))
    assert len(everything) > 10
    path = pruning_path(tree, loss=loss)
    assert path.alphas[0] == 0.0
    assert np.all(np.diff(path.alphas) > 0.0)
    assert np.all(np.diff(path.leaves) < 0)
    assert path.leaves[-1] == 1
    between = np.sqrt(path.alphas[1:-1] * path.alphas[2:])
    for alpha in [*path.alphas, *between, path.alphas[-1] + 1.0]:
        smallest = best_pruning({leaves: sum(cost[list(leaves)]) + alpha * len(leaves) for leaves in everything})
        same_leaves(tree, prune_tree(tree, alpha, loss=loss), smallest)
        k = np.searchsorted(path.alphas, alpha, side="right") - 1
        assert path.leaves[k] == len(smallest)
        assert path.losses[k] == pytest.approx(sum(cost[list(smallest)]), abs=1e-12)


@pytest.mark.spec("TRE-L14")
@pytest.mark.parametrize(("grow", "seed"), TREES)
def test_trees_of_the_path_are_nested(grow, seed):
    *_, tree = grow(seed)
    path = pruning_path(tree)
    once = [prune_tree(tree, alpha) for alpha in path.alphas]
    again = tree
    for alpha, pruned in zip(path.alphas, once, strict=True):
        again = prune_tree(again, alpha)
        same_tree(again, pruned)
    assert once[-1].node_count == 1


@pytest.mark.spec("TRE-036")
@pytest.mark.parametrize(("grow", "seed"), TREES)
def test_a_cut_tree_answers_as_the_nodes_where_it_was_cut(grow, seed):
    X, _, _, tree = grow(seed)
    rng = np.random.default_rng(seed)
    for _ in range(5):
        cut = rng.random(tree.node_count) < 0.3
        pruned = cut_at(tree, np.flatnonzero(cut))
        expected = []
        for leaf in tree.apply(X):
            path = tree.path(leaf)
            expected.append(next((node for node in path if cut[node]), leaf))
        np.testing.assert_array_equal(pruned.predict(X), tree.answers[expected])
        assert pruned.n_leaves == len({*expected})
        np.testing.assert_allclose(pruned.weight[0], np.sum(pruned.weight[pruned.is_leaf]))


@pytest.mark.spec("TRE-035", "TRE-037", "TRE-038", "TRE-039")
@pytest.mark.parametrize("seed", range(3))
def test_weight_two_is_a_row_twice(seed):
    X, y, w, weighted = binary(seed)
    often = np.repeat(np.arange(len(y)), w.astype(int))
    repeated = grow_tree(code_columns(X[often]), y[often], Gini(3), max_depth=4)
    pairs = [
        (prune_tree(weighted, 0.02), prune_tree(repeated, 0.02)),
        (prune_pessimistic(weighted), prune_pessimistic(repeated)),
        (
            prune_error_based(weighted, X, y, Gini(3), sample_weight=w),
            prune_error_based(repeated, X[often], y[often], Gini(3)),
        ),
        (
            prune_reduced_error(weighted, X, y[::-1].copy(), sample_weight=w),
            prune_reduced_error(repeated, X[often], y[::-1][often]),
        ),
    ]
    for one, other in pairs:
        np.testing.assert_array_equal(one.threshold, other.threshold)
        np.testing.assert_allclose(one.answers, other.answers, atol=1e-14)
        np.testing.assert_allclose(one.weight, other.weight)


@pytest.mark.spec("TRE-037", "TRE-L15")
@pytest.mark.parametrize(("grow", "seed"), TREES)
def test_reduced_error_pruning_is_the_smallest_best_on_its_rows(grow, seed):
    *_, tree = grow(seed)
    X, y, rng = rows(seed + 100)
    w = rng.integers(1, 4, len(y)).astype(float)
    pruned = prune_reduced_error(tree, X, y, sample_weight=w)
    cost = {leaves: np.sum(w[cut_at(tree, sorted(leaves)).predict(X).argmax(axis=1) != y]) for leaves in prunings(tree)}
    same_leaves(tree, pruned, best_pruning(cost))
    errors = [np.sum(w[t.predict(X).argmax(axis=1) != y]) for t in (tree, pruned)]
    assert errors[1] <= errors[0]


@pytest.mark.spec("TRE-037")
@pytest.mark.parametrize("seed", range(3))
def test_reduced_error_pruning_of_numbers(seed):
    X, y, rng = rows(seed)
    targets = np.stack([y + rng.normal(size=len(y)), X[:, 0]], axis=1)
    tree = grow_tree(code_columns(X), targets, SquaredError(4), max_depth=3)
    held, _, _ = rows(seed + 50)
    truth = rng.normal(size=(len(held), 2))
    pruned = prune_reduced_error(tree, held, truth, loss="squared_error")
    cost = {leaves: np.sum((cut_at(tree, sorted(leaves)).predict(held) - truth) ** 2) / 2 for leaves in prunings(tree)}
    same_leaves(tree, pruned, best_pruning(cost))


@pytest.mark.spec("TRE-038", "TRE-L15")
@pytest.mark.parametrize("cf", [0.05, 0.25, 0.5, 0.9])
def test_upper_error_rate(cf):
    n = np.arange(1.0, 40.0)
    np.testing.assert_allclose(upper_error_rate(0, n, cf), 1.0 - cf ** (1.0 / n), rtol=1e-12)
    for errors in (0, 1, 3.5, 7):
        more = n[n > errors + 1]
        rates = upper_error_rate(errors, more, cf)
        assert np.all(np.diff(rates) < 0.0)
        assert np.all(upper_error_rate(errors + 0.5, more, cf) > rates)
    assert upper_error_rate(4, 4, cf) == 1.0
    errors = np.arange(1.0, 10.0)
    np.testing.assert_allclose(bdtr(errors, 12, upper_error_rate(errors, 12.0, cf)), cf, rtol=1e-9)
    # Halfway to whole numbers the limit is halfway continuous: no jump.
    assert abs(upper_error_rate(2.0, 9.0, cf) - upper_error_rate(2.0 + 1e-9, 9.0 + 1e-9, cf)) < 1e-8


def predicted(y, w, cf):
    counts = np.bincount(y, w, 3)
    n = counts.sum()
    return float(n * upper_error_rate(n - counts.max(), n, cf)) if n > 0 else 0.0


class Written:
    """Error-based pruning as a recursion over nested nodes, as C4.5 does it."""

    def __init__(self, tree, X, y, w, cf):
        self.tree, self.X, self.y, self.w, self.cf = tree, X, y, w, cf

    def node(self, t):
        return {"test": t, "children": [self.node(child) for child in self.tree.children(t)]}

    def split(self, node, rows):
        """The rows of each child, and those that go to none."""
        ends = np.array([self.child(node["test"], i) for i in rows], dtype=int)
        parts = [rows[ends == b] for b in range(len(node["children"]))]
        return parts, rows[ends < 0]

    def child(self, t, i):
        tree, x = self.tree, self.X[i]
        value = x[tree.feature[t]]
        if tree.tests.which[t] < 0:
            return 0 if value <= tree.threshold[t] else 1
        _, cells, branches, _ = tree.tests.test(tree.tests.which[t])
        return int(branches[cells == value][0]) if value in cells else int(tree.missing[t])

    def error(self, rows):
        return predicted(self.y[rows], self.w[rows], self.cf)

    def sum_of_leaves(self, node, rows):
        if not node["children"]:
            return self.error(rows)
        parts, rest = self.split(node, rows)
        below = zip(node["children"], parts, strict=True)
        return self.error(rest) + sum(self.sum_of_leaves(child, part) for child, part in below)

    def prune(self, node, rows):
        if not node["children"]:
            return node
        parts, _ = self.split(node, rows)
        node = {**node, "children": [self.prune(*pair) for pair in zip(node["children"], parts, strict=True)]}
        sizes = [self.w[part].sum() for part in parts]
        largest = node["children"][int(np.argmax(sizes))]
        leaf, subtree, branch = self.error(rows), self.sum_of_leaves(node, rows), self.sum_of_leaves(largest, rows)
        if leaf <= min(subtree, branch) * (1 + 1e-12):
            return {"test": node["test"], "children": []}
        if branch <= subtree * (1 + 1e-12):
            return self.prune(largest, rows)
        return node

    def thresholds(self, node):
        own = [self.tree.feature[node["test"]], self.tree.threshold[node["test"]]] if node["children"] else [-2, -2.0]
        return [own, *(pair for child in node["children"] for pair in self.thresholds(child))]

    def answers(self, node, rows):
        counts = np.bincount(self.y[rows], self.w[rows], 3)
        parts = self.split(node, rows)[0] if node["children"] else []
        below = zip(node["children"], parts, strict=True)
        return [counts, *(row for child, part in below for row in self.answers(child, part))]


@pytest.mark.spec("TRE-038")
@pytest.mark.parametrize(("grow", "cf"), [(binary, 0.25), (deep, 0.25), (deep, 0.6), (multiway, 0.1), (multiway, 0.5)])
def test_error_based_pruning_is_the_recursion_of_c45(grow, cf):
    rose = 0
    for seed in range(15):
        X, y, w, tree = grow(seed)
        written = Written(tree, X, y, w, cf)
        expected = written.prune(written.node(0), np.arange(len(y)))
        pruned = prune_error_based(tree, X, y, Gini(3), cf=cf, sample_weight=w)
        got = np.stack([pruned.feature, pruned.threshold], axis=1)
        np.testing.assert_array_equal(got, np.array(written.thresholds(expected)))
        counts = np.array(written.answers(expected, np.arange(len(y))))
        np.testing.assert_allclose(pruned.weight, counts.sum(axis=1))
        reached = counts.sum(axis=1) > 0
        np.testing.assert_allclose((pruned.answers * pruned.weight[:, None])[reached], counts[reached])
        cut_only = prune_error_based(tree, cf=cf)
        rose += not np.array_equal(cut_only.threshold, pruned.threshold)
    assert rose > 0


@pytest.mark.spec("TRE-038")
@pytest.mark.parametrize("seed", range(6))
def test_error_based_pruning_without_rows_is_least_among_prunings(seed):
    *_, tree = binary(seed)
    counts = tree.answers * tree.weight[:, None]
    n = counts.sum(axis=1)
    cost = n * upper_error_rate(np.maximum(n - counts.max(axis=1), 0.0).round(9), n)
    every = {leaves: sum(cost[list(leaves)]) for leaves in prunings(tree)}
    same_leaves(tree, prune_error_based(tree), best_pruning(every))


@pytest.mark.spec("TRE-038", "TRE-029")
@pytest.mark.parametrize("seed", range(6))
def test_error_based_pruning_with_rows_in_parts(seed):
    X, y, w, tree = multiway(seed, missing="fractional", holes=0.15)
    pruned = prune_error_based(tree, X, y, Gini(3), sample_weight=w)
    assert pruned.node_count < tree.node_count
    np.testing.assert_allclose(pruned.weight[0], w.sum())
    np.testing.assert_allclose(np.sum(pruned.weight[pruned.is_leaf]), w.sum())
    np.testing.assert_allclose(pruned.predict(X).sum(axis=1), 1.0)


@pytest.mark.spec("TRE-039")
@pytest.mark.parametrize(("grow", "seed"), TREES)
def test_pessimistic_pruning_judges_each_subtree_as_it_was_grown(grow, seed):
    *_, tree = grow(seed)
    errors = tree.weight * (1.0 - tree.answers.max(axis=1))

    def visit(t):
        below = [s for s in range(t, tree.ends[t]) if tree.is_leaf[s]]
        s, n = sum(errors[below]) + len(below) / 2, tree.weight[t]
        if errors[t] + 0.5 <= s + np.sqrt(max(0.0, s * (n - s)) / n) + 1e-12:
            return [t]
        return [leaf for child in tree.children(t) for leaf in visit(child)]

    same_leaves(tree, prune_pessimistic(tree), visit(0))


@pytest.mark.spec("TRE-037")
@pytest.mark.parametrize("grow", [binary, multiway])
def test_refitting_on_the_same_rows_changes_nothing(grow):
    X, y, w, tree = grow(0)
    again = refit_nodes(tree, X, y, Gini(3), sample_weight=w)
    np.testing.assert_allclose(again.answers, tree.answers, atol=1e-15)
    np.testing.assert_allclose(again.impurity, tree.impurity, atol=1e-14)
    np.testing.assert_allclose(again.weight, tree.weight)
    np.testing.assert_array_equal(again.n_rows, tree.n_rows)


@pytest.mark.spec("TRE-035")
def test_the_misclassification_path_of_a_tree_grown_by_it_is_its_impurity_path():
    X, y, _ = rows(3)
    tree = grow_tree(code_columns(X), y, Misclassification(3))
    one, other = (pruning_path(tree, loss=loss) for loss in LOSSES)
    np.testing.assert_allclose(one.alphas, other.alphas, atol=1e-15)
    np.testing.assert_array_equal(one.leaves, other.leaves)


@pytest.mark.spec("TRE-035", "TRE-036")
def test_refusals_and_a_tree_of_one_leaf():
    X, y, _ = rows(0)
    alone = grow_tree(code_columns(X), y, Gini(3), max_depth=0)
    path = pruning_path(alone)
    assert (path.alphas.tolist(), path.leaves.tolist()) == ([0.0], [1])
    for pruned in (prune_tree(alone, np.inf), prune_pessimistic(alone), prune_error_based(alone, X, y, Gini(3))):
        assert pruned.node_count == 1
    with pytest.raises(ValueError, match=r"alpha=-1\.0 must be ≥ 0"):
        prune_tree(alone, -1.0)
    with pytest.raises(ValueError, match="loss='gini'"):
        pruning_path(alone, loss="gini")
    with pytest.raises(ValueError, match="cf=0"):
        prune_error_based(alone, cf=0)


@pytest.mark.spec("TRE-029", "TRE-049")
def test_gains_of_rows_in_parts_are_estimated_anew():
    X, y, w, tree = multiway(1, missing="fractional", holes=0.15)
    np.testing.assert_allclose(refit_nodes(tree, X, y, Gini(3), sample_weight=w).gain, tree.gain, atol=1e-14)
    some = slice(0, 14)
    other = refit_nodes(tree, X[some], y[some], Gini(3), sample_weight=w[some])
    known = ~np.isnan(X[some, tree.feature[0]])
    values, labels, weights = X[some, tree.feature[0]][known], y[some][known], w[some][known]

    def worth(here):
        shares = np.bincount(labels[here], weights[here], 3)
        return np.sum(shares**2) / np.sum(shares)

    split = sum(worth(values == v) for v in np.unique(values))
    assert other.gain[0] == pytest.approx((split - worth(values >= 0)) / w[some].sum())


@pytest.mark.spec("TRE-038")
def test_rows_without_what_estimates_them_are_refused():
    X, y, _, tree = binary(0)
    with pytest.raises(ValueError, match="without criterion"):
        prune_error_based(tree, X, y)
    with pytest.raises(ValueError, match="without y"):
        prune_error_based(tree, X)


@pytest.mark.spec("TRE-036")
def test_the_chosen_tree_is_one_of_the_path_even_if_growing_is_random():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 3))
    y = (X[:, 0] + 0.5 * rng.normal(size=150) > 0).astype(int)
    for _ in range(3):
        choice = prune_cv(DecisionTreeClassifier(splitter="random"), X, y, cv=3)
        assert choice.estimator.get_n_leaves() == choice.leaves[choice.least]
        assert choice.training_errors[0] == 0.0
