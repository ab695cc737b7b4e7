"""What the anomaly family offers the command line. The columns arrive standardised; indicators may be constant.

Every `make` imports its class itself, so that registering costs nothing.
"""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator

from gnomon._registry import Candidate, Facts, register, register_warmup

MOST_ROWS_OF_KERNELS = 5_000
MOST_COLUMNS_OF_A_COVARIANCE = 1_000
SHARE = 0.01


def _columns(facts: Facts, random_state: int) -> BaseEstimator:
    from gnomon.anomaly import GaussianDetector

    # Shrinkage to the identity keeps a column that is constant among good rows from infinite scores.
    return GaussianDetector("diag", shrinkage=SHARE)


def _normal(facts: Facts, random_state: int) -> BaseEstimator:
    from gnomon.anomaly import GaussianDetector

    return GaussianDetector("full", shrinkage=SHARE)


def _centres(facts: Facts, random_state: int) -> BaseEstimator:
    from gnomon.anomaly import CentroidDistanceDetector

    return CentroidDistanceDetector(8, random_state=random_state)


def _kernels(facts: Facts, random_state: int) -> BaseEstimator:
    from gnomon.anomaly import DensityDetector
    from gnomon.distributions import KDE

    return DensityDetector(KDE, random_state=random_state)


def _dense(facts: Facts) -> bool:
    return not facts.sparse


def _warm() -> None:
    from gnomon.anomaly import GaussianDetector

    X = np.random.default_rng(0).normal(size=(50, 3))
    for kind in ("full", "diag"):
        GaussianDetector(kind).fit(X).predict(X)


register(
    Candidate(
        "normal columns",
        "anomaly",
        _columns,
        complexity=1,
        suits=_dense,
        note="one normal law per column, independent",
    )
)
register(
    Candidate(
        "normal law",
        "anomaly",
        _normal,
        complexity=2,
        suits=lambda facts: _dense(facts) and facts.n_features < min(facts.n_rows, MOST_COLUMNS_OF_A_COVARIANCE),
        note="one normal law of all columns together; it knows which combinations are odd",
    )
)
register(
    Candidate(
        "distance from centres",
        "anomaly",
        _centres,
        complexity=3,
        suits=lambda facts: _dense(facts) and facts.n_rows > 8,
        note="distance from the nearest of eight centres of k-means",
        probabilities=False,
    )
)
register(
    Candidate(
        "kernel density",
        "anomaly",
        _kernels,
        complexity=4,
        suits=lambda facts: _dense(facts) and facts.n_rows <= MOST_ROWS_OF_KERNELS,
        note="a bump at every good row",
    )
)
register_warmup("normal laws of detectors", _warm)
