"""Example targets and weights that suit a split criterion by its traits.

    y_i = a class of each output, or q numbers;  w_i > 0                                            (1)

The kinds of targets are those of `gnomon.search.Criterion`. Breiman et al. (1984), Classification and Regression Trees,
doi:10.1201/9781315139470.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gnomon._typing import Array, ArrayLike, Floats
from gnomon.search import Criterion, Groups

__all__ = ["TargetRows", "example_rows"]

ROWS = 30
SHOWN = 6


class TargetRows(NamedTuple):
    """Targets, a number or a row for each row, and weights."""

    targets: Array
    w: Floats

    @property
    def flat(self) -> Array:
        """The targets, one row after the other."""
        return np.ravel(self.targets)

    def together(self, criterion: Criterion, which: Array) -> Groups:
        """Some rows as one group."""
        return criterion.groups(self.targets[which], self.w[which], np.zeros(len(which), dtype=np.int64), 1)

    def describe(self, which: Array) -> str:
        """Some rows in words."""
        few = which[:SHOWN]
        more = f" and {len(which) - len(few)} more" if len(which) > len(few) else ""
        return f"y={self.targets[few].tolist()}, w={np.round(self.w[few], 3).tolist()}{more}"


def example_rows(criterion: Criterion, y: ArrayLike | None) -> TargetRows:
    """The rows given, or (1) drawn at random, with weights; targets come several times."""
    rng = np.random.default_rng(0)
    targets = _drawn(criterion, rng) if y is None else np.asarray(y)
    if criterion.classes:
        targets = targets.astype(np.int32)
    return TargetRows(targets, rng.uniform(0.5, 3.0, len(targets)))


def _drawn(criterion: Criterion, rng: np.random.Generator) -> Array:
    if criterion.classes:
        columns = np.column_stack([rng.integers(0, K, ROWS) for K in criterion.class_counts])
    else:
        size = ROWS, criterion.n_outputs or 2
        draw = {
            "real": lambda: rng.normal(1.0, 2.0, size).round(1),
            "count": lambda: rng.poisson(1.5, size).astype(float),
            "positive": lambda: rng.gamma(1.0, 2.0, size).round(1) + 0.1,
        }
        columns = draw[criterion.targets]()
    return columns[:, 0] if columns.shape[1] == 1 else columns
