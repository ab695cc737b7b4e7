"""Files as people have them: other spellings, no header, rows from a pipe, notes that someone edited."""

import csv
import io
import json
import zipfile

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from typer.testing import CliRunner

from gnomon import _registry
from gnomon._registry import Candidate, discover, register
from gnomon.cli._app import app
from gnomon.io import UserError, load, read_table
from gnomon.report import learn
from gnomon.report._kinds import infer_kinds
from real_data import data_path

RNG = np.random.default_rng(0)
N = 90
X = RNG.normal(size=(N, 2))
Y = np.where(X[:, 0] + 0.5 * X[:, 1] + 0.3 * RNG.normal(size=N) > 0, "up", "down")
TOWNS = np.array(["Rom", "Oslo", "Bern"])[np.arange(N) % 3]


@pytest.fixture(autouse=True)
def one_model(monkeypatch):
    discover()
    monkeypatch.setattr(_registry, "_registered", _registry._Registered())
    register(Candidate("logistic", "classification", lambda f, s: LogisticRegression(), 1))


def run(*arguments, code=0, **options):
    result = CliRunner().invoke(app, [str(a) for a in arguments], **options)
    assert result.exit_code == code, result.output
    return result


def german(value):
    return f"{value:,.2f}".translate(str.maketrans(",.", ".,"))


def lines(rows):
    """Rows of a German spreadsheet: semicolons, decimal commas, units, days first, a number for each customer."""
    return [
        f"{1000 + 3 * i};{german(1000 * X[i, 0])} €;{german(X[i, 1])} kg;{i % 28 + 1}.{i % 12 + 1}.2024;{TOWNS[i]}"
        for i in rows
    ]


HEAD = "customer no;price;weight;day;town"


@pytest.fixture(scope="module")
def spreadsheet(tmp_path_factory):
    """A model learned from such a file, with a marker of missing cells of its own."""
    folder = tmp_path_factory.mktemp("spreadsheet")
    rows = [f"{line};{y}" for line, y in zip(lines(range(N)), Y, strict=True)]
    rows[5] = rows[5].replace(TOWNS[5], "kein Ort")
    (folder / "data.csv").write_text("\n".join([f"{HEAD};way", *rows]))
    discover()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_registry, "_registered", _registry._Registered())
        register(Candidate("logistic", "classification", lambda f, s: LogisticRegression(), 1))
        told = run("learn", folder / "data.csv", "-t", "way", "-o", folder / "out", "--missing", "kein Ort").stdout
    return folder / "out" / "model.skops", " ".join(told.split())


def test_a_spreadsheet_is_read_as_it_was_meant(spreadsheet):
    model, told = spreadsheet
    kinds = {kind.name: kind.kind for kind in load(model)[0].kinds}
    assert kinds == {"price": "number", "weight": "number", "day": "date", "town": "category"}
    assert "customer no (for example '1000'). Not used; --keep NAME uses one" in told
    assert "€' is read as" in told


def predicted(result):
    return list(csv.DictReader(io.StringIO(result.stdout)))


def test_new_rows_are_read_by_the_same_rules_and_keep_their_order_and_names(spreadsheet):
    """A file of one row could be read in several ways; the model knows which."""
    model, _ = spreadsheet
    rows = [7, 3, 3, 60, 11]
    whole = predicted(run("predict", model, "--proba", input="\n".join([HEAD, *lines(rows)])))
    assert [row["customer no"] for row in whole] == [str(1000 + 3 * i) for i in rows]
    assert np.mean([row["prediction"] == Y[i] for row, i in zip(whole, rows, strict=True)]) > 0.5
    for i, row in zip(rows, whole, strict=True):
        (alone,) = predicted(run("predict", model, "-", "--proba", input=f"{HEAD}\n{lines([i])[0]}"))
        assert (alone["customer no"], alone["prediction"]) == (row["customer no"], row["prediction"])
        assert float(alone["probability of up"]) == pytest.approx(float(row["probability of up"]))


def test_the_threshold_moves_the_decision(spreadsheet):
    model, _ = spreadsheet
    new = "\n".join([HEAD, *lines(range(20))])
    rows = predicted(run("predict", model, "--proba", "--threshold", "0.9", "--id", "town", input=new))
    assert list(rows[0]) == ["customer no", "town", "prediction", "probability of down", "probability of up"]
    assert [row["prediction"] for row in rows] == [
        "up" if float(row["probability of up"]) > 0.9 else "down" for row in rows
    ]
    assert "from 0 to 1" in run("predict", model, "--threshold", "7", input=new, code=2).stderr


def test_what_is_new_in_the_file_is_said(spreadsheet):
    model, _ = spreadsheet
    strange = lines([1, 2, 3])
    strange[0] = strange[0].replace(TOWNS[1], "Atlantis")
    strange[1] = strange[1].replace(" kg", " lb")
    strange[2] = strange[2].replace(TOWNS[3], "kein Ort")
    said = run("predict", model, input="\n".join([HEAD, *strange])).stderr
    assert "1 of 3 cells of town hold levels that the model has never seen, taken as a rare one: Atlantis" in said
    assert "1 of 3 cells of weight are no numbers in the form of the training file (1.234,5 kg), for example" in said
    assert "kein Ort" not in said
    assert (
        "--id: no column nowhere"
        in run("predict", model, "--id", "nowhere", input=f"{HEAD}\n{lines([1])[0]}", code=2).stderr
    )


def test_a_column_of_which_nothing_can_be_read_is_an_error(spreadsheet):
    model, _ = spreadsheet
    pounds = [line.replace(" kg", " lb") for line in lines([1, 2, 3])]
    said = run("predict", model, input="\n".join([HEAD, *pounds]), code=2).stderr
    assert "the model needs weight, and none of its 3 cells is a number in the form of the training file" in said
    assert "--drop" in said


EDITS = {
    "no task": (lambda notes: {k: v for k, v in notes.items() if k != "task"}, "the notes are damaged (task)"),
    "a strange task": (lambda notes: {**notes, "task": "magic"}, "the notes are damaged (task)"),
    "no columns": (lambda notes: {k: v for k, v in notes.items() if k != "columns"}, "the notes are damaged (columns)"),
    "columns of another kind": (lambda notes: {**notes, "columns": 7}, "the notes are damaged (columns)"),
    "target of another kind": (lambda notes: {**notes, "target": []}, "the notes are damaged (target)"),
    "reading of another kind": (
        lambda notes: {**notes, "reading": {"encoding": 7}},
        "the notes are damaged (encoding)",
    ),
    "no target": (lambda notes: {"gnomon": notes["gnomon"]}, "not made by gnomon learn or cluster"),
    "nothing": (lambda notes: {}, "was not written by gnomon"),
    "too much": (lambda notes: {**notes, "x": [[]] * 4_000_000}, "would unpack to"),
}


@pytest.mark.parametrize("case", EDITS)
def test_edited_notes_are_an_error_of_one_sentence(spreadsheet, tmp_path, case):
    model, _ = spreadsheet
    edit, sentence = EDITS[case]
    with zipfile.ZipFile(model) as old, zipfile.ZipFile(tmp_path / "m.skops", "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            content = old.read(name)
            new.writestr(name, json.dumps(edit(json.loads(content))) if name == "gnomon.json" else content)
    result = run("predict", tmp_path / "m.skops", input=HEAD, code=2)
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_file_without_a_header_is_learned_and_predicted(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"{a},{b},{y}" for (a, b), y in zip(X, Y, strict=True)]
    (tmp_path / "data.csv").write_text("\n".join(rows))
    refused = run("learn", "data.csv", "-t", "way", code=2).stderr
    assert "--no-header (the columns are then called column_1 to column_3)" in refused
    run("learn", "data.csv", "-t", "column_3", "--no-header", "-o", "out", "-q")
    assert len(predicted(run("predict", "out/model.skops", input="\n".join(rows)))) == N


SPOILED = {
    "tiny units": lambda x: x * 1e-300,
    "huge units": lambda x: x * 1e300,
    "one slip": lambda x: np.where(np.arange(N) == 4, 1e39, x),
    "the largest float": lambda x: np.where(np.arange(N) == 4, np.finfo(float).max, x),
    "infinities": lambda x: np.where(np.arange(N) % 30 == 4, np.inf, x),
    "dashes": lambda x: np.where(np.arange(N) % 16 == 4, "-", x.astype(str)),
}


@pytest.mark.parametrize("case", SPOILED)
def test_units_and_slips_change_little(case):
    study = learn({"a": SPOILED[case](X[:, 0]), "b": X[:, 1], "y": Y}, "y")
    assert not any(trial.failure for trial in study.trials)
    assert study.judgement.scores["accuracy"] > 0.75


def test_a_study_in_which_every_model_fails_is_an_error():
    def broken(facts, seed):
        raise ValueError("cannot be built")

    _registry._registered = _registry._Registered()
    register(Candidate("broken", "classification", broken, 1))
    with pytest.raises(UserError, match=r"no model could be fitted.*broken: ValueError: cannot be built"):
        learn({"a": X[:, 0], "y": Y}, "y")


HEADERLESS = {
    "tabular/sonar.csv.gz": (208, 61),
    "tabular/horse-colic.csv.gz": (300, 28),
    "tabular/auto_imports.csv.gz": (201, 26),
    "tabular/haberman.csv.gz": (306, 4),
    "text/sms_spam.tsv.gz": (5574, 2),
}


@pytest.mark.parametrize("name", HEADERLESS)
def test_real_files_without_a_header_lose_no_row(name):
    path = data_path(name)
    with pytest.raises(UserError, match=r"seems to be data, not a header.*give --no-header"):
        read_table(path)
    table = read_table(path, header=False)
    assert (len(table), len(table.names)) == HEADERLESS[name]


def test_names_of_rows_of_real_files_are_identifiers():
    table = read_table(data_path("sequences/occupancy_datatest.txt.gz"))
    kinds = infer_kinds(table, table.names)
    assert table.names[0] == "rownames"
    assert {name: kind.reason or kind.kind for name, kind in kinds.items()} == {
        "rownames": "identifier", "date": "date", "Temperature": "number", "Humidity": "number", "Light": "number",
        "CO2": "number", "HumidityRatio": "number", "Occupancy": "number",
    }  # fmt: skip
