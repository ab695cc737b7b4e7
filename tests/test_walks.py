"""The ways of public fits are counted, and never get longer.

A way of fewer functions or files is written down here in the same change, so that it stays that short. A new family
adds its walks to `tests/walks.py` with the budget that its design states; at most 45 own functions in 15 files.
"""

import json
import os
import subprocess
import sys

import pytest

import walks
from walks import Way

# all: every function entered; functions, files: without the services of every fit and compiled functions.
WAYS = {
    "AgglomerativeClustering": Way(all=42, functions=18, files=5),
    "CalibratedScorer": Way(all=105, functions=64, files=11),
    "ConformalClassifier": Way(all=53, functions=28, files=4),
    "DecisionTreeClassifier": Way(all=161, functions=95, files=23),
    "GaussianMixture": Way(all=183, functions=121, files=18),
    "GaussianNB": Way(all=73, functions=48, files=10),
    "GaussianProcessRegressor": Way(all=136, functions=114, files=20),
    "HistGradientBoostingClassifier": Way(all=217, functions=136, files=25),
    "GaussianDetector": Way(all=86, functions=60, files=11),
    "KMeans": Way(all=137, functions=82, files=14),
    "KNeighborsClassifier": Way(all=64, functions=40, files=7),
    "KernelRidge": Way(all=82, functions=52, files=12),
    "Lasso": Way(all=153, functions=122, files=19),
    "LogisticRegression": Way(all=190, functions=153, files=27),
    "MLPClassifier": Way(all=270, functions=218, files=47),
    "NMF": Way(all=93, functions=70, files=12),
    "OneVsRestClassifier": Way(all=49, functions=17, files=2),
    "PCA": Way(all=35, functions=20, files=8),
    "RandomForestClassifier": Way(all=210, functions=130, files=24),
    "Ridge": Way(all=55, functions=33, files=8),
    "SVC": Way(all=151, functions=115, files=23),
    "Whitener": Way(all=44, functions=20, files=5),
    "cv_risk": Way(all=32, functions=22, files=4),
}


@pytest.fixture(scope="module")
def found():
    plain = {**os.environ, "NUMBA_DISABLE_JIT": "1", "OPENBLAS_NUM_THREADS": "1"}
    result = subprocess.run([sys.executable, walks.__file__], env=plain, capture_output=True, text=True, check=True)
    return {name: Way(*counts) for name, counts in json.loads(result.stdout).items()}


def test_every_walk_has_its_budget():
    assert WAYS.keys() == walks.WALKS.keys()


@pytest.mark.parametrize("name", WAYS)
def test_no_way_is_longer_than_it_was(found, name):
    longer = [
        f"{part}: {now} for {most}"
        for part, now, most in zip(Way._fields, found[name], WAYS[name], strict=True)
        if now > most
    ]
    assert not longer, f"{name} enters more than before ({', '.join(longer)}); {sys.executable} tests/walks.py counts"
    assert found[name] == WAYS[name], f"{name} enters less: write {found[name]} into tests/test_walks.py"


PACKAGE = {
    "model.py": "def fit(job):\n    step(job)\n    step(job)\n"
    "def step(job):\n    kernel()\n    job()\n"
    "@jit\ndef kernel(): ...\n",
    "base/rows.py": "def read(): ...\n",
}


def test_services_and_compiled_functions_are_not_own(tmp_path):
    space = {"jit": lambda function: function}
    for name, text in PACKAGE.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
        exec(compile(text, str(tmp_path / name), "exec"), space)
    entered = "fit", "step", "kernel", "read"
    assert walks.way(lambda: space["fit"](space["read"]), tmp_path) == (len(entered), len({"fit", "step"}), 1)
