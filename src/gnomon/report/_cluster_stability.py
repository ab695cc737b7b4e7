"""How surely each group is found again in other rows like these.

    s_j = mean over random halves of  max_l |A_j ∩ B_l| / |A_j ∪ B_l|                                       (1)

A_j are the rows of group j that are in the half, B_l the groups that the half by itself finds. Hennig (2007),
doi:10.1016/j.csda.2006.11.025, whose limits the words follow.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from gnomon._typing import Floats, Integers

__all__ = ["group_stability", "stability_words"]

HALVES = 20
MOST_ROWS = 2_000
WORDS = ((0.85, "very stable"), (0.75, "stable"), (0.6, "its core is stable, its border is not"))


def group_stability(X: Floats, labels: Integers, k: int, make: Callable[[int, int], Any], seed: int) -> Floats:
    """Equation (1) for labels 0 … k − 1; `make(k, seed)` builds the clusterer."""
    rng = np.random.default_rng(seed)
    found = np.full((HALVES, k), np.nan)
    for r in range(HALVES):
        rows = rng.permutation(len(X))[: max(k, min(len(X) // 2, MOST_ROWS))]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            again = make(k, int(rng.integers(2**31))).fit(X[rows]).labels_
        found[r] = _best_overlaps(labels[rows], again, k)
    with warnings.catch_warnings():
        # A small group may be in no half at all.
        warnings.simplefilter("ignore", RuntimeWarning)
        return np.nanmean(found, axis=0)


def stability_words(stability: float) -> str:
    """What the number means."""
    if np.isnan(stability):
        return "too few rows to tell"
    return next((words for least, words in WORDS if stability >= least), "not stable: it comes and goes with the rows")


def _best_overlaps(labels: Integers, again: Integers, k: int) -> Floats:
    both = np.zeros((k, k))
    np.add.at(both, (labels, again), 1.0)
    mine, theirs = both.sum(axis=1, keepdims=True), both.sum(axis=0, keepdims=True)
    union = np.maximum(mine + theirs - both, 1.0)
    return np.where(mine[:, 0] > 0.0, (both / union).max(axis=1), np.nan)
