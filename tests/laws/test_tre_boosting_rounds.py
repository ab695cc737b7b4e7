"""Rounds of boosting: how they end, what they tell, how they go on."""

from math import ceil

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split

from gnomon import plot
from gnomon.losses import HuberLoss, LogisticLoss, OneVsRestCrossEntropy, SoftmaxLoss, SquaredLoss
from gnomon.numerics.weights import weighted_quantile
from gnomon.search import adaboost
from gnomon.trees import (
    AdaBoostClassifier,
    DecisionStump,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)

CANCER = load_breast_cancer(return_X_y=True)
DIABETES = load_diabetes(return_X_y=True)
IRIS = load_iris(return_X_y=True)
BOTH = [GradientBoostingClassifier, HistGradientBoostingClassifier]


def held_out(y, strata=None):
    return train_test_split(np.arange(len(y)), test_size=0.1, stratify=strata, random_state=0)


def equal_lengths(model):
    return {len(values) for values in model.history_.values()} == {model.n_iter_}


def perfect():
    X = np.arange(60.0)[:, None]
    return AdaBoostClassifier(n_iter_no_change=3, random_state=0).fit(X, X[:, 0] > 29)


def stopped_by_the_monitor():
    model = GradientBoostingClassifier(n_estimators=9, n_iter_no_change=5, random_state=0)
    return model.fit(*CANCER, monitor=lambda turn, *_: turn == 3)


def warm_with_early_stopping():
    model = HistGradientBoostingRegressor(max_iter=4, warm_start=True, random_state=0).fit(*DIABETES)
    return model.set_params(max_iter=9, early_stopping=True).fit(*DIABETES)


def warm_without_subsamples():
    model = GradientBoostingRegressor(n_estimators=4, warm_start=True, subsample=0.5, random_state=0).fit(*DIABETES)
    return model.set_params(n_estimators=9, subsample=1.0).fit(*DIABETES)


@pytest.mark.spec("TRE-070", "TRE-075")
@pytest.mark.parametrize("fitted", [perfect, stopped_by_the_monitor, warm_with_early_stopping, warm_without_subsamples])
def test_histories_have_one_entry_for_each_round(fitted):
    model = fitted()
    assert equal_lengths(model)
    if fitted is perfect:
        assert model.stop_reason_ == "perfect"
        assert len(plot.boosting_bound(model).lines) == 4
    if fitted is warm_with_early_stopping:
        np.testing.assert_array_equal(np.isnan(model.history_["validation"]), [True] * 4 + [False] * 5)
    if fitted is warm_without_subsamples:
        np.testing.assert_array_equal(np.isnan(model.history_["oob"]), [False] * 4 + [True] * 5)
        assert np.all(np.isfinite(model.train_score_))
        assert model.history_["iteration"].tolist() == list(range(1, 10))


@pytest.mark.spec("TRE-075")
@pytest.mark.parametrize("scoring", ["loss", "accuracy"])
def test_held_out_losses_are_means_as_objectives_are(scoring):
    X, y = CANCER
    learn, out = held_out(y, y)
    sign = np.where(y == 1, 1.0, -1.0)

    def loss(model, rows):
        return np.mean(LogisticLoss().value(sign[rows], model.decision_function(X[rows])))

    hist = HistGradientBoostingClassifier(max_iter=5, scoring=scoring)
    hist.fit(X[learn], y[learn], X_val=X[out], y_val=y[out])
    exact = GradientBoostingClassifier(n_estimators=5, n_iter_no_change=9, random_state=0).fit(X, y)
    for model in (hist, exact):
        assert model.history_["validation"][-1] == pytest.approx(loss(model, out))
        assert model.history_["objective"][-1] == pytest.approx(loss(model, learn))
    ada = AdaBoostClassifier(n_estimators=5, n_iter_no_change=9, random_state=0).fit(X, y)
    assert ada.history_["validation"][-1] == pytest.approx(np.mean(np.exp(-sign[out] * ada.additive_score(X[out]))))


@pytest.mark.spec("TRE-075")
def test_held_out_rows_are_judged_by_the_hubers_loss_of_the_round():
    X, y = DIABETES
    learn, out = held_out(y)
    model = GradientBoostingRegressor(loss="huber", n_estimators=6, n_iter_no_change=9, random_state=0).fit(X, y)
    before = np.full(len(y), model.baseline_[0])
    for held, after in zip(model.history_["validation"], model.staged_predict(X), strict=True):
        delta = weighted_quantile(np.abs(y - before)[learn], 0.9, np.ones(len(learn)), between="lower")
        assert held == pytest.approx(np.mean(HuberLoss(delta).value(y[out], after[out])))
        before = after


@pytest.mark.spec("TRE-075")
def test_going_on_without_new_rounds_changes_nothing():
    X, y = DIABETES
    model = GradientBoostingRegressor(n_estimators=6, subsample=0.5, warm_start=True, random_state=0).fit(X, y)
    names = ("train_score_", "oob_scores_", "oob_improvement_", "oob_score_")
    before, expected = {name: getattr(model, name) for name in names}, model.predict(X)
    model.fit(X, y)
    for name, value in before.items():
        np.testing.assert_array_equal(getattr(model, name), value)
    np.testing.assert_array_equal(model.predict(X), expected)
    assert not hasattr(model.set_params(warm_start=False, subsample=1.0).fit(X, y), "oob_score_")


@pytest.mark.spec("TRE-075")
def test_shares_of_rows_are_those_of_all_rows():
    X, y = DIABETES
    model = GradientBoostingRegressor(n_estimators=5, subsample=0.5, min_samples_leaf=0.2, random_state=0).fit(X, y)
    trees = [tree.tree_ for tree in model.estimators_.ravel()]
    assert all(np.all(tree.n_rows[tree.is_leaf] >= ceil(0.2 * len(y))) for tree in trees)
    assert [tree.node_count for tree in trees] == [3] * 5


@pytest.mark.spec("TRE-075")
@pytest.mark.parametrize("cls", BOTH)
def test_a_score_for_each_of_two_classes(cls):
    X, y = CANCER
    model = cls(loss=SoftmaxLoss()).fit(X[:, :6], y)
    p = model.predict_proba(X[:, :6])
    assert model.n_trees_per_iteration_ == 2
    assert p.shape == (len(y), 2)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    np.testing.assert_allclose(model.decision_function(X[:, :6]), np.log(p[:, 1] / p[:, 0]))
    np.testing.assert_array_equal(model.predict(X[:, :6]), p[:, 1] > p[:, 0])
    assert model.score(X[:, :6], y) > 0.95
    assert cls(loss=OneVsRestCrossEntropy()).fit(X[:, :6], y).score(X[:, :6], y) > 0.95
    for rows, labels in (CANCER, IRIS):
        with pytest.raises(ValueError, match="one score for each class"):
            cls(loss=SoftmaxLoss(reference=True)).fit(rows, labels)


class Wrapped(ClassifierMixin, BaseEstimator):
    """A stump that boosting does not know as one."""

    def __init__(self, stump):
        self.stump = stump

    def fit(self, X, y, sample_weight=None):
        self.stump.fit(X, y, sample_weight)
        self.classes_ = self.stump.classes_
        return self

    def predict(self, X):
        return self.stump.predict(X)


@pytest.mark.spec("TRE-005", "TRE-071")
@pytest.mark.parametrize("class_weight", ["balanced", {0: 5.0, 1: 1.0}])
def test_boosted_stumps_keep_their_class_weights(class_weight):
    X, y = CANCER
    stump = DecisionStump(class_weight=class_weight)
    boosted = AdaBoostClassifier(stump, n_estimators=6).fit(X, y)
    wrapped = AdaBoostClassifier(Wrapped(stump), n_estimators=6).fit(X, y)
    np.testing.assert_allclose(boosted.alphas_, wrapped.alphas_)
    assert boosted.alphas_[0] != pytest.approx(AdaBoostClassifier(n_estimators=1).fit(X, y).alphas_[0])


def learner(stop, X, y):
    done = []

    def learn(w):
        if len(done) == stop:
            raise KeyboardInterrupt
        stump = DecisionStump().fit(X, y, w)
        done.append(stump)
        return stump, stump.predict_proba(X)

    return learn


@pytest.mark.spec("TRE-070")
def test_an_interrupt_keeps_the_rounds_that_are_done():
    X, y = CANCER
    found, whole = adaboost(learner(3, X, y), y, 2, 9), adaboost(learner(9, X, y), y, 2, 3)
    assert found.stop_reason == "interrupted"
    np.testing.assert_array_equal(found.betas, whole.betas)
    np.testing.assert_array_equal(found.scores, whole.scores)
    with pytest.raises(KeyboardInterrupt):
        adaboost(learner(0, X, y), y, 2, 9)


@pytest.mark.spec("TRE-070")
def test_an_interrupted_model_predicts_and_says_so(monkeypatch):
    X, y = CANCER
    grown, fits = DecisionStump.with_tree, []

    def with_tree(stump, tree):
        if len(fits) == 4:
            raise KeyboardInterrupt
        fits.append(tree)
        return grown(stump, tree)

    monkeypatch.setattr(DecisionStump, "with_tree", with_tree)
    model = AdaBoostClassifier(n_estimators=9, n_iter_no_change=9, random_state=0)
    with pytest.warns(ConvergenceWarning, match="after 4 of 9 rounds"):
        model.fit(X, y)
    assert (model.n_iter_, model.stop_reason_, model.converged_) == (4, "interrupted", False)
    assert equal_lengths(model)
    assert model.score(X, y) > 0.9


@pytest.mark.spec("TRE-075")
def test_interrupted_gradient_boosting_predicts_and_says_so():
    X, y = CANCER

    def impatient(turn, model, state):
        if turn == 3:
            raise KeyboardInterrupt

    asked = []

    def scorer(model, rows, labels):
        asked.append(len(rows))
        if len(asked) == 9:
            raise KeyboardInterrupt
        return 0.0

    exact = GradientBoostingClassifier(n_estimators=9, n_iter_no_change=9, warm_start=True, random_state=0)
    with pytest.warns(ConvergenceWarning, match="after 4 of 9 rounds"):
        exact.fit(X, y, monitor=impatient)
    hist = HistGradientBoostingClassifier(max_iter=9, early_stopping=True, scoring=scorer, random_state=0)
    with pytest.warns(ConvergenceWarning, match="after 4 of 9 rounds"):
        hist.fit(X, y)
    for model in (exact, hist):
        assert (model.n_iter_, model.stop_reason_, model.converged_) == (4, "interrupted", False)
        assert equal_lengths(model)
        assert model.score(X, y) > 0.9
    whole = GradientBoostingClassifier(n_estimators=9, n_iter_no_change=9, random_state=0).fit(X, y)
    np.testing.assert_allclose(exact.fit(X, y).decision_function(X), whole.decision_function(X))


@pytest.mark.spec("TRE-075")
def test_how_gradient_boosting_ends():
    X, y = CANCER
    asked = GradientBoostingClassifier(n_estimators=9).fit(X, y, monitor=lambda turn, *_: turn == 3)
    assert (asked.n_iter_, asked.stop_reason_, asked.converged_) == (4, "callback", False)
    flat = HistGradientBoostingClassifier(early_stopping=True, validation_fraction=None, n_iter_no_change=3, tol=0.05)
    flat.fit(X, y)
    assert (flat.stop_reason_, flat.converged_) == ("no_change", True)
    assert "validation" not in flat.history_
    short = HistGradientBoostingClassifier(max_iter=3).fit(X, y)
    assert (short.stop_reason_, short.converged_) == ("max_iter", False)


@pytest.mark.spec("TRE-075")
def test_rows_given_for_validation_are_used():
    X, y = DIABETES
    model = HistGradientBoostingRegressor(n_iter_no_change=2, tol=1.0, learning_rate=0.4)
    model.fit(X[::2], y[::2], X_val=X[1::2], y_val=y[1::2])
    assert model.do_early_stopping_
    assert model.stop_reason_ == "validation"
    assert model.n_iter_ < 100


@pytest.mark.spec("TRE-075")
@pytest.mark.parametrize(
    ("loss", "scale"), [("poisson", 1e17), ("gamma", 1e17), ("gamma", 1e-20), ("squared_error", 1e17)]
)
def test_the_first_score_is_that_of_the_mean_at_any_scale(loss, scale):
    X, y = DIABETES
    weights = np.linspace(0.5, 2.0, len(y))
    model = HistGradientBoostingRegressor(loss=loss, max_iter=1).fit(X, scale * y, weights)
    mean = np.average(scale * y, weights=weights)
    assert model._loss.inverse(model.baseline_[0]) == pytest.approx(mean, rel=1e-9)


@pytest.mark.spec("TRE-075")
def test_one_class_has_a_finite_score():
    X, y = np.arange(40.0)[:, None], np.ones(40, dtype=int)
    model = HistGradientBoostingClassifier().fit(X, y)
    assert np.isfinite(model.baseline_[0])
    assert np.all(model.predict(X) == 1)
    # As in scikit-learn, exact rounds need two.
    with pytest.raises(ValueError, match="a minimum of 2 classes are required"):
        GradientBoostingClassifier().fit(X, y)


@pytest.mark.spec("TRE-075")
def test_trees_are_held_once_and_made_estimators_as_they_are_asked_for(monkeypatch):
    X, y = IRIS
    model = GradientBoostingClassifier(n_estimators=5).fit(X, y)
    assert np.shares_memory(model.rounds_[2][1].answers, model.forests_[1].whole.answers)
    made, member = [], type(model)._member

    def counted(owner, tree):
        made.append(tree)
        return member(owner, tree)

    whole = model.estimators_
    monkeypatch.setattr(type(model), "_member", counted)
    assert model[-1].shape == (3,)
    assert model[1:3].shape == (2, 3)
    assert len(made) == 9
    np.testing.assert_array_equal(model[2, 1].tree_.answers, whole[2, 1].tree_.answers)
    assert [len(trees) for trees in model] == [3] * 5


@pytest.mark.spec("TRE-075", "TRE-P10")
def test_errors_say_what_to_do():
    X, y = CANCER
    with pytest.raises(ValueError, match=r"y_val holds .*drop such rows"):
        HistGradientBoostingClassifier().fit(X, y, X_val=X, y_val=y + 1)
    with pytest.raises(ValueError, match="choose another loss"):
        HistGradientBoostingRegressor(loss="gamma").fit(X, y - 1.0)
    with pytest.raises(ValueError, match="give one for each group"):
        HistGradientBoostingClassifier(interaction_cst=[3]).fit(X, y)
    corners = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
    with pytest.warns(ConvergenceWarning):
        constant = AdaBoostClassifier(on_no_edge="constant").fit(corners, [0, 1, 1, 0])
    for draw in (lambda: plot.boosting_bound(constant), lambda: plot.boosting_rounds(constant, corners, [0, 1, 1, 0])):
        with pytest.raises(ValueError, match="stronger"):
            draw()
    model = AdaBoostClassifier(n_estimators=2).fit(X[:, :2], y)
    with pytest.raises(ValueError, match="at least one of them"):
        plot.boosting_rounds(model, X[:, :2], y, rounds=[3])
    with pytest.raises(ValueError, match="give two columns"):
        plot.boosting_rounds(model, X, y)


@pytest.mark.spec("TRE-P10")
def test_the_bound_is_drawn_where_it_holds():
    """A learner without errors ends the rounds with a step of ½, not with the infinite one of the product."""
    X = np.arange(8.0)[:, None]
    ax = plot.boosting_bound(AdaBoostClassifier().fit(X, np.repeat([0, 1], 4)))
    assert ax.lines[0].get_ydata()[0] == pytest.approx(np.exp(-0.5))
    assert len(ax.lines[1].get_ydata()) == 0


@pytest.mark.spec("TRE-075")
def test_losses_by_object_report_the_same_units():
    X, y = DIABETES
    model = GradientBoostingRegressor(loss=SquaredLoss(half=True), n_estimators=3).fit(X, y)
    np.testing.assert_allclose(model.train_score_, 2.0 * model.history_["objective"])


@pytest.mark.parametrize(
    "model",
    [
        GradientBoostingClassifier(n_iter_no_change=5, validation_fraction=0.8, random_state=0),
        HistGradientBoostingClassifier(early_stopping=True, validation_fraction=0.8, random_state=0),
        AdaBoostClassifier(n_iter_no_change=5, validation_fraction=0.8, random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_class_without_a_row_to_learn_from_is_refused(model):
    with pytest.raises(ValueError, match=r"validation_fraction=0\.8 leaves no row of a class"):
        model.fit([[1.0]] * 10, [0, 0] + [1] * 8)
