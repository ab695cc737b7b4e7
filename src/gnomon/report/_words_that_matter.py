"""The words of text columns that move the forecast most: held-out rows that hold a word are asked again without it.

    effect of w = mean over held-out rows with w of f(x) − f(x without w)                                        (1)

f is the probability of a class (of two, the second; of more, the one that w moves most), or the number; the words are
taken out by `gnomon.report.words`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.pipeline import Pipeline

from gnomon._typing import Array, Floats
from gnomon.io import Table
from gnomon.io.tables import to_text
from gnomon.report._budget import Budget
from gnomon.report._kinds import ColumnKind
from gnomon.report.scores import forecast
from gnomon.report.words import distinct_words, without_word

__all__ = ["WordEffect", "word_effects"]

MOST_ROWS, MOST_WORDS, ROWS_OF_A_WORD = 2_000, 100, 30
FEWEST_ROWS = 5
MOST_SHOWN = 12
SHARE_OF_TIME = 0.1
SURELY = 2.0
"""Standard errors that an effect must be away from zero."""


@dataclass(frozen=True)
class WordEffect:
    """Equation (1) of one word: its column, the rows it was left out of, the class it moves, mean and error."""

    column: str
    word: str
    rows: int
    of: str
    effect: float
    error: float


def word_effects(
    model: Pipeline, table: Table, kinds: Sequence[ColumnKind], classes: tuple[str, ...], seed: int, budget: Budget
) -> list[WordEffect]:
    """The words of surest large effect in the held-out rows `table`, the largest first; fewer where time is short.

    `kinds` are the columns of text.
    """
    if not kinds:
        return []
    rows = np.sort(np.random.default_rng(seed).permutation(len(table))[:MOST_ROWS])
    some = table.take(rows)
    before, start = budget.spent, forecast(model, some, classes).shares
    each, end = (budget.spent - before) / max(len(rows), 1), budget.spent + SHARE_OF_TIME * budget.left
    found = []
    for name in (kind.name for kind in kinds):
        cells = to_text(some[name]).tolist()
        for word, holding in _telling(cells, start):
            if budget.spent + each * len(holding) > end:
                budget.miss("further words of texts")
                break
            found.append(_effect(model, some, start, name, word, holding, cells, classes))
    sure = [one for one in found if abs(one.effect) > SURELY * one.error and one.effect]
    return sorted(sure, key=lambda one: -abs(one.effect))[:MOST_SHOWN]


def _telling(cells: Sequence[str], said: Floats) -> list[tuple[str, list[int]]]:
    """The words whose rows are forecast most unlike the others, for their number, and some rows that hold each.

    Words of few rows and of nearly all are left out; that a word tells something here may be due to its company.
    """
    rows: defaultdict[str, list[int]] = defaultdict(list)
    for i, cell in enumerate(cells):
        for word in distinct_words(cell):
            rows[word].append(i)
    apart = {
        word: float(np.max(np.abs(np.mean(said[holding] - said.mean(axis=0), axis=0)))) * np.sqrt(len(holding))
        for word, holding in rows.items()
        if FEWEST_ROWS <= len(holding) < 0.9 * len(cells)
    }
    first = sorted(apart, key=lambda word: (-apart[word], word))[:MOST_WORDS]
    return [(word, rows[word][:ROWS_OF_A_WORD]) for word in first]


def _effect(
    model: Pipeline,
    table: Table,
    start: Floats,
    name: str,
    word: str,
    holding: list[int],
    cells: Sequence[str],
    classes: tuple[str, ...],
) -> WordEffect:
    erased: Array = np.array([without_word(cells[i], word) for i in holding], dtype=np.dtypes.StringDType())
    moved = start[holding] - forecast(model, table.take(holding).replace(name, erased), classes).shares
    k = 1 if len(classes) == 2 else int(np.argmax(np.abs(moved.mean(axis=0))))
    error = float(moved[:, k].std(ddof=1) / np.sqrt(len(holding)))
    return WordEffect(name, word, len(holding), classes[k] if classes else "", float(moved[:, k].mean()), error)
