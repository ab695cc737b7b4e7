"""What is said of how the columns were read: which are not used, which cells were lost, how others were understood."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from gnomon.io.tables import listed
from gnomon.report._findings import Finding
from gnomon.report._kinds import ColumnKind

__all__ = ["reading_remarks"]

UNUSED = {
    "empty": Finding("warning", "Empty columns", "Empty columns: {}. Not used."),
    "constant": Finding(
        "warning", "Constant columns", "Columns with one value only in the rows to learn from: {}. Not used."
    ),
    "nested": Finding(
        "warning",
        "Nested columns",
        "Columns whose cells hold lists or records: {}. Not used.",
    ),
    "large": Finding(
        "warning",
        "Very large numbers",
        "Columns of whole numbers beyond 2^53, of which neighbours look alike, or of numbers beyond 1.8e308: {}. "
        "Not used; "
        "--type NAME=number reads one rounded, --type NAME=category as it is.",
    ),
    "identifier": Finding(
        "warning",
        "Identifier columns",
        "Columns like an identifier, different in nearly every row: {}. Not used; --keep NAME uses one.",
    ),
    "copy": Finding(
        "grave",
        "Copies of the target",
        "Columns equal to the target in every row: {}. Not used: they would be the answer itself.",
    ),
    "text": Finding(
        "warning",
        "Columns of text",
        "Columns of free text: {}. Not used: groups are made of numbers, dates and categories.",
    ),
    "dropped": Finding("note", "Columns left out", "Columns that --drop left out: {}."),
    "role": Finding("note", "Columns of the split", "Columns that only arrange the split: {}. Not used as features."),
}
AS_WORDS = {
    "nested": "--type NAME=text reads one as words.",
    "identifier": "--type NAME=text reads one as words.",
}
"""Advice on columns that a study with texts could use."""
UNDERSTOOD = {
    "number": Finding("note", "Read as numbers", "{}. --type NAME=category keeps the cells as they are."),
    "date": Finding("warning", "Read as dates", "{}; give it as in --type NAME=date:%d/%m/%Y."),
    "category": Finding(
        "warning",
        "Numbers among words",
        "{}. Read as categories; --type NAME=number reads the numbers alone; --missing WORD takes a word as missing.",
    ),
}
UNREADABLE = Finding(
    "warning",
    "Unreadable cells",
    "Cells that fit neither their column of numbers or dates nor its scale, taken as missing: {}. "
    "--type NAME=category keeps them as they are.",
)


def reading_remarks(kinds: Sequence[ColumnKind], *, texts: bool = True) -> Iterator[Finding]:
    """Everything that a user should know of how the columns were read, each with an example and how to change it.

    Without `texts`, the study has no use for columns of words, and none are advised.
    """
    for reason, remark in UNUSED.items():
        advice = f" {AS_WORDS[reason]}" if texts and reason in AS_WORDS else ""
        told = replace(remark, text=remark.text + advice)
        yield from _said(told, [_with_example(kind) for kind in kinds if kind.reason == reason])
    used = [kind for kind in kinds if kind.kind != "unused"]
    odd = [f"{kind.name} ({kind.n_unreadable}, for example {kind.example!r})" for kind in used if kind.n_unreadable]
    yield from _said(UNREADABLE, odd)
    for what, remark in UNDERSTOOD.items():
        told = [f"{kind.name}: {kind.remark}" for kind in used if kind.kind == what and kind.remark]
        yield from _said(remark, told)


def _with_example(kind: ColumnKind) -> str:
    return f"{kind.name} (for example {kind.example!r})" if kind.example else kind.name


def _said(remark: Finding, columns: Sequence[str]) -> Iterator[Finding]:
    if columns:
        yield replace(remark, text=remark.text.format(listed(columns)))
