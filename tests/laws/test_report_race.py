"""The race of models within a time, means of several models, the model of all rows, clocks and terms."""

import copy
import time
import zipfile

import numpy as np
import pytest
from scipy.sparse import issparse
from scipy.stats import uniform
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LinearRegression, LogisticRegression

from gnomon._registry import Candidate
from gnomon.io import Table, UserError, load, save
from gnomon.report import _budget, _race, _search, learn, page, summary
from gnomon.report._blend import MemberForecasts
from gnomon.report._kinds import infer_kinds
from gnomon.report.prepare import CODINGS, Preparer, TextBlock
from gnomon.trees import DecisionTreeClassifier, DecisionTreeRegressor


def two_classes(n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = np.where(X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=n) > 0, "yes", "no")
    return {**{name: X[:, j] for j, name in enumerate("abc")}, "y": y}


def numbers(n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2.0, 2.0, size=(n, 2))
    return {"a": X[:, 0], "b": X[:, 1], "y": X[:, 0] + np.abs(X[:, 1]) + 0.1 * rng.normal(size=n)}


LINEAR = Candidate("line", "classification", lambda facts, seed: LogisticRegression(), complexity=1.0)
TREE = Candidate("tree", "classification", lambda facts, seed: DecisionTreeClassifier(max_depth=4), complexity=2.0)
SLOPE = Candidate("slope", "regression", lambda facts, seed: LinearRegression(), complexity=1.0)
STEPS = Candidate("steps", "regression", lambda facts, seed: DecisionTreeRegressor(max_depth=4), complexity=2.0)


@pytest.mark.parametrize(("table", "members"), [(two_classes(), (LINEAR, TREE)), (numbers(), (SLOPE, STEPS))])
def test_a_mean_of_two_is_what_its_members_say(only, table, members, tmp_path):
    only(*members)
    study = learn(table, "y", rule="best")
    blend = study.choice.trial
    assert blend.candidate.name.startswith("mean of ")
    # Better than both, by weights found in other folds than those that judge them.
    loss = next(iter(blend.scores))
    assert all(blend.mean(loss) < trial.mean(loss) for trial in study.trials[1:-1])
    first, last = study.judged[0], study.judged[-1]
    assert isinstance(first, MemberForecasts)
    last = getattr(last, "model", last)
    np.testing.assert_allclose(np.sum(last.weights), 1.0)
    data = Table(table)
    said = [m.predict_proba(data) if last.of_classes else m.predict(data) for m in first.members]
    by_hand = sum(w * part for w, part in zip(last.weights, said, strict=True))
    found = last.predict_proba(first.transform(data)) if last.of_classes else last.predict(first.transform(data))
    np.testing.assert_allclose(found, by_hand, rtol=1e-12)
    save(study.model, tmp_path / "m.skops")
    np.testing.assert_array_equal(load(tmp_path / "m.skops").predict(data), study.model.predict(data))
    assert blend.candidate.name in page(study, data)


def test_one_model_is_enough_where_asked(only):
    only(LINEAR, TREE)
    study = learn(two_classes(), "y", rule="best", single=True)
    assert [trial.candidate.name for trial in study.trials] == ["baseline", "line", "tree"]


def test_the_file_holds_a_model_of_all_rows(only):
    only(LINEAR)
    table = two_classes()
    study, judged = learn(table, "y"), learn(table, "y", refit=False)
    rows = np.column_stack([table[name] for name in "abc"])
    whole = LogisticRegression().fit((rows - rows.mean(axis=0)) / rows.std(axis=0), table["y"])
    np.testing.assert_allclose(study.model[-1].coef_, whole.coef_, rtol=1e-6)
    np.testing.assert_array_equal(judged.model[-1].coef_, judged.judged[-1].coef_)
    np.testing.assert_array_equal(study.judged[-1].coef_, judged.judged[-1].coef_)
    assert study.refitted
    assert not judged.refitted
    assert "all 300 rows" in page(study, Table(table))
    assert "training rows only" in page(judged, Table(table))


def test_rows_that_calibrate_sets_are_not_learned_from(only):
    from gnomon.report import Aims

    only(LINEAR)
    assert not learn(two_classes(), "y", aims=Aims(coverage=0.9)).refitted


class Slow(ClassifierMixin, BaseEstimator):
    """Says the shares of the classes, and that its fits take long."""

    def __init__(self, clock=None, seconds=0.01):
        self.clock, self.seconds = clock, seconds

    def fit(self, X, y):
        self.clock[0] += self.seconds * len(X)
        self.classes_, counts = np.unique(y, return_counts=True)
        self.shares_ = counts / len(y)
        return self

    def predict_proba(self, X):
        return np.tile(self.shares_, (len(X), 1))

    def predict(self, X):
        return self.classes_[np.full(len(X), np.argmax(self.shares_))]


def slow(clock, seconds=0.01):
    return Candidate("slow", "classification", lambda facts, seed: Slow(clock, seconds), complexity=3.0)


@pytest.mark.parametrize(
    ("n", "limit", "why"),
    [(300, 60.0, "less than half of what the best gained"), (10_000, 60.0, "all folds would take about")],
)
def test_a_model_that_cannot_win_is_stopped_and_said(only, clock, monkeypatch, n, limit, why):
    monkeypatch.setattr(_race, "PATIENCE", 1.0)
    only(LINEAR, slow(clock))
    study = learn(two_classes(n), "y", time_limit=limit)
    stopped = {trial.candidate.name: trial.stopped for trial in study.trials if trial.stopped}
    assert list(stopped) == ["slow"]
    assert why in stopped["slow"]
    assert clock[0] < limit
    assert f"stopped: {stopped['slow']}" in page(study, Table(two_classes(n)))
    assert [tried for tried in summary(study)["tried"] if "stopped" in tried]


class Impatient(LogisticRegression):
    """A model in whose fit of this number the user ends the comparison."""

    def __init__(self, fits=None, last=1):
        super().__init__()
        self.fits, self.last = fits, last

    def fit(self, X, y):
        self.fits.append(len(y))
        if len(self.fits) == self.last:
            raise KeyboardInterrupt
        return super().fit(X, y)


def impatient(last, complexity=3.0):
    fits = []
    return Candidate("impatient", "classification", lambda facts, seed: Impatient(fits, last), complexity=complexity)


@pytest.mark.parametrize(
    ("n", "last", "folds", "said"),
    [
        (1500, 4, 3, "before its last fold"),
        (1500, 2, 1, "in its second fold, so that one alone counts"),
        (1500, 1, 1, "in its first fold, which alone counts"),
        (7000, 1, 1, "before its first fold, so that first looks at 2000 rows or fewer count"),
        (7000, 2, 1, "before its first fold, so that first looks at 2000 rows or fewer count"),
        (7000, 3, 1, "in its first fold, which alone counts"),
    ],
)
def test_an_interruption_keeps_what_was_found(only, n, last, folds, said):
    """After 7000 rows with a limit, the first two fits are looks at 500 and 2000 of them."""
    only(LINEAR, TREE, impatient(last))
    study = learn(two_classes(n), "y", time_limit=600.0)
    assert [f.text for f in study.findings if f.title == "Interrupted"] == [
        f"The comparison was ended {said}; what had been found by then was used."
    ]
    told = {trial.candidate.name: trial for trial in study.trials}
    compared = [name for name, trial in told.items() if trial.complete]
    assert {"baseline", "line", "tree"} <= set(compared)
    assert all(len(told[name].scores["log loss"]) == folds for name in compared)
    assert ("impatient" in compared) is (last in (2, 4))
    assert told["impatient"].stopped == ("" if last in (2, 4) else "the comparison was ended before it")
    assert study.choice.learned
    assert study.judgement.scores["log loss"] < 0.6 < study.judgement.baseline["log loss"]
    if folds == 1:
        best = min(("line", "tree", "impatient")[: len(compared) - 1], key=lambda name: told[name].mean("log loss"))
        assert study.choice.trial.candidate.name == best
        assert "one fold" in study.choice.why
        assert "one fold" in study.choice.rule
        assert (study.calibration, study.threshold, study.rows_curve) == (None, None, None)
    tried = page(study, Table(two_classes(n))).split("Models tried")[1].split("<tbody>")[1].split("</tbody>")[0]
    assert ("±" in tried) is (folds > 1)
    assert np.isnan(study.choice.trial.errors["log loss"]) == (folds == 1)


def test_an_interruption_that_found_nothing_ends_the_study(only):
    only(impatient(1, complexity=0.0), LINEAR)
    with pytest.raises(KeyboardInterrupt):
        learn(two_classes(1500), "y")


def test_a_time_limit_is_positive():
    with pytest.raises(UserError, match="--time-limit 0 must be greater than 0"):
        learn(two_classes(), "y", time_limit=0.0)


def test_dates_that_order_the_rows_tell_their_hour(only):
    when = np.datetime64("2024-01-01T00:00") + 10 * np.arange(4000).astype("timedelta64[m]")
    hour = (when - when.astype("datetime64[D]")).astype(int) / 60.0
    table = {"when": when, "noise": np.random.default_rng(0).normal(size=4000), "y": np.where(hour > 11.9, "pm", "am")}
    only(TREE)
    study = learn(table, "y", time="when")
    assert {kind.name: kind.kind for kind in study.kinds} == {"when": "clock", "noise": "number"}
    assert study.judgement.scores["accuracy"] == 1.0
    names = study.judged[0].get_feature_names_out().tolist()
    assert "hour of when" in names
    assert "when" not in names
    days = {**table, "when": when.astype("datetime64[D]")}
    assert {kind.name: kind.kind for kind in learn(days, "y", time="when").kinds}["when"] == "unused"


def test_texts_are_terms_for_lines_and_topics_for_trees(only):
    rng = np.random.default_rng(0)
    words = [["good", "fine"], ["awful", "poor"]]
    said = [
        " ".join(rng.choice(words[k], 3)) + f" number{i} of the day" for i, k in enumerate(rng.integers(2, size=200))
    ]
    table = {"text": said, "y": ["no" if "awful" in s or "poor" in s else "yes" for s in said]}
    only(LINEAR, Candidate("tree of words", "classification", TREE.make, complexity=2.0, levels="words"))
    study = learn(table, "y", types={"text": "text"})
    assert all(trial.mean("accuracy") > 0.95 for trial in study.trials[1:])
    terms = Preparer(study.kinds).fit(Table(table))
    names = terms.get_feature_names_out().tolist()
    assert {"text: good", "text: good fine", "text: ’oo’"} <= set(names)
    assert terms.transform(Table(table)).shape[1] == len(names)
    topics = Preparer(study.kinds, "words").fit(Table(table))
    assert topics.get_feature_names_out()[0] == "text: topic 1"
    assert 2 <= topics.transform(Table(table)).shape[1] <= 50


@pytest.mark.parametrize("detail", ["full", "plain"])
@pytest.mark.parametrize("levels", CODINGS)
def test_rows_that_are_learned_from_are_taken_apart_once(levels, detail, monkeypatch):
    rng = np.random.default_rng(0)
    words = rng.choice(["red", "green", "blue", "grey", "dark"], (60, 4))
    table = Table(
        {
            "size": np.where(np.arange(60) % 7 == 0, np.nan, rng.normal(size=60)),
            "kind": rng.choice(["a", "b", "c"], 60),
            "when": np.datetime64("2024-01-01") + rng.integers(0, 400, 60),
            "text": np.array([" ".join(row) for row in words]),
        }
    )
    kinds = tuple(infer_kinds(table, table.names, types={"text": "text"}).values())
    assert {kind.kind for kind in kinds} == {"number", "category", "date", "text"}
    y = rng.normal(size=60)
    prepare = Preparer(kinds, levels, detail).fit(table, y)
    expected = prepare.transform(table)
    with monkeypatch.context() as patched:
        patched.setattr(TextBlock, "transform", lambda self, rows: pytest.fail("the texts are taken apart again"))
        found = Preparer(kinds, levels, detail).fit_transform(table, y)
    assert type(found) is type(expected)
    if issparse(found):
        found, expected = found.toarray(), expected.toarray()
    for name, mine, other in zip(prepare.get_feature_names_out(), found.T, expected.T, strict=True):
        if isinstance(other[0], str):
            np.testing.assert_array_equal(mine, other)
        elif levels == "means" and name.startswith("kind:"):
            assert not np.allclose(mine, other)  # of the rows that are learned from, the means are those of others
        else:
            np.testing.assert_allclose(mine.astype(float), other.astype(float), rtol=1e-12, atol=1e-12)


def with_rare_classes(n=7_000, seed=0):
    """Two common classes, and two of twelve rows each, of which two thousand random rows have four at most."""
    table = two_classes(n, seed)
    rare = np.random.default_rng(seed).permutation(n)[:24]
    table["y"][rare[:12]], table["y"][rare[12:]] = "new", "off"
    table["a"][rare[:12]] += 9.0
    table["b"][rare[12:]] += 9.0
    return table


class Watched(LogisticRegression):
    """Records the rows of each class in every fit."""

    def __init__(self, seen=None):
        super().__init__()
        self.seen = seen

    def fit(self, X, y):
        self.seen.append(dict(zip(*np.unique(y, return_counts=True), strict=True)))
        return super().fit(X, y)


def test_a_first_look_has_rows_of_rare_classes(only):
    only(Candidate("watched", "classification", lambda f, s: Watched(seen), complexity=1.0))
    seen = []
    study = learn(with_rare_classes(), "y", time_limit=60.0, single=True)
    assert study.target.classes == ("new", "no", "off", "yes")
    assert [sum(rows.values()) for rows in seen[:2]] == [500, 2_000]
    assert all(rows["new"] == rows["off"] == 6 for rows in seen[:2])
    assert min(seen[2].values()) > 6


class HalfASecondByTheClock(LogisticRegression):
    """A model whose fits take half a second of a clock that does not run by itself."""

    def __init__(self, clock=None):
        super().__init__()
        self.clock = clock

    def fit(self, X, y):
        self.clock[0] += 0.5
        return super().fit(X, y)


def test_the_best_has_a_second_fold_although_comparing_is_over(only, clock):
    """Code is compiled before its first fold, which no first look could tell."""

    def compiled(done, of, doing):
        clock[0] += 38.0 if doing == "cross-validating good" and clock[0] < 10.0 else 0.0

    shares = Candidate("shares", "classification", lambda f, s: Slow([0.0]), complexity=1.0)
    only(shares, Candidate("good", "classification", lambda f, s: HalfASecondByTheClock(clock), complexity=2.0))
    study = learn(two_classes(10_000), "y", time_limit=60.0, single=True, progress=compiled)
    assert study.choice.trial.candidate.name == "good"
    assert [len(trial.scores["log loss"]) for trial in study.trials if trial.complete] == [2, 2]
    assert clock[0] < 60.0


class Steady(LogisticRegression):
    """A model whose fits take so many seconds a row of a clock that does not run by itself."""

    def __init__(self, clock=None, seconds=0.0):
        super().__init__()
        self.clock, self.seconds = clock, seconds

    def fit(self, X, y):
        self.clock[0] += self.seconds * len(X)
        return super().fit(X, y)


@pytest.mark.parametrize(("seconds", "folds"), [(0.00125, 4), (0.003, None)])
def test_the_best_of_the_first_looks_has_two_folds_where_there_is_no_time_for_all(only, clock, seconds, folds):
    """By a look at 2000 rows a fold takes 10 or 24 s, and comparing may take 36; in truth it is 8 or 19."""
    shares = Candidate("shares", "classification", lambda f, s: Slow([0.0]), complexity=1.0)
    only(shares, Candidate("good", "classification", lambda f, s: Steady(clock, seconds), complexity=2.0))
    study = learn(two_classes(10_000), "y", time_limit=60.0, single=True)
    told = {trial.candidate.name: trial for trial in study.trials}
    assert study.choice.learned is (folds is not None)
    assert [len(trial.scores["log loss"]) for trial in told.values() if trial.complete] == [folds or 5] * 2
    assert told["good"].complete is (folds is not None)
    assert clock[0] < 60.0


def test_terms_are_one_text_in_a_model_file(tmp_path):
    rng = np.random.default_rng(0)
    table = Table({"note": np.array([" ".join(rng.choice(300, 12).astype(str)) for _ in range(300)])})
    kind = infer_kinds(table, ["note"], types={"note": "text"})["note"]
    block, path = TextBlock(kind, "columns"), tmp_path / "m.skops"
    matrix = block.fit_transform(table)
    save(block, path)
    # A term with an entry of its own takes a millisecond to write and to read: half a minute for all words of a table.
    assert len(zipfile.ZipFile(path).namelist()) < 10
    for found in (load(path), copy.deepcopy(block)):
        assert abs(found.transform(table) - matrix).max() < 1e-15
        assert found.names() == block.names()
    save(TextBlock(kind, "columns"), path)
    assert load(path).fit(table).names() == block.names()


@pytest.mark.parametrize(("limit", "folds"), [(1000.0, 10), (60.0, 7), (14.0, 2)])
def test_making_the_matrices_of_folds_takes_of_the_time_too(only, clock, monkeypatch, limit, folds):
    """Five seconds for each fold, and five for the columns of all: of 60 s, comparing may take 36."""
    only(LINEAR)
    prepared, fit_transform = [], Preparer.fit_transform

    def slowly(self, X, y=None):
        clock[0] += 5.0
        prepared.append(len(X))
        return fit_transform(self, X, y)

    monkeypatch.setattr(Preparer, "fit_transform", slowly)
    monkeypatch.setattr(_race, "PATIENCE", 0.0)
    study = learn(two_classes(), "y", time_limit=limit, single=True, refit=False)
    assert len(study.choice.trial.scores["log loss"]) == folds
    assert prepared[:folds] == [192] * folds
    assert prepared[folds : folds + 1] == [240]


class Endless(LogisticRegression):
    """A model whose fits do not end."""

    def fit(self, X, y):
        while True:
            time.sleep(0.01)


ENDLESS = Candidate("endless", "classification", lambda facts, seed: Endless(), complexity=3.0)


@pytest.mark.parametrize("n", [300, 7000])
def test_a_fit_that_does_not_end_is_ended(only, monkeypatch, n):
    """Of few rows in the first fold; of many in the first look, so that nothing else is known of it."""
    monkeypatch.setattr(_budget, "LEAST_OF_FIT", 0.05)
    monkeypatch.setattr(_budget, "SHARE_OF_FIT", 1e-3)
    only(LINEAR, ENDLESS)
    study = learn(two_classes(n), "y", time_limit=60.0)
    found = {trial.candidate.name: trial for trial in study.trials}
    assert found["line"].complete
    said = "rows was ended after 0 s, its share of the time" if n == 300 else _race.UNSEEN
    assert found["endless"].stopped.endswith(said)


class EndlessBeyond(LogisticRegression):
    """A model whose fits do not end with C > 2."""

    def fit(self, X, y):
        while self.C > 2.0:
            time.sleep(0.01)
        return super().fit(X, y)


def test_settings_whose_fits_do_not_end_are_passed_over(only, monkeypatch):
    monkeypatch.setattr(_budget, "LEAST_OF_FIT", 0.05)
    monkeypatch.setattr(_budget, "SHARE_OF_FIT", 1e-3)
    monkeypatch.setattr(_search, "MOST_SETTINGS", 8)
    told = []
    monkeypatch.setattr(_search.BayesianOptimizer, "tell", lambda self, point, loss: told.append((point["C"], loss)))
    space = {"C": uniform(0.01, 4.0)}
    only(Candidate("line", "classification", lambda facts, seed: EndlessBeyond(), 1.0, space=lambda facts: space))
    study = learn(two_classes(), "y", time_limit=60.0, search=True)
    assert len(told) == 8
    assert {bool(np.isnan(loss)) for C, loss in told if C > 2.0} == {True}
    assert {bool(np.isnan(loss)) for C, loss in told if C <= 2.0} == {False}
    assert study.choice.learned
