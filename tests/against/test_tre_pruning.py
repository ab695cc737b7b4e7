"""Cost-complexity pruning against scikit-learn's, which cuts one link at a time."""

import gzip

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from gnomon import search
from gnomon.search import NODE, Entropy, Gini, SquaredError, Tree, code_columns, grow_tree, prune_tree, pruning_path
from real_data import data_path


def breast_cancer():
    return load_breast_cancer(return_X_y=True)


def diabetes():
    return load_diabetes(return_X_y=True)


def covtype():
    with gzip.open(data_path("tabular/covtype_sample.csv.gz"), "rt") as file:
        table = np.loadtxt(file, delimiter=",", skiprows=1, max_rows=4000)
    return table[:, :-1], table[:, -1].astype(int)


CASES = [
    (breast_cancer, DecisionTreeClassifier, {}),
    (breast_cancer, DecisionTreeClassifier, {"criterion": "entropy"}),
    (diabetes, DecisionTreeRegressor, {}),
    (covtype, DecisionTreeClassifier, {"min_samples_leaf": 2}),
]


def from_peer(peer):
    """The peer's tree as ours: its nodes are in preorder too."""
    tree = peer.tree_
    n = tree.node_count
    nodes = np.empty(n, dtype=NODE)
    leaf = tree.children_left < 0
    nodes["threshold"] = np.where(leaf, -2.0, tree.threshold)
    nodes["feature"], nodes["right"] = tree.feature, tree.children_right
    ends = np.arange(1, n + 1, dtype=np.int32)
    for node in np.flatnonzero(~leaf)[::-1]:
        ends[node] = ends[tree.children_right[node]]
    rows, missing = tree.n_node_samples, np.zeros(n, dtype=np.int16)
    answers = tree.value[:, 0, :]
    weight = tree.weighted_n_node_samples
    return Tree(nodes, answers, tree.impurity, weight, rows, missing, ends, tree.n_features, search.Tests.none(n))


@pytest.mark.spec("TRE-035", "TRE-036")
@pytest.mark.parametrize(("load", "Peer", "options"), CASES)
def test_the_path_and_its_trees_are_scikit_learns(load, Peer, options):
    X, y = load()
    peer = Peer(random_state=0, **options).fit(X, y)
    tree = from_peer(peer)
    path, theirs = pruning_path(tree), peer.cost_complexity_pruning_path(X, y)
    scale = theirs.impurities[-1]
    # Theirs has an entry for every cut; of those at one α the last is the tree.
    last = np.searchsorted(theirs.ccp_alphas, path.alphas + 1e-12 * scale, side="right") - 1
    np.testing.assert_allclose(path.alphas, theirs.ccp_alphas[last], rtol=1e-9, atol=1e-13 * scale)
    np.testing.assert_allclose(path.losses, theirs.impurities[last], rtol=1e-9, atol=1e-12 * scale)
    between = np.sqrt(path.alphas[1:-1] * path.alphas[2:])
    for alpha in between[:: max(1, len(between) // 8)]:
        pruned = prune_tree(tree, alpha)
        pruned_peer = Peer(random_state=0, ccp_alpha=alpha, **options).fit(X, y).tree_
        np.testing.assert_array_equal(pruned.feature, pruned_peer.feature)
        np.testing.assert_array_equal(pruned.threshold, pruned_peer.threshold)
        np.testing.assert_array_equal(pruned.children_right, pruned_peer.children_right)
        np.testing.assert_allclose(pruned.answers, pruned_peer.value[:, 0, :], rtol=1e-12)


@pytest.mark.spec("TRE-035")
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
def test_grown_here_the_path_is_the_same(criterion, weighted):
    numbers = criterion == "squared_error"
    X, y = diabetes() if numbers else breast_cancer()
    w = np.random.default_rng(0).integers(1, 4, len(y)).astype(float) if weighted else np.ones(len(y))
    ours = {"gini": Gini(2), "entropy": Entropy(2), "squared_error": SquaredError()}[criterion]
    targets = y - np.average(y, weights=w) if numbers else y.astype(np.int32)
    # Few leaves: where splits tie, scikit-learn draws, and deep nodes tie often.
    tree = grow_tree(code_columns(X), targets, ours, sample_weight=w, min_samples_leaf=15)
    Peer = DecisionTreeRegressor if numbers else DecisionTreeClassifier
    theirs = Peer(criterion=criterion, min_samples_leaf=15, random_state=0).cost_complexity_pruning_path(X, y, w)
    path = pruning_path(tree)
    np.testing.assert_allclose(path.alphas[-4:], theirs.ccp_alphas[-4:], rtol=1e-9)
    np.testing.assert_allclose(path.losses[-4:], theirs.impurities[-4:], rtol=1e-9)
