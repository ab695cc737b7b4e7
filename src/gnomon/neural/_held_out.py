"""Rows held out for early stopping, and what is measured on them.

    training rows ∪ held-out rows = all rows,    disjoint;  of each class the same share in both                     (1)

Prechelt (1998), doi:10.1007/3-540-49430-8_3. Held-out rows are never trained on, augmented or used to scale columns.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import get_scorer, get_scorer_names
from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit
from sklearn.utils import _safe_indexing

from gnomon._typing import Array, Floats, Integers
from gnomon.neural._engines import passes_here
from gnomon.neural._fit import HeldOut
from gnomon.numerics.sharing import read_only
from gnomon.numerics.validation import check_interval

__all__ = ["TrainingRows", "measured", "scorer_of", "split_rows"]


class TrainingRows(NamedTuple):
    """Rows with targets as the user has them, and weights."""

    X: Any
    y: Any
    s: Floats | None

    def take(self, rows: Integers) -> TrainingRows:
        """Some of the rows."""
        y = {name: part[rows] for name, part in self.y.items()} if isinstance(self.y, dict) else self.y[rows]
        return TrainingRows(_safe_indexing(self.X, rows), y, None if self.s is None else self.s[rows])


def split_rows(
    rows: TrainingRows, fraction: float, labels: Array | None, rng: np.random.Generator
) -> tuple[TrainingRows, TrainingRows]:
    """(1): rows to train on and rows held out, by class where there are labels."""
    check_interval("validation_fraction", fraction, 0.0, 1.0, closed="neither")
    n, seed = rows.X.shape[0], int(rng.integers(2**31))
    splitter = StratifiedShuffleSplit if labels is not None else ShuffleSplit
    cut = splitter(n_splits=1, test_size=fraction, random_state=seed)
    try:
        train, held = next(cut.split(np.empty((n, 0)), labels))
    except ValueError as error:
        how = "" if labels is None else " by class"
        raise ValueError(f"validation_fraction={fraction!r} cannot divide {n} rows{how}: {error}") from error
    if len(held) < 2:
        raise ValueError(
            f"validation_fraction={fraction!r} of {n} rows leaves a validation set that is too small, {len(held)} row; "
            "raise it, or give more rows"
        )
    return rows.take(train), rows.take(held)


def measured(model: Any, rows: TrainingRows, monitor: Any) -> HeldOut:
    """What is measured on held-out rows at any θ, for a model that has all but its θ."""
    inputs, targets = model._scaled(rows.X), model._targets
    problem = model.network_.problem(
        inputs,
        targets.code(rows.y),
        rows.s,
        loss=targets.loss,
        output_weights=model._counts,
        passes=passes_here(model.engine_, model.network_, device=model.device),
    )

    def score(theta: Floats) -> float:
        found = targets.predict(model._output(theta, inputs))
        return float(targets.score(rows.y, found, rows.s))

    def by_scorer(scorer: Callable[..., float]) -> Callable[[Floats], float]:
        def scored(theta: Floats) -> float:
            at = copy(model)
            at.theta_ = theta
            weights = {} if rows.s is None else {"sample_weight": rows.s}
            return float(scorer(at, read_only(rows.X), read_only(rows.y), **weights))

        return scored

    scorer = scorer_of(monitor)
    words = {"score": score, "loss": lambda theta: -problem.value(theta)}
    return HeldOut(words[monitor] if scorer is None else by_scorer(scorer), problem.value)


def scorer_of(monitor: Any) -> Callable[..., float] | None:
    """The scorer that `monitor` stands for; None for "score" and "loss"."""
    if not isinstance(monitor, str):
        return monitor
    if monitor in ("score", "loss"):
        return None
    if monitor not in get_scorer_names():
        raise ValueError(f"monitor={monitor!r} is unknown; choose 'score', 'loss' or the name of a scorer")
    return get_scorer(monitor)
