"""Laws of AdaBoost.ECC: what a round brings, what weak means, and who may be the weak learner."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.ensemble import AdaBoostClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from gnomon.multiclass import AdaBoostECC, coding_matrix, vote_accuracy
from reduction_cases import box_blobs

PARTITIONS = ("random", "max")
blobs = partial(box_blobs, spread=2.0)


def objective(model, X, y, weights, rounds):
    """Σᵢ sᵢ Σ_{k≠yᵢ} exp(−½(F(xᵢ, yᵢ) − F(xᵢ, k))) from the parts of the model alone."""
    F = np.zeros((len(y), len(model.classes_)))
    for t in range(rounds):
        F += model.alphas_[t] * np.outer(2 * model.estimators_[t].predict(X) - 1, model.code_book_[:, t])
    terms = np.exp(-0.5 * (F[np.arange(len(y)), y][:, None] - F))
    return F, np.sum(weights[:, None] * terms) - np.sum(weights)


@pytest.mark.spec("TRE-104", "TRE-L39")
@pytest.mark.parametrize("partition", PARTITIONS)
@pytest.mark.parametrize("weighted", [False, True])
def test_what_a_round_brings(partition, weighted):
    X, y = blobs()
    weights = np.random.default_rng(0).uniform(0.2, 3.0, len(y)) if weighted else np.ones(len(y))
    model = AdaBoostECC(n_estimators=15, partition=partition, random_state=0).fit(X, y, sample_weight=weights)
    U, e, loss = model.history_["pairs"], model.estimator_errors_, model.history_["objective"]
    before = np.concatenate([[4.0 * np.sum(weights)], loss[:-1]])
    np.testing.assert_allclose(loss, before - U + 2.0 * U * np.sqrt(e * (1.0 - e)), rtol=1e-9)
    np.testing.assert_allclose(model.alphas_, 0.5 * np.log((1.0 - e) / e), rtol=1e-9)
    assert np.all(np.diff(loss) < 0.0)
    for rounds in (0, 1, 7, 15):
        assert objective(model, X, y, weights, rounds)[1] == pytest.approx([before[0], *loss][rounds])
    assert model.objective_ == loss[-1]
    assert (model.n_iter_, model.stop_reason_) == (15, "max_iter")
    # A pair (row, wrong class) that is not told apart adds one or more to (1).
    wrong = np.average(model.predict(X) != y, weights=weights)
    assert model.history_["error"][-1] == pytest.approx(wrong)
    assert 0.0 < wrong <= loss[-1] / np.sum(weights)


@pytest.mark.spec("TRE-104")
def test_the_answer_is_the_largest_sum():
    X, y = blobs()
    model = AdaBoostECC(n_estimators=20, random_state=0).fit(X, y)
    F, _ = objective(model, X, y, np.ones(len(y)), 20)
    np.testing.assert_allclose(model.decision_function(X), F)
    np.testing.assert_array_equal(model.predict(X), np.argmax(F, axis=1))
    p = np.exp(F) / np.sum(np.exp(F), axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(X), p)
    stages = list(model.staged_decision_function(X))
    np.testing.assert_allclose(stages[-1], F)
    assert len(stages) == 20
    errors = [np.mean(labels != y) for labels in model.staged_predict(X)]
    np.testing.assert_allclose(errors, model.history_["error"])


@pytest.mark.spec("TRE-104")
def test_divisions():
    X, y = blobs(6)
    halves = AdaBoostECC(n_estimators=30, random_state=0).fit(X, y).code_book_
    assert np.all(np.sum(halves, axis=0) == 0)
    model = AdaBoostECC(n_estimators=5, partition="max", random_state=0).fit(X, y)
    every = coding_matrix("exhaustive", 6)
    assert every.shape == (6, 31)
    for t in range(5):
        F, _ = objective(model, X, y, np.ones(len(y)), t)
        D = np.exp(-0.5 * (F[np.arange(len(y)), y][:, None] - F))
        cuts = [np.sum(D[mu[y][:, None] != mu]) for mu in every.T]
        assert model.history_["pairs"][t] == pytest.approx(np.max(cuts))
        assert np.max(cuts) > 1.02 * np.median(cuts)


@pytest.mark.spec("TRE-104")
def test_the_largest_cut_of_many_classes_is_no_worse_than_chance():
    X, y = blobs(14, 240)
    cut = AdaBoostECC(n_estimators=4, partition="max", random_state=0).fit(X, y)
    assert np.all(np.any(cut.code_book_ > 0, axis=0) & np.any(cut.code_book_ < 0, axis=0))
    assert cut.history_["pairs"][0] >= 0.5 * 13 * 240


@pytest.mark.spec("TRE-104")
def test_two_classes_are_adaboost():
    """The same stumps, steps and sums as scikit-learn's, whose weights are twice ours."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 2))
    y = np.where(X[:, 0] + 0.7 * X[:, 1] + 0.3 * rng.normal(size=150) > 0, "yes", "no")
    stump = DecisionTreeClassifier(max_depth=1, random_state=0)
    ours = AdaBoostECC(stump, n_estimators=10, random_state=0).fit(X, y)
    theirs = AdaBoostClassifier(stump, n_estimators=10, random_state=0).fit(X, y)
    np.testing.assert_allclose(2.0 * ours.alphas_, theirs.estimator_weights_)
    np.testing.assert_allclose(ours.estimator_errors_, theirs.estimator_errors_)
    # Scikit-learn divides the difference of both classes by the sum of its weights.
    total = 0.25 * np.sum(theirs.estimator_weights_)
    np.testing.assert_allclose(ours.decision_function(X), total * theirs.decision_function(X))
    np.testing.assert_allclose(ours.predict_proba(X)[:, 1], 1.0 / (1.0 + np.exp(-2.0 * ours.decision_function(X))))


@pytest.mark.spec("TRE-L40", "TRE-104")
def test_weak_in_two_classes_is_enough_weak_in_many_is_not():
    """Members that agree in their errors vote wrongly for ever; columns with an edge reach zero error."""
    # Members that are right with .4, a fifth more often than chance: it matters whether they are wrong in the same way.
    agree, differ = ([vote_accuracy(T, p) for T in (11, 101, 501)] for p in ([0.4, 0.6, 0.0], [0.4, 0.3, 0.3]))
    assert np.all(np.diff(agree) < 0.0)
    assert np.all(np.diff(differ) > 0.0)
    assert agree[-1] < 1e-5
    assert differ[-1] > 0.98
    # Three classes on a line in five runs: no stump tells them apart, and the best answers one class in three well.
    x = np.arange(60.0)[:, None]
    y = np.array([0, 1, 2, 0, 1])[np.arange(60) // 12]
    assert DecisionTreeClassifier(max_depth=1).fit(x, y).score(x, y) <= 0.6
    model = AdaBoostECC(n_estimators=200, random_state=0).fit(x, y)
    edges = 0.5 - model.estimator_errors_
    assert np.all(np.abs(edges) > 0.0)
    assert np.min(np.abs(edges)) < 0.25
    assert model.history_["error"][-1] == 0.0


@pytest.mark.spec("TRE-104")
@pytest.mark.parametrize(
    "base", [GaussianNB(), DecisionTreeClassifier(max_depth=2, random_state=7), KNeighborsClassifier(7)], ids=repr
)
def test_any_classifier_is_a_weak_learner(base):
    """With weights, with a seed of its own, and without weights, for which rows are drawn."""
    X, y = blobs(5, 250, spread=1.5)
    names = np.array(["ash", "beech", "elm", "fir", "oak"])[y]
    model = AdaBoostECC(base, n_estimators=15, random_state=0).fit(X, names)
    assert model.score(X, names) > 0.8
    again = AdaBoostECC(base, n_estimators=15, random_state=0).fit(X, names)
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))


@pytest.mark.spec("TRE-104")
def test_learners_without_errors_and_without_an_edge():
    X, y = load_iris(return_X_y=True)
    full = AdaBoostECC(DecisionTreeClassifier(random_state=0), n_estimators=4, random_state=0).fit(X, y)
    assert np.all(full.estimator_errors_ == 0.0)
    assert np.all(full.alphas_ > 5.0)
    assert np.all(np.isfinite(full.decision_function(X)))
    with pytest.warns(ConvergenceWarning, match="every row is called 'a'; give a stronger estimator"):
        blind = AdaBoostECC(n_estimators=5, random_state=0).fit(np.zeros((6, 1)), list("aabbcc"))
    assert (blind.stop_reason_, blind.n_iter_, blind.objective_) == ("no_edge", 0, 12.0)
    with pytest.warns(ConvergenceWarning, match="no learner was better than chance"):
        xor = AdaBoostECC(n_estimators=5, random_state=0).fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    assert (xor.stop_reason_, xor.n_iter_, xor.objective_) == ("no_edge", 0, 4.0)
    assert xor.predict([[0, 0], [1, 0]]).tolist() == [0, 0]
    np.testing.assert_array_equal(xor.predict_proba([[0, 0]]), [[0.5, 0.5]])
    alone = AdaBoostECC().fit(X, np.zeros(150))
    assert (alone.stop_reason_, alone.n_iter_, alone.objective_) == ("perfect", 0, 0.0)
    assert set(alone.predict(X)) == {0.0}


def test_frames_with_strings_and_gaps():
    rng = np.random.default_rng(0)
    hue = rng.choice(["red", "green", "blue"], 200)
    size = rng.normal(size=200)
    y = np.where(hue == "red", "a", np.where(size > 0, "b", "c"))
    frame = pd.DataFrame({"hue": pd.Series(hue).mask(rng.random(200) < 0.1), "size": size})
    frame.loc[rng.random(200) < 0.1, "size"] = np.nan
    model = AdaBoostECC(n_estimators=30, random_state=0).fit(frame, y)
    assert model.score(frame, y) > 0.85
    assert len(model.predict(pd.DataFrame({"hue": ["violet", None], "size": [0.0, np.nan]}))) == 2
    assert model.feature_names_in_.tolist() == ["hue", "size"]


def test_sparse_rows_and_weights():
    X, y = blobs()
    X = np.where(X > 0, X, 0.0)
    dense = AdaBoostECC(n_estimators=10, random_state=0).fit(X, y)
    thin = AdaBoostECC(n_estimators=10, random_state=0).fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(thin.decision_function(sparse.csr_array(X)), dense.decision_function(X))
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    twice = np.repeat(np.arange(len(y)), weights)
    weighted = AdaBoostECC(n_estimators=10, random_state=0).fit(X, y, sample_weight=weights)
    repeated = AdaBoostECC(n_estimators=10, random_state=0).fit(X[twice], y[twice])
    np.testing.assert_allclose(weighted.decision_function(X), repeated.decision_function(X))


@pytest.mark.spec("TRE-104")
@pytest.mark.parametrize("base", [None, DecisionTreeClassifier(random_state=0)], ids=["stump", "whole tree"])
def test_the_unit_of_the_weights_means_nothing(base):
    X, y = blobs()
    for unit in (1e-3, 1.0 / len(y), 1e3):
        model = AdaBoostECC(base, n_estimators=10, random_state=0).fit(X, y, sample_weight=np.full(len(y), unit))
        plain = AdaBoostECC(base, n_estimators=10, random_state=0).fit(X, y)
        np.testing.assert_allclose(model.alphas_, plain.alphas_)
        assert model.objective_ == pytest.approx(unit * plain.objective_)


@pytest.mark.parametrize("base", [Ridge(), "stump"])
def test_what_answers_no_question_is_no_weak_learner(base):
    with pytest.raises(ValueError, match=r"estimator=.* is no classifier; give one"):
        AdaBoostECC(base).fit(*load_iris(return_X_y=True))


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ({"n_estimators": 0}, "n_estimators=0 must be a whole number ≥ 1"),
        ({"partition": "best"}, r"partition='best'.*max"),
        ({"learning_rate": 2.0}, r"learning_rate=2.0 must be a number in \(0, 1\]"),
    ],
)
def test_options_that_mean_nothing_are_refused(option, words):
    with pytest.raises(ValueError, match=words):
        AdaBoostECC(**option).fit(*load_iris(return_X_y=True))
