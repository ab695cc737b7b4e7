"""How the forecast responds to one column: the mean over held-out rows, and single rows.

    f̄_j(v) = (1/n) Σᵢ f(xᵢ with xᵢⱼ = v),    ± 1.96 s(v)/√n                                                  (1)

the partial dependence of Friedman (2001), doi:10.1214/aos/1013203451, and the individual curves of Goldstein et al.
(2015), doi:10.1080/10618600.2014.907095. Where single curves are not parallel, the column acts together with another
one; what of their movement the mean curve does not explain is

    h_j = Σ_v Σᵢ rᵢ(v)² / Σ_v Σᵢ (fᵢ(v) − f̄ᵢ)²,    rᵢ(v) = fᵢ(v) − f̄ᵢ − f̄_j(v) + f̄,    f̄ᵢ the mean of a row's curve  (2)

Which other one it is, the rows say: with the rows in groups g of alike values of column k, r̄_g the mean in a group,

    q_jk = 1 − (n − 1)/(n − G) · Σ_v Σ_g Σ_{i in g} (rᵢ(v) − r̄_g(v))² / Σ_v Σᵢ rᵢ(v)²                          (3)

is the share of these differences that k accounts for, less what any grouping would by chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from gnomon._typing import Array, Floats, Integers
from gnomon.io import Table
from gnomon.io.tables import as_float, is_missing, to_text
from gnomon.report._budget import Budget, times_within
from gnomon.report._kinds import ColumnKind
from gnomon.report.scores import forecast

__all__ = ["Partner", "Response", "responses"]

MOST_RESPONSES, MOST_ROWS, MOST_VALUES, MOST_LEVELS = 6, 200, 15, 12
NORMAL_95 = 1.96
ROUNDING = 1e-12
SHARE_OF_TIME = 0.3
MUCH_TOGETHER = 0.3
"""Of the movement of single curves, what the mean curve may leave unexplained."""
GROUPS, FEWEST_OF_A_GROUP = 5, 5
LEAST_OF_PARTNER = 0.2


class Partner(NamedTuple):
    """Another column, and the share (3) that it accounts for."""

    name: str
    share: float


@dataclass(frozen=True)
class Response:
    """Equation (1) of one column.

    `values` are numbers in order, dates as days, or levels in the order of their rows; `of` says whose probability it
    is, or which number; `curves` has a row for each held-out row; `together` is (2), and where that is much `partner`
    the column of most (3), if any accounts for much.
    """

    name: str
    kind: str
    values: Array
    curves: Floats
    of: str
    partner: Partner | None = None

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
        moves = _movements(self.curves)
        spread = float(np.sum(moves**2))
        moving = spread > self.curves.size * (ROUNDING * float(np.max(np.abs(self.curves)))) ** 2
        return float(np.sum((moves - np.mean(moves, axis=0)) ** 2)) / spread if moving else 0.0

    @property
    def depends(self) -> bool:
        """Whether what the column does depends on others."""
        return self.together > MUCH_TOGETHER


def _movements(curves: Floats) -> Floats:
    """fᵢ(v) − f̄ᵢ."""
    return curves - np.mean(curves, axis=1, keepdims=True)


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
    forecast(model, shown, classes)
    many = times_within(SHARE_OF_TIME * budget.left, (budget.spent - before) * MOST_VALUES, MOST_RESPONSES)
    able = [kind for kind in kinds if kind.kind != "text"][:MOST_RESPONSES]
    if many < len(able):
        budget.miss("how the forecast responds to further columns")
    asked = able[:many]
    found = []
    for kind in asked:
        values = _values(table[kind.name][rows], kind)
        if len(values) > 1:
            tables = (shown.replace(kind.name, _filled(shown, kind, v)) for v in values)
            said = np.stack([forecast(model, one, classes).shares for one in tables])
            k = _most_moved(said)
            of, curves = f"probability of “{classes[k]}”" if classes else target, said[:, :, k].T
            one = Response(kind.name, kind.kind, _axis(values, kind), curves, of)
            others = [other for other in kinds if other is not kind]
            found.append(replace(one, partner=_partner(curves, others, shown)) if one.depends else one)
    return found


def _partner(curves: Floats, others: Sequence[ColumnKind], shown: Table) -> Partner | None:
    """The column of most (3), where that is much."""
    moves = _movements(curves)
    apart = moves - np.mean(moves, axis=0)
    shares = [
        Partner(kind.name, _accounted_for(apart, _groups(shown[kind.name], kind)))
        for kind in others
        if kind.kind != "text"
    ]
    best = max(shares, key=lambda one: one.share, default=None)
    return best if best and best.share >= LEAST_OF_PARTNER else None


def _accounted_for(apart: Floats, groups: Integers) -> float:
    """(3)."""
    n, sizes = len(apart), np.bincount(groups)
    means = np.stack([np.bincount(groups, column) for column in apart.T], axis=1) / sizes[:, None]
    total = float(np.sum(apart**2))
    if total == 0.0 or not 1 < len(sizes) < n:
        return 0.0
    return 1.0 - (n - 1) / (n - len(sizes)) * float(np.sum((apart - means[groups]) ** 2)) / total


def _groups(cells: Array, kind: ColumnKind) -> Integers:
    """Rows of a level, of a fifth of the numbers, or without a value; levels of few rows together."""
    gaps = is_missing(cells)
    if kind.kind == "category":
        codes = np.unique(to_text(cells), return_inverse=True)[1]
    else:
        numbers = as_float(cells)
        inner = np.linspace(0.0, 1.0, GROUPS + 1)[1:-1]
        ends = np.quantile(numbers[~gaps], inner) if not gaps.all() else np.empty(0)
        codes = np.where(gaps, GROUPS, np.searchsorted(ends, numbers))
    few = np.bincount(codes)[codes] < FEWEST_OF_A_GROUP
    return np.unique(np.where(few, -1, codes), return_inverse=True)[1]


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


def _most_moved(said: Floats) -> int:
    """Of two classes the second, as elsewhere; of more that whose mean probability moves most."""
    if said.shape[2] == 2:
        return 1
    return int(np.argmax(np.ptp(np.mean(said, axis=1), axis=0)))


def _axis(values: Array, kind: ColumnKind) -> Array:
    return to_text(values) if kind.kind == "category" else as_float(values)
