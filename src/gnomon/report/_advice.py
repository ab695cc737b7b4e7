"""Whether rows belong together or follow each other in time, so that a random split would flatter the scores.

grouped    at least ten different values that repeat, two rows each on average, whose rows are alike: in another column
           if it is called an identifier, else in half of the others and nearly the same
in order   a column of dates, or of numbers that are called a time, that grows (or falls) from row to row

Rows of a group are alike in a column by its intraclass correlation, with k the rows of a group in the mean,

    r = (B − W)/(B + (k − 1) W),    B, W the mean squares between and within groups                          (1)

where B/W is larger than chance makes it. Kaufman et al. (2012), Leakage in data mining, doi:10.1145/2382577.2382579;
Shrout & Fleiss (1979), Intraclass correlations, doi:10.1037/0033-2909.86.2.420.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy.stats import f as f_law

from gnomon._typing import Array, Floats, Integers
from gnomon.io import Table
from gnomon.io.tables import as_float, is_missing, listed, to_text
from gnomon.report._findings import Finding
from gnomon.report._kinds import ColumnKind

__all__ = ["check_arrangement", "is_called_identifier", "is_ordered", "likeness", "repeats"]

LEAST_GROUPS = 10
LEAST_ROWS_OF_A_GROUP = 2.0
IN_ORDER = 0.99
ALIKE, NEARLY_THE_SAME = 0.3, 0.9
CHANCE = 1e-4
"""The probability, at most, with which chance makes rows of a group so alike."""

_END, _START = r"(?:$|[_\W\d])", r"(?:^|[_\W])"
_IDENTIFIER = re.compile(
    _START + r"(id|ids|uuid|guid|key|nr|no|patient|subject|person|participant|user|customer|client|household|family|"
    r"member|employee|driver|speaker|author|animal|session|device|machine|engine|vehicle|account)" + _END,
    re.IGNORECASE,
)
_TIME = re.compile(_START + r"(date|datetime|time|timestamp|year|month|week|day|hour|epoch)" + _END, re.IGNORECASE)


class Likeness(NamedTuple):
    """A column that may name groups, and (1) of each other column in which its rows are alike, greatest first."""

    name: str
    alike: dict[str, float]


def check_arrangement(table: Table, kinds: Sequence[ColumnKind], y: Array | None = None) -> list[Finding]:
    """Advice on --group and --time; none where one of them is given. `y` is the target, which may be alike too."""
    if any(kind.reason == "role" for kind in kinds):
        return []
    found = []
    grouped = sorted(_groups(table, kinds, y), key=lambda one: not is_called_identifier(one.name))
    if grouped:
        (name, alike), *others = grouped
        column, r = next(iter(alike.items()))
        more = f", and much of that of {len(alike) - 1} more" if len(alike) > 1 else ""
        also = f" (so do {listed([one.name for one in others])})" if others else ""
        text = (
            f"The values of {name} repeat{also}, and rows that share one are alike: {r:.0%} of the variance of "
            f"{column} lies between the values of {name}{more}. If the model is meant for others "
            f"than these, give --group {name}: until then rows of one {name} are on both sides of the split, and the "
            "scores may be too good."
        )
        found.append(Finding("warning", "Rows may belong together", text))
    ordered = [k.name for k in kinds if _tells_time(k) and is_ordered(_moments(k, table[k.name]))]
    if ordered:
        text = (
            f"The rows are in the order of {listed(ordered)}. If the model is to predict later rows, give --time "
            f"{ordered[0]}, so that the past predicts the future: a random split lets it look ahead."
        )
        found.append(Finding("warning", "Rows in order of time", text))
    return found


def _groups(table: Table, kinds: Sequence[ColumnKind], y: Array | None) -> Iterator[Likeness]:
    """The columns that name groups of rows that are alike."""
    named = [kind for kind in kinds if repeats(kind, table[kind.name])]
    if not named:
        return
    measured = {kind.name: _as_measured(kind, table[kind.name]) for kind in kinds if kind.kind in _MEASURED}
    measured |= {} if y is None else {"the target": _as_measured_target(y)}
    for kind in named:
        others = {name: values for name, values in measured.items() if name != kind.name}
        codes = np.unique(to_text(table[kind.name]), return_inverse=True)[1]
        alike = {name: r for name, values in others.items() if (r := likeness(codes, values)) >= ALIKE}
        nearly = sum(r >= NEARLY_THE_SAME for r in alike.values())
        if (alike and is_called_identifier(kind.name)) or nearly > max(len(others) / 2, 1):
            yield Likeness(kind.name, dict(sorted(alike.items(), key=lambda item: -item[1])))


def likeness(groups: Integers, values: Floats) -> float:
    """(1) where it is no chance, else 0; rows without a value are passed over.

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.report._advice import likeness
    >>> round(likeness(np.repeat(np.arange(20), 3), np.repeat(np.arange(20.0), 3) + np.tile([0.0, 1.0, 2.0], 20)), 2)
    0.97
    >>> likeness(np.arange(60) % 20, np.sin(np.arange(60.0) ** 2))
    0.0
    """
    there = ~np.isnan(values)
    values, codes = values[there], np.unique(groups[there], return_inverse=True)[1]
    size = np.bincount(codes)
    between, within = len(size) - 1, len(values) - len(size)
    if between < 1 or within < 1 or np.ptp(values) == 0.0:
        return 0.0
    # In units of the largest no square overflows or vanishes.
    values = values / np.max(np.abs(values))
    means = np.bincount(codes, values - values.mean()) / size
    B = float(np.sum(size * means**2)) / between
    W = float(np.sum((values - values.mean() - means[codes]) ** 2)) / within
    if W > 0.0 and f_law.sf(B / W, between, within) > CHANCE:
        return 0.0
    return float((B - W) / (B + (len(values) / len(size) - 1.0) * W))


_MEASURED = ("number", "date", "category")


def _as_measured(kind: ColumnKind, values: Array) -> Floats:
    """Numbers and dates as they are; of levels, whether it is the most frequent."""
    return _most_frequent(to_text(values)) if kind.kind == "category" else as_float(kind.read(values))


def _as_measured_target(y: Array) -> Floats:
    return y.astype(float) if y.dtype.kind in "fiu" else _most_frequent(y)


def _most_frequent(values: Array) -> Floats:
    _, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (codes == np.argmax(counts)).astype(float)


def is_called_identifier(name: str) -> bool:
    """Whether a name is that of an identifier, or of what people and machines are called by."""
    return _IDENTIFIER.search(name) is not None


def repeats(kind: ColumnKind, values: Array) -> bool:
    """Whether the values of a column can be those of groups: whole numbers or words, several, each with a few rows."""
    there = values[~is_missing(values)]
    if kind.kind not in ("number", "category"):
        return False
    numbers = as_float(there)
    if kind.kind == "number" and not np.all(numbers == np.round(numbers)):
        return False
    distinct = len(set(to_text(there).tolist()))
    return distinct >= LEAST_GROUPS and len(there) >= LEAST_ROWS_OF_A_GROUP * distinct


def _tells_time(kind: ColumnKind) -> bool:
    return kind.kind == "date" or (kind.kind == "number" and _TIME.search(kind.name) is not None)


def _moments(kind: ColumnKind, values: Array) -> Floats:
    return as_float(kind.read(values))


def is_ordered(moments: Floats) -> bool:
    """Whether values grow, or fall, in nearly all steps that are not level; missing ones are passed over."""
    steps = np.diff(moments[~np.isnan(moments)])
    steps = steps[steps != 0.0]
    return len(steps) >= LEAST_GROUPS and bool(abs(np.mean(np.sign(steps))) >= 2.0 * IN_ORDER - 1.0)
