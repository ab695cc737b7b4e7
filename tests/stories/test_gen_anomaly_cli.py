"""`gnomon learn --task anomaly`: from a file to a report and a model, with labels and without."""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from gnomon._registry import Facts, candidates, discover
from gnomon.cli._app import app
from gnomon.datasets import make_engines
from gnomon.io import UserError
from gnomon.report import find_anomalies
from real_data import data_path


@pytest.fixture
def engines(tmp_path):
    X, y = make_engines(600, 24, random_state=0)
    frame = pd.DataFrame(X, columns=["heat", "vibration"])
    frame["plant"] = np.where(np.arange(len(y)) % 3 == 0, "north", "south")
    frame["state"] = np.where(y == 1, "faulty", "fine")
    path = tmp_path / "engines.csv"
    frame.to_csv(path, index=False)
    return path


def gnomon(*arguments):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.spec("GEN-099", "GEN-100", "GEN-096")
def test_labels_choose_the_threshold_and_judge_once(engines, tmp_path):
    out = tmp_path / "out"
    told = json.loads(gnomon("learn", engines, "--task", "anomaly", "--target", "state", "--out", out, "--json"))
    assert told["anomaly_label"] == "faulty"
    assert told["rows"] == {
        "train": 360, "validation": 132, "test": 132,
        "anomalous in train": 0, "anomalous in validation": 12, "anomalous in test": 12,
    }  # fmt: skip
    assert told["chosen"] == "normal law"
    assert told["test"]["test"] > 0.8
    assert told["test"]["accuracy"] > told["test"]["all_good_accuracy"]
    values = [one["scores"]["validation"] for one in told["tried"]]
    assert values == sorted(values, reverse=True)
    html = (out / "report.html").read_text(encoding="utf-8")
    assert "Anomalies in engines.csv" in html
    assert "http" not in html


@pytest.mark.parametrize("labels", [[], ["--target", "state"]])
def test_a_number_that_may_mean_missing_is_named_with_the_option(engines, tmp_path, labels):
    frame = pd.read_csv(engines)
    frame.loc[::20, "heat"] = -999.0
    frame.to_csv(engines, index=False)
    told = gnomon("learn", engines, "--task", "anomaly", *labels, "--out", tmp_path / "out")
    assert "--missing -999" in " ".join(told.split())
    html = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "Numbers that may mean missing" in html
    again = ["--task", "anomaly", *labels, "--missing", "-999.0", "--out", tmp_path / "two", "--json"]
    assert json.loads(gnomon("learn", engines, *again))["warnings"] == []


@pytest.mark.spec("GEN-100")
def test_the_model_file_calls_rows_as_the_study_judged_them(engines, tmp_path):
    out = tmp_path / "out"
    told = json.loads(gnomon("learn", engines, "--task", "anomaly", "-t", "state", "-o", out, "--json"))
    answers = tmp_path / "answers.csv"
    gnomon("predict", out / "model.skops", engines, "-o", answers)
    found = pd.read_csv(answers)
    assert set(found["prediction"]) == {"anomaly", "good"}
    assert np.array_equal(found["prediction"] == "anomaly", found["score"] <= told["test"]["threshold"])
    truth = pd.read_csv(engines)["state"] == "faulty"
    assert np.mean((found["prediction"] == "anomaly")[truth]) > 0.7


@pytest.mark.spec("GEN-097")
@pytest.mark.parametrize(("option", "value", "share"), [("--contamination", 0.05, 0.05), ("--level", 0.9, 0.1)])
def test_without_labels_a_share_or_a_level_sets_the_threshold(engines, tmp_path, option, value, share):
    arguments = ("--task", "anomaly", "--drop", "state", option, value, "-o", tmp_path / "out", "--json")
    told = json.loads(gnomon("learn", engines, *arguments))
    assert told["target"] is None
    assert abs(told["flagged"] - share) < 0.08
    densities = [one["scores"]["log_density"] for one in told["tried"] if "scores" in one]
    assert densities == sorted(densities, reverse=True)
    assert any("no densities" in one.get("failure", "") for one in told["tried"])
    assert len(told["oddest_rows"]) == 20


@pytest.mark.spec("GEN-100")
def test_the_screen_tells_the_story(engines, tmp_path):
    told = gnomon("learn", engines, "--task", "anomaly", "-t", "state", "-o", tmp_path / "out")
    assert "marks an anomaly" in told
    assert "reaches F1" in told
    assert "normal columns" in told


@pytest.mark.spec("GEN-100")
def test_detectors_come_from_the_registry():
    discover()
    names = [one.name for one in candidates(Facts("anomaly", n_rows=500, n_features=4))]
    assert names[:2] == ["normal columns", "normal law"]
    assert "normal law" not in [one.name for one in candidates(Facts("anomaly", n_rows=500, n_features=600))]


@pytest.mark.spec("GEN-096", "GEN-099")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--target", "plant", "--anomaly-label", "west"], "is no value of"),
        (["--target", "heat"], "different values; say which marks anomalies"),
        (["--target", "missing"], "no column missing"),
        (["--target", "state", "--contamination", "0.1"], "for tables without labels"),
        (["--drop", "heat", "--drop", "vibration", "--drop", "plant", "--drop", "state"], "no column is left"),
    ],
)
def test_mistakes_are_named(engines, tmp_path, options, message):
    result = CliRunner().invoke(
        app, ["learn", str(engines), "--task", "anomaly", "-o", str(tmp_path / "out"), *options]
    )
    assert result.exit_code == 2
    assert message in " ".join(result.output.split())
    assert not (tmp_path / "out").exists()


def test_other_tasks_still_need_a_target(engines):
    result = CliRunner().invoke(app, ["learn", str(engines)])
    assert result.exit_code == 2
    assert "--target is needed" in result.output


@pytest.mark.spec("GEN-099")
def test_too_few_anomalies_are_refused():
    rows = {"x": np.arange(40.0), "label": ["ok"] * 39 + ["bad"]}
    with pytest.raises(UserError, match="1 anomalous and 39 good rows"):
        find_anomalies(rows, "label")


@pytest.mark.spec("GEN-100", "GEN-090")
def test_thyroid_patients_from_a_real_table(tmp_path):
    with np.load(data_path("anomaly/38_thyroid.npz"), allow_pickle=False) as stored:
        frame = pd.DataFrame(stored["X"]).add_prefix("m").assign(sick=stored["y"].astype(int))
    path = tmp_path / "thyroid.csv"
    frame.to_csv(path, index=False)
    told = json.loads(gnomon("learn", path, "--task", "anomaly", "-t", "sick", "-o", tmp_path / "out", "--json"))
    assert told["test"]["test"] > 0.6
    assert told["test"]["roc_auc"] > 0.95


@pytest.mark.spec("GEN-097")
def test_a_small_share_is_printed_with_its_digits(tmp_path):
    rng = np.random.default_rng(0)
    path = tmp_path / "tails.csv"
    pd.DataFrame(rng.standard_t(2.0, size=(6000, 2)), columns=["a", "b"]).to_csv(path, index=False)
    told = " ".join(gnomon("learn", path, "--task", "anomaly", "--level", 0.9999, "-o", tmp_path / "out").split())
    assert "so that 0.01% of rows" in told
    assert "where 0.01% were meant; the tails of the rows are heavier" in told
    assert "ValueError" not in told


@pytest.mark.spec("GEN-100", "GEN-102")
def test_many_anomalies_are_work_for_a_classifier(tmp_path):
    rng = np.random.default_rng(0)
    y = np.arange(300) % 2
    frame = pd.DataFrame(rng.normal(size=(300, 2)) + 4.0 * y[:, None], columns=["a", "b"])
    frame["state"] = np.where(y == 1, "bad", "good").astype(object)
    frame.loc[:9, "state"] = None
    told = json.loads(
        gnomon("learn", write(frame, tmp_path), "--task", "anomaly", "-t", "state", "--anomaly-label", "bad", "--json",
               "-o", tmp_path / "out")
    )  # fmt: skip
    assert told["rows"]["left out, without a label"] == 10
    assert "a classifier may do better" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


def write(frame, folder):
    path = folder / "table.csv"
    frame.to_csv(path, index=False)
    return path
