"""Forests beside scikit-learn's, in the same process: as accurate within the noise of seeds, with the same parts."""

import numpy as np
import pandas as pd
import pytest
from sklearn import ensemble
from sklearn.datasets import make_friedman1
from sklearn.linear_model import LogisticRegression

from daily import daily
from gnomon import trees
from real_data import data_path

SEEDS = (0, 1, 2)


def spam():
    mail = pd.read_csv(data_path("esl/spam.csv.gz"))
    return mail.drop(columns="spam").to_numpy(), mail["spam"].to_numpy()


def phoneme():
    sounds = pd.read_csv(data_path("tabular/phoneme.csv.gz"), header=None).to_numpy()
    return sounds[:, :-1], sounds[:, -1]


def cover():
    forest = pd.read_csv(data_path("tabular/covtype_sample.csv.gz")).iloc[:5000].to_numpy()
    return forest[:, :-1], forest[:, -1]


def houses():
    table = pd.read_csv(data_path("tabular/california_housing.csv.gz")).dropna().sample(4000, random_state=0)
    return table.drop(columns=["median_house_value", "ocean_proximity"]).to_numpy(), table[
        "median_house_value"
    ].to_numpy()


def scores(cls, X, y, **options):
    """On every third row, by models of the others."""
    test = np.arange(len(X)) % 3 == 0
    models = [cls(random_state=seed, **options).fit(X[~test], y[~test]) for seed in SEEDS]
    return np.array([model.score(X[test], y[test]) for model in models]), test


@pytest.mark.spec("TRE-059", "TRE-060")
@pytest.mark.parametrize("name", ["RandomForestClassifier", "ExtraTreesClassifier"])
@pytest.mark.parametrize("table", daily([spam, phoneme, cover], phoneme), ids=lambda table: table.__name__)
def test_classification_is_as_accurate(name, table):
    X, y = table()
    ours, test = scores(getattr(trees, name), X, y, n_estimators=40)
    theirs, _ = scores(getattr(ensemble, name), X, y, n_estimators=40)
    # The rows of the test, and the seeds.
    noise = np.sqrt(theirs.mean() * (1 - theirs.mean()) / test.sum() + (ours.var() + theirs.var()) / len(SEEDS))
    assert ours.mean() > theirs.mean() - 2.0 * noise


@pytest.mark.spec("TRE-059", "TRE-060", "TRE-056")
@pytest.mark.parametrize("name", ["RandomForestRegressor", "ExtraTreesRegressor", "BaggingRegressor"])
def test_regression_is_as_accurate(name):
    X, y = houses()
    ours, _ = scores(getattr(trees, name), X, y, n_estimators=20)
    theirs, _ = scores(getattr(ensemble, name), X, y, n_estimators=20)
    assert ours.mean() == pytest.approx(theirs.mean(), abs=0.02)


@pytest.mark.spec("TRE-059", "TRE-060", "TRE-065")
@pytest.mark.parametrize(
    "name",
    ["RandomForestClassifier", "RandomForestRegressor", "ExtraTreesClassifier", "ExtraTreesRegressor",
     "BaggingClassifier", "BaggingRegressor", "RandomTreesEmbedding"],
)  # fmt: skip
def test_parameters_defaults_and_attributes_are_those_of_the_namesake(name):
    ours, theirs = getattr(trees, name)(), getattr(ensemble, name)()
    for parameter, value in theirs.get_params().items():
        assert ours.get_params()[parameter] == value, parameter
    X, y = make_friedman1(60, random_state=0)
    y = (y > np.median(y)).astype(int) if "Classifier" in name else y
    options = {"n_estimators": 15, "random_state": 0}
    ours, theirs = ours.set_params(**options).fit(X, y), theirs.set_params(**options).fit(X, y)
    public = {a for a in dir(theirs) if a.endswith("_") and not a.startswith("_")}
    assert not {a for a in public if getattr(ours, a, None) is None}
    for member, other in zip(ours.estimators_, theirs.estimators_, strict=True):
        assert member.n_features_in_ == other.n_features_in_
        assert member.tree_.node_count > 0
    methods = {m for m in dir(theirs) if not m.startswith("_") and callable(getattr(theirs, m))}
    assert not {m for m in methods if getattr(ours, m, None) is None}


@pytest.mark.spec("TRE-062")
def test_out_of_bag_scores_agree():
    X, y = phoneme()
    X, y = X[::2], y[::2]
    options = {"n_estimators": 60, "oob_score": True, "random_state": 0}
    ours = trees.RandomForestClassifier(**options).fit(X, y)
    theirs = ensemble.RandomForestClassifier(**options).fit(X, y)
    assert ours.oob_score_ == pytest.approx(theirs.oob_score_, abs=0.012)
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, atol=0.03)


@pytest.mark.spec("TRE-065")
def test_the_embedding_is_as_wide_and_as_useful():
    X, y = phoneme()
    X, y = X[::4], y[::4]
    test = np.arange(len(X)) % 3 == 0
    found = []
    for module in (trees, ensemble):
        embedding = module.RandomTreesEmbedding(60, max_depth=6, random_state=0).fit(X[~test])
        line = LogisticRegression(C=0.3, max_iter=500).fit(embedding.transform(X[~test]), y[~test])
        found.append((embedding.transform(X[:1]).shape[1], line.score(embedding.transform(X[test]), y[test])))
    assert found[0][0] == pytest.approx(found[1][0], rel=0.15)
    assert found[0][1] == pytest.approx(found[1][1], abs=0.03)
