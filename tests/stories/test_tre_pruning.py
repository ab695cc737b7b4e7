"""Pruning as a user meets it: through the trees, on real tables."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.model_selection import GridSearchCV, KFold, train_test_split

from gnomon.trees import DecisionTreeClassifier, DecisionTreeRegressor, prune_cv
from real_data import data_path


def german():
    table = pd.read_csv(data_path("tabular/german.csv.gz"), header=None)
    table.columns = [f"c{j}" for j in range(table.shape[1])]
    return table.iloc[:, :-1], table.iloc[:, -1].to_numpy()


def pima():
    table = np.loadtxt(data_path("tabular/pima-indians-diabetes.csv.gz"), delimiter=",")
    return table[:, :-1], table[:, -1].astype(int)


@pytest.mark.spec("TRE-035", "TRE-036")
@pytest.mark.parametrize("loss", ["impurity", "misclassification"])
def test_pruning_afterwards_is_growing_with_a_price(loss):
    X, y = load_wine(return_X_y=True)
    tree = DecisionTreeClassifier(pruning_loss=loss).fit(X, y)
    path = tree.cost_complexity_pruning_path(X, y)
    assert set(path) == {"ccp_alphas", "impurities", "leaves"}
    assert path.leaves[-1] == 1
    for alpha, leaves in zip(path.ccp_alphas[1:], path.leaves[1:], strict=True):
        pruned = tree.prune(alpha)
        grown = clone(tree).set_params(ccp_alpha=alpha).fit(X, y)
        assert pruned.get_n_leaves() == grown.get_n_leaves() == leaves
        np.testing.assert_array_equal(pruned.predict_proba(X), grown.predict_proba(X))
    assert tree.get_n_leaves() >= path.leaves[0]
    if loss == "misclassification":
        np.testing.assert_allclose(1.0 - tree.prune(path.ccp_alphas[2]).score(X, y), path.impurities[2], atol=1e-12)


@pytest.mark.spec("TRE-035")
def test_path_of_a_regression_tree_is_its_error():
    X, y = load_diabetes(return_X_y=True)
    tree = DecisionTreeRegressor(min_samples_leaf=5).fit(X, y)
    path = tree.cost_complexity_pruning_path(X, y)
    for k in (0, len(path.leaves) // 2, -2):
        pruned = tree.prune(path.ccp_alphas[k])
        assert np.mean((pruned.predict(X) - y) ** 2) == pytest.approx(path.impurities[k])


@pytest.mark.spec("TRE-036")
def test_cross_validation_chooses_a_price():
    X, y = load_breast_cancer(return_X_y=True)
    tree = DecisionTreeClassifier()
    choice = prune_cv(tree, X, y)
    assert choice.alpha == choice.alphas[choice.least]
    assert choice.estimator.get_n_leaves() == choice.leaves[choice.least]
    assert choice.errors[choice.least] == np.min(choice.errors)
    assert choice.errors[choice.least] < choice.errors[0]
    n = len(y)
    np.testing.assert_allclose(choice.standard_errors, np.sqrt(choice.errors * (1 - choice.errors) / n), rtol=1e-9)
    # The root alone calls every tumour benign.
    assert choice.errors[-1] == pytest.approx(np.mean(y == 0))
    assert choice.training_errors[-1] == pytest.approx(np.mean(y == 0))
    small = prune_cv(tree, X, y, rule="one_se", n_jobs=2)
    np.testing.assert_array_equal(small.errors, choice.errors)
    bound = choice.errors[choice.least] + choice.standard_errors[choice.least]
    assert small.alpha == np.max(choice.alphas[choice.errors <= bound])
    assert small.estimator.get_n_leaves() < choice.estimator.get_n_leaves()


@pytest.mark.spec("TRE-036")
def test_cross_validated_errors_are_those_of_trees_grown_in_each_fold():
    X, y = load_diabetes(return_X_y=True)
    folds = KFold(3, shuffle=True, random_state=1)
    tree = DecisionTreeRegressor(min_samples_leaf=15)
    choice = prune_cv(tree, X, y, cv=folds)
    k = len(choice.alphas) // 2
    price = np.sqrt(choice.alphas[k] * choice.alphas[k + 1])
    losses = np.empty(len(y))
    for train, test in folds.split(X):
        losses[test] = (clone(tree).set_params(ccp_alpha=price).fit(X[train], y[train]).predict(X[test]) - y[test]) ** 2
    assert choice.errors[k] == pytest.approx(np.mean(losses))
    assert choice.standard_errors[k] == pytest.approx(np.std(losses) / np.sqrt(len(y)))
    mean = [np.mean(y[train]) for train, _ in folds.split(X)]
    root = sum(np.sum((y[test] - c) ** 2) for c, (_, test) in zip(mean, folds.split(X), strict=True)) / len(y)
    assert choice.errors[-1] == pytest.approx(root)


@pytest.mark.spec("TRE-036")
def test_prune_cv_refuses():
    X, y = load_wine(return_X_y=True)
    with pytest.raises(ValueError, match="rule='1se'"):
        prune_cv(DecisionTreeClassifier(), X, y, rule="1se")
    with pytest.raises(ValueError, match="does not hold out every row once"):
        prune_cv(DecisionTreeClassifier(), X, y, cv=[(np.arange(100), np.arange(100, 150))])


@pytest.mark.spec("TRE-037", "TRE-L15")
@pytest.mark.parametrize("refit", [False, True])
def test_reduced_error_pruning_by_given_rows(refit):
    X, y = german()
    X, X_held, y, y_held = train_test_split(X, y, random_state=0)
    grown = DecisionTreeClassifier().fit(X, y)
    tree = DecisionTreeClassifier(pruning="reduced_error", validation=(X_held, y_held), refit_leaves=refit).fit(X, y)
    assert tree.get_n_leaves() < grown.get_n_leaves() / 2
    assert tree.score(X_held, y_held) > grown.score(X_held, y_held)


@pytest.mark.spec("TRE-037")
def test_reduced_error_pruning_holds_out_a_share():
    X, y = load_breast_cancer(return_X_y=True)
    options = {"pruning": "reduced_error", "validation_fraction": 0.4, "random_state": 3}
    tree = DecisionTreeClassifier(**options).fit(X, y)
    again = DecisionTreeClassifier(**options, refit_leaves=True).fit(X, y)
    assert tree.tree_.weight[0] == len(y) - round(0.4 * len(y))
    assert again.tree_.weight[0] == len(y)
    np.testing.assert_array_equal(tree.tree_.threshold, again.tree_.threshold)
    leaf = again.apply(X)
    for node in np.unique(leaf):
        np.testing.assert_allclose(again.tree_.answers[node, 1], np.mean(y[leaf == node]))
    numbers = load_diabetes(return_X_y=True)
    regressor = DecisionTreeRegressor(pruning="reduced_error", random_state=0, refit_leaves=True).fit(*numbers)
    assert 1 < regressor.get_n_leaves() < DecisionTreeRegressor().fit(*numbers).get_n_leaves() / 4
    assert regressor.tree_.answers[0, 0] == pytest.approx(np.mean(numbers[1]))


@pytest.mark.spec("TRE-038", "TRE-039")
@pytest.mark.parametrize("pruning", ["error_based", "pessimistic"])
def test_pruning_by_training_errors_on_a_noisy_table(pruning):
    X, y = pima()
    gains = []
    for seed in range(6):
        rows, new, labels, truth = train_test_split(X, y, random_state=seed)
        grown = DecisionTreeClassifier().fit(rows, labels)
        tree = DecisionTreeClassifier(pruning=pruning).fit(rows, labels)
        assert 1 < tree.get_n_leaves() < grown.get_n_leaves()
        assert tree.tree_.weight[0] == len(labels)
        np.testing.assert_allclose(tree.tree_.answers.sum(axis=1), 1.0)
        gains.append(tree.score(new, truth) - grown.score(new, truth))
    assert np.mean(gains) > 0.0


@pytest.mark.spec("TRE-038")
def test_the_smaller_the_confidence_the_smaller_the_tree():
    X, y = german()
    sizes = [DecisionTreeClassifier(pruning="error_based", cf=cf).fit(X, y).get_n_leaves() for cf in (0.01, 0.25, 0.9)]
    assert sizes[0] < sizes[1] < sizes[2]
    search = GridSearchCV(DecisionTreeClassifier(pruning="error_based"), {"cf": [0.05, 0.25]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.65


@pytest.mark.spec("TRE-036", "TRE-037", "TRE-038")
def test_refusals():
    X, y = load_wine(return_X_y=True)
    for options, words in (
        ({"pruning": "c4.5"}, "pruning='c4.5'"),
        ({"pruning": "error_based", "cf": 1.0}, "cf=1.0"),
        ({"pruning": "reduced_error", "validation_fraction": 1.0}, "validation_fraction=1.0"),
        ({"ccp_alpha": -0.1}, "ccp_alpha=-0.1"),
        ({"pruning_loss": "gini"}, "pruning_loss='gini'"),
    ):
        with pytest.raises(ValueError, match=words):
            DecisionTreeClassifier(**options).fit(X, y)
    with pytest.raises(ValueError, match="pruning='pessimistic'"):
        DecisionTreeRegressor(pruning="pessimistic").fit(X, y)
    with pytest.raises(ValueError, match=r"alpha=-1 must be ≥ 0"):
        DecisionTreeClassifier().fit(X, y).prune(-1)


@pytest.mark.spec("TRE-037", "TRE-038", "TRE-039")
@pytest.mark.parametrize("pruning", ["reduced_error", "error_based", "pessimistic"])
def test_one_row_one_class_and_labels_never_met(pruning):
    tree = DecisionTreeClassifier(pruning=pruning)
    assert tree.fit([[1.0]], ["a"]).predict([[2.0]]) == ["a"]
    assert tree.fit([[1.0], [2.0], [3.0]], ["a", "a", "a"]).get_n_leaves() == 1
    X, y = [["u"], ["v"], ["u"], ["v"]] * 5, ["a", "b", "a", "b"] * 5
    assert tree.set_params(validation=([["u"], ["w"]], ["a", "never"])).fit(X, y).predict([["u"]]) == ["a"]
