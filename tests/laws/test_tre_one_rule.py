"""Laws of the one rule: what it counts, which column it takes, what it says about values it has not met."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

from gnomon.datasets import load_weather_play
from gnomon.plot import rule_stump
from gnomon.trees import HandTreeClassifier, OneRule, impurity

WEATHER = load_weather_play(as_frame=True)


def _mixed(n=200, seed=0):
    """Words, truth values and numbers, with gaps in all of them."""
    rng = np.random.default_rng(seed)
    hue = rng.choice(["red", "green", "blue"], n).astype(object)
    size = rng.normal(size=n)
    bright = rng.integers(0, 2, n).astype(bool)
    y = np.where((size > 0.3) ^ (rng.random(n) < 0.1), "big", np.where(hue == "red", "warm", "cold"))
    hue[rng.random(n) < 0.1] = None
    size[rng.random(n) < 0.1] = np.nan
    return pd.DataFrame({"hue": hue, "size": size, "bright": bright}), y


@pytest.mark.spec("TRE-001", "TRE-002")
@pytest.mark.parametrize("criterion", ["errors", "gini", "entropy", "gain_ratio"])
def test_the_best_column_is_chosen_and_the_first_of_equals(criterion):
    X, y = _mixed()
    rule = OneRule(criterion=criterion, min_bucket=20).fit(X, y)
    alone = [OneRule(name, min_bucket=20).fit(X, y) for name in X]
    np.testing.assert_allclose(rule.errors_, [np.sum(one.predict(X) != y) for one in alone])
    best = np.argmax(rule.scores_) if criterion == "gain_ratio" else np.argmin(rule.scores_)
    assert rule.feature_ == best
    for j, one in enumerate(alone):
        counts = one.rules_.counts
        mean = np.average(impurity(counts, "entropy"), weights=one.rules_.weight)
        gain = impurity(np.sum(counts, axis=0), "entropy") - mean
        expected = {
            "errors": rule.errors_[j],
            "gini": np.average(impurity(counts), weights=one.rules_.weight),
            "entropy": mean,
            "gain_ratio": gain / impurity(one.rules_.weight, "entropy"),
        }[criterion]
        assert rule.scores_[j] == pytest.approx(expected)
    twice = pd.concat([X["bright"], X["size"], X["size"].rename("again")], axis=1)
    assert OneRule(criterion=criterion).fit(twice, y).feature_ == 1


@pytest.mark.spec("TRE-002")
def test_the_expert_names_a_column_and_an_unknown_one_is_refused():
    windy = OneRule("windy").fit(WEATHER.data, WEATHER.target)
    assert windy.feature_ == 3
    assert windy.rules_.column == "windy"
    assert OneRule(3).fit(WEATHER.data, WEATHER.target).rules_.column == "windy"
    with pytest.raises(ValueError, match=re.escape("feature='sky' is no column")):
        OneRule("sky").fit(WEATHER.data, WEATHER.target)
    with pytest.raises(ValueError, match="criterion"):
        OneRule(criterion="variance").fit(WEATHER.data, WEATHER.target)


@pytest.mark.spec("TRE-001")
def test_new_values_get_all_frequencies_and_missing_ones_their_own():
    X, y = [["a"], ["a"], ["b"], [None], [None], [None]], [0, 0, 1, 1, 1, 0]
    rule = OneRule().fit(X, y)
    shares = rule.predict_proba([["a"], ["b"], [None], ["never"]])
    np.testing.assert_allclose(shares, [[1, 0], [0, 1], [1 / 3, 2 / 3], [0.5, 0.5]])
    without = OneRule().fit(X[:3], y[:3])
    np.testing.assert_allclose(without.predict_proba([[None], ["never"]]), [[2 / 3, 1 / 3]] * 2)
    declared = OneRule(categories={"x0": ["a", "b", "c"]}).fit(X, y)
    np.testing.assert_allclose(declared.predict_proba([["c"], [None]]), [[0.5, 0.5], [1 / 3, 2 / 3]])
    assert len(declared.rules_) == 3
    smooth = OneRule(alpha=1.0).fit(X, y)
    np.testing.assert_allclose(smooth.predict_proba([["a"], ["never"]]), [[3 / 4, 1 / 4], [0.5, 0.5]])


@pytest.mark.spec("TRE-003")
@pytest.mark.parametrize("min_bucket", [1, 3, 6, 20])
def test_buckets_hold_enough_of_their_class_and_neighbours_differ(min_bucket):
    rng = np.random.default_rng(min_bucket)
    x = np.round(rng.normal(size=300), 2)
    y = (np.sin(4 * x) + 0.5 * rng.normal(size=300) > 0).astype(int)
    x[:10] = np.nan
    rule = OneRule(min_bucket=min_bucket).fit(x[:, None], y)
    table = rule.rules_
    known = table.counts[:-1]
    assert table.conditions[-1] == "x0 is missing"
    assert np.all(np.max(known[:-1], axis=1) >= min_bucket)
    winners = np.argmax(known, axis=1)
    assert np.all(winners[1:] != winners[:-1])
    cuts = np.sort(rule.tree_.threshold[~rule.tree_.is_leaf])
    assert not np.any(np.isin(cuts, x))
    parts = np.digitize(x[10:], cuts)
    assert [np.bincount(y[10:][parts == b], minlength=2).tolist() for b in range(len(known))] == known.tolist()


@pytest.mark.spec("TRE-001", "TRE-L08")
def test_weight_two_is_the_row_twice_and_weight_zero_no_row():
    X, y = _mixed()
    w = np.random.default_rng(1).integers(0, 3, len(y))
    weighted = OneRule().fit(X, y, sample_weight=w)
    repeated = OneRule().fit(X.loc[X.index.repeat(w)], np.repeat(y, w))
    np.testing.assert_array_equal(weighted.errors_, repeated.errors_)
    np.testing.assert_array_equal(weighted.rules_.counts, repeated.rules_.counts)
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X))


@pytest.mark.spec("TRE-004", "TRE-L10")
@pytest.mark.parametrize("feature", ["hue", "size", "bright"])
def test_the_table_text_and_rules_say_what_is_predicted(feature):
    X, y = _mixed()
    rule = OneRule(feature).fit(X, y)
    table = rule.rules_
    np.testing.assert_allclose(np.sum(table.counts), len(y))
    assert np.sum(table.errors) == np.sum(rule.predict(X) != y) == rule.errors_[rule.feature_]
    lines = str(table).splitlines()
    assert lines[0].split() == ["condition", "class", "big", "cold", "warm", "rows", "errors"]
    assert len(lines) == len(table) + 1
    for line, condition in zip(lines[1:], table.conditions, strict=True):
        assert line.startswith(condition)
        assert feature in condition
    html = table._repr_html_()
    assert html.count("<tr>") == len(table) + 1
    rules = rule.to_rules()
    fires = rules.fires(rule._rows(X))
    np.testing.assert_array_equal(np.sum(fires, axis=1), 1)
    labels = np.array([one.label for one in rules])
    np.testing.assert_array_equal(labels[np.argmax(fires, axis=1)], rule.predict(X))
    again = HandTreeClassifier(rule.export_text()).fit(X, y)
    np.testing.assert_array_equal(again.predict(X), rule.predict(X))
    assert rule.explain(X.iloc[0].to_dict()).label == rule.predict(X.iloc[:1])[0]
    exec(rule.to_python("answer"), space := {})
    rows = pl.from_pandas(X).to_dicts()
    assert [space["answer"](row) for row in rows] == rule.predict(X).tolist()


@pytest.mark.spec("TRE-001")
@pytest.mark.parametrize(
    "X", [[[np.nan]] * 4, [["a"]] * 4, [[1.0], [1.0], [1.0], [np.nan]], np.zeros((4, 3)), [[None], ["a"], ["a"], ["a"]]]
)
def test_poor_tables_have_an_answer(X):
    y = ["no", "no", "yes", "no"]
    rule = OneRule(min_bucket=1).fit(X, y)
    assert rule.errors_[rule.feature_] == np.sum(rule.predict(X) != np.array(y))
    assert OneRule().fit(X, ["yes"] * 4).predict(X).tolist() == ["yes"] * 4


@pytest.mark.spec("TRE-P01", "TRE-004")
def test_the_picture_shows_every_value_with_its_counts():
    X, y = _mixed()
    rule = OneRule("hue").fit(X, y)
    ax = rule_stump(rule)
    told = [label.get_text().splitlines()[:2] for label in ax.get_xticklabels()]
    assert [name for name, _ in told] == ["blue", "green", "red", "missing"]
    assert [answer.removeprefix("→ ") for _, answer in told] == rule.rules_.labels.tolist()
    heights = np.array([patch.get_height() for patch in ax.patches]).reshape(3, 4)
    np.testing.assert_allclose(heights, rule.rules_.counts.T)
