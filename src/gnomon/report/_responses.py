"""How the forecast answers to one column: the mean over held-out rows, and single rows.

    f̄_j(v) = (1/n) Σᵢ f(xᵢ with xᵢⱼ = v),    ± 1.96 s(v)/√n                                                  (1)

the partial dependence of Friedman (2001), doi:10.1214/aos/1013203451, and the individual curves of Goldstein et al.
(2015), doi:10.1080/10618600.2014.907095. Where single curves are not parallel, the column acts together with another
one; what of their movement the mean curve does not explain is

    h_j = Σ_v Σᵢ (fᵢ(v) − f̄ᵢ − f̄_j(v) + f̄)² / Σ_v Σᵢ (fᵢ(v) − f̄ᵢ)²,    f̄ᵢ the mean of a row's curve           (2)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gnomon._typing import Array, Floats, Integers
from gnomon.io import Table
from gnomon.io.tables import as_float, is_missing, to_text
from gnomon.report._budget import Budget, times_within
from gnomon.report._kinds import ColumnKind
from gnomon.report.scores import forecast

__all__ = ["Response", "responses"]

MOST_RESPONSES, MOST_ROWS, MOST_VALUES, MOST_LEVELS = 6, 200, 15, 12
NORMAL_95 = 1.96
ROUNDING = 1e-12
SHARE_OF_TIME = 0.3


@dataclass(frozen=True)
class Response:
    """Equation (1) of one column.

    `values` are numbers in order, dates as days, or levels in the order of their rows; `of` says whose probability it
    is, or which number; `curves` has a row for each held-out row; `together` is (2).
    """

    name: str
    kind: str
    values: Array
    curves: Floats
    of: str

    @property
    def mean(self) -> Floats:
        """(1)."""
        return np.mean(self.curves, axis=0)

    @property
    def error(self) -> Floats:
        """Half the width of the interval of (1)."""
        n = len(self.curves)
        return NORMAL_95 * np.std(self.curves, axis=0, ddof=min(1, n - 1)) / np.sqrt(n)

    @property
    def together(self) -> float:
        """(2); 0 where no curve moves by more than rounding."""
        moves = self.curves - np.mean(self.curves, axis=1, keepdims=True)
        spread = float(np.sum(moves**2))
        moving = spread > self.curves.size * (ROUNDING * float(np.max(np.abs(self.curves)))) ** 2
        return float(np.sum((moves - np.mean(moves, axis=0)) ** 2)) / spread if moving else 0.0


def responses(
    model: Any,
    table: Table,
    rows: Integers,
    kinds: Sequence[ColumnKind],
    classes: tuple[str, ...],
    target: str,
    seed: int,
    budget: Budget,
) -> list[Response]:
    """The responses to the first of these columns, over held-out rows, as the time allows; free texts have none."""
    some = np.sort(np.random.default_rng(seed).permutation(rows)[:MOST_ROWS])
    shown = table.take(some)
    before = budget.spent
    _said(model, shown, classes)
    many = times_within(SHARE_OF_TIME * budget.left, (budget.spent - before) * MOST_VALUES, MOST_RESPONSES)
    asked = [kind for kind in kinds if kind.kind != "text"][:many]
    found = []
    for kind in asked:
        values = _values(table[kind.name][rows], kind)
        if len(values) > 1:
            said = np.stack([_said(model, shown.replace(kind.name, _filled(shown, kind, v)), classes) for v in values])
            k = _most_moved(said)
            of = f"probability of {classes[k]}" if classes else target
            found.append(Response(kind.name, kind.kind, _axis(values, kind), said[:, :, k].T, of))
    return found


def _values(cells: Array, kind: ColumnKind) -> Array:
    """Where the column is looked at: quantiles of numbers and dates, the most frequent levels."""
    there = cells[~is_missing(cells)]
    if not len(there):
        return there
    if kind.kind == "category":
        levels, counts = np.unique(there, return_counts=True)
        return levels[np.argsort(-counts, kind="stable")[:MOST_LEVELS]]
    ordered = np.sort(there)
    places = np.unique(np.round(np.linspace(0.02, 0.98, MOST_VALUES) * (len(ordered) - 1)).astype(int))
    return np.unique(ordered[places])


def _filled(shown: Table, kind: ColumnKind, value: Any) -> Array:
    return np.full(len(shown), value, dtype=shown[kind.name].dtype)


def _said(model: Any, rows: Table, classes: tuple[str, ...]) -> Floats:
    """Probabilities of all classes, or one number, of each row."""
    f = forecast(model, rows, classes)
    return f.proba if f.proba is not None else f.predicted[:, None]


def _most_moved(said: Floats) -> int:
    """Of two classes the second, as elsewhere; of more that whose mean probability moves most."""
    if said.shape[2] == 2:
        return 1
    return int(np.argmax(np.ptp(np.mean(said, axis=1), axis=0)))


def _axis(values: Array, kind: ColumnKind) -> Array:
    return to_text(values) if kind.kind == "category" else as_float(values)
