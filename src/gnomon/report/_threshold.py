"""The probability from which the second of two classes is said, where labels are what counts.

    ŷ(x) = second class where p(x) ≥ t,    t = argmin over thresholds of the loss on rows left out            (1)

The most probable class, t = ½, is best for the accuracy of a calibrated model, and for no other score of labels. The
threshold is found on the forecasts of all folds but one and judged on that one; it is taken where the loss falls by
more than one standard error of the difference. Koyejo et al. (2014), Consistent binary classification with generalized
performance metrics.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gnomon._typing import Array, Floats
from gnomon.decision import ScoreCalibrator
from gnomon.report._calibrate import log_probabilities
from gnomon.report._trials import Folds, Trial
from gnomon.report.scores import Forecast, Score, rounded, standard_error

__all__ = ["ThresholdVerdict", "threshold_by"]

MOST_THRESHOLDS = 200
ONE_SIDED = ("precision", "recall", "fnr", "fpr", "tnr")
"""Scores that one class for all rows makes perfect."""
EVEN = 0.5


@dataclass(frozen=True)
class ThresholdVerdict:
    """The threshold that is used, ½ where another does not pay; the score without and with it; the sentence why."""

    value: float
    before: float
    after: float
    why: str


def threshold_by(
    trial: Trial, y: Array, folds: Folds, classes: Sequence[str], score: Score, calibrator: ScoreCalibrator | None
) -> ThresholdVerdict | None:
    """The verdict on (1); None for one fold, other than two classes, scores of probabilities, and `ONE_SIDED` ones."""
    if len(folds) < 2 or len(classes) != 2 or score.name in ONE_SIDED or not _asks_labels(score, classes):
        return None
    shares = [_calibrated(f, calibrator) for f in trial.forecasts]
    tests = [y[test] for _, test in folds]
    before = np.array([_loss(score, truth, p, EVEN, classes) for truth, p in zip(tests, shares, strict=True)])
    after = np.empty(len(tests))
    for j in range(len(tests)):
        others = [k for k in range(len(tests)) if k != j]
        learned = _best(score, [tests[k] for k in others], [shares[k] for k in others], classes)
        after[j] = _loss(score, tests[j], shares[j], learned, classes)
    gain, error = float(np.mean(before - after)), standard_error(before - after, folds)
    old, new = score.sign * float(np.mean(before)), score.sign * float(np.mean(after))
    said = f"{score.name} in cross-validation {rounded(old)} without and {rounded(new)} with it"
    if not gain > error:
        return ThresholdVerdict(EVEN, old, new, f"a threshold other than 0.5 does not pay: {said}")
    value = _best(score, tests, shares, classes)
    why = f"“{classes[1]}” is predicted from a probability of {rounded(value, 3)} on: {said}"
    return ThresholdVerdict(value, old, new, why)


def _asks_labels(score: Score, classes: Sequence[str]) -> bool:
    """Whether another label changes the score, and another probability does not."""
    y = np.asarray(classes)[[0, 0, 1, 1]]
    one, same, other = ([0.1, 0.6, 0.4, 0.9], [0.3, 0.8, 0.2, 0.6], [0.1, 0.4, 0.4, 0.9])
    at = [score.of(y, _said(np.array(p), EVEN, classes)) for p in (one, same, other)]
    return at[0] == at[1] != at[2]


def _calibrated(f: Forecast, calibrator: ScoreCalibrator | None) -> Floats:
    assert f.proba is not None
    return (f.proba if calibrator is None else calibrator.predict_proba(log_probabilities(f.proba)))[:, 1]


def _best(score: Score, tests: Sequence[Array], shares: Sequence[Floats], classes: Sequence[str]) -> float:
    """The t of (1), among the middles between quantiles of the forecasts; of equals the one nearest to ½."""
    truth, p = np.concatenate(tests), np.concatenate(shares)
    places = np.unique(np.quantile(p, np.linspace(0.0, 1.0, MOST_THRESHOLDS)))
    tried = np.append(0.5 * (places[1:] + places[:-1]), EVEN)
    losses = np.array([_loss(score, truth, p, t, classes) for t in tried])
    return float(min(tried[losses <= np.min(losses)], key=lambda t: abs(t - EVEN)))


def _loss(score: Score, truth: Array, p: Floats, threshold: float, classes: Sequence[str]) -> float:
    return score.loss(truth, _said(p, threshold, classes))


def _said(p: Floats, threshold: float, classes: Sequence[str]) -> Forecast:
    names = np.asarray(classes)
    second = p >= threshold if threshold != EVEN else p > EVEN
    return Forecast(names[second.astype(int)], np.column_stack([1.0 - p, p]), names)
