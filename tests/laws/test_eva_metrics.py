"""Laws of metrics and curves."""

import warnings
from typing import get_args

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import is_classifier
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression as TheirLogistic
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC as TheirSVC

import public_names
from gnomon.base.scores import ScoreType, binary_scores, score_type
from gnomon.evaluation import (
    RandomClassifier,
    brier_decomposition,
    calibration_error,
    confusion_matrix,
    cost_curve,
    cost_ratio_curve,
    cross_entropy,
    curve_band,
    dominates,
    eer,
    entropy,
    error_curves,
    expected_calibration_error,
    kl_divergence,
    mcnemar,
    metric_interval,
    operating_point,
    pr_area,
    rates,
    reliability,
    score_curve,
)
from gnomon.generative import GaussianNB
from gnomon.linear import Perceptron
from gnomon.trees import RandomForestClassifier
from many_checks import over
from threshold_rule import ThresholdRule


def tied_scores(n, rng, levels=6, separation=1.0):
    """Labels of both classes, and scores with many ties and both infinities."""
    y = np.concatenate([[0, 1], rng.integers(0, 2, n - 2)])
    s = np.round(rng.normal(separation * y) * levels / 6)
    s[rng.random(n) < 0.05] = np.inf
    s[rng.random(n) < 0.05] = -np.inf
    return y, s


SCORED = {
    "error_curves": lambda y, s, **more: np.concatenate(error_curves(y, s, **more)),
    "score_curve": lambda y, s, **more: np.concatenate([(c := score_curve(y, s, **more)).tpr, c.precision]),
    "eer": lambda y, s, **more: eer(y, s, **more),
    "eer step": lambda y, s, **more: eer(y, s, method="step", **more),
    "eer rocch": lambda y, s, **more: eer(y, s, method="rocch", **more),
    "pr_area": lambda y, s, **more: pr_area(y, s, **more),
    "operating_point": lambda y, s, **more: operating_point(y, s, **more)[:5],
    "cost_curve": lambda y, s, **more: np.concatenate([(c := cost_curve(y, s, **more)).x, c.cost]),
    "curve_band": lambda y, s, **more: curve_band(y, s, n_resamples=20, random_state=0, **more).y,
    "roc_auc": lambda y, s, **more: metric_interval("roc_auc", y, s, method="delong", **more)[:1],
}
scored = pytest.mark.parametrize("function", SCORED.values(), ids=SCORED)


@pytest.mark.spec("EVA-L17", "EVA-037")
def test_layouts_of_a_confusion_matrix():
    rng = np.random.default_rng(0)
    y, called = rng.choice(["a", "b", "c"], 60), rng.choice(["a", "b", "c", "reject"], 60)
    true, predicted = (confusion_matrix(y, called, rows=rows) for rows in ("true", "predicted"))
    np.testing.assert_array_equal(true.values, predicted.values.T)
    assert true.axes == predicted.axes[::-1] == ("true", "predicted")
    for matrix in (true, predicted):
        np.testing.assert_array_equal(matrix.true_totals, true.values.sum(axis=1))
        np.testing.assert_array_equal(matrix.predicted_totals, true.values.sum(axis=0))
    np.testing.assert_array_equal(true.values.sum(axis=1), [np.sum(y == k) for k in "abc"])
    np.testing.assert_array_equal(true.values.sum(axis=0), [np.sum(called == k) for k in true.actions])
    assert true.actions.tolist() == ["a", "b", "c", "reject"]
    assert predicted.values.shape == (4, 3)
    found = rates(y, called)
    np.testing.assert_allclose(found.tpr + found.fnr, 1)
    np.testing.assert_allclose(found.fpr + found.tnr, 1)
    for how, axis in (("true", 1), ("pred", 0), ("all", None)):
        share = confusion_matrix(y, called, normalize=how)
        np.testing.assert_allclose(share.values.sum(axis=axis), 1)
        low, high = share.interval()
        assert np.all((low <= share.values) & (share.values <= high))
        np.testing.assert_array_equal(share.true_totals, true.true_totals)
    low, high = true.interval()
    assert np.all((low <= true.values) & (true.values <= high) & (high <= 60))


@pytest.mark.spec("EVA-L18", "EVA-039")
def test_f_lies_between_precision_and_recall():
    rng = np.random.default_rng(0)
    tp, fp, fn = rng.integers(1, 50, (3, 200)).astype(float)
    for a, b, c in zip(tp, fp, fn, strict=True):
        row = rates([1, 0, 1, 0], [1, 1, 0, 0], sample_weight=[a, b, c, 9]).of(1)
        P, R, F = row.precision, row.tpr, row.f_beta
        assert min(P, R) - 1e-12 <= F <= min(max(P, R), 2 * min(P, R)) + 1e-12
        assert pytest.approx(2 * P * R / (P + R)) == F == pytest.approx(2 * a / (2 * a + b + c))


@pytest.mark.spec("EVA-039")
def test_undefined_rates_are_said():
    with pytest.warns(UndefinedMetricWarning, match="precision"):
        assert np.isnan(rates([0, 1], [0, 0]).of(1).precision)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert rates([0, 1], [0, 0], zero_division=0).of(1).precision == 0
        assert rates([0, 1, 1], [0, 0, 0], zero_division=np.nan).average("macro").precision == pytest.approx(1 / 3)
    with pytest.raises(ValueError, match="zero_division"):
        rates([0, 1], [0, 0], zero_division="ignore")


@pytest.mark.spec("EVA-L19", "EVA-042")
def test_error_curves_are_monotone_and_complete():
    rng = np.random.default_rng(0)
    for _ in range(30):
        y, s = tied_scores(25, rng)
        curves = error_curves(y, s)
        m = len(np.unique(s))
        assert len(curves.thresholds) == m + 1
        np.testing.assert_array_equal(curves.thresholds, [-np.inf, *np.unique(s)])
        assert np.all(np.diff(curves.fpr) <= 0)
        assert np.all(np.diff(curves.fnr) >= 0)
        assert [curves.fpr[0], curves.fnr[0], curves.fpr[-1], curves.fnr[-1]] == [1, 0, 0, 1]
        # By definition; the first −∞ stands for "call every row positive".
        for t, fpr, fnr in list(zip(*curves, strict=True))[1:]:
            assert fpr == pytest.approx(np.mean(s[y == 0] > t))
            assert fnr == pytest.approx(np.mean(s[y == 1] <= t))
        at_least = error_curves(y, s, tie="positive")
        np.testing.assert_array_equal(at_least.thresholds, [*np.unique(s), np.inf])
        np.testing.assert_array_equal(at_least.fpr, curves.fpr)


@pytest.mark.spec("EVA-L19", "EVA-042")
@scored
def test_curves_depend_neither_on_order_nor_on_how_weight_is_split(function):
    y, s = tied_scores(40, np.random.default_rng(1))
    w = np.random.default_rng(2).integers(0, 4, 40)
    order = np.random.default_rng(3).permutation(40)
    expected = function(np.repeat(y, w), np.repeat(s, w))
    np.testing.assert_allclose(function(y, s, sample_weight=w), expected, atol=1e-12)
    np.testing.assert_allclose(function(y[order], s[order], sample_weight=w[order]), expected, atol=1e-12)
    if function is not SCORED["roc_auc"]:
        np.testing.assert_allclose(
            function(np.r_[y, y], np.r_[s, s], sample_weight=np.r_[w, w] / 2), expected, atol=1e-12
        )


@pytest.mark.spec("EVA-L20", "EVA-044")
def test_auc_is_the_statistic_of_mann_and_whitney():
    rng = np.random.default_rng(0)
    for _ in range(30):
        y, s = tied_scores(30, rng)
        T, F = s[y == 1][:, None], s[y == 0]
        expected = np.mean(T > F) + 0.5 * np.mean(T == F)
        assert score_curve(y, s).roc_auc == pytest.approx(expected)
        assert score_curve(y, -s).roc_auc == pytest.approx(1 - expected)
        assert metric_interval("roc_auc", y, s, method="delong").value == pytest.approx(expected)
    random = [score_curve(np.arange(50) % 2, rng.random(50)).roc_auc for _ in range(400)]
    assert abs(np.mean(random) - 0.5) < 4 * np.std(random) / 20


@pytest.mark.spec("EVA-L20", "EVA-040")
@pytest.mark.parametrize("p", [0.0, 0.2, 0.9, 1.0])
def test_a_random_classifier_is_on_the_diagonal(p):
    y = np.arange(20_000) % 5 == 0
    X = np.zeros((len(y), 1))
    row = rates(y, RandomClassifier(p, random_state=0).fit(X, y).predict(X), zero_division=0).of(True)
    for rate, n in ((row.tpr, 4000), (row.fpr, 16_000)):
        assert abs(rate - p) <= 4 * np.sqrt(p * (1 - p) / n)
    weighed = RandomClassifier().fit(X[:6], list("abcabc"), [1.0, 2.0, 0.0, 0.5, 0.0, 0.0])
    assert weighed.classes_.tolist() == ["a", "b"]
    words = RandomClassifier(0.5, random_state=0).fit(X[:6], list("abcabc"))
    assert set(words.predict(X)) == set("abc")


@pytest.mark.spec("EVA-L21", "EVA-043", "EVA-044", "EVA-045")
def test_ranks_alone_matter():
    y, s = tied_scores(80, np.random.default_rng(0))
    for moved in (np.exp(s / 3), np.arctan(s), 1e150 * s, 1e-150 * s, s.astype(np.float32)):
        a, b = score_curve(y, s), score_curve(y, moved)
        assert a.roc_auc == b.roc_auc
        np.testing.assert_array_equal([a.tp, a.fp], [b.tp, b.fp])
        assert pr_area(y, s) == pr_area(y, moved)
        for method in ("linear", "step", "rocch"):
            assert eer(y, s, method=method).value == eer(y, moved, method=method).value


@pytest.mark.spec("EVA-L22", "EVA-047")
@pytest.mark.parametrize("pairs", [400, pytest.param(4000, marks=pytest.mark.slow)])
def test_dominance_is_the_same_in_both_planes(pairs):
    rng = np.random.default_rng(0)
    seen = {True: 0, False: 0}
    for _ in range(pairs):
        n = int(rng.integers(4, 12))
        y = np.concatenate([[0, 1], rng.integers(0, 2, n - 2)])
        a, b = (score_curve(y, rng.integers(0, rng.integers(2, 6), n) + y * rng.integers(0, 3)) for _ in range(2))
        for strict in (False, True):
            found = dominates(a, b, strict=strict)
            assert found == dominates(a, b, space="pr", strict=strict)
            seen[found] += 1
        assert dominates(a, a)
        assert not dominates(a, a, strict=True)
    assert min(seen.values()) > pairs / 10
    with pytest.raises(ValueError, match="same numbers"):
        dominates(a, score_curve([0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1], np.arange(12.0)))


@pytest.mark.spec("EVA-L23", "EVA-043")
def test_equal_error_rate_of_the_hull():
    rng = np.random.default_rng(0)
    priors = np.linspace(0, 1, 2001)
    for _ in range(40):
        y, s = tied_scores(30, rng)
        curve = score_curve(y, s)
        rocch = eer(y, s, method="rocch").value
        least = np.min(np.outer(priors, 1 - curve.tpr) + np.outer(1 - priors, curve.fpr), axis=1)
        hull = curve.hull()
        np.testing.assert_allclose(
            np.min(np.outer(priors, 1 - hull.tpr) + np.outer(1 - priors, hull.fpr), axis=1), least, atol=1e-12
        )
        assert rocch <= eer(y, s).value + 1e-12
        assert rocch == pytest.approx(np.max(least), abs=1e-3)
        # A cost curve is that least cost, and its top the equal error rate of the hull.
        np.testing.assert_allclose(cost_curve(y, s).at(priors), least, atol=1e-12)
        assert np.max(cost_curve(y, s).cost) == pytest.approx(rocch)
        # Thresholds reach the vertices that they are given for; no threshold accepts a score −∞, but −∞ stands for it.
        s = np.unique(s, return_inverse=True)[1].astype(float)
        found, curve = cost_curve(y, s), score_curve(y, s)
        reached = curve.at(found.thresholds, strict=True)
        np.testing.assert_allclose([reached.fpr, 1 - reached.tpr], [found.fpr, found.fnr], atol=1e-12)
        for method, points in (("linear", curve), ("step", curve), ("rocch", hull)):
            for tie in ("negative", "positive"):
                at = curve.at([eer(y, s, method=method, tie=tie).threshold], strict=tie == "negative")
                gap = np.min(np.abs(points.fpr + points.tpr - 1))
                assert np.abs(at.fpr + at.tpr - 1)[0] == pytest.approx(gap, abs=1e-12)


@pytest.mark.spec("EVA-L38", "EVA-046")
def test_refits_with_dearer_misses_call_more_rows_positive():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.normal(y)[:, None]
    found = cost_ratio_curve(ThresholdRule(), X, y, [0.1, 0.5, 1, 2, 10], cv=[(np.arange(60), np.arange(60))])
    assert np.all(np.diff(found.tpr) >= 0)
    assert np.all(np.diff(found.fpr) >= 0)
    twice = cost_ratio_curve(ThresholdRule(), np.r_[X, X], np.r_[y, y], [0.5, 2], cv=[(np.arange(120), np.arange(120))])
    weighed = cost_ratio_curve(
        ThresholdRule(), X, y, [0.5, 2], cv=[(np.arange(60), np.arange(60))], sample_weight=np.full(60, 2.0)
    )
    np.testing.assert_array_equal(twice, weighed)
    threads = cost_ratio_curve(ThresholdRule(), X, y, [0.5, 2], n_jobs=2)
    np.testing.assert_array_equal(threads, cost_ratio_curve(ThresholdRule(), X, y, [0.5, 2]))
    with pytest.raises(ValueError, match="ratios"):
        cost_ratio_curve(ThresholdRule(), X, y, [0.0])


@pytest.mark.spec("EVA-048")
def test_operating_points_are_the_best_of_all_thresholds():
    rng = np.random.default_rng(0)
    for _ in range(20):
        y, s = tied_scores(30, rng)
        y, s = y[np.isfinite(s)], s[np.isfinite(s)]
        called = [s > t for t in [-np.inf, *np.unique(s)]]
        pairs = [(np.mean(c[y == 1]), np.mean(y[c] == 1) if c.any() else np.nan) for c in called]
        reachable = np.nanmax([P for _, P in pairs])
        found = operating_point(y, s, "recall", at_least={"precision": 0.9 * reachable})
        assert found.value == max(R for R, P in pairs if 0.9 * reachable <= P)
        assert found.precision >= 0.9 * reachable
        decided = s > found.threshold
        assert found.tp == np.sum(decided & (y == 1))
        assert found.fp == np.sum(decided & (y == 0))
        assert operating_point(y, s, "precision", at_least={"recall": 0.5}).value == max(
            P for R, P in pairs if R >= 0.5
        )
        best = operating_point(y, s, beta=2.0).value
        assert best == pytest.approx(max(5 * R * P / (4 * P + R) for R, P in pairs if R > 0))
        cost = operating_point(y, s, lambda curve: -(3 * curve.fn + curve.fp)).value
        assert -cost == min(3 * np.sum(~c & (y == 1)) + np.sum(c & (y == 0)) for c in called)
        assert operating_point(y, s, tie="positive").threshold > operating_point(y, s).threshold
    with pytest.raises(ValueError, match="relax a bound"):
        operating_point([0, 1, 0, 1], [3.0, 2, 1, 0], "recall", at_least={"precision": 0.9})
    with pytest.raises(ValueError, match="unknown"):
        operating_point(y, s, "mcc")
    assert operating_point(y, s, "recall", at_most={"fpr": 0.0}).fpr == 0


@pytest.mark.spec("EVA-045", "EVA-L22")
def test_area_below_the_precision_recall_curve_by_quadrature():
    rng = np.random.default_rng(0)
    for _ in range(10):
        y, s = tied_scores(25, rng)
        band = curve_band(y, s, space="pr", grid=np.linspace(0, 1, 20_001), n_resamples=2, random_state=0)
        assert np.trapezoid(band.y, band.x) == pytest.approx(pr_area(y, s), abs=2e-3)
        assert pr_area(y, s) <= 1 + 1e-12
    assert pr_area([0, 1], [0.0, 1.0]) == pytest.approx(1.0)


@pytest.mark.spec("EVA-L39", "EVA-049")
def test_information_inequalities():
    rng = np.random.default_rng(0)
    for k in (2, 5):
        P, Q = rng.dirichlet(np.ones(k), 2)
        assert kl_divergence(P, Q) > 0 == pytest.approx(kl_divergence(P, P), abs=1e-15)
        assert cross_entropy(P, Q) == pytest.approx(entropy(P) + kl_divergence(P, Q))
        assert cross_entropy(P, Q) > cross_entropy(P, P) == pytest.approx(entropy(P))
        assert entropy(P) < np.log(k) == pytest.approx(entropy(np.full(k, 1 / k)))
        assert kl_divergence(P, Q, base=2) == pytest.approx(kl_divergence(P, Q) / np.log(2))
    assert kl_divergence([1.0, 0.0], [0.5, 0.5]) == pytest.approx(np.log(2))
    assert kl_divergence([0.5, 0.5], [1.0, 0.0]) == np.inf


@pytest.mark.spec("EVA-051")
def test_reliability_covers_the_truth_where_the_generator_is_known():
    rng = np.random.default_rng(0)
    p = rng.beta(0.5, 0.5, 3000)
    y = rng.random(3000) < p
    for strategy in ("uniform", "quantile"):
        bins = reliability(y, p, strategy=strategy, true_proba=p, level=0.999)
        np.testing.assert_allclose(bins.truth, bins.predicted)
        assert np.all((bins.low <= bins.truth) & (bins.truth <= bins.high))
        assert bins.counts.sum() == 3000
    assert np.ptp(reliability(y, p, strategy="quantile").counts) <= 1
    index = np.minimum((10 * p).astype(int), 9)
    np.testing.assert_allclose(reliability(y, p).observed, [np.mean(y[index == k]) for k in range(10)])
    sure = reliability(y, np.where(p > 0.5, 0.999, 0.001), true_proba=p)
    assert sure.truth[-1] < 0.95 < sure.predicted[-1]


@pytest.mark.spec("EVA-051")
def test_naive_bayes_is_too_sure():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 2000)
    X = np.repeat(rng.normal(y)[:, None], 10, axis=1)
    p = GaussianNB().fit(X, y).predict_proba(X)[:, 1]
    truth = 1 / (1 + np.exp(0.5 - X[:, 0]))
    bins = reliability(y, p, true_proba=truth)
    assert bins.predicted[0] < bins.truth[0] - 0.1
    assert bins.predicted[-1] > bins.truth[-1] + 0.1
    found = calibration_error(y, p, n_resamples=100, random_state=0)
    assert found.estimate.low > 2 * found.by_chance
    assert found.p_value < 0.02


def test_calibration_errors_by_definition_and_by_chance():
    rng = np.random.default_rng(0)
    p = np.round(rng.random(400), 2)
    y = rng.random(400) < p
    index = np.clip(np.ceil(15 * p) - 1, 0, 14).astype(int)
    gaps = np.array([(np.sum(index == k), np.sum(y[index == k]) - np.sum(p[index == k])) for k in range(15)])
    options = {"n_resamples": 200, "random_state": 0}
    l1, l2, top = (calibration_error(y, p, norm=norm, **options) for norm in ("l1", "l2", "max"))
    assert l1.estimate.value == pytest.approx(np.sum(np.abs(gaps[:, 1])) / 400)
    assert l2.estimate.value == pytest.approx(np.sqrt(np.sum(gaps[:, 1] ** 2 / gaps[:, 0]) / 400))
    assert top.estimate.value == pytest.approx(np.max(np.abs(gaps[:, 1]) / gaps[:, 0]))
    for norm, found in {"l1": l1, "l2": l2, "max": top}.items():
        assert expected_calibration_error(y, p, norm=norm) == found.estimate.value
    assert l1.by_chance > 0.02  # of a perfect model
    assert l1.p_value > 0.05
    adaptive = calibration_error(y, p, strategy="quantile", **options)
    assert adaptive.estimate.value == pytest.approx(l1.by_chance, abs=0.05)
    three = rng.dirichlet(np.ones(3), 300)
    labels = np.array([rng.choice(3, p=q) for q in three])
    top_label = calibration_error(labels, three, **options)
    right, sure = np.argmax(three, axis=1) == labels, np.max(three, axis=1)
    assert top_label.estimate.value == pytest.approx(calibration_error(right, sure, **options).estimate.value)
    w = rng.integers(0, 3, 400)
    twice = calibration_error(np.repeat(y, w), np.repeat(p, w), **options).estimate
    np.testing.assert_allclose(calibration_error(y, p, sample_weight=w, **options).estimate[0], twice[0], atol=1e-12)
    assert expected_calibration_error(y, p, sample_weight=w, n_bins=7) == pytest.approx(
        expected_calibration_error(np.repeat(y, w), np.repeat(p, w), n_bins=7)
    )


def test_parts_of_the_brier_score_add_up():
    rng = np.random.default_rng(0)
    p = rng.random(500)
    y = rng.random(500) < p**2
    for options in ({}, {"strategy": "quantile"}, {"strategy": "uniform", "corrected": True}):
        parts = brier_decomposition(y, p, n_resamples=50, random_state=0, **options)
        brier, rel, res, unc, within = (part.value for part in parts)
        assert brier == pytest.approx(np.mean((p - y) ** 2)) == pytest.approx(rel - res + unc + within)
        if not options:
            assert within == pytest.approx(0, abs=1e-12)
    assert parts.reliability.low < parts.reliability.value < parts.reliability.high
    # The correction removes the bias: a calibrated model has reliability zero on average.
    found = {True: [], False: []}
    for _ in range(60):
        p = rng.choice(np.arange(1, 10) / 10, 200)
        y = rng.random(200) < p
        for corrected, values in found.items():
            values.append(
                brier_decomposition(y, p, corrected=corrected, n_resamples=2, random_state=0).reliability.value
            )
    assert abs(np.mean(found[True])) < 4 * np.std(found[True]) / np.sqrt(60)
    assert np.mean(found[False]) > 10 * np.std(found[False]) / np.sqrt(60)


CLASSIFIERS = [estimator for estimator in public_names.estimators() if is_classifier(estimator)]


@pytest.mark.spec("EVA-041", "GEN-039")
@pytest.mark.filterwarnings("ignore")
@over(CLASSIFIERS)
def test_every_classifier_says_what_its_score_means(estimator):
    methods = [name for name in ("predict_proba", "decision_function") if getattr(estimator, name, None) is not None]
    if not methods:
        with pytest.raises(AttributeError, match="no score_type_"):
            _ = estimator.score_type_
        return
    rng = np.random.default_rng(0)
    y = np.arange(40) % 4 == 0
    X = rng.poisson(1.0 + 4.0 * y[:, None], (40, 3)).astype(float)  # numbers, counts and codes of categories
    model = estimator.fit(X, np.where(y, "yes", "no"))
    assert model.score_type_ in get_args(ScoreType)
    kind = score_type(model)
    scores = binary_scores(model, X)
    assert scores.shape == (40,)
    if kind == "margin":
        np.testing.assert_array_equal(scores, model.decision_function(X))
        with pytest.raises(ValueError, match="calibrate"):
            binary_scores(model, X, "llr", prior=0.25)
    else:
        posterior = binary_scores(model, X, "log_posterior_ratio")
        np.testing.assert_allclose(1 / (1 + np.exp(-posterior)), model.predict_proba(X)[:, 1], atol=1e-6)
        if kind == "log_posterior_ratio":
            np.testing.assert_allclose(
                binary_scores(model, X, "llr", prior=0.25), posterior + np.log(3), rtol=1e-6, atol=1e-6
            )
            with pytest.raises(ValueError, match="prior=None"):
                binary_scores(model, X, "llr")
        else:
            shift = posterior - scores
            np.testing.assert_allclose(shift[np.isfinite(shift)], np.median(shift[np.isfinite(shift)]), atol=1e-6)
    # Greater is more positive.
    assert score_curve(y, scores).roc_auc >= 0.5


@pytest.mark.spec("EVA-041")
def test_score_kinds_of_other_estimators():
    assert score_type(TheirLogistic()) == "log_posterior_ratio"
    assert score_type(make_pipeline(StandardScaler(), TheirSVC())) == "margin"
    assert (Perceptron().score_type_, RandomForestClassifier().score_type_) == ("margin", "log_posterior_ratio")
    with pytest.raises(AttributeError, match="StandardScaler"):
        score_type(StandardScaler())
    three = TheirLogistic().fit(np.eye(3), [0, 1, 2])
    with pytest.raises(ValueError, match="3 classes"):
        binary_scores(three, np.eye(3))


BAD_SCORES = {
    "one class": ([1, 1, 1], [0.1, 0.2, 0.3], "alone"),
    "nan": ([0, 1, 1], [0.1, np.nan, 0.3], "NaN"),
    "empty": ([], [], "rows"),
    "one row": ([1], [0.1], "alone"),
    "lengths": ([0, 1], [0.1, 0.2, 0.3], "shape"),
    "three labels": ([0, 1, 2], [0.1, 0.2, 0.3], "pos_label"),
}


@scored
@pytest.mark.parametrize(("y", "s", "words"), BAD_SCORES.values(), ids=BAD_SCORES)
def test_bad_scores_are_refused(function, y, s, words):
    with pytest.raises(ValueError, match=words):
        function(y, s)


@scored
def test_scores_of_any_container_and_labels_of_any_kind(function):
    y, s = tied_scores(30, np.random.default_rng(0))
    expected = function(y, s)
    wide = np.zeros((30, 3))
    wide[:, 1] = s
    fixed = s.copy()
    fixed.flags.writeable = False
    words = np.where(y == 1, "yes", "no")
    for labels, scores in ((y == 1, wide[:, 1]), (words, fixed), (pd.Series(words), pd.Series(s)),
                           (pl.Series(words.tolist()), pl.Series(s)), (y.tolist(), s.tolist())):  # fmt: skip
        np.testing.assert_array_equal(function(labels, scores), expected)
    np.testing.assert_allclose(function(1 - y, s, pos_label=0), expected)
    with pytest.raises(ValueError, match="zero for every"):
        function(y, s, sample_weight=np.zeros(30))
    with pytest.raises(ValueError, match="negative"):
        function(y, s, sample_weight=np.r_[-1.0, np.ones(29)])
    if np.mean(y) != 0.5:
        rare = int(np.mean(y) < 0.5)
        np.testing.assert_array_equal(function(y, s, pos_label="rare"), function(y, s, pos_label=rare))


def test_bad_predictions_are_refused():
    with pytest.raises(ValueError, match="one label for each row"):
        confusion_matrix([0, 1], [0])
    with pytest.raises(ValueError, match="one label for each row"):
        confusion_matrix([], [])
    with pytest.raises(ValueError, match="lacks"):
        confusion_matrix([0, 1], [0, 1], labels=[0])
    with pytest.raises(ValueError, match="rows='both'"):
        confusion_matrix([0, 1], [0, 1], rows="both")
    for bad in ([0.1, 1.2], [-0.1, 0.5], [np.nan, 0.5]):
        for function in (reliability, calibration_error, brier_decomposition):
            with pytest.raises(ValueError, match="outside"):
                function([0, 1], bad)
    with pytest.raises(ValueError, match="columns"):
        reliability([0, 1], np.full((2, 3), 1 / 3))
    with pytest.raises(ValueError, match="must be P"):
        brier_decomposition([0, 1], np.full((2, 2), 0.5))
    with pytest.raises(ValueError, match="true_proba"):
        reliability([0, 1], [0.1, 0.9], true_proba=[0.1])
    with pytest.raises(ValueError, match="counts rows"):
        mcnemar([0, 1], [0, 1], [1, 1], sample_weight=[0.5, 1.0])
