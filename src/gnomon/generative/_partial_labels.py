"""Labels of which some are missing.

    index i ∈ {−1, 0, …, C−1},    −1: no label                                                          (1)

What stands for "no label": None and NaN in any column that can hold them, −1 in a column of integers (as in
scikit-learn), or a value that the user names. A class called −1 and the mark −1 cannot both be: the user decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from gnomon._typing import Array, ArrayLike, Bools, Integers
from gnomon.base.targets import check_target, target_array
from gnomon.numerics.coding import label_index
from gnomon.numerics.tables import is_missing
from gnomon.numerics.validation import check_integer, check_label

__all__ = ["NO_LABEL", "PartialLabels", "PartialTarget", "partial_labels"]

NO_LABEL = -1


PartialTarget: TypeAlias = ArrayLike | Sequence[Any]
"""Labels, and None or another mark where there is none."""


class PartialLabels(NamedTuple):
    """The position of every label among the sorted classes, −1 where there is none; `free` classes have no label."""

    codes: Integers
    classes: Array
    free: Integers

    @property
    def has_label(self) -> Bools:
        """Which rows have one."""
        return self.codes != NO_LABEL


def partial_labels(
    y: PartialTarget | None, unlabeled: object = "auto", *, n_free: int = 0, who: str = "classifier"
) -> PartialLabels:
    """Read y; "auto" is −1 for integers and None or NaN for the rest, None is only the latter.

    `n_free` classes have no labels: the next integers after the others, or "new_0", "new_1" … for strings.
    """
    if y is None:
        raise ValueError(f"{who} requires y to be passed, but the target y is None; mark rows without a label")
    check_label("unlabeled", unlabeled)
    y = column_or_1d(target_array(y), warn=True)
    missing = _missing(y, unlabeled)
    labels = check_target(y[~missing].tolist() if y.dtype.kind == "O" else y[~missing])
    check_classification_targets(labels)
    known = np.unique(labels) if len(labels) else np.empty(0, dtype=int)
    names = _names(known, check_integer("n_free", n_free, 0))
    if len(known) + len(names) == 0:
        raise ValueError(f"y has no label among its {len(y)} rows; label some, or set n_free to a number of classes")
    if len(known) == 1 and n_free == 0 and np.any(missing) and unlabeled == "auto" and y.dtype.kind in "iu":
        raise ValueError(
            f"y has the one class {known.tolist()[0]!r} beside −1, which stands for 'no label'; if −1 is a class, "
            "set unlabeled=None or to the value that marks rows without a label"
        )
    classes = np.unique(np.concatenate([known, names])) if n_free else known
    index = np.full(len(y), NO_LABEL)
    if len(labels):
        index[~missing] = label_index(labels, classes)[0]
    return PartialLabels(index, classes, np.flatnonzero(np.isin(classes, names)))


def _missing(y: Array, unlabeled: object) -> Bools:
    if y.dtype.kind == "f":
        missing = np.isnan(y)
    elif y.dtype.kind == "O":
        missing = np.fromiter((is_missing(cell) for cell in y), dtype=bool, count=len(y))
    else:
        missing = np.zeros(len(y), dtype=bool)
    mark = (NO_LABEL if y.dtype.kind in "iu" else None) if unlabeled == "auto" else unlabeled
    if mark is None:
        return missing
    named = np.fromiter((cell == mark for cell in y.tolist()), dtype=bool, count=len(y))
    return missing | named


def _names(classes: Array, n_free: int) -> Array:
    if classes.dtype.kind in "USO":
        return np.array([f"new_{j}" for j in range(n_free)])
    first = int(np.max(classes)) + 1 if len(classes) and n_free else 0
    return np.arange(first, first + n_free)
