"""The first call of every public estimator in a fresh process: with an empty kernel cache, then with a filled one."""

import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from importlib import import_module
from inspect import signature
from pathlib import Path

__all__ = ["LIMITS", "first_calls", "public_estimators"]

ROOT = Path(__file__).resolve().parents[1]
LIMITS = {"cold": 5.0, "warm": 0.5}  # seconds
ANSWERS = ("predict", "transform", "score_samples")
"""What an estimator is asked first after `fit`: the first of these that it has, else for a sample."""
CLASSIFIER, REGRESSOR = ("gnomon.linear", "LogisticRegression"), ("gnomon.linear", "Ridge")
BASES = {"estimator": CLASSIFIER, "regressor": REGRESSOR, "net": ("gnomon.neural", "MLPRegressor")}
"""What is given to those that need another estimator."""
SPACE = {"C": [0.1, 1.0, 10.0]}
"""What a search looks through."""
OF_GRIDS = ("GridInterpolator",)
"""Estimators whose rows are all points of a grid."""
REGRESSORS = ("ConformalRegressor", "DecisionRegressor")
"""Those whose estimator is a regressor."""
OF_SCORES = ("ScoreCalibrator",)
"""Those whose rows are scores."""


def public_estimators(package):
    """Names of the estimators that `package` exports."""
    from sklearn.base import BaseEstimator

    module = import_module(package)
    members = {name: getattr(module, name) for name in module.__all__}
    return sorted(
        name for name, member in members.items() if isinstance(member, type) and issubclass(member, BaseEstimator)
    )


def first_calls(package, name):
    """Seconds of the first `fit` and of an answer: {"estimator", "import", "cold", "warm"}."""
    with tempfile.TemporaryDirectory() as cache:
        cold, warm = (_call(package, name, cache) for _ in range(2))
    return {"estimator": name, "import": warm["import"], "cold": cold["call"], "warm": warm["call"]}


def _call(package, name, cache):
    command = [sys.executable, "-m", "benchmarks._cold", package, name]
    environment = os.environ | {"NUMBA_CACHE_DIR": cache}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"the first call of {package}.{name} failed:\n{done.stderr}")
    return json.loads(done.stdout)


def _answer(package, name):
    import numpy as np
    from sklearn.base import is_classifier, is_outlier_detector

    begin = time.perf_counter()
    kind = _imported(package, name)
    parameters = signature(kind).parameters
    needed = [key for key, given in parameters.items() if given.default is given.empty]
    bases = BASES | ({"estimator": REGRESSOR} if name in REGRESSORS else {})
    given = {key: SPACE if key == "space" else _imported(*bases[key])() for key in needed}
    estimator = kind(**given, **_more(name))
    loaded = time.perf_counter()
    rng = np.random.default_rng(0)
    X = rng.permutation(list(np.ndindex(5, 3, 2, 2))).astype(float) if name in OF_GRIDS else rng.random((60, 4)) + 0.1
    score = X @ [1.0, -1.0, 0.5, 0.0] + 0.3 * np.sin(100.0 * X[:, 0])
    labels = is_classifier(estimator) or is_outlier_detector(estimator) or name in OF_SCORES
    X = score if name in OF_SCORES else X
    estimator.fit(X, (score > 0.3).astype(int) if labels else 2.0 + score)
    ask = next((getattr(estimator, method) for method in ANSWERS if method in dir(estimator)), None)
    _ = estimator.sample(len(X)) if ask is None else ask(X)
    return {"import": loaded - begin, "call": time.perf_counter() - loaded}


def _more(name):
    """What else an estimator needs that can be built without it."""
    if name == "RejectClassifier":
        return {"cost": 1.0}
    if name == "ThresholdTuner":
        return {"estimator": _imported(*CLASSIFIER)()}
    return {"conditional": _first_column} if name == "OraclePredictor" else {}


def _first_column(X):
    return X[:, 0]


def _imported(package, name):
    return getattr(import_module(package), name)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(json.dumps(_answer(*sys.argv[1:])))
