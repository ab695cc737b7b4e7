"""The pictures of trees: what is drawn is what the tree does."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb
from sklearn.datasets import load_breast_cancer, load_iris

from gnomon import plot
from gnomon.cluster import KMeans, explain_clusters
from gnomon.datasets import load_weather_play, make_diagonal
from gnomon.plot._tree_layout import branch_label
from gnomon.search import Interval, Words
from gnomon.trees import DecisionTreeClassifier, DecisionTreeRegressor, HandTreeClassifier, OneRule, Tree
from pictures import labelled, lines

ID3 = """
outlook = overcast: ?
outlook = sunny:
    humidity = high: ?
    humidity = normal: ?
outlook = rainy:
    windy = true: ?
    windy = false: ?
"""


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def weather_tree(rules=ID3, criterion="entropy"):
    weather = load_weather_play(as_frame=True)
    return HandTreeClassifier(rules, criterion=criterion).fit(weather.data, weather.target), weather


def boxes(ax):
    """Texts of nodes, which have several lines, and of edges, which have one."""
    texts = [text.get_text() for text in ax.texts]
    return [text.splitlines() for text in texts if "\n" in text], [text for text in texts if "\n" not in text]


@pytest.mark.spec("TRE-P02", "TRE-046")
def test_a_tree_shows_test_rows_counts_class_and_impurity():
    model, _ = weather_tree()
    nodes, edges = boxes(plot.tree(model))
    assert nodes[0] == ["outlook?", "14 rows", "no: 5 · yes: 9", "yes, H = 0.94"]
    assert sorted(edges) == ["false", "high", "normal", "overcast", "rainy", "sunny", "true"]
    assert ["no", "3 rows", "no: 3", "H = 0"] in nodes
    assert len(nodes) == model.tree_.node_count


@pytest.mark.spec("TRE-P02")
def test_colour_tells_class_and_purity():
    model, _ = weather_tree()
    ax = plot.tree(model)
    by_text = {text.get_text(): text.get_bbox_patch().get_facecolor() for text in ax.texts if "\n" in text.get_text()}

    def paleness(start):
        return min(min(color[:3]) for text, color in by_text.items() if text.startswith(start))

    assert paleness("yes\n4 rows") < paleness("outlook") < paleness("humidity")
    yes, no = (next(c for text, c in by_text.items() if text.startswith(start)) for start in ("yes\n4", "no\n3"))
    assert yes[2] > yes[0]
    assert no[0] > no[2]


@pytest.mark.spec("TRE-P02")
def test_the_way_of_a_row_is_bold():
    model, weather = weather_tree()
    row = weather.data.iloc[[11]]
    ax = plot.tree(model, x=row)
    bold = [line for line in ax.lines if line.get_linewidth() > 2]
    assert len(bold) == 2
    dark = [t.get_text().splitlines()[0] for t in ax.texts if "\n" in t.get_text() and to_rgb(t.get_color())[0] < 0.3]
    assert dark == ["outlook?", "humidity?", model.predict(row)[0]]


@pytest.mark.spec("TRE-P02")
def test_large_trees_are_cut_and_say_what_is_below():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(600, 5)), rng.integers(0, 2, 600)
    model = DecisionTreeClassifier().fit(X, y)
    nodes, _ = boxes(plot.tree(model))
    ends = [lines for lines in nodes if "?" not in lines[0] or "below" in lines[-1]]
    assert len(ends) <= 24
    hidden = sum(int(lines[-1].split()[1]) for lines in nodes if "below" in lines[-1])
    leaves = sum("?" not in lines[0] for lines in nodes)
    assert hidden + leaves == model.get_n_leaves()
    nodes, _ = boxes(plot.tree(model, max_depth=1))
    assert len(nodes) == 3


@pytest.mark.spec("TRE-P02")
def test_boxes_and_labels_do_not_overlap():
    X, y = load_breast_cancer(return_X_y=True)
    ax = plot.tree(DecisionTreeClassifier().fit(X, y))
    ax.figure.canvas.draw()
    spots = [text.get_bbox_patch().get_window_extent() for text in ax.texts if "\n" in text.get_text()]
    words = [text.get_window_extent() for text in ax.texts if "\n" not in text.get_text()]
    for group in (spots, words):
        for i, a in enumerate(group):
            for b in group[i + 1 :]:
                assert not a.overlaps(b)


@pytest.mark.spec("TRE-P02")
def test_trees_of_numbers_and_trees_by_hand_are_drawn_too():
    X, _ = load_iris(return_X_y=True)
    nodes, _ = boxes(plot.tree(DecisionTreeRegressor(max_depth=2).fit(X[:, :3], X[:, 3])))
    assert nodes[0][:2] == ["x2?", "150 rows"]
    hand = Tree.from_rules({"age": {"<= 30": "low", "> 30": "high"}})
    texts = [text.get_text() for text in plot.tree(hand, ax=plt.figure().add_subplot()).texts]
    assert set(texts) == {"age?", "high", "low", "> 30", "≤ 30"}


@pytest.mark.spec("TRE-P03")
def test_axis_parallel_regions_are_the_leaves():
    X, y = make_diagonal(150, random_state=1)
    model = DecisionTreeClassifier(max_depth=4).fit(X, y)
    panels = plot.tree_regions(model, X, y)
    labelled(panels["regions"])
    patches = panels["regions"].patches
    assert len(patches) == model.get_n_leaves()
    for patch, leaf in zip(patches, _leaves(model), strict=True):
        corners = patch.get_xy()
        assert len(np.unique(corners.round(12), axis=0)) == 4
        inside = _inside(patch, X)
        np.testing.assert_array_equal(inside, model.apply(X) == leaf)
    nodes, _ = boxes(panels["tree"])
    assert sum(lines[0].startswith("leaf ") for lines in nodes) == model.get_n_leaves()


def _leaves(model):
    return np.flatnonzero(model.tree_.is_leaf)


def _inside(patch, X):
    corners = patch.get_xy()
    return np.all((corners.min(axis=0) < X) & (corners.max(axis=0) >= X), axis=1)


@pytest.mark.spec("TRE-P03")
def test_oblique_regions_follow_the_slant():
    X, y = make_diagonal(150, random_state=1)
    text = "1.0*x0 + 1.0*x1 ≤ 1.0: 0\n1.0*x0 + 1.0*x1 > 1.0: 1"
    model = Tree.from_rules(text, columns=["x0", "x1"]).fill_leaves(X, y)
    below, above = plot.tree_regions(model, X, y)["regions"].patches
    assert np.max(below.get_xy().sum(axis=1)) == pytest.approx(1.0)
    assert np.min(above.get_xy().sum(axis=1)) == pytest.approx(1.0)
    slanted = DecisionTreeClassifier(split="oblique", max_depth=2).fit(X, y)
    for patch, leaf in zip(plot.tree_regions(slanted, X)["regions"].patches, _leaves(slanted), strict=True):
        inside = patch.get_path().contains_points(X)
        assert np.mean(inside == (slanted.apply(X) == leaf)) > 0.99
    with pytest.raises(ValueError, match="two columns"):
        plot.tree_regions(weather_tree()[0], X, y)


@pytest.mark.spec("TRE-P03")
def test_a_branch_of_missing_values_has_no_region():
    X = np.array([[0.0, 0.0], [2.0, 1.0], [3.0, 2.0]])
    text = "x0 ≤ 1: a\nx0 > 1: b\nx0 is missing:\n    x1 ≤ 1: c\n    x1 > 1: a"
    panels = plot.tree_regions(Tree.from_rules(text, columns=["x0", "x1"]), X)
    left, right = (patch.get_xy() for patch in panels["regions"].patches)
    assert np.max(left[:, 0]) == np.min(right[:, 0]) == 1.0


@pytest.mark.spec("TRE-P02")
def test_an_interval_with_a_hole_keeps_its_ends_and_a_row_its_way_through_models():
    words = Words(("x",), (None,))
    cases = {"1 to 4, ≠ 2": {"low": (1.0, True), "high": (4.0, True)}, "≤ 4, ≠ 2": {"high": (4.0, True)}, "≠ 2": {}}
    for said, ends in cases.items():
        assert branch_label(Interval.of(0, holes=frozenset({2.0}), **ends), words, 3) == said
    x = np.arange(30.0)[:, None]
    model = DecisionTreeRegressor(max_depth=1, leaf_model="linear").fit(x, np.abs(x[:, 0] - 10))
    assert sum(line.get_linewidth() > 2 for line in plot.tree(model, x=x[0]).lines) == 1


@pytest.mark.spec("TRE-P01", "TRE-040")
def test_pseudo_counts_are_not_drawn_as_rows():
    weather = load_weather_play(as_frame=True)
    ax = plot.rule_stump(OneRule(alpha=2.0).fit(weather.data, weather.target))
    heights = np.array([patch.get_height() for patch in ax.patches]).reshape(2, 3)
    np.testing.assert_allclose(heights, [[0, 2, 3], [4, 3, 2]])
    nodes, _ = boxes(plot.tree(DecisionTreeClassifier(leaf_alpha=1.0, max_depth=1).fit(weather.data, weather.target)))
    assert nodes[0][2] == "no: 5 · yes: 9"
    gaps = weather.data.astype(object)
    gaps.iloc[:3, 0] = None
    told = plot.rule_stump(OneRule("outlook").fit(gaps, weather.target)).get_xticklabels()
    assert [label.get_text().splitlines()[0] for label in told] == ["overcast", "rainy", "sunny", "missing"]


@pytest.mark.spec("TRE-P01")
def test_one_rule_is_a_stump_with_counts():
    model, _ = weather_tree({"outlook": {"overcast": "?", "rainy": "?", "sunny": "?"}})
    ax = plot.rule_stump(model)
    heights = np.array([patch.get_height() for patch in ax.patches]).reshape(2, 3)
    np.testing.assert_array_equal(heights, [[0, 2, 3], [4, 3, 2]])
    told = [label.get_text().splitlines() for label in ax.get_xticklabels()]
    assert told == [["overcast", "→ yes", "no errors"], ["rainy", "→ yes", "2 errors"], ["sunny", "→ no", "2 errors"]]
    assert ax.get_title(loc="left") == "4 errors in 14 rows"
    with pytest.raises(ValueError, match="tests one column"):
        plot.rule_stump(weather_tree()[0])


@pytest.mark.spec("TRE-P01")
def test_one_rule_of_intervals_is_a_stump_too():
    humidity = np.array([85.0, 90, 86, 96, 80, 70, 65, 95, 70, 80, 70, 90, 75, 91])[:, None]
    model = OneRule(min_bucket=3).fit(humidity, list("nnyyynynyyyyyn"))
    ax = plot.rule_stump(model)
    told = [label.get_text().splitlines()[:2] for label in ax.get_xticklabels()]
    assert told == [["≤ 82.5", "→ y"], ["82.5 to 95.5", "→ n"], ["> 95.5", "→ y"]]
    assert ax.get_title(loc="left") == "3 errors in 14 rows"


@pytest.mark.spec("TRE-P04")
def test_impurities_over_the_share_of_a_class():
    ax = plot.impurity_curves()
    labelled(ax)
    curves = lines(ax)
    p = curves["Gini"].get_xdata()
    np.testing.assert_allclose(curves["Gini"].get_ydata(), 2 * p * (1 - p), atol=1e-12)
    np.testing.assert_allclose(curves["misclassification"].get_ydata(), np.minimum(p, 1 - p), atol=1e-12)
    assert max(curves["entropy"].get_ydata()) == pytest.approx(1.0)
    np.testing.assert_allclose(curves["entropy / 2"].get_ydata(), curves["entropy"].get_ydata() / 2)


@pytest.mark.spec("TRE-P14", "TRE-P02")
def test_a_tree_that_explains_clusters_is_drawn_with_their_names():
    iris = load_iris()
    labels = np.array(["first", "second", "third"])[KMeans(3, random_state=0).fit_predict(iris.data)]
    frame = pd.DataFrame(iris.data, columns=iris.feature_names)
    found = explain_clusters(frame, labels, DecisionTreeClassifier(max_leaf_nodes=4, random_state=0))
    nodes, _ = boxes(plot.tree(found.model))
    assert len(nodes) == found.model.tree_.node_count
    # Every leaf bears the name of the cluster that its rule leads to.
    leaves = [texts for texts in nodes if texts[0] in set(labels)]
    assert sorted(texts[0] for texts in leaves) == sorted(k for k, rules in found.rules.items() for _ in rules)
    assert found.fidelity > 0.9
