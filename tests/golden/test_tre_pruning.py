"""Golden values of pruning."""

import numpy as np
import pytest

from gnomon.datasets import load_weather_play
from gnomon.search import (
    Entropy,
    Gini,
    SquaredError,
    code_columns,
    grow_general_tree,
    grow_tree,
    prune_error_based,
    prune_tree,
    pruning_path,
    upper_error_rate,
)

X8, Y8 = np.arange(1.0, 9.0)[:, None], np.array([0, 0, 0, 1, 0, 1, 1, 1])


@pytest.mark.spec("TRE-G14", "TRE-038")
def test_upper_error_rate():
    errors, n = np.array([[0, 1], [0, 2], [0, 6], [0, 9], [1, 16], [2, 5], [5, 14]]).T
    expected = [0.75, 0.5, 0.206299, 0.142756, 0.159611, 0.640564, 0.483513]
    np.testing.assert_allclose(upper_error_rate(errors, n), expected, atol=5e-7)


@pytest.mark.spec("TRE-G15", "TRE-038")
def test_three_pure_leaves_against_one_error():
    x = np.repeat([0.0, 1.0, 2.0], [6, 9, 1])[:, None]
    y = np.repeat([0, 0, 1], [6, 9, 1])
    tree = grow_general_tree(code_columns(x, category=[True]), y, Entropy(2), categorical_split="multiway")
    assert tree.n_leaves == 3
    n = tree.weight[1:]
    assert float(np.sum(n * upper_error_rate(0, n))) == pytest.approx(3.272601, abs=5e-7)
    assert float(16 * upper_error_rate(1, 16)) == pytest.approx(2.553771, abs=5e-7)
    assert prune_error_based(tree).n_leaves == 1
    assert prune_error_based(tree, x, y, Entropy(2)).n_leaves == 1


@pytest.mark.spec("TRE-G15", "TRE-038")
def test_nothing_of_the_weather_tree_is_cut():
    weather = load_weather_play()
    codes = [[values.index(cell) for values, cell in zip(weather.categories, row, strict=True)] for row in weather.data]
    X, y = np.array(codes, dtype=float), (weather.target == "yes").astype(int)
    tree = grow_general_tree(
        code_columns(X, category=[True] * 4), y, Entropy(2), categorical_split="multiway", reuse_features=False
    )
    for pruned in (prune_error_based(tree), prune_error_based(tree, X, y, Entropy(2))):
        np.testing.assert_array_equal(pruned.feature, tree.feature)
    n, leaf = tree.weight, tree.is_leaf
    predicted = n * upper_error_rate(np.round(n * (1.0 - tree.answers.max(axis=1)), 9), n)
    assert predicted[0] == pytest.approx(6.769184, abs=5e-7)
    assert float(np.sum(predicted[leaf])) == pytest.approx(5.391810, abs=5e-7)
    sunny = next(child for child in tree.children(0) if tree.answers[child].tolist() == [0.6, 0.4])
    assert predicted[sunny] == pytest.approx(3.202819, abs=5e-7)
    assert float(np.sum(predicted[tree.children(sunny)])) == pytest.approx(2.110118, abs=5e-7)


@pytest.mark.spec("TRE-G16", "TRE-035")
def test_path_of_eight_rows():
    tree = grow_tree(code_columns(X8), Y8, Gini(2))
    assert tree.threshold[~tree.is_leaf].tolist() == [3.5, 5.5, 4.5]
    assert tree.n_leaves == 4
    path = pruning_path(tree)
    np.testing.assert_allclose(path.alphas, [0, 0.1, 0.3], atol=1e-15)
    np.testing.assert_allclose(path.losses, [0, 0.2, 0.5], atol=1e-15)
    assert path.leaves.tolist() == [4, 2, 1]
    path = pruning_path(tree, loss="misclassification")
    np.testing.assert_allclose(path.alphas, [0, 1 / 16, 3 / 8], atol=1e-15)
    np.testing.assert_allclose(path.losses, [0, 1 / 8, 1 / 2], atol=1e-15)
    path = pruning_path(grow_tree(code_columns(X8), Y8, Entropy(2)))
    np.testing.assert_allclose(path.alphas, [0, 0.225603, 0.548795], atol=5e-7)


@pytest.mark.spec("TRE-G17", "TRE-035")
def test_path_of_six_numbers():
    x, y = np.arange(1.0, 7.0)[:, None], np.array([1.0, 1, 2, 8, 9, 10])
    tree = grow_tree(code_columns(x), y, SquaredError())
    assert tree.impurity[0] == pytest.approx(15.138889, abs=5e-7)
    assert tree.threshold[0] == 3.5
    children = tree.children(0)
    assert np.sum(tree.weight[children] * tree.impurity[children]) / 6 == pytest.approx(0.444444, abs=5e-7)
    np.testing.assert_allclose(pruning_path(tree).alphas, [0, 0.083333, 0.111111, 0.25, 14.694444], atol=5e-7)


@pytest.mark.spec("TRE-G21", "TRE-035")
def test_exclusive_or_is_pruned_at_the_root_alone():
    X, y = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0])
    tree = grow_tree(code_columns(X), y, Gini(2))
    assert tree.n_leaves == 4
    assert tree.gain[0] == 0.0
    assert np.all(tree.predict(X).argmax(axis=1) == y)
    path = pruning_path(tree)
    np.testing.assert_allclose(path.alphas, [0, 0.5 / 3], atol=1e-15)
    assert prune_tree(tree, 0.16).n_leaves == 4
    assert prune_tree(tree, 0.5 / 3).n_leaves == 1
