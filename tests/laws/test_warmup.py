"""After `gnomon warmup`, a study compiles nothing; and what a fit is said to take leaves compilation out."""

import os
import subprocess
import sys
import time
import warnings

import pytest
from numba.core.compiler_lock import global_compiler_lock

from gnomon._jit import DISABLED
from gnomon._jit.timing import stopwatch

STUDIES = """
import warnings
import numpy as np
from numba.core import event
from gnomon.report import find_anomalies, find_clusters, learn

warnings.simplefilter("ignore")
compiled = []

class Listener(event.Listener):
    def on_start(self, found):
        compiled.append(found.data["dispatcher"].py_func.__qualname__)
    def on_end(self, found):
        pass

event.register("numba:compile", Listener())
rng = np.random.default_rng(1)
for n, text in ((350, False), (350, True), (3200, False), (26500, False)):
    x = rng.normal(size=(n, 4))
    table = {"a": x[:, 0], "b": np.where(rng.random(n) < 0.1, np.nan, x[:, 1]), "c": np.round(x[:, 2])}
    table["city"] = np.array([f"c{k}" for k in rng.integers(0, 30, n)])
    if text:
        table["words"] = np.array([" ".join(f"w{k}" for k in rng.integers(0, 500, 9)) for _ in range(n)])
    score = x[:, 0] + 0.3 * rng.normal(size=n)
    learn({**table, "y": score}, "y")
    learn({**table, "y": np.where(score > 0, "u", "v")}, "y")
    if n < 20_000:
        learn({**table, "y": np.array(["p", "q", "r", "s"])[np.digitize(score, [-0.7, 0.0, 0.7])]}, "y")
    if not text:
        find_anomalies(table)
        for method in ("k-means", "k-medoids", "ward") if n < 20_000 else ("k-means",):
            find_clusters({**table, "d": table["a"] + 9.0 * (np.arange(n) % 2)}, method=method)
        find_anomalies({**table, "y": np.where(score > 2.0, "bad", "good")}, "y")
print(*compiled, sep="\\n")
"""


@pytest.mark.slow
@pytest.mark.skipif(DISABLED, reason="kernels run as plain Python")
def test_a_study_after_the_warm_up_compiles_nothing(tmp_path):
    """Classes, many classes, numbers, anomalies and groups; narrow and wide, short and long tables."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    for command in (["-m", "gnomon", "warmup", "--jobs", "2", "--quiet"], ["-c", STUDIES]):
        job = subprocess.run([sys.executable, *command], env=environment, capture_output=True, text=True, check=False)
        assert job.returncode == 0, job.stderr
    assert job.stdout.split() == []


def test_compilation_is_no_part_of_the_time_of_a_fit(monkeypatch):
    """By a clock that is put forward by hand: 2 s of work, 5 s in which a kernel is compiled or loaded, 1 s of work."""
    now = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    monkeypatch.setattr("numba.core.event.timer", lambda: now[0])
    with stopwatch() as watch:
        now[0] += 2.0
        with global_compiler_lock:
            now[0] += 5.0
        now[0] += 1.0
    assert watch.seconds == 3.0
    with stopwatch() as watch:
        now[0] += 4.0
    assert watch.seconds == 4.0


def test_a_warm_up_keeps_the_warnings_of_its_made_up_rows_to_itself(monkeypatch, capsys):
    from gnomon.cli import _warmup

    def warns():
        warnings.warn("sixty rows say little", UserWarning, stacklevel=1)

    monkeypatch.setattr(_warmup, "warmups", lambda: [("made up", warns)])
    _warmup.run(["made up"], jobs=1, quiet=True)
    assert capsys.readouterr() == ("", "")
