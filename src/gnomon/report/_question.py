"""What a study is asked: a table of rows with a target, what its columns are, how it is split, and what is wanted.

1  read the target, find the task            2  hold out a fifth            3  find the kinds of the other columns
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gnomon._typing import Array, Integers
from gnomon._words import RuleName, TargetTask
from gnomon.io import Table, UserError
from gnomon.io.tables import refuse_unknown
from gnomon.report._budget import Budget
from gnomon.report._checks import copies_of
from gnomon.report._kinds import ColumnKind, as_kinds, check_extent, clock_of, infer_kinds, settled_kinds, used_kinds
from gnomon.report._metrics import scores_of
from gnomon.report._progress import Progress
from gnomon.report._splits import Split, split
from gnomon.report._target import Target, read_target
from gnomon.report._trials import Folds
from gnomon.report.aims import Aims, Stakes
from gnomon.report.origin import GivenTable
from gnomon.report.scores import Score

__all__ = ["ColumnWishes", "TableQuestion", "Wishes", "question"]

MOST_ROWS_TO_COMPARE = 50_000


class ColumnWishes(NamedTuple):
    """What the user says of the columns; the arguments of `learn` of these names."""

    group: str | None
    time: str | None
    drop: Sequence[str]
    keep: Sequence[str]
    types: Mapping[str, str]

    @property
    def roles(self) -> list[str]:
        """The columns that say which rows belong together or follow each other."""
        return [name for name in (self.group, self.time) if name]

    def check(self, table: Table, target: str) -> None:
        """Refuse names that are no columns, or the target where that cannot be meant."""
        for option, names in (("drop", self.drop), ("keep", self.keep)):
            if isinstance(names, str):
                raise UserError(f"{option}={names!r} must be a list of columns; give [{names!r}]")
        named = {"--group": [self.group], "--time": [self.time], "--drop": self.drop, "--keep": self.keep}
        for option, names in {**named, "--type": [*self.types]}.items():
            refuse_unknown(table, option, [name for name in names if name])
        for option, names in named.items():
            if target in names:
                raise UserError(f"{option} {target}: that is the target, the column to predict; name another column")


class Wishes(NamedTuple):
    """How a model is chosen, and what of it is wanted."""

    rule: RuleName
    metric: str | None
    aims: Aims
    single: bool
    search: bool
    refit: bool
    seed: int


@dataclass(frozen=True, eq=False)
class TableQuestion:
    """Rows that have a target, the target, its split, the columns, what is wanted; the first score chooses."""

    shown: GivenTable
    table: Table
    target: Target
    split: Split
    kinds: tuple[ColumnKind, ...]
    wishes: Wishes
    stakes: Stakes | None
    scores: tuple[Score, ...]
    budget: Budget
    progress: Progress

    @cached_property
    def used(self) -> tuple[ColumnKind, ...]:
        """The columns that models may use."""
        return used_kinds(self.kinds)

    @cached_property
    def train(self) -> Table:
        """The training rows."""
        return self.table.take(self.split.train)

    @cached_property
    def y(self) -> Array:
        """Their targets."""
        return self.target.y[self.split.train]

    @cached_property
    def compared(self) -> Integers:
        """The training rows that take part in comparisons: all, or of very many a random part."""
        order = np.random.default_rng(self.wishes.seed).permutation(len(self.y))
        return np.sort(order[:MOST_ROWS_TO_COMPARE])

    @property
    def folds(self) -> Folds:
        """The folds, of these rows alone."""
        taking_part = np.zeros(len(self.y), dtype=bool)
        taking_part[self.compared] = True
        return [(train[taking_part[train]], test[taking_part[test]]) for train, test in self.split.folds]


def question(
    given: tuple[GivenTable, str],
    task: TargetTask | None,
    columns: ColumnWishes,
    wishes: Wishes,
    budget: Budget,
    progress: Progress,
) -> TableQuestion:
    """Steps 1 to 3."""
    shown, target = given
    table, (group, time, drop, keep, types) = shown.table, columns
    columns.check(table, target)
    check_extent(table, drop)
    whole = read_target(table, target, task or _told_task(target, types))
    roles = columns.roles
    stakes = wishes.aims.stakes(whole.classes, positive_is_used=wishes.metric is not None)
    # All rows decide what a column is: a sample cannot see that one counts them.
    found = infer_kinds(table, [n for n in table.names if n != target], types=types, keep=[*keep, *roles])
    raw, table = table.take(whole.rows), as_kinds(table, list(found.values())).take(whole.rows)
    parts = split(table, whole, group=group, time=time, seed=wishes.seed)
    scores = scores_of(wishes.metric, whole, wishes.aims.positive, stakes, parts.train)
    reasons = dict.fromkeys(copies_of(raw, target, found), "copy") | dict.fromkeys(drop, "dropped")
    if time and (clock := clock_of(found[time], table[time])) and time not in drop:
        found, roles = {**found, time: clock}, []
    kinds = settled_kinds(table, found, reasons | dict.fromkeys(roles, "role"), parts.train)
    return TableQuestion(shown, table, whole, parts, kinds, wishes, stakes, scores, budget, progress)


def _told_task(target: str, types: Mapping[str, str]) -> TargetTask | None:
    told: dict[str, TargetTask] = {"number": "regression", "category": "classification"}
    if target in types and types[target] not in told:
        raise UserError(f"--type {target}={types[target]}: the target is a number or a category")
    return told[types[target]] if target in types else None
