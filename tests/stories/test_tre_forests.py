"""A day with forests: mail, sounds and houses, from fit to reasons."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import StratifiedKFold, cross_val_score

from gnomon.trees import (
    BaggingClassifier,
    DecisionTreeClassifier,
    DensityForest,
    RandomForestClassifier,
    RandomForestRegressor,
    structure_stability,
)
from real_data import data_path


@pytest.fixture(scope="module")
def mail():
    table = pd.read_csv(data_path("esl/spam.csv.gz")).iloc[::2]
    return table.drop(columns="spam"), table["spam"].to_numpy()


@pytest.fixture(scope="module")
def forest(mail):
    return RandomForestClassifier(100, oob_score=True, random_state=0, n_jobs=2).fit(*mail)


@pytest.mark.spec("TRE-063", "TRE-062")
def test_cross_validation_and_out_of_bag_tell_the_same(mail, forest):
    """The error of a forest on spam is about 5 %; Hastie, Tibshirani & Friedman (2009) report 4.9 % in §15.3."""
    X, y = mail
    # The rows are in the order of their arrival, which the folds must not keep.
    parts = StratifiedKFold(4, shuffle=True, random_state=0)
    folds = cross_val_score(RandomForestClassifier(100, random_state=0), X, y, cv=parts)
    spread = np.sqrt(forest.oob_score_ * (1 - forest.oob_score_) / len(y))
    assert forest.oob_score_ == pytest.approx(folds.mean(), abs=3 * spread)
    assert 0.03 < 1 - forest.oob_score_ < 0.075
    single = cross_val_score(DecisionTreeClassifier(), X, y, cv=parts)
    assert folds.mean() > single.mean() + 0.02
    assert forest.oob_errors_[-1] < 0.6 * forest.oob_errors_[0]


@pytest.mark.spec("TRE-050")
def test_what_tells_spam(mail, forest):
    X, y = mail
    mean, std = forest.importance("oob_permutation", X, y, random_state=0)
    first = set(np.argsort(-mean)[:8])
    by_impurity = set(np.argsort(-forest.importance("impurity").mean)[:8])
    assert len(first & by_impurity) >= 5
    assert np.all(std[list(first)] > 0.0)


@pytest.mark.spec("TRE-068")
def test_a_tree_changes_with_the_rows_and_a_forest_less(mail):
    X, y = mail
    some = slice(0, None, 6)
    tree = structure_stability(DecisionTreeClassifier(max_depth=4), X[some], y[some], n_resamples=8, random_state=0)
    many = RandomForestClassifier(30, max_depth=4, max_features=None)
    forest = structure_stability(many, X[some], y[some], n_resamples=8, random_state=0)
    assert forest.jaccard > tree.jaccard


@pytest.mark.spec("TRE-056", "TRE-057")
def test_bagging_with_subspaces_beats_its_base(mail):
    X, y = mail
    base = DecisionTreeClassifier(min_samples_leaf=2, random_state=0)
    bag = BaggingClassifier(base, 25, max_features=0.5, oob_score=True, random_state=0).fit(X, y)
    assert bag.oob_score_ > cross_val_score(base, X, y, cv=StratifiedKFold(3, shuffle=True, random_state=0)).mean()


@pytest.mark.spec("TRE-059", "TRE-061", "TRE-064")
def test_houses_with_words_and_gaps():
    """Strings and gaps go in directly; the trees' spread is larger where they err more."""
    table = pd.read_csv(data_path("tabular/california_housing.csv.gz")).sample(3000, random_state=1)
    X, y = table.drop(columns="median_house_value"), table["median_house_value"].to_numpy()
    assert X["total_bedrooms"].isna().any()
    forest = RandomForestRegressor(60, min_samples_leaf=2, max_features=0.5, random_state=0).fit(X[:2000], y[:2000])
    assert forest.score(X[2000:], y[2000:]) > 0.7
    answers = forest.predict_trees(X[2000:])
    miss = np.abs(answers.mean - y[2000:])
    unsure = answers.std > np.median(answers.std)
    assert miss[unsure].mean() > 1.5 * miss[~unsure].mean()
    # Near in the forest is near in price.
    P = forest.proximity(X[2000:2300], X[:2000])
    blended = P @ y[:2000] / P.sum(axis=1)
    assert np.corrcoef(blended, y[2000:2300])[0, 1] > 0.85


@pytest.mark.spec("TRE-067")
def test_where_houses_stand():
    table = pd.read_csv(data_path("tabular/california_housing.csv.gz")).iloc[::10]
    places = table[["longitude", "latitude"]].to_numpy()
    density = DensityForest(20, min_weight_leaf=10, random_state=0).fit(places)
    los_angeles, desert = density.score_samples([[-118.3, 34.05], [-116.0, 38.0]])
    assert los_angeles > desert + 3.0
