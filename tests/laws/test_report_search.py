"""Tuning in the folds of the comparison, and interruptions of every stage of a study."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeRegressor

from gnomon._registry import Candidate
from gnomon.io import Table
from gnomon.report import learn, page
from gnomon.report._budget import Budget
from gnomon.report._search import TunedMake

FOLDS = 10  # of few rows
DEPTHS = [1, 2, 3, 4, 6]


def tree(facts, seed):
    return DecisionTreeRegressor(max_depth=1, random_state=0)


TREE = Candidate("tree", "regression", tree, complexity=2.0, space=lambda facts: {"max_depth": DEPTHS})
SLOPE = Candidate("slope", "regression", lambda facts, seed: LinearRegression(), complexity=1.0)
LINE = Candidate("line", "classification", lambda facts, seed: LogisticRegression(), complexity=1.0)


def numbers(n=200, noise=0.3):
    rng = np.random.default_rng(0)
    X = rng.uniform(-2.0, 2.0, size=(n, 2))
    return {"a": X[:, 0], "b": X[:, 1], "y": np.sin(3.0 * X[:, 0]) + noise * rng.normal(size=n)}


def rmse_table(study, data):
    """The RMSE of every depth, the default first, in every fold of the study."""
    X, y = np.column_stack([data["a"], data["b"]])[study.split.train], data["y"][study.split.train]

    def rmse(depth, train, test):
        model = DecisionTreeRegressor(max_depth=depth, random_state=0).fit(X[train], y[train])
        return np.sqrt(np.mean((y[test] - model.predict(X[test])) ** 2))

    return np.array([[rmse(depth, *fold) for fold in study.split.folds] for depth in DEPTHS])


def test_a_fold_is_judged_by_what_the_others_choose(only, monkeypatch):
    """Equation (2) by hand, where all settings are tried in all folds."""
    monkeypatch.setattr("gnomon.report._search.clearly_behind", lambda losses, baseline: [])
    only(TREE)
    data = numbers()
    study = learn(data, "y", search=True, rule="best", single=True)
    losses = rmse_table(study, data)
    by_name = {trial.candidate.name: trial for trial in study.trials}
    np.testing.assert_allclose(by_name["tree"].scores["RMSE"], losses[0], rtol=1e-9)
    others = [int(np.argmin(np.delete(losses, j, axis=1).mean(axis=1))) for j in range(losses.shape[1])]
    expected = losses[others, np.arange(losses.shape[1])]
    np.testing.assert_allclose(by_name["tuned tree"].scores["RMSE"], expected, rtol=1e-9)
    best = DEPTHS[int(np.argmin(losses.mean(axis=1)))]
    assert study.choice.trial is by_name["tuned tree"]
    assert study.judged[-1].max_depth == best > 1
    assert f"max_depth {best}" in study.choice.trial.candidate.note
    assert "tuned tree" in page(study, Table(data))
    assert "tuned tree" not in repr(learn(data, "y"))


def test_many_settings_do_not_make_noise_look_learned(only):
    """The least mean of many settings is below the baseline; what the report shows is not."""
    near = Candidate(
        "near", "regression", lambda facts, seed: KNeighborsRegressor(1), complexity=2.0,
        space=lambda facts: {"n_neighbors": list(range(1, 60, 2))},
    )  # fmt: skip
    only(near)
    data = {**numbers(150), "y": np.random.default_rng(3).normal(size=150)}
    study = learn(data, "y", search=True)
    assert not study.choice.learned
    tuned = next(trial for trial in study.trials if trial.candidate.name == "tuned near")
    chosen = tuned.candidate.make
    assert isinstance(chosen, TunedMake)
    X, y = np.column_stack([data["a"], data["b"]])[study.split.train], data["y"][study.split.train]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    optimised = []
    for train, test in study.split.folds:
        said = KNeighborsRegressor(**chosen.setting).fit(X[train], y[train]).predict(X[test])
        optimised.append(np.sqrt(np.mean((y[test] - said) ** 2)))
    assert tuned.mean("RMSE") > np.mean(optimised) + 0.001


class Shifted(RegressorMixin, BaseEstimator):
    """Says the first column and so much more; below -1 it fails, and at -1 it says no number."""

    def __init__(self, off=0.4, fits=None):
        self.off, self.fits = off, fits

    def fit(self, X, y):
        self.fits.append(self.off)
        if self.off < -1.0:
            raise ValueError("it broke")
        self.fitted_ = True
        return self

    def predict(self, X):
        return X[:, 0] + (self.off if self.off > -1.0 else np.nan)


@pytest.mark.parametrize("metric", ["rmse", "r2"])
def test_a_setting_that_is_clearly_behind_is_left_after_two_folds(only, monkeypatch, metric):
    """Of two models the better is tuned: nothing more is tried when it has no more settings, or enough were."""
    fits, offs = [], [0.0, 0.3, 3.0, -1.0, -2.0]
    monkeypatch.setattr("gnomon.report._search.MOST_MODELS", 1)
    for_both = {"space": lambda facts: {"off": offs}, "complexity": 1.0}
    near, far = (lambda f, s, off=off: Shifted(off, fits) for off in (0.4, 0.8))
    only(Candidate("near", "regression", near, **for_both), Candidate("far", "regression", far, **for_both))
    data = {"a": (a := np.random.default_rng(0).normal(size=150)), "y": a + 0.01 * np.sin(a)}
    study = learn(data, "y", search=True, single=True, refit=False, metric=metric)
    assert [trial.candidate.name for trial in study.trials[1:]] == ["far", "near", "tuned near"]
    assert study.judged[-1].off == 0.0
    assert [fits.count(off) for off in (0.3, 3.0, -1.0, -2.0)] == [FOLDS, 2, 1, 1]
    monkeypatch.setattr("gnomon.report._search.MOST_SETTINGS", 2)
    fits.clear()
    learn(data, "y", search=True, single=True, refit=False, metric=metric)
    assert len({*fits} & {*offs}) == 2


def test_held_out_rows_take_no_part_in_the_search(only):
    only(TREE)
    data = numbers(100)
    one = learn(data, "y", search=True)
    other = {name: np.array(values) for name, values in data.items()}
    for name in "aby":
        other[name][one.split.test] += 5.0
    two = learn(other, "y", search=True)
    for a, b in zip(one.trials, two.trials, strict=True):
        np.testing.assert_array_equal(a.scores["RMSE"], b.scores["RMSE"])


def test_with_a_search_comparing_leaves_time_for_it():
    with_search, without = Budget(100.0, search=True), Budget(100.0)
    assert with_search.left_for_comparing < without.left_for_comparing < with_search.left_for_search < 75.0


class Stop:
    """Interrupts the fit of so many."""

    def __init__(self, at):
        self.at, self.fits = at, 0

    def count(self):
        self.fits += 1
        if self.fits == self.at:
            raise KeyboardInterrupt


def stoppable(stop):
    class Stoppable(DecisionTreeRegressor):
        def fit(self, X, y):
            stop.count()
            return super().fit(X, y)

    return Candidate(
        "tree", "regression", lambda facts, seed: Stoppable(min_samples_leaf=20, random_state=0), complexity=2.0,
        space=lambda facts: {"min_samples_leaf": list(range(2, 12))},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("at", "search", "said"),
    [
        (FOLDS + FOLDS + 3, True, "Tuning was ended"),
        (FOLDS + 1, False, "The fit of tree was ended, and the best of those that are quicker was taken"),
        (FOLDS + 2, False, "Looking into the model was ended"),
        (FOLDS + 2 + 6, False, "The fit to all rows was ended, and the model file holds the one that was judged"),
    ],
)
def test_an_interruption_keeps_what_was_found(only, monkeypatch, at, search, said):
    """The fits of a study: the folds, the settings, all training rows, fewer rows (six), all rows."""
    stop = Stop(at)
    only(SLOPE, stoppable(stop))
    # A slope that both models see, and a wave that the tree sees, the better the smaller its leaves.
    data = numbers(200, 0.1)
    data["y"] = 3.0 * data["a"] + 3.0 * data["y"]
    monkeypatch.setattr("gnomon.report._stages._slower", lambda than, trial: trial.candidate.name == "slope")
    study = learn(data, "y", search=search, rule="best", single=True)
    assert stop.fits >= at
    told = [finding.text for finding in study.findings if finding.title == "Interrupted"]
    assert told == [f"{said}; what had been found by then was used."]
    expected = "slope" if "quicker" in said else "tuned tree" if "Tuning" in said else "tree"
    assert study.choice.trial.candidate.name == expected
    assert study.refitted == ("all rows" not in said)
    assert (study.rows_curve is None) == ("Looking" in said)
    assert np.isfinite(study.predict({name: values[:3] for name, values in data.items()})).all()
    assert said in page(study, Table(data))


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ("_scales._tried", "Trying other scales of the target was ended"),
        ("_stages.blended", "Mixing the best models was ended"),
    ],
)
def test_an_interruption_after_the_folds_keeps_them(only, monkeypatch, step, said):
    """Nothing more is fitted before the choice."""

    def interrupted(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr("gnomon.report._stages.tuned", lambda *given: pytest.fail("tuning was begun"))
    monkeypatch.setattr(f"gnomon.report.{step}", interrupted)
    only(SLOPE, TREE)
    data = numbers(100)
    data["y"] = np.exp(2.0 * data["a"] + 0.3 * data["y"])
    study = learn(data, "y", search=step == "_scales._tried", single=step == "_scales._tried")
    told = [finding.text for finding in study.findings if finding.title == "Interrupted"]
    assert told == [f"{said}; what had been found by then was used."]
    assert [trial.candidate.name for trial in study.trials if "scale" not in trial.candidate.name] == [
        "baseline", "slope", "tree"
    ]  # fmt: skip
    assert study.choice.learned


def test_an_interruption_of_importances_leaves_them_out(only, monkeypatch):
    def interrupted(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr("gnomon.report._stages.importances", interrupted)
    only(SLOPE)
    study = learn({**numbers(), "y": 2.0 * numbers()["a"] + numbers()["b"]}, "y")
    assert (study.importances, study.responses, study.rows_curve) == ([], [], None)
    assert study.choice.learned
    assert "Looking into the model was ended" in repr(study)


def test_a_fit_without_a_quicker_one_ends_the_study(only):
    only(stoppable(Stop(FOLDS + 1)))
    with pytest.raises(KeyboardInterrupt):
        learn(numbers(), "y")
