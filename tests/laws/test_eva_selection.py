"""Selection of models: by folds, within one standard error, nested, compared in pairs; curves and rates."""

import numpy as np
import pytest
import sklearn
from scipy.stats import ttest_1samp
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    RepeatedKFold,
    StratifiedGroupKFold,
    TimeSeriesSplit,
    cross_val_score,
    learning_curve,
    validation_curve,
)
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from gnomon.evaluation import (
    compare_models,
    corrected_t_test,
    cv_risk,
    diagnose_fit,
    learning_curve_rate,
    nested_cv,
    required_n,
    select_model,
)
from gnomon.features import PolynomialMap
from gnomon.generative import GaussianNB, LinearDiscriminantAnalysis
from gnomon.linear import LinearRegression, LogisticRegression, Ridge
from gnomon.losses import AbsoluteLoss


def regression(n=60, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 4))
    return X, X[:, 0] - X[:, 1] + rng.standard_normal(n)


@pytest.mark.spec("EVA-016", "EVA-L42")
def test_the_least_mean_risk_is_chosen():
    X, y = regression()
    candidates = {"mean": DummyRegressor(), "ridge": (Ridge(), {"alpha": 3.0}), "near": KNeighborsRegressor(5)}
    found = select_model(candidates, X, y, cv=KFold(4))
    assert found.names == ["mean", "ridge", "near"]
    for name, risks in zip(found.names, found.risks, strict=True):
        model = Ridge(3.0) if name == "ridge" else candidates[name]
        np.testing.assert_allclose(risks, cv_risk(model, X, y, cv=KFold(4)).folds)
    np.testing.assert_allclose(found.se, np.std(found.risks, axis=1, ddof=1) / 2)
    assert found.chosen == found.best == 1
    np.testing.assert_allclose(found.estimator.coef_, Ridge(3.0).fit(X, y).coef_)
    assert "chosen" in str(found)
    alone = select_model([KNeighborsRegressor(3)], X, y)
    assert isinstance(alone.estimator, KNeighborsRegressor)
    tied = select_model([Ridge(1.0), Ridge(1.0)], X, y, rule="min")
    assert (tied.chosen, len(set(tied.names))) == (0, 2)
    absolute = select_model(candidates, X, y, loss=AbsoluteLoss(), n_jobs=2)
    np.testing.assert_allclose(absolute.mean[1], cv_risk(Ridge(3.0), X, y, loss=AbsoluteLoss()).risk.value)


@pytest.mark.spec("EVA-016", "EVA-019")
def test_any_scorer_selects():
    X, y = load_iris(return_X_y=True)
    found = select_model([GaussianNB(), LinearDiscriminantAnalysis()], X, y, scoring="neg_log_loss")
    expected = [-cross_val_score(m, X, y, scoring="neg_log_loss") for m in (GaussianNB(), LinearDiscriminantAnalysis())]
    np.testing.assert_allclose(found.risks, expected)
    s = np.r_[np.zeros(30), np.ones(120)]
    weighted = select_model([GaussianNB(), LinearDiscriminantAnalysis()], X, y, scoring="accuracy", sample_weight=s)
    np.testing.assert_allclose(
        weighted.risks,
        select_model([GaussianNB(), LinearDiscriminantAnalysis()], X[30:], y[30:], scoring="accuracy").risks,
    )


@pytest.mark.spec("EVA-017")
def test_one_standard_error_prefers_the_simple():
    X, y = regression()
    alphas = [300.0, 100.0, 30.0, 10.0, 3.0, 1.0]
    candidates = [(Ridge(), {"alpha": a}) for a in alphas]
    found = select_model(candidates, X, y, rule="1se")
    good = found.mean <= found.mean[found.best] + found.se[found.best]
    assert found.chosen == np.flatnonzero(good)[0] < found.best
    # The other way round, complexity says what is simple.
    backwards = select_model(candidates[::-1], X, y, rule="1se", complexity=[1 / a for a in alphas[::-1]])
    assert backwards.estimator.alpha == found.estimator.alpha
    by_model = select_model(candidates[::-1], X, y, rule="1se", complexity=lambda model: -model.alpha)
    assert by_model.estimator.alpha == found.estimator.alpha


@pytest.mark.spec("EVA-016")
@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"candidates": []}, "no candidates"),
        ({"rule": "best"}, "rule"),
        ({"complexity": [1.0, 2.0]}, "one for each"),
        ({"scoring": "r2", "loss": AbsoluteLoss()}, "both given"),
    ],
)
def test_selections_that_make_no_sense_are_refused(options, words):
    X, y = regression(20)
    with pytest.raises(ValueError, match=words):
        select_model(options.pop("candidates", [Ridge()]), X, y, **options)


FITS = []


class Counted(KNeighborsRegressor):
    def fit(self, X, y):
        FITS.append(len(X))
        return super().fit(X, y)


@pytest.mark.spec("EVA-018", "EVA-L42")
def test_a_grid_search_fits_every_point_in_every_fold_and_once_more():
    X, y = regression(40)
    FITS.clear()
    search = GridSearchCV(Counted(), {"n_neighbors": [1, 3, 5], "weights": ["uniform", "distance"]}, cv=4).fit(X, y)
    assert len(FITS) == 4 * 6 + 1
    found = select_model([(Counted(), p) for p in search.cv_results_["params"]], X, y, cv=4, scoring="r2")
    np.testing.assert_allclose(-found.mean, search.cv_results_["mean_test_score"])
    assert found.estimator.get_params() == search.best_estimator_.get_params()


@pytest.mark.spec("EVA-020")
def test_nested_selection():
    X, y = regression(50)
    search = GridSearchCV(Ridge(), {"alpha": [0.1, 10.0, 1000.0]}, cv=3, scoring="neg_mean_squared_error")
    found = nested_cv(search, X, y, cv=KFold(4))
    for j, (a, b) in enumerate(KFold(4).split(X)):
        inner = clone(search).set_params(cv=KFold(3)).fit(X[a], y[a])
        assert found.parameters[j] == inner.best_params_
        assert found.scores[j] == pytest.approx(-np.mean((y[b] - inner.predict(X[b])) ** 2))
    assert found.score.value == pytest.approx(np.mean(found.scores))
    whole = clone(search).set_params(cv=KFold(3)).fit(X, y)
    assert found.non_nested == pytest.approx(whole.best_score_)
    assert found.search.best_params_ == whole.best_params_
    other = nested_cv(search, X, y, cv=KFold(4), scoring="r2", n_jobs=2)
    assert 0.0 < other.score.value < 1.0
    with pytest.raises(ValueError, match="best_params_"):
        nested_cv(Ridge(), X, y)


@pytest.mark.spec("EVA-020")
def test_inner_folds_are_of_the_kind_of_the_outer_ones():
    X, y = regression(60)
    groups = np.arange(60) // 5
    search = GridSearchCV(Ridge(), {"alpha": [0.1, 10.0]}, cv=3)
    assert isinstance(nested_cv(search, X, y, groups=groups, cv=4).search.cv, GroupKFold)
    assert isinstance(nested_cv(search, X, y, groups=groups, cv=GroupKFold(4)).search.cv, GroupKFold)
    labels = (y > 0).astype(int)
    classifier = GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=3)
    assert isinstance(nested_cv(classifier, X, labels, groups=groups, cv=4).search.cv, StratifiedGroupKFold)
    forward = nested_cv(search, X, y, cv=TimeSeriesSplit(4))
    assert isinstance(forward.search.cv, TimeSeriesSplit)
    assert forward.search.cv.n_splits == 3
    given = clone(search).set_params(cv=KFold(2))
    assert nested_cv(given, X, y, cv=TimeSeriesSplit(3)).search.n_splits_ == 2
    s = np.r_[np.zeros(20), np.ones(40)]
    weighted = nested_cv(search, X, y, sample_weight=s, cv=KFold(3))
    np.testing.assert_allclose(
        weighted.scores, nested_cv(search, X[20:], y[20:], sample_weight=s[20:], cv=KFold(3)).scores
    )


@pytest.mark.spec("EVA-020")
def test_groups_and_weights_where_metadata_are_routed():
    X, y = regression(40)
    groups, s = np.arange(40) // 4, np.r_[np.ones(20), np.full(20, 2.0)]
    plain = cv_risk(Ridge(), X, y, groups=groups, sample_weight=s)
    with sklearn.config_context(enable_metadata_routing=True):
        model = Ridge().set_fit_request(sample_weight=True)
        np.testing.assert_allclose(cv_risk(model, X, y, groups=groups, sample_weight=s).folds, plain.folds)
        found = nested_cv(GridSearchCV(Ridge(), {"alpha": [0.1, 10.0]}, cv=3), X, y, groups=groups)
    assert found.search.n_splits_ == 3
    scaled = make_pipeline(StandardScaler(), Ridge())
    weighted = cv_risk(scaled, X, y, sample_weight=s, cv=KFold(2)).folds
    by_hand = []
    for a, b in KFold(2).split(X):
        fit = clone(scaled).fit(X[a], y[a], ridge__sample_weight=s[a])
        by_hand.append(np.average((y[b] - fit.predict(X[b])) ** 2, weights=s[b]))
    np.testing.assert_allclose(weighted, by_hand)


@pytest.mark.spec("EVA-L08")
def test_of_labels_without_meaning_only_the_nested_score_is_honest():
    rng, repeats = np.random.default_rng(0), 10
    X, flat, nested = np.zeros((24, 1)), [], []
    for repeat in range(repeats):
        y = rng.permutation(np.repeat([0, 1], 12))
        coins = {"random_state": list(range(8 * repeat, 8 * repeat + 8))}
        search = GridSearchCV(DummyClassifier(strategy="uniform"), coins, cv=3, scoring="accuracy")
        found = nested_cv(search, X, y, cv=3)
        flat.append(found.non_nested)
        nested.append(found.score.value)
    assert abs(np.mean(nested) - 0.5) < 4 * np.std(nested) / np.sqrt(repeats)
    assert np.mean(flat) > 0.5 + 4 * np.std(flat) / np.sqrt(repeats)


@pytest.mark.spec("EVA-021")
def test_regimes_over_a_degree():
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (40, 1))
    y = np.sin(3 * x[:, 0]) + 0.1 * rng.standard_normal(40)
    model = make_pipeline(PolynomialMap(include_bias=False), LinearRegression())
    degrees = [1, 3, 5, 18]
    found = diagnose_fit(model, x, y, "polynomialmap__degree", degrees)
    train, test = validation_curve(
        model, x, y, param_name="polynomialmap__degree", param_range=degrees, scoring="neg_mean_squared_error", cv=5
    )
    np.testing.assert_allclose(found.train, -train.mean(axis=1))
    np.testing.assert_allclose(found.validation, -test.mean(axis=1))
    assert (found.regimes[0], found.regimes[found.best], found.regimes[-1]) == ("under", "good", "over")
    assert found.values[found.one_se] <= found.values[found.best]
    # Within one standard error of the best is good, whatever the side; above it, over only where training errors fall.
    near = diagnose_fit(model, x, y, "polynomialmap__degree", [3, 4, 5, 6, 7])
    far = near.validation > near.validation[near.best] + near.standard_error[near.best]
    assert [regime != "good" for regime in near.regimes] == far.tolist()
    assert near.regimes.count("good") > 1
    worse = diagnose_fit(Ridge(), x, y, "alpha", [0.01, 1e3])
    assert worse.regimes == ["good", "under"]
    flipped = diagnose_fit(KNeighborsClassifier(), *load_iris(return_X_y=True), "n_neighbors", [100, 7, 1])
    assert flipped.regimes[0] == "under"
    assert np.all(np.isnan(flipped.norms))
    with pytest.raises(ValueError, match="empty"):
        diagnose_fit(model, x, y, "polynomialmap__degree", [])


@pytest.mark.spec("EVA-022")
def test_rates_of_learning_curves():
    N = np.array([10, 20, 50, 100, 300])
    rate = learning_curve_rate(N, 0.3 + 2.0 / N, reference=0.3)
    assert rate.slope.value == pytest.approx(-1.0)
    assert rate.scale == pytest.approx(2.0)
    assert rate.predict(1000) == pytest.approx(0.302)
    assert rate.n_for(0.302) == pytest.approx(1000)
    assert rate.n_for(0.3) == np.inf
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(200):
        noisy = np.exp(-0.5 * np.log(N)[:, None] + 0.1 * rng.standard_normal((5, 1)))
        slope = learning_curve_rate(N, noisy, level=0.9).slope
        covered += slope.low < -0.5 < slope.high
    assert abs(covered / 200 - 0.9) < 4 * np.sqrt(0.09 / 200)
    assert [required_n(e) for e in (0.1, 0.01)] == [24, 461]
    for bad, words in ((([10, 20], [0.3, 0.2], 0.25), "does not exceed"), (([10, 10], [1.0, 1.0], 0.0), "2 sizes")):
        with pytest.raises(ValueError, match=words):
            learning_curve_rate(bad[0], bad[1], reference=bad[2])
    for eps in (0.0, 1.0, -1.0, np.nan):
        with pytest.raises(ValueError, match="eps"):
            required_n(eps)
    with pytest.raises(ValueError, match="case"):
        required_n(0.1, "mean")


@pytest.mark.spec("EVA-022")
def test_a_parametric_model_learns_at_rate_one():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((3000, 5))
    y = X @ np.arange(5.0) + rng.standard_normal(3000)
    sizes, _, scores = learning_curve(
        LinearRegression(), X, y, train_sizes=[15, 30, 60, 120, 240], scoring="neg_mean_squared_error",
        cv=RepeatedKFold(n_splits=2, n_repeats=15, random_state=0), shuffle=True, random_state=0,
    )  # fmt: skip
    noise = cv_risk(LinearRegression(), X, y).risk.value
    slope = learning_curve_rate(sizes, -scores, reference=noise * (1 - 6 / 2400)).slope
    assert slope.value == pytest.approx(-1.0, abs=0.35)


@pytest.mark.spec("EVA-023")
def test_models_by_scorers_on_the_same_folds():
    X, y = load_iris(return_X_y=True)
    models = {"naive": GaussianNB(), "lda": LinearDiscriminantAnalysis(), "none": DummyClassifier()}
    found = compare_models(models, X, y, scoring=["accuracy", "neg_log_loss"], n_jobs=2)
    assert found.scores.shape == (3, 2, 5)
    for a, name in enumerate(models):
        for b, scorer in enumerate(("accuracy", "neg_log_loss")):
            np.testing.assert_allclose(found.scores[a, b], cross_val_score(models[name], X, y, scoring=scorer))
    np.testing.assert_allclose(found.paired("lda", "naive"), found.scores[1, 0] - found.scores[0, 0])
    assert found.test_share == pytest.approx(0.2)
    assert found.difference("lda", "none").p_value < 1e-3 < found.difference("lda", "naive").p_value
    assert found.difference("lda", "lda").p_value == 1.0
    assert found.difference("lda", "naive", "neg_log_loss").difference.value == pytest.approx(
        found.mean[1, 1] - found.mean[0, 1]
    )
    for arguments in (("lda", "svm"), ("lda", "naive", "f1")):
        with pytest.raises(ValueError, match="was not compared"):
            found.difference(*arguments)
    assert str(found).splitlines()[0].split() == ["model", "accuracy", "neg_log_loss"]
    plain = compare_models([Ridge(), DummyRegressor()], *regression())
    assert plain.scorers == ["r2"]
    groups = np.arange(60) // 3
    grouped = compare_models([Ridge()], *regression(), groups=groups, sample_weight=np.ones(60), scoring="r2", cv=4)
    np.testing.assert_allclose(
        grouped.scores[0, 0], cross_val_score(Ridge(), *regression(), groups=groups, cv=GroupKFold(4))
    )


@pytest.mark.spec("EVA-023")
def test_the_corrected_test():
    rng = np.random.default_rng(0)
    d = rng.standard_normal(10)
    found = corrected_t_test(d, test_share=0.1)
    inflate = np.sqrt(1 + 10 / 9)
    assert found.statistic == pytest.approx(ttest_1samp(d, 0.0).statistic / inflate)
    assert found.dof == 9
    wide = ttest_1samp(d, 0.0).confidence_interval(0.95)
    assert found.difference.high - found.difference.low == pytest.approx(inflate * (wide.high - wide.low))
    assert corrected_t_test([0.0, 0.0, 0.0], test_share=0.3)[1:3] == (0.0, 1.0)
    assert corrected_t_test([0.1, 0.1, 0.1], test_share=0.3)[1:3] == (np.inf, 0.0)
    for bad in ([1.0], [1.0, np.nan], [[1.0, 2.0]]):
        with pytest.raises(ValueError, match="differences"):
            corrected_t_test(bad, test_share=0.2)
    with pytest.raises(ValueError, match="test_share"):
        corrected_t_test(d, test_share=1.0)


@pytest.mark.spec("EVA-023")
def test_the_correction_keeps_its_level_where_the_plain_test_does_not():
    rng, k, share = np.random.default_rng(0), 10, 0.2
    # Differences of folds that are correlated as much as they overlap, which the correction assumes.
    d = np.sqrt(share) * rng.standard_normal((400, 1)) + np.sqrt(1 - share) * rng.standard_normal((400, k))
    corrected = np.mean([corrected_t_test(row, test_share=share).p_value < 0.1 for row in d])
    assert abs(corrected - 0.1) < 4 * np.sqrt(0.09 / 400)
    assert np.mean(ttest_1samp(d, 0.0, axis=1).pvalue < 0.1) > 0.3
