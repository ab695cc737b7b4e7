"""What answers at once: `import gnomon`, its names, `--help` and errors of usage load no numerical library."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import gnomon
from gnomon._words import CLUSTER_METHODS, RULES, TARGET_TASKS, TASKS
from gnomon.cli._app import app
from gnomon.report._choice import MODEL_RULES
from gnomon.report._cluster_methods import METHODS as CLUSTERINGS

HEAVY = {"numpy", "scipy", "sklearn", "numba", "matplotlib", "skops", "pandas", "gnomon.io", "gnomon.report"}
LINES = {
    "nothing": "import gnomon; dir(gnomon)",
    "usage": """
from typer.testing import CliRunner
from gnomon.cli._app import app
for line in ("--help", "learn --help", "--version", "learn x.csv", "learn x.csv -t y", "lern"):
    CliRunner().invoke(app, line.split())
""",
}


OF_FILES = {"skops", "torch", "dask", "xarray"}
"""What skops imports where it is installed: hundreds of megabytes that only files of models need."""


@pytest.mark.parametrize("case", LINES)
def test_nothing_heavy_is_imported(case, tmp_path):
    assert not HEAVY & imported(LINES[case], tmp_path)


def test_learning_imports_nothing_that_only_files_of_models_need(tmp_path):
    assert not OF_FILES & imported("from gnomon import learn, io; import gnomon.serve, gnomon.report", tmp_path)


def imported(lines, folder):
    told = "\nimport sys; print(*sys.modules)"
    job = subprocess.run([sys.executable, "-c", lines + told], capture_output=True, text=True, cwd=folder)
    assert job.returncode == 0, job.stderr
    return set(job.stdout.split())


def test_the_families_are_names_of_the_package_for_users_and_for_checkers():
    source = Path(gnomon.__file__)
    packages = {path.parent.name for path in source.parent.glob("[!_]*/__init__.py")}
    assert {"linear", "trees", "io"} <= packages <= set(dir(gnomon))
    for name in packages:
        assert getattr(gnomon, name).__name__ == f"gnomon.{name}"
    stub = ast.parse(source.with_suffix(".pyi").read_text(encoding="utf-8"))
    assert packages | {"learn"} == {node.names[0].asname for node in stub.body if isinstance(node, ast.ImportFrom)}
    assert "learn" in dir(gnomon)
    assert gnomon.learn is gnomon.report.learn
    with pytest.raises(AttributeError, match="no attribute 'lienar'; its packages are: anomaly, base"):
        gnomon.lienar  # noqa: B018


MISUSE = {
    "no target": ([], "--target is needed"),
    "a task that is none": (["-t", "y", "--task", "magic"], "--task 'magic' is unknown; give one of: classification"),
    "a rule that is none": (["-t", "y", "--rule", "luck"], "--rule 'luck' is unknown; give one of: simplest, best"),
    "two arrangements": (["-t", "y", "--group", "a", "--time", "b"], "--group or --time, not both"),
    "a level for classes": (["-t", "y", "--level", "0.9"], "--level is for --task anomaly"),
    "a label for classes": (["-t", "y", "--anomaly-label", "bad"], "--anomaly-label is for --task anomaly"),
    "groups of anomalies": (["--task", "anomaly", "--group", "g"], "--group cannot be used with --task anomaly"),
    "one detector": (["--task", "anomaly", "--single"], "--single cannot be used with --task anomaly"),
    "a time for detectors": (["--task", "anomaly", "--time-limit", "9"], "--time-limit cannot be used with --task"),
    "a rule for detectors": (["--task", "anomaly", "--rule", "best"], "--rule cannot be used with --task anomaly"),
    "a label without labels": (
        ["--task", "anomaly", "--anomaly-label", "x"],
        "is for tables with labels; give --target",
    ),
    "a level with labels": (["--task", "anomaly", "-t", "y", "--level", "0.9"], "--level is for tables without labels"),
    "two thresholds": (["--task", "anomaly", "--level", "0.9", "--contamination", "0.1"], "not both"),
    "no file": (["-t", "y"], "x.csv: no such file"),
}


@pytest.mark.parametrize("case", MISUSE)
def test_what_cannot_be_done_or_would_be_ignored_is_refused(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    options, sentence = MISUSE[case]
    result = CliRunner().invoke(app, ["learn", "x.csv", *options])
    assert result.exit_code == 2
    assert result.stderr.startswith("error: ")
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_method_for_groups_that_is_none_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for options, sentence in ((["--method", "magic"], "give one of: k-means, k-medoids, ward"), ([], "no such file")):
        result = CliRunner().invoke(app, ["cluster", "x.csv", *options])
        assert result.exit_code == 2
        assert sentence in result.stderr


def test_every_rule_by_name_is_a_rule():
    assert tuple(MODEL_RULES) == RULES
    assert tuple(CLUSTERINGS) == CLUSTER_METHODS
    assert set(TARGET_TASKS) | {"anomaly"} == set(TASKS)
