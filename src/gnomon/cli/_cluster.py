"""`gnomon cluster`: read, look for groups, write a report, the labels and a model, and say how it went."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from gnomon.cli._learn import MODEL, REPORT, command_line, progress_bar, stem, tell_findings
from gnomon.cli._predict import telling_warnings
from gnomon.io import read_table
from gnomon.io.files import csv_text, digest_of, outbox
from gnomon.io.models import write_model
from gnomon.report import ClusterStudy, cluster_page, cluster_summary, find_clusters
from gnomon.report.cluster_pages import cluster_reason, cluster_verdict, group_titles, labelled_columns
from gnomon.report.typical_rows import row_notes

__all__ = ["run"]

LABELS = "groups.csv"


def run(
    data: Path,
    *,
    out: Path | None,
    reading: Mapping[str, Any],
    choices: Mapping[str, Any],
    as_json: bool,
    quiet: bool,
) -> None:
    """Look for groups in one file; write everything or nothing."""
    out = out or Path(f"gnomon-{stem(data)}-groups")
    console = Console(quiet=quiet or as_json, highlight=False)
    with outbox(out) as place:
        with telling_warnings():
            table = read_table(data, **reading)
        console.print(f"{data.name}: {len(table)} rows, {len(table.names)} columns", markup=False)
        with progress_bar(quiet=quiet or as_json) as progress:
            study = find_clusters(table, **choices, progress=progress)
        notes = cluster_summary(study)
        rows = row_notes(table, study.model[0].kinds)
        write_model(study.model, place(MODEL), **notes, reading=dict(reading), **rows)
        files = {"model_file": MODEL, "labels_file": LABELS}
        html = cluster_page(study, table, source=data.name, digest=digest_of(data), command=command_line(), **files)
        place(REPORT).write_text(html, encoding="utf-8")
        place(LABELS).write_text(csv_text(labelled_columns(study, table)), encoding="utf-8")
    if as_json:
        paths = {"report": out / REPORT, "labels": out / LABELS, "model": out / MODEL}
        outcome = {**notes, **{name: str(path) for name, path in paths.items()}}
        sys.stdout.write(json.dumps(outcome, indent=1, ensure_ascii=False) + "\n")
    _tell(console, study, out)


def _tell(console: Console, study: ClusterStudy, out: Path) -> None:
    for answer in study.number.answers if study.number else ():
        head = Text(
            f"{answer.question.name.removeprefix('the ')}: {answer.verdict}",
            style="bold" if answer.question.decides else "",
        )
        console.print(Text.assemble(head, f" – {answer.reason}"))
    if len(study.groups) > 1:
        console.print(_grid(study))
    tell_findings(console, study)
    console.print(Text(cluster_verdict(study), style="bold"))
    if reason := cluster_reason(study):
        console.print(reason, markup=False)
    console.print(
        f"report  {out / REPORT}\ngroups  {out / LABELS}\nmodel   {out / MODEL}", markup=False, soft_wrap=True
    )


def _grid(study: ClusterStudy) -> Grid:
    grid = Grid()
    grid.add_column("group", justify="right")
    grid.add_column("rows", justify="right", no_wrap=True)
    grid.add_column("what it is like")
    grid.add_column("found again", justify="right")
    for group, title in zip(study.groups, group_titles(study), strict=True):
        stability = "–" if group.stability != group.stability else f"{group.stability:.2f}"
        grid.add_row(str(group.number), f"{group.size} ({group.share:.0%})", Text(title), stability)
    return grid
