"""`gnomon learn --task anomaly`: read, search, write a report and a model, and say how it went."""

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
from gnomon.io.files import digest_of, outbox
from gnomon.io.models import write_model
from gnomon.report import AnomalyStudy, anomaly_page, anomaly_summary, find_anomalies
from gnomon.report.anomaly_pages import anomaly_verdict, detector_rows
from gnomon.report.reading import reading_remarks
from gnomon.report.typical_rows import row_notes

__all__ = ["run"]

SHOWN = 4


def run(
    data: Path,
    target: str | None,
    *,
    out: Path | None,
    reading: Mapping[str, Any],
    choices: Mapping[str, Any],
    as_json: bool,
    quiet: bool,
) -> None:
    """Search one file for anomalies; write everything or nothing."""
    out = out or Path(f"gnomon-{stem(data)}")
    console = Console(quiet=quiet or as_json, highlight=False)
    with outbox(out) as place:
        with telling_warnings():
            table = read_table(data, **reading)
        console.print(f"{data.name}: {len(table)} rows, {len(table.names)} columns", markup=False)
        with progress_bar(quiet=quiet or as_json) as progress:
            study = find_anomalies(table, target, **choices, progress=progress)
        notes = anomaly_summary(study)
        rows = row_notes(table, study.model[0].kinds)
        write_model(study.model, place(MODEL), **notes, reading=dict(reading), **rows)
        facts = {"source": data.name, "digest": digest_of(data), "model_file": MODEL, "command": command_line()}
        place(REPORT).write_text(anomaly_page(study, table, **facts), encoding="utf-8")
    if as_json:
        outcome = {**notes, "report": str(out / REPORT), "model": str(out / MODEL)}
        sys.stdout.write(json.dumps(outcome, indent=1, ensure_ascii=False) + "\n")
    _tell(console, study, out)


def _tell(console: Console, study: AnomalyStudy, out: Path) -> None:
    console.print(f"{study.rule[:1].upper()}{study.rule[1:]}.", markup=False)
    for remark in reading_remarks(study.kinds):
        console.print(f"{remark.title}. {remark.text}", markup=False)
    tell_findings(console, study)
    heads, rows = detector_rows(study)
    console.print("Detectors, the best on validation rows first:" if study.target else "Detectors, the best first:")
    grid = Grid()
    grid.add_column("detector")
    for head in heads[:SHOWN]:
        grid.add_column(head, justify="right")
    for attempt, values in rows:
        grid.add_row(Text(attempt.candidate.name, style="bold" if attempt is study.best else ""), *values[:SHOWN])
    console.print(grid)
    for attempt in study.attempts:
        if attempt.failure:
            console.print(f"Not judged: {attempt.candidate.name}, {attempt.failure}", markup=False)
    console.print(Text(anomaly_verdict(study), style="bold"))
    console.print(f"report  {out / REPORT}\nmodel   {out / MODEL}", markup=False, soft_wrap=True)
