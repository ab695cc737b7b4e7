"""Numbers that stand for a missing cell: 999, -1 and their like, far from all others and repeated.

    v = ±9…9 :  min |xᵢ − v| > ½ (max x − min x)        v = −1 :  all other x ≥ 0, and many of them            (1)

over the values x ≠ v of a column. Whether they stand for something is for the user to say: what is found is a hint.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gnomon._typing import Floats
from gnomon.io import Table
from gnomon.io.tables import listed, to_text
from gnomon.report._findings import Finding
from gnomon.report._kinds import ColumnKind

__all__ = ["check_stand_ins"]

NINES = np.array([sign * (10.0**k - 1.0) for k in range(2, 10) for sign in (-1.0, 1.0)])
LEAST_CELLS, LEAST_SHARE, MOST_SHARE = 3, 0.002, 0.8
MANY_VALUES = 20


def check_stand_ins(table: Table, kinds: Sequence[ColumnKind]) -> list[Finding]:
    """A finding that names column, value, share and the option, where numbers look like missing cells."""
    told, cells = [], {}
    for kind in kinds:
        numbers = kind.read(table[kind.name]) if kind.kind == "number" else np.empty(0)
        for value in _stand_ins(numbers):
            same = numbers == value
            cells[str(to_text(table[kind.name])[same][0])] = None
            told.append(f"{kind.name} ({value:g} in {np.mean(same):.1%} of the rows)")
    if not told:
        return []
    options = " ".join(f"--missing {cell}" for cell in cells)
    text = (
        f"Numbers that repeat, and lie beyond all others, as if they stood for a missing cell: {listed(told)}. They "
        f"were taken as numbers; if they mean that nothing is known, give {options} (as the file writes them)."
    )
    return [Finding("warning", "Numbers that may mean missing", text)]


def _stand_ins(numbers: Floats) -> list[float]:
    """The values (1) of a column."""
    values, counts = np.unique(numbers[~np.isnan(numbers)], return_counts=True)
    if len(values) < 3:
        return []
    enough = (counts >= max(LEAST_CELLS, LEAST_SHARE * len(numbers))) & (counts <= MOST_SHARE * len(numbers))
    usual = values[~(np.isin(values, NINES) & enough)]
    if len(usual) < 2:
        return []
    # Beyond the ends of the others; 99 among ages is an age.
    away = np.maximum(usual[0] - values, values - usual[-1])
    found = np.isin(values, NINES) & enough & (away > 0.5 * (usual[-1] - usual[0]))
    rest = values[~found]
    minus = bool(len(rest) > MANY_VALUES and rest[0] == -1.0 and rest[1] >= 0.0 and enough[values == -1.0][0])
    return [*values[found].tolist(), *([-1.0] if minus else [])]
