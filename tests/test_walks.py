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
    "AgglomerativeClustering": Way(all=43, functions=20, files=6),
    "CalibratedScorer": Way(all=115, functions=67, files=11),
    "ConformalClassifier": Way(all=54, functions=21, files=3),
    "DecisionTreeClassifier": Way(all=165, functions=99, files=24),
    "GaussianMixture": Way(all=188, functions=122, files=19),
    "GaussianNB": Way(all=74, functions=48, files=10),
    "GaussianProcessRegressor": Way(all=142, functions=116, files=21),
    "HistGradientBoostingClassifier": Way(all=220, functions=139, files=26),
    "GaussianDetector": Way(all=90, functions=60, files=11),
    "KMeans": Way(all=143, functions=84, files=15),
    "KNeighborsClassifier": Way(all=66, functions=42, files=8),
    "KernelRidge": Way(all=83, functions=53, files=13),
    "Lasso": Way(all=141, functions=110, files=20),
    "LogisticRegression": Way(all=183, functions=142, files=29),
    "MLPClassifier": Way(all=280, functions=224, files=48),
    "NMF": Way(all=93, functions=71, files=14),
    "OneVsRestClassifier": Way(all=48, functions=16, files=2),
    "PCA": Way(all=35, functions=20, files=9),
    "RandomForestClassifier": Way(all=214, functions=134, files=25),
    "Ridge": Way(all=59, functions=33, files=8),
    "SVC": Way(all=163, functions=125, files=24),
    "Whitener": Way(all=48, functions=20, files=6),
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
