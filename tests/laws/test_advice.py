"""Advice on --drop, --group and --time: what a table calls for, from its columns alone, without a fit of a model."""

import re

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from gnomon.io import Table
from gnomon.report import _checks
from gnomon.report._advice import check_arrangement, is_called_identifier, is_ordered, likeness, repeats
from gnomon.report._checks import LEAST_ROWS, MOST_LEAVES, check_columns, most_alone
from gnomon.report._kinds import ColumnKind

rng = np.random.default_rng(0)
N = 400
PERSON = rng.permutation(np.arange(N) % 40)
ILL = np.array(["ill", "well"])[rng.integers(0, 2, 40)]
AGE = rng.integers(20, 80, N)
NOISE = rng.normal(size=N)
DAYS = np.datetime64("2024-01-01") + np.arange(N)


def advice(columns, y=None, task="classification"):
    """The findings on columns, each given as (kind, values), as a dict from titles to texts."""
    table = Table({name: values for name, (_, values) in columns.items()})
    kinds = [ColumnKind(name, kind) for name, (kind, _) in columns.items()]
    found = check_arrangement(table, kinds)
    if y is not None:
        found += check_columns(table, kinds, y, task, seed=0)
    return {finding.title: finding.text for finding in found}


LEAK, GROUPS = "Possible leakage", "Leakage between rows of a group"
ADULT = np.where(AGE >= 50, "old", "young")
EFFECT = rng.normal(size=40)[PERSON]
CASES = {
    "rows of a person share the answer": ("person", "number", PERSON, ILL[PERSON], GROUPS),
    "words of a person": ("who", "category", np.array([f"s{k:02}" for k in PERSON]), ILL[PERSON], GROUPS),
    "identifiers in order of the answer": ("subject_id", "number", PERSON, np.where(PERSON < 20, "a", "b"), GROUPS),
    "numbers without a name": ("code", "number", PERSON, ILL[PERSON], GROUPS),
    "a number per person": ("code", "number", PERSON, EFFECT, GROUPS),
    "a measurement with a threshold": ("age", "number", AGE, ADULT, LEAK),
    "another code of the answer": ("code", "category", np.where(ADULT == "old", "x", "z"), ADULT, LEAK),
    "the answer in another unit": ("cents", "number", 3.0 * EFFECT + 1.0, EFFECT, LEAK),
    "whole numbers that grow with the answer": ("cents", "number", AGE, 2.0 * AGE, LEAK),
    "noise": ("noise", "number", rng.normal(size=N), ADULT, None),
}


@pytest.mark.parametrize("case", CASES)
def test_a_column_that_tells_the_answer_is_a_leak_or_a_name_of_groups(case):
    name, kind, values, y, expected = CASES[case]
    task = "regression" if y.dtype.kind == "f" else "classification"
    found = advice({name: (kind, values)}, y, task)
    assert [title for title in (LEAK, GROUPS) if title in found] == ([expected] if expected else [])
    if expected:
        assert ("--group" in found[expected]) == (expected == GROUPS)


MISSING = "Numbers that may mean missing"
ODD = rng.permutation(N) < N // 20


def with_odd(value, usual):
    return np.where(ODD, value, usual)


STAND_INS = {
    "far below": (with_odd(-999, AGE), ["-999"]),
    "far above": (with_odd(999, AGE), ["999"]),
    "of other digits": (with_odd(-9999.0, rng.normal(size=N)), ["-9999"]),
    "both": (np.where(rng.permutation(N) < 9, 9999, with_odd(-99, rng.normal(size=N))), ["-99", "9999"]),
    "minus one of positive numbers": (with_odd(-1, AGE), ["-1"]),
    "a number among others": (with_odd(99, rng.integers(0, 101, N)), []),
    "minus one among negative numbers": (with_odd(-1, rng.integers(-50, 50, N)), []),
    "minus one of a few codes": (with_odd(-1, AGE % 2), []),
    "twice only": (np.where(np.arange(N) < 2, -999, AGE), []),
    "another outlier": (with_odd(-1234, AGE), []),
    "all of it": (np.full(N, 999), []),
}


@pytest.mark.parametrize("case", STAND_INS)
def test_a_number_that_may_mean_missing_is_named_with_the_option(case):
    values, cells = STAND_INS[case]
    found = advice({"dose": ("number", values)}, np.where(rng.random(N) < 0.5, "a", "b"))
    assert (MISSING in found) == bool(cells)
    for cell in cells:
        share = np.mean(values == float(cell))
        assert f"dose ({float(cell):g} in {share:.1%} of the rows)" in found[MISSING]
        assert f"--missing {cell}" in found[MISSING]


TREES = {"regression": DecisionTreeRegressor, "classification": DecisionTreeClassifier}


@pytest.mark.parametrize("task", TREES)
@pytest.mark.parametrize("n", [12, 40, 300])
def test_no_tree_on_one_column_scores_above_the_bound(task, n):
    rng = np.random.default_rng(n)
    for noise in (0.0, 0.02, 0.3, 3.0):
        for gaps in (0, n // 4):
            code = rng.integers(0, n, n).astype(float)
            y = np.sin(6.0 * code / n) + noise * rng.normal(size=n)
            y = np.digitize(y, [-0.5, 0.5]) if task == "classification" else y
            code[:gaps] = np.nan
            tree = TREES[task](max_leaf_nodes=MOST_LEAVES, min_samples_leaf=LEAST_ROWS, random_state=0)
            score = tree.fit(code[:, None], y).score(code[:, None], y)
            assert score <= most_alone(code, y, task) + 1e-12


@pytest.mark.parametrize("task", TREES)
def test_a_wide_table_of_noise_needs_almost_no_trees(task, monkeypatch):
    fits = []

    class Counted(TREES[task]):
        def fit(self, X, y):
            fits.append(len(y))
            return super().fit(X, y)

    monkeypatch.setattr(_checks, TREES[task].__name__, Counted)
    columns = {f"c{j}": ("number", rng.normal(size=40)) for j in range(300)}
    y = rng.normal(size=40)
    advice(columns, y if task == "regression" else y > 0.0, task)
    assert len(fits) <= 0.05 * len(columns)


def test_groups_and_times_that_the_table_shows_are_named():
    weight = 70.0 + 10.0 * EFFECT + 2.0 * NOISE
    found = advice({"patient_id": ("number", PERSON), "day": ("date", DAYS), "weight": ("number", weight)})
    assert "give --group patient_id" in found["Rows may belong together"]
    assert re.search(r"9\d% of the variance of weight lies between the values of patient_id", str(found))
    assert "give --time day" in found["Rows in order of time"]


def test_the_target_may_be_what_is_alike():
    table = Table({"customer": PERSON, "x": NOISE})
    kinds = [ColumnKind("customer", "number"), ColumnKind("x", "number")]
    (found,) = check_arrangement(table, kinds, EFFECT)
    assert "100% of the variance of the target" in found.text
    assert "--group customer" in found.text
    assert check_arrangement(table, kinds, NOISE) == []
    assert "of the variance of the target" in check_arrangement(table, kinds, ILL[PERSON])[0].text
    assert check_arrangement(table, kinds, np.where(NOISE > 0.0, "up", "down")) == []


def test_groups_without_a_name_must_be_nearly_the_same_in_most_columns():
    """Rows of a place repeat its height and its rain; rows of an age share no more than a trend."""
    place = {
        "place": ("category", np.array([f"p{k}" for k in PERSON])),
        "height": ("number", EFFECT),
        "rain": ("number", 2.0 * EFFECT + 0.01 * NOISE),
        "x": ("number", NOISE),
    }
    assert "give --group place" in advice(place)["Rows may belong together"]
    trend = {"age": ("number", AGE), "height": ("number", 0.1 * AGE + NOISE), "rain": ("number", AGE + 9.0 * NOISE)}
    assert advice(trend) == {}


QUIET = {
    "identifiers that never repeat": ("patient_id", "number", np.arange(N)),
    "rows that only share a name": ("patient_id", "number", PERSON),
    "few levels": ("user", "category", np.array(["new", "old"])[PERSON % 2]),
    "measurements with such a name": ("no", "number", rng.normal(size=N)),
    "a category without such a name": ("city", "category", np.array([f"c{k}" for k in PERSON])),
    "dates in no order": ("day", "date", rng.permutation(DAYS)),
    "numbers in order that are no times": ("size", "number", np.arange(N) / 2.0),
}


@pytest.mark.parametrize("case", QUIET)
def test_no_advice_where_nothing_calls_for_it(case):
    name, kind, values = QUIET[case]
    assert advice({name: (kind, values), "x": ("number", NOISE)}) == {}


def test_no_advice_where_the_split_is_arranged_already():
    table = Table({"patient": PERSON, "day": DAYS})
    kinds = [ColumnKind("patient", "unused", reason="role"), ColumnKind("day", "date")]
    assert check_arrangement(table, kinds) == []


@pytest.mark.parametrize(
    ("name", "expected"),
    [("id", True), ("patient_id", True), ("Subject", True), ("user.no", True), ("machine 2", True), ("idea", False),
     ("width", False), ("paid", False), ("notes", False), ("personality", False)],
)  # fmt: skip
def test_names_of_identifiers(name, expected):
    assert is_called_identifier(name) == expected


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_order_is_seen_in_both_directions_with_ties_and_gaps(sign):
    moments = sign * np.repeat(np.arange(50.0), 3)
    moments[7] = np.nan
    assert is_ordered(moments)
    assert not is_ordered(rng.permutation(moments))
    assert not is_ordered(np.zeros(50))


@pytest.mark.parametrize("unit", [1e-150, 1e-9, 1.0, 1e149])
def test_a_leak_is_seen_in_every_unit_of_the_target(unit):
    x = np.random.default_rng(0).normal(size=300)
    found = check_columns(Table({"x": x}), [ColumnKind("x", "number")], unit * (1e3 + x), "regression", 0)
    assert [one.title for one in found] == ["Possible leakage"]


def test_rows_are_as_alike_in_every_unit():
    rng = np.random.default_rng(0)
    groups, values = np.repeat(np.arange(30), 4), np.repeat(rng.normal(size=30), 4) + rng.normal(size=120)
    for power in (-700, -500, 500, 900):
        assert likeness(groups, np.ldexp(values, power)) == pytest.approx(likeness(groups, values), rel=1e-12)


def test_an_identifier_is_advised_before_other_groups_which_are_named():
    place = np.array([f"p{k}" for k in PERSON])
    columns = {
        "place": ("category", place), "patient_id": ("number", PERSON), "height": ("number", EFFECT),
        "rain": ("number", 2.0 * EFFECT + 0.01 * NOISE), "x": ("number", EFFECT - 0.01 * NOISE),
    }  # fmt: skip
    said = advice(columns)["Rows may belong together"]
    assert "give --group patient_id" in said
    assert said.startswith("The values of patient_id repeat (so do place), and rows")


def test_groups_without_a_name_are_not_told_by_one_column_of_many():
    place = {"place": ("category", np.array([f"p{k}" for k in PERSON])), "height": ("number", EFFECT)}
    others = {name: ("number", rng.normal(size=N)) for name in "uvw"}
    assert advice({**place, **others}) == {}


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (np.arange(40) % 20, True),
        (np.arange(39) % 20, False),
        (np.arange(40) % 9, False),
        (np.arange(40) % 20 / 2, False),
    ],
)
def test_groups_are_several_values_of_two_rows_each_and_whole(values, expected):
    assert repeats(ColumnKind("k", "number"), values.astype(float)) == expected


def test_one_step_in_ten_the_other_way_is_no_order():
    steps = np.where(np.arange(500) % 10, 1.0, -1.0)
    assert not is_ordered(np.cumsum(steps))
    assert is_ordered(np.cumsum(np.where(np.arange(500) % 250, 1.0, -1.0)))
