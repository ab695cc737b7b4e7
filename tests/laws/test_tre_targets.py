"""Laws of targets and weights of trees: checked alike for arrays and frames, balanced as namesakes do."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn import ensemble
from sklearn import tree as peers
from sklearn.datasets import load_wine

from gnomon.trees import (
    DecisionStump,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    OneRule,
    RandomForestRegressor,
)

HUES = np.array(["red", "blue", "green"])[np.arange(30) % 3]
SIZES = np.arange(30.0)
TABLES = {
    "pandas": pd.DataFrame({"hue": HUES, "size": SIZES}),
    "polars": pl.DataFrame({"hue": HUES, "size": SIZES}),
    "objects": np.column_stack([HUES.astype(object), SIZES]),
    "numbers": pd.DataFrame({"hue": np.arange(30) % 3, "size": SIZES}),
}
REGRESSORS = [DecisionTreeRegressor(), RandomForestRegressor(3), HistGradientBoostingRegressor(max_iter=2)]


@pytest.mark.spec("TRE-007")
@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("model", REGRESSORS, ids=str)
def test_gaps_in_targets_are_refused_whatever_the_table(model, kind):
    y = SIZES.copy()
    y[7] = np.nan
    with pytest.raises(ValueError, match="y contains NaN"):
        model.fit(TABLES[kind], y)
    with pytest.raises(ValueError, match="y contains infinity"):
        model.fit(TABLES[kind], np.where(np.isnan(y), np.inf, y))


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("model", [OneRule(), DecisionStump(), HistGradientBoostingClassifier(max_iter=2)], ids=str)
def test_two_columns_are_no_labels(model, kind):
    with pytest.raises(ValueError, match="y should be a 1d array"):
        model.fit(TABLES[kind], np.column_stack([np.arange(30) % 2] * 2))


@pytest.mark.spec("TRE-007")
@pytest.mark.parametrize("kind", TABLES)
def test_several_targets_go_with_every_table(kind):
    Y = np.column_stack([SIZES, -SIZES])
    np.testing.assert_allclose(DecisionTreeRegressor().fit(TABLES[kind], Y).predict(TABLES[kind]), Y)
    words = DecisionTreeRegressor().fit(TABLES[kind], SIZES.astype(object))
    np.testing.assert_allclose(words.predict(TABLES[kind]), SIZES)


@pytest.mark.spec("TRE-031")
def test_trees_balance_rows_and_forests_balance_weights_as_scikit_learns_do():
    X, y = load_wine(return_X_y=True)
    weights = np.where(y == 0, 5.0, 1.0) * np.random.default_rng(0).integers(0, 3, len(y))
    options = {"class_weight": "balanced", "max_depth": 2, "random_state": 0}
    ours = DecisionTreeClassifier(**options).fit(X, y, sample_weight=weights)
    theirs = peers.DecisionTreeClassifier(**options).fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(ours.tree_.answers[0], theirs.tree_.value[0, 0])
    ours = ExtraTreesClassifier(2, **options).fit(X, y, sample_weight=weights)
    theirs = ensemble.ExtraTreesClassifier(2, **options).fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(ours[0].tree_.answers[0], theirs[0].tree_.value[0, 0])
    np.testing.assert_allclose(ours[0].tree_.answers[0], 1 / 3)


@pytest.mark.spec("TRE-031")
@pytest.mark.parametrize("model", [DecisionTreeClassifier(), DecisionStump(), ExtraTreesClassifier(2)], ids=str)
def test_a_class_of_no_weight_is_balanced_away(model):
    X, y = load_wine(return_X_y=True)
    balanced = model.set_params(class_weight="balanced").fit(X, y, sample_weight=(y < 2).astype(float))
    shares = balanced.predict_proba(X)
    assert np.all(shares[:, 2] == 0.0)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    with pytest.raises(ValueError, match="leaves no row any weight"):
        model.set_params(class_weight={0: 0.0, 1: 0.0, 2: 0.0}).fit(X, y)


@pytest.mark.spec("TRE-031")
def test_weights_keep_double_precision_with_single_precision_rows():
    X, y = load_wine(return_X_y=True)
    weights = np.where(y == 0, 1.0 + 1e-9, 1.0)
    tree = DecisionTreeClassifier(max_depth=2).fit(X.astype(np.float32), y, sample_weight=weights)
    assert tree.tree_.weight[0] == pytest.approx(np.sum(weights), rel=1e-14)
