"""Known values of metrics and curves."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score, brier_score_loss, log_loss, roc_auc_score

from gnomon.distributions import MultivariateNormal, Normal
from gnomon.evaluation import (
    confusion_matrix,
    cost_ratio_curve,
    cross_entropy,
    dominates,
    eer,
    entropy,
    kl_divergence,
    pr_area,
    rates,
    score_curve,
)
from gnomon.evaluation._pr_area import pr_area_of
from gnomon.numerics.curves import ThresholdCurve
from real_data import data_path
from threshold_rule import ThresholdRule

SCORES = [-2, -1, -0.5, 0.2, 0.3, 1.5, 2, -0.1]
LABELS = [0, 0, 1, 0, 1, 1, 1, 0]


def close(value, expected, digits=6):
    np.testing.assert_allclose(value, expected, atol=0.51 * 10**-digits, rtol=0)


def cells(predicted_rows):
    """Labels, predictions and weights of a table with predictions in rows."""
    predicted, true = np.indices(np.shape(predicted_rows))
    return true.ravel(), predicted.ravel(), np.ravel(predicted_rows)


@pytest.mark.spec("EVA-G01", "EVA-037", "EVA-038", "EVA-039")
def test_three_classes():
    table = [[5, 2, 0], [3, 7, 0], [1, 0, 6]]
    true, predicted, counts = cells(table)
    found = rates(true, predicted, sample_weight=counts)
    close(found.accuracy, 0.75)
    close(found.precision, [0.714286, 0.7, 0.857143])
    close(found.tpr, [0.555556, 0.777778, 1])
    close(found.f_beta, [0.625, 0.736842, 0.923077])
    close(found.fpr, [0.133333, 0.2, 0.055556])
    macro = found.average("macro")
    close(macro.f_beta, 0.761640)
    close(2 * macro.precision * macro.tpr / (macro.precision + macro.tpr), 0.767322)
    close(found.average("weighted").f_beta, 0.741460)
    close(found.average("micro").f_beta, 0.75)
    matrix = confusion_matrix(true, predicted, sample_weight=counts, rows="predicted")
    np.testing.assert_array_equal(matrix.values, table)
    assert matrix.true_totals.sum() == 24


@pytest.mark.spec("EVA-G02", "EVA-037", "EVA-039")
def test_two_classes():
    true, predicted, counts = [1, 1, 0, 0], [1, 0, 1, 0], [40, 10, 30, 920]
    for beta, expected in ((1.0, 0.666667), (2.0, 0.740741), (0.5, 0.606061)):
        found = rates(true, predicted, sample_weight=counts, beta=beta)
        close(found.of(1).f_beta, expected)
    row = found.of(1)
    close([row.precision, row.tpr, row.fpr, found.accuracy], [0.571429, 0.8, 0.0315789, 0.96])
    for rows, expected in (("predicted", [[920, 10], [30, 40]]), ("true", [[920, 30], [10, 40]])):
        matrix = confusion_matrix(true, predicted, sample_weight=counts, rows=rows)
        np.testing.assert_array_equal(matrix.values, expected)
    close(0.05 * row.fnr + 0.95 * row.fpr, 1 - found.accuracy)


@pytest.mark.spec("EVA-G03", "EVA-038")
@pytest.mark.parametrize(("good", "bad", "accuracy"), [(2000, 10, 0.995025), (10_000, 20, 0.998004)])
def test_a_constant_prediction_is_accurate_and_finds_nothing(good, bad, accuracy):
    found = rates([0, 1], [0, 0], sample_weight=[good, bad], zero_division=0)
    close([found.accuracy, found.constant_accuracy, found.of(1).tpr], [accuracy, accuracy, 0])
    assert f"best constant prediction {accuracy:.4f}" in str(found)


@pytest.mark.spec("EVA-G18", "EVA-043", "EVA-044", "EVA-045")
def test_eight_scores():
    curve = score_curve(LABELS, SCORES)
    close([curve.roc_auc, curve.average_precision], [0.875, 0.916667])
    close([eer(LABELS, SCORES, method=m).value for m in ("linear", "step", "rocch")], [0.25, 0.25, 0.166667])
    at = curve.at([0.0], strict=True)
    close([1 - at.tpr[0], at.fpr[0]], [0.25, 0.25])
    found = eer(LABELS, SCORES)
    decided = score_curve(LABELS, SCORES).at([found.threshold], strict=True)
    close([1 - decided.tpr[0], decided.fpr[0]], 0.25)


@pytest.mark.spec("EVA-G33", "EVA-046")
def test_curve_of_refits():
    X, y = np.arange(1.0, 7)[:, None], np.array([0, 1, 0, 0, 1, 1])
    everything = [(np.arange(6), np.arange(6))]
    found = cost_ratio_curve(ThresholdRule(), X, y, [1.0, 1.9, 2.1, 5.0], cv=everything)
    close(found.fpr, [0, 0, 0.666667, 0.666667])
    close(found.tpr, [0.666667, 0.666667, 1, 1])
    close(found.precision, [1, 1, 0.6, 0.6])
    assert [ThresholdRule().fit(X, y, np.where(y == 1, r, 1)).threshold_ for r in (1.9, 2.1)] == [4.5, 1.5]


@pytest.mark.spec("EVA-G34", "EVA-045")
def test_precision_between_two_points():
    curve = ThresholdCurve(np.array([np.inf, 1, 0]), np.array([0.0, 5, 10]), np.array([0.0, 5, 30]), 20.0, 30.0)
    close(curve.precision_at([0.3, 0.35, 0.4, 0.45]), [0.375, 0.318182, 0.285714, 0.264706])
    first = 5 / 20 * 0.5
    close(pr_area_of(curve) - first, 0.0801748, 7)
    assert 0.5 * (0.5 + 0.25) * 0.25 == 0.09375  # the straight line
    with pytest.raises(ValueError, match="straight lines"):
        pr_area(LABELS, SCORES, interpolation="linear")


@pytest.mark.spec("EVA-G35", "EVA-045")
def test_average_precision_of_a_random_order():
    close(np.mean([pr_area(np.arange(10) == k, -np.arange(10.0), interpolation="step") for k in range(10)]), 0.292897)
    every = [pr_area(np.isin(np.arange(8), pair), -np.arange(8.0), interpolation="step") for pair in
             combinations(range(8), 2)]  # fmt: skip
    assert np.mean(every) > 2 / 8
    rng = np.random.default_rng(0)
    for positives, n, expected, draws, tolerance in ((10, 100, 0.137, 2000, 0.005), (1000, 10_000, 0.1006, 60, 0.002)):
        y = np.arange(n) < positives
        found = [pr_area(y, rng.random(n), interpolation="step") for _ in range(draws)]
        assert np.mean(found) == pytest.approx(expected, abs=tolerance)


@pytest.mark.spec("EVA-G36", "EVA-049")
def test_information():
    P, Q = [0.5, 0.5], [0.9, 0.1]
    close([kl_divergence(P, Q), kl_divergence(P, Q, base=2), kl_divergence(Q, P)], [0.510826, 0.736966, 0.368064])
    close([cross_entropy(P, Q), entropy(Q)], [1.203973, 0.325083])
    close([kl_divergence(Normal(0, 1), Normal(1, 4)), kl_divergence(Normal(1, 4), Normal(0, 1))], [0.443147, 1.306853])
    first = MultivariateNormal([1, 0], [[1, 0.3], [0.3, 2]])
    second = MultivariateNormal([-1, 0.5], [[0.7, -0.2], [-0.2, 1]])
    close(kl_divergence(first, second), 3.237630)


@pytest.mark.spec("EVA-G40", "EVA-037", "EVA-050")
def test_two_class_example():
    frame = pd.read_csv(data_path("rbooks/modeldata_two_class_example.csv.gz"))
    y, p = frame["truth"], frame["Class1"].to_numpy()
    counts = confusion_matrix(y, frame["predicted"], labels=["Class2", "Class1"]).values
    np.testing.assert_array_equal(counts, [[192, 50], [31, 227]])
    curve = score_curve(y, p, pos_label="Class1")
    close([curve.roc_auc, curve.average_precision], [0.939314, 0.946557])
    positive = y == "Class1"
    close([roc_auc_score(positive, p), average_precision_score(positive, p)], [0.939314, 0.946557])
    close(eer(y, p, pos_label="Class1").value, 0.144628)
    close(eer(y, p, pos_label="Class1", method="rocch").value, 0.138, 4)
    close([log_loss(positive, p), brier_score_loss(positive, p)], [0.328310, 0.105619])
    assert dominates(curve, curve)


@pytest.mark.spec("EVA-G40", "EVA-037")
def test_four_classes_of_computing_jobs():
    frame = pd.read_csv(data_path("rbooks/modeldata_hpc_cv.csv.gz"))
    order = ["VF", "F", "M", "L"]
    matrix = confusion_matrix(frame["obs"], frame["pred"], labels=order, rows="predicted")
    expected = [[1620, 371, 64, 9], [141, 647, 219, 60], [6, 24, 79, 28], [2, 36, 50, 111]]
    np.testing.assert_array_equal(matrix.values, expected)
    found = rates(frame["obs"], frame["pred"], labels=order)
    close(found.accuracy, 0.708682)
    close((1 - found.accuracy) / (1 - found.constant_accuracy), 0.594817)
