"""Evaluation and decisions: targets for their speed and first call."""

from typing import NamedTuple

import numpy as np
from sklearn.base import clone

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


class Rows(NamedTuple):
    """Rows, targets, and the estimator whose leave-one-out risk is wanted."""

    X: np.ndarray
    y: np.ndarray
    model: object


def regression_rows(n, d):
    """Ridge regression on correlated columns."""
    from gnomon.linear import Ridge

    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d)) @ rng.standard_normal((d, d))
    return Rows(X, X[:, 0] + rng.standard_normal(n), Ridge(1.0))


def class_rows(n, d):
    """Discriminant analysis of three classes."""
    from gnomon.generative import LinearDiscriminantAnalysis

    rng = np.random.default_rng(0)
    y = np.arange(n) % 3
    return Rows(rng.standard_normal((n, d)) + 0.5 * np.eye(3, d)[y], y, LinearDiscriminantAnalysis())


def shortcut(data):
    """By what the estimator publishes."""
    from gnomon.evaluation import loo_risk

    return loo_risk(data.model, data.X, data.y, method="shortcut").value


def refits(data):
    """By n fits, as scikit-learn's leave-one-out does it."""
    from sklearn.model_selection import LeaveOneOut, cross_val_predict

    found = cross_val_predict(clone(data.model), data.X, data.y, cv=LeaveOneOut())
    return float(np.mean(found != data.y) if data.y.dtype.kind == "i" else np.mean((data.y - found) ** 2))


def exact(risks):
    """The distance to leave-one-out by definition, for the rows that `risks` computes at both sizes."""

    def quality(data, risk):
        return abs(risk - risks(data)) / max(risks(data), 1e-12)

    return quality


_KNOWN = {}


def by_definition(data):
    """The risk by refits, computed once for each table."""
    key = (data.X.shape, type(data.model).__name__)
    if key not in _KNOWN:
        _KNOWN[key] = refits(data)
    return _KNOWN[key]


def leave_one_out(name, make, d):
    """One row: closed form against n refits."""
    return Row(
        name=name,
        make=make,
        size={"n": 2000, "d": d},
        quick={"n": 60, "d": 4},
        ours=shortcut,
        peers=(Peer("refits", "cross_val_predict", refits),),
        quality=exact(by_definition),
        targets={"refits": 50.0},
        tolerance=1e-8,
    )


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
    leave_one_out("leave-one-out, ridge", regression_rows, 20),
    leave_one_out("leave-one-out, discriminant analysis", class_rows, 20),
]
