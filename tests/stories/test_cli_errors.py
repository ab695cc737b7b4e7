"""What goes wrong for a user ends in one clear sentence and exit code 2, with nothing half-written."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from typer.testing import CliRunner

from gnomon import _registry
from gnomon._registry import Candidate, discover, register, register_warmup
from gnomon.cli._app import app
from gnomon.datasets.embedded import demo_path
from gnomon.io import save
from gnomon.optim import lbfgs
from gnomon.report.origin import given

BEFORE_ALL_OTHERS = -0.5
"""The complexity of a model that is tried directly after the baseline."""


@pytest.fixture(autouse=True)
def quick_models(monkeypatch):
    discover()
    monkeypatch.setattr(_registry, "_registered", _registry._Registered())
    register(Candidate("logistic", "classification", lambda f, s: LogisticRegression(max_iter=500), 1))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments])


def left(folder):
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*"))


def rows(n, y):
    return "a,b,y\n" + "".join(f"{i * 37 % 101},{i * 53 % 89},{y(i)}\n" for i in range(n))


BAD = {
    "absent": (None, (), "no such file"),
    "empty": ("", (), "the file is empty"),
    "only a header": ("a,b,y\n", (), "a header but no rows"),
    "ragged": ("a,b,y\n1,2,3\n1,2\n", (), "line 3 has 2 fields"),
    "binary": ("PK\x03\x04", (), "export the sheet as CSV"),
    "missing target": (rows(60, lambda i: i % 2), ("-t", "z"), "'z' is no column; the columns are: a, b, y"),
    "target without values": (rows(60, lambda i: "NA"), (), "is empty in every row"),
    "one class": (rows(60, lambda i: "same"), (), "has one class only, 'same'"),
    "one number": (rows(60, lambda i: 7), ("--task", "regression"), "is 7 in every row"),
    "too few rows": (rows(12, lambda i: i % 2), (), "only 12 rows have a usable target; at least 30"),
    "identifier as target": (rows(60, lambda i: f"k{i}"), (), "Is it an identifier"),
    "unknown task": (rows(60, lambda i: i % 2), ("--task", "magic"), "give one of: classification, regression"),
    "text for regression": (rows(60, lambda i: "ab"[i % 2]), ("--task", "regression"), "holds text, for example"),
    "unknown group": (rows(60, lambda i: i % 2), ("--group", "g"), "--group: no column g"),
    "unknown column to drop": (rows(60, lambda i: i % 2), ("--drop", "g"), "--drop: no column g"),
    "nothing left": (rows(60, lambda i: i % 2), ("--drop", "a", "--drop", "b"), "no column is left to learn from"),
    "group and time": (rows(60, lambda i: i % 2), ("--group", "a", "--time", "b"), "not both"),
    "too few groups": ("g," + rows(60, lambda i: i % 2).replace("\n", "\ng,")[:-2], ("--group", "g"), "fewer than 10"),
    "unknown encoding": (rows(60, lambda i: i % 2), ("--encoding", "klingon"), "encoding 'klingon' is unknown"),
    "no encoding of text": (rows(60, lambda i: i % 2), ("--encoding", "rot13"), "encoding 'rot13' is unknown"),
    "two delimiters": (rows(60, lambda i: i % 2), ("--delimiter", ";;"), "the delimiter ';;' cannot separate fields"),
    "no header": (rows(60, lambda i: i % 2)[6:], (), "the first line seems to be data"),
    "type of no column": (rows(60, lambda i: i % 2), ("--type", "c=number"), "--type: no column c"),
    "type without a column": (rows(60, lambda i: i % 2), ("--type", "number"), "give COLUMN=TYPE"),
    "unknown type": (rows(60, lambda i: i % 2), ("--type", "a=magic"), "give one of number, category, date, text"),
    "type that no cell has": (rows(60, lambda i: i % 2), ("--type", "a=date"), "no cell can be read so"),
    "target that is no text": (rows(60, lambda i: i % 2), ("--type", "y=text"), "the target is a number or a category"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_ends_in_a_sentence_and_code_2(folder, case):
    content, options, sentence = BAD[case]
    if content is not None:
        (folder / "data.csv").write_text(content)
    before = left(folder)
    target = () if "-t" in options else ("-t", "y")
    result = run("learn", "data.csv", *target, *options, "--out", "deep/result")
    assert result.exit_code == 2
    assert result.stderr.startswith("error: ")
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1
    assert "Traceback" not in result.output
    assert left(folder) == before


def test_an_option_that_is_missing_or_unknown_is_code_2(folder):
    assert run("learn", "data.csv").exit_code == 2
    assert run("learn", "data.csv", "-t", "y", "--nonsense").exit_code == 2
    assert run("nonsense").exit_code == 2


@pytest.mark.parametrize("megabytes", [500, 900])
def test_too_little_memory_ends_in_a_sentence(folder, megabytes):
    resource = pytest.importorskip("resource")
    own = resource.getrlimit(resource.RLIMIT_AS)
    path, target = demo_path()
    command = [sys.executable, "-m", "gnomon", "learn", str(path), "--target", target, "--out", "study"]
    result = subprocess.run(
        command,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (megabytes * 1_000_000, own[1])),
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 2, result.stderr
    assert result.stderr.startswith(f"error: the process is limited to {megabytes} MB of memory")
    assert left(folder) == []


def test_a_folder_that_cannot_be_written_is_refused_before_the_work(folder):
    path, target = demo_path()
    (folder / "file").write_text("mine")
    for out in ("file", "file/below"):
        result = run("learn", path, "-t", target, "--out", out)
        assert result.exit_code == 2
        assert "cannot make the folder" in result.stderr
    assert left(folder) == ["file"]


def test_a_folder_without_permission_is_refused(folder, monkeypatch):
    def refuse(path):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.touch", refuse)
    path, target = demo_path()
    result = run("learn", path, "-t", target, "--out", "locked")
    assert result.exit_code == 2
    assert result.stderr == "error: cannot write into the folder locked: permission denied; give another one\n"
    assert left(folder) == []


def test_a_disk_that_fills_up_leaves_nothing(folder, monkeypatch):
    """The report cannot be written after the model was: neither appears, and an earlier result stays."""
    (folder / "out").mkdir()
    (folder / "out" / "model.skops").write_text("earlier")
    monkeypatch.setattr("gnomon.cli._learn.page", _no_space)
    result = run("demo", "--out", "out")
    assert result.exit_code == 2
    assert "no space left" in result.stderr.lower()
    assert left(folder) == ["out", "out/model.skops"]
    assert (folder / "out" / "model.skops").read_text() == "earlier"


def _no_space(*args, **kwargs):
    raise OSError(28, "No space left on device")


def test_a_fault_of_our_own_is_code_1_and_leaves_nothing(folder, monkeypatch):
    def fault(*args, **kwargs):
        raise RuntimeError("should not happen")

    monkeypatch.setattr("gnomon.cli._learn.page", fault)
    result = run("demo")
    assert result.exit_code == 1
    assert "RuntimeError: should not happen" in result.stderr
    assert "Traceback" not in result.output
    assert left(folder) == []


def test_an_interruption_before_any_fit_is_code_130_and_leaves_nothing(folder):
    def interrupt(facts, seed):
        raise KeyboardInterrupt

    register(Candidate("slow", "classification", interrupt, BEFORE_ALL_OTHERS))
    result = run("demo")
    assert result.exit_code == 130
    assert "nothing was written" in result.stderr
    assert left(folder) == []


@pytest.fixture
def heeded():
    """Signals have their usual effect, even where whoever runs the tests ignores them, as `nohup` does."""
    usual = {signal.SIGINT: signal.default_int_handler, signal.SIGHUP: signal.SIG_DFL}
    before = {number: signal.signal(number, handler) for number, handler in usual.items()}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
@pytest.mark.usefixtures("heeded")
def test_a_signal_to_end_leaves_nothing(folder):
    command = [sys.executable, "-u", "-m", "gnomon", "demo"]
    job = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert "bicycle" in job.stdout.readline()
    job.send_signal(signal.SIGTERM)
    _, said = job.communicate(timeout=60)
    assert job.returncode == 128 + signal.SIGTERM, said
    assert "nothing was written" in said
    assert "Traceback" not in said
    assert left(folder) == []


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
@pytest.mark.usefixtures("heeded")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_during_the_first_fit_is_not_taken_for_a_request_to_stop_early(folder, name):
    """Solvers end at Ctrl-C with their best result so far; the command ends altogether, and puts handlers back."""
    number = signal.Signals[name]
    before = signal.getsignal(number)

    class Busy(LogisticRegression):
        def fit(self, X, y):
            lbfgs(lambda w: (os.kill(os.getpid(), number) or float(w @ w), 2.0 * w), np.ones(1))
            return super().fit(X, y)

    register(Candidate("slow", "classification", lambda facts, seed: Busy(), BEFORE_ALL_OTHERS))
    result = run("demo")
    assert result.exit_code == 128 + number
    assert "nothing was written" in result.stderr
    assert "Traceback" not in result.output
    assert left(folder) == []
    assert signal.getsignal(number) is before


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
@pytest.mark.usefixtures("heeded")
@pytest.mark.parametrize(
    ("name", "fit", "when"),
    [
        ("SIGINT", 1, "in its first fold, which alone counts"),
        ("SIGINT", 3, "before its last fold"),
        ("SIGTERM", 3, "before its last fold"),
        ("SIGHUP", 3, "before its last fold"),
    ],
)
def test_an_interruption_of_a_comparison_ends_with_a_report(folder, name, fit, when):
    """A solver that keeps its best result at a KeyboardInterrupt does not keep the request to itself."""
    fits, number = [], signal.Signals[name]

    class Counted(LogisticRegression):
        def fit(self, X, y):
            fits.append(len(y))
            if len(fits) == fit:
                lbfgs(lambda w: (os.kill(os.getpid(), number) or float(w @ w), 2.0 * w), np.ones(1))
            return super().fit(X, y)

    register(Candidate("counted", "classification", lambda facts, seed: Counted(max_iter=500), 2))
    before = signal.getsignal(number)
    result = run("demo")
    assert result.exit_code == 0, result.stderr
    assert f"The comparison was ended {when}" in " ".join(result.output.split())
    assert left(folder) == ["gnomon-demo", "gnomon-demo/model.skops", "gnomon-demo/report.html"]
    assert signal.getsignal(number) is before


@pytest.mark.parametrize(("limit", "left"), [(60.0, 50.0), (5.0, 0.25)])
def test_the_time_limit_of_the_command_counts_reading(folder, monkeypatch, limit, left):
    now, seen = [100.0], []

    def read(path, reading):
        now[0] += 10.0
        return given(path, reading)

    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    monkeypatch.setattr("gnomon.cli._app.perf_counter", lambda: now[0])
    monkeypatch.setattr("gnomon.cli._learn.given", read)
    monkeypatch.setattr("gnomon.cli._learn.learn", lambda *_, time_limit, **__: seen.append(time_limit))
    path, target = demo_path()
    run("learn", path, "--target", target, "--time-limit", limit)
    assert seen == [pytest.approx(left)]


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
@pytest.mark.usefixtures("heeded")
@pytest.mark.parametrize(("name", "times"), [("SIGINT", 1), ("SIGINT", 2), ("SIGTERM", 1)])
def test_files_of_a_study_that_is_done_are_written_after_one_interruption(folder, monkeypatch, name, times):
    from gnomon.cli import _learn

    write = _learn.page

    def interrupted(*given, **named):
        for _ in range(times):
            os.kill(os.getpid(), signal.Signals[name])
        return write(*given, **named)

    monkeypatch.setattr(_learn, "page", interrupted)
    result = run("demo")
    assert "files are being written" in result.stderr
    assert result.exit_code == (0 if times == 1 else 130)
    assert bool(left(folder)) == (times == 1)


NO_MODELS = {
    "absent": (None, "no such file"),
    "text": (b"hello", "no zip archive"),
    "archive cut short": (b"PK\x05\x06" + bytes(18), "was not written by gnomon"),
}


@pytest.mark.parametrize("case", NO_MODELS)
def test_predict_refuses_what_is_no_model(folder, case):
    content, sentence = NO_MODELS[case]
    if content is not None:
        (folder / "model.skops").write_bytes(content)
    result = run("predict", "model.skops", demo_path()[0], "--out", "p.csv")
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert not (folder / "p.csv").exists()


def test_predict_refuses_models_of_another_origin_and_odd_questions(folder):
    save(Ridge().fit([[0.0], [1.0]], [0.0, 1.0]), folder / "own.skops")
    result = run("predict", "own.skops", demo_path()[0])
    assert result.exit_code == 2
    assert "gnomon.io.load" in result.stderr
    register(Candidate("ridge", "regression", lambda f, s: Ridge(), 1))
    x = np.random.default_rng(0).normal(size=100)
    (folder / "r.csv").write_text("x,y\n" + "".join(f"{v},{3 * v + 1}\n" for v in x))
    assert run("learn", "r.csv", "-t", "y", "-o", "r").exit_code == 0
    result = run("predict", "r/model.skops", "r.csv", "--proba")
    assert result.exit_code == 2
    assert "--proba is for classification" in result.stderr


def test_warm_up_runs_every_registered_job(folder):
    done = []
    register_warmup("first job", lambda: done.append(1))
    register_warmup("second job", lambda: done.append(2))
    result = run("warmup", "job")
    assert result.exit_code == 0
    assert done == [1, 2]
    assert "2 groups of kernels" in result.stdout


def test_warm_up_on_several_processes_runs_the_jobs_there(folder):
    done = []
    register_warmup("features: polynomial maps", lambda: done.append("here"))
    result = run("warmup", "maps", "--jobs", "2")
    assert result.exit_code == 0, result.output
    assert "1 groups of kernels" in result.stdout
    assert not done
    assert run("warmup", "--jobs", "0").exit_code == 2
