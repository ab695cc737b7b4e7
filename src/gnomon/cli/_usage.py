"""Errors of usage, found before anything slow is imported: the answer comes at once.

What depends on the table is left to the library, which has checks of its own for callers in Python.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import typer

from gnomon._words import CLUSTER_METHODS, RULES, TARGET_TASKS, TASKS

__all__ = ["check_cluster", "check_learn", "refuse"]

OF_LABELS = ("--anomaly-label",)


def refuse(text: str) -> None:
    """Say what is wrong and end with the code of an error that the user can fix."""
    typer.echo(f"error: {text}", err=True)
    raise typer.Exit(2)


def check_learn(
    data: Path, target: str | None, task: str | None, labelled: Mapping[str, object], search: Mapping[str, object]
) -> None:
    """Refuse what `learn` could not do, or would ignore; options of each task by name, None where not given."""
    if task == "anomaly":
        _refuse_given(labelled, "{} cannot be used with --task anomaly; leave it out")
        useless = {name: value for name, value in search.items() if (name in OF_LABELS) == (target is None)}
        advice = "with labels; give --target" if target is None else "without labels; leave out --target or this"
        _refuse_given(useless, f"{{}} is for tables {advice}")
        if None not in (search["--contamination"], search["--level"]):
            refuse("give --contamination or --level, not both")
    else:
        if task is not None and task not in TARGET_TASKS:
            refuse(f"--task {task!r} is unknown; give one of: {', '.join(TASKS)}")
        _refuse_given(search, "{} is for --task anomaly; leave it out, or give that")
        if target is None:
            refuse("--target is needed: the column to predict; only --task anomaly can do without")
        if labelled["--rule"] not in (None, *RULES):
            refuse(f"--rule {labelled['--rule']!r} is unknown; give one of: {', '.join(RULES)}")
        if None not in (labelled["--group"], labelled["--time"]):
            refuse("give --group or --time, not both")
    _refuse_absent(data)


def check_cluster(data: Path, method: str | None) -> None:
    """Refuse what `cluster` could not do."""
    if method not in (None, *CLUSTER_METHODS):
        refuse(f"--method {method!r} is unknown; give one of: {', '.join(CLUSTER_METHODS)}")
    _refuse_absent(data)


def _refuse_absent(data: Path) -> None:
    if not data.exists():
        refuse(f"{data}: no such file")


def _refuse_given(options: Mapping[str, object], sentence: str) -> None:
    given = [name for name, value in options.items() if value is not None]
    if given:
        refuse(sentence.format(given[0]))
