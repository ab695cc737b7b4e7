"""Whether the probabilities of the chosen model are better with a map learned from rows left out of its fits.

    log p'_k = α log p_k + γ_k + const                                                                      (1)

The map is fitted to the forecasts of all folds but one and judged on that one; it is taken where the log loss falls by
more than one standard error of the difference. Brümmer & van Leeuwen (2006), doi:10.1109/ODYSSEY.2006.248106; Guo et
al. (2017), On calibration of modern neural networks, PMLR 70.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gnomon._typing import Array, Floats
from gnomon.decision import ScoreCalibrator
from gnomon.numerics.weights import effective_train_prior
from gnomon.report._trials import Folds, Trial
from gnomon.report.scores import LEAST_PROBABILITY, rounded, standard_error

__all__ = ["CalibrationVerdict", "calibrated_by"]

LEAST_ROWS_OF_A_CLASS = 20


@dataclass(frozen=True)
class CalibrationVerdict:
    """The map, if it is taken; the log loss without and with it over the folds, and the sentence that says why."""

    calibrator: ScoreCalibrator | None
    before: float
    after: float
    why: str


def calibrated_by(trial: Trial, y: Array, folds: Folds, classes: Sequence[str]) -> CalibrationVerdict | None:
    """The verdict on (1) for a trial of classes; None for one fold, or for too few rows of a class to learn it."""
    tests = [test for _, test in folds]
    logs = [log_probabilities(f.proba) for f in trial.forecasts if f.proba is not None]
    rare = min((int(np.sum(y[np.concatenate(tests)] == name)) for name in classes), default=0)
    if len(logs) < 2 or rare < LEAST_ROWS_OF_A_CLASS:
        return None
    before = np.array([_loss(part, y[test], classes) for part, test in zip(logs, tests, strict=True)])
    after = np.empty(len(tests))
    for j in range(len(tests)):
        others = [k for k in range(len(tests)) if k != j]
        learned = _fitted(np.concatenate([logs[k] for k in others]), y[np.concatenate([tests[k] for k in others])])
        after[j] = _loss(log_probabilities(learned.predict_proba(logs[j])), y[tests[j]], classes)
    gain, error = float(np.mean(before - after)), standard_error(before - after, folds)
    losses = f"{rounded(float(np.mean(before)))} without and {rounded(float(np.mean(after)))} with it"
    if not gain > error:
        why = f"a calibration map does not pay: log loss in cross-validation {losses}"
        return CalibrationVerdict(None, float(np.mean(before)), float(np.mean(after)), why)
    why = f"a calibration map lowers the log loss in cross-validation: {losses}"
    found = _fitted(np.concatenate(logs), y[np.concatenate(tests)])
    return CalibrationVerdict(found, float(np.mean(before)), float(np.mean(after)), why)


def log_probabilities(proba: Floats) -> Floats:
    """Logarithms of probabilities, none of them less than what the log loss takes for zero."""
    return np.log(np.clip(proba, LEAST_PROBABILITY, 1.0))


def _fitted(logs: Floats, y: Array) -> ScoreCalibrator:
    shares = effective_train_prior(y)
    with warnings.catch_warnings():
        # Forecasts that divide the classes without error have no best map; the loss of the fold left out decides.
        warnings.simplefilter("ignore")
        return ScoreCalibrator("logistic", prior=shares).fit(logs, y)


def _loss(logs: Floats, y: Array, classes: Sequence[str]) -> float:
    of_truth = logs[np.arange(len(y)), np.searchsorted(np.asarray(classes), y)]
    return float(-np.mean(np.maximum(of_truth, np.log(LEAST_PROBABILITY))))
