"""Laws of density trees: they integrate to one, are cut where it pays, and draw rows like those they saw."""

import numpy as np
import pytest

from gnomon.search import pruning_path
from gnomon.trees import DecisionTreeClassifier, DensityForest, DensityTree, OneRule, RandomForestClassifier, Tree

RNG = np.random.default_rng(0)
X = np.vstack([RNG.normal(0, 0.5, (150, 2)), RNG.normal(3, 0.8, (100, 2))])


@pytest.mark.spec("TRE-L24", "TRE-067")
@pytest.mark.parametrize("splitter", ["best", "random"])
def test_a_density_is_positive_and_integrates_to_one(splitter):
    tree = DensityTree(splitter=splitter, random_state=0).fit(X)
    cells = tree.cells()
    volume = np.prod(cells.high - cells.low, axis=1)
    assert np.all(cells.density > 0.0)
    assert np.sum(cells.density * volume) == pytest.approx(1.0)
    assert np.sum(volume) == pytest.approx(np.prod(np.ptp(X, axis=0)))
    np.testing.assert_allclose(cells.density, cells.weight / len(X) / volume)
    assert cells.weight.min() >= 5.0
    # The density at a row is that of its cell.
    leaf = np.cumsum(tree.tree_.is_leaf)[tree.apply(X)] - 1
    np.testing.assert_allclose(np.exp(tree.score_samples(X)), cells.density[leaf])


@pytest.mark.spec("TRE-L24", "TRE-067")
@pytest.mark.parametrize("options", [{}, {"splitter": "best", "bootstrap": True, "ccp_alpha": 0.01}], ids=str)
def test_a_forest_is_the_mean_density(options):
    forest = DensityForest(15, random_state=0, box=(-4, 8), **options).fit(X)
    edges = np.linspace(-4, 8, 401)
    middle = 0.5 * (edges[1:] + edges[:-1])
    grid = np.stack(np.meshgrid(middle, middle), axis=-1).reshape(-1, 2)
    density = np.exp(forest.score_samples(grid))
    assert np.sum(density) * (edges[1] - edges[0]) ** 2 == pytest.approx(1.0, abs=0.01)
    each = np.array([np.exp(tree.predict(X)[:, 0]) for tree in forest.trees_])
    np.testing.assert_allclose(np.exp(forest.score_samples(X)), each.mean(axis=0))
    assert forest.score_samples([[-4.1, 0.0]])[0] == -np.inf
    twin = DensityForest(15, random_state=0, box=(-4, 8), n_jobs=2, **options).fit(X)
    np.testing.assert_array_equal(twin.score_samples(X), forest.score_samples(X))


@pytest.mark.spec("TRE-067")
def test_the_best_cut_lowers_the_squared_error_most():
    """By trying all of them."""
    rows = np.random.default_rng(1).gamma(1.0, size=(14, 3))
    tree = DensityTree(max_leaf_nodes=2, min_weight_leaf=2).fit(rows)
    low, high = tree.box_
    found = {}
    for j in range(3):
        values = np.sort(rows[:, j])
        for t in 0.5 * (values[1:] + values[:-1]):
            n, width = np.sum(rows[:, j] <= t), (t - low[j]) / (high[j] - low[j])
            if 2 <= n <= 12:
                found[j, t] = -((n / 14) ** 2 / width + (1 - n / 14) ** 2 / (1 - width))
    best = min(found, key=found.get)
    assert (int(tree.tree_.feature[0]), float(tree.tree_.threshold[0])) == pytest.approx(best)
    objective = np.sum(tree.tree_.weight * tree.tree_.impurity * tree.tree_.is_leaf) / 14
    assert objective == pytest.approx(found[best])


@pytest.mark.spec("TRE-067")
def test_pruning_weighs_leaves_against_the_error():
    full = DensityTree().fit(X)
    path = pruning_path(full.tree_)
    assert np.all(np.diff(path.alphas) > 0.0)
    assert np.all(np.diff(path.losses) > 0.0)
    middle = path.alphas[len(path.alphas) // 2]
    pruned = DensityTree(ccp_alpha=float(middle)).fit(X)
    assert pruned.tree_.n_leaves == path.leaves[len(path.alphas) // 2] < full.tree_.n_leaves


@pytest.mark.spec("TRE-067")
def test_cells_of_a_tree_for_another_purpose():
    y = np.repeat([0, 1], [150, 100])
    model = DecisionTreeClassifier(max_depth=2).fit(X, y)
    density = DensityTree.of(model, X)
    np.testing.assert_array_equal(density.apply(X), model.apply(X))
    cells = density.cells()
    assert np.sum(cells.density * np.prod(cells.high - cells.low, axis=1)) == pytest.approx(1.0)
    forest = RandomForestClassifier(10, max_depth=4, random_state=0).fit(X, y)
    dense = DensityForest.of(forest, X)
    assert len(dense.trees_) == 10
    assert dense.score_samples([[0.0, 0.0]])[0] > dense.score_samples([[0.0, 3.0]])[0]
    words = DecisionTreeClassifier().fit([["a"], ["b"], ["a"]], [0, 1, 0])
    with pytest.raises(ValueError, match="tests other than"):
        DensityTree.of(words, [[0.0], [1.0]])


@pytest.mark.spec("TRE-067")
@pytest.mark.parametrize("model", [DensityTree(min_weight_leaf=15), DensityForest(30, random_state=0)], ids=str)
def test_rows_drawn_are_like_the_rows_seen(model):
    rows = model.fit(X).sample(4000, random_state=0)
    assert rows.shape == (4000, 2)
    assert np.all((rows >= X.min(axis=0)) & (rows <= X.max(axis=0)))
    np.testing.assert_allclose(rows.mean(axis=0), X.mean(axis=0), atol=0.3)
    assert np.mean(rows[:, 0] > 1.5) == pytest.approx(np.mean(X[:, 0] > 1.5), abs=0.05)
    np.testing.assert_array_equal(rows, model.sample(4000, random_state=0))
    # Where there are more rows the density is higher.
    assert model.score(rows) > model.score(np.random.default_rng(0).uniform(*model.box_, (500, 2)))


@pytest.mark.spec("TRE-L08", "TRE-067")
@pytest.mark.parametrize("model", [DensityTree(), DensityForest(5, random_state=0)], ids=str)
def test_weights_are_repetitions(model):
    weights = np.random.default_rng(0).integers(0, 3, len(X))
    weighted = model.fit(X, sample_weight=weights).score_samples(X)
    repeated = model.fit(np.repeat(X, weights, axis=0)).score_samples(X)
    np.testing.assert_allclose(weighted, repeated)


def test_boxes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match=r"rows outside box.*column 0 ranges"):
        DensityTree(box=(0, 1)).fit(X)
    with pytest.raises(ValueError, match="low < high"):
        DensityTree(box=(1, 1)).fit(X)
    flat = DensityTree().fit(np.column_stack([X, np.full(len(X), 7.0)]))
    assert np.all(np.isfinite(flat.score_samples(np.column_stack([X, np.full(len(X), 7.0)]))))


@pytest.mark.spec("TRE-067")
def test_equal_links_of_negative_losses_are_cut_together():
    twins = ("x0", 2.0, ("x0", 1.0, "a", "b"), ("x0", 4.0, "a", ("x0", 5.0, "a", "b")))
    x = np.array([[0.1], [0.2], [0.3], [1.5], [4.1], [4.2], [4.3], [5.5]])
    path = pruning_path(DensityTree.of(Tree.from_rules(twins), x, box=(0, 6)).tree_)
    assert path.leaves[:2].tolist() == [5, 3]
    assert np.all(np.diff(path.alphas) > 1e-9)


@pytest.mark.spec("TRE-067")
def test_a_cell_without_volume_and_a_branch_of_gaps_are_refused():
    x = np.array([[0.0], [1.0], [2.0], [3.0]])
    model = DecisionTreeClassifier(threshold="data").fit(x, [0, 1, 1, 1])
    with pytest.raises(ValueError, match="give a wider box"):
        DensityTree.of(model, x)
    assert np.all(np.isfinite(DensityTree.of(model, x, box=(-0.5, 3.5)).score_samples(x)))
    ruled = OneRule(min_bucket=1).fit([[0.0], [1.0], [np.nan], [2.0]], [0, 1, 0, 1])
    with pytest.raises(ValueError, match="rows without gaps"):
        DensityTree.of(ruled, x)
