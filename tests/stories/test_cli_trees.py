"""Trees at the command line: offered, chosen where they should be, told in the report, saved and asked again."""

import csv
import gzip
import re
from html import unescape

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold, train_test_split
from typer.testing import CliRunner

from gnomon._registry import Facts, candidates, discover, warmups
from gnomon.cli._app import app
from gnomon.io import load, notes, save
from gnomon.report import learn
from real_data import data_path

TREES = ("decision tree", "random forest", "gradient boosting")


def offered(task, n_classes=2, n_rows=300):
    discover()
    return {c.name: c for c in candidates(Facts(task, n_rows, 4, n_classes)) if c.name in TREES}


def squares(n=240, seed=0):
    """A question that no linear model can answer: whether two numbers have the same sign, in different cities."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, size=(n, 2))
    city = rng.choice(["Rome", "Oslo"], size=n)
    y = np.where((x[:, 0] > 0.2) == (city == "Rome"), "stays", "goes")
    return {"warm": x[:, 0], "noise": x[:, 1], "city": city, "answer": y}


def write(path, table):
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(table)
        writer.writerows(zip(*(column.tolist() for column in table.values()), strict=True))


@pytest.mark.parametrize(("task", "n_classes"), [("classification", 2), ("classification", 5), ("regression", 0)])
def test_a_tree_a_forest_and_boosting_are_offered(task, n_classes):
    found = offered(task, n_classes)
    assert sorted(found) == sorted(TREES)
    assert found["decision tree"].complexity < found["random forest"].complexity
    assert not offered(task, n_classes, n_rows=20)  # too few rows for a held-out comparison of trees to mean anything


@pytest.mark.parametrize("n_classes", [4, 20, 60])
def test_boosting_is_offered_where_a_tenth_of_a_fold_has_a_row_of_every_class(n_classes):
    assert "gradient boosting" not in offered("classification", n_classes, n_rows=8 * n_classes)
    assert "random forest" in offered("classification", n_classes, n_rows=8 * n_classes + 50)
    boosting = offered("classification", n_classes, n_rows=10**4)["gradient boosting"]
    rows = next(n for n in range(10**4) if boosting.suits(Facts("classification", n, 4, n_classes)))
    y = np.arange(rows) % n_classes
    for train, _ in StratifiedKFold(5).split(y, y):
        assert len(set(y[train_test_split(train, test_size=0.1, stratify=y[train])[1]])) == n_classes


def test_the_report_shows_the_rules_and_warns_of_the_shares(only, tmp_path, monkeypatch):
    only("decision tree")
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "t.csv", squares())
    result = CliRunner().invoke(app, ["learn", "t.csv", "-t", "answer", "-o", "out"])
    assert result.exit_code == 0, result.output
    found = notes(tmp_path / "out" / "model.skops")
    assert found["learned"]
    assert found["chosen"] == "decision tree"
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    rules = unescape(re.search(r"<pre>(.*?)</pre>", page, re.DOTALL).group(1))
    assert "warm ≤" in rules
    assert "city" in rules
    assert "stays" in rules
    assert "x0" not in rules
    cuts = [float(cut) for cut in re.findall(r"warm ≤ ([-.0-9]+)", rules)]
    assert min(abs(cut - 0.2) for cut in cuts) < 0.05  # in the units of the table, not of what was standardised
    assert re.search(r"stays \{goes: 0, stays: \d+\}", rules)
    assert "share of the impurity taken away" in page
    assert "pure noise" in page
    rows = CliRunner().invoke(app, ["predict", "out/model.skops", "t.csv"]).stdout.splitlines()[1:]
    assert np.mean(np.array(rows) == squares()["answer"]) > 0.9


def test_a_model_without_rules_shows_none(only):
    only("random forest")
    study = learn(squares(120), "answer")
    assert study.rules == ""
    shares = dict(study.shares)
    assert abs(sum(shares.values()) - 1.0) < 1e-9
    assert shares["warm"] > shares.get("noise", 0.0)


@pytest.mark.parametrize("name", ["random forest", "gradient boosting"])
def test_forests_and_boosting_are_saved_and_predict_numbers(only, name, tmp_path):
    only(name)
    table = squares(160)
    table["answer"] = np.where(table["answer"] == "stays", 10.0, -10.0) + 0.1 * table["noise"]
    study = learn(table, "answer")
    assert study.judgement.scores["R²"] > 0.7
    save(study.model, tmp_path / "m.skops")
    np.testing.assert_array_equal(load(tmp_path / "m.skops").predict(table), study.model.predict(table))


def test_warming_up_covers_every_tree_model():
    discover()
    names = [name for name, _ in warmups() if name.startswith("trees")]
    # Of few rows, boosting by small steps has the kernels of boosting.
    assert len(names) == 2 * len([*TREES, "extra trees"])


def test_houses_are_learned_by_trees(only, tmp_path, monkeypatch):
    """Districts of California with gaps and words: the models are compared, an ensemble wins, and its file predicts."""
    with gzip.open(data_path("tabular/california_housing.csv.gz"), "rt") as file:
        rows = list(csv.reader(file))
    monkeypatch.chdir(tmp_path)
    for name, some in (("train.csv", rows[1::8]), ("new.csv", rows[2::40])):
        with (tmp_path / name).open("w", newline="") as file:
            csv.writer(file).writerows([rows[0], *some])
    only(*TREES)
    result = CliRunner().invoke(app, ["learn", "train.csv", "-t", "median_house_value", "-o", "out", "--single"])
    assert result.exit_code == 0, result.output
    found = notes(tmp_path / "out" / "model.skops")
    assert found["chosen"] in ("random forest", "gradient boosting")
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert all(name in page for name in TREES)
    assert "share of the impurity taken away" in page
    said = CliRunner().invoke(app, ["predict", "out/model.skops", "new.csv"]).stdout.splitlines()[1:]
    truth = np.array([float(row[rows[0].index("median_house_value")]) for row in rows[2::40]])
    errors = truth - np.array([float(line.split(",")[0]) for line in said])
    assert 1.0 - np.mean(errors**2) / np.var(truth) > 0.7
