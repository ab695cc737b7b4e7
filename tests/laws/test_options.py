"""Options of every estimator: a value of the wrong kind is refused by name, and NumPy's scalars serve as Python's."""

import warnings
from ast import literal_eval
from importlib import import_module
from typing import Annotated, get_args

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.model_selection import GridSearchCV

import public_names
from gnomon._typing import Closed, Count, Share, Within
from gnomon.base import parameters
from gnomon.base.parameters import ParameterError, check_parameters
from gnomon.generative import MixtureModel
from gnomon.linear import LinearRegression, LogisticRegression, Perceptron
from gnomon.numerics.validation import check_interval
from gnomon.optim import SOLVERS
from gnomon.testing import check_numpy_options, check_options
from gnomon.testing._tables import example_table, fitted
from gnomon.trees import DecisionTreeClassifier
from many_checks import over

# A label, or a leaf, may be any object, and a file or folder have any name.
LABELS = (
    "checkpoint",
    "memory",
    "outlier_label",
    "reject_label",
    "unknown_label",
    "unlabeled",
    "anomaly_label",
    "rules",
)


@pytest.fixture(autouse=True)
def _only_options():
    """A fit with other values may warn of what it finds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


class Ranged(BaseEstimator):
    def __init__(
        self, share: Share = 0.5, count: Count | None = None, C: Annotated[float, Within(0, closed="right")] = 1
    ):
        self.share, self.count, self.C = share, count, C


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"share": 1.5}, r"share=1.5 must be a number in \[0, 1\]; give another value"),
        ({"share": "half"}, r"share='half' must be a number in \[0, 1\]"),
        ({"count": 0}, r"count=0 must be a whole number ≥ 1 or one of \[None\]"),
        ({"C": 0.0}, r"C=0.0 must be a number > 0"),
        ({"share": 0.0, "count": 1, "C": np.inf}, None),
    ],
)
def test_a_range_is_annotated_and_checked(options, sentence):
    if sentence is None:
        return check_parameters(Ranged(**options))
    with pytest.raises(ParameterError, match=sentence):
        check_parameters(Ranged(**options))
    return None


@pytest.mark.parametrize("closed", get_args(Closed))
@pytest.mark.parametrize("ends", [(0.0, 1.0), (0.0, np.inf), (-np.inf, 2.0), (-np.inf, np.inf)])
def test_a_range_is_said_and_held_alike_wherever_it_is_checked(ends, closed):
    limits = Within(*ends, closed)

    class Limited(BaseEstimator):
        def __init__(self, a: Annotated[float, limits] = 0.5):
            self.a = a

    for value in (-np.inf, -1.0, 0.0, 0.5, 1.0, 2.0, 3.0, np.inf):
        at_fit = _refusal_of(check_parameters, Limited(value)).replace("a number ", "")
        assert at_fit == _refusal_of(check_interval, "a", value, *ends, closed=closed)
        assert (at_fit == "") == limits.holds(value)
    infinite = [end for end in ends if np.isinf(end)]
    assert ("finite" in str(limits)) == (not all(limits.holds(end) for end in infinite))


def _refusal_of(check, *given, **words):
    try:
        check(*given, **words)
    except ValueError as error:
        return str(error)
    return ""


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
        (LinearRegression(ddof=-3.7), r"ddof=-3.7 must be a whole number ≥ 0 or one of \['rank'\]"),
        (LinearRegression(fit_intercept="no"), r"fit_intercept='no' is unknown; choose from \[True, False\]"),
        (DecisionTreeClassifier(max_depth=2.5), r"max_depth=2.5 must be a whole number ≥ 0 or one of \[None\]"),
        (DecisionTreeClassifier(min_impurity_decrease=np.nan), "min_impurity_decrease=nan must be a number"),
        (MixtureModel(fixed="bogus"), "fixed='bogus' must be a sequence"),
    ],
    ids=lambda case: case if isinstance(case, str) else "",
)
def test_a_refusal_names_the_option_its_value_and_what_is_allowed(estimator, sentence):
    for refusing in (check_parameters, lambda model: model.fit(*example_table(model))):
        with pytest.raises(ParameterError, match=sentence):
            refusing(estimator)


@over(estimator for estimator in public_names.estimators() if type(estimator).__module__.startswith("gnomon.linear"))
def test_the_parameters_of_a_linear_model_are_checked_once_in_a_fit(estimator, monkeypatch):
    checked, annotated = [], parameters._annotated
    monkeypatch.setattr(parameters, "_annotated", lambda cls: checked.append(cls) or annotated(cls))
    fitted(estimator, *example_table(estimator))
    assert checked.count(type(estimator)) == 1


def test_parameters_are_checked_where_a_fit_goes_on():
    X, y = example_table(Perceptron())
    model = Perceptron().partial_fit(X, y, classes=np.unique(y)).set_params(penalty="l3")
    with pytest.raises(ParameterError, match="penalty='l3'"):
        model.partial_fit(X, y)


def test_known_words_are_listed_once():
    with pytest.raises(ValueError, match="solver='simplex' is unknown") as refused:
        LogisticRegression(solver="simplex").fit(*example_table(LogisticRegression()))
    words = literal_eval(str(refused.value).partition("choose from ")[2])
    assert len(words) == len(set(words))


def test_a_named_solver_alone_is_asked_for_what_it_needs(monkeypatch):
    fitting = import_module("gnomon.optim._fit_linear")
    asked, lacking = [], fitting._lacking
    monkeypatch.setattr(fitting, "_lacking", lambda problem, one: asked.append(one) or lacking(problem, one))
    X, y = example_table(LogisticRegression())
    LogisticRegression(solver="lbfgs").fit(X, y)
    assert asked == [SOLVERS["lbfgs"]]
