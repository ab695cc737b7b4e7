"""Probabilities from scores.

    P(positive | f) = 1 / (1 + exp(A f + B))                                                          (1)

fitted to scores of rows that were left out, five folds in turn, with targets (N₊ + 1)/(N₊ + 2) and 1/(N₋ + 2).
Platt (1999), Probabilistic outputs for support vector machines; Lin, Lin & Weng (2007),
doi:10.1007/s10994-007-5018-6. Several classes: coupled pairs, Wu, Lin & Weng (2004), JMLR 5, 975–1005.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gnomon._typing import Floats, Integers
from gnomon.numerics.coding import couple_pairs
from gnomon.numerics.special import sigmoid
from gnomon.optim import fit_sigmoid

__all__ = ["class_probabilities", "sigmoid_of_left_out"]

FOLDS = 5
LEAST = 1e-7
"""Probabilities of pairs keep this distance from 0 and 1, as in LIBSVM."""


def sigmoid_of_left_out(
    signs: Floats, scores: Callable[[Integers, Integers], Floats], rng: np.random.RandomState
) -> tuple[float, float]:
    """A and B of (1); ``scores(train, test)`` fits some rows and gives the scores of others."""
    order, n = rng.permutation(len(signs)), len(signs)
    f = np.empty(n)
    for fold in range(FOLDS):
        test = order[fold * n // FOLDS : (fold + 1) * n // FOLDS]
        train = np.setdiff1d(order, test)
        sides = np.unique(signs[train])
        # With one class, or none, there is nothing to fit: the score is its sign.
        f[test] = scores(train, test) if len(sides) == 2 else np.sum(sides)
    positive = signs > 0.0
    up, down = np.count_nonzero(positive), np.count_nonzero(~positive)
    found = fit_sigmoid(f, np.where(positive, (up + 1.0) / (up + 2.0), 1.0 / (down + 2.0)))
    return -found.slope, -found.offset


def class_probabilities(scores: Floats, A: Floats, B: Floats, n_classes: int, pairs: bool) -> Floats:
    """A probability for each class from the scores of all problems."""
    p = np.clip(sigmoid(-(A * scores + B)), LEAST, 1.0 - LEAST)
    if n_classes == 2:
        return np.column_stack([1.0 - p[:, 0], p[:, 0]])
    return couple_pairs(p, n_classes) if pairs else p / np.sum(p, axis=1, keepdims=True)
