"""A class that shares its name with one of scikit-learn takes the same parameters with the same defaults."""

import inspect

import numpy as np
import pytest
import sklearn.ensemble
import sklearn.linear_model
import sklearn.multiclass
import sklearn.svm
import sklearn.tree

import gnomon.linear
import gnomon.multiclass
import gnomon.trees

PEERS = {
    **vars(sklearn.svm),
    **vars(sklearn.linear_model),
    **vars(sklearn.multiclass),
    **vars(sklearn.tree),
    **vars(sklearn.ensemble),
}
FAMILIES = (gnomon.linear, gnomon.multiclass, gnomon.trees)
OURS = {name: getattr(family, name) for family in FAMILIES for name in family.__all__}
NAMES = [name for name in OURS if inspect.isclass(PEERS.get(name))]

# scikit-learn is withdrawing these or changing their defaults; ours are those it announces.
WITHDRAWN = {
    ("LogisticRegression", "penalty"),
    ("LogisticRegressionCV", "use_legacy_attributes"),
    ("LogisticRegressionCV", "l1_ratios"),
    ("LogisticRegressionCV", "scoring"),
    # "friedman_mse" is a name of "squared_error", and what "deprecated" stands for.
    ("GradientBoostingClassifier", "criterion"),
    ("GradientBoostingRegressor", "criterion"),
}


def arguments(function):
    return inspect.signature(function).parameters


def defaults(cls):
    return {name: p.default for name, p in arguments(cls).items()}


@pytest.mark.parametrize("name", NAMES)
def test_same_parameters_and_defaults(name):
    ours = defaults(OURS[name])
    for parameter, default in defaults(PEERS[name]).items():
        assert parameter in ours, f"{name} lacks {parameter}"
        if (name, parameter) not in WITHDRAWN:
            assert ours[parameter] == default, f"{name}({parameter}={ours[parameter]!r}), scikit-learn has {default!r}"


@pytest.mark.parametrize("name", [name for name in NAMES if name in gnomon.trees.__all__])
def test_trees_take_the_same_arguments_in_the_same_order(name):
    """Parameters of ours come after those of scikit-learn, and verbs take what scikit-learn's do."""
    theirs = [p.name for p in arguments(PEERS[name]).values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    assert list(arguments(OURS[name]))[: len(theirs)] == theirs
    for verb, method in inspect.getmembers(PEERS[name], inspect.isfunction):
        if not verb.startswith(("_", "set_", "get_")):
            named = [p.name for p in arguments(method).values() if p.kind is not p.VAR_KEYWORD]
            lacking = set(named) - set(arguments(getattr(OURS[name], verb)))
            assert not lacking, f"{name}.{verb} lacks {lacking}"


@pytest.mark.parametrize("name", [name for name in NAMES if name in gnomon.trees.__all__])
def test_trees_have_the_fitted_attributes_of_their_namesakes(name):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = (X[:, 0] > 0.0).astype(int) if "Classifier" in name else X[:, 0] + 1.0
    ours, theirs = OURS[name](random_state=0).fit(X, y), PEERS[name](random_state=0).fit(X, y)
    public = [attribute for attribute in dir(theirs) if attribute.endswith("_") and not attribute.startswith("_")]
    assert not {attribute for attribute in public if not hasattr(ours, attribute)}


def test_the_namesakes_are_found():
    assert {"Lasso", "Ridge", "LinearRegression", "LogisticRegression", "LinearSVC", "Perceptron"} <= set(NAMES)
    assert {"OneVsRestClassifier", "OneVsOneClassifier", "OutputCodeClassifier"} <= set(NAMES)
    kinds = ("DecisionTree", "RandomForest", "ExtraTrees", "Bagging", "GradientBoosting", "HistGradientBoosting")
    assert {f"{kind}{role}" for kind in kinds for role in ("Classifier", "Regressor")} <= set(NAMES)
    assert {"AdaBoostClassifier", "RandomTreesEmbedding"} <= set(NAMES)
