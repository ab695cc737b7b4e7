"""The metric that a user names chooses, and is what scikit-learn says of the same forecasts."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import f1_score, get_scorer, get_scorer_names, median_absolute_error, roc_auc_score

from gnomon._registry import Candidate
from gnomon.decision import cllr, min_cllr
from gnomon.evaluation import calibration_error, eer
from gnomon.io import Table, UserError, load
from gnomon.report import Aims, learn, page, summary
from gnomon.report._metrics import SCORERS, scores_of
from gnomon.report._target import read_target
from gnomon.report.pages import ranked
from gnomon.report.scores import Forecast, forecast
from gnomon.trees import DecisionTreeClassifier, DecisionTreeRegressor

REFUSED = {
    "adjusted_mutual_info_score", "adjusted_rand_score", "completeness_score", "fowlkes_mallows_score",
    "homogeneity_score", "mutual_info_score", "normalized_mutual_info_score", "rand_score", "v_measure_score",
    "f1_samples", "jaccard_samples", "precision_samples", "recall_samples",
    "neg_negative_likelihood_ratio", "positive_likelihood_ratio", "top_k_accuracy",
}  # fmt: skip
ALWAYS = {"accuracy", "balanced_accuracy", "neg_log_loss", "roc_auc", "roc_auc_ovr_weighted", "r2",
          "neg_mean_absolute_error", "neg_root_mean_squared_error"}  # fmt: skip
LINE = Candidate("line", "classification", lambda facts, seed: LogisticRegression(), complexity=1.0)
TREE = Candidate("tree", "classification", lambda facts, seed: DecisionTreeClassifier(max_depth=3), complexity=2.0)
SLOPE = Candidate("slope", "regression", lambda facts, seed: LinearRegression(), complexity=1.0)
STEPS = Candidate("steps", "regression", lambda facts, seed: DecisionTreeRegressor(max_depth=3), complexity=2.0)


def table_of(classes, n=240):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2))
    score = X[:, 0] + 0.7 * rng.normal(size=n)
    names = np.array(["a", "b", "c"])
    y = names[np.digitize(score, np.linspace(-0.7, 0.7, classes - 1) if classes > 2 else [0.5])] if classes else score
    return {"u": X[:, 0], "v": X[:, 1], "y": y}


def test_every_scorer_is_known_or_refused_for_a_reason():
    assert set(get_scorer_names()) - REFUSED <= {*SCORERS, *ALWAYS}
    assert not {*SCORERS, *ALWAYS} & REFUSED


@pytest.mark.parametrize("classes", [2, 3])
def test_scores_are_those_of_scikit_learn(classes):
    """Of classes called by letters, as of the same classes numbered; the second of two is the positive one."""
    data = table_of(classes)
    X, names = np.column_stack([data["u"], data["v"]]), np.unique(data["y"])
    model, peer = LogisticRegression().fit(X, data["y"]), LogisticRegression().fit(X, np.searchsorted(names, data["y"]))
    target = read_target(Table(data), "y")
    f, codes = forecast(model, X, target.classes), np.searchsorted(names, data["y"])
    for name in [*SCORERS, *sorted(ALWAYS)]:
        if get_scorer(name)._score_func.__module__.endswith("regression"):
            continue
        try:
            score = scores_of(name, target)[0]
        except UserError as refused:
            assert classes == 3 and "is for two classes" in str(refused)  # noqa: PT017, PT018
            continue
        said = score.of(data["y"], f)
        if name.startswith("roc_auc") and "roc" in score.name.lower() and classes == 3:
            continue
        expected = get_scorer(name)(peer, X, codes)
        assert abs(said) == pytest.approx(abs(expected), rel=1e-9), name
        assert score.less_is_better == name.startswith("neg_")
        assert -score.loss(data["y"], f) == pytest.approx(expected, rel=1e-9)


def test_the_positive_class_may_be_the_first():
    data = table_of(2)
    target = read_target(Table(data), "y")
    X = np.column_stack([data["u"], data["v"]])
    f = forecast(LogisticRegression().fit(X, data["y"]), X, target.classes)
    second, first = (scores_of("recall", target, positive)[0].of(data["y"], f) for positive in ("b", "a"))
    assert second == np.mean(f.predicted[data["y"] == "b"] == "b")
    assert first == np.mean(f.predicted[data["y"] == "a"] == "a")
    assert scores_of("tnr", target)[0].of(data["y"], f) == first
    own = scores_of("eer", target)[0]
    assert own.less_is_better
    assert own.of(data["y"], f) == pytest.approx(eer(data["y"] == "b", f.proba[:, 1]).value)


@pytest.mark.parametrize("name", ["cllr", "min_cllr", "calibration_error"])
def test_scores_of_probabilities_are_those_of_the_library(name):
    data = table_of(2)
    target = read_target(Table(data), "y")
    X = np.column_stack([data["u"], data["v"]])
    f = forecast(LogisticRegression().fit(X, data["y"]), X, target.classes)
    truth, p = data["y"] == "b", f.proba[:, 1]
    odds = np.log(p / (1.0 - p)) - np.log(truth.mean() / (1.0 - truth.mean()))
    expected = {
        "cllr": lambda: cllr(truth, odds),
        "min_cllr": lambda: min_cllr(truth, p),
        "calibration_error": lambda: calibration_error(truth, p).estimate.value,
    }[name]()
    score = scores_of(name, target)[0]
    assert score.less_is_better
    assert score.of(data["y"], f) == pytest.approx(expected)
    # Certain and wrong is bad, not infinite; rows of one class have no such score.
    sure = Forecast(f.predicted, np.column_stack([truth, ~truth]).astype(float), f.classes)
    assert expected < score.of(data["y"], sure) < np.inf or name == "min_cllr"
    assert np.isnan(score.of(data["y"][truth], Forecast(f.predicted[truth], f.proba[truth], f.classes)))


def test_the_metric_chooses_and_judges(only):
    """A model that is good in the middle and one that is good at the ends: each metric takes its own."""
    only(SLOPE, STEPS)
    rng = np.random.default_rng(1)
    x = rng.uniform(-1.0, 1.0, 300)
    y = np.where(x > 0.0, 1.0, -1.0) + np.where(np.abs(x) > 0.9, 25.0 * x, 0.0)
    study = learn({"x": x, "y": y + 0.01 * rng.normal(size=300)}, "y", metric="neg_median_absolute_error", rule="best")
    name = "median absolute error"
    assert [score.name for score in study.scores] == [name, "RMSE", "MAE", "R²"]
    by_name = {trial.candidate.name: trial.mean(name) for trial in study.trials}
    assert study.choice.trial.mean(name) == min(by_name.values())
    assert study.choice.why == f"it has the least {name}"
    held_out = median_absolute_error(study.judgement.y, study.judgement.forecast.predicted)
    assert study.judgement.scores[name] == pytest.approx(held_out)
    assert summary(study)["metric"] == name
    assert study.importances[0].mean > 0.0


def test_where_more_is_better_the_study_says_so(only):
    only(LINE, TREE)
    data = table_of(2)
    study = learn(data, "y", metric="roc_auc", single=True)
    assert study.scores[0].name == "ROC AUC"
    areas = [trial.mean("ROC AUC") for trial in study.trials]
    assert study.choice.trial.mean("ROC AUC") == max(areas[1:]) > areas[0]
    held_out = roc_auc_score(study.judgement.y == "b", study.judgement.forecast.proba[:, 1])
    assert study.judgement.scores["ROC AUC"] == pytest.approx(held_out)
    assert study.importances[0].name == "u"
    assert study.importances[0].mean > 0.0
    html = page(study, Table(data))
    for words in ("more is better", "fall of the ROC AUC", "Dot chart of the ROC AUC"):
        assert words in html
    assert "ROC AUC rises by" in study.rows_curve.verdict or "does not rise" in study.rows_curve.verdict
    assert "Worse on held-out rows" not in [finding.title for finding in study.findings]
    assert "reaches ROC AUC" in repr(study)
    means = [trial.mean(study.scores[0].name) for trial in ranked(study)]
    assert means == sorted(means, reverse=True)


@pytest.mark.parametrize("prior", [None, 0.6])
def test_the_cost_of_decisions_may_choose(only, prior):
    only(LINE, TREE)
    data, aims = table_of(2), Aims(fn_cost=8.0, prior=prior)
    study = learn(data, "y", metric="cost", aims=aims, rule="best")
    assert study.scores[0].name == "cost"
    assert study.choice.trial.mean("cost") == min(trial.mean("cost") for trial in study.trials)
    assert study.judgement.scores["cost"] == pytest.approx(study.decisions.cost.value)
    # The baseline takes the best action that looks at no row.
    assert study.judgement.baseline["cost"] == pytest.approx(study.decisions.constant[1], rel=0.05)
    assert study.threshold is None
    assert "least cost" in study.choice.why


REFUSALS = {
    "roc_acu": (2, "--metric 'roc_acu' is unknown; near it are: roc_auc"),
    "nonsense": (0, "for regression give one of: rmse, root_mean_squared_error, mae"),
    "adjusted_rand_score": (2, "is unknown"),
    "neg_log_loss": (0, "--metric neg_log_loss is for classes or their probabilities, and y is a number"),
    "r2": (2, "--metric r2 is for numbers, and y is classes"),
    "cost": (2, "--metric cost needs to know what mistakes cost; give --costs, or --fn-cost and --fp-cost"),
    "neg_cost": (2, "is unknown"),
    "f1": (3, "--metric f1 is for two classes, and y has 3; give f1_macro, f1_micro, f1_weighted"),
    "eer": (3, "--metric eer is for two classes"),
    "mean_squared_log_error": (0, "--metric mean_squared_log_error is not defined for y"),
}


@pytest.mark.parametrize("metric", REFUSALS)
def test_metrics_that_cannot_judge_are_refused_in_words(metric):
    classes, words = REFUSALS[metric]
    with pytest.raises(UserError) as caught:
        learn(table_of(classes), "y", metric=metric)
    assert words in str(caught.value)


def test_a_positive_class_needs_something_that_asks_for_it(only):
    only(LINE)
    with pytest.raises(UserError, match="--positive says which class"):
        learn(table_of(2), "y", aims=Aims(positive="a"))
    assert learn(table_of(2), "y", metric="f1", aims=Aims(positive="a")).scores[0].name == "f1"


def rare_class(n=1500):
    """A twelfth of the rows is positive, and no row surely so."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=n)
    return {"x": x, "y": np.where(rng.random(n) < 1.0 / (1.0 + np.exp(3.2 - 1.3 * x)), "rare", "common")}


def test_a_score_of_labels_gets_its_threshold_from_rows_left_out(only, tmp_path):
    only(LINE)
    data = rare_class()
    study = learn(data, "y", metric="f1", aims=Aims(positive="rare"), refit=False)
    found = study.threshold
    assert found.value < 0.4
    assert found.after > found.before + 0.05
    p = study.judged.predict_proba(Table(data))[:, 1]
    np.testing.assert_array_equal(study.predict(data) == "rare", p >= found.value)
    held, truth = p[study.split.test], study.target.y[study.split.test] == "rare"
    assert study.judgement.scores["f1"] == pytest.approx(f1_score(truth, held >= found.value))
    assert study.judgement.scores["f1"] > f1_score(truth, held > 0.5)
    study.save(tmp_path / "m.skops")
    np.testing.assert_array_equal(load(tmp_path / "m.skops").predict(Table(data)), study.predict(data))
    assert "is predicted from a probability" in page(study, Table(data))


@pytest.mark.parametrize("metric", [None, "roc_auc", "recall"])
def test_scores_of_probabilities_and_of_one_side_get_no_threshold(only, metric):
    only(LINE)
    assert learn(rare_class(400), "y", metric=metric, refit=False).threshold is None


def test_costs_decide_by_themselves_and_a_score_of_labels_gets_no_threshold_beside_them(only):
    only(LINE)
    costs = Aims(fn_cost=5.0, positive="rare")
    assert learn(rare_class(400), "y", metric="f1", aims=costs, refit=False).threshold is None


@pytest.mark.parametrize("metric", ["mean_gamma_deviance", "mean_squared_log_error"])
def test_importances_are_numbers_where_the_metric_is_none(only, metric):
    """Without one of two columns, whose difference counts, forecasts are negative."""
    only(SLOPE)
    rng = np.random.default_rng(0)
    a = rng.random(300)
    b = a + 0.05 * rng.normal(size=300)
    table = {"a": a, "b": b, "c": rng.normal(size=300), "y": np.maximum(3.0 + 10.0 * (a - b), 0.5)}
    study = learn(table, "y", metric=metric, single=True)
    assert study.choice.learned
    assert {one.name for one in study.importances[:2]} == {"a", "b"}
    assert {one.score for one in study.importances} == {"RMSE"}
    assert all(one.mean > 10.0 * one.spread for one in study.importances[:2])
    assert "growth of the RMSE when a column is shuffled" in page(study, study.table)
    assert [one["score"] for one in summary(study)["importances"]] == ["RMSE"] * 3
    usual = learn(table, "y", metric="mae", single=True)
    assert {one.score for one in usual.importances} == {"MAE"}
