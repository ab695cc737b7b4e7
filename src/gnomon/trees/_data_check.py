"""Checks of a table before a tree is grown from it.

    rows per column n/p,    missing rate of column j,    contradictions: rows with equal x and different y           (1)

Contradictions bound the training accuracy of every tree: at least Σ over groups of equal x of (n − largest class) rows
are wrong. With fewer than ten rows per column an unlimited tree fits chance patterns; the rule of thumb is the one for
regressions in Harrell (2015), Regression Modeling Strategies, §4.4,
doi:10.1007/978-3-319-19425-7.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_consistent_length, column_or_1d

from gnomon._typing import ArrayLike, Floats, Integers, Sparse, TableLike, is_sparse
from gnomon.numerics.tables import Column, as_table

__all__ = ["DataCheck", "data_check"]

FEW_ROWS = 10
"""Rows per column below which an unlimited tree is advised against."""


@dataclass(frozen=True, eq=False)
class DataCheck:
    """What `data_check` found.

    Parameters
    ----------
    n_rows, n_columns : int
    names : tuple
        The columns.
    class_counts : dict
        Rows of each class; empty for numbers.
    missing_rates : ndarray of shape (n_columns,)
        Share of missing cells in each column.
    constant : tuple
        Names of columns with at most one value, where missing counts as a value.
    duplicates : tuple of tuples
        Names of columns whose cells agree in every row.
    contradictory_rows : int
        Rows whose x occurs with several y.
    least_errors : int
        Rows that every function of x gets wrong; 0 for numbers.
    advice : tuple of str
        Recommendations.

    References
    ----------
    Harrell, F. E. (2015). Regression Modeling Strategies, §4.4. doi:10.1007/978-3-319-19425-7

    Examples
    --------
    >>> from gnomon.trees import data_check
    >>> check = data_check([["a", 1.0], ["a", 1.0], ["b", 1.0]], ["no", "yes", "no"])
    >>> check.rows_per_column, check.constant, check.contradictory_rows, check.least_errors
    (1.5, ('x1',), 2, 1)
    """

    n_rows: int
    n_columns: int
    names: tuple[str, ...]
    class_counts: dict[Any, int]
    missing_rates: Floats
    constant: tuple[str, ...]
    duplicates: tuple[tuple[str, ...], ...]
    contradictory_rows: int
    least_errors: int
    advice: tuple[str, ...]

    @property
    def rows_per_column(self) -> float:
        """n/p."""
        return self.n_rows / self.n_columns

    def __str__(self) -> str:
        missing = [f"{name} {rate:.1%}" for name, rate in zip(self.names, self.missing_rates, strict=True) if rate > 0]
        lines = [
            f"{self.n_rows} rows, {self.n_columns} columns: {self.rows_per_column:.3g} rows per column",
            "classes: " + _listed(f"{label} {n}" for label, n in self.class_counts.items()),
            "missing: " + _listed(missing),
            "constant: " + _listed(map(str, self.constant)),
            "duplicates: " + _listed(" = ".join(map(str, group)) for group in self.duplicates),
            f"contradictory rows: {self.contradictory_rows}",
        ]
        return "\n".join(lines + [f"- {line}" for line in self.advice])


def _listed(words: Iterable[str]) -> str:
    return ", ".join(words) or "none"


def data_check(X: TableLike | Sparse, y: ArrayLike) -> DataCheck:
    """Describe a table and its targets, (1), before a tree is grown.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
        Numbers, strings and booleans; cells may be missing.
    y : array-like of shape (n_samples,)
        Labels or numbers.

    Returns
    -------
    DataCheck
        ``print`` shows it, with advice.

    References
    ----------
    Harrell, F. E. (2015). Regression Modeling Strategies, §4.4. doi:10.1007/978-3-319-19425-7

    Examples
    --------
    >>> from gnomon.datasets import load_weather_play
    >>> from gnomon.trees import data_check
    >>> weather = load_weather_play(as_frame=True)
    >>> print(data_check(weather.data, weather.target))
    14 rows, 4 columns: 3.5 rows per column
    classes: no 5, yes 9
    missing: none
    constant: none
    duplicates: none
    contradictory rows: 0
    - 3.5 rows per column are fewer than 10: an unlimited tree will fit chance patterns; limit max_depth or \
min_samples_leaf, or prune
    """
    table = as_table(X.tocsr().toarray() if is_sparse(X) else X)
    y = column_or_1d(y)
    check_consistent_length(table, y)
    (n, p), names = table.shape, table.names
    is_class = type_of_target(y) in ("binary", "multiclass")
    labels, index = np.unique(y, return_inverse=True)
    coded = [_codes(table.column(j)) for j in range(p)]
    group = _joint([codes for codes, _ in coded], n)
    cells = _joint([group, index], n)
    kinds = np.bincount(group[np.unique(cells, return_index=True)[1]])
    contradictory = int(np.sum(kinds[group] > 1))
    facts: dict[str, Any] = {
        "class_counts": dict(zip(labels.tolist(), np.bincount(index).tolist(), strict=True)) if is_class else {},
        "missing_rates": np.array([np.mean(table.column(j).missing) for j in range(p)]),
        "constant": tuple(name for name, (_, values) in zip(names, coded, strict=True) if len(values) == 1),
        "duplicates": _duplicates(coded, names),
        "contradictory_rows": contradictory,
        "least_errors": n - int(np.sum(_largest(group, cells))) if is_class else 0,
    }
    return DataCheck(n, p, names, **facts, advice=tuple(_advice(n, p, facts)))


def _codes(column: Column) -> tuple[Integers, tuple[Any, ...]]:
    """Integer codes of the values of a column, where missing is a value; and the values."""
    if column.is_number:
        values, codes = np.unique(column.cells, return_inverse=True)
        return codes, tuple(values.tolist())
    places: dict[Any, int] = {}
    codes = np.array([places.setdefault(cell, len(places)) for cell in column.cells.tolist()])
    return codes, tuple(places)


def _joint(codes: Iterable[Integers], n: int) -> Integers:
    """One integer for each distinct row of codes."""
    joint = np.zeros(n, dtype=np.int64)
    for code in codes:
        joint = np.unique(joint * (int(np.max(code)) + 1) + code, return_inverse=True)[1]
    return joint


def _largest(group: Integers, cells: Integers) -> Integers:
    """The rows of the most frequent target of each group of equal rows."""
    size = np.bincount(cells)
    largest = np.zeros(int(np.max(group)) + 1, dtype=np.int64)
    np.maximum.at(largest, group, size[cells])
    return largest


def _duplicates(coded: list[tuple[Integers, tuple[Any, ...]]], names: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    same: dict[tuple[bytes, str], list[str]] = {}
    for name, (codes, values) in zip(names, coded, strict=True):
        same.setdefault((codes.tobytes(), repr(values)), []).append(name)
    return tuple(tuple(group) for group in same.values() if len(group) > 1)


def _advice(n: int, p: int, facts: dict[str, Any]) -> Iterator[str]:
    if n / p < FEW_ROWS:
        yield (
            f"{n / p:.3g} rows per column are fewer than {FEW_ROWS}: an unlimited tree will fit chance patterns; limit "
            "max_depth or min_samples_leaf, or prune"
        )
    if len(facts["class_counts"]) == 1:
        yield "there is one class only: every tree is a constant; add rows of another"
    if facts["constant"]:
        yield "constant columns are never tested; drop them"
    if facts["duplicates"]:
        yield "of equal columns only the first is tested; drop the others"
    if facts["least_errors"]:
        yield f"{facts['least_errors']} rows are wrong in every tree, because equal rows have different classes"
