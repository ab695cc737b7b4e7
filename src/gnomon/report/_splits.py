"""Held-out rows and folds.

A fifth of the rows is held out and used once, at the very end. The rest is split five times; with few rows the
splits are repeated. Classes keep their shares; rows of one group stay together; with a time, the past predicts the
future, and rows of one moment stay together where that moves a cut by less than half of what it cuts off.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from sklearn.model_selection import (
    GroupKFold,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    StratifiedGroupKFold,
    train_test_split,
)

from gnomon._typing import Array, Floats, Integers
from gnomon.io import Table, UserError
from gnomon.io.tables import as_float, to_text
from gnomon.report._budget import FEWEST_FOLDS
from gnomon.report._kinds import infer_kinds
from gnomon.report._target import Target

__all__ = ["Split", "split"]

FOLDS = 5
REPEATS_WHEN_SMALL = 2
SMALL = 1_000


@dataclass(frozen=True)
class Split:
    """Positions of the training and the held-out rows, the folds of the former, and the rule in words.

    `groups` are the group of each row where rows are kept together, else None; `by_time` says whether the held-out
    rows are later ones.
    """

    train: Integers
    test: Integers
    folds: list[tuple[Integers, Integers]]
    rule: str
    groups: Array | None = None
    by_time: bool = False


def split(table: Table, target: Target, *, group: str | None = None, time: str | None = None, seed: int = 0) -> Split:
    """Split the rows of `table`, which are those of `target`."""
    if group and time:
        raise UserError("give --group or --time, not both")
    if group:
        return _by_group(table, target, group, seed)
    return _by_time(table, target, time) if time else _at_random(target, seed)


def _at_random(target: Target, seed: int) -> Split:
    y, rows = target.y, np.arange(len(target.y))
    classify = target.task == "classification"
    train, test = train_test_split(rows, test_size=0.2, random_state=seed, stratify=y if classify else None)
    repeats = REPEATS_WHEN_SMALL if len(train) < SMALL else 1
    splitter = (RepeatedStratifiedKFold if classify else RepeatedKFold)(
        n_splits=FOLDS, n_repeats=repeats, random_state=seed
    )
    folds = list(splitter.split(train, y[train]))
    kept = ", shares of the classes kept" if classify else ""
    often = ", twice over" if repeats > 1 else ""
    return Split(train, test, folds, f"a random fifth is held out{kept}; {FOLDS}-fold cross-validation{often}")


def _by_group(table: Table, target: Target, name: str, seed: int) -> Split:
    groups = np.unique(to_text(table[name]), return_inverse=True)[1]
    if len(np.unique(groups)) < 2 * FOLDS:
        raise UserError(f"--group {name!r} has fewer than {2 * FOLDS} groups; too few to keep them apart")
    y = target.y
    classify = target.task == "classification"
    kind = StratifiedGroupKFold if classify else GroupKFold
    train, test = next(iter(kind(n_splits=FOLDS, shuffle=True, random_state=seed).split(y, y, groups)))
    splitter = kind(n_splits=FOLDS, shuffle=True, random_state=seed + 1)
    folds = list(splitter.split(train, y[train], groups[train]))
    rule = f"about a fifth is held out, and {FOLDS}-fold cross-validation, with the rows of one {name} kept together"
    return Split(train, test, folds, rule, groups)


def _by_time(table: Table, target: Target, name: str) -> Split:
    kind = infer_kinds(table, [name], keep=[name])[name]
    when = as_float(kind.read(table[name]))
    if np.isnan(when).any():
        example = to_text(table[name])[np.isnan(when)][0] or "an empty cell"
        raise UserError(f"--time {name!r} must hold a number or a date in every row with a target; found {example!r}")
    if when.min() == when.max():
        example = str(to_text(table[name])[0])
        raise UserError(
            f"--time {name!r} is {example!r} in every row with a target, so that none is later than another"
        )
    order = np.argsort(when, kind="stable")
    when, fifth = when[order], int(0.8 * len(order))
    (begin,) = cuts_in_time(when, np.array([fifth]), len(order) - fifth).tolist()
    train, test = np.split(order, [begin])
    size = begin // (FOLDS + 1)
    begins = cuts_in_time(when[:begin], begin - size * np.arange(FOLDS, 0, -1), size).tolist()
    folds = [
        (np.arange(first), np.arange(first, end))
        for first, end in pairwise([*begins, begin])
        if not target.classes or len(np.unique(target.y[train[:first]])) > 1
    ]
    if len(folds) < FEWEST_FOLDS:
        raise UserError(
            f"--time {name!r}: until late, all rows are of one class, {target.y[train[0]]!s}, from which nothing can "
            "be learned. Leave out --time, or the rows before the other classes begin"
        )
    last = "the last fifth" if begin == fifth else "about the last fifth"
    rule = f"{last} by {name} is held out; {len(folds)} times, earlier rows predict the rows that follow"
    return Split(train, test, folds, rule, by_time=True)


def cuts_in_time(when: Floats, places: Integers, size: int) -> Integers:
    """Where rows in order of time are cut: each place, or the nearest beginning of a moment less than size/2 away.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.report._splits import cuts_in_time
    >>> cuts_in_time(np.repeat([1.0, 2.0, 3.0], 4), np.array([3, 9]), 4).tolist()
    [4, 8]
    >>> cuts_in_time(np.array([1.0, 2.0, 2.0, 2.0, 2.0, 2.0]), np.array([3]), 2).tolist()
    [3]
    """
    begins = np.concatenate([[-len(when)], np.flatnonzero(np.diff(when) > 0.0) + 1, [2 * len(when)]])
    after = np.searchsorted(begins, places)
    nearest = np.where(places - begins[after - 1] < begins[after] - places, begins[after - 1], begins[after])
    return np.where(2 * np.abs(nearest - places) < size, nearest, places)
