"""Within a time: every question to a study is asked as far as the time suffices, and what is left is shown."""

import io
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from rich.console import Console
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import LinearRegression

from gnomon._registry import Candidate, Facts
from gnomon.cli import _learn
from gnomon.io import Table
from gnomon.report import _scales, _search, _stages, _trials, learn
from gnomon.report._budget import Budget
from gnomon.report._judge import PERMUTATIONS, importances
from gnomon.report._kinds import ColumnKind, infer_kinds
from gnomon.report._metrics import scores_of
from gnomon.report._responses import MOST_RESPONSES, responses
from gnomon.report._rows_enough import rows_curve
from gnomon.report._splits import Split
from gnomon.report._target import read_target
from gnomon.report._trials import Entrant, Trial
from gnomon.report._words_that_matter import word_effects
from gnomon.report.scores import SCORES
from gnomon.trees import DecisionTreeRegressor

RMSE = SCORES["regression"][0]
N = 60
LINE = Candidate("line", "regression", lambda facts, seed: LinearRegression(), complexity=1.0)


class Answers:
    """A sum of some columns, and how many characters a text has; an answer takes a second."""

    def __init__(self, clock):
        self.clock = clock

    def predict(self, table):
        self.clock[0] += 1.0
        said = np.array([float(len(cell)) for cell in table["text"].tolist()]) if "text" in table.columns else 0.0
        return said + sum(table[name] for name in table.names if name.startswith("x"))


def columns(many=8):
    rng = np.random.default_rng(0)
    return Table({**{f"x{j}": rng.normal(size=N) for j in range(many)}, "y": rng.normal(size=N)})


PARTS = Split(np.arange(30), np.arange(30, N), [], "")


@pytest.mark.parametrize(("limit", "shuffles"), [(1000.0, PERMUTATIONS), (90.0, 3), (20.0, None)])
def test_columns_are_shuffled_as_often_as_there_is_time(clock, limit, shuffles):
    """Eight columns take eight seconds each time; .3 of what is left is 24.9 s of 90, and 4.5 s of 20."""
    table = columns()
    names = [name for name in table.names if name != "y"]
    budget = Budget(limit)
    found = importances(Answers(clock), read_target(table, "y"), table, PARTS, names, RMSE, 0, budget)
    assert [one.shuffles for one in found] == ([] if shuffles is None else [shuffles] * 8)
    assert clock[0] == 1.0 + 8.0 * (shuffles or 0)
    assert bool(budget.missed) is (shuffles is None)


@pytest.mark.parametrize(("limit", "many"), [(1000.0, MOST_RESPONSES), (110.0, 2), (20.0, 0)])
def test_as_many_responses_are_shown_as_there_is_time_for(clock, limit, many):
    """One takes fifteen seconds, an answer for each of its values."""
    table = columns()
    kinds = list(infer_kinds(table, table.names[:-1]).values())
    budget = Budget(limit)
    found = responses(Answers(clock), table, PARTS.test, kinds, (), "y", 0, budget)
    assert [one.name for one in found] == [kind.name for kind in kinds[:many]]
    assert clock[0] <= 1.0 + 0.3 * limit
    assert bool(budget.missed) is (many < MOST_RESPONSES)


@pytest.mark.parametrize(("limit", "words"), [(None, 4), (3.0, 1), (1.0, 0)])
def test_words_are_left_out_one_by_one_while_there_is_time(clock, limit, words):
    """An answer to all takes a second; that to the few rows of one word, as it is reckoned, less than a tenth of it."""
    rng = np.random.default_rng(0)
    said = rng.permuted(np.repeat([["lamp", "chair", "desk", "wardrobe"]], 400, axis=0), axis=1)[:, 0]
    model, table, budget = Answers(clock), Table({"text": said}), Budget(limit)
    found = word_effects(model, table, [ColumnKind("text", "text")], (), 0, budget)
    assert len(found) == words
    assert bool(budget.missed) is (words < 4)
    assert clock[0] == 1.0 + words


@pytest.mark.parametrize(("limit", "shown"), [(1000.0, True), (5.0, False)])
def test_fewer_rows_are_tried_where_there_is_time(limit, shown):
    """Nine tenths of a fold for each of three folds, of .5 s each: 1.1 s, and a quarter of 5 s is less than 1.2 s."""
    rng = np.random.default_rng(0)
    table = Table({"x": (x := rng.normal(size=400))})
    folds = [(np.setdiff1d(np.arange(400), part), part) for part in np.split(np.arange(400), 4)]
    trial = Trial(None, {"RMSE": np.ones(4)}, seconds=2.2)

    def fit(some, y):
        return LinearRegression().fit(some["x"][:, None], y)

    class Line:
        def __init__(self, fitted):
            self.fitted = fitted

        def predict(self, some):
            return self.fitted.predict(some["x"][:, None])

    budget = Budget(limit)
    found = rows_curve(lambda some, y: Line(fit(some, y)), trial, table, x, folds, (), RMSE, budget, 0)
    assert (found is None) == (budget.missed == ["whether more rows would help"]) == (not shown)


class Patient(RegressorMixin, BaseEstimator):
    """A line whose fit takes so many seconds; after the first ten fits more."""

    def __init__(self, clock=None, seconds=1.0, later=1.0, fits=None):
        self.clock, self.seconds, self.later, self.fits = clock, seconds, later, fits

    def __sklearn_clone__(self):
        return Patient(self.clock, self.seconds, self.later, self.fits)

    def fit(self, X, y):
        self.fits.append(len(y))
        self.clock[0] += self.seconds if len(self.fits) <= 10 else self.later
        self.line_ = LinearRegression().fit(X, y)
        return self

    def predict(self, X):
        return self.line_.predict(X)


CURVE = "whether more rows would help"
REFIT = "the fit to all rows, so that the model file holds the one that was judged"


def skewed():
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    return {"x": x, "y": np.exp(x + 0.2 * rng.normal(size=200))}


@pytest.mark.parametrize(
    ("limit", "later", "tried", "many"),
    [(1000.0, 1.0, True, 40 + 4 + 24), (45.0, 1.0, False, 1 + 6), (1000.0, 30.0, False, 4 + 1 + 6)],
)
def test_another_scale_is_tried_where_there_is_time(only, clock, limit, later, tried, many):
    """Ten folds take ten seconds. On a scale there are three fits more in each, for the residuals: 30 s is expected.

    Where fits are suddenly slow, the trial ends after its first fold. Behind it are the fit to the training rows, and
    six of the curve of rows.
    """
    fits = []
    only(Candidate("line", "regression", lambda f, s: Patient(clock, 1.0, later, fits), complexity=1.0))
    study = learn(skewed(), "y", time_limit=limit, single=True, refit=False)
    line, scaled = study.trials[1:]
    assert (line.candidate.name, scaled.candidate.name) == ("line", "line on a log scale")
    assert (line.stopped, scaled.stopped) == ("", "" if tried else "the time did not suffice for it")
    assert len(fits) == 10 + many
    assert study.choice.learned


@pytest.mark.parametrize(("limit", "left_out"), [(1000.0, []), (20.0, [CURVE]), (4.0, [CURVE, REFIT])])
def test_what_the_time_did_not_suffice_for_is_said(only, clock, monkeypatch, limit, left_out):
    """A fit takes a second. In 4 s there are two folds and the training rows, and .8 s are left for 1.3 of all rows."""
    monkeypatch.setattr(_stages, "stopwatch", _trials.stopwatch)
    only(Candidate("line", "regression", lambda f, s: Patient(clock, fits=[]), complexity=1.0))
    rng = np.random.default_rng(0)
    study = learn({"x": (x := rng.normal(size=200)), "y": 2.0 * x + rng.normal(size=200)}, "y", time_limit=limit)
    told = [finding.text for finding in study.findings if finding.title == "Left out"]
    said = f"There was no time for: {'; '.join(left_out)}. A longer --time-limit gives more."
    assert told == ([said] if left_out else [])
    assert study.refitted is (REFIT not in left_out)
    assert (study.rows_curve is None) is (CURVE in left_out)
    assert study.importances


@pytest.mark.parametrize(
    ("limit", "later", "settings"),
    [(1000.0, 1.0, 5), (45.0, 1.0, 2), (25.0, 1.0, 0), (58.0, 2.0, 1), (1000.0, 90.0, 1)],
)
def test_settings_are_tried_while_there_is_time(only, clock, monkeypatch, limit, later, settings):
    """Ten folds take ten seconds, or twenty with another depth than one; tuning ends at three quarters of the time.

    Where a fold suddenly takes 90 s, the others of that setting have no time, and another setting has none either.
    """
    told = []

    class Watched(_search.BayesianOptimizer):
        def tell(self, x, value):
            told.append((x["max_depth"], value))
            return super().tell(x, value)

    class Tree(DecisionTreeRegressor):
        def fit(self, X, y, **options):
            clock[0] += 1.0 if self.max_depth == 1 else later
            return super().fit(X, y, **options)

    monkeypatch.setattr(_search, "BayesianOptimizer", Watched)
    monkeypatch.setattr(_search, "clearly_behind", lambda losses, baseline: [])
    space = {"max_depth": [1, 2, 3, 4, 5]}
    only(Candidate("tree", "regression", lambda f, s: Tree(max_depth=1), 1.0, space=lambda facts: space))
    rng = np.random.default_rng(0)
    x = rng.uniform(-2.0, 2.0, 200)
    study = learn({"x": x, "y": np.sin(3.0 * x)}, "y", search=True, single=True, time_limit=limit, refit=False)
    assert len(told) == settings
    stopped = {trial.candidate.name: trial.stopped for trial in study.trials if trial.stopped}
    none = "none of the settings that were tried (1) is better than the default one; the time did not suffice for more"
    why = {25.0: "the time did not suffice for a setting of it", 1000.0: none if later > 2.0 else None}.get(limit)
    assert stopped == ({"tuned tree": why} if why else {})
    # The optimizer hears how much better than the default each setting is, in the mean over the folds.
    plain = next(trial for trial in study.trials if trial.candidate.name == "tree")
    train = study.split.train
    for depth, value in told:
        losses = []
        for fold, rest in study.split.folds:
            tree = DecisionTreeRegressor(max_depth=depth).fit(x[train[fold], None], study.target.y[train[fold]])
            losses.append(np.sqrt(np.mean((study.target.y[train[rest]] - tree.predict(x[train[rest], None])) ** 2)))
        judged = slice(None if later < 10.0 else 1)
        assert value == pytest.approx(np.mean((losses - plain.scores["RMSE"])[judged]), abs=1e-9)
    assert clock[0] < limit


def trial_in(name, seconds):
    candidate = Candidate(name, "regression", lambda f, s: LinearRegression(), 1.0)
    facts = Facts("regression", n_rows=100, n_features=1)
    return Trial(Entrant(candidate, facts, "columns"), {"RMSE": np.ones(2)}, seconds=seconds)


@pytest.mark.parametrize(
    ("limit", "spent", "stopped"),
    [
        (None, 900.0, []),
        (100.0, 54.0, []),
        (100.0, 56.0, ["slow"]),
        (100.0, 99.0, ["slow"]),
        (50.0, 49.0, ["middle", "slow"]),
    ],
)
def test_models_whose_last_fit_takes_too_long_are_stopped_and_one_is_left(clock, limit, spent, stopped):
    """The last fits take 1, 3 and 20 s; half of what is left of 95 % may be used, or a twentieth of the limit."""
    budget, y = Budget(limit), np.zeros(100)
    clock[0] = spent
    folds = [(np.arange(100), np.arange(9))] * 2
    took = {"baseline": 0.0, "quick": 1.0, "middle": 3.0, "slow": 20.0}
    trials = [trial_in(name, 2.0 * seconds) for name, seconds in took.items()]
    asked = SimpleNamespace(budget=budget, y=y)
    told = [trial.candidate.name for trial in _stages._in_time(asked, trials, folds) if trial.stopped]
    assert told == stopped
    assert all(trial.complete for trial in _stages._in_time(asked, [trials[0], trials[3]], folds))


def test_what_was_not_tried_is_said_wherever_a_study_is_read(only):
    only(Candidate("line", "regression", lambda f, s: LinearRegression(), complexity=1.0))
    study = learn(skewed(), "y", single=True)
    why = "the time did not suffice for it"
    slow = replace(study.trials[1], stopped=why)
    one, other = (replace(slow, entrant=slow.entrant._replace(candidate=replace(slow.candidate, name=name)))
                  for name in ("slow", "slower"))  # fmt: skip
    study = replace(study, trials=[*study.trials, one, other])
    assert f"Stopped. slow; slower: {why}." in repr(study)
    assert f"slow; slower: {why}." in study._repr_html_()


def test_the_bar_shows_what_is_done_and_how_much_time_there_is(monkeypatch):
    screen = io.StringIO()
    monkeypatch.setattr(_learn, "errors", lambda: Console(file=screen, force_terminal=True, width=120))
    with _learn.progress_bar(quiet=False, limit=300.0) as progress:
        progress(3, 10, "cross-validating ridge")
    said = screen.getvalue()
    for part in ("cross-validating ridge", "3/10", "of at most 0:05:00"):
        assert part in said
    with _learn.progress_bar(quiet=True, limit=300.0) as progress:
        progress(4, 10, "unheard")
    assert "unheard" not in screen.getvalue()


def test_scores_that_ask_for_no_mean_are_scores_that_may_choose():
    """Of positive numbers, for errors of logarithms."""
    target = read_target(Table(skewed()), "y")
    assert [scores_of(name, target)[0].name for name in _scales.OF_MEDIANS] == list(_scales.OF_MEDIANS)


def test_where_time_is_short_fewer_rows_tell_what_columns_are_worth(clock):
    """A row takes a thousandth of a second: two shuffles of eight columns 32 s, and .3 of what is left is 14 s."""
    rng = np.random.default_rng(0)
    table = Table({**{f"x{j}": rng.normal(size=4000) for j in range(8)}, "y": rng.normal(size=4000)})
    parts, asked = Split(np.arange(2000), np.arange(2000, 4000), [], ""), []

    class Slow:
        def predict(self, some):
            asked.append(len(some))
            clock[0] += 0.001 * len(some)
            return some["x0"]

    given = read_target(table, "y"), table, parts, table.names[:-1], RMSE, 0
    found = importances(Slow(), *given, Budget(50.0))
    assert [one.shuffles for one in found] == [2] * 8
    assert 200 <= asked[1] < 1000
    assert asked == [2000, *[asked[1]] * 17]
    assert clock[0] < 2.0 + 0.3 * 50.0 + 1.0
    assert importances(Slow(), *given, Budget(4.0)) == []


def test_what_was_too_short_is_the_time_and_not_the_columns():
    stopped = [
        Trial(Entrant(LINE, Facts("regression", 10, 1), "columns"), stopped="the time did not suffice for it")
    ] * 2
    assert _stages._why_none(stopped).startswith("no model that there was time for is better")
    failed = [*stopped, Trial(Entrant(LINE, Facts("regression", 10, 1), "columns"), failure="ValueError: no")]
    assert _stages._why_none(failed).startswith("no model could be fitted; look at the columns")
