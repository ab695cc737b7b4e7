"""What nearest neighbours offer the command line: how many neighbours is found by cross-validation.

Every `make` imports its class itself, so that registering costs nothing. The columns arrive standardised, so that each
has the same say in the distance.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.model_selection import GridSearchCV

from gnomon._registry import Candidate, Facts, register, register_warmup

INNER_FOLDS = 3
NUMBERS = (5, 15, 45)
"""Numbers of neighbours to choose from."""


def _classifier(facts: Facts | None, random_state: int) -> BaseEstimator:
    from gnomon.neighbors import KNeighborsClassifier

    return GridSearchCV(KNeighborsClassifier(), {"n_neighbors": NUMBERS}, cv=INNER_FOLDS, scoring="neg_log_loss")


def _regressor(facts: Facts | None, random_state: int) -> BaseEstimator:
    from gnomon.neighbors import KNeighborsRegressor

    return GridSearchCV(
        KNeighborsRegressor(weights="distance"), {"n_neighbors": NUMBERS}, cv=INNER_FOLDS,
        scoring="neg_mean_squared_error",
    )  # fmt: skip


def _space(facts: Facts) -> dict[str, Any]:
    return {"estimator__weights": ["uniform", "distance"], "estimator__p": [1, 1.5, 2, 3]}


def _suits(facts: Facts) -> bool:
    """Enough rows in a fold for the most neighbours, and not so many that all pairs of rows take minutes."""
    return facts.n_rows >= 2 * NUMBERS[-1] and facts.n_rows**2 * facts.n_features <= 2e11


for _candidate in (
    Candidate(
        "nearest neighbours", "classification", _classifier, complexity=4.5, suits=_suits, space=_space,
        note="votes of the nearest rows; their number by 3-fold cross-validation",
    ),
    Candidate(
        "nearest neighbours", "regression", _regressor, complexity=4.5, suits=_suits, space=_space,
        note="mean of the nearest rows, nearer ones weigh more; their number by 3-fold cross-validation",
    ),
):  # fmt: skip
    register(_candidate)


def _warm(make: Callable[[Facts | None, int], BaseEstimator], d: int) -> None:
    """Fit and predict once on dense and once on sparse rows, enough for a search in both precisions."""
    X = np.random.default_rng(0).normal(size=(150, d))
    y = (X[:, 0] > 0.0).astype(int)
    for rows in (X, sp.csr_array(X)):
        make(None, 0).fit(rows, y).predict(rows)


register_warmup("neighbors: few columns", partial(_warm, _classifier, 3))
register_warmup("neighbors: many columns", partial(_warm, _regressor, 20))
