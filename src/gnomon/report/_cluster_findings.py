"""Warnings about groups: fewer than asked for, tiny, unstable, of one column, or of codes taken for numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gnomon._typing import Floats, Integers
from gnomon.io import Table
from gnomon.io.tables import is_missing, listed
from gnomon.report._cluster_number import NumberOfGroups
from gnomon.report._findings import Finding
from gnomon.report._kinds import ColumnKind

__all__ = ["check_codes", "check_filled", "check_groups"]

FEW_ROWS = 50
TINY_ROWS, TINY_SHARE = 5, 0.01
UNSTABLE = 0.6
ALMOST_ALL, LITTLE = 0.9, 0.3
MOSTLY, TIMES_AS_MANY = 0.5, 2.0
FEWEST_CODES, MOST_CODES = 3, 9


def check_codes(table: Table, used: Sequence[ColumnKind]) -> list[Finding]:
    """A note where columns of a few whole numbers in a row may be codes, whose differences mean nothing."""
    found = [kind.name for kind in used if kind.kind == "number" and _like_codes(kind.read(table[kind.name]))]
    if not found:
        return []
    text = (
        f"Columns of a few whole numbers: {listed(found)}. They were taken as numbers, so that 3 is farther "
        "from 1 than 2 is; where they are codes of something else, give --type NAME=category."
    )
    return [Finding("note", "Numbers that may be codes", text)]


def check_filled(table: Table, used: Sequence[ColumnKind], labels: Integers) -> list[Finding]:
    """A warning where a group is mostly of rows with missing cells: filled by the median, these resemble each other."""
    gaps = np.any([is_missing(table[kind.name]) for kind in used], axis=0)
    usual, groups = float(np.mean(gaps)), np.unique(labels)
    shares = [float(np.mean(gaps[labels == number])) for number in groups]
    pairs = zip(groups.tolist(), shares, strict=True)
    filled = [f"group {j} ({share:.0%})" for j, share in pairs if share >= MOSTLY and share >= TIMES_AS_MANY * usual]
    if not filled:
        return []
    text = (
        f"Groups mostly of rows with missing cells: {listed(filled)}, where {usual:.0%} of all rows have some. The "
        "median in place of these cells may have made the group; fill them, or leave the column out with --drop."
    )
    return [Finding("warning", "Groups of missing cells", text)]


def _like_codes(numbers: Floats) -> bool:
    values = np.unique(numbers[~np.isnan(numbers)])
    in_a_row = bool(np.all(np.diff(values) == 1.0) and values[0] in (0.0, 1.0))
    return FEWEST_CODES <= len(values) <= MOST_CODES and in_a_row


def check_groups(
    groups: Sequence[tuple[int, float]],
    separation: Sequence[tuple[str, float]],
    asked: int | None,
    number: NumberOfGroups | None,
) -> list[Finding]:
    """Findings from the size and stability of each group, the columns that separate them, and their number."""
    n = sum(size for size, _ in groups)
    found = [*_number(asked, number)]
    if n < FEW_ROWS:
        text = f"With {n} rows every group is uncertain; other rows may show other groups."
        found.append(Finding("warning", "Few rows", text))
    if len(groups) > 1:
        found += [*_tiny(groups, n), *_unstable(groups), *_one_column(separation)]
    return found


def _number(asked: int | None, number: NumberOfGroups | None) -> list[Finding]:
    if asked is None:
        return []
    if number is None:
        text = (
            f"There are too few rows to say whether there are {asked} groups; this is the best division into so many."
        )
        return [Finding("warning", "Number of groups not checked", text)]
    if number.k == 1:
        text = (
            f"{asked} groups were asked for, but the table shows none: {number.why}. What follows is a way to divide "
            "the rows, as one may cut a cake; nothing says that the pieces exist."
        )
        return [Finding("grave", "No groups were found", text)]
    if number.k != asked:
        text = f"{asked} groups were asked for; the table itself speaks for {number.k}: {number.why}."
        return [Finding("warning", "Another number than the table shows", text)]
    return []


def _tiny(groups: Sequence[tuple[int, float]], n: int) -> list[Finding]:
    tiny = [f"group {j} ({size})" for j, (size, _) in enumerate(groups, 1) if size < max(TINY_ROWS, TINY_SHARE * n)]
    if not tiny:
        return []
    text = (
        f"Groups of very few rows: {listed(tiny)}. These are odd rows more than groups; look at them, and where they "
        "are mistakes, correct or remove them and run again."
    )
    return [Finding("warning", "Tiny groups", text)]


def _unstable(groups: Sequence[tuple[int, float]]) -> list[Finding]:
    loose = [f"group {j} ({s:.2f})" for j, (_, s) in enumerate(groups, 1) if s < UNSTABLE]
    if not loose:
        return []
    text = (
        f"Groups that half of the rows do not find again: {listed(loose)}. Do not build on them; fewer groups, or "
        "fewer columns, may be found again."
    )
    return [Finding("warning", "Unstable groups", text)]


def _one_column(separation: Sequence[tuple[str, float]]) -> list[Finding]:
    if len(separation) < 2 or separation[0][1] < ALMOST_ALL or separation[1][1] > LITTLE:
        return []
    name = separation[0][0]
    text = (
        f"The groups are hardly more than the values of {name}. --drop {name} shows whether the other columns have any."
    )
    return [Finding("warning", "Groups of one column", text)]
