"""Tables as they come: gaps of every library, columns named by numbers, text without words, one class at the end."""

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from gnomon._registry import Facts, candidates
from gnomon.cli._app import app
from gnomon.io import Table, UserError, as_table
from gnomon.report import learn, page

N = 120
RNG = np.random.default_rng(0)
X = RNG.normal(size=N)
Y = np.where(X + 0.3 * RNG.normal(size=N) > 0, "up", "down")


def test_gaps_of_pandas_are_missing_cells():
    frame = pd.DataFrame(
        {
            "word": pd.array(["a", None], dtype="string"),
            "flag": pd.array([True, None], dtype="boolean"),
            "count": pd.array([1, None], dtype="Int64"),
            "level": pd.Categorical(["x", None]),
            "day": pd.to_datetime(["2020-01-01", None]),
        }
    )
    table = as_table(frame)
    assert [table[name].tolist() for name in ("word", "flag", "level")] == [["a", ""], ["true", ""], ["x", ""]]
    assert np.isnan(table["count"][1])
    assert np.isnat(table["day"][1])
    assert Table({"word": [pd.NA, "x"]})["word"].tolist() == ["", "x"]


def test_columns_named_by_numbers_are_read():
    assert as_table(pd.DataFrame(np.eye(2)))["1"].tolist() == [0.0, 1.0]


QUICK = ("logistic regression", "decision tree")


def test_text_without_a_word_is_no_obstacle(only):
    only(*QUICK)
    marks = [" ".join(RNG.choice(["--", "..", "!!", "??", "%%"], size=5)) for _ in range(N)]
    study = learn({"x": X, "marks": marks, "y": Y}, "y")
    assert {kind.name: kind.kind for kind in study.kinds} == {"x": "number", "marks": "text"}
    assert study.choice.learned


def test_a_last_fifth_of_one_class_has_no_curve_and_no_area(only):
    only(*QUICK)
    data = {"x": X, "t": np.arange(N), "y": np.where(np.arange(N) < 90, Y, "up")}
    study = learn(data, "y", time="t")
    assert np.isnan(study.judgement.intervals["ROC AUC"]).all()
    html = page(study, as_table(data))
    assert "ROC curve for" not in html
    assert "Confusion matrix" in html


def test_rows_are_counted_with_those_that_were_set_aside(only):
    only(*QUICK)
    place = np.arange(N)
    study = learn({"x": X, "y": np.where(place < 4, "rare", np.where(place < 7, "", Y))}, "y")
    assert any(finding.text.startswith(f"3 of {N} rows have no y") for finding in study.findings)


def test_a_target_whose_square_overflows_is_refused():
    with pytest.raises(UserError, match="give another unit"):
        learn({"x": X, "y": 1e200 * X}, "y")


def test_the_command_says_what_was_chosen_and_why(tmp_path, monkeypatch, only):
    only(*QUICK)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a [b].csv").write_text("x,y\n" + "\n".join(f"{x},{y}" for x, y in zip(X, Y, strict=True)))
    told = CliRunner().invoke(app, ["learn", "a [b].csv", "-t", "y", "-o", "out"]).output
    assert told.startswith(f"a [b].csv: {N} rows, 2 columns")
    assert "Chosen: " in told
    assert ", because it " in " ".join(told.split())


def test_levels_that_add_up_to_one_are_no_complaint(only):
    only("least squares", "ridge regression", "lasso", "elastic net")
    table = {"level": RNG.choice(["a", "b", "c"], size=200), "x": RNG.normal(size=200)}
    study = learn({**table, "y": table["x"] + 0.1 * RNG.normal(size=200)}, "y")
    facts = Facts("regression", n_rows=200, n_features=4)
    assert "least squares" in [candidate.name for candidate in candidates(facts)]
    assert not any("rank" in complaint for trial in study.trials for complaint in trial.complaints)
