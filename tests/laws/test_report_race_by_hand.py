"""Who goes on in the race of models within a time, by hand: models that are so much off, and take so many seconds."""

from typing import NamedTuple

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin

from gnomon._registry import Candidate, Facts
from gnomon.report import _budget, _race
from gnomon.report._budget import Budget
from gnomon.report._first_looks import FirstLooks, LastFit
from gnomon.report._race import UNSEEN, compare
from gnomon.report._trials import BASELINE, Entrant, Tryout
from gnomon.report.scores import SCORES

FOLDS = 5


class Model(NamedTuple):
    """How far off its forecasts are, its seconds for 8000 rows, and for any rows.

    From the fit `since` on it takes `later` seconds for 8000 rows, or fails, or the user ends it. It fails with
    `too_few` rows or fewer.
    """

    off: float
    seconds: float
    fixed: float = 0.0
    later: float = np.nan
    since: int = 99
    fails: bool = False
    ended: bool = False
    too_few: int = 0


class Runner(RegressorMixin, BaseEstimator):
    """Fits and forecasts of a `Model`; the target is the first column."""

    def __init__(self, model, fits, now):
        self.model, self.fits, self.now = model, fits, now

    def fit(self, X, y):
        self.fits.append(len(X))
        late = len(self.fits) >= self.model.since
        if (late and self.model.fails) or len(X) <= self.model.too_few:
            raise ValueError("it broke")
        if late and self.model.ended:
            raise KeyboardInterrupt
        self.now[0] += self.model.fixed + (self.model.later if late else self.model.seconds) * len(X) / 8000
        return self

    def predict(self, X):
        return X[:, 0] + self.model.off


@pytest.fixture
def comparison(clock):
    """Runs models against each other in five folds; the comparison, and the rows of the fits of each."""

    def run(models, seconds, n=10_000):
        """`seconds` are those for comparing."""
        y = np.random.default_rng(0).normal(size=n)
        X, parts, fits = y[:, None], np.array_split(np.arange(n), FOLDS), {name: [] for name in models}
        folds = [(np.setdiff1d(np.arange(n), part), part) for part in parts]
        facts = Facts("regression", n, 1)
        made = [
            Candidate(name, "regression", lambda f, s, name=name: Runner(models[name], fits[name], clock), 1.0 + k)
            for k, name in enumerate(models)
        ]
        field = [Entrant(one, facts, "columns") for one in (BASELINE["regression"], *made)]
        found = compare(
            lambda some: ({"columns": (X[train], X[test])} for train, test in some), y, folds, field, (),
            scores=SCORES["regression"], budget=Budget(seconds / _budget.COMPARISON), progress=lambda *_: None,
        )  # fmt: skip
        return found, fits

    return run


@pytest.fixture
def race(comparison):
    """Runs models against each other in five folds; says what became of each, the fits of each, and how many folds."""

    def run(*given, **options):
        found, fits = comparison(*given, **options)
        told = {trial.candidate.name: trial.stopped or trial.failure for trial in found.trials[1:]}
        return told, {name: len(rows) for name, rows in fits.items()}, len(found.folds)

    return run


def test_few_rows_are_compared_without_first_looks(race):
    """A fold of 4000 rows or fewer is soon done; of more, looks at 500 and 2000 rows come first."""
    assert race({"a": Model(0.1, 0.1)}, 100.0, n=5_000) == ({"a": ""}, {"a": 5}, 5)
    assert race({"a": Model(0.1, 0.1)}, 100.0, n=5_005) == ({"a": ""}, {"a": 7}, 5)


@pytest.mark.parametrize("order", [("better", "worse"), ("worse", "better")])
def test_where_there_is_time_for_one_the_better_goes_on(race, order):
    """Five folds of either take fifty seconds, which first looks tell as 55 or more."""
    off = {"better": 0.1, "worse": 0.2}
    told, fits, done = race({name: Model(off[name], 10.0) for name in order}, 100.0)
    assert told["better"] == ""
    assert told["worse"].startswith("all folds would take about")
    assert fits == {"better": 7, "worse": 2}
    assert done == 5


def test_a_fold_for_which_there_is_no_time_is_not_begun(race):
    """From the third fold on, a fit of the best takes 60 s, of which 50 are left after it: two models, three folds."""
    models = {"quick": Model(0.2, 1.0), "best": Model(0.1, 1.0, later=60.0, since=5)}
    told, fits, done = race(models, 110.0)
    assert told == {"quick": "", "best": ""}
    assert fits == {"quick": 5, "best": 5}
    assert done == 3


def test_a_fold_in_which_time_runs_out_counts_for_nobody(race):
    """In the third fold the first model takes so long that there is no time for the second, which is as well judged."""
    models = {"first": Model(0.2, 1.0, later=95.0, since=5), "second": Model(0.1, 5.0)}
    told, fits, done = race(models, 110.0)
    assert told == {"first": "", "second": ""}
    assert fits == {"first": 5, "second": 4}
    assert done == 2


@pytest.mark.parametrize(
    ("seconds", "told", "fits", "done"),
    [
        (60.0, "the time did not suffice for it; after 1 fold others were ahead", {"cheap": 5, "best": 1}, 5),
        (50.0, "", {"cheap": 3, "best": 3}, 3),
    ],
)
def test_few_folds_with_the_best_are_better_than_many_without_where_its_last_fits_have_time(
    race, seconds, told, fits, done
):
    """A fold has 4000 rows and takes half of these seconds; after the first, a fifth of all that is left is 26 s."""
    models = {"cheap": Model(0.2, 4.0), "best": Model(0.1, seconds)}
    assert race(models, 100.0, n=5_000) == ({"cheap": "", "best": told}, fits, done)


def test_who_was_stopped_for_want_of_time_catches_up_where_some_is_left(race):
    """First looks tell 66 and 40 s for what takes 50 and 30: of a hundred, enough is left in the end."""
    told, fits, done = race({"good": Model(0.1, 10.0), "next": Model(0.2, 6.0), "last": Model(0.3, 9.0)}, 100.0)
    assert (told["good"], told["next"]) == ("", "")
    assert told["last"].startswith("all folds would take about")
    assert fits == {"good": 7, "next": 7, "last": 2}
    assert done == 5


def test_an_interruption_while_others_catch_up_keeps_all_folds(comparison):
    models = {"good": Model(0.1, 10.0), "next": Model(0.2, 6.0, since=3, ended=True), "last": Model(0.3, 9.0)}
    found, _ = comparison(models, 100.0)
    assert found.ended == "the comparison was ended after its last fold, while those stopped for want of time caught up"
    assert len(found.folds) == 5
    assert [trial.complete for trial in found.trials] == [True, True, False, False]


def test_where_all_that_went_on_have_failed_the_cheapest_of_the_others_takes_their_place(race):
    models = {"breaks": Model(0.1, 1.0, since=3, fails=True), "slow": Model(0.2, 40.0), "quick": Model(0.3, 30.0)}
    told, fits, done = race(models, 100.0)
    assert told["breaks"] == "ValueError: it broke"
    assert told["slow"].startswith("all folds would take about")
    assert told["quick"] == ""
    assert fits["quick"] == 2 + done
    assert done == 2


def test_without_a_limit_many_rows_are_compared_without_first_looks(race):
    told, fits, done = race({"good": Model(0.1, 1.0), "slow": Model(0.9, 99.0)}, np.inf)
    assert told["slow"] == "in each of 2 folds it gained less than half of what the best gained over the baseline"
    assert fits == {"good": 5, "slow": 2}
    assert done == 5


def test_a_long_fit_to_few_rows_is_not_followed_by_one_to_more(race):
    """500 rows take 5 of 36 s, by which 2000 would take 26, and a fold of 8000 139."""
    told, fits, _ = race({"good": Model(0.1, 0.0), "slow": Model(0.9, 80.0)}, 36.0)
    assert told["slow"].startswith("all folds would take about 696 s")
    assert fits["slow"] == 1


def test_first_looks_learn_from_rows_of_the_first_fold_and_are_judged_by_those_that_it_leaves_out():
    y, parts = np.random.default_rng(0).normal(size=10_000), np.array_split(np.arange(10_000), FOLDS)
    folds = [(np.setdiff1d(np.arange(10_000), part), part) for part in parts]
    baseline = Entrant(BASELINE["regression"], Facts("regression", 10_000, 1), "columns")
    looks = FirstLooks([Tryout(baseline, SCORES["regression"])], y, (), 0, Budget(100.0))
    X = np.zeros((10_000, 1))
    looks.take(lambda fold: {"columns": (X[fold[0]], X[fold[1]])}, folds, lambda *_: None)
    train, test = looks.fold
    assert (len(train), len(test)) == (2_000, 2_000)
    assert set(train.tolist()) <= set(folds[0][0].tolist())
    assert set(test.tolist()) <= set(folds[0][1].tolist())


def test_a_fit_to_fewer_rows_is_reckoned_to_take_as_long():
    last = LastFit(2.0, 1_000, 0.5)
    assert last.seconds_for(500) == last.seconds_for(1_000) == 2.0 < last.seconds_for(1_001)


@pytest.mark.parametrize(("seconds", "tried"), [(42.0, False), (1800.0, True)])
def test_a_model_whose_first_look_failed_counts_as_dear_as_any(race, seconds, tried):
    """2000 rows take `slow` 20 s, by which a fold takes 106; in 42 s there is no time for them, and 500 take 5."""
    models = {"good": Model(0.1, 0.0), "fails": Model(0.2, 0.0, too_few=2_000), "slow": Model(0.3, 80.0)}
    told, fits, _ = race(models, seconds)
    said = "a first look at it failed, and there was no time to try it on more rows; ValueError: it broke"
    assert told["fails"] == ("" if tried else said)
    assert fits["fails"] == (7 if tried else 2)


@pytest.mark.parametrize(
    ("seconds", "first", "looked_at"), [(36.0, False, True), (75.6, True, True), (69.6, True, False)]
)
def test_first_looks_go_on_where_those_so_far_leave_time(race, seconds, first, looked_at):
    """500 rows take `slow` 30 s, and show that a fold is too dear; a quick one before it needs 10 more."""
    quick = Model(0.1, 0.0, fixed=0.5)
    told, fits, _ = race({**({"first": quick} if first else {}), "slow": Model(0.9, 480.0), "last": quick}, seconds)
    assert told["slow"].startswith("all folds would take about")
    assert (told["last"] != UNSEEN) is looked_at is (fits["last"] > 0)


@pytest.mark.parametrize("patience", [10.0, 0.0])
def test_where_all_others_are_worse_than_the_baseline_what_has_not_been_looked_at_is_tried(race, monkeypatch, patience):
    """A look at `slow` takes all the time for comparing; some is left for the last fits."""
    monkeypatch.setattr(_race, "PATIENCE", patience)
    good = Model(0.1, 0.0)
    told, fits, _ = race({"wrong": Model(9.0, 0.0), "slow": Model(0.9, 80.0), "late": good, "later": good}, 4.2)
    assert told["wrong"] == "in each of 2 folds it was worse than the baseline"
    assert (told["late"], told["later"]) == ("", UNSEEN)
    assert fits["late"] == 2


def test_what_is_tried_after_all_may_take_of_the_time_that_is_left_for_all(race, monkeypatch):
    """A look at `slow` takes 50 of the 42 s for comparing, and 16.5 are left until the files are to be written."""
    asked = []

    def longest(left, expected):
        asked.append(left)
        return np.inf

    monkeypatch.setattr(_race, "longest_fit", longest)
    race({"wrong": Model(9.0, 0.0), "slow": Model(0.9, 800.0), "late": Model(0.1, 0.0)}, 42.0)
    assert asked[-2:] == pytest.approx([16.5, 16.5])
