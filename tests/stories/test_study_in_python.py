"""A study from Python: what it takes, what it shows, what it says of new rows, and the files that it writes."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from typer.testing import CliRunner

import gnomon
from gnomon._registry import Candidate
from gnomon.cli._app import app
from gnomon.datasets.embedded import demo_path
from gnomon.io import Table, UserError, load, notes, read_table
from real_data import data_path

LOGISTIC = Candidate("logistic", "classification", lambda f, s: LogisticRegression(max_iter=500), 1)
RIDGE = Candidate("ridge", "regression", lambda f, s: Ridge(), 1)
BROKEN = Candidate("broken <i>", "classification", lambda f, s: LogisticRegression(C=-1.0), 2)


@pytest.fixture(autouse=True)
def few(only):
    only(LOGISTIC, RIDGE)


def rows(n=120):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2))
    return X, X[:, 0] + 0.3 * rng.normal(size=n) > 0


NEW = np.array([[2.0, 0.0], [-2.0, 0.0]])


def frame(X):
    return {"a": X[:, 0], "b": X[:, 1]}


def csv_of(X, y, folder):
    path = folder / "rows.csv"
    pd.DataFrame({**frame(X), "y": y}).to_csv(path, index=False)
    return path


GIVEN = {
    "arrays": lambda X, y, d: (X, y.astype(int), NEW, [1, 0]),
    "lists": lambda X, y, d: (X.tolist(), y.tolist(), NEW.tolist(), [True, False]),
    "a column of labels": lambda X, y, d: (X, y.astype(int)[:, None], NEW, [1, 0]),
    "a dict": lambda X, y, d: ({**frame(X), "y": y}, "y", frame(NEW), [True, False]),
    "pandas": lambda X, y, d: (pd.DataFrame({**frame(X), "y": y * 7}), "y", pd.DataFrame(frame(NEW)), [7, 0]),
    "pandas and a series": lambda X, y, d: (
        frame(X), pd.Series(np.where(y, "up", "down"), name="move"), pd.DataFrame(frame(NEW)), ["up", "down"]
    ),
    "categories of pandas": lambda X, y, d: (
        pd.DataFrame(frame(X)), pd.Series(y * 2, dtype="category"), frame(NEW), [2, 0]
    ),
    "the column of the frame itself": lambda X, y, d: (
        (f := pd.DataFrame({**frame(X), "y": y})), f["y"], frame(NEW), [True, False]
    ),
    "polars": lambda X, y, d: (pl.DataFrame({**frame(X), "y": y}), "y", pl.DataFrame(frame(NEW)), [True, False]),
    "a table": lambda X, y, d: (Table({**frame(X), "y": y}), "y", Table(frame(NEW)), ["true", "false"]),
    "a path": lambda X, y, d: (csv_of(X, y, d), "y", frame(NEW), ["True", "False"]),
    "text of a path": lambda X, y, d: (str(csv_of(X, y, d)), "y", frame(NEW), ["True", "False"]),
}  # fmt: skip


@pytest.mark.parametrize("case", GIVEN)
def test_all_forms_of_data_give_the_same_study_and_answer_in_their_own_labels(case, tmp_path):
    X, y = rows()
    data, target, new, expected = GIVEN[case](X, y, tmp_path)
    study = gnomon.learn(data, target)
    assert study.predict(new).tolist() == expected
    assert study.classes_.tolist() == expected[::-1]
    proba = study.predict_proba(new)
    assert (proba.argmax(axis=1) == [1, 0]).all()
    assert proba == pytest.approx(gnomon.learn(X, y).predict_proba(NEW), rel=1e-6)


def test_numbers_are_predicted_as_numbers():
    X, _ = rows()
    study = gnomon.learn(X, X @ [1.0, 2.0])
    assert study.predict([[1.0, 1.0]]) == pytest.approx([3.0], abs=0.2)
    assert study.classes_.size == 0
    with pytest.raises(UserError, match="y is a number and has no probabilities; ask for predict"):
        study.predict_proba(X)


BAD = {
    "no target": (lambda X, y: (X, None), "y is None; give the name of the column to predict, or its values"),
    "a target that is not there": (lambda X, y: (frame(X), "z"), "the target 'z' is no column; the columns are: a, b"),
    "a name for a nameless array": (lambda X, y: (X, "a"), "'a' is no column; the columns are: column_1, column_2"),
    "too few labels": (lambda X, y: (X, y[:9]), r"y has the shape \(9,\), and X 120 rows; give one value for each"),
    "two columns of labels": (lambda X, y: (X, np.c_[y, y]), r"y has the shape \(120, 2\), and X 120 rows"),
    "one row of numbers": (lambda X, y: (X[:, 0], y), r"X has the shape \(120,\); give a row for each case"),
    "rows of different lengths": (lambda X, y: ([[1.0], [1.0, 2.0]], [0, 1]), "the rows of X differ in length; give"),
    "no file": (lambda X, y: ("nowhere.csv", "y"), "nowhere.csv: no such file"),
    "no table": (lambda X, y: (7, y), "int is no table"),
    "two columns of one name": (
        lambda X, y: ({**frame(X), "y": X[:, 0]}, y), "y is called 'y', and X has a column of that name with other"
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_data_are_told_in_a_sentence(case):
    make, words = BAD[case]
    with pytest.raises(UserError, match=words):
        gnomon.learn(*make(*rows()))


def test_options_of_reading_are_for_files(tmp_path):
    X, y = rows()
    with pytest.raises(UserError, match="the data are no path; leave it out"):
        gnomon.learn(X, y, reading={"delimiter": ";"})
    path = tmp_path / "rows.csv"
    pd.DataFrame({**frame(X), "y": y}).to_csv(path, index=False, sep="|")
    study = gnomon.learn(path, "y", reading={"delimiter": "|"})
    new = tmp_path / "new.csv"
    new.write_text("a|b\n2|0\n-2|0\n")
    assert study.predict(new).tolist() == ["True", "False"]
    study.save(tmp_path / "m.skops")
    assert notes(tmp_path / "m.skops")["reading"] == {"delimiter": "|"}


@pytest.fixture
def odd(only):
    """A study with everything to say: a model that fails, findings, and names that are HTML."""
    only(LOGISTIC, BROKEN)
    X, y = rows()
    return gnomon.learn({"<b>a": X[:, 0], "empty": [""] * 120, "<script>": np.where(y, "<up>", "down")}, "<script>")


def test_a_study_prints_as_the_report_begins(odd):
    text = repr(odd)
    order = [
        "Predicting <script> from a table: classification of 2 classes (<up>, down); 120 rows, of which",
        "The target <script> holds text, so this is classification.",
        "On 24 held-out rows logistic reaches log loss 0.",
        "Chosen: logistic, because",
        "→ logistic",
        "  baseline",
        "Failed. broken <i>: ",
        "Empty columns. ",
    ]
    places = [text.index(part) for part in order]
    assert places == sorted(places)
    assert max(map(len, text.split("\n\n")[2].splitlines())) < 80


def test_a_notebook_shows_it_escaped_and_without_anything_from_outside(odd):
    html = odd._repr_html_()
    assert "&lt;script&gt;" in html
    assert "broken &lt;i&gt;" in html
    assert not re.search(r"<script|<i>|<up>|src=|href=|url\(|http", html)
    # Every rule of the style is of this piece alone.
    style = html[html.index("<style>") + 7 : html.index("</style>")]
    assert all(line.startswith(".gnomon-study") for line in style.split("\n") if line)


def test_the_files_are_those_of_the_command(tmp_path):
    path, target = demo_path()
    study = gnomon.learn(path, target)
    study.report(tmp_path / "page.html")
    html = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert html.startswith("<!doctype html>")
    assert path.name in html
    assert study.source.digest in html
    study.save(tmp_path / "model.skops")
    done = CliRunner().invoke(app, ["predict", str(tmp_path / "model.skops"), str(path), "--proba"])
    assert done.exit_code == 0, done.output
    table = read_table(path)
    said = [line.split(",")[1] for line in done.stdout.splitlines()[1:]]
    assert said == study.predict(table).tolist()
    assert load(tmp_path / "model.skops").predict(table).tolist() == said
    typical = notes(tmp_path / "model.skops")["typical"]
    assert set(typical) == {kind.name for kind in study.model[0].kinds}
    assert all(cell in table[name].tolist() for name, cell in typical.items())
    assert sorted(p.name for p in tmp_path.iterdir()) == ["model.skops", "page.html"]


def test_a_file_that_cannot_be_written_is_told(odd, tmp_path):
    Path(tmp_path, "file").touch()
    for write in (odd.report, odd.save):
        with pytest.raises(UserError, match="cannot make the folder"):
            write(tmp_path / "file" / "x")


def test_a_real_file_from_path_to_answer():
    path = data_path("tabular/german.csv.gz")
    study = gnomon.learn(path, "column_21", reading={"header": False})
    assert repr(study).startswith("Predicting column_21 from german.csv.gz: classification of 2 classes (1, 2); 1000")
    assert study.judgement.scores["ROC AUC"] > 0.7
    assert set(study.predict(path).tolist()) == {"1", "2"}


WRONG = {
    "a seed below zero": ({"seed": -1}, "seed=-1 must be in"),
    "a seed that is no number": ({"seed": "a"}, "seed='a' must be a whole number"),
    "a metric that is no name": ({"metric": len}, "metric=<built-in function len> must be the name of a score; for"),
    "aims that are none": ({"aims": {"coverage": 0.9}}, "must be a gnomon.report.Aims, such as"),
    "one column to drop, not a list": ({"drop": "a"}, r"drop='a' must be a list of columns; give \['a'\]"),
    "the target as groups": ({"group": "y"}, "--group y: that is the target, the column to predict; name another"),
    "the target as time": ({"time": "y"}, "--time y: that is the target"),
    "no target": ({"drop": ["y"]}, "--drop y: that is the target"),
    "one time for all": ({"time": "b"}, "--time 'b' is '1' in every row with a target, so that none is later"),
}


@pytest.mark.parametrize("case", WRONG)
def test_options_that_make_no_sense_are_refused_by_name(case):
    options, words = WRONG[case]
    X, y = rows()
    with pytest.raises((UserError, ValueError, TypeError), match=words):
        gnomon.learn({"a": X[:, 0], "b": np.ones(120), "y": y}, "y", **options)


def test_labels_of_several_types_stay_what_they_are(only):
    only(LOGISTIC)
    X, y = rows()
    study = gnomon.learn(X, np.array([1 if one else "low" for one in y], dtype=object))
    assert study.classes_.tolist() == [1, "low"]
    assert set(study.predict(X).tolist()) == {1, "low"}


def test_a_long_name_of_a_model_takes_several_lines_of_the_table_and_its_scores_the_first(only):
    name = "mean of " + ", ".join(f"model number {k}" for k in range(8))
    only(replace(LOGISTIC, name=name))
    X, y = rows()
    table = repr(gnomon.learn(X, y)).split("\n\n")[2].splitlines()
    named = [line for line in table if "model number" in line]
    assert max(map(len, table)) < 100
    assert len(named) > 1
    assert " ".join(" ".join(re.split("   +", line.strip("→ "))[0] for line in named).split()) == name
    assert "±" in named[0]
    assert not any("±" in line for line in named[1:])
