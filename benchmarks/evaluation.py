"""Evaluation and decisions: targets for their speed and first call."""

from types import SimpleNamespace

import numpy as np

from benchmarks import _data
from benchmarks._row import Peer, Row

__all__ = ["PACKAGES", "ROWS"]

PACKAGES = ("gnomon.decision", "gnomon.evaluation")


def friedman(n, m=1000):
    """Friedman's first function with noise: n rows to fit, m to predict."""
    from sklearn.datasets import make_friedman1

    X, y = make_friedman1(n + m, 10, noise=1.0, random_state=0)
    return _data.make(X[:n], y[:n], X_test=X[n:], y_test=y[n:])


def out_of_bag_intervals(data):
    """Jackknife+ from the out-of-bag rows of one forest."""
    from gnomon.decision import ConformalRegressor
    from gnomon.trees import RandomForestRegressor

    forest = RandomForestRegressor(100, random_state=0, n_jobs=2)
    model = ConformalRegressor(forest, method="bootstrap", n_jobs=2).fit(data.X, data.y)
    return model.predict_interval(data.X_test)


def resampled_intervals(base, resampling):
    """Jackknife+ after bootstrap by MAPIE, around `base`, a regressor of scikit-learn."""

    def run(data):
        from mapie.regression import JackknifeAfterBootstrapRegressor

        model = JackknifeAfterBootstrapRegressor(base(), 0.9, resampling=resampling, random_state=0)
        ends = model.fit_conformalize(data.X, data.y).predict_interval(data.X_test)[1]
        return ends[:, 0, 0], ends[:, 1, 0]

    return run


def forest():
    from sklearn.ensemble import RandomForestRegressor

    return RandomForestRegressor(100, random_state=0, n_jobs=2)


def tree():
    from sklearn.tree import DecisionTreeRegressor

    return DecisionTreeRegressor(random_state=0)


def interval_loss(data, ends):
    """Mean interval score at coverage 0.9, over that of the interval of all y's quantiles."""

    def loss(low, high):
        missed = np.maximum(np.maximum(low - data.y_test, data.y_test - high), 0.0)
        return float(np.mean(high - low + 20.0 * missed))

    return loss(*ends) / loss(*np.quantile(data.y, [0.05, 0.95]))


def waves(n, n_datasets, n_trees):
    """What a sampler of noisy waves is asked for; each training set comes from a seed of its own."""
    return SimpleNamespace(n=n, n_datasets=n_datasets, n_trees=n_trees, sparse=False)


def waves_forest(data):
    from sklearn.ensemble import RandomForestRegressor

    return RandomForestRegressor(data.n_trees, random_state=0)


def wave(X):
    return np.sin(3.0 * X[:, 0]) + X[:, 1] ** 2


def sample_waves(n, rng):
    X = rng.uniform(-1.0, 1.0, (n, 4))
    return X, wave(X) + 0.3 * rng.standard_normal(n)


def bias_and_variance(data):
    from gnomon.evaluation import bias_variance

    found = bias_variance(waves_forest(data), sample_waves, wave, data.n, data.n_datasets, random_state=0, n_jobs=-1)
    return found.bias.value + found.variance.value


def refits_in_a_loop(data):
    rng = np.random.default_rng(0)
    X_test, _ = sample_waves(1000, rng)
    fits = (waves_forest(data).fit(*sample_waves(data.n, rng)) for _ in range(data.n_datasets))
    return float(np.mean([np.mean((fit.predict(X_test) - wave(X_test)) ** 2) for fit in fits]))


ROWS = [
    Row(
        name="jackknife+ of a forest, 100 trees",
        make=friedman,
        size={"n": 2000},
        quick={"n": 200, "m": 50},
        ours=out_of_bag_intervals,
        peers=(Peer("MAPIE", "MAPIE (30 forests)", resampled_intervals(forest, 30)),),
        quality=interval_loss,
        targets={"MAPIE": 20.0},
        tolerance=0.05,
    ),
    Row(
        name="jackknife+ of bagged trees, 100 trees",
        make=friedman,
        size={"n": 2000},
        quick={"n": 200, "m": 50},
        ours=out_of_bag_intervals,
        peers=(Peer("MAPIE", "MAPIE (100 trees)", resampled_intervals(tree, 100)),),
        quality=interval_loss,
        targets={"MAPIE": 2.0},
        tolerance=0.05,
    ),
    Row(
        name="bias, variance and noise of a forest, 200 training sets, all cores",
        make=waves,
        size={"n": 300, "n_datasets": 200, "n_trees": 20},
        quick={"n": 30, "n_datasets": 6, "n_trees": 2},
        ours=bias_and_variance,
        peers=(Peer("loop", "refits in a loop", refits_in_a_loop),),
        # Averages over one law, but of training sets and test points of their own.
        quality=lambda data, found: found,
        targets={"loop": 1.4},
        tolerance=0.05,
    ),
]
