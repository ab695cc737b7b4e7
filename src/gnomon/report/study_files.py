"""The files of a study: its page, and its model with the notes that `gnomon predict` and `gnomon serve` need."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gnomon.io import save
from gnomon.io.files import outfile
from gnomon.report._study_record import Study
from gnomon.report.pages import page, summary
from gnomon.report.typical_rows import row_notes

__all__ = ["notes_of", "write_study_model", "write_study_page"]


def notes_of(study: Study) -> dict[str, Any]:
    """What stands beside the model in its file: outcome, options of reading, typical cells and ranges of columns."""
    return {**summary(study), "reading": dict(study.source.reading), **row_notes(study.table, study.model[0].kinds)}


def write_study_model(study: Study, path: str | Path) -> None:
    """Write the model of a study, whole or not at all."""
    save(study.model, path, **notes_of(study))


def write_study_page(study: Study, path: str | Path) -> None:
    """Write the page of a study, whole or not at all."""
    source = study.source
    with outfile(path) as temporary:
        html = page(study, study.table, source=source.name, digest=source.digest)
        temporary.write_text(html, encoding="utf-8")
