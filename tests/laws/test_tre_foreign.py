"""Functions for trees of this library refuse models of another in a sentence that names the argument."""

import numpy as np
import pytest
import sklearn.ensemble
import sklearn.tree

from gnomon import plot
from gnomon.evaluation import nested_cv
from gnomon.trees import prune_cv, structure_stability

X = np.random.default_rng(0).normal(size=(30, 2))
Y = (X[:, 0] > 0).astype(int)
TREE = sklearn.tree.DecisionTreeClassifier(max_depth=2).fit(X, Y)
FOREST = sklearn.ensemble.RandomForestClassifier(3, oob_score=False).fit(X, Y)

CALLS = {
    "structure_stability": (
        lambda model: structure_stability(model, X, Y, n_resamples=2),
        "estimator=",
        [TREE, FOREST],
    ),
    "prune_cv": (lambda model: prune_cv(model, X, Y, cv=2), "tree=", [TREE, FOREST, {}]),
    "plot.tree": (plot.tree, "model=", [TREE, FOREST]),
    "plot.tree_regions": (lambda model: plot.tree_regions(model, X, Y), "model=", [TREE, FOREST]),
    "plot.rule_stump": (plot.rule_stump, "model=", [TREE, FOREST]),
    "plot.forest_importances": (plot.forest_importances, "forest=", [TREE, FOREST]),
    "plot.forest_nearness": (lambda model: plot.forest_nearness(model, X), "forest=", [TREE, FOREST]),
    "plot.oob_curve": (plot.oob_curve, "forest=", [TREE, FOREST]),
    "nested_cv": (lambda search: nested_cv(search, X, Y), "search=", [{"max_depth": [1, 2]}, "tree"]),
}


@pytest.mark.parametrize("case", CALLS)
def test_what_is_of_another_kind_is_refused_by_its_name(case):
    call, name, models = CALLS[case]
    for model in models:
        with pytest.raises(TypeError, match=rf"^{name}.* give "):
            call(model)
