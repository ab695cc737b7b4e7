"""Refusals, targets, weights and rows of multi-class reductions, and their comparison."""

import warnings
from functools import partial

import numpy as np
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, Ridge, SGDClassifier
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.svm import SVR, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from gnomon.multiclass import (
    IndicatorRegression,
    OneVsOneClassifier,
    OneVsRestClassifier,
    OutputCodeClassifier,
    compare_reductions,
    number_of_classifiers,
    vote_accuracy,
)
from reduction_cases import Hard, blobs

REDUCTIONS = [OneVsRestClassifier, OneVsOneClassifier]


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
@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_limits_set_after_the_fit_are_kept_by_every_method(reduction):
    X, y = blobs(3, spread=4.0)
    model = reduction(LogisticRegression()).fit(X, y).set_params(reject_margin=1.2)
    refused = model.is_rejected(X)
    assert np.any(refused)
    np.testing.assert_array_equal(model.predict(X) == -1, refused)
    assert model.answer_report(X, y).n_rejected == np.sum(refused)
    assert not np.any(model.set_params(reject_margin=None).predict(X) == -1)


@pytest.mark.spec("TRE-105", "TRE-085")
def test_limits_of_probabilities_are_those_of_predict_proba():
    X, y = blobs(4, spread=3.0)
    model = OneVsRestClassifier(LogisticRegression(), combine="proba").fit(X, y)
    top = np.sort(model.predict_proba(X), axis=1)
    low = model.set_params(reject_threshold=0.6).is_rejected(X)
    np.testing.assert_array_equal(low, top[:, -1] < 0.6)
    raw = np.max([fit.predict_proba(X)[:, 1] for fit in model.estimators_], axis=0)
    assert np.any(low != (raw < 0.6))
    close = model.set_params(reject_threshold=None, reject_margin=0.3).is_rejected(X)
    np.testing.assert_array_equal(close, top[:, -1] - top[:, -2] < 0.3)


@pytest.mark.spec("TRE-105")
@pytest.mark.parametrize("reduction", [OneVsRestClassifier, OutputCodeClassifier])
@pytest.mark.filterwarnings("ignore:y has only one class")
def test_a_single_class_leads_by_any_margin(reduction):
    X = np.arange(6.0)[:, None]
    model = reduction(LogisticRegression(), reject_margin=0.1).fit(X, np.full(6, "only"))
    assert set(model.predict(X)) == {"only"}
    assert model.answer_report(X, np.full(6, "only")).coverage == 1.0


@pytest.mark.spec("TRE-105")
def test_hard_answers_refuse_and_graphs_cannot():
    X, y = blobs(4, spread=3.0)
    with pytest.raises(ValueError, match="reject_label=-1 is one of the classes"):
        OneVsRestClassifier(LogisticRegression(), combine="hard").fit(X, y - 1)
    with pytest.raises(ValueError, match="need scores or probabilities"):
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


@pytest.mark.parametrize("base", [LogisticRegression(), GaussianNB(), LinearSVC(), Ridge()], ids=repr)
@pytest.mark.parametrize("reduction", [*REDUCTIONS, OutputCodeClassifier])
def test_the_only_class_with_weight_is_the_answer(reduction, base):
    X, y = blobs(3)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "no row of .* takes part in a fit")
        model = reduction(base).fit(X, y, sample_weight=(y == 2).astype(float))
    np.testing.assert_array_equal(model.predict(X), 2)


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_methods_are_those_of_the_base_where_a_class_has_no_rows(reduction):
    """A constant answer in the place of a fit has probabilities, its base has none."""
    X, y = blobs(3)
    with pytest.warns(UserWarning, match="no row of '0' takes part"):
        model = reduction(LinearSVC()).fit(X, y, sample_weight=(y > 0).astype(float))
    with pytest.raises(AttributeError, match="predict_proba"):
        _ = model.predict_proba
    with pytest.warns(UserWarning, match="no row of '0' takes part"):
        begun = reduction(SGDClassifier()).fit(X, y, sample_weight=(y > 0).astype(float))
    with pytest.raises(ValueError, match="begin with partial_fit"):
        begun.partial_fit(X, y)


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_labels_that_were_not_announced(reduction):
    X, y = blobs(3)
    with pytest.raises(ValueError, match=r"y has labels \[2\] that are not in classes=\[0, 1\]; add them there"):
        reduction(SGDClassifier()).partial_fit(X, y, classes=[0, 1])


@pytest.mark.spec("TRE-084")
def test_distances_of_a_regressor_are_measured_from_a_half():
    X, y = blobs(3, spread=3.0)
    y = np.where(y == 2, 0, y)
    two = OneVsRestClassifier(Ridge(), normalize=True).fit(X, y)
    np.testing.assert_array_equal(two.predict(X), two.estimators_[0].predict(X) > 0.5)
    X, y = blobs(3, spread=3.0)
    X = X * [1.0, 10.0]
    model = OneVsRestClassifier(Ridge(), normalize=True).fit(X, y)
    f = np.column_stack([fit.predict(X) for fit in model.estimators_])
    norms = [np.linalg.norm(fit.coef_) for fit in model.estimators_]
    np.testing.assert_array_equal(model.predict(X), np.argmax((f - 0.5) / norms, axis=1))
    assert np.any(model.predict(X) != np.argmax(f / norms, axis=1))


@pytest.mark.spec("TRE-090")
def test_regressors_inside_pipelines_and_without_weights():
    X, y = blobs(3, n=90)
    s = np.arange(90) % 2
    for regressor in (make_pipeline(StandardScaler(), SVR()), make_pipeline(StandardScaler(), Ridge()), SVR(gamma=0.1)):
        weighted = IndicatorRegression(regressor).fit(X, y, sample_weight=s)
        assert weighted.score(X[s > 0], y[s > 0]) > 0.8
    without = IndicatorRegression(SVR(gamma=0.1)).fit(X[s > 0], y[s > 0])
    np.testing.assert_allclose(weighted.decision_function(X), without.decision_function(X), atol=1e-2)
    for regressor in (KNeighborsRegressor(), make_pipeline(StandardScaler(), KNeighborsRegressor())):
        with pytest.raises(ValueError, match="takes no sample_weight"):
            IndicatorRegression(regressor).fit(X, y, sample_weight=s)


@pytest.mark.filterwarnings("ignore:y has only one class")
def test_a_single_class_is_certain():
    X = np.arange(6.0)[:, None]
    model = OneVsRestClassifier(LogisticRegression()).fit(X, np.full(6, "only"))
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


@pytest.mark.parametrize("reduction", [*REDUCTIONS, partial(OutputCodeClassifier, code="exhaustive")])
def test_progress_goes_to_stderr_if_asked_for(reduction, capsys):
    X, y = blobs(3)
    reduction(GaussianNB()).fit(X, y)
    assert capsys.readouterr() == ("", "")
    reduction(GaussianNB(), verbose=1).fit(X, y)
    assert capsys.readouterr() == ("", "fit 1 of 3\nfit 2 of 3\nfit 3 of 3\n")
    X, y = blobs(25)
    OneVsRestClassifier(GaussianNB(), verbose=1).fit(X, y)
    assert capsys.readouterr().err.splitlines() == [f"fit {k} of 25" for k in range(2, 26, 2)]
    OneVsRestClassifier(GaussianNB(), verbose=2).fit(X, y)
    assert capsys.readouterr().err.count("\n") == 25


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
    whole = {"masked": IndicatorRegression(Ridge()), "softmax": LogisticRegression()}
    assert compare_reductions(None, X, y, reductions=whole, cv=2).table["n_classifiers"].tolist() == [1, 1]
    with pytest.raises(ValueError, match=r"reduction='best' is unknown.*hamming"):
        number_of_classifiers(5, "best")


@pytest.mark.parametrize("p", ["uniform", [0.5, 0.6], [1.5, -0.5], [[0.5, 0.5]], [], None, [np.nan, 1.0]])
def test_chances_of_votes_that_are_none(p):
    with pytest.raises(ValueError, match=r"^p=.* must be"):
        vote_accuracy(5, p)


@pytest.mark.parametrize("T", [1, 2, 7])
def test_accuracy_of_votes_by_enumeration(T):
    p = [0.5, 0.2, 0.3]
    counts = np.array(np.meshgrid(*[range(3)] * T)).reshape(T, -1)
    tally = np.array([(counts == k).sum(axis=0) for k in range(3)])
    chance = np.prod(np.array(p)[counts], axis=0)
    assert vote_accuracy(T, p) == pytest.approx(np.sum(chance[tally[0] > np.max(tally[1:], axis=0)]))
