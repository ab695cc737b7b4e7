"""From words to nouns, and targets that a loss can read.

    "squared" → SquaredLoss(),    "l1" → L1(),    "poisson" → PoissonFamily()    …                    (1)

A noun stands for itself, so that a user's own works wherever a word does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np

from gnomon._typing import Array

__all__ = ["check_targets", "named"]

Noun = TypeVar("Noun")

DOMAINS: dict[str, tuple[str, Callable[[Array], Any]]] = {
    "real": ("any numbers", lambda y: True),
    "unit": ("numbers in [0, 1]", lambda y: np.all((y >= 0) & (y <= 1))),
    "count": ("numbers ≥ 0", lambda y: np.all(y >= 0)),
    "positive": ("numbers > 0", lambda y: np.all(y > 0)),
    "sign": ("the numbers −1 and +1", lambda y: np.all(np.abs(y) == 1)),
}


def named(name: str, value: Noun | str | None, table: Mapping[Any, Noun]) -> Noun:
    """The noun that a word of `table` stands for, as in (1)."""
    if value is not None and not isinstance(value, str):
        return value
    if value not in table:
        raise ValueError(f"{name}={value!r} is unknown; choose from {list(table)}, or give an object")
    return table[value]


def check_targets(noun: object, targets: str, y: Array) -> None:
    """Refuse y outside the domain `targets` of a loss or family."""
    if targets not in DOMAINS:
        raise ValueError(f"{noun!r} has a score for every class; use LinearModelClassifier, or a loss of one score")
    words, hold = DOMAINS[targets]
    if not hold(y):
        raise ValueError(f"y has values from {y.min():g} to {y.max():g}, but {noun!r} needs {words}; transform y")
