"""Laws of classifiers inside others: their scores, their priors, their labels and their rows."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from scipy.special import expit, logit
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from gnomon import linear, svm, trees
from gnomon.base.scores import posterior_priors
from gnomon.decision import (
    Application,
    BayesDecisionClassifier,
    CalibratedScorer,
    ConformalClassifier,
    ConformalRegressor,
    DecisionRegressor,
    RejectClassifier,
    ScoreCalibrator,
    ThresholdTuner,
    calibration_split,
    dcf,
)
from gnomon.features import RandomOverSampler, RandomUnderSampler, ResampledClassifier
from gnomon.io import load, save
from gnomon.numerics.weights import shift_prior


def copies(seed, n=1500, share=0.3):
    """Forty copies of one feature with little noise: naive Bayes counts it forty times."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    f = rng.normal(size=n) + 1.2 * y
    return f[:, None] + 0.02 * rng.normal(size=(n, 40)), y


def rows(seed, n=3000, prior=(0.9, 0.1)):
    """Classes of normal rows around the unit vectors, the first around 0."""
    rng = np.random.default_rng(seed)
    k = rng.choice(len(prior), size=n, p=prior)
    return rng.normal(size=(n, 2)) + 1.5 * np.eye(3, 2, -1)[k], k


class OnlyProbabilities(ClassifierMixin, BaseEstimator):
    """P(1 | x) of a logit far from zero, of any precision; where it is below `least`, zero."""

    def __init__(self, scale=40.0, least=0.0, dtype=np.float64):
        self.scale, self.least, self.dtype = scale, least, dtype

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        z = self.scale * np.asarray(X, dtype=float)[:, 0]
        p = np.column_stack([expit(-z), expit(z)])
        return np.where(p < self.least, 0.0, p).astype(self.dtype)

    def predict(self, X):
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]


@pytest.mark.parametrize(
    ("base", "differing"),
    [
        (GaussianNB(), 1500),
        (make_pipeline(StandardScaler(), GaussianNB()), 1500),
        (OnlyProbabilities(40.0), 1500),
        (OnlyProbabilities(8.0, dtype=np.float32), 1400),
        (OnlyProbabilities(40.0, least=1e-30), 1),
    ],
    ids=["logs", "pipeline", "probabilities", "single", "zeros"],
)
def test_no_order_of_a_model_is_lost(base, differing):
    (X, y), (new, truth) = copies(0), copies(1)
    model = base.fit(X, y)
    with np.errstate(divide="ignore"):
        logs = getattr(model, "predict_log_proba", lambda rows: np.log(model.predict_proba(rows)))(new).astype(float)
    z = np.clip(logs[:, 1] - logs[:, 0], -1e6, 1e6)
    assert len(np.unique(z)) >= differing
    for wrapper in (CalibratedScorer(base), ThresholdTuner(Application(0.9, 10.0, 1.0), estimator=base)):
        s = wrapper.fit(X, y).decision_function(new)
        assert np.all(np.isfinite(s))
        order = np.argsort(z, kind="stable")
        rises = np.diff(z[order]) > 0.0
        assert np.all(np.diff(s[order])[rises] > 0.0)
        assert np.all(np.diff(s[order])[~rises] == 0.0)
        assert roc_auc_score(truth, s) == pytest.approx(roc_auc_score(truth, z))


def test_an_overconfident_model_is_worth_as_much_as_its_order():
    (X, y), (new, truth) = copies(0, 3000), copies(1, 3000)
    ideal = log_loss(truth, LogisticRegression().fit(X[:, :1], y).predict_proba(new[:, :1]))
    assert log_loss(truth, CalibratedScorer(GaussianNB()).fit(X, y).predict_proba(new)) < ideal + 0.01
    app = Application(0.9, 10.0, 1.0)
    assert ThresholdTuner(app, estimator=GaussianNB()).fit(X, y).cost_ < 0.99


@pytest.mark.parametrize("base", [KNeighborsClassifier(5), RandomForestClassifier(30, random_state=0)], ids=str)
def test_shares_of_zero_are_no_certainties(base):
    (X, y), (new, truth) = rows(0, prior=(0.7, 0.3)), rows(1, prior=(0.7, 0.3))
    model = CalibratedScorer(base).fit(X, y)
    p = model.predict_proba(new)
    assert 0.0 < np.min(p) < np.max(p) < 1.0
    ideal = LinearDiscriminantAnalysis().fit(X, y)
    assert log_loss(truth, p) < log_loss(truth, ideal.predict_proba(new)) + 0.07
    assert log_loss(truth, p) < log_loss(truth, base.fit(X, y).predict_proba(new)) - 0.05


BASES = {
    "logs": GaussianNB(),
    "log-odds": LogisticRegression(),
    "balanced": LogisticRegression(class_weight="balanced"),
    "margins": LinearSVC(),
    "shares": RandomForestClassifier(20, min_samples_leaf=10, random_state=0),
}


@pytest.mark.parametrize("prior", [(0.75, 0.25), (0.8, 0.15, 0.05)], ids=["two", "three"])
@pytest.mark.parametrize("name", BASES)
def test_a_temperature_counts_the_prior_once(name, prior):
    (X, y), (new, truth) = rows(0, prior=prior), rows(1, prior=prior)
    losses = {}
    for method in ("temperature", "logistic"):
        p = CalibratedScorer(BASES[name], ScoreCalibrator(method)).fit(X, y).predict_proba(new)
        np.testing.assert_allclose(np.mean(p, axis=0), np.bincount(truth) / len(truth), atol=0.045)
        losses[method] = log_loss(truth, p)
    assert losses["temperature"] < losses["logistic"] + 0.01


def test_an_overconfident_likelihood_is_scaled_without_its_prior():
    (X, y), (new, truth) = copies(0, 3000), copies(1, 3000)
    losses = [
        log_loss(truth, CalibratedScorer(GaussianNB(), ScoreCalibrator(method)).fit(X, y).predict_proba(new))
        for method in ("temperature", "logistic")
    ]
    assert losses[0] < losses[1] + 0.003


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("kind", ["llr", "log_posterior_ratio", "margin"])
def test_a_temperature_finds_the_scale_of_each_kind_of_score(kind, K):
    X, y = rows(0, 6000, prior=(0.8, 0.15, 0.05)[: K - 1] + ((0.2,) if K == 2 else (0.05,)))
    prior = np.bincount(y) / len(y)
    llr = X @ (1.5 * np.eye(3, 2, -1)[:K]).T - np.r_[0.0, np.full(K - 1, 1.125)]
    z = 3.0 * {"llr": llr, "log_posterior_ratio": llr, "margin": llr + np.log(prior)}[kind]
    z = z + np.log(prior) if kind == "log_posterior_ratio" else z
    s = z if K == 3 else z[:, 1] - z[:, 0]
    given = {} if kind == "llr" else {"score_type": kind, "score_prior": prior}
    found = ScoreCalibrator("temperature").fit(s, y, **given)
    assert found.alpha_ == pytest.approx(1.0 / 3.0, abs=0.03)
    if kind == "margin" or K == 3:
        return
    np.testing.assert_allclose(found.transform(s), 3.0 * found.alpha_ * (llr[:, 1] - llr[:, 0]), atol=1e-9)


@pytest.mark.parametrize("given", [{"score_type": "margin"}, {"score_prior": 0.5}, {"score_type": "odds"}], ids=str)
def test_the_kind_of_scores_and_their_prior_belong_together(given):
    with pytest.raises(ValueError, match="score_type"):
        ScoreCalibrator("temperature").fit([0.0, 1.0, 2.0], [0, 1, 0], **given)


def test_a_calibrator_is_not_fitted_behind_the_back():
    calibrator = ScoreCalibrator()
    calibration_split([0, 0, 1, 1], [-3.0, 1.0, 0.5, 2.0], calibrator=calibrator)
    assert not hasattr(calibrator, "map_")


BALANCED = {"class_weight": "balanced"}
PRIORS = {
    "plain": (LogisticRegression(), lambda p: p),
    "balanced": (LogisticRegression(**BALANCED), 0.5),
    "ours": (linear.LogisticRegression(**BALANCED), 0.5),
    "ours, a dict": (linear.LogisticRegression(class_weight={1: 3.0}), lambda p: 3.0 * p / (1.0 + 2.0 * p)),
    "ours, a prior": (linear.LogisticRegression(prior=0.3), 0.3),
    "ours, searched": (linear.LogisticRegressionCV(Cs=2, **BALANCED), 0.5),
    "a dict": (LogisticRegression(class_weight={0: 0.5, 1: 1.5}), lambda p: 3.0 * p / (1.0 + 2.0 * p)),
    "forest": (RandomForestClassifier(20, min_samples_leaf=40, random_state=0, **BALANCED), 0.5),
    "subsamples": (RandomForestClassifier(20, random_state=0, class_weight="balanced_subsample"), 0.5),
    "resampled": (ResampledClassifier(LogisticRegression(), RandomOverSampler(random_state=0)), 0.5),
    "resampled and shifted": (
        ResampledClassifier(LogisticRegression(), RandomUnderSampler(random_state=0), prior=0.2),
        0.2,
    ),
    "naive Bayes": (GaussianNB(priors=[0.6, 0.4]), 0.4),
    "discriminant": (LinearDiscriminantAnalysis(priors=[0.6, 0.4]), 0.4),
    "calibrated": (CalibratedScorer(LinearSVC(**BALANCED), prior=0.35), 0.35),
    "decided": (BayesDecisionClassifier(LogisticRegression(), priors=[0.7, 0.3]), 0.3),
    "pipeline": (make_pipeline(StandardScaler(), linear.LogisticRegression(**BALANCED)), 0.5),
    "search": (GridSearchCV(LogisticRegression(**BALANCED), {"C": [1.0]}), 0.5),
    "rejecting": (RejectClassifier(LogisticRegression(**BALANCED), 0.2), 0.5),
    "bag": (BaggingClassifier(linear.LogisticRegression(**BALANCED), 3, random_state=0), 0.5),
    "our bag": (trees.BaggingClassifier(ResampledClassifier(LogisticRegression()), 3, random_state=0), 0.5),
}


@pytest.mark.spec("EVA-059", "EVA-079", "EVA-062")
@pytest.mark.parametrize("frozen", [False, True], ids=["fitted", "frozen"])
@pytest.mark.parametrize("name", PRIORS)
def test_the_prior_that_a_model_learned_under_is_removed(name, frozen):
    (X, y), (new, truth) = rows(0, 4000), rows(1, 4000)
    base, within = PRIORS[name]
    within = within(np.mean(y)) if callable(within) else within
    base = FrozenEstimator(base.fit(X, y)) if frozen else base
    app = Application(0.1)
    tuner = ThresholdTuner(app, estimator=base, method="theoretical").fit(X, y)
    p = tuner.estimator_.predict_proba(new)
    with np.errstate(divide="ignore"):
        expected = logit(p[:, 1]) - logit(within)
    known = np.isfinite(expected)
    np.testing.assert_allclose((tuner.decision_function(new) + tuner.threshold_)[known], expected[known], atol=0.02)
    decided = BayesDecisionClassifier(base, app).fit(X, y)
    np.testing.assert_allclose(decided.class_prior_, [1.0 - within, within], atol=5e-3)
    expected = shift_prior(decided.estimator_.predict_proba(new), decided.class_prior_, [0.9, 0.1])
    np.testing.assert_allclose(decided.predict_proba(new), expected, atol=1e-9)
    # Rejecting all costs 1.
    for model in (tuner, decided):
        assert dcf(truth, model.predict(new), app) < 1.03


@pytest.mark.parametrize("weight", ["balanced", {0: 1.0, 1: 9.0}], ids=str)
@pytest.mark.parametrize("cls", [linear.LogisticRegression, LogisticRegression])
def test_class_weights_are_no_belief_about_rows_to_come(cls, weight):
    X, y = rows(0, 4000)
    costs = [[0.0, 4.0], [1.0, 0.0]]
    plain, weighted = (BayesDecisionClassifier(cls(class_weight=w, C=1e4), costs).fit(X, y) for w in (None, weight))
    np.testing.assert_allclose(weighted.predict_proba(X), plain.predict_proba(X), atol=0.05)
    assert np.mean(weighted.predict(X) == plain.predict(X)) > 0.98
    given = BayesDecisionClassifier(GaussianNB(priors=[0.5, 0.5]), costs).fit(X, y)
    np.testing.assert_array_equal(given.predict_proba(X), given.estimator_.predict_proba(X))


@pytest.mark.parametrize("name", PRIORS)
def test_a_prior_that_was_given_is_meant_and_any_other_is_that_of_the_rows(name):
    X, y = rows(0, 400)
    model, within = PRIORS[name]
    given = ("a prior", "shifted", "naive Bayes", "discriminant", "calibrated", "decided")
    wanted = within if name.endswith(given) else np.mean(y)
    np.testing.assert_allclose(posterior_priors(model.fit(X, y), y).meant, [1.0 - wanted, wanted])


@pytest.mark.parametrize("cls", [svm.SVC, SVC])
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_the_sigmoid_of_a_machine_has_no_class_weights(cls):
    X, y = rows(0, 200)
    model = cls(probability=True, **BALANCED, random_state=0).fit(X, y)
    share = np.mean(y)
    np.testing.assert_allclose(posterior_priors(model, y).within, [1.0 - share, share])


def test_weights_of_rows_are_part_of_the_shares():
    X, y = rows(0, 400)
    w = 1.0 + 3.0 * y * (np.arange(400) % 2)
    model = LogisticRegression().fit(X, y, w)
    np.testing.assert_allclose(posterior_priors(model, y, w).within, np.bincount(y, w) / np.sum(w))
    np.testing.assert_allclose(posterior_priors(model, y, np.where(X[:, 0] > 0, w, 0.0)).within,
                               np.bincount(y, w * (X[:, 0] > 0)) / np.sum(w[X[:, 0] > 0]))  # fmt: skip


class Stubborn(GaussianNB):
    """`predict` does not follow `predict_proba`, as that of SVC(probability=True)."""

    def predict(self, X):
        return np.full(len(X), self.classes_[-1])


@pytest.mark.spec("EVA-065")
@pytest.mark.parametrize("given", [{"cost": 0.55}, {"threshold": 0.45}, {"coverage": 0.8}], ids=str)
def test_a_decided_class_is_the_most_probable_one(given):
    X, y = rows(0, 300, prior=(0.4, 0.3, 0.3))
    model = RejectClassifier(Stubborn(), **given).fit(X, y)
    p = model.predict_proba(X)
    expected = np.where(np.max(p, axis=1) >= model.threshold_ * (1 - 1e-12), np.argmax(p, axis=1), -1)
    np.testing.assert_array_equal(model.predict(X), expected)


@pytest.mark.spec("EVA-065")
@pytest.mark.parametrize("base", [LogisticRegression(), LinearSVC()], ids=str)
@pytest.mark.parametrize(("coverage", "n", "decided"), [(0.1, 80, 8), (0.3, 90, 27), (0.7, 50, 35), (0.125, 84, 11)])
def test_a_coverage_is_the_share_of_left_out_rows_that_are_decided(coverage, n, decided, base):
    X, y = rows(3, n, prior=(0.5, 0.5))
    halves = [(np.arange(n)[i::2], np.arange(n)[1 - i :: 2]) for i in (0, 1)]
    model = RejectClassifier(base, coverage=coverage, cv=halves).fit(X, y)
    sure = []
    for train, test in halves:
        part = type(base)().fit(X[train], y[train])
        margins = np.abs(part.decision_function(X[test]))
        sure.append(np.max(part.predict_proba(X[test]), axis=1) if hasattr(part, "predict_proba") else margins)
    assert np.sum(np.concatenate(sure) >= model.threshold_) == decided


WRAPPERS = {
    "bayes": lambda base: BayesDecisionClassifier(base),
    "bayes with a refusal": lambda base: BayesDecisionClassifier(base, [[0, 1], [1, 0], [0.1, 0.1]]),
    "calibrated": lambda base: CalibratedScorer(base),
    "tuned": lambda base: ThresholdTuner(Application(0.3), estimator=base),
    "rejecting": lambda base: RejectClassifier(base, 0.1, reject_label=-9),
    "rejecting by default": lambda base: RejectClassifier(base, 0.1),
    "conformal": lambda base: ConformalClassifier(base, random_state=0),
    "conformal by class": lambda base: ConformalClassifier(base, by="class", random_state=0),
}
LABELS = {
    "bool": (False, True),
    "str": ("bad", "good"),
    "object": np.array(["bad", "good"], dtype=object),
    "int": (3, 5),
    "float": (0.0, 1.0),
    "sign": (-1, 1),
}


@pytest.mark.parametrize("kind", LABELS)
@pytest.mark.parametrize("name", WRAPPERS)
def test_labels_of_any_kind_are_predicted_and_scored_alike(name, kind):
    X, k = rows(0, 400, prior=(0.6, 0.4))
    labels = np.array(LABELS[kind])
    wrapper = WRAPPERS[name](LogisticRegression())
    if kind == "sign" and name == "rejecting by default":
        with pytest.raises(ValueError, match="reject_label=-1 is one of the classes"):
            wrapper.fit(X, labels[k])
        return
    if kind == "sign" and name == "bayes with a refusal":
        return  # −1 is both a class and a refusal; the user names the actions
    model, coded = wrapper.fit(X, labels[k]), WRAPPERS[name](LogisticRegression()).fit(X, k)
    found, expected = model.predict(X), coded.predict(X)
    refused = ~np.isin(expected, [0, 1])
    np.testing.assert_array_equal(found[~refused], labels[expected[~refused]])
    assert len(np.unique(found[refused].astype(str))) == bool(np.any(refused))
    assert found.dtype.kind != "O" or kind == "object" or (kind == "str" and name == "rejecting")
    if "bayes with" not in name:
        assert model.score(X, labels[k]) == coded.score(X, k)
    if not refused.any():
        np.testing.assert_array_equal(
            cross_val_score(wrapper, X, labels[k], cv=3),
            cross_val_score(WRAPPERS[name](LogisticRegression()), X, k, cv=3),
        )


@pytest.mark.parametrize("name", WRAPPERS)
def test_wrappers_of_words_and_applications_survive_a_file(name, tmp_path):
    X, k = rows(0, 200, prior=(0.6, 0.4))
    model = WRAPPERS[name](LogisticRegression()).fit(X, np.array(LABELS["str"])[k])
    save(model, tmp_path / "model")
    np.testing.assert_array_equal(load(tmp_path / "model").predict(X), model.predict(X))


REGRESSORS = {
    "decision": DecisionRegressor(Ridge(), under=3.0),
    "interval": ConformalRegressor(Ridge(), random_state=0),
}


@pytest.mark.parametrize("name", [*WRAPPERS, *REGRESSORS])
@pytest.mark.parametrize("library", [pd, pl], ids=["pandas", "polars"])
def test_frames_are_tables_and_series_are_targets(name, library):
    X, k = rows(0, 300, prior=(0.6, 0.4))
    make = WRAPPERS.get(name)
    model, twin = (make(LogisticRegression()) if make else REGRESSORS[name] for _ in "ab")
    y = k if make else X[:, 0] + k
    frame = library.DataFrame({"a": X[:, 0], "b": X[:, 1]})
    series = library.Series(y)
    expected = model.fit(X, y).predict(X)
    np.testing.assert_allclose(twin.fit(frame, series).predict(frame), expected, rtol=1e-9, atol=1e-12)
    assert twin.feature_names_in_.tolist() == ["a", "b"]


@pytest.mark.parametrize("method", ["split", "cross", "jackknife+"])
@pytest.mark.parametrize("model", [ConformalClassifier(LogisticRegression()), ConformalRegressor(Ridge())])
def test_one_row_cannot_be_left_out(model, method):
    model = clone(model).set_params(method=method)
    X, y = np.arange(3.0)[:, None], np.array([0, 1, 1])
    for given in ((X[:1], y[:1]), (X, y, np.array([1.0, 0.0, 0.0]))):
        with pytest.raises(ValueError, match=f"method='{re.escape(method)}' fits to some rows.* n_samples=1 of"):
            model.fit(*given)


@pytest.mark.filterwarnings("ignore:The least populated class")
def test_classes_too_rare_to_be_left_out_are_named():
    X, y = rows(0, 60, prior=(0.6, 0.4))
    y[0] = 2
    with pytest.raises(ValueError, match=r"calibration_size=0\.25 cannot divide n_samples=60 with rows of each of 3"):
        ConformalClassifier(GaussianNB(), by="class").fit(X, y)
    for base in (GaussianNB(), LogisticRegression()):
        with pytest.raises(ValueError, match=r"cv=5 has a fold with all rows of the class\(es\) \[2\]"):
            CalibratedScorer(base).fit(X, y)
    X, y = X[1:], y[1:]
    halves = [np.flatnonzero(y == k) for k in (0, 1)]
    with pytest.raises(ValueError, match=r"has a fold with all rows of the class\(es\) \[0\]"):
        ThresholdTuner(estimator=GaussianNB(), cv=[halves[::-1], halves]).fit(X, y)


def test_rows_that_are_no_scores_are_refused_in_a_sentence():
    y = [0, 1, 0, 1]
    with pytest.raises(TypeError, match=r"X is a sparse matrix of shape \(4, 1\); without an estimator"):
        ThresholdTuner().fit(sparse.csr_array(np.arange(4.0)[:, None]), y)
    with pytest.raises((TypeError, ValueError), match="scores contains NaN in 1 of 4 rows"):
        ThresholdTuner().fit(pd.Series([1, 2, None, 4], dtype="Int64"), y)
    with pytest.raises(TypeError, match="scores") as caught:
        ScoreCalibrator().fit(np.full((500, 2), "a"), [0, 1] * 250)
    assert len(str(caught.value)) < 200
