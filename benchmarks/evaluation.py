"""Evaluation: targets for the speed of measurements that refit."""

from types import SimpleNamespace

import numpy as np

from benchmarks._row import Peer, Row

__all__ = ["PACKAGES", "ROWS"]

PACKAGES = ("gnomon.evaluation", "gnomon.decision")


def waves(n, n_datasets, n_trees):
    """A sampler of noisy waves with what is known of it; each training set comes from a seed of its own."""
    return SimpleNamespace(n=n, n_datasets=n_datasets, n_trees=n_trees, sparse=False)


def forest(data):
    from sklearn.ensemble import RandomForestRegressor

    return RandomForestRegressor(data.n_trees, random_state=0)


def best(X):
    return np.sin(3.0 * X[:, 0]) + X[:, 1] ** 2


def sampler(n, rng):
    X = rng.uniform(-1.0, 1.0, (n, 4))
    return X, best(X) + 0.3 * rng.standard_normal(n)


def measured(data):
    from gnomon.evaluation import bias_variance

    found = bias_variance(forest(data), sampler, best, data.n, data.n_datasets, random_state=0, n_jobs=-1)
    return found.bias.value + found.variance.value


def looped(data):
    rng = np.random.default_rng(0)
    X_test, _ = sampler(1000, rng)
    fits = (forest(data).fit(*sampler(data.n, rng)) for _ in range(data.n_datasets))
    return float(np.mean([np.mean((fit.predict(X_test) - best(X_test)) ** 2) for fit in fits]))


ROWS = (
    Row(
        name="bias, variance and noise of a forest, 200 training sets, all cores",
        make=waves,
        size={"n": 300, "n_datasets": 200, "n_trees": 20},
        quick={"n": 30, "n_datasets": 6, "n_trees": 2},
        ours=measured,
        peers=(Peer("loop", "fits in a loop", looped),),
        # Both are averages over the same law, of training sets and test points of their own.
        quality=lambda data, found: found,
        targets={"loop": 1.4},
        tolerance=0.05,
    ),
)
