"""What a column is: numbers and dates in any usual spelling, markers of missing cells, identifiers; what is said."""

from datetime import datetime

import numpy as np
import pytest

from gnomon.io import Table, UserError
from gnomon.io.cells import clean, counted
from gnomon.io.dates import date_forms
from gnomon.io.numbers import CONVENTIONS, NumberForm, as_numbers, number_form
from gnomon.report._kinds import as_kinds, decimal_of, infer_kinds
from gnomon.report._target import read_target
from gnomon.report.reading import reading_remarks

RNG = np.random.default_rng(0)
N = 100


def kind_of(cells, name="x", **options):
    """The kind of one column, beside another that leaves everything open."""
    return infer_kinds(Table({name: clean(cells)}), [name], **options)[name]


def read(cells, name="x", **options):
    kind = kind_of(cells, name, **options)
    return kind, kind.read(clean(cells))


NUMBERS = {
    "plain": ({}, ["1", "-2.5", "+3", "1e3", ".5", "7."], [1, -2.5, 3, 1000, 0.5, 7]),
    "minus sign of print": ({}, ["−5", "3", "2"], [-5, 3, 2]),
    "thousands": ({}, ["1,234.5", "7", "1,234,567"], [1234.5, 7, 1234567]),
    "thousands only": ({}, ["1,234", "5,678"], [1234, 5678]),
    "thousands of India": ({}, ["12,34,567", "1,000"], [1234567, 1000]),
    "decimal comma": ({}, ["1,5", "-2", "0,25"], [1.5, -2, 0.25]),
    "decimal comma and points": ({}, ["1.234,56", "7", "12.345"], [1234.56, 7, 12345]),
    "either, in a file of decimal commas": ({"decimal": ","}, ["1,234", "5,678"], [1.234, 5.678]),
    "points, in a file of decimal commas": ({"decimal": ","}, ["1.234", "5.678"], [1234, 5678]),
    "decimal points, in a file of semicolons": ({"decimal": ","}, ["1.5", "2.234"], [1.5, 2.234]),
    "blanks": ({}, ["1 234", "12 345 678,5", "3"], [1234, 12345678.5, 3]),
    "narrow blanks": ({}, ["1\u202f234,5", "1\u00a0000"], [1234.5, 1000]),
    "Swiss": ({}, ["1'234.50", "3", "1’000"], [1234.5, 3, 1000]),
    "percent": ({}, ["45 %", "3.5%", "0"], [45, 3.5, 0]),
    "euro before": ({}, ["€ 1,200", "€3,400.50"], [1200, 3400.5]),
    "euro after": ({}, ["1.200,50 €", "3 €"], [1200.5, 3]),
    "dollars and debts": ({}, ["$5.00", "-$1", "$-2.25", "($3.20)"], [5, -1, -2.25, -3.2]),
    "currency by letters": ({}, ["USD 12.50", "USD 1,000"], [12.5, 1000]),
    "kilograms": ({}, ["12 kg", "1.5 kg", "3kg"], [12, 1.5, 3]),
    "a unit with an exponent": ({}, ["5 m2", "6.5 m2", "7 m2"], [5, 6.5, 7]),
    "a ratio of units": ({}, ["5 km/h", "6.5 km/h", "7 km/h"], [5, 6.5, 7]),
    "degrees": ({}, ["21.5 °C", "-3 °C", "0 °C"], [21.5, -3, 0]),
}


@pytest.mark.parametrize("case", NUMBERS)
def test_numbers_are_read_in_every_usual_spelling(case):
    options, cells, expected = NUMBERS[case]
    form = number_form(counted(clean(cells)), **options)
    np.testing.assert_array_equal(form.read(clean([*cells, "", "word"])), [*expected, np.nan, np.nan])


NO_NUMBERS = {
    "quarters": ["Q1", "Q2", "Q3"],
    "ranges": ["10-19", "20-29", "30-39"],
    "dates": ["31 Dec 2020", "30 Dec 2020", "29 Dec 2020"],
    "one level that begins with a number": ["1. White"] * 97 + ["2. Black"] * 3,
    "several units": ["12 kg", "300 g", "1 t"],
    "ordinals": ["1st", "2nd", "3rd"],
    "doors": ["2 doors", "4 doors"],
    "underscores": ["1_000", "2_000"],
    "addresses": ["10.0.0.1", "10.0.0.2"],
    "versions": ["1.2.3", "1.10.0"],
    "words": ["a", "b"],
    "nothing": ["-", "."],
}


@pytest.mark.parametrize("case", NO_NUMBERS)
def test_what_is_no_number_stays_what_it_is(case):
    assert number_form(counted(clean(NO_NUMBERS[case]))) is None


def test_plain_cells_are_read_at_once():
    text = clean(["1", "-2.5", "1e3", "", "inf", "1_000", "x", "1e400"])
    np.testing.assert_array_equal(as_numbers(text), [1, -2.5, 1000, *[np.nan] * 5])


MARKERS = ["-", "--", ".", "na", "NA", "N/A", "n/a", "n.a.", "<NA>", "#DIV/0!", "#N/A", "null", "NULL", "None", "none",
           "?", "inf", "-inf", "Infinity", "NaN", "*", "—", "unknown", "\\N", "x"]  # fmt: skip


@pytest.mark.parametrize("marker", MARKERS)
def test_a_marker_of_missing_cells_does_not_change_the_type(marker):
    cells = [marker if i % 10 < 6 else f"{v:.3f}" for i, v in enumerate(RNG.normal(size=N))]
    kind, values = read(cells)
    assert kind.kind == "number"
    assert kind.n_unreadable == 0
    np.testing.assert_array_equal(np.isnan(values), [cell == marker for cell in cells])


def test_a_placeholder_among_words_is_a_level():
    cells = ["+", "-"] * 50
    assert kind_of(cells).kind == "category"
    target = read_target(Table({"y": clean(cells)}), "y")
    assert target.classes == ("+", "-")


DATES = {
    "iso": (["2024-03-01", "2023-12-31"], "iso", "2024-03-01T00:00"),
    "iso with a zone": (["2024-03-01T10:00:00+02:00", "2024-03-01 11:30"], "iso", "2024-03-01T08:00"),
    "iso with fractions": (["2024-03-01 10:00:00.123456789", "2024-03-01 11:30:00.5"], "iso", "2024-03-01T10:00"),
    "dots": (["1.3.2024", "31.12.2023"], "%d.%m.%Y", "2024-03-01T00:00"),
    "dots and a clock": (["01.03.2024 14:05", "31.12.2023 00:00"], "%d.%m.%Y %H:%M", "2024-03-01T14:05"),
    "day first": (["13/01/2024", "01/02/2024"], "%d/%m/%Y", "2024-01-13T00:00"),
    "month first": (["01/13/2024", "02/01/2024"], "%m/%d/%Y", "2024-01-13T00:00"),
    "month first and a clock": (["12/31/2020 14:05", "01/02/2020 3:00"], "%m/%d/%Y %H:%M", "2020-12-31T14:05"),
    "half a day": (["12/31/2020 2:05 PM", "01/02/2020 3:00 am"], "%m/%d/%Y %I:%M %p", "2020-12-31T14:05"),
    "year of two digits": (["12/31/20", "01/02/21"], "%m/%d/%y", "2020-12-31T00:00"),
    "year first": (["2020/12/31", "2021/01/02"], "%Y/%m/%d", "2020-12-31T00:00"),
    "dashes": (["31-12-2020", "02-01-2021"], "%d-%m-%Y", "2020-12-31T00:00"),
    "short month": (["31-Dec-2020", "2-jan-2021"], "%d-%b-%Y", "2020-12-31T00:00"),
    "long month": (["31 December 2020", "2 March 2021"], "%d %B %Y", "2020-12-31T00:00"),
    "month, day": (["Dec 31, 2020", "Mar 2, 2021"], "%b %d, %Y", "2020-12-31T00:00"),
    "weekday": (["Thu, 31 Dec 2020 14:05:06 +0100"], "%a, %d %b %Y %H:%M:%S %z", "2020-12-31T13:05"),
    "log of a server": (["31/Dec/2020:14:05:06 -0100"], "%d/%b/%Y:%H:%M:%S %z", "2020-12-31T15:05"),
    "zone by name": (["2020-12-31 14:05:06 UTC"], "%Y-%m-%d %H:%M:%S %Z", "2020-12-31T14:05"),
    "month of a year": (["2020-12", "2021-01"], "%Y-%m", "2020-12-01T00:00"),
    "time of day": (["14:05", "9:30"], "%H:%M", "1900-01-01T14:05"),
}


@pytest.mark.parametrize("case", DATES)
def test_dates_are_read_in_every_usual_spelling(case):
    cells, pattern, first = DATES[case]
    (form,) = date_forms(counted(clean(cells)))
    assert form.pattern == pattern
    dates = form.read(clean([*cells, "", "word"]))
    assert dates[0].astype("datetime64[m]") == np.datetime64(first)
    assert np.isnat(dates).tolist() == [False] * len(cells) + [True, True]


@pytest.mark.parametrize(
    "cells", [["yesterday", "2024-03-01"], ["2024-03-01", "2024-13-01"], ["0001-01-01T00:00+05:00"]]
)
def test_what_is_no_date_is_none(cells):
    assert date_forms(counted(clean(cells))) == []


def test_day_and_month_that_cannot_be_told_apart_are_said_and_can_be_told():
    """Within twelve days of one month, the reading by days is the one in which the dates lie close together."""
    cells = [f"{day:02}/02/2024" for day in range(1, 13)] * 3
    kind, dates = read(cells)
    assert kind.date.pattern == "%d/%m/%Y"
    assert np.ptp(dates) == np.timedelta64(11, "D")
    assert "no cell tells day from month" in kind.remark
    assert "date:%m/%d/%Y" in kind.remark
    told = kind_of(cells, types={"x": "date:%m/%d/%Y"})
    assert told.read(clean(cells))[1] == np.datetime64(datetime(2024, 2, 2))
    assert told.remark == ""


def test_few_dates_that_cannot_be_read_are_said():
    cells = [f"{day:02}.03.2024" for day in range(1, 31)] * 3 + ["0000-00-00", "soon"]
    kind, dates = read(cells)
    assert (kind.kind, kind.n_unreadable, kind.example) == ("date", 1, "soon")
    assert np.isnat(dates).sum() == 2


KINDS = {
    "numbers": ([f"{v:.2f}" for v in RNG.normal(size=N)], "number", ""),
    "few unreadable": (["12"] * 60 + ["13"] * 38 + ["oops"] * 2, "number", ""),
    "counts with few values": ([str(i % 4) for i in range(N)], "number", ""),
    "amounts": ([f"€ {v:,.2f}" for v in RNG.uniform(0, 1e5, size=N)], "number", ""),
    "row counter": ([str(i + 1) for i in range(N)], "unused", "identifier"),
    "row counter backwards": ([str(N - i) for i in range(N)], "unused", "identifier"),
    "years, one a row": ([str(1900 + i) for i in range(N)], "number", ""),
    "keys": ([f"k{i:03}" for i in range(N)], "unused", "identifier"),
    "levels": (["red", "green"] * 50, "category", ""),
    "sentences": ([f"this is the sentence number {i} of many" for i in range(N)], "text", ""),
    "digits beyond floats": ([str(10**18 + 7 * i) for i in range(N)], "unused", "large"),
    "lists": ([f"[{i}, 2]" for i in range(N)], "unused", "nested"),
    "records": ([f'{{"a": {i}}}' for i in range(N)], "unused", "nested"),
    "empty": ([""] * N, "unused", "empty"),
    "constant": (["same"] * N, "unused", "constant"),
}


@pytest.mark.parametrize("case", KINDS)
def test_columns_are_what_their_cells_say(case):
    cells, kind, reason = KINDS[case]
    found = kind_of(cells)
    assert (found.kind, found.reason) == (kind, reason)


@pytest.mark.parametrize(
    ("case", "told", "first"),
    [
        ("row counter", "number", 1.0),
        ("digits beyond floats", "number", 1e18),
        ("digits beyond floats", "category", "1000000000000000000"),
        ("lists", "text", "[0, 2]"),
        ("keys", "text", "k000"),
        ("levels", "text", "red"),
        ("numbers", "category", KINDS["numbers"][0][0]),
        ("few unreadable", "category", "12"),
    ],
)
def test_the_user_has_the_last_word(case, told, first):
    kind, values = read(KINDS[case][0], types={"x": told})
    assert kind.kind == told
    assert values[0] == first


@pytest.mark.parametrize("told", ["magic", "", "number:%d", "date", "number"])
def test_a_type_that_cannot_be_is_refused(told):
    with pytest.raises(UserError, match=f"--type x={told}: "):
        kind_of(["red", "green"] * 20, types={"x": told})


def test_what_stands_out_is_said_with_an_example_and_what_to_do():
    """Every loss is told: the column, a cell of it, and the option that keeps it."""
    cells = {name: clean(KINDS[name][0]) for name in KINDS}
    cells["mixed"] = clean([f"{v:.2f}" if v > -0.5 else "below limit" for v in RNG.normal(size=N)])
    cells["dashes"] = clean([f"{v:.2f}" if v > -0.5 else "-" for v in RNG.normal(size=N)])
    said = {
        remark.title: remark.text for remark in reading_remarks(list(infer_kinds(Table(cells), list(cells)).values()))
    }
    assert "digits beyond floats (for example '1000000000000000000')" in said["Very large numbers"]
    assert "lists (for example '[0, 2]')" in said["Nested columns"]
    assert "keys (for example 'k000')" in said["Identifier columns"]
    assert "few unreadable (2, for example 'oops')" in said["Unreadable cells"]
    assert "mixed: " in said["Numbers among words"]
    assert "'below limit' is none" in said["Numbers among words"]
    assert "dashes: '-' and the like (" in said["Read as numbers"]
    assert "amounts: '€ " in said["Read as numbers"]
    assert all("--type NAME=" in said[title] for title in said if title not in ("Empty columns", "Constant columns"))


def test_other_columns_tell_the_decimal_mark():
    table = Table({"a": clean(["1,5", "2,25"]), "b": clean(["1.234", "2.345"]), "c": clean(["1,234", "2,345"])})
    assert decimal_of(table) == ","
    kinds = infer_kinds(table, table.names, types=dict.fromkeys(table.names, "number"))
    read_as = as_kinds(table, list(kinds.values()))
    assert [read_as[name].tolist() for name in "abc"] == [[1.5, 2.25], [1234.0, 2345.0], [1.234, 2.345]]
    assert decimal_of(table.select("bc")) == "."
    assert decimal_of(Table(table.select("bc").columns, decimal=",")) == ","


@pytest.mark.parametrize("odd", [1e39, np.finfo(float).max, -np.finfo(float).max])
def test_a_number_beyond_any_scale_is_missing_and_said(odd):
    values = RNG.normal(size=N)
    values[7] = odd
    kind = infer_kinds(Table({"x": values}), ["x"])["x"]
    assert (kind.kind, kind.n_unreadable) == ("number", 1)
    np.testing.assert_array_equal(np.flatnonzero(np.isnan(kind.read(values))), [7])
    # One row alone is read by the scale that was found, not by its own.
    assert np.isnan(kind.read(np.array([odd]))).all()


@pytest.mark.parametrize("unit", [1e-300, 1e300])
def test_a_column_in_odd_units_is_whole(unit):
    values = unit * RNG.normal(size=N)
    kind = infer_kinds(Table({"x": values}), ["x"])["x"]
    np.testing.assert_array_equal(kind.read(values), values)


TARGETS = {
    "two numbers": ([0, 1] * 60, "classification"),
    "three classes by number": ([1] * 150 + [2] * 35 + [3] * 30, "classification"),
    "types of glass": ([1] * 70 + [2] * 76 + [3] * 17 + [5] * 13 + [6] * 9 + [7] * 29, "classification"),
    "digits": (list(range(10)) * 30, "classification"),
    "counts": (RNG.poisson(2.0, size=400).clip(max=8).tolist(), "regression"),
    "grades of wine": ([3] * 10 + [4] * 53 + [5] * 681 + [6] * 638 + [7] * 199 + [8] * 18, "regression"),
    "prices": ([f"€ {v:,.2f}" for v in RNG.uniform(0, 1e5, size=N)], "regression"),
    "stars": ([f"{i % 3 + 1} stars" for i in range(N)], "classification"),
    "words": (["yes", "no"] * 50, "classification"),
}


@pytest.mark.parametrize("case", TARGETS)
def test_the_task_follows_from_the_target(case):
    """Counts and grades have one peak and a rare end; codes of classes have not."""
    cells, task = TARGETS[case]
    target = read_target(Table({"y": clean([str(cell) for cell in cells])}), "y")
    assert target.task == task
    if task == "classification":
        assert set(target.classes) == {str(cell) for cell in cells}


def test_a_dash_among_the_numbers_of_a_target_is_a_row_without_one():
    cells = [f"{v:.3f}" for v in RNG.normal(size=N)] + ["-"] * 10
    target = read_target(Table({"y": clean(cells)}), "y")
    assert (target.task, target.n_missing, len(target.y)) == ("regression", 10, N)


def test_a_number_written_in_a_form_is_read_again():
    """What JSON gives as a number is written as the column of the training file writes it."""
    numbers = [0, 1, -3, 1_234_567, 10**20, 0.1, -2.5e-9, 1e22, -1e300, 5e-324, 1234.5, 2 / 3]
    for decimal, thousands in CONVENTIONS:
        for before, after in (("", ""), ("€", ""), ("USD", ""), ("", "%"), ("", "m^3"), ("US$", "m2"), ("", "e")):
            form = NumberForm(decimal, thousands, before, after)
            assert [form.value(form.write(number)) for number in numbers] == numbers
    assert NumberForm(",", ".", "€").write(-1234.5) == "-€1234,5"
