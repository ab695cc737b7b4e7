"""Laws of monotone columns: answers keep the order, and what cannot keep it is refused by name."""

import numpy as np
import pandas as pd
import pytest
from sklearn import tree as peers
from sklearn.linear_model import LinearRegression

from daily import daily
from gnomon.trees import DecisionTreeClassifier, DecisionTreeRegressor, RandomForestClassifier, RandomForestRegressor

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 3))
Y = X[:, 0] ** 3 + X[:, 1] + np.sin(3 * X[:, 2]) + 0.5 * RNG.normal(size=200)
LABELS = (Y > 0.0).astype(int)


def steps(model, j, X):
    """Changes of the answers along column j."""
    grid = np.repeat(X[:30], 40, axis=0)
    grid[:, j] = np.tile(np.linspace(-3.0, 3.0, 40), 30)
    return np.diff(model.predict(grid).reshape(30, 40), axis=1)


@pytest.mark.spec("TRE-021", "TRE-025")
@pytest.mark.parametrize(
    "criterion", daily(["absolute_error", "poisson", "quantile", "squared_error"], "absolute_error", "squared_error")
)
@pytest.mark.parametrize("splitter", ["best", "random"])
@pytest.mark.parametrize("options", [{}, {"max_leaf_nodes": 12}, {"ccp_alpha": 0.002}])
def test_answers_rise_and_fall_as_asked(criterion, splitter, options):
    options = {"criterion": criterion, "splitter": splitter, "random_state": 0} | options
    free = DecisionTreeRegressor(**options).fit(X, Y - np.min(Y) + 0.1)
    assert np.any(steps(free, 1, X) > 0.0)
    tree = DecisionTreeRegressor(monotonic_cst=[1, -1, 0], **options).fit(X, Y - np.min(Y) + 0.1)
    assert tree.get_n_leaves() > 3
    assert np.all(steps(tree, 0, X) >= 0.0)
    assert np.all(steps(tree, 1, X) <= 0.0)


@pytest.mark.spec("TRE-021", "TRE-025")
@pytest.mark.parametrize("weighted", [False, True])
def test_least_absolute_error_in_order_is_scikit_learns(weighted):
    x = X.copy()
    weights = RNG.integers(1, 4, len(X)).astype(float) if weighted else None
    options = {"criterion": "absolute_error", "monotonic_cst": [1, -1, 0], "max_depth": 3}
    ours = DecisionTreeRegressor(**options).fit(x, Y, sample_weight=weights)
    theirs = peers.DecisionTreeRegressor(**options, random_state=0).fit(x, Y, sample_weight=weights)
    np.testing.assert_array_equal(ours.tree_.feature, theirs.tree_.feature)
    np.testing.assert_allclose(ours.tree_.threshold, theirs.tree_.threshold, rtol=1e-6)
    np.testing.assert_allclose(ours.predict(x), theirs.predict(x), atol=1e-9)


@pytest.mark.spec("TRE-021")
def test_forests_of_least_absolute_error_keep_the_order():
    forest = RandomForestRegressor(5, criterion="absolute_error", monotonic_cst=[1, 0, 0], random_state=0).fit(X, Y)
    assert np.all(steps(forest, 0, X) >= -1e-12)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"leaf_alpha": 1.0}, "leaf_alpha"),
        ({"leaf_model": "linear"}, "leaf_model"),
        ({"pruning": "error_based"}, "error_based"),
        ({"pruning": "reduced_error", "refit_leaves": True}, "refit_leaves"),
        ({"numeric_test": "three_way"}, "two branches"),
        ({"missing": "surrogate"}, "own_value"),
    ],
    ids=str,
)
def test_what_would_break_the_order_is_refused(options, words):
    with pytest.raises(ValueError, match=f"monotonic_cst.*{words}"):
        DecisionTreeClassifier(monotonic_cst=[1, 0, 0], **options).fit(X, LABELS)


@pytest.mark.parametrize("cls", [DecisionTreeClassifier, RandomForestClassifier])
def test_two_classes_have_an_order_and_more_have_none(cls):
    with pytest.raises(ValueError, match=r"monotonic_cst.*multiclass"):
        cls(monotonic_cst=[1, 0, 0]).fit(X, np.arange(200) % 3)
    cls(monotonic_cst=[0, 0, 0]).fit(X[:50], np.arange(50) % 3)
    model = cls(monotonic_cst=[1, 0, 0], random_state=0).fit(X, LABELS)
    assert np.all(steps(model, 0, X) >= 0)


@pytest.mark.parametrize("cls", [DecisionTreeRegressor, RandomForestRegressor])
def test_several_outputs_have_no_order(cls):
    with pytest.raises(ValueError, match=r"monotonic_cst.*multiple outputs"):
        cls(monotonic_cst=[1, 0, 0]).fit(X, np.column_stack([Y, -Y]))
    with pytest.raises(ValueError, match=r"monotonic_cst.*leaf_model"):
        DecisionTreeRegressor(monotonic_cst=[1, 0, 0], leaf_model=LinearRegression()).fit(X, Y)


@pytest.mark.parametrize("cls", [DecisionTreeClassifier, RandomForestClassifier])
def test_categories_have_no_order(cls):
    frame = pd.DataFrame({"hue": np.array(["red", "blue"])[LABELS], "size": X[:, 0]})
    with pytest.raises(ValueError, match=r"monotonic_cst.*categorical"):
        cls(monotonic_cst=[1, 0]).fit(frame, LABELS)
    assert cls(monotonic_cst={"size": 1}).fit(frame, LABELS).score(frame, LABELS) == 1.0


def test_columns_without_names_are_not_found_by_name():
    with pytest.raises(ValueError, match="the columns of X have no names; give a data frame"):
        DecisionTreeClassifier(monotonic_cst={"size": 1}).fit(X, LABELS)
    with pytest.raises(ValueError, match=r"names 'age', which is no column of X; it has \['a', 'b', 'c'\]"):
        DecisionTreeClassifier(monotonic_cst={"age": 1}).fit(pd.DataFrame(X, columns=list("abc")), LABELS)
