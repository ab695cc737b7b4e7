"""Evaluation: targets for the speed of risk estimates."""

from typing import NamedTuple

import numpy as np
from sklearn.base import clone

from benchmarks._row import Peer, Row

__all__ = ["PACKAGES", "ROWS"]

PACKAGES = ("gnomon.evaluation",)


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


ROWS = (
    leave_one_out("leave-one-out, ridge", regression_rows, 20),
    leave_one_out("leave-one-out, discriminant analysis", class_rows, 20),
)
