"""What neural networks offer the command line: a small one, with trained numbers for the words of a table.

Every `make` imports its class itself, so that registering costs nothing. The columns arrive standardised; categories
arrive as words.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.compose import TransformedTargetRegressor
from sklearn.preprocessing import StandardScaler

from gnomon._registry import Candidate, Facts, register, register_warmup

SEEDS = 5
"""Networks whose mean is taken: each starts elsewhere, and holds out other rows."""
FEWEST, MOST = 500, 200_000
"""Rows: below, a network has too few to hold some out and to beat a smoother model; above, a fit takes minutes."""


def _classifier(facts: Facts | None, random_state: int) -> BaseEstimator:
    from gnomon.neural._table_network import TableClassifier

    return TableClassifier(random_state=random_state)


def _classifiers(facts: Facts | None, random_state: int) -> BaseEstimator:
    from sklearn.ensemble import VotingClassifier

    return VotingClassifier(_runs(_classifier, facts, random_state), voting="soft")


def _regressors(facts: Facts | None, random_state: int) -> BaseEstimator:
    from sklearn.ensemble import VotingRegressor

    return VotingRegressor(_runs(_regressor, facts, random_state))


def _runs(
    make: Callable[[Facts | None, int], BaseEstimator], facts: Facts | None, random_state: int
) -> list[tuple[str, BaseEstimator]]:
    return [(f"seed {seed}", make(facts, seed)) for seed in range(random_state, random_state + SEEDS)]


def _regressor(facts: Facts | None, random_state: int) -> BaseEstimator:
    from gnomon.neural._table_network import TableRegressor

    return TransformedTargetRegressor(TableRegressor(random_state=random_state), transformer=StandardScaler())


def _space(facts: Facts, prefix: str = "") -> dict[str, Any]:
    """Units of the layers, what holds their weights back, and the length of a step."""
    from scipy.stats import loguniform

    return {
        f"{prefix}widths": [(32,), (128,), (64, 32), (128, 64)],
        f"{prefix}alpha": loguniform(1e-6, 1.0),
        f"{prefix}learning_rate_init": loguniform(5e-4, 2e-2),
    }


def _suits(facts: Facts) -> bool:
    """Rows suffice, for every class too, and a batch of them is a dense matrix."""
    return FEWEST <= facts.n_rows <= MOST and facts.n_rows >= 50 * facts.n_classes and not facts.sparse


for _candidate in (
    Candidate(
        "neural network", "classification", _classifier, complexity=8.0, suits=_suits, levels="words", space=_space,
        note="layers of 64 and 32 rectified units, trained numbers for words, trained until held-out rows gain no more",
    ),
    Candidate(
        "neural network", "regression", _regressor, complexity=8.0, suits=_suits, levels="words",
        space=partial(_space, prefix="regressor__"),
        note="layers of 64 and 32 rectified units, trained numbers for words, trained until held-out rows gain no more",
    ),
    Candidate(
        "neural networks", "classification", _classifiers, complexity=8.5, suits=_suits, levels="words",
        note=f"the mean of {SEEDS} such networks with weights of their own",
    ),
    Candidate(
        "neural networks", "regression", _regressors, complexity=8.5, suits=_suits, levels="words",
        note=f"the mean of {SEEDS} such networks with weights of their own",
    ),
):  # fmt: skip
    register(_candidate)


def _warm(make: Callable[[Facts | None, int], BaseEstimator], classes: int) -> None:
    """Fit and predict once on numbers and once on words among them."""
    X = np.random.default_rng(0).normal(size=(100, 3))
    y = np.digitize(X[:, 0], np.linspace(-0.5, 0.5, classes - 1)) if classes else X[:, 0] + 0.1 * X[:, 1]
    words = X.astype(object)
    words[:, 1] = np.where(X[:, 1] > 0, "up", "down")
    for rows in (X, words):
        make(None, 0).fit(rows, y).predict(rows)


for _name, _make, _classes in (
    ("neural: two classes", _classifier, 2),
    ("neural: three classes", _classifier, 3),
    ("neural: numbers", _regressor, 0),
):
    register_warmup(_name, partial(_warm, _make, _classes))
