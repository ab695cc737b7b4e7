"""Metrics and curves beside scikit-learn's."""

import numpy as np
import pytest
from sklearn import metrics
from sklearn.calibration import calibration_curve

from gnomon.evaluation import (
    confusion_matrix,
    curve_band,
    error_curves,
    metric_interval,
    rates,
    reliability,
    score_curve,
)

WEIGHTS = {"plain": None, "weighted": np.random.default_rng(5).uniform(0.1, 3, 300)}
weighted = pytest.mark.parametrize("w", WEIGHTS.values(), ids=WEIGHTS)


def trials(n=300):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    return y, np.round(rng.normal(y), 1)


@weighted
@pytest.mark.spec("EVA-042", "EVA-044", "EVA-045")
def test_curves(w):
    y, s = trials()
    curve = score_curve(y, s, sample_weight=w)
    fpr, tpr, thresholds = metrics.roc_curve(y, s, sample_weight=w, drop_intermediate=False)
    np.testing.assert_allclose([curve.fpr, curve.tpr, curve.thresholds], [fpr, tpr, thresholds])
    assert curve.roc_auc == pytest.approx(metrics.roc_auc_score(y, s, sample_weight=w))
    assert curve.average_precision == pytest.approx(metrics.average_precision_score(y, s, sample_weight=w))
    precision, recall, _ = metrics.precision_recall_curve(y, s, sample_weight=w)
    np.testing.assert_allclose(curve.precision[::-1], precision)
    np.testing.assert_allclose(curve.recall[::-1], recall, atol=1e-12)
    det_fpr, det_fnr, at = metrics.det_curve(y, s, sample_weight=w)
    ours = error_curves(y, s, tie="positive", sample_weight=w)
    place = np.searchsorted(ours.thresholds, at)
    np.testing.assert_allclose([ours.fpr[place], ours.fnr[place]], [det_fpr, det_fnr], atol=1e-12)


@weighted
@pytest.mark.spec("EVA-037", "EVA-038", "EVA-039")
def test_decisions(w):
    rng = np.random.default_rng(1)
    y, called = rng.choice(list("abc"), 300), rng.choice(list("abc"), 300)
    for normalize in (None, "true", "pred", "all"):
        ours = confusion_matrix(y, called, normalize=normalize, sample_weight=w).values
        np.testing.assert_allclose(ours, metrics.confusion_matrix(y, called, normalize=normalize, sample_weight=w))
    found = rates(y, called, beta=2.0, sample_weight=w)
    theirs = metrics.precision_recall_fscore_support(y, called, beta=2.0, sample_weight=w)
    np.testing.assert_allclose([found.precision, found.tpr, found.f_beta, found.tp + found.fn], theirs)
    for kind in ("macro", "micro", "weighted"):
        row = found.average(kind)
        expected = metrics.precision_recall_fscore_support(y, called, beta=2.0, average=kind, sample_weight=w)[:3]
        np.testing.assert_allclose([row.precision, row.tpr, row.f_beta], expected)
    assert found.accuracy == pytest.approx(metrics.accuracy_score(y, called, sample_weight=w))


@pytest.mark.spec("EVA-051")
def test_reliability():
    y, s = trials()
    p = 1 / (1 + np.exp(-s))
    observed, predicted = calibration_curve(y, p, n_bins=8)
    bins = reliability(y, p, n_bins=8)
    np.testing.assert_allclose([bins.observed, bins.predicted], [observed, predicted])


def test_a_loop_of_resamples_gives_the_same_law():
    y, s = trials()
    rng = np.random.default_rng(0)
    grid = np.array([0.1, 0.3, 0.5])
    areas, heights = [], []
    for _ in range(400):
        rows = rng.integers(0, len(y), len(y))
        areas.append(metrics.roc_auc_score(y[rows], s[rows]))
        fpr, tpr, _ = metrics.roc_curve(y[rows], s[rows])
        heights.append(np.interp(grid, fpr, tpr))
    ours = metric_interval("roc_auc", y, s, random_state=0)
    assert ours.standard_error == pytest.approx(np.std(areas), rel=0.12)
    np.testing.assert_allclose([ours.low, ours.high], np.quantile(areas, [0.025, 0.975]), atol=0.01)
    band = curve_band(y, s, grid=grid, method="bootstrap", random_state=0)
    np.testing.assert_allclose([band.low, band.high], np.quantile(heights, [0.025, 0.975], axis=0), atol=0.025)
