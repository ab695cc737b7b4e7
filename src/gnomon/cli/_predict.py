"""`gnomon predict`: the rows of a file or of standard input through a model file, as CSV.

The new rows are read as the training rows were: the model holds the form of every column, its notes the options of
reading; options given here come first.
"""

import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from gnomon._typing import Array, Matrix
from gnomon._words import CLUSTER, TASKS
from gnomon.cli._guard import errors
from gnomon.decision import ConformalClassifier
from gnomon.io import ModelFileError, Table, UserError, load, notes, read_table
from gnomon.io.files import csv_text, outbox
from gnomon.io.tables import is_missing, listed, refuse_unknown, to_text
from gnomon.report.deployment import Deployed
from gnomon.report.prepare import OfColumns

__all__ = ["run"]

NEEDED: dict[str, Any] = {"target": (str, type(None)), "task": str, "columns": dict, "reading": dict}
"""What the notes of a model that `learn` or `cluster` wrote hold for `predict`."""
OPTIONS: dict[str, Any] = {
    "delimiter": (str, type(None)),
    "encoding": str,
    "header": (bool, type(None)),
    "missing": list,
}
STANDARD_INPUT = Path("-")


def run(
    model: Path,
    data: Path | None,
    *,
    out: Path | None,
    proba: bool,
    threshold: float | None,
    ids: Sequence[str],
    reading: Mapping[str, Any],
) -> None:
    """Predict every row of `data`; write CSV to `out` or standard output."""
    facts = _facts(model)
    with _warnings_as_notes():
        pipeline = _pipeline(model)
    _refuse_odd_questions(pipeline, facts, proba, threshold)
    table = _table(data, {**facts["reading"], **reading})
    _note(_advice(pipeline, table, facts))
    with _warnings_as_notes():
        columns = [*_identifiers(table, facts, ids), *_predictions(pipeline, table, facts, proba, threshold)]
    _write(columns, out)


@contextmanager
def _warnings_as_notes() -> Iterator[None]:
    """Each warning once, as a sentence on standard error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield
    _note(dict.fromkeys(str(warning.message) for warning in caught))


def _note(texts: Iterable[str]) -> None:
    for text in texts:
        errors().print(f"note: {text}", markup=False)


def _facts(model: Path) -> dict[str, Any]:
    """The notes, with everything that is needed here."""
    facts = {"reading": {}, **notes(model)}
    if "target" not in facts:
        raise UserError(
            f"{model}: this model was not made by gnomon learn or cluster; load it in Python with gnomon.io.load"
        )
    odd = [name for name, kind in NEEDED.items() if name not in facts or not isinstance(facts[name], kind)]
    options = {} if odd else facts["reading"]
    odd += [name for name, kind in OPTIONS.items() if name in options and not isinstance(options[name], kind)]
    if odd or facts["task"] not in (*TASKS, CLUSTER):
        raise ModelFileError(f"{model}: the notes are damaged ({', '.join(odd) or 'task'}); make the model again")
    return facts


def _pipeline(model: Path) -> Pipeline:
    found = load(model)
    if not isinstance(found, Pipeline) or not isinstance(found[0], OfColumns):
        raise ModelFileError(f"{model}: the notes are of gnomon, the model is not; make the model again")
    return found


def _refuse_odd_questions(pipeline: Pipeline, facts: Mapping[str, Any], proba: bool, threshold: float | None) -> None:
    task = facts["task"]
    if proba and task != "classification":
        raise UserError(f"--proba is for classification; this model was made by {_made_by(task)}")
    if threshold is None or task == "anomaly":
        return
    if task != "classification" or len(pipeline.classes_) != 2:
        what = f"{len(pipeline.classes_)} classes" if task == "classification" else _made_by(task)
        raise UserError(f"--threshold is for two classes or anomalies; this model is of {what}")
    if not 0.0 <= threshold <= 1.0:
        raise UserError(f"--threshold {threshold:g} is no probability; give a number from 0 to 1")


def _made_by(task: str) -> str:
    return "gnomon cluster" if task == CLUSTER else f"--task {task}"


def _table(data: Path | None, reading: Mapping[str, Any]) -> Table:
    known = {name: reading[name] for name in OPTIONS if name in reading}
    if data is not None and data != STANDARD_INPUT:
        return read_table(data, **known)
    if sys.stdin.isatty():
        raise UserError("give the FILE of rows to predict, or pipe it in")
    return read_table(sys.stdin.buffer, **known)


def _advice(pipeline: Pipeline, table: Table, facts: Mapping[str, Any]) -> Iterator[str]:
    """What the user should know of how the file was read."""
    extra = [name for name in table.names if name not in facts["columns"] and name != facts["target"]]
    if extra:
        yield f"columns that the model does not know are ignored: {listed(extra)}"
    for kind in pipeline[0].kinds:
        if kind.name in table.columns and (lost := kind.lost(table[kind.name])).any():
            example = str(to_text(table[kind.name])[lost][0])
            if is_missing(kind.read(table[kind.name])).all():
                raise UserError(
                    f"the model needs {kind.name}, and none of its {len(table)} cells is a {kind.kind} in the form "
                    f"of the training file ({kind.form}), for example {example!r}; write them in that form, see that "
                    "the file has the columns of the training file, or make the model again without it (--drop)"
                )
            yield (
                f"{lost.sum()} of {len(table)} cells of {kind.name} are no {kind.kind}s in the form of the training "
                f"file ({kind.form}), for example {example!r}; taken as missing"
            )
    for name, levels in pipeline[0].levels_.items():
        if name in table.columns:
            yield from _strangers(name, to_text(table[name]), set(levels))


def _strangers(name: str, cells: Array, known: set[str]) -> Iterator[str]:
    new = [cell for cell in cells.tolist() if cell and cell not in known]
    if new:
        yield (
            f"{len(new)} of {len(cells)} cells of {name} hold levels that the model has never seen, taken as a rare "
            f"one: {listed(list(dict.fromkeys(new)), 5)}"
        )


def _identifiers(table: Table, facts: Mapping[str, Any], ids: Sequence[str]) -> Iterator[tuple[str, list[Any]]]:
    """The columns that say which row is which: those that were taken for identifiers, and those asked for."""
    refuse_unknown(table, "--id", ids)
    found = [name for name, kind in facts["columns"].items() if kind == "identifier" and name in table.columns]
    for name in dict.fromkeys([*found, *ids]):
        yield name, to_text(table[name]).tolist()


def _predictions(
    pipeline: Pipeline, table: Table, facts: Mapping[str, Any], proba: bool, threshold: float | None
) -> Iterator[tuple[str, list[Any]]]:
    if facts["task"] == "anomaly":
        scores = pipeline.score_samples(table)
        bad = pipeline.predict(table) == -1 if threshold is None else scores <= threshold
        yield "prediction", np.where(bad, "anomaly", "good").tolist()
        yield "score", scores.tolist()
        return
    rows, last = pipeline[0].transform(table), pipeline[-1]
    if facts["task"] == CLUSTER:
        yield "group", last.predict(rows).tolist()
        yield "oddness", last.oddness(rows).tolist()
        return
    shares = last.predict_proba(rows) if proba or threshold is not None else np.empty(0)
    if threshold is None:
        yield "prediction", last.predict(rows).tolist()
    else:
        yield "prediction", pipeline.classes_[(shares[:, 1] > threshold).astype(int)].tolist()
    if isinstance(last, Deployed):
        yield from _beyond(last, rows)
    if proba:
        for k, name in enumerate(pipeline.classes_.tolist()):
            yield f"probability of {name}", shares[:, k].tolist()


def _beyond(model: Deployed, rows: Matrix) -> Iterator[tuple[str, list[Any]]]:
    """The decision, and the set or the ends of the interval, where the model has them."""
    if model.costs is not None:
        yield "decision", model.decide(rows).tolist()
    if isinstance(model.sets, ConformalClassifier):
        yield "set", [" | ".join(map(str, labels)) for labels in model.sets.predict_set(rows).labels()]
    elif model.sets is not None:
        low, high = model.sets.predict_interval(rows)
        yield "low", low.tolist()
        yield "high", high.tolist()


def _write(columns: Sequence[tuple[str, list[Any]]], out: Path | None) -> None:
    text = csv_text(columns)
    if out is None:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    out = Path(out)
    with outbox(out.parent) as place:
        place(out.name).write_text(text, encoding="utf-8")
