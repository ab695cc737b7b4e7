"""`gnomon predict`: the rows of a file through a model file, as CSV."""

import csv
import io
import sys
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from gnomon.cli._guard import errors
from gnomon.io import Table, UserError, load, notes, read_table
from gnomon.io.files import outbox
from gnomon.io.tables import as_float, listed, to_text

__all__ = ["run"]


def run(model: Path, data: Path, *, out: Path | None, proba: bool, reading: Mapping[str, Any]) -> None:
    """Predict every row of `data`; write CSV to `out` or standard output."""
    facts = notes(model)
    if "target" not in facts:
        raise UserError(f"{model}: this model was not made by gnomon learn; load it in Python with gnomon.io.load")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        pipeline = load(model)
    table = read_table(data, **reading)
    _advise(pipeline, table, facts, caught)
    _write(_predictions(pipeline, table, facts, proba), out)


def _advise(
    pipeline: Pipeline, table: Table, facts: Mapping[str, Any], caught: Sequence[warnings.WarningMessage]
) -> None:
    """Say on standard error what the user should know of how the file was read."""
    console = errors()
    kinds = pipeline[0].kinds
    for warning in caught:
        console.print(f"note: {warning.message}", markup=False)
    extra = [name for name in table.names if name not in facts["columns"] and name != facts["target"]]
    if extra:
        console.print(f"note: columns that the model does not know are ignored: {listed(extra)}", markup=False)
    for kind in kinds:
        if kind.kind == "number" and kind.name in table.columns:
            values = table[kind.name]
            lost = int((np.isnan(as_float(values)) & (to_text(values) != "")).sum())
            if lost:
                console.print(f"note: {lost} cells of {kind.name} are no numbers; taken as missing", markup=False)


def _predictions(pipeline: Pipeline, table: Table, facts: Mapping[str, Any], proba: bool) -> dict[str, list[Any]]:
    if proba and facts["task"] != "classification":
        raise UserError(f"--proba is for classification; this model was made by --task {facts['task']}")
    predicted = pipeline.predict(table)
    if facts["task"] == "anomaly":
        verdicts = np.where(predicted == -1, "anomaly", "good")
        return {"prediction": verdicts.tolist(), "score": pipeline.score_samples(table).tolist()}
    columns = {"prediction": predicted.tolist()}
    if proba:
        values = pipeline.predict_proba(table)
        columns |= {f"probability of {c}": values[:, k].tolist() for k, c in enumerate(pipeline.classes_.tolist())}
    return columns


def _write(columns: Mapping[str, Sequence[Any]], out: Path | None) -> None:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    if out is None:
        sys.stdout.write(buffer.getvalue())
        sys.stdout.flush()
        return
    out = Path(out)
    with outbox(out.parent) as place:
        place(out.name).write_text(buffer.getvalue(), encoding="utf-8")
