"""Calibration and costs beside scikit-learn's tools for the same work."""

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, brier_score_loss, log_loss, roc_curve
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import LinearSVC

from gnomon.decision import (
    Application,
    CalibratedScorer,
    ScoreCalibrator,
    ScoreFusion,
    bayes_error_curve,
    dcf,
    min_dcf,
    proper_score,
)


@pytest.fixture(scope="module")
def trials():
    rng = np.random.default_rng(0)
    y = (rng.random(600) < 0.3).astype(int)
    return y, np.round(2.0 * (rng.normal(size=600) + 1.5 * y), 1)


@pytest.mark.spec("EVA-076", "EVA-078")
def test_least_costs_are_those_of_a_loop_over_the_roc(trials):
    y, s = trials
    fpr, tpr, _ = roc_curve(y, s, drop_intermediate=False)
    for app in (Application(0.01), Application(0.5, 3.0), Application(0.9)):
        miss, alarm = app.priors[1] * app.costs[0][1], app.priors[0] * app.costs[1][0]
        expected = np.min(miss * (1.0 - tpr) + alarm * fpr) / min(miss, alarm)
        assert min_dcf(y, s, app).value == pytest.approx(expected)
    o = np.linspace(-8, 8, 33)
    found = bayes_error_curve(s, y, o).minimum["scores"]
    loop = [np.min(np.exp(max(v, 0)) * (1 - tpr) + np.exp(max(-v, 0)) * fpr) for v in o]
    np.testing.assert_allclose(found, loop)


def test_costs_and_scores_under_their_other_names(trials):
    y, s = trials
    decided = (s > 1.0).astype(int)
    assert 1.0 - dcf(y, decided, Application(0.5), normalize=False) == pytest.approx(
        balanced_accuracy_score(y, decided)
    )
    p = 1.0 / (1.0 + np.exp(-s / 3.0))
    both = np.column_stack([1.0 - p, p])
    assert proper_score(y, both, normalize=False) == pytest.approx(log_loss(y, p))
    assert proper_score(y, both, "brier", normalize=False) == pytest.approx(2.0 * brier_score_loss(y, p))


def test_maps_are_those_of_scikit_learn(trials):
    y, s = trials
    w = np.random.default_rng(1).uniform(0.5, 2.0, len(y))
    share = np.sum(w * y) / np.sum(w)
    plain = LogisticRegression(C=np.inf, tol=1e-12, max_iter=1000).fit(s[:, None], y, sample_weight=w)
    ours = ScoreCalibrator(prior=share).fit(s, y, w)
    np.testing.assert_allclose(ours.predict_proba(s), plain.predict_proba(s[:, None]), atol=1e-5)
    pooled = ScoreCalibrator("pav", laplace=False).fit(s, y, w)
    isotonic = IsotonicRegression().fit(s, y, sample_weight=w)
    np.testing.assert_allclose(pooled.predict_proba(s, share)[:, 1], isotonic.predict(s), atol=1e-10)
    columns = np.column_stack([s, np.cos(3.0 * s) + y])
    several = LogisticRegression(C=np.inf, tol=1e-12, max_iter=1000).fit(columns, y, sample_weight=w)
    fused = ScoreFusion(prior=share).fit(columns, y, w)
    np.testing.assert_allclose(fused.predict_proba(columns), several.predict_proba(columns), atol=1e-4)


@pytest.mark.spec("EVA-082")
def test_out_of_fold_calibration_is_as_good(trials):
    y, s = trials
    X = np.column_stack([s, np.sin(s)])
    folds = StratifiedKFold(5)
    ours = CalibratedScorer(LinearSVC(), cv=folds).fit(X[:400], y[:400]).predict_proba(X[400:])
    peer = CalibratedClassifierCV(LinearSVC(), cv=folds, ensemble=False).fit(X[:400], y[:400]).predict_proba(X[400:])
    assert log_loss(y[400:], ours) == pytest.approx(log_loss(y[400:], peer), abs=0.02)
