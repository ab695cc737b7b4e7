"""Nearest neighbours and networks of radial functions: targets for their speed and memory."""

from functools import partial
from importlib import import_module

import numpy as np

from benchmarks import _data, _real
from benchmarks._row import Peer, Row

__all__ = ["PACKAGES", "ROWS"]

PACKAGES = ("gnomon.neighbors",)


def rows(n, d, m, dtype="float64"):
    """Normal rows to store, and others to search for."""
    rng = np.random.default_rng(0)
    X, Q = (rng.normal(size=(size, d)).astype(dtype) for size in (n, m))
    return _data.make(X, (X[:, 0] > 0.0).astype(int), queries=Q)


def search(module, **options):
    """Fit, and the distances of the ten nearest rows of every query."""

    def run(data):
        model = import_module(module).KNeighborsClassifier(10, n_jobs=2, **options).fit(data.X, data.y)
        return model.kneighbors(data.queries)[0]

    return run


def distance(data, distances):
    """The mean distance that was found: the exact neighbours have the least."""
    return float(np.mean(distances))


def one_neighbor(module, **options):
    """The digits that the nearest image of each test image shows."""

    def run(data):
        model = import_module(module).KNeighborsClassifier(1, n_jobs=2, **options).fit(data.X, data.y)
        return model.predict(data.X_test)

    return run


def wrong(data, labels):
    return float(np.mean(labels != data.y_test))


def peers(run, **options):
    return (
        Peer("scikit-learn", "scikit-learn", run("sklearn.neighbors", **options)),
        Peer("scikit-learn-intelex", "scikit-learn-intelex", run("sklearnex.neighbors", **options)),
    )


TARGETS = {"scikit-learn": 2.0, "scikit-learn-intelex": 1.0}

ROWS = (
    Row(
        name="10 nearest of 60k×32 for 10k rows",
        make=partial(rows, d=32, m=10_000),
        size={"n": 60_000},
        quick={"n": 2000},
        ours=search("gnomon.neighbors"),
        peers=peers(search),
        quality=distance,
        targets=TARGETS,
        ladder=tuple({"n": n} for n in (15_000, 30_000, 60_000)),
        memory=({"n": 60_000},),
    ),
    Row(
        name="10 nearest of 60k×32 for 10k rows, float32",
        make=partial(rows, d=32, m=10_000, dtype="float32"),
        size={"n": 60_000},
        quick={"n": 2000},
        ours=search("gnomon.neighbors"),
        peers=peers(search),
        quality=distance,
        targets=TARGETS,
    ),
    Row(
        name="10 nearest of 60k×3 for 10k rows, trees",
        make=partial(rows, d=3, m=10_000),
        size={"n": 60_000},
        quick={"n": 2000},
        ours=search("gnomon.neighbors"),
        peers=peers(search),
        quality=distance,
        targets={"scikit-learn": 1.0, "scikit-learn-intelex": 0.7},
    ),
    Row(
        name="one nearest neighbour of USPS digits",
        make=_real.usps_split,
        size={},
        quick={"n": 500},
        ours=one_neighbor("gnomon.neighbors"),
        peers=peers(one_neighbor),
        quality=wrong,
        targets={"scikit-learn": 1.0, "scikit-learn-intelex": 1.0},
    ),
)
