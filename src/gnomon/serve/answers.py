"""What a model file answers to the rows of a table, and what is to be said of how they were read.

The new rows are read as the training rows were: the model holds the form of every column, its notes the options of
reading. `gnomon predict` and `gnomon serve` both answer here.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.pipeline import Pipeline

from gnomon._typing import Array, Floats, Matrix
from gnomon._words import CLUSTER, TASKS
from gnomon.decision import ConformalClassifier
from gnomon.io import ModelFileError, Table, UserError, load, notes
from gnomon.io.tables import is_missing, listed, refuse_unknown, to_text
from gnomon.report.deployment import Deployed
from gnomon.report.of_columns import OfColumns

__all__ = ["READING", "Answers", "Asked", "OpenModel", "open_model", "warnings_as_notes"]

NEEDED: dict[str, Any] = {"target": (str, type(None)), "task": str, "columns": dict, "reading": dict}
"""What the notes of a model that `learn` or `cluster` wrote hold for its answers."""
READING: dict[str, Any] = {
    "delimiter": (str, type(None)),
    "encoding": str,
    "header": (bool, type(None)),
    "missing": list,
}
"""The options of reading a file."""


class Asked(NamedTuple):
    """What is asked of a model besides its predictions.

    Examples
    --------
    >>> from gnomon.serve import Asked
    >>> Asked(threshold=0.3)
    Asked(proba=False, threshold=0.3, ids=())
    """

    proba: bool = False
    threshold: float | None = None
    ids: Sequence[str] = ()


@dataclass(frozen=True)
class Answers:
    """What a model says of each row, and which row that is.

    Parameters
    ----------
    ids : dict of str → list
        The columns that tell the rows apart.
    said : dict of str → list
        "prediction", and by the model "decision", "low" and "high", "score", or "group" and "oddness".
    sets : list of list of str, or None
        Sets of classes, where the model has them.
    classes : list of str
        The classes of `proba`.
    proba : ndarray of shape (n_rows, n_classes), or None
        Probabilities, where they were asked for.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.serve import Answers
    >>> found = Answers({"no": ["7"]}, {"prediction": ["b"]}, [["a", "b"]], ["a", "b"], np.array([[0.25, 0.75]]))
    >>> found.columns()
    [('no', ['7']), ('prediction', ['b']), ('set', ['a | b']), ('probability of a', [0.25]), ('probability of b', [0.75])]
    >>> found.rows()
    [{'prediction': 'b', 'set': ['a', 'b'], 'probabilities': {'a': 0.25, 'b': 0.75}}]
    """  # noqa: E501

    ids: dict[str, list[Any]]
    said: dict[str, list[Any]]
    sets: list[list[str]] | None = None
    classes: Sequence[str] = ()
    proba: Floats | None = None

    def columns(self) -> list[tuple[str, list[Any]]]:
        """Named columns, for a file."""
        sets = {} if self.sets is None else {"set": [" | ".join(labels) for labels in self.sets]}
        shares = {} if self.proba is None else {
            f"probability of {name}": self.proba[:, k].tolist() for k, name in enumerate(self.classes)
        }  # fmt: skip
        return [*self.ids.items(), *self.said.items(), *sets.items(), *shares.items()]

    def rows(self) -> list[dict[str, Any]]:
        """A dict for each row that JSON can hold; an end of an interval that is infinite is None."""
        found = [
            {name: _plain(value) for name, value in zip(self.said, values, strict=True)}
            for values in zip(*self.said.values(), strict=True)
        ]
        for row, labels in zip(found, self.sets or (), strict=False):
            row["set"] = labels
        if self.proba is not None:
            for row, shares in zip(found, self.proba.tolist(), strict=True):
                row["probabilities"] = dict(zip(self.classes, shares, strict=True))
        return found


def _plain(value: Any) -> Any:
    return value if value not in (np.inf, -np.inf) and value == value else None


@dataclass(frozen=True)
class OpenModel:
    """A model file that was read: the fitted pipeline, and the notes beside it.

    Parameters
    ----------
    pipeline : Pipeline
        Preparation and model.
    facts : dict
        The notes.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import numpy as np
    >>> from gnomon.io import Table
    >>> from gnomon.report import learn
    >>> from gnomon.serve import open_model
    >>> x = np.random.default_rng(0).normal(size=100)
    >>> study = learn({"x": x, "y": 2.0 * x}, "y")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     study.save(pathlib.Path(folder, "model.skops"))
    ...     model = open_model(pathlib.Path(folder, "model.skops"))
    >>> round(model.answers(Table({"x": [1.5]})).said["prediction"][0], 6)
    3.0
    >>> list(model.remarks(Table({"x": [1.5], "z": [0.0]})))
    ['columns that the model does not know are ignored: z']
    """

    pipeline: Pipeline
    facts: Mapping[str, Any]

    @property
    def task(self) -> str:
        """One of the tasks, or "cluster"."""
        return self.facts["task"]

    @property
    def classes(self) -> list[str]:
        """The classes, none where the answer is another thing than a class."""
        return self.pipeline.classes_.tolist() if self.task == "classification" else []

    @property
    def kinds(self) -> dict[str, Any]:
        """The columns that the model needs, by name."""
        return {kind.name: kind for kind in self.pipeline[0].kinds}

    @property
    def levels(self) -> dict[str, list[str]]:
        """Of each category the levels that training rows hold, of which "" is none."""
        return {name: [level for level in levels if level] for name, levels in self.pipeline[0].levels_.items()}

    def reading(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The options by which a file is read: those given, else those of the training file."""
        known = {**self.facts["reading"], **given}
        return {name: known[name] for name in READING if name in known}

    def check(self, asked: Asked) -> None:
        """Refuse what this model cannot answer."""
        if asked.proba and self.task != "classification":
            raise UserError(f"--proba is for classification; this model was made by {self._made_by}")
        if asked.threshold is None or self.task == "anomaly":
            return
        if len(self.classes) != 2:
            what = f"{len(self.classes)} classes" if self.classes else self._made_by
            raise UserError(f"--threshold is for two classes or anomalies; this model is of {what}")
        if not 0.0 <= asked.threshold <= 1.0:
            raise UserError(f"--threshold {asked.threshold:g} is no probability; give a number from 0 to 1")

    @property
    def _made_by(self) -> str:
        return "gnomon cluster" if self.task == CLUSTER else f"--task {self.task}"

    def remarks(self, table: Table, others: Sequence[str] = ()) -> Iterator[str]:
        """What the user should know of how the rows were read; an error where a needed column holds nothing.

        `others` are columns that came with the table and were left out of it.
        """
        known = {*self.facts["columns"], self.facts["target"]}
        extra = [name for name in (*table.names, *others) if name not in known]
        if extra:
            yield f"columns that the model does not know are ignored: {listed(extra)}"
        for kind in self.kinds.values():
            if kind.name in table.columns and (lost := kind.lost(table[kind.name])).any():
                yield _of_lost(kind, table[kind.name], lost)
        for name, levels in self.pipeline[0].levels_.items():
            if name in table.columns:
                yield from _strangers(name, to_text(table[name]), set(levels))

    def answers(self, table: Table, asked: Asked = Asked()) -> Answers:  # noqa: B008
        """What the model says of each row of `table`."""
        if not len(table):
            raise UserError("there are no rows to predict; give a table with one at least")
        ids = self._identifiers(table, asked.ids)
        if self.task == "anomaly":
            return Answers(ids, self._anomalies(table, asked.threshold))
        rows, last = self.pipeline[0].transform(table), self.pipeline[-1]
        if self.task == CLUSTER:
            return Answers(ids, {"group": last.predict(rows).tolist(), "oddness": last.oddness(rows).tolist()})
        shares = last.predict_proba(rows) if asked.proba or asked.threshold is not None else None
        said = last.predict(rows)
        if shares is not None and asked.threshold is not None:
            said = self.pipeline.classes_[(shares[:, 1] > asked.threshold).astype(int)]
        beyond, sets = _beyond(last, rows) if isinstance(last, Deployed) else ({}, None)
        told = {"prediction": said.tolist(), **beyond}
        return Answers(ids, told, sets, self.classes, shares if asked.proba else None)

    def _identifiers(self, table: Table, asked: Sequence[str]) -> dict[str, list[Any]]:
        """The columns that say which row is which: those that were taken for identifiers, and those asked for."""
        refuse_unknown(table, "--id", asked)
        columns = self.facts["columns"].items()
        found = [name for name, kind in columns if kind == "identifier" and name in table.columns]
        return {name: to_text(table[name]).tolist() for name in dict.fromkeys([*found, *asked])}

    def _anomalies(self, table: Table, threshold: float | None) -> dict[str, list[Any]]:
        scores = self.pipeline.score_samples(table)
        bad = self.pipeline.predict(table) == -1 if threshold is None else scores <= threshold
        return {"prediction": np.where(bad, "anomaly", "good").tolist(), "score": scores.tolist()}


def open_model(path: Path) -> OpenModel:
    """Read a model file that `gnomon learn` or `gnomon cluster` wrote; nothing in it is executed.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from sklearn.dummy import DummyRegressor
    >>> from gnomon.io import UserError, save
    >>> from gnomon.serve import open_model
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "model.skops")
    ...     save(DummyRegressor(), path)
    ...     try:
    ...         open_model(path)
    ...     except UserError as error:
    ...         print(str(error).removeprefix(str(path)))
    : this model was not made by gnomon learn or cluster; load it in Python with gnomon.io.load
    """
    facts = _facts(path)
    found = load(path)
    if not isinstance(found, Pipeline) or not isinstance(found[0], OfColumns):
        raise ModelFileError(f"{path}: the notes are of gnomon, the model is not; make the model again")
    task = _task_of(found)
    if task != facts["task"]:
        raise ModelFileError(f"{path}: the notes are of {facts['task']}, the model is of {task}; make the model again")
    return OpenModel(found, facts)


def _task_of(found: Pipeline) -> str:
    """What the model answers."""
    if hasattr(found, "classes_"):
        return "classification"
    if hasattr(found[-1], "oddness"):
        return CLUSTER
    return "anomaly" if hasattr(found[-1], "score_samples") else "regression"


@contextmanager
def warnings_as_notes() -> Iterator[list[str]]:
    """A list that holds at the end each warning once, as a sentence; for one thread at a time."""
    said: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        try:
            yield said
        finally:
            said += dict.fromkeys(str(warning.message) for warning in caught)


def _facts(path: Path) -> dict[str, Any]:
    """The notes, with everything that is needed here."""
    facts = {"reading": {}, **notes(path)}
    if "target" not in facts:
        raise UserError(
            f"{path}: this model was not made by gnomon learn or cluster; load it in Python with gnomon.io.load"
        )
    odd = [name for name, kind in NEEDED.items() if name not in facts or not isinstance(facts[name], kind)]
    options = {} if odd else facts["reading"]
    odd += [name for name, kind in READING.items() if name in options and not isinstance(options[name], kind)]
    if odd or facts["task"] not in (*TASKS, CLUSTER):
        raise ModelFileError(f"{path}: the notes are damaged ({', '.join(odd) or 'task'}); make the model again")
    return facts


def _of_lost(kind: Any, cells: Array, lost: Array) -> str:
    example = str(to_text(cells)[lost][0])
    if len(cells) == 1:
        raise UserError(
            f"{kind.name} is {example!r}, which is no {kind.kind} in the form of the training file ({kind.form}); "
            "write it so, or leave it empty where it is not known"
        )
    if is_missing(kind.read(cells)).all():
        raise UserError(
            f"the model needs {kind.name}, and none of its {len(cells)} cells is a {kind.kind} in the form "
            f"of the training file ({kind.form}), for example {example!r}; write them in that form, see that "
            "the file has the columns of the training file, or make the model again without it (--drop)"
        )
    return (
        f"{lost.sum()} of {len(cells)} cells of {kind.name} are no {kind.kind}s in the form of the training "
        f"file ({kind.form}), for example {example!r}; taken as missing"
    )


def _strangers(name: str, cells: Array, known: set[str]) -> Iterator[str]:
    new = [cell for cell in cells.tolist() if cell and cell not in known]
    if new:
        yield (
            f"{len(new)} of {len(cells)} cells of {name} hold levels that the model has never seen, taken as a rare "
            f"one: {listed(list(dict.fromkeys(new)), 5)}"
        )


def _beyond(model: Deployed, rows: Matrix) -> tuple[dict[str, list[Any]], list[list[str]] | None]:
    """The decision, and the set or the ends of the interval, where the model has them."""
    said = {} if model.costs is None else {"decision": model.decide(rows).tolist()}
    if isinstance(model.sets, ConformalClassifier):
        return said, [[str(label) for label in labels] for labels in model.sets.predict_set(rows).labels()]
    if model.sets is not None:
        low, high = model.sets.predict_interval(rows)
        said |= {"low": low.tolist(), "high": high.tolist()}
    return said, None
