"""Change of units: trees of c·w, c·y, c·X and X + c are the tree of w, y and X, moved.

    T(X, y, c w) = T(X, y, w)     T(X, c y) = c T(X, y)     T(c X, y)(c x) = T(X + c, y)(x + c) = T(X, y)(x)

Bit for bit where c is a power of two, whose products are exact, up to the largest and smallest numbers there are.
"""

import numpy as np
import pytest
from sklearn.base import clone, is_classifier, is_regressor

from gnomon.search import Newton, SquaredError, code_columns, grow_tree
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
from many_checks import check_all, over

FEW = {"n_estimators": 3, "random_state": 0}
ROUNDS = {"max_iter": 3, "min_samples_leaf": 3}
CLASSIFIERS = [
    DecisionTreeClassifier(),
    DecisionTreeClassifier(criterion="entropy", splitter="random", random_state=0),
    DecisionTreeClassifier(max_leaf_nodes=6, min_weight_fraction_leaf=0.05, min_impurity_decrease=0.01),
    DecisionTreeClassifier(split="oblique", max_depth=2),
    DecisionTreeClassifier(numeric_test="three_way", ccp_alpha=0.01),
    DecisionTreeClassifier(criterion="misclassification", pruning="reduced_error", random_state=0),
    ExtraTreesClassifier(**FEW),
    RandomForestClassifier(**FEW),
    RandomForestClassifier(bootstrap=False, class_weight="balanced", **FEW),
    RandomizedTreesClassifier(**FEW),
    BaggingClassifier(**FEW),
    AdaBoostClassifier(**FEW),
    AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), **FEW),
    GradientBoostingClassifier(**FEW),
    GradientBoostingClassifier(subsample=0.7, min_weight_fraction_leaf=0.05, **FEW),
    DecisionStump(),
    OptimalTreeClassifier(max_depth=2),
    OptimalTreeClassifier(max_depth=2, leaf_penalty=0.02),
    HandTreeClassifier("x0 <= 0: ?\nx0 > 0: ?"),
]
REGRESSORS = [
    DecisionTreeRegressor(),
    DecisionTreeRegressor(max_leaf_nodes=6, min_weight_fraction_leaf=0.05),
    DecisionTreeRegressor(criterion="absolute_error", max_depth=3),
    DecisionTreeRegressor(criterion="quantile", quantile=0.8, max_depth=3),
    DecisionTreeRegressor(splitter="random", pruning="reduced_error", random_state=0),
    DecisionTreeRegressor(leaf_model="linear", smooth=0.0, max_depth=2),
    DecisionTreeRegressor(split="oblique", max_depth=2),
    RandomForestRegressor(**FEW),
    ExtraTreesRegressor(**FEW),
    RandomizedTreesRegressor(**FEW),
    BaggingRegressor(**FEW),
    GradientBoostingRegressor(**FEW),
    GradientBoostingRegressor(loss="absolute_error", **FEW),
    GradientBoostingRegressor(loss="huber", subsample=0.8, **FEW),
    GradientBoostingRegressor(loss="quantile", **FEW),
    HistGradientBoostingRegressor(**ROUNDS),
    HistGradientBoostingRegressor(loss="absolute_error", **ROUNDS),
    HistGradientBoostingRegressor(loss="quantile", quantile=0.3, **ROUNDS),
    OptimalTreeRegressor(max_depth=2),
    HandTreeRegressor("x0 <= 0: ?\nx0 > 0: ?"),
]
COUNTS = [
    DecisionTreeRegressor(criterion="poisson"),
    RandomForestRegressor(criterion="poisson", **FEW),
    HistGradientBoostingRegressor(loss="poisson", **ROUNDS),
    HistGradientBoostingRegressor(loss="gamma", **ROUNDS),
]
# The least curvature or weight of a leaf is absolute.
ABSOLUTE = [HistGradientBoostingClassifier(**ROUNDS), OneRule(), DensityTree(), DensityForest(3, random_state=0)]
OTHERS = [RandomTreesEmbedding(**FEW)]

rng = np.random.default_rng(0)
X = np.round(rng.normal(size=(40, 2)) * 2**10) / 2**10
Y = np.round((np.sin(2 * X[:, 0]) + X[:, 1] + rng.normal(size=40) / 4) * 2**10) / 2**10
LABELS = (Y > 0).astype(int) + (Y > 1)
W = np.round(rng.uniform(0.5, 2.0, size=40) * 2**10) / 2**10
POWERS = [2.0**-600, 2.0**-30, 2.0**90, 2.0**530]
NUMBERS = [1e-200, 1e160]


def target(model):
    """What the model learns from `X`."""
    if is_classifier(model):
        return LABELS
    return np.abs(Y) + 2.0**-4 if model in COUNTS else Y


def answers(model, rows):
    """Numbers that a model has for rows."""
    for verb in ("predict_proba", "predict", "score_samples", "transform"):
        if verb in dir(model):
            found = getattr(model, verb)(rows)
            return np.asarray(found if isinstance(found, np.ndarray) else found.toarray(), dtype=float)
    raise TypeError(model)


def each(case, factors):
    """The case for every factor."""
    check_all((f"{factor!r}", lambda factor=factor: case(factor)) for factor in factors)


def small_weights_mean_less(model):
    """Whether a leaf needs a curvature that tiny weights do not give."""
    return type(model).__name__.startswith("Hist")


@over([*CLASSIFIERS, *REGRESSORS, *COUNTS])
def test_only_shares_of_weights_count(estimator):
    y = target(estimator)
    model = clone(estimator).fit(X, y, sample_weight=W)

    def exactly(c):
        found = clone(estimator).fit(X, y, sample_weight=c * W)
        np.testing.assert_array_equal(answers(found, X), answers(model, X))
        for name, unit in (("feature_importances_", 1.0), ("objective_", 1.0), ("gap_", 1.0)):
            if name in dir(model):
                np.testing.assert_allclose(getattr(found, name), unit * getattr(model, name), rtol=1e-12)
        if "tree_" in dir(model):
            np.testing.assert_array_equal(found.tree_.weight, c * model.tree_.weight)
            np.testing.assert_array_equal(found.tree_.impurity, model.tree_.impurity)
            np.testing.assert_array_equal(found.tree_.threshold, model.tree_.threshold)

    def nearly(c):
        found = clone(estimator).fit(X, y, sample_weight=c * W)
        np.testing.assert_allclose(answers(found, X), answers(model, X), rtol=1e-9, atol=1e-12)

    least = 0.1 if small_weights_mean_less(estimator) else 0.0
    each(nearly if "linear" in str(estimator) else exactly, [c for c in POWERS if c > least])
    each(nearly, [c for c in NUMBERS if c > least])


@over([*REGRESSORS, *COUNTS])
def test_predictions_have_the_unit_of_the_target(estimator):
    y = target(estimator)
    model = clone(estimator).fit(X, y, sample_weight=W)
    linked = "loss" in model.get_params() and model.loss in ("poisson", "gamma")

    def case(c):
        found = clone(estimator).fit(X, c * y, sample_weight=W)
        if linked or c in NUMBERS or "linear" in str(estimator):
            np.testing.assert_allclose(answers(found, X) / c, answers(model, X), rtol=1e-7)
        else:
            np.testing.assert_array_equal(answers(found, X), c * answers(model, X))
        for name in ("feature_importances_", "gap_"):
            if name in dir(model):
                np.testing.assert_allclose(getattr(found, name), getattr(model, name), rtol=1e-7)

    least = 0.1 if linked and model.loss == "poisson" else 0.0
    each(case, [c for c in (*POWERS, *NUMBERS) if c > least])


@over([*CLASSIFIERS, *REGRESSORS, *COUNTS, *ABSOLUTE, *OTHERS])
def test_thresholds_have_the_units_of_the_columns(estimator):
    y = target(estimator) if is_classifier(estimator) or is_regressor(estimator) else None
    if "HandTree" in type(estimator).__name__:
        return
    model = clone(estimator).fit(X, y)
    per_cell = 2.0 * np.log(2.0) if "Density" in type(estimator).__name__ else 0.0
    loose = "linear" in str(estimator) or "oblique" in str(estimator) or per_cell

    def case(c):
        found = answers(clone(estimator).fit(c * X, y), c * X) + per_cell * np.log2(c)
        if loose:
            np.testing.assert_allclose(found, answers(model, X), rtol=1e-7, atol=1e-9)
        else:
            np.testing.assert_array_equal(found, answers(model, X))

    def moved(c):
        found = answers(clone(estimator).fit(X + c, y), X + c)
        if loose:
            np.testing.assert_allclose(found, answers(model, X), rtol=1e-5, atol=1e-7)
        else:
            np.testing.assert_array_equal(found, answers(model, X))

    each(case, POWERS)
    each(moved, [-(2.0**4), 2.0**20] if loose else [-(2.0**4), 2.0**20, 2.0**38])


def test_weights_that_no_leaf_of_histograms_can_have_are_told():
    with pytest.warns(UserWarning, match="weights"):
        HistGradientBoostingClassifier(**ROUNDS).fit(X, LABELS, sample_weight=1e-200 * W)
    with pytest.warns(UserWarning, match="curvature of the loss"):
        HistGradientBoostingRegressor(loss="poisson", **ROUNDS).fit(X, 1e-9 * np.abs(Y))


def test_growers_take_any_unit():
    columns = code_columns(X)
    tree = grow_tree(columns, Y, SquaredError(), sample_weight=W, min_impurity=0.01, min_weight_leaf=2.0, min_gain=0.5)
    for c in POWERS:
        found = grow_tree(columns, Y, SquaredError(), sample_weight=c * W, min_impurity=0.01, min_weight_leaf=2.0 * c,
                          min_gain=0.5 * c)  # fmt: skip
        np.testing.assert_array_equal(found.answers, tree.answers)
        np.testing.assert_array_equal(found.weight, c * tree.weight)
    c = 2.0**210
    found = grow_tree(columns, c * Y, SquaredError(), sample_weight=W, min_impurity=0.01 * c**2, min_weight_leaf=2.0,
                      min_gain=0.5 * c**2)  # fmt: skip
    np.testing.assert_array_equal(found.answers, c * tree.answers)
    np.testing.assert_array_equal(found.impurity, c**2 * tree.impurity)


def test_a_gain_that_is_no_impurity_needs_no_limit_on_it():
    columns = code_columns(X)
    free = grow_tree(columns, -Y, Newton(), sample_weight=W, max_depth=2, min_impurity=-np.inf)
    assert free.node_count > 1
    np.testing.assert_array_equal(grow_tree(columns, -Y, Newton(), sample_weight=W, max_depth=2).answers, free.answers)
