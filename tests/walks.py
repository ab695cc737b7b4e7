"""How long the way of a public fit is: the functions and files of this package that it enters; as a script, as JSON.

`SERVICES` are what every fit shares: they read rows and parameters, hand work to threads, declare types. A way is
counted without them and without compiled functions, and once with all (`all`). Each walk is counted in a process of
its own, so that no cache is filled by another. The script runs itself with compilation off, where kernels and their
callers are plain functions.
"""

import ast
import importlib
import json
import os
import sys
import threading
import warnings
from functools import cache
from pathlib import Path
from typing import NamedTuple

SERVICES = (
    "base/", "_typing", "_jit", "_vectors", "_words", "_registry",
    "numerics/blas", "numerics/parallel", "numerics/random", "numerics/tables", "numerics/validation",
    "numerics/weights",
)  # fmt: skip

# What is fitted: X has 120 rows and 4 columns, y two classes, r numbers, P positive entries.
WALKS = {
    "AgglomerativeClustering": ("cluster", "AgglomerativeClustering(3).fit(X)"),
    "CalibratedScorer": ("decision", "CalibratedScorer(LinearRegressor(), cv=2).fit(X, y).predict_proba(X[:9])"),
    "ConformalClassifier": ("decision", "ConformalClassifier(LinearRegressor()).fit(X, y).predict(X[:9])"),
    "DecisionTreeClassifier": ("trees", "DecisionTreeClassifier().fit(X, y)"),
    "GaussianMixture": ("generative", "GaussianMixture(2, random_state=0).fit(X)"),
    "GaussianNB": ("generative", "GaussianNB().fit(X, y).predict(X[:9])"),
    "GaussianProcessRegressor": ("gp", "GaussianProcessRegressor(RBF()).fit(X[:40], r[:40])"),
    "HistGradientBoostingClassifier": ("trees", "HistGradientBoostingClassifier(max_iter=3).fit(X, y)"),
    "GaussianDetector": ("anomaly", "GaussianDetector().fit(X).predict(X[:9])"),
    "KMeans": ("cluster", "KMeans(n_clusters=3, n_init=2, random_state=0).fit(X)"),
    "KNeighborsClassifier": ("neighbors", "KNeighborsClassifier().fit(X, y).predict(X[:9])"),
    "KernelRidge": ("svm", "KernelRidge(kernel='rbf').fit(X, r).predict(X[:9])"),
    "Lasso": ("linear", "Lasso(0.1).fit(X, r)"),
    "LogisticRegression": ("linear", "LogisticRegression().fit(X, y)"),
    "MLPClassifier": ("neural", "MLPClassifier((5,), max_iter=3).fit(X, y)"),
    "NMF": ("decomposition", "NMF(2).fit(P)"),
    "OneVsRestClassifier": ("multiclass", "OneVsRestClassifier(LinearRegressor()).fit(X, y)"),
    "PCA": ("decomposition", "PCA(2).fit(X)"),
    "RandomForestClassifier": ("trees", "RandomForestClassifier(3, random_state=0).fit(X, y).predict(X[:9])"),
    "Ridge": ("linear", "Ridge().fit(X, r)"),
    "SVC": ("svm", "SVC().fit(X, y)"),
    "Whitener": ("features", "Whitener().fit(X)"),
    "cv_risk": ("evaluation", "cv_risk(LinearRegressor(), X, y)"),
}


class Way(NamedTuple):
    """Functions entered, services with them; functions and files without services and compiled functions."""

    all: int
    functions: int
    files: int


def ways(package: Path, names=tuple(WALKS)):
    """The way of each walk, in a process of its own."""
    space = _space()
    return {name: Way(*_in_fork(lambda name=name: way(lambda: eval(WALKS[name][1], space), package))) for name in names}


def _space():
    import numpy as np
    from sklearn.linear_model import LogisticRegression as LinearRegressor

    from gnomon.kernels import RBF

    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 4))
    y = (X[:, 0] + 0.5 * X[:, 1] + 0.3 * rng.normal(size=120) > 0).astype(int)
    space = {"X": X, "y": y, "r": X[:, 0] + np.sin(X[:, 1]), "P": np.abs(X), "RBF": RBF}
    for module in {module for module, _ in WALKS.values()}:
        space |= vars(importlib.import_module(f"gnomon.{module}"))
    return space | {"LinearRegressor": LinearRegressor}


def _in_fork(job):
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writing, json.dumps(job()).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        found = json.load(answer)
    os.waitpid(child, 0)
    return found


def way(job, package):
    """What `job` enters of the package in this folder."""
    entered = _entered(job, f"{package}{os.sep}")
    own = [
        (file, line)
        for file, line in entered
        if not file.startswith(SERVICES) and line not in _compiled_lines(package / file)
    ]
    return Way(len(entered), len(own), len({file for file, _ in own}))


def _entered(job, root):
    """File and first line of every function below `root` that `job` enters."""
    found = set()

    def note(frame, event, _):
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(root) and not code.co_name.startswith("<"):
            found.add((Path(code.co_filename[len(root) :]).as_posix(), code.co_firstlineno))

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        job()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return found


@cache
def _compiled_lines(file):
    """First lines, decorators included, of the functions in `file` that compilation would replace."""
    import gnomon._jit as jit

    functions = [node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.FunctionDef)]
    return {
        min(decorator.lineno for decorator in function.decorator_list)
        for function in functions
        if any(_name(decorator) in jit.__all__ for decorator in function.decorator_list)
    }


def _name(decorator):
    return ast.unparse(decorator.func if isinstance(decorator, ast.Call) else decorator)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    import gnomon

    json.dump(ways(Path(gnomon.__file__).parent, sys.argv[1:] or tuple(WALKS)), sys.stdout)
