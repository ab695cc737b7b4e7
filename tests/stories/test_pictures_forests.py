"""The pictures of forests: what is drawn is what was computed."""

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_rgb
from sklearn.datasets import load_iris

from gnomon import plot
from gnomon.plot._style import SECOND
from gnomon.trees import (
    DecisionTreeClassifier,
    DensityTree,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    RandomTreesEmbedding,
)
from pictures import labelled, lines

IRIS = load_iris()
X, Y = IRIS.data, IRIS.target_names[IRIS.target]


@pytest.fixture(scope="module")
def forest():
    return RandomForestClassifier(20, random_state=0, oob_score=True).fit(X[::2], Y[::2])


@pytest.mark.spec("TRE-P05")
def test_importances_of_four_kinds_with_their_spread(forest):
    panels = plot.forest_importances(forest, X[::2], Y[::2], top=3, random_state=0)
    assert list(panels) == ["samples", "depth", "impurity", "oob_permutation", "depths"]
    order = np.argsort(-forest.importance("impurity").mean)[:3][::-1]
    names = [label.get_text() for label in panels["samples"].get_yticklabels()]
    assert names == [f"x{j}" for j in order]
    for kind in ("samples", "depth", "impurity", "oob_permutation"):
        rows = (X[::2], Y[::2]) if kind == "oob_permutation" else ()
        mean, std = forest.importance(kind, *rows, random_state=0)
        np.testing.assert_allclose([bar.get_width() for bar in panels[kind].patches], mean[order])
        ends = np.array([segment[1, 0] for segment in panels[kind].collections[0].get_segments()])
        np.testing.assert_allclose(ends, (mean + std)[order])
    depths = [tree.get_depth() for tree in forest]
    drawn = {round(bar.get_x() + bar.get_width() / 2): bar.get_height() for bar in panels["depths"].patches}
    assert drawn == {depth: depths.count(depth) for depth in set(depths)}
    assert f"mean {np.mean(depths):.1f}" in lines(panels["depths"])
    labelled(panels["depths"])
    assert "oob_permutation" not in plot.forest_importances(forest)
    plt.close("all")


@pytest.mark.spec("TRE-P06")
def test_codes_proximities_their_map_and_densities():
    rows = X[:, 2:]
    embedding = RandomTreesEmbedding(12, max_depth=3, random_state=0).fit(rows)
    panels = plot.forest_nearness(embedding, rows, Y)
    assert list(panels) == ["codes", "proximity", "map", "density"]
    codes = np.asarray(panels["codes"].images[0].get_array())
    assert codes.shape == embedding.embed(rows).shape
    np.testing.assert_array_equal(codes.sum(axis=1), 12.0)
    heat = np.asarray(panels["proximity"].images[0].get_array())
    P = embedding.proximity(rows)
    np.testing.assert_allclose(np.sort(heat, axis=None), np.sort(P, axis=None))
    np.testing.assert_allclose(np.diag(heat), 1.0)
    # Rows of a class stand together: the blocks of the diagonal are those of P.
    np.testing.assert_allclose(heat[:50, :50].mean(), P[:50, :50].mean())
    places = np.vstack([points.get_offsets() for points in panels["map"].collections])
    gaps = np.linalg.norm(places[:, None] - places[None], axis=2) ** 2
    assert np.corrcoef(gaps.ravel(), (1.0 - P).ravel())[0, 1] > 0.8
    cells = DensityTree.of(embedding[0], rows).cells()
    corners = {tuple(np.round(patch.get_xy(), 9)) for patch in panels["density"].patches}
    assert corners == {tuple(np.round(low, 9)) for low in cells.low}
    marked = [line for line in panels["proximity"].lines if to_rgb(line.get_color()) == to_rgb(SECOND)]
    assert len(marked) == 4
    labelled(*panels.values())
    plt.close("all")


@pytest.mark.spec("TRE-P06")
def test_nearness_of_many_columns_without_labels(forest):
    panels = plot.forest_nearness(forest, X[::3], t=2)
    density = np.sort(DensityTree.of(forest[2], X[::3]).cells().density)[::-1]
    np.testing.assert_allclose([bar.get_height() for bar in panels["density"].patches], density)
    assert len(panels["map"].collections[0].get_offsets()) == 50
    plt.close("all")


@pytest.fixture(scope="module")
def redrawn():
    """What forests of redrawn data predict, by number of trees and by columns drawn at a node; and the truth."""
    rng = np.random.default_rng(0)
    points = rng.uniform(-1, 1, (60, 4))
    by_trees, by_chance = {1: [], 4: [], 16: []}, {1: [], 4: []}

    def truth(X):
        return np.sin(3.0 * X[:, 0]) + X[:, 1] ** 2

    for seed in range(12):
        rows = rng.uniform(-1, 1, (80, 4))
        y = truth(rows) + 0.3 * rng.normal(size=80)
        each = RandomForestRegressor(16, max_features=2, random_state=seed).fit(rows, y).predict_trees(points).each
        for T, found in by_trees.items():
            found.append(each[:T].mean(axis=0))
        for k, found in by_chance.items():
            found.append(ExtraTreesRegressor(10, max_features=k, random_state=seed).fit(rows, y).predict(points))
    return by_trees, by_chance, truth(points)


@pytest.mark.spec("TRE-P07")
def test_error_is_bias_and_variance(redrawn):
    by_trees, by_chance, truth = redrawn
    drawn = lines(plot.bias_variance_curves(by_trees, truth, noise=0.09, log=True))
    assert list(drawn) == ["error", "bias²", "variance", "noise"]
    error, bias, variance = (drawn[name].get_ydata() for name in ("error", "bias²", "variance"))
    np.testing.assert_allclose(error, bias + variance + 0.09)
    np.testing.assert_array_equal(drawn["error"].get_xdata(), [1, 4, 16])
    assert np.all(np.diff(variance) < 0.0)
    ax = plot.bias_variance_curves(by_chance, truth, x="columns drawn at a node")
    assert ax.get_xlabel() == "columns drawn at a node"
    bias = lines(ax)["bias²"].get_ydata()
    assert bias[0] > bias[1]  # more chance, more bias
    labelled(ax)
    plt.close("all")


@pytest.mark.spec("TRE-P07", "TRE-062")
def test_out_of_bag_beside_test(forest):
    ax = plot.oob_curve(forest, X[1::2], Y[1::2])
    drawn = lines(ax)
    np.testing.assert_array_equal(drawn["out of bag"].get_ydata(), forest.oob_errors_)
    test = drawn["test"].get_ydata()
    assert test[-1] == pytest.approx(1 - forest.score(X[1::2], Y[1::2]))
    assert test[0] == pytest.approx(np.mean(forest.classes_[forest[0].predict(X[1::2])] != Y[1::2]))
    labelled(ax)
    with pytest.raises(ValueError, match="oob_score=True"):
        plot.oob_curve(RandomForestClassifier(3).fit(X, Y))
    hard = RandomForestClassifier(9, max_depth=2, voting="hard", random_state=0).fit(X[::2], Y[::2])
    assert hard.staged_errors(X, Y)[-1] == pytest.approx(1 - hard.score(X, Y))
    plt.close("all")


@pytest.mark.spec("TRE-P09")
def test_trees_of_several_samples_beside_each_other():
    axes = plot.bootstrap_trees(DecisionTreeClassifier(), X, Y, n_trees=3, max_depth=2, random_state=1)
    assert [ax.get_title(loc="left") for ax in axes] == ["sample 1", "sample 2", "sample 3"]
    texts = [[text.get_text() for text in ax.texts] for ax in axes]
    assert all(any("150 rows" in text for text in found) for found in texts)
    assert len({tuple(found) for found in texts}) == 3  # each sample has its own tree
    _, given = plt.subplots(1, 2, figsize=(12, 4))
    assert len(plot.bootstrap_trees(DecisionTreeClassifier(), X, Y, n_trees=2, ax=given)) == 2
    with pytest.raises(ValueError, match="2 axes for n_trees=3"):
        plot.bootstrap_trees(DecisionTreeClassifier(), X, Y, n_trees=3, ax=given)
    plt.close("all")
