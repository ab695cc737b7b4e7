"""Networks at the command line: offered where rows suffice, with words as they are, saved and asked again."""

import os
import subprocess
import sys

import numpy as np
import pytest

from gnomon import _registry
from gnomon._registry import Facts, candidates, discover, register, warmups
from gnomon.io import load, save
from gnomon.report import learn


def offered(task, n_rows=600, n_classes=2, sparse=False):
    discover()
    facts = Facts(task, n_rows, 4, n_classes if task == "classification" else 0, sparse)
    return [candidate for candidate in candidates(facts) if candidate.name == "neural network"]


@pytest.fixture
def only(monkeypatch):
    """A registry with the network alone."""

    def keep(task):
        chosen = offered(task)[0]
        monkeypatch.setattr(_registry, "_registered", _registry._Registered())
        register(chosen)

    return keep


def curved(n=700, seed=0):
    """Two arms in two cities that turn in opposite ways: neither linear nor the same in every city."""
    rng = np.random.default_rng(seed)
    x, city = rng.uniform(-1.0, 1.0, size=(n, 2)), rng.choice(["Rome", "Oslo", "Bern"], size=n)
    wave = np.where(city == "Rome", 1.0, -1.0) * np.sin(3.0 * x[:, 0]) + x[:, 1]
    return {"left": x[:, 0], "right": x[:, 1], "city": city}, wave


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_a_network_is_offered_where_rows_suffice(task):
    assert len(offered(task)) == 1
    assert not offered(task, n_rows=200)
    assert not offered(task, n_rows=10**6)
    assert not offered(task, sparse=True)
    assert not offered("classification", n_rows=600, n_classes=30)


def test_classes_are_learned_with_words_and_saved(only, tmp_path):
    only("classification")
    columns, wave = curved()
    study = learn({**columns, "answer": np.where(wave > 0, "up", "down")}, "answer")
    assert study.judgement.scores["accuracy"] > 0.9
    new, new_wave = curved(300, seed=1)
    new["city"][:5] = "Lima"
    save(study.model, tmp_path / "m.skops")
    said = load(tmp_path / "m.skops").predict(new)
    np.testing.assert_array_equal(said, study.model.predict(new))
    assert np.mean((said == "up") == (new_wave > 0)) > 0.85


def test_numbers_are_learned():
    columns, wave = curved()
    rows, y = np.column_stack([column.astype(object) for column in columns.values()]), 1e4 + 300.0 * wave
    model = offered("regression")[0].make(Facts("regression", 500, 3), 0).fit(rows[:500], y[:500])
    assert model.score(rows[500:], y[500:]) > 0.9


@pytest.mark.slow
def test_after_warming_up_learning_compiles_nothing(tmp_path):
    """In a cache of its own: the jobs, then a process in which a fit may add no file."""
    discover()
    assert len([name for name, _ in warmups() if name.startswith("neural")]) == 3
    program = """
import numpy as np
from gnomon._registry import Facts, candidates, discover, warmups
discover()
import sys
if sys.argv[1] == "warm":
    for name, job in warmups():
        if name.startswith("neural"):
            job()
else:
    X = np.random.default_rng(1).normal(size=(600, 5))
    words = X.astype(object)
    words[:, 2] = np.where(X[:, 2] > 0, "a", "b")
    for task, y, k in (("classification", X[:, 0] > 0, 2), ("classification", np.digitize(X[:, 0], [-1, 0, 1]), 4),
                       ("regression", X[:, 0] * X[:, 1], 0)):
        for rows in (X, words):
            network = next(c for c in candidates(Facts(task, 600, 5, k)) if c.name == "neural network")
            network.make(Facts(task, 600, 5, k), 0).fit(rows, y).predict(rows)
"""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}

    def kernels(word):
        subprocess.run([sys.executable, "-c", program, word], env=environment, check=True)
        return sorted(path.name for path in tmp_path.rglob("*") if path.is_file())

    assert kernels("warm") == kernels("learn")
