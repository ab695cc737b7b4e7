"""Every model that a family registers can be fitted, explained, saved, loaded and warmed up."""

import json
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

from gnomon._registry import Facts, candidates, discover, warmups
from gnomon.io import load, save
from gnomon.report._trials import build

discover()

rng = np.random.default_rng(0)
X = rng.normal(size=(90, 4))
SHAPES = {"dense": X, "sparse": sp.csr_array(np.where(np.abs(X) > 0.5, X, 0.0))}
TARGETS = {
    "regression": X[:, 0] - X[:, 1] + 0.1 * rng.normal(size=90),
    "two classes": np.where(X[:, 0] + 0.5 * rng.normal(size=90) > 0, "up", "down"),
    "three classes": np.array(["a", "b", "c"])[np.digitize(X[:, 0] + 0.5 * rng.normal(size=90), [-0.5, 0.5])],
}


def facts_of(target, shape):
    n_classes = 0 if target == "regression" else len(np.unique(TARGETS[target]))
    task = "classification" if n_classes else "regression"
    return Facts(task, *X.shape, n_classes=n_classes, sparse=shape == "sparse")


CASES = [
    pytest.param(candidate, target, shape, id=f"{candidate.name}-{target}-{shape}")
    for target in TARGETS
    for shape in SHAPES
    for candidate in candidates(facts_of(target, shape))
]


def _accuracy(predicted, y):
    return np.mean(predicted == y) if y.dtype.kind == "U" else np.corrcoef(predicted, y)[0, 1]


@pytest.mark.parametrize(("candidate", "target", "shape"), CASES)
def test_a_registered_model_learns_and_survives_its_file(candidate, target, shape, tmp_path):
    rows, y = SHAPES[shape], TARGETS[target]
    model = build(candidate, facts_of(target, shape), 0).fit(rows, y)
    assert _accuracy(model.predict(rows), y) > 0.6
    save(model, tmp_path / "model.skops")
    again = load(tmp_path / "model.skops")
    np.testing.assert_array_equal(again.predict(rows), model.predict(rows))
    if candidate.explain and candidate.probabilities:
        assert np.atleast_2d(candidate.explain(model)).shape[1] == X.shape[1]
    assert candidate.note


@pytest.mark.slow
@pytest.mark.parametrize("job", [pytest.param(job, id=name) for name, job in warmups()])
def test_a_warm_up_job_runs(job):
    job()


def test_both_tasks_have_models():
    assert candidates(facts_of("regression", "dense"))
    assert candidates(facts_of("two classes", "dense"))


def test_the_demo_in_a_process_of_its_own(tmp_path):
    """What a new user does first: no model fails, and the one chosen beats the baseline on held-out rows."""
    command = [sys.executable, "-W", "error", "-m", "gnomon", "demo", "--json"]
    job = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert job.returncode == 0, job.stderr
    found = json.loads(job.stdout)
    assert found["learned"]
    assert not [trial for trial in found["tried"] if "failure" in trial]
    loss = found["held_out"]["log loss"]
    assert loss["interval"][1] < loss["baseline"]
    assert sorted(p.name for p in (tmp_path / "gnomon-demo").iterdir()) == ["model.skops", "report.html"]
