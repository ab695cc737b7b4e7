"""How forecasts answer to single columns, and whether more rows would help."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsRegressor

from gnomon._registry import Candidate
from gnomon.io import Table
from gnomon.report import learn, page, summary
from gnomon.report._budget import Budget
from gnomon.report._kinds import infer_kinds
from gnomon.report._pictures import picture_of_response
from gnomon.report._responses import Response, _accounted_for, responses

LINE = Candidate("line", "regression", lambda facts, seed: LinearRegression(), complexity=1.0)
NEAR = Candidate("near", "regression", lambda facts, seed: KNeighborsRegressor(3), complexity=2.0)
LOGIT = Candidate("logit", "classification", lambda facts, seed: LogisticRegression(), complexity=1.0)


class Formula:
    """A model of a table that is a formula."""

    def __init__(self, of):
        self.of = of

    def predict(self, table):
        return self.of(table)


def asked(of, n=300):
    rng = np.random.default_rng(0)
    table = Table(
        {"a": rng.normal(size=n), "b": rng.normal(size=n), "c": np.array(list("xyz"))[rng.integers(3, size=n)]}
    )
    kinds = list(infer_kinds(table, table.names).values())
    return table, {r.name: r for r in responses(Formula(of), table, np.arange(100, n), kinds, (), "y", 0, Budget(None))}


def test_the_mean_answer_is_the_function_itself_where_columns_add():
    table, found = asked(lambda t: t["a"] ** 2 + 3.0 * t["b"] + (t["c"] == "y"))
    a, b, c = found["a"], found["b"], found["c"]
    np.testing.assert_allclose(np.diff(a.mean), np.diff(a.values**2), atol=1e-12)
    np.testing.assert_allclose(np.diff(b.mean), 3.0 * np.diff(b.values), atol=1e-12)
    assert dict(zip(c.values.tolist(), np.round(c.mean - c.mean.min(), 12), strict=True)) == {"x": 0, "y": 1, "z": 0}
    assert all(one.together < 1e-20 for one in found.values())
    held = table["a"][100:]
    assert held.min() <= a.values.min() <= a.values.max() <= held.max()
    # The interval is that of a mean over rows: by the central limit theorem, of 200 rows.
    np.testing.assert_allclose(a.error, 1.96 * np.std(a.curves, axis=0, ddof=1) / np.sqrt(200))


def test_columns_that_act_together_are_told():
    _, found = asked(lambda t: t["a"] * t["b"])
    assert found["a"].together > 0.9
    assert found["b"].together > 0.9
    assert found["c"].together == 0.0
    with np.errstate(all="raise"):
        svg = picture_of_response(found["c"], "salt")
    assert 'aria-label="How the y responds to c, in the mean over held-out rows: ' in svg


def test_the_column_on_which_an_effect_depends_is_named():
    """What a does depends on the sign of b, or on a level; x acts by itself."""
    rng = np.random.default_rng(0)
    n = 400
    a, b, x = rng.normal(size=(3, n))
    table = Table({"a": a, "b": b, "x": x, "c": np.array(list("uvw"))[rng.integers(3, size=n)]})

    def found(of):
        kinds = list(infer_kinds(table, table.names).values())
        return {r.name: r for r in responses(Formula(of), table, np.arange(100, n), kinds, (), "y", 0, Budget(None))}

    by_number = found(lambda t: t["a"] * np.sign(t["b"]) + t["x"])
    assert by_number["a"].partner.name == "b"
    assert by_number["a"].partner.share > 0.8
    assert not by_number["x"].depends
    by_level = found(lambda t: t["a"] * (t["c"] == "u"))
    assert by_level["a"].depends
    assert by_level["a"].partner == ("c", pytest.approx(1.0))


def test_groups_of_rows_account_for_no_more_than_chance_where_they_say_nothing():
    """Twenty groups of forty rows of noise have half of its squares between them."""
    rng = np.random.default_rng(0)
    shares = [_accounted_for(rng.normal(size=(40, 5)), rng.permutation(40) % 20) for _ in range(200)]
    assert np.mean(shares) == pytest.approx(0.0, abs=0.03)


def test_no_partner_is_named_where_no_column_accounts_for_much():
    rng = np.random.default_rng(0)
    table = Table({**{name: rng.normal(size=300) for name in "abc"}, "hidden": rng.choice([-1.0, 1.0], 300)})
    kinds = list(infer_kinds(table, ["a", "b", "c"]).values())
    found = responses(Formula(lambda t: t["a"] * t["hidden"]), table, np.arange(300), kinds, (), "y", 0, Budget(None))
    assert (found[0].depends, found[0].partner) == (True, None)


def test_columns_are_put_to_values_of_held_out_rows_and_to_their_most_frequent_levels():
    level = np.repeat([f"l{k:02}" for k in range(15)], np.arange(1, 16))
    number = np.linspace(0.0, 1.0, 120)
    table = Table({"a": np.append(number, np.full(120, 50.0)), "c": np.append(level, np.repeat("training", 120))})
    kinds = list(infer_kinds(table, table.names).values())
    a, c = responses(Formula(lambda t: t["a"]), table, np.arange(120), kinds, (), "y", 0, Budget(None))
    assert 0.0 <= a.values.min() < a.values.max() <= 1.0
    assert c.values.tolist() == [f"l{k:02}" for k in range(14, 2, -1)]


def test_of_several_classes_the_one_that_moves_most_is_shown():
    class Three:
        classes_ = np.array(["u", "v", "w"])

        def predict_proba(self, table):
            p = 1.0 / (1.0 + np.exp(-table["a"]))
            return np.column_stack([0.1 + 0.2 * p, 0.9 - 0.7 * p, 0.5 * p])

        def predict(self, table):
            return np.repeat("u", len(table))

    table = Table({"a": np.random.default_rng(0).normal(size=100)})
    kinds = list(infer_kinds(table, table.names).values())
    (one,) = responses(Three(), table, np.arange(100), kinds, ("u", "v", "w"), "y", 0, Budget(None))
    assert one.of == "probability of “v”"
    np.testing.assert_allclose(one.mean, 0.9 - 0.7 / (1.0 + np.exp(-one.values)))


def test_dates_stand_on_the_axis_as_dates():
    days = np.arange(0.0, 300.0, 20.0)
    one = Response("sold", "date", days + 20_000.0, np.tile(days, (5, 1)), "price")
    svg = picture_of_response(one, "salt")
    assert "2024-10-04" in svg
    assert ">Apr</text>" in svg
    assert ">2025</text>" in svg
    assert "1970" not in svg
    assert "20000" not in svg


def linear(n):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2))
    return {"a": X[:, 0], "b": X[:, 1], "y": 2.0 * X[:, 0] + rng.normal(size=n)}


@pytest.mark.parametrize(("candidate", "n", "helps"), [(LINE, 1500, False), (NEAR, 400, True)])
def test_whether_more_rows_help(only, candidate, n, helps):
    only(candidate)
    table = linear(n) if not helps else {**linear(n), "y": np.sin(3.0 * linear(n)["a"])}
    study = learn(table, "y")
    curve = study.rows_curve
    assert curve.helps == helps
    assert curve.scores.shape == (3, 3)
    np.testing.assert_allclose(curve.scores[:, -1], study.choice.trial.scores["RMSE"][:3])
    assert curve.rows[-1] == len(study.split.folds[0][0])
    assert curve.verdict in page(study, Table(table)).replace("&#39;", "'")
    assert summary(study)["more_rows"]["help"] is helps


def test_few_rows_have_no_curve_of_rows(only):
    only(LINE)
    assert learn(linear(90), "y").rows_curve is None


def test_probabilities_answer_as_the_coefficients_say(only):
    only(LOGIT)
    rng = np.random.default_rng(1)
    data = linear(400) | {name: rng.normal(size=400) for name in "cde"}
    study = learn({**data, "y": np.where(data["y"] > 0, "up", "down")}, "y")
    a = study.responses[0]
    assert (a.name, a.of) == ("a", "probability of “up”")
    # Of columns that say nothing, some are not worth more than their shuffles differ.
    told = [one.name for one in study.importances if one.mean > one.spread]
    assert [one.name for one in study.responses] == told
    assert len(told) < len(study.importances) == 5
    assert np.all(np.diff(a.mean) > 0.0)
    assert page(study, Table(data | {"y": data["y"] > 0})).count("responds to a,") == 1
