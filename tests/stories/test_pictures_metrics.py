"""Pictures of metrics and curves."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy.special import ndtri

from gnomon import plot
from gnomon.evaluation import (
    confusion_matrix,
    cost_curve,
    cost_ratio_curve,
    curve_band,
    eer,
    reliability,
    score_curve,
)
from gnomon.linear import LogisticRegression
from pictures import labelled, lines

LABELS = np.array([0, 0, 1, 0, 1, 1, 1, 0])
SCORES = np.array([-2, -1, -0.5, 0.2, 0.3, 1.5, 2, -0.1])
FEW = {"n_resamples": 20, "random_state": 0}


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def curves():
    return {"good": score_curve(LABELS, SCORES), "poor": score_curve(LABELS, np.roll(SCORES, 2))}


@pytest.mark.spec("EVA-P06")
def test_a_confusion_matrix_prints_its_layout_counts_and_rates():
    y, called = np.repeat([0, 0, 1, 1], [90, 10, 3, 7]), np.repeat([0, 1, 0, 1], [90, 10, 3, 7])
    true = plot.confusion_table(confusion_matrix(y, called))
    assert (true.get_ylabel(), true.get_xlabel()) == ("true", "predicted")
    words = {text.get_position(): text.get_text() for text in true.texts}
    assert words[1, 0].startswith("FP  10\n10.0%")
    assert words[0, 1].startswith("FN  3\n30.0%")
    other = plot.confusion_table(confusion_matrix(y, called, rows="predicted"), intervals=False)
    assert (other.get_ylabel(), other.get_xlabel()) == ("predicted", "true")
    assert {text.get_position(): text.get_text() for text in other.texts}[1, 0] == "FN  3\n30.0%"
    reject = plot.confusion_table(confusion_matrix(["a", "b", "c"], ["a", "b", "reject"]))
    assert [tick.get_text() for tick in reject.get_xticklabels()] == ["a", "b", "c", "reject"]


@pytest.mark.spec("EVA-P08")
def test_error_rates_cross_at_the_marked_point():
    ax = plot.error_rates(LABELS, SCORES, points={"chosen": 0.5})
    labelled(ax)
    drawn = lines(ax)
    point = drawn["EER 0.250"]
    assert (point.get_xdata()[0], point.get_ydata()[0]) == (eer(LABELS, SCORES).threshold, 0.25)
    t, fnr = drawn["false negative rate"].get_data()
    assert np.all(np.diff(t) >= 0)
    assert np.all(np.diff(fnr) >= 0)
    assert "chosen" in [text.get_text() for text in ax.texts]
    infinite = plot.error_rates([0, 1, 0, 1], [-np.inf, np.inf, 1.0, 2.0])
    assert np.all(np.isfinite(infinite.lines[0].get_xdata()))


@pytest.mark.spec("EVA-P09")
def test_roc_curves():
    curve = curves()["good"]
    one = plot.roc_curves(curve)
    labelled(one)
    drawn = {label: line.get_xydata() for label, line in lines(one).items()}
    np.testing.assert_array_equal(drawn["random"], [[0, 0], [1, 1]])
    np.testing.assert_array_equal(drawn["area 0.875"], np.column_stack([curve.fpr, curve.tpr]))
    np.testing.assert_array_equal(drawn["hull"], np.column_stack([curve.hull().fpr, curve.hull().tpr]))
    (area,) = one.collections
    x, y = area.get_paths()[0].vertices.T
    assert abs(np.sum(x * np.roll(y, 1) - y * np.roll(x, 1))) / 2 == pytest.approx(0.875)
    bands = {name: curve_band(LABELS, s, **FEW) for name, s in (("good", SCORES), ("poor", np.roll(SCORES, 2)))}
    X = np.random.default_rng(0).normal(LABELS)[:, None]
    refits = cost_ratio_curve(LogisticRegression(), X, LABELS, [0.5, 2.0], cv=2)
    ax = plot.roc_curves(curves(), bands=bands, refits=refits)
    np.testing.assert_array_equal(
        lines(ax)["refits with other costs"].get_xydata(), np.column_stack([refits.fpr, refits.tpr])
    )
    assert {"good, area 0.875", f"poor, area {curves()['poor'].roc_auc:.3f}"} < set(lines(ax))
    assert len(ax.lines) == 6  # the diagonal, the refits, and two curves with their hulls
    assert len(ax.collections) == 2
    with pytest.raises(ValueError, match="space"):
        plot.roc_curves(curves()["good"], bands=curve_band(LABELS, SCORES, space="pr", **FEW))


@pytest.mark.spec("EVA-P10")
def test_precision_recall_curves_are_bent():
    ax = plot.precision_recall_curves(score_curve([1, 0, 1, 0], [3.0, 1, 1, 1]), bands=None)
    labelled(ax)
    recall, precision = lines(ax)["average precision 0.750"].get_data()
    assert precision[0] == 1
    inside = recall > 0.5
    np.testing.assert_allclose(precision[inside], 2 * recall[inside] / (6 * recall[inside] - 2), atol=1e-12)
    assert "random 0.5" in lines(ax)
    assert [text.get_text() for text in ax.texts] == ["$F_1$ = 0.2", "$F_1$ = 0.4", "$F_1$ = 0.6", "$F_1$ = 0.8"]
    for f, line in zip((0.2, 0.4, 0.6, 0.8), ax.lines, strict=False):
        recall, precision = line.get_data()
        np.testing.assert_allclose(2 * precision * recall / (precision + recall), f)
        assert (recall[0], precision[0], recall[-1]) == pytest.approx((f / (2 - f), 1.0, 1.0))
    band = curve_band(LABELS, SCORES, space="pr", **FEW)
    assert len(plot.precision_recall_curves(curves()["good"], bands=band).collections) == 1
    both = plot.roc_and_precision_recall(curves())
    labelled(*both.values())


@pytest.mark.spec("EVA-P11")
def test_metrics_over_the_threshold_mark_their_optimum():
    ax = plot.metric_over_threshold(LABELS, SCORES, {"F1": "f_beta", "accuracy": "accuracy"})
    labelled(ax)
    assert any(label.startswith("accuracy: 0.875") for label in lines(ax))
    assert plot.metric_over_threshold(LABELS, SCORES, beta=2.0).get_ylabel() == "F2"
    cost = plot.metric_over_threshold(LABELS, SCORES, lambda curve: curve.fn + 9 * curve.fp, minimize=True)
    assert cost.lines[-1].get_ydata()[0] == 1


@pytest.mark.spec("EVA-P13")
def test_reliability_diagrams():
    rng = np.random.default_rng(0)
    p = rng.random(200)
    y = rng.random(200) < p
    bins = reliability(y, p, true_proba=p)
    ax = plot.reliability_diagram(bins)
    labelled(ax)
    assert "calibrated" in lines(ax)
    assert "true" in lines(ax)
    assert ax.figure.axes[1].get_ylabel() == "rows"
    fresh = plt.figure().add_subplot()
    assert plot.reliability_diagram({"a": bins, "b": bins}, histogram=False, ax=fresh) is fresh
    assert fresh.get_xlabel() == "predicted probability"


def test_det_curves_of_normal_scores_are_straight():
    rng = np.random.default_rng(0)
    y = np.arange(20_000) % 2
    curve = score_curve(y, rng.normal(2.0 * y))
    ax = plot.det_curves({"normal": curve}, bands={"normal": curve_band(y, rng.normal(2.0 * y), space="det", **FEW)})
    labelled(ax)
    fpr, fnr = lines(ax)["normal"].get_data()
    middle = (fpr > 0.01) & (fpr < 0.5)
    slope = np.polyfit(ndtri(fpr[middle]), ndtri(fnr[middle]), 1)
    np.testing.assert_allclose(slope, [-1, -2], atol=0.1)


def test_cost_curves_stay_below_the_constants():
    one = plot.cost_curves(cost_curve(LABELS, SCORES))
    labelled(one)
    two = plot.cost_curves({"a": cost_curve(LABELS, SCORES), "b": cost_curve(LABELS, -SCORES)})
    for line in two.lines[1:]:
        x, cost = line.get_data()
        assert np.all(cost <= np.minimum(x, 1 - x) + 1e-12)
