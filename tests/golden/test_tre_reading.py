"""Golden values of trees that are read: the weather tree of ID3, drawn by hand, and its importances."""

import numpy as np
import pytest

from gnomon.datasets import load_weather_play
from gnomon.search import Gini, Words, code_columns, grow_general_tree, read_tree, refit_nodes, tree_importance
from gnomon.trees import DecisionTreeClassifier, Tree

ID3 = """
outlook = overcast: yes
outlook = sunny:
    humidity = high: no
    humidity = normal: yes
outlook = rainy:
    windy = true: no
    windy = false: yes
"""


def by_hand(criterion="entropy"):
    weather = load_weather_play(as_frame=True)
    categories = dict(zip(weather.feature_names, weather.categories, strict=True))
    model = Tree.from_rules(ID3, columns=weather.feature_names, categories=categories)
    model.set_params(criterion=criterion)
    return model.fill_leaves(weather.data, weather.target), weather


@pytest.mark.spec("TRE-G09", "TRE-042")
def test_the_tree_of_id3_explains_all_days():
    model, weather = by_hand()
    assert model.score(weather.data, weather.target) == 1.0
    tree = model.tree_
    np.testing.assert_allclose(tree.impurity[0], 0.940286, atol=5e-7)
    np.testing.assert_allclose(tree.gain[0], 0.246750, atol=5e-7)
    inner = [node for node in np.flatnonzero(~tree.is_leaf) if node > 0]
    np.testing.assert_allclose(tree.gain[inner], [0.970951, 0.970951], atol=5e-7)
    grown = Tree.from_rules(model.export_text())
    assert grown.score(weather.data, weather.target) == 1.0
    assert (
        model.to_dnf("no", rows="complete")
        == "(outlook = sunny and humidity = high) or (outlook = rainy and windy = true)"
    )


@pytest.mark.spec("TRE-G09", "TRE-023", "TRE-045")
def test_id3_grows_the_tree_that_was_drawn():
    model, weather = by_hand()
    grown = DecisionTreeClassifier(algorithm="id3").fit(weather.data, weather.target)
    no = {(("outlook", "sunny"), ("humidity", "high")), (("outlook", "rainy"), ("windy", "true"))}
    for tree in (model, grown):
        words = tree.words_
        found = {
            tuple((words.names[c.column], words.values[c.column][min(c.codes)]) for c in rule.conditions)
            for rule in tree.to_rules(rows="complete")
            if rule.label == "no"
        }
        assert found == no
    assert grown.get_n_leaves() == 5
    assert grown.score(weather.data, weather.target) == 1.0
    np.testing.assert_allclose(np.sort(grown.tree_.gain)[-3:], [0.246750, 0.970951, 0.970951], atol=5e-7)


@pytest.mark.spec("TRE-G11", "TRE-047", "TRE-048", "TRE-049")
def test_importances_of_the_weather_tree():
    model, _ = by_hand()
    np.testing.assert_allclose(model.importance("samples"), [1, 0, 5 / 14, 5 / 14])
    np.testing.assert_allclose(model.importance("tests"), [1, 0, 5 / 14, 5 / 14])
    np.testing.assert_allclose(model.importance("depth"), [0, 2, 1, 1])
    np.testing.assert_allclose(model.importance("impurity"), [0.262420, 0, 0.368790, 0.368790], atol=5e-7)
    gini, _ = by_hand("gini")
    np.testing.assert_allclose(gini.importance("impurity"), [0.253333, 0, 0.373333, 0.373333], atol=5e-7)


@pytest.mark.spec("TRE-G13")
def test_a_day_without_outlook_goes_down_all_branches_in_parts():
    weather = load_weather_play()
    codes = [[values.index(cell) for cell, values in zip(day, weather.categories, strict=True)] for day in weather.data]
    X, (_, y) = np.array(codes, dtype=float), np.unique(weather.target, return_inverse=True)
    columns = code_columns(X, category=[True] * 4)
    tree = grow_general_tree(columns, y, Gini(2), categorical_split="multiway", reuse_features=False,
                             missing="fractional")  # fmt: skip
    words = Words(tuple(weather.feature_names), tuple(map(tuple, weather.categories)), np.array(["no", "yes"]))
    hand = refit_nodes(read_tree(ID3, words=words)[0], X, y, Gini(2))
    np.testing.assert_array_equal(tree.predict(X), hand.predict(X))
    mild, high, true = (weather.categories[j].index(v) for j, v in ((1, "mild"), (2, "high"), (3, "true")))
    np.testing.assert_allclose(tree.predict(np.array([[np.nan, mild, high, true]])), [[10 / 14, 4 / 14]])
    np.testing.assert_allclose(tree_importance(hand, "samples"), tree_importance(tree, "samples"))
