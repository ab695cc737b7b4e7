"""A study in small: every candidate is fitted once, to a narrow and to a wide table, so that its kernels are compiled;
and a search for anomalies and for groups.

What kernels a study needs depends on the types that preparation gives (dense, sparse, words; labels as text). Taking
the same way as a study leaves out none of them. Larger sizes are left to the jobs that families register.
"""

from __future__ import annotations

import warnings

import numpy as np

from gnomon._registry import discover
from gnomon._typing import Array
from gnomon._words import CLUSTER_METHODS
from gnomon.io import Table
from gnomon.report._anomalies import find_anomalies
from gnomon.report._clusters import find_clusters
from gnomon.report._entrants import entrants
from gnomon.report._kinds import infer_kinds
from gnomon.report._target import read_target
from gnomon.report._trials import build
from gnomon.report.prepare import Preparer
from gnomon.report.scores import forecast

__all__ = ["REHEARSALS"]

ROWS, WORDS = 300, 400
LABELS = np.array(["low", "middle", "high"])


def _table(*, wide: bool) -> tuple[dict[str, Array], Array]:
    """Numbers with gaps, a category and perhaps texts; and a score for targets to be made of."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(ROWS, 3))
    columns: dict[str, Array] = {"a": x[:, 0], "b": np.where(rng.random(ROWS) < 0.05, np.nan, x[:, 1]), "c": x[:, 2]}
    columns["level"] = np.array(["red", "green", "blue", "grey"])[rng.integers(0, 4, ROWS)]
    if wide:
        columns["text"] = np.array([" ".join(f"w{k}" for k in rng.integers(0, WORDS, 8)) for _ in range(ROWS)])
    return columns, x[:, 0] + 0.5 * rng.normal(size=ROWS)


def _classes(count: int) -> None:
    for wide in (False, True):
        columns, score = _table(wide=wide)
        _fit_all(columns, LABELS[np.digitize(score, np.linspace(-0.5, 0.5, count - 1))])


def _numbers() -> None:
    for wide in (False, True):
        _fit_all(*_table(wide=wide))


def _fit_all(columns: dict[str, Array], y: Array) -> None:
    discover()
    table = Table({**columns, "target": y})
    target = read_target(table, "target")
    used = tuple(infer_kinds(table, [*columns]).values())
    for candidate, facts, levels, _ in entrants(used, target, table, target.y):
        rows = Preparer(used, levels).fit(table, target.y).transform(table)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            forecast(build(candidate, facts, 0).fit(rows, target.y), rows, target.classes)


def _anomalies() -> None:
    columns, score = _table(wide=False)
    find_anomalies(columns)
    find_anomalies({**columns, "target": np.where(score > 2.0, "bad", "good")}, "target")


def _clusters() -> None:
    """Groups that are there, so that every step is taken; by every method."""
    columns, _ = _table(wide=False)
    apart = np.repeat([0.0, 9.0], ROWS // 2)
    for method in CLUSTER_METHODS:
        find_clusters({**columns, "d": columns["a"] + apart, "e": columns["c"] + apart}, method=method)


REHEARSALS = {
    "cluster": _clusters,
    "learn: numbers": _numbers,
    "learn: two classes": lambda: _classes(2),
    "learn: three classes": lambda: _classes(3),
    "learn: anomalies": _anomalies,
}
