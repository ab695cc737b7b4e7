"""Laws of anomaly detection: thresholds, splits, levels, and what bad input gives."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.base import clone
from sklearn.ensemble import IsolationForest
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import (
    average_precision_score,
    balanced_accuracy_score,
    confusion_matrix,
    f1_score,
    fbeta_score,
    roc_auc_score,
)
from sklearn.model_selection import PredefinedSplit
from sklearn.neighbors import KernelDensity
from sklearn.pipeline import make_pipeline

import gnomon.anomaly
from gnomon.anomaly import (
    CentroidDistanceDetector,
    DensityDetector,
    GaussianDetector,
    LogShift,
    MahalanobisDetector,
    NestedContours,
    TunedDetector,
    anomaly_split,
    evaluate_detectors,
    gaussianity_report,
    select_threshold,
)
from gnomon.datasets import make_account_activity, make_datacenter, make_engines
from gnomon.distributions import KDE, Histogram, MultivariateNormal, Normal, Poisson, Product, sample_density
from gnomon.generative import GaussianMixture, GenerativeClassifier, LinearDiscriminantAnalysis
from gnomon.numerics.curves import threshold_curve

RNG = np.random.default_rng(5)
ROWS = RNG.multivariate_normal([1.0, -2.0, 0.5], np.array([[2, 0.8, 0], [0.8, 1, 0.3], [0, 0.3, 0.5]]), size=400)
NEW = 3.0 * RNG.normal(size=(300, 3))

DENSITIES = {
    "multivariate normal": MultivariateNormal,
    "normal columns": Normal,
    "histograms": Product.family(models=Histogram),
    "kernel density": KDE,
    "scikit-learn's kernel density": KernelDensity(),
    "mixture": GaussianMixture(2, random_state=0),
    "unbiased": MultivariateNormal.family(ddof=1),
}
DETECTORS = {
    "gaussian": GaussianDetector(),
    "diagonal": GaussianDetector("diag"),
    "mahalanobis": MahalanobisDetector(),
    "centroids": CentroidDistanceDetector(3, random_state=0),
    **{name: DensityDetector(density, random_state=0) for name, density in DENSITIES.items()},
}


@pytest.fixture(params=DETECTORS)
def detector(request):
    return clone(DETECTORS[request.param])


@pytest.mark.spec("GEN-089", "GEN-092")
def test_scores_offsets_decisions_and_verdicts_fit_together(detector):
    detector.set_params(contamination=0.1).fit(ROWS)
    scores = detector.score_samples(NEW)
    np.testing.assert_allclose(detector.decision_function(NEW), scores - detector.offset_)
    assert np.array_equal(detector.predict(NEW), np.where(scores < detector.offset_, -1, 1))
    assert set(detector.fit_predict(ROWS)) == {-1, 1}


@pytest.mark.spec("GEN-089", "GEN-091")
@pytest.mark.parametrize("name", DENSITIES)
def test_equality_is_an_anomaly_unless_asked_otherwise(name):
    fitted = DensityDetector(DENSITIES[name], contamination=0.1).fit(ROWS)
    for x in ROWS[:5]:
        p = float(fitted.score_samples(x[None])[0])
        for tie, verdict in (("anomaly", -1), ("normal", 1)):
            at = DensityDetector(DENSITIES[name], log_epsilon=p, tie=tie).fit(ROWS)
            assert at.predict(x[None])[0] == verdict, (name, tie)


@pytest.mark.spec("GEN-089")
def test_epsilon_on_either_scale_is_the_same_threshold_and_zero_flags_impossible_rows_only():
    plain, logs = (GaussianDetector(**one).fit(ROWS) for one in ({"epsilon": 1e-4}, {"log_epsilon": np.log(1e-4)}))
    assert plain.offset_ == logs.offset_
    histogram = DensityDetector(Product.family(models=Histogram.family(tails="zero")), epsilon=0.0).fit(ROWS)
    assert histogram.predict([ROWS[0], 1e3 * np.ones(3)]).tolist() == [1, -1]
    assert GaussianDetector(epsilon=0.0).fit(ROWS).predict(1e6 * np.ones((1, 3))).tolist() == [1]
    assert GaussianDetector().fit(1e-3 * ROWS).score_samples(1e-3 * ROWS[:1])[0] > 0.0


@pytest.mark.spec("GEN-091")
def test_evidence_of_a_fitted_generative_classifier_is_a_density():
    y = (ROWS[:, 0] > 1.0).astype(int)
    classifier = GenerativeClassifier(MultivariateNormal).fit(ROWS, y)
    detector = DensityDetector(FrozenEstimator(classifier), level=0.9, random_state=0).fit(ROWS)
    np.testing.assert_allclose(detector.score_samples(NEW), classifier.score_samples(NEW))
    assert detector.predict([[50.0, 50.0, 50.0]])[0] == -1


@pytest.mark.spec("GEN-L47", "GEN-089")
def test_what_is_flagged_never_shrinks_as_epsilon_grows_and_maps_of_scores_change_nothing(detector):
    scores, y = detector.fit(ROWS).score_samples(NEW), (np.arange(len(NEW)) % 4 == 0).astype(int)
    curve = threshold_curve(-scores, y)
    assert np.all(np.diff(curve.tpr) >= 0.0)
    assert np.all(np.diff(curve.fpr) >= 0.0)
    mapped = threshold_curve(-(np.unique(scores, return_inverse=True)[1].astype(float) ** 3), y)
    assert np.array_equal(curve.tp, mapped.tp)
    assert np.array_equal(curve.fp, mapped.fp)
    for end in np.quantile(scores, (0.1, 0.5, 0.9)):
        assert np.array_equal(detector.set_threshold(end).predict(NEW) == -1, scores <= end)
    plain, stretched = select_threshold(scores, y), select_threshold(8.0 * scores, y)
    assert plain.value == pytest.approx(f1_score(y, scores <= plain.threshold))
    assert stretched.threshold == 8.0 * plain.threshold
    assert stretched.value == plain.value


@pytest.mark.spec("GEN-096", "GEN-L47")
def test_the_sweep_agrees_with_scikit_learn_and_with_counting():
    scores, y = np.round(RNG.normal(size=200), 1), RNG.integers(0, 2, 200)
    weights = RNG.integers(1, 4, 200)
    curve, repeated = threshold_curve(scores, y, weights), threshold_curve(scores.repeat(weights), y.repeat(weights))
    assert curve.roc_auc == pytest.approx(roc_auc_score(y, scores, sample_weight=weights))
    assert curve.average_precision == pytest.approx(average_precision_score(y, scores, sample_weight=weights))
    np.testing.assert_array_equal(curve.tp, repeated.tp)
    plain = threshold_curve(scores, y)
    for i in (0, 3, len(plain) - 1):
        flagged = scores >= plain.thresholds[i]
        counts = [[plain.tn[i], plain.fp[i]], [plain.fn[i], plain.tp[i]]]
        assert np.array_equal(counts, confusion_matrix(y, flagged))
        assert plain.f_beta()[i] == pytest.approx(f1_score(y, flagged, zero_division=0.0))
    between = plain.at([0.05, 99.0, -99.0])
    assert between.tp.tolist() == [np.sum((scores >= 0.05) & (y == 1)), 0, y.sum()]


@pytest.mark.spec("GEN-096")
def test_ties_go_to_the_smallest_epsilon_and_midpoints_flag_the_same_rows():
    scores, y = np.array([-1.0, -2.0, -4.0, -8.0]), np.array([0, 1, 0, 1])
    at = select_threshold(scores, y, balanced_accuracy_score)
    assert (at.threshold, at.value) == (-8.0, 0.75)
    middle = select_threshold(scores, y, balanced_accuracy_score, placement="midpoint")
    assert middle.threshold == -6.0
    assert np.array_equal(scores <= middle.threshold, scores <= at.threshold)
    useless = select_threshold([-1.0, -2.0], [1, 0], lambda truth, flagged: -float(np.sum(flagged)))
    assert useless.threshold == -np.inf


@pytest.mark.spec("GEN-096")
def test_impossible_rows_are_flagged_by_every_threshold():
    choice = select_threshold([-np.inf, -1.0, -np.inf], [1, 0, 1])
    assert (choice.threshold, choice.value) == (-np.inf, 1.0)
    assert choice.thresholds.tolist() == [-np.inf, -1.0]


@pytest.mark.spec("GEN-L48", "GEN-097")
@pytest.mark.parametrize("name", DENSITIES)
@pytest.mark.parametrize("columns", [1, 3])
def test_a_level_holds_its_probability(name, columns):
    detector = DensityDetector(DENSITIES[name], level=0.9, n_draws=4000, random_state=1).fit(ROWS[:, :columns])
    n = 4000
    fresh = sample_density(detector.density_, n, np.random.default_rng(2))
    # Both the threshold and the share have an error of draws.
    error = 3.0 * np.sqrt(2.0 * 0.1 * 0.9 / n)
    assert abs(np.mean(detector.predict(fresh) == -1) - 0.1) < error


@pytest.mark.spec("GEN-L48", "GEN-097")
@pytest.mark.parametrize("share", [0.0, 0.003, 0.1, 0.29, 0.5])
def test_contamination_is_the_share_of_training_rows_flagged(detector, share):
    flagged = np.sum(detector.set_params(contamination=share).fit(ROWS[:100]).predict(ROWS[:100]) == -1)
    scores = detector.score_samples(ROWS[:100])
    if len(np.unique(scores)) == 100:
        assert flagged in (np.floor(round(100 * share, 9)), np.ceil(100 * share))
    else:
        assert flagged <= np.ceil(100 * share)


@pytest.mark.spec("GEN-098", "GEN-L48")
@pytest.mark.parametrize("name", DENSITIES)
def test_nested_levels_give_nested_regions(name):
    contours = NestedContours(DENSITIES[name], (0.99, 0.5, 0.8), random_state=0).fit(ROWS)
    held = contours.contains(NEW)
    assert contours.levels_.tolist() == [0.5, 0.8, 0.99]
    assert np.all(held[:, :-1] <= held[:, 1:])
    assert np.array_equal(contours.region_index(NEW), 3 - held.sum(axis=1))
    single = DensityDetector(DENSITIES[name], level=0.8, random_state=0).fit(ROWS)
    assert single.log_epsilon_ == pytest.approx(contours.log_epsilons_[1])


@pytest.mark.spec("GEN-L49", "GEN-099")
@pytest.mark.parametrize(
    ("good", "bad", "train", "validation"), [(50, 2, 0.6, 0.5), (3, 2, 0.9, 0.1), (501, 37, 0.3, 0.7)]
)
def test_a_split_is_disjoint_exhaustive_and_fits_no_bad_row(good, bad, train, validation):
    y = np.random.default_rng(0).permutation(np.repeat([0, 1], [good, bad]))
    parts = anomaly_split(y, train_fraction=train, validation_fraction=validation, random_state=1)
    assert np.array_equal(np.sort(np.concatenate(parts)), np.arange(good + bad))
    assert not y[parts.train].any()
    assert all(y[part].any() and not y[part].all() for part in (parts.validation, parts.test))
    again = anomaly_split(y, train_fraction=train, validation_fraction=validation, random_state=1)
    assert all(np.array_equal(a, b) for a, b in zip(parts, again, strict=True))


@pytest.mark.spec("GEN-L52", "GEN-100")
def test_calling_everything_good_is_accurate_and_finds_nothing():
    y = np.repeat([0, 1], [990, 10])
    nothing = threshold_curve(np.zeros(1000), y)[[0]]
    assert nothing.accuracy[0] == np.mean(y == 0)
    assert nothing.f_beta()[0] == 0.0


@pytest.mark.spec("GEN-L52", "GEN-102")
def test_classifiers_overtake_detectors_as_bad_rows_become_many():
    def bad_rows(n, rng):
        """Rows of two kinds, each far out along a column of its own."""
        return rng.normal(2.5 * np.eye(6)[rng.integers(0, 2, n)])

    def skill(scores):
        return roc_auc_score(np.repeat([0, 1], 1000), scores)

    rng = np.random.default_rng(0)
    test, good = np.r_[rng.normal(size=(1000, 6)), bad_rows(1000, rng)], rng.normal(size=(300, 6))
    detector = skill(-GaussianDetector().fit(good).score_samples(test))
    classifier = []
    for n in (1, 4, 30, 300):
        rows = [np.r_[good, bad_rows(n, np.random.default_rng(seed))] for seed in range(12)]
        fits = [LinearDiscriminantAnalysis().fit(X, np.repeat([0, 1], [300, n])) for X in rows]
        classifier.append(np.mean([skill(fit.decision_function(test)) for fit in fits]))
    # A lone bad row is of one kind and says nothing of the other; many say where both are, which no detector knows.
    assert np.all(np.diff(classifier) > 0.0)
    assert classifier[0] < detector - 0.1
    assert classifier[-1] > detector + 0.05


@pytest.mark.spec("GEN-102")
def test_a_kind_never_seen_is_found_by_the_detector_and_not_by_the_classifier():
    rng = np.random.default_rng(0)
    good, seen, unseen = rng.normal(size=(1000, 2)), rng.normal(4.0, 0.5, (5, 2)), rng.normal(-5.0, 0.5, (200, 2))
    classifier = LogisticRegression().fit(np.r_[good, seen], np.repeat([0, 1], [1000, 5]))
    assert np.mean(classifier.predict(unseen)) == 0.0
    assert np.mean(GaussianDetector(level=0.999).fit(good).predict(unseen) == -1) > 0.95
    assert "Detector or classifier?" in gnomon.anomaly.__doc__


@pytest.mark.spec("GEN-096")
def test_tuned_detectors_fit_good_rows_only_and_average_the_metric_over_folds():
    X, y = make_engines(400, 20, random_state=0)
    tuned = TunedDetector(GaussianDetector(), cv=4).fit(X, y)
    assert np.array_equal(tuned.detector_.location_, GaussianDetector().fit(X[y == 0]).location_)
    assert f1_score(y, tuned.predict(X) == -1) > 0.9
    fold = np.where(np.arange(len(y)) % 2 == 0, 0, -1)
    single = TunedDetector(GaussianDetector(), cv=PredefinedSplit(fold)).fit(X, y)
    held_out, train = fold == 0, (fold == -1) & (y == 0)
    choice = select_threshold(GaussianDetector().fit(X[train]).score_samples(X[held_out]), y[held_out])
    assert (single.threshold_, single.value_) == (choice.threshold, choice.value)
    counted = TunedDetector(GaussianDetector(), cv=PredefinedSplit(fold), metric=f1_score).fit(X, y)
    assert counted.threshold_ == single.threshold_


@pytest.mark.spec("GEN-096")
def test_tuned_detectors_take_any_detector_labels_or_none():
    X, y = make_engines(200, 20, random_state=0)
    names = np.where(y == 1, "faulty", "fine")
    forest = IsolationForest(n_estimators=20, random_state=0)
    tuned = TunedDetector(forest, cv=3, metric="fbeta", beta=2.0, anomaly_label="faulty").fit(X, names)
    assert tuned.value_ > 0.5
    bare = TunedDetector(GaussianDetector(level=0.9)).fit(X)
    assert np.array_equal(bare.predict(X), GaussianDetector(level=0.9).fit(X).predict(X))
    with pytest.raises(ValueError, match="cv=5 folds need an anomalous row each and y has 2"):
        TunedDetector().fit(X[:100], np.repeat([0, 1], [98, 2]))


@pytest.mark.spec("GEN-100", "GEN-101")
def test_the_protocol_fits_on_train_chooses_on_validation_and_looks_at_test_once():
    X, y = make_account_activity(1500, 30, random_state=0)
    logs = make_pipeline(LogShift(k=1.0), GaussianDetector("diag"))
    compared = evaluate_detectors({"raw": GaussianDetector("diag"), "logs": logs}, X, y, random_state=0)
    best, split = compared.best, compared.split
    assert compared.scores[0].validation > compared.scores[1].validation
    fitted = clone({"raw": GaussianDetector("diag"), "logs": logs}[best.name]).fit(X[split.train])
    choice = select_threshold(fitted.score_samples(X[split.validation]), y[split.validation])
    flagged = fitted.score_samples(X[split.test]) <= choice.threshold
    assert best.threshold == choice.threshold
    assert best.test == pytest.approx(f1_score(y[split.test], flagged))
    (tn, fp), (fn, tp) = confusion_matrix(y[split.test], flagged)
    assert np.allclose(
        [best.tpr, best.fpr, best.tnr, best.fnr], [tp / (tp + fn), fp / (fp + tn), tn / (fp + tn), fn / (tp + fn)]
    )
    assert (best.recall, best.accuracy) == pytest.approx((best.tpr, (tp + tn) / len(flagged)))
    assert (best.base_rate, best.all_good_accuracy) == pytest.approx(
        (np.mean(y[split.test]), np.mean(y[split.test] == 0))
    )
    assert best.roc_auc == pytest.approx(roc_auc_score(y[split.test], -fitted.score_samples(X[split.test])))
    noise = np.random.default_rng(0).normal(size=X.shape)
    drawn = evaluate_detectors([GaussianDetector()], noise, y, beta=2.0, split=split).best
    odd, rare = -drawn.detector.score_samples(noise[split.test]), y[split.test]
    flagged = odd >= -drawn.threshold
    assert (drawn.roc_auc, drawn.pr_auc) == pytest.approx(
        (roc_auc_score(rare, odd), average_precision_score(rare, odd))
    )
    assert drawn.precision == pytest.approx(np.mean(rare[flagged]))
    assert drawn.f_beta == pytest.approx(fbeta_score(rare, flagged, beta=2.0))
    careful = evaluate_detectors([logs], X, y, metric="fbeta", beta=4.0, split=split).best
    scores = careful.detector.score_samples(X[split.validation])
    assert careful.validation == select_threshold(scores, y[split.validation], "fbeta", 4.0).value
    assert careful.test == careful.f_beta
    assert len(pd.DataFrame(compared.table())) == 2
    assert "calling every test row good" in str(compared)


@pytest.mark.spec("GEN-101")
@pytest.mark.parametrize("make", [make_engines, make_account_activity, make_datacenter])
def test_planted_anomalies_can_be_found(make):
    X, y = make(800, 24, random_state=3)
    again = make(800, 24, random_state=3)
    assert np.array_equal(X, again[0])
    assert (len(y), y.sum()) == (824, 24)
    logs = make_pipeline(LogShift(k=1.0, on_domain="flag"), GaussianDetector())
    assert evaluate_detectors([logs], X, y, random_state=0).best.test > 0.7


@pytest.mark.spec("GEN-092")
def test_rows_that_fit_no_cluster_are_far_from_every_centre():
    rng = np.random.default_rng(0)
    centres = np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]])
    X = np.concatenate([centre + rng.normal(size=(100, 2)) for centre in centres])
    detector = CentroidDistanceDetector(3, contamination=0.01, random_state=0).fit(X)
    np.testing.assert_allclose(
        detector.score_samples(X), -np.min(np.linalg.norm(X[:, None] - detector.centers_, axis=2), axis=1)
    )
    between = [[5.0, 5.0]]
    assert detector.predict(between)[0] == -1
    assert GaussianDetector(level=0.9).fit(X).predict(between)[0] == 1


@pytest.mark.spec("GEN-090", "GEN-089")
@pytest.mark.parametrize("name", ["gaussian", "diagonal", "mahalanobis", "multivariate normal", "normal columns"])
def test_a_weight_of_two_is_the_row_twice(name):
    weights = np.arange(len(ROWS)) % 3
    for options in ({}, {"contamination": 0.07}):
        weighted = clone(DETECTORS[name]).set_params(**options).fit(ROWS, sample_weight=weights)
        repeated = clone(DETECTORS[name]).set_params(**options).fit(ROWS.repeat(weights, axis=0))
        np.testing.assert_allclose(weighted.decision_function(NEW), repeated.decision_function(NEW), atol=1e-9)


@pytest.mark.spec("GEN-090", "GEN-092")
@pytest.mark.parametrize(
    "detector", [GaussianDetector(), GaussianDetector("diag", 1), MahalanobisDetector(shrinkage="oas")]
)
def test_batches_give_what_all_rows_give(detector):
    whole, batches = clone(detector).fit(ROWS), clone(detector)
    for part in np.array_split(ROWS, [9, 90, 91]):
        batches.partial_fit(part)
    np.testing.assert_allclose(batches.decision_function(NEW), whole.decision_function(NEW), rtol=1e-9)
    with pytest.raises(ValueError, match="need all rows at once"):
        clone(detector).set_params(contamination=0.1).partial_fit(ROWS)


@pytest.mark.spec("GEN-090")
def test_a_detector_of_too_few_batches_is_not_fitted():
    with pytest.raises(NotFittedError):
        GaussianDetector().partial_fit(ROWS[:2]).predict(ROWS)


@pytest.mark.spec("GEN-097")
def test_a_level_of_a_discrete_law_holds_at_least_its_probability():
    counts = np.random.default_rng(0).poisson(2.0, (500, 1)).astype(float)
    detector = DensityDetector(Poisson, level=0.9, random_state=0).fit(counts)
    probability = stats.poisson.pmf(np.arange(40), counts.mean())
    flagged = detector.predict(np.arange(40.0)[:, None]) == -1
    assert 0.0 < probability[flagged].sum() <= 0.11


@pytest.mark.spec("GEN-090")
def test_too_few_rows_for_a_full_covariance_are_refused_with_the_remedies():
    wide = RNG.normal(size=(5, 8))
    with pytest.raises(ValueError, match="N=5 rows are too few for a full covariance of d=8"):
        GaussianDetector().fit(wide)
    for shrinkage in (0.1, "ledoit_wolf", "oas"):
        with pytest.warns(UserWarning, match="the regularisation decides"):
            fitted = GaussianDetector(shrinkage=shrinkage).fit(wide)
        assert np.all(np.isfinite(fitted.score_samples(wide)))
    assert np.all(np.isfinite(GaussianDetector("diag").fit(wide).score_samples(wide)))
    twin = np.c_[ROWS, ROWS[:, 0]]
    with pytest.raises(ValueError, match="combinations of others"):
        GaussianDetector().fit(np.round(twin))
    frame = pd.DataFrame(ROWS, columns=["a", "b", "c"]).assign(c=7.1)
    with pytest.raises(ValueError, match="columns \\['c'\\] of X are constant"):
        GaussianDetector("diag").fit(frame)
    assert GaussianDetector("diag", shrinkage=0.01).fit(frame).predict(frame).shape == (400,)


@pytest.mark.spec("GEN-089")
@pytest.mark.parametrize("scale", [1e-140, 1.0, 1e140])
def test_scale_and_type_and_layout_do_not_matter(scale):
    base = MahalanobisDetector().fit(ROWS)
    np.testing.assert_allclose(
        MahalanobisDetector().fit(scale * ROWS).mahalanobis(scale * NEW), base.mahalanobis(NEW), rtol=1e-6
    )
    single = MahalanobisDetector().fit(ROWS.astype(np.float32)).mahalanobis(NEW.astype(np.float32))
    np.testing.assert_allclose(single, base.mahalanobis(NEW), rtol=1e-3)
    fixed = np.asfortranarray(NEW)
    fixed.flags.writeable = False
    np.testing.assert_allclose(base.mahalanobis(fixed), base.mahalanobis(NEW))


@pytest.mark.spec("GEN-089", "GEN-096", "GEN-099")
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: GaussianDetector(epsilon=0.1, contamination=0.1).fit(ROWS), "exclude each other"),
        (lambda: GaussianDetector(epsilon=-1.0).fit(ROWS), "epsilon=-1.0"),
        (lambda: GaussianDetector(level=1.5).fit(ROWS), "level=1.5"),
        (lambda: GaussianDetector(contamination=1.0).fit(ROWS), "contamination=1.0"),
        (lambda: GaussianDetector(tie="maybe").fit(ROWS), "tie='maybe'"),
        (lambda: GaussianDetector("tied").fit(ROWS), "covariance_type='tied'"),
        (lambda: DensityDetector(density=3).fit(ROWS), "density=3"),
        (lambda: NestedContours(levels=()).fit(ROWS), "at least one"),
        (lambda: select_threshold([-1.0, -2.0], [0, 0]), "0 anomalous rows"),
        (lambda: select_threshold([-1.0, -2.0], [-1, 1]), "labels \\[-1, 1\\]"),
        (lambda: select_threshold([np.nan, -2.0], [0, 1]), "scores contains NaN"),
        (lambda: select_threshold([-1.0], [0, 1]), "y has shape"),
        (lambda: anomaly_split([0] * 9 + [1]), "1 anomalous rows"),
        (lambda: anomaly_split([0, 0, 1, 1]), "2 good rows"),
        (lambda: evaluate_detectors({}, ROWS, np.arange(400) < 9), "detectors is empty"),
        (lambda: GaussianDetector().fit(np.where(ROWS > 2, np.nan, ROWS)), "contains NaN in column"),
        (lambda: CentroidDistanceDetector(500).fit(ROWS), "n_samples=400"),
        (lambda: gaussianity_report(np.full((9, 2), np.nan)), "contains NaN"),
    ],
)  # fmt: skip
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.spec("GEN-097")
def test_a_density_that_cannot_be_sampled_asks_for_another_threshold():
    class Scores:
        def fit(self, X, sample_weight=None):
            return self

        def score_samples(self, X):
            return -np.sum(np.asarray(X) ** 2, axis=1)

    with pytest.raises(ValueError, match="has no sample; give contamination="):
        DensityDetector(Scores()).fit(ROWS)
    assert np.sum(DensityDetector(Scores(), contamination=0.05).fit(ROWS).predict(ROWS) == -1) == 20


def test_a_beta_that_the_metric_does_not_read_is_refused():
    scores, y = [-2.0, -2.5, -9.0, -12.0], [0, 0, 1, 1]
    for metric in ("f1", balanced_accuracy_score):
        with pytest.raises(ValueError, match=r"beta=2.0 is for metric='fbeta'"):
            select_threshold(scores, y, metric, beta=2.0)
    X = np.array([[0.0], [0.1], [-0.1], [0.2], [-0.2], [0.05], [9.0], [8.0]])
    with pytest.raises(ValueError, match=r"beta=0.5 is for metric='fbeta'"):
        TunedDetector(cv=2, beta=0.5).fit(X, [0] * 6 + [1] * 2)
    with pytest.raises(ValueError, match="beta=0 "):
        select_threshold(scores, y, "fbeta", beta=0)
