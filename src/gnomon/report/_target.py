"""The target: its task and its values.

Rule: text is classification; numbers are regression, except whole numbers with at most ten different values, which
are classes unless they look like counts: their frequencies rise to one peak and fall to a rare end. ``--task``
overrides.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gnomon._typing import Array, Floats, Integers
from gnomon._words import TARGET_TASKS, TargetTask
from gnomon.io import Table, UserError
from gnomon.io.tables import is_missing, listed, to_text
from gnomon.report._kinds import decimal_of, numbers_of

__all__ = ["Target", "read_target"]

MOST_CLASSES_OF_NUMBERS = 10
MOST_CLASSES = 100
LEAST_VALUES_OF_COUNTS = 5
RARE_END = 0.05
LEAST_ROWS = 30
LEAST_ROWS_OF_A_CLASS = 8
LARGEST_NUMBER = 1e150


@dataclass(frozen=True)
class Target:
    """The target's values at the rows that are used.

    `y` is float64 for regression and an array of str for classification; `rows` are the indices in the table;
    `rule` is the sentence that says why this task; of `n_rows` rows `n_missing` had no target; `rare` are classes set
    aside.
    """

    name: str
    task: TargetTask
    y: Array
    rows: Integers
    rule: str
    n_rows: int
    n_missing: int
    rare: tuple[str, ...] = ()

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes in order; empty for regression."""
        return tuple(np.unique(self.y).tolist()) if self.task == "classification" else ()


def read_target(table: Table, name: str, task: TargetTask | None = None) -> Target:
    """The target column of `table`; errors say what to do when nothing can be learned from it."""
    if name not in table.columns:
        raise UserError(f"the target {name!r} is no column; the columns are: {listed(table.names)}")
    if task is not None and task not in TARGET_TASKS:
        raise UserError(f"--task {task!r} is unknown; give one of: {', '.join(TARGET_TASKS)}")
    values = table[name]
    there = np.flatnonzero(~is_missing(values))
    if not len(there):
        raise UserError(f"the target {name!r} is empty in every row; give a column with values")
    _refuse_few(there)
    numbers, odd = numbers_of(values[there], decimal_of(table))
    if task == "regression" or (task is None and not odd.any()):
        # Among numbers, a dash or a point stands for a missing one.
        held = ~np.isnan(numbers) | odd
        there, numbers = there[held], numbers[held]
    task, rule = (task, f"{task} was asked for") if task else _decide(name, numbers)
    read = {"regression": _read_numbers, "classification": _read_classes}[task]
    target = read(name, task, values, there, numbers, rule)
    _refuse_few(target.rows)
    return target


def _refuse_few(rows: Integers) -> None:
    if len(rows) < LEAST_ROWS:
        raise UserError(
            f"only {len(rows)} rows have a usable target; at least {LEAST_ROWS} are needed to learn and to judge"
        )


def _decide(name: str, numbers: Floats) -> tuple[TargetTask, str]:
    if np.isnan(numbers).any():
        return "classification", f"the target {name} holds text, so this is classification"
    distinct = len(np.unique(numbers))
    whole = bool((numbers == np.round(numbers)).all())
    if whole and distinct <= MOST_CLASSES_OF_NUMBERS and _counts(numbers):
        rule = f"the target {name} holds whole numbers whose frequencies are those of counts, so this is regression"
        return "regression", f"{rule}; --task classification takes them as classes"
    if whole and distinct <= MOST_CLASSES_OF_NUMBERS:
        rule = f"the target {name} holds {distinct} different whole numbers (at most {MOST_CLASSES_OF_NUMBERS})"
        return "classification", f"{rule}, so they are taken as classes; --task regression takes them as numbers"
    return "regression", f"the target {name} holds numbers with {distinct} different values, so this is regression"


def _counts(numbers: Floats) -> bool:
    """Whether whole numbers are counts or grades: one peak, within two standard errors, and an end that is rare."""
    span = float(np.ptp(numbers))
    if not LEAST_VALUES_OF_COUNTS - 1 <= span <= 2 * MOST_CLASSES_OF_NUMBERS:
        return False
    size = np.bincount((numbers - numbers.min()).astype(int))
    if min(size[0], size[-1]) >= RARE_END * len(numbers):
        return False
    rises = np.diff(size) > 2.0 * np.sqrt(size[1:] + size[:-1])
    falls = -np.diff(size) > 2.0 * np.sqrt(size[1:] + size[:-1])
    return not (rises[np.argmax(size) :].any() or falls[: np.argmax(size)].any())


def _read_numbers(name: str, task: TargetTask, values: Array, there: Integers, numbers: Floats, rule: str) -> Target:
    if np.isnan(numbers).any():
        examples = to_text(values[there])[np.isnan(numbers)]
        raise UserError(
            f"--task regression, but the target {name!r} holds text, for example {str(examples[0])!r}; "
            "--missing WORD leaves out the rows with such a word"
        )
    if np.ptp(numbers) == 0:
        raise UserError(f"the target {name!r} is {numbers[0]:g} in every row; there is nothing to learn")
    largest = float(np.max(np.abs(numbers)))
    if largest > LARGEST_NUMBER:
        raise UserError(f"the target {name!r} holds {largest:g}, whose square is no number here; give another unit")
    return Target(name, task, numbers, there, rule, len(values), len(values) - len(there))


def _read_classes(name: str, task: TargetTask, values: Array, there: Integers, numbers: Floats, rule: str) -> Target:
    labels = np.array(to_text(values[there]).tolist())
    classes, counts = np.unique(labels, return_counts=True)
    if len(classes) == 1:
        raise UserError(f"the target {name!r} has one class only, {str(classes[0])!r}; at least two are needed")
    rare = counts < LEAST_ROWS_OF_A_CLASS
    usable = int((~rare).sum())
    if usable < 2 or usable > MOST_CLASSES:
        raise UserError(
            f"the target {name!r} has {len(classes)} classes, {usable} of them with at least {LEAST_ROWS_OF_A_CLASS} "
            f"rows; between 2 and {MOST_CLASSES} are needed. Is it an identifier, or a number for --task regression?"
        )
    used = ~np.isin(labels, classes[rare])
    counts = len(values), len(values) - len(there)
    return Target(name, task, labels[used], there[used], rule, *counts, tuple(classes[rare].tolist()))
