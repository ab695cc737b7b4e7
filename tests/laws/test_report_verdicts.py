"""Sentences of a report against the numbers behind them: verdicts, advice, warnings of the outcome."""

import warnings
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

from gnomon._registry import Candidate, Facts, candidates, discover
from gnomon.io import Table
from gnomon.report import learn, page
from gnomon.report._budget import Budget
from gnomon.report._checks import check_outcome, check_rows, check_target
from gnomon.report._choice import Choice
from gnomon.report._judge import Judgement
from gnomon.report._kinds import ColumnKind
from gnomon.report._rows_enough import rows_curve
from gnomon.report._scales import scale_of
from gnomon.report._splits import Split
from gnomon.report._target import Target
from gnomon.report._trials import Entrant, Trial, Tryout, try_fold
from gnomon.report.pages import further, verdict
from gnomon.report.scores import SCORES, Forecast, Score

RMSE, _, R2 = SCORES["regression"]
LINE = Candidate("line", "regression", lambda facts, seed: LinearRegression(), complexity=1.0)
LOGIT = Candidate("logit", "classification", lambda facts, seed: LogisticRegression(), complexity=1.0)

CURVES = {
    "falls in every fold": ([1.5, 1.5, 1.6], True, "More rows would help: from 150 to 300 rows the RMSE falls by 0.53"),
    "falls in the mean alone": ([1.0, 1.6, 0.9], False, "It is not clear that more rows would help: "),
    "does not fall": ([0.9, 1.0, 0.95], False, "More rows like these would hardly help: from 150 to 300 rows the RMSE "
                                               "does not fall."),
}  # fmt: skip


NEARNESS = Score("nearness", less_is_better=False, of=lambda y, f: -RMSE.of(y, f))


@pytest.mark.parametrize("score", [RMSE, NEARNESS], ids=lambda score: score.name)
@pytest.mark.parametrize("case", CURVES)
def test_the_verdict_on_more_rows_weighs_the_gain_with_its_error(case, score):
    """The loss of all rows is 1 in each of three folds; that of half of them is given."""
    of_half, helps, words = CURVES[case]
    table = Table({"y": np.random.default_rng(0).normal(size=400)})
    folds = [(np.setdiff1d(np.arange(400), part), part) for part in np.split(np.arange(400), 4)]
    fits = []

    def fit(some, y):
        """So much beside the truth, in the order of quarter and half of each fold."""
        fits.append(len(y))
        j, half = divmod(len(fits) - 1, 2)
        off = of_half[j] if half else 3.0
        return SimpleNamespace(predict=lambda rows: rows["y"] + off)

    trial = Trial(None, {score.name: score.sign * np.ones(4)})
    found = rows_curve(fit, trial, table, table["y"], folds, (), score, Budget(None), 0)
    assert fits == [75, 150] * 3
    assert found.rows.tolist() == [75, 150, 300]
    np.testing.assert_allclose(score.sign * found.scores, np.column_stack([[3.0] * 3, of_half, [1.0] * 3]))
    assert found.helps is helps
    if score is NEARNESS:
        words = words.replace("RMSE", "nearness").replace("falls", "rises").replace("not fall.", "not rise.")
    assert found.verdict.startswith(words)


def test_no_curve_of_rows_is_drawn_where_fewer_have_no_score_or_lack_a_class():
    """Two rows of a class are not in every quarter; a score may be defined for what a model of all rows says alone."""
    y = np.where(np.arange(400) % 200 == 0, "rare", "common")
    folds = [(np.setdiff1d(np.arange(400), part), part) for part in np.split(np.arange(400), 4)]

    def curve(y, score, classes):
        model = SimpleNamespace(predict=lambda rows: np.zeros(len(rows)))
        trial = Trial(None, {score.name: np.ones(4)})
        return rows_curve(lambda *_: model, trial, Table({"y": y}), y, folds, classes, score, Budget(None), 0)

    assert curve(y, SCORES["classification"][0], ("common", "rare")) is None
    assert curve(np.arange(400.0), Score("undefined", True, lambda y, f: np.nan), ()) is None
    assert curve(np.arange(400.0), RMSE, ()) is not None


def outcome(score, cross_validated, interval, baseline, error=0.1):
    """The titles of what is said of a model with these scores."""
    trial = Trial(None, {score.name: np.full(5, cross_validated)}, {score.name: error})
    choice = Choice(trial, learned=True, why="", rule="")
    value = float(np.mean(interval))
    judgement = Judgement(np.zeros(1), Forecast(np.zeros(1)), {score.name: value}, {score.name: interval},
                          {score.name: baseline})  # fmt: skip
    return [finding.title for finding in check_outcome(choice, judgement, score)]


WORSE, UNCLEAR = "Worse on held-out rows", "Not clearly better than the baseline"
OUTCOMES = {
    "as promised": (RMSE, 1.0, (0.9, 1.1), 3.0, []),
    "better than promised": (RMSE, 1.0, (0.5, 0.6), 3.0, []),
    "worse by three errors": (RMSE, 1.0, (1.3, 1.5), 3.0, [WORSE]),
    "worse by one error": (RMSE, 1.0, (1.1, 1.5), 3.0, []),
    "no better than the baseline": (RMSE, 1.0, (0.9, 1.1), 1.05, [UNCLEAR]),
    "both": (RMSE, 1.0, (1.3, 1.5), 1.4, [UNCLEAR, WORSE]),
    "more is better: as promised": (R2, 0.8, (0.7, 0.9), 0.0, []),
    "more is better: better": (R2, 0.5, (0.8, 0.9), 0.0, []),
    "more is better: worse": (R2, 0.8, (0.3, 0.5), 0.0, [WORSE]),
    "more is better: no gain": (R2, 0.1, (-0.1, 0.2), 0.0, [UNCLEAR]),
}


@pytest.mark.parametrize("case", OUTCOMES)
def test_held_out_rows_that_disappoint_are_a_warning(case):
    *given, expected = OUTCOMES[case]
    assert outcome(*given) == expected


def test_nothing_learned_is_the_verdict(only):
    only(LINE)
    rng = np.random.default_rng(0)
    data = {"x": rng.normal(size=100), "y": rng.normal(size=100)}
    study = learn(data, "y")
    words = "Nothing was learned: no model beats the baseline by more than two standard errors of the difference."
    assert verdict(study) == words
    assert repr(study).split("\n\n")[1] == words
    assert words in page(study, Table(data))


def test_nine_of_ten_forecasts_are_within_what_is_said(only):
    only(LINE)
    rng = np.random.default_rng(0)
    x = rng.normal(size=500)
    study = learn({"x": x, "y": 10.0 * x + rng.standard_t(3, size=500)}, "y")
    (said,) = (sentence for sentence in further(study) if sentence.startswith("Nine of ten"))
    within = float(said.split("± ")[1].split(" of")[0])
    off = np.abs(study.judgement.y - study.judgement.forecast.predicted)
    assert np.mean(off <= within) == pytest.approx(0.9, abs=0.011)


def test_rows_of_one_person_and_rows_in_time_are_pointed_out_until_the_split_knows(only):
    only(LOGIT)
    rng = np.random.default_rng(0)
    person = rng.permutation(np.arange(300) % 30)
    height = rng.normal(size=30)[person]
    data = {
        "patient_id": person, "height": height, "x": (x := rng.normal(size=300)),
        "y": np.where(x + rng.normal(size=300) > 0.0, "ill", "well"),
    }  # fmt: skip
    title = "Rows may belong together"
    told = {finding.title: finding.text for finding in learn(data, "y").findings}
    assert "give --group patient_id" in told[title]
    assert title not in {finding.title for finding in learn(data, "y", group="patient_id").findings}
    dated = {**data, "day": np.datetime64("2026-01-01") + np.arange(300)}
    told = {finding.title: finding.text for finding in learn(dated, "y").findings}
    assert "give --time day" in told["Rows in order of time"]
    assert "Rows in order of time" not in {finding.title for finding in learn(dated, "y", time="day").findings}


def test_a_target_that_is_skewed_on_any_scale_keeps_its_own():
    """One row in twenty is a thousand times as large: its logarithm is as skewed."""
    y = np.where(np.arange(200) % 20 == 0, 1000.0, 1.0) + np.random.default_rng(0).uniform(0.0, 0.1, 200)
    assert scale_of(y) == ""
    assert scale_of(-y) == ""


def remarks_on_classes(*counts):
    """What is said of a target with so many rows of each class."""
    y = np.repeat([f"class {k}" for k in range(len(counts))], counts)
    found = check_target(Target("y", "classification", y, np.arange(len(y)), "", len(y) + 3, 0, ("once", "twice")))
    return {finding.title: finding.text for finding in found}


def test_rare_classes_are_counted_and_many_equal_ones_are_not_rare():
    rare = remarks_on_classes(20_000, 5_000, 10)
    assert rare["Imbalanced classes"].startswith("Only 0.04% of the rows are class 2.")
    assert rare["Rare classes left out"].endswith("once, twice. Their 3 rows were left out.")
    assert "Imbalanced classes" not in remarks_on_classes(*[50] * 12)
    assert "Imbalanced classes" in remarks_on_classes(*[50] * 11, 15)


@pytest.mark.parametrize(("groups", "advice"), [(None, "or give --group;"), (np.arange(40), "for --group does not")])
def test_what_to_do_about_twins_depends_on_whether_groups_were_given(groups, advice):
    table, halves = Table({"a": np.tile(np.arange(20.0), 2)}), (np.arange(20), np.arange(20, 40))
    (found,) = check_rows(table, [ColumnKind("a", "number")], Split(*halves, [], "", groups))
    assert found.text.startswith("20 of 20 held-out rows have an exact twin")
    assert advice in found.text


def test_every_step_of_a_study_is_told(only):
    only(LOGIT)
    rng = np.random.default_rng(0)
    steps = []
    learn({"x": (x := rng.normal(size=300)), "y": x > 0.0}, "y", progress=lambda done, of, doing: steps.append(doing))
    assert steps[-8:] == [
        "fitting logit on all 240 training rows", "judging on the held-out rows", "shuffling single columns",
        "asking how it responds to columns", "learning from fewer rows", "comparing held-out and training rows",
        "leaving out words", "fitting logit on all 300 rows",
    ]  # fmt: skip


class Warns(LogisticRegression):
    """Warns of a bound, and of something else."""

    def fit(self, X, y):
        warnings.warn("width lies on its upper bound 1e+05", UserWarning, stacklevel=2)
        warnings.warn("rows are few", UserWarning, stacklevel=2)
        return super().fit(X, y)


@pytest.mark.parametrize(("usual", "told"), [("", 2), (r"on its (lower|upper) bound", 1)])
def test_usual_warnings_of_a_model_are_no_complaints(usual, told):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), np.repeat(["a", "b"], 30)
    candidate = Candidate("warns", "classification", lambda facts, seed: Warns(), 1.0, usual_warnings=usual)
    record = Tryout(Entrant(candidate, Facts("classification", 40, 2, 2), "columns"), SCORES["classification"])
    fold = np.arange(0, 60, 2), np.arange(1, 60, 2)
    try_fold(record, fold, {"columns": (X[fold[0]], X[fold[1]])}, y, ("a", "b"), 0)
    assert len(record.complaints) == told
    assert "rows are few" in record.complaints


def test_a_plane_that_a_gaussian_process_does_not_need_is_no_complaint():
    discover()
    facts = Facts("regression", 40, 1)
    process = next(one for one in candidates(facts) if one.name == "Gaussian process")
    X = np.linspace(-2.0, 2.0, 80)[:, None]
    y, fold = X[:, 0] ** 2 + 0.2 * np.random.default_rng(0).normal(size=80), (np.arange(0, 80, 2), np.arange(1, 80, 2))
    for candidate, told in ((process, False), (replace(process, usual_warnings=""), True)):
        record = Tryout(Entrant(candidate, facts, "columns"), SCORES["regression"])
        try_fold(record, fold, {"columns": (X[fold[0]], X[fold[1]])}, y, (), 0)
        assert any("bound" in complaint for complaint in record.complaints) is told
