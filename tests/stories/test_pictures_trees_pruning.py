"""The picture of a pruning path."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes

from gnomon import plot
from gnomon.trees import DecisionTreeClassifier, DecisionTreeRegressor, prune_cv
from pictures import labelled, lines


@pytest.mark.spec("TRE-P08")
@pytest.mark.parametrize(("Tree", "load"), [
    (DecisionTreeClassifier, load_breast_cancer),
    (DecisionTreeRegressor, load_diabetes),
])  # fmt: skip
def test_the_curves_are_those_of_the_choice(Tree, load):
    choice = prune_cv(Tree(min_samples_leaf=5), *load(return_X_y=True), cv=5)
    panels = plot.pruning_curves(choice)
    top, low = panels["errors"], panels["leaves"]
    assert low.get_xlabel()
    assert top.get_ylabel()
    assert low.get_ylabel()
    drawn = lines(top)
    np.testing.assert_array_equal(drawn["training"].get_ydata()[:-1], choice.training_errors)
    np.testing.assert_array_equal(drawn["cross-validation"].get_ydata()[:-1], choice.errors)
    np.testing.assert_array_equal(drawn["cross-validation"].get_xdata()[:-1], choice.alphas)
    np.testing.assert_array_equal(lines(low)["leaves"].get_ydata()[:-1], choice.leaves)
    least, one_se = (name for name in drawn if name.endswith(("leaves", "leaf")))
    for name, place in ((least, choice.least), (one_se, choice.one_se)):
        assert f": {choice.leaves[place]} " in name
        assert drawn[name].get_ydata() == [choice.errors[place]]
        alpha = drawn[name].get_xdata()[0]
        assert np.searchsorted(choice.alphas, alpha, side="right") - 1 == place
    band = top.collections[0].get_paths()[0].vertices[:, 1]
    assert np.max(band) == pytest.approx(np.max(choice.errors + choice.standard_errors))
    top.figure.canvas.draw()


@pytest.mark.spec("TRE-P08")
def test_a_tree_of_one_leaf_and_given_axes():
    choice = prune_cv(DecisionTreeRegressor(), np.zeros((20, 1)), np.arange(20.0), cv=4)
    assert len(choice.alphas) == 1
    _, axes = plt.subplots(2)
    panels = plot.pruning_curves(choice, ax=axes)
    assert panels["errors"] is axes[0]
    labelled(panels["leaves"])
    axes[0].figure.canvas.draw()
