"""The held-out rows one by one: scores of each class, and the rows to look at.

    precision = TP/(TP + FP),    recall = TP/(TP + FN),    F1 = 2TP/(2TP + FP + FN)                              (1)

Intervals of shares are Wilson's (1927), doi:10.1080/01621459.1927.10502953. A classifier is least sure where the two
largest probabilities are closest: Settles (2009), section 3.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gnomon._typing import Array, Floats, Integers
from gnomon.decision import confidence
from gnomon.io import Table
from gnomon.io.tables import to_text
from gnomon.numerics.estimates import share_interval
from gnomon.report._judge import Judgement
from gnomon.report.scores import rounded

__all__ = ["ClassScore", "HeldOutCase", "scores_by_class", "unsure_cases", "worst_cases"]

MOST_CASES = 10
MOST_COLUMNS = 4
LONG, MIDNIGHT = 10, "T00:00:00"


@dataclass(frozen=True)
class ClassScore:
    """One class among the held-out rows: how many rows, and the scores (1) with 95 % intervals of the shares."""

    name: str
    rows: int
    precision: float
    precision_interval: tuple[float, float]
    recall: float
    recall_interval: tuple[float, float]
    f1: float


@dataclass(frozen=True)
class HeldOutCase:
    """One held-out row: its number in the file (from 1), truth, prediction, what is notable, and some of its cells."""

    row: int
    truth: str
    said: str
    measure: str
    cells: tuple[tuple[str, str], ...]


def scores_by_class(judgement: Judgement, classes: Sequence[str]) -> list[ClassScore]:
    """Equation (1) for every class; nothing for numbers."""
    return [_scores_of(name, judgement.y == name, judgement.forecast.predicted == name) for name in classes]


def _scores_of(name: str, true: Array, called: Array) -> ClassScore:
    hits, calls, rows = (int(np.sum(part)) for part in (true & called, called, true))
    return ClassScore(
        name=name,
        rows=rows,
        precision=hits / calls if calls else np.nan,
        precision_interval=_interval(hits, calls),
        recall=hits / rows if rows else np.nan,
        recall_interval=_interval(hits, rows),
        f1=2 * hits / (calls + rows) if calls + rows else np.nan,
    )


def _interval(k: int, n: int) -> tuple[float, float]:
    low, high = share_interval(k, n)
    return float(low), float(high)


def worst_cases(judgement: Judgement, table: Table, numbers: Integers, columns: Sequence[str]) -> list[HeldOutCase]:
    """The held-out rows of largest loss: least probable truths, or largest residuals.

    `table` holds the held-out rows, `numbers` where they stand in the file, `columns` are those of interest.
    """
    f = judgement.forecast
    if f.proba is None or f.classes is None:
        error = judgement.y - f.predicted
        order = np.argsort(-np.abs(error), kind="stable")[:MOST_CASES]
        return _cases(judgement, table, numbers, columns, order, [f"{rounded(e)} off" for e in error[order]])
    of_truth = f.proba[np.arange(len(judgement.y)), np.searchsorted(f.classes, judgement.y)]
    wrong = np.flatnonzero(f.predicted != judgement.y)
    order = wrong[np.argsort(of_truth[wrong], kind="stable")[:MOST_CASES]]
    return _cases(judgement, table, numbers, columns, order, [f"P(truth) = {p:.3f}" for p in of_truth[order]])


def unsure_cases(judgement: Judgement, table: Table, numbers: Integers, columns: Sequence[str]) -> list[HeldOutCase]:
    """The held-out rows whose two most probable classes are closest; nothing for numbers."""
    proba: Floats | None = judgement.forecast.proba
    if proba is None:
        return []
    order = np.argsort(confidence(proba), kind="stable")[:MOST_CASES]
    top = np.sort(proba[order], axis=1)[:, :-3:-1]
    return _cases(judgement, table, numbers, columns, order, [f"{a:.3f} against {b:.3f}" for a, b in top])


def _cases(
    judgement: Judgement, table: Table, numbers: Integers, columns: Sequence[str], order: Integers, notes: Sequence[str]
) -> list[HeldOutCase]:
    shown = {name: _readable(table[name]) for name in columns[:MOST_COLUMNS]}
    truth, said = judgement.y, judgement.forecast.predicted
    return [
        HeldOutCase(
            row=int(numbers[i]) + 1,
            truth=_text(truth[i]),
            said=_text(said[i]),
            measure=note,
            cells=tuple((name, values[i]) for name, values in shown.items()),
        )
        for i, note in zip(order.tolist(), notes, strict=True)
    ]


def _readable(values: Array) -> list[str]:
    """Cells as text; of dates without a time the day, and of numbers with many digits seven."""
    cells: list[str] = to_text(values).tolist()
    if values.dtype.kind == "M":
        return [cell.removesuffix(MIDNIGHT) for cell in cells]
    if values.dtype.kind != "f":
        return cells
    return [f"{v:.7g}" if len(cell) > LONG else cell for v, cell in zip(values.tolist(), cells, strict=True)]


def _text(value: object) -> str:
    return rounded(value) if isinstance(value, float) else str(value)
