"""From scores to decisions on real data: speakers, systems, loans, cards; and the pictures on the way."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import log_softmax
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict, train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from gnomon import plot
from gnomon.decision import (
    Application,
    BayesDecisionClassifier,
    CalibratedScorer,
    RejectClassifier,
    ScoreCalibrator,
    ThresholdTuner,
    act_dcf,
    bayes_error_curve,
    calibration_loss,
    calibration_split,
    cllr,
    dcf,
    min_dcf,
)
from pictures import clouds, labelled, lines
from real_data import data_path


@pytest.fixture(scope="module")
def speakers():
    with np.load(data_path("scores/nist_det_demo_scores.npz")) as file:
        target, other = file["target"], file["nontarget"]
    return np.append(target, other), np.repeat(["impostor", "target"], [len(other), len(target)])[::-1]


@pytest.mark.spec("EVA-080", "EVA-P12")
def test_speaker_scores_become_decisions(speakers):
    s, y = speakers
    fit, held_out = np.arange(len(s)) % 2 == 0, np.arange(len(s)) % 2 == 1
    calibrator = ScoreCalibrator().fit(s[fit], y[fit])
    llr = calibrator.transform(s[held_out])
    app = Application(0.01, cost_fn=10.0, cost_fp=1.0)
    assert calibration_loss(y[held_out], s[held_out], app) > 10 * calibration_loss(y[held_out], llr, app)
    decided = np.where(llr > app.threshold, "target", "impostor")
    assert dcf(y[held_out], decided, app) == pytest.approx(act_dcf(y[held_out], llr, app))
    curve = bayes_error_curve({"raw": s[held_out], "calibrated": llr}, y[held_out])
    ax = plot.bayes_error_plot(curve, {"evaluation": app})
    drawn = lines(ax)
    systems = {f"{name}: {kind}" for name in ("raw", "calibrated") for kind in ("actual", "minimum")}
    assert set(drawn) == {*systems, "without scores"}
    np.testing.assert_array_equal(drawn["raw: actual"].get_ydata(), curve.actual["raw"])
    np.testing.assert_allclose(drawn["raw: minimum"].get_ydata(), drawn["calibrated: minimum"].get_ydata(), atol=1e-12)
    assert any(np.allclose(line.get_xdata(), app.log_odds) for line in ax.lines)
    labelled(ax)


def test_forensic_trials_by_direct_counting():
    with np.load(data_path("scores/fvcaus_plda.npz")) as file:
        scores, y = file["scores"].astype(float), file["targets"].astype(int)
    s = scores[:, 1] - scores[:, 0]
    app = Application(0.01, 1.0, 1.0)
    target, other = np.sort(s[y == 1]), np.sort(s[y == 0])
    every = np.unique(s)
    miss = np.searchsorted(target, every, side="right") / len(target)
    alarm = 1.0 - np.searchsorted(other, every, side="right") / len(other)
    counted = np.append(0.01 * miss + 0.99 * alarm, 0.99) / 0.01
    assert min_dcf(y, s, app).value == pytest.approx(np.min(counted))
    t = app.threshold
    actual = 0.01 * np.mean(target <= t) + 0.99 * np.mean(other > t)
    assert act_dcf(y, s, app) == pytest.approx(actual / 0.01)


@pytest.mark.parametrize("name", ["cifar10_vgg19_bn", "agnews_gpt2"])
def test_systems_of_several_classes_are_repaired(name):
    with np.load(data_path(f"scores/{name}.npz")) as file:
        logs, k = log_softmax(file["scores"].astype(float), axis=1), file["targets"].astype(int)
    split = calibration_split(k, logs, calibrator=ScoreCalibrator("temperature"))
    affine = calibration_split(k, logs)
    assert affine.calibration >= split.calibration - 1e-9 > 0.0
    assert affine.discrimination < affine.actual


@pytest.fixture(scope="module")
def loans():
    table = pd.read_csv(data_path("tabular/german.csv.gz"), header=None)
    X, y = table.iloc[:, :-1], np.where(table.iloc[:, -1] == 2, "bad", "good")
    X.columns = [f"c{j}" for j in X.columns]
    words = [name for name in X if not pd.api.types.is_numeric_dtype(X[name])]
    code = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), words), remainder=StandardScaler())
    return X, y, make_pipeline(code, LogisticRegression(max_iter=1000, C=0.1))


@pytest.mark.spec("EVA-062", "EVA-065")
def test_a_loan_with_costs_and_a_right_to_ask(loans):
    X, y, model = loans
    costs = [[0.0, 1.0], [5.0, 0.0]]  # to grant a bad loan costs five times what refusing a good one does
    app = Application([0.3, 0.7], cost_matrix=costs)
    plain = cross_val_predict(model, X, y)
    careful = cross_val_predict(BayesDecisionClassifier(model, costs), X, y)
    constant = min(app.dummy_cost)
    assert constant == pytest.approx(0.7)
    paid = {name: dcf(y, decided, app, normalize=False) for name, decided in (("plain", plain), ("careful", careful))}
    assert paid["careful"] < 0.85 * constant < paid["plain"]
    ask = BayesDecisionClassifier(model, [*costs, [0.4, 0.4]], actions=["bad", "good", "ask"])
    decided = cross_val_predict(ask, X, y, method="predict")
    with_clerk = Application([0.3, 0.7], cost_matrix=[*costs, [0.4, 0.4]], actions=["bad", "good", "ask"])
    assert dcf(y, decided, with_clerk, normalize=False) < paid["careful"]
    assert 0.05 < np.mean(decided == "ask") < 0.95


@pytest.mark.spec("EVA-079", "EVA-082")
def test_cards_of_which_few_are_stolen():
    table = pd.read_csv(data_path("tabular/creditcard_fraud_sample.csv.gz"))
    X, y = table.drop(columns=["Class"]), table["Class"].to_numpy()
    X_fit, X_new, y_fit, y_new = train_test_split(X, y, random_state=0, stratify=y)
    forest = RandomForestClassifier(60, min_samples_leaf=3, random_state=0)
    app = Application(0.0017, cost_fn=10.0, cost_fp=1.0)  # in life two of a thousand are frauds, in the sample a third
    tuned = ThresholdTuner(app, estimator=forest).fit(X_fit, y_fit)
    naive = tuned.estimator_.predict(X_new)
    assert dcf(y_new, tuned.predict(X_new), app) < dcf(y_new, naive, app)
    calibrated = CalibratedScorer(forest).fit(X_fit, y_fit)
    llr = calibrated.llr(X_new)
    assert cllr(y_new, llr) < 0.35
    assert act_dcf(y_new, llr, app) < 1.0


@pytest.mark.spec("EVA-P13")
def test_picture_of_calibrated_scores(speakers):
    s, y = speakers
    maps = [ScoreCalibrator().fit(s, y), ScoreCalibrator("pav").fit(s, y)]
    panels = plot.calibrated_scores(y, s, *maps)
    drawn = lines(panels["map"])
    assert set(drawn) == {"logistic", "pav"}
    x = drawn["pav"].get_xdata()
    np.testing.assert_allclose(drawn["pav"].get_ydata(), maps[1].transform(x))
    assert [len(panels[name].patches) for name in ("before", "after")] == [2, 2]
    labelled(*panels.values())
    with pytest.raises(ValueError, match="needs a fitted calibrator"):
        plot.calibrated_scores(y, s)


@pytest.mark.spec("EVA-P14")
def test_picture_of_doubt():
    X, y = clouds([(0, 0), (2, 0), (0, 2)], scale=0.8), np.repeat([0, 1, 2], 40)
    model = RejectClassifier(GaussianNB(), 0.2).fit(X, y)
    panels = plot.doubt_zone(model, X, y)
    decided = model.predict(X) != -1
    mark = lines(panels["error"])["confidence ≥ 0.8"]
    assert (mark.get_xdata()[0], mark.get_ydata()[0]) == pytest.approx(
        (np.mean(decided), np.mean(model.predict(X)[decided] != y[decided]))
    )
    assert any(any(getattr(part, "hatches", ())) for part in panels["regions"].collections)
    labelled(*panels.values())


@pytest.mark.spec("EVA-P15")
def test_picture_of_a_lopsided_cost():
    ax = plot.asymmetric_cost(10.0, 2.0, under=3.0, over=1.0)
    drawn = lines(ax)
    assert drawn["best action 11.3"].get_xdata()[0] == pytest.approx(11.348980)
    cost = drawn["cost of the best action"]
    assert cost.get_xdata()[np.argmin(cost.get_ydata())] == pytest.approx(11.35, abs=0.02)
    labelled(ax)
