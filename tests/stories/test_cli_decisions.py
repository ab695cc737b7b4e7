"""From a table to a decision: costs, another prior and a coverage, through the command, on real tables."""

import csv
import io
import json

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from typer.testing import CliRunner

from gnomon import _registry
from gnomon._registry import Candidate, discover, register
from gnomon.cli._app import app
from gnomon.io import read_table
from real_data import data_path


@pytest.fixture
def gnomon(tmp_path, monkeypatch):
    """The command, run in an empty folder, with one model for each task."""
    discover()
    monkeypatch.setattr(_registry, "_registered", _registry._Registered())
    register(Candidate("least squares", "regression", lambda f, s: LinearRegression(), 1))
    register(Candidate("logistic", "classification", lambda f, s: LogisticRegression(max_iter=500), 1))
    monkeypatch.chdir(tmp_path)

    def run(*arguments, code=0):
        result = CliRunner().invoke(app, [str(a) for a in arguments])
        assert result.exit_code == code, result.output
        return result

    return run


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.spec("EVA-061", "EVA-065")
def test_a_loan_with_costs_and_a_right_to_ask(gnomon, tmp_path):
    """German credit: a bad loan costs five, a refused good one 1, a clerk's look .4."""
    (tmp_path / "costs.csv").write_text("action,1,2\ngrant,0,5\nrefuse,1,0\nask,0.4,0.4\n")
    data = data_path("tabular/german.csv.gz")
    asked = "--no-header", "--target", "column_21", "--task", "classification"
    found = json.loads(gnomon("learn", data, *asked, "--costs", "costs.csv", "--json", "-o", "out").output)
    decided = found["decisions"]
    assert decided["best_constant"] == {"action": "ask", "cost": pytest.approx(0.4)}
    assert decided["cost"] < 0.4
    html = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "<h2>Decisions</h2>" in html
    said = rows_of(gnomon("predict", "out/model.skops", data, "--no-header", "--proba").output)
    costs = np.array(decided["costs"])
    for row in said[:50]:
        q = np.array([float(row["probability of 1"]), float(row["probability of 2"])])
        assert row["decision"] == decided["actions"][int(np.argmin(costs @ q))]
    assert {row["decision"] for row in said} == {"grant", "refuse", "ask"}


@pytest.mark.spec("EVA-059")
def test_fraud_is_rarer_than_in_the_table(gnomon):
    data = data_path("tabular/creditcard_fraud_sample.csv.gz")
    asked = "--target", "Class", "--fn-cost", 50, "--prior", 0.0017, "--coverage", 0.9
    result = gnomon("learn", data, *asked, "-o", "out")
    told = " ".join(result.output.split())
    assert "“1” taken for “0” costs 50, “0” taken for “1” 1, and 0.17% of future rows are “1”." in told
    assert "always 0, costs 0.08500" in told
    assert "of the rarest class" in " ".join(result.output.split())
    said = rows_of(gnomon("predict", "out/model.skops", data, "--proba").output)
    truth = read_table(data)["Class"]
    mean = np.mean([float(row["probability of 1"]) for row in said])
    assert mean < np.mean(truth == "1") - 0.05
    # Decisions are by the threshold 1/51 on these probabilities.
    assert all((float(row["probability of 1"]) > 1 / 51) == (row["decision"] == "1") for row in said)
    assert {row["set"] for row in said} <= {"0", "1", "0 | 1", ""}


def test_intervals_of_house_prices(gnomon, tmp_path):
    table = read_table(data_path("tabular/california_housing.csv.gz")).take(np.arange(0, 20_000, 8))
    data = tmp_path / "houses.csv"
    with data.open("w", newline="") as stream:
        csv.writer(stream).writerows([table.names, *zip(*(table[name].tolist() for name in table.names), strict=True)])
    gnomon("learn", data, "--target", "median_house_value", "--coverage", 0.8, "-o", "out")
    said = rows_of(gnomon("predict", "out/model.skops", data).output)
    truth = table["median_house_value"].astype(float)
    low, high = (np.array([float(row[end]) for row in said]) for end in ("low", "high"))
    assert np.mean((low <= truth) & (truth <= high)) == pytest.approx(0.8, abs=0.04)


def test_more_coverage_than_the_rows_can_show_is_said(gnomon, tmp_path):
    rng = np.random.default_rng(0)
    lines = [f"{v:.3f},{'u' if v + e > 0 else 'v'}" for v, e in rng.normal(size=(60, 2))]
    (tmp_path / "t.csv").write_text("\n".join(["x,y", *lines]))
    learned = gnomon("learn", "t.csv", "--target", "y", "--coverage", 0.99, "-o", "out")
    assert "12 held-out rows calibrate, and a coverage of 0.99 needs 99" in " ".join(learned.output.split())
    said = gnomon("predict", "out/model.skops", "t.csv")
    assert said.stderr.count("note: ") == 1
    assert "note: coverage=0.99 needs calibration rows" in said.stderr
    assert {row["set"] for row in rows_of(said.stdout)} == {"u | v"}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--positive", "u"], "--positive says which class"),
        (["--coverage", "1"], "--coverage 1 must lie between 0 and 1"),
        (["--prior", "0"], "--prior 0 must lie between 0 and 1"),
        (["--fn-cost", "-2"], "--fn-cost -2 must be greater than 0"),
        (["--costs", "none.csv"], "none.csv: no such file"),
        (["--positive", "z", "--fn-cost", "2"], "--positive z: the classes are"),
        (["--task", "anomaly", "--coverage", "0.9"], "--coverage cannot be used with --task anomaly"),
    ],
)
def test_aims_that_make_no_sense_are_refused_in_a_sentence(gnomon, tmp_path, options, words):
    rng = np.random.default_rng(0)
    lines = [f"{v:.3f},{'u' if v > 0 else 'v'}" for v in rng.normal(size=100)]
    (tmp_path / "t.csv").write_text("\n".join(["x,y", *lines]))
    result = gnomon("learn", "t.csv", "--target", "y", *options, code=2)
    assert words in " ".join(result.output.split())
    assert not list(tmp_path.glob("gnomon-*"))
