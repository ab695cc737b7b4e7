"""Refusals, targets, weights and rows of multi-class reductions, and their comparison."""

import warnings

import numpy as np
import pytest
import sklearn
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import make_blobs
from sklearn.linear_model import LogisticRegression, Ridge, SGDClassifier
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from gnomon.multiclass import (
    IndicatorRegression,
    OneVsOneClassifier,
    OneVsRestClassifier,
    compare_reductions,
    vote_accuracy,
)

REDUCTIONS = [OneVsRestClassifier, OneVsOneClassifier]


def blobs(C, n=200, spread=1.5, seed=0):
    """Round clouds around a circle, so that every class can be parted from the rest by a line."""
    angle = 2 * np.pi * np.arange(C) / C + 0.3
    return make_blobs(
        n, centers=5 * np.column_stack([np.cos(angle), np.sin(angle)]), cluster_std=spread, random_state=seed
    )


class Hard(ClassifierMixin, BaseEstimator):
    """Only `predict`: neither scores, nor probabilities, nor weights."""

    def fit(self, X, y):
        self.model_ = LogisticRegression().fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X):
        return self.model_.predict(X)


# Refusals.


@pytest.mark.spec("TRE-L38", "TRE-105")
@pytest.mark.parametrize("option", ["reject_threshold", "reject_margin"])
@pytest.mark.parametrize(
    "model",
    [
        OneVsRestClassifier(LogisticRegression()),
        OneVsRestClassifier(LogisticRegression(), combine="proba"),
        OneVsOneClassifier(LogisticRegression()),
        OneVsOneClassifier(LogisticRegression(), decision="coupling"),
    ],
    ids=["score", "proba", "vote", "coupling"],
)
def test_a_higher_limit_never_answers_more(model, option):
    X, y = blobs(4, spread=3.0)
    coverage, scores = [], []
    fitted = clone(model).set_params(**{option: 0.0}).fit(X, y)
    for limit in (0.0, 0.2, 0.5, 0.9, 2.0, 3.5):
        fitted.set_params(**{option: limit})
        report = fitted.answer_report(X, y)
        refused = fitted.is_rejected(X)
        assert report.coverage == pytest.approx(1 - np.mean(refused))
        assert report.n_rejected == np.sum(refused)
        np.testing.assert_array_equal(fitted.predict(X) == -1, refused)
        coverage.append(report.coverage)
        if report.coverage > 0:
            answered = ~refused
            assert report.accuracy == pytest.approx(np.mean(fitted.predict(X)[answered] == y[answered]))
            scores.append(report.accuracy)
    assert np.all(np.diff(coverage) <= 0)
    assert coverage[-1] < coverage[0]
    assert scores[-1] >= scores[0]


@pytest.mark.spec("TRE-105")
@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_the_label_of_refused_rows(reduction):
    X, y = blobs(3, spread=4.0)
    words = np.array(["a", "b", "c"])[y]
    limit = {"reject_margin": 1.2}
    assert "reject" in reduction(LogisticRegression(), **limit).fit(X, words).predict(X)
    assert -1 in reduction(LogisticRegression(), **limit).fit(X, y).predict(X)
    assert "?" in reduction(LogisticRegression(), reject_label="?", **limit).fit(X, words).predict(X)
    assert -9 in reduction(LogisticRegression(), reject_label=-9, **limit).fit(X, y - 1).predict(X)
    with pytest.raises(ValueError, match="reject_label=-1 is one of the classes"):
        reduction(LogisticRegression(), **limit).fit(X, y - 1)
    with pytest.raises(ValueError, match="reject_label='a' is one of the classes"):
        reduction(LogisticRegression(), reject_label="a", **limit).fit(X, words)
    with pytest.raises(ValueError, match="another kind"):
        reduction(LogisticRegression(), reject_label=0, **limit).fit(X, words)
    # Nobody asked: −1 may be a class, and nothing is refused.
    plain = reduction(LogisticRegression()).fit(X, y - 1)
    assert plain.reject_label_ is None
    assert not np.any(plain.is_rejected(X))
    with pytest.raises(ValueError, match="reject_margin=-1"):
        reduction(LogisticRegression(), reject_margin=-1).fit(X, y)


@pytest.mark.spec("TRE-105")
def test_hard_answers_refuse_and_graphs_cannot():
    X, y = blobs(4, spread=3.0)
    with pytest.raises(ValueError, match="reject_label=-1 is one of the classes"):
        OneVsRestClassifier(LogisticRegression(), combine="hard").fit(X, y - 1)
    with pytest.raises(ValueError, match="needs scores or probabilities"):
        OneVsRestClassifier(LogisticRegression(), combine="hard", reject_threshold=1.0).fit(X, y)
    with pytest.raises(ValueError, match="no scores to refuse by"):
        OneVsOneClassifier(LogisticRegression(), decision="dag", reject_margin=1.0).fit(X, y)


# Targets, weights, rows.


@pytest.mark.spec("TRE-081")
def test_multi_label_targets_are_for_one_vs_rest_only():
    X = blobs(2)[0]
    Y = np.column_stack([X[:, 0] > 0, X[:, 1] > 0, X[:, 0] + X[:, 1] > 3]).astype(int)
    model = OneVsRestClassifier(LogisticRegression()).fit(X, Y)
    for k, fitted in enumerate(model.estimators_):
        np.testing.assert_array_equal(model.predict(X)[:, k], fitted.predict(X))
    assert {0, 1, 2, 3} == set(model.predict(X).sum(axis=1).tolist())
    np.testing.assert_array_equal(
        OneVsRestClassifier(LogisticRegression()).fit(X, sparse.csr_array(Y)).predict(X).toarray(), model.predict(X)
    )
    hard = OneVsRestClassifier(LogisticRegression(), combine="hard").fit(X, Y)
    np.testing.assert_array_equal(hard.predict(X), model.predict(X))
    with pytest.raises(ValueError, match="no 'don't know'"):
        OneVsRestClassifier(LogisticRegression(), reject_margin=0.1).fit(X, Y)
    with pytest.raises(ValueError, match="use predict"):
        model.is_rejected(X)
    for refusing in (OneVsOneClassifier(LogisticRegression()), IndicatorRegression(Ridge())):
        with pytest.raises(ValueError, match=r"multi-label.*OneVsRestClassifier"):
            refusing.fit(X, Y)
    with pytest.warns(UserWarning, match="no row of '1' takes part"):
        rare = OneVsRestClassifier(LogisticRegression()).fit(X, Y * [1, 0, 1])
    np.testing.assert_array_equal(rare.predict(X)[:, 1], 0)


@pytest.mark.spec("TRE-082", "TRE-086")
@pytest.mark.parametrize("base", [LogisticRegression(tol=1e-8), make_pipeline(PolynomialFeatures(2), Ridge())])
@pytest.mark.parametrize("model", [*REDUCTIONS, IndicatorRegression])
def test_weight_two_is_the_row_twice_and_weight_zero_its_absence(model, base):
    X, y = blobs(3, n=90)
    s = np.arange(90) % 3
    if model is IndicatorRegression:
        base = make_pipeline(PolynomialFeatures(2), Ridge())
    weighted = model(base).fit(X, y, sample_weight=s.astype(float))
    repeated = model(base).fit(np.repeat(X, s, axis=0), np.repeat(y, s))
    np.testing.assert_array_equal(weighted.predict(X), repeated.predict(X))
    if model is not OneVsRestClassifier or "steps" not in base.get_params():
        np.testing.assert_allclose(weighted.decision_function(X), repeated.decision_function(X), rtol=1e-4, atol=1e-6)


@pytest.mark.spec("TRE-086")
def test_a_class_without_weight_loses_every_duel():
    X, y = blobs(4)
    s = (y != 2).astype(float)
    with pytest.warns(UserWarning, match="no row of '2' takes part in a fit, so its answer is always"):
        pairs = OneVsOneClassifier(LogisticRegression()).fit(X, y, sample_weight=s)
    assert pairs.classes_.tolist() == [0, 1, 2, 3]
    np.testing.assert_array_equal(pairs.votes(X)[:, 2], 0)
    with pytest.warns(UserWarning, match="no row of '2' takes part"):
        rest = OneVsRestClassifier(LogisticRegression()).fit(X, y, sample_weight=s)
    for model in (pairs, rest):
        without = clone(model).fit(X[y != 2], y[y != 2])
        np.testing.assert_array_equal(model.predict(X), without.predict(X))
        # Least squares between pairs that contradict each other leaves it a little.
        np.testing.assert_allclose(model.predict_proba(X)[:, 2], 0.0, atol=0.01)


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_a_single_class_is_certain(reduction):
    X = np.arange(6.0)[:, None]
    model = reduction(LogisticRegression()).fit(X, np.full(6, "only"))
    assert model.predict(X).tolist() == ["only"] * 6
    np.testing.assert_array_equal(model.predict_proba(X), 1.0)


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_any_rows_that_the_base_takes(reduction):
    pd = pytest.importorskip("pandas")
    from sklearn.compose import make_column_transformer
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.preprocessing import OneHotEncoder

    texts = ["red apple", "green apple", "fast car", "slow car", "tall tree", "old tree"] * 3
    y = np.repeat([["fruit", "fruit", "road", "road", "wood", "wood"]], 3, axis=0).ravel()
    words = reduction(make_pipeline(TfidfVectorizer(), LogisticRegression(C=100.0))).fit(texts, y)
    assert words.predict(["an apple", "the car", "a tree"]).tolist() == ["fruit", "road", "wood"]
    frame = pd.DataFrame({"thing": [text.split()[1] for text in texts], "size": np.arange(18.0)})
    coded = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), ["thing"]), remainder="passthrough")
    mixed = reduction(make_pipeline(coded, LogisticRegression(C=100.0))).fit(frame, y)
    np.testing.assert_array_equal(mixed.predict(frame), y)
    assert mixed.feature_names_in_.tolist() == ["thing", "size"]
    X, y = blobs(3)
    S = sparse.csr_array(X)
    np.testing.assert_array_equal(
        reduction(LogisticRegression()).fit(S, y).predict(S), reduction(LogisticRegression()).fit(X, y).predict(X)
    )


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_searches_thresholds_and_regressors_as_bases(reduction):
    X, y = blobs(3)
    search = reduction(GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=2)).fit(
        X, y, sample_weight=np.ones(200)
    )
    assert search.score(X, y) > 0.7
    moved = FixedThresholdClassifier(LogisticRegression(), threshold=0.9, response_method="predict_proba")
    one = OneVsOneClassifier(moved).fit(X, y)
    np.testing.assert_array_equal(
        one.votes(X)[:, 2], np.sum([e.predict(X) for e in np.array(one.estimators_)[[1, 2]]], axis=0)
    )
    assert reduction(Ridge()).fit(X, y).score(X, y) > 0.7
    with pytest.raises(ValueError, match="takes no sample_weight"):
        reduction(Hard()).fit(X, y, sample_weight=np.ones(200))


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_parameters_for_the_base_are_routed(reduction):
    X, y = blobs(3)
    with pytest.raises(ValueError, match="enable_metadata_routing"):
        reduction(SGDClassifier()).fit(X, y, coef_init=np.zeros((1, 2)))
    with sklearn.config_context(enable_metadata_routing=True):
        base = make_pipeline(StandardScaler(), LogisticRegression().set_fit_request(sample_weight=True))
        base[0].set_fit_request(sample_weight=False)
        s = np.random.default_rng(0).random(200)
        routed = reduction(base, n_jobs=2).fit(X, y, sample_weight=s)
        assert cross_val_score(reduction(base), X, y, params={"sample_weight": s}).min() > 0.5
    plain = reduction(make_pipeline(StandardScaler(), LogisticRegression())).fit(X, y, sample_weight=s)
    np.testing.assert_allclose(routed.decision_function(X), plain.decision_function(X), rtol=1e-6)


@pytest.mark.parametrize("base", [None, "logistic", StandardScaler()])
@pytest.mark.parametrize("reduction", [*REDUCTIONS, IndicatorRegression])
def test_what_cannot_predict_is_no_base(reduction, base):
    X, y = blobs(3)
    with pytest.raises(ValueError, match=r"has no predict; give a classifier or a regressor"):
        reduction(base).fit(X, y)
    with pytest.raises(ValueError, match="is no regressor"):
        IndicatorRegression(GaussianNB()).fit(X, y)


def test_progress_goes_to_a_logger(caplog):
    X, y = blobs(3)
    with caplog.at_level("INFO", logger="gnomon.multiclass"):
        OneVsRestClassifier(GaussianNB(), verbose=1).fit(X, y)
    assert caplog.messages == [f"{k} of 3 binary problems fitted" for k in (1, 2, 3)]


@pytest.mark.parametrize("n_jobs", [2, -1])
@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_threads_change_nothing(reduction, n_jobs):
    X, y = blobs(6)
    base = SGDClassifier(random_state=0)
    serial, threaded = reduction(base).fit(X, y), reduction(base, n_jobs=n_jobs).fit(X, y)
    np.testing.assert_array_equal(serial.decision_function(X), threaded.decision_function(X))


# The comparison.


@pytest.mark.spec("TRE-106")
def test_the_table_of_all_reductions():
    X, y = blobs(5, n=150)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compared = compare_reductions(GaussianNB(), X, y, cv=3, random_state=0)
    rows = dict(zip(compared.table["reduction"].tolist(), compared.table["n_classifiers"].tolist(), strict=True))
    assert {
        "ovr": 5,
        "ovo": 10,
        "dag": 10,
        "coupling": 10,
        "binary": 3,
        "exhaustive": 15,
        "hamming": 6,
    }.items() <= rows.items()
    assert all(np.all(compared.table[name] >= 0) for name in ("fit_seconds", "predict_seconds", "error", "error_se"))
    assert compared.table["error"][list(rows).index(compared.best)] == np.min(compared.table["error"])
    assert str(compared).splitlines()[0].split() == list(compared.table)
    assert "coupling" not in compare_reductions(LinearSVC(C=0.01), X, y, cv=2, random_state=0).table["reduction"]
    mine = compare_reductions(
        None, X, y, reductions={"tree": OneVsRestClassifier(DecisionTreeClassifier(max_depth=2))}, cv=2
    )
    assert mine.best == "tree"


@pytest.mark.parametrize("T", [1, 2, 7])
def test_accuracy_of_votes_by_enumeration(T):
    p = [0.5, 0.2, 0.3]
    counts = np.array(np.meshgrid(*[range(3)] * T)).reshape(T, -1)
    tally = np.array([(counts == k).sum(axis=0) for k in range(3)])
    chance = np.prod(np.array(p)[counts], axis=0)
    assert vote_accuracy(T, p) == pytest.approx(np.sum(chance[tally[0] > np.max(tally[1:], axis=0)]))
