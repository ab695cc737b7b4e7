"""Whether rows belong together or follow each other in time, so that a random split would flatter the scores.

grouped    at least ten different values that repeat, two rows each on average, in a column that is called an identifier
in order   a column of dates, or of numbers that are called a time, that grows (or falls) from row to row

Kaufman et al. (2012), Leakage in data mining, doi:10.1145/2382577.2382579.
"""

import re
from collections.abc import Sequence

import numpy as np

from gnomon._typing import Array, Floats
from gnomon.io import Table
from gnomon.io.tables import as_float, is_missing, listed, to_text
from gnomon.report._findings import Finding
from gnomon.report._kinds import ColumnKind

__all__ = ["check_arrangement", "is_called_identifier", "is_ordered", "repeats"]

LEAST_GROUPS = 10
LEAST_ROWS_OF_A_GROUP = 2.0
IN_ORDER = 0.99

_END, _START = r"(?:$|[_\W\d])", r"(?:^|[_\W])"
_IDENTIFIER = re.compile(
    _START + r"(id|ids|uuid|guid|key|nr|no|patient|subject|person|participant|user|customer|client|household|family|"
    r"member|employee|driver|speaker|author|animal|session|device|machine|engine|vehicle|account)" + _END,
    re.IGNORECASE,
)
_TIME = re.compile(_START + r"(date|datetime|time|timestamp|year|month|week|day|hour|epoch)" + _END, re.IGNORECASE)


def check_arrangement(table: Table, kinds: Sequence[ColumnKind]) -> list[Finding]:
    """Advice on --group and --time; none where one of them is given."""
    if any(kind.reason == "role" for kind in kinds):
        return []
    found = []
    grouped = [k.name for k in kinds if is_called_identifier(k.name) and repeats(k, table[k.name])]
    if grouped:
        text = (
            f"The values of {listed(grouped)} repeat. If rows that share one belong together (one person, machine or "
            f"place) and the model shall serve others, give --group {grouped[0]}: until then rows of one "
            f"{grouped[0]} are on both sides of the split, and the scores may be too good."
        )
        found.append(Finding("warning", "Rows may belong together", text))
    ordered = [k.name for k in kinds if _tells_time(k) and is_ordered(_moments(k, table[k.name]))]
    if ordered:
        text = (
            f"The rows are in the order of {listed(ordered)}. If the model shall predict later rows, give --time "
            f"{ordered[0]}, so that the past predicts the future: a random split lets it look ahead."
        )
        found.append(Finding("warning", "Rows in order of time", text))
    return found


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
