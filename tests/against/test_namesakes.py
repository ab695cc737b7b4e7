"""A class that shares its name with one of scikit-learn takes the same parameters with the same defaults."""

import inspect

import pytest
import sklearn.linear_model
import sklearn.multiclass
import sklearn.svm

import gnomon.linear
import gnomon.multiclass

PEERS = {**vars(sklearn.svm), **vars(sklearn.linear_model), **vars(sklearn.multiclass)}
OURS = {name: getattr(family, name) for family in (gnomon.linear, gnomon.multiclass) for name in family.__all__}
NAMES = [name for name in OURS if inspect.isclass(PEERS.get(name))]

# scikit-learn is withdrawing these or changing their defaults; ours are those it announces.
WITHDRAWN = {
    ("LogisticRegression", "penalty"),
    ("LogisticRegressionCV", "use_legacy_attributes"),
    ("LogisticRegressionCV", "l1_ratios"),
    ("LogisticRegressionCV", "scoring"),
}


def defaults(cls):
    return {name: p.default for name, p in inspect.signature(cls).parameters.items()}


@pytest.mark.parametrize("name", NAMES)
def test_same_parameters_and_defaults(name):
    ours = defaults(OURS[name])
    for parameter, default in defaults(PEERS[name]).items():
        assert parameter in ours, f"{name} lacks {parameter}"
        if (name, parameter) not in WITHDRAWN:
            assert ours[parameter] == default, f"{name}({parameter}={ours[parameter]!r}), scikit-learn has {default!r}"


def test_the_namesakes_are_found():
    assert {"Lasso", "Ridge", "LinearRegression", "LogisticRegression", "LinearSVC", "Perceptron"} <= set(NAMES)
    assert {"OneVsRestClassifier", "OneVsOneClassifier", "OutputCodeClassifier"} <= set(NAMES)
