"""Why a model answers as it does to one row: each column in turn is put to its typical cell, the others stay.

    φⱼ = f(x) − f(x with xⱼ := typicalⱼ)                                                                          (1)

f is the probability of the class that was answered, the number, the score of anomalies, or the oddness in a group. Of a
text each word is left out in turn, too. Robnik-Šikonja & Kononenko (2008), doi:10.1109/TKDE.2007.190734. One column at
a time: of columns that act together it shows what each does while the others stand, and the φⱼ need not add up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gnomon._typing import Floats
from gnomon.io import Table
from gnomon.io.tables import to_text
from gnomon.report.words import distinct_words, without_word
from gnomon.serve.answers import Answers, Asked, OpenModel

__all__ = ["Effect", "Reasons", "explain"]

SMALL = 1e-9
"""Of the largest answer; what is smaller may be rounding."""
MOST_WORDS = 100
"""The first ones of a text."""
LEFT_OUT = "left out"


class Change(NamedTuple):
    """One column in words, what it holds, and what it is put to; `text` is its cell then."""

    name: str
    cell: str
    typical: str
    column: str
    text: str


@dataclass(frozen=True)
class Effect:
    """One column, or a word of it: its cell, the typical one, φⱼ of (1), and the answer with the typical cell."""

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
    """Equation (1) for every column of the one row, and the words of texts."""
    cells = {name: str(to_text(row[name])[0]) for name in model.kinds}
    tried = list(_changes(model, cells, typical))
    varied = {name: [cell] * (len(tried) + 1) for name, cell in cells.items()}
    for j, change in enumerate(tried, 1):
        varied[change.column][j] = change.text
    answers = model.answers(Table(varied, decimal=row.decimal), asked._replace(proba=model.task == "classification"))
    what, values = _score(model, answers)
    changes = values[0] - values[1:]
    strong = np.abs(changes) > SMALL * np.abs(values).max()
    order = [j for j in np.argsort(-np.abs(changes), kind="stable").tolist() if strong[j]]
    said = _answers_as_text(answers)
    named = [(tried[j], float(changes[j]), said[j + 1]) for j in order]
    found = [Effect(change.name, change.cell, change.typical, effect, answer) for change, effect, answer in named]
    return Reasons(what, float(values[0]), found, len(cells) - len({change.column for change, _, _ in named}))


def _changes(model: OpenModel, cells: Mapping[str, str], typical: Mapping[str, str]) -> Iterator[Change]:
    """The typical cell in columns that have another one (elsewhere (1) is 0), and texts without each of their words."""
    for name, cell in cells.items():
        if cell != typical[name]:
            yield Change(name, cell, typical[name], name, typical[name])
        if model.kinds[name].kind == "text":
            for word in distinct_words(cell)[:MOST_WORDS]:
                yield Change(f"{name}: {word}", word, LEFT_OUT, name, without_word(cell, word))


def _score(model: OpenModel, answers: Answers) -> tuple[str, Floats]:
    """f of (1) in words, and for each row."""
    if answers.proba is not None:
        named = answers.said["prediction"][0]
        return f"the probability of “{named}”", answers.proba[:, list(model.classes).index(named)]
    words = {"anomaly": ("the score", "score"), "cluster": ("the oddness", "oddness")}
    what, name = words.get(model.task, (f"the predicted {model.facts['target']}", "prediction"))
    return what, np.asarray(answers.said[name], dtype=np.float64)


def _answers_as_text(answers: Answers) -> list[str]:
    """The answer to each row in a few words: the decision where there is one."""
    said: dict[str, list[Any]] = answers.said
    name = next(name for name in ("decision", "group", "prediction") if name in said)
    return [f"{value:.4g}" if isinstance(value, float) else str(value) for value in said[name]]
