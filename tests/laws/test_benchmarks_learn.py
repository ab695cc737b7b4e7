"""The contest of `gnomon learn` with an expert: the same rows for both, a line for each file, a mean over all."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks import __main__ as command
from benchmarks import _expert, _report, learn

from gnomon.io import Table
from gnomon.report._kinds import infer_kinds
from gnomon.report.scores import SCORES
from real_data import ROOT


def test_there_are_25_files_each_once():
    assert len({file.name for file in learn.ROWS}) == len(learn.ROWS) == 25


def test_an_absent_file_is_a_note_in_the_table(monkeypatch, tmp_path):
    monkeypatch.setattr(learn, "REAL", tmp_path)
    report = command.run("learn", wanted=["german"])
    assert [line["verdict"][:6] for line in report["contest"]] == ["absent"]
    assert "No file was found." in _report.markdown(report)


def test_the_mean_is_geometric_and_every_file_has_a_line():
    line = {"loss": "RMSE", "ours": 1.0, "chosen": "a", "seconds": 1.0, "expert": 2.0, "expert_chosen": "b",
            "expert_seconds": 1.0, "verdict": ""}  # fmt: skip
    lines = [{**line, "file": "one", "ratio": 0.5}, {**line, "file": "two", "ratio": 2.0}]
    assert _report._outcome(lines) == "Geometric mean of the ratios over 2 files: 1.000; at most 1 in 1."
    assert [_report._contested(each)[0] for each in lines] == ["one", "two"]


def test_the_expert_takes_the_best_of_four_by_cross_validation_and_beats_a_constant(monkeypatch):
    monkeypatch.setattr(_expert, "TREES", 20)
    rng = np.random.default_rng(0)
    x, level = rng.normal(size=300), rng.choice(["red", "green"], 300)
    y = np.where(x + (level == "red") + 0.3 * rng.normal(size=300) > 0, "up", "down")
    table = Table({"x": x, "level": level})
    kinds = tuple(infer_kinds(table, ["x", "level"]).values())
    parts = np.array_split(rng.permutation(240), 3)
    folds = [(np.setdiff1d(np.arange(240), part), part) for part in parts]
    train, test = np.arange(240), np.arange(240, 300)
    found = _expert.expert(table.take(train), kinds, y[train], folds, table.take(test), ("down", "up"))
    loss = SCORES["classification"][0].of(y[test], found.forecast)
    assert found.chosen in ("boosting", "extra trees", "linear") or found.chosen.startswith("mean of ")
    assert max(loss, found.loss) < 0.45 < np.log(2.0)
    np.testing.assert_allclose(found.forecast.proba.sum(axis=1), 1.0)


@pytest.mark.slow
def test_one_file_gives_both_losses_on_the_same_held_out_rows():
    if not (ROOT / "tabular").exists():
        pytest.skip("the folder of real data is not here")
    (line,) = learn.contest([file for file in learn.ROWS if "pima" in file.name], quick=True)
    assert line["ratio"] == pytest.approx(line["ours"] / line["expert"])
    assert 0.3 < line["ours"] < 0.8
