"""What the generative family offers the command line: classifiers by Bayes' rule over dense columns.

Every `make` imports its class itself, so that registering costs nothing. The columns arrive standardised, and one for
each frequent level of a category, so that covariances are shrunk towards a sphere rather than singular.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from gnomon._registry import Candidate, Facts, register, register_warmup
from gnomon._typing import Floats, Integers


def _naive(facts: Facts, random_state: int) -> BaseEstimator:
    from gnomon.generative import GaussianNB

    return GaussianNB(var_smoothing=1e-3)


def _linear(facts: Facts, random_state: int) -> BaseEstimator:
    from gnomon.generative import LinearDiscriminantAnalysis

    return LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")


def _quadratic(facts: Facts, random_state: int) -> BaseEstimator:
    from gnomon.generative import GaussianClassifier

    return GaussianClassifier(covariance_type="full", shrinkage="ledoit_wolf", pool=0.1)


def _narrow(facts: Facts) -> bool:
    """Rows enough for a covariance of all columns."""
    return not facts.sparse and facts.n_features <= 300 and facts.n_rows >= 10 * facts.n_features


def _narrow_classes(facts: Facts) -> bool:
    """Rows enough for a covariance of all columns in every class of an average size."""
    return _narrow(facts) and facts.n_rows >= 10 * facts.n_features * max(1, facts.n_classes)


for _candidate in (
    Candidate(
        "normal naive Bayes", "classification", _naive, complexity=0.5, suits=lambda facts: not facts.sparse,
        levels="frequent",
        note="every column a normal law of its own in every class",
    ),
    Candidate(
        "linear discriminant analysis", "classification", _linear, complexity=1.5, suits=_narrow, levels="frequent",
        note="every class a normal law, one covariance for all, shrunk by the rule of Ledoit and Wolf",
    ),
    Candidate(
        "normal law per class", "classification", _quadratic, complexity=4.0, suits=_narrow_classes, levels="frequent",
        note="every class a normal law with a covariance of its own, shrunk by the rule of Ledoit and Wolf",
    ),
):  # fmt: skip
    register(_candidate)


def _rows() -> tuple[Floats, Integers]:
    X = np.random.default_rng(0).normal(size=(80, 3))
    return X, (X[:, 0] > 0).astype(int)


def _warm(make: Callable[[Any, int], Any]) -> None:
    X, y = _rows()
    make(None, 0).fit(X, y).predict_proba(X)


def _warm_mixtures() -> None:
    from gnomon.generative import GaussianMixture

    X, _ = _rows()
    for kind in ("full", "diag"):
        GaussianMixture(2, covariance_type=kind, random_state=0).fit(X).predict_proba(X)


for _name, _make in (
    ("generative: naive Bayes", _naive),
    ("generative: discriminant analysis", _linear),
    ("generative: normal law per class", _quadratic),
):
    register_warmup(_name, partial(_warm, _make))
register_warmup("generative: mixtures", _warm_mixtures)
