"""Why a model answers as it does to one row: each column in turn is put to its typical cell, the others stay.

    φⱼ = f(x) − f(x with xⱼ := typicalⱼ)                                                                          (1)

f is the probability of the class that was answered, the number, the score of anomalies, or the oddness in a group.
Robnik-Šikonja & Kononenko (2008), doi:10.1109/TKDE.2007.190734. One column at a time: of columns that act together it
shows what each does while the others stand, and the φⱼ need not add up.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gnomon._typing import Floats
from gnomon.io import Table
from gnomon.io.tables import to_text
from gnomon.serve.answers import Answers, Asked, OpenModel

__all__ = ["Effect", "Reasons", "explain"]

SMALL = 1e-9
"""Of the largest answer; what is smaller may be rounding."""


@dataclass(frozen=True)
class Effect:
    """One column: its cell, the typical one, φⱼ of (1), and the answer with the typical cell."""

    name: str
    cell: str
    typical: str
    change: float
    answer: str


@dataclass(frozen=True)
class Reasons:
    """What f is, its value, the effects of columns from the greatest on, and how many columns do nothing here."""

    what: str
    value: float
    effects: list[Effect]
    n_without: int


def explain(model: OpenModel, row: Table, typical: Mapping[str, str], asked: Asked) -> Reasons:
    """Equation (1) for every column of the one row."""
    cells = {name: str(to_text(row[name])[0]) for name in model.kinds}
    # In the other columns (1) is 0.
    names = [name for name, cell in cells.items() if cell != typical[name]]
    varied = {name: [cell] * (len(names) + 1) for name, cell in cells.items()}
    for j, name in enumerate(names, 1):
        varied[name][j] = typical[name]
    answers = model.answers(Table(varied, decimal=row.decimal), asked._replace(proba=model.task == "classification"))
    what, values = _score(model, answers)
    changes = values[0] - values[1:]
    strong = np.abs(changes) > SMALL * np.abs(values).max()
    order = [j for j in np.argsort(-np.abs(changes), kind="stable").tolist() if strong[j]]
    said = _answers_as_text(answers)
    found = [Effect(names[j], cells[names[j]], typical[names[j]], float(changes[j]), said[j + 1]) for j in order]
    return Reasons(what, float(values[0]), found, len(cells) - len(found))


def _score(model: OpenModel, answers: Answers) -> tuple[str, Floats]:
    """f of (1) in words, and for each row."""
    if answers.proba is not None:
        named = answers.said["prediction"][0]
        return f"the probability of {named}", answers.proba[:, list(model.classes).index(named)]
    words = {"anomaly": ("the score", "score"), "cluster": ("the oddness", "oddness")}
    what, name = words.get(model.task, (f"the predicted {model.facts['target']}", "prediction"))
    return what, np.asarray(answers.said[name], dtype=np.float64)


def _answers_as_text(answers: Answers) -> list[str]:
    """The answer to each row in a few words: the decision where there is one."""
    said: dict[str, list[Any]] = answers.said
    name = next(name for name in ("decision", "group", "prediction") if name in said)
    return [f"{value:.4g}" if isinstance(value, float) else str(value) for value in said[name]]
