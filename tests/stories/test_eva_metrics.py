"""Two published sets of predictions, evaluated with their uncertainty."""

import numpy as np
import pandas as pd
import pytest

from gnomon import plot
from gnomon.evaluation import (
    brier_decomposition,
    calibration_error,
    confusion_matrix,
    curve_band,
    mcnemar,
    metric_difference,
    metric_interval,
    metric_table,
    operating_point,
    rates,
    reliability,
    score_curve,
)
from real_data import data_path

FEW = {"n_resamples": 300, "random_state": 0}


@pytest.mark.spec("EVA-G40", "EVA-048", "EVA-051")
def test_a_screening_score_from_curve_to_working_point():
    frame = pd.read_csv(data_path("rbooks/modeldata_two_class_example.csv.gz"))
    y, p = frame["truth"], frame["Class1"]
    options = {"pos_label": "Class1", **FEW}
    auc = metric_interval("roc_auc", y, p, **options)
    delong = metric_interval("roc_auc", y, p, pos_label="Class1", method="delong")
    np.testing.assert_allclose([auc.low, auc.high], [delong.low, delong.high], atol=0.01)
    assert metric_interval("eer", y, p, **options).value == pytest.approx(0.144628, abs=1e-6)
    assert metric_interval("brier", y, p, **options).value == pytest.approx(0.105619, abs=1e-6)
    assert metric_interval("log_loss", y, p, **options).value == pytest.approx(0.328310, abs=1e-6)
    # The best recall with a precision of nine in ten, and what it is worth on resampled rows.
    point = operating_point(y, p, "recall", at_least={"precision": 0.9}, pos_label="Class1")
    recall = metric_interval("recall", y, p, threshold=point.threshold, pos_label="Class1", method="wilson")
    assert recall.value == point.tpr
    assert recall.low < point.tpr < recall.high
    # The probabilities are too extreme: more than chance explains.
    error = calibration_error(y, p, pos_label="Class1", **FEW)
    assert error.estimate.value > error.by_chance
    parts = brier_decomposition(y, p, strategy="quantile", corrected=True, **options)
    assert parts.resolution.value > 5 * parts.reliability.value
    bins = reliability(y, p, pos_label="Class1")
    band = curve_band(y, p, space="pr", **options)
    assert plot.reliability_diagram(bins).get_xlabel()
    assert plot.precision_recall_curves(score_curve(y, p, pos_label="Class1"), bands=band).collections


@pytest.mark.spec("EVA-G40", "EVA-037")
def test_jobs_by_fold_and_against_a_simpler_rule():
    frame = pd.read_csv(data_path("rbooks/modeldata_hpc_cv.csv.gz"))
    y, called = frame["obs"], frame["pred"]
    table = metric_table(y, called, ["accuracy"], by=frame["Resample"], method="wilson")
    assert len(table.sizes) == 11
    assert table.cells["", "all", "accuracy"].value == pytest.approx(0.708682, abs=1e-6)
    gap = table.gaps["", "accuracy"].difference
    assert gap.low < 0 < gap.value  # ten folds of one model: the largest gap is chance
    slow = metric_table(y, called, ["recall", "fpr"], by=frame["Resample"], pos_label="L", method="wilson")
    assert slow.cells["", "all", "recall"].value == pytest.approx(rates(y, called).of("L").tpr)
    constant = np.full(len(y), "VF")
    test = mcnemar(y, called, constant)
    difference = metric_difference("accuracy", y, called, constant, **FEW)
    assert test.difference.value == pytest.approx(difference.difference.value)
    assert max(test.p_value, difference.p_value) < 0.01
    assert metric_interval("log_loss", y, frame[["F", "L", "M", "VF"]], **FEW).high < np.log(4)
    low, high = confusion_matrix(y, called, normalize="true").interval()
    assert np.all(high - low < 0.2)
