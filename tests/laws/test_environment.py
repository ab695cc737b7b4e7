"""What must be installed: the library needs its dependencies alone; each part names its extra; the least versions."""

import inspect
import json
import os
import re
import subprocess
import sys
import tomllib
import warnings
from pathlib import Path

import numpy as np
import pytest
from packaging.requirements import Requirement
from sklearn.base import clone

import gnomon
import public_names
from bare_fits import DEPENDENCIES
from gnomon._extras import EXTRAS, need
from gnomon.linear import Lasso

ROOT = Path(__file__).resolve().parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]
LAYERS = PYPROJECT["tool"]["importlinter"]["contracts"][0]["layers"]
FAMILIES = next(layer.split(" | ") for layer in LAYERS if "linear" in layer)

STUDY = (
    "the study of a table (gnomon.learn, gnomon.report) needs jinja2 and matplotlib; install them with: pip install "
    "'gnomon[app]'"
)
SENTENCES = {
    "plot": "gnomon.plot needs matplotlib; install it with: pip install 'gnomon[plot]'",
    "learn": STUDY,
    "serve": STUDY,
    "save": "a model file needs skops; install it with: pip install 'gnomon[io]'",
    "load": "a model file needs skops; install it with: pip install 'gnomon[io]'",
    "parquet": "reading Parquet needs pyarrow; install it with: pip install 'gnomon[frames]'",
    "frame": "as_frame=True needs pandas; install it with: pip install 'gnomon[frames]'",
    "torch": "engine='torch' needs torch; install it with: pip install 'gnomon[neural]', or choose 'numpy'",
    "command": "error: the command gnomon needs typer and rich; install them with: pip install 'gnomon[app]'\nexit 2",
}


@pytest.mark.smoke
def test_the_library_needs_its_dependencies_alone_and_each_part_names_its_extra(tmp_path):
    script = [sys.executable, "-W", "error", str(ROOT / "tests" / "bare_fits.py"), *FAMILIES]
    path = os.pathsep.join([str(Path(gnomon.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path}
    run = subprocess.run(script, capture_output=True, text=True, check=False, cwd=tmp_path, env=environment)
    assert run.returncode == 0, run.stderr
    modules, fits, sentences = json.loads(run.stdout)
    assert modules > 500
    assert set(FAMILIES) - set(fits) == {"transfer"}  # which has no estimators
    assert sentences == SENTENCES


def test_a_part_that_misses_nothing_is_not_refused():
    need("everything", *(name for name in EXTRAS if name != "torch"))
    assert len(SENTENCES) >= len(set(EXTRAS.values()))


def floors(*extras):
    """The least version of each package that the library and these extras declare, with those that they include."""
    needs = list(PROJECT["dependencies"])
    for extra in extras:
        needs += PROJECT["optional-dependencies"][extra]
    found = {}
    for given in map(Requirement, needs):
        if given.name == "gnomon":
            found |= floors(*given.extras)
        else:
            (bound,) = given.specifier
            assert bound.operator == ">=", given
            found[given.name] = bound.version
    return found


def test_the_least_versions_are_those_that_are_tested():
    lines = (ROOT / "constraints-floors.txt").read_text(encoding="utf-8").splitlines()
    pins = dict(line.split("==") for line in lines if re.match(r"\w", line) and "==" in line)
    declared = floors("test")
    assert {name: pins.get(name) for name in declared} == declared


def test_extras_bring_what_the_parts_that_need_them_import():
    assert set(floors()) == {name.replace("sklearn", "scikit-learn") for name in DEPENDENCIES}
    for package, extra in EXTRAS.items():
        assert package in floors(extra), package
        assert extra == "neural" or package in floors("dev"), package
    assert {name for name, extra in EXTRAS.items() if extra in ("app", "plot", "io")} <= set(floors("app"))
    for extra in ("docs", "bench"):
        assert {"matplotlib", "pandas", "jinja2"} <= set(floors(extra))


@pytest.mark.smoke
def test_what_releases_of_scikit_learn_differ_in_is_used_in_none_of_its_forms_alone():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    y, s = (X[:, 0] > 0.3).astype(int), rng.uniform(0.5, 2.0, 40)
    priced = [one for one in public_names.estimators() if "class_weight" in one.get_params(deep=False)]
    assert len(priced) > 10
    for estimator in priced:
        given = {"sample_weight": s} if "sample_weight" in inspect.signature(estimator.fit).parameters else {}
        with warnings.catch_warnings():
            # Few iterations are enough for this.
            warnings.simplefilter("ignore")
            model = clone(estimator).set_params(class_weight="balanced").fit(X, y, **given)
        if hasattr(model, "sparsify"):
            scores = model.decision_function(X)
            np.testing.assert_allclose(model.sparsify().decision_function(X), scores)
    assert Lasso(0.1).fit(X, X[:, 0]).sparse_coef_.shape == (1, 3)
