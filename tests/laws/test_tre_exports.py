"""Exported rules, text, SQL and Python predict as the estimator does, also for missing and new values."""

import re
import sqlite3

import numpy as np
import pandas as pd
import pytest

from gnomon.trees import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    HandTreeClassifier,
    OneRule,
    RandomForestClassifier,
    Tree,
)


def mixed(seed=0, n=160, gaps=0.15):
    rng = np.random.default_rng(seed)
    sky = rng.choice(["red", "grey", "blue", "dark"], n).astype(object)
    size, age = rng.normal(size=n).round(1), rng.integers(18, 80, n).astype(float)
    y = np.where((size > 0.2) ^ np.isin(sky, ["red", "dark"]), "p", np.where(age > 50, "q", "r"))
    frame = pd.DataFrame({"sky": sky, "size": size, "age": age})
    for name in frame:
        frame.loc[rng.random(n) < gaps, name] = None if name == "sky" else np.nan
    return frame, y


def fresh(n=150):
    """Rows with gaps, some of them with a sky that was never met."""
    frame = mixed(5, n, 0.25)[0]
    frame.loc[::7, "sky"] = "green"
    return frame


def in_sqlite(sql, frame):
    base = sqlite3.connect(":memory:")
    frame.to_sql("t", base, index=False)
    return [label for (label,) in base.execute(f"SELECT {sql} FROM t ORDER BY rowid")]


def in_python(source, frame):
    exec(source, space := {})
    return [space["predict"](row) for row in frame.astype(object).where(frame.notna(), None).to_dict("records")]


FORMS = {
    "subsets": {},
    "multiway": {"categorical_split": "multiway"},
    "three ways": {"numeric_test": "three_way", "categorical_split": "multiway"},
    "mode": {"missing": "most_frequent"},
    "mean": {"missing": "mean"},
    "median, three ways": {"missing": "median", "numeric_test": "three_way"},
}


@pytest.mark.spec("TRE-045", "TRE-L10", "TRE-030", "TRE-027")
@pytest.mark.parametrize("gaps", [0.0, 0.15])
@pytest.mark.parametrize("form", FORMS)
def test_sql_python_and_text_predict_the_same_for_gaps_and_new_values(form, gaps):
    frame, y = mixed(1, gaps=gaps)
    model = DecisionTreeClassifier(max_depth=4, **FORMS[form]).fit(frame, y)
    rows = fresh()
    expected = model.predict(rows).tolist()
    assert in_sqlite(model.to_sql(), rows) == expected
    assert in_python(model.to_python(), rows) == expected
    again = Tree.from_rules(model.export_text(), columns=list(frame), categories={"sky": model.words_.values[0]})
    assert again.predict(rows).tolist() == expected


@pytest.mark.spec("TRE-045", "TRE-030")
def test_a_new_value_is_missing_and_missing_alone_is_null():
    model = DecisionTreeClassifier().fit([["a"], ["b"], [None]], ["x", "x", "z"])
    rows = pd.DataFrame({"x0": ["a", "c", None]})
    assert model.predict(rows.to_numpy()).tolist() == ["x", "z", "z"]
    assert in_sqlite(model.to_sql(), rows) == ["x", "z", "z"]
    assert in_python(model.to_python(), rows) == ["x", "z", "z"]
    own = DecisionTreeClassifier(categorical_split="multiway").fit([["a"], ["b"], [None]], ["x", "y", "z"])
    assert in_sqlite(own.to_sql(), rows) == own.predict(rows.to_numpy()).tolist() == ["x", "z", "z"]


@pytest.mark.spec("TRE-045", "TRE-L10")
def test_one_rule_fires_for_every_row_or_for_every_complete_one():
    frame, y = mixed(2, gaps=0.0)
    model = DecisionTreeClassifier(categorical_split="multiway", max_depth=4).fit(frame, y)
    rows = model._rows(fresh())
    fires = model.to_rules().fires(rows)
    np.testing.assert_array_equal(fires.sum(axis=1), 1)
    labels = np.array([rule.label for rule in model.to_rules()])
    np.testing.assert_array_equal(labels[fires.argmax(axis=1)], model.predict(fresh()))
    complete = model.to_rules(rows="complete")
    assert not any(condition.missing for rule in complete for condition in rule.conditions)
    there = ~np.isnan(rows).any(axis=1)
    fires = complete.fires(rows)[there]
    np.testing.assert_array_equal(fires.sum(axis=1), 1)
    labels = np.array([rule.label for rule in complete])
    np.testing.assert_array_equal(labels[fires.argmax(axis=1)], model.predict(fresh())[there])
    assert "missing" not in complete.to_text()
    with pytest.raises(ValueError, match="rows='most'"):
        model.to_rules(rows="most")


@pytest.mark.spec("TRE-045", "TRE-029", "TRE-028")
@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"algorithm": "c4.5"}, "in parts"),
        ({"missing": "surrogate"}, "back-up"),
        ({"missing": "median", "split": "oblique"}, "filled"),
    ],
)
def test_what_no_rule_can_say_is_refused_unless_rows_are_complete(options, reason):
    frame, y = mixed(3)
    model = DecisionTreeClassifier(max_depth=4, **options).fit(frame, y)
    for told in (model.to_sql, model.to_python, model.to_rules, lambda: model.to_dnf("p")):
        with pytest.raises(ValueError, match=f"{reason}.*rows='complete'"):
            told()
    whole = frame.dropna()
    said = in_sqlite(model.to_sql(rows="complete"), whole)
    met = [label is not None for label in said]
    assert np.mean(met) > 0.9
    assert [label for label in said if label] == model.predict(whole)[met].tolist()
    first = model.export_text().splitlines()[0]
    assert first.startswith("# ")
    assert reason in first
    assert Tree.from_rules(model.export_text(), categories={"sky": model.words_.values[0]}).get_n_leaves() > 1


@pytest.mark.spec("TRE-041", "TRE-044")
def test_models_in_leaves_are_no_rules():
    x = np.arange(30.0)[:, None]
    model = DecisionTreeRegressor(max_depth=1, leaf_model="linear").fit(x, np.abs(x[:, 0] - 10))
    for told in (model.to_sql, model.to_rules, lambda: model.explain(x[0]), lambda: model.to_python(rows="complete")):
        with pytest.raises(ValueError, match="leaf_model='constant'"):
            told()
    assert model.export_text().startswith("# leaves answer with models")


@pytest.mark.spec("TRE-001", "TRE-004", "TRE-L10")
def test_a_new_value_matches_no_value_of_a_rule():
    X, y = [["a"], ["a"], ["b"], [None], [None], ["a"], ["b"]], [0, 0, 1, 1, 1, 0, 0]
    model = OneRule().fit(X, y)
    rows = pd.DataFrame({"x0": ["a", "b", None, "never"]})
    np.testing.assert_allclose(model.predict_proba(rows.to_numpy())[2:], [[0, 1], [4 / 7, 3 / 7]])
    expected = model.predict(rows.to_numpy()).tolist()
    assert expected == [0, 0, 1, 0]
    assert in_sqlite(model.to_sql(simplify=False), rows) == in_sqlite(model.to_sql(), rows) == expected
    assert in_python(model.to_python(), rows) == expected
    told = [model.explain([value]) for value in rows["x0"]]
    assert [one.label for one in told] == expected
    assert told[3].steps == ()
    assert told[2].steps[0].branch == "x0 is missing"
    assert model.apply(rows.to_numpy()).tolist()[3] == 0
    np.testing.assert_array_equal(model.to_rules().fires(model._rows(rows.to_numpy())).sum(axis=1), 1)
    assert "x0 not in {a, b, missing}" in str(model.to_rules())
    assert model.rules_.conditions == ("x0 = a", "x0 = b", "x0 is missing")


@pytest.mark.spec("TRE-040", "TRE-035")
def test_pseudo_counts_change_answers_and_not_what_is_counted():
    frame, y = mixed(4)
    plain = DecisionTreeClassifier(pruning_loss="misclassification", min_samples_leaf=4).fit(frame, y)
    smooth = DecisionTreeClassifier(pruning_loss="misclassification", min_samples_leaf=4, leaf_alpha=3.0)
    path = smooth.cost_complexity_pruning_path(frame, y)
    np.testing.assert_allclose(path.ccp_alphas, plain.cost_complexity_pruning_path(frame, y).ccp_alphas)
    smooth.fit(frame, y)
    assert smooth.to_rules().to_text() == plain.to_rules().to_text()
    np.testing.assert_array_equal(smooth.tree_.answers, plain.tree_.answers)
    for alpha in path.ccp_alphas[1:-1]:
        pruned = smooth.prune(alpha)
        assert pruned.get_n_leaves() == plain.prune(alpha).get_n_leaves()
        again = DecisionTreeClassifier(**{**smooth.get_params(), "ccp_alpha": alpha}).fit(frame, y)
        np.testing.assert_allclose(pruned.predict_proba(frame), again.predict_proba(frame))
    counts = plain.tree_.answers * plain.tree_.weight[:, None]
    leaf = plain.apply(frame)
    np.testing.assert_allclose(smooth.predict_proba(frame), (counts[leaf] + 3) / (counts[leaf].sum(1) + 9)[:, None])
    told = smooth.explain(frame.iloc[[3]])
    np.testing.assert_allclose(told.answer, smooth.predict_proba(frame.iloc[[3]])[0])
    rule = OneRule("sky", alpha=1.0).fit(frame, y)
    assert rule.to_rules().to_text() == OneRule("sky").fit(frame, y).to_rules().to_text()


@pytest.mark.spec("TRE-044", "TRE-L19")
def test_a_forest_that_votes_is_explained_by_votes():
    frame, y = mixed(6)
    forest = RandomForestClassifier(15, voting="hard", max_depth=3, random_state=0).fit(frame, y)
    for i in range(25):
        told = forest.explain(frame.iloc[[i]])
        assert told.label == forest.predict(frame.iloc[[i]])[0]
        np.testing.assert_allclose(told.answer, forest.predict_proba(frame.iloc[[i]])[0])
        np.testing.assert_allclose(told.root + sum(told.contributions.values()), told.answer, atol=1e-12)


@pytest.mark.spec("TRE-046", "TRE-L10")
def test_text_gives_weights_back_and_without_counts_the_way_of_gaps():
    frame, y = mixed(7)
    w = np.random.default_rng(0).random(len(y)) / 3
    model = DecisionTreeClassifier(max_depth=3).fit(frame, y, sample_weight=w)
    domains = {"columns": list(frame), "categories": {"sky": model.words_.values[0]}}
    again = Tree.from_rules(model.export_text(), **domains)
    np.testing.assert_allclose(again.predict_proba(frame), model.predict_proba(frame), rtol=1e-15)
    plain = Tree.from_rules(model.export_text(counts=False), **domains)
    assert plain.predict(fresh()).tolist() == model.predict(fresh()).tolist()
    numbers = DecisionTreeRegressor(max_depth=3).fit(frame, frame["age"].fillna(0.0), sample_weight=w)
    lines = Tree.from_rules(numbers.export_text(), **domains)
    leaves = numbers.tree_.is_leaf
    np.testing.assert_array_equal(lines.tree_.weight[leaves], numbers.tree_.weight[leaves])


@pytest.mark.spec("TRE-042", "TRE-044")
def test_rows_by_name_are_explained_by_name():
    model = Tree.from_rules(("x1", 3.0, "a", ("x0", 1.0, "b", "c")))
    assert model.explain({"x1": 9.0, "x0": 0.0}).label == model.predict([[0.0, 9.0]])[0] == "b"
    assert model.explain([0.0, 9.0]).label == "b"
    assert model.explain([0.0, 9.0, 7.0]).label == "b"
    sky = HandTreeClassifier({"sky": {"red": "?", "else": "?"}}).fit(pd.DataFrame({"sky": ["red", "blue"]}), [0, 1])
    assert sky.explain({"sky": "red"}).label == 0


@pytest.mark.spec("TRE-045", "TRE-046")
@pytest.mark.parametrize("windy", [[True, False, True, False], [True, None, False, None]])
def test_booleans_are_exported_as_booleans(windy):
    frame, y = pd.DataFrame({"windy": windy, "size": [1.0, 2.0, 1.0, 2.0]}), ["a", "b", "c", "b"]
    for model in (
        DecisionTreeClassifier().fit(frame[["windy"]], y),
        OneRule("windy").fit(frame, y),
        HandTreeClassifier("windy = true: ?\nelse: ?").fit(frame[["windy"]], y),
    ):
        rows = frame[list(model.words_.names)]
        assert set(re.findall(r'"windy" (?:=|<>) (\w+)', model.to_sql())) <= {"TRUE", "FALSE"}
        assert in_sqlite(model.to_sql(), rows) == in_python(model.to_python(), rows) == model.predict(rows).tolist()
        again = Tree.from_rules(model.export_text(), columns=list(rows), categories={"windy": ["False", "True"]})
        assert again.predict(rows).tolist() == model.predict(rows).tolist()
