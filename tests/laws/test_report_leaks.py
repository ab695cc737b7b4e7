"""What must stay unknown: a fold to the model it judges, a choice to the rows that judge it, held-out rows to all."""

from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.dummy import DummyClassifier
from sklearn.metrics import f1_score, log_loss, roc_auc_score
from sklearn.naive_bayes import GaussianNB

from gnomon._registry import Candidate, Facts
from gnomon.decision import ScoreCalibrator
from gnomon.io import Table
from gnomon.report import learn
from gnomon.report._blend import MOST_MEMBERS, blended
from gnomon.report._budget import Budget
from gnomon.report._calibrate import calibrated_by, log_probabilities
from gnomon.report._decisions import table_shares
from gnomon.report._entrants import matrices
from gnomon.report._judge import coefficients, importances, judge
from gnomon.report._kinds import infer_kinds, used_kinds
from gnomon.report._metrics import scores_of
from gnomon.report._responses import responses
from gnomon.report._splits import Split, split
from gnomon.report._target import read_target
from gnomon.report._threshold import threshold_by
from gnomon.report._trials import Entrant, Trial
from gnomon.report._words_that_matter import word_effects
from gnomon.report.aims import Aims, Stakes
from gnomon.report.prepare import CODINGS
from gnomon.report.scores import SCORES, Forecast, score_all

LOG_LOSS, ACCURACY, _, AREA = SCORES["classification"]
RMSE = SCORES["regression"][0]
TWO = ("bad", "good")
FACTS = Facts("classification", n_rows=100, n_features=3, n_classes=2)


def entrant(levels, name="model", complexity=1.0):
    return Entrant(Candidate(name, "classification", lambda f, s: DummyClassifier(), complexity), FACTS, levels)


def mixed(n=160):
    rng = np.random.default_rng(0)
    words = rng.choice(["red", "green", "blue", "grey", "dark", "light"], (n, 5))
    columns = {
        "size": np.where(np.arange(n) % 11 == 0, np.nan, rng.normal(size=n)),
        "city": np.array([f"c{k}" for k in rng.integers(0, 60, n)]),
        "when": np.datetime64("2024-01-01") + rng.integers(0, 400, n),
        "text": np.array([" ".join(row) for row in words]),
    }
    return columns, np.where(rng.random(n) < 0.5, *TWO)


def test_a_fold_is_prepared_from_its_training_rows_alone():
    """Other cells, words, levels and targets in the rows that judge change nothing in what is learned from."""
    columns, y = mixed()
    train, test = np.arange(120), np.arange(120, 160)
    kinds = tuple(infer_kinds(Table(columns), [*columns], types={"text": "text"}).values())
    field = [entrant(levels) for levels in CODINGS]
    (one,) = matrices(kinds, field, Table(columns), y, [(train, test)])
    other = {name: np.array(values, copy=True) for name, values in columns.items()}
    other["size"][test] = 1e6
    other["when"][test] += 9_000
    other["city"] = np.where(np.arange(160) < 120, other["city"], "Atlantis")
    other["text"] = np.where(np.arange(160) < 120, other["text"], "never seen before")
    (two,) = matrices(kinds, field, Table(other), np.where(np.arange(160) < 120, y, "good"), [(train, test)])
    for levels in CODINGS:
        A, B = (found[levels][0] for found in (one, two))
        if sp.issparse(A):
            A, B = A.toarray(), B.toarray()
        np.testing.assert_array_equal(A, B)
        assert one[levels][1].shape[0] == len(test)


def trial(said, y, folds, name="model", complexity=1.0, judges=SCORES["classification"]):
    """A trial that has said P(good) for the test rows of each fold."""
    forecasts = tuple(forecast_of(p) for p in said)
    by_fold = [score_all(judges, y[test], f) for (_, test), f in zip(folds, forecasts, strict=True)]
    scores = {score.name: np.array([one[score.name] for one in by_fold]) for score in judges}
    return Trial(entrant("columns", name, complexity), scores, forecasts=forecasts)


def forecast_of(p):
    p = np.asarray(p, dtype=float)
    return Forecast(np.array(TWO)[(p > 0.5).astype(int)], np.column_stack([1.0 - p, p]), np.array(TWO))


def halves(n=40):
    """Two folds, in each of which every other row is good."""
    y = np.array(TWO)[np.arange(n) % 2]
    parts = np.split(np.arange(n), 2)
    return y, [(parts[1], parts[0]), (parts[0], parts[1])]


def test_the_weights_of_a_mean_are_found_in_other_folds_than_they_are_judged_in():
    """Of two models each is right in one fold and wrong in the other: the other fold gives all weight to the wrong."""
    y, folds = halves()
    right = [np.where(y[test] == "good", 0.9, 0.1) for _, test in folds]
    first = trial([right[0], 1.0 - right[1]], y, folds, "first")
    second = trial([1.0 - right[0], right[1]], y, folds, "second")
    found = blended([first, second], y, folds, SCORES["classification"])
    np.testing.assert_allclose(found.scores["log loss"], -np.log(0.1))
    np.testing.assert_allclose(found.forecasts[0].proba[:, 1], 1.0 - right[0])
    assert {one.candidate.name for one in found.entrant.members} == {"first", "second"}
    assert found.candidate.complexity > 1.0 + len(found.entrant.members)


def test_the_mean_is_made_of_the_best_by_a_score_of_which_more_is_better():
    """Eight of nine may be members: the one that is left out is the worst."""
    y, folds = halves(200)
    rng = np.random.default_rng(0)
    trials = [
        trial([np.clip((y[test] == "good") * 0.1 * k + rng.random(100), 0.0, 2.0) / 2.0 for _, test in folds], y, folds,
              f"model {k}") for k in range(MOST_MEMBERS + 1)
    ]  # fmt: skip
    areas = [one.mean("ROC AUC") for one in trials]
    found = blended(trials, y, folds, (AREA, LOG_LOSS))
    names = [one.candidate.name for one in found.entrant.members]
    assert trials[int(np.argmax(areas))].candidate.name in names
    assert trials[int(np.argmin(areas))].candidate.name not in names
    assert found.mean("ROC AUC") > np.median(areas)


def test_where_one_model_is_best_there_is_no_mean_and_members_alone_count():
    """A model that is right, and its opposite; two that are right in one half of the rows each, and it."""
    y, folds = halves()
    p = [np.where(y[test] == "good", 0.9, 0.1) for _, test in folds]
    right, wrong = trial(p, y, folds, "right"), trial([1.0 - said for said in p], y, folds, "wrong")
    assert blended([right, wrong], y, folds, SCORES["classification"]) is None
    assert blended([right, wrong], y, folds[:1], SCORES["classification"]) is None
    one, other = ([np.where((np.arange(20) % 4 < 2) == known, said, 0.5) for said in p] for known in (True, False))
    trials = [replace(trial(one, y, folds, "one"), seconds=1.0), replace(wrong, seconds=2.0),
              replace(trial(other, y, folds, "other"), seconds=4.0)]  # fmt: skip
    found = blended(trials, y, folds, SCORES["classification"])
    assert {member.candidate.name for member in found.entrant.members} == {"one", "other"}
    assert found.seconds == 5.0


def test_a_map_of_probabilities_is_judged_in_folds_that_it_has_not_seen():
    """By hand, where each fold calls for another map."""
    rng = np.random.default_rng(0)
    y, parts = np.array(TWO)[rng.integers(0, 2, 300)], np.split(np.arange(300), 3)
    folds = [(np.setdiff1d(np.arange(300), part), part) for part in parts]
    score = np.where(y == "good", 1.0, -1.0) + 1.5 * rng.normal(size=300)
    said = [1.0 / (1.0 + np.exp(-power * score[part] - shift)) for part, power, shift in zip(
        parts, (0.3, 4.0, 1.0), (2.0, 0.0, -2.0), strict=True)]  # fmt: skip
    found = calibrated_by(trial(said, y, folds), y, folds, TWO)
    logs = [log_probabilities(forecast_of(p).proba) for p in said]
    losses = []
    for j, part in enumerate(parts):
        others = [k for k in range(3) if k != j]
        rows = np.concatenate([parts[k] for k in others])
        shares = np.array([np.mean(y[rows] == name) for name in TWO])
        learned = ScoreCalibrator("logistic", prior=shares).fit(np.concatenate([logs[k] for k in others]), y[rows])
        losses.append(log_loss(y[part], learned.predict_proba(logs[j]), labels=TWO))
    assert found.after == pytest.approx(np.mean(losses))


def test_a_threshold_is_judged_in_folds_that_it_has_not_seen():
    """The best threshold of one half of the rows is the worst of the other: none pays."""
    y, folds = halves()
    said = [np.where(y[folds[0][1]] == "good", 0.4, 0.2), np.where(y[folds[1][1]] == "good", 0.8, 0.6)]
    f1 = scores_of("f1", read_target(Table({"y": y}), "y"))[0]
    found = threshold_by(trial(said, y, folds), y, folds, TWO, f1, None)
    # At ½ nothing is good in the first half, and everything in the second; so it is at what the other half asks for.
    by_hand = np.mean([f1_score(y[test], np.repeat(name, 20), pos_label="good", zero_division=0.0)
                       for (_, test), name in zip(folds, TWO, strict=True)])  # fmt: skip
    assert (found.before, found.after) == pytest.approx((by_hand, by_hand))
    assert found.value == 0.5
    assert "does not pay" in found.why


def test_a_threshold_has_to_gain_more_than_chance():
    """Forecasts that are right have the least errors at ½; what other thresholds gain in some rows is chance."""
    rng = np.random.default_rng(3)
    p = rng.random(300)
    y, parts = np.where(rng.random(300) < p, "good", "bad"), np.split(np.arange(300), 5)
    folds = [(np.setdiff1d(np.arange(300), part), part) for part in parts]
    found = threshold_by(trial([p[part] for part in parts], y, folds), y, folds, TWO, ACCURACY, None)
    assert found.value == 0.5
    assert found.before == pytest.approx(np.mean((p > 0.5) == (y == "good")))


class Asked:
    """Says the sum of the columns, and remembers of which rows it was asked."""

    def __init__(self):
        self.rows = set()

    def predict(self, table):
        self.rows |= set(table["row"].tolist())
        return table["x"].astype(float)


def test_columns_are_shuffled_among_held_out_rows():
    table = Table({"row": np.arange(60.0), "x": (x := np.random.default_rng(0).normal(size=60)), "y": x})
    parts = Split(np.arange(40), np.arange(40, 60), [], "")
    model = Asked()
    (found,) = importances(model, read_target(table, "y"), table, parts, ["x"], RMSE, 0, Budget(None))
    assert model.rows == set(range(40, 60))
    assert found.mean > 0.5


def test_of_very_many_columns_none_is_shuffled(monkeypatch):
    monkeypatch.setattr("gnomon.report._judge.MOST_COLUMNS_TO_PERMUTE", 1)
    table = Table({"row": np.arange(60.0), "x": (x := np.random.default_rng(0).normal(size=60)), "y": x})
    parts, model, budget = Split(np.arange(40), np.arange(40, 60), [], ""), Asked(), Budget(None)
    assert importances(model, read_target(table, "y"), table, parts, ["x", "row"], RMSE, 0, budget) == []
    assert (model.rows, budget.missed) == (set(), [])


def test_coefficients_stand_in_the_order_of_their_sizes():
    candidate = Candidate("line", "regression", lambda facts, seed: None, 1.0, explain=lambda model: model)
    prepare = SimpleNamespace(get_feature_names_out=lambda: np.array(["a", "b", "c", "d"]))
    found = coefficients([prepare, np.array([1.0, -3.0, 0.0, 2.0])], candidate)
    assert found == [("b", -3.0), ("d", 2.0), ("a", 1.0)]
    assert coefficients([prepare, np.ones((2, 4))], candidate) == []


def test_intervals_are_over_groups_where_rows_belong_together():
    """Ten rows of each of forty persons are the same: four hundred rows say no more than forty."""
    rng = np.random.default_rng(0)
    person = np.repeat(np.arange(80), 10)
    x = rng.normal(size=80)[person]
    table = Table({"row": np.arange(800.0), "x": x, "y": x + rng.normal(size=80)[person]})
    target, (train, test) = read_target(table, "y"), np.split(np.arange(800), 2)
    mae = SCORES["regression"][1:2]
    width = {}
    for groups in (None, person):
        (ends,) = judge(Asked(), target, table, Split(train, test, [], "", groups), mae, 0).intervals.values()
        width[groups is None] = ends[1] - ends[0]
    assert width[False] / width[True] == pytest.approx(np.sqrt(10.0), rel=0.15)


def test_the_baseline_knows_the_training_rows_alone():
    """All of the held-out rows are 3, the training rows 1 in the mean."""
    table = Table(
        {"row": np.arange(60.0), "x": np.zeros(60), "y": np.where(np.arange(60) < 40, np.arange(60) % 3, 3.0)}
    )
    parts = Split(np.arange(39), np.arange(40, 60), [], "")
    found = judge(Asked(), read_target(table, "y", "regression"), table, parts, SCORES["regression"], 0)
    assert found.baseline["RMSE"] == pytest.approx(2.0)
    assert found.scores["RMSE"] == 3.0


def test_the_judged_model_is_asked_for_its_reasons_on_held_out_rows(only):
    """It is too sure of two copies of a column, and has a map: the model without it would answer otherwise."""
    only(Candidate("naive", "classification", lambda facts, seed: GaussianNB(), 1.0, levels="frequent"))
    rng = np.random.default_rng(0)
    n = 600
    x = rng.normal(size=n)
    words = rng.choice(["lamp", "chair", "desk"], (n, 4))
    score = x + 0.7 * (words == "lamp").sum(axis=1) + 0.8 * rng.normal(size=n)
    texts = [" ".join([*row, f"n{k}"]) for k, row in enumerate(words)]
    data = {"a": x, "b": x + 1e-3 * rng.normal(size=n), "text": texts, "y": np.where(score > 0.9, "p", "q")}
    study = learn(data, "y", types={"text": "text"}, refit=False)
    assert study.calibration.calibrator is not None
    table, test = Table(data), study.split.test
    kinds = {kind.name: kind for kind in used_kinds(study.kinds)}
    asked = [kinds[one.name] for one in study.importances if one.mean > one.spread]
    again = responses(study.judged, table, test, asked, study.target.classes, "y", 0, Budget(None))
    for one, other in zip(study.responses, again, strict=True):
        np.testing.assert_array_equal(one.curves, other.curves)
    words = word_effects(study.judged, table.take(test), [kinds["text"]], study.target.classes, 0, Budget(None))
    assert study.words == words != []
    # Nobody else's: the map, and the rows, make a difference.
    assert not np.array_equal(study.model[-1].model.predict_proba(study.judged[0].transform(table)),
                              study.judged.predict_proba(table))  # fmt: skip


def test_what_varies_in_held_out_rows_alone_is_constant(only):
    only(Candidate("naive", "classification", lambda facts, seed: GaussianNB(), 1.0))
    n = 200
    rng = np.random.default_rng(0)
    x, when = rng.normal(size=n), np.arange(n)
    late = np.where(when < 160, 0.0, x)
    study = learn({"x": x, "late": late, "when": when, "y": np.where(x > 0.0, "p", "q")}, "y", time="when")
    assert {kind.name: kind.reason for kind in study.kinds} == {"x": "", "late": "constant", "when": "role"}


def test_another_prior_is_put_against_the_shares_that_were_learned_from():
    """The table has a half of each class, the training rows a quarter of the first."""
    y = np.array(TWO)[np.repeat([0, 1, 0], [10, 30, 20])]
    train = np.arange(40)
    costs = np.array([[0.0, 1.0], [1.0, 0.0]])
    np.testing.assert_allclose(table_shares(Stakes(TWO, costs, np.array([0.9, 0.1])), y, train), [0.25, 0.75])
    np.testing.assert_allclose(table_shares(Stakes(TWO, costs, None), y, train), [0.5, 0.5])


def test_scores_of_a_study_are_those_of_its_forecasts(only):
    """The area of the judged model on the held-out rows, by hand."""
    only(Candidate("naive", "classification", lambda facts, seed: GaussianNB(), 1.0))
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    table = Table({"x": x, "y": np.where(x + rng.normal(size=300) > 0.0, "p", "q")})
    study = learn(table, "y")
    held = table.take(study.split.test)
    by_hand = roc_auc_score(held["y"] == "q", study.judged.predict_proba(held)[:, 1])
    assert study.judgement.scores["ROC AUC"] == pytest.approx(by_hand)


@pytest.mark.parametrize("days", [12, 30, 3, 400])
def test_rows_of_one_day_are_on_one_side_of_the_cuts_in_time(days):
    """Where there are enough days: of three, a cut would leave too much or too little."""
    day = np.sort(np.random.default_rng(0).integers(0, days, 400)) if days < 400 else np.arange(400)
    order = np.random.default_rng(1).permutation(400)
    table = Table({"day": day[order], "y": np.random.default_rng(2).normal(size=400)})
    parts = split(table, read_target(table, "y"), time="day")
    when = table["day"]
    trains, tests = [parts.train], [parts.test]
    for train, test in parts.folds:
        trains.append(parts.train[train])
        tests.append(parts.train[test])
    last, first = np.array([[when[a].max(), when[b].min()] for a, b in zip(trains, tests, strict=True)]).T
    assert np.all(last <= first)
    assert np.all(last < first) == (days > 3)
    assert 0.1 < len(parts.test) / 400 < 0.3
    assert [len(a) for a in tests[1:-1]] == [b - a for a, b in pairwise([len(a) for a in trains[1:]])]
    assert (len(parts.test), {len(test) for test in tests[1:]}) == (80, {53}) or days < 400


@pytest.mark.parametrize("refit", [True, False])
def test_the_model_file_knows_the_shares_of_the_rows_that_it_was_fitted_to(only, refit):
    """In the later rows, which are held out, most are of the second class."""
    only(Candidate("naive", "classification", lambda facts, seed: GaussianNB(), 1.0))
    rng = np.random.default_rng(0)
    y = np.where(rng.random(200) < np.linspace(0.1, 0.9, 200), "q", "p")
    table = {"x": (y == "q") + rng.normal(size=200), "when": np.arange(200), "y": y}
    study = learn(table, "y", time="when", refit=refit, aims=Aims(prior=0.3))
    rows = y if refit else y[:160]
    np.testing.assert_allclose(study.model[-1].train_prior, [np.mean(rows == "p"), np.mean(rows == "q")])
    np.testing.assert_allclose(study.model[-1].prior, [0.7, 0.3])
