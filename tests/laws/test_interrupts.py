"""Interrupts: whenever one comes, the threads of BLAS are what they were when it has been dealt with."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif("SIGALRM" not in signal.Signals.__members__, reason="this system has no such timer")

STORM = """
import os, signal, sys
import numpy as np
from gnomon.numerics.parallel import blas_threads, calm_blas, map_tiles, team

def calm():
    with calm_blas(1):
        pass

def nested():
    with calm_blas(1), calm_blas(2):
        pass

def pool():
    with team(2) as run:
        run(abs, [1, 2])

def tiles():
    map_tiles(abs, [1, 2, 3], 2)

def stop(*_):
    raise KeyboardInterrupt

np.ones((9, 9)) @ np.ones((9, 9))
use = {use.__name__: use for use in (calm, nested, pool, tiles)}[sys.argv[1]]
before, came, lost = blas_threads(), 0, 0
use()
signal.signal(signal.SIGALRM, stop)
for i in range(500):
    try:
        signal.setitimer(signal.ITIMER_REAL, 2e-5 + (i % 50) * 2e-5)
        try:
            for _ in range(300):
                use()
        except KeyboardInterrupt:
            came += 1
        signal.setitimer(signal.ITIMER_REAL, 0.0)
    except KeyboardInterrupt:
        pass
    lost += blas_threads() != before
print(before, came > 400, lost, flush=True)
os._exit(0)
"""

FORK = """
import os, threading
import numpy as np
from gnomon.numerics.parallel import blas_threads, calm_blas

def hold():
    with calm_blas(1):
        inside.set()
        forked.wait()

np.ones((9, 9)) @ np.ones((9, 9))
before, inside, forked = blas_threads(), threading.Event(), threading.Event()
threading.Thread(target=hold).start()
inside.wait()
if child := os.fork():
    os.waitpid(child, 0)
    forked.set()
else:
    with calm_blas(1):
        inner = blas_threads()
    print(before, inner, blas_threads(), flush=True)
    os._exit(0)
"""


def told(script, *arguments):
    threads = {"OPENBLAS_NUM_THREADS": "2", "OMP_NUM_THREADS": "2", "MKL_NUM_THREADS": "2"}
    job = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        env={**os.environ, **threads},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert job.returncode == 0, job.stderr
    return job.stdout.split()


@pytest.mark.parametrize("use", ["calm", "nested", "pool", "tiles"])
def test_a_storm_of_interrupts_leaves_blas_its_threads(use):
    before, came, lost = told(STORM, use)
    if before != "2":
        pytest.skip("BLAS has one thread here")
    assert (came, lost) == ("True", "0")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked there")
def test_a_fork_while_another_thread_holds_the_limit_frees_the_child_of_it():
    before, inner, after = told(FORK)
    assert (inner, after) == ("1", before)
