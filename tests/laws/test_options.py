"""Options of every estimator: a value of the wrong kind is refused by name, and NumPy's scalars serve as Python's."""

import warnings

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV

import public_names
from gnomon.base.parameters import ParameterError, check_parameters
from gnomon.generative import MixtureModel
from gnomon.linear import LinearRegression
from gnomon.testing import check_numpy_options, check_options
from gnomon.testing._tables import example_table
from gnomon.trees import DecisionTreeClassifier
from many_checks import over

# A label, or a leaf, may be any object.
LABELS = ("outlier_label", "reject_label", "unknown_label", "unlabeled", "anomaly_label", "rules")


@pytest.fixture(autouse=True)
def _only_options():
    """A fit with other values may warn of what it finds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@over(public_names.estimators())
def test_an_option_of_the_wrong_kind_is_refused_by_name(estimator):
    check_options(estimator, leave_out=LABELS)


@over(public_names.estimators())
def test_an_option_may_be_a_scalar_of_numpy(estimator):
    check_numpy_options(estimator)


def test_a_grid_of_words():
    X, y = example_table(DecisionTreeClassifier())
    search = GridSearchCV(DecisionTreeClassifier(), {"criterion": np.array(["gini", "entropy"])}, cv=2).fit(X, y)
    assert search.best_params_["criterion"] in ("gini", "entropy")


@pytest.mark.parametrize(
    ("estimator", "sentence"),
    [
        (LinearRegression(ddof=-3.7), r"ddof=-3.7 must be a whole number or one of \['rank'\]"),
        (LinearRegression(fit_intercept="no"), r"fit_intercept='no' is unknown; choose from \[True, False\]"),
        (DecisionTreeClassifier(max_depth=2.5), r"max_depth=2.5 must be a whole number or one of \[None\]"),
        (DecisionTreeClassifier(min_impurity_decrease=np.nan), "min_impurity_decrease=nan must be a number"),
        (MixtureModel(fixed="bogus"), "fixed='bogus' must be a sequence"),
    ],
    ids=lambda case: case if isinstance(case, str) else "",
)
def test_a_refusal_names_the_option_its_value_and_what_is_allowed(estimator, sentence):
    for refusing in (check_parameters, lambda model: model.fit(*example_table(model))):
        with pytest.raises(ParameterError, match=sentence):
            refusing(estimator)
