"""What trees and ensembles cost: every number is counted or measured, of one tree as of all."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression

from gnomon.losses import LogisticLoss
from gnomon.trees import (
    AdaBoostClassifier,
    BaggingClassifier,
    BaggingRegressor,
    DecisionStump,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    DensityForest,
    DensityTree,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HandTreeClassifier,
    HandTreeRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    OneRule,
    OptimalTreeClassifier,
    OptimalTreeRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    RandomizedTreesClassifier,
    RandomizedTreesRegressor,
    RandomTreesEmbedding,
)
from many_checks import over

X, y = load_breast_cancer(return_X_y=True)
X, y = X[:150, :3], y[:150]
FEW = {"n_estimators": 4, "random_state": 0}
SINGLE = [
    DecisionTreeClassifier(),
    DecisionTreeRegressor(),
    DecisionStump(),
    OneRule(),
    OptimalTreeClassifier(max_depth=1),
    OptimalTreeRegressor(max_depth=1),
    HandTreeClassifier("x0 <= 14: ?\nx0 > 14: ?"),
    HandTreeRegressor("x0 <= 14: ?\nx0 > 14: ?"),
    DensityTree(),
]
ENSEMBLES = [
    RandomForestClassifier(**FEW),
    RandomForestRegressor(**FEW),
    ExtraTreesClassifier(**FEW),
    ExtraTreesRegressor(**FEW),
    RandomizedTreesClassifier(**FEW),
    RandomizedTreesRegressor(**FEW),
    RandomTreesEmbedding(**FEW),
    BaggingClassifier(max_features=2, **FEW),
    BaggingRegressor(**FEW),
    AdaBoostClassifier(**FEW),
    AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), **FEW),
    GradientBoostingClassifier(**FEW),
    GradientBoostingRegressor(**FEW),
    HistGradientBoostingClassifier(max_iter=4),
    HistGradientBoostingRegressor(max_iter=4),
    DensityForest(**FEW),
]


def trees_of(model):
    """All trees of an ensemble, by what it shows of them."""
    if "rounds_" in dir(model):
        return [tree for trees in model.rounds_ for tree in trees]
    return model.trees_ if "trees_" in vars(model) else [member.tree_ for member in model.estimators_]


@pytest.mark.spec("TRE-055")
@over(SINGLE)
def test_the_cost_of_a_tree(estimator):
    model = clone(estimator).fit(X, y)
    cost = model.summary(X)
    assert (cost.n_trees, cost.tree) == (1, None)
    assert (cost.nodes, cost.leaves) == (model.tree_.node_count, model.tree_.n_leaves)
    assert cost.depth == model.tree_.max_depth
    assert cost.tests == pytest.approx(np.mean(model.tree_.depth[model.apply(X)]))
    assert min(cost.fit_seconds, cost.predict_seconds) > 0.0
    assert np.isnan(model.summary().predict_seconds)
    assert str(cost).splitlines()[0].split() == ["one", "tree"]


@pytest.mark.spec("TRE-055")
@over(ENSEMBLES)
def test_the_cost_of_an_ensemble_and_of_one_of_its_trees(estimator):
    model = clone(estimator).fit(X, y)
    trees, cost = trees_of(model), model.summary(X)
    assert cost.n_trees == len(trees) == 4
    assert cost.nodes == sum(tree.node_count for tree in trees)
    assert cost.leaves == sum(tree.n_leaves for tree in trees)
    assert cost.depth == max(tree.max_depth for tree in trees)
    one = cost.tree
    shape = one.nodes, one.leaves, one.depth
    found = [tree for tree in trees if (tree.node_count, tree.n_leaves, tree.max_depth) == shape]
    assert len(found) > 0
    assert one.nodes == sorted(tree.node_count for tree in trees)[2]
    assert any(one.tests == pytest.approx(np.average(t.depth[t.is_leaf], weights=t.weight[t.is_leaf])) for t in found)
    assert (one.n_trees, one.tree) == (1, None)
    assert 0.0 < one.bytes < cost.bytes
    assert 0.0 < one.fit_seconds < cost.fit_seconds
    assert min(one.predict_seconds, cost.predict_seconds) > 0.0
    assert np.isnan(model.summary().tree.predict_seconds)
    assert str(cost).splitlines()[0].split() == ["ensemble", "one", "tree"]


def test_a_warm_start_keeps_the_seconds_of_the_trees_it_keeps():
    model = RandomForestClassifier(2, warm_start=True, random_state=0).fit(X, y)
    first = list(model._tree_seconds)
    model.set_params(n_estimators=5).fit(X, y)
    assert model._tree_seconds[:2] == first
    assert len(model._tree_seconds) == 5


def test_members_that_are_no_trees_have_no_nodes():
    model = BaggingClassifier(LogisticRegression(), 2).fit(X[:, :2], y)
    with pytest.raises(ValueError, match="are LogisticRegression, which are no trees"):
        model.summary()


@pytest.mark.spec("TRE-075")
def test_the_ridge_of_boosted_leaves():
    lam = 3.0
    target = X[:, 0] - 1.0
    model = GradientBoostingRegressor(n_estimators=1, max_depth=2, l2_regularization=lam, learning_rate=0.5)
    leaf = model.fit(X, target).apply(X)[:, 0]
    residual = target - np.mean(target)
    for node in np.unique(leaf):
        here = leaf == node
        step = 0.5 * np.sum(residual[here]) / (np.sum(here) + lam)
        np.testing.assert_allclose(model.predict(X[here]) - np.mean(target), step)
    plain = GradientBoostingRegressor(n_estimators=1, max_depth=2, learning_rate=0.5).fit(X, target)
    assert np.max(np.abs(plain.predict(X) - model.predict(X))) > 0.1
    two = GradientBoostingClassifier(n_estimators=1, max_depth=2, l2_regularization=lam, learning_rate=1.0)
    leaf = two.fit(X, y).apply(X)[:, 0, 0]
    sign, start = 2.0 * y - 1.0, two.baseline_[0]
    g, h = LogisticLoss().gradient(sign, np.full(150, start)), LogisticLoss().curvature(sign, np.full(150, start))
    for node in np.unique(leaf):
        here = leaf == node
        np.testing.assert_allclose(two.decision_function(X[here]) - start, -np.sum(g[here]) / (np.sum(h[here]) + lam))


@pytest.mark.spec("TRE-075")
@pytest.mark.parametrize("loss", ["absolute_error", "huber", "quantile"])
def test_leaves_of_least_loss_have_no_ridge(loss):
    with pytest.raises(ValueError, match=r"l2_regularization=1\.0 penalises Newton steps"):
        GradientBoostingRegressor(loss=loss, l2_regularization=1.0).fit(X, X[:, 0])
    with pytest.raises(ValueError, match="l2_regularization"):
        GradientBoostingRegressor(l2_regularization=-1.0).fit(X, X[:, 0])
