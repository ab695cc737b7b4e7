"""Models of skewed numbers on another scale: forecasts are means (or medians) in the units of the target."""

import time

import numpy as np
import pytest
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsRegressor

from gnomon._registry import Candidate, Facts
from gnomon.io import Table, load, save
from gnomon.report import _budget, learn, page
from gnomon.report._scales import SCALES, RescaledRegressor, _thinned, on_scale, scale_of

LINE = Candidate("line", "regression", lambda facts, seed: LinearRegression(), complexity=1.0,
                 explain=lambda model: model.coef_)  # fmt: skip
rng = np.random.default_rng(0)
X = rng.normal(size=(3000, 1))
NOISE = rng.normal(size=3000)


@pytest.mark.parametrize("scale", SCALES)
def test_smeared_forecasts_are_means_and_others_are_medians(scale):
    """Of y = exp(1 + x/2 + e/2), whose mean given x is exp(1 + x/2 + 1/8) and whose median exp(1 + x/2)."""
    y = np.exp(1.0 + 0.5 * X[:, 0] + 0.5 * NOISE)
    truth = np.exp(1.0 + 0.5 * X[:, 0])
    middle = np.abs(X[:, 0]) < 1.0
    mean = RescaledRegressor(LinearRegression(), scale).fit(X, y).predict(X)[middle]
    median = RescaledRegressor(LinearRegression(), scale, smear=False).fit(X, y).predict(X)[middle]
    np.testing.assert_allclose(np.mean(mean / truth[middle]), np.exp(1 / 8), rtol=0.03)
    np.testing.assert_allclose(np.mean(median / truth[middle]), 1.0, rtol=0.03)
    assert np.mean(mean) == pytest.approx(np.mean(y[middle]), rel=0.03)


def test_the_residuals_are_of_rows_left_out():
    """A model that repeats what it has seen has no residuals of its own; the mean is right all the same."""
    y = np.exp(NOISE[:600])
    model = RescaledRegressor(KNeighborsRegressor(1), "log").fit(X[:600], y)
    assert np.std(model.residuals_) == pytest.approx(np.sqrt(2.0), rel=0.1)


SKEWED = np.exp(0.8 * X[:300, 0] + 0.3 * NOISE[:300])
TABLES = {
    "a product": (SKEWED, "log"),
    "a product that may be negative": (SKEWED - 1.0, "Yeo–Johnson"),
    "a sum": (5.0 + X[:300, 0] + NOISE[:300], ""),
    "a skewed cause": (10.0 + np.exp(1.2 * X[:300, 0]) + 0.1 * NOISE[:300], ""),
}


@pytest.mark.parametrize("case", TABLES)
def test_another_scale_is_taken_where_it_helps(only, case, tmp_path):
    only(LINE)
    y, scale = TABLES[case]
    x = np.exp(1.2 * X[:300, 0]) if "cause" in case else X[:300, 0]
    table = {"x": x, "y": y}
    study = learn(table, "y", rule="best", single=True)
    told = [finding.text for finding in study.findings if finding.title == "Learned on another scale"]
    name = study.choice.trial.candidate.name
    assert name == (f"line on a {scale} scale" if scale else "line")
    assert bool(told) == bool(scale)
    if scale:
        assert f"better on a {scale} scale (line on a {scale} scale)" in told[0]
        assert "units of y" in told[0]
        assert study.coefficients == []
        assert study.choice.trial.mean("RMSE") < study.trials[1].mean("RMSE")
        save(study.model, tmp_path / "m.skops")
        np.testing.assert_array_equal(load(tmp_path / "m.skops").predict(Table(table)), study.predict(table))
        assert "Learned on another scale" in page(study, Table(table))


def test_an_absolute_loss_asks_for_the_median(only):
    only(LINE)
    table = {"x": X[:300, 0], "y": SKEWED}
    by_metric = {metric: learn(table, "y", rule="best", metric=metric, single=True) for metric in ("rmse", "mae")}
    assert [study.judged[-1].smear for study in by_metric.values()] == [True, False]


def test_a_symmetric_target_has_no_other_scale():
    assert scale_of(NOISE) == ""
    assert scale_of(np.round(np.exp(NOISE)) + 1.0) == "log"


@pytest.mark.parametrize("scale", SCALES)
def test_the_unit_of_the_target_changes_nothing(scale):
    y = SKEWED if scale == "log" else SKEWED - 1.0
    said = RescaledRegressor(LinearRegression(), scale).fit(X[:300], y).predict(X[:300])
    for unit in 2.0 ** np.array([-480, -30, 10, 480]):
        assert scale_of(unit * y) == scale_of(y) == scale
        np.testing.assert_allclose(
            RescaledRegressor(LinearRegression(), scale).fit(X[:300], unit * y).predict(X[:300]) / unit, said, rtol=1e-6
        )


@pytest.mark.parametrize("metric", ["rmse", "r2"])
def test_the_best_models_are_tried_on_another_scale(only, monkeypatch, metric):
    monkeypatch.setattr("gnomon.report._scales.MOST_MODELS", 1)
    only(LINE, Candidate("mean", "regression", lambda facts, seed: DummyRegressor(), complexity=0.5))
    study = learn({"x": X[:300, 0], "y": SKEWED}, "y", metric=metric, single=True)
    assert [trial.candidate.name for trial in study.trials] == ["baseline", "mean", "line", "line on a log scale"]


def test_settings_of_a_model_on_another_scale_are_those_of_the_model():
    near = Candidate(
        "near", "regression", lambda f, s: KNeighborsRegressor(), 2.0, space=lambda f: {"n_neighbors": [1, 9]}
    )
    facts = Facts("regression", n_rows=100, n_features=1)
    other = on_scale(near, "log", smear=False)
    assert other.space(facts) == {"regressor__n_neighbors": [1, 9]}
    assert other.make(facts, 0).set_params(regressor__n_neighbors=9).regressor.n_neighbors == 9
    assert other.complexity > near.complexity
    assert on_scale(LINE, "log", smear=False).space is None


def test_forecasts_stay_within_the_targets():
    """Far beyond the rows a line of logarithms would say numbers that no target has."""
    model = RescaledRegressor(LinearRegression(), "log").fit(X[:300], SKEWED)
    low, high = model.predict([[-50.0], [50.0]])
    assert (low, high) == pytest.approx((SKEWED.min(), SKEWED.max()))


def test_of_many_residuals_those_that_stand_for_them_have_their_mean():
    many = np.linspace(-1.0, 1.0, 1001) + 3.0
    assert len(_thinned(many)) == 200
    assert np.mean(_thinned(many)) == pytest.approx(3.0, abs=1e-9)
    np.testing.assert_array_equal(_thinned(many[:200]), many[:200])


class EndlessBelowZero(LinearRegression):
    """A line whose fits do not end where a target is negative, as the logarithms of some positive ones are."""

    def fit(self, X, y):
        while np.min(y) < 0.0:
            time.sleep(0.01)
        return super().fit(X, y)


def test_a_fit_that_does_not_end_on_another_scale_is_ended(only, monkeypatch):
    monkeypatch.setattr(_budget, "LEAST_OF_FIT", 0.05)
    monkeypatch.setattr(_budget, "SHARE_OF_FIT", 1e-3)
    only(Candidate("line", "regression", lambda facts, seed: EndlessBelowZero(), complexity=1.0))
    study = learn({"x": X[:300, 0], "y": SKEWED}, "y", time_limit=60.0, single=True)
    line, scaled = study.trials[1:]
    assert line.complete
    assert scaled.stopped.endswith("rows was ended after 0 s, its share of the time")
