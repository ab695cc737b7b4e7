"""A wheel that carries compiled kernels, in a fresh environment: the first fit compiles nothing."""

import json
import os
import platform
import subprocess
import sys
import sysconfig
from pathlib import Path

import numba
import pytest
from llvmlite import binding

from gnomon._jit._numba import at_least_v3

ROOT = Path(__file__).resolve().parents[2]

pytestmark = [
    pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled"),
    pytest.mark.skipif(platform.machine() != "x86_64", reason="kernels are compiled for x86-64-v3"),
    pytest.mark.skipif(not at_least_v3(binding.get_host_cpu_features()), reason="this processor is older than that"),
]

FITS = {
    "lasso": "from gnomon.linear import Lasso as Model",
    "mixture": "from gnomon.generative import GaussianMixture as Model",
    "tree": "from gnomon.trees import DecisionTreeClassifier as Model",
    "forest": "from gnomon.trees import RandomForestClassifier as Model",
    "boosting": "from gnomon.trees import HistGradientBoostingClassifier as Model",
}
SCRIPT = """
import json, pathlib, sys
import numpy as np
from numba.core import event
IMPORT
import gnomon
X = np.random.default_rng(0).normal(size=(200, 5))
y = (X[:, 0] + X[:, 1] > 0).astype(int)
with event.install_recorder("numba:compile") as recorder:
    Model().fit(X, y).predict(X)
print(json.dumps([str(pathlib.Path(gnomon.__file__).parent), len(recorder.buffer)]))
"""


def built(folder, *options):
    """The compiled wheel, and how large it and the pure one are."""
    command = [sys.executable, str(ROOT / "tools" / "compiled_wheel.py"), "--out", str(folder), *options]
    subprocess.run(command, check=True, capture_output=True, text=True)
    (pure,), (whole,) = folder.glob("*-none-any.whl"), folder.glob("*-cp3*.whl")
    return whole, pure


def environment(folder, wheel):
    """The Python of a fresh environment with the wheel and what it depends on, which is read where it is installed."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    python = folder / "bin" / "python"
    install = ["pip", "--quiet", "--python", str(python), "install", "--no-deps", "--no-index", str(wheel)]
    subprocess.run([sys.executable, "-m", *install], check=True)
    (packages,) = (folder / "lib").glob("python*/site-packages")
    # A path in such a file is searched, but what is installed there for editing is not active.
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    return python


def compilations(python, name, cache, **variables):
    """How many functions a first fit compiles in the environment, which has an empty cache."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("NUMBA_", "PYTHONPATH"))}
    done = subprocess.run(
        [str(python), "-c", SCRIPT.replace("IMPORT", FITS[name])],
        env={**clean, "NUMBA_CACHE_DIR": str(cache), **variables},
        cwd=cache.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    where, count = json.loads(done.stdout)
    assert Path(where).is_relative_to(python.parents[1])
    return count


def check_first_fits(folder, names, *options):
    whole, pure = built(folder / "wheels", *options)
    python = environment(folder / "fresh", whole)
    counts = {name: compilations(python, name, folder / name) for name in names}
    assert counts == dict.fromkeys(names, 0)
    # Of processors that Numba is told to see otherwise, the wheel knows nothing.
    other = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
    assert compilations(python, "lasso", folder / "other", **other) > 0
    return whole.stat().st_size - pure.stat().st_size


@pytest.mark.slow
def test_the_first_lasso_of_a_fresh_environment_compiles_nothing(tmp_path):
    check_first_fits(tmp_path, ["lasso"], "--only", "lasso", "--jobs", "1")


@pytest.mark.slow
def test_no_first_fit_of_a_fresh_environment_compiles_anything(tmp_path):
    assert check_first_fits(tmp_path, list(FITS)) < 8e6
