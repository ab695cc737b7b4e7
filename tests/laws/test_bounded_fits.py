"""Fits of rows near the ends of the numbers end: with a model, or with a sentence. They run in a process of their own,
which a loop without end cannot outlive."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gnomon.linear import LinearSVC, LinearSVM, LogisticRegression
from gnomon.optim import newton

TESTS = Path(__file__).parents[1]
SIZES = (1e155, 1e200, 1e300)
USUAL = (
    "LinearSVC", "LinearSVM", "LogisticRegression", "LinearModelClassifier", "Ridge", "Lasso", "SVC", "SVR",
    "MulticlassSVC", "KernelLogisticRegression", "KernelRidge", "KNeighborsClassifier", "RBFNetworkRegressor",
)  # fmt: skip
CODE = """
import sys, time, warnings
import numpy as np
import public_names
from sklearn.base import clone
warnings.simplefilter("ignore")
names, sizes = sys.argv[1].split(","), [float(size) for size in sys.argv[2].split(",")]
rng = np.random.default_rng(0)
X = rng.normal(size=(40, 4))
y = (X[:, 0] > 0.0).astype(int)
for model in public_names.estimators():
    if names != ["all"] and type(model).__name__ not in names:
        continue
    for size in sizes:
        one, column = X.copy(), X.copy()
        one[3, 1], column[:, 1] = size, size * X[:, 1]
        for rows in (one, column):
            print(type(model).__name__, size, flush=True)
            try:
                clone(model).fit(rows, y)
            except Exception:
                pass
print("done")
"""


def check_ends(names, sizes, seconds):
    """Every fit of these estimators ends within the time; the last one that began is named otherwise."""
    command = [sys.executable, "-c", CODE, ",".join(names), ",".join(map(str, sizes))]
    job = subprocess.Popen(command, cwd=TESTS, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        said, _ = job.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        job.kill()
        said, _ = job.communicate()
    assert said.rstrip().endswith("done"), f"no end: {said.splitlines()[-1:]}"


def test_usual_fits_end():
    check_ends(USUAL, SIZES[1:2], 120)


@pytest.mark.slow
def test_all_fits_end():
    check_ends(["all"], SIZES, 900)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("Model", [LinearSVC, LogisticRegression, LinearSVM])
@pytest.mark.parametrize("size", [1e165, 1e200, 1e300])
def test_a_penalty_on_columns_whose_squares_have_no_common_unit_is_refused(Model, size):
    X = np.random.default_rng(0).normal(size=(40, 4))
    y = (X[:, 0] > 0.0).astype(int)
    expected = Model().fit(np.where(np.arange(160).reshape(40, 4) == 13, 1e100, X), y).objective_
    near = np.where(np.arange(160).reshape(40, 4) == 13, 1e150, X)
    assert Model().fit(near, y).objective_ == pytest.approx(expected, rel=1e-3)
    far = np.where(np.arange(160).reshape(40, 4) == 13, size, X)
    with pytest.raises(ValueError, match=r"X has entries up to .* in column 1"):
        Model().fit(far, y)
    # Columns that are all as large have a common unit.
    assert np.mean(Model().fit(X * size, y).predict(X * size) == y) > 0.9


@np.errstate(all="ignore")
def test_newton_ends_where_the_square_of_a_gradient_overflows():
    """The first step leads to the corner of |w|, from which none leads down."""

    def f(w):
        return 1e200 * abs(w[0]), np.array([1e200 * np.sign(w[0] or 1.0)])

    tried = []

    def counted(w):
        tried.append(w)
        assert len(tried) < 1000
        return f(w)

    assert newton(counted, np.ones(1), hessian=lambda w: np.full((1, 1), 1e200), reuse=0.5).w == 0.0
