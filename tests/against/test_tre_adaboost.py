"""AdaBoost beside scikit-learn's, in the same process, on real tables."""

import inspect

import numpy as np
import pytest
from sklearn import ensemble, tree
from sklearn.linear_model import LogisticRegression

from gnomon.trees import AdaBoostClassifier, DecisionStump, DecisionTreeClassifier
from real_data import data_path

pd = pytest.importorskip("pandas")


@pytest.fixture(scope="module")
def phoneme():
    table = pd.read_csv(data_path("tabular/phoneme.csv.gz"), header=None).iloc[::4]
    return table.iloc[:, :-1].to_numpy(np.float32), table.iloc[:, -1].to_numpy()


@pytest.fixture(scope="module")
def covtype():
    table = pd.read_csv(data_path("tabular/covtype_sample.csv.gz"))
    table = table.groupby(table.columns[-1]).head(120)
    return table.iloc[:, :10].to_numpy(np.float32), table.iloc[:, -1].to_numpy()


@pytest.fixture(scope="module")
def spam():
    table = pd.read_csv(data_path("esl/spam.csv.gz")).iloc[::3]
    return table.filter(like="A.").to_numpy(np.float32), table["spam"].to_numpy()


def same(ours, theirs, X, y):
    assert len(ours.estimators_) == len(theirs.estimators_)
    np.testing.assert_allclose(ours.estimator_weights_, theirs.estimator_weights_, rtol=1e-8)
    np.testing.assert_allclose(ours.estimator_errors_, theirs.estimator_errors_, rtol=1e-8)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-10)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-10)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    scores = zip(ours.staged_score(X, y), theirs.staged_score(X, y), strict=True)
    np.testing.assert_allclose(*np.array(list(scores)).T)
    for name in ("staged_decision_function", "staged_predict_proba"):
        for mine, other in zip(getattr(ours, name)(X[:40]), getattr(theirs, name)(X[:40]), strict=True):
            np.testing.assert_allclose(mine, other, atol=1e-10)


@pytest.mark.spec("TRE-070")
def test_parameters_defaults_and_methods():
    ours, theirs = (inspect.signature(cls).parameters for cls in (AdaBoostClassifier, ensemble.AdaBoostClassifier))
    assert all(ours[name].default == found.default for name, found in theirs.items())
    methods = [m for m in dir(ensemble.AdaBoostClassifier) if not m.startswith(("_", "set_", "get_metadata"))]
    assert set(methods) <= set(dir(AdaBoostClassifier))


@pytest.mark.spec("TRE-070", "TRE-072")
@pytest.mark.parametrize("rate", [1.0, 0.3])
def test_stumps_for_two_classes(phoneme, spam, rate):
    for X, y in (phoneme, spam):
        ours = AdaBoostClassifier(n_estimators=25, learning_rate=rate).fit(X, y)
        theirs = ensemble.AdaBoostClassifier(n_estimators=25, learning_rate=rate, random_state=0).fit(X, y)
        same(ours, theirs, X, y)
        np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, atol=1e-8)


@pytest.mark.spec("TRE-074")
def test_stumps_for_several_classes(covtype):
    X, y = covtype
    weights = 1.0 + (np.arange(len(y)) % 3 == 0)
    ours = AdaBoostClassifier(n_estimators=25).fit(X, y, weights)
    theirs = ensemble.AdaBoostClassifier(n_estimators=25, random_state=0).fit(X, y, weights)
    same(ours, theirs, X, y)


@pytest.mark.spec("TRE-071", "TRE-072")
def test_other_learners(phoneme):
    X, y = phoneme
    for mine, other in (
        (DecisionTreeClassifier(max_depth=2), tree.DecisionTreeClassifier(max_depth=2)),
        (LogisticRegression(), LogisticRegression()),
    ):
        ours = AdaBoostClassifier(mine, n_estimators=8).fit(X, y)
        theirs = ensemble.AdaBoostClassifier(other, n_estimators=8, random_state=0).fit(X, y)
        same(ours, theirs, X, y)


@pytest.mark.spec("TRE-072")
def test_a_perfect_learner(phoneme):
    X, y = phoneme
    ours = AdaBoostClassifier(DecisionTreeClassifier(), n_estimators=4).fit(X, y)
    theirs = ensemble.AdaBoostClassifier(tree.DecisionTreeClassifier(), n_estimators=4, random_state=0).fit(X, y)
    same(ours, theirs, X, y)
    assert ours.stop_reason_ == "perfect"


@pytest.mark.spec("TRE-005")
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_a_stump_is_a_tree_of_depth_one(spam, criterion):
    X, y = spam
    weights = np.random.default_rng(0).uniform(0.1, 2.0, len(y))
    ours = DecisionStump(criterion).fit(X, y, weights)
    theirs = tree.DecisionTreeClassifier(criterion=criterion, max_depth=1, random_state=0).fit(X, y, weights)
    assert ours.tree_.feature[0] == theirs.tree_.feature[0]
    assert ours.tree_.threshold[0] == pytest.approx(theirs.tree_.threshold[0], rel=1e-6)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X))


@pytest.mark.spec("TRE-005", "TRE-071")
def test_stumps_with_class_weights(phoneme):
    X, y = phoneme
    prices = {0: 1.0, 1: 3.0}
    ours = AdaBoostClassifier(DecisionStump(class_weight=prices), n_estimators=8).fit(X, y)
    base = tree.DecisionTreeClassifier(max_depth=1, class_weight=prices)
    same(ours, ensemble.AdaBoostClassifier(base, n_estimators=8, random_state=0).fit(X, y), X, y)
